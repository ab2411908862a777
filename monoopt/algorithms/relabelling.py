"""Monotone relabelling: the least change of labels after which a better object never has a lower label.

K classes are K - 1 questions "at least class k?", each a program of `monoopt.formulations.monotonization` over the
objects that contradict somebody. With the same tie rule for every k the answers are nested, so they are labels again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.ordinal_data import OrdinalData, read_ordinal_data
from monoopt.errors import CertificateError, OptionError, nearest
from monoopt.formulations import monotonization
from monoopt.order import (
    Directions,
    Loss,
    as_gains,
    dominance_pairs,
    extension_bounds,
    inconsistent,
    loss_table,
    merge_equal,
    steps,
    transitive_reduction,
)
from monoopt.order.comparisons import at_least, blocks
from monoopt.program import Certificate, Program, Solution, certify
from monoopt.solvers import Settings, Solver, get_solver, solve

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

TIES = ("least", "greatest")
CANCELS = 1e-12  # weights of equal objects that add up to less, relative to their sum of sizes, cancel
HALVINGS = 20  # fractional weights are doubled at most so often to make them whole


@dataclass(frozen=True, eq=False)
class Relabelling:
    """New labels, what they cost, and the proof that no monotone labels cost less.

    Attributes
    ----------
    labels : ndarray, shape (n,)
        The new labels, in the user's own values.
    codes : ndarray of int64, shape (n,)
        The same as codes 0..K-1.
    classes : ndarray, shape (K,)
        The labels, worst first.
    cost : float
        Sum of weight times loss between old and new label: the least possible.
    changed : ndarray of int64
        Rows whose label changed.
    certificates : tuple of Certificate
        One per question "at least class k?", k = 1..K-1: its part of the cost and a bound that proves it. The parts
        add up to `cost`.
    solutions : dict of int to Solution
        For every question k that needed solving its solution, with its program.
    data : OrdinalData
        What was relabelled.

    Examples
    --------
    >>> answer = relabel([[1], [2], [3]], ["low", "high", "low"], order=["low", "high"])
    >>> answer.labels, answer.cost, answer.changed, answer.conflicts
    (array(['low', 'low', 'low'], dtype='<U4'), 1.0, array([1]), {1: array([2])})
    """

    labels: npt.NDArray[Any]
    codes: Integers
    classes: npt.NDArray[Any]
    cost: float
    changed: Integers
    certificates: tuple[Certificate, ...]
    solutions: dict[int, Solution] = field(repr=False)
    data: OrdinalData = field(repr=False)

    @cached_property
    def conflicts(self) -> dict[int, Integers]:
        """For every changed row the rows that its old label contradicted (rows of weight 0 left out)."""
        data, old = self.data, self.data.labels.codes
        gains, there = as_gains(data.X, data.directions), data.weights > 0
        found: dict[int, Integers] = {}
        for block in blocks(len(self.changed), len(gains)):
            rows = self.changed[block]
            wrong = at_least(gains[rows], gains) & (old[rows, None] < old)
            wrong |= at_least(gains, gains[rows]).T & (old[rows, None] > old)
            found |= {int(row): np.flatnonzero(line & there) for row, line in zip(rows, wrong, strict=True)}
        return found

    @property
    def share_changed(self) -> float:
        """Fraction of the rows whose label changed."""
        return len(self.changed) / len(self.codes)

    @property
    def ok(self) -> bool:
        """Whether every certificate is."""
        return all(certificate.ok for certificate in self.certificates)

    def __str__(self) -> str:
        """Say how many labels changed, at what cost, and how each attribute goes with the labels."""
        lines = [
            f"{len(self.changed)} of {len(self.codes)} labels changed ({self.share_changed:.1%}), cost {self.cost:g}",
            *(f"at least {self.classes[k]}: {c}" for k, c in enumerate(self.certificates, start=1)),
            *map(str, self.data.agreement),
        ]
        return "\n".join(lines)


def relabel(
    X: Any,
    y: Any,
    *,
    directions: Directions = None,
    sample_weight: Any = None,
    order: Sequence[Any] | None = None,
    loss: Loss = "absolute",
    tie: str = "least",
    solver: str | Solver = "highs",
    time_limit: float | None = None,
    tolerance: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Relabelling:
    """Change the labels as little as possible so that they are monotone.

    minimise    sum_i w_i L(y_i, d_i)   subject to   d_i >= d_j whenever object i is at least as good as object j

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        Objects. NaN, infinite values and text are refused, all cells listed.
    y : array-like, shape (n,)
        Ordered labels of any type; text needs `order`.
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" (comparable only when equal there); None: all gain.
    sample_weight : array-like, shape (n,), optional
        Not negative. Weight k is k copies; an object of weight 0 has no say and gets a label that fits the others.
    order : sequence, optional
        All labels, worst first.
    loss : "absolute", "squared" or array-like, shape (K, K)
        L[true class, new class], zero on the diagonal and convex along each row.
    tie : "least" or "greatest"
        Which of the relabellings of least cost: every label as low, or as high, as any of them has it. It is one and
        the same on every solver.
    solver : str or Solver
        Any solver for linear programs that `available_solvers` lists, or "mincut".
    time_limit : float, optional
        Wall seconds for everything.
    tolerance, options
        Passed to `solve`.

    Returns
    -------
    Relabelling

    Raises
    ------
    DataError
        Every fault of the data in one error.
    CertificateError
        The solver's answer is not good enough to prove the optimum.

    Warns
    -----
    DataWarning
        A declared direction goes against the labels, or no two objects are comparable.

    References
    ----------
    Equation (3) of W. Kotlowski and R. Slowinski, "Rule learning with monotonicity constraints", ICML 2009; reduction
    to inconsistent objects as there. Equal objects are merged, and arcs that follow from others are left out.

    Examples
    --------
    >>> relabel([[1], [2], [3]], [0, 1, 0]).labels
    array([0, 0, 0])
    >>> relabel([[1], [2], [3]], [0, 1, 0], tie="greatest").labels
    array([0, 1, 1])
    """
    data = read_ordinal_data(X, y, directions, sample_weight, order)
    data.warn(stacklevel=3)
    return relabel_data(data, loss, tie, Words(solver, time_limit, tolerance, options))


@dataclass(frozen=True)
class Words:
    """How to solve: the words of `monoopt.solve`, with one time limit for a whole loop of programs."""

    solver: str | Solver = "highs"
    time_limit: float | None = None
    tolerance: float | None = None
    options: Mapping[str, Any] | None = None
    threads: int = 1
    seed: int = 0
    _start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Refuse a solver or a word that can't be, even where nothing will have to be solved."""
        Settings(self.time_limit, self.tolerance, options={} if self.options is None else self.options)
        if isinstance(self.solver, str):
            get_solver(self.solver)

    def left(self) -> float | None:
        """Seconds that are left; never quite zero, so that solvers can say that the limit is reached."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - (time.monotonic() - self._start), 1e-3)

    def solve(self, program: Program) -> Solution:
        """Solve one program within what is left."""
        return solve(
            program,
            self.solver,
            time_limit=self.left(),
            tolerance=self.tolerance,
            threads=self.threads,
            seed=self.seed,
            options=self.options,
        )


def relabel_data(data: OrdinalData, loss: Loss, tie: str, words: Words) -> Relabelling:
    """Relabel data that were read before; the parameters are those of `relabel`."""
    if tie not in TIES:
        raise OptionError(f"tie={tie!r}{nearest(tie, TIES)}; wanted 'least' or 'greatest'")
    old, K = data.labels.codes, data.n_classes
    table = loss_table(loss, K)
    objects, home = merge_equal(data.X)
    answers = [
        _answer(_question(home, old, data.weights, step), objects, data.directions, tie, words) for step in steps(table)
    ]
    _check_nested(answers)
    codes = sum((answer.yes for answer in answers), np.zeros(len(objects), dtype=np.int64))[home]
    return Relabelling(
        labels=data.labels.decode(codes),
        codes=codes,
        classes=data.labels.classes,
        cost=float(data.weights @ table[old, codes]),
        changed=np.flatnonzero(codes != old),
        certificates=tuple(answer.certificate for answer in answers),
        solutions={k: a.solution for k, a in enumerate(answers, start=1) if a.solution is not None},
        data=data,
    )


@dataclass(frozen=True, eq=False)
class _Question:
    """What "yes" costs each distinct object, what is lost whatever the answers, and how large costs could have been."""

    costs: Floats
    base: float
    sizes: Floats


@dataclass(frozen=True, eq=False)
class _Answer:
    """1 for "yes", per distinct object, with the proof and the solution (None: there was nothing to solve)."""

    yes: Integers
    certificate: Certificate
    solution: Solution | None


def _question(home: Integers, codes: Integers, weights: Floats, step: Floats) -> _Question:
    """Merge equal objects: their costs add up, and where they disagree the lighter side is lost."""
    single = weights * step[codes]
    costs, sizes = (np.bincount(home, values).astype(float) for values in (single, np.abs(single)))
    return _Question(costs, float(np.minimum(costs, 0.0).sum() - np.minimum(single, 0.0).sum()), sizes)


def _answer(question: _Question, objects: Floats, directions: npt.NDArray[np.int8], tie: str, words: Words) -> _Answer:
    """Answer one question for all distinct objects.

    Consistent objects keep their answer. Objects whose costs cancel, or that weigh nothing, are in no constraint and
    are completed afterwards.
    """
    costs = question.costs
    decided = np.flatnonzero(np.abs(costs) > CANCELS * question.sizes)
    labels = (costs[decided] < 0).astype(np.int64)
    members = np.flatnonzero(inconsistent(objects[decided], labels, directions)) if len(decided) else decided
    certificate, solution = _nothing_to_solve(question.base), None
    if len(members):
        chosen = decided[members]
        solution, factor = _solved(objects[chosen], costs[chosen], chosen, directions, tie, words)
        certificate = _whole_cost(solution, factor, question.base)
        labels[members] = solution.values("d").astype(np.int64)
    yes = np.full(len(costs), int(tie == "greatest"))
    yes[decided] = labels
    rest = np.setdiff1d(np.arange(len(costs)), decided)
    if len(rest) and len(decided):
        low, high = extension_bounds(objects[decided], labels, directions, objects[rest], n_classes=2)
        yes[rest] = low if tie == "least" else high
    return _Answer(yes, certificate, solution)


def _solved(
    objects: Floats,
    costs: Floats,
    names: Integers,
    directions: npt.NDArray[np.int8],
    tie: str,
    words: Words,
) -> tuple[Solution, float]:
    """Build, solve, read and certify the program of the inconsistent objects; return also the factor on its costs.

    The point of the solution is the extreme optimum itself, 0 or 1.
    """
    pairs = transitive_reduction(dominance_pairs(objects, directions), len(objects))
    factor = whole_factor(costs)
    scaled = costs * factor
    program = monotonization.build(scaled < 0, pairs, np.abs(scaled), names)
    solution = words.solve(program)
    try:
        labels = monotonization.read(program, solution, tie)
    except CertificateError:  # the multipliers can't tell: ask for that very optimum
        twin = monotonization.tilted(program, tie)
        labels = monotonization.read(twin, words.solve(twin), "any")
    x = labels.astype(float)
    vertex = replace(solution, x=x, z=None, objective=program.objective(x))
    whole = bool((program.c == np.round(program.c)).all())
    return replace(vertex, certificate=certify(program, vertex, exact=whole).require()), factor


def _nothing_to_solve(base: float) -> Certificate:
    """No two objects contradict each other, apart from equal ones, where the lighter side is the least that is lost."""
    exact = Fraction(base)
    return Certificate(
        kind="optimality",
        ok=True,
        tolerance=0.0,
        stationarity=0.0,
        sign_violation=0.0,
        complementarity=0.0,
        primal_objective=base,
        dual_objective=base,
        gap=0.0,
        exact=True,
        exact_primal=exact,
        exact_dual=exact,
    )


def _whole_cost(solution: Solution, factor: float, base: float) -> Certificate:
    """Return the program's certificate with its objectives in the user's weights, what equal objects lose included."""
    found = solution.certificate
    assert found is not None  # solve() attaches one to every solution

    def turned(value: Fraction | None) -> Fraction | None:
        return None if value is None else value / Fraction(factor) + Fraction(base)

    return replace(
        found,
        primal_objective=found.primal_objective / factor + base,
        dual_objective=found.dual_objective / factor + base,
        exact_primal=turned(found.exact_primal),
        exact_dual=turned(found.exact_dual),
    )


def whole_factor(costs: Floats) -> float:
    """Return the power of two that makes all costs whole, else 1 / (largest cost): solvers ignore tiny costs.

    Examples
    --------
    >>> whole_factor(np.array([0.5, -0.75])), whole_factor(np.array([0.1, -5.0]))
    (4.0, 0.2)
    """
    for power in range(HALVINGS + 1):
        scaled = np.ldexp(costs, power)
        if (scaled == np.round(scaled)).all() and np.abs(scaled).sum() < 2**53:
            return 2.0**power
    return 1.0 / float(np.abs(costs).max())


def _check_nested(answers: Sequence[_Answer]) -> None:
    """Optima of one tie rule are nested; if they are not, a solver's tolerance is to blame."""
    for k, (easier, harder) in enumerate(pairwise(answers), start=2):
        wrong = np.flatnonzero(harder.yes > easier.yes)
        if len(wrong):
            raise CertificateError(
                f"{len(wrong)} objects are at least class {k} without being at least class {k - 1}: the solver's "
                "tolerance is too coarse for these weights; ask for a smaller tolerance",
                harder.certificate,
            )
