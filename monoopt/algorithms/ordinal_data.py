"""Objects with ordered labels, directions and weights: read once, checked all at once."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from monoopt.errors import CellTypeError, DataError, DataWarning
from monoopt.order import Attributes, Directions, OrderedLabels, as_gains, read_attributes, read_labels
from monoopt.order.attributes import GAP
from monoopt.order.cells import NO_NUMBER
from monoopt.order.comparisons import at_least, blocks
from monoopt.order.frames import open_table
from monoopt.order.steiner import steiner_graph
from monoopt.order.weights import read_weights

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
T = TypeVar("T")

TAU_ROWS = 10_000  # rows that the rank correlations are taken from, evenly spaced
FIRST_LOOK = 2_000  # rows among which comparable ones are looked for before the graph of all is written
AGAINST = (-0.1, 0.05)  # a sign is called wrong at a correlation below the first with one-sided p below the second


@dataclass(frozen=True)
class Agreement:
    """How one attribute goes with the labels.

    Attributes
    ----------
    attribute : str
        Its name, or x0, x1, ...
    direction : int
        As declared: +1, -1, 0.
    tau : float
        Kendall's tau-b with the labels, missing cells left out; NaN for a constant attribute, constant labels, and
        categories without an order.
    p_value : float
        Of the hypothesis that they have nothing to do with each other.
    """

    attribute: str
    direction: int
    tau: float
    p_value: float

    @property
    def contradicts(self) -> bool:
        """Whether the data clearly go against the declared direction."""
        return self.direction * self.tau < AGAINST[0] and self.p_value / 2 < AGAINST[1]

    def __str__(self) -> str:
        word = {1: "gain", -1: "cost", 0: "free"}[self.direction]
        tau = "tau undefined" if np.isnan(self.tau) else f"tau {self.tau:+.3f}"
        return f"{self.attribute} ({word}): {tau}" + (" CONTRADICTS" if self.contradicts else "")


@dataclass(frozen=True, eq=False)
class OrdinalData:
    """What every method of ordinal classification starts from.

    Attributes
    ----------
    X : ndarray, shape (n, d)
        As numbers to compare: see `monoopt.order.attributes`.
    labels : OrderedLabels
    attributes : Attributes
        What the columns are.
    weights : ndarray, shape (n,)
        Not negative, not all zero.
    precision : ndarray of uint8, shape (d,)
        Fraction bits of the columns as they came (see `monoopt.order.precision`).
    """

    X: Floats
    labels: OrderedLabels
    attributes: Attributes
    weights: Floats
    precision: npt.NDArray[np.uint8]

    @cached_property
    def directions(self) -> npt.NDArray[np.int8]:
        """Directions of the columns of X."""
        return self.attributes.directions

    @property
    def n_classes(self) -> int:
        """K."""
        return self.labels.n_classes

    @cached_property
    def agreement(self) -> tuple[Agreement, ...]:
        """Kendall's tau of every attribute with the labels."""
        from scipy.stats import kendalltau

        n = len(self.X)
        rows = np.unique(np.linspace(0, n - 1, min(n, TAU_ROWS)).astype(np.int64))
        found = []
        for j, sign in enumerate(self.attributes.signs):
            there = rows[np.abs(self.X[rows, j]) < GAP / 2]
            column, codes = self.X[there, j], self.labels.codes[there]
            nominal = sign == 0 and self.attributes.categories[j] is not None
            nothing = nominal or (column == column[:1]).all() or (codes == codes[:1]).all()
            tau, p = (np.nan, np.nan) if nothing else kendalltau(column, codes)
            found.append(Agreement(self.attributes.label(j), sign, float(tau), float(p)))
        return tuple(found)

    def digest(self) -> str:
        """SHA-256 of objects, labels and weights: tells whether two fits saw the same data."""
        seen = hashlib.sha256(repr((self.X.shape, self.attributes.names, self.labels.classes.tolist())).encode())
        for array, kind in ((self.X + 0.0, "<f8"), (self.labels.codes, "<i8"), (self.weights + 0.0, "<f8")):
            seen.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        return seen.hexdigest()

    def warn(self, stacklevel: int = 3) -> None:
        """Warn of what a person should know before trusting anything learned from these data."""
        seen = np.unique(self.labels.codes[self.weights > 0])
        if len(seen) == 1:
            warnings.warn(
                f"all objects have the same label, {self.labels.classes[seen[0]]}: there is nothing to learn",
                DataWarning,
                stacklevel=stacklevel,
            )
        for found in self.agreement:
            if found.contradicts:
                warnings.warn(
                    f"{found.attribute} is declared {'gain' if found.direction > 0 else 'cost'}, but the labels go the "
                    f"other way (Kendall's tau {found.tau:+.3f}): check its direction",
                    DataWarning,
                    stacklevel=stacklevel,
                )
        if len(self.X) > 1 and not any_comparable(self.X, self.directions):
            warnings.warn(
                "no object dominates another one: the order says nothing about these data, labels stay as they are",
                DataWarning,
                stacklevel=stacklevel,
            )


def read_ordinal_data(
    X: Any,
    y: Any,
    directions: Directions = None,
    sample_weight: Any = None,
    order: Sequence[Any] | None = None,
    missing: str | None = "error",
) -> OrdinalData:
    """Read and check everything; one `DataError` lists the faults of all arguments.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
    y : array-like, shape (n,)
        Ordered labels; text needs `order`.
    directions : None, dict or sequence
        See `monoopt.order.parse_directions`; None: all gain.
    sample_weight : array-like, shape (n,), optional
        Not negative; weight k is k copies, weight 0 is an object that is not there.
    order : sequence, optional
        All labels, worst first.
    missing : "error", "incomparable", "worst" or None
        What missing cells are; see `monoopt.order.read_attributes`.

    Examples
    --------
    >>> data = read_ordinal_data([[1], [2]], ["low", "high"], order=["low", "high"])
    >>> data.labels.codes, data.weights
    (array([0, 1]), array([1., 1.]))
    """
    faults: list[str] = []
    table = _attempt("X", faults, lambda: read_attributes(X, directions, missing))
    labels = _attempt("y", faults, lambda: read_labels(y, order))
    n = _attempt("X", [], lambda: len(open_table(X)[0]))
    weights = None
    if n is not None and labels is not None and len(labels.codes) != n:
        faults.append(f"X has {n} objects and y {len(labels.codes)} labels: inconsistent numbers of samples")
    if n is not None:
        weights = _attempt("sample_weight", faults, lambda: read_weights(sample_weight, n))
    if faults or table is None or labels is None or weights is None:
        lines = faults[0] if len(faults) == 1 else "\n  - ".join(["several things are wrong:", *faults])
        raise (CellTypeError if any(NO_NUMBER in fault for fault in faults) else DataError)(lines, faults)
    return OrdinalData(table[0], labels, table[1], weights, table[1].precision_of(X))


def any_comparable(X: Floats, directions: npt.NDArray[np.int8]) -> bool:
    """Tell whether any object dominates another one (equal objects do).

    Examples
    --------
    >>> any_comparable(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1, 1], dtype=np.int8))
    False
    """
    first = as_gains(X[:FIRST_LOOK], directions)
    if any(bool(at_least(first[block], first).sum() > len(first[block])) for block in blocks(len(first), len(first))):
        return True
    if len(X) == len(first):
        return False
    everybody = np.ones(len(X), dtype=bool)
    return len(steiner_graph(X, directions, everybody, everybody)[0]) > 0


def _attempt(what: str, faults: list[str], read: Callable[[], T]) -> T | None:
    """Run one reader; collect its faults instead of stopping at the first."""
    try:
        return read()
    except DataError as error:
        own = f"{what}: "
        named = (own, "directions: ")
        faults += [fault if fault.startswith(named) else own + fault for fault in error.faults]
        return None
