"""Programs whose rows compare two columns: what minimum cuts can take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monoopt.program import Program


def row_misfit(program: Program, sides: Sequence[tuple[float, float]]) -> str:
    """Say which row is no difference of two columns with one of these pairs of sides, or nothing."""
    A = program.A
    counts = np.diff(A.indptr)
    if (counts != 2).any():
        i = int(np.argmax(counts != 2))
        return f"row {program.row_name(i)} has {counts[i]} coefficients, wanted one +1 and one -1"
    pairs = A.data.reshape(-1, 2)
    odd = (np.abs(pairs) != 1).any(axis=1) | (pairs.sum(axis=1) != 0)
    if odd.any():
        i = int(np.argmax(odd))
        return f"row {program.row_name(i)} has the coefficients {pairs[i][0]:g}, {pairs[i][1]:g}, wanted +1 and -1"
    low, high = program.row_lower, program.row_upper
    known = np.zeros(len(low), dtype=bool)
    for left, right in sides:
        known |= (low == left) & (high == right)
    if not known.all():
        wanted = " or ".join(f"[{left:g}, {right:g}]" for left, right in sides)
        i = int(np.argmin(known))
        return f"row {program.row_name(i)} has the sides [{low[i]:g}, {high[i]:g}], wanted {wanted}"
    return ""
