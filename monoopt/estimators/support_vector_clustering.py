"""Support vector clustering: the pieces of the region that an SVDD ball encloses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin

from monoopt.algorithms import contour_labelling as contour
from monoopt.errors import OptionError, nearest
from monoopt.estimators.inputs import read_fit_table, read_new_table
from monoopt.estimators.svdd import SVDD
from monoopt.order.dominance import merge_equal
from monoopt.order.kernels import refuse_large
from monoopt.order.parameters import is_number
from monoopt.order.partitions import canonical
from monoopt.order.weights import read_weights

LABELLINGS = ("cg", "svg", "pg", "gd", "ccl")


class SupportVectorClustering(ClusterMixin, BaseEstimator):
    """Cluster by the contour of the smallest ball in a Gaussian feature space.

    minimise    R^2 + C sum_i w_i xi_i
    subject to  ||phi(x_i) - a||^2 <= R^2 + xi_i,  xi >= 0

    as its dual program (`monoopt.formulations.svdd`). In the data's own space the ball is a region that falls into
    pieces as gamma grows; the pieces are the clusters (Ben-Hur, Horn, Siegelmann and Vapnik 2001). These are the
    peers of SDSN in "Integrating the supervised information into unsupervised learning".

    Parameters
    ----------
    labelling : "cg", "svg", "pg", "gd" or "ccl"
        Which pairs are looked at for being in one piece. Complete graph: all pairs inside; exact up to sampling, slow.
        Support vector graph: pairs of support vectors. Proximity graph: edges of their Delaunay triangulation
        (up to 7 attributes). Gradient descent: pairs of stable equilibrium points of the distance, to which
        all objects descend. Cone cluster labelling: support vectors nearer than twice a radius that follows
        from the ball; no sampling.
    gamma : "scale" or float
        Of the kernel exp(-gamma ||x - y||^2): the larger, the more clusters. ``"scale"`` is 1 / (d * variance of X).
    nu : float
        Largest fraction of objects left outside, C = 1 / (nu N). Not used when C is given.
    C : float, optional
        Penalty, at least 1 / N. With C >= 1 no object is outside.
    samples : int
        Points looked at on each segment (all labellings but ``"ccl"``).
    solver : str
        A name that `monoopt.available_solvers` lists.
    time_limit : float, optional
        Wall seconds of the solve.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Clusters, numbered by size, the largest first. Objects outside the region take the label of the nearest
        object (``gd``: of the equilibrium to which they descend).
    n_clusters_ : int
        How many pieces there are.
    ball_ : SVDD
        The fitted ball.
    certificates_ : list of Certificate
        The proof that no smaller ball does.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.2], [0.4], [3.0], [3.2]])
    >>> SupportVectorClustering(gamma=2.0, C=1).fit(X).labels_
    array([0, 0, 0, 1, 1])
    """

    def __init__(
        self,
        *,
        labelling: str = "cg",
        gamma: float | str = "scale",
        nu: float = 0.1,
        C: float | None = None,
        samples: int = 15,
        solver: str = "smo",
        time_limit: float | None = None,
    ) -> None:
        self.labelling = labelling
        self.gamma = gamma
        self.nu = nu
        self.C = C
        self.samples = samples
        self.solver = solver
        self.time_limit = time_limit

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> SupportVectorClustering:
        """Find the ball and the pieces of its region.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
        y : ignored
        sample_weight : array-like, shape (n,), optional
            Weight k is k copies; objects of weight 0 are labelled all the same.
        """
        values = read_fit_table(self, X)
        self._check_words()
        weight = read_weights(sample_weight, len(values))
        ball = SVDD(gamma=self.gamma, nu=self.nu, C=self.C, solver=self.solver, time_limit=self.time_limit)
        self.ball_ = ball._fit(values, weight)
        self.certificates_ = self.ball_.certificates_
        self._rows, home = merge_equal(values)
        label = self._label(self._rows)
        self._row_labels = canonical(label[home], home)[label]
        self.labels_ = self._row_labels[home]
        self.n_clusters_ = int(label.max()) + 1
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Label of the nearest training object."""
        values = read_new_table(self, X, "labels_")
        refuse_large(values)
        return contour.spread_labels(self._rows, self._row_labels, values)

    def _check_words(self) -> None:
        if not isinstance(self.labelling, str) or self.labelling not in LABELLINGS:
            raise OptionError(
                f"labelling is {self.labelling!r}{nearest(self.labelling, LABELLINGS)}; wanted one of "
                f"{', '.join(LABELLINGS)}"
            )
        if not is_number(self.samples) or int(self.samples) != self.samples or self.samples < 1:
            raise OptionError(f"samples is {self.samples!r}; wanted a whole number from 1")

    def _inside(self, points: np.ndarray) -> np.ndarray:
        return self.ball_.decision_function(points) >= 0

    def _label(self, rows: np.ndarray) -> np.ndarray:
        """Label the distinct objects."""
        if self.labelling == "gd":
            ball = self.ball_
            found, home = contour.equilibria(rows, ball.support_vectors_, ball.multipliers_, ball.gamma_)
            return self._components(found, contour.all_pairs(found))[home]
        known = rows[self._inside(rows)] if self.labelling == "cg" else self._support()
        if self.labelling == "ccl":
            label = self._cones(known)
        else:
            pairs = contour.delaunay_pairs(known) if self.labelling == "pg" else contour.all_pairs(known)
            label = self._components(known, pairs)
        return np.unique(contour.spread_labels(known, label, rows), return_inverse=True)[1]

    def _components(self, points: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return contour.segment_components(points, pairs, self._inside, int(self.samples))

    def _support(self) -> np.ndarray:
        """Distinct support vectors on the sphere; where all are at their bounds, the outermost inside."""
        rows = merge_equal(self.ball_.support_vectors_)[0]
        inside = self._inside(rows)
        return rows[inside] if inside.any() else rows

    def _cones(self, support: np.ndarray) -> np.ndarray:
        ball = self.ball_
        return contour.cone_components(
            support, contour.cone_radius(ball.squared_radius_, ball.centre_norm_, ball.gamma_)
        )
