"""LPRulesClassifier: ordinal classes by monotone rules whose margin is proved to be the largest possible."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.column_generation import Limits
from monoopt.algorithms.lprules import Settings, TaskFit
from monoopt.algorithms.ordinal_data import OrdinalData
from monoopt.algorithms.questions import Answered, Plan, answer, answer_by_bags
from monoopt.algorithms.relabelling import Relabelling, relabel_data
from monoopt.algorithms.rule_path import SOFTNESS, RulePath, rule_path
from monoopt.algorithms.rule_pricers import SMOOTHING
from monoopt.algorithms.words import Words
from monoopt.errors import CertificateError, OptionError
from monoopt.estimators import fitted_json, lprules_json
from monoopt.estimators.lprules_words import check_words
from monoopt.estimators.margin_report import MarginTeller
from monoopt.estimators.monotone_probability import class_counts
from monoopt.estimators.ordinal_inputs import read_training_data
from monoopt.estimators.probability_teller import LabelsSeen, ProbabilityTeller
from monoopt.estimators.rule_book import RuleBook
from monoopt.estimators.rule_recourse import RecourseTeller
from monoopt.formulations import lpboost_master
from monoopt.order import Directions, Loss
from monoopt.order.parameters import is_number
from monoopt.solvers import Solver

Floats: TypeAlias = npt.NDArray[np.float64]


class LPRulesClassifier(RecourseTeller, MarginTeller, ProbabilityTeller, ClassifierMixin, BaseEstimator):
    """Monotone rule ensembles for ordered classes (Kotlowski and Slowinski, ICML 2009).

    First the labels are changed as little as possible so that they are monotone (`monoopt.relabel`). Then for every
    question "at least class k?" an ensemble f_k of monotone rules separates the relabelled objects:

    maximise    rho - D sum_i w_i xi_i
    subject to  y_i sum_t a_t r_t(x_i) + xi_i >= rho,   sum_t a_t = 1,   a, xi >= 0

    over ALL monotone rules, by column generation with a proof. Rules say +1 ("if skill >= 3 and debt <= 2") or -1
    and are monotone in form, so predictions never fall when an object gets better. Where no rule speaks, or votes
    cancel, a question stays open and the class is the middle of what is left (see `predict`).

    Parameters
    ----------
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" (comparable only when equal there) per attribute; None: all gain. Free
        attributes may hold text or categories; directed ones an ordered category (pandas, polars Enum), or text whose
        categories stand here as a list, worst first.
    order : sequence, optional
        All labels, worst first; needed for text.
    missing : "error", "incomparable" or "worst"
        Of missing cells, in `fit` and `predict`: refuse them, all listed; compare objects only if the same directed
        attributes are missing, by the others; or take them to be worse than every value. In a free attribute they
        equal each other alone.
    solver : str or Solver
        For every program: any solver for linear programs that gives multipliers.
    loss : "absolute", "squared" or array-like, shape (K, K)
        Loss of the relabelling, hence what the classes estimate: the median of the labels for "absolute", their rounded
        mean for "squared", a quantile for `monoopt.order.linear_loss`, for other tables the class of least loss.
    tie : "least" or "greatest"
        Which of the relabellings of least cost.
    D : float, optional
        Penalty of the soft margin per unit of weight, at least 1 / (sum of weights). None: hard margin.
    nu : float, optional
        The soft margin in other words, D = 1 / (nu * sum of weights): at most a share nu of the weight lies within the
        margin. 0 is a hard margin. Give D or nu, not both.
    max_conditions : int, optional
        Only rules of at most so many conditions. Short rules learn from fewer objects where the truth is simple (1:
        additive), and may not separate at all: then a hard margin is 0 and a warning advises a soft one.
    max_rules : int or "fewest", optional
        None: the ensemble of the largest margin, however many rules it takes: the most accurate on the whole, and on
        most data few enough to read. Otherwise an earlier ensemble of the column generation (`margin_path`) for each
        question. "fewest": of those that make least errors on the relabelled objects (none, as a rule) the one of
        fewest rules, then of largest margin. A number: of those with at most so many rules the one of least error,
        then of largest margin; where none with so few is without error, softer margins (`rule_path`) compete, the
        hardest preferred; where none has so few even at nu = 1 (ties, or a limit), the fewest there are. Certificates
        prove margins to be the largest for the rules known by then; ``bounds_`` say what all monotone rules reach.
    n_estimators : int
        More than 1: the mean of so many ensembles on bootstrap samples, each relabelled by itself.
    pricing : "search", "enumeration" or "program"
        How the best rule is found: branch and bound, a list of all rules (few attributes), or the integer program.
    tolerance : float
        Gap at which a margin counts as proved.
    time_limit : float, optional
        Wall seconds for everything; at the limit the best ensembles so far are kept, and a warning and the
        certificates say what is not proved. Not interrupted are relabelling, without which nothing can be learned, and
        compiling the search (once per machine, and only where the grid of thresholds is too large to be summed).
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
        Margin of every ensemble, hard the smallest vote in the right direction, soft what is maximised: rho less the
        penalty; and the bound that no ensemble of monotone rules exceeds. For a mean of bootstrap
        samples the smallest vote in the right direction on the relabelled objects, and the bound 1.
    certificates_ : list of Certificate
        The K-1 proofs of the relabelling, then the K-1 proofs of the margins (of every bootstrap sample).
    relabelling_ : Relabelling
        New labels, cost, changed rows and their conflicts (without the programs; None after `from_dict`).
    fits_ : list of TaskFit
        Log of the column generation with the solutions of all master programs, their rows and multipliers, per question
        (None after `from_dict`, and for a mean of bootstrap samples). `margin_path` reads them.
    object_class_weights_ : ndarray, shape (K, m)
        Weight of every class at every object of ``objects_``, before the relabelling.
    probabilities_ : ClassProbabilities
        What `predict_proba` goes by, with its certificates; solved at first use.
    n_iter_ : int
        Most master programs solved for a question.
    directions_, objects_, object_codes_, object_weights_, n_features_in_, feature_names_in_
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
        missing: str = "error",
        solver: str | Solver = "highs",
        loss: Loss = "absolute",
        tie: str = "least",
        D: float | None = None,
        nu: float | None = None,
        max_conditions: int | None = None,
        max_rules: int | str | None = None,
        n_estimators: int = 1,
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
        self.missing = missing
        self.solver = solver
        self.loss = loss
        self.tie = tie
        self.D = D
        self.nu = nu
        self.max_conditions = max_conditions
        self.max_rules = max_rules
        self.n_estimators = n_estimators
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
        OptionError
            Every parameter that can't be, at once.
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
        self._check_words()
        words = Words(self.solver, self.time_limit)
        data = read_training_data(X, y, self.directions, sample_weight, self.order, self.missing)
        lpboost_master.penalty(self.D, data.weights[data.weights > 0])
        relabelling = relabel_data(data, self.loss, self.tie, words.unlimited())
        if self.n_estimators == 1:
            found = answer(data, relabelling.codes, self._plan(), words)
            fits = found.fits or []
        else:
            bags, seed = self.n_estimators, self._seed()
            plan = self._plan()
            found, fits = answer_by_bags(data, relabelling.codes, plan, words, self.loss, self.tie, bags, seed)
        self._report(fits, data.labels.classes)
        self._keep(data, relabelling, found, fits)
        return self

    def rule_path(self, k: int, softness: Sequence[float] = SOFTNESS) -> RulePath:
        """Return for question k (1..K-1) what softer margins and fewer rules reach: margin, error, number of rules.

        Printed, it is a table; `monoopt.report.plots_rules.plot_rule_path` draws it. Errors are those on the relabelled
        objects. Every point is the end of a path of its own (`margin_path`).

        Parameters
        ----------
        k : int
        softness : sequence of float
            Values of nu, 0 for the hard margin.

        Examples
        --------
        >>> rules = LPRulesClassifier().fit([[1], [2], [3], [4]], [0, 1, 0, 1])
        >>> print(rules.rule_path(1, [0.0, 0.5]))
            nu  rules    margin   error
             0      2    0.5000    0.0%
           0.5      2    0.5000    0.0%
        """
        k = self._question(k)
        if not np.iterable(softness) or not all(is_number(nu) and 0 <= nu <= 1 for nu in softness):
            raise OptionError(f"softness={softness!r}: wanted numbers from 0 (hard margin) to 1")
        signs = np.where(self.object_codes_ >= k, 1, -1)
        settings = self._plan().settings
        return rule_path(self.objects_, signs, self.directions_, self.object_weights_, settings, softness)

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
        return fitted_json.record(self, lprules_json.own_record(self))

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> LPRulesClassifier:
        """Read back what `to_dict` wrote; predictions are the same bit for bit.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """
        return fitted_json.restore(cls, saved, lprules_json.OWN, lprules_json.own_faults, lprules_json.fill)

    def _check_words(self) -> None:
        """Refuse words that can't be, before anything is read; the data are checked afterwards."""
        check_words(self.get_params(deep=False))

    def _seed(self) -> int:
        return int(check_random_state(self.random_state or 0).randint(2**31 - 1))

    def _plan(self) -> Plan:
        limits = Limits(self.tolerance, self.time_limit, self.max_iterations, SMOOTHING)
        most = None if self.max_conditions is None else int(self.max_conditions)
        settings = Settings(self.D, self.pricing, self.solver, limits, self._seed(), most)
        return Plan(settings, self.nu, self.max_rules, self.n_jobs)

    def _report(self, fits: Sequence[TaskFit], classes: npt.NDArray[Any]) -> None:
        """Warn where a limit stopped a proof or rules are too short; refuse a proof that failed for another reason."""
        for place, fit in enumerate(fits):
            if fit.certificate.ok and fit.margin > 0:
                continue
            question = f"at least {classes[1:][place % (len(classes) - 1)]}"
            text = f"{question}: margin {fit.margin:.6g}, proved bound {fit.bound:.6g} ({fit.stopped})"
            if fit.certificate.ok:
                text = f"{question}: these rules do not separate the objects; a soft margin (nu) still says something"
            elif not fit.limited and not self.keep_best:
                raise CertificateError(f"{text}; keep_best=True keeps what there is", fit.certificate)
            warnings.warn(text, ConvergenceWarning, stacklevel=3)

    def _keep(self, data: OrdinalData, relabelling: Relabelling, found: Answered, fits: Sequence[TaskFit]) -> None:
        """Store everything, when nothing can fail any more."""
        self._keep_data(data, relabelling.codes)
        self.object_class_weights_ = class_counts(data)[1]
        self._seen = LabelsSeen(self.objects_, self.object_class_weights_, self.directions_)
        self.margins_, self.bounds_ = found.margins, found.bounds
        self.rules_ = RuleBook(found.ensembles, self.margins_, self.classes_, data.attributes)
        self.certificates_ = [*relabelling.certificates, *found.certificates]
        self.relabelling_: Relabelling | None = replace(relabelling, solutions={})
        self.fits_: list[TaskFit] | None = found.fits
        self.n_iter_ = max((len(fit.steps) for fit in fits), default=0)
