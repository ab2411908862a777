"""What every test of solvers asks first: who is here."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def found() -> dict[str, str]:
    """Solver -> empty if it is found here by its trial solve, else why not."""
    from monoopt.solvers import available_solvers

    return {info.name: "" if info.found else info.note for info in available_solvers()}
