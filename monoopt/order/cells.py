"""Cells in: what counts as missing, and which numbers float64 can hold without changing them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.errors import nearest, refuse

EXACT_INTEGERS = 2**53
MIXED_UP = "is beyond 2**53, where float64 mixes up integers"
NO_NUMBER = "argument must be a string or a real number, not"
WIDE = ("Int128", "UInt128")
SHOWN = 8  # categories named in a message


def as_array(values: Any, what: str) -> npt.NDArray[Any]:
    """Return an array in which no cell was changed on the way: masked cells are None, mixed lists are objects.

    Raises
    ------
    DataError
        Rows of uneven length.
    """
    values = _unmasked(values)
    if str(getattr(values, "dtype", "")) in WIDE:
        return np.array(values.to_list(), dtype=object)
    try:
        table = np.asarray(values)
    except ValueError as error:
        refuse([f"the rows can't be made one table ({error})"], what)
        raise
    if isinstance(values, np.ndarray) or not _changed(table):
        return table
    for name in ("to_list", "to_pylist"):  # a column of integers with gaps passes for floats
        if hasattr(values, name):
            return np.array(getattr(values, name)(), dtype=object)
    return np.array(values, dtype=object)


def _changed(table: npt.NDArray[Any]) -> bool:
    """Tell whether numpy may have turned numbers into text, or large integers into floats."""
    return table.dtype.kind in "US" or (table.dtype.kind == "f" and bool((np.abs(table) >= EXACT_INTEGERS).any()))


def _unmasked(values: Any) -> Any:
    """Put None into the masked cells of an array or of the rows of a list."""
    if values is np.ma.masked:
        return None
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        if not mask.any():
            return np.asarray(values.data)
        cells = as_objects(np.asarray(values.data))
        cells[mask] = None
        return cells
    if isinstance(values, list | tuple) and any(isinstance(v, list | tuple | np.ma.MaskedArray) for v in values):
        return [_unmasked(v) for v in values]
    return values


def as_objects(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the cells as Python objects; dates stay dates (numpy makes integers of nanoseconds)."""
    if values.dtype.kind not in "mM":
        return values.astype(object)
    cells = np.empty(values.shape, dtype=object)
    for place in np.ndindex(values.shape):
        cells[place] = values[place]
    return cells


def is_missing(cell: Any) -> bool:
    """Tell whether a Python object stands for a missing value (None, NaN, NA, NaT, a masked cell)."""
    if cell is None or cell is np.ma.masked or type(cell).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, Real) and bool(cell != cell)


def is_number(cell: Any) -> bool:
    """Tell whether a Python object is a real number (durations are none)."""
    real = isinstance(cell, Real) or hasattr(cell, "as_integer_ratio")
    return real and not isinstance(cell, np.timedelta64)


def to_float(cell: Any) -> float:
    """Return the nearest float64; infinity where the number is too large."""
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def mixed_up(cell: Any) -> bool:
    """Tell whether float64 changes the value of this whole number.

    Examples
    --------
    >>> mixed_up(2**53), mixed_up(2**53 + 1), mixed_up(Decimal(2**53 + 1)), mixed_up(1e300)
    (False, True, True, False)
    """
    value = to_float(cell)
    if type(cell) is float or not EXACT_INTEGERS <= abs(value) < np.inf:
        return False
    top, bottom = (int(cell), 1) if isinstance(cell, Integral) else cell.as_integer_ratio()
    return bool(bottom == 1 and int(value) != top)


def read_cells(cells: Iterable[Any]) -> tuple[npt.NDArray[np.float64], list[tuple[int, str]]]:
    """Read Python objects as float64 (missing: NaN); return what is wrong beside the place where it stands."""
    values: list[float] = []
    faults: list[tuple[int, str]] = []
    for i, cell in enumerate(cells):
        wrong = None if is_missing(cell) else _complaint(cell)
        if wrong is not None:
            faults.append((i, wrong))
        values.append(np.nan if is_missing(cell) else to_float(cell) if wrong is None else 0.0)
    return np.array(values, dtype=np.float64), faults


def read_categories(
    cells: Iterable[Any], categories: Sequence[Any]
) -> tuple[npt.NDArray[np.float64], list[tuple[int, str]]]:
    """Read cells as places among categories (missing: NaN); return what is wrong beside the place where it stands.

    Examples
    --------
    >>> read_categories(["high", None, "hihg"], ["low", "high"])
    (array([ 1., nan,  0.]), [(2, "'hihg' is no category of it, did you mean 'high'?")])
    """
    place = {category: float(k) for k, category in enumerate(categories)}
    words = [category for category in categories if isinstance(category, str)]
    values: list[float] = []
    faults: list[tuple[int, str]] = []
    for i, cell in enumerate(cells):
        gap = is_missing(cell)
        known = not gap and isinstance(cell, Hashable) and cell in place
        if not gap and not known:
            hint = nearest(cell, words) if isinstance(cell, str) else ""
            faults.append((i, f"{cell!r} is no category of it{hint or f' ({_listed(categories)})'}"))
        values.append(np.nan if gap else place[cell] if known else 0.0)
    return np.array(values, dtype=np.float64), faults


def _listed(categories: Sequence[Any]) -> str:
    more = "" if len(categories) <= SHOWN else ", ..."
    return ", ".join(map(str, categories[:SHOWN])) + more


def _complaint(cell: Any) -> str | None:
    if isinstance(cell, str | bytes):
        return f"{cell!r} is text"
    if isinstance(cell, complex | np.complexfloating):
        return f"Complex data not supported ({cell})"
    if not is_number(cell):
        return f"{NO_NUMBER} {type(cell).__name__!r}"
    return f"{cell!s} {MIXED_UP}" if mixed_up(cell) else None
