"""Compiled maximum preflow on a graph of arcs without capacity, from supplies at some nodes to demands at others.

Arcs are numbered by tail: those of node v are first[v]..first[v + 1] - 1, with their heads in ``heads``;
entering[into[v]:into[v + 1]] are the arcs into v, with their tails in ``tails`` in this order. A residual step goes
along any arc, or back along one with flow.
The graph has no cycle, and what is carried can wait at any node: what reaches the demands is at most the capacity of
every cut, so a preflow proves as much as a flow.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

PATIENCE = 0.2  # steps per arc and node before the distances are measured anew
FAR = 2**31 - 1  # the distance of nodes from which no residual path leads to unmet demand


@nb.njit(cache=True, nogil=True)
def by_node(keys: Any, n: int) -> tuple[Any, Any]:
    """Sort arcs by one of their ends, in their written order: starts per node, and arc numbers."""
    starts = np.zeros(n + 1, np.int64)
    for k in range(keys.size):
        starts[keys[k] + 1] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    places, order = starts[:-1].copy(), np.empty(keys.size, np.int32)
    for k in range(keys.size):
        order[places[keys[k]]] = k
        places[keys[k]] += 1
    return starts, order


@nb.njit(cache=True, nogil=True)
def components(tails: Any, heads: Any, n: int) -> Any:
    """Return for every node the least node of its connected component."""
    above = np.arange(n).astype(np.int32)
    for k in range(tails.size):
        v, u = tails[k], heads[k]
        while above[v] != v:
            above[v] = above[above[v]]
            v = above[v]
        while above[u] != u:
            above[u] = above[above[u]]
            u = above[u]
        above[max(v, u)] = min(v, u)
    for v in range(n):
        above[v] = above[above[v]]
    return above


@nb.njit(cache=True, nogil=True)
def send_greedily(turns: Any, first: Any, heads: Any, supply: Any, demand: Any, flow: Any) -> None:
    """Send what can be sent without taking anything back: the nodes of ``turns`` one after another, last arcs first.

    A node that leads to no unmet demand never will again, so every arc is given up at most once.
    """
    n = supply.size
    spent, arc = np.zeros(n, np.bool_), first[1:] - 1
    path = np.empty(n, np.int64)
    for source in turns:
        while supply[source] > 0 and not spent[source]:
            v, depth = source, 0
            while demand[v] == 0:
                while arc[v] >= first[v] and spent[heads[arc[v]]]:
                    arc[v] -= 1
                if arc[v] >= first[v]:
                    path[depth] = v
                    depth += 1
                    v = heads[arc[v]]
                else:
                    spent[v] = True
                    if depth == 0:
                        break
                    depth -= 1
                    v = path[depth]
            if not spent[source]:
                amount = min(supply[source], demand[v])
                supply[source] -= amount
                demand[v] -= amount
                for k in range(depth):
                    flow[arc[path[k]]] += amount


@nb.njit(cache=True, nogil=True)
def measure_distances(
    first: Any, heads: Any, into: Any, tails: Any, demand: Any, flow: Any, distance: Any, queue: Any
) -> None:
    """Set the distance of every node to unmet demand in residual steps (1: there is some at the node itself).

    What has been seen is kept in bits, which stay in the cache where distances do not.
    """
    seen = np.zeros((distance.size >> 3) + 1, np.uint8)
    end = 0
    for v in range(distance.size):
        distance[v] = FAR
        if demand[v] > 0:
            end = _see(v, 1, seen, distance, queue, end)
    k = 0
    while k < end:
        v = queue[k]
        k += 1
        for q in range(into[v], into[v + 1]):
            end = _see(tails[q], distance[v] + 1, seen, distance, queue, end)
        for a in range(first[v], first[v + 1]):
            if flow[a] > 0:
                end = _see(heads[a], distance[v] + 1, seen, distance, queue, end)


@nb.njit(cache=True, nogil=True, inline="always")
def _see(v: int, far: int, seen: Any, distance: Any, queue: Any, end: int) -> int:
    """Give a node its distance and put it in the queue, unless it has been seen; return the new end of the queue."""
    bit = np.uint8(1 << (v & 7))
    if seen[v >> 3] & bit:
        return end
    seen[v >> 3] |= bit
    distance[v] = far
    queue[end] = v
    return end + 1


@nb.njit(cache=True, nogil=True)
def lifted(
    v: int, first: Any, heads: Any, into: Any, entering: Any, tails: Any, demand: Any, flow: Any, distance: Any
) -> int:
    """Return one more than the least distance among the nodes that a residual step leads to."""
    if demand[v] > 0:
        return 1
    least = FAR - 1
    for a in range(first[v], first[v + 1]):
        least = min(least, distance[heads[a]])
    for q in range(into[v], into[v + 1]):
        if flow[entering[q]] > 0:
            least = min(least, distance[tails[q]])
    return least + 1 if least < distance.size else FAR


@nb.njit(cache=True, nogil=True)
def push_relabel(
    first: Any, heads: Any, into: Any, entering: Any, tails: Any, supply: Any, demand: Any, flow: Any, distance: Any
) -> bool:
    """Push for so many steps, first in, first out, from distances measured anew; tell whether the preflow is maximum.

    Then no node with supply left has a residual path to unmet demand, and ``distance`` is FAR exactly at the nodes
    without one. Otherwise call it again.
    """
    n, limit = supply.size, PATIENCE * (heads.size + supply.size)
    queue, line, turn = np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.int32)
    waiting = np.zeros(n, np.bool_)
    here, size, work = 0, 0, 0
    measure_distances(first, heads, into, tails, demand, flow, distance, queue)
    for v in range(n):
        waiting[v] = supply[v] > 0 and distance[v] < FAR
        if waiting[v]:
            line[size] = v
            size += 1
    if size == 0:
        return True
    while size > 0 and work < limit:
        v = line[here]
        here = here + 1 if here + 1 < n else 0
        size -= 1
        waiting[v] = False
        back, both = into[v + 1] - into[v], into[v + 1] - into[v] + first[v + 1] - first[v]
        while supply[v] > 0 and distance[v] < FAR:
            if demand[v] > 0 and distance[v] == 1:
                amount = min(supply[v], demand[v])
                supply[v] -= amount
                demand[v] -= amount
                continue
            if turn[v] == both:
                distance[v] = lifted(v, first, heads, into, entering, tails, demand, flow, distance)
                turn[v] = 0
                work += both
                continue
            work += 1
            if turn[v] < back:  # take back first, then the last arcs
                a = entering[into[v] + turn[v]]
                u, amount = tails[into[v] + turn[v]], min(supply[v], flow[a])
            else:
                a = first[v + 1] - 1 - (turn[v] - back)
                u, amount = heads[a], supply[v]
            if amount == 0 or distance[u] != distance[v] - 1:
                turn[v] += 1
                continue
            flow[a] += -amount if turn[v] < back else amount
            supply[v] -= amount
            supply[u] += amount
            if not waiting[u]:
                waiting[u] = True
                line[(here + size) % n] = u
                size += 1
    return False


@nb.njit(cache=True, nogil=True)
def longer(values: Any) -> Any:
    """Copy into an array of twice the length."""
    grown = np.empty(2 * values.size, values.dtype)
    for k in range(values.size):
        grown[k] = values[k]
    return grown


@nb.njit(cache=True, nogil=True)
def split(
    v: int, wanted: int, total: int, front: Any, back: Any, after: Any, before: Any, amount: Any
) -> tuple[int, int]:
    """Find the parcel at which the first ``wanted`` of a node's ``total`` end, and how much of it belongs to them.

    The search runs from both ends at once, so that it costs no more than the shorter part.
    """
    first, last, head, tail = front[v], back[v], 0, 0
    while True:
        if head + amount[first] >= wanted:
            return first, wanted - head
        if tail + amount[last] >= total - wanted:
            return last, amount[last] - (total - wanted - tail)
        head, tail = head + amount[first], tail + amount[last]
        first, last = after[first], before[last]


@nb.njit(cache=True, nogil=True)
def trace(tails: Any, heads: Any, flow: Any, met: Any, nodes: int) -> tuple[Any, Any, Any]:
    """Tell which supply met which demand: origin, object, amount.

    Arcs come in an order in which all arcs into a node are before all arcs out of it; objects, the first ``met.size``
    nodes, have arcs out or arcs in, not both. Parcels of one origin wait at a node in a chain, move along the arcs a
    whole part of a chain at once, and are cut where they must be; of what arrives at an object ``met`` is kept, and the
    rest is waiting somewhere and proves nothing.
    """
    front, back, total = np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int32), np.zeros(nodes, np.int64)
    after, before = np.empty(1024, np.int32), np.empty(1024, np.int32)
    origin, amount, used = np.empty(1024, np.int32), np.empty(1024, np.int64), 0
    for k in range(heads.size):
        v, u, left = tails[k], heads[k], flow[k]
        if left == 0:
            continue
        if used == origin.size:
            after, before, origin, amount = longer(after), longer(before), longer(origin), longer(amount)
        if v < met.size:
            first = last = used
            origin[used], amount[used] = v, left
            used += 1
        else:
            first, last = front[v], back[v]
            rest = -1  # the first parcel that stays
            if left < total[v]:
                parcel, part = split(v, left, total[v], front, back, after, before, amount)
                if part == amount[parcel]:
                    last, rest = parcel, after[parcel]
                elif part == 0:
                    last, rest = before[parcel], parcel
                else:
                    origin[used], amount[used], before[used] = origin[parcel], part, before[parcel]
                    amount[parcel] -= part
                    if parcel == first:
                        first = used
                    else:
                        after[before[parcel]] = used
                    last, rest = used, parcel
                    used += 1
            front[v] = rest
            if rest < 0:
                back[v] = -1
            total[v] -= left
        after[last] = front[u]
        if front[u] < 0:
            back[u] = last
        else:
            before[front[u]] = last
        front[u] = first
        total[u] += left
    count, targets = 0, np.empty(used, np.int32)
    sources, amounts = np.empty(used, np.int32), np.empty(used, np.int64)
    for u in range(met.size):
        left, parcel = met[u], front[u]
        while left > 0:
            part = min(left, amount[parcel])
            sources[count], targets[count], amounts[count] = origin[parcel], u, part
            left -= part
            parcel = after[parcel]
            count += 1
    return sources[:count].copy(), targets[:count].copy(), amounts[:count].copy()
