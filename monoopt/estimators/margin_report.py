"""Margins: how far the votes are from changing an answer, and what Theorem 5 says about new objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.lprules import TaskFit
from monoopt.algorithms.margin_path import Labelled, MarginPath, margin_path
from monoopt.errors import DataError, OptionError
from monoopt.estimators.rule_voting import RuleVoter
from monoopt.order import read_labels
from monoopt.order.parameters import is_whole
from monoopt.order.weights import read_weights

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RegretBound:
    """Theorem 5 of Kotlowski and Slowinski (2009) at given margins.

    With probability 1 - delta the expected absolute error exceeds that of the best classifier there is by at most
    margin_errors + M * complexity, for a universal constant M that the theorem does not name.

    Attributes
    ----------
    thetas : tuple of float
        Margin chosen for each question.
    margin_errors : float
        Sum over the questions of the share of relabelled objects with y f(x) <= theta.
    complexity : float
        sqrt(d / n) sum_k 1 / theta_k + (K - 1) sqrt(log(2 (K - 1) / delta) / n).
    delta : float
    """

    thetas: tuple[float, ...]
    margin_errors: float
    complexity: float
    delta: float

    def __str__(self) -> str:
        return (
            f"regret <= {self.margin_errors:.4g} + M * {self.complexity:.4g} with probability {1 - self.delta:g} "
            "(M: the theorem's universal constant)"
        )


@dataclass(frozen=True, eq=False)
class MarginReport:
    """Margins of all objects and questions.

    Attributes
    ----------
    margins : ndarray, shape (m, K-1)
        y f_k(x) with y = +1 for objects of class k or better, else -1: positive where the vote is right.
    weights : ndarray, shape (m,)
    attributes : int
        d.
    """

    margins: Floats
    weights: Floats
    attributes: int

    @property
    def smallest(self) -> Floats:
        """Smallest margin of every question."""
        return self.margins.min(axis=0)

    def errors(self, theta: float = 0.0) -> Floats:
        """Weighted share of the objects with margin at most theta, per question."""
        return self.weights @ (self.margins <= theta) / self.weights.sum()

    def distribution(self, k: int) -> tuple[Floats, Floats]:
        """Distinct margins of question k (1..K-1), ascending, and the weighted share of objects at or below each."""
        if isinstance(k, bool) or not 1 <= k <= self.margins.shape[1]:
            raise OptionError(f"k={k!r}: wanted a question from 1 to {self.margins.shape[1]}")
        values, place = np.unique(self.margins[:, k - 1], return_inverse=True)
        return values, np.cumsum(np.bincount(place.ravel(), self.weights)) / self.weights.sum()

    def bound(self, delta: float = 0.05) -> RegretBound:
        """Return Theorem 5 at the margins that make margin errors plus complexity least (with M = 1).

        The theorem holds for all margins at once, so they may be chosen after looking.
        """
        if not 0 < delta < 1:
            raise OptionError(f"delta={delta!r}: wanted a number between 0 and 1")
        n, questions = float(self.weights.sum()), self.margins.shape[1]
        rate = np.sqrt(self.attributes / n)
        thetas, errors = [], 0.0
        for k in range(1, questions + 1):
            values, shares = self.distribution(k)
            starts = np.concatenate([[0.0], shares[:-1]])  # just below a value its objects are no margin errors
            usable = values > 0
            if not usable.any():
                values, starts, usable = np.array([1.0]), np.array([1.0]), np.array([True])
            best = int(np.argmin(np.where(usable, starts + rate / np.where(usable, values, 1.0), np.inf)))
            thetas.append(float(values[best]))
            errors += float(starts[best])
        spread = questions * np.sqrt(np.log(2 * max(questions, 1) / delta) / n)
        complexity = float(rate * sum(1 / theta for theta in thetas) + spread)
        return RegretBound(tuple(thetas), errors, complexity, delta)

    def __str__(self) -> str:
        lines = [
            f"question {k}: smallest margin {low:.4g}, {wrong:.1%} on the wrong side or undecided"
            for k, (low, wrong) in enumerate(zip(self.smallest, self.errors(), strict=True), start=1)
        ]
        return "\n".join(lines)


class MarginTeller(RuleVoter):
    """Margins of a classifier that votes."""

    def margin_report(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> MarginReport:
        """Return the margins on the relabelled training objects, or on other labelled ones.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d), optional
        y : array-like, shape (m,), optional
            Labels of X, among ``classes_``.
        sample_weight : array-like, shape (m,), optional
            1 by default.

        Returns
        -------
        MarginReport

        Examples
        --------
        >>> from monoopt import LPRulesClassifier
        >>> report = LPRulesClassifier().fit([[1], [2], [3]], [0, 1, 1]).margin_report()
        >>> report.smallest, report.errors(0.5), report.bound().margin_errors
        (array([0.5]), array([1.]), 0.0)
        """
        _check_given(X, y, sample_weight)
        if X is None:
            votes, codes = self._votes(self.objects_, self._precision), self.object_codes_
            weights = self.object_weights_
        else:
            values, bits, codes, weights = self._labelled(X, y, sample_weight)
            votes = self._votes(values, bits)
        signs = np.where(codes[:, None] >= np.arange(1, len(self.classes_)), 1, -1)
        return MarginReport(signs * votes + 0.0, weights, len(self.directions_))

    def margin_path(self, k: int, X: Any = None, y: Any = None, sample_weight: Any = None) -> MarginPath:
        """Return the ensembles of question k (1..K-1), one per master program: number of rules, margin, bound, error.

        The first has a rule for every border object, later ones better rules and a larger margin, the last the largest
        there is. With a hard margin all of them are right on all relabelled objects; `max_rules` takes an earlier one.
        Printed, it is a table; `monoopt.report.plots_rules.plot_margin_path` draws it.

        Parameters
        ----------
        k : int
        X : array-like or data frame, shape (m, d), optional
            Other objects, to count errors on as well.
        y : array-like, shape (m,), optional
            Their labels, among ``classes_``.
        sample_weight : array-like, shape (m,), optional
            1 by default.

        Returns
        -------
        MarginPath

        Raises
        ------
        DataError
            A classifier from JSON, or a mean of bootstrap samples, has no path; X or y alone, or bad data.

        Examples
        --------
        >>> from monoopt import LPRulesClassifier, datasets
        >>> lev = datasets.load_lev()
        >>> rules = LPRulesClassifier().fit(lev.X, lev.y)
        >>> print(rules.margin_path(3, lev.X, lev.y))
          step  rules    margin     bound   error  new error
             1     26    0.0385    0.3846    0.0%      12.4%
             2     10    0.0833    0.1628    0.0%      12.4%
        *    3     10    0.0909    0.0909    0.0%      12.4%
        """
        k = self._question(k)
        _check_given(X, y, sample_weight)
        fits: Sequence[TaskFit] | None = getattr(self, "fits_", None)
        if fits is None:
            raise DataError(f"no path: {self._why_no_fits()}")
        seen = Labelled(self.objects_, np.where(self.object_codes_ >= k, 1, -1), self.object_weights_)
        if X is None:
            return margin_path(fits[k - 1], seen)
        values, bits, codes, weights = self._labelled(X, y, sample_weight)
        return margin_path(fits[k - 1], seen, Labelled(values, np.where(codes >= k, 1, -1), weights, bits))

    def _question(self, k: int) -> int:
        check_is_fitted(self, "classes_")
        if len(self.classes_) == 1:
            raise OptionError(f"k={k!r}: there is only one class, hence no question")
        if not is_whole(k, 1) or k >= len(self.classes_):
            raise OptionError(f"k={k!r}: wanted a question from 1 to {len(self.classes_) - 1}")
        return int(k)

    def _why_no_fits(self) -> str:
        """Say why ``fits_`` is None, and what to do."""
        if getattr(self, "relabelling_", None) is None:
            return "the classifier was read from a record, which keeps only the ensembles taken; fit it again"
        return "the rules are a mean of bootstrap samples, each with a path of its own; fit with n_estimators=1"

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Floats, npt.NDArray[np.uint8], Any, Floats]:
        """Read labelled objects: values, their precision, codes of the labels, weights."""
        _, values, bits = self._matched(X)
        codes = read_labels(y, list(self.classes_)).codes
        if len(codes) != len(values):
            raise DataError(f"{len(values)} objects and {len(codes)} labels: wanted one label per object")
        return values, bits, codes, read_weights(sample_weight, len(values))


def _check_given(X: Any, y: Any, sample_weight: Any) -> None:
    """Refuse X or y alone, and weights of no objects."""
    if (X is None) != (y is None):
        raise DataError("give both X and y, or neither")
    if X is None and sample_weight is not None:
        raise DataError("sample_weight is for X and y: give them too (training objects keep the weights of the fit)")
