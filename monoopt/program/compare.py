"""Equality of two programs by name: the order of columns and rows does not count, names do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from monoopt.program.program import Cone, Program

SHOWN = 20


def difference(left: Program, right: Program) -> list[str]:
    """Differences of two programs, named; an empty list means equal, exactly.

    Columns and rows are matched by name. Costs, bounds, coefficients, quadratic part, cones, offset and
    sense must be the same floats, in the user's sense. At most 20 differences of a kind are listed, then their
    number. What solvers must be able to do (`needs`) and the words of blocks (``tex``, ``over``) are not compared.

    Examples
    --------
    >>> import numpy as np
    >>> from monoopt.program import ProgramBuilder
    >>> def order(i, j):
    ...     b = ProgramBuilder("order")
    ...     b.add_columns("d", 2, lower=0, upper=1, cost=[1, -1])
    ...     row = np.zeros((1, 2))
    ...     row[0, [i, j]] = 1, -1
    ...     b.add_rows("dominance", {"d": row}, lower=0, index=[(0, 1)])
    ...     return b.build()
    >>> difference(order(0, 1), order(0, 1))
    []
    >>> difference(order(0, 1), order(1, 0))
    ['coefficient of d(0) in dominance(0,1): 1.0 / -1.0', 'coefficient of d(1) in dominance(0,1): -1.0 / 1.0']
    """
    found = []
    if left.sense != right.sense:
        found.append(f"sense: {left.sense} / {right.sense}")
    if left.sign * left.offset != right.sign * right.offset:
        found.append(f"offset: {left.sign * left.offset!r} / {right.sign * right.offset!r}")
    columns = _matching("column", left.column_names(), right.column_names(), found)
    rows = _matching("row", left.row_names(), right.row_names(), found)
    if columns is None or rows is None:
        return found
    names = left.column_names()
    found += _vectors("cost", names, left.sign * left.c, right.sign * right.c[columns])
    for what in ("lower", "upper", "integer"):
        found += _vectors(what, names, getattr(left, what), getattr(right, what)[columns])
    for what in ("row_lower", "row_upper"):
        found += _vectors(what, left.row_names(), getattr(left, what), getattr(right, what)[rows])
    found += _matrices("coefficient", left.row_names(), names, left.A, right.A[rows][:, columns])
    P, Q = (_quadratic(program) for program in (left, right))
    found += _matrices("quadratic", names, names, P, Q[columns][:, columns])
    return found + _cones(left, right, columns)


def _matching(what: str, left: list[str], right: list[str], found: list[str]) -> np.ndarray | None:
    """Positions in right of the names of left; None (and a note) if the sets differ or names repeat."""
    place = {name: k for k, name in enumerate(right)}
    notes = [
        (f"{what}s only on the left", [name for name in left if name not in place]),
        (f"{what}s only on the right", sorted(place.keys() - set(left), key=place.__getitem__)),
        (f"{what} names that repeat on the left", _repeated(left)),
        (f"{what} names that repeat on the right", _repeated(right)),
    ]
    found += [f"{note}: {', '.join(_cut(names))}" for note, names in notes if names]
    if any(names for _, names in notes):
        return None
    return np.array([place[name] for name in left], dtype=np.int64)


def _repeated(names: list[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]


def _cut(items: Iterable[str]) -> list[str]:
    """The first few and the number of the rest: no difference is passed over in silence."""
    every = list(items)
    return every if len(every) <= SHOWN else [*every[:SHOWN], f"... and {len(every) - SHOWN} more"]


def _vectors(what: str, names: list[str], left: np.ndarray, right: np.ndarray) -> list[str]:
    return _cut(
        f"{what} of {names[k]}: {left[k].item()!r} / {right[k].item()!r}" for k in np.flatnonzero(left != right)
    )


def _matrices(
    what: str, rows: list[str], cols: list[str], left: sparse.csr_array, right: sparse.csr_array
) -> list[str]:
    unequal = sparse.coo_array(left != right)
    return _cut(
        f"{what} of {cols[j]} in {rows[i]}: {float(left[i, j])!r} / {float(right[i, j])!r}"
        for i, j in sorted(zip(unequal.row.tolist(), unequal.col.tolist(), strict=True))
    )


def _quadratic(program: Program) -> sparse.csr_array:
    n = program.shape[1]
    return sparse.csr_array((n, n)) if program.P is None else program.sign * sparse.csr_array(program.P)


def _cones(left: Program, right: Program, columns: np.ndarray) -> list[str]:
    ours, theirs = ({cone.block.name: cone for cone in program.cones} for program in (left, right))
    if ours.keys() != theirs.keys():
        return [f"cones: {', '.join(sorted(ours)) or 'none'} / {', '.join(sorted(theirs)) or 'none'}"]
    return [fault for name in ours for fault in _cone(ours[name], theirs[name], left.column_names(), columns)]


def _cone(left: Cone, right: Cone, names: list[str], columns: np.ndarray) -> list[str]:
    name = left.block.name
    if left.kind != right.kind or left.G.shape != right.G.shape:
        return [f"cone {name}: {left.kind} {left.G.shape[0]} / {right.kind} {right.G.shape[0]}"]
    entries = list(left.block.labels())
    return [
        *_vectors("constant", entries, left.h, right.h),
        *_matrices("coefficient", entries, names, left.G, right.G[:, columns]),
    ]
