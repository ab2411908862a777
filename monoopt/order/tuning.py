"""The tuning scale: every object's own width, read off the gaps in its list of distances.

sigma_x = ||x - x_r||, the distance of x to its r-th nearest object; r is one number for the whole set. From
section 3.2 of "Integrating the supervised information into unsupervised learning".
"""

from __future__ import annotations

import numpy as np

from monoopt.errors import DataError, OptionError
from monoopt.errors import nearest as closest
from monoopt.order.neighbours import distances, nearest

RANK_SAMPLE = 2000  # objects whose distance lists decide the rank r
RULES = ("local", "mean")
CHUNK = 1 << 22  # distances sorted at a time: 32 MB


def tuning_rank(X: np.ndarray, rule: str = "local") -> int:
    """Rank r of the tuning scale: the typical place of the largest relative gap in the lists of distances.

    For each object the distances to the *others* are sorted, d(1) <= d(2) <= ...; its place is the j >= 2 of
    largest (d(j) - d(j-1)) / d(j). A gap from distance zero says nothing and counts as 0. With more than
    2,000 objects the average is taken over 2,000 of them at even steps.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.
    rule : "local" or "mean"
        ``"mean"`` is the paper's: the mean of the places in the whole lists. It is the size of a cluster where clusters
        are far apart, and one far object makes it n - 1. ``"local"`` is the median of the places among the nearest 5 %
        (ten at least): the width of a neighbourhood, whatever is far away.

    Returns
    -------
    int
        Between 1 and n - 1 (1 when there are fewer than three objects).

    Examples
    --------
    >>> tuning_rank(np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]), "mean")
    3
    """
    if rule not in RULES:
        raise OptionError(f"rank is {rule!r}{closest(rule, RULES)}; wanted a number, 'local' or 'mean'")
    n = len(X)
    if n < 3:
        return 1
    chosen = np.unique(np.linspace(0, n - 1, min(n, RANK_SAMPLE)).astype(int))
    if rule == "mean":
        step = max(1, CHUNK // n)
        parts = [_all_distances(X, chosen[start : start + step]) for start in range(0, len(chosen), step)]
        average = np.concatenate([_gap_places(D) for D in parts]).mean()
    else:
        near = min(n - 1, max(10, int(np.ceil(0.05 * n))))
        average = float(np.median(_gap_places(nearest(X, X[chosen], near + 1)[0][:, 1:])))
    return int(np.clip(np.floor(average + 0.5), 1, n - 1))


def _all_distances(X: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Ascending distances of the chosen objects to all others."""
    D = distances(X[chosen], X)
    D[np.arange(len(chosen)), chosen] = -1.0  # the object itself comes first, and is dropped
    return np.sort(D, axis=1)[:, 1:]


def _gap_places(D: np.ndarray) -> np.ndarray:
    """Place (1-based) of the largest relative gap in each row of ascending distances."""
    before, after = D[:, :-1], D[:, 1:]
    gaps = np.divide(after - before, after, out=np.zeros_like(after), where=before > 0)
    return np.argmax(gaps, axis=1) + 2


def tuning_scales(X: np.ndarray, rank: int, new: np.ndarray | None = None) -> np.ndarray:
    """Distance to the `rank`-th nearest *other* object: sigma of the objects, or of new ones among them.

    A new object that coincides with one of `X` gets that object's sigma. A single object has sigma 1.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> tuning_scales(X, 1), tuning_scales(X, 1, np.array([[3.0], [2.5]]))
    (array([1., 1., 2.]), array([2. , 0.5]))
    """
    if len(X) == 1:
        return np.ones(1 if new is None else len(new))
    if not 1 <= rank <= len(X) - 1:
        raise DataError(
            f"the tuning scale asks for neighbour {rank} of {len(X)} distinct objects; wanted 1..{len(X) - 1}"
        )
    lists = nearest(X, X if new is None else new, rank + 1)[0]
    if new is None:
        return lists[:, rank]
    return np.where(lists[:, 0] == 0, lists[:, rank], lists[:, rank - 1])
