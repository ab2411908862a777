"""SVDD: a ball in feature space around the data, for outliers and boundaries."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.svdd_training import Trained, Training, train
from monoopt.errors import DataError, OptionError
from monoopt.estimators.inputs import check_flags, read_fit_table, read_new_table
from monoopt.formulations.svdd import MOST, penalty, sphere_slack
from monoopt.order.definiteness import check_size, check_square
from monoopt.order.dominance import merge_equal
from monoopt.order.kernels import KINDS, Kernel, settle_kernel
from monoopt.order.weights import read_weights


class SVDD(OutlierMixin, BaseEstimator):
    """Support vector data description: the smallest ball that holds the data, in a kernel's feature space.

    minimise    R^2 + C sum_i w_i xi_i
    subject to  ||phi(x_i) - a||^2 <= R^2 + xi_i,  xi >= 0

    solved as its dual, minimise beta' K beta - diag(K)' beta subject to sum beta = 1, 0 <= beta <= C w
    (`monoopt.formulations.svdd`), by any solver for quadratic programs. With K(x, x) constant it is the same as
    the one-class support vector machine with nu = 1 / (N C); here centre and radius are there.

    Parameters
    ----------
    kernel : "gaussian", "linear", "tuned" or "precomputed"
        exp(-gamma ||x - y||^2); (x - m)'(y - m), m the mean of the data; exp(-||x - y||^2 / (sigma_x sigma_y)) with
        every object's own width; or X is the kernel matrix, and at prediction the kernel between new (rows) and
        training objects (columns).
    gamma : "scale" or float
        Of the Gaussian kernel; ``"scale"`` is 1 / (d * variance of X), 1 if the variance is 0.
    rank : int, "local" or "mean"
        sigma_x of the tuned kernel is the distance to the `rank`-th nearest object; the words say how the rank is
        read off the gaps in the lists of distances: see `monoopt.order.tuning.tuning_rank`.
    nu : float
        Largest fraction of objects left outside, C = 1 / (nu N). Not used when C is given.
    C : float, optional
        Penalty, at least 1 / N. With C >= 1 no object is outside.
    solver : str
        A name that `monoopt.available_solvers` lists. ``"smo"`` is ours: kernel rows on demand, 50,000 objects in
        less than 2 GB.
    repair : "raise", "clip" or "shift"
        What to do when the tuned or a precomputed kernel is not positive semidefinite. ``"shift"`` adds to the
        diagonal; ``"clip"`` drops negative eigenvalues and moves the multipliers about ten times more. The
        repaired matrix serves to find the centre; distances and radius are measured with the kernel as given.
    time_limit : float, optional
        Wall seconds of the solve.
    tolerance : float, optional
        The solver's tolerance.
    keep_best : bool
        Keep the best feasible ball when optimality was not proved, with a ``ConvergenceWarning`` that says how far it
        may be from the smallest (`certificates_` says so, too), rather than raise. ``"smo"`` has a ball at any time;
        solvers that a limit stopped before they had one leave nothing to keep, which raises.
    keep_programs : bool
        Keep the solved program in `programs_` (and form it even where ``"smo"`` would not).

    Attributes
    ----------
    centre_ : ndarray, shape (n,)
        Multipliers beta of the training objects: the centre is sum of beta_i phi(x_i).
    radius_ : float
        Radius R; ``squared_radius_`` its square, ``offset_`` minus that, less the tolerance of 1e-6 R^2.
    support_, boundary_, outside_ : ndarray of int
        Training objects on the sphere or outside; on the sphere; outside. By distance, within 1e-6 R^2, as `predict`
        tells new objects: after a repair by the kernel as given, so that more objects may have a multiplier.
    support_vectors_, multipliers_ : ndarray
        Distinct objects with a positive multiplier, and that (of all copies together). No vectors when precomputed.
    centre_norm_ : float
        Squared length of the centre.
    C_ : float
        The penalty used (where it follows from nu, for weights that add up to less than 1e-100 divided by the largest).
    gamma_ : float
        gamma of the Gaussian kernel (1 of the linear, NaN of the tuned one).
    kernel_ : Kernel or None
        The kernel with its settled parameters (None when precomputed).
    repair_ : Repair or None
        Least eigenvalue and what was done, for kernels that may be indefinite.
    certificates_ : list of Certificate
        The proof that no smaller ball does.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.0], [2.0], [1.0]])
    >>> ball = SVDD(kernel="linear", C=1).fit(X)
    >>> ball.radius_, ball.predict([[2.0], [2.1]]), ball.certificates_[0].ok
    (1.0, array([ 1, -1]), True)
    """

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        gamma: float | str = "scale",
        rank: int | str = "local",
        nu: float = 0.1,
        C: float | None = None,
        solver: str = "smo",
        repair: str = "raise",
        time_limit: float | None = None,
        tolerance: float | None = None,
        keep_best: bool = False,
        keep_programs: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.rank = rank
        self.nu = nu
        self.C = C
        self.solver = solver
        self.repair = repair
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.keep_best = keep_best
        self.keep_programs = keep_programs

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> SVDD:
        """Find the ball.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d); (n, n) when precomputed
        y : ignored
        sample_weight : array-like, shape (n,), optional
            Weight k is k copies, weight 0 no object.

        Returns
        -------
        self
        """
        return self._fit(X, sample_weight, "keep the best ball found with SVDD(keep_best=True)")

    def _fit(self, X: Any, sample_weight: ArrayLike | None, advice: str = "") -> SVDD:
        """Fit; the advice is what errors say that whoever asked for the ball can do."""
        check_flags(self, "keep_best", "keep_programs")
        values = read_fit_table(self, X)
        words = self.solver, self.repair, self.time_limit, self.tolerance, self.keep_best, self.keep_programs
        how = Training(*words, advice)
        if not isinstance(self.kernel, str):
            raise OptionError(f"kernel is {self.kernel!r}; wanted one of {', '.join(KINDS)}")
        if self.kernel == "precomputed":
            check_square(values, "X (precomputed kernel)")
            check_size(values, "X (precomputed kernel)")
        weight = read_weights(sample_weight, len(values))
        if self.C is None and weight.sum() * MOST < 1:
            weight = weight / weight.max()  # only ratios matter, and no C goes with weights so small
        C = penalty(self.C, self.nu, float(weight.sum()))  # before any kernel is formed
        there = np.flatnonzero(weight > 0)
        kernel, home = self._settle(values, there, weight)
        merged = np.bincount(home, weights=weight[there])
        found = train(kernel, C, merged, how)
        if not found.certificate.ok:  # only with keep_best
            warnings.warn(f"SVDD keeps a ball that may not be the smallest: {found.certificate}", ConvergenceWarning, 3)
        self._keep(found, kernel, C)
        share = weight[there] / merged[home]
        self.centre_ = np.zeros(len(values))
        self.centre_[there] = found.ball.beta[home] * share
        ball = found.measured  # `predict` measures so, too
        sets = {"support_": ball.support, "boundary_": ball.boundary, "outside_": ball.outside}
        for word, members in sets.items():
            setattr(self, word, there[np.isin(home, members)])
        if isinstance(kernel, np.ndarray):
            self._columns, self._diagonal = there, np.diag(kernel).copy()
        return self

    def distance(self, X: Any, self_similarity: ArrayLike | None = None) -> np.ndarray:
        """Distance of new objects to the centre, in feature space.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d); (m, n) when precomputed
        self_similarity : array-like, shape (m,), optional
            K(x, x) of the new objects, for a precomputed kernel whose diagonal is not constant.
        """
        return np.sqrt(self._squared_distance(X, self_similarity))

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the squared distance to the centre: the larger, the more usual."""
        return -self._squared_distance(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """R^2 minus the squared distance, plus 1e-6 R^2: not negative inside and on the sphere."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for objects inside or on the sphere (within 1e-6 R^2), -1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _settle(
        self, values: np.ndarray, there: np.ndarray, weight: np.ndarray
    ) -> tuple[Kernel | np.ndarray, np.ndarray]:
        """Return the kernel of the distinct objects and where each object with weight went."""
        if self.kernel == "precomputed":
            return values[np.ix_(there, there)], np.arange(len(there))
        rows, home = merge_equal(values[there])
        merged = np.bincount(home, weights=weight[there])
        return settle_kernel(self.kernel, rows, gamma=self.gamma, rank=self.rank, sample_weight=merged), home

    def _keep(self, found: Trained, kernel: Kernel | np.ndarray, C: float) -> None:
        self.C_ = C
        self.kernel_ = kernel if isinstance(kernel, Kernel) else None
        self.repair_ = found.repair
        self.certificates_ = [found.certificate]
        self.squared_radius_ = found.measured.squared_radius
        self.radius_ = float(np.sqrt(self.squared_radius_))
        self.offset_ = -self.squared_radius_ - sphere_slack(self.squared_radius_, found.measured.largest_norm)
        self.centre_norm_ = found.measured.centre_norm
        self._used = np.flatnonzero(found.ball.beta)
        self.multipliers_ = found.ball.beta[self._used]
        if isinstance(kernel, Kernel):
            self.support_vectors_ = kernel.X[self._used]
            self.gamma_ = kernel.scale**2 if isinstance(kernel.scale, float) else float("nan")
        if self.keep_programs:
            self.programs_ = [found.program]

    def _squared_distance(self, X: Any, self_similarity: ArrayLike | None = None) -> np.ndarray:
        check_is_fitted(self, "radius_")
        values = read_new_table(self, X, "radius_")
        if self.kernel_ is None:
            diagonal = self._new_diagonal(len(values), self_similarity)
            self._check_products(values[:, self._columns], diagonal)
            products = values[:, self._columns[self._used]] @ self.multipliers_
        else:
            if self_similarity is not None:
                raise OptionError(
                    f"self_similarity belongs to a precomputed kernel; kernel={self.kernel!r} knows K(x, x)"
                )
            rows = self.kernel_.new_rows(values)
            products = rows.dot(self.kernel_.take(self._used).rows(), self.multipliers_)
            diagonal = rows.diagonal()
        return np.maximum(diagonal - 2.0 * products + self.centre_norm_, 0.0)

    def _new_diagonal(self, m: int, self_similarity: ArrayLike | None) -> np.ndarray:
        if self_similarity is not None:
            try:
                given = np.asarray(self_similarity, dtype=float)
            except (ValueError, TypeError) as error:
                raise DataError(f"self_similarity: wanted {m} finite numbers K(x, x): {error}") from error
            if given.shape != (m,) or not (np.isfinite(given) & (given >= 0)).all():
                raise DataError(
                    f"self_similarity: wanted {m} finite numbers K(x, x), none negative; got shape {given.shape}"
                )
            return given
        first = self._diagonal[0]
        if np.abs(self._diagonal - first).max() > 1e-9 * abs(first):
            raise DataError(
                "a precomputed kernel whose diagonal is not constant: K(x, x) of the new objects is needed; "
                "call distance(X, self_similarity=...)"
            )
        return np.full(m, first)

    def _check_products(self, products: np.ndarray, diagonal: np.ndarray) -> None:
        """Refuse entries that no kernel has: K(x, y)^2 is at most K(x, x) K(y, y)."""
        assert self.repair_ is not None  # precomputed kernels are looked at
        if self.repair_.how != "none":
            return  # the kernel as given is none
        most = np.outer(*(np.sqrt(np.maximum(side, 0.0)) for side in (diagonal, self._diagonal)))
        beyond = np.argwhere(np.abs(products) > most + 1e-6 * most.max(initial=0.0))
        if len(beyond):
            i, j = (int(k) for k in beyond[0])
            raise DataError(
                f"X (precomputed kernel): {len(beyond)} entries are larger than a kernel's can be, the first is "
                f"({i}, {int(self._columns[j])}): {products[i, j]:g}, where K(x, x) and K(y, y) allow {most[i, j]:g}. "
                "Wanted K between new objects (rows) and training objects (columns)"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
