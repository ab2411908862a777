"""LPRules: monotone rule ensembles of provably largest margin, one for every question "at least class k?".

The labels are monotone already. For each question the objects that matter are the border: the minimal objects of the
upper side and the maximal ones of the lower side; an ensemble of monotone rules that separates them with a margin
separates all. LPBoost (`monoopt.formulations.lpboost_master`) starts from one rule per border object, which always
separates (Theorem 3 of Kotlowski and Slowinski, ICML 2009), and column generation proves its margin over all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.algorithms.column_generation import ITERATIONS, TIME, Generated, Limits, Step, generate_columns
from monoopt.algorithms.rule_pricers import (
    EnumerationPricer,
    ProgramPricer,
    RulePricer,
    SearchPricer,
    rule_of,
)
from monoopt.algorithms.short_rules import ShortPricer, count_short_rules, short_rules
from monoopt.errors import OptionError, nearest
from monoopt.formulations import lpboost_master
from monoopt.order import Rule, RuleEnsemble, borders, simplified
from monoopt.program import Certificate
from monoopt.solvers import Solver

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Signs: TypeAlias = npt.NDArray[np.int8]

PRICING = ("search", "enumeration", "program")
GRAIN = 2.0**-40  # weights are whole multiples of it, so that votes add up exactly, in any order, on any machine
DUST = 1e-9  # weights below this share are rounding dust of the solver
LISTED = 500_000  # short rules times objects that go into the master program at once
ZERO = 1e-9  # votes no larger than this are no vote: rounding of weights whose true votes cancel


@dataclass(frozen=True, eq=False)
class Trail:
    """The solutions of all T master programs of one question; `monoopt.algorithms.margin_path` makes a path of them.

    Attributes
    ----------
    rules : tuple of Rule
        Those that had a weight at some time, as they were found.
    weights : csr_array, shape (T, len(rules))
    multipliers : csr_array, shape (T, rows)
        u of the rows of the master program, up to rounding.
    certificates : tuple of Certificate, length T
        Each proves its solution among the rules that its master program had.
    """

    rules: tuple[Rule, ...]
    weights: sparse.csr_array
    multipliers: sparse.csr_array
    certificates: tuple[Certificate, ...]


@dataclass(frozen=True, eq=False)
class TaskFit:
    """The ensemble of one question.

    Attributes
    ----------
    ensemble : RuleEnsemble
        f; weights are positive, sum 1, whole multiples of 2^-40.
    margin : float
        What is maximised: with a hard margin the smallest y_i f(x_i), with a soft one rho - D sum_i w_i xi_i.
    bound : float
        No ensemble of monotone rules reaches more.
    certificate : Certificate
        The proof, or what is missing.
    steps : tuple of Step
        The log of the column generation.
    rows : ndarray of int64
        Objects that were rows of the master program.
    duals : ndarray, shape (rows,)
        u: the objects that hold the margin down.
    stopped : str
        Why the column generation ended.
    trail : Trail
        What the master programs before said.
    chosen : int
        Which of them it is, from 0: the last, unless fewer rules were asked for.
    """

    ensemble: RuleEnsemble
    margin: float
    bound: float
    certificate: Certificate
    steps: tuple[Step, ...] = field(repr=False)
    rows: Integers = field(repr=False)
    duals: Floats = field(repr=False)
    stopped: str
    trail: Trail = field(repr=False)
    chosen: int

    @property
    def limited(self) -> bool:
        """Whether a limit ended it."""
        return self.stopped in (TIME, ITERATIONS)


@dataclass(frozen=True)
class Settings:
    """How to fit one question.

    Attributes
    ----------
    D : float or None
        Penalty of the soft margin per unit of weight; None: hard margin.
    pricing : "search", "enumeration" or "program"
    solver : str or Solver
        For the master program, and for the pricing program.
    limits : Limits
        Of the column generation.
    seed : int
        Of the local search.
    max_conditions : int or None
        Only rules of at most so many conditions (then sums over grids take the place of `pricing`); None: all rules.
    """

    D: float | None = None
    pricing: str = "search"
    solver: str | Solver = "highs"
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    max_conditions: int | None = None

    def short(self, directions: Signs) -> bool:
        """Whether the number of conditions is limited at all, for attributes with these directions."""
        return self.max_conditions is not None and self.max_conditions < len(directions) + int((directions == 0).sum())


def fit_task(
    X: Floats,
    signs: Integers,
    directions: Signs,
    weights: Floats,
    settings: Settings,
    callback: Callable[[Step], object] | None = None,
) -> TaskFit:
    """Fit the ensemble of one question.

    maximise rho - D sum_i w_i xi_i over all ensembles of monotone rules; hard margin: the smallest y_i f(x_i). Rules of
    few conditions may not separate the objects: then the largest hard margin is 0; a soft one still says something.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.
    signs : ndarray, shape (n,)
        +1 or -1, monotone.
    directions : ndarray of int8, shape (d,)
    weights : ndarray, shape (n,)
        Positive.
    settings : Settings
    callback : callable, optional
        Called with every `Step`.

    Returns
    -------
    TaskFit

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0]]), np.array([1], dtype=np.int8)
    >>> fit = fit_task(X, np.array([-1, 1, 1]), up, np.ones(3), Settings())
    >>> fit.margin, fit.bound, fit.certificate.ok
    (0.5, 0.5, True)
    >>> print(fit.ensemble.text())
    if x0 >= 2 then +1 (weight 0.5)
    if x0 <= 1 then -1 (weight 0.5)
    """
    D = lpboost_master.penalty(settings.D, weights)
    minimal, maximal = borders(X, signs, directions)
    border = np.sort(np.concatenate([minimal, maximal]))
    rows = border if D is None else np.arange(len(X))
    start = _first_rules(X, signs, directions, rows, border, settings)
    seen = X[rows]
    answers = np.column_stack([rule.answers(seen) for rule in start])
    program = lpboost_master.build(signs[rows], answers, D, weights[rows], rows)
    pricer = make_pricer(settings, seen, signs[rows], directions)
    found = generate_columns(
        program, pricer, start, bound=1.0, limits=settings.limits, solver=settings.solver, callback=callback
    )
    return _fit(found, X, signs, D, rows)


def make_pricer(settings: Settings, X: Floats, signs: Integers, directions: Signs) -> RulePricer:
    """Return the pricer that the settings name."""
    if settings.short(directions):
        return ShortPricer(X, signs, directions, int(settings.max_conditions or 0))
    if settings.pricing == "search":
        return SearchPricer(X, signs, directions, seed=settings.seed)
    if settings.pricing == "enumeration":
        return EnumerationPricer(X, signs, directions)
    if settings.pricing == "program":
        return ProgramPricer(X, signs, directions, solver=settings.solver)
    hint = nearest(settings.pricing, PRICING)
    raise OptionError(f"pricing={settings.pricing!r}{hint}; wanted one of {', '.join(PRICING)}")


def _first_rules(
    X: Floats, signs: Integers, directions: Signs, rows: Integers, border: Integers, settings: Settings
) -> list[Rule]:
    """Rules that the master program starts from: all of them, if they are short and not too many."""
    if not settings.short(directions):
        return [cone_rule(X[i], directions, bool(signs[i] > 0)) for i in border]
    most = int(settings.max_conditions or 0)
    if count_short_rules(X[rows], directions, most) * len(rows) <= LISTED:
        return short_rules(X[rows], directions, most)
    return [Rule(True, ()), Rule(False, ())]


def cone_rule(x: Floats, directions: Signs, positive: bool) -> Rule:
    """Return the rule that covers what is at least (positive) or at most (negative) as good as x.

    Examples
    --------
    >>> cone_rule(np.array([1.0, 5.0, 2.0]), np.array([1, -1, 0], dtype=np.int8), True).text(["a", "b", "c"])
    'if a >= 1 and b <= 5 and c >= 2 and c <= 2 then +1'
    """
    turned = directions if positive else 0 - directions
    return rule_of(np.where(turned >= 0, x, -np.inf), np.where(turned <= 0, x, np.inf), positive)


def whole_grains(weights: Floats) -> Floats:
    """Round weights to whole multiples of 2^-40 with sum exactly 1; the heaviest takes the difference.

    Examples
    --------
    >>> w = whole_grains(np.array([1.0, 1.0, 1.0]) / 3)
    >>> float(w.sum()), float(abs(w * 3 - 1).max()) < 1e-11
    (1.0, True)
    """
    grains = np.round(weights / GRAIN)
    grains[np.argmax(grains)] += np.round(1.0 / GRAIN) - grains.sum()
    return grains * GRAIN


def readable(rules: Sequence[Rule], weights: Floats, X: Floats) -> RuleEnsemble:
    """Rules of more weight than dust, simplified on X and equal ones joined, with weights in whole grains.

    Examples
    --------
    >>> X, low, high = np.array([[1.0], [3.0]]), rule_of(np.array([2.0]), np.array([np.inf]), True), Rule(True, ())
    >>> print(readable([low, high, low], np.array([1.0, 1e-12, 1.0]), X).text())
    if x0 >= 2 then +1 (weight 1)
    """
    joined: dict[Rule, float] = {}
    used = np.flatnonzero(weights > DUST * weights.sum())
    for t, rule in zip(used, simplified([rules[int(t)] for t in used], X), strict=True):
        joined[rule] = joined.get(rule, 0.0) + float(weights[t])
    ordered = sorted(joined, key=reading_order)
    shares = np.array([joined[rule] for rule in ordered])
    grains = whole_grains(shares / shares.sum())
    kept = np.flatnonzero(grains > 0)
    return RuleEnsemble(tuple(ordered[t] for t in kept), grains[kept])


def reading_order(rule: Rule) -> tuple[bool, list[tuple[int, str, float]]]:
    """Sort key: positive rules first, then by conditions."""
    return not rule.positive, [(c.attribute, c.side, c.threshold) for c in rule.conditions]


def _fit(found: Generated, X: Floats, signs: Integers, D: float | None, rows: Integers) -> TaskFit:
    """Return the last ensemble; without a solution all first rules weigh the same (Theorem 3)."""
    solution, trail = found.solution, _trail(found, len(rows))
    weights = np.ones(len(found.items)) if solution.x is None else np.maximum(solution.values("a"), 0.0)
    ensemble = readable(found.items, weights, X)
    margins = signs * ensemble.decision(X)
    hard = D is None
    bound = 1.0 if solution.bound is None else float(solution.bound)
    margin = float(margins.min()) if hard or solution.objective is None else min(float(solution.objective), bound)
    duals = lpboost_master.object_duals(solution.program, solution.y)
    last = len(found.steps) - 1
    return TaskFit(ensemble, margin, bound, found.certificate, found.steps, rows, duals, found.stopped, trail, last)


def _trail(found: Generated, rows: int) -> Trail:
    """Put the solutions of all master programs together, without rules that never had a weight."""
    program = found.solution.program
    a, margin = program.block("a"), program.row_block("margin")
    weights = _positive([(at.columns - a.start, at.values) for at in found.iterates], len(found.items))
    ever = np.unique(weights.indices)
    return Trail(
        tuple(found.items[t] for t in ever),
        sparse.csr_array(weights[:, ever]),
        _positive([(at.rows - margin.start, -at.multipliers) for at in found.iterates], rows),
        tuple(at.certificate for at in found.iterates),
    )


def _positive(rows: Sequence[tuple[Integers, Floats]], width: int) -> sparse.csr_array:
    """A sparse matrix from places and values of every row; what is not positive, or lies outside, is left out."""
    kept = [(places >= 0) & (places < width) & (values > 0) for places, values in rows]
    ends = np.concatenate([[0], np.cumsum([keep.sum() for keep in kept], dtype=np.int64)])
    none = np.empty(0)
    values = np.concatenate([none, *(own[keep] for (_, own), keep in zip(rows, kept, strict=True))])
    places = np.concatenate([none, *(own[keep] for (own, _), keep in zip(rows, kept, strict=True))])
    return sparse.csr_array((values, places.astype(np.int64), ends), shape=(len(rows), width))
