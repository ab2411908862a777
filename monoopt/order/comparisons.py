"""Comparing many rows with many rows in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

BLOCK_CELLS = 4_000_000


def at_least(A: npt.NDArray[np.float64], B: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return M with M[i, j] iff row i of A is at least row j of B in every column.

    Examples
    --------
    >>> at_least(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 3.0]]))
    array([[ True, False]])
    """
    M = np.ones((len(A), len(B)), dtype=bool)
    for column in range(A.shape[1]):
        M &= A[:, None, column] >= B[None, :, column]
    return M


def blocks(n: int, width: int) -> Iterator[slice]:
    """Cut n rows into blocks of at most 4 million cells (rows times ``width``).

    Examples
    --------
    >>> [block.stop for block in blocks(5, 2_000_000)]
    [2, 4, 5]
    """
    step = max(1, BLOCK_CELLS // max(1, width))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
