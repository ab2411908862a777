"""Proofs that there is no point, or no end: two small linear programs, for answers that bring none of their own.

A backend's word that a program is infeasible or unbounded proves nothing. Where no ray comes with it, or one that
fails our check, HiGHS is asked for one; who finds a proof does not matter, for the certificate checks it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from monoopt.program import Program, ProgramBuilder, Status
from monoopt.program.certificate import TOLERANCE
from monoopt.program.residuals import bound_violation, direction, farkas_margin, row_violation
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.cvxpy_ import Cvxpy
from monoopt.solvers.highs import Highs
from monoopt.solvers.settings import Settings

TO_PROVE = (Status.INFEASIBLE, Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED)


def with_proof(program: Program, settings: Settings, answer: RawAnswer) -> RawAnswer:
    """Return the answer with a ray that proves it, where one exists; the status follows the proof.

    A claim of infeasibility that a point of ours contradicts becomes NUMERICAL. Programs that only cones or whole
    numbers make infeasible keep the backend's word, and the certificate says that it is not proved.
    """
    if answer.status not in TO_PROVE or not program.shape[1]:
        return answer
    if answer.status is Status.UNBOUNDED and _improves(program, answer.ray):
        return answer
    if (ray := _turned(program, answer.ray)) is not None:
        return replace(answer, status=Status.INFEASIBLE, ray=ray)
    quick = Settings(time_limit=settings.time_limit, threads=settings.threads, seed=settings.seed)
    ray, point = least_violation(program, quick)
    if (ray := _turned(program, ray)) is not None:
        return replace(answer, status=Status.INFEASIBLE, ray=ray)
    if point is None or max(row_violation(program, point), bound_violation(program, point)) > TOLERANCE:
        return replace(answer, ray=None)
    if answer.status is Status.INFEASIBLE:
        contradicted = not program.cones and not program.integer.any()
        return replace(answer, status=Status.NUMERICAL if contradicted else answer.status, ray=None)
    ray = steepest_direction(program, quick)
    if _improves(program, ray):
        return replace(answer, status=Status.UNBOUNDED, ray=ray)
    return replace(answer, ray=None)


def least_violation(program: Program, settings: Settings) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Solve min t subject to row_lower - t <= A x <= row_upper + t, lower <= x <= upper, t >= 0.

    Returns the multipliers of the rows, a Farkas ray where t is above 0, and x.
    """
    low, high = np.isfinite(program.row_lower), np.isfinite(program.row_upper)
    builder = ProgramBuilder("least_violation")
    builder.add_columns("x", program.shape[1], lower=program.lower, upper=program.upper)
    builder.add_columns("t", 1, lower=0, cost=1)
    for name, there, side in (("at_least", low, 1.0), ("at_most", high, -1.0)):
        if there.any():
            sides = {"lower": program.row_lower[there]} if side > 0 else {"upper": program.row_upper[there]}
            slack = np.full((int(there.sum()), 1), side)
            builder.add_rows(name, {"x": program.A[there], "t": slack}, **sides)
    answer = _solved(builder.build(), settings)
    if answer is None or answer.x is None or answer.y is None:
        return None, None
    y = np.zeros(program.shape[0])
    count = int(low.sum())
    y[low] += answer.y[:count]
    y[high] += answer.y[count:]
    return y, answer.x[:-1]


def steepest_direction(program: Program, settings: Settings) -> np.ndarray | None:
    """Solve min c'd over the directions that no row, bound, cone or curvature stops, -1 <= d <= 1."""
    builder = ProgramBuilder("steepest_direction")
    low, high = _homogeneous(program.lower, program.upper)
    builder.add_columns("d", program.shape[1], cost=program.c, lower=np.maximum(low, -1), upper=np.minimum(high, 1))
    if program.shape[0]:
        low, high = _homogeneous(program.row_lower, program.row_upper)
        builder.add_rows("rows", {"d": program.A}, lower=low, upper=high)
    if program.P is not None:
        builder.add_rows("flat", {"d": sparse.csr_array(program.P)}, lower=0, upper=0)
    for cone in program.cones:
        builder.add_cone(f"cone_{cone.block.name}", cone.kind, {"d": cone.G})
    answer = _solved(builder.build(), settings)
    return None if answer is None else answer.x


def _homogeneous(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sides of the recession cone: 0 where there is a side."""
    return np.where(np.isfinite(low), 0.0, -np.inf), np.where(np.isfinite(high), 0.0, np.inf)


def _solved(program: Program, settings: Settings) -> RawAnswer | None:
    answer = (Cvxpy("clarabel") if program.cones else Highs()).run(program, settings)
    return answer if answer.status is Status.OPTIMAL else None


def _turned(program: Program, ray: np.ndarray | None) -> np.ndarray | None:
    """The ray, or its negative, whichever proves infeasibility; None if neither does."""
    if ray is None:
        return None
    margin, ray = max(((farkas_margin(program, turned), turned) for turned in (ray, -ray)), key=lambda pair: pair[0])
    return ray if margin > TOLERANCE else None


def _improves(program: Program, ray: np.ndarray | None) -> bool:
    """Whether the objective improves along the ray for ever."""
    violation, slope = (np.inf, 0.0) if ray is None else direction(program, ray)
    return violation <= TOLERANCE and slope < -TOLERANCE
