"""What ensembles of rules say about objects: votes, classes, scores, and the proof that they are monotone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.lprules import ZERO
from monoopt.estimators.ordinal_inputs import OrdinalPredictor
from monoopt.estimators.rule_book import MonotonicityCheck, RuleBook, count_violations, threshold_grid

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

TIE_BREAK = 1e-9  # what the predicted class is ahead of classes of equal score


class RuleVoter(OrdinalPredictor):
    """Answers by one ensemble of monotone rules per question "at least class k?".

    Attributes
    ----------
    rules_ : RuleBook
        One `RuleEnsemble` per question.
    """

    rules_: RuleBook

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each object.

        Questions whose vote f_k(x) is positive are answered yes, negative ones no; a vote of 0 leaves the question
        open. The class is the middle of what is left: (number of yes + number of not no) / 2, rounded down. Both
        numbers are monotone in x, hence so is the class.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Returns
        -------
        ndarray, shape (m,)
        """
        codes = middle(self.votes(X))
        return self.classes_[codes]

    def votes(self, X: Any) -> Floats:
        """Return f_k(x) in [-1, 1] for every object and question, shape (m, K-1); rounding dust is 0."""
        return self._votes(*self._matched(X)[1:])

    def _votes(self, values: Floats, bits: npt.NDArray[np.uint8]) -> Floats:
        """Votes on objects that were read before, in the precision of their columns."""
        found = np.zeros((len(values), len(self.classes_) - 1))
        for k, ensemble in enumerate(self.rules_):
            found[:, k] = ensemble.at_precision(bits).decision(values)
        return np.where(np.abs(found) <= ZERO, 0.0, found)

    def decision_function(self, X: Any) -> Floats:
        """Return scores of which the largest is the predicted class.

        Two classes: the vote f(x) itself, shape (m,). More: shape (m, K); with the votes of x in falling order
        g_1 >= g_2 >= ..., the score of class c is g_1 + ... + g_c - g_(c+1) - ... - g_(K-1).

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        """
        votes = self.votes(X)
        K = len(self.classes_)
        if K <= 2:
            return votes[:, 0] if K == 2 else np.zeros(len(votes))
        ordered = -np.sort(-votes, axis=1)
        below = np.cumsum(np.column_stack([np.zeros(len(votes)), ordered]), axis=1)
        scores = 2.0 * below - below[:, -1:]
        scores[np.arange(len(votes)), middle(votes)] += TIE_BREAK
        return scores

    def verify(self, X: Any = None, *, grid: int = 1000) -> MonotonicityCheck:
        """Prove that predictions are monotone: by the form of every rule, and by counting over comparable pairs.

        The form is the proof, for all objects; counting shows that nothing else went wrong on the way.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d), optional
            Objects to compare pairwise; the training objects when not given.
        grid : int
            So many objects on, between and beyond the rules' thresholds are compared besides; 0: none.

        Returns
        -------
        MonotonicityCheck

        Examples
        --------
        >>> from monoopt import LPRulesClassifier
        >>> print(LPRulesClassifier().fit([[1], [2], [3]], [0, 1, 1]).verify())
        every rule is monotone in form; 0 of 3 comparable pairs violated; 0 of 10 on a grid of thresholds
        """
        check_is_fitted(self, "classes_")
        values, bits = (self.objects_, self._precision) if X is None else self._matched(X)[1:]
        by_form = all(ensemble.is_monotone(self.directions_) for ensemble in self.rules_)
        codes = middle(self._votes(values, bits))
        check = count_violations(values, codes, self.directions_, by_form)
        if not grid or not self.rules_:
            return check
        points = threshold_grid(self.rules_, self.objects_, grid)
        more = count_violations(points, middle(self._votes(points, self._precision)), self.directions_, by_form)
        return replace(check, grid_pairs=more.pairs, grid_violations=more.violations)


def answers_of(votes: Floats) -> Floats:
    """Answers to the questions: yes is 1, no is 0, an open one 1/2; put in falling order along the questions.

    Order statistics of monotone answers are monotone, and cut in the middle they give the same class as `middle`.

    Examples
    --------
    >>> answers_of(np.array([[0.5, 0.0, 0.0], [-0.5, 0.5, -1.0]]))
    array([[1. , 0.5, 0.5],
           [1. , 0. , 0. ]])
    """
    return (1.0 - np.sort(-np.sign(votes), axis=1)) / 2


def middle(votes: Floats) -> Integers:
    """Code in the middle of what the votes leave open, rounded down.

    Examples
    --------
    >>> middle(np.array([[0.5, 0.0, 0.0], [0.5, -0.5, -1.0]]))
    array([2, 1])
    """
    yes, not_no = (votes > 0).sum(axis=1), (votes >= 0).sum(axis=1)
    return (yes + not_no) // 2
