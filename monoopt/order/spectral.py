"""The spectral step: what the eigenvectors of a normalised affinity say about groups.

K' = D^(-1/2) K D^(-1/2), D the row sums of K; the rows of its leading g eigenvectors, at unit length, are points that
lie close together within a group (Ng, Jordan and Weiss 2001; section 4 of "Integrating the supervised information
into unsupervised learning").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from monoopt.errors import DataError
from monoopt.order.definiteness import TOLERANCE
from monoopt.order.metric import DensityMetric
from monoopt.order.neighbours import nearest

DENSE_LIMIT = 2500  # objects up to which eigenvalues are taken from the dense matrix
MOST_GROUPS = 15  # groups that the rules look for
CLEAR_RATIO = 5.0
DISTINCT = 1e-9  # eigenvalues nearer to zero than this tell no groups apart
FAINT = 7.0  # affinities below exp(-7) are left out of sparse matrices


def check_affinity(affinity: Any) -> Any:
    """Refuse an affinity matrix that is not square, symmetric, finite and free of negative entries."""
    A = affinity if sparse.issparse(affinity) else np.asarray(affinity, dtype=float)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.shape[0]:
        raise DataError(f"the affinity matrix: shape {A.shape}, wanted square (objects x objects)")
    entries: Any = A.data if sparse.issparse(A) else A
    if not np.isfinite(entries).all() or (entries < 0).any():
        raise DataError("the affinity matrix: entries must be finite and not negative")
    if abs(A - A.T).max() > TOLERANCE * max(abs(A).max(), 1e-300):
        raise DataError("the affinity matrix is not symmetric")
    return A


def pieces(affinity: Any) -> tuple[int, np.ndarray, np.ndarray]:
    """Connected pieces of an affinity graph: how many, the piece of each object, and which objects are alone.

    Objects without affinity to any other are alone (piece -1) and not counted.

    Examples
    --------
    >>> pieces(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    (1, array([ 0,  0, -1]), array([2]))
    """
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(sparse.csr_array(affinity), directed=False)
    _, home, size = np.unique(label, return_inverse=True, return_counts=True)
    alone = np.flatnonzero(size[home] == 1)
    piece = np.full(len(label), -1)
    others = np.flatnonzero(size[home] > 1)
    kept, where = np.unique(label[others], return_inverse=True)
    piece[others] = where
    return len(kept), piece, alone


def leading_eigenpairs(affinity: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues of the normalised affinity, descending, and their vectors (columns)."""
    n = affinity.shape[0]
    root = 1.0 / np.sqrt(np.asarray(affinity.sum(axis=1)).ravel())
    count = min(count, n)
    if n <= DENSE_LIMIT:
        dense = affinity.toarray() if sparse.issparse(affinity) else affinity
        values, vectors = _last_eigenpairs(root[:, None] * dense * root, count)
    else:
        from scipy.sparse.linalg import eigsh

        normal = sparse.diags_array(root) @ sparse.csc_array(affinity) @ sparse.diags_array(root)
        start = np.random.default_rng(0).standard_normal(n)
        values, vectors = eigsh(sparse.csc_array(normal), k=count, sigma=1.0 + 1e-4, which="LM", v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _last_eigenpairs(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import LinAlgError, eigh

    try:
        return eigh(matrix, subset_by_index=[len(matrix) - count, len(matrix) - 1])
    except LinAlgError:  # LAPACK's driver for subsets gives up on some matrices of equal blocks
        values, vectors = np.linalg.eigh(matrix)
        return values[-count:], vectors[:, -count:]


def groups_by_gap(values: np.ndarray) -> int:
    """Number of groups, two or more, whose eigenvalues stand out at *some* number of steps of the random walk.

    The gap between eigenvalues g and g + 1 of the walk's m-step matrix is values[g]^m - values[g+1]^m; its maximum
    over m grows with the ratio log values[g+1] / log values[g] (after Azran and Ghahramani 2006), so no width and no
    number of steps has to be chosen. The finest grouping with a ratio of 5 or more is taken, otherwise the one of
    the largest ratio: a single chain of objects, however long, has ratios up to 4 (its eigenvalues decay like k^2).

    Parameters
    ----------
    values : ndarray
        Leading eigenvalues of the normalised affinity, descending; the first is 1.

    Examples
    --------
    >>> groups_by_gap(np.array([1.0, 0.99, 0.98, 0.4, 0.3]))
    3
    >>> groups_by_gap(np.array([1.0, 1.0, 1e-17, -1e-16]))  # the last two are rounding
    2
    """
    if len(values) < 3:
        return 1
    decay = -np.log(np.clip(values[1 : MOST_GROUPS + 1], DISTINCT, 1.0 - 1e-15))
    ratio = decay[1:] / decay[:-1]
    clear = np.flatnonzero(ratio >= CLEAR_RATIO)
    return int(clear[-1] if len(clear) else np.argmax(ratio)) + 2


def groups_by_size(affinity: Any) -> int:
    """Number of eigenvalues of the affinity matrix itself that are larger than 1: the paper's rule, at least 1.

    It counts groups only where affinities within a group are close to 1; with narrow kernels it counts far more.

    Examples
    --------
    >>> groups_by_size(np.kron(np.eye(2), np.ones((3, 3))))
    2
    """
    dense = affinity.toarray() if sparse.issparse(affinity) else affinity
    return max(1, int((np.linalg.eigvalsh(dense) > 1.0 + 1e-9).sum()))


def path_affinity(metric: DensityMetric, graph: sparse.csr_array, members: np.ndarray, rank: int) -> Any:
    """Affinity of some objects by shortest paths through all: exp(-P_ij / sqrt(p_i p_j)).

    P is the path length and p_i the one to the `rank`-th nearest other member: the tuning scale, in path lengths. Dense
    up to 2,500 members; above, entries below exp(-7) are left out and paths are not followed that far.

    Parameters
    ----------
    members : ndarray of int
        At least two of the metric's objects.
    rank : int
        Capped at the number of members less one.
    """
    m = len(members)
    rank = min(rank, m - 1)
    reach = _upper_scale(metric, members, rank)
    order = np.argsort(reach, kind="stable")
    chunk = m if m <= DENSE_LIMIT else 100
    parts = [_chunk(graph, members, order[s : s + chunk], rank, reach, m <= DENSE_LIMIT) for s in range(0, m, chunk)]
    scale = np.empty(m)
    scale[order] = np.concatenate([p for p, *_ in parts])
    i, j, length = (np.concatenate([part[k] for part in parts]) for k in (1, 2, 3))
    width = np.sqrt(scale[i] * scale[j])
    exponent = np.divide(length, width, out=np.where(length > 0, np.inf, 0.0), where=width > 0)
    A = sparse.csr_array((np.exp(-exponent), (i, j)), shape=(m, m))
    A = A.maximum(A.T)
    return A.toarray() if m <= DENSE_LIMIT else A


def _upper_scale(metric: DensityMetric, members: np.ndarray, rank: int) -> np.ndarray:
    """Longest of the direct arcs to the `rank` nearest members: at least as long as the path to the last of them."""
    X = metric.X[members]
    distance, other = nearest(X, X, rank + 1)
    own = np.repeat(members, rank + 1).reshape(len(members), -1)
    return metric.lengths(distance, own, members[other]).max(axis=1)


def _chunk(
    graph: sparse.csr_array, members: np.ndarray, some: np.ndarray, rank: int, reach: np.ndarray, dense: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Path scales of some members, and (i, j, length) of the pairs near enough to count."""
    from scipy.sparse.csgraph import dijkstra

    limit = np.inf if dense else FAINT * float(reach[some].max())
    P = dijkstra(graph, directed=False, indices=members[some], limit=limit)[:, members]
    scale = np.partition(P, rank, axis=1)[:, rank]
    if not np.isfinite(scale).all() and np.isfinite(limit):  # arcs to the nearest are missing in the graph
        P = dijkstra(graph, directed=False, indices=members[some])[:, members]
        scale = np.partition(P, rank, axis=1)[:, rank]
    near = np.isfinite(P) if dense else FAINT * scale[:, None] >= P
    i, j = np.nonzero(near)
    return scale, some[i], j, P[i, j]
