"""Compiled loops over rules and objects: votes, conditions that a rule can do without, objects with none below.

Rule r has the conditions first[r] .. first[r + 1] - 1; condition c asks x >= threshold[c] (up) or x <= threshold[c] of
attribute[c]. Objects come by columns: row j of ``columns`` is attribute j of all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

CHUNK = 1024  # objects looked at together: their columns and marks stay in the nearest cache


@njit(cache=True, nogil=True)
def _narrow(column: Any, up: Any, threshold: Any, covered: Any) -> None:
    """Take the mark from every object where the condition does not hold."""
    if up:
        for i in range(len(column)):
            covered[i] &= column[i] >= threshold
    else:
        for i in range(len(column)):
            covered[i] &= column[i] <= threshold


@njit(cache=True, nogil=True)
def vote(columns: Any, first: Any, attribute: Any, up: Any, threshold: Any, weight: Any, total: Any) -> None:
    """Add the weight of every rule that covers the object, rule by rule in their order."""
    n = columns.shape[1]
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        covered = np.empty(stop - start, dtype=np.bool_)
        here = total[start:stop]
        for r in range(len(weight)):
            covered[:] = True
            for c in range(first[r], first[r + 1]):
                _narrow(columns[attribute[c], start:stop], up[c], threshold[c], covered)
            for i in range(stop - start):
                here[i] += weight[r] if covered[i] else 0.0


@njit(cache=True, nogil=True)
def mark_needed(columns: Any, first: Any, attribute: Any, up: Any, threshold: Any, needed: Any) -> None:
    """From its last condition to its first, leave out what refuses no object that the others let through."""
    n = columns.shape[1]
    for r in range(len(first) - 1):
        for c in range(first[r + 1] - 1, first[r] - 1, -1):
            needed[c] = False
            for start in range(0, n, CHUNK):
                stop = min(start + CHUNK, n)
                covered = np.ones(stop - start, dtype=np.bool_)
                for other in range(first[r], first[r + 1]):
                    if needed[other]:
                        _narrow(columns[attribute[other], start:stop], up[other], threshold[other], covered)
                let = covered.sum()
                _narrow(columns[attribute[c], start:stop], up[c], threshold[c], covered)
                if covered.sum() < let:
                    needed[c] = True
                    break


@njit(cache=True, nogil=True)
def mark_front(X: Any, kept: Any) -> None:
    """Mark the rows with no other marked row below; rows are sorted, of equal ones the first stays."""
    front, size = np.empty(len(X), dtype=np.int64), 0
    for i in range(len(X)):
        kept[i] = True
        for place in range(size):
            below = True
            for j in range(X.shape[1]):
                if X[front[place], j] > X[i, j]:
                    below = False
                    break
            if below:
                kept[i] = False
                break
        if kept[i]:
            front[size] = i
            size += 1
