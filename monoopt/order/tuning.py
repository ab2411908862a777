"""The tuning scale: every object's own width, read off the gaps in its list of distances.

sigma_x = ||x - x_r||, the distance of x to its r-th nearest object; r is one number for the whole set. From
section 3.2 of "Integrating the supervised information into unsupervised learning".
"""

from __future__ import annotations

import numpy as np

from monoopt.errors import DataError
from monoopt.order.neighbours import distances, nearest

RANK_SAMPLE = 2000  # objects whose distance lists decide the rank r
CHUNK = 1 << 22  # distances sorted at a time: 32 MB


def tuning_rank(X: np.ndarray) -> int:
    """Rank r of the tuning scale: the mean over objects of the place of the largest relative gap.

    For each object the distances to the *others* are sorted, d(1) <= d(2) <= ...; its place is the j >= 2 of
    largest (d(j) - d(j-1)) / d(j). A gap from distance zero says nothing and counts as 0. With more than
    2,000 objects the mean is taken over 2,000 of them at even steps.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.

    Returns
    -------
    int
        Between 1 and n - 1 (1 when there are fewer than three objects).

    Examples
    --------
    >>> tuning_rank(np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]))
    3
    """
    n = len(X)
    if n < 3:
        return 1
    chosen = np.unique(np.linspace(0, n - 1, min(n, RANK_SAMPLE)).astype(int))
    step = max(1, CHUNK // n)
    places = [_gap_places(X, chosen[start : start + step]) for start in range(0, len(chosen), step)]
    return int(np.clip(np.floor(np.concatenate(places).mean() + 0.5), 1, n - 1))


def _gap_places(X: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Place (1-based among the other objects) of the largest relative gap, one per chosen object."""
    D = distances(X[chosen], X)
    D[np.arange(len(chosen)), chosen] = -1.0  # the object itself comes first, and is dropped
    D = np.sort(D, axis=1)[:, 1:]
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
