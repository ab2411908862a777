"""The auditors' shelf as the tests see it: every folder of models/ that holds a card, found by itself."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from monoopt.program import Program

SHELF = Path(__file__).resolve().parents[2] / "models"
HERE = Path(__file__).resolve().parent
SEEDS = (1, 2, 3, 4)


def load(path: Path, name: str) -> ModuleType:
    """Import a file by its path, so that no module is called `models` or `tests`."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


AUDIT = load(SHELF / "audit.py", "monoopt_shelf_audit")
PYOMO = load(SHELF / "pyomo_to_program.py", "monoopt_shelf_pyomo_to_program")
INSTANCES = load(HERE / "instances.py", "monoopt_shelf_instances")


@dataclass(frozen=True)
class Folder:
    """One folder of the shelf."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def card(self) -> str:
        return (self.path / "CARD.md").read_text(encoding="utf-8")

    @property
    def tiny(self) -> dict[str, Any]:
        return json.loads((self.path / "tiny.json").read_text(encoding="utf-8"))

    def program(self, data: dict[str, Any]) -> Program:
        """What monoopt builds."""
        return AUDIT.builder_of(self.tiny)(**data)

    def reference(self, data: dict[str, Any]) -> Any:
        """What the independent reference builds."""
        return AUDIT.load(self.path / "reference.py").build(data)

    def instance(self, seed: int) -> dict[str, Any]:
        """A random instance, as plain as JSON makes it."""
        make = getattr(INSTANCES, self.name, None)
        if make is None:
            pytest.fail(
                f"models/{self.name} has no random instances: add a function {self.name}(rng) to "
                "tests/models/instances.py that returns data for reference.build(data) and the builder"
            )
        return json.loads(json.dumps(make(np.random.default_rng(seed))))


FOLDERS = [Folder(path) for path in sorted(SHELF.iterdir()) if path.is_dir() and path.name[0] not in "._"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `folder` runs for every folder; one that asks for `seed` for every seed."""
    if "folder" in metafunc.fixturenames:
        metafunc.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", SEEDS)


@pytest.fixture(scope="session")
def folders() -> list[Folder]:
    return FOLDERS


@pytest.fixture(scope="session")
def audit() -> ModuleType:
    return AUDIT


@pytest.fixture(scope="session")
def pyomo_to_program() -> ModuleType:
    return PYOMO
