"""Compiled divide and conquer that writes dominance between sources and targets with few arcs.

Elements are sources or targets; ``keys[e, c]`` is an integer such that a source dominates a target iff its
key is larger in every column. Work lists always hold elements in descending order of the last column.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

DIRECT = 3  # arcs one by one where there are at most so many pairs per element
LARGEST = 2**31 - 1


@nb.njit(cache=True)
def grown(arcs: Any, needed: int) -> Any:
    if needed <= arcs.shape[0]:
        return arcs
    larger = np.empty((max(needed, arcs.shape[0] * 3 // 2), 2), np.int32)
    for k in range(arcs.shape[0]):  # loops compile much faster than slices
        larger[k, 0], larger[k, 1] = arcs[k, 0], arcs[k, 1]
    return larger


@nb.njit(cache=True)
def trimmed(work: Any, lo: int, hi: int, column: Any, is_source: Any) -> tuple[int, int, int]:
    """Drop the elements that this column leaves without a partner.

    Returns the new end, the number of sources, and the middle of the keys, or -1 if every source is above
    every target.
    """
    top, low, high, bottom = (
        -1,
        LARGEST,
        -1,
        LARGEST,
    )  # greatest and least key of the sources, then of the targets
    for k in range(lo, hi):
        e = work[k]
        if is_source[e]:
            top, low = max(top, column[e]), min(low, column[e])
        else:
            high, bottom = max(high, column[e]), min(bottom, column[e])
    if low > high:
        sources = 0
        for k in range(lo, hi):
            sources += is_source[work[k]]
        return hi, sources, -1
    end, sources = lo, 0
    for k in range(lo, hi):
        e = work[k]
        if is_source[e]:
            if column[e] > bottom:
                work[end] = e
                end += 1
                sources += 1
        elif column[e] < top:
            work[end] = e
            end += 1
    return end, sources, (bottom + top) // 2


@nb.njit(cache=True)
def write_direct(
    work: Any, lo: int, hi: int, keys: Any, c: int, is_source: Any, objects: Any, arcs: Any, used: int
) -> int:
    """Write one arc per dominance pair in the list; return the number of arcs."""
    d = keys.shape[0]
    for k in range(lo, hi):
        s = work[k]
        if not is_source[s]:
            continue
        for m in range(k + 1, hi):  # the last column is in descending order
            t = work[m]
            if is_source[t] or objects[s] == objects[t]:
                continue
            above = True
            for j in range(c, d - 1):
                if keys[j, s] < keys[j, t]:
                    above = False
                    break
            if above:
                arcs[used, 0], arcs[used, 1] = objects[s], objects[t]
                used += 1
    return used


@nb.njit(cache=True)
def write_chain(
    work: Any, lo: int, hi: int, is_source: Any, objects: Any, arcs: Any, used: int, nodes: int
) -> tuple[int, int]:
    """Write a list that only its order restricts as a chain; return the number of arcs and of nodes.

    All arcs into a node come before all arcs out of it.
    """
    while hi > lo and is_source[work[hi - 1]]:
        hi -= 1
    node, waiting = -1, 0  # the chain's lowest node so far; sources since then
    for k in range(lo, hi):
        e = work[k]
        if is_source[e]:
            waiting += 1
            continue
        if waiting == 1 and node < 0:
            node, waiting = objects[work[k - 1]], 0
        elif waiting > 0:
            last = k == hi - 1
            joint = objects[e] if last else nodes
            nodes += 0 if last else 1
            if node >= 0 and node != joint:
                arcs[used, 0], arcs[used, 1] = node, joint
                used += 1
            for m in range(k - waiting, k):
                if objects[work[m]] != joint:
                    arcs[used, 0], arcs[used, 1] = objects[work[m]], joint
                    used += 1
            node, waiting = joint, 0
        if node >= 0 and node != objects[e]:
            arcs[used, 0], arcs[used, 1] = node, objects[e]
            used += 1
    return used, nodes


@nb.njit(cache=True)
def split(
    work: Any, lo: int, hi: int, column: Any, middle: int, is_source: Any, free: int, spare: Any
) -> tuple[int, int]:
    """Put elements above the middle first, keeping order, and copy the crossing list to ``work[free:]``.

    The crossing list holds the sources above and the targets below. Returns where the lower part starts and
    where the crossing list ends.
    """
    end, cut, below = free, lo, 0
    for k in range(lo, hi):
        e = work[k]
        high = column[e] > middle
        if high == is_source[e]:
            work[end] = e
            end += 1
        if high:
            work[cut] = e
            cut += 1
        else:
            spare[below] = e
            below += 1
    for k in range(below):
        work[cut + k] = spare[k]
    return cut, end


@nb.njit(cache=True)
def push(stack: Any, depth: int, lo: int, hi: int, c: int, free: int) -> int:
    """Note a list work[lo:hi] to treat from column c on, with room for copies from ``free``; return the new depth."""
    stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = lo, hi, c, free
    return depth + 1


@nb.njit(cache=True)
def divide(keys: Any, is_source: Any, objects: Any, starts: Any, nodes: int) -> tuple[Any, int]:
    """Write the arcs of all groups; return them and the number of nodes.

    ``keys`` is d x m, elements of a group lie at ``starts[g]:starts[g + 1]`` in descending order of the
    last column.
    """
    d, m = keys.shape
    work, spare = np.empty((d + 1) * m, np.int32), np.empty(m, np.int32)
    arcs, used = np.empty((4 * m + 16, 2), np.int32), np.int64(0)
    stack = np.empty((64 * (d + 1), 4), np.int64)
    for g in range(starts.shape[0] - 1):
        size = starts[g + 1] - starts[g]
        for k in range(size):
            work[k] = starts[g] + k
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], depth = 0, size, 0, size, 1
        while depth > 0:
            depth -= 1
            lo, hi, c, free = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
            hi, sources, middle = trimmed(work, lo, hi, keys[c], is_source)
            targets = hi - lo - sources
            if sources == 0 or targets == 0:
                continue
            arcs = grown(arcs, used + (DIRECT + 3) * (hi - lo))
            if sources * targets <= DIRECT * (hi - lo):
                used = write_direct(work, lo, hi, keys, c, is_source, objects, arcs, used)
            elif c == d - 1:
                used, nodes = write_chain(work, lo, hi, is_source, objects, arcs, used, nodes)
            elif middle < 0:
                depth = push(stack, depth, lo, hi, c + 1, free)
            else:
                cut, end = split(work, lo, hi, keys[c], middle, is_source, free, spare)
                depth = push(stack, depth, cut, hi, c, free)
                depth = push(stack, depth, lo, cut, c, free)
                depth = push(stack, depth, free, end, c + 1, end)  # done first, so that its room is free again
    return arcs[:used], nodes


@nb.njit(cache=True)
def greatest_reaching(tail: Any, head: Any, values: Any) -> None:
    """Raise every value to the greatest among the nodes with a path to it, arcs as `divide` ordered them."""
    for k in range(tail.shape[0]):
        if values[tail[k]] > values[head[k]]:
            values[head[k]] = values[tail[k]]
