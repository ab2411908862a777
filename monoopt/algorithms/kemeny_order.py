"""Kemeny's order for more objects than all transitivity rows would allow: split, add rows as they are broken.

1. Where a strict majority prefers every object of one group to every object of another, some optimal order (in
   fact every one) keeps the groups in that order (extended Condorcet criterion, Truchon 1998): each strongly
   connected component of the weak majority graph is ordered by itself.
2. Inside a component the linear relaxation is solved with the transitivity rows that are broken, hot, until none
   is. A whole-number answer is then optimal for the integer program; otherwise that program is solved on the rows
   found, again until none is broken.
The bound adds up over the components, and is a bound for the whole whatever was cut short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from monoopt.algorithms.deadline import NEVER, Deadline
from monoopt.formulations import kemeny
from monoopt.program import Certificate, Program, Solution
from monoopt.solvers import open_session, solve

Array = npt.NDArray[np.float64]
ROWS_AT_ONCE = 2000
ALL_ROWS_UP_TO = 12  # objects for which all rows are written at once
WHOLE = 1e-6


@dataclass(frozen=True)
class KemenyOrder:
    """An order with what is proved about it.

    Attributes
    ----------
    positions : ndarray of int, shape (n,)
        1 is the best.
    cost, bound : float
        Weighted disagreements of the order, and a lower bound on those of any order.
    certificates : tuple of Certificate
        Of the last program of each component.
    components : tuple of int
        Their sizes, best first.
    """

    positions: npt.NDArray[np.int64]
    cost: float
    bound: float
    certificates: tuple[Certificate, ...]
    components: tuple[int, ...]

    @property
    def optimal(self) -> bool:
        """Whether cost and bound meet."""
        return self.cost - self.bound <= 1e-6 * max(1.0, self.cost)


def kemeny_order(pairs: Array, *, solver: str = "highs", time_limit: float | None = None) -> KemenyOrder:
    """Find the order with the fewest weighted disagreements.

    Parameters
    ----------
    pairs : ndarray, shape (n, n)
        N_ik: weight of the rankings that put i above k.
    solver : str
        For linear and integer programs.
    time_limit : float, optional
        Seconds in all; when they are over the best order so far is returned with its bound.

    Examples
    --------
    >>> found = kemeny_order(np.array([[0.0, 2, 2], [1, 0, 2], [1, 1, 0]]))
    >>> found.positions, found.cost, found.bound, found.components
    (array([1, 2, 3]), 3.0, 3.0, (1, 1, 1))
    """
    deadline = Deadline.after(time_limit)
    order, certificates, sizes = [], [], []
    bound = float(np.minimum(pairs, pairs.T)[np.triu_indices(len(pairs), 1)].sum())
    for group in _components(pairs):
        inside = pairs[np.ix_(group, group)]
        floor = float(np.minimum(inside, inside.T)[np.triu_indices(len(group), 1)].sum())
        found, lower, proof = _one_component(inside, solver, deadline)
        order.append(group[found])
        bound += lower - floor
        certificates += [] if proof is None else [proof]
        sizes.append(len(group))
    sequence = np.concatenate(order)
    positions = np.empty(len(pairs), dtype=np.int64)
    positions[sequence] = np.arange(1, len(pairs) + 1)
    return KemenyOrder(positions, disagreements(pairs, sequence), bound, tuple(certificates), tuple(sizes))


def disagreements(pairs: Array, sequence: npt.NDArray[np.int64]) -> float:
    """Weighted disagreements of an order given as objects from first to last."""
    return float(np.tril(pairs[np.ix_(sequence, sequence)], -1).sum())


def improve_by_moving(
    pairs: Array, sequence: npt.NDArray[np.int64], deadline: Deadline = NEVER
) -> npt.NDArray[np.int64]:
    """Move single objects to their best place until no move lowers the cost, or the time is over."""
    best = sequence.copy()
    improved = True
    while improved:
        improved = False
        for item in best.copy():
            if deadline.over:
                return best
            at = int(np.flatnonzero(best == item)[0])
            rest = np.delete(best, at)
            # cost of inserting before rest[p]: those ahead preferred below it, those behind preferred above it
            ahead = np.concatenate([[0.0], np.cumsum(pairs[item, rest])])
            behind = np.concatenate([np.cumsum(pairs[rest, item][::-1])[::-1], [0.0]])
            place = int(np.argmin(ahead + behind))
            if (ahead + behind)[place] < (ahead + behind)[at] - 1e-12:
                best = np.insert(rest, place, item)
                improved = True
    return best


def _components(pairs: Array) -> list[npt.NDArray[np.int64]]:
    """Strongly connected components of the weak majority graph, best first."""
    weak = sparse.csr_array(pairs >= pairs.T)
    count, label = connected_components(weak, directed=True, connection="strong")
    groups = [np.flatnonzero(label == c) for c in range(count)]
    wins = (pairs > pairs.T).sum(axis=1)
    return sorted(groups, key=lambda group: -float(wins[group].mean()))


def _one_component(
    pairs: Array, solver: str, deadline: Deadline
) -> tuple[npt.NDArray[np.int64], float, Certificate | None]:
    """Return the objects in order, a lower bound, and the last program's certificate."""
    n = len(pairs)
    if n == 1:
        return np.zeros(1, dtype=np.int64), 0.0, None
    guess = improve_by_moving(pairs, np.argsort(-pairs.sum(axis=1), kind="stable"), deadline)
    if deadline.over:
        return guess, float(np.minimum(pairs, pairs.T)[np.triu_indices(n, 1)].sum()), None
    if n <= ALL_ROWS_UP_TO:
        solution = _solve(kemeny.build(pairs), solver, deadline)
        return _better(pairs, guess, solution), _bound(solution, pairs), solution.certificate
    triples, solution = _relaxation(pairs, solver, deadline)
    lower = _bound(solution, pairs)
    if solution.x is not None and np.abs(solution.x - np.round(solution.x)).max() > WHOLE:
        solution, lower = _integer(pairs, triples, solver, deadline, lower)
    return _better(pairs, guess, solution), lower, solution.certificate


def _relaxation(pairs: Array, solver: str, deadline: Deadline) -> tuple[kemeny.Triples, Solution]:
    """Solve the linear relaxation, adding broken rows until there is none or the time is over."""
    n = len(pairs)
    first = np.array([[0, 1, 2]], dtype=np.int64)
    triples, program = first, kemeny.build(pairs, triples=first, integer=False)
    with open_session(program, solver) as session:
        while True:
            solution = session.solve(time_limit=deadline.left, raise_on_failure=False)
            if solution.x is None or deadline.over:
                return triples, solution
            broken = kemeny.violated_triples(solution.x, n, ROWS_AT_ONCE)
            if len(broken) == 0:
                return triples, solution
            triples = np.vstack([triples, broken])
            ones = np.ones(len(broken))
            session.add_rows("transitive", coefficients=kemeny.transitivity(n, broken), lower=0 * ones, upper=ones,
                             index=broken)  # fmt: skip


def _integer(
    pairs: Array, triples: kemeny.Triples, solver: str, deadline: Deadline, lower: float
) -> tuple[Solution, float]:
    """Solve the integer program on the rows found, adding broken ones; keep the best bound."""
    n = len(pairs)
    while True:
        solution = _solve(kemeny.build(pairs, triples=triples), solver, deadline)
        lower = max(lower, _bound(solution, pairs))
        if solution.x is None or deadline.over:
            return solution, lower
        broken = kemeny.violated_triples(np.round(solution.x), n, ROWS_AT_ONCE)
        if len(broken) == 0:
            return solution, lower
        triples = np.vstack([triples, broken])


def _solve(program: Program, solver: str, deadline: Deadline) -> Solution:
    words: dict[str, Any] = {"time_limit": deadline.left, "raise_on_failure": False}
    return solve(program, solver, **words)


def _better(pairs: Array, guess: npt.NDArray[np.int64], solution: Solution) -> npt.NDArray[np.int64]:
    """Take the solver's order if it is better than the guess (a point that breaks rows still suggests one)."""
    if solution.x is None:
        return guess
    found = np.argsort(kemeny.read(solution.program, solution), kind="stable")
    found = improve_by_moving(pairs, found)
    return found if disagreements(pairs, found) <= disagreements(pairs, guess) else guess


def _bound(solution: Solution, pairs: Array) -> float:
    floor = float(np.minimum(pairs, pairs.T)[np.triu_indices(len(pairs), 1)].sum())
    return floor if solution.bound is None else max(floor, float(solution.bound))
