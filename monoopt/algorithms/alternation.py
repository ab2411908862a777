"""Fitting a ranking principal curve: project the objects, move the control points, again.

Every phase lowers J = sum_i v_i ||x_i - f(s_i)||^2 or is not taken, so J never increases:

* projection: s_i = largest global minimiser of the distance to the curve (equation A-2), exact;
* control points at fixed scores: the program of `monoopt.formulations.control_points` ("qp"), or the paper's
  preconditioned Richardson step with golden section search for the scores ("richardson");
* finish: bounded Gauss-Newton steps on the orthogonal residual, to stationarity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from monoopt.algorithms import gauss_newton
from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.deadline import NEVER, Deadline
from monoopt.algorithms.gauss_newton import CurveState
from monoopt.algorithms.richardson import golden_section, richardson_step
from monoopt.algorithms.small_qp import solve_small_qp
from monoopt.order.bezier import DesignSums, design_sums

Array = npt.NDArray[np.float64]
Algorithm = Literal["qp", "richardson"]
Update = Callable[[DesignSums, Array], Array]

HAND_OVER = 1e-2  # relative decrease of J below which the alternation leaves the rest to the finish


@dataclass(frozen=True)
class Trace:
    """What happened to J, step by step.

    Attributes
    ----------
    phases : tuple of str
        "start", then "qp", "richardson", "gauss_newton" or "curvature" (off a saddle) per step.
    values : ndarray
        J after each step's projection.
    """

    phases: tuple[str, ...]
    values: Array

    @property
    def ok(self) -> bool:
        """Whether J never increased."""
        return bool(np.all(np.diff(self.values) <= 0))

    def then(self, other: Trace) -> Trace:
        """Go on with a trace that starts where this one ends."""
        return Trace(self.phases + other.phases[1:], np.concatenate([self.values, other.values[1:]]))

    def __str__(self) -> str:
        """One sentence."""
        word = "never increased" if self.ok else "INCREASED"
        return f"J {word} in {len(self.values) - 1} steps: {self.values[0]:.6g} -> {self.values[-1]:.6g}"


def fit_curve(
    problem: CurveProblem,
    state: CurveState,
    *,
    algorithm: Algorithm = "qp",
    update: Update | None = None,
    finish: bool = True,
    max_iter: int = 1000,
    tolerance: float = 1e-10,
    deadline: Deadline = NEVER,
) -> tuple[CurveState, Trace]:
    """Alternate from one start; then, unless told not to, finish by Gauss-Newton.

    Parameters
    ----------
    problem : CurveProblem
    state : CurveState
        The start (see `monoopt.algorithms.curve_starts`).
    algorithm : "qp" or "richardson"
    update : callable, optional
        Solves the control-point program: ``update(sums, control_points)`` returns new control points. The
        exact direct solution by default; `monoopt.algorithms.curve_fit.solver_update` hands it to any solver.
    finish : bool
        With the finish the alternation stops once it slows down; without, at a relative decrease of J below
        ``tolerance``. The alternation alone needs hundreds of steps.
    max_iter : int
        Limit on the steps of each of the two loops.
    tolerance : float
        Relative decrease of J (alternation) and largest move of a control point (finish).
    deadline : Deadline
        No step begins after it.

    Returns
    -------
    state, trace
    """
    phases, values = ["start"], [state.value]
    move = update or (lambda sums, P: solve_directly(problem, sums, P))
    for _ in range(max_iter if problem.degree > 1 else 0):
        if state.value <= gauss_newton.EXACT or deadline.over:
            break
        new = _alternate(problem, state, algorithm, move)
        if new.value >= state.value:
            break
        share = (state.value - new.value) / state.value
        state = new
        phases.append(algorithm)
        values.append(state.value)
        if share <= (HAND_OVER if finish else tolerance):
            break
    if finish:
        state, more = gauss_newton.finish(problem, state, max_iter=max_iter, tolerance=tolerance, deadline=deadline)
        phases += ["gauss_newton"] * len(more)
        values += more
    elif algorithm == "richardson":  # golden section is a local search: report the true projections
        scores, value = problem.project(state.control_points)
        state = CurveState(state.control_points, scores, min(value, state.value))
        phases.append("projection")
        values.append(state.value)
    return state, Trace(tuple(phases), np.array(values))


def _alternate(problem: CurveProblem, state: CurveState, algorithm: Algorithm, move: Update) -> CurveState:
    sums = design_sums(problem.U, problem.v, state.scores, problem.degree)
    if algorithm == "richardson":
        P = problem.curve(richardson_step(sums, state.control_points)[1:-1].ravel())
        scores, value = golden_section(problem, P, state.scores)
    else:
        P = problem.curve(move(sums, state.control_points)[1:-1].ravel())
        scores, value = problem.project(P)
    return CurveState(P, scores, value)


def solve_directly(problem: CurveProblem, sums: DesignSums, P: Array) -> Array:
    """Solve the control-point program attribute by attribute, exactly.

    Where the scores leave a control point undetermined the one at hand is kept (a tiny proximal term).
    """
    new, eye = P.copy(), np.eye(problem.degree - 1)
    for j, (C, b) in enumerate(problem.rows_by_attribute):
        gram, q = sums.gram[j], P[1:-1, j]
        H = gram[1:-1, 1:-1] + 1e-13 * (gram.trace() + 1e-300) * eye
        g = gram[1:-1] @ P[:, j] - sums.data[j, 1:-1]  # gradient at the point at hand
        answer = solve_small_qp(H, g, C, b - C @ q)
        if answer is not None:
            new[1:-1, j] = q + answer.x
    return new
