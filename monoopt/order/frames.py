"""Tables in: arrays, lists, dicts of columns, data frames become one float64 array and its names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.errors import CellTypeError, DataError, nearest, refuse
from monoopt.order.cells import (
    EXACT_INTEGERS,
    MIXED_UP,
    NO_NUMBER,
    WIDE,
    as_array,
    as_objects,
    read_categories,
    read_cells,
)

SHOWN = 20
LEAVE_OUT = "fill it in, or leave its row or its column out"


def read_table(
    X: Any,
    *,
    what: str = "X",
    keep_missing: bool = False,
    categories: Sequence[tuple[Any, ...] | None] = (),
    policies: Sequence[str] = (),
) -> tuple[npt.NDArray[np.float64], tuple[str, ...] | None]:
    """Read a table of numbers, refusing everything that is not a finite number.

    Parameters
    ----------
    X : array-like, dict of columns or data frame (pandas, polars, pyarrow), shape (n, d)
        Integers and booleans are turned to float64 before anything is computed with them. Masked cells are
        missing ones.
    what : str
        How messages call the table.
    keep_missing : bool
        Return missing cells as NaN, for methods with a policy for them; infinities are refused all the same.
    categories : sequence of (tuple or None), optional
        Per column the categories whose places its cells stand for; None: numbers.
    policies : sequence of str
        What a caller can say of missing cells (``missing=...``), for the message that refuses them.

    Returns
    -------
    values : ndarray of float64, shape (n, d)
        C-contiguous. May share memory with ``X``: don't write into it.
    names : tuple of str, or None
        Column names, if the table has names and all of them are text.

    Raises
    ------
    DataError
        Wrong dimension, no row, no column, complex numbers, sparse matrices, lazy frames, repeated names,
        integers beyond 2**53 (where float64 changes them), or cells that are missing, infinite or text: all
        counted, the first 20 listed with row, column and value. Likewise cells that are none of the categories.
    CellTypeError
        A `DataError` that is a TypeError too: some of the cells are neither number nor text.

    Examples
    --------
    >>> read_table([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), None)
    >>> read_table({"income": [1, 3], "debt": [2, 4]})[1]
    ('income', 'debt')
    >>> read_table([[1, float("inf")], ["low", 4]])
    Traceback (most recent call last):
    ...
    monoopt.errors.DataError: X: row 1, column 0: 'low' is text; row 0, column 1: inf (infinite)
    """
    table, names = open_table(X, what)
    faults: list[str] = []
    known = dict(enumerate(categories))
    if isinstance(table, np.ndarray):
        values = _read_array(table, faults, names, known)
    else:
        values = _read_columns(table, faults, known)
    bad = np.argwhere(np.isinf(values) if keep_missing else ~np.isfinite(values))
    total = len(faults) + len(bad)
    faults += [_not_finite(values, i, j, names) for i, j in bad[:SHOWN]]
    kind = CellTypeError if any(NO_NUMBER in fault for fault in faults) else DataError
    faults = [*faults[:SHOWN], f"... and {total - SHOWN} more cells"] if total > SHOWN else faults
    if faults and not keep_missing and np.isnan(values).any():
        faults[-1] += f": {_advice(policies)}" if total <= SHOWN else f"; of missing ones: {_advice(policies)}"
    refuse(faults, what, kind)
    return np.ascontiguousarray(values), names


def align_columns(names: Sequence[str] | None, X: Any, *, what: str = "X") -> Any:
    """Return the table with its columns in the order of the names known from fitting.

    Parameters
    ----------
    names : sequence of str or None
        Names at fit; None (or a table without names) leaves ``X`` as it is.
    X : array-like or data frame
    what : str
        How messages call the table.

    Returns
    -------
    table of the same kind as ``X``

    Raises
    ------
    DataError
        Lists every missing and every extra name.

    Examples
    --------
    >>> import pandas as pd
    >>> list(align_columns(["a", "b"], pd.DataFrame({"b": [1], "a": [2]})).columns)
    ['a', 'b']
    """
    _refuse_lazy(X, what)
    found = table_names(X)
    if names is None or found is None or tuple(names) == found:
        return X
    extra = [name for name in found if name not in set(names)]
    missing = [name for name in names if name not in set(found)]
    faults = [f"missing column {name!r}{nearest(name, extra)}" for name in missing]
    faults += [f"column {name!r} was not there when fitting" for name in extra]
    faults += [f"column name {name!r} appears more than once" for name in _repeated(found)]
    refuse(faults, what)
    if isinstance(X, Mapping):
        return {name: X[name] for name in names}
    return _eager(X, what).select(list(names)).to_native()


def table_names(X: Any) -> tuple[str, ...] | None:
    """Return the column names of a data frame or a dict of columns if all of them are text, else None."""
    if not is_frame(X) and not isinstance(X, Mapping):
        return None
    names = list(X) if isinstance(X, Mapping) else _columns(X)
    return tuple(str(name) for name in names) if all(isinstance(name, str) for name in names) else None


def is_frame(X: Any) -> bool:
    """Tell whether this is a data frame, without importing any of their packages."""
    return not isinstance(X, np.ndarray) and (hasattr(X, "columns") or hasattr(X, "column_names"))


def _refuse_lazy(X: Any, what: str) -> None:
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        refuse([f"a lazy frame came ({type(X).__name__}); wanted its rows: collect() it first"], what)


def _eager(X: Any, what: str) -> Any:
    """Return a narwhals frame; frames whose rows are elsewhere (databases, clusters) are refused."""
    import narwhals as nw

    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        refuse([f"a {type(X).__name__} came; wanted a table in memory: collect its rows first"], what)
        raise


def _columns(X: Any) -> list[Any]:
    return list(getattr(X, "column_names", None) or X.columns)  # pyarrow's columns are its data


def _repeated(names: Iterable[Any]) -> list[Any]:
    seen: set[Any] = set()
    return list(dict.fromkeys(name for name in names if name in seen or seen.add(name)))  # type: ignore[func-returns-value]


def open_table(X: Any, what: str = "X") -> tuple[Any, tuple[str, ...] | None]:
    """Return an array or a narwhals frame of the right shape, and the names; no cell is looked at."""
    _refuse_lazy(X, what)
    names = table_names(X)
    if is_frame(X):
        refuse([f"column name {name!r} appears more than once" for name in _repeated(_columns(X))], what)
        table: Any = _eager(X, what)
    else:
        if hasattr(X, "toarray"):
            refuse(["a sparse matrix came; wanted a dense table: pass X.toarray()"], what)
        table = _stacked(X, what) if isinstance(X, Mapping) else as_array(X, what)
    refuse(_shape_faults(table.shape), what)
    return table, names


def _stacked(columns: Mapping[Any, Any], what: str) -> npt.NDArray[Any]:
    """Put the columns of a dict beside each other."""
    arrays = [as_array(column, what) for column in columns.values()]
    if any(array.dtype.kind != "f" for array in arrays):
        arrays = [as_objects(array) for array in arrays]
    lengths = dict(zip(columns, map(np.shape, arrays), strict=True))
    if not lengths or len(set(lengths.values())) > 1 or any(len(shape) != 1 for shape in lengths.values()):
        refuse([f"wanted columns of one dimension and equal length, got shapes {lengths}"], what)
    return np.column_stack(arrays)


def _shape_faults(shape: tuple[int, ...]) -> list[str]:
    if len(shape) != 2:
        return [
            f"wanted a table of 2 dimensions (objects x attributes), got {len(shape)}. Reshape your data: "
            "X.reshape(-1, 1) for one attribute, X.reshape(1, -1) for one object"
        ]
    if shape[0] == 0:
        return [f"0 sample(s) (shape={shape}) while a minimum of 1 is required. Give at least one object (row)"]
    if shape[1] == 0:
        return [f"0 feature(s) (shape={shape}) while a minimum of 1 is required. Give at least one attribute (column)"]
    return []


def _read_array(
    X: npt.NDArray[Any], faults: list[str], names: tuple[str, ...] | None, known: Mapping[int, Any]
) -> npt.NDArray[np.float64]:
    if X.dtype.kind in "fbiu" and not any(known.values()):
        faults += _too_large(X, None)
        with np.errstate(over="ignore"):
            return X.astype(np.float64, copy=False)
    if X.dtype.kind == "c":
        faults.append("Complex data not supported: pass real numbers")
        return np.zeros(X.shape)
    cells = as_objects(X)
    columns = range(X.shape[1]) if names is None else names
    return np.column_stack([_read_cells(cells[:, j], column, faults, known.get(j)) for j, column in enumerate(columns)])


def _read_columns(frame: Any, faults: list[str], known: Mapping[int, Any]) -> npt.NDArray[np.float64]:
    import narwhals as nw

    columns = []
    for j, (name, series) in enumerate(zip(frame.columns, frame.iter_columns(), strict=True)):
        kind = series.dtype
        if known.get(j) is not None:
            columns.append(_read_cells(series.to_list(), name, faults, known[j]))
        elif str(kind) in WIDE or kind == nw.Decimal:
            columns.append(_read_cells(series.to_list(), name, faults))
        elif kind.is_numeric() or kind == nw.Boolean:
            if kind.is_integer():
                filled = series.fill_null(0) if series.null_count() else series
                large = _too_large(filled.to_numpy()[:, None], (name,))
                faults += large
                series = filled * 0 if large else series  # pyarrow can't cast the large ones
            columns.append(np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64))
        else:
            columns.append(_read_cells(as_objects(np.asarray(series.to_numpy())), name, faults))
    return np.column_stack(columns)


def _read_cells(
    cells: Iterable[Any], column: object, faults: list[str], categories: Sequence[Any] | None = None
) -> npt.NDArray[np.float64]:
    values, wrong = read_cells(cells) if categories is None else read_categories(cells, categories)
    faults += [f"row {i}, column {column!r}: {complaint}" for i, complaint in wrong]
    return values


def _too_large(X: npt.NDArray[Any], names: tuple[str, ...] | None) -> list[str]:
    """List the integers that float64 can't tell from their neighbours."""
    if X.dtype.kind not in "iuf" or X.dtype.itemsize < 8 or X.dtype == np.float64:
        return []
    if X.dtype.kind == "f":  # wider than float64
        with np.errstate(over="ignore"):
            near = X.astype(np.float64)
        changed = np.isfinite(near) & (X == np.floor(X)) & (near != X)
    else:
        changed = (X > EXACT_INTEGERS) | (X < -EXACT_INTEGERS)
    where = [(int(i), names[j] if names else int(j), X[i, j]) for i, j in np.argwhere(changed)]
    return [f"row {i}, column {j!r}: {v!s} {MIXED_UP}" for i, j, v in where]


def _not_finite(values: npt.NDArray[np.float64], i: int, j: int, names: tuple[str, ...] | None) -> str:
    kind = "NaN (missing)" if np.isnan(values[i, j]) else f"{values[i, j]} (infinite)"
    return f"row {i}, column {names[j] if names else int(j)!r}: {kind}"


def _advice(policies: Sequence[str]) -> str:
    """Say what can be done about missing cells."""
    ways = " or ".join(f"missing={policy!r}" for policy in policies)
    return f"{LEAVE_OUT}, or say what it is: {ways}" if ways else LEAVE_OUT
