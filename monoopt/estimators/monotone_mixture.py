"""MonotoneMixtureClassifier: monotone classifiers of several kinds, added up with fixed shares."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.class_probabilities import FINE
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.errors import DataWarning, OptionError
from monoopt.estimators import fitted_json, mixture_json
from monoopt.estimators.lprules import LPRulesClassifier
from monoopt.estimators.mixture_explanation import MixtureExplanation, opinions, reasons
from monoopt.estimators.monotone_probability import (
    MonotoneProbabilityClassifier,
    ProbabilityPredictor,
    best_codes,
    monotone_loss,
)
from monoopt.estimators.ordinal_inputs import read_training_data
from monoopt.estimators.rule_explanation import TOP, checked_top, witness
from monoopt.estimators.rule_voting import answers_of
from monoopt.order import Directions, Loss
from monoopt.program import Certificate

Floats: TypeAlias = npt.NDArray[np.float64]


class MonotoneMixtureClassifier(ProbabilityPredictor, ClassifierMixin, BaseEstimator):
    """The mixture q(x) = sum_t a_t q_t(x) of monotone estimates q_t of P(y >= k | x), a >= 0, sum a = 1.

    Members are classifiers with estimates of their own (`MonotoneProbabilityClassifier`) or with votes on every
    question (`LPRulesClassifier`), where yes counts as 1, no as 0 and an open question as 1/2. Every member is monotone
    and no share is negative, so the mixture is monotone. `LPRulesClassifierCV` finds members and shares by a program.

    Parameters
    ----------
    members : sequence of classifiers, optional
        Each with the directions and the order that it needs; they are cloned. None: `LPRulesClassifier`, isotonic
        regression, and sums of rules of one condition.
    shares : sequence of float, optional
        Not negative; they are divided by their sum. None: all the same. Members with share 0 are not fitted.
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" per attribute; None: all gain.
    order : sequence, optional
        All labels, worst first; needed for text.
    missing : "error", "incomparable" or "worst"
        Of missing cells: see `monoopt.relabel`.
    loss : "absolute", "squared" or array-like, shape (K, K)
        The class predicted is that of least expected loss: the median for "absolute".

    Attributes
    ----------
    members_ : tuple of classifiers
        Fitted, those with positive shares.
    shares_ : ndarray
        Their shares, of sum 1.
    certificates_ : list of Certificate
        Those of all members, one member after another.
    classes_, directions_, objects_, object_codes_, object_weights_, n_features_in_, feature_names_in_
        What was learned from; codes are the classes predicted.

    Examples
    --------
    >>> from monoopt import LPRulesClassifier
    >>> members = [LPRulesClassifier(), MonotoneProbabilityClassifier(max_conditions=None)]
    >>> mixed = MonotoneMixtureClassifier(members=members, shares=[1, 3])
    >>> mixed.fit([[1], [2], [3], [4]], [0, 1, 0, 1]).predict_proba([[1], [2], [4]])
    array([[1.   , 0.   ],
           [0.625, 0.375],
           [0.   , 1.   ]])
    >>> print(mixed.verify())
    every rule is monotone in form; 0 of 6 comparable pairs violated
    """

    def __init__(
        self,
        *,
        members: Sequence[Any] | None = None,
        shares: Sequence[float] | None = None,
        directions: Directions = None,
        order: Sequence[Any] | None = None,
        missing: str = "error",
        loss: Loss = "absolute",
    ) -> None:
        self.members = members
        self.shares = shares
        self.directions = directions
        self.order = order
        self.missing = missing
        self.loss = loss

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MonotoneMixtureClassifier:
        """Fit every member that has a share.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional
            Not negative; weight k is k copies, weight 0 is a row that is not there.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            No members, members without votes and estimates, shares that can't be.
        DataError
            Every fault of the data at once.
        """
        members, shares = self._parts()
        data = read_training_data(X, y, self.directions, sample_weight, self.order, self.missing)
        monotone_loss(self.loss, data.n_classes)
        with warnings.catch_warnings():
            for known in (DataWarning, DataConversionWarning):  # the door has warned already
                warnings.simplefilter("ignore", known)
            fitted = tuple(clone(member).fit(X, y, sample_weight) for member in members)
        return self._keep(data, X, fitted, shares)

    def exceedance(self, X: Any) -> Floats:
        """Return P(y >= k | x) for k = 1..K-1, shape (m, K-1): not increasing in k, monotone in x.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        """
        check_is_fitted(self, "members_")
        self._matched(X)  # refuses what does not fit
        return mixed(self.members_, self.shares_, X)

    def monotone_by_form(self) -> bool:
        """Tell whether every rule of every member is monotone in form."""
        check_is_fitted(self, "members_")
        return all(
            ensemble.is_monotone(self.directions_) for member in self.members_ for ensemble in member.rules_ or ()
        )

    def explain(self, X: Any, top: int | None = TOP) -> list[MixtureExplanation]:
        """Explain the class of each object: what every member says, the rules that fired, witnesses.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        top : int or None
            At most so many rules; None: all.

        Returns
        -------
        list of MixtureExplanation
        """
        top = checked_top(top)
        exceedance, intervals = self.exceedance(X), self.predict_interval(X)
        single = [said(member, X) for member in self.members_]
        codes = best_codes(exceedance, self._table)
        old, values, bits = self._matched(X)
        return [
            MixtureExplanation(
                label=self.classes_[codes[i]],
                interval=(intervals[i, 0], intervals[i, 1]),
                exceedance=tuple(exceedance[i].tolist()),
                opinions=opinions(self.members_, self.shares_, single, i),
                reasons=tuple(reasons(self.members_, self.shares_, values[i], bits)[:top]),
                at_least=witness(self, old, values[i], above=False),
                at_most=witness(self, old, values[i], above=True),
            )
            for i in range(len(values))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted classifier as plain JSON data, with all its members.

        Raises
        ------
        DataError
            A member of another kind than `LPRulesClassifier`, `MonotoneProbabilityClassifier` or a mixture.
        """
        check_is_fitted(self, "members_")
        return fitted_json.record(self, mixture_json.own_record(self))

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> MonotoneMixtureClassifier:
        """Read back what `to_dict` wrote; predictions are the same bit for bit.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """
        return fitted_json.restore(cls, saved, mixture_json.OWN, mixture_json.own_faults, mixture_json.fill)

    def _keep(self, data: OrdinalData, X: Any, members: Sequence[Any], shares: Floats) -> MonotoneMixtureClassifier:
        """Store fitted members, with the classes predicted of the objects learned from."""
        table = monotone_loss(self.loss, data.n_classes)
        self._keep_data(data, best_codes(mixed(members, shares, X), table))
        self.members_, self.shares_, self._table = tuple(members), shares, table
        self.certificates_: list[Certificate] = [proof for member in members for proof in member.certificates_]
        return self

    def _parts(self) -> tuple[list[Any], Floats]:
        """Members with positive shares and these, of sum 1; refuse what can't be."""
        words: dict[str, Any] = {"directions": self.directions, "order": self.order, "missing": self.missing}
        standard = [
            LPRulesClassifier(**words),
            MonotoneProbabilityClassifier(max_conditions=None, **words),
            MonotoneProbabilityClassifier(max_conditions=1, isotonic_share=0.0, **words),
        ]
        given = self.members if isinstance(self.members, Iterable) else [self.members]
        members = standard if self.members is None else list(given)
        wrong = [
            repr(member) for member in members if not hasattr(member, "votes") and not hasattr(member, "exceedance")
        ]
        if not members or wrong:
            raise OptionError(f"members={self.members!r}: wanted classifiers with votes or estimates, at least one")
        shares = np.ones(len(members)) if self.shares is None else _as_floats(self.shares)
        if shares.shape != (len(members),) or not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
            raise OptionError(f"shares={self.shares!r}: wanted {len(members)} numbers that are not negative, not all 0")
        there = np.flatnonzero(shares > 0)
        return [members[t] for t in there], shares[there] / shares.sum()


def _as_floats(shares: Any) -> Floats:
    try:
        return np.asarray(shares, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def said(member: Any, X: Any) -> Floats:
    """Return a member's P(y >= k | x), shape (m, K-1); of votes, yes is 1, no is 0 and an open question is 1/2.

    Votes are put in falling order along the questions, so that the class in the middle stays the one voted for.
    """
    return answers_of(member.votes(X)) if hasattr(member, "votes") else member.exceedance(X)


def mixed(members: Sequence[Any], shares: Floats, X: Any) -> Floats:
    """Return the sum of what members say, each times its share, in whole multiples of a fine unit."""
    total = sum(share * said(member, X) for share, member in zip(shares, members, strict=True))
    return rounded(np.asarray(total))


def rounded(estimates: Floats) -> Floats:
    """Return whole multiples of a fine unit, so that a half is a half."""
    return np.round(estimates / FINE) * FINE
