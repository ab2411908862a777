"""What kind of program this is: sizes, ranges, and what its matrix promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from monoopt.program.program import Program


@dataclass(frozen=True, eq=False)
class Structure:
    """Facts about a program, each read off its data.

    Attributes
    ----------
    rows, columns, nonzeros : int
        Sizes of A.
    ranges : dict of str to (float, float)
        Smallest and largest absolute value of the nonzero entries of matrix, cost, bounds, sides and
        quadratic part; missing where there is none.
    empty_rows, unused_columns : list of str
        Names of rows without coefficients, and of columns in no row, cost, cone or quadratic part.
    difference_constraints : bool
        Every row has exactly one +1 and one -1.
    totally_unimodular : bool or None
        True with a witness, False with a counterexample, None if these tests do not decide.
    witness : str
        The reason in words, naming the row or column that decides.
    parts : ndarray of bool or None
        The two-colouring behind the witness (of columns, or of rows), if that is what proves it.
    integral_vertices : bool
        Totally unimodular with whole sides and bounds: every vertex is a whole point.
    """

    rows: int
    columns: int
    nonzeros: int
    ranges: dict[str, tuple[float, float]]
    empty_rows: list[str]
    unused_columns: list[str]
    difference_constraints: bool
    totally_unimodular: bool | None
    witness: str
    parts: np.ndarray | None
    integral_vertices: bool

    def __str__(self) -> str:
        """One fact a line."""
        lines = [f"{self.rows} rows, {self.columns} columns, {self.nonzeros} nonzeros"]
        lines += [f"{what}: {low:g} to {high:g}" for what, (low, high) in self.ranges.items()]
        lines += [f"empty rows: {', '.join(self.empty_rows[:5])}"] if self.empty_rows else []
        lines += [f"unused columns: {', '.join(self.unused_columns[:5])}"] if self.unused_columns else []
        verdict = {
            True: "totally unimodular",
            False: "not totally unimodular",
            None: "total unimodularity not decided",
        }
        lines.append(f"{verdict[self.totally_unimodular]}: {self.witness}")
        if self.integral_vertices:
            lines.append("sides and bounds are whole numbers: every vertex is a whole point")
        return "\n".join(lines)


def structure(program: Program) -> Structure:
    """Read sizes, coefficient ranges, empty rows, difference constraints and total unimodularity.

    Total unimodularity is proved by a two-colouring (Heller and Tompkins): every row (or every column) has
    at most two nonzeros, all +1 or -1, and the columns (rows) split into two parts so that equal signs stand in
    different parts and opposite signs in the same one; or by consecutive ones in every row.

    Examples
    --------
    >>> import numpy as np
    >>> from monoopt.program.builder import ProgramBuilder
    >>> b = ProgramBuilder("order")
    >>> b.add_columns("d", 3, lower=0, upper=1)
    >>> b.add_rows("dominance", {"d": np.array([[1, -1, 0], [0, 1, -1]])}, lower=0)
    >>> found = b.build().structure()
    >>> found.totally_unimodular, found.difference_constraints, found.integral_vertices
    (True, True, True)
    """
    m, n = program.shape
    counts = np.diff(program.A.indptr)
    decided, witness, parts = total_unimodularity(program)
    sides = np.concatenate([program.row_lower, program.row_upper, program.lower, program.upper])
    sides = sides[np.isfinite(sides)]
    return Structure(
        rows=m,
        columns=n,
        nonzeros=int(program.A.nnz),
        ranges=_ranges(program),
        empty_rows=[program.row_name(int(i)) for i in np.flatnonzero(counts == 0)],
        unused_columns=[program.column_name(int(j)) for j in np.flatnonzero(~_used(program))],
        difference_constraints=bool(m) and _is_difference(program.A, counts),
        totally_unimodular=decided,
        witness=witness,
        parts=parts,
        integral_vertices=decided is True and bool((sides == np.round(sides)).all()),
    )


def total_unimodularity(program: Program) -> tuple[bool | None, str, np.ndarray | None]:
    """Decide total unimodularity of A where a simple witness exists."""
    A = program.A
    odd = np.flatnonzero(np.abs(A.data) != 1.0)
    if len(odd):
        i = int(np.searchsorted(A.indptr, odd[0], side="right") - 1)
        return (
            False,
            (
                f"the coefficient {A.data[odd[0]]:g} of {program.column_name(int(A.indices[odd[0]]))} in "
                f"{program.row_name(i)} is not -1, 0 or +1"
            ),
            None,
        )
    parts = two_colouring(A)
    if parts is not None:
        how = (
            "one part suffices: at most one +1 and one -1" if not parts.any() else "a two-colouring of the columns fits"
        )
        return True, f"every row has at most two nonzeros, and {how}", parts
    parts = two_colouring(sparse.csr_array(A.T))
    if parts is not None:
        return True, "every column has at most two nonzeros, and a two-colouring of the rows fits", parts
    if _consecutive(A):
        return True, "the nonzeros of every row are equal and consecutive (an interval matrix)", None
    return None, "neither a two-colouring of columns or rows nor consecutive ones", None


def two_colouring(A: sparse.csr_array) -> np.ndarray | None:
    """Two-colour the columns so that equal signs in a row differ and opposite signs agree; None if impossible.

    Each column stands twice in a graph, once a colour; a row ties two columns in one way or crosswise. A
    colouring exists exactly when no column is connected with its own double.
    """
    counts = np.diff(A.indptr)
    if (counts > 2).any():
        return None
    n = A.shape[1]
    first = A.indptr[:-1][counts == 2]
    u, v = A.indices[first].astype(np.int64), A.indices[first + 1].astype(np.int64)
    crossed = (A.data[first] == A.data[first + 1]).astype(np.int64)
    tails = np.concatenate([u, u + n])
    heads = np.concatenate([v + n * crossed, v + n * (1 - crossed)])
    graph = sparse.coo_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(2 * n, 2 * n))
    _, component = connected_components(graph, directed=False)
    here, double = component[:n], component[n:]
    return None if (here == double).any() else here > double


def _consecutive(A: sparse.csr_array) -> bool:
    """Every row: one sign, adjacent columns."""
    if not A.nnz:
        return True
    inner = np.ones(A.nnz - 1, dtype=bool)
    starts = A.indptr[1:-1]
    inner[starts[(starts > 0) & (starts < A.nnz)] - 1] = False
    steps = np.diff(A.indices.astype(np.int64))[inner]
    return bool((steps == 1).all() and (np.diff(A.data)[inner] == 0).all())


def _is_difference(A: sparse.csr_array, counts: np.ndarray) -> bool:
    if not (counts == 2).all():
        return False
    pairs = A.data.reshape(-1, 2)
    return bool((np.abs(pairs) == 1).all() and (pairs.sum(axis=1) == 0).all())


def _used(program: Program) -> np.ndarray:
    used = program.c != 0
    used[program.A.indices] = True
    if program.P is not None:
        used |= np.asarray(abs(program.P).sum(axis=0)).ravel() > 0
    for cone in program.cones:
        used[cone.G.indices] = True
    return used


def _ranges(program: Program) -> dict[str, tuple[float, float]]:
    P = program.P
    groups = {
        "matrix": program.A.data,
        "cost": program.c,
        "bounds": np.concatenate([program.lower, program.upper]),
        "sides": np.concatenate([program.row_lower, program.row_upper]),
        "quadratic": np.empty(0) if P is None else P.ravel() if isinstance(P, np.ndarray) else P.data,
    }
    sizes = {what: np.abs(values[np.isfinite(values) & (values != 0)]) for what, values in groups.items()}
    return {what: (float(size.min()), float(size.max())) for what, size in sizes.items() if len(size)}
