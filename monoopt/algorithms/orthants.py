"""The heaviest orthants {x : x >= level} of weighted points: grid sums, local search, branch and bound.

Points of positive weight are *goods*, points of negative weight *bads*. Only the values of goods matter as
levels, so points are kept as ranks: a good has the place of its value among the goods' values of the column,
a bad the place of the greatest level that it reaches.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Ranks: TypeAlias = npt.NDArray[np.int32]

CANDIDATES = 50  # grid cells looked at per rule wanted: many cells are the same orthant
KICKS = (3, 30)  # random changes per start: a short local search, and a long one where it finds nothing
STARTS = 16  # starts between two looks at the clock
NODES = 500  # nodes between two looks at the clock


@dataclass(frozen=True, eq=False)
class RankedPoints:
    """Goods and bads, heaviest first, by rank.

    Attributes
    ----------
    good_rank, bad_rank : ndarray of int32, shapes (g, d) and (b, d)
        Bads that no orthant with a good inside can hold are left out.
    good, bad : ndarray
        Their weights without sign, divided by `scale`.
    values : list of ndarray
        Per column the level of each rank.
    scale : float
        Sum of the goods' weights.
    """

    good_rank: Ranks
    good: Floats
    bad_rank: Ranks
    bad: Floats
    values: list[Floats]
    scale: float

    @cached_property
    def size(self) -> Integers:
        """Number of levels per column."""
        return np.array([len(known) for known in self.values], dtype=np.int64)

    @property
    def cells(self) -> float:
        """Size of the grid of all levels."""
        return float(np.prod(self.size, dtype=float))


def rank_points(points: Floats, weights: Floats) -> RankedPoints | None:
    """Rank the points; None if no weight is positive.

    Parameters
    ----------
    points : ndarray, shape (n, d)
    weights : ndarray, shape (n,)
        With sign; points of weight 0 are left out.

    Examples
    --------
    >>> ranked = rank_points(np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, 0.5, -0.25]))
    >>> ranked.good_rank.tolist(), ranked.bad_rank.tolist(), ranked.values
    ([[0]], [[0]], [array([2.])])
    """
    goods, bads = np.flatnonzero(weights > 0), np.flatnonzero(weights < 0)
    if not len(goods):
        return None
    goods = goods[np.argsort(-weights[goods], kind="stable")]
    bads = bads[np.argsort(weights[bads], kind="stable")]
    values = [np.unique(column) for column in points[goods].T]
    places = [np.searchsorted(known, column, side="right") for known, column in zip(values, points.T, strict=True)]
    ranks = np.column_stack(places).astype(np.int32) - np.int32(1)
    bads = bads[(ranks[bads] >= 0).all(axis=1)]
    scale = float(weights[goods].sum())
    return RankedPoints(ranks[goods], weights[goods] / scale, ranks[bads], -weights[bads] / scale, values, scale)


def sum_grid(ranked: RankedPoints, threshold: float, most: int) -> tuple[Integers, float]:
    """Sum every orthant of the grid by suffix sums along each axis.

    Returns
    -------
    levels : ndarray, shape (k, d)
        Orthants of value above the threshold, the heaviest among them.
    best : float
        Largest value; 0 if no orthant has a positive one.

    Examples
    --------
    >>> ranked = rank_points(np.array([[1.0], [2.0], [3.0]]), np.array([0.5, -0.25, 0.5]))
    >>> sum_grid(ranked, 0.0, 10)
    (array([[0],
           [1]]), 0.75)
    """
    wide = np.flatnonzero(ranked.size > 1)  # an axis of one level has nothing to sum, and numpy has 64 axes
    shape = tuple(ranked.size[wide])
    places = np.concatenate([ranked.good_rank, ranked.bad_rank])[:, wide].T
    weights = np.concatenate([ranked.good, -ranked.bad])
    place = np.ravel_multi_index(tuple(places), shape) if len(wide) else np.zeros(len(weights), dtype=np.int64)
    cells = np.bincount(place, weights, minlength=int(ranked.cells))
    sums = cells.reshape(shape)
    for axis in range(len(shape)):
        sums = np.flip(np.cumsum(np.flip(sums, axis), axis=axis), axis)
    flat = sums.ravel()
    many = np.flatnonzero(flat > threshold)
    if len(many) > CANDIDATES * most:
        many = many[np.argpartition(-flat[many], CANDIDATES * most)[: CANDIDATES * most]]
    levels = np.zeros((len(many), len(ranked.size)), dtype=np.int64)
    levels[:, wide] = np.array(np.unravel_index(many, shape)).T if len(wide) else 0
    return np.unique(_raised(ranked, levels), axis=0), max(float(flat.max()), 0.0)


def best_value(ranked: RankedPoints, levels: Integers) -> float:
    """Return the largest value among the orthants given; 0 if there is none.

    Examples
    --------
    >>> ranked = rank_points(np.array([[1.0], [2.0], [3.0]]), np.array([0.5, -0.25, 0.5]))
    >>> best_value(ranked, np.array([[0], [1]]))
    0.75
    """
    goods = (ranked.good_rank >= levels[:, None, :]).all(axis=2) @ ranked.good
    bads = (ranked.bad_rank >= levels[:, None, :]).all(axis=2) @ ranked.bad
    return float((goods - bads).max(initial=0.0))


def _raised(ranked: RankedPoints, levels: Integers) -> Integers:
    """Raise the levels of each orthant to the goods inside."""
    inside = np.ones((len(levels), len(ranked.good)), dtype=bool)
    for j, ranks in enumerate(ranked.good_rank.T):
        inside &= ranks >= levels[:, [j]]
    least = [np.where(inside, ranks, ranked.size[j] - 1).min(axis=1) for j, ranks in enumerate(ranked.good_rank.T)]
    return np.column_stack(least).astype(np.int64)


def climb_from(
    ranked: RankedPoints, starts: Integers, threshold: float, most: int, *, kicks: int, seed: int, clock: float
) -> Integers:
    """Local search: change one level at a time, from each start and from random changes of what it led to.

    Parameters
    ----------
    starts : ndarray, shape (s, d)
        Levels.
    threshold : float
        Only orthants above it are kept.
    most : int
        How many are kept.
    kicks : int
        Random changes per start.
    clock : float
        Value of ``time.monotonic()`` at which to stop.

    Returns
    -------
    ndarray, shape (k, d)
        Levels of distinct local optima, in no order.
    """
    from monoopt.algorithms._rule_search_kernels import local_search

    ranks = np.ascontiguousarray(np.concatenate([ranked.good_rank, ranked.bad_rank]).T)
    weights = np.concatenate([ranked.good, -ranked.bad])
    pool, values, count = np.empty((most, len(ranked.size)), dtype=np.int64), np.empty(most), 0
    for first in range(0, len(starts), STARTS):
        if time.monotonic() > clock:
            break
        count = local_search(
            ranks, weights, len(ranked.good), ranked.size, int(ranked.size.max()), starts[first : first + STARTS],
            kicks, threshold, pool, values, count, seed + first,
        )  # fmt: skip
    return pool[:count]


class OrthantTree:
    """Branch and bound over all orthants; can be stopped at any time with an honest bound.

    Parameters
    ----------
    ranked : RankedPoints
    floor : float
        The value to beat.
    most : int
        How many orthants are kept.
    rising : bool
        The floor follows the best orthant found, so that it is proved in the end; otherwise the search stops at
        the first one above the floor.

    Attributes
    ----------
    nodes : int
        Nodes done.
    """

    def __init__(self, ranked: RankedPoints, floor: float, most: int, *, rising: bool) -> None:
        from monoopt.algorithms import _rule_branch_kernels as kernels

        self._advance = kernels.branch_and_bound
        self._problem = kernels.Problem(
            ranked.good_rank, ranked.good, ranked.bad_rank, ranked.bad, ranked.size,
            kernels.reach_sets(ranked.good_rank, ranked.size), kernels.reach_sets(ranked.bad_rank, ranked.size),
        )  # fmt: skip
        self._work = kernels.new_node(self._problem)
        depth, d = int(ranked.size.sum()) + 2, len(ranked.size)  # every branching takes a level from a column
        self._lows, self._highs = np.zeros((depth, d), np.int32), np.zeros((depth, d), np.int32)
        self._sets, self._bounds = np.zeros((depth, len(self._work.allowed)), np.uint64), np.zeros(depth)
        self._highs[0], self._sets[0], self._bounds[0] = self._work.high, self._work.allowed, 1.0
        self._open, self.nodes, self._floor = 1, 0, floor
        self._pool, self._values, self._count = np.zeros((most, d), np.int64), np.zeros(most), 0
        self._rising, self._enough = rising, most + 1 if rising else 1

    def run(self, node_limit: float, clock: float) -> None:
        """Work until everything is proved, or a limit is reached, or there is enough.

        Parameters
        ----------
        node_limit : float
        clock : float
            Value of ``time.monotonic()`` at which to stop.
        """
        while self._open and self.nodes < node_limit and time.monotonic() < clock and self._count < self._enough:
            budget = int(min(NODES, node_limit - self.nodes))
            self._open, done, self._count, self._floor = self._advance(
                self._problem, self._work, self._lows, self._highs, self._sets, self._bounds, self._open, budget,
                self._floor, self._rising, self._enough, self._pool, self._values, self._count,
            )  # fmt: skip
            self.nodes += done

    @property
    def levels(self) -> Integers:
        """Orthants above the first floor, shape (k, d)."""
        return self._pool[: self._count]

    @property
    def finished(self) -> bool:
        """Whether no node is open."""
        return self._open == 0

    @property
    def bound(self) -> float:
        """No orthant has a larger value."""
        return float(max([self._floor, *self._bounds[: self._open], *self._values[: self._count]]))
