"""Groups from an affinity matrix: connected pieces first, then eigenvectors and k-means."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from monoopt.errors import DataError, DataWarning, OptionError, nearest
from monoopt.order.parameters import is_number
from monoopt.order.spectral import (
    DISTINCT,
    MOST_GROUPS,
    check_affinity,
    groups_by_gap,
    groups_by_size,
    leading_eigenpairs,
    pieces,
)

RULES = ("gap", "eigenvalues")


def spectral_clusters(
    affinity: Any,
    n_clusters: int | str = "gap",
    *,
    random_state: int | np.random.RandomState | None = None,
    names: np.ndarray | None = None,
) -> np.ndarray:
    """Label objects by the spectral step on an affinity matrix.

    Parameters
    ----------
    affinity : ndarray or sparse matrix, shape (n, n)
        Symmetric, not negative.
    n_clusters : int, "gap" or "eigenvalues"
        How many; ``"gap"`` reads it off the eigenvalues (two or more, see `groups_by_gap`), ``"eigenvalues"`` counts
        eigenvalues of the affinity that are larger than 1.
    random_state : int, RandomState or None
        Of k-means.
    names : ndarray, shape (n,), optional
        What a warning calls the objects; default: their numbers.

    Returns
    -------
    ndarray of int, shape (n,)
        Labels from 0. Objects without affinity to any other get labels of their own after those, with a warning.

    Raises
    ------
    DataError
        More clusters than objects, fewer clusters than connected pieces, or more than the pieces can be split into.

    Examples
    --------
    >>> two_blocks = np.kron(np.eye(2), np.ones((2, 2)))
    >>> spectral_clusters(two_blocks, 2)
    array([0, 0, 1, 1])
    """
    A = check_affinity(affinity)
    count, piece, alone = pieces(A)
    together = np.flatnonzero(piece >= 0)
    wanted = asked(n_clusters, A.shape[0])
    labels = np.full(A.shape[0], -1)
    if len(together):
        labels[together] = _split(A[np.ix_(together, together)], count, piece[together], wanted, random_state)
    elif isinstance(wanted, int) and wanted != len(alone):
        raise DataError(
            f"no two objects have any affinity: {len(alone)} clusters of one, {wanted} asked; ask for {len(alone)}"
        )
    if len(alone) and len(together):
        called = alone if names is None else names[alone]
        shown = ", ".join(map(str, called[:10])) + (", ..." if len(called) > 10 else "")
        warnings.warn(
            f"{len(alone)} object(s) without affinity to any other are clusters of their own: {shown} (not counted in "
            "n_clusters)",
            DataWarning,
            stacklevel=2,
        )
    labels[alone] = labels.max() + 1 + np.arange(len(alone))
    return labels


def asked(n_clusters: Any, n: float = np.inf) -> int | str:
    """Return how many groups are asked for, or the rule that finds their number; refuse what is neither."""
    if isinstance(n_clusters, str):
        if n_clusters not in RULES:
            raise OptionError(
                f"n_clusters is {n_clusters!r}{nearest(n_clusters, RULES)}; wanted a number, 'gap' or 'eigenvalues'"
            )
        return n_clusters
    if not is_number(n_clusters) or n_clusters < 1 or n_clusters % 1 != 0:
        raise OptionError(f"n_clusters is {n_clusters!r}; wanted a whole number from 1, 'gap' or 'eigenvalues'")
    if n_clusters > n:
        raise DataError(
            f"n_clusters = {n_clusters}, and there are only {n} distinct object(s) (representatives) to group; ask for "
            f"{n} or fewer"
        )
    return int(n_clusters)


def _split(
    A: Any, count: int, piece: np.ndarray, wanted: int | str, random_state: int | np.random.RandomState | None
) -> np.ndarray:
    """Split objects that all have neighbours, in `count` connected pieces, into the wanted number of groups."""
    n = len(piece)
    if wanted == count or n == count:
        return piece
    if isinstance(wanted, int) and wanted < count:
        raise DataError(
            f"{count} components, {wanted} asked: the affinity graph falls apart into {count} pieces; ask for "
            f"{count} or more"
        )
    if wanted == "eigenvalues":
        groups = max(count, groups_by_size(A))
    elif wanted == "gap":
        groups = 0
    else:
        groups = int(wanted)
    values, vectors = leading_eigenpairs(A, max(groups, MOST_GROUPS + 1))
    groups = groups or max(count, min(groups_by_gap(values), n))
    distinct = int((np.abs(values) > DISTINCT).sum())
    if isinstance(wanted, str):
        groups = max(count, min(groups, distinct))
    if groups == count:
        return piece
    if groups > distinct:
        raise DataError(
            f"{count} components, {groups} asked: the objects fall into {distinct} distinct groups at most; ask for "
            f"{distinct} or fewer"
        )
    return _k_means(vectors[:, :groups], groups, random_state)


def _k_means(vectors: np.ndarray, groups: int, random_state: int | np.random.RandomState | None) -> np.ndarray:
    from sklearn.cluster import KMeans

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    points = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return KMeans(groups, n_init=10, random_state=random_state).fit_predict(points)
