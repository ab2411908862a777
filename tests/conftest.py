"""What every test may rely on: reproducible examples, no window, and the data folder where there is one."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.conformance_table import pytest_terminal_summary as pytest_terminal_summary

os.environ.setdefault("MPLBACKEND", "Agg")

hypothesis.settings.register_profile("monoopt", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("monoopt")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets that MONOOPT_DATA names; tests that need it are skipped without it."""
    folder = Path(os.environ.get("MONOOPT_DATA", ""))
    if not os.environ.get("MONOOPT_DATA") or not folder.is_dir():
        pytest.skip("MONOOPT_DATA names no folder of data sets (ordinal/, ranking/, cluster/, ...)")
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout: where pyproject.toml is."""
    return Path(__file__).resolve().parents[1]
