"""Dominance as a sparse graph with Steiner nodes, for data of which the pairs would not fit.

Divide and conquer on the attributes: the objects are cut in the middle of one attribute; what lies above
and what lies below are treated apart, and between the two halves that attribute is decided, so the others
remain. When one attribute is left, its order is a chain of extra nodes. With n objects and d directed
attributes this writes O(n log^(d-1) n) arcs, and where there are few pairs it writes the pairs themselves.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.order.directions import orient
from monoopt.order.dominance import merge_equal

Nodes: TypeAlias = npt.NDArray[np.int32]


def steiner_graph(
    X: npt.NDArray[np.float64],
    directions: npt.NDArray[np.int8],
    sources: npt.ArrayLike,
    targets: npt.ArrayLike,
) -> tuple[Nodes, Nodes, int]:
    """Write the dominance of sources over targets as a directed graph.

    There is a path from source s to target t, s != t, iff object s dominates object t (ties and free
    attributes included).

    Parameters
    ----------
    X : ndarray, shape (n, d)
    directions : ndarray of int8, shape (d,)
    sources, targets : array-like
        Indices of objects, or masks of length n. An object may be both.

    Returns
    -------
    tail, head : ndarray of int32, shape (m,)
        Arcs. When no object is both source and target, all arcs into a node come before all arcs out of it.
    n_nodes : int
        Nodes 0..n-1 are the objects, all others are Steiner nodes.

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1], dtype=np.int8)
    >>> tail, head, n_nodes = steiner_graph(X, up, [2, 3], [0, 1])
    >>> sorted(zip(tail.tolist(), head.tolist())), n_nodes
    ([(2, 0), (2, 1), (3, 0), (3, 1)], 4)
    """
    from monoopt.order._steiner_kernels import divide

    upper, lower = _indices(sources, len(X)), _indices(targets, len(X))
    objects = np.concatenate([upper, lower]).astype(np.int32)
    is_source = np.arange(len(objects)) < len(upper)
    directed, free = orient(X[objects], directions)
    keys, group = _keys(directed, is_source), _groups(free)
    order = np.lexsort((-keys[-1], group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1, append=-2)).astype(np.int64)
    arcs, n_nodes = divide(np.ascontiguousarray(keys[:, order]), is_source[order], objects[order], starts, len(X))
    return np.ascontiguousarray(arcs[:, 0]), np.ascontiguousarray(arcs[:, 1]), n_nodes


def greatest_above(
    X: npt.NDArray[np.float64],
    values: npt.NDArray[np.int64],
    directions: npt.NDArray[np.int8],
    X_new: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Return for each new object the greatest value among the objects that dominate it, 0 where none does.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    values : ndarray of int, shape (n,)
        Not negative.
    directions : ndarray of int8, shape (d,)
    X_new : ndarray, shape (m, d)

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0]]), np.array([1], dtype=np.int8)
    >>> greatest_above(X, np.array([2, 7, 5]), up, np.array([[2.5], [0.0], [9.0]]))
    array([5, 7, 0])
    """
    from monoopt.order._steiner_kernels import greatest_reaching

    n, m = len(X), len(X_new)
    tail, head, n_nodes = steiner_graph(np.vstack([X, X_new]), directions, np.arange(n), np.arange(n, n + m))
    best = np.zeros(n_nodes, dtype=np.int64)
    best[:n] = values
    greatest_reaching(tail, head, best)
    return best[n : n + m].copy()


def _indices(chosen: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    indices = np.asarray(chosen)
    return np.flatnonzero(indices) if indices.dtype == bool and len(indices) == n else indices.astype(np.int64)


def _keys(directed: npt.NDArray[np.float64], is_source: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return integer keys, one row per attribute, so that a source's key is larger iff its value is at least as large.

    The attribute of most levels comes last, where it costs least.
    """
    levels = [np.unique(column, return_inverse=True)[1].ravel() for column in directed.T]
    levels = sorted(levels, key=lambda column: int(column.max(initial=0))) or [np.zeros(len(is_source), dtype=np.int64)]
    return np.array([2 * column + is_source for column in levels], dtype=np.int32)


def _groups(free: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Number the objects by their free attributes: only equal ones are comparable."""
    if free.shape[1] == 0:
        return np.zeros(len(free), dtype=np.int64)
    return merge_equal(free)[1]
