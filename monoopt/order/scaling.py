"""Frozen scaling: each attribute's worst and best reference value, kept for objects that come later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import OptionError, nearest, refuse

Array: TypeAlias = npt.NDArray[np.float64]
SCALINGS = ("minmax", "robust")
ALONE = 0.5  # an object that makes up this share of a range by itself is reported
QUANTILES = (0.05, 0.95)
ROUNDING = 8 * np.finfo(np.float64).eps  # of a value: attributes that vary by no more are constant


@dataclass(frozen=True)
class Scaling:
    """An affine map of each attribute: ``(x - low) / (high - low)``, never a ratio or a reciprocal.

    Attributes
    ----------
    low, high : ndarray, shape (d,)
        The values that become 0 and 1, in the attribute's units.
    kept : ndarray of bool, shape (d,)
        False for attributes that don't vary by more than rounding: they can't be scaled and take no part.
    """

    low: Array
    high: Array
    kept: npt.NDArray[np.bool_]

    def apply(self, X: Array) -> Array:
        """Scale the kept attributes; shape (n, number kept). NaN stays NaN."""
        return (X[:, self.kept] - self.low[self.kept]) / (self.high - self.low)[self.kept]

    def invert(self, U: Array) -> Array:
        """Return to the units of the data; an attribute that is not kept gets its constant."""
        X = np.tile(self.low, (len(U), 1))
        X[:, self.kept] = self.low[self.kept] + U * (self.high - self.low)[self.kept]
        return X

    def outside(self, X: Array) -> npt.NDArray[np.bool_]:
        """Tell, cell by cell, what lies outside the frozen range; shape (n, d). NaN is not outside."""
        return (X < self.low) | (X > self.high)


def fit_scaling(X: Array, sample_weight: Array, scaling: Any, names: Sequence[str]) -> Scaling:
    """Find the range of each attribute.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        NaN marks missing values.
    sample_weight : ndarray, shape (n,)
        Objects of weight 0 don't count; weight 2 counts as two copies.
    scaling : "minmax", "robust", (q, 1 - q) or a mapping
        Least and largest value; the 5 % and 95 % quantiles; any two quantiles; or fixed goalposts by name,
        ``{"gdp": (100, 75000)}`` (attributes not named take their least and largest value).
    names : sequence of str, length d
        For messages and goalposts.

    Raises
    ------
    OptionError, DataError
        Unknown word; goalposts of unknown attributes or with low >= high.

    Examples
    --------
    >>> fit_scaling(np.array([[1.0, 7.0], [3.0, 7.0]]), np.ones(2), "minmax", ["a", "b"]).kept
    array([ True, False])
    """
    known = X[sample_weight > 0]
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    kept = high / 2 - low / 2 > ROUNDING * np.maximum(np.abs(low), np.abs(high)) / 2  # halves: no overflow
    if isinstance(scaling, str):
        if scaling not in SCALINGS:
            raise OptionError(f"scaling={scaling!r}: wanted one of {SCALINGS}{nearest(scaling, SCALINGS)}")
        if scaling == "robust":
            low, high = _quantile_range(X, sample_weight, QUANTILES, low, high)
    elif hasattr(scaling, "items"):
        low, high, kept = _goalposts(dict(scaling), names, low, high, kept)
    else:
        low, high = _quantile_range(X, sample_weight, _two_quantiles(scaling), low, high)
    with np.errstate(over="ignore"):
        wide = np.flatnonzero(np.isinf(high - low)).tolist()
    refuse(
        [f"{names[j]!r} goes from {low[j]:g} to {high[j]:g}, a range no number holds: another unit" for j in wide], "X"
    )
    return Scaling(low, high, kept)


def lone_extremes(X: Array, sample_weight: Array) -> list[tuple[int, int, float]]:
    """Find objects that alone make up at least half of an attribute's range.

    Returns
    -------
    list of (row, column, share)
        Share of the range that goes away with the object. Empty for fewer than 5 known values.

    Examples
    --------
    >>> lone_extremes(np.array([[0.0], [1.0], [2.0], [3.0], [30.0]]), np.ones(5))
    [(4, 0, 0.9)]
    """
    found = []
    for j in range(X.shape[1]):
        rows = np.flatnonzero((sample_weight > 0) & ~np.isnan(X[:, j]))
        values = X[rows, j]
        if len(rows) < 5 or np.ptp(values) == 0:
            continue
        top, bottom = np.argpartition(values, -2)[-2:], np.argpartition(values, 1)[:2]
        for pair in (top, bottom):
            gap = abs(values[pair[0]] - values[pair[1]]) / np.ptp(values)
            half = values / 2  # sums of two don't overflow
            extreme = pair[np.argmax(np.abs(half[pair] - np.median(half)))]
            if gap >= ALONE:
                found.append((int(rows[extreme]), j, float(gap)))
    return found


def _two_quantiles(scaling: Any) -> tuple[float, float]:
    try:
        first, last = (float(q) for q in scaling)
    except (TypeError, ValueError):
        first, last = np.nan, np.nan
    if not 0 <= first < last <= 1:
        raise OptionError(
            f"scaling={scaling!r}: wanted one of {SCALINGS}, two quantiles such as (0.05, 0.95), "
            "or goalposts by name such as {'gdp': (100, 75000)}"
        )
    return first, last


def _quantile_range(
    X: Array, sample_weight: Array, quantiles: tuple[float, float], low: Array, high: Array
) -> tuple[Array, Array]:
    """Weighted quantiles per attribute; the full range where both quantiles are equal."""
    ends = np.stack([low, high])
    for j in range(X.shape[1]):
        rows = (sample_weight > 0) & ~np.isnan(X[:, j])
        pair = np.quantile(X[rows, j], quantiles, weights=sample_weight[rows], method="inverted_cdf")
        if pair[0] < pair[1]:
            ends[:, j] = pair
    return ends[0], ends[1]


def _goalposts(
    posts: dict[Any, Any], names: Sequence[str], low: Array, high: Array, kept: npt.NDArray[np.bool_]
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    low, high, kept = low.copy(), high.copy(), kept.copy()
    faults = [f"unknown attribute {name!r}{nearest(name, names)}" for name in posts if name not in names]
    for name, pair in posts.items():
        try:
            first, last = (float(value) for value in pair)
        except (TypeError, ValueError):
            first, last = np.nan, np.nan
        if not (np.isfinite([first, last]).all() and first < last):
            faults.append(f"{name!r}: {pair!r}, wanted two numbers (low, high) with low < high")
        elif name in names:
            j = list(names).index(name)
            low[j], high[j], kept[j] = first, last, True
    refuse(faults, "scaling")
    return low, high, kept
