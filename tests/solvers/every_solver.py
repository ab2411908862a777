"""All solvers that the registry knows, as objects, found here or not; and a program that each can take."""

from __future__ import annotations

import pytest

from monoopt.errors import UnsupportedProgram
from monoopt.program import Program
from monoopt.solvers import Solver
from monoopt.solvers.registry import known_solvers

SOLVERS: dict[str, Solver] = {name: make() for name, make in known_solvers().items()}


def takes(name: str, program: Program) -> bool:
    """Whether the solver can take the program, by its own word."""
    try:
        SOLVERS[name].check(program)
    except UnsupportedProgram:
        return False
    return True


def require(name: str, found: dict[str, str]) -> None:
    """Skip, saying why, where a solver is not found."""
    if found[name]:
        pytest.skip(f"{name} is not found here: {found[name]}")
