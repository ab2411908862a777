"""Equality of two programs by name: the order of columns and rows does not count, names do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from monoopt.program.program import Program

SHOWN = 20


def difference(left: Program, right: Program) -> list[str]:
    """Differences of two programs, named; an empty list means equal, exactly.

    Columns and rows are matched by name. Costs, bounds, coefficients, quadratic part, cones, offset and
    sense must be the same floats; at most 20 differences of a kind are listed.
    """
    found = []
    if left.sense != right.sense:
        found.append(f"sense: {left.sense} / {right.sense}")
    if left.offset != right.offset:
        found.append(f"offset: {left.offset!r} / {right.offset!r}")
    columns = _matching("column", left.column_names(), right.column_names(), found)
    rows = _matching("row", left.row_names(), right.row_names(), found)
    if columns is None or rows is None:
        return found
    names = left.column_names()
    for what in ("c", "lower", "upper", "integer"):
        _vectors(what, names, getattr(left, what), getattr(right, what)[columns], found)
    for what in ("row_lower", "row_upper"):
        _vectors(what, left.row_names(), getattr(left, what), getattr(right, what)[rows], found)
    _matrices("coefficient", left.row_names(), names, left.A, right.A[rows][:, columns], found)
    P, Q = (sparse.csr_array(p.shape[1:] * 2) if p.P is None else sparse.csr_array(p.P) for p in (left, right))
    _matrices("quadratic", names, names, P, Q[columns][:, columns], found)
    _cones(left, right, columns, found)
    return found


def _matching(what: str, left: list[str], right: list[str], found: list[str]) -> np.ndarray | None:
    """Positions in right of the names of left; None (and a note) if the sets differ."""
    missing, extra = sorted(set(left) - set(right)), sorted(set(right) - set(left))
    if missing:
        found.append(f"{what}s only on the left: {', '.join(missing[:SHOWN])}")
    if extra:
        found.append(f"{what}s only on the right: {', '.join(extra[:SHOWN])}")
    if missing or extra or len(left) != len(right):
        return None
    place = {name: k for k, name in enumerate(right)}
    return np.array([place[name] for name in left], dtype=np.int64)


def _vectors(what: str, names: list[str], left: np.ndarray, right: np.ndarray, found: list[str]) -> None:
    for k in np.flatnonzero(left != right)[:SHOWN]:
        found.append(f"{what} of {names[k]}: {left[k]!r} / {right[k]!r}")


def _matrices(
    what: str,
    rows: list[str],
    cols: list[str],
    left: sparse.csr_array,
    right: sparse.csr_array,
    found: list[str],
) -> None:
    unequal = sparse.coo_array(left != right)
    for i, j in list(zip(unequal.row, unequal.col, strict=True))[:SHOWN]:
        found.append(f"{what} of {cols[j]} in {rows[i]}: {float(left[i, j])!r} / {float(right[i, j])!r}")


def _cones(left: Program, right: Program, columns: np.ndarray, found: list[str]) -> None:
    theirs = {cone.block.name: cone for cone in right.cones}
    if sorted(theirs) != sorted(cone.block.name for cone in left.cones):
        found.append(f"cones: {sorted(c.block.name for c in left.cones)} / {sorted(theirs)}")
        return
    for cone in left.cones:
        other = theirs[cone.block.name]
        same = cone.kind == other.kind and np.array_equal(cone.h, other.h)
        if not same or cone.G.shape != other.G.shape or (cone.G != other.G[:, columns]).nnz:
            found.append(f"cone {cone.block.name} differs")
