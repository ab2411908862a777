"""IsotonicSeparationClassifier: relabel by a linear program, then answer by distances to the borders of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.relabelling import Relabelling, Words, relabel_data
from monoopt.errors import OptionError
from monoopt.estimators import fitted_json
from monoopt.estimators.inputs import check_flags
from monoopt.estimators.ordinal_inputs import OrdinalPredictor, read_training_data
from monoopt.estimators.record_faults import Shape
from monoopt.estimators.rule_book import MonotonicityCheck
from monoopt.estimators.rule_voting import middle
from monoopt.order import Directions, borders
from monoopt.order.comparisons import blocks
from monoopt.solvers import Solver

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

GRAIN = 2.0**-40  # distances are whole multiples of it, so that sums do not depend on their order


class IsotonicSeparationClassifier(OrdinalPredictor, ClassifierMixin, BaseEstimator):
    """Isotonic separation (Chandrasekaran, Ryu, Jacob and Hong 2005) for ordered classes.

    For every question "at least class k?" the labels are made monotone at least cost,

    minimise  w_0 (number raised) + w_1 (number lowered)  subject to  d_i >= d_j  whenever i is at least as good as j,

    and only the borders are kept: B_1, the least objects above, and B_0, the best ones below. A new object x gets

    v(x) = w_0 min_{b in B_0} sum_s (x_s - b_s)_+  -  w_1 min_{b in B_1} sum_s (b_s - x_s)_+

    and is above if v is positive. v is monotone: what lies above some b in B_1 has v > 0, below some b in B_0 v < 0.

    Parameters
    ----------
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" per attribute; None: all gain. Objects that differ in a free attribute
        are infinitely far from each other.
    order : sequence, optional
        All labels, worst first; needed for text.
    costs : (float, float)
        w_0 and w_1: what answering a class too high and a class too low costs.
    scale : bool
        Divide every attribute by its range in the training data first, so that units do not matter.
    tie : "least" or "greatest"
        Which of the relabellings of least cost.
    solver : str or Solver
        For the linear programs of the relabelling, or "mincut".
    time_limit : float, optional
        Wall seconds of the relabelling.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Labels, worst first.
    borders_ : list of (ndarray, ndarray)
        Per question the objects of B_1 and of B_0.
    relabelling_ : Relabelling
        New labels, cost, conflicts (None after `from_dict`).
    certificates_ : list of Certificate
        One proof per question.
    directions_, objects_, object_codes_, object_weights_, n_features_in_, feature_names_in_
        What was learned from.

    Examples
    --------
    >>> separation = IsotonicSeparationClassifier().fit([[1], [2], [4], [5]], [0, 0, 1, 1])
    >>> separation.margins([[2.5], [3.5]]), separation.predict([[2.5], [3.5]])
    (array([[-0.25],
           [ 0.25]]), array([0, 1]))
    """

    def __init__(
        self,
        *,
        directions: Directions = None,
        order: Sequence[Any] | None = None,
        costs: tuple[float, float] = (1.0, 1.0),
        scale: bool = True,
        tie: str = "least",
        solver: str | Solver = "highs",
        time_limit: float | None = None,
    ) -> None:
        self.directions = directions
        self.order = order
        self.costs = costs
        self.scale = scale
        self.tie = tie
        self.solver = solver
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> IsotonicSeparationClassifier:
        """Relabel and keep the borders.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional
            Not negative; weight k is k copies, weight 0 is a row that is not there.

        Returns
        -------
        self
        """
        check_flags(self, "scale")
        costs = self._checked_costs()
        words = Words(self.solver, self.time_limit)
        data = read_training_data(X, y, self.directions, sample_weight, self.order)
        ahead = np.subtract.outer(np.arange(data.n_classes), np.arange(data.n_classes)).T
        loss = np.where(ahead > 0, costs[0] * ahead, 0.0 - costs[1] * ahead)
        found = relabel_data(data, loss, self.tie, words)
        self._keep_data(data, found.codes)
        self._keep_borders()
        self.relabelling_: Relabelling | None = replace(found, solutions={})
        self.certificates_ = list(found.certificates)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted classifier as plain JSON data."""
        check_is_fitted(self, "classes_")
        return fitted_json.record(self, {})

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> IsotonicSeparationClassifier:
        """Read back what `to_dict` wrote; predictions are the same bit for bit, and there is no ``relabelling_``.

        Raises
        ------
        DataError
            Another schema, or something is missing.
        """

        def fill(fitted: IsotonicSeparationClassifier, saved: Mapping[str, Any]) -> None:
            fitted._keep_borders()
            fitted.relabelling_ = None

        def faults(saved: Mapping[str, Any], shape: Shape) -> list[str]:
            right = not isinstance(saved["certificates"], list) or len(saved["certificates"]) == shape.classes - 1
            return [] if right else [f"certificates: wanted {shape.classes - 1}"]

        return fitted_json.restore(cls, saved, (), faults, fill)

    def _checked_costs(self) -> Floats:
        try:
            costs = np.asarray(self.costs, dtype=float)
        except (TypeError, ValueError, OverflowError):
            costs = np.empty(0)
        if costs.shape != (2,) or not (np.isfinite(costs) & (costs > 0)).all():
            raise OptionError(
                f"costs={self.costs!r}: wanted two positive numbers, of too high and of too low an answer"
            )
        return costs

    def _keep_borders(self) -> None:
        """Find the borders of the objects kept, and how far a step is in every attribute."""
        self._costs = self._checked_costs()
        self.borders_: list[tuple[Floats, Floats]] = []
        for k in range(1, len(self.classes_)):
            upper, lower = borders(self.objects_, self.object_codes_ >= k, self.directions_)
            self.borders_.append((self.objects_[upper], self.objects_[lower]))
        width = self.objects_.max(axis=0) - self.objects_.min(axis=0)
        self._width = np.where(width > 0, width, 1.0) if self.scale else np.ones(len(width))

    def margins(self, X: Any) -> Floats:
        """Return v for every object and question, shape (m, K-1); 0 where nothing can be compared.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        """
        _, values, _ = self._matched(X)
        found = np.zeros((len(values), len(self.borders_)))
        for k, (upper, lower) in enumerate(self.borders_):
            found[:, k] = self._margin(values, upper, lower)
        return found

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each object: the middle of what the questions leave open, rounded down.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Returns
        -------
        ndarray, shape (m,)
        """
        codes = middle(self.margins(X))
        return self.classes_[codes]

    def verify(self, X: Any = None) -> MonotonicityCheck:
        """Count violations over comparable pairs; that there is none follows from the form of v.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d), optional
            Objects to compare pairwise; the training objects when not given.
        """
        return self._check_pairs(X, lambda table: middle(self.margins(table)), True, "every margin")

    def _margin(self, values: Floats, upper: Floats, lower: Floats) -> Floats:
        """Return v of one question; a class without objects is infinitely far."""
        above = self._costs[0] * self._shortest(values, lower, 1)
        below = self._costs[1] * self._shortest(values, upper, -1)
        out = np.zeros(len(values))
        known = np.isfinite(above) | np.isfinite(below)
        out[known] = above[known] - below[known]
        return out

    def _shortest(self, values: Floats, border: Floats, side: int) -> Floats:
        """Least sum of what the objects are better (side 1) or worse (-1) than an object of the border."""
        out = np.full(len(values), np.inf)
        free = self.directions_ == 0
        for block in blocks(len(values), len(border)):
            total = np.zeros((len(values[block]), len(border)))
            for j in np.flatnonzero(~free):
                with np.errstate(over="ignore"):  # farther than numbers go is infinitely far
                    ahead = np.subtract.outer(values[block, j], border[:, j]) * (side * self.directions_[j])
                    total += np.round(np.maximum(ahead, 0.0) / self._width[j] / GRAIN) * GRAIN
            for j in np.flatnonzero(free):
                total[values[block, j][:, None] != border[:, j]] = np.inf
            out[block] = total.min(axis=1, initial=np.inf)
        return out
