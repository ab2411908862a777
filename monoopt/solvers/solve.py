"""solve(program, solver="highs"): check the needs, run, re-check the answer, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from monoopt.errors import OptionError, SolveError, UnsupportedProgram, nearest
from monoopt.program import Certificate, Program, Solution, SolveStats, Status, certify
from monoopt.program.certificate import TOLERANCE
from monoopt.solvers.base import RawAnswer, Session, Settings, Solver, require_program
from monoopt.solvers.proofs import with_proof
from monoopt.solvers.registry import get_solver, solvers_that_can

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
    threads, seed, verbose
        The same meaning on every backend.
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
    settings = Settings(time_limit, tolerance, threads, seed, verbose, {} if options is None else options)
    backend = _ready(program, solver)
    answer = backend.run(program, settings) if program.shape[1] else _without_columns(program)
    solution = finish(backend, program, settings, answer)
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
    options: Mapping[str, Any] | None = None,
) -> Session:
    """Open a session on a program: add columns or rows, change costs, solve again, hot where the backend can.

    The words mean the same as in `solve`; use it as a context manager.
    """
    settings = Settings(time_limit, tolerance, threads, seed, verbose, {} if options is None else options)
    return _ready(program, solver).open(program, settings)


def finish(backend: Solver, program: Program, settings: Settings, answer: RawAnswer) -> Solution:
    """Turn a backend's word into a checked solution in the user's sense."""
    start = time.perf_counter()
    solution = _in_users_sense(program, with_proof(program, settings, answer))
    tolerance = min(max(TOLERANCE, 10 * (settings.tolerance or 0.0)), 0.5)
    certificate = certify(program, solution, tolerance=tolerance)
    status = _checked(solution, certificate)
    if not status.has_point:
        solution = replace(solution, x=None, y=None, z=None, w=None, objective=None)
    stats = SolveStats(answer.build_time, answer.solve_time, time.perf_counter() - start, answer.iterations, answer.hot)
    record = {word: value for word, value in settings.as_dict().items() if word != "verbose"}
    return replace(
        solution,
        status=status,
        certificate=certificate,
        bound=_bound(program, solution, certificate.dual_objective),
        stats=stats,
        solver=str(backend.name),
        version=backend.version(),
        options=record,
    )


def required(solution: Solution) -> Solution:
    """Return an optimal solution as it is; raise `SolveError` with the status's advice for any other."""
    if solution.optimal:
        return solution
    reasons = "" if solution.certificate is None else "; ".join(solution.certificate.reasons)
    raise SolveError(
        f"program {solution.program.name!r}, solver {solution.solver} {solution.version}: {solution.status.value} "
        f"(its own word: {solution.raw_status!r}): {solution.status.advice}" + (f" [{reasons}]" if reasons else ""),
        solution,
    )


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


def _without_columns(program: Program) -> RawAnswer:
    """A program without columns is decided by its rows: each must allow 0."""
    m = program.shape[0]
    wrong = (program.row_lower > 0) | (program.row_upper < 0)
    if wrong.any():
        ray = np.where(wrong, np.sign(np.where(program.row_lower > 0, 1.0, -1.0)), 0.0)
        return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="no columns")
    return RawAnswer(
        Status.OPTIMAL,
        np.empty(0),
        np.zeros(m),
        np.empty(0),
        np.zeros(sum(c.block.size for c in program.cones)),
        raw_status="no columns",
    )


def _in_users_sense(program: Program, answer: RawAnswer) -> Solution:
    sign = program.sign

    def turned(array: Any) -> Any:
        return array if array is None else sign * array + 0.0  # no -0.0

    return Solution(
        program=program,
        status=answer.status,
        x=None if answer.x is None else answer.x + 0.0,
        y=turned(answer.y),
        z=turned(answer.z),
        w=turned(answer.w),
        objective=None if answer.x is None else program.objective(answer.x) + 0.0,
        bound=None if answer.bound is None else sign * answer.bound + 0.0,
        ray=None if answer.ray is None else answer.ray + 0.0,
        raw_status=answer.raw_status,
        log=answer.log,
    )


def _checked(solution: Solution, certificate: Certificate) -> Status:
    """The status after our own check, whatever the backend says.

    A point that fails is no point; an optimum that is not proved, or away from the backend's own bound, is a point;
    a point that is proved optimal is an optimum, even where a limit came first.
    """
    status = solution.status
    if solution.x is None:
        return Status.ERROR if status is Status.OPTIMAL else Status.LIMIT if status is Status.FEASIBLE else status
    if status in (Status.INFEASIBLE, Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED, Status.ERROR):
        return status
    if not certificate.feasible:
        return {Status.OPTIMAL: Status.NUMERICAL, Status.FEASIBLE: Status.LIMIT}.get(status, status)
    if certificate.ok and certificate.kind == "optimality":
        return Status.OPTIMAL
    closed = solution.bound is None or solution.gap <= certificate.tolerance
    return Status.OPTIMAL if status is Status.OPTIMAL and certificate.ok and closed else Status.FEASIBLE


def _bound(program: Program, solution: Solution, proved: float) -> float | None:
    """The proved bound where multipliers gave one, else the backend's word."""
    if "integer" not in program.needs and solution.x is not None and abs(proved) < float("inf"):
        return proved
    return solution.bound
