"""Curves that respect anchors: "a above b" and "a at 0.9", as extra rows of the control-point program.

minimise    J(P)
subject to  s_a(P) - s_b(P) >= gap    for every preference,   s_a(P) = t for every fixed score,
            and what every curve must obey

The scores depend on the curve, so the rows are linearised about the curve at hand and the program is solved
again and again (sequential quadratic programming, SciPy's SLSQP). At the end the last program, rows included,
is certified at the curve itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.deadline import NEVER, Deadline
from monoopt.algorithms.gauss_newton import CurveState, gradient_and_hessian
from monoopt.formulations.control_points import PreferenceRows
from monoopt.order.bezier import bernstein, project

Array = npt.NDArray[np.float64]

GAP = 1e-3  # a preference asks for at least this difference of scores
MET = 1e-7  # a row broken by less than this counts as met


@dataclass(frozen=True, eq=False)
class Anchors:
    """Statements about m objects.

    Attributes
    ----------
    U : ndarray, shape (m, d)
        The objects named, scaled.
    above : ndarray of int, shape (p, 2)
        Rows (a, b): object a above object b.
    at : ndarray of int, shape (q,)
        Objects whose score is fixed.
    levels : ndarray, shape (q,)
        Their scores.
    words : tuple of str
        The p + q statements as the user would say them, preferences first.
    """

    U: Array
    above: npt.NDArray[np.intp]
    at: npt.NDArray[np.intp]
    levels: Array
    words: tuple[str, ...]

    def only(self, kept: Sequence[int]) -> Anchors:
        """Return the anchors with some of the statements."""
        p = len(self.above)
        first = [i for i in kept if i < p]
        second = [i - p for i in kept if i >= p]
        words = tuple(self.words[i] for i in [*first, *(p + i for i in second)])
        return Anchors(self.U, self.above[first], self.at[second], self.levels[second], words)

    def values(self, scores: Array) -> Array:
        """Left sides: differences of scores, then fixed scores."""
        return np.concatenate([scores[self.above[:, 0]] - scores[self.above[:, 1]], scores[self.at]])

    @property
    def sides(self) -> tuple[Array, Array]:
        """Lower and upper sides of the statements."""
        p = len(self.above)
        lower = np.concatenate([np.full(p, GAP), self.levels])
        return lower, np.concatenate([np.full(p, np.inf), self.levels])

    def broken(self, scores: Array) -> Array:
        """By how much each statement is broken."""
        lower, upper = self.sides
        values = self.values(scores)
        return np.maximum(np.maximum(lower - values, values - upper), 0.0)


def preference_rows(problem: CurveProblem, P: Array, anchors: Anchors) -> PreferenceRows:
    """Linearise the statements about a curve: rows on the free control points q."""
    scores, slopes = score_gradients(problem, P, anchors.U)
    rows = np.vstack([slopes[anchors.above[:, 0]] - slopes[anchors.above[:, 1]], slopes[anchors.at]])
    lower, upper = anchors.sides
    shift = rows @ P[1:-1].ravel() - anchors.values(scores)
    return PreferenceRows(anchors.words, rows, lower + shift, upper + shift)


def score_gradients(problem: CurveProblem, P: Array, U: Array) -> tuple[Array, Array]:
    """Scores of objects, and their gradients in the free control points; shapes (m,), (m, (k - 1) d).

    From (x - f(s)) . f'(s) = 0 by the implicit function theorem; zero for scores at either end.
    """
    k, d, w = problem.degree, problem.d, problem.weights
    scores, _ = project(U, P, w)
    known = ~np.isnan(U)
    basis, lower = bernstein(scores, k), bernstein(scores, k - 1)
    bent = bernstein(scores, k - 2) if k > 1 else np.zeros((len(U), 0))
    gap = np.where(known, U - basis @ P, 0.0)
    first = np.where(known, k * lower @ np.diff(P, axis=0), 0.0)
    second = np.where(known, k * (k - 1) * bent @ np.diff(P, 2, axis=0), 0.0)
    curvature = ((first**2 - gap * second) * w).sum(axis=1)
    change = k * (np.pad(lower, ((0, 0), (1, 0))) - np.pad(lower, ((0, 0), (0, 1))))  # derivative of the basis
    parts = basis[:, 1:-1, None] * -(first * w)[:, None, :] + change[:, 1:-1, None] * (gap * w)[:, None, :]
    inside = (scores > 0) & (scores < 1) & (curvature > 0)
    slopes = np.where(
        inside[:, None], parts.reshape(len(U), (k - 1) * d) / np.where(inside, curvature, 1.0)[:, None], 0
    )
    return scores, slopes


def fit_anchored(
    problem: CurveProblem, anchors: Anchors, starts: Sequence[Array], max_iter: int, deadline: Deadline = NEVER
) -> CurveState | None:
    """Fit from each start, until time is over; return the best curve that meets all statements, None if none does."""
    best: CurveState | None = None
    for P in starts:
        if deadline.over:
            break
        found = _from_one_start(problem, anchors, P, max_iter)
        if found is not None and (best is None or found.value < best.value * (1 - 1e-9)):
            best = found
    return best


def smallest_conflict(problem: CurveProblem, anchors: Anchors, starts: Sequence[Array], max_iter: int) -> list[str]:
    """Drop statements one by one while still no curve is found; what is left can't be dropped further."""
    kept = list(range(len(anchors.words)))
    for statement in list(kept):
        fewer = [i for i in kept if i != statement]
        if fewer and fit_anchored(problem, anchors.only(fewer), starts, max_iter) is None:
            kept = fewer
    return [anchors.words[i] for i in kept]


def _from_one_start(problem: CurveProblem, anchors: Anchors, P: Array, max_iter: int) -> CurveState | None:
    """Sequential quadratic programming on the free control points; the exact projections in every step."""
    from scipy.optimize import minimize

    C, b = problem.rows
    p = len(anchors.above)
    if problem.degree == 1:  # no free control point: the line meets the statements, or not
        return _if_met(problem, anchors, P)

    def objective(q: Array) -> tuple[float, Array]:
        curve = problem.curve(q)
        state = CurveState(curve, *problem.project(curve))
        return state.value, 2 * gradient_and_hessian(problem, state, exact=False)[0]

    def sides(q: Array) -> Array:
        scores, _ = project(anchors.U, problem.curve(q), problem.weights)
        return anchors.values(scores) - anchors.sides[0]

    def slopes(q: Array) -> Array:
        return preference_rows(problem, problem.curve(q), anchors).coefficients

    constraints: list[dict[str, Any]] = [{"type": "ineq", "fun": lambda q: C @ q - b, "jac": lambda q: C}]
    if p:
        constraints.append({"type": "ineq", "fun": lambda q: sides(q)[:p], "jac": lambda q: slopes(q)[:p]})
    if len(anchors.at):
        constraints.append({"type": "eq", "fun": lambda q: sides(q)[p:], "jac": lambda q: slopes(q)[p:]})
    found = minimize(
        objective, P[1:-1].ravel(), jac=True, method="SLSQP", constraints=constraints,
        options={"maxiter": max_iter, "ftol": 1e-16},
    )  # fmt: skip
    return _if_met(problem, anchors, problem.curve(found.x))


def _if_met(problem: CurveProblem, anchors: Anchors, curve: Array) -> CurveState | None:
    scores, _ = project(anchors.U, curve, problem.weights)
    if anchors.broken(scores).max(initial=0.0) > MET:
        return None
    return CurveState(curve, *problem.project(curve))
