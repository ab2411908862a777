"""Rank aggregation: every attribute ranks the objects, and one order is made of these rankings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from monoopt.algorithms.equal_orders import nearest_neighbours_first, nearest_of_equal_cost
from monoopt.algorithms.kemeny_order import disagreements, kemeny_order
from monoopt.errors import DataError
from monoopt.estimators import ranking
from monoopt.estimators.inputs import read_fit_table, read_new_table
from monoopt.estimators.ranking import RankingMixin, ScoringMixin
from monoopt.estimators.scaled_ranking import read_attribute_weights
from monoopt.formulations import footrule
from monoopt.formulations.kemeny import pair_weights
from monoopt.order.ranks import ranks
from monoopt.program import Certificate
from monoopt.solvers import Settings, check_solver, solve

Array = npt.NDArray[np.float64]
LARGEST_ASSIGNMENT = 3000
LARGEST_TABLE = 5000  # objects whose pairs are held in one table


class AggregatedRanking(BaseEstimator, ABC):
    """Rank the fitted objects by the locations that the attributes give them."""

    directions: Any
    attribute_weights: Any

    def fit(self, X: Any, y: object = None, *, objects: Sequence[Any] | None = None) -> Self:
        """Aggregate.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : ignored
        objects : sequence, optional
            Labels of the objects; the index of a pandas frame, or positions, by default.

        Returns
        -------
        self

        Raises
        ------
        DataError
            Cells that are no finite numbers (all listed), missing or free directions, fewer than two objects.
        """
        values = read_fit_table(self, X)
        n, d = values.shape
        self.directions_ = ranking.ranking_directions(self.directions, self, d)
        self.attribute_weights_ = read_attribute_weights(self.attribute_weights, ranking.attribute_names(self, d))
        ranking.require_two_objects(np.ones(n))
        self.objects_ = ranking.object_labels(X, objects, n)
        self.values_ = values.copy()  # the table may be the caller's own memory
        gains = values * self.directions_
        self.locations_ = np.column_stack([ranks(gains[:, j], "average") for j in range(d)])
        self._aggregate()
        return self

    @abstractmethod
    def _aggregate(self) -> None:
        """Set ``scores_`` and what else is found, from ``locations_`` and ``attribute_weights_``."""

    def _mean_location(self) -> Array:
        """Weighted mean location of every object: its mean rank."""
        total = np.zeros(len(self.locations_))
        for column, weight in zip(self.locations_.T, self.attribute_weights_, strict=True):
            total += weight * column
        return total / self.attribute_weights_.sum()

    def _by_content(self) -> npt.NDArray[np.intp]:
        """Order the objects by mean rank, then by their locations, so that the order of the rows decides nothing."""
        return np.lexsort([*self.locations_.T[::-1], self._mean_location()])

    def _score_positions(self, positions: Array) -> Array:
        """Turn positions into scores, 1 first and 0 last; objects with equal locations share their mean position."""
        _, group = np.unique(self.locations_, axis=0, return_inverse=True)
        group = group.ravel()
        shared = (np.bincount(group, positions) / np.bincount(group))[group]
        n = len(positions)
        return (n - shared) / (n - 1)


class MedianRankAggregation(ScoringMixin, TransformerMixin, AggregatedRanking):
    """Rank by the mean location over the attributes (the paper's equation 31).

    kappa(i) = sum_j w_j tau_j(i) / sum_j w_j, tau_j(i) the location of object i in the ranking of attribute j

    Parameters
    ----------
    directions : dict, sequence or None
    attribute_weights : dict, sequence or None

    Attributes
    ----------
    kappa_ : ndarray, shape (n,)
        Mean locations; 1 is first everywhere.
    scores_ : ndarray, shape (n,)
        (n - kappa) / (n - 1).
    locations_ : ndarray, shape (n, d)
        tau, averages for ties.

    Examples
    --------
    >>> MedianRankAggregation().fit([[0.3, 0.25], [0.25, 0.55], [0.7, 0.7]]).kappa_
    array([2.5, 2.5, 1. ])
    """

    def __init__(self, *, directions: Any = None, attribute_weights: Any = None) -> None:
        self.directions = directions
        self.attribute_weights = attribute_weights

    @property
    def n_parameters_(self) -> int:
        """All fitted values: the rule has no parameters of its own, it keeps the objects."""
        return int(self.values_.size)

    def score_samples(self, X: Any) -> Array:
        """Score objects by their mean location among the fitted ones (half a place between two of them)."""
        n = len(getattr(self, "values_", ()))
        return (n - self._mean_locations(read_new_table(self, X, "scores_"))) / (n - 1)

    def _aggregate(self) -> None:
        n = len(self.values_)
        self.kappa_ = self._mean_locations(self.values_)
        self.scores_ = (n - self.kappa_) / (n - 1)

    def _mean_locations(self, values: Array) -> Array:
        """Kappa of any objects among the fitted ones: 1 + those better + half of the others that are equal."""
        kappa = np.zeros(len(values))
        for j in range(values.shape[1]):
            known = np.sort(self.values_[:, j] * self.directions_[j])
            mine = values[:, j] * self.directions_[j]
            better = len(known) - np.searchsorted(known, mine, side="right")
            equal = len(known) - better - np.searchsorted(known, mine, side="left")
            kappa += self.attribute_weights_[j] * (better + (equal + 1) / 2)
        return kappa / self.attribute_weights_.sum()


class FootruleAggregation(RankingMixin, AggregatedRanking):
    """Rank by the order with the least total footrule distance to the attributes' rankings.

    minimise sum_ip c_ip assign_ip over assignments of objects to positions, c_ip = sum_j w_j |tau_j(i) - p|
    (`monoopt.formulations.footrule`). The cost is unique. Of several optimal orders one is returned in which no two
    objects could change places at no cost to come nearer to their mean ranks (so an object that dominates another
    stands before it); what that leaves open is decided by the locations, never by the order of the rows.

    Parameters
    ----------
    directions : dict, sequence or None
    attribute_weights : dict, sequence or None
    solver : str
        For linear programs, or "direct": SciPy's assignment algorithm, without a certificate.

    Attributes
    ----------
    positions_ : ndarray of int, shape (n,)
    scores_ : ndarray, shape (n,)
        1 first, 0 last; objects with equal locations share their mean position.
    cost_ : float
    certificates_ : list of Certificate

    Examples
    --------
    >>> ranker = FootruleAggregation().fit([[3, 3, 2], [2, 1, 3], [1, 2, 1]])
    >>> ranker.positions_, ranker.cost_
    (array([1, 2, 3]), 4.0)
    """

    def __init__(self, *, directions: Any = None, attribute_weights: Any = None, solver: str = "highs") -> None:
        self.directions = directions
        self.attribute_weights = attribute_weights
        self.solver = solver

    def _aggregate(self) -> None:
        n = len(self.locations_)
        if n > LARGEST_ASSIGNMENT:
            raise DataError(f"{n} objects would need {n * n:.2g} columns; up to {LARGEST_ASSIGNMENT} are taken")
        if not isinstance(self.solver, str) or self.solver != "direct":
            check_solver(self.solver)
        order = self._by_content()
        costs = footrule.footrule_costs(self.locations_[order], self.attribute_weights_)
        self.certificates_: list[Certificate] = []
        if isinstance(self.solver, str) and self.solver == "direct":
            from scipy.optimize import linear_sum_assignment

            places = linear_sum_assignment(costs)[1].astype(np.int64)
        else:
            program = footrule.build(self.locations_[order], self.attribute_weights_)
            solution = solve(program, self.solver)
            places = footrule.read(program, solution) - 1
            self.certificates_ += [] if solution.certificate is None else [solution.certificate]
        places = nearest_of_equal_cost(costs, places, self._mean_location()[order])
        self.cost_ = float(costs[np.arange(n), places].sum())
        self.positions_ = np.empty(n, dtype=np.int64)
        self.positions_[order] = places + 1
        self.scores_ = self._score_positions(self.positions_.astype(np.float64))


class KemenyAggregation(RankingMixin, AggregatedRanking):
    """Rank by the order with the fewest weighted disagreements with the attributes' rankings.

    minimise sum over pairs of the weight of the rankings that order the pair the other way round, over all orders
    (`monoopt.formulations.kemeny`, an integer program; split and with rows added as needed,
    `monoopt.algorithms.kemeny_order`). In every optimal order an object that dominates another stands before it. Of
    several one is returned in which no two neighbours could change places at no cost to come nearer to their mean
    ranks; what that leaves open is decided by the locations, never by the order of the rows.

    Parameters
    ----------
    directions : dict, sequence or None
    attribute_weights : dict, sequence or None
    solver : str
        For linear and integer programs.
    time_limit : float, optional
        Seconds in all; the best order so far is kept, ``bound_`` says how far from optimal it can be.

    Attributes
    ----------
    positions_ : ndarray of int, shape (n,)
    scores_ : ndarray, shape (n,)
        1 first, 0 last; objects with equal locations share their mean position.
    cost_, bound_ : float
        Disagreements of the order, and a lower bound on those of any order.
    optimal_ : bool
        Whether the two meet.
    certificates_ : list of Certificate
        One for every group of objects that majorities hold in a cycle (ties count both ways); none where there is no
        such group: the cost is the sum of the minorities then, and no order can have less.

    Examples
    --------
    >>> ranker = KemenyAggregation().fit([[3, 3, 2], [2, 1, 3], [1, 2, 1]])
    >>> ranker.positions_, ranker.cost_, ranker.optimal_
    (array([1, 2, 3]), 2.0, True)
    """

    def __init__(
        self,
        *,
        directions: Any = None,
        attribute_weights: Any = None,
        solver: str = "highs",
        time_limit: float | None = 60.0,
    ) -> None:
        self.directions = directions
        self.attribute_weights = attribute_weights
        self.solver = solver
        self.time_limit = time_limit

    def _aggregate(self) -> None:
        n = len(self.locations_)
        if n > LARGEST_TABLE:
            raise DataError(
                f"{n} objects have {n * n:.2g} ordered pairs; up to {LARGEST_TABLE} objects are taken: rank fewer, "
                "or take MedianRankAggregation"
            )
        Settings(self.time_limit)  # what is no limit or no solver is refused even where nothing has to be solved
        check_solver(self.solver)
        order = self._by_content()
        pairs = pair_weights(self.locations_[order], self.attribute_weights_)
        found = kemeny_order(pairs, solver=self.solver, time_limit=self.time_limit)
        sequence = nearest_neighbours_first(pairs, np.argsort(found.positions), self._mean_location()[order])
        self.positions_ = np.empty(len(order), dtype=np.int64)
        self.positions_[order[sequence]] = np.arange(1, len(order) + 1)
        self.cost_, self.bound_ = disagreements(pairs, sequence), found.bound
        self.optimal_ = found.optimal
        self.certificates_ = list(found.certificates)
        self.scores_ = self._score_positions(self.positions_.astype(np.float64))
