"""One question "at least class k?" of the relabelling: merge, reduce to what contradicts, solve, prove, complete.

Up to `WRITTEN_OUT` objects the program is written out and any solver solves it. Beyond, "highs" and "mincut" stand for
exact minimum cuts on the sparse dominance graph (`monoopt.algorithms.nested_cuts`); any other solver gets the program
with that graph's extra nodes as columns.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.dominance_cut import Contradictions, Cut, in_units
from monoopt.algorithms.nested_cuts import completed, nested_cuts
from monoopt.algorithms.words import Words
from monoopt.errors import CertificateError, DataWarning
from monoopt.formulations import monotonization
from monoopt.formulations.closures import exact_vertex
from monoopt.order import dominance_pairs, inconsistent, transitive_reduction
from monoopt.order.steiner import steiner_graph
from monoopt.program import Certificate, Solution

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

CANCELS = 1e-12  # weights of equal objects that add up to less, relative to their sum of sizes, cancel
WRITTEN_OUT = 5_000  # objects: up to here their pairs are listed
DIRECT = ("highs", "mincut")
TOLERANCE = 1e-9  # of the gap where weights had to be rounded to 61 bits
BEYOND = (
    "weights and losses need more than 61 bits: labels are best up to the gap that their certificates state, and of "
    "labels that cost the same but for that, others may be what the tie rule asks for; round weights and losses to "
    "fewer digits, to whole numbers for example"
)
HALVINGS = 20  # fractional weights are doubled at most so often to make them whole


@dataclass(frozen=True, eq=False)
class Question:
    """What "yes" costs each distinct object, what is lost whatever the answers, and how large costs could have been."""

    costs: Floats
    base: float
    sizes: Floats


@dataclass(frozen=True, eq=False)
class Answer:
    """1 for "yes", per distinct object, with its proof.

    The proof is a solution or, where the program was not written out, contradictions; None of both: nothing to solve.
    """

    yes: Integers
    certificate: Certificate
    solution: Solution | None = None
    contradictions: Contradictions | None = None


def merge_costs(home: Integers, codes: Integers, weights: Floats, step: Floats) -> Question:
    """Merge equal objects: their costs add up, and where they disagree the lighter side is lost."""
    single = weights * step[codes]
    costs, sizes = (np.bincount(home, values).astype(float) for values in (single, np.abs(single)))
    return Question(costs, float(np.minimum(costs, 0.0).sum() - np.minimum(single, 0.0).sum()), sizes)


def answer_question(
    question: Question, objects: Floats, directions: npt.NDArray[np.int8], tie: str, words: Words
) -> Answer:
    """Answer one question for all distinct objects.

    Consistent objects keep their answer. Objects whose costs cancel, or that weigh nothing, are in no constraint and
    are completed afterwards.
    """
    costs = question.costs
    decided = _decided(question)
    labels = (costs[decided] < 0).astype(np.int64)
    members = np.flatnonzero(inconsistent(objects[decided], labels, directions)) if len(decided) else decided
    certificate, solution = _settled(question.base, question.base), None
    if len(members):
        chosen = decided[members]
        solution, factor = _solved(objects[chosen], costs[chosen], chosen, directions, tie, words)
        certificate = _whole_cost(solution, factor, question.base)
        labels[members] = solution.values("d")[: len(members)].astype(np.int64)
    return Answer(completed(objects, decided, labels, directions, tie), certificate, solution)


def by_cuts(questions: Sequence[Question], words: Words) -> bool:
    """Whether the questions are answered without writing programs out: for many objects, unless told otherwise."""
    most = max((len(_decided(question)) for question in questions), default=0)
    return most > WRITTEN_OUT and words.solver in DIRECT and not words.options


def answers_by_cuts(
    questions: Sequence[Question], objects: Floats, directions: npt.NDArray[np.int8], tie: str, words: Words
) -> Iterator[tuple[int, Answer]]:
    """Answer all questions without writing programs out; yield number and answer as they come, the middle one first."""
    costs = np.zeros((len(questions), len(objects)))
    for k, question in enumerate(questions):
        there = _decided(question)
        costs[k, there] = question.costs[there]
    costs = np.maximum.accumulate(costs)  # what cancels but for rounding must not undo their order
    units, unit, exact = in_units(costs.ravel())
    if exact:
        cuts = nested_cuts(objects, units.reshape(costs.shape), directions, tie, words.in_time)
        yield from ((k, _proved(questions[k], found, unit, True)) for k, found in cuts)
        return
    warnings.warn(BEYOND, DataWarning, stacklevel=2)
    for k, question in enumerate(questions):  # each alone: its own unit is as small as can be
        units, unit, exact = in_units(costs[k])
        _, found = next(nested_cuts(objects, units[None], directions, tie, words.in_time))
        yield k, _proved(question, found, unit, exact)


def _proved(question: Question, found: Cut, unit: float, exact: bool) -> Answer:
    """Return a cut with its certificate in the user's weights; refuse one that proves nothing."""
    base, proof = Fraction(question.base), replace(found.proof, unit=unit)
    proved = proof.total * Fraction(unit) + base
    lost = question.costs[(question.costs > 0) == (found.labels == 1)]
    cost = proved if exact else Fraction(math.fsum(np.abs(lost))) + base
    certificate = _settled(cost, proved)
    if not certificate.ok:
        raise CertificateError(
            f"weights or losses that differ this much can't be told apart: {certificate}", certificate
        )
    return Answer(found.labels, certificate, contradictions=proof)


def _decided(question: Question) -> Integers:
    """Objects whose costs do not cancel."""
    return np.flatnonzero(np.abs(question.costs) > CANCELS * question.sizes)


def _solved(
    objects: Floats,
    costs: Floats,
    names: Integers,
    directions: npt.NDArray[np.int8],
    tie: str,
    words: Words,
) -> tuple[Solution, float]:
    """Build, solve, read and certify the program of the inconsistent objects; return also the factor on its costs.

    The point of the solution is the extreme optimum itself, 0 or 1, and its proof has no gap: scaling by a power of two
    rounds nothing, and what the solver's multipliers lack is completed exactly.
    """
    pairs, extra = _order(objects, costs, directions)
    costs, names = np.append(costs, np.zeros(extra)), np.append(names, names.max() + 1 + np.arange(extra))
    factor = whole_factor(costs)
    scaled = costs * factor
    program = monotonization.build(scaled < 0, pairs, np.abs(scaled), names)
    return exact_vertex(program, words.solve(program), tie), factor


def _order(objects: Floats, costs: Floats, directions: npt.NDArray[np.int8]) -> tuple[Integers, int]:
    """Return pairs that imply the order as far as it matters, and how many extra nodes they use."""
    if len(objects) <= WRITTEN_OUT:
        return transitive_reduction(dominance_pairs(objects, directions), len(objects)), 0
    tails, heads, nodes = steiner_graph(objects, directions, costs > 0, costs < 0)
    return np.column_stack([tails, heads]).astype(np.int64), nodes - len(objects)


def _settled(cost: float | Fraction, bound: float | Fraction) -> Certificate:
    """Return the certificate of a cost and a bound that are known exactly, without a program."""
    exact_cost, exact_bound = Fraction(cost), Fraction(bound)
    gap = float(abs(exact_cost - exact_bound) / max(Fraction(1), abs(exact_cost)))
    tolerance = 0.0 if gap == 0 else TOLERANCE
    return Certificate(
        kind="optimality",
        ok=gap <= tolerance,
        tolerance=tolerance,
        stationarity=0.0,
        sign_violation=0.0,
        complementarity=0.0,
        primal_objective=float(exact_cost),
        dual_objective=float(exact_bound),
        gap=gap,
        exact=True,
        exact_primal=exact_cost,
        exact_dual=exact_bound,
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
    """Return the power of two that makes all costs whole, else the largest one at most 1: solvers ignore tiny costs.

    Examples
    --------
    >>> whole_factor(np.array([0.5, -0.75])), whole_factor(np.array([0.1, -5.0]))
    (4.0, 0.125)
    """
    for power in range(HALVINGS + 1):
        scaled = np.ldexp(costs, power)
        if (scaled == np.round(scaled)).all() and np.abs(scaled).sum() < 2**53:
            return 2.0**power
    largest = int(np.frexp(costs)[1].max())
    lossless = np.array_equal(np.ldexp(np.ldexp(costs, -largest), largest), costs) and abs(largest) < 1000
    return float(np.ldexp(1.0, -largest)) if lossless else 1.0
