"""Scoring baselines beside the curve: weighted sum and first principal component."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.errors import DataWarning
from monoopt.estimators import ranking
from monoopt.estimators.scaled_ranking import ScaledRanking

Array = npt.NDArray[np.float64]


class WeightedSum(ScaledRanking):
    """Rank by the weighted mean of scaled, direction-turned attributes: strictly monotone, linear only.

    score(x) = sum_j w_j u_j / sum_j w_j,   u_j = (x_j - low_j) / (high_j - low_j), or 1 minus that for a cost

    Parameters
    ----------
    directions, scaling, attribute_weights, missing
        As in `RankingPrincipalCurve`; with ``missing="project"`` the mean is over the attributes that are known.

    Attributes
    ----------
    scores_ : ndarray, shape (n,)
    scaling_ : Scaling

    Examples
    --------
    >>> WeightedSum(directions=["gain", "cost"]).fit([[1, 9], [3, 5], [2, 1]]).scores_
    array([0.  , 0.75, 0.75])
    """

    def __init__(
        self,
        *,
        directions: Any = None,
        scaling: Any = "minmax",
        attribute_weights: Any = None,
        missing: str = "refuse",
    ) -> None:
        self.directions = directions
        self.scaling = scaling
        self.attribute_weights = attribute_weights
        self.missing = missing

    @property
    def n_parameters_(self) -> int:
        """One weight for each attribute."""
        return self.n_features_in_

    def _learn(self, U: Array, weight: Array) -> None:
        """Nothing to learn beyond the scale."""

    def _score_scaled(self, U: Array) -> Array:
        kept = self.scaling_.kept
        turned = np.where(self.directions_[kept] > 0, U, 1.0 - U)
        w = np.where(np.isnan(U), 0.0, self.attribute_weights_[kept])
        total, share = np.zeros(len(U)), np.zeros(len(U))
        for j in range(U.shape[1]):  # column by column: the sum of a row never depends on the batch
            total += w[:, j] * np.nan_to_num(turned[:, j])
            share += w[:, j]
        return total / share


class FirstPrincipalComponent(ScaledRanking):
    """Rank by the first principal component of the scaled data, turned so that it points to the better side.

    maximise a' S a subject to ||a|| = 1, S the covariance of the scaled, direction-turned attributes

    Linear, and not monotone where an attribute gets a negative loading: `contrary_` names those.

    Parameters
    ----------
    directions, scaling, attribute_weights, missing
        As in `RankingPrincipalCurve`; missing cells are refused.

    Attributes
    ----------
    scores_ : ndarray, shape (n,)
    loadings_ : ndarray, shape (number of attributes that vary,)
        In the sense of the directions: positive means better is higher.
    contrary_ : list of str
        Attributes whose loading runs against their direction.
    explained_variance_ : float
        Share of the variance along the component.

    Examples
    --------
    >>> ranker = FirstPrincipalComponent().fit([[0, 0], [1, 2], [2, 1], [3, 3]])
    >>> ranker.rank().tolist(), ranker.contrary_
    ([4, 2, 2, 1], [])
    """

    def __init__(
        self,
        *,
        directions: Any = None,
        scaling: Any = "minmax",
        attribute_weights: Any = None,
        missing: str = "refuse",
    ) -> None:
        self.directions = directions
        self.scaling = scaling
        self.attribute_weights = attribute_weights
        self.missing = missing

    @property
    def n_parameters_(self) -> int:
        """A loading and a mean for each attribute."""
        return 2 * self.n_features_in_

    def _check_options(self) -> None:
        ranking.refuse_options(
            [(self.missing != "refuse", f"missing={self.missing!r}: principal components need every cell ('refuse')")]
        )

    def _turned(self, U: Array) -> Array:
        kept = self.scaling_.kept
        return np.where(self.directions_[kept] > 0, U, 1.0 - U) * np.sqrt(self.attribute_weights_[kept])

    def _learn(self, U: Array, weight: Array) -> None:
        turned, v = self._turned(U), weight / weight.sum()
        self._mean = v @ turned
        centred = turned - self._mean
        values, vectors = np.linalg.eigh((centred * v[:, None]).T @ centred)
        first = vectors[:, -1]
        side = float(first.sum())
        if abs(side) < 1e-12:  # neither end is the better side: the first attribute that counts decides, not rounding
            side = float(first[np.abs(first) > 1e-12][0])
        self.loadings_ = first if side > 0 else -first
        self.explained_variance_ = float(values[-1] / values.sum())
        names = ranking.attribute_names(self, self.n_features_in_)
        kept = np.flatnonzero(self.scaling_.kept)[self.loadings_ < -1e-12]
        self.contrary_ = [names[j] for j in kept.tolist()]
        if self.contrary_:
            warnings.warn(
                f"{self.contrary_} count against their direction in the first component", DataWarning, stacklevel=3
            )

    def _score_scaled(self, U: Array) -> Array:
        centred = self._turned(U) - self._mean
        total = np.zeros(len(U))
        for j in range(U.shape[1]):
            total += centred[:, j] * self.loadings_[j]
        return total
