"""Where curve fits start: the diagonal, the objects' mean rank, the four basic shapes, pairs of objects.

All draws depend on the set of objects and the seed only, not on the order of the rows, and an object of weight
2 counts as two copies.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.order.bezier import design_sums

Array = npt.NDArray[np.float64]
BASIC_SHAPES = ("convex", "concave", "S", "inverted S")
SAME_RANK = 1e-9  # mean ranks (share of all objects) that differ by less differ by rounding only


def starting_curves(problem: CurveProblem, n_starts: int, rng: np.random.Generator) -> list[Array]:
    """Return up to ``n_starts`` starting curves; the straight one is always first.

    Parameters
    ----------
    problem : CurveProblem
    n_starts : int
        The first is the diagonal, the second follows the objects' mean rank; then curves with a basic shape
        drawn for each attribute and curves through two objects (as in the paper) take turns.
    rng : Generator

    Returns
    -------
    list of ndarray, shape (k + 1, d)
    """
    if problem.degree == 1:
        return [problem.line]
    curves = [problem.line, _through_mean_ranks(problem)][:n_starts]
    while len(curves) < n_starts:
        shaped = len(curves) % 2 == 0
        curves.append(_random_shapes(problem, rng) if shaped else _through_two_objects(problem, rng))
    return curves


def representatives(problem: CurveProblem, count: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Choose rows at even steps of total weight along a random improving direction."""
    return _at_quantiles(problem, (np.arange(count) + 0.5) / count, rng)


def _oriented(problem: CurveProblem) -> Array:
    """Scaled data turned so that larger is better; an unknown value counts as the middle."""
    turned = np.where(problem.directions > 0, problem.U, 1.0 - problem.U)
    return np.where(np.isnan(turned), 0.5, turned)


def _at_quantiles(problem: CurveProblem, levels: Array, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    along = _oriented(problem) @ rng.uniform(0.5, 1.5, problem.d)
    order = np.argsort(along, kind="stable")
    total = np.cumsum(problem.v[order])
    return order[np.searchsorted(total, np.minimum(levels, 1 - 1e-12) * total[-1], side="right")]


def _through_mean_ranks(problem: CurveProblem) -> Array:
    """Fit the control points to scores that are the weighted mean rank over the attributes."""
    from monoopt.algorithms.alternation import solve_directly

    turned = _oriented(problem)
    position = np.zeros(len(turned))
    for j in range(problem.d):
        order = np.argsort(turned[:, j], kind="stable")
        values, start = np.unique(turned[order, j], return_index=True)
        total = np.concatenate([[0.0], np.cumsum(problem.v[order])])
        middle = 0.5 * (total[start] + total[np.append(start[1:], len(order))])
        position += problem.weights[j] * middle[np.searchsorted(values, turned[:, j])]
    scores = np.clip(position / problem.weights.sum(), 0.0, 1.0)
    span = np.ptp(scores)
    scores = (scores - scores.min()) / span if span > SAME_RANK else np.full(len(scores), 0.5)
    sums = design_sums(problem.U, problem.v, scores, problem.degree)
    return problem.curve(solve_directly(problem, sums, problem.line)[1:-1].ravel())


def _random_shapes(problem: CurveProblem, rng: np.random.Generator) -> Array:
    """Draw one of the four basic shapes for each attribute."""
    share = np.linspace(0.0, 1.0, problem.degree + 1)[1:-1]
    shapes = np.stack(
        [share**3, 1 - (1 - share) ** 3, share**2 * (3 - 2 * share), 2 * share - share**2 * (3 - 2 * share)]
    )
    drawn = shapes[rng.integers(0, len(BASIC_SHAPES), problem.d)].T
    return problem.curve((problem.line[0] + problem.directions * drawn).ravel())


def _through_two_objects(problem: CurveProblem, rng: np.random.Generator) -> Array:
    """Take objects at random levels of a random direction as inner control points, in that order."""
    levels = np.sort(rng.uniform(0.0, 1.0, problem.degree - 1))
    points = problem.U[_at_quantiles(problem, levels, rng)]
    return problem.curve(np.where(np.isnan(points), 0.5, points).ravel())
