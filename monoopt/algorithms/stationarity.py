"""First-order conditions of a curve and its scores, checked whatever algorithm found them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.gauss_newton import CurveState
from monoopt.formulations import control_points
from monoopt.formulations.control_points import PreferenceRows
from monoopt.order.bezier import curve_points, curve_slopes, design_sums
from monoopt.program import Certificate, Program, Solution, Status, certify

Array = npt.NDArray[np.float64]
BINDING = 1e-9


@dataclass(frozen=True)
class Stationarity:
    """How far a pair (P, s) is from the first-order conditions of J; all are zero at a stationary pair.

    Attributes
    ----------
    control_points : Certificate
        That P is an optimum of the control-point program at the scores s: our own check, with multipliers
        taken from the gradient, so that no solver has to be believed.
    scores : float
        Largest |(x_i - f(s_i)) . f'(s_i)| over the scores inside (0, 1). The scores are global projections besides.
    tolerance : float
        What ``scores`` must stay below.
    program : Program or None
        The control-point program at the scores.
    """

    control_points: Certificate | None
    scores: float
    tolerance: float
    program: Program | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether both conditions hold."""
        return self.scores <= self.tolerance and (self.control_points is None or self.control_points.ok)

    def __str__(self) -> str:
        """One sentence."""
        word = "stationary" if self.ok else "NOT stationary"
        proof = "no free control point" if self.control_points is None else f"control points: {self.control_points}"
        return f"{word}; scores: largest residual {self.scores:.2g} (tolerance {self.tolerance:g}); {proof}"


def stationarity(
    problem: CurveProblem,
    state: CurveState,
    tolerance: float = 1e-6,
    preferences: PreferenceRows | None = None,
) -> Stationarity:
    """Check the first-order conditions of the pair (with the rows of anchors, linearised at the curve)."""
    P, s = state.control_points, state.scores
    gap = np.nan_to_num(problem.U - curve_points(P, s)) * problem.weights
    inside = (s > 0) & (s < 1)
    scores = float(np.abs((gap * curve_slopes(P, s)).sum(axis=1)[inside]).max(initial=0.0))
    if problem.degree == 1:
        return Stationarity(None, scores, tolerance)
    program = program_at(problem, s, preferences)
    proof = certify(program, proposed_optimum(program, P), tolerance=tolerance)
    return Stationarity(proof, scores, tolerance, program)


def program_at(problem: CurveProblem, scores: Array, preferences: PreferenceRows | None = None) -> Program:
    """Return the control-point program at given scores."""
    return control_points.build_from_sums(
        design_sums(problem.U, problem.v, scores, problem.degree),
        directions=problem.directions,
        attribute_weights=problem.weights,
        margin=problem.margin,
        preferences=preferences,
    )


def proposed_optimum(program: Program, P: Array) -> Solution:
    """Offer control points as an optimum of the program, with the multipliers that the gradient implies.

    Sides that bind get the best non-negative multipliers, and the bounds whatever is left over. Nothing is claimed:
    `certify` decides.
    """
    from scipy.optimize import nnls

    x = P[1:-1].ravel()
    quadratic: Any = program.P
    gradient = program.c + quadratic @ x
    rows = program.A.toarray()
    low, high = rows @ x - program.row_lower <= BINDING, program.row_upper - rows @ x <= BINDING
    at_low, at_high = x - program.lower <= BINDING, program.upper - x <= BINDING
    eye = np.eye(len(x))
    normals = np.vstack([rows[low], -rows[high], eye[at_low], -eye[at_high]])
    share = nnls(normals.T, gradient)[0] if len(normals) else np.zeros(0)
    y = np.zeros(len(rows))
    y[low] += share[: low.sum()]
    y[high] -= share[low.sum() : low.sum() + high.sum()]
    z = gradient - rows.T @ y
    return Solution(program, Status.OPTIMAL, x=x, y=y, z=z, objective=program.objective(x), solver="monoopt")
