"""Exact arithmetic for linear programs: every float is a dyadic rational, so nothing is lost.

All data are scaled to whole numbers by one power of two. The bound needs no exact solver: any y, with
the column multipliers z = c - A'y recomputed exactly, gives sum(y * side) + sum(z * side) <= optimum.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

    from monoopt.program.program import Program

EXACT = 2.0**53  # whole numbers up to here are exact as floats
GRIDS = (1, 2**10, 2**24)  # y is tried rounded to multiples of 1/grid, then as it stands


def feasible_point(program: Program, x: np.ndarray) -> list[Fraction] | None:
    """Return x rounded to whole numbers, else x as it stands, if exactly feasible; None otherwise."""
    candidates = [
        np.round(x),
        np.where(program.integer, np.round(x), np.clip(x, program.lower, program.upper)),
    ]
    for candidate in candidates:
        if np.abs(candidate - x).max(initial=0.0) <= 1e-4 and _inside(program, candidate):
            return [Fraction(v) for v in candidate.tolist()]
    return None


def objective(program: Program, x: list[Fraction]) -> Fraction:
    """Return c'x + offset exactly, in the user's sense."""
    value = Fraction(program.offset) + sum(
        (Fraction(a) * b for a, b in zip(program.c.tolist(), x, strict=True)), Fraction(0)
    )
    return value if program.sign > 0 else -value


def bound(program: Program, y: np.ndarray, enough: Fraction | None = None) -> Fraction | None:
    """Best exact bound from y (user's sense) over a few roundings of it; None if none is finite.

    `enough` is the objective of a feasible point: no bound can be better, so one that reaches it ends the search.
    """
    kept = program.sign * y
    target = None if enough is None else program.sign * enough
    best: Fraction | None = None
    for candidate in [*(np.round(kept * grid) / grid for grid in GRIDS), kept]:
        value = _bound_from(program, candidate)
        if value is not None and (best is None or value > best):
            best = value
        if best is not None and best == target:
            break
    return best if best is None or program.sign > 0 else -best


def _inside(program: Program, x: np.ndarray) -> bool:
    """Exact test of bounds and rows."""
    if ((x < program.lower) | (x > program.upper)).any():
        return False
    if _whole(program.A.data, x) and (abs(program.A) @ np.abs(x)).max(initial=0.0) < EXACT:
        reached = program.A @ x
        return bool(((program.row_lower <= reached) & (reached <= program.row_upper)).all())
    whole, one = _scaled(x)
    activity, unit = _product(program.A, whole)
    scale = one * unit
    return all(
        (low == -np.inf or Fraction(low) * scale <= value) and (high == np.inf or value <= Fraction(high) * scale)
        for value, low, high in zip(activity, program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    )


def _bound_from(program: Program, y: np.ndarray) -> Fraction | None:
    """Exact Lagrangian bound of one y, signs pointed at sides that are there."""
    y = np.where((y > 0) & np.isinf(program.row_lower), 0.0, y)
    y = np.where((y < 0) & np.isinf(program.row_upper), 0.0, y)
    if _whole(program.A.data, program.c, y, [program.offset]):
        pulled = abs(program.A).T @ np.abs(y)
        rows, row_size = _paid(y, program.row_lower, program.row_upper, np.abs(y))
        columns, size = _paid(program.c - program.A.T @ y, program.lower, program.upper, np.abs(program.c) + pulled)
        if row_size + size + abs(program.offset) < EXACT:  # no sum was ever rounded
            return Fraction(program.offset + rows + columns)
    number = _rationals()
    whole, one = _scaled(y)
    pulled, unit = _product(program.A.T.tocsr(), whole)
    scale = one * unit
    costs, cost_unit = _scaled(program.c)
    reduced = [number(c, cost_unit) - number(p, scale) for c, p in zip(costs, pulled, strict=True)]
    total = number(program.offset)
    for multiplier, low, high in zip(y.tolist(), program.row_lower.tolist(), program.row_upper.tolist(), strict=True):
        if multiplier:
            total += number(multiplier) * number(low if multiplier > 0 else high)
    for z, low, high in zip(reduced, program.lower.tolist(), program.upper.tolist(), strict=True):
        if z:
            side = low if z > 0 else high
            if np.isinf(side):
                return None
            total += z * number(side)
    return Fraction(int(total.numerator), int(total.denominator))


def _rationals() -> Any:
    """GMP's rationals where gmpy2 is installed, about twice as fast; else Python's own."""
    try:
        from gmpy2 import mpq
    except ImportError:
        return Fraction
    return mpq


def _whole(*arrays: Any) -> bool:
    """Tell whether all numbers are whole."""
    return all(bool((np.asarray(array) == np.round(array)).all()) for array in arrays)


def _paid(price: np.ndarray, lower: np.ndarray, upper: np.ndarray, size: np.ndarray) -> tuple[float, float]:
    """Price times the side that it points at, summed; and what no partial sum exceeds (inf: a side is no integer)."""
    side = np.where(price > 0, lower, np.where(price < 0, upper, 0.0))
    if not np.isfinite(side).all() or not _whole(side):
        return 0.0, np.inf
    return float(price @ side), float(size.sum()) + float(size @ np.abs(side))


def _scaled(values: np.ndarray) -> tuple[list[int], int]:
    """Write floats as whole numbers over one power of two."""
    fractions = [Fraction(v) for v in values.tolist()]
    unit = max((f.denominator for f in fractions), default=1)
    return [f.numerator * (unit // f.denominator) for f in fractions], unit


def _product(A: sparse.csr_array, x: list[int]) -> tuple[list[int], int]:
    """A x as whole numbers over the unit of A; machine integers where they can't overflow."""
    data, unit = _scaled(A.data)
    largest = max((abs(v) for v in data), default=0) * max((abs(v) for v in x), default=0)
    longest = int(np.diff(A.indptr).max(initial=0))
    kind = np.int64 if largest * max(longest, 1) < 2**62 else object
    terms = np.array(data, dtype=kind) * np.array(x, dtype=kind)[A.indices]
    sums = np.zeros(A.shape[0], dtype=kind)
    np.add.at(sums, np.repeat(np.arange(A.shape[0]), np.diff(A.indptr)), terms)
    return [int(v) for v in sums], unit
