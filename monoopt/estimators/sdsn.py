"""SDSN: cluster representatives found by SVDD, give every other object the label of the nearest one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from monoopt.algorithms.incremental import ORDERS, Batches, check_fractions, train_in_batches
from monoopt.algorithms.spectral_clustering import asked, spectral_clusters
from monoopt.algorithms.svdd_training import Trained, Training, train
from monoopt.errors import DataError, OptionError, nearest
from monoopt.estimators.inputs import read_fit_table, read_new_table, read_random_state
from monoopt.order.dominance import merge_equal
from monoopt.order.graphs import Paths, nearest_sources, without_detours
from monoopt.order.kernels import Kernel, refuse_large, settle_kernel
from monoopt.order.metric import DensityMetric, average_distances, root_mean_square_distance
from monoopt.order.neighbours import CHUNK, distances
from monoopt.order.parameters import is_number
from monoopt.order.partitions import canonical
from monoopt.order.spectral import path_affinity

AFFINITIES = ("path", "kernel")
TRAININGS = ("full", *ORDERS)
FEWEST = 3  # representatives: two can't tell how many clusters there are
PATH_RANK = 7  # the tuning rank of path affinities: 7 as in Zelnik-Manor and Perona (2004)


class SDSN(ClusterMixin, BaseEstimator):
    """Cluster in two phases: representatives first, then all others by a path metric that respects density.

    1. SVDD with the tuning-scaled kernel, minimise beta' K beta - diag(K)' beta subject to sum beta = 1,
       0 <= beta <= C: its support vectors are the data representatives (DRs), on edges and where density changes.
    2. The DRs are clustered by the spectral step.
    3. Every other object takes the label of the DR that is nearest by the shortest path of arcs
       W(x, y) = eta_xy (exp(||x - y||^2) - 1), eta_xy = 2 - min(AD_x, AD_y) / max(AD_x, AD_y): one Dijkstra run from
       all DRs at once, proved by potentials.

    Source: "Integrating the supervised information into unsupervised learning".

    Parameters
    ----------
    n_clusters : int, "gap" or "eigenvalues"
        How many. ``"gap"`` reads it off the eigenvalues of the DRs' affinity (two or more); ``"eigenvalues"`` is the
        paper's count of eigenvalues larger than 1, sensible only with affinities close to 1 within clusters.
    rank : int, "local" or "mean"
        r of the tuning scale, or how it is read off the gaps in the lists of distances. ``"mean"`` is the paper's,
        which a few far objects can push to hundreds; ``"local"`` looks at the nearest 5 % only.
    affinity : "path" or "kernel"
        Of the DRs. ``"kernel"`` is the paper's: K itself. ``"path"`` takes the metric of phase 3 between DRs, tuned
        in the same way: it knows the objects between the DRs, and tells touching clusters apart far better.
    C : float
        Penalty of the SVDD; 1 leaves no object outside.
    unit : float, optional
        Distances are divided by it in W; None takes the root mean square distance of the objects, so that the
        units of the data do not matter. 1 takes the equations as they stand.
    neighbourhood : float
        Fraction of the objects whose average distance is AD.
    training : "full", "ordered" or "random"
        SVDD on all objects, or in batches in the order of the Schroedinger potential, or in random order.
    working_fraction, batch_fraction : float
        Sizes for batches: working set (of all objects) and batch (of the working set).
    solver : str
        A name that `monoopt.available_solvers` lists.
    repair : "shift", "clip" or "raise"
        The tuned kernel is indefinite on most planar data. Default "shift": measured, it moves the multipliers
        about ten times less than "clip". What was done is in `repair_`.
    time_limit : float, optional
        Wall seconds of each solve.
    random_state : int, RandomState or None
        Of k-means, and of the random order.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Clusters, numbered by size, the largest first (ties: by their first object in lexicographic order).
    n_clusters_ : int
        How many there are.
    representatives_ : ndarray of int
        The DRs: row numbers in the training table (the first of equal rows). All objects, where the ball has fewer
        than three support vectors, or than clusters are wanted.
    path_distance_ : ndarray, shape (n,)
        Distance of every object to its DR.
    objects_, object_labels_, object_distance_ : ndarray
        The distinct objects in lexicographic order, their labels and path distances.
    rank_ : int
        r as used.
    certificates_ : list of Certificate
        The SVDD is the smallest ball (of the last working set, when trained in batches).
    path_proof_ : PathProof
        The distances are shortest ones.
    repair_ : Repair
        Least eigenvalue of the kernel matrix, and what was done.
    batches_ : Batches or None
        What batch training found, and how far it is from full training.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, np.pi, 60)
    >>> moons = np.vstack([np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.4 - np.sin(t)]])
    >>> found = SDSN(random_state=0).fit(moons)
    >>> found.n_clusters_, np.bincount(found.labels_), found.path_proof_.ok
    (2, array([60, 60]), True)
    >>> found.predict([[0.0, 1.1], [1.0, -0.7]]) == found.labels_[[30, 90]]
    array([ True,  True])
    """

    def __init__(
        self,
        *,
        n_clusters: int | str = "gap",
        rank: int | str = "local",
        affinity: str = "path",
        C: float = 1.0,
        unit: float | None = None,
        neighbourhood: float = 0.05,
        training: str = "full",
        working_fraction: float = 0.2,
        batch_fraction: float = 0.1,
        solver: str = "smo",
        repair: str = "shift",
        time_limit: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.rank = rank
        self.affinity = affinity
        self.C = C
        self.unit = unit
        self.neighbourhood = neighbourhood
        self.training = training
        self.working_fraction = working_fraction
        self.batch_fraction = batch_fraction
        self.solver = solver
        self.repair = repair
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> SDSN:
        """Find representatives and clusters.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
            Attributes on comparable scales.
        y : ignored

        Returns
        -------
        self
        """
        values = read_fit_table(self, X)
        self._check_words()
        random = read_random_state(self.random_state)
        rows, home = merge_equal(values)
        kernel = settle_kernel("tuned", rows, rank=self.rank)
        found = self._representatives(kernel, home, random)
        metric = self._make_metric(rows)
        members = self._members(found, len(rows))
        paths, graph, self.path_proof_ = nearest_sources(metric, members)
        _refuse_unreached(paths, metric)
        numbers = np.unique(home, return_index=True)[1][members]
        groups = self._groups(kernel, metric, graph, members, random, numbers)
        label = np.full(len(rows), -1)
        label[members] = groups
        label = label[paths.source]
        self._keep(kernel, metric, paths, found, canonical(label[home], home)[label], home)
        self.representatives_ = np.sort(numbers)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels of new objects: of the DR that is nearest by a path through the training objects.

        A training object keeps its label. So far away that no number holds W, it is that of the nearest object.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Returns
        -------
        ndarray of int, shape (m,)
        """
        values = read_new_table(self, X, "labels_")
        refuse_large(values)
        metric = self._metric
        density = average_distances(metric.X, self.neighbourhood, values)
        label = np.empty(len(values), dtype=self.labels_.dtype)
        step = max(1, CHUNK // len(metric.X))
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            D = distances(values[part], metric.X)
            length = metric.between(D, density[part, None], metric.density) + self.object_distance_
            near = D.min(axis=1, keepdims=True)
            length[(D == near) & ((near == 0) | np.isinf(length.min(axis=1, keepdims=True)))] = -1.0
            label[part] = self.object_labels_[np.argmin(length, axis=1)]
        return label

    def _check_words(self) -> None:
        for word, choices in (("affinity", AFFINITIES), ("training", TRAININGS)):
            given = getattr(self, word)
            if not isinstance(given, str) or given not in choices:
                raise OptionError(f"{word} is {given!r}{nearest(given, choices)}; wanted one of {', '.join(choices)}")
        if not is_number(self.neighbourhood) or not 0 < self.neighbourhood <= 1:
            raise OptionError(f"neighbourhood is {self.neighbourhood!r}; wanted a fraction of the objects, 0 < f <= 1")
        if self.unit is not None and not (is_number(self.unit) and self.unit > 0):
            raise OptionError(f"unit is {self.unit!r}; wanted a positive distance or None")
        asked(self.n_clusters)
        check_fractions(self.working_fraction, self.batch_fraction)

    def _representatives(self, kernel: Kernel, home: np.ndarray, random: np.random.RandomState) -> Trained:
        """Phase 1: train the SVDD on the distinct objects, each with weight 1."""
        how = Training(self.solver, self.repair, self.time_limit)
        weight = np.ones(len(kernel.X))
        self.batches_: Batches | None = None
        if self.training == "full":
            return train(kernel, self.C, weight, how)
        self.batches_ = train_in_batches(
            kernel,
            self.C,
            weight,
            how,
            order=self.training,
            working_fraction=self.working_fraction,
            batch_fraction=self.batch_fraction,
            random_state=random,
        )
        return self.batches_.trained

    def _members(self, found: Trained, n: int) -> np.ndarray:
        """Return the support of the ball, or all objects where that is too small to be told apart."""
        wanted = FEWEST if isinstance(self.n_clusters, str) else max(FEWEST, self.n_clusters)
        return found.ball.support if len(found.ball.support) >= wanted else np.arange(n)

    def _make_metric(self, rows: np.ndarray) -> DensityMetric:
        unit = root_mean_square_distance(rows) if self.unit is None else float(self.unit)
        return DensityMetric(rows, average_distances(rows, self.neighbourhood), unit)

    def _groups(
        self,
        kernel: Kernel,
        metric: DensityMetric,
        graph: Any,
        members: np.ndarray,
        random: np.random.RandomState,
        numbers: np.ndarray,
    ) -> np.ndarray:
        """Phase 2: cluster the representatives, whose row numbers warnings name."""
        if len(members) == 1:
            affinity = np.ones((1, 1))
        elif self.affinity == "kernel":
            affinity = kernel.rows().take(members).matrix()
        else:
            affinity = path_affinity(metric, without_detours(graph, metric), members, PATH_RANK)
        return spectral_clusters(affinity, self.n_clusters, random_state=random, names=numbers)

    def _keep(
        self,
        kernel: Kernel,
        metric: DensityMetric,
        paths: Paths,
        found: Trained,
        label: np.ndarray,
        home: np.ndarray,
    ) -> None:
        self.labels_ = label[home]
        self.n_clusters_ = int(label.max()) + 1
        self.path_distance_ = paths.distance[home]
        self.rank_ = kernel.rank
        self.certificates_ = [found.certificate] if self.batches_ is None else self.batches_.certificates
        self.repair_ = found.repair
        self._metric, self.objects_, self.object_labels_, self.object_distance_ = (
            metric,
            metric.X,
            label,
            paths.distance,
        )


def _refuse_unreached(paths: Paths, metric: DensityMetric) -> None:
    """Refuse objects that only arcs of infinite length lead to."""
    lost = int((~np.isfinite(paths.distance)).sum())
    if lost:
        raise DataError(
            f"exp(||x - y||^2) is beyond any number on all paths to {lost} object(s): distances reach more than 26 "
            f"times the unit {metric.unit:.3g}. Take unit=None (their root mean square), or a larger one"
        )
