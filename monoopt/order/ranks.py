"""Ranks from scores, with ties made explicit, and agreement between two rankings."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from monoopt.errors import DataError, OptionError, nearest

Ties = Literal["min", "dense", "average", "ordinal", "max"]
TIES = ("min", "dense", "average", "ordinal", "max")
KINDS = ("spearman", "kendall")
EQUAL = 1e-12  # scores that differ by less, relative to the range of all, differ by rounding only


def ranks(scores: npt.ArrayLike, ties: Ties = "min", *, best: Literal["high", "low"] = "high") -> npt.NDArray:
    """Turn scores into ranks; rank 1 is the best.

    Parameters
    ----------
    scores : array-like, shape (n,)
    ties : "min", "dense", "average", "ordinal" or "max"
        Equal scores: competition ranks 1,1,3; dense 1,1,2; average 1.5,1.5,3; ordinal 1,2,3 in row order;
        max 2,2,3. Scores that differ by less than 1e-12 of their range are equal, so that a change of units,
        which changes the rounding, changes no rank.
    best : "high" or "low"
        Which scores are good.

    Returns
    -------
    ndarray, shape (n,)
        int64; float64 for ``ties="average"``.

    Raises
    ------
    OptionError
        Unknown word.
    DataError
        Scores that are no numbers, or NaN (positions listed), or no list of them.

    Examples
    --------
    >>> ranks([0.9, 0.4, 0.4, 0.1]), ranks([0.9, 0.4, 0.4, 0.1], "average")
    (array([1, 2, 2, 4]), array([1. , 2.5, 2.5, 4. ]))
    """
    from scipy.stats import rankdata

    if ties not in TIES:
        raise OptionError(f"ties={ties!r}: wanted one of {TIES}{nearest(ties, TIES)}")
    if best not in ("high", "low"):
        raise OptionError(f"best={best!r}: wanted 'high' or 'low'")
    values = _levelled(_read(scores))
    found = rankdata(-values if best == "high" else values, method=ties)
    return found.astype(np.float64 if ties == "average" else np.int64)


def _read(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"scores: wanted numbers, got {scores!r:.80}") from None
    if values.ndim != 1:
        raise DataError(f"scores: wanted one number for each object, got shape {values.shape}")
    gaps = np.flatnonzero(np.isnan(values)).tolist()
    if gaps:
        raise DataError(f"scores: NaN at {gaps[:20]}; an object without a score has no rank: leave it out")
    return values


def _levelled(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Replace the scores of every run without a gap beyond rounding by the least of the run."""
    if len(values) < 2 or not np.isfinite(values).all():
        return values
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    starts = np.concatenate([[True], np.diff(ascending) > EQUAL * (ascending[-1] - ascending[0])])
    levels = np.empty_like(values)
    levels[order] = ascending[starts][np.cumsum(starts) - 1]
    return levels


def rank_agreement(a: npt.ArrayLike, b: npt.ArrayLike, kind: Literal["spearman", "kendall"] = "spearman") -> float:
    """Rank correlation of two score lists: Spearman's rho or Kendall's tau-b; NaN when one is constant.

    Examples
    --------
    >>> rank_agreement([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    from scipy.stats import kendalltau, rankdata

    if kind not in KINDS:
        raise OptionError(f"kind={kind!r}: wanted 'spearman' or 'kendall'{nearest(kind, KINDS)}")
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    if kind == "kendall":
        return float(kendalltau(x, y).statistic)
    first, second = (rankdata(values) - (len(values) + 1) / 2 for values in (x, y))
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))
