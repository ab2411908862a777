"""Pricers for LPBoost over all monotone rules: three ways to the same optimum, to be exchanged and compared.

"search" is fast (`monoopt.algorithms.rule_search`), "enumeration" lists all distinct rules once, "program" solves
the integer program of `monoopt.formulations.rule_pricing` with any solver.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.algorithms.column_generation import Priced
from monoopt.algorithms.rule_search import RuleSearch
from monoopt.errors import DataError
from monoopt.formulations import rule_pricing
from monoopt.formulations.lpboost_master import coefficients, object_duals
from monoopt.order import Condition, Rule, as_gains
from monoopt.program import Program
from monoopt.solvers import Solver, solve

Floats: TypeAlias = npt.NDArray[np.float64]
Signs: TypeAlias = npt.NDArray[np.int8]

COLUMNS = 20  # rules per sign and call
SMOOTHING = 0.3  # for `Limits`: a third fewer columns, up to half the time on 500 objects x 13 real attributes
BOUND_FROM = 8  # calls after which some bound is proved at every power of two
BOUND_FACTORS = (1.0, 1.2, 1.5, 2.0)  # times the best edge known: the larger the easier to prove
BOUND_NODES = 2_000
PROOF = 1e-3  # of the tolerance: how near to the edge at hand the search proves that there is nothing above
MOST_CELLS = 20_000_000  # rules times objects that are listed at most


@dataclass(frozen=True, eq=False)
class Found:
    """Rules found by one call, and what it proved.

    Attributes
    ----------
    rules : list of Rule
        Best first.
    edge : float
        Of the first rule; 0 if there is none.
    bound : float
        No monotone rule has a larger edge.
    complete : bool
        Whether the best rule is among them, or there is none above the threshold.
    """

    rules: list[Rule]
    edge: float
    bound: float
    complete: bool


class RulePricer(ABC):
    """Find monotone rules of large edge sum_i u_i y_i r(x_i).

    Parameters
    ----------
    X : ndarray, shape (n, d)
        The objects that are rows of the master program.
    signs : ndarray, shape (n,)
        y: +1 or -1.
    directions : ndarray of int8, shape (d,)
    """

    def __init__(self, X: Floats, signs: npt.NDArray[np.int64], directions: Signs) -> None:
        self.X, self.signs, self.directions = X, signs, directions

    @abstractmethod
    def best(self, u: Floats, edge: float, tolerance: float, time_limit: float | None) -> Found:
        """Return rules whose edge is larger than `edge` by more than the tolerance, and a bound on all edges."""

    def price(self, program: Program, y: Floats, *, tolerance: float, time_limit: float | None) -> Priced:
        """Answer the column generation: the largest edge of any rule bounds the margin of every ensemble."""
        return self._priced(program, y, tolerance, time_limit, self.best)

    def _priced(
        self, program: Program, y: Floats, tolerance: float, time_limit: float | None, best: Callable[..., Found]
    ) -> Priced:
        u = object_duals(program, y)
        rows, columns = program.row_block("margin").slice, program.block("a")
        edge = float((program.A[rows, columns].T @ u).max())
        found = best(u, edge, tolerance, time_limit)
        if found.rules:
            answers = np.column_stack([rule.answers(self.X) for rule in found.rules])
            entries = coefficients(self.signs, answers)
        else:
            entries = sparse.csr_array((program.shape[0], 0))
        bound, guess = max(found.bound, edge), max(found.edge, edge)
        return Priced(entries, np.zeros(len(found.rules)), found.rules, bound, found.complete, guess)


class SearchPricer(RulePricer):
    """Local search for several rules at once; exact search only when it finds none of either sign."""

    def __init__(self, X: Floats, signs: npt.NDArray[np.int64], directions: Signs, *, seed: int = 0) -> None:
        super().__init__(X, signs, directions)
        self._search = RuleSearch(X, signs, directions, seed=seed)
        self._calls, self._least_bound = 0, 1.0

    def best(self, u: Floats, edge: float, tolerance: float, time_limit: float | None) -> Found:
        """Take what a glance finds above the tolerance, else search; else prove how little more there is."""
        clock = _clock(time_limit)
        found = self._glance(u, edge, tolerance, clock)
        if not found.rules and not found.complete:
            found = self._both(u, edge + tolerance, clock, prove=False)
        if found.rules:
            return found
        proof = self._both(u, edge + PROOF * tolerance, clock, prove=True)
        return found if found.complete and not proof.complete else proof

    def quick(self, program: Program, y: Floats, *, tolerance: float, time_limit: float | None) -> Priced:
        """Look for rules by local search, now and then with a bound."""
        clock = _clock(time_limit)
        return self._priced(program, y, tolerance, None, lambda u, edge, least, _: self._glance(u, edge, least, clock))

    def _glance(self, u: Floats, edge: float, tolerance: float, clock: float) -> Found:
        self._calls += 1
        found = self._both(u, edge + tolerance, clock, prove=False, node_limit=0)
        if self._calls < BOUND_FROM or self._calls.bit_count() != 1 or found.complete:
            return found
        return replace(found, bound=min(found.bound, self._some_bound(u, max(found.edge, edge), clock)))

    def _some_bound(self, u: Floats, edge: float, clock: float) -> float:
        """Prove within a few nodes what no rule exceeds, so that a run that is stopped has a gap worth stating."""
        bound = 1.0
        for factor in BOUND_FACTORS:
            if factor * edge >= self._least_bound:
                break
            found = self._both(u, factor * edge, clock, prove=True, node_limit=BOUND_NODES)
            bound = min(bound, found.bound)
            if found.complete:
                break
        self._least_bound = min(self._least_bound, bound)
        return bound

    def _both(self, u: Floats, threshold: float, clock: float, *, prove: bool, node_limit: int | None = None) -> Found:
        """Search both signs; without proof, rules of one sign are reason enough to leave the other one unproved."""
        pairs: list[tuple[float, Rule]] = []
        bound, complete = threshold, True
        for sign in (1, -1):
            found = self._search.best(
                u,
                sign,
                threshold=threshold,
                columns=COLUMNS,
                prove=prove,
                node_limit=0 if pairs and not prove else node_limit,
                time_limit=max(clock - time.monotonic(), 0.0),
            )
            bound, complete = max(bound, found.bound), complete and found.proved
            conditions = zip(found.values, found.lower, found.upper, strict=True)
            pairs += [(float(value), rule_of(lower, upper, sign > 0)) for value, lower, upper in conditions]
        pairs.sort(key=lambda pair: -pair[0])
        return Found([rule for _, rule in pairs], pairs[0][0] if pairs else 0.0, bound, complete)


def _clock(time_limit: float | None) -> float:
    """Return the value of ``time.monotonic()`` at which to stop."""
    return float("inf") if time_limit is None else time.monotonic() + time_limit


class EnumerationPricer(RulePricer):
    """All distinct rules, listed once; every call is one matrix product.

    Raises
    ------
    DataError
        There are too many to list.
    """

    def __init__(self, X: Floats, signs: npt.NDArray[np.int64], directions: Signs) -> None:
        super().__init__(X, signs, directions)
        self.rules = [*distinct_rules(X, signs, directions, True), *distinct_rules(X, signs, directions, False)]
        self._gains = np.column_stack([rule.answers(X) for rule in self.rules]).T * signs.astype(np.float64)

    def best(self, u: Floats, edge: float, tolerance: float, time_limit: float | None) -> Found:
        """Weigh all of them."""
        edges = self._gains @ u
        order = np.argsort(-edges, kind="stable")[: 2 * COLUMNS]
        best = float(edges.max())
        return Found([self.rules[t] for t in order if edges[t] > edge + tolerance], best, best, True)


class ProgramPricer(RulePricer):
    """The integer program, solved once per sign; its bound is the solver's word."""

    def __init__(
        self,
        X: Floats,
        signs: npt.NDArray[np.int64],
        directions: Signs,
        *,
        solver: str | Solver = "highs",
    ) -> None:
        super().__init__(X, signs, directions)
        self.solver = solver

    def best(self, u: Floats, edge: float, tolerance: float, time_limit: float | None) -> Found:
        """Solve both programs over the objects that count."""
        there = np.flatnonzero(u > 0)
        rules: list[tuple[float, Rule]] = []
        bounds, complete = [0.0], True
        for positive in (True, False):
            v = u[there] * self.signs[there] * (1 if positive else -1)
            program = rule_pricing.build(self.X[there], v, self.directions, positive, there)
            share = None if time_limit is None else time_limit / 2
            solution = solve(program, self.solver, time_limit=share, raise_on_failure=False)
            bounds.append(float(v[v > 0].sum()) if solution.bound is None else solution.bound)
            complete &= solution.optimal
            if solution.objective is not None and solution.objective > edge + tolerance:
                ends = rule_pricing.read(program, solution, self.X[there], self.directions, positive)
                rules.append((solution.objective, rule_of(*ends, positive)))
        rules.sort(key=lambda pair: -pair[0])
        return Found([rule for _, rule in rules], rules[0][0] if rules else 0.0, max(bounds), complete)


def rule_of(lower: Floats, upper: Floats, positive: bool) -> Rule:
    """Return the rule with conditions lower <= x <= upper; infinite ones are no conditions.

    Examples
    --------
    >>> rule_of(np.array([2.0, -np.inf]), np.array([np.inf, 5.0]), True).text()
    'if x0 >= 2 and x1 <= 5 then +1'
    """
    conditions = []
    for j, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        if low > -np.inf:
            conditions.append(Condition(j, ">=", low))
        if high < np.inf:
            conditions.append(Condition(j, "<=", high))
    return Rule(positive, tuple(conditions))


def distinct_rules(X: Floats, signs: npt.NDArray[np.int64], directions: Signs, positive: bool) -> list[Rule]:
    """List the monotone rules of one sign that differ in what they cover; all cover some object of their sign.

    Side by side the thresholds are added, and of rules that cover the same objects one stays.

    Raises
    ------
    DataError
        More than 20 million rules times objects.

    Examples
    --------
    >>> up = np.array([1], dtype=np.int8)
    >>> [rule.text() for rule in distinct_rules(np.array([[1.0], [2.0]]), np.array([-1, 1]), up, True)]
    ['if x0 >= 2 then +1']
    """
    turn = 1 if positive else -1
    sides = as_gains(X, directions) * turn + 0.0
    own = signs == turn
    if not own.any():
        return []
    covers = np.ones((1, len(X)), dtype=bool)
    asked = np.empty((1, 0))
    for side in sides.T:
        thresholds = np.unique(side[own])
        if len(covers) * len(thresholds) * len(X) > MOST_CELLS:
            raise DataError(
                f"too many rules to list them ({len(X)} objects, {sides.shape[1]} sides): take pricing='search'"
            )
        wider = (covers[:, None, :] & (side >= thresholds[:, None])).reshape(-1, len(X))
        levels = np.column_stack([np.repeat(asked, len(thresholds), axis=0), np.tile(thresholds, len(covers))])
        _, first = np.unique(np.packbits(wider, axis=1), axis=0, return_index=True)
        first = first[wider[np.ix_(first, own)].any(axis=1)]
        covers, asked = wider[first], levels[first]
    return [rule_of(*rule_pricing.conditions(levels, directions, positive), positive) for levels in asked]
