"""Two labels for very many objects: minimum cut on the sparse dominance graph, proved by disjoint contradictions.

An object of negative cost wants 1, one of positive cost wants 0, and every pair in which the second dominates the first
is a contradiction: one of the two must give in. Amounts on contradictions that at no object exceed what its wish is
worth add up to a lower bound (a fractional matching, in whole units); the minimum cut reaches it. Nothing of size n x n
is ever written.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from monoopt.errors import CertificateError, UnsupportedProgram
from monoopt.order import as_gains, orient
from monoopt.order.steiner import steiner_graph
from monoopt.solvers.mincut import whole_multiples

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Nodes: TypeAlias = npt.NDArray[np.int32]
_Sent: TypeAlias = tuple[npt.NDArray[np.bool_], npt.NDArray[Any], npt.NDArray[Any], Integers]
"""Which objects still reach an unmet one, and which object sent how much to which."""

UNITS = 2**61  # the sum of all |costs| in units stays below, so that no sum overflows 64 bits

BATCHES = 16  # of connected components, to be solved apart


@dataclass(frozen=True, eq=False)
class Contradictions:
    """Weighted pairs of objects that can't both get what they want: a proof that anyone can check pair by pair.

    Attributes
    ----------
    better, worse : ndarray of int, shape (m,)
        Objects: the first wants 0 and dominates the second, which wants 1.
    units : ndarray of int64, shape (m,)
        Positive amounts; at every object they add up to at most its |cost|.
    unit : float
        What one unit is in the user's weights.
    """

    better: npt.NDArray[Any]
    worse: npt.NDArray[Any]
    units: Integers
    unit: float = 1.0

    @property
    def total(self) -> int:
        """No labels lose less than this."""
        return int(self.units.sum())

    def faults(self, X: Floats, costs: Integers, directions: npt.NDArray[np.int8]) -> list[str]:
        """List what is wrong with the proof, in exact arithmetic; nothing if it holds.

        Examples
        --------
        >>> X, costs, up = np.array([[1.0], [2.0]]), np.array([-2, 1]), np.array([1], dtype=np.int8)
        >>> Contradictions(np.array([1]), np.array([0]), np.array([1])).faults(X, costs, up)
        []
        >>> Contradictions(np.array([1]), np.array([0]), np.array([2])).faults(X, costs, up)
        ['1 objects are charged more than their cost']
        """
        gains = as_gains(X, directions)
        above = (gains[self.better] >= gains[self.worse]).all(axis=1)
        above &= (costs[self.better] > 0) & (costs[self.worse] < 0) & (self.units > 0)
        charged = np.zeros(len(costs), dtype=np.int64)
        np.add.at(charged, self.better, self.units)
        np.add.at(charged, self.worse, self.units)
        over = charged > np.abs(costs)
        faults = [f"{(~above).sum()} pairs are no contradictions"] if not above.all() else []
        return faults + ([f"{over.sum()} objects are charged more than their cost"] if over.any() else [])


@dataclass(frozen=True, eq=False)
class Cut:
    """Labels of least loss and their proof.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        0 or 1.
    loss : int
        Sum of |cost| over the objects that do not get what they want.
    proof : Contradictions
        Of total `loss`.
    """

    labels: Integers
    loss: int
    proof: Contradictions


def cut(
    X: Floats,
    costs: Integers,
    directions: npt.NDArray[np.int8],
    tie: str = "least",
    in_time: Callable[[], object] = lambda: None,
) -> Cut:
    """Give every object 0 or 1 so that a better object never has less, at the least loss.

    minimise  sum of |costs_i| over the i with costs_i > 0 and label 1, or costs_i < 0 and label 0.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.
    costs : ndarray of int64, shape (n,)
        Not zero; the sum of their sizes at most 2^61.
    directions : ndarray of int8, shape (d,)
    tie : "least" or "greatest"
        Which of the optima: as few or as many ones as possible at every object.
    in_time : callable, optional
        Called again and again; raises what is to be raised when time is up.

    Returns
    -------
    Cut

    Raises
    ------
    CertificateError
        The proof does not hold: a fault of this program.

    References
    ----------
    A. V. Goldberg and R. E. Tarjan, "A new approach to the maximum-flow problem", Journal of the ACM 35 (1988) 921-940
    (first phase).

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0]]), np.array([1], dtype=np.int8)
    >>> found = cut(X, np.array([-5, 2, -4]), up)
    >>> found.labels, found.loss, found.proof.better, found.proof.worse, found.proof.units
    (array([1, 1, 1]), 2, array([1], dtype=int32), array([0], dtype=int32), array([2]))
    """
    from monoopt.order._steiner_kernels import greatest_reaching

    tails, heads, nodes = steiner_graph(X, directions, costs > 0, costs < 0)
    in_time()
    turns = _lowest_first(X, directions)
    if tie == "least":
        ones, from_, to, units = _preflow(tails, heads, nodes, costs, turns, True, in_time)
        proof = Contradictions(from_, to, units)
    else:  # from the other side: what still reaches an object that wants 0 is as little as possible
        zeros, from_, to, units = _preflow(heads, tails, nodes, -costs, turns[::-1], False, in_time)
        ones, proof = ~zeros, Contradictions(to, from_, units)
    loss = int(np.abs(costs[(costs > 0) == ones]).sum())
    faults = proof.faults(X, costs, directions)
    if loss != proof.total:
        faults.append(f"the labels lose {loss}, the contradictions prove {proof.total}")
    below_zero = np.zeros(nodes, dtype=np.int64)
    below_zero[: len(X)] = (costs > 0) & ~ones
    greatest_reaching(tails, heads, below_zero)
    wrong = int((ones & (below_zero[: len(X)] > 0) & (costs < 0)).sum())
    if wrong:
        faults.append(f"{wrong} objects have label 1 below an object of label 0")
    if faults:
        raise CertificateError(f"minimum cut of {len(X)} objects: {'; '.join(faults)}")
    return Cut(ones.astype(np.int64), loss, proof)


def in_units(costs: Floats) -> tuple[Integers, float, bool]:
    """Write costs as whole multiples of one unit, exactly if 61 bits are enough for their sum.

    Otherwise the unit is the least power of two that fits and sizes are rounded down: then what is proved of the whole
    multiples holds for the costs, and is short of the truth by less than a unit per object.

    Returns
    -------
    multiples : ndarray of int64
    unit : float
    exact : bool

    Examples
    --------
    >>> in_units(np.array([0.75, -1.5])), in_units(np.array([1.0, 1e-30]))[1:]
    ((array([ 1, -2]), 0.75, True), (8.673617379884035e-19, False))
    """
    try:
        return *whole_multiples(costs, UNITS), True
    except UnsupportedProgram:
        power = int(np.frexp(np.abs(costs).sum())[1]) - UNITS.bit_length() + 1
        return np.trunc(np.ldexp(costs, -power)).astype(np.int64), float(np.ldexp(1.0, power)), False


def _lowest_first(X: Floats, directions: npt.NDArray[np.int8]) -> Integers:
    """Sort objects by the sum of their ranks: those that dominate fewest have the least choice and go first."""
    columns = (np.unique(column, return_inverse=True)[1] for column in orient(X, directions)[0].T)
    return np.argsort(sum(columns, np.zeros(len(X), dtype=np.int64)), kind="stable")


def _preflow(
    tails: Nodes,
    heads: Nodes,
    nodes: int,
    costs: Integers,
    turns: Integers,
    into_first: bool,
    in_time: Callable[[], object],
) -> _Sent:
    """Send as much as possible from positive to negative costs; connected components apart, as joblib is told to.

    ``into_first``: in the order of the arcs those into a node are before those out of it; otherwise after them.
    """
    home = _batches(tails, heads, nodes)
    if not home.any():
        return _one_preflow(tails, heads, nodes, costs, turns, into_first, in_time)
    reaches, sent = np.zeros(len(costs), dtype=bool), []
    tasks = []
    for batch in range(int(home.max()) + 1):
        chosen, arcs = np.flatnonzero(home == batch), np.flatnonzero(home[tails] == batch)
        place = np.zeros(nodes, dtype=np.int32)
        place[chosen] = np.arange(len(chosen))
        ends = place[tails[arcs]], place[heads[arcs]]
        its = turns[home[turns] == batch]
        tasks.append(
            (chosen, (*ends, len(chosen), costs[chosen[chosen < len(costs)]], place[its], into_first, in_time))
        )
    answers = Parallel(prefer="threads")(delayed(_one_preflow)(*arguments) for _, arguments in tasks)
    for (chosen, _), (its, from_, to, units) in zip(tasks, answers, strict=True):
        reaches[chosen[: len(its)]] = its
        sent.append((chosen[from_], chosen[to], units))
    from_, to, units = (np.concatenate(parts) for parts in zip(*sent, strict=True))
    return reaches, from_, to, units


def _batches(tails: Nodes, heads: Nodes, nodes: int) -> Integers:
    """Share the connected components out among batches, about equal in arcs; all 0 where one outweighs the others.

    The batches do not depend on the number of jobs, so neither does the proof.
    """
    from monoopt.algorithms import _flow_kernels as kernels

    root = kernels.components(tails, heads, nodes)
    arcs = np.bincount(root[tails], minlength=nodes)
    home, loads = np.zeros(nodes, dtype=np.int64), [(0, batch) for batch in range(BATCHES)]
    if 2 * arcs.max(initial=0) > len(tails):
        return home
    for component in np.argsort(-arcs, kind="stable")[: np.count_nonzero(arcs)]:
        load, batch = heapq.heappop(loads)
        home[component] = batch
        heapq.heappush(loads, (load + int(arcs[component]), batch))
    return home[root]


def _one_preflow(
    tails: Nodes,
    heads: Nodes,
    nodes: int,
    costs: Integers,
    turns: npt.NDArray[Any],
    into_first: bool,
    in_time: Callable[[], object],
) -> _Sent:
    from monoopt.algorithms import _flow_kernels as kernels

    n = len(costs)
    supply, demand = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    supply[:n], demand[:n] = np.maximum(costs, 0), np.maximum(-costs, 0)
    wanted = demand[:n].copy()
    first, order = kernels.by_node(tails, nodes)
    h = heads[order]
    into, entering = kernels.by_node(h, nodes)
    t = tails[order][entering]
    flow, distance = np.zeros(len(h), dtype=np.int64), np.empty(nodes, dtype=np.int32)
    kernels.send_greedily(turns.astype(np.int32), first, h, supply, demand, flow)
    while not kernels.push_relabel(first, h, into, entering, t, supply, demand, flow, distance):
        in_time()
    del t, h, into, entering
    written = np.empty_like(flow)
    written[order] = flow
    way = slice(None, None, 1 if into_first else -1)
    in_order = (np.ascontiguousarray(values[way]) for values in (tails, heads, written))
    sent = kernels.trace(*in_order, wanted - demand[:n], nodes)
    return distance[:n] < kernels.FAR, *sent
