"""solve(program, solver="highs"): check the needs, run, re-check the answer, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from monoopt.errors import OptionError, UnsupportedProgram, nearest
from monoopt.program import Program, Solution
from monoopt.solvers.answer import without_columns
from monoopt.solvers.base import Solver, require_program
from monoopt.solvers.registry import get_solver, solvers_that_can
from monoopt.solvers.session import Session
from monoopt.solvers.settings import Settings
from monoopt.solvers.verdict import checked, required

Words = ParamSpec("Words")
Answer = TypeVar("Answer")


def _named_words(function: Callable[Words, Answer]) -> Callable[Words, Answer]:
    """Refuse a misspelt word and name the nearest, which Python itself does from 3.12 on only."""
    names = list(signature(function).parameters)

    @wraps(function)
    def checked(*args: Words.args, **words: Words.kwargs) -> Answer:
        for word in words:
            if word not in names:
                raise OptionError(f"{function.__name__}() has no word {word!r}{nearest(word, names)}")
        return function(*args, **words)

    return checked


@_named_words
def solve(
    program: Program,
    solver: str | Solver = "highs",
    *,
    time_limit: float | None = None,
    tolerance: float | None = None,
    threads: int = 1,
    seed: int = 0,
    verbose: bool = False,
    presolve: bool | None = None,
    options: Mapping[str, Any] | None = None,
    raise_on_failure: bool = True,
) -> Solution:
    """Solve a program and certify the answer.

    minimise 1/2 x'Px + c'x + offset  subject to  row_lower <= A x <= row_upper, lower <= x <= upper,
    some x integer, G x + h in cones.

    Parameters
    ----------
    program : Program
        From a formulation or a `ProgramBuilder`.
    solver : str or Solver
        A name that `available_solvers` lists, such as ``"highs"``, ``"clarabel"``, ``"glpk"``, ``"mincut"``.
    time_limit : float, optional
        Wall seconds for this solve.
    tolerance : float, optional
        The backend's feasibility and optimality tolerance.
    threads, seed, verbose, presolve
        The same meaning on every backend; ``presolve=None`` keeps the backend's default.
    options : mapping, optional
        Native options of the backend; an unknown one is refused.
    raise_on_failure : bool
        Raise `SolveError` unless the status is OPTIMAL; otherwise hand back what there is.

    Returns
    -------
    Solution
        With a certificate that was recomputed from program and answer. ``x`` is None unless there is a point
        that passes our own check.

    Raises
    ------
    SolverNotFound, UnsupportedProgram, OptionError
        Before anything is built.
    SolveError
        With the status's advice; the solution hangs on the error.

    Examples
    --------
    >>> from monoopt.program import ProgramBuilder
    >>> b = ProgramBuilder("smallest")
    >>> b.add_columns("x", cost=1)
    >>> b.add_rows("floor", {"x": [[1.0]]}, lower=3)
    >>> found = solve(b.build())
    >>> found.status.value, found.objective, float(found.dual("floor"))
    ('optimal', 3.0, 1.0)
    """
    settings = Settings(time_limit, tolerance, threads, seed, verbose, {} if options is None else options, presolve)
    if not isinstance(raise_on_failure, (bool, np.bool_)):
        raise OptionError(f"raise_on_failure={raise_on_failure!r}: wanted True or False")
    backend = _ready(program, solver)
    answer = backend.run(program, settings) if program.shape[1] else without_columns(program)
    solution = checked(program, settings, answer, solver=backend.name, version=backend.version())
    return required(solution) if raise_on_failure else solution


@_named_words
def open_session(
    program: Program,
    solver: str | Solver = "highs",
    *,
    time_limit: float | None = None,
    tolerance: float | None = None,
    threads: int = 1,
    seed: int = 0,
    verbose: bool = False,
    presolve: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> Session:
    """Open a session on a program: add columns or rows, change costs, solve again, hot where the backend can.

    The words mean the same as in `solve`; use it as a context manager.
    """
    settings = Settings(time_limit, tolerance, threads, seed, verbose, {} if options is None else options, presolve)
    return Session(_ready(program, solver).hold(program, settings))


def _ready(program: Program, solver: str | Solver) -> Solver:
    require_program(program)
    if not isinstance(solver, (str, Solver)):
        raise OptionError(f"solver={solver!r}: wanted a name that available_solvers() lists, or a Solver object")
    backend = get_solver(solver) if isinstance(solver, str) else solver
    missing = program.needs - backend.can
    if missing:
        others = solvers_that_can(program.needs, found=False)
        raise UnsupportedProgram(
            f"solver {backend.name!r} can't do {', '.join(sorted(missing))}, which program {program.name!r} needs; "
            f"these can: {', '.join(others) or 'none known'}"
        )
    backend.check(program)
    return backend
