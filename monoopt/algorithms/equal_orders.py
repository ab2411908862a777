"""Among orders of equal cost the one nearest to given mean ranks, by exchanges: the tie rule of rank aggregation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Order = npt.NDArray[np.int64]
EQUAL = 1e-9


def nearest_of_equal_cost(costs: Array, places: Order, mean_ranks: Array) -> Order:
    """Exchange the places of two objects while that costs nothing and puts the one of less mean rank first.

    Parameters
    ----------
    costs : ndarray, shape (n, n)
        Of putting object i on place p.
    places : ndarray of int, shape (n,)
        An optimal assignment, places from 0.
    mean_ranks : ndarray, shape (n,)

    Examples
    --------
    >>> nearest_of_equal_cost(np.zeros((3, 3)), np.array([2, 0, 1]), np.array([1.0, 2.0, 3.0]))
    array([0, 1, 2])
    """
    found, n = places.copy(), len(places)
    slack = EQUAL * max(1.0, float(np.abs(costs).max()))
    own = costs[np.arange(n), found]
    moved = True
    while moved:  # every exchange raises sum mean_rank * place, so that this ends
        moved = False
        for i in range(n):
            change = costs[i, found] + costs[:, found[i]] - own - own[i]
            better = (change <= slack) & ((mean_ranks - mean_ranks[i]) * (found - found[i]) < -EQUAL)
            if better.any():
                k = int(np.flatnonzero(better)[np.argmin(change[better])])
                found[i], found[k] = found[k], found[i]
                own[i], own[k] = costs[i, found[i]], costs[k, found[k]]
                moved = True
    return found


def nearest_neighbours_first(pairs: Array, sequence: Order, mean_ranks: Array) -> Order:
    """Exchange neighbours while that costs nothing and puts the one of less mean rank first.

    Parameters
    ----------
    pairs : ndarray, shape (n, n)
        N_ik: weight of the rankings that put i above k.
    sequence : ndarray of int, shape (n,)
        Objects from first to last.
    mean_ranks : ndarray, shape (n,)

    Examples
    --------
    >>> nearest_neighbours_first(np.zeros((3, 3)), np.array([2, 1, 0]), np.array([1.0, 2.0, 3.0]))
    array([0, 1, 2])
    """
    found = sequence.copy()
    moved = True
    while moved:  # every exchange removes one inversion of the mean ranks, so that this ends
        moved = False
        for at in range(len(found) - 1):
            a, b = found[at], found[at + 1]
            if pairs[a, b] - pairs[b, a] <= EQUAL and mean_ranks[a] > mean_ranks[b] + EQUAL:
                found[at], found[at + 1] = b, a
                moved = True
    return found
