"""Monotone estimates of P(y >= k | x): by isotonic regression, by a regression on short rules, or by both.

Isotonic regression (`monoopt.formulations.isotonic_regression`) says something only at objects seen; a new object is
put in the middle between the best below and the worst above it (Barile and Feelders, ICDM 2008). A sum of short rules
(`monoopt.formulations.rule_regression`) says something everywhere and may be too simple. Every mixture of the two is
monotone too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.lprules import DUST, GRAIN
from monoopt.algorithms.short_rules import short_rules
from monoopt.formulations import isotonic_regression, rule_regression
from monoopt.order import Rule, RuleEnsemble, dominance_pairs, extension_bounds, transitive_reduction
from monoopt.program import Certificate
from monoopt.solvers import Solver, solve

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Signs: TypeAlias = npt.NDArray[np.int8]

PRECISE = 1e-9  # asked of solvers: at their own tolerances some stop short of a certificate
FINE = 2.0**-30  # probabilities are whole multiples of it, so that a half is a half


@dataclass(frozen=True, eq=False)
class ClassProbabilities:
    """Fitted estimates for all questions.

    Attributes
    ----------
    objects : ndarray, shape (m, d)
        Distinct training objects.
    isotonic : ndarray, shape (K-1, m)
        Isotonic estimates at them, not increasing along the questions.
    directions : ndarray of int8, shape (d,)
    ensembles : tuple of RuleEnsemble or None
        Sums of rules, one per question; None: isotonic regression alone.
    share : float
        Weight of the isotonic estimate in the mixture.
    certificates : tuple of Certificate
        Of every program solved.
    """

    objects: Floats
    isotonic: Floats
    directions: Signs
    ensembles: tuple[RuleEnsemble, ...] | None
    share: float
    certificates: tuple[Certificate, ...] = field(repr=False)

    def at(self, objects: Floats, X: Floats, bits: npt.NDArray[np.uint8]) -> Floats:
        """Return P(y >= k | x) for new objects, shape (m, K-1), not increasing in k, monotone in x.

        Parameters
        ----------
        objects : ndarray
            The training objects, in the precision of the new ones.
        X : ndarray, shape (m, d)
        bits : ndarray of uint8, shape (d,)
            Their common precision.
        """
        mixed = np.zeros((len(self.isotonic), len(X)))
        if self.ensembles is None or self.share > 0:
            mixed += (1.0 if self.ensembles is None else self.share) * self._between(objects, X)
        if self.ensembles is not None and self.share < 1:
            sums = [ensemble.at_precision(bits).decision(X) for ensemble in self.ensembles]
            mixed += (1.0 - self.share) * nested(np.clip(np.reshape(sums, mixed.shape), 0.0, 1.0))
        return np.round(mixed / FINE).T * FINE

    def _between(self, objects: Floats, X: Floats) -> Floats:
        """Middle between the largest estimate below and the smallest above; 0 and 1 where there is none."""
        levels, places = np.unique(np.concatenate([[0.0, 1.0], self.isotonic.ravel()]), return_inverse=True)
        found = []
        for codes in places[2:].reshape(self.isotonic.shape):
            low, high = extension_bounds(objects, codes, self.directions, X, n_classes=len(levels))
            found.append((levels[np.minimum(low, high)] + levels[np.maximum(low, high)]) / 2)
        return np.reshape(found, (len(self.isotonic), len(X)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, without objects, directions and certificates."""
        ensembles = None if self.ensembles is None else [ensemble.to_dict() for ensemble in self.ensembles]
        return {"isotonic": self.isotonic.tolist(), "ensembles": ensembles, "share": self.share}


@dataclass(frozen=True)
class Words:
    """How to fit class probabilities.

    Attributes
    ----------
    max_conditions : int or None
        Of the short rules; None: isotonic regression alone.
    share : float
        Weight of the isotonic estimate.
    cuts : int or None
        Thresholds per side of an attribute that rules may use.
    isotonic_solver, rule_solver : str or Solver
    """

    max_conditions: int | None = None
    share: float = 0.5
    cuts: int | None = 32
    isotonic_solver: str | Solver = "partition"
    rule_solver: str | Solver = "nnls"


def fit_probabilities(X: Floats, counts: Floats, directions: Signs, words: Words) -> ClassProbabilities:
    """Estimate P(y >= k | x) for all questions.

    Parameters
    ----------
    X : ndarray, shape (m, d)
        Distinct objects.
    counts : ndarray, shape (K, m)
        Weight of each class at each object; every object has some.
    directions : ndarray of int8, shape (d,)
    words : Words

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0]]), np.array([1], dtype=np.int8)
    >>> fit_probabilities(X, np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 2.0]]), up, Words()).isotonic
    array([[0.5, 0.5, 1. ]])
    """
    isotonic, proofs = isotonic_estimates(X, counts, directions, words.isotonic_solver)
    ensembles = None
    if words.max_conditions is not None:
        ensembles, more = sums_of_rules(X, counts, directions, words)
        proofs += more
    return ClassProbabilities(X, isotonic, directions, ensembles, float(words.share), tuple(proofs))


def isotonic_estimates(
    X: Floats, counts: Floats, directions: Signs, solver: str | Solver
) -> tuple[Floats, list[Certificate]]:
    """Return the isotonic estimates of all questions at the objects, shape (K-1, m), and their proofs."""
    below, above = _sides(counts)
    isotonic, proofs = np.empty(above.shape), []
    for k in range(len(above)):
        isotonic[k], proof = isotonic_at(X, below[k], above[k], directions, solver)
        proofs += proof
    return nested(isotonic), proofs


def sums_of_rules(
    X: Floats, counts: Floats, directions: Signs, words: Words
) -> tuple[tuple[RuleEnsemble, ...], list[Certificate]]:
    """Return the sums of short rules of all questions, and their proofs."""
    rules = short_rules(X, directions, words.max_conditions or 0, words.cuts)
    answers = np.column_stack([rule.answers(X) for rule in rules])
    sides = zip(*_sides(counts), strict=True)
    found = [_sum_of_rules(rules, answers, below, above, words.rule_solver) for below, above in sides]
    return tuple(ensemble for ensemble, _ in found), [proof for _, proof in found]


def _sides(counts: Floats) -> tuple[Floats, Floats]:
    """Weight of the labels "no" and "yes" of every question at each object."""
    return np.cumsum(counts, axis=0)[:-1], np.cumsum(counts[::-1], axis=0)[::-1][1:]


def isotonic_at(
    X: Floats, below: Floats, above: Floats, directions: Signs, solver: str | Solver
) -> tuple[Floats, list[Certificate]]:
    """Isotonic regression of the shares above / (below + above); objects that contradict nobody keep 0 or 1.

    Parameters
    ----------
    X : ndarray, shape (m, d)
        Distinct objects.
    below, above : ndarray, shape (m,)
        Weight of the labels "no" and "yes" at each object.
    directions : ndarray of int8, shape (d,)
    solver : str or Solver

    Returns
    -------
    p : ndarray, shape (m,)
    certificates : list of Certificate
        One, or none if nothing had to be solved.
    """
    sure, possible = (below == 0).astype(np.int64), (above > 0).astype(np.int64)
    worst_above = extension_bounds(X, sure, directions, X, n_classes=2)[1]
    best_below = extension_bounds(X, possible, directions, X, n_classes=2)[0]
    open_ = np.flatnonzero(worst_above != best_below)
    p = sure.astype(float)
    if not len(open_):
        return p, []
    pairs = transitive_reduction(dominance_pairs(X[open_], directions), len(open_))
    weights = below + above
    even = weights[open_] / weights[open_].mean()  # tiny weights would pass for zero in a solver
    program = isotonic_regression.build(above[open_] / weights[open_], pairs, even, open_)
    solution = solve(program, solver, tolerance=PRECISE)
    p[open_] = isotonic_regression.read(program, solution)
    assert solution.certificate is not None
    return p, [solution.certificate]


def nested(q: Floats) -> Floats:
    """Make estimates not increasing along the questions: the mean of the least before and the largest after.

    Both are monotone in every estimate, so what was monotone in x stays so; what is nested already stays as it is.

    Examples
    --------
    >>> nested(np.array([[0.5], [0.7], [0.1]]))
    array([[0.6],
           [0.6],
           [0.1]])
    """
    if not len(q):
        return q
    before = np.minimum.accumulate(q, axis=0)
    after = np.maximum.accumulate(q[::-1], axis=0)[::-1]
    return (before + after) / 2


def _sum_of_rules(
    rules: list[Rule], answers: npt.NDArray[np.int8], below: Floats, above: Floats, solver: str | Solver
) -> tuple[RuleEnsemble, Certificate]:
    weights = below + above
    program = rule_regression.build(above / weights, answers, weights / weights.mean())
    solution = solve(program, solver, tolerance=PRECISE)
    assert solution.certificate is not None
    grains = np.round(rule_regression.read(program, solution) / GRAIN) * GRAIN
    used = np.flatnonzero(grains > DUST)
    return RuleEnsemble(tuple(rules[t] for t in used), grains[used]), solution.certificate
