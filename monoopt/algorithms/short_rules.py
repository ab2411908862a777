"""Monotone rules of few conditions: all of them listed, or the best of them by sums over small grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.orthants import rank_points, sum_grid
from monoopt.algorithms.rule_pricers import COLUMNS, Found, RulePricer, rule_of
from monoopt.errors import DataError
from monoopt.formulations import rule_pricing
from monoopt.order import Rule, as_gains

Floats: TypeAlias = npt.NDArray[np.float64]
Signs: TypeAlias = npt.NDArray[np.int8]

MOST_RULES = 200_000  # rules that are listed at most
MOST_CELLS = 50_000_000  # cells of all grids of one call at most
MOST_AT_ONCE = 20_000_000  # rules times objects looked at together
PER_GRID = 2  # rules taken from one grid


class ShortPricer(RulePricer):
    """The best rules of at most `most` conditions, exactly: every choice of sides has a grid of thresholds.

    Raises
    ------
    DataError
        The grids are too large.
    """

    def __init__(self, X: Floats, signs: npt.NDArray[np.int64], directions: Signs, most: int) -> None:
        super().__init__(X, signs, directions)
        self.most = most
        self._sides = as_gains(X, directions)
        _refuse_many(grid_cells(self._sides, most), MOST_CELLS, f"cells of rules of {most} conditions")

    def best(self, u: Floats, edge: float, tolerance: float, time_limit: float | None) -> Found:
        """Sum all grids of both signs."""
        found: list[tuple[float, Floats, bool]] = []
        bound = abs(float(u @ self.signs))  # the rules that always answer
        for positive in (True, False):
            v = u * self.signs * (1 if positive else -1)
            sides = self._sides * (1 if positive else -1) + 0.0
            for chosen in _choices(sides.shape[1], self.most):
                value, pairs = _grid(sides, list(chosen), v, edge + tolerance)
                bound = max(bound, value)
                found += [(value, asked, positive) for value, asked in pairs]
        found.sort(key=lambda one: -one[0])
        rules = [
            rule_of(*rule_pricing.conditions(asked, self.directions, positive), positive)
            for _, asked, positive in found[: 2 * COLUMNS]
        ]
        return Found(rules, found[0][0] if found else 0.0, bound, True)


def _grid(sides: Floats, chosen: list[int], v: Floats, threshold: float) -> tuple[float, list[tuple[float, Floats]]]:
    """Return the best value on the chosen sides; the values above the threshold, and what is asked there."""
    ranked = rank_points(sides[:, chosen], v)
    if ranked is None:
        return 0.0, []
    levels, best = sum_grid(ranked, threshold / ranked.scale, PER_GRID)
    asked = np.full((len(levels), sides.shape[1]), -np.inf)
    covered = np.ones((len(levels), len(sides)), dtype=bool)
    for place, j in enumerate(chosen):
        asked[:, j] = ranked.values[place][levels[:, place]]
        covered &= sides[:, j] >= asked[:, [j]]
    return best * ranked.scale, [(float(v[row].sum()), line) for row, line in zip(covered, asked, strict=True)]


def short_rules(X: Floats, directions: Signs, most: int, cuts: int | None = None) -> list[Rule]:
    """List the monotone rules of at most `most` conditions that differ in what they cover, shortest first.

    "Always +1" and "always -1" are among them, rules that cover nothing are not.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    directions : ndarray of int8, shape (d,)
    most : int
    cuts : int, optional
        At most so many thresholds per side, evenly spread over the distinct values; all values when not given.

    Raises
    ------
    DataError
        There are too many.

    Examples
    --------
    >>> up = np.array([1], dtype=np.int8)
    >>> [rule.text() for rule in short_rules(np.array([[1.0], [2.0]]), up, 1)]
    ['always +1', 'if x0 >= 2 then +1', 'always -1', 'if x0 <= 1 then -1']
    """
    rules: list[Rule] = []
    for positive in (True, False):
        sides = as_gains(X, directions) * (1 if positive else -1) + 0.0
        thresholds = [_spread(np.unique(side)[1:], cuts) for side in sides.T]
        sizes = [len(known) for known in thresholds]
        _refuse_many(_count(sizes, most), MOST_RULES, f"rules of {most} conditions")
        rules += _distinct(sides, list(_asked(thresholds, most)), directions, positive)
    return rules


def count_short_rules(X: Floats, directions: Signs, most: int) -> float:
    """Number of rules of at most `most` conditions, those that cover the same objects counted apart.

    Examples
    --------
    >>> count_short_rules(np.array([[1.0, 1.0], [2.0, 3.0]]), np.array([1, 1], dtype=np.int8), 2)
    8.0
    """
    return 2.0 * _count([len(np.unique(side)) - 1 for side in as_gains(X, directions).T], most)


def grid_cells(sides: Floats, most: int) -> float:
    """Number of cells of all grids over at most `most` sides.

    Examples
    --------
    >>> grid_cells(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 3.0]]), 1)
    5.0
    """
    sizes = [len(np.unique(side)) for side in sides.T]
    return float(sum(np.prod([sizes[j] for j in chosen], dtype=float) for chosen in _choices(len(sizes), most)))


def _choices(sides: int, most: int) -> Iterator[tuple[int, ...]]:
    """Choices of exactly as many sides as there may be conditions: fewer conditions are among their rules."""
    return combinations(range(sides), min(most, sides))


def _asked(thresholds: Sequence[Floats], most: int) -> Iterator[Floats]:
    """Thresholds on all sides, -inf where nothing is asked; fewest conditions first."""
    sides = len(thresholds)
    yield np.full(sides, -np.inf)
    for number in range(1, min(most, sides) + 1):
        for chosen in combinations(range(sides), number):
            grid = np.meshgrid(*(thresholds[j] for j in chosen), indexing="ij")
            levels = np.full((grid[0].size, sides), -np.inf)
            levels[:, list(chosen)] = np.column_stack([axis.ravel() for axis in grid])
            yield from levels


def _distinct(sides: Floats, asked: list[Floats], directions: Signs, positive: bool) -> list[Rule]:
    """Of the rules that cover the same objects keep the first; none that covers nothing."""
    seen: set[bytes] = {np.packbits(np.zeros(len(sides), dtype=bool)).tobytes()}
    kept = []
    for levels in np.array_split(np.array(asked), 1 + len(asked) * len(sides) // MOST_AT_ONCE):
        covered = np.ones((len(levels), len(sides)), dtype=bool)
        for j, side in enumerate(sides.T):
            covered &= side >= levels[:, j, None]
        for row, key in enumerate(map(bytes, np.packbits(covered, axis=1))):
            if key not in seen:
                seen.add(key)
                kept.append(levels[row])
    if not kept:
        return []
    lower, upper = rule_pricing.conditions(np.array(kept), directions, positive)
    return [rule_of(low, high, positive) for low, high in zip(lower, upper, strict=True)]


def _spread(values: Floats, cuts: int | None) -> Floats:
    if cuts is None or len(values) <= cuts:
        return values
    return values[np.unique(np.linspace(0, len(values) - 1, cuts).round().astype(np.int64))]


def _count(sizes: Sequence[int], most: int) -> float:
    return float(sum(
        np.prod([sizes[j] for j in chosen], dtype=float)
        for number in range(min(most, len(sizes)) + 1)
        for chosen in combinations(range(len(sizes)), number)
    ))  # fmt: skip


def _refuse_many(count: float, most: float, what: str) -> None:
    if count > most:
        raise DataError(f"{count:.3g} {what}, {most:.3g} can be done: allow fewer conditions, or round the attributes")
