"""Bounded Gauss-Newton steps on the orthogonal residual: the fast finish of a curve fit.

Scores move with the control points (they stay projections), so only the free control points q are left:

minimise over q  1/2 (q - q_t)' (H + damping) (q - q_t) + g' (q - q_t)  subject to C q >= b

with g the gradient of J / 2 and H its Gauss-Newton or, where that is positive definite on the active face,
its exact Hessian. A step is taken only if it lowers J.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.deadline import NEVER, Deadline
from monoopt.algorithms.small_qp import SmallAnswer, solve_small_qp

Array = npt.NDArray[np.float64]
SMALLEST_DAMPING, LARGEST_DAMPING = 1e-9, 1e8
EXACT = 1e-28  # J of a curve through every object, up to rounding (data in the unit box)


@dataclass(frozen=True)
class CurveState:
    """A curve, the projections of all objects on it, and J."""

    control_points: Array
    scores: Array
    value: float


def finish(
    problem: CurveProblem,
    state: CurveState,
    *,
    max_iter: int = 100,
    tolerance: float = 1e-10,
    deadline: Deadline = NEVER,
) -> tuple[CurveState, list[float]]:
    """Lower J until the step is below the tolerance.

    Parameters
    ----------
    problem : CurveProblem
    state : CurveState
        Where to start; its scores must be projections.
    max_iter : int
    tolerance : float
        Largest move of a control point (in the unit box) that counts as none.
    deadline : Deadline
        No step begins after it.

    Returns
    -------
    state : CurveState
        J is not above that of the start.
    values : list of float
        J after each accepted step; strictly decreasing.
    """
    values: list[float] = []
    damping, active = 1e-4, np.zeros(len(problem.rows[1]), dtype=bool)
    for _ in range(max_iter if problem.degree > 1 else 0):
        if state.value <= EXACT or deadline.over:
            break
        gradient, H = _quadratic(problem, state, active)
        found, damping, moved = _step(problem, state, gradient, H, damping)
        if found is None:
            break
        state, answer = found
        values.append(state.value)
        active = answer.multipliers > 0
        if moved <= tolerance:
            break
    return state, values


def gradient_and_hessian(problem: CurveProblem, state: CurveState, exact: bool) -> tuple[Array, Array]:
    """Gradient and Hessian of J / 2 in the free control points, the scores moving along as projections."""
    from monoopt.order import _bezier_kernels as kernels

    P = np.ascontiguousarray(state.control_points)
    _, g, H = kernels.normal_equations(problem.U, problem.v, problem.weights, P, state.scores, exact)
    return g, H


def _quadratic(problem: CurveProblem, state: CurveState, active: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Exact Hessian if positive definite once the active rows are stiffened, else the Gauss-Newton one."""
    g, H = gradient_and_hessian(problem, state, exact=True)
    C = problem.rows[0][active]
    stiff = H + np.trace(np.abs(H)) * (C.T @ C)
    try:
        np.linalg.cholesky(stiff - 1e-3 * np.diag(np.abs(np.diag(H))))
        return g, stiff
    except np.linalg.LinAlgError:
        return gradient_and_hessian(problem, state, exact=False)


def _step(
    problem: CurveProblem, state: CurveState, g: Array, H: Array, damping: float
) -> tuple[tuple[CurveState, SmallAnswer] | None, float, float]:
    """Raise the damping until J falls; None when only rounding is left to gain."""
    C, b = problem.rows
    q = state.control_points[1:-1].ravel()
    stiffness = np.diag(np.diag(H) + 1e-9 * np.trace(H) + 1e-300)
    while damping <= LARGEST_DAMPING:
        answer = solve_small_qp(H + damping * stiffness, g, C, b - C @ q)
        if answer is None:  # only rounding can empty the box around a feasible point
            return None, damping, 0.0
        gain = -(g @ answer.x + 0.5 * answer.x @ H @ answer.x)
        if gain <= 1e-15 * state.value:
            return None, damping, 0.0
        P = problem.curve(q + answer.x)
        scores, value = problem.project(P)
        if value < state.value:
            moved = float(np.abs(P - state.control_points).max())
            return (CurveState(P, scores, value), answer), max(damping / 10, SMALLEST_DAMPING), moved
        damping = max(damping * 10, 1e-6)
    return None, damping, 0.0
