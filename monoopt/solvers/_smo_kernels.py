"""The inner loop of SMO, compiled: steps on pairs of columns until a row of P is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

CONVERGED, PAUSED, ROW_MISSING = 0, 1, 2
LEAST_CURVATURE = 1e-12


@njit(cache=True)
def _steepest(gradient: Any, x: Any, upper: Any) -> Any:
    """Column that can grow and has the least gradient, or -1."""
    best, first = np.inf, -1
    for k in range(gradient.size):
        if x[k] < upper[k] and gradient[k] < best:
            best, first = gradient[k], k
    return first


@njit(cache=True)
def _partner(i: Any, gradient: Any, x: Any, lower: Any, diagonal: Any, row: Any) -> Any:
    """Column that can shrink and promises the largest decrease with i (second order), and the violation."""
    partner, best, gap = -1, 0.0, 0.0
    for k in range(gradient.size):
        if x[k] > lower[k]:
            slope = gradient[k] - gradient[i]
            if slope > gap:
                gap = slope
            if slope > 0.0:
                curvature = max(diagonal[i] + diagonal[k] - 2.0 * row[k], LEAST_CURVATURE)
                if slope * slope / curvature > best:
                    best, partner = slope * slope / curvature, k
    return partner, gap


@njit(cache=True)
def _step(i: Any, j: Any, t: Any, x: Any, lower: Any, upper: Any) -> Any:
    """Move t from j to i, not beyond the bounds; a bound that is reached is reached exactly."""
    room_i, room_j = upper[i] - x[i], x[j] - lower[j]
    t = min(t, room_i, room_j)
    x[i] = upper[i] if t == room_i else x[i] + t
    x[j] = lower[j] if t == room_j else x[j] - t
    return t


@njit(cache=True)
def descend(
    gradient: Any,
    x: Any,
    lower: Any,
    upper: Any,
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
    Returns (why it stopped, the last violation, steps done).
    """
    i, j, clock = state[0], state[1], state[2]
    gap, done = np.inf, 0
    if i < 0:
        i = _steepest(gradient, x, upper)
    while True:
        why = -1
        if i < 0:  # nothing can grow
            why, gap = CONVERGED, 0.0
        elif place[i] < 0:
            why, j = ROW_MISSING, -1
        elif j < 0:
            j, gap = _partner(i, gradient, x, lower, diagonal, cache[place[i]])
            if gap <= tolerance:
                why = CONVERGED
            elif done >= steps:
                why = PAUSED
        if why < 0 and place[j] < 0:
            why = ROW_MISSING
        if why >= 0:
            state[0] = i if why == ROW_MISSING else -1
            state[1] = j if why == ROW_MISSING else -1
            state[2] = clock
            return why, gap, done
        row_i, row_j = cache[place[i]], cache[place[j]]
        clock += 1
        stamp[place[i]] = clock
        stamp[place[j]] = clock
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * row_i[j], LEAST_CURVATURE)
        t = _step(i, j, (gradient[j] - gradient[i]) / curvature, x, lower, upper)
        best, i = np.inf, -1
        for k in range(gradient.size):
            gradient[k] += t * (row_i[k] - row_j[k])
            if x[k] < upper[k] and gradient[k] < best:
                best, i = gradient[k], k
        j = -1
        done += 1
