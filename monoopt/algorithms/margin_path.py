"""The path of column generation, one ensemble per master program: from a rule per border object to the largest margin.

Every master program of `monoopt.algorithms.lprules` has an ensemble as its solution: the best among the rules known by
then. Its margin rises as rules are found, and the bound over all rules is known at every step. With a hard margin every
ensemble of positive margin separates all objects, also an early one of fewer rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.algorithms.lprules import DUST, ZERO, TaskFit, readable
from monoopt.order import Rule, RuleEnsemble, simplified

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

AT_ONCE = 20_000_000  # answers of rules to objects that are held together


@dataclass(frozen=True, eq=False, repr=False)
class MarginPath:
    """Ensembles of one question, one per master program; printed, a table (``*``: the one that the classifier took).

    Attributes
    ----------
    margins : ndarray, shape (T,)
        What the master programs reach: rho, with a soft margin rho - D sum_i w_i xi_i. It never falls.
    bounds : ndarray, shape (T,)
        No ensemble of monotone rules reaches more, as proved by then. It never rises.
    gaps : ndarray, shape (T,)
        Their distance relative to max(1, |margin|).
    rules : ndarray of int64, shape (T,)
        Numbers of different rules with a weight.
    errors : ndarray, shape (T,)
        Weighted share of the relabelled training objects that the vote puts on the wrong side or leaves open.
    new_errors : ndarray, shape (T,), or None
        The same share of other labelled objects, if there were any.
    chosen : int
        The one that the classifier took, from 0: the last, unless `max_rules` asked for fewer rules.
    fit : TaskFit
        What all this is read from.
    objects : ndarray, shape (n, d)
        What it was fitted to.
    """

    margins: Floats
    bounds: Floats
    gaps: Floats
    rules: Integers
    errors: Floats
    chosen: int
    new_errors: Floats | None = None
    fit: TaskFit = field(kw_only=True)
    objects: Floats = field(kw_only=True)

    def __len__(self) -> int:
        return len(self.margins)

    def ensemble(self, place: int) -> RuleEnsemble:
        """Return the rules and weights of one step, from 0.

        Parameters
        ----------
        place : int
            Negative: from the end.
        """
        trail = self.fit.trail
        return readable(trail.rules, trail.weights[[place]].toarray().ravel(), self.objects)

    def __str__(self) -> str:
        new = self.new_errors is not None
        lines = ["  step  rules    margin     bound   error" + "  new error" * new]
        for t in range(len(self)):
            mark = "*" if t == self.chosen else " "
            line = f"{mark} {t + 1:4d}  {self.rules[t]:5d}  {self.margins[t]:8.4f}  {self.bounds[t]:8.4f}"
            line += f"  {self.errors[t]:6.1%}"
            lines.append(line + (f"  {self.new_errors[t]:9.1%}" if self.new_errors is not None else ""))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Objects with signs and weights to count errors on, and the precision of their attributes.

    Attributes
    ----------
    X : ndarray, shape (m, d)
    signs : ndarray, shape (m,)
        +1 or -1.
    weights : ndarray, shape (m,)
    bits : ndarray of uint8, shape (d,), optional
        Of `match_precision`; double precision when not given.
    """

    X: Floats
    signs: Integers
    weights: Floats
    bits: npt.NDArray[np.uint8] | None = None


def margin_path(fit: TaskFit, seen: Labelled, new: Labelled | None = None) -> MarginPath:
    """Return the path that a fit went.

    Parameters
    ----------
    fit : TaskFit
    seen : Labelled
        What it was fitted to.
    new : Labelled, optional
        Other objects, for errors out of sample.

    Examples
    --------
    >>> from monoopt.algorithms.lprules import Settings, fit_task
    >>> X, signs, up = np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]]), np.array([-1, 1, 1, 1]), np.ones(2, dtype=np.int8)
    >>> path = margin_path(fit_task(X, signs, up, np.ones(4), Settings()), Labelled(X, signs, np.ones(4)))
    >>> print(path)
      step  rules    margin     bound   error
    *    1      3    0.3333    0.3333    0.0%
    """
    rules, weights = _joined(fit, seen.X)
    found = [] if new is None else [_errors(rules, weights, new)]
    return MarginPath(
        np.array([step.objective for step in fit.steps]),
        np.array([step.bound for step in fit.steps]),
        np.array([step.gap for step in fit.steps]),
        np.diff(weights.indptr).astype(np.int64),
        _errors(rules, weights, seen),
        fit.chosen,
        *found,
        fit=fit,
        objects=seen.X,
    )


def _joined(fit: TaskFit, X: Floats) -> tuple[tuple[Rule, ...], sparse.csr_array]:
    """Return the different rules of all steps, simplified, and their shares without dust, one row per step."""
    short = simplified(fit.trail.rules, X)
    known = {rule: place for place, rule in enumerate(dict.fromkeys(short))}
    weights = fit.trail.weights.tocoo()
    total = np.bincount(weights.row, weights.data, weights.shape[0])[weights.row]
    kept = weights.data > DUST * total
    places = np.array([known[rule] for rule in short], dtype=np.int64)
    entries = (weights.data[kept] / total[kept], (weights.row[kept], places[weights.col[kept]]))
    return tuple(known), sparse.csr_array(sparse.coo_array(entries, shape=(weights.shape[0], len(known))))


def _errors(rules: tuple[Rule, ...], weights: sparse.csr_array, on: Labelled) -> Floats:
    """Weighted share of wrong or open answers, one per step."""
    voters = RuleEnsemble(rules, np.ones(len(rules)))
    if on.bits is not None:
        voters = voters.at_precision(on.bits)
    wrong = np.zeros(weights.shape[0])
    for part in _parts(len(on.X), len(rules)):
        votes = voters.answers(on.X[part]).astype(float) @ weights.T
        wrong += on.weights[part] @ (on.signs[part, None] * votes <= ZERO)
    return wrong / on.weights.sum()


def _parts(objects: int, rules: int) -> Iterator[slice]:
    """Slices of objects, few enough for all rules at once."""
    size = max(AT_ONCE // max(rules, 1), 1)
    for start in range(0, objects, size):
        yield slice(start, start + size)
