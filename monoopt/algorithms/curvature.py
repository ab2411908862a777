"""Is a stationary curve a minimum, or a saddle? And the way off a saddle.

minimise over u  u' H u  subject to  C u = 0 on the rows that bind, ||u|| = 1,   H the exact Hessian of J

Mirrored data (an attribute's values turned upside down in another) make saddles: the straight curve is stationary,
and J falls as the curve leans to either side.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.gauss_newton import EXACT, CurveState, gradient_and_hessian

Array = npt.NDArray[np.float64]

FLAT = 1e-6  # curvature above minus this share of the largest counts as none
BINDING = 1e-9
EVEN = 1e-6  # relative difference of mirrored sides that is but rounding, which must not choose between them
STEPS = 0.5 ** np.arange(1, 16)


def step_off(problem: CurveProblem, state: CurveState) -> CurveState | None:
    """Return a curve with a lower J along a direction of negative curvature; None where there is none.

    Parameters
    ----------
    problem : CurveProblem
    state : CurveState
        Stationary.
    """
    way = falling_direction(problem, state)
    if way is None:
        return None
    q = state.control_points[1:-1].ravel()
    for step in STEPS:
        sides = [problem.curve(q + step * way), problem.curve(q - step * way)]
        found, other = (CurveState(P, *problem.project(P)) for P in sides)
        if other.value < found.value * (1 - EVEN):
            found = other
        if found.value < state.value * (1 - 1e-12):
            return found
    return None


def falling_direction(problem: CurveProblem, state: CurveState) -> Array | None:
    """Return the unit direction of least curvature, if that is negative, on the free control points."""
    from scipy.linalg import null_space

    if problem.degree == 1 or state.value <= EXACT:
        return None
    C, b = problem.rows
    free = null_space(C[C @ state.control_points[1:-1].ravel() - b <= BINDING])
    if free.shape[1] == 0:
        return None
    _, H = gradient_and_hessian(problem, state, exact=True)
    values, vectors = np.linalg.eigh(free.T @ H @ free)
    if values[0] >= -FLAT * np.abs(values).max():
        return None
    way: Array = free @ vectors[:, 0]
    size = np.abs(way)
    return way * np.sign(way[np.argmax(size >= (1 - EVEN) * size.max())])
