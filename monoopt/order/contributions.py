"""Why one object scores above another: signed contributions of the attributes that add up."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
EXACT_UP_TO = 12  # attributes for which all 2^d mixtures of two objects are scored
ORDERS = 2000  # orders drawn above that


def contributions(score: Callable[[Array], Array], a: Array, b: Array, rng: np.random.Generator | None = None) -> Array:
    """Share out ``score(a) - score(b)`` among the attributes (Shapley values of switching b into a).

    For each order of the attributes, b is turned into a one attribute at a time and the score's change is
    credited to the attribute; the result is the mean over orders. Where the score is monotone, every
    contribution has the sign of the attribute's advantage, and the sum is the difference of scores whether
    or not all orders are used.

    Parameters
    ----------
    score : callable
        From objects (m, d) to scores (m,).
    a, b : ndarray, shape (d,)
    rng : Generator, optional
        Draws 2000 orders when there are more than 12 attributes in which a and b differ; seeded with 0 by default.

    Returns
    -------
    ndarray, shape (d,)

    Examples
    --------
    >>> contributions(lambda X: X.mean(axis=1), np.array([0.8, 0.3]), np.array([0.4, 0.5]))
    array([ 0.2, -0.1])
    """
    differs = np.flatnonzero((a != b) & ~(np.isnan(a) & np.isnan(b)))
    out = np.zeros(len(a))
    if len(differs) == 0:
        return out
    if len(differs) <= EXACT_UP_TO:
        out[differs] = _all_mixtures(score, a, b, differs)
    else:
        out[differs] = _drawn_orders(score, a, b, differs, rng or np.random.default_rng(0))
    ends = score(np.stack([a, b]))
    out[np.argmax(np.abs(out))] += (ends[0] - ends[1]) - out.sum()  # rounding only
    return out


def _all_mixtures(score: Callable[[Array], Array], a: Array, b: Array, differs: npt.NDArray[np.intp]) -> Array:
    m = len(differs)
    codes = np.arange(2**m)
    taken = (codes[:, None] >> np.arange(m)) & 1 == 1  # which attributes come from a
    mixed = np.tile(b, (2**m, 1))
    mixed[:, differs] = np.where(taken, a[differs], b[differs])
    values = score(mixed)
    size = taken.sum(axis=1)
    weight = np.array([factorial(s) * factorial(m - 1 - s) / factorial(m) for s in range(m)])
    found = np.empty(m)
    for at in range(m):
        without = codes[~taken[:, at]]
        found[at] = weight[size[without]] @ (values[without | (1 << at)] - values[without])
    return found


def _drawn_orders(
    score: Callable[[Array], Array], a: Array, b: Array, differs: npt.NDArray[np.intp], rng: np.random.Generator
) -> Array:
    m = len(differs)
    total = np.zeros(m)
    for _ in range(ORDERS):
        order = rng.permutation(m)
        path = np.tile(b, (m + 1, 1))
        for step, at in enumerate(order, start=1):
            path[step:, differs[at]] = a[differs[at]]
        total[order] += np.diff(score(path))
    return total / ORDERS
