"""Dominance: x dominates z iff x is at least as good on every directed attribute and equal on every free one.

Everything here works on values and directions alone. Equal objects dominate each other. Pairs are written
(i, j): object i dominates object j.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import MonooptError, refuse
from monoopt.order.comparisons import at_least, blocks
from monoopt.order.directions import as_gains

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Signs: TypeAlias = npt.NDArray[np.int8]

MAX_PAIRS = 50_000_000
MAX_COMPARISONS = 50_000_000  # beyond, the sparse graph is faster than looking at every pair
FRONT_BLOCK = 1000
FRONT_OBJECTS = 10_000  # more than these are compared by compiled loops


class TooManyPairs(MonooptError, MemoryError):
    """There are more pairs than the stated limit; the message says what to use instead."""


def merge_equal(X: Floats) -> tuple[Floats, Integers]:
    """Merge equal objects.

    Parameters
    ----------
    X : ndarray, shape (n, d)

    Returns
    -------
    unique : ndarray, shape (m, d)
        The distinct rows in lexicographic order; -0.0 and 0.0 are equal.
    inverse : ndarray of int64, shape (n,)
        ``unique[inverse]`` equals ``X``.

    Examples
    --------
    >>> merge_equal(np.array([[2.0], [-0.0], [0.0]]))
    (array([[0.],
           [2.]]), array([1, 0, 0]))
    """
    X = np.asarray(X, dtype=np.float64) + 0.0
    order = np.lexsort(X.T[::-1])
    ranked = X[order]
    first = np.ones(len(X), dtype=bool)
    first[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    inverse = np.empty(len(X), dtype=np.int64)
    inverse[order] = np.cumsum(first) - 1
    return ranked[first], inverse


def dominance_pairs(X: Floats, directions: Signs, *, max_pairs: int = MAX_PAIRS) -> Integers:
    """Return all pairs (i, j), i != j, in which object i dominates object j.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    directions : ndarray of int8, shape (d,)
    max_pairs : int
        More pairs than this are refused before they fill the memory (16 bytes each).

    Returns
    -------
    ndarray of int64, shape (m, 2)
        Sorted by i, then j.

    Raises
    ------
    TooManyPairs
        Use `violating_pairs`, `transitive_reduction` or `monoopt.order.steiner.steiner_graph` instead.

    Examples
    --------
    >>> dominance_pairs(np.array([[1.0], [3.0], [2.0]]), np.array([1], dtype=np.int8)).tolist()
    [[1, 0], [1, 2], [2, 0]]
    """
    return _pairs(as_gains(X, directions), None, max_pairs)


def violating_pairs(X: Floats, codes: Integers, directions: Signs, *, max_pairs: int = MAX_PAIRS) -> Integers:
    """Return all pairs (i, j) in which object i dominates object j and yet has the lower code.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    codes : ndarray of int, shape (n,)
    directions : ndarray of int8, shape (d,)
    max_pairs : int
        As in `dominance_pairs`.

    Returns
    -------
    ndarray of int64, shape (m, 2)
        Sorted by i, then j.

    Examples
    --------
    >>> violating_pairs(np.array([[1.0], [2.0]]), np.array([1, 0]), np.array([1], dtype=np.int8))
    array([[1, 0]])
    """
    return _pairs(as_gains(X, directions), np.asarray(codes), max_pairs)


def inconsistent(X: Floats, codes: Integers, directions: Signs) -> npt.NDArray[np.bool_]:
    """Tell which objects are in at least one violating pair; only their labels ever need to change.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> inconsistent(X, np.array([1, 0, 1]), np.array([1], dtype=np.int8))
    array([ True,  True, False])
    """
    codes = np.asarray(codes, dtype=np.int64)
    better, worse = np.flatnonzero(codes < codes.max(initial=0)), np.flatnonzero(codes > codes.min(initial=0))
    if len(better) * len(worse) > MAX_COMPARISONS:
        greatest_below, least_above = extension_bounds(X, codes, directions, X)
        return greatest_below != least_above  # of all objects below and above, the object itself included
    gains, found = as_gains(X, directions), np.zeros(len(X), dtype=bool)
    for block in blocks(len(better), len(worse)):
        rows = better[block]
        wrong = at_least(gains[rows], gains[worse]) & (codes[rows, None] < codes[worse])
        found[rows] |= wrong.any(axis=1)
        found[worse] |= wrong.any(axis=0)
    return found


def extension_bounds(
    X: Floats, codes: Integers, directions: Signs, X_new: Floats, *, n_classes: int | None = None
) -> tuple[Integers, Integers]:
    """Return the greatest code below and the least code above each new object.

    For monotone codes these are the bounds of all monotone extensions, and low <= high. Where nothing lies
    below (above), low is 0 (high is ``n_classes - 1``).

    Parameters
    ----------
    X : ndarray, shape (n, d)
    codes : ndarray of int, shape (n,)
        0..K-1.
    directions : ndarray of int8, shape (d,)
    X_new : ndarray, shape (m, d)
    n_classes : int, optional
        K; one more than the greatest code when not given.

    Returns
    -------
    low, high : ndarray of int64, shape (m,)
        low = max{codes_j : new dominates x_j}, high = min{codes_j : x_j dominates new}.

    Examples
    --------
    >>> X, codes = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]), np.array([0, 1, 3])
    >>> up = np.array([1, 1], dtype=np.int8)
    >>> extension_bounds(X, codes, up, np.array([[3.0, 3], [1, 5], [9, 9]]))
    (array([1, 0, 3]), array([3, 3, 3]))
    """
    codes = np.asarray(codes, dtype=np.int64)
    top = int(codes.max()) if n_classes is None else n_classes - 1
    if len(X) * len(X_new) > MAX_COMPARISONS:
        from monoopt.order.steiner import greatest_above

        low = greatest_above(X, codes, -directions, X_new)
        return low, top - greatest_above(X, top - codes, directions, X_new)
    old, new = as_gains(X, directions), as_gains(X_new, directions)
    low, high = np.zeros(len(new), dtype=np.int64), np.full(len(new), top, dtype=np.int64)
    for block in blocks(len(new), len(old)):
        low[block] = np.where(at_least(new[block], old), codes, 0).max(axis=1)
        high[block] = np.where(at_least(old, new[block]).T, codes, top).min(axis=1)
    return low, high


def transitive_reduction(pairs: Integers, n: int) -> Integers:
    """Keep the pairs of a strict order that do not follow from others (the arcs of its Hasse diagram).

    Parameters
    ----------
    pairs : ndarray of int, shape (m, 2)
        All pairs of the order, for example `dominance_pairs` of distinct objects.
    n : int
        Number of objects.

    Returns
    -------
    ndarray of int64, shape (r, 2)
        The pairs (i, j) without any k between, sorted.

    Raises
    ------
    DataError
        The pairs are not transitive, or they hold a cycle (equal objects: see `merge_equal`).

    Examples
    --------
    >>> transitive_reduction(np.array([[2, 1], [1, 0], [2, 0]]), 3).tolist()
    [[1, 0], [2, 1]]
    """
    order = sparse.csr_array((np.ones(len(pairs), dtype=np.int32), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    order.data[:] = 1
    through = order @ order
    faults = ["they hold a cycle: merge equal objects first"] if through.diagonal().any() else []
    implied = (through - through.multiply(order)).count_nonzero()
    faults += [f"they are not transitive: {implied} pairs follow from others and are missing"] if implied else []
    refuse(faults, "pairs")
    kept = sparse.coo_array(order - order.multiply(through > 0))
    chosen = kept.data > 0
    arcs = np.column_stack([kept.row[chosen], kept.col[chosen]]).astype(np.int64)
    return arcs[np.lexsort((arcs[:, 1], arcs[:, 0]))]


def borders(X: Floats, labels: npt.NDArray[np.generic], directions: Signs) -> tuple[Integers, Integers]:
    """Return the minimal objects of the upper class and the maximal objects of the lower class.

    A monotone function that separates the borders separates all objects (of monotone labels).

    Parameters
    ----------
    X : ndarray, shape (n, d)
    labels : ndarray, shape (n,)
        Upper class: 1; lower class: 0 or -1.
    directions : ndarray of int8, shape (d,)

    Returns
    -------
    minimal, maximal : ndarray of int64
        Indices into ``X``, ascending; of equal objects the first.

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1], dtype=np.int8)
    >>> borders(X, np.array([0, 0, 1, 1]), up)
    (array([2]), array([1]))
    """
    gains, upper = as_gains(X, directions), np.asarray(labels) > 0
    return _minimal(gains, np.flatnonzero(upper)), _minimal(0.0 - gains, np.flatnonzero(~upper))


def _pairs(gains: Floats, codes: Integers | None, max_pairs: int) -> Integers:
    """Return the pairs (i, j), i at least j, i != j; with codes only those in which i has the lower code."""
    found: list[Integers] = []
    count = 0
    for block in blocks(len(gains), len(gains)):
        M = at_least(gains[block], gains)
        if codes is not None:
            M &= codes[block, None] < codes[None, :]
        i, j = np.nonzero(M)
        pairs = np.column_stack([i + block.start, j])
        found.append(pairs[pairs[:, 0] != pairs[:, 1]])
        count += len(found[-1])
        if count > max_pairs:
            size = f"more than {max_pairs} pairs among {len(gains)} objects ({16e-9 * max_pairs:.1f} GB)"
            raise TooManyPairs(f"{size}: raise max_pairs, or use monoopt.order.steiner_graph, which needs fewer arcs")
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)


def _minimal(gains: Floats, members: Integers) -> Integers:
    """Return the members with no other member below; of equal ones the first."""
    # what lies below comes first; the sort is stable, so equals keep their order
    order = members[np.lexsort(gains[members].T[::-1])]
    if len(members) > FRONT_OBJECTS:
        from monoopt.order._rule_kernels import mark_front

        kept = np.empty(len(order), dtype=bool)
        mark_front(gains[order], kept)
        return np.sort(order[kept])
    front = np.empty(0, dtype=np.int64)
    for start in range(0, len(order), FRONT_BLOCK):
        block = order[start : start + FRONT_BLOCK]
        for part in blocks(len(front), len(block)):
            block = block[~at_least(gains[block], gains[front[part]]).any(axis=1)]
        below = np.tril(at_least(gains[block], gains[block]), -1)
        front = np.concatenate([front, block[~below.any(axis=1)]])
    return np.sort(front)
