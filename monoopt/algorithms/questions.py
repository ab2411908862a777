"""All questions "at least class k?" of one data set: fitted side by side, or again on bootstrap samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from monoopt.algorithms.few_rules import fit_few
from monoopt.algorithms.lprules import Settings, TaskFit, fit_task, reading_order, whole_grains
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.algorithms.relabelling import relabel_data
from monoopt.algorithms.rule_path import penalty_of
from monoopt.algorithms.words import Words
from monoopt.order import Loss, Rule, RuleEnsemble, merge_equal
from monoopt.program import Certificate

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """How to fit the questions.

    Attributes
    ----------
    settings : Settings
        Of each question; the time limit is what is left of all.
    nu : float or None
        Share of the weight within the margin; replaces D.
    max_rules : int, "fewest" or None
        Choose along the paths of column generation, see `monoopt.algorithms.few_rules`.
    n_jobs : int or None
        Questions, or bootstrap samples, at the same time.
    """

    settings: Settings
    nu: float | None = None
    max_rules: int | str | None = None
    n_jobs: int | None = None


@dataclass(frozen=True, eq=False)
class Answered:
    """Ensembles of all questions.

    Attributes
    ----------
    ensembles : tuple of RuleEnsemble
    margins, bounds : ndarray, shape (K-1,)
        Margin reached, and the bound that no ensemble exceeds (1 where none was computed).
    certificates : tuple of Certificate
        Of every master program.
    fits : list of TaskFit or None
        One per question; None for averages of bootstrap samples.
    """

    ensembles: tuple[RuleEnsemble, ...]
    margins: Floats
    bounds: Floats
    certificates: tuple[Certificate, ...]
    fits: list[TaskFit] | None = field(repr=False)


def distinct_objects(data: OrdinalData, codes: Integers) -> tuple[Floats, Integers, Floats]:
    """Return the distinct objects of positive weight, their codes and the sums of their weights."""
    there = data.weights > 0
    objects, home = merge_equal(data.X[there])
    their_codes = np.empty(len(objects), dtype=np.int64)
    their_codes[home] = codes[there]
    return objects, their_codes, np.bincount(home, weights=data.weights[there]).astype(float)


def fit_questions(data: OrdinalData, codes: Integers, plan: Plan, words: Words) -> list[TaskFit]:
    """Fit every question on the distinct objects that have a say; what is left of the time is shared.

    Parameters
    ----------
    data : OrdinalData
    codes : ndarray of int, shape (n,)
        Monotone.
    plan : Plan
    words : Words
        With the time that is left.
    """
    objects, their_codes, weights = distinct_objects(data, codes)
    K = data.n_classes

    def one(k: int) -> TaskFit:
        left = words.left()
        share = None if left is None else max(left / (K - k), 1e-3)
        limits = replace(plan.settings.limits, time_limit=share)
        settings = replace(plan.settings, limits=limits)
        if plan.nu is not None:
            settings = replace(settings, D=penalty_of(plan.nu, weights))
        signs = np.where(their_codes >= k, 1, -1)
        if plan.max_rules is None:
            return fit_task(objects, signs, data.directions, weights, settings)
        return fit_few(objects, signs, data.directions, weights, settings, plan.max_rules)

    return list(Parallel(n_jobs=plan.n_jobs)(delayed(one)(k) for k in range(1, K)))


def answer(data: OrdinalData, codes: Integers, plan: Plan, words: Words) -> Answered:
    """Fit every question once."""
    fits = fit_questions(data, codes, plan, words)
    return Answered(
        tuple(fit.ensemble for fit in fits),
        np.array([fit.margin for fit in fits]),
        np.array([fit.bound for fit in fits]),
        tuple(fit.certificate for fit in fits),
        fits,
    )


def answer_by_bags(
    data: OrdinalData, codes: Integers, plan: Plan, words: Words, loss: Loss, tie: str, bags: int, seed: int
) -> tuple[Answered, list[TaskFit]]:
    """Average the ensembles of bootstrap samples, each relabelled by itself; a mean of monotone votes is monotone.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Monotone codes of the data themselves: margins are measured on them.
    bags : int
        Number of bootstrap samples.
    seed : int
        Of the samples; they do not depend on the number of jobs.

    Returns
    -------
    Answered
    fits : list of TaskFit
        Of all samples and questions.
    """
    alone = replace(plan, n_jobs=1)
    seeds = np.random.SeedSequence(seed).spawn(bags)

    def one(own: np.random.SeedSequence) -> list[TaskFit]:
        sample = _bootstrap(data, np.random.default_rng(own))
        return fit_questions(sample, relabel_data(sample, loss, tie, words.unlimited()).codes, alone, words)

    found: Sequence[list[TaskFit]] = Parallel(n_jobs=plan.n_jobs)(delayed(one)(own) for own in seeds)
    objects, their_codes, _ = distinct_objects(data, codes)
    ensembles = tuple(average([fits[k].ensemble for fits in found]) for k in range(data.n_classes - 1))
    margins = [
        float((np.where(their_codes >= k, 1, -1) * ensemble.decision(objects)).min()) + 0.0  # no -0.0
        for k, ensemble in enumerate(ensembles, start=1)
    ]
    fits = [fit for own in found for fit in own]
    certificates = tuple(fit.certificate for fit in fits)
    return Answered(ensembles, np.array(margins), np.ones(len(margins)), certificates, None), fits


def average(ensembles: Sequence[RuleEnsemble]) -> RuleEnsemble:
    """Return the ensemble whose vote is the mean of theirs.

    Examples
    --------
    >>> one = RuleEnsemble((Rule(True, ()),), np.array([1.0]))
    >>> other = RuleEnsemble((Rule(True, ()), Rule(False, ())), np.array([0.5, 0.5]))
    >>> average([one, other]).weights
    array([0.75, 0.25])
    """
    joined: dict[Rule, float] = {}
    for ensemble in ensembles:
        for rule, weight in zip(ensemble.rules, ensemble.weights, strict=True):
            joined[rule] = joined.get(rule, 0.0) + float(weight)
    rules = sorted(joined, key=reading_order)
    weights = whole_grains(np.array([joined[rule] for rule in rules]) / len(ensembles))
    used = np.flatnonzero(weights > 0)
    return RuleEnsemble(tuple(rules[t] for t in used), weights[used])


def _bootstrap(data: OrdinalData, random: np.random.Generator) -> OrdinalData:
    """Draw as many of the rows that have a say, with replacement."""
    there = np.flatnonzero(data.weights > 0)
    drawn = np.bincount(random.choice(there, len(there)), minlength=len(data.weights))
    return replace(data, weights=data.weights * drawn)
