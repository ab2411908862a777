"""Nearest objects, with distances taken by differences: equal objects are at distance exactly zero."""

from __future__ import annotations

import numpy as np

TREE_LIMIT = 16  # attributes up to which a k-d tree is faster than all distances
CHUNK = 1 << 22  # distances formed at a time: 32 MB


def nearest(X: np.ndarray, new: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances to the `count` nearest rows of `X`, ascending, and which rows they are.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    new : ndarray, shape (m, d)
        May be `X` itself: each row then finds itself first if the rows are distinct.
    count : int
        At most n.

    Returns
    -------
    distance : ndarray, shape (m, count)
    index : ndarray of int, shape (m, count)

    Examples
    --------
    >>> nearest(np.array([[0.0], [1.0], [3.0]]), np.array([[0.8]]), 2)
    (array([[0.2, 0.8]]), array([[1, 0]]))
    """
    from scipy.spatial import cKDTree

    if X.shape[1] <= TREE_LIMIT:
        distance, index = cKDTree(X).query(new, k=np.arange(1, count + 1))
        return distance, index
    step = max(1, CHUNK // len(X))
    parts = [_brute(X, new[start : start + step], count) for start in range(0, len(new), step)]
    return np.vstack([d for d, _ in parts]), np.vstack([i for _, i in parts])


def distances(X: np.ndarray, Y: np.ndarray, *, squared: bool = False) -> np.ndarray:
    """All Euclidean distances between the rows of two tables, or their squares."""
    from scipy.spatial.distance import cdist

    return cdist(X, Y, "sqeuclidean" if squared else "euclidean")


def _brute(X: np.ndarray, new: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    D = distances(new, X)
    index = np.argpartition(D, min(count, len(X) - 1), axis=1)[:, :count]
    found = np.take_along_axis(D, index, axis=1)
    order = np.argsort(found, axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1), np.take_along_axis(index, order, axis=1)
