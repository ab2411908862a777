"""Rankings on a frozen scale: the common front of curve, weighted sum and principal component."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import DataError, nearest, refuse
from monoopt.estimators import ranking
from monoopt.estimators.inputs import read_fit_table, read_new_table
from monoopt.estimators.ranking import ScoringMixin
from monoopt.order.contributions import contributions
from monoopt.order.parameters import is_whole
from monoopt.order.scaling import Scaling, fit_scaling
from monoopt.order.weights import read_weights, size_faults

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Why a scores above (or below) b.

    Attributes
    ----------
    attributes : tuple of str
    contributions : ndarray, shape (d,)
        Signed points of each attribute; they add up to ``score_a - score_b``.
    score_a, score_b : float
    """

    attributes: tuple[str, ...]
    contributions: Array
    score_a: float
    score_b: float

    @property
    def difference(self) -> float:
        """``score_a - score_b``."""
        return self.score_a - self.score_b

    def __str__(self) -> str:
        """One line per attribute, largest first, then the sum."""
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        lines = [f"{self.contributions[j]:+.4f}  {self.attributes[j]}" for j in order]
        return "\n".join([*lines, f"{self.difference:+.4f}  = {self.score_a:.4f} - {self.score_b:.4f}"])


class ScaledRanking(ScoringMixin, TransformerMixin, BaseEstimator, ABC):
    """Scale by ranges frozen at fit, then score; a subclass says how to learn and how to score.

    Subclasses store ``directions``, ``scaling``, ``attribute_weights`` and ``missing`` in their constructor.
    """

    directions: Any
    scaling: Any
    attribute_weights: Any
    missing: str

    @abstractmethod
    def _learn(self, U: Array, weight: Array) -> None:
        """Learn from the scaled objects of positive weight (kept attributes only)."""

    @abstractmethod
    def _score_scaled(self, U: Array) -> Array:
        """Score scaled objects."""

    def _check_options(self) -> None:
        ranking.refuse_options(
            [
                (
                    str(self.missing) not in ("refuse", "project"),
                    f"missing={self.missing!r}: wanted 'refuse' or 'project'",
                )
            ]
        )

    def fit(self, X: Any, y: object = None, sample_weight: Any = None, *, objects: Sequence[Any] | None = None) -> Self:
        """Learn scale and scores.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : ignored
        sample_weight : array-like, shape (n,), optional
            Weight 0 leaves an object out of what is learnt (it is scored all the same); 2 counts as two copies.
        objects : sequence, optional
            Labels of the objects; the index of a pandas frame, or positions, by default.

        Returns
        -------
        self

        Raises
        ------
        DataError
            Cells that are no finite numbers (all listed), missing or free directions, fewer than two objects, no
            attribute that varies.
        OptionError
            All options outside their range.
        """
        self._check_options()
        values = read_fit_table(self, X, keep_missing=self.missing == "project")
        weight = read_weights(sample_weight, len(values))
        self._prepare(values, weight, ranking.object_labels(X, objects, len(values)))
        used = weight > 0
        self._learn(self.scaling_.apply(values[used]), weight[used])
        self.scores_ = self._scores(values)
        self._warn_after(values)
        return self

    def score_samples(self, X: Any) -> Array:
        """Score objects on the frozen scale, each by itself; higher is better.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
            Columns are put in order by name.

        Returns
        -------
        ndarray, shape (m,)
        """
        return self._scores(self._read(X))

    def outside_range(self, X: Any) -> npt.NDArray[np.bool_]:
        """Tell, cell by cell, what lies outside the range that was frozen at fit; shape (m, d)."""
        return self.scaling_.outside(self._read(X))

    def compare(self, a: Any, b: Any) -> Comparison:
        """Say why a scores above b: contributions of the attributes that add up to the difference of scores.

        Parameters
        ----------
        a, b : object label, array-like of shape (d,), dict, Series or table of one row
            Fitted objects by label (position where they have none), or attribute values of any object, found by their
            names where they have some.
        """
        return self._compared(self._object(a), self._object(b))

    def reasons(self, a: Any, top: int = 4) -> list[tuple[str, float]]:
        """Name the attributes that cost an object most against the best reachable one.

        The best reachable object has the best value of the frozen range in every attribute. Over all
        attributes the points add up to the distance of the scores.

        Parameters
        ----------
        a : object label, or values of one object
            As in `compare`.
        top : int
            How many attributes to name.

        Returns
        -------
        list of (name, points lost)
            At most ``top``, largest first, only those that cost something.
        """
        ranking.refuse_options([(not is_whole(top, 0), f"top={top!r}: wanted a whole number from 0")])
        mine = self._object(a)
        comparison = self._compared(self._ideal(), mine)
        order = np.argsort(-comparison.contributions, kind="stable")[:top]
        lost = [(comparison.attributes[j], float(comparison.contributions[j])) for j in order]
        return [(name, points) for name, points in lost if points > 0]

    def rank_reversal_check(self, newcomers: Any) -> list[tuple[Any, Any]]:
        """Name the pairs of fitted objects that would swap if newcomers were fitted with them (none ever does here).

        Parameters
        ----------
        newcomers : array-like or data frame, shape (m, d)

        Returns
        -------
        list of (a, b)
            a scores above b, and would score below after fitting again with the newcomers.
        """
        from monoopt.estimators.rank_uncertainty import reversals_with

        check_is_fitted(self, "scores_")
        return reversals_with(self, newcomers)

    def _prepare(self, values: Array, weight: Array, labels: list[Any]) -> None:
        """Refuse what can't be ranked, freeze the scale, and say what a person should know."""
        names = ranking.attribute_names(self, values.shape[1])
        self.directions_ = ranking.ranking_directions(self.directions, self, values.shape[1])
        self.attribute_weights_ = read_attribute_weights(self.attribute_weights, names)
        ranking.require_two_objects(weight)
        _refuse_empty(values, weight, names, labels)
        self.scaling_: Scaling = fit_scaling(values, weight, self.scaling, names)
        if not self.scaling_.kept.any():
            raise DataError("all objects are equal on every attribute: there is nothing to rank")
        self.objects_, self.values_ = labels, values.copy()  # the table may be the caller's own memory
        self.n_missing_ = np.isnan(values).sum(axis=0)
        ranking.warn_about_columns(values, self.scaling_, weight, names)
        ranking.warn_about_goalposts(values, self.scaling_, weight, names)
        if isinstance(self.scaling, str) and self.scaling == "minmax":
            ranking.warn_about_extremes(values, weight, names, labels)

    def _warn_after(self, values: Array) -> None:
        kept = np.flatnonzero(self.scaling_.kept)
        names = ranking.attribute_names(self, values.shape[1])
        ranking.warn_about_directions(values[:, kept], self.scores_, self.directions_[kept], [names[j] for j in kept])

    def _read(self, X: Any) -> Array:
        values = read_new_table(self, X, "scores_", keep_missing=self.missing == "project")
        empty = np.flatnonzero(np.isnan(values[:, self.scaling_.kept]).all(axis=1))
        refuse([f"row {i}: no attribute is known" for i in empty[:20]], "X")
        return values

    def _scores(self, values: Array) -> Array:
        return self._score_scaled(self.scaling_.apply(values))

    def _ideal(self) -> Array:
        return np.where(self.directions_ > 0, self.scaling_.high, self.scaling_.low)

    def _compared(self, a: Array, b: Array) -> Comparison:
        found = contributions(self._scores, a, b)
        ends = self._scores(np.stack([a, b]))
        names = ranking.attribute_names(self, self.n_features_in_)
        return Comparison(tuple(names), found, float(ends[0]), float(ends[1]))

    def _object(self, a: Any) -> Array:
        """Find a fitted object by its label, or read the values of any object."""
        check_is_fitted(self, "scores_")
        table = ranking.one_row(a)
        if table is None:
            return self.values_[ranking.position_of(a, self.objects_)]
        values = self._read(table)
        refuse([f"{len(values)} objects; wanted one"] if len(values) != 1 else [], "object")
        return values[0]


def read_attribute_weights(given: Any, names: Sequence[str]) -> Array:
    """Read one positive weight per attribute and scale them to mean 1; attributes a dict doesn't name get 1."""
    if given is None:
        return np.ones(len(names))
    faults: list[str] = []
    if isinstance(given, Mapping):
        faults += [f"unknown attribute {name!r}{nearest(name, names)}" for name in given if name not in names]
        given = [given.get(name, 1.0) for name in names]
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"attribute_weights is {given!r}; wanted a positive number for each attribute") from None
    if weights.shape != (len(names),):
        faults.append(f"shape {weights.shape}: wanted one weight for each of {len(names)} attributes")
    else:
        wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0))).tolist()
        faults += [
            f"{names[j]!r}: {weights[j]}, wanted a positive number (leave the column out for none)" for j in wrong
        ]
    refuse(faults or size_faults(weights), "attribute_weights")
    return weights / weights.mean()


def _refuse_empty(values: Array, weight: Array, names: Sequence[str], labels: Sequence[Any]) -> None:
    """Refuse attributes and objects of which nothing is known."""
    known = ~np.isnan(values)
    if known.all():
        return
    faults = [
        f"attribute {names[j]!r}: no value is known" for j in np.flatnonzero(~known[weight > 0].any(axis=0)).tolist()
    ]
    faults += [f"object {labels[i]!r}: no attribute is known" for i in np.flatnonzero(~known.any(axis=1))[:20].tolist()]
    refuse(faults, "X")
