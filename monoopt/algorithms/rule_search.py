"""Exact search for the best monotone rule: the pricing problem of LPBoost over all monotone rules.

maximise  sum_i sign labels_i weights_i cover_i   over the monotone rules of one sign

(the program of `monoopt.formulations.rule_pricing`). Turned so that every condition reads >=, a rule is an
orthant. Where the grid of thresholds is small all orthants are summed at once; otherwise a local search finds
good rules, and branch and bound proves that none is better.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.orthants import KICKS, OrthantTree, RankedPoints, best_value, climb_from, rank_points, sum_grid
from monoopt.errors import refuse

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

GRID_CELLS = 250_000  # cells of a grid that is summed: as fast as the tree up to 1e5, and needs nothing compiled
HEAVIEST = 20  # objects that the local search starts from
REMEMBERED = 50  # rules found before that it starts from


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found and what it proved.

    Attributes
    ----------
    lower, upper : ndarray, shape (k, d)
        Conditions lower <= x <= upper of the rules found, infinite where there is none; best rule first.
    values : ndarray, shape (k,)
        Their values, all above the threshold.
    bound : float
        No monotone rule of this sign has a value above both this and the threshold.
    proved : bool
        The first rule is the best of all; or there is none, and no rule is above the threshold.
    nodes : int
        Nodes of the branch and bound.
    """

    lower: Floats
    upper: Floats
    values: Floats
    bound: float
    proved: bool
    nodes: int


class RuleSearch:
    """Search for the best monotone rules of one binary problem, prepared once.

    Rules found are remembered: a later search, with other weights, starts from those that are best by then.

    Parameters
    ----------
    X : array-like, shape (n, d)
        Objects; the border objects are enough where the labels are monotone.
    labels : array-like, shape (n,)
        +1 or -1.
    directions : array-like, shape (d,)
        +1 gain, -1 cost, 0 free. A positive rule asks >= of gains and <= of costs, a negative rule the reverse;
        both may ask both of a free attribute.
    seed : int
        Seed of the local search.

    Raises
    ------
    DataError
        Shapes that do not fit, values that are not finite, labels or directions of other values.

    Examples
    --------
    >>> search = RuleSearch([[1.0], [2.0], [3.0]], [-1, 1, 1], [1])
    >>> found = search.best([0.5, 0.25, 0.25], sign=1)
    >>> found.lower.tolist(), found.values, found.bound, found.proved
    ([[2.0], [3.0]], array([0.5 , 0.25]), 0.5, True)
    """

    def __init__(self, X: npt.ArrayLike, labels: npt.ArrayLike, directions: npt.ArrayLike, *, seed: int = 0) -> None:
        self.X = np.array(X, dtype=np.float64)
        self.labels = np.asarray(labels)
        self.directions = np.asarray(directions)
        refuse(_faults(self.X, self.labels, self.directions), "rule search")
        free = np.flatnonzero(self.directions == 0)
        self._attribute = np.concatenate([np.arange(self.X.shape[1]), free])
        self._seed, self._calls = seed, 0
        self._memory = {sign: _Memory(len(self.X), len(self.directions)) for sign in (1, -1)}

    def best(
        self,
        weights: npt.ArrayLike,
        sign: int,
        *,
        threshold: float = 0.0,
        columns: int = 20,
        prove: bool = True,
        node_limit: int | None = None,
        time_limit: float | None = None,
    ) -> SearchResult:
        """Find the best rules of one sign.

        Parameters
        ----------
        weights : array-like, shape (n,)
            Not negative; objects of weight 0 do not count.
        sign : +1 or -1
            Positive or negative rules.
        threshold : float
            Not negative; only rules of larger value are wanted.
        columns : int
            At most so many rules, no two of which cover the same objects.
        prove : bool
            Go on until the best rule is proved. Otherwise stop as soon as there are rules above the threshold.
        node_limit : int, optional
            Most nodes of the branch and bound; 0: a short local search and no more (small grids are summed anyway).
        time_limit : float, optional
            Wall seconds.

        Returns
        -------
        SearchResult
        """
        u = np.asarray(weights, dtype=np.float64)
        refuse(_call_faults(u, len(self.labels), sign, threshold, columns), "rule search")
        clock = time.monotonic() + (np.inf if time_limit is None else time_limit)
        self._calls += 1
        factors = self._factors(sign)
        v = u * self.labels * sign
        ranked = rank_points(self.X[:, self._attribute] * factors, v)
        if ranked is None:
            nothing = np.empty((0, self.X.shape[1]))
            return SearchResult(nothing, nothing, np.empty(0), 0.0, True, 0)
        starts = self._starts(ranked, factors, *self._memory[sign].best(v))
        found = _search(
            ranked, starts, threshold / ranked.scale, columns, prove, self._seed + self._calls, node_limit, clock
        )
        lower, upper = self._conditions(ranked, factors, found.levels)
        chosen, values = self._distinct(lower, upper, v, threshold, columns)
        self._memory[sign].add(lower[chosen], upper[chosen], self.covered(lower[chosen], upper[chosen]))
        bound = float(max([found.bound * ranked.scale, *values]))
        return SearchResult(lower[chosen], upper[chosen], values, bound, found.finished, found.nodes)

    def covered(self, lower: Floats, upper: Floats) -> npt.NDArray[np.bool_]:
        """Tell which rules cover which objects, shape (k, n)."""
        inside = np.ones((len(lower), len(self.X)), dtype=bool)
        for j, column in enumerate(self.X.T):
            inside &= (column >= lower[:, [j]]) & (column <= upper[:, [j]])
        return inside

    def _factors(self, sign: int) -> Floats:
        """Return the factor per column with which all conditions of this sign read >=."""
        turn = np.where(self.directions == 0, 1.0, self.directions * float(sign))
        return np.concatenate([turn, -np.ones(len(self._attribute) - len(turn))])

    def _starts(self, ranked: RankedPoints, factors: Floats, lower: Floats, upper: Floats) -> Integers:
        """Return levels to climb from: no condition, the cones of the heaviest goods, the rules given."""
        wanted = np.where(factors > 0, lower[:, self._attribute], -upper[:, self._attribute])
        levels = [np.searchsorted(known, side) for known, side in zip(ranked.values, wanted.T, strict=True)]
        known = np.minimum(np.column_stack(levels), ranked.size - 1)
        return np.concatenate([np.zeros((1, len(factors)), np.int64), ranked.good_rank[:HEAVIEST], known])

    def _conditions(self, ranked: RankedPoints, factors: Floats, levels: Integers) -> tuple[Floats, Floats]:
        """Turn levels back into conditions on the attributes."""
        lower = np.full((len(levels), self.X.shape[1]), -np.inf)
        upper = np.full((len(levels), self.X.shape[1]), np.inf)
        for c, (j, factor) in enumerate(zip(self._attribute, factors, strict=True)):
            side = lower if factor > 0 else upper
            side[:, j] = ranked.values[c][levels[:, c]] * factor + 0.0
        return lower, upper

    def _distinct(
        self, lower: Floats, upper: Floats, v: Floats, threshold: float, columns: int
    ) -> tuple[Integers, Floats]:
        """Return the rules above the threshold, best first, one for each set of objects covered, and their values."""
        covered = self.covered(lower, upper)
        values = covered @ v
        order = np.argsort(-values, kind="stable")
        order = order[values[order] > threshold]
        packed = np.packbits(covered[order], axis=1)
        _, first = np.unique(packed, axis=0, return_index=True)
        chosen = order[np.sort(first)][:columns]
        return chosen, values[chosen]


class _Memory:
    """Rules of one sign that were found before, and what they cover."""

    def __init__(self, n: int, d: int) -> None:
        self._lower, self._upper = np.empty((0, d)), np.empty((0, d))
        self._covered = np.empty((0, n), dtype=np.float32)  # ready for products with weights
        self._known: set[bytes] = set()

    def add(self, lower: Floats, upper: Floats, covered: npt.NDArray[np.bool_]) -> None:
        new = [k for k, row in enumerate(covered) if row.tobytes() not in self._known]
        self._known.update(covered[k].tobytes() for k in new)
        self._lower = np.concatenate([self._lower, lower[new]])
        self._upper = np.concatenate([self._upper, upper[new]])
        self._covered = np.concatenate([self._covered, covered[new]])

    def best(self, v: Floats) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore"):  # OpenBLAS raises that flag on finite numbers (numpy issue 24067)
            values = self._covered @ v.astype(np.float32)
        chosen = np.argsort(-values, kind="stable")[:REMEMBERED]
        return self._lower[chosen], self._upper[chosen]


@dataclass(frozen=True, eq=False)
class _Found:
    levels: Integers
    bound: float
    finished: bool
    nodes: int


def _search(
    ranked: RankedPoints,
    starts: Integers,
    threshold: float,
    columns: int,
    prove: bool,
    seed: int,
    node_limit: int | None,
    clock: float,
) -> _Found:
    """Take the way that fits: the whole grid, or a local search and, where it is needed, branch and bound."""
    if ranked.cells <= GRID_CELLS:
        levels, best = sum_grid(ranked, threshold, columns)
        return _Found(levels, best, True, 0)
    climbed = np.empty((0, len(ranked.size)), dtype=np.int64)
    for kicks in KICKS if node_limit != 0 else KICKS[:1]:
        if not len(climbed):
            climbed = climb_from(ranked, starts, threshold, columns, kicks=kicks, seed=seed, clock=clock)
    if len(climbed) and not prove:
        return _Found(climbed, 1.0, False, 0)
    if node_limit == 0:
        return _Found(climbed, 1.0, False, 0)
    floor = max(threshold, best_value(ranked, climbed))
    tree = OrthantTree(ranked, floor, columns, rising=prove)
    tree.run(np.inf if node_limit is None else node_limit, clock)
    levels = np.concatenate([climbed, tree.levels])
    if len(tree.levels) and not prove:
        more = climb_from(ranked, tree.levels, threshold, columns, kicks=KICKS[-1], seed=seed, clock=clock)
        levels = np.concatenate([levels, more])
    return _Found(levels, tree.bound, tree.finished, tree.nodes)


def _faults(X: Floats, labels: npt.NDArray[np.generic], directions: npt.NDArray[np.generic]) -> list[str]:
    n, d = X.shape if X.ndim == 2 else (0, 0)
    faults = []
    if n == 0 or d == 0:
        faults.append(f"X has shape {X.shape}: wanted objects in rows and attributes in columns")
    if not np.isfinite(X).all():
        faults.append("X holds NaN or infinite values")
    if labels.shape != (n,) or not np.isin(labels, (-1, 1)).all():
        faults.append(f"labels: wanted {n} numbers +1 or -1")
    if directions.shape != (d,) or not np.isin(directions, (-1, 0, 1)).all():
        faults.append(f"directions: wanted {d} numbers +1, -1 or 0")
    return faults


def _call_faults(u: Floats, n: int, sign: int, threshold: float, columns: int) -> list[str]:
    faults = []
    if u.shape != (n,) or not (np.isfinite(u) & (u >= 0)).all():
        faults.append(f"weights: wanted {n} finite numbers that are not negative")
    if sign not in (-1, 1):
        faults.append(f"sign={sign!r}: wanted +1 (positive rules) or -1 (negative rules)")
    if not threshold >= 0:
        faults.append(f"threshold={threshold!r}: wanted a number that is not negative")
    if columns < 1:
        faults.append(f"columns={columns!r}: wanted at least 1")
    return faults
