"""From a backend's word to a checked solution: whatever it says, the certificate decides what that is worth."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from monoopt.errors import SolveError
from monoopt.program import Certificate, Program, Solution, SolveStats, Status, certify
from monoopt.program.certificate import TOLERANCE
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.proofs import with_proof
from monoopt.solvers.settings import Settings


def checked(program: Program, settings: Settings, answer: RawAnswer, *, solver: str, version: str) -> Solution:
    """Turn a backend's word into a checked solution in the user's sense."""
    start = time.perf_counter()
    solution = _in_users_sense(program, with_proof(program, settings, answer))
    tolerance = min(max(TOLERANCE, 10 * (settings.tolerance or 0.0)), 0.5)
    certificate = certify(program, solution, tolerance=tolerance)
    status = _status(solution, certificate)
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
        solver=solver,
        version=version,
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


def _status(solution: Solution, certificate: Certificate) -> Status:
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
