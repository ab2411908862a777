"""The inner loop of SMO, compiled: steps on pairs of columns until a row of P is missing.

Loops over all columns do arithmetic without branches, and look for the best of a piece by comparing bit patterns as
whole numbers, which have the order of the numbers: both become vector instructions. ``barred_up[k]`` is infinite
where column k can't grow and 0 elsewhere, ``barred_down[k]`` where it can't shrink.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

CONVERGED, PAUSED, ROW_MISSING = 0, 1, 2
LEAST_CURVATURE = 1e-12  # of the two diagonal entries (which rounding may have put below 0): less is rounding
TINY = 1e-300  # keeps linear objectives, of no curvature, from dividing by zero
PIECE = 512  # columns looked at before the best of them is kept: its temporaries stay in the nearest cache
SIGN_OFF = np.int64(0x7FFFFFFFFFFFFFFF)
INFINITE = np.int64(0x7FF0000000000000)  # the bits of +inf


@njit(cache=True)
def _place_of(bits: Any, wanted: Any) -> Any:
    k = 0
    while bits[k] != wanted:
        k += 1
    return k


@njit(cache=True)
def _move_piece(gradient: Any, barred_up: Any, t: Any, row_i: Any, row_j: Any, out: Any) -> None:
    for k in range(gradient.size):
        g = gradient[k] + t * (row_i[k] - row_j[k])
        gradient[k] = g
        out[k] = g + barred_up[k]


@njit(cache=True)
def _least(bits: Any) -> Any:
    """Least number as a whole number of the same order: below zero the bits but the sign are turned."""
    best = INFINITE
    for k in range(bits.size):
        best = min(best, bits[k] ^ ((bits[k] >> 63) & SIGN_OFF))
    return best


@njit(cache=True)
def _move(gradient: Any, barred_up: Any, t: Any, row_i: Any, row_j: Any, work: Any) -> Any:
    """Add t (row_i - row_j) to the gradient; return the column of least gradient that can grow, or -1."""
    best, column = INFINITE, -1
    for start in range(0, gradient.size, PIECE):
        piece = slice(start, min(start + PIECE, gradient.size))
        out = work[: piece.stop - start]
        _move_piece(gradient[piece], barred_up[piece], t, row_i[piece], row_j[piece], out)
        bits = out.view(np.int64)
        least = _least(bits)
        if least < best:
            best, column = least, start + _place_of(bits, least ^ ((least >> 63) & SIGN_OFF))
    return column


@njit(cache=True)
def _promise_piece(gradient: Any, barred_down: Any, least: Any, own: Any, diagonal: Any, row: Any, out: Any) -> None:
    for k in range(gradient.size):
        slope = max(gradient[k] - least - barred_down[k], 0.0)
        both = own + diagonal[k]
        curvature = max(both - 2.0 * row[k], LEAST_CURVATURE * abs(both) + TINY)
        out[k] = slope * slope / curvature


@njit(cache=True)
def _largest(bits: Any) -> Any:
    best = np.int64(0)
    for k in range(bits.size):
        best = max(best, bits[k])
    return best


@njit(cache=True)
def _partner(i: Any, gradient: Any, barred_down: Any, diagonal: Any, row: Any, work: Any) -> Any:
    """Column that can shrink and promises the largest decrease with i (second order), or -1."""
    best, column = np.int64(0), -1
    for start in range(0, gradient.size, PIECE):
        piece = slice(start, min(start + PIECE, gradient.size))
        out = work[: piece.stop - start]
        _promise_piece(gradient[piece], barred_down[piece], gradient[i], diagonal[i], diagonal[piece], row[piece], out)
        bits = out.view(np.int64)
        largest = _largest(bits)
        if largest > best:
            best, column = largest, start + _place_of(bits, largest)
    return column


@njit(cache=True)
def _steepest_down(gradient: Any, barred_down: Any) -> Any:
    """Column of largest gradient that can shrink, or -1."""
    best, column = -np.inf, -1
    for k in range(gradient.size):
        if gradient[k] - barred_down[k] > best:
            best, column = gradient[k], k
    return column


@njit(cache=True)
def _steepest_up(gradient: Any, barred_up: Any) -> Any:
    """Column of least gradient that can grow, or -1."""
    best, column = np.inf, -1
    for k in range(gradient.size):
        if gradient[k] + barred_up[k] < best:
            best, column = gradient[k], k
    return column


@njit(cache=True)
def _choose(i: Any, gradient: Any, barred_down: Any, diagonal: Any, row: Any, work: Any, tolerance: Any) -> Any:
    """Partner for i, or -1 when no column that can shrink has a gradient larger by more than the tolerance."""
    j = _partner(i, gradient, barred_down, diagonal, row, work)
    if j < 0 or gradient[j] - gradient[i] <= tolerance:
        k = _steepest_down(gradient, barred_down)
        if k < 0 or gradient[k] - gradient[i] <= tolerance:
            return -1
        if j < 0:  # promises too small to be told from zero
            j = k
    return j


@njit(cache=True)
def _step(i: Any, j: Any, t: Any, x: Any, lower: Any, upper: Any, barred_up: Any, barred_down: Any) -> Any:
    """Move t from j to i, not beyond the bounds; a bound that is reached is reached exactly."""
    room_i, room_j = upper[i] - x[i], x[j] - lower[j]
    t = min(t, room_i, room_j)
    x[i] = upper[i] if t == room_i else x[i] + t
    x[j] = lower[j] if t == room_j else x[j] - t
    for k in (i, j):
        barred_up[k] = 0.0 if x[k] < upper[k] else np.inf
        barred_down[k] = 0.0 if x[k] > lower[k] else np.inf
    return t


@njit(cache=True)
def descend(
    gradient: Any,
    x: Any,
    lower: Any,
    upper: Any,
    barred_up: Any,
    barred_down: Any,
    diagonal: Any,
    cache: Any,
    place: Any,
    stamp: Any,
    state: Any,
    tolerance: Any,
    steps: Any,
) -> Any:
    """Run at most `steps` pair steps on 1/2 x'Px + c'x, sum x fixed, lower <= x <= upper.

    ``cache[place[k]]`` is row k of P where ``place[k] >= 0``; ``stamp`` notes when a row was used.
    ``state`` is (i, j, clock): the pair at hand, so that a pause for a missing row loses nothing.
    Returns (why it stopped, steps done).
    """
    i, j, clock = state[0], state[1], state[2]
    work = np.empty(min(PIECE, gradient.size))
    done = 0
    if i < 0:
        i = _steepest_up(gradient, barred_up)
    while True:
        why = -1
        if i < 0:  # nothing can grow
            why = CONVERGED
        elif place[i] < 0:
            why, j = ROW_MISSING, -1
        elif j < 0:
            j = _choose(i, gradient, barred_down, diagonal, cache[place[i]], work, tolerance)
            if j < 0:
                why = CONVERGED
            elif done >= steps:
                why = PAUSED
        if why < 0 and place[j] < 0:
            why = ROW_MISSING
        if why >= 0:
            state[0] = i if why == ROW_MISSING else -1
            state[1] = j if why == ROW_MISSING else -1
            state[2] = clock
            return why, done
        row_i, row_j = cache[place[i]], cache[place[j]]
        clock += 1
        stamp[place[i]] = clock
        stamp[place[j]] = clock
        both = diagonal[i] + diagonal[j]
        curvature = max(both - 2.0 * row_i[j], LEAST_CURVATURE * abs(both) + TINY)
        t = (gradient[j] - gradient[i]) / curvature
        t = _step(i, j, t, x, lower, upper, barred_up, barred_down)
        i = _move(gradient, barred_up, t, row_i, row_j, work)
        j = -1
        done += 1
