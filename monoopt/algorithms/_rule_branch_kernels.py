"""Compiled branch and bound for the best monotone rule.

Objects of positive weight are *goods*, those of negative weight *bads*; ranks and levels are as in
`_rule_search_kernels`. A node holds the rules with low <= level <= high. It loses at least what is needed to
be rid of the bads inside, or to keep them; where that leaves no more than the threshold, the node is closed, and
where a level or a good alone would leave no more, the level is cut off and the good given up. Sets of objects
are rows of 64-bit words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np

from monoopt.algorithms._rule_search_kernels import TINY, inner, keep_best

WORD = 64
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)  # its shifts by 0..63 places have different upper six bits
PLACES = np.zeros(WORD, np.int64)
for _place in range(WORD):
    PLACES[(int(DE_BRUIJN) << _place & 0xFFFFFFFFFFFFFFFF) >> 58] = _place


@nb.njit(cache=True, error_model="numpy")
def reach_sets(ranks: Any, size: Any) -> Any:
    """Return the sets ``[j, k]`` of the objects with rank at least k in column j."""
    n, d = ranks.shape
    most = 0
    for j in range(d):
        most = max(most, size[j])
    sets = np.zeros((d, most, (n + WORD - 1) // WORD), np.uint64)
    for i in range(n):
        for j in range(d):
            sets[j, ranks[i, j], i // WORD] |= np.uint64(1) << np.uint64(i % WORD)
    for j in range(d):
        for k in range(size[j] - 2, -1, -1):
            for w in range(sets.shape[2]):
                sets[j, k, w] |= sets[j, k + 1, w]
    return sets


@inner
def intersect(sets: Any, levels: Any, out: Any) -> None:
    """Keep in ``out`` the objects that reach every level."""
    for j in range(sets.shape[0]):
        chosen = sets[j, levels[j]]
        for w in range(out.shape[0]):
            out[w] &= chosen[w]


@inner
def copy(source: Any, target: Any) -> None:
    """Copy a vector; a slice assignment would compile a check of shapes with its message."""
    for k in range(target.shape[0]):
        target[k] = source[k]


@inner
def members(words: Any, out: Any) -> int:
    """Write the members of a set as a list; return their number."""
    count = 0
    for w in range(words.shape[0]):
        rest = words[w]
        while rest != 0:
            low = rest & (~rest + np.uint64(1))
            out[count] = w * WORD + PLACES[(low * DE_BRUIJN) >> np.uint64(58)]
            count += 1
            rest ^= low
    return count


class Problem(NamedTuple):
    """Goods and bads by rank; see `reach_sets` for the sets."""

    good_rank: Any
    good: Any
    bad_rank: Any
    bad: Any
    size: Any
    good_sets: Any
    bad_sets: Any


class Node(NamedTuple):
    """Work space for the node at hand.

    low, high: bounds of the levels. allowed: set of the goods not given up. inside: those of them that the lowest
    rule covers; kept: set of the bads that every rule of the node covers; open: set of the bads that only some
    cover. goods, bads: members of inside and open as lists, with ranks (columns first) in good_rank and bad_rank.
    cost[j, k]: weight of the goods inside that level k of column j loses. single[j, k]: weight of the bads that
    only column j can exclude and level k does not. slack, unused: what the packing leaves of goods and bads.
    """

    low: Any
    high: Any
    allowed: Any
    inside: Any
    kept: Any
    open: Any
    goods: Any
    bads: Any
    good_rank: Any
    bad_rank: Any
    cost: Any
    single: Any
    slack: Any
    unused: Any
    ways: Any
    claim: Any
    key: Any
    order: Any
    need: Any


def new_node(problem: Problem) -> Node:
    """Return work space with the root's bounds."""
    (n, d), m, words = problem.good_rank.shape, len(problem.bad), problem.bad_sets.shape[2]
    low, high = np.zeros(d, np.int32), (problem.size - 1).astype(np.int32)
    allowed = problem.good_sets[0, 0].copy()
    levels = (d, int(problem.size.max()) + 1)
    return Node(
        low, high, allowed, allowed.copy(), np.zeros(words, np.uint64), np.zeros(words, np.uint64),
        np.zeros(n, np.int64), np.zeros(m, np.int64), np.zeros((d, n), np.int32), np.zeros((d, m), np.int32),
        np.zeros(levels), np.zeros(levels), np.zeros(n), np.zeros(m), np.zeros(m, np.int64), np.zeros(n),
        np.zeros(m), np.zeros(m, np.int64), np.zeros(d),
    )  # fmt: skip


@inner
def raise_low(problem: Any, node: Any) -> tuple[int, float]:
    """Find the goods inside and raise the low levels to them; return their number (0: no rule left) and weight."""
    d = problem.size.shape[0]
    copy(node.allowed, node.inside)
    intersect(problem.good_sets, node.low, node.inside)
    goods = members(node.inside, node.goods)
    weight = 0.0
    for i in range(goods):
        weight += problem.good[node.goods[i]]
    for j in range(d):
        least = node.high[j] + 1
        for i in range(goods):
            rank = problem.good_rank[node.goods[i], j]
            node.good_rank[j, i] = rank
            least = min(least, rank)
        node.low[j] = max(node.low[j], least)
        if node.low[j] > node.high[j]:
            return 0, 0.0
    return goods, weight


@inner
def find_bads(problem: Any, node: Any) -> tuple[int, float, float]:
    """List the open bads; return their number and the weights of kept and of open bads."""
    for w in range(node.open.shape[0]):
        node.kept[w] = ~np.uint64(0)
        node.open[w] = ~np.uint64(0)
    intersect(problem.bad_sets, node.high, node.kept)
    intersect(problem.bad_sets, node.low, node.open)
    kept, total = 0.0, 0.0
    for t in range(members(node.kept, node.bads)):
        kept += problem.bad[node.bads[t]]
    for w in range(node.open.shape[0]):
        node.open[w] &= ~node.kept[w]
    bads = members(node.open, node.bads)
    for t in range(bads):
        total += problem.bad[node.bads[t]]
    return bads, kept, total


@inner
def price_levels(problem: Any, node: Any, goods: int, bads: int) -> None:
    """Fill cost and single, and per open bad the ways to exclude it and its ranks."""
    for j in range(problem.size.shape[0]):
        low, high = node.low[j], node.high[j]
        cost, single = node.cost[j], node.single[j]
        for k in range(low, high + 2):
            cost[k] = 0.0
            single[k] = 0.0
        for i in range(goods):
            if node.good_rank[j, i] <= high:
                cost[node.good_rank[j, i] + 1] += problem.good[node.goods[i]]
        for k in range(low + 1, high + 2):
            cost[k] += cost[k - 1]
    for t in range(bads):
        node.ways[t] = 0
        last = 0
        for j in range(problem.size.shape[0]):
            rank = problem.bad_rank[node.bads[t], j]
            node.bad_rank[j, t] = rank
            if rank < node.high[j]:
                node.ways[t] += 1
                last = j
        if node.ways[t] == 1:
            node.single[last, node.bad_rank[last, t]] += problem.bad[node.bads[t]]
    for j in range(problem.size.shape[0]):
        for k in range(node.high[j] - 1, node.low[j] - 1, -1):
            node.single[j, k] += node.single[j, k + 1]


@inner
def cut_levels(node: Any, room: float) -> bool:
    """Cut off the levels at both ends that lose at least room by themselves; tell whether there were any.

    Where no level of a column is left, low passes high.
    """
    changed = False
    for j in range(node.low.shape[0]):
        low, high = node.low[j], node.high[j]
        while high >= low and node.cost[j, high] + node.single[j, high] >= room:
            high -= 1
        while low <= high and node.cost[j, low] + node.single[j, low] >= room:
            low += 1
        changed |= low > node.low[j] or high < node.high[j]
        node.low[j], node.high[j] = low, high
    return changed


@nb.njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath={"reassoc", "nsz"})
def weight_below(ranks: Any, n: int, rank: int, weights: Any) -> float:
    """Sum the weights of the objects whose rank is at most ``rank``."""
    total = 0.0
    for i in range(n):
        total += weights[i] if ranks[i] <= rank else 0.0
    return total


@inner
def order_bads(problem: Any, node: Any, bads: int) -> None:
    """Order the open bads for the packing: dear to exclude first, in proportion to the goods they use up."""
    for t in range(bads):
        least, touched = problem.bad[node.bads[t]], TINY
        for j in range(node.low.shape[0]):
            rank = node.bad_rank[j, t]
            if rank < node.high[j]:
                least = min(least, node.cost[j, rank + 1])
                touched += node.cost[j, rank + 1]
        key, place = least / touched, t
        while place > 0 and node.key[place - 1] < key:
            node.key[place], node.order[place] = node.key[place - 1], node.order[place - 1]
            place -= 1
        node.key[place], node.order[place] = key, t


@inner
def pack(problem: Any, node: Any, goods: int, bads: int, room: float) -> float:
    """Return a lower bound of what every rule of the node loses, or more than room.

    Each open bad is kept, or excluded through one column at the loss of the goods below it there. A bad of
    price p (at most its weight) claims, in each column that can exclude it, goods of total weight p below it.
    Its claims in different columns may overlap, those of different bads may not; so the prices add up.
    """
    total = 0.0
    order_bads(problem, node, bads)
    for i in range(goods):
        node.slack[i] = problem.good[node.goods[i]]
    for t in range(bads):
        node.unused[t] = problem.bad[node.bads[t]]
    for place in range(bads):
        t = node.order[place]
        price = node.unused[t]
        for j in range(node.low.shape[0]):
            if node.bad_rank[j, t] < node.high[j]:
                price = min(price, weight_below(node.good_rank[j], goods, node.bad_rank[j, t], node.slack))
                if price <= TINY:
                    break
        if price > TINY:
            claim_goods(node, goods, t, price)
            node.unused[t] -= price
            total += price
            if total >= room:
                break
    return total


@inner
def claim_goods(node: Any, goods: int, t: int, price: float) -> None:
    """Take from the goods' slack what bad t claims."""
    for i in range(goods):
        node.claim[i] = 0.0
    for j in range(node.low.shape[0]):
        rank, ranks = node.bad_rank[j, t], node.good_rank[j]
        if rank >= node.high[j]:
            continue
        missing = price - weight_below(ranks, goods, rank, node.claim)
        for i in range(goods):
            if missing <= 0.0:
                break
            if ranks[i] <= rank:
                part = min(node.slack[i] - node.claim[i], missing)
                node.claim[i] += part
                missing -= part
    for i in range(goods):
        node.slack[i] -= node.claim[i]


@inner
def cut_by_slack(problem: Any, node: Any, goods: int, bads: int, room: float) -> bool:
    """Cut off levels, and give up goods, that lose at least room beyond the packing; tell whether any was."""
    changed = False
    for j in range(node.low.shape[0]):
        ranks, low, high = node.good_rank[j], node.low[j], node.high[j]
        while high >= low and weight_below(ranks, goods, high - 1, node.slack) >= room:
            high -= 1
        changed |= high < node.high[j]
        node.high[j] = high
    for t in range(bads):  # the lists' weights by member of the set, for the loop below
        node.key[node.bads[t]] = node.unused[t]
    for i in range(goods):
        good = node.goods[i]
        if weight_forced(problem, node, good, room) >= room:
            node.allowed[good // WORD] &= ~(np.uint64(1) << np.uint64(good % WORD))
            changed = True
    return changed


@inner
def weight_forced(problem: Any, node: Any, good: int, room: float) -> float:
    """Sum what the packing leaves of the open bads that every rule of the node that covers this good covers."""
    total = 0.0
    for w in range(node.open.shape[0]):
        rest = node.open[w]
        for j in range(node.low.shape[0]):
            if rest == 0:
                break
            rest &= problem.bad_sets[j, min(node.high[j], problem.good_rank[good, j]), w]
        while rest != 0:
            lowest = rest & (~rest + np.uint64(1))
            total += node.key[w * WORD + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]]
            if total >= room:
                return total
            rest ^= lowest
    return total


@inner
def choose(problem: Any, node: Any, bads: int) -> tuple[int, int]:
    """Return column and level to branch on: what both sides lose should be large.

    Above, the goods below the level are lost; below, some bads come nearer to being kept, the more the fewer
    the ways left to exclude them.
    """
    best, column, level = -1.0, -1, 0
    for j in range(node.low.shape[0]):
        near = node.single[j]
        for k in range(node.low[j], node.high[j] + 1):
            near[k] = 0.0
        for t in range(bads):
            if node.bad_rank[j, t] < node.high[j]:
                near[node.bad_rank[j, t]] += problem.bad[node.bads[t]] * 2.0 ** (1 - node.ways[t])
        total = 0.0
        for k in range(node.high[j] - 1, node.low[j] - 1, -1):
            total += near[k]
            score = node.cost[j, k + 1] ** 2 * total
            if near[k] > 0.0 and score > best:
                best, column, level = score, j, k + 1
    return column, level


@inner
def bound_node(
    problem: Any, node: Any, floor: float, rising: bool, pool: Any, values: Any, count: int
) -> tuple[float, int, int, float]:
    """Tighten a node until nothing more can be cut off; put its lowest rules above the floor into the pool.

    Returns an upper bound for the node, the number of open bads (0: the node is closed, it holds nothing better
    than the floor and the pool), the number of rules in the pool, and the floor.
    """
    while True:
        goods, weight = raise_low(problem, node)
        if weight <= floor:
            return floor, 0, count, floor
        bads, kept, open_weight = find_bads(problem, node)
        value = weight - kept - open_weight
        if value > floor + TINY:
            count = keep_best(pool, values, count, node.low, value)
            if rising:
                floor = value
        room = weight - kept - max(floor, value)
        if bads == 0 or room <= TINY:
            return floor, 0, count, floor
        price_levels(problem, node, goods, bads)
        if cut_levels(node, room):
            continue
        loss = pack(problem, node, goods, bads, room)
        if loss >= room:
            return floor, 0, count, floor
        if not cut_by_slack(problem, node, goods, bads, room - loss):
            return weight - kept - loss, bads, count, floor


@nb.njit(cache=True, error_model="numpy")
def branch_and_bound(
    problem: Any,
    node: Any,
    lows: Any,
    highs: Any,
    sets: Any,
    bounds: Any,
    top: int,
    budget: int,
    floor: float,
    rising: bool,
    enough: int,
    pool: Any,
    values: Any,
    count: int,
) -> tuple[int, int, int, float]:
    """Work on the open nodes 0..top-1, last first, until none is left or the budget of nodes is used up.

    ``floor`` is the value to beat; with ``rising`` it follows the best rule found. Stops also when ``enough``
    rules are in the pool. Returns the numbers of open nodes, of nodes done and of rules in the pool, and the
    floor.
    """
    done = 0
    while top > 0 and done < budget and count < enough:
        top -= 1
        done += 1
        if bounds[top] <= floor:
            continue
        copy(lows[top], node.low)
        copy(highs[top], node.high)
        copy(sets[top], node.allowed)
        bound, bads, count, floor = bound_node(problem, node, floor, rising, pool, values, count)
        if bads == 0:
            continue
        column, level = choose(problem, node, bads)
        for side in range(2):
            copy(node.low, lows[top])
            copy(node.high, highs[top])
            copy(node.allowed, sets[top])
            bounds[top] = bound
            if side == 0:
                highs[top, column] = level - 1
            else:
                lows[top, column] = level
            top += 1
    return top, done, count, floor
