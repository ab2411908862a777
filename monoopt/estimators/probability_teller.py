"""Class probabilities beside the classes that rules vote for: isotonic regression of the labels that were given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.class_probabilities import ClassProbabilities, Words, fit_probabilities
from monoopt.estimators.monotone_probability import differences
from monoopt.estimators.rule_voting import RuleVoter

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelsSeen:
    """The labels at every distinct object, as they were given; the regression is solved when it is first asked for.

    Attributes
    ----------
    objects : ndarray, shape (m, d)
    weights : ndarray, shape (K, m)
        Weight of every class at every object.
    directions : ndarray of int8, shape (d,)
    """

    objects: Floats
    weights: Floats
    directions: npt.NDArray[np.int8]

    @cached_property
    def probabilities(self) -> ClassProbabilities:
        """The isotonic estimates of all questions, with their proofs."""
        return fit_probabilities(self.objects, self.weights, self.directions, Words())


class ProbabilityTeller(RuleVoter):
    """Class probabilities of a classifier that votes."""

    _seen: LabelsSeen

    @property
    def probabilities_(self) -> ClassProbabilities:
        """Isotonic estimates at the training objects and their certificates; solved at first use, then kept."""
        check_is_fitted(self, "classes_")
        return self._seen.probabilities

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes, worst class first, shape (m, K); every row has sum 1.

        For every question "at least class k?", on the labels as they were given, before any relabelling,

        minimise sum_i w_i (p_i - 1[y_i >= k])^2   subject to   p_i >= p_j whenever i is at least as good as j

        and for a new object the middle between the largest p below and the smallest p above it: a better object never
        has a smaller P(y >= k). It is `MonotoneProbabilityClassifier` with ``max_conditions=None``. Rules have no part
        in it, so the likeliest class need not be the one that `predict` gives: that is a vote, fitted to the median of
        the labels (for the absolute loss).

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Examples
        --------
        >>> from monoopt import LPRulesClassifier
        >>> rules = LPRulesClassifier().fit([[1], [2], [3], [4]], [0, 1, 0, 1])
        >>> rules.predict_proba([[1], [2.5], [9]])
        array([[1. , 0. ],
               [0.5, 0.5],
               [0. , 1. ]])
        >>> all(proof.ok for proof in rules.probabilities_.certificates)
        True
        """
        old, new, bits = self._matched(X)
        return differences(self.probabilities_.at(old, new, bits))
