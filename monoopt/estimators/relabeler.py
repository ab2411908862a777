"""MonotoneRelabeler: labels made monotone, in front of any learner; and the plainest monotone classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.contradicted import Conflicts
from monoopt.algorithms.relabelling import TIES, Relabelling, relabel_data
from monoopt.algorithms.words import Words
from monoopt.errors import DataError
from monoopt.estimators import fitted_json
from monoopt.estimators.ordinal_inputs import OrdinalPredictor, read_training_data
from monoopt.estimators.proof_faults import proof_faults
from monoopt.estimators.record_faults import Shape, number_faults
from monoopt.estimators.rule_book import MonotonicityCheck
from monoopt.order import Directions, Loss, loss_table
from monoopt.program import Certificate
from monoopt.solvers import Solver

OWN = ("row_codes", "changed", "cost")


class MonotoneRelabeler(OrdinalPredictor, ClassifierMixin, BaseEstimator):
    """Change the labels as little as possible so that a better object never has a lower label.

    minimise    sum_i w_i L(y_i, d_i)   subject to   d_i >= d_j whenever object i is at least as good as object j

    Use `fit_resample` in front of any learner, or `predict`: the middle of the interval of classes that monotone
    functions through the relabelled data allow.

    Parameters
    ----------
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" per attribute, or a list of categories, worst first; None: all gain.
        Free attributes may hold text or categories, directed ones an ordered category.
    order : sequence, optional
        All labels, worst first; needed for text.
    missing : "error", "incomparable" or "worst"
        Of missing cells, in `fit` and `predict`: see `monoopt.relabel`.
    loss : "absolute", "squared" or array-like, shape (K, K)
        L[true class, new class], convex along each row.
    tie : "least" or "greatest"
        Which of the relabellings of least cost.
    solver : str or Solver
        For linear programs, or "mincut".
    time_limit : float, optional
        Wall seconds.
    tolerance : float, optional
        The solver's tolerance.
    options : mapping, optional
        The solver's native options.

    Attributes
    ----------
    labels_ : ndarray, shape (n,)
        New labels of the training rows.
    cost_ : float
        What they cost, the least possible.
    changed_ : ndarray of int
        Rows whose label changed.
    conflicts_ : Conflicts, mapping of int to ndarray
        For every changed row the rows that its old label contradicted.
    certificates_ : tuple of Certificate
        One proof per question "at least class k?".
    classes_ : ndarray, shape (K,)
        Labels, worst first.
    relabelling_ : Relabelling
        Everything, with the programs solved (None after `from_dict`; then there are no ``conflicts_`` either).

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]], [0, 1, 0, 2]
    >>> repair = MonotoneRelabeler().fit(X, y)
    >>> repair.labels_, repair.cost_, repair.changed_
    (array([0, 0, 0, 2]), 1.0, array([1]))
    >>> repair.predict([[3.5]]), repair.predict_interval([[3.5]])
    (array([1]), array([[0, 2]]))
    """

    def __init__(
        self,
        *,
        directions: Directions = None,
        order: Sequence[Any] | None = None,
        missing: str = "error",
        loss: Loss = "absolute",
        tie: str = "least",
        solver: str | Solver = "highs",
        time_limit: float | None = None,
        tolerance: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.directions = directions
        self.order = order
        self.missing = missing
        self.loss = loss
        self.tie = tie
        self.solver = solver
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.options = options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MonotoneRelabeler:
        """Relabel.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional
            Not negative; weight k is k copies, weight 0 is a row without a say.

        Returns
        -------
        self
        """
        data = read_training_data(X, y, self.directions, sample_weight, self.order, self.missing)
        words = Words(self.solver, self.time_limit, self.tolerance, self.options)
        found = relabel_data(data, self.loss, self.tie, words)
        self._keep_data(data, found.codes)
        self.relabelling_: Relabelling | None = found
        self.labels_, self.cost_, self.changed_ = found.labels, found.cost, found.changed
        self.certificates_: Sequence[Certificate] = found.certificates
        return self

    @property
    def conflicts_(self) -> Conflicts:
        """For every changed row the rows that its old label contradicted."""
        if self.relabelling_ is None:
            raise DataError("no conflicts: the relabeler was read from a record, which does not keep the labels before")
        return self.relabelling_.conflicts

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted relabeler as plain JSON data: new labels, cost, changed rows and proofs; no conflicts."""
        check_is_fitted(self, "classes_")
        place = {label: code for code, label in enumerate(self.classes_.tolist())}
        codes = [place[label] for label in self.labels_.tolist()]
        own = {"row_codes": codes, "changed": self.changed_.tolist(), "cost": self.cost_}
        return fitted_json.record(self, own)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> MonotoneRelabeler:
        """Read back what `to_dict` wrote; predictions are the same bit for bit, ``relabelling_`` is None.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """
        return fitted_json.restore(cls, saved, OWN, _faults, _fill)

    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, npt.NDArray[Any]]:
        """Return X as it came and the new labels: a step in front of any learner.

        Examples
        --------
        >>> MonotoneRelabeler().fit_resample([[1], [2]], [1, 0])
        ([[1], [2]], array([0, 0]))
        """
        return X, self.fit(X, y, sample_weight).labels_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the middle of the interval, rounded down: monotone, since both ends are.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Returns
        -------
        ndarray, shape (m,)
        """
        codes = self._middle(X)
        return self.classes_[codes]

    def verify(self, X: Any = None) -> MonotonicityCheck:
        """Count violations of `predict` over comparable pairs; that there is none follows from its form.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d), optional
            Objects to compare pairwise; the training objects when not given.
        """
        return self._check_pairs(X, self._middle, True, "the interval of labels")

    def _middle(self, X: Any) -> npt.NDArray[np.int64]:
        low, high = self._interval(X)
        return (low + high) // 2


def _faults(saved: Mapping[str, Any], shape: Shape) -> list[str]:
    """Return what is wrong: a new label for every row, which of them changed, and a proof per question."""
    rows = len(saved["row_codes"]) if isinstance(saved["row_codes"], list) else 0
    changed = len(saved["changed"]) if isinstance(saved["changed"], list) else 0
    faults = [] if rows >= shape.objects else [f"row_codes: wanted one for every row, {shape.objects} at least"]
    faults += number_faults("row_codes", saved["row_codes"], (rows,), 0, shape.classes - 1, whole=True)
    wrong = number_faults("changed", saved["changed"], (changed,), 0, rows - 1, whole=True)
    if not wrong and sorted(set(saved["changed"])) != saved["changed"]:
        wrong = ["changed: wanted different rows in ascending order"]
    faults += wrong + number_faults("cost", saved["cost"], (), 0)
    certificates = saved["certificates"]
    right = not isinstance(certificates, list) or len(certificates) == shape.classes - 1
    if not right:
        faults.append(f"certificates: wanted {shape.classes - 1}")
    return faults or _cost_faults(float(saved["cost"]), certificates)


def _cost_faults(cost: float, certificates: Any) -> list[str]:
    """Return what is wrong with a cost that is not the sum of what the questions cost, up to rounding."""
    if proof_faults(certificates):  # said already
        return []
    total = sum(float(entry["primal_objective"]) for entry in certificates)
    if not np.isfinite(total) or abs(cost - total) <= 1e-6 * max(cost, total):
        return []
    return [f"cost: {cost:.12g} is not the sum of the certificates' objectives, {total:.12g}"]


def _fill(fitted: MonotoneRelabeler, saved: Mapping[str, Any]) -> None:
    """Store it all."""
    loss_table(fitted.loss, len(fitted.classes_))
    if fitted.tie not in TIES:
        raise DataError(f"parameters: tie={fitted.tie!r}, wanted 'least' or 'greatest'")
    fitted.labels_ = fitted.classes_[np.array(saved["row_codes"], dtype=np.int64)]
    fitted.changed_, fitted.cost_ = np.array(saved["changed"], dtype=np.int64), float(saved["cost"])
    fitted.certificates_ = tuple(fitted.certificates_)
    fitted.relabelling_ = None
