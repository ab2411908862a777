"""LPRulesClassifierCV: how soft, how short, votes or probabilities, mixed or chosen by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.errors import OptionError, nearest
from monoopt.estimators import lprules_cv_json
from monoopt.estimators.candidates import Candidate, Judged, Mixture, find_shares, judge
from monoopt.estimators.inputs import check_flags
from monoopt.estimators.lprules import LPRulesClassifier
from monoopt.estimators.monotone_mixture import MonotoneMixtureClassifier
from monoopt.estimators.monotone_probability import MonotoneProbabilityClassifier
from monoopt.estimators.ordinal_inputs import read_training_data
from monoopt.estimators.rule_book import MonotonicityCheck
from monoopt.estimators.rule_explanation import TOP
from monoopt.order import Attributes, Directions
from monoopt.order.parameters import is_job_count, is_whole
from monoopt.program import Certificate
from monoopt.solvers import Solver

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

SHARES = (0.0, 0.5)
LOSSES = ("absolute", "squared")
RESULTS = ("candidate", "error", "standard_error", "parts", "share")


class LPRulesClassifierCV(ClassifierMixin, BaseEstimator):
    """Monotone classifiers of several kinds, mixed (or the best one chosen) by what they say of objects not seen.

    Candidates are `LPRulesClassifier` for every nu, number of conditions and number of rules given and, unless told
    otherwise, the estimates of `MonotoneProbabilityClassifier`: isotonic regression, and sums of rules for every number
    of conditions. Folds give P(y >= k | x_i) = q_ikt of every candidate t for objects that it has not learned from
    (votes count as 0 or 1), and the shares a of the mixture solve

    minimise    sum_i w_i sum_k (sum_t q_ikt a_t - 1[y_i >= k])^2
    subject to  sum_t a_t = 1,   a >= 0.

    What is mixed are the candidates as fitted on the folds: their mean is steadier than one fit to everything. Each is
    monotone, hence so are the mixture and its median, the class predicted. Only training data decide.

    Parameters
    ----------
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" per attribute; None: all gain.
    order : sequence, optional
        All labels, worst first; needed for text.
    missing : "error", "incomparable" or "worst"
        Of missing cells: see `monoopt.relabel`.
    nu : sequence of float
        Shares of the weight within the margin; 0: hard margin.
    max_conditions : sequence of int or None
        Longest rules; None: any length.
    max_rules : sequence of int, "fewest" or None
        Most rules per question, None: as many as the margin takes. With any other value nu does not apply.
    probabilities : bool
        Whether `MonotoneProbabilityClassifier` is a candidate.
    combine : "mixture" or "best"
        "best": the one candidate of least mean absolute error instead. Then `MonotoneProbabilityClassifier` is tried
        with the isotonic shares 0 and 1/2, and with the losses "absolute" and "squared" (its median and its mean).
    cv : int, splitter or iterable of (train, test)
        Number of folds, from shuffled objects; or folds as scikit-learn has them.
    repeats : int
        How often all objects are cut into folds anew, where cv is a number.
    one_standard_error : bool
        With "best": take the candidate with the fewest parts (rules, and objects where isotonic estimates are used)
        whose error is within one standard error of the least, instead of the least itself.
    solver : str or Solver
        For every linear program.
    time_limit : float, optional
        Wall seconds for every fit of a `LPRulesClassifier`; estimates of probabilities are not interrupted.
    n_jobs : int, optional
        Folds at the same time; the result is the same.
    random_state : int, RandomState or None
        Of the folds; None counts as 0.

    Attributes
    ----------
    best_estimator_ : MonotoneMixtureClassifier, LPRulesClassifier or MonotoneProbabilityClassifier
        Fitted to everything.
    best_candidate_ : Mixture or Candidate
    best_error_ : float
        Its mean absolute error in cross-validation, in classes. That of a mixture is a little too good: the shares
        come from the same folds.
    cv_results_ : dict
        "candidate", "error", "standard_error", "parts", "share": one entry per candidate, least error first.
    certificates_ : list of Certificate
        Those of the best estimator; before them that of the shares.
    classes_, n_features_in_, feature_names_in_, directions_
        Those of the best estimator.

    Examples
    --------
    >>> X = [[a, b] for a in range(6) for b in range(6)]
    >>> y = [int(a + b > 4) + int(a + b > 7) for a, b in X]
    >>> chosen = LPRulesClassifierCV(cv=3).fit(X, y)
    >>> chosen.predict([[0, 0], [5, 5]]), chosen.verify().violations
    (array([0, 2]), 0)
    """

    def __init__(
        self,
        *,
        directions: Directions = None,
        order: Sequence[Any] | None = None,
        missing: str = "error",
        nu: Sequence[float] = (0.0,),
        max_conditions: Sequence[int | None] = (1, 2, None),
        max_rules: Sequence[int | str | None] = (None,),
        probabilities: bool = True,
        combine: str = "mixture",
        cv: Any = 5,
        repeats: int = 1,
        one_standard_error: bool = False,
        solver: str | Solver = "highs",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.directions = directions
        self.order = order
        self.missing = missing
        self.nu = nu
        self.max_conditions = max_conditions
        self.max_rules = max_rules
        self.probabilities = probabilities
        self.combine = combine
        self.cv = cv
        self.repeats = repeats
        self.one_standard_error = one_standard_error
        self.solver = solver
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LPRulesClassifierCV:
        """Fit the candidates on folds, find their shares, and mix them; or fit the best one to everything.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional
            Not negative; counts in fitting and in the errors.

        Returns
        -------
        self
        """
        candidates = self._candidates()
        data = read_training_data(X, y, self.directions, sample_weight, self.order, self.missing)
        several = (data.weights > 0).sum() > 1 and not data.labels.one_class
        folds = self._validate(data, candidates) if several else []
        self.certificates_: list[Certificate] = []
        shares = self._shares(data, candidates, folds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the door has warned already
            if self.combine == "mixture":
                best = self._mixture(candidates, shares, list(data.labels.classes))
            else:
                self.best_candidate_: Candidate | Mixture = candidates[int(np.argmax(shares))]
                best = self._estimator(self.best_candidate_, list(data.labels.classes))
            if self.combine == "mixture" and folds:
                fitted = [fold.fitted[t] for t in np.flatnonzero(shares) for fold in folds]
                best._keep(data, X, fitted, np.repeat(shares[shares > 0], len(folds)) / len(folds))
            else:
                best.fit(X, y, sample_weight)
        self._take(best)
        return self

    def _take(self, best: Any) -> None:
        """Keep the best estimator and what is known of it; its proofs come after those of the shares."""
        self.best_estimator_ = best
        self.certificates_ += best.certificates_
        self.classes_, self.n_features_in_ = best.classes_, best.n_features_in_
        self.directions_ = best.directions_
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_: npt.NDArray[Any] = best.feature_names_in_

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted classifier as plain JSON data, with its best estimator in full.

        Folds that were given as a splitter or as pairs are not kept: ``cv`` is None after `from_dict`.
        """
        check_is_fitted(self, "best_estimator_")
        return lprules_cv_json.record(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> LPRulesClassifierCV:
        """Read back what `to_dict` wrote; predictions are the same bit for bit.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """
        return lprules_cv_json.restore(cls, saved)

    @property
    def _attributes(self) -> Attributes:
        """What the columns are."""
        columns: Attributes = self.best_estimator_._attributes
        return columns

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each object; see `predict` of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    def predict_interval(self, X: Any) -> npt.NDArray[Any]:
        """Return the lowest and the highest label that a monotone function through the training data can give."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_interval(X)

    def outside_range(self, X: Any) -> npt.NDArray[np.bool_]:
        """Tell which objects lie outside the range of the training data in some attribute."""
        check_is_fitted(self, "best_estimator_")
        outside: npt.NDArray[np.bool_] = self.best_estimator_.outside_range(X)
        return outside

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities, worst class first; see `predict_proba` of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)

    @available_if(lambda self: hasattr(self.best_estimator_, "explain"))
    def explain(self, X: Any, top: int | None = TOP) -> list[Any]:
        """Explain the class of each object, if the best estimator can; see its `explain`."""
        return self.best_estimator_.explain(X, top)

    @available_if(lambda self: hasattr(self.best_estimator_, "compare"))
    def compare(self, a: Any, b: Any) -> Any:
        """Say which rules tell two objects apart, if the best estimator can; see its `compare`."""
        return self.best_estimator_.compare(a, b)

    @available_if(lambda self: hasattr(self.best_estimator_, "recourse"))
    def recourse(self, x: Any, target: Any, **words: Any) -> Any:
        """Return the cheapest change that reaches a class, if the best estimator can; see its `recourse`."""
        return self.best_estimator_.recourse(x, target, **words)

    def verify(self, X: Any = None) -> MonotonicityCheck:
        """Prove that predictions are monotone; see `verify` of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.verify(X)

    def __sklearn_tags__(self) -> Any:
        """Say that monotone functions can't fit everything."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _candidates(self) -> list[Candidate]:
        """All ways to answer, as the parameters ask; refuse words that can't be."""
        for word, least in (("cv", 2), ("repeats", 1)):
            value = getattr(self, word)
            if not is_whole(value, least) and not (word == "cv" and (hasattr(value, "split") or np.iterable(value))):
                raise OptionError(f"{word}={value!r}: wanted a whole number from {least}")
        if not is_job_count(self.n_jobs):
            raise OptionError(f"n_jobs={self.n_jobs!r}: wanted a whole number other than 0, or None")
        check_flags(self, "probabilities", "one_standard_error")
        for word in ("nu", "max_conditions", "max_rules"):
            if (
                isinstance(getattr(self, word), str)
                or not np.iterable(getattr(self, word))
                or not len(getattr(self, word))
            ):
                raise OptionError(f"{word}={getattr(self, word)!r}: wanted a sequence of values to try")
        if not isinstance(self.combine, str) or self.combine not in ("mixture", "best"):
            wish = nearest(str(self.combine), ("mixture", "best"))
            raise OptionError(f"combine={self.combine!r}: wanted 'mixture' or 'best'{wish}")
        found = []
        for most in self.max_conditions:
            for rules in self.max_rules:
                shares = self.nu if rules is None else [None]
                found += [Candidate(True, {"nu": nu, "max_conditions": most, "max_rules": rules}) for nu in shares]
        for candidate in found:
            self._estimator(candidate, None)._check_words()
        if self.probabilities and self.combine == "mixture":
            lengths = sorted({most for most in self.max_conditions if most is not None})
            found.append(Candidate(False, {"max_conditions": None, "isotonic_share": 1.0}))
            found += [Candidate(False, {"max_conditions": most, "isotonic_share": 0.0}) for most in lengths]
        elif self.probabilities:
            for most in self.max_conditions:
                for share in SHARES if most is not None else (1.0,):
                    words = {"max_conditions": most, "isotonic_share": share}
                    found += [Candidate(False, words | {"loss": loss}) for loss in LOSSES]
        if self.one_standard_error and self.combine == "mixture":
            raise OptionError("one_standard_error=True chooses one candidate: combine='best' goes with it")
        return found

    def _estimator(self, candidate: Candidate, order: list[Any] | None) -> Any:
        if not candidate.votes:
            return MonotoneProbabilityClassifier(
                directions=self.directions, order=order, missing=self.missing, **candidate.words
            )
        return LPRulesClassifier(
            directions=self.directions,
            order=order,
            missing=self.missing,
            solver=self.solver,
            time_limit=self.time_limit,
            keep_best=True,
            random_state=0,
            **candidate.words,
        )

    def _validate(self, data: OrdinalData, candidates: list[Candidate]) -> list[Judged]:
        """Return the errors of all candidates, fold by fold."""
        makers = [self._estimator(candidate, None) for candidate in candidates]
        run: Callable[..., Any] = delayed(judge)
        jobs = (run(data, train, test, candidates, makers) for train, test in self._folds(data))
        return list(Parallel(n_jobs=self.n_jobs)(jobs))

    def _folds(self, data: OrdinalData) -> Iterator[tuple[Integers, Integers]]:
        """Rows to learn from and rows to judge by; rows of weight 0 are in neither."""
        from sklearn.model_selection import KFold, check_cv  # loads rich where that is installed

        there = np.flatnonzero(data.weights > 0)
        if not isinstance(self.cv, int | np.integer):
            try:
                pairs = [(train, test) for train, test in check_cv(self.cv).split(data.X, data.labels.codes)]
            except (TypeError, ValueError) as error:
                raise OptionError(f"cv={self.cv!r}: wanted a number of folds, a splitter or pairs: {error}") from error
            if not pairs:
                raise OptionError(f"cv={self.cv!r}: there are no folds")
            for train, test in pairs:
                yield np.intersect1d(train, there), np.intersect1d(test, there)
            return
        random = check_random_state(self.random_state or 0)
        for _ in range(self.repeats):
            folds = KFold(min(int(self.cv), len(there)), shuffle=True, random_state=random.randint(2**31 - 1))
            for train, test in folds.split(there):
                yield there[train], there[test]

    def _shares(self, data: OrdinalData, candidates: list[Candidate], folds: list[Judged]) -> Floats:
        """Keep the results, least error first; return the shares of the candidates."""
        self.cv_results_: dict[str, list[Any]] = {word: [] for word in RESULTS}
        self.best_error_ = float("nan")
        shares = np.zeros(len(candidates))
        if not folds:
            shares[0] = 1.0
            return shares
        weights = np.array([fold.weight for fold in folds])
        by_fold = np.array([fold.errors for fold in folds])
        means = weights @ by_fold / weights.sum()
        spread = by_fold.std(axis=0, ddof=1) if len(folds) > 1 else np.zeros(len(means))
        standard, parts = spread / np.sqrt(len(folds)), np.mean([fold.parts for fold in folds], axis=0)
        if self.combine == "mixture":
            shares, self.best_error_, proof = find_shares(data, folds)
            self.certificates_.append(proof)
        else:
            place = int(np.argmin(means))
            if self.one_standard_error:
                near = np.flatnonzero(means <= means[place] + standard[place])
                place = int(near[np.argmin(parts[near])])
            shares[place], self.best_error_ = 1.0, float(means[place])
        order = np.argsort(means, kind="stable")
        columns = (means, standard, parts, shares)
        self.cv_results_ = {word: values[order].tolist() for word, values in zip(RESULTS[1:], columns, strict=True)}
        self.cv_results_["candidate"] = [candidates[c] for c in order]
        return shares

    def _mixture(self, candidates: list[Candidate], shares: Floats, order: list[Any]) -> MonotoneMixtureClassifier:
        """Return the mixture of the candidates with a share, not fitted."""
        used = np.flatnonzero(shares)
        self.best_candidate_ = Mixture(tuple(shares[used].tolist()), tuple(candidates[t] for t in used))
        members = [self._estimator(candidates[t], order) for t in used]
        return MonotoneMixtureClassifier(
            members=members,
            shares=shares[used].tolist(),
            directions=self.directions,
            order=order,
            missing=self.missing,
        )
