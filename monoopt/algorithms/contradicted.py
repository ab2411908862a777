"""Who contradicted a label that was changed: looked up row by row, for all of them together could fill any memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.order import as_gains

Integers: TypeAlias = npt.NDArray[np.int64]

SHOWN = 10  # rows in the text form


class Conflicts(Mapping[int, Integers]):
    """For every changed row the rows that its old label contradicted (rows of weight 0 left out).

    A mapping from row to rows, ascending, found when asked for in O(n d).

    Parameters
    ----------
    data : OrdinalData
        As it was before.
    changed : ndarray of int
        Rows whose label changed.

    Examples
    --------
    >>> from monoopt.algorithms.ordinal_data import read_ordinal_data
    >>> data = read_ordinal_data([[1], [2], [3]], [0, 1, 0])
    >>> Conflicts(data, np.array([1]))
    {1: array([2])}
    """

    def __init__(self, data: OrdinalData, changed: Integers) -> None:
        self._columns = np.ascontiguousarray(as_gains(data.X, data.directions).T)
        self._old = data.labels.codes
        self._there, self._changed = data.weights > 0, changed

    def __getitem__(self, row: int) -> Integers:
        place = int(np.searchsorted(self._changed, row))
        if place == len(self._changed) or self._changed[place] != row:
            raise KeyError(row)
        below, above = self._old > self._old[row], self._old < self._old[row]
        for column in self._columns:
            below &= column <= column[row]
            above &= column >= column[row]
        return np.flatnonzero((below | above) & self._there)

    def __iter__(self) -> Iterator[int]:
        return iter(self._changed.tolist())

    def __len__(self) -> int:
        return len(self._changed)

    def __repr__(self) -> str:
        shown = ", ".join(f"{row}: {self[row]!r}" for row in self._changed[:SHOWN].tolist())
        return f"{{{shown}{', ...' if len(self) > SHOWN else ''}}}"
