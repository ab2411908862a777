"""Clusterings: the same partition always gets the same numbers."""

from __future__ import annotations

import numpy as np


def canonical(label: np.ndarray, place: np.ndarray) -> np.ndarray:
    """New number of each label: by size, the largest first, ties by the least place of a member.

    Examples
    --------
    >>> canonical(np.array([0, 1, 1, 2]), np.array([3, 1, 2, 0]))
    array([2, 0, 1])
    """
    size = np.bincount(label)
    least = np.full(len(size), np.iinfo(np.int64).max)
    np.minimum.at(least, label, place)
    new = np.empty(len(size), dtype=np.int64)
    new[np.lexsort((least, -size))] = np.arange(len(size))
    return new
