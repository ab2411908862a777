"""MonotoneRelabeler: labels made monotone, in front of any learner; and the plainest monotone classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from monoopt.algorithms.contradicted import Conflicts
from monoopt.algorithms.relabelling import relabel_data
from monoopt.algorithms.words import Words
from monoopt.estimators.ordinal_inputs import OrdinalPredictor, read_training_data
from monoopt.order import Directions, Loss
from monoopt.solvers import Solver


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
        Everything, with the programs solved.

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
        self.relabelling_ = found
        self.labels_, self.cost_, self.changed_ = found.labels, found.cost, found.changed
        self.certificates_ = found.certificates
        return self

    @property
    def conflicts_(self) -> Conflicts:
        """For every changed row the rows that its old label contradicted."""
        return self.relabelling_.conflicts

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
        low, high = self._interval(X)
        return self.classes_[(low + high) // 2]
