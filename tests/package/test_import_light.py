"""``import monoopt`` loads nothing heavy, and a name loads no more than its own floor needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"cvxpy", "pyomo", "numba", "highspy", "matplotlib", "plotly", "pandas", "polars", "typer", "rich"}


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_at_all():
    loaded = modules_after("import monoopt")
    assert "monoopt" in loaded
    assert not loaded & (HEAVY | {"numpy", "scipy", "sklearn"})


@pytest.mark.parametrize("room", ["errors", "program", "order", "formulations", "solvers", "datasets"])
def test_the_lower_floors_stay_light(room: str):
    assert not modules_after(f"import monoopt.{room}") & HEAVY


def test_every_public_name_stays_light():
    everything = "import monoopt\nfor name in monoopt.__all__: getattr(monoopt, name)"
    loaded = modules_after(everything)
    assert not loaded & (HEAVY - {"pandas"}), "scikit-learn itself may look for pandas; nothing else is excused"


def test_the_command_line_door_is_light():
    assert not modules_after("from monoopt.cli import main") & HEAVY
