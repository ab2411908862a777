"""Ways to answer, and how wrong they are on one fold: what `LPRulesClassifierCV` compares and mixes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from monoopt.algorithms.class_probabilities import ClassProbabilities, Words, isotonic_estimates, sums_of_rules
from monoopt.algorithms.lprules import ZERO
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.algorithms.questions import answer
from monoopt.algorithms.relabelling import Relabelling, relabel_data
from monoopt.algorithms.relabelling import Words as Budget
from monoopt.errors import DataError
from monoopt.estimators.lprules import LPRulesClassifier
from monoopt.estimators.monotone_mixture import rounded
from monoopt.estimators.monotone_probability import MonotoneProbabilityClassifier, best_codes, class_counts
from monoopt.estimators.rule_voting import answers_of
from monoopt.formulations import mixture
from monoopt.order import RuleEnsemble, loss_table
from monoopt.program import Certificate
from monoopt.solvers import solve

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

SMALL = 0.01  # a share below is not worth a fit
SOLVER = "highs"  # of the shares
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


@dataclass(frozen=True)
class Mixture:
    """Several ways to answer at once.

    Attributes
    ----------
    shares : tuple of float
        Positive, of sum 1.
    candidates : tuple of Candidate
    """

    shares: tuple[float, ...]
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        parts = zip(self.shares, self.candidates, strict=True)
        return " + ".join(f"{share:.3f} {candidate}" for share, candidate in parts)


@dataclass(frozen=True, eq=False)
class Judged:
    """How all candidates do on one fold.

    Attributes
    ----------
    errors : ndarray, shape (T,)
        Weighted mean absolute errors.
    fitted : tuple of classifiers
        None where a candidate can't be fitted.
    exceedance : ndarray, shape (m, K-1, T)
        P(y >= k | x) of every candidate for the rows judged by; NaN where it can't be fitted.
    rows : ndarray of int, shape (m,)
    weight : float
        Of the fold.
    """

    errors: Floats
    fitted: tuple[Any, ...]
    exceedance: Floats
    rows: Integers
    weight: float

    @property
    def parts(self) -> Floats:
        """Numbers of rules, and of objects where isotonic estimates are used, shape (T,)."""
        return np.array([parts_of(classifier) for classifier in self.fitted], dtype=float)


def judge(data: OrdinalData, train: Integers, test: Integers, candidates: list[Candidate], makers: list[Any]) -> Judged:
    """Fit every candidate to the train rows, judge it by the test rows; the error of one that can't be is large."""
    fitted: list[Any] = []
    errors = np.full(len(candidates), LARGE)
    exceedance = np.full((len(test), data.n_classes - 1, len(candidates)), np.nan)
    weights = np.zeros(len(data.weights))
    weights[train] = data.weights[train]
    fold, own = Fold(replace(data, weights=weights), data.X[test]), data.weights[test]
    for place, (candidate, maker) in enumerate(zip(candidates, makers, strict=True)):
        try:
            one, said = fold.vote(maker) if candidate.votes else fold.chance(maker)
        except DataError:  # too many rules for these data
            fitted.append(None)
            continue
        fitted.append(one)
        exceedance[:, :, place] = said
        codes = best_codes(said, loss_table(maker.loss, data.n_classes))
        errors[place] = own @ np.abs(codes - data.labels.codes[test]) / own.sum()
    return Judged(errors, tuple(fitted), exceedance, test, float(own.sum()))


def parts_of(fitted: Any) -> int:
    """Number of rules, and of objects where isotonic estimates are used."""
    if fitted is None:
        return 0
    rules = sum(len(ensemble.rules) for ensemble in fitted.rules_ or ())
    estimates = getattr(fitted, "probabilities_", None) if not hasattr(fitted, "votes") else None
    return rules + (estimates.isotonic.size if estimates is not None and estimates.share > 0 else 0)


def find_shares(data: OrdinalData, folds: list[Judged]) -> tuple[Floats, float, Certificate]:
    """Return the shares of the candidates in the mixture of least squared error on what they have not seen.

    minimise    sum_i w_i sum_k (sum_t q_ikt a_t - 1[y_i >= k])^2
    subject to  sum_t a_t = 1,   a >= 0

    over all rows i judged by and all questions k; q_t are the estimates of candidate t. A candidate that can't be
    fitted on every fold gets nothing; shares below `SMALL` are dropped.

    Returns
    -------
    shares : ndarray, shape (T,)
        Of sum 1.
    error : float
        Mean absolute error of the median of the mixture.
    certificate : Certificate
        Of the program, before anything is dropped.
    """
    rows = np.concatenate([fold.rows for fold in folds])
    exceedance = np.concatenate([fold.exceedance for fold in folds])
    able = ~np.isnan(exceedance).any(axis=(0, 1))
    targets = data.labels.codes[rows, None] >= np.arange(1, data.n_classes)
    weights = np.broadcast_to((data.weights[rows] / data.weights[rows].sum())[:, None], targets.shape)
    estimates = exceedance[:, :, able].reshape(-1, int(able.sum()))
    program = mixture.build(targets.ravel(), estimates, weights.ravel(), np.flatnonzero(able))
    solution = solve(program, SOLVER)
    found = mixture.read(program, solution)
    found[found < min(SMALL, found.max())] = 0.0
    shares = np.zeros(len(able))
    shares[able] = found / found.sum()
    codes = best_codes(rounded(np.nan_to_num(exceedance) @ shares), loss_table("absolute", data.n_classes))
    own = data.weights[rows]
    assert solution.certificate is not None
    return shares, float(own @ np.abs(codes - data.labels.codes[rows]) / own.sum()), solution.certificate


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
        self._relabelled: dict[Any, Relabelling] = {}
        self._sums: dict[int | None, tuple[tuple[RuleEnsemble, ...] | None, list[Certificate]]] = {None: (None, [])}

    def vote(self, maker: LPRulesClassifier) -> tuple[LPRulesClassifier, Floats]:
        """Return a `LPRulesClassifier` fitted as the maker says, and its answers."""
        how = Budget(maker.solver, maker.time_limit)
        if maker.solver not in self._relabelled:
            self._relabelled[maker.solver] = relabel_data(self.data, maker.loss, maker.tie, how.unlimited())
        relabelling = self._relabelled[maker.solver]
        found = answer(self.data, relabelling.codes, maker._plan(), how)
        fitted = clone(maker)
        fitted._keep(self.data, relabelling, found, found.fits or [])
        votes = np.column_stack([ensemble.decision(self.X) for ensemble in found.ensembles])
        return fitted, answers_of(np.where(np.abs(votes) <= ZERO, 0.0, votes))

    def chance(self, maker: MonotoneProbabilityClassifier) -> tuple[MonotoneProbabilityClassifier, Floats]:
        """Return a `MonotoneProbabilityClassifier` fitted as the maker says, and its estimates.

        Isotonic regression is left out where it has no share.
        """
        most, share = maker.max_conditions, float(maker.isotonic_share)
        if most not in self._sums:
            self._sums[most] = sums_of_rules(*self._counted, self.data.directions, Words(most))
        ensembles, proofs = self._sums[most]
        objects, isotonic = self._counted[0], np.zeros((self.data.n_classes - 1, len(self._counted[0])))
        if share > 0 or most is None:
            isotonic, more = self._isotonic
            proofs = [*more, *proofs]
        fitted = clone(maker)
        estimates = ClassProbabilities(objects, isotonic, self.data.directions, ensembles, share, tuple(proofs))
        fitted._keep(self.data, estimates, loss_table(maker.loss, self.data.n_classes))
        return fitted, estimates.at(objects, self.X, np.full(self.X.shape[1], 52, dtype=np.uint8))

    @cached_property
    def _counted(self) -> tuple[Floats, Floats]:
        return class_counts(self.data)

    @cached_property
    def _isotonic(self) -> tuple[Floats, list[Certificate]]:
        return isotonic_estimates(*self._counted, self.data.directions, Words().isotonic_solver)
