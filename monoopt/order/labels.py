"""Ordered labels: any sorted values become the codes 0..K-1, worst class first, and can be turned back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, MappingView, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.errors import DataError, nearest, refuse
from monoopt.order.cells import WIDE, as_array, is_missing, is_number
from monoopt.order.frames import SHOWN, is_frame

FEW_FLOATS = 20


@dataclass(frozen=True)
class OrderedLabels:
    """Labels as codes, with the classes they stand for.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        0..K-1, larger is better.
    classes : ndarray, shape (K,)
        The labels themselves, worst first.
    """

    codes: npt.NDArray[np.int64]
    classes: npt.NDArray[Any]

    @property
    def n_classes(self) -> int:
        """Number of classes, those without any object included."""
        return len(self.classes)

    @property
    def one_class(self) -> bool:
        """Whether all objects carry the same label; callers decide whether that is an error."""
        return bool(len(self.codes) == 0 or (self.codes == self.codes[0]).all())

    def decode(self, codes: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the labels of these codes.

        Examples
        --------
        >>> read_labels([10, 40, 20]).decode([0, 1, 1])
        array([10, 20, 20])
        """
        return self.classes[np.asarray(codes, dtype=np.int64)]


def read_labels(y: Any, order: Sequence[Any] | None = None, *, what: str = "y") -> OrderedLabels:
    """Read ordered labels of any type.

    Numbers and booleans are ordered by value; gaps between them mean nothing (only the order counts). Bytes
    are read as text, Decimal and Fraction as numbers. An ordered pandas category or a polars Enum gives its
    own order. Text has no order of its own: it needs ``order=``. All categories of an ordered type, and all
    entries of ``order``, are classes, also those that no object carries.

    Parameters
    ----------
    y : array-like, Series or Categorical, shape (n,)
    order : sequence, optional
        All labels, worst first; not a set or dict. It wins over the order of a category.
    what : str
        How messages call the labels.

    Returns
    -------
    OrderedLabels

    Raises
    ------
    DataError
        Missing, masked or infinite labels (rows listed), numbers that one array can't hold unchanged,
        text without ``order``, labels that ``order`` doesn't
        hold, repeated entries of ``order``, mixed types, or a numeric target of so many fractional values
        that it isn't one of classes (more than 20 and more than half as many as objects).

    Examples
    --------
    >>> labels = read_labels(["low", "high", "low"], order=["low", "medium", "high"])
    >>> labels.codes, labels.n_classes
    (array([0, 2, 0]), 3)
    """
    if order is None:
        order = category_order(y)
    values = _as_vector(y, what)
    classes = _classes_of(values, what) if order is None else _read_order(order)
    return OrderedLabels(_codes(values, classes, what), classes)


def category_order(y: Any) -> list[Any] | None:
    """Return the categories of an ordered category (pandas) or Enum (polars), worst first; else None."""
    if hasattr(y, "categories"):  # a bare pandas.Categorical
        return list(y.categories) if y.ordered else None
    if isinstance(y, np.ndarray | list | tuple) or not hasattr(y, "dtype"):
        return None
    if str(y.dtype).split("(")[0].lower() not in {"category", "enum"}:
        return None
    import narwhals as nw

    dtype = nw.from_native(y, series_only=True).dtype
    return list(dtype.categories) if isinstance(dtype, nw.Enum) else None


def _as_vector(y: Any, what: str) -> npt.NDArray[Any]:
    """Return a one-dimensional array without missing or infinite labels."""
    frame = hasattr(y, "to_numpy") and str(getattr(y, "dtype", "")) not in WIDE
    try:
        values = as_array(y.to_numpy() if frame else y, what)
    except DataError:
        refuse(["some labels are lists or arrays; wanted a 1d array of labels, each a number, boolean or text"], what)
        raise
    if values.ndim != 1:
        refuse([f"y should be a 1d array of labels, got an array of shape {values.shape} instead"], what)
    if values.dtype.kind not in "biufOUST":
        wanted = "numbers, booleans, ordered categories or text"
        refuse([f"Unknown label type: {values.dtype}; wanted {wanted}"], what)
    values = values.astype(object) if values.dtype.kind in "ST" else values
    bad = _bad_rows(values)
    if len(bad):
        shown = ", ".join(f"row {i}: {values[i]}" for i in bad[:SHOWN])
        refuse([f"{len(bad)} label(s) missing or infinite (NaN, inf, None): {shown}"], what)
    return _plain(values.tolist(), what) if values.dtype.kind == "O" and len(values) else values


def _bad_rows(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if values.dtype.kind == "f":
        return np.flatnonzero(~np.isfinite(values))
    if values.dtype.kind == "O":
        infinite = (float("inf"), float("-inf"))
        return np.flatnonzero([is_missing(v) or (is_number(v) and v in infinite) for v in values])
    return np.empty(0, dtype=np.int64)


def _plain(labels: list[Any], what: str) -> npt.NDArray[Any]:
    """Turn labels that are all text, booleans or numbers into an array of that kind, others into objects."""
    strange = [(i, v) for i, v in enumerate(labels) if not isinstance(v, Hashable)]
    faults = [f"entry {i}: {v!r} is no label (Unknown label type: {type(v).__name__})" for i, v in strange]
    refuse(faults[:SHOWN], what)
    cells = [_simple(v) for v in labels]
    if len(set(cells)) < len(set(labels)):
        refuse(["some labels differ only by type or beyond the precision of float64: give them one type"], what)
    if all(isinstance(v, str) for v in cells) or all(isinstance(v, int | float) for v in cells):
        values = np.array(cells)
        pairs = zip(cells, values.tolist(), strict=True)
        faults = [f"entry {i}: {v!r} would be changed to {w!r}" for i, (v, w) in enumerate(pairs) if v != w]
        refuse(faults[:SHOWN], what)
        return values
    values = np.empty(len(cells), dtype=object)
    for i, v in enumerate(cells):  # one by one: numpy would make rows of tuples
        values[i] = v
    return values


def _simple(label: Any) -> Any:
    """Return bytes as text and numbers as int or float."""
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64 | np.timedelta64):
        label = label.item()
    if isinstance(label, bytes):
        return label.decode(errors="backslashreplace")
    if isinstance(label, int | float) or not is_number(label):
        return label
    whole = int(label)
    return whole if whole == label else float(label)


def _classes_of(values: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    """Return the sorted distinct labels where sorting is meaningful."""
    if values.dtype.kind == "O":
        kinds = sorted({type(v).__name__ for v in values})
        refuse([f"Unknown label type: {kinds}, mixed or without an order; give order=[...]"], what)
    if values.dtype.kind == "U":
        _refuse_text(values, what)
    classes = np.unique(values)
    if values.dtype.kind == "f":
        fractional = int(np.count_nonzero(classes != np.floor(classes)))
        if fractional > max(FEW_FLOATS, len(values) / 2):
            seen = f"Unknown label type: continuous, {fractional} fractional values among {len(values)} labels"
            refuse([f"{seen}; cut it into classes first, for example numpy.digitize(y, cuts)"], what)
    return classes


def _refuse_text(values: npt.NDArray[Any], what: str) -> None:
    seen = list(dict.fromkeys(values.tolist()))
    alphabetical = " < ".join(sorted(seen)[:SHOWN])
    advice = f"give order=[...] from worst to best, for example order={seen[:SHOWN]}, or an ordered category"
    try:
        np.asarray(seen, dtype=float)
        advice = f"they look like numbers: pass y.astype(float), or {advice}"
    except ValueError:
        pass
    trap = f"alphabetically: {alphabetical}, seldom what is meant"
    refuse([f"the labels are text and text has no order of its own ({trap}); {advice}"], what)


def _read_order(order: Sequence[Any]) -> npt.NDArray[Any]:
    wanted = "an order needs a sequence (list, tuple, array) of all labels, worst first"
    if isinstance(order, str | bytes):
        refuse([f"{order!r} is one word: {wanted}"], "order")
    if isinstance(order, Set | Mapping | MappingView) or is_frame(order):
        refuse([f"a {type(order).__name__} came: {wanted}"], "order")
    try:
        entries = list(order)
    except TypeError:
        refuse([f"{order!r} came: {wanted}"], "order")
        raise
    faults = [f"entry {i} is missing ({entry!r})" for i, entry in enumerate(entries) if is_missing(entry)]
    refuse(faults + (["it is empty: name all labels, worst first"] if not entries else []), "order")
    classes = _plain(entries, "order")
    names = classes.tolist()
    repeated = {entry for i, entry in enumerate(names) if entry in names[:i]}
    refuse([f"{entry!r} appears more than once" for entry in sorted(repeated, key=str)], "order")
    return classes


def _codes(values: npt.NDArray[Any], classes: npt.NDArray[Any], what: str) -> npt.NDArray[np.int64]:
    if values.dtype.kind == "O":  # objects with equality but no order of their own, such as intervals
        place_of = {label: i for i, label in enumerate(dict.fromkeys(values))}
        found, inverse = list(place_of), np.array([place_of[v] for v in values], dtype=np.int64)
    else:
        distinct, inverse = np.unique(values, return_inverse=True)
        found = distinct.tolist()
    place = {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in found if label not in place]
    kinds = [{"text" if isinstance(label, str) else "numbers" for label in some} for some in (found, place)]
    if unknown and all(len(kind) == 1 for kind in kinds) and kinds[0] != kinds[1]:
        refuse([f"the labels are {kinds[0].pop()} and the order holds {kinds[1].pop()}: give both one type"], what)
    words = [label for label in place if isinstance(label, str)]
    hints = [nearest(label, words) if isinstance(label, str) else "" for label in unknown]
    pairs = zip(unknown, hints, strict=True)
    refuse([f"label {label!r} is not in the order {list(place)}{hint}" for label, hint in pairs], what)
    return np.array([place[label] for label in found], dtype=np.int64)[inverse.ravel()]
