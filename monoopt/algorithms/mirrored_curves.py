"""Of curves that are mirror images of each other, one is kept by rule: neither units nor the order of rows choose it.

Two gains that run against each other (a share and its complement) are left as they are by the mirror
x -> 1 - swapped x. The mirror turns the best curve into another one, just as good, which scores the objects the
other way round. Rounding would choose between the two. The rule: the score goes with the first attribute as far as
it can, then with the second, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.gauss_newton import CurveState

Array = npt.NDArray[np.float64]
EQUAL = 1e-7  # moments, covariances and control points that differ by less differ by rounding only
ROUNDING = 1e-9  # so do neighbouring values in the unit box
MOST = 64  # mirrors looked at


@dataclass(frozen=True)
class Mirror:
    """Attributes in another order (each in its better sense), and perhaps turned upside down.

    Attributes
    ----------
    order : tuple of int
        Its own inverse.
    turned : bool
    """

    order: tuple[int, ...]
    turned: bool

    def apply(self, oriented: Array) -> Array:
        """Return the image of points in the unit box, larger better."""
        image = oriented[..., list(self.order)]
        return 1.0 - image if self.turned else image

    def curve(self, oriented: Array) -> Array:
        """Return the image of control points, from the worst corner to the best again."""
        image = self.apply(oriented)
        return image[::-1] if self.turned else image


def choose_by_rule(problem: CurveProblem, state: CurveState) -> CurveState:
    """Return the mirror image of a curve that the rule prefers: mostly, for want of mirrors, the curve itself.

    Parameters
    ----------
    problem : CurveProblem
    state : CurveState
        A curve and the projections on it.
    """
    best, key = state, _key(problem, state)
    for mirror in mirrors(problem):
        P = problem.curve(_oriented(problem, mirror.curve(_oriented(problem, state.control_points)))[1:-1].ravel())
        image = CurveState(P, *problem.project(P))
        other = _key(problem, image)
        differs = np.flatnonzero(np.abs(other - key) > EQUAL)
        if image.value <= state.value * (1 + EQUAL) and len(differs) and other[differs[0]] > key[differs[0]]:
            best, key = CurveState(P, image.scores, min(image.value, state.value)), other
    return best


def mirrors(problem: CurveProblem) -> Iterator[Mirror]:
    """Find the mirrors that leave objects and weights as they are (up to 64, none in almost all data)."""
    points = _oriented(problem, problem.U)
    known = ~np.isnan(points)
    total = problem.v @ known
    mean = problem.v @ np.where(known, points, 0.0) / total
    spread = problem.v @ np.where(known, points - mean, 0.0) ** 2 / total
    like = np.abs(spread[:, None] - spread) + np.abs(problem.weights[:, None] - problem.weights)
    tried = 0
    for turned in (False, True):
        ends = 1.0 - mean if turned else mean
        fits = (like + np.abs(mean[:, None] - ends) <= EQUAL) & (np.abs(total[:, None] - total) <= EQUAL)
        for order in _involutions(fits, ()):
            tried += 1
            if tried > MOST:
                return
            mirror = Mirror(order, turned)
            if (turned or order != tuple(range(problem.d))) and _unchanged(problem, points, mirror.apply(points)):
                yield mirror


def _involutions(fits: npt.NDArray[np.bool_], known: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, ...]]:
    """List the orders that exchange pairs of attributes that fit each other, and leave the others in their place."""
    used = {i for pair in known for i in pair}
    i = next((i for i in range(len(fits)) if i not in used), None)
    if i is None:
        order = list(range(len(fits)))
        for a, b in known:
            order[a], order[b] = b, a
        yield tuple(order)
        return
    for k in np.flatnonzero(fits[i]).tolist():
        if k not in used and k >= i:
            yield from _involutions(fits, (*known, (i, k)))


def _unchanged(problem: CurveProblem, points: Array, image: Array) -> bool:
    """Tell whether the image has the same objects, with the same weights."""
    both = np.stack([np.column_stack([np.nan_to_num(U, nan=-1.0), problem.v]) for U in (points, image)])
    values, place = np.unique(both, return_inverse=True)
    level = np.cumsum(np.diff(values, prepend=values[0]) > ROUNDING)[place].reshape(both.shape)
    mine, theirs = (rows[np.lexsort(rows.T)] for rows in level)
    return np.array_equal(mine, theirs)


def _oriented(problem: CurveProblem, points: Array) -> Array:
    """Turn points in the box so that larger is better, or back."""
    return np.where(problem.directions > 0, points, 1.0 - points)


def _key(problem: CurveProblem, state: CurveState) -> Array:
    """Covariance of the score with every attribute in its better sense; then the control points, for want of more."""
    points = np.nan_to_num(_oriented(problem, problem.U), nan=0.5)
    away = problem.v * (state.scores - problem.v @ state.scores)
    return np.concatenate([away @ points, _oriented(problem, state.control_points)[1:-1].T.ravel()])
