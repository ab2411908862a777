"""ProgramBuilder: named blocks in, one frozen `Program` out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from monoopt.errors import DataWarning, FormulationError, nearest
from monoopt.program.blocks import Block, make_block
from monoopt.program.program import Cone, ConeKind, Program

INFINITE = 1e20  # solvers read bounds of this size as infinite: so do we, and say it
KNOWN_NEEDS = ("linear", "quadratic", "integer", "second_order", "exponential", "duals", "vertex")
Terms = Mapping[str, Any]


class ProgramBuilder:
    """Collects named blocks and returns a `Program` in standard form.

    minimise (or maximise)  1/2 x'Px + c'x + offset
    subject to              row_lower <= A x <= row_upper,  lower <= x <= upper,  cones

    Costs, quadratic terms and the offset are given in the sense named here. Bounds default to
    minus and plus infinity: there is no hidden sign restriction.

    Parameters
    ----------
    name : str
        The formulation's word.
    sense : "minimize" or "maximize"
        What is done with the objective.

    Examples
    --------
    >>> import numpy as np
    >>> b = ProgramBuilder("toy", sense="maximize")
    >>> b.add_columns("x", 2, lower=0, upper=4, cost=[3, 2])
    >>> b.add_rows("capacity", {"x": np.array([[1.0, 1.0]])}, upper=5)
    >>> program = b.build()
    >>> program.shape, program.column_names(), program.row_names()
    ((1, 2), ['x(0)', 'x(1)'], ['capacity'])
    """

    def __init__(self, name: str, sense: Literal["minimize", "maximize"] = "minimize") -> None:
        if sense not in ("minimize", "maximize"):
            raise FormulationError(f"sense is {sense!r}, wanted 'minimize' or 'maximize'")
        self.name = name
        self.sense: Literal["minimize", "maximize"] = sense
        self._sign = 1.0 if sense == "minimize" else -1.0
        self._columns: list[tuple[Block, dict[str, np.ndarray]]] = []
        self._rows: list[tuple[Block, dict[str, Any], np.ndarray, np.ndarray]] = []
        self._cones: list[tuple[Block, ConeKind, dict[str, Any], np.ndarray]] = []
        self._quadratic: list[tuple[str, str, Any]] = []
        self._offset = 0.0
        self._needs: set[str] = set()

    def add_columns(
        self,
        name: str,
        shape: int | tuple[int, ...] = (),
        *,
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
        cost: ArrayLike = 0.0,
        integer: ArrayLike = False,
        index: object = None,
        tex: str = "",
        over: str = "",
    ) -> None:
        """Add a block of columns; arrays are broadcast to its shape.

        Parameters
        ----------
        name : str
            Plain identifier, unique among the columns.
        shape : int or tuple of int
            Number of members or shape; ``()`` is one scalar, named without parentheses.
        lower, upper, cost, integer : array-like
            Bounds, costs in the builder's sense, and which members are whole numbers.
        index : array-like, optional
            Labels (integers or strings), shape ``(size,)`` or ``(size, k)``; positions otherwise.
        tex, over : str
            One member in LaTeX (default: the name) and the index set in words.
        """
        block = make_block(name, self._n(), shape, index, tex or name, over, [b.name for b, _ in self._columns])
        data = {
            "lower": _bounds(_spread(lower, block, "lower"), f"lower bound of {name!r}"),
            "upper": _bounds(_spread(upper, block, "upper"), f"upper bound of {name!r}"),
            "cost": _spread(cost, block, "cost") * self._sign,
            "integer": _flags(integer, block),
        }
        self._columns.append((block, data))

    def add_rows(
        self,
        name: str,
        terms: Terms,
        *,
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
        index: object = None,
        tex: str = "",
        over: str = "",
    ) -> None:
        """Add a block of rows ``lower <= sum of terms <= upper``.

        Parameters
        ----------
        terms : mapping of str to matrix
            Column block -> coefficients, dense or sparse, shape (rows, size of the block). For an
            equality give ``lower == upper``.
        index, tex, over
            As in `add_columns`; ``tex`` is the left-hand side of one row.
        """
        matrices, size = self._terms(name, terms)
        shape = () if size == 1 and index is None and np.ndim(lower) == 0 and np.ndim(upper) == 0 else size
        start = sum(block.size for block, *_ in self._rows)
        block = make_block(name, start, shape, index, tex, over, self._row_words())
        low = _bounds(_spread(lower, block, "lower"), f"lower side of {name!r}")
        high = _bounds(_spread(upper, block, "upper"), f"upper side of {name!r}")
        self._rows.append((block, matrices, low, high))

    def add_quadratic(self, left: str, matrix: Any, right: str | None = None) -> None:
        """Add ``1/2 x' M x`` on one block (M square and symmetric), or ``x_left' M x_right`` between two."""
        right = left if right is None else right
        rows, cols = self._block(left).size, self._block(right).size
        matrix = matrix if sparse.issparse(matrix) else _dense(matrix, f"quadratic term {left!r}, {right!r}")
        if matrix.shape != (rows, cols):
            raise FormulationError(f"quadratic term {left!r}, {right!r}: shape {matrix.shape}, wanted {(rows, cols)}")
        self._quadratic.append((left, right, matrix))

    def add_cone(
        self,
        name: str,
        kind: ConeKind,
        terms: Terms,
        *,
        constant: ArrayLike = 0.0,
        tex: str = "",
        over: str = "",
    ) -> None:
        """Add the cone block ``sum of terms + constant in K`` (see `Cone` for the two kinds)."""
        if kind not in ("second_order", "exponential"):
            raise FormulationError(f"cone {name!r}: kind {kind!r}, wanted 'second_order' or 'exponential'")
        matrices, size = self._terms(name, terms)
        start = sum(block.size for block, *_ in self._cones)
        block = make_block(name, start, size, None, tex, over, self._row_words())
        self._cones.append((block, kind, matrices, _spread(constant, block, "constant")))

    def add_offset(self, value: float) -> None:
        """Add a constant to the objective (builder's sense)."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise FormulationError(f"offset {value!r}: wanted a number") from None
        self._offset += self._sign * number

    def require(self, *needs: str) -> None:
        """State what a solver must give beyond the obvious: ``"duals"``, ``"vertex"``."""
        for need in needs:
            if need not in KNOWN_NEEDS:
                raise FormulationError(f"need {need!r} is not known{nearest(need, KNOWN_NEEDS)}")
            self._needs.add(need)

    def build(self) -> Program:
        """Validate and return the frozen program; `FormulationError` lists what is wrong."""
        n = self._n()
        P = self._quadratic_matrix(n)
        column_data = {
            word: np.concatenate([data[word] for _, data in self._columns]) if self._columns else np.empty(0)
            for word in ("lower", "upper", "cost", "integer")
        }
        return Program(
            name=self.name,
            sense=self.sense,
            columns=tuple(block for block, _ in self._columns),
            rows=tuple(block for block, *_ in self._rows),
            c=column_data["cost"],
            A=self._stack([(block.size, matrices) for block, matrices, *_ in self._rows], n),
            row_lower=np.concatenate([low for *_, low, _ in self._rows] or [np.empty(0)]),
            row_upper=np.concatenate([high for *_, high in self._rows] or [np.empty(0)]),
            lower=column_data["lower"],
            upper=column_data["upper"],
            integer=column_data["integer"].astype(bool),
            P=P,
            cones=tuple(
                Cone(block, kind, self._stack([(block.size, matrices)], n), constant)
                for block, kind, matrices, constant in self._cones
            ),
            offset=self._offset,
            required=frozenset(self._needs),
        )

    def _n(self) -> int:
        return sum(block.size for block, _ in self._columns)

    def _row_words(self) -> list[str]:
        return [block.name for block, *_ in (*self._rows, *self._cones)]

    def _block(self, name: str) -> Block:
        names = [block.name for block, _ in self._columns]
        if name not in names:
            raise FormulationError(f"no column block {name!r}{nearest(name, names)}; add it before its rows")
        return self._columns[names.index(name)][0]

    def _terms(self, name: str, terms: Terms) -> tuple[dict[str, Any], int]:
        """Check the coefficient matrices of a row or cone block and return them with the number of rows."""
        if not isinstance(terms, Mapping) or not terms:
            raise FormulationError(f"rows {name!r}: no terms; wanted a mapping from column block to matrix")
        matrices = {}
        for word, given in terms.items():
            block = self._block(word)
            matrix = given if sparse.issparse(given) else _dense(given, f"rows {name!r}, term {word!r}")
            if matrix.ndim == 1 and block.size == len(matrix):
                matrix = matrix.reshape(1, -1)  # one row
            if matrix.ndim != 2 or matrix.shape[1] != block.size:
                raise FormulationError(
                    f"rows {name!r}, term {word!r}: shape {matrix.shape}, wanted (rows, {block.size})"
                )
            matrices[word] = matrix
        heights = {word: matrix.shape[0] for word, matrix in matrices.items()}
        if len(set(heights.values())) != 1:
            raise FormulationError(f"rows {name!r}: terms have different numbers of rows {heights}")
        return matrices, next(iter(heights.values()))

    def _stack(self, groups: list[tuple[int, dict[str, Any]]], n: int) -> sparse.csr_array:
        """Lay the terms of all row groups into one canonical CSR matrix."""
        shape = (sum(size for size, _ in groups), n)
        if len(groups) == 1 and len(groups[0][1]) == 1:
            (word, matrix), *_ = groups[0][1].items()
            if matrix.shape[1] == n:  # nothing to lay out: the common large case
                return _canonical(sparse.csr_array(matrix, dtype=float, copy=True))
        rows, cols, data = [], [], []
        top = 0
        for size, matrices in groups:
            for word, matrix in matrices.items():
                part = sparse.coo_array(matrix)
                rows.append(part.row.astype(np.int64) + top)
                cols.append(part.col.astype(np.int64) + self._block(word).start)
                data.append(part.data.astype(float))
            top += size
        if not rows:
            return sparse.csr_array(shape, dtype=float)
        entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(cols)))
        return _canonical(sparse.csr_array(sparse.coo_array(entries, shape=shape)))

    def _quadratic_matrix(self, n: int) -> np.ndarray | sparse.csc_array | None:
        if not self._quadratic:
            return None
        filling = [matrix for left, right, matrix in self._quadratic if _fills(left == right, matrix, n)]
        rows, cols, data = [], [], []
        for left, right, matrix in self._quadratic:
            if _fills(left == right, matrix, n):
                continue
            part = sparse.coo_array(matrix)
            i, j = part.row.astype(np.int64) + self._block(left).start, part.col + self._block(right).start
            rows += [i] if left == right else [i, j]
            cols += [j] if left == right else [j, i]
            data += [part.data.astype(float)] * (1 if left == right else 2)
        placed = None
        if rows:
            entries = (np.concatenate(data) * self._sign, (np.concatenate(rows), np.concatenate(cols)))
            placed = sparse.csc_array(sparse.coo_array(entries, shape=(n, n)))
            placed.sum_duplicates()
            placed.eliminate_zeros()
        if not filling:
            return placed
        total: np.ndarray = sum(filling, start=np.zeros((n, n))) * self._sign
        return total if placed is None else total + placed.toarray()


def _fills(same: bool, matrix: Any, n: int) -> bool:
    """Whether a quadratic term is dense and as large as the program."""
    return same and isinstance(matrix, np.ndarray) and matrix.shape == (n, n)


def _canonical(matrix: sparse.csr_array) -> sparse.csr_array:
    """Sorted indices, no duplicates, no stored zeros; NaN is kept for the checks to find."""
    matrix.sum_duplicates()
    matrix.sort_indices()
    if matrix.nnz and (matrix.data == 0).any():
        matrix.eliminate_zeros()
    return matrix


def _dense(matrix: Any, what: str) -> np.ndarray:
    """Return a table of numbers, or say what came instead."""
    try:
        return np.asarray(matrix, dtype=float)
    except (TypeError, ValueError):
        raise FormulationError(f"{what}: wanted a table of numbers, got {matrix!r:.80}") from None


def _spread(values: ArrayLike, block: Block, what: str) -> np.ndarray:
    """Broadcast to the block's shape and flatten."""
    try:
        array = np.asarray(values, dtype=float)
        return np.broadcast_to(array, block.shape or (block.size,)).ravel().astype(float)
    except (ValueError, TypeError) as wrong:
        raise FormulationError(
            f"block {block.name!r}: {what} {np.shape(values)} does not fit shape {block.shape} ({wrong})"
        ) from None


def _flags(values: ArrayLike, block: Block) -> np.ndarray:
    """Broadcast true and false; anything else is refused."""
    array = _spread(values, block, "integer")
    if not np.isin(array, (0.0, 1.0)).all():
        raise FormulationError(f"block {block.name!r}: integer={values!r:.60}, wanted true or false for every member")
    return array.astype(bool)


def _bounds(values: np.ndarray, what: str) -> np.ndarray:
    """Turn bounds of 1e20 and more into infinities, with a warning: every solver does so silently."""
    large = np.isfinite(values) & (np.abs(values) >= INFINITE)
    if large.any():
        warnings.warn(
            f"{what}: {int(large.sum())} bound(s) of size 1e20 or more are read as infinite",
            DataWarning,
            stacklevel=3,
        )
        values = np.where(large, np.copysign(np.inf, values), values)
    return values
