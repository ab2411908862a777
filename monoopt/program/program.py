"""The program: what is minimised, subject to what, with names for everything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from monoopt.errors import FormulationError, nearest
from monoopt.program.blocks import Block
from monoopt.program.checks import check_convex, check_program

if TYPE_CHECKING:
    from monoopt.program.structure import Structure

Need = Literal["linear", "quadratic", "integer", "second_order", "exponential", "duals", "vertex"]
ConeKind = Literal["second_order", "exponential"]


@dataclass(frozen=True, eq=False)
class Cone:
    """A cone block: ``s = G x + h`` lies in a cone.

    ``second_order``: ``s[0] >= ||s[1:]||``.  ``exponential``: triples one after another, each with
    ``s[1] * exp(s[0] / s[1]) <= s[2]`` and ``s[1] > 0`` (closed).
    """

    block: Block
    kind: ConeKind
    G: sparse.csr_array
    h: np.ndarray


@dataclass(frozen=True, eq=False)
class Program:
    """A frozen, validated program in standard form.

    minimise    1/2 x'Px + c'x + offset
    subject to  row_lower <= A x <= row_upper,  lower <= x <= upper,  some x integer,
                G x + h in a cone, for every cone block.

    Built by `ProgramBuilder`. A program that was stated as a maximisation is kept turned (``c``, ``P``
    and ``offset`` have changed sign) and ``sense`` remembers it: objectives, bounds and multipliers are
    reported in the user's sense.

    Attributes
    ----------
    name : str
        The formulation's word.
    sense : "minimize" or "maximize"
        How the user stated it.
    columns, rows : tuple of Block
        The families, in order.
    c, lower, upper : ndarray, shape (n,)
        Costs and bounds of the columns.
    integer : ndarray of bool, shape (n,)
        Columns that must be whole numbers.
    A : csr_array, shape (m, n)
        Row coefficients; ``row_lower`` and ``row_upper`` have shape (m,).
    P : ndarray, csc_array or None, shape (n, n)
        Symmetric positive semidefinite, the full matrix (both triangles).
    cones : tuple of Cone
        Cone blocks.
    needs : frozenset of str
        What a solver must be able to do.
    """

    name: str
    sense: Literal["minimize", "maximize"]
    columns: tuple[Block, ...]
    rows: tuple[Block, ...]
    c: np.ndarray = field(repr=False)
    A: sparse.csr_array = field(repr=False)
    row_lower: np.ndarray = field(repr=False)
    row_upper: np.ndarray = field(repr=False)
    lower: np.ndarray = field(repr=False)
    upper: np.ndarray = field(repr=False)
    integer: np.ndarray = field(repr=False)
    P: np.ndarray | sparse.csc_array | None = field(default=None, repr=False)
    cones: tuple[Cone, ...] = ()
    offset: float = 0.0
    required: frozenset[str] = frozenset()
    # The P that was found convex, and whether finite bounds had a part in it, so that copies don't ask again.
    proved_convex: tuple[object, bool] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse what is not a program, or not a convex one; freeze the arrays."""
        check_program(self)
        self._prove_convex()
        arrays = [self.c, self.row_lower, self.row_upper, self.lower, self.upper, self.integer]
        matrices = [self.A, *(cone.G for cone in self.cones), *([] if self.P is None else [self.P])]
        for matrix in matrices:
            arrays += [matrix] if isinstance(matrix, np.ndarray) else [matrix.data, matrix.indices, matrix.indptr]
        for array in (*arrays, *(cone.h for cone in self.cones)):
            array.flags.writeable = False

    def _prove_convex(self) -> None:
        matrix, by_bounds = self.proved_convex or (None, False)
        if matrix is not self.P or (by_bounds and not _boxed(self)):
            boxed = _boxed(self)
            check_convex(self.P, self.name, boxed=boxed)
            object.__setattr__(self, "proved_convex", (self.P, boxed))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.row_lower), len(self.c)

    @property
    def sign(self) -> float:
        """+1 for a minimisation, -1 for a maximisation: user's objective = sign * kept objective."""
        return 1.0 if self.sense == "minimize" else -1.0

    @cached_property
    def needs(self) -> frozenset[str]:
        """What a solver must be able to do, read off the data, and what the builder required."""
        found = {"linear", *self.required, *(cone.kind for cone in self.cones)}
        if self.P is not None:
            found.add("quadratic")
        if self.integer.any():
            found.add("integer")
        return frozenset(found)

    def column_block(self, name: str) -> Block:
        """Return the column block of this name; `FormulationError` names the nearest otherwise."""
        return _find(self.columns, name, "column")

    def row_block(self, name: str) -> Block:
        """Return the row block of this name."""
        return _find(self.rows, name, "row")

    def block(self, name: str) -> slice:
        """Positions of a column block."""
        return self.column_block(name).slice

    def column_names(self) -> list[str]:
        """Names of all columns, such as ``d(3)``."""
        return [label for block in self.columns for label in block.labels()]

    def row_names(self) -> list[str]:
        """Names of all rows, such as ``dominance(3,7)``."""
        return [label for block in self.rows for label in block.labels()]

    def row_name(self, i: int) -> str:
        """Name of one row."""
        return _label_at(self.rows, i)

    def column_name(self, j: int) -> str:
        """Name of one column."""
        return _label_at(self.columns, j)

    def kept_objective(self, x: np.ndarray) -> float:
        """Value of 1/2 x'Px + c'x + offset as kept, that is in the minimised sense."""
        value = float(self.c @ x) + self.offset
        return value if self.P is None else value + 0.5 * float(x @ (self.P @ x))

    def objective(self, x: np.ndarray) -> float:
        """Objective at x in the user's sense."""
        return self.sign * self.kept_objective(np.asarray(x, dtype=float)) + 0.0  # never -0

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Px + c as kept."""
        return self.c if self.P is None else self.c + self.P @ x

    def fingerprint(self) -> str:
        """SHA-256 of the canonical bytes: equal for equal programs, whatever machine built them."""
        digest = hashlib.sha256()
        for piece in self._pieces():
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
        return digest.hexdigest()

    def describe(self) -> str:
        """Sizes and the algebra, one line per block."""
        from monoopt.program.algebra import describe

        return describe(self)

    def __str__(self) -> str:
        """Return the same text as `describe`."""
        return self.describe()

    def structure(self) -> Structure:
        """What kind of program this is: ranges, empty rows, difference constraints, unimodularity."""
        from monoopt.program.structure import structure

        return structure(self)

    def with_columns(
        self,
        name: str,
        *,
        cost: np.ndarray,
        coefficients: sparse.csr_array,
        lower: np.ndarray,
        upper: np.ndarray,
        index: np.ndarray | None = None,
    ) -> Program:
        """Return a copy with k more columns at the end of the *last* column block (costs in the user's sense)."""
        last = self.columns[-1]
        if last.name != name:
            raise FormulationError(f"columns can be added to the last block {last.name!r} only, not to {name!r}")
        k = len(cost)
        wider = sparse.csr_array(sparse.hstack([self.A, sparse.csr_array(coefficients)], format="csr"))
        padded = _padded(self.P, k)
        return replace(
            self,
            columns=(*self.columns[:-1], last.grown(k, index)),
            c=np.concatenate([self.c, self.sign * np.asarray(cost, dtype=float)]),
            A=wider,
            lower=np.concatenate([self.lower, lower]),
            upper=np.concatenate([self.upper, upper]),
            integer=np.concatenate([self.integer, np.zeros(k, dtype=bool)]),
            P=padded,
            proved_convex=(padded, bool(self.proved_convex and self.proved_convex[1])),  # zeros change no sign of x'Px
            cones=tuple(replace(cone, G=_widened(cone.G, k)) for cone in self.cones),
        )

    def with_rows(
        self,
        name: str,
        *,
        coefficients: sparse.csr_array,
        lower: np.ndarray,
        upper: np.ndarray,
        index: np.ndarray | None = None,
    ) -> Program:
        """Return a copy with more rows at the end of the *last* row block."""
        last = self.rows[-1] if self.rows else None
        if last is None or last.name != name:
            raise FormulationError(f"rows can be added to the last block only, not to {name!r}")
        taller = sparse.csr_array(sparse.vstack([self.A, sparse.csr_array(coefficients)], format="csr"))
        return replace(
            self,
            rows=(*self.rows[:-1], last.grown(len(lower), index)),
            A=taller,
            row_lower=np.concatenate([self.row_lower, lower]),
            row_upper=np.concatenate([self.row_upper, upper]),
        )

    def with_costs(self, name: str, cost: np.ndarray) -> Program:
        """Return a copy with other costs (user's sense) in one column block."""
        block = self.column_block(name)
        costs = self.c.copy()
        costs[block.slice] = self.sign * np.broadcast_to(np.asarray(cost, dtype=float), (block.size,))
        return replace(self, c=costs)

    def _pieces(self) -> Iterator[bytes]:
        """Canonical bytes: little-endian arrays and the words of every block."""
        yield repr((self.sense, self.offset, sorted(self.required), self.shape)).encode()
        for block in (*self.columns, *self.rows, *(cone.block for cone in self.cones)):
            yield repr((block.name, block.start, block.stop, block.shape)).encode()
            yield b"" if block.index is None else repr((block.index.shape, block.index.tolist())).encode()
        for array in (self.c, self.row_lower, self.row_upper, self.lower, self.upper):
            yield (array + 0.0).astype("<f8").tobytes()
        yield self.integer.astype("u1").tobytes()
        matrices = [self.A, *(cone.G for cone in self.cones)]
        if self.P is not None:
            matrices.append(sparse.csr_array(self.P))
        for matrix in matrices:
            yield matrix.indptr.astype("<i8").tobytes()
            yield matrix.indices.astype("<i8").tobytes()
            yield matrix.data.astype("<f8").tobytes()
        for cone in self.cones:
            yield cone.kind.encode()
            yield cone.h.astype("<f8").tobytes()


def _find(blocks: tuple[Block, ...], name: str, what: str) -> Block:
    names = [block.name for block in blocks]
    if name not in names:
        raise FormulationError(
            f"no {what} block {name!r}{nearest(name, names)}; there are {', '.join(names) or 'none'}"
        )
    return blocks[names.index(name)]


def _label_at(blocks: tuple[Block, ...], position: int) -> str:
    for block in blocks:
        if block.start <= position < block.stop:
            return block.label(position - block.start)
    raise IndexError(position)


def _widened(matrix: sparse.csr_array, k: int) -> sparse.csr_array:
    return sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], matrix.shape[1] + k))


def _padded(P: np.ndarray | sparse.csc_array | None, k: int) -> np.ndarray | sparse.csc_array | None:
    if P is None:
        return None
    if isinstance(P, np.ndarray):
        return np.pad(P, (0, k))
    return sparse.csc_array(sparse.block_diag([P, sparse.csc_array((k, k))], format="csc"))


def _boxed(program: Program) -> bool:
    """Tell whether every column of the quadratic part has finite bounds."""
    if program.P is None:
        return True
    touched = np.asarray(abs(program.P).sum(axis=0)).ravel() > 0
    return bool(np.isfinite(program.lower[touched]).all() and np.isfinite(program.upper[touched]).all())
