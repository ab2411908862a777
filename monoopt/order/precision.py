"""Precision: numbers given in float32 must still be equal to the float64 numbers that they repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.order.cells import as_array
from monoopt.order.frames import is_frame

BITS = {2: 10, 4: 23}
CELL_BITS = {np.float16: 10, np.float32: 23}


def precision_of(X: Any) -> npt.NDArray[np.uint8]:
    """Return the fraction bits of each column as given: 10 (float16), 23 (float32) or 52 (all other numbers).

    Of cells that are Python objects the coarsest of their column counts.

    See Also
    --------
    match_precision : what they are for.
    """
    if is_frame(X):
        import narwhals as nw

        columns = nw.from_native(X, eager_only=True).iter_columns()
        return np.array([_bits_of_column(column) for column in columns], dtype=np.uint8)
    if isinstance(X, Mapping):
        return np.concatenate([precision_of(as_array(column, "X")[:, None]) for column in X.values()])
    table = X if hasattr(X, "dtype") else np.asarray(X)
    kind, width = table.dtype, int(table.shape[1])
    if getattr(kind, "kind", "") == "O":
        return np.array([_bits_of_cells(table[:, j]) for j in range(width)], dtype=np.uint8)
    bits_all = BITS.get(kind.itemsize, 52) if getattr(kind, "kind", "") == "f" else 52
    return np.full(width, bits_all, dtype=np.uint8)


def _bits_of_column(column: Any) -> int:
    kind = str(column.dtype)
    return _bits_of_cells(column.to_list()) if kind == "Object" else {"Float16": 10, "Float32": 23}.get(kind, 52)


def _bits_of_cells(cells: Iterable[Any]) -> int:
    return min((CELL_BITS.get(kind, 52) for kind in {type(cell) for cell in cells}), default=52)


def match_precision(values: npt.NDArray[np.float64], bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Round each column to the coarser precision at hand, so that equal numbers stay equal.

    The float32 nearest to 0.1 is larger than the float64 nearest to 0.1, so a query in float32 would seem
    better than the very object that it repeats. Rule: numbers of two tables (or of a table and thresholds)
    are compared in the coarser precision of the two, column by column. Rounding is monotone, so no
    dominance is turned round.

    Parameters
    ----------
    values : ndarray of float64, shape (..., d)
        Apply to both sides with the same ``bits``.
    bits : ndarray of uint8, shape (d,)
        ``np.minimum(precision_of(X_fit), precision_of(X_new))``.

    Returns
    -------
    ndarray of float64
        The same array if there is nothing to round.

    Examples
    --------
    >>> new = np.array([[0.1]], dtype=np.float32)
    >>> bits = np.minimum(precision_of(np.array([[0.1]])), precision_of(new))
    >>> match_precision(np.array([[0.1]]), bits) == match_precision(new.astype(float), bits)
    array([[ True]])
    """
    if not np.any(bits < 52):
        return values
    rounded = values.copy()
    for kind, width in ((np.float16, 10), (np.float32, 23)):
        chosen = bits == width
        with np.errstate(over="ignore"):
            rounded[..., chosen] = values[..., chosen].astype(kind)
    return rounded
