"""Compiled local search for the best monotone rule.

Attributes are turned so that a rule covers the objects whose rank is at least its level in every column. Levels
are the distinct values of the objects of positive weight (rank 0 the lowest); an object of negative weight has
the rank of the greatest level that it reaches.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

TINY = 1e-12
LARGEST = 2**31 - 1

inner = nb.njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compile a function that only other kernels call: without doors to Python it compiles much faster."""


@inner
def next_random(state: Any) -> int:
    """Advance a 63-bit linear congruential generator; return its upper 31 bits."""
    state[0] = (state[0] * 2862933555777941757 + 3037000493) & 0x7FFFFFFFFFFFFFFF
    return state[0] >> 32


@inner
def keep_best(pool: Any, values: Any, count: int, level: Any, value: float) -> int:
    """Write a rule into the pool unless it is there or worse than all of a full pool; return the new count."""
    worst = 0
    for k in range(count):
        if values[k] < values[worst]:
            worst = k
        if abs(values[k] - value) <= TINY:
            same = True
            for j in range(level.shape[0]):
                if pool[k, j] != level[j]:
                    same = False
                    break
            if same:
                return count
    if count < values.shape[0]:
        worst = count
        count += 1
    elif values[worst] >= value:
        return count
    for j in range(level.shape[0]):
        pool[worst, j] = level[j]
    values[worst] = value
    return count


@inner
def count_missing(ranks: Any, level: Any, missing: Any) -> None:
    """Count for each object the columns in which it is below the level."""
    for i in range(missing.shape[0]):
        missing[i] = 0
    for j in range(ranks.shape[0]):
        for i in range(missing.shape[0]):
            missing[i] += ranks[j, i] < level[j]


@inner
def list_near(missing: Any, near: Any) -> int:
    """List the objects that a change of one level could cover; return their number."""
    count = 0
    for i in range(missing.shape[0]):
        near[count] = i
        count += missing[i] <= 1
    return count


@inner
def climb(ranks: Any, v: Any, size: Any, level: Any, missing: Any, near: Any, sums: Any, column: int) -> float:
    """Set one level after another to its best value, the others fixed, until none helps; return the value."""
    d = ranks.shape[0]
    count_missing(ranks, level, missing)
    count, value, idle = list_near(missing, near), 0.0, 0
    for i in range(missing.shape[0]):
        value += v[i] if missing[i] == 0 else 0.0
    while idle < d:
        row, old = ranks[column], level[column]
        for k in range(size[column]):
            sums[k] = 0.0
        for q in range(count):
            i = near[q]
            if row[i] >= 0 and missing[i] == (row[i] < old):
                sums[row[i]] += v[i]
        total, best, chosen = 0.0, value + TINY, old
        for k in range(size[column] - 1, -1, -1):
            total += sums[k]
            if total > best:
                best, chosen = total, k
        if chosen != old:
            for i in range(missing.shape[0]):
                missing[i] += (row[i] < chosen) - (row[i] < old)
            count, value, idle = list_near(missing, near), best, 0
            level[column] = chosen
        column = column + 1 if column + 1 < d else 0
        idle += 1
    return value


@inner
def close(ranks: Any, positives: int, level: Any, missing: Any) -> None:
    """Raise the levels to the least rank among the covered objects of positive weight."""
    for j in range(ranks.shape[0]):
        least = LARGEST
        for i in range(positives):
            if missing[i] == 0 and ranks[j, i] < least:
                least = ranks[j, i]
        if least < LARGEST:
            level[j] = least


@inner
def kick(ranks: Any, size: Any, positives: int, level: Any, state: Any) -> None:
    """Change a rule at random: lower it to take in one more object, or move one level anywhere."""
    d = ranks.shape[0]
    if next_random(state) % 2 == 0:
        i = next_random(state) % positives
        for j in range(d):
            level[j] = min(level[j], ranks[j, i])
    else:
        j = next_random(state) % d
        level[j] = next_random(state) % size[j]


@nb.njit(cache=True, error_model="numpy")
def local_search(
    ranks: Any,
    v: Any,
    positives: int,
    size: Any,
    most: int,
    starts: Any,
    kicks: int,
    threshold: float,
    pool: Any,
    values: Any,
    count: int,
    seed: int,
) -> int:
    """Climb from every start, then from random changes of what was reached; pool the rules above the threshold.

    ``ranks`` has a row per column, of at most ``most`` levels; the first ``positives`` objects have positive weight.
    """
    d, n = ranks.shape
    state = np.empty(1, np.int64)
    state[0] = seed
    missing, near, sums = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(most)
    level, trial = np.empty(d, np.int64), np.empty(d, np.int64)
    for s in range(starts.shape[0]):
        reached = -1.0
        for step in range(kicks + 1):
            for j in range(d):
                trial[j] = starts[s, j] if step == 0 else level[j]
            if step > 0:
                kick(ranks, size, positives, trial, state)
            value = climb(ranks, v, size, trial, missing, near, sums, next_random(state) % d)
            if value < reached and value <= threshold:
                continue
            close(ranks, positives, trial, missing)
            if value > threshold:
                count = keep_best(pool, values, count, trial, value)
            if value >= reached:
                reached = value
                for j in range(d):
                    level[j] = trial[j]
    return count
