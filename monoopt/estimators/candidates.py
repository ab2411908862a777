"""Ways to answer, and how wrong they are on one fold: what `LPRulesClassifierCV` compares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.class_probabilities import ClassProbabilities, Words, isotonic_estimates, sums_of_rules
from monoopt.algorithms.lprules import ZERO
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.algorithms.questions import answer
from monoopt.algorithms.relabelling import Words as Budget
from monoopt.algorithms.relabelling import relabel_data
from monoopt.errors import DataError
from monoopt.estimators.lprules import LPRulesClassifier
from monoopt.estimators.monotone_probability import MonotoneProbabilityClassifier, best_codes, class_counts
from monoopt.estimators.rule_voting import middle
from monoopt.order import RuleEnsemble, loss_table

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

LARGE = 1e9  # error of a candidate that can't be fitted; finite, so that means are


@dataclass(frozen=True)
class Candidate:
    """One way to answer.

    Attributes
    ----------
    votes : bool
        `LPRulesClassifier` if true, else `MonotoneProbabilityClassifier`.
    words : dict
        Its parameters, as far as they are chosen.
    """

    votes: bool
    words: dict[str, Any]

    def __str__(self) -> str:
        kind = LPRulesClassifier if self.votes else MonotoneProbabilityClassifier
        return f"{kind.__name__}({', '.join(f'{word}={value!r}' for word, value in self.words.items())})"


@dataclass(frozen=True, eq=False)
class Errors:
    """Weighted mean errors of all candidates on one fold, how many parts they have, the weight of the fold."""

    errors: Floats
    parts: Floats
    weight: float


def judge(data: OrdinalData, train: Integers, test: Integers, candidates: list[Candidate], makers: list[Any]) -> Errors:
    """Fit every candidate to the train rows, judge it by the test rows; the error of one that can't be is large."""
    errors, parts = np.full(len(candidates), LARGE), np.zeros(len(candidates))
    weights = np.zeros(len(data.weights))
    weights[train] = data.weights[train]
    fold, own = Fold(replace(data, weights=weights), data.X[test]), data.weights[test]
    for place, (candidate, maker) in enumerate(zip(candidates, makers, strict=True)):
        try:
            codes, parts[place] = fold.vote(maker) if candidate.votes else fold.chance(**candidate.words)
        except DataError:  # too many rules for these data
            continue
        errors[place] = own @ np.abs(codes - data.labels.codes[test]) / own.sum()
    return Errors(errors, parts, float(own.sum()))


class Fold:
    """What the candidates share on one fold: relabelled codes, isotonic estimates, sums of rules.

    Parameters
    ----------
    data : OrdinalData
        Rows that are not learned from have weight 0.
    X : ndarray
        Objects to answer for.
    """

    def __init__(self, data: OrdinalData, X: Floats) -> None:
        self.data, self.X = data, X
        self._relabelled: dict[Any, Integers] = {}
        self._sums: dict[int | None, tuple[RuleEnsemble, ...] | None] = {None: None}

    def vote(self, maker: LPRulesClassifier) -> tuple[Integers, float]:
        """Return codes and number of rules of a `LPRulesClassifier`."""
        how = Budget(maker.solver, maker.time_limit)
        if maker.solver not in self._relabelled:
            self._relabelled[maker.solver] = relabel_data(self.data, maker.loss, maker.tie, how).codes
        found = answer(self.data, self._relabelled[maker.solver], maker._plan(), how)
        votes = np.column_stack([ensemble.decision(self.X) for ensemble in found.ensembles])
        rules = sum(len(ensemble.rules) for ensemble in found.ensembles)
        return middle(np.where(np.abs(votes) <= ZERO, 0.0, votes)), float(rules)

    def chance(self, max_conditions: int | None, isotonic_share: float, loss: str) -> tuple[Integers, float]:
        """Return codes and number of parts of a `MonotoneProbabilityClassifier`."""
        if max_conditions not in self._sums:
            words = Words(max_conditions)
            self._sums[max_conditions] = sums_of_rules(*self._counted, self.data.directions, words)[0]
        ensembles, objects = self._sums[max_conditions], self._counted[0]
        found = ClassProbabilities(objects, self._isotonic, self.data.directions, ensembles, isotonic_share, ())
        bits = np.full(self.X.shape[1], 52, dtype=np.uint8)
        codes = best_codes(found.at(objects, self.X, bits), loss_table(loss, self.data.n_classes))
        rules = sum(len(ensemble.rules) for ensemble in ensembles or ())
        return codes, float(rules + (self._isotonic.size if isotonic_share > 0 else 0))

    @cached_property
    def _counted(self) -> tuple[Floats, Floats]:
        return class_counts(self.data)

    @cached_property
    def _isotonic(self) -> Floats:
        return isotonic_estimates(*self._counted, self.data.directions, Words().isotonic_solver)[0]
