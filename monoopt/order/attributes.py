"""What the columns of a table mean: directions, categories, missing cells; and how cells become numbers to compare.

A category becomes its place in the order of categories. A missing cell becomes a value worse than every number, and
under "incomparable" one more column counts the missing cells of directed attributes, as a gain. Then x is at least as
good as z only if z lacks whatever x lacks, since a gap is worse than every value, and x lacks at least as many cells as
z: the same ones. So exactly objects with the same gaps are compared, by what is known of both, and that is an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import DataError, OptionError, nearest, refuse
from monoopt.order.cells import as_objects, is_missing
from monoopt.order.directions import Directions, declared_categories, parse_directions
from monoopt.order.frames import open_table, read_table
from monoopt.order.precision import precision_of

if TYPE_CHECKING:
    from monoopt.order.rules import Condition

Floats: TypeAlias = npt.NDArray[np.float64]
Categories: TypeAlias = tuple[Any, ...] | None

POLICIES = ("error", "incomparable", "worst")
GAP = 2.0**1000  # a missing cell of a cost; of all other attributes its negative
GAPS = "missing cells"
SHOWN = 8


@dataclass(frozen=True)
class Attributes:
    """The columns of a table, as they were given.

    Attributes
    ----------
    signs : tuple of int
        +1 gain, -1 cost, 0 free.
    names : tuple of str or None
        As the table has them.
    categories : tuple of (tuple or None)
        Per column its categories, worst first where the column has a direction; None: numbers.
    missing : "error", "incomparable" or "worst"
        What a missing cell is. In a free attribute it is a value of its own, whatever the policy.
    policies : tuple of str
        What else could have been said of missing cells, for the message that refuses them.
    """

    signs: tuple[int, ...] = ()
    names: tuple[str, ...] | None = None
    categories: tuple[Categories, ...] = ()
    missing: str = "error"
    policies: tuple[str, ...] = POLICIES[1:]

    @property
    def directions(self) -> npt.NDArray[np.int8]:
        """Directions of the columns that are compared: those of the table, and the count of gaps if there is one."""
        return np.array([*self.signs, *([1] if self.counts_gaps else [])], dtype=np.int8)

    @property
    def counts_gaps(self) -> bool:
        """Whether one more column counts the missing cells."""
        return self.missing == "incomparable"

    @property
    def labels(self) -> list[str]:
        """A name for every column that is compared."""
        return [self.label(j) for j in range(len(self.directions))]

    def label(self, j: int) -> str:
        """Return the name of a column; x0, x1, ... where the table has none."""
        if self.counts_gaps and j == len(self.signs):
            return GAPS
        return f"x{j}" if self.names is None else self.names[j]

    def read(self, X: Any, *, what: str = "X") -> Floats:
        """Read a table with these columns; all cells that can't be are refused in one error.

        Examples
        --------
        >>> columns = Attributes((1, 0), ("size", "colour"), (None, ("blue", "red")), "worst")
        >>> columns.read({"size": [3, 4], "colour": ["red", "blue"]})
        array([[3., 1.],
               [4., 0.]])
        """
        kept = self.missing != "error"
        values, _ = read_table(
            X, what=what, keep_missing=kept, categories=self.categories, policies=() if kept else self.policies
        )
        if self.missing == "error":
            return values
        refuse([f"{v:g} is too large beside missing cells" for v in values[np.abs(values) >= GAP / 2][:SHOWN]], what)
        signs, gaps = np.array(self.signs), np.isnan(values)
        if gaps.shape[1] != len(signs):
            return values  # the caller knows how many columns were wanted
        filled = np.where(gaps, np.where(signs < 0, GAP, -GAP), values)
        return np.column_stack([filled, gaps[:, signs != 0].sum(axis=1)]) if self.counts_gaps else filled

    def precision_of(self, X: Any) -> npt.NDArray[np.uint8]:
        """Return the fraction bits of the columns that are compared (see `monoopt.order.precision`)."""
        bits = precision_of(X)
        for j, known in enumerate(self.categories):
            bits[j] = 52 if known is not None else bits[j]
        return np.append(bits, np.uint8(52)) if self.counts_gaps else bits

    def cell(self, j: int, value: float) -> Any:
        """Return what a number stands for: a number, a category, or None for a missing cell."""
        if abs(value) >= GAP / 2:
            return None
        known = self._known(j)
        return float(value) if known is None else known[min(max(round(value), 0), len(known) - 1)]

    def table(self, values: Floats) -> Any:
        """Return numbers that were read as the table that they came from.

        Examples
        --------
        >>> Attributes((1, 0), None, (None, ("blue", "red"))).table(np.array([[3.0, 1.0]]))
        array([[3.0, 'red']], dtype=object)
        """
        d = len(self.signs)
        plain = self.missing == "error" and not any(known is not None for known in self.categories)
        cells: Any = values[:, :d]
        if not plain:
            cells = np.array([[self.cell(j, row[j]) for j in range(d)] for row in values], dtype=object).reshape(-1, d)
        return cells if self.names is None else dict(zip(self.names, cells.T, strict=True))

    def words(self, conditions: Iterable[Condition]) -> list[str]:
        """Say conditions in words, those on one attribute together.

        Examples
        --------
        >>> from monoopt.order import Condition
        >>> columns = Attributes((1, 0), ("size", "colour"), (None, ("blue", "green", "red")), "worst")
        >>> columns.words([Condition(0, "<=", 3.0), Condition(1, ">=", 1.0)])
        ['(size <= 3 or missing)', 'colour in {green, red}']
        """
        grouped: dict[int, list[Condition]] = {}
        for condition in conditions:
            grouped.setdefault(condition.attribute, []).append(condition)
        whole = self.counts_gaps and any(c.side == "<=" and c.threshold < 1 for c in grouped.get(len(self.signs), []))
        return [text for j, own in grouped.items() for text in self._about(j, own, whole)]

    def _about(self, j: int, own: Sequence[Condition], whole: bool) -> list[str]:
        """Words for the conditions on one attribute; `whole`: other conditions leave no gaps."""
        name, known, sign = self.label(j), self._known(j), self.signs[j] if j < len(self.signs) else 1
        open_ = self.missing != "error" and j < len(self.signs) and not (whole and sign)
        gap = np.full((1, j + 1), GAP if sign < 0 else -GAP)
        open_ = open_ and all(condition.holds(gap)[0] for condition in own)
        if any(abs(c.threshold) >= GAP / 2 for c in own) and open_:
            return [f"{name} is missing"]
        if known is not None and sign == 0:
            inside = [str(known[i]) for i in range(len(known)) if all(c.holds(np.full((1, j + 1), i))[0] for c in own)]
            parts = [f"{name} is {inside[0]}" if len(inside) == 1 else f"{name} in {{{', '.join(inside)}}}"]
        else:
            parts = [f"{name} {c.side} {self._value(j, c)}" for c in own]
        return [f"({' and '.join(parts)} or missing)"] if open_ else parts

    def _value(self, j: int, condition: Condition) -> str:
        known = self._known(j)
        if known is None:
            return plain(condition.threshold)
        place = np.ceil(condition.threshold) if condition.side == ">=" else np.floor(condition.threshold)
        return str(self.cell(j, float(place)))

    def _known(self, j: int) -> Categories:
        return self.categories[j] if j < len(self.categories) else None


def read_attributes(X: Any, directions: Directions, missing: str | None = "error") -> tuple[Floats, Attributes]:
    """Read the table of a fit and remember what its columns are.

    Parameters
    ----------
    X : array-like, dict of columns or data frame, shape (n, d)
        A free attribute may hold text or categories: comparable only when equal. A directed one may hold an ordered
        category (pandas, polars Enum), or text whose categories `directions` lists, worst first.
    directions : None, dict or sequence
        See `monoopt.order.parse_directions`.
    missing : "error", "incomparable", "worst" or None
        "worst": a missing cell is worse than every value. "incomparable": objects are comparable only if the same
        directed attributes are missing. In a free attribute a missing cell equals missing cells alone. None is
        "error", for a method that offers no other.

    Raises
    ------
    DataError
        All faults of X and of directions at once.
    OptionError
        Another policy.

    Examples
    --------
    >>> values, columns = read_attributes({"a": [2, None], "b": ["x", "y"]}, {"a": "cost", "b": "free"}, "incomparable")
    >>> columns.labels, columns.categories, values[:, 1:].tolist()
    (['a', 'b', 'missing cells'], (None, ('x', 'y')), [[0.0, 0.0], [1.0, 1.0]])
    """
    policies = () if missing is None else POLICIES[1:]
    missing = "error" if missing is None else missing
    if not isinstance(missing, str) or missing not in POLICIES:
        raise OptionError(f"missing={missing!r}{nearest(str(missing), POLICIES)}; wanted one of {', '.join(POLICIES)}")
    table, names = open_table(X)
    d = table.shape[1]
    found: list[str] = []
    known: Any = d if names is None else names
    signs = np.zeros(d, dtype=np.int8)
    listed: list[Categories] = [None] * d
    try:
        signs, listed = parse_directions(directions, known), declared_categories(directions, known)
    except DataError as error:
        found += [f"directions: {fault}" for fault in error.faults]
    columns = [_column(table, j) for j in range(d)]
    categories = tuple(
        given or _categories(cells, kind, sign, f"x{j}" if names is None else names[j], found)
        for j, ((cells, kind), sign, given) in enumerate(zip(columns, signs.tolist(), listed, strict=True))
    )
    attributes = Attributes(tuple(signs.tolist()), names, categories, missing, policies)
    try:
        values = attributes.read(X)
    except DataError as error:
        if found:
            refuse(found + error.faults, "X", type(error))
        raise
    refuse(found, "X")
    return values, attributes


def _column(table: Any, j: int) -> tuple[Any, Any]:
    """Return the cells of a column that may hold categories, and its type; None for plain numbers."""
    if isinstance(table, np.ndarray):
        return (as_objects(table[:, j]), None) if table.dtype.kind in "OUST" else (None, None)
    series = table[:, j]
    kind = series.dtype
    return (None, kind) if kind.is_numeric() or str(kind) == "Boolean" else (series.to_list(), kind)


def _categories(cells: Any, kind: Any, sign: int, name: str, faults: list[str]) -> Categories:
    """Return the categories of a column: of an ordered type its own, of text in a free column those that occur."""
    if cells is None:
        return None
    if str(kind).startswith("Enum"):
        return tuple(kind.categories)
    present = [cell for cell in cells if not is_missing(cell)]
    if not present or not all(isinstance(cell, str) for cell in present):
        return None
    texts = tuple(sorted({str(cell) for cell in present}))
    if sign:
        trap = " < ".join(texts[:SHOWN])
        faults.append(
            f"column {name!r} holds text, which has no order of its own (alphabetically: {trap}, seldom what is "
            "meant): list its values worst first in directions, pass an ordered category, or declare it free"
        )
    return texts


def plain(value: float) -> str:
    """Write a number without a needless fraction, and so that it reads back exactly."""
    return repr(int(value)) if abs(value) < 1e15 and value == int(value) else repr(float(value))
