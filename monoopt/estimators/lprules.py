"""LPRulesClassifier: ordinal classes by monotone rules whose margin is proved to be the largest possible."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.column_generation import Limits
from monoopt.algorithms.lprules import PRICING, ZERO, Settings, TaskFit, fit_task
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.algorithms.relabelling import Relabelling, Words, relabel_data
from monoopt.errors import CertificateError, OptionError, nearest
from monoopt.estimators import lprules_json
from monoopt.estimators.ordinal_inputs import OrdinalPredictor, read_training_data
from monoopt.estimators.rule_book import MonotonicityCheck, RuleBook, count_violations
from monoopt.formulations import lpboost_master
from monoopt.order import Directions, Loss, merge_equal
from monoopt.solvers import Solver

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

TIE_BREAK = 1e-9  # what the predicted class is ahead of classes of equal score


class LPRulesClassifier(OrdinalPredictor, ClassifierMixin, BaseEstimator):
    """Monotone rule ensembles for ordered classes (Kotlowski and Slowinski, ICML 2009).

    First the labels are changed as little as possible so that they are monotone (`monoopt.relabel`). Then for every
    question "at least class k?" an ensemble f_k of monotone rules separates the relabelled objects:

    maximise    rho - D sum_i w_i xi_i
    subject to  y_i sum_t a_t r_t(x_i) + xi_i >= rho,   sum_t a_t = 1,   a, xi >= 0

    over ALL monotone rules, by column generation with a proof. Rules say +1 ("if skill >= 3 and debt <= 2") or -1
    and are monotone in form, so predictions never fall when an object gets better.

    Parameters
    ----------
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" (comparable only when equal there) per attribute; None: all gain.
    order : sequence, optional
        All labels, worst first; needed for text.
    solver : str or Solver
        For every program: any solver for linear programs that gives multipliers.
    loss : "absolute", "squared" or array-like, shape (K, K)
        Loss of the relabelling.
    tie : "least" or "greatest"
        Which of the relabellings of least cost.
    D : float, optional
        Penalty of the soft margin per unit of weight, at least 1 / (sum of weights). None: hard margin.
    pricing : "search", "enumeration" or "program"
        How the best rule is found: branch and bound, a list of all rules (few attributes), or the integer program.
    tolerance : float
        Gap at which a margin counts as proved.
    time_limit : float, optional
        Wall seconds for everything; at the limit the best ensembles so far are kept, and a warning and the
        certificates say what is not proved.
    max_iterations : int, optional
        Master programs per question.
    keep_best : bool
        Keep what there is even if a certificate fails for another reason than a limit.
    n_jobs : int, optional
        Questions fitted at the same time (joblib); the result is the same.
    random_state : int, RandomState or None
        Seed of the search for rules; None counts as 0. Margins do not depend on it; which of several optimal
        ensembles is found may.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Labels, worst first.
    rules_ : RuleBook
        One `RuleEnsemble` per question; printed, readable text.
    margins_, bounds_ : ndarray, shape (K-1,)
        Margin of every ensemble, and the bound that no ensemble of monotone rules exceeds.
    certificates_ : list of Certificate
        The K-1 proofs of the relabelling, then the K-1 proofs of the margins.
    relabelling_ : Relabelling
        New labels, cost, changed rows and their conflicts (without the programs; None after `from_dict`).
    fits_ : list of TaskFit
        Log of the column generation, master rows and their multipliers per question (None after `from_dict`).
    n_iter_ : int
        Most master programs solved for a question.
    directions_, objects_, object_codes_, n_features_in_, feature_names_in_
        What was learned from.

    Examples
    --------
    >>> X = [[1, 5], [2, 3], [2, 2], [3, 1], [2, 6], [4, 4]]
    >>> rules = LPRulesClassifier().fit(X, [0, 1, 1, 1, 0, 2])
    >>> rules.relabelling_.cost, rules.predict([[5, 5]]), rules.predict_interval([[2, 4]])
    (1.0, array([2]), array([[1, 1]]))
    >>> all(certificate.ok for certificate in rules.certificates_), rules.verify().violations
    (True, 0)
    >>> print(rules.rules_)
    at least 1: margin 0.5
      if x0 >= 2 then at least 1 (weight 0.5)
      if x0 <= 1 then below 1 (weight 0.5)
    at least 2: margin 0.5
      if x0 >= 4 then at least 2 (weight 0.5)
      if x0 <= 3 then below 2 (weight 0.5)
    """

    def __init__(
        self,
        *,
        directions: Directions = None,
        order: Sequence[Any] | None = None,
        solver: str | Solver = "highs",
        loss: Loss = "absolute",
        tie: str = "least",
        D: float | None = None,
        pricing: str = "search",
        tolerance: float = 1e-6,
        time_limit: float | None = None,
        max_iterations: int | None = None,
        keep_best: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.directions = directions
        self.order = order
        self.solver = solver
        self.loss = loss
        self.tie = tie
        self.D = D
        self.pricing = pricing
        self.tolerance = tolerance
        self.time_limit = time_limit
        self.max_iterations = max_iterations
        self.keep_best = keep_best
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LPRulesClassifier:
        """Relabel, then find the rules.

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
        DataError
            Every fault of the data at once, or D below its bound.
        CertificateError
            A proof fails for another reason than a limit (see `keep_best`).

        Warns
        -----
        ConvergenceWarning
            A limit stopped the proof of a margin.
        DataWarning
            No two comparable objects, or a direction that goes against the labels.
        """
        if self.pricing not in PRICING:
            hint = nearest(self.pricing, PRICING)
            raise OptionError(f"pricing={self.pricing!r}{hint}; wanted one of {', '.join(PRICING)}")
        limits = Limits(self.tolerance, self.time_limit, self.max_iterations)
        words = Words(self.solver, self.time_limit)
        data = read_training_data(X, y, self.directions, sample_weight, self.order)
        lpboost_master.penalty(self.D, data.weights[data.weights > 0])
        relabelling = relabel_data(data, self.loss, self.tie, words)
        fits = self._fit_tasks(data, relabelling.codes, limits, words)
        self._report(fits)
        self._keep(data, relabelling, fits)
        return self

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
        codes = _middle(self.votes(X))
        return self.classes_[codes]

    def votes(self, X: Any) -> Floats:
        """Return f_k(x) in [-1, 1] for every object and question, shape (m, K-1); rounding dust is 0."""
        _, values, bits = self._matched(X)
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
        scores[np.arange(len(votes)), _middle(votes)] += TIE_BREAK
        return scores

    def verify(self, X: Any = None) -> MonotonicityCheck:
        """Prove that predictions are monotone: by the form of every rule, and by counting over comparable pairs.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d), optional
            Objects to compare pairwise; the training objects when not given.

        Returns
        -------
        MonotonicityCheck
        """
        check_is_fitted(self, "classes_")
        values = self.objects_ if X is None else self._matched(X)[1]
        by_form = all(ensemble.is_monotone(self.directions_) for ensemble in self.rules_)
        codes = _middle(self.votes(values if X is None else X))
        return count_violations(values, codes, self.directions_, by_form)

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted classifier as plain JSON data: schema and library versions, digest of the training data.

        Examples
        --------
        >>> import json
        >>> fitted = LPRulesClassifier().fit([[1], [2]], [0, 1])
        >>> LPRulesClassifier.from_dict(json.loads(json.dumps(fitted.to_dict()))).predict([[0], [3]])
        array([0, 1])
        """
        check_is_fitted(self, "classes_")
        return lprules_json.record(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> LPRulesClassifier:
        """Read back what `to_dict` wrote; predictions are the same bit for bit.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """
        return lprules_json.restore(cls, saved)

    def _fit_tasks(self, data: OrdinalData, codes: Integers, limits: Limits, words: Words) -> list[TaskFit]:
        """Fit every question on the distinct objects that have a say; what is left of the time is shared."""
        objects, their_codes, weights = _distinct(data, codes)
        K = data.n_classes
        seed = int(check_random_state(self.random_state or 0).randint(2**31 - 1))

        def one(k: int) -> TaskFit:
            left = words.left()
            share = None if left is None else max(left / (K - k), 1e-3)
            settings = Settings(self.D, self.pricing, self.solver, replace(limits, time_limit=share), seed)
            return fit_task(objects, np.where(their_codes >= k, 1, -1), data.directions, weights, settings)

        return list(Parallel(n_jobs=self.n_jobs)(delayed(one)(k) for k in range(1, K)))

    def _report(self, fits: Sequence[TaskFit]) -> None:
        """Warn where a limit stopped a proof; refuse a proof that failed for another reason."""
        for k, fit in enumerate(fits, start=1):
            if fit.certificate.ok:
                continue
            text = f"question {k}: margin {fit.margin:.6g}, proved bound {fit.bound:.6g} ({fit.stopped})"
            if not fit.limited and not self.keep_best:
                raise CertificateError(f"{text}; keep_best=True keeps what there is", fit.certificate)
            warnings.warn(text, ConvergenceWarning, stacklevel=3)

    def _keep(self, data: OrdinalData, relabelling: Relabelling, fits: list[TaskFit]) -> None:
        """Store everything, when nothing can fail any more."""
        self._keep_data(data, relabelling.codes)
        ensembles = tuple(fit.ensemble for fit in fits)
        self.margins_ = np.array([fit.margin for fit in fits])
        self.bounds_ = np.array([fit.bound for fit in fits])
        self.rules_ = RuleBook(ensembles, self.margins_, self.classes_, data.names)
        self.certificates_ = [*relabelling.certificates, *(fit.certificate for fit in fits)]
        self.relabelling_: Relabelling | None = replace(relabelling, solutions={})
        self.fits_: list[TaskFit] | None = fits
        self.n_iter_ = max((len(fit.steps) for fit in fits), default=0)
        self._digest = data.digest()


def _middle(votes: Floats) -> Integers:
    """Code in the middle of what the votes leave open, rounded down."""
    yes, not_no = (votes > 0).sum(axis=1), (votes >= 0).sum(axis=1)
    return (yes + not_no) // 2


def _distinct(data: OrdinalData, codes: Integers) -> tuple[Floats, Integers, Floats]:
    """Distinct objects of positive weight, their codes and the sums of their weights."""
    there = data.weights > 0
    objects, home = merge_equal(data.X[there])
    their_codes = np.empty(len(objects), dtype=np.int64)
    their_codes[home] = codes[there]
    return objects, their_codes, np.bincount(home, weights=data.weights[there]).astype(float)
