"""MonotoneProbabilityClassifier: class probabilities that never get worse when an object gets better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.class_probabilities import ClassProbabilities, Words, fit_probabilities
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.errors import DataError, OptionError
from monoopt.estimators import fitted_json
from monoopt.estimators.ordinal_inputs import OrdinalPredictor, read_training_data
from monoopt.estimators.record_faults import Shape, number_faults, rule_faults
from monoopt.estimators.rule_book import MonotonicityCheck
from monoopt.order import Directions, Loss, RuleEnsemble, keeps_bayes_monotone, loss_table, merge_equal, steps
from monoopt.order.parameters import is_number, is_whole
from monoopt.solvers import Solver

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]


class ProbabilityPredictor(OrdinalPredictor, ABC):
    """Answers by monotone estimates of P(y >= k | x): their differences, and the class of least expected loss."""

    _table: Floats

    @abstractmethod
    def exceedance(self, X: Any) -> Floats:
        """Return P(y >= k | x) for k = 1..K-1, shape (m, K-1): not increasing in k, monotone in x."""

    @abstractmethod
    def monotone_by_form(self) -> bool:
        """Tell whether the form alone proves the estimates to be monotone."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes, worst class first, shape (m, K); every row has sum 1.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        """
        return differences(self.exceedance(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of least expected loss; where several are, the middle one, the lower of two.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Returns
        -------
        ndarray, shape (m,)
        """
        exceedance = self.exceedance(X)
        return self.classes_[best_codes(exceedance, self._table)]

    def verify(self, X: Any = None) -> MonotonicityCheck:
        """Prove that predictions are monotone: by the form of every rule, and by counting over comparable pairs.

        Isotonic estimates are monotone by their construction, and the loss keeps the best class monotone.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d), optional
            Objects to compare pairwise; the training objects when not given.
        """
        check_is_fitted(self, "classes_")
        by_form = self.monotone_by_form()
        return self._check_pairs(
            X, lambda table: best_codes(self.exceedance(table), self._table), by_form, "every rule"
        )


class MonotoneProbabilityClassifier(ProbabilityPredictor, ClassifierMixin, BaseEstimator):
    """Probabilities P(y >= k | x) that are monotone in x, and the class of least expected loss.

    Two estimates are mixed, each from a quadratic program for every question "at least class k?":

    isotonic:   minimise sum_i w_i (p_i - t_i)^2  subject to  p_i >= p_j whenever i is at least as good as j
    rules:      minimise sum_i w_i (p_i - t_i)^2  subject to  p_i = sum_t a_t r_t(x_i),  a >= 0

    over all monotone functions, and over sums of monotone rules of at most `max_conditions` conditions (1: additive
    functions). The first is never too simple, the second learns from few objects. New objects get the middle between
    the isotonic estimates below and above them.

    Parameters
    ----------
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" per attribute; None: all gain.
    order : sequence, optional
        All labels, worst first; needed for text.
    missing : "error", "incomparable" or "worst"
        Of missing cells, in `fit` and `predict`: see `monoopt.relabel`.
    loss : "absolute", "squared" or array-like, shape (K, K)
        The class predicted is that of least expected loss: the median for "absolute", the rounded mean for "squared",
        a quantile for `monoopt.order.linear_loss`.
    max_conditions : int or None
        Of the rules; None: isotonic regression alone.
    isotonic_share : float
        Weight of the isotonic estimate, 0 to 1.
    cuts : int or None
        Thresholds per attribute that rules may use, evenly spread over its distinct values; None: all.
    isotonic_solver : str or Solver
        Any quadratic solver; "partition" is exact and fast.
    rule_solver : str or Solver
        Any quadratic solver; "nnls" is exact and fast.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Labels, worst first.
    probabilities_ : ClassProbabilities
        Both estimates.
    rules_ : tuple of RuleEnsemble or None
        The sums of rules, one per question.
    certificates_ : list of Certificate
        Of every program.
    directions_, objects_, object_codes_, object_weights_, n_features_in_, feature_names_in_
        What was learned from; codes are the classes predicted.

    References
    ----------
    N. Barile and A. Feelders, "Nonparametric monotone classification with MOCA", ICDM 2008, for the isotonic part.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]], [0, 1, 0, 1]
    >>> both = MonotoneProbabilityClassifier().fit(X, y)
    >>> both.predict_proba([[1], [2], [4]])
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]])
    >>> both.predict([[1], [4]]), all(certificate.ok for certificate in both.certificates_)
    (array([0, 1]), True)
    """

    probabilities_: ClassProbabilities
    rules_: tuple[RuleEnsemble, ...] | None

    def __init__(
        self,
        *,
        directions: Directions = None,
        order: Sequence[Any] | None = None,
        missing: str = "error",
        loss: Loss = "absolute",
        max_conditions: int | None = 1,
        isotonic_share: float = 0.5,
        cuts: int | None = 32,
        isotonic_solver: str | Solver = "partition",
        rule_solver: str | Solver = "nnls",
    ) -> None:
        self.directions = directions
        self.order = order
        self.missing = missing
        self.loss = loss
        self.max_conditions = max_conditions
        self.isotonic_share = isotonic_share
        self.cuts = cuts
        self.isotonic_solver = isotonic_solver
        self.rule_solver = rule_solver

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MonotoneProbabilityClassifier:
        """Solve the programs of all questions.

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
            Every fault of the data at once; or a loss whose best class would not be monotone.
        """
        words = self._words()
        data = read_training_data(X, y, self.directions, sample_weight, self.order, self.missing)
        table = monotone_loss(self.loss, data.n_classes)
        objects, counts = class_counts(data)
        found = fit_probabilities(objects, counts, data.directions, words)
        self._keep(data, found, table)
        return self

    def exceedance(self, X: Any) -> Floats:
        """Return P(y >= k | x) for k = 1..K-1, shape (m, K-1): not increasing in k, monotone in x.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        """
        old, new, bits = self._matched(X)
        return self.probabilities_.at(old, new, bits)

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted classifier as plain JSON data."""
        check_is_fitted(self, "classes_")
        return fitted_json.record(self, {"probabilities": self.probabilities_.to_dict()})

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> MonotoneProbabilityClassifier:
        """Read back what `to_dict` wrote; predictions are the same bit for bit.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """
        return fitted_json.restore(cls, saved, ("probabilities",), probability_faults, cls._fill)

    def _fill(self, saved: Mapping[str, Any]) -> None:
        """Store what was saved of the estimates."""
        self._words()
        entry, proofs = saved["probabilities"], tuple(self.certificates_)
        self._table = monotone_loss(self.loss, len(self.classes_))
        self.rules_ = None
        if entry["ensembles"] is not None:
            self.rules_ = tuple(RuleEnsemble.from_dict(ensemble) for ensemble in entry["ensembles"])
        isotonic = np.array(entry["isotonic"], dtype=float).reshape(-1, len(self.objects_))
        words = (self.objects_, isotonic, self.directions_, self.rules_, float(entry["share"]), proofs)
        self.probabilities_ = ClassProbabilities(*words)

    def _keep(self, data: OrdinalData, found: ClassProbabilities, table: Floats) -> None:
        """Store everything, with the classes predicted of the objects learned from."""
        there = data.weights > 0
        bits = np.full(data.X.shape[1], 52, dtype=np.uint8)
        codes = np.zeros(len(data.X), dtype=np.int64)
        codes[there] = best_codes(found.at(found.objects, data.X[there], bits), table)
        self._keep_data(data, codes)
        self.probabilities_, self.rules_ = found, found.ensembles
        self.certificates_ = list(found.certificates)
        self._table = table

    def monotone_by_form(self) -> bool:
        """Tell whether every rule is monotone in form; the isotonic part is by its construction."""
        check_is_fitted(self, "classes_")
        return all(ensemble.is_monotone(self.directions_) for ensemble in self.rules_ or ())

    def _words(self) -> Words:
        share = self.isotonic_share
        if not is_number(share) or not 0 <= share <= 1:
            raise OptionError(f"isotonic_share={share!r}: wanted a number from 0 to 1")
        for word, least in (("max_conditions", 1), ("cuts", 2)):
            value = getattr(self, word)
            if value is not None and not is_whole(value, least):
                raise OptionError(f"{word}={value!r}: wanted a whole number from {least}, or None")
        most = self.max_conditions
        return Words(most, float(share), self.cuts, self.isotonic_solver, self.rule_solver)


def probability_faults(saved: Mapping[str, Any], shape: Shape) -> list[str]:
    """Return what is wrong with saved estimates."""
    entry = saved["probabilities"]
    if not isinstance(entry, Mapping) or not {"isotonic", "ensembles", "share"} <= set(entry):
        return ["probabilities: wanted isotonic estimates, ensembles and their share"]
    questions = shape.classes - 1
    faults = number_faults("probabilities: isotonic", entry["isotonic"], (questions, shape.objects), 0, 1)
    faults += number_faults("probabilities: share", entry["share"], (), 0, 1)
    faults += [] if entry["ensembles"] is None else rule_faults(entry["ensembles"], questions, shape.columns)
    return faults or _count_faults(entry, saved["certificates"], shape)


def _count_faults(entry: Mapping[str, Any], certificates: Any, shape: Shape) -> list[str]:
    """Return what is wrong with the number of proofs: one for each sum of rules and each regression solved.

    An estimate other than 0 and 1 comes from a regression; what differs from them by rounding alone need not.
    """
    questions = shape.classes - 1
    estimates = np.reshape(np.array(entry["isotonic"], dtype=float), (questions, shape.objects))
    solved = int(((estimates > 1e-6) & (estimates < 1 - 1e-6)).any(axis=1).sum())
    rules = 0 if entry["ensembles"] is None else questions
    least, most = solved + rules, questions + rules
    if not isinstance(certificates, list) or least <= len(certificates) <= most:
        return []
    return [f"certificates: wanted {least}" + (f" to {most}" if most > least else "")]


def class_counts(data: OrdinalData) -> tuple[Floats, Floats]:
    """Return the distinct objects of positive weight and the weight of every class at each, shape (K, m)."""
    there = data.weights > 0
    objects, home = merge_equal(data.X[there])
    counts = np.zeros((data.n_classes, len(objects)))
    np.add.at(counts, (data.labels.codes[there], home), data.weights[there])
    return objects, counts


def monotone_loss(loss: Loss, n_classes: int) -> Floats:
    """Return the table of the loss; refuse one whose best class is not monotone in the probabilities."""
    table = loss_table(loss, n_classes)
    if not keeps_bayes_monotone(table):
        raise DataError(
            "loss: the steps L[y, k+1] - L[y, k] must not rise as y grows, else the class of least expected loss falls "
            "where objects get better (Theorem 1 of Kotlowski and Slowinski 2009)"
        )
    return table


def best_codes(exceedance: Floats, table: Floats) -> Integers:
    """Return the code of least expected loss, in the middle of all of them, rounded down.

    What "at least k" adds to the expected loss is S[k, 0] + sum_j P(y >= j) (S[k, j] - S[k, j - 1]) with the steps S of
    the loss; the differences are not positive, so it falls as the probabilities rise: the answer is monotone.

    Examples
    --------
    >>> best_codes(np.array([[0.5, 0.5], [0.6, 0.5], [0.9, 0.8]]), loss_table("absolute", 3))
    array([1, 1, 2])
    """
    slopes = steps(table)
    added = np.zeros(exceedance.shape)
    for k in range(exceedance.shape[1]):
        added[:, k] = slopes[k, 0]
        for j, change in enumerate(np.diff(slopes[k])):
            added[:, k] += exceedance[:, j] * change
    return ((added < 0).sum(axis=1) + (added <= 0).sum(axis=1)) // 2


def differences(exceedance: Floats) -> Floats:
    """Class probabilities from P(y >= k).

    Examples
    --------
    >>> differences(np.array([[0.75, 0.25]]))
    array([[0.25, 0.5 , 0.25]])
    """
    m = len(exceedance)
    return 0.0 - np.diff(np.column_stack([np.ones(m), exceedance, np.zeros(m)]), axis=1)
