"""RankingPrincipalCurve: rank objects of several attributes along a strictly monotone curve."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.anchored_curve import Anchors
from monoopt.algorithms.curve_fit import CurveOptions, CurveResult, best_curve
from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.errors import CertificateError, DataError, TimeLimitError, refuse
from monoopt.estimators import ranking
from monoopt.estimators.anchors import read_anchors
from monoopt.estimators.scaled_ranking import ScaledRanking
from monoopt.order.bezier import attribute_shapes, curve_points, project
from monoopt.order.parameters import is_number, is_whole
from monoopt.order.weights import read_weights
from monoopt.solvers import Settings, check_solver

Array = npt.NDArray[np.float64]
LARGEST_DEGREE = 15  # up to here every fit tried was proved stationary; from 17 on rounding hides the optimum
HIGHS_ZERO = 1e-4  # measured with HiGHS 1.16, whose answers below it the certificate refuses


class RankingPrincipalCurve(ScaledRanking):
    """Rank objects along a principal curve that strictly improves in every attribute.

    minimise over P, s  sum_i v_i sum_j w_j (x_ij - f_j(s_i))^2,   f(s) = sum_r B_r^k(s) p_r
    subject to          p_0 in the worst and p_k in the best corner of the scaled data,
                        p_1, ..., p_(k-1) inside the box by a margin (ordered, for degrees above 3)

    The score of an object is s in [0, 1], the largest global minimiser of its distance to the curve. Since f
    strictly improves in every attribute, an object that dominates another within the range scores higher;
    since scaling is affine, units do not matter. Source: "Unsupervised ranking of multi-attribute objects based
    on principal curves" (equations 12 to 30, Proposition 1).

    Parameters
    ----------
    directions : dict, sequence or None
        +1 or "gain", -1 or "cost" for each attribute, by name or in column order; None: all are gains.
    solver : str
        Who solves the control-point program: a name that `monoopt.available_solvers` lists for quadratic
        programs, or "direct" (exact, no solver needed, fastest).
    algorithm : "qp" or "richardson"
        Alternate projection with the control-point program, or with the paper's preconditioned Richardson step.
    finish : "gauss_newton" or None
        Finish with bounded Gauss-Newton steps once the alternation slows down; None leaves all to the
        alternation, which may need hundreds of steps.
    degree : int
        k, up to 15; 1 is the straight line, 3 the paper's cubic.
    margin : float
        Distance that keeps control points strictly inside the box: what makes monotonicity strict. Above 1e-4
        with solver="highs", which takes smaller bounds for 0.
    scaling : "minmax", "robust", two quantiles, or dict of goalposts
        See `monoopt.order.scaling.fit_scaling`. Frozen at fit.
    attribute_weights : dict, sequence or None
        Weight of each attribute in the distance, positive; only their ratios matter.
    missing : "refuse" or "project"
        "project" lets cells be missing: an object is projected on the coordinates that are known.
    anchors : sequence of tuples, optional
        What the ranking must say: ("Norway", "above", "Kuwait"), ("Iceland", "at", 0.9), objects by label. Extra
        rows of the control-point program; a conflict is reported in these words.
    n_starts : int
        Starts tried; the best is kept.
    init : array-like, shape (k + 1, d), optional
        Start from these control points (in the units of the data) and no other.
    max_iter, tolerance
        Limit on steps; move of the control points (relative decrease of J without the finish) to stop at.
    random_state : int, Generator, RandomState or None
        Seed of the starts; None is 0.
    time_limit : float, optional
        Seconds for the fit. When they are over the curve at hand is kept if it is proved stationary; otherwise the
        fit raises, or keeps it with ``keep_best``.
    keep_best : bool
        Keep the best curve when it is not proved stationary, with a ``ConvergenceWarning`` (`stationarity_` says so,
        too), rather than raise.

    Attributes
    ----------
    scores_ : ndarray, shape (n,)
        Scores of the fitted objects, in [0, 1].
    control_points_ : ndarray, shape (k + 1, d)
        p_0, ..., p_k in the units of the data.
    shapes_ : dict of str to str
        How each attribute improves along the score: linear, convex, concave, S, inverted S (mixed above degree 3).
    explained_variance_ : float
        1 - J / total variance, in scaled units.
    objective_ : float
        J, the weighted mean squared distance in scaled units.
    certificates_ : list of Certificate
        First that the control points are optimal at the final scores, then one per program a solver solved.
    program_ : Program or None
        The control-point program at the final scores, which the fitted control points solve: look at it, write it
        down, or hand it to any solver. None for degree 1.
    monotonicity_, stationarity_, trace_
        Proof of strict monotonicity; first-order conditions of curve and scores; J step by step. All have ``ok``.
    scaling_ : Scaling
        The frozen ranges.
    directions_, attribute_weights_ : ndarray, shape (d,)
        As read; weights have mean 1.
    objects_ : list
        Labels of the fitted objects.
    n_missing_ : ndarray of int, shape (d,)
        Missing cells of each attribute.
    n_iter_ : int
        Steps from the chosen start.

    Examples
    --------
    >>> X = [[1.0, 30.0], [2.0, 25.0], [4.0, 10.0], [3.0, 26.0]]
    >>> curve = RankingPrincipalCurve(directions=["gain", "cost"], solver="direct").fit(X)
    >>> curve.rank()
    array([4, 3, 1, 2])
    >>> curve.monotonicity_.ok, curve.stationarity_.ok
    (True, True)
    """

    def __init__(
        self,
        *,
        directions: Any = None,
        solver: str = "clarabel",
        algorithm: str = "qp",
        finish: str | None = "gauss_newton",
        degree: int = 3,
        margin: float = 1e-3,
        scaling: Any = "minmax",
        attribute_weights: Mapping[str, float] | Sequence[float] | None = None,
        missing: str = "refuse",
        anchors: Sequence[tuple[Any, str, Any]] | None = None,
        n_starts: int = 8,
        init: Any = None,
        max_iter: int = 1000,
        tolerance: float = 1e-10,
        random_state: Any = None,
        time_limit: float | None = None,
        keep_best: bool = False,
    ) -> None:
        self.directions = directions
        self.solver = solver
        self.algorithm = algorithm
        self.finish = finish
        self.degree = degree
        self.margin = margin
        self.scaling = scaling
        self.attribute_weights = attribute_weights
        self.missing = missing
        self.anchors = anchors
        self.n_starts = n_starts
        self.init = init
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.random_state = random_state
        self.time_limit = time_limit
        self.keep_best = keep_best

    def inverse(self, scores: npt.ArrayLike) -> Array:
        """Return the points of the curve at the given scores, in the units of the data, shape (m, d)."""
        check_is_fitted(self, "scores_")
        try:
            s = np.asarray(scores, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise DataError(f"inverse: {scores!r} are no scores; wanted numbers from 0 to 1") from None
        refuse([f"score {v} is outside [0, 1]" for v in s[~((s >= 0) & (s <= 1))][:20]], "inverse")
        return self.scaling_.invert(curve_points(self._curve, s))

    def inverse_transform(self, X: npt.ArrayLike) -> Array:
        """Return the points of the curve for a column of scores, shape (m, d)."""
        return self.inverse(X)

    def score(self, X: Any, y: object = None, sample_weight: Any = None) -> float:
        """Share of the variance of X (about its own mean, in scaled units) that the frozen curve explains."""
        U = self.scaling_.apply(self._read(X))
        problem = self._problem(U, read_weights(sample_weight, len(U)))
        return _explained(problem, problem.project(self._curve)[1])

    @property
    def n_parameters_(self) -> int:
        """Numbers that determine the curve: (k + 1) d, whatever the number of objects."""
        return int(self.control_points_.size)

    def _check_options(self) -> None:
        super()._check_options()
        if not isinstance(self.solver, str) or self.solver != "direct":
            check_solver(self.solver)
        Settings(self.time_limit)
        degree = self.degree if is_whole(self.degree, 1) else 3
        top = 0.5 if degree <= 3 else 1.0 / min(degree, LARGEST_DEGREE)
        margin = self.margin if is_number(self.margin) else -1.0
        ranking.refuse_options(
            [
                (
                    not isinstance(self.algorithm, str) or self.algorithm not in ("qp", "richardson"),
                    f"algorithm={self.algorithm!r}: wanted 'qp' or 'richardson'",
                ),
                (
                    not isinstance(self.finish, str | None) or self.finish not in ("gauss_newton", None),
                    f"finish={self.finish!r}: wanted 'gauss_newton' or None",
                ),
                (
                    not is_whole(self.degree, 1) or self.degree > LARGEST_DEGREE,
                    f"degree={self.degree!r}: wanted a whole number from 1 to {LARGEST_DEGREE} (above, rounding leaves "
                    "no proof)",
                ),
                (not 0 < margin < top, f"margin={self.margin!r}: wanted a number in (0, {top:g})"),
                (
                    self.solver == "highs" and degree in (2, 3) and 0 < margin <= HIGHS_ZERO,
                    f"margin={self.margin!r}: HiGHS takes lower bounds up to {HIGHS_ZERO:g} for 0 in quadratic "
                    "programs: raise the margin, or take solver='clarabel' or 'direct'",
                ),
                (not is_whole(self.n_starts, 1), f"n_starts={self.n_starts!r}: wanted a whole number from 1"),
                (not is_whole(self.max_iter, 1), f"max_iter={self.max_iter!r}: wanted a whole number from 1"),
                (
                    not is_number(self.tolerance) or not 0 < self.tolerance < 1,
                    f"tolerance={self.tolerance!r}: wanted a number in (0, 1)",
                ),
            ]
        )

    def _learn(self, U: Array, weight: Array) -> None:
        problem = self._problem(U, weight)
        options = replace(self._curve_options(), anchors=self._read_anchors())
        result = best_curve(problem, options, ranking.random_generator(self.random_state))
        self._keep(result, problem)

    def _score_scaled(self, U: Array) -> Array:
        return project(U, self._curve, self.attribute_weights_[self.scaling_.kept])[0]

    def _problem(self, U: Array, weight: Array) -> CurveProblem:
        kept = self.scaling_.kept
        return CurveProblem(
            np.ascontiguousarray(U),
            weight / weight.sum(),
            self.attribute_weights_[kept],
            self.directions_[kept],
            self.degree,
            self.margin,
        )

    def _curve_options(self) -> CurveOptions:
        init = None
        if self.init is not None:
            wanted = (self.degree + 1, self.n_features_in_)
            try:
                points = np.asarray(self.init, dtype=np.float64)
            except (TypeError, ValueError, OverflowError):
                raise DataError(f"init={self.init!r}: wanted control points, numbers of shape {wanted}") from None
            refuse([] if points.shape == wanted else [f"shape {points.shape}, wanted {wanted}"], "init")
            refuse([] if np.isfinite(points).all() else ["some cells are no finite numbers"], "init")
            init = self.scaling_.apply(points)
        return CurveOptions(
            algorithm=self.algorithm,  # type: ignore[arg-type]
            finish=self.finish is not None,
            solver=self.solver,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            tolerance=self.tolerance,
            init=init,
            time_limit=None if self.time_limit is None else float(self.time_limit),
        )

    def _read_anchors(self) -> Anchors | None:
        if self.anchors is None or (np.iterable(self.anchors) and not len(self.anchors)):
            return None
        kept = self.scaling_.kept
        return read_anchors(self.anchors, self.objects_, self.scaling_.apply(self.values_), self.directions_[kept])

    def _keep(self, result: CurveResult, problem: CurveProblem) -> None:
        """Store the curve and its proofs; raise if it isn't what was asked for."""
        self._curve = result.state.control_points
        self.program_ = result.stationarity.program
        self.control_points_ = self.scaling_.invert(self._curve)
        self.objective_ = result.state.value
        self.explained_variance_ = _explained(problem, result.state.value)
        self.trace_, self.stationarity_, self.monotonicity_ = result.trace, result.stationarity, result.monotonicity
        proof = result.stationarity.control_points
        self.certificates_ = [*([] if proof is None else [proof]), *result.programs]
        self.n_iter_ = len(result.trace.values) - 1
        names = ranking.attribute_names(self, self.n_features_in_)
        kept = [names[j] for j in np.flatnonzero(self.scaling_.kept)]
        self.shapes_ = dict(zip(kept, attribute_shapes(self._curve, problem.directions), strict=True))
        if not result.monotonicity.ok:
            raise CertificateError(str(result.monotonicity))
        if (self.finish is not None or result.limited) and not result.stationarity.ok:
            advice = f"time_limit={self.time_limit} s is over: raise it" if result.limited else "raise max_iter"
            text = f"{result.stationarity}; {advice}, or keep_best=True"
            if not self.keep_best:
                raise TimeLimitError(text) if result.limited else CertificateError(text, proof)
            said = f"RankingPrincipalCurve keeps a curve that may not be the best: {result.stationarity}; {advice}"
            warnings.warn(said, ConvergenceWarning, 4)


def _explained(problem: CurveProblem, value: float) -> float:
    """1 - J / variance, both over the known cells."""
    known = ~np.isnan(problem.U)
    filled = np.where(known, problem.U, 0.0)
    mean = (problem.v @ filled) / (problem.v @ known)
    total = float(problem.v @ (np.where(known, problem.U - mean, 0.0) ** 2 @ problem.weights))
    return 1.0 - value / total if total > 0 else float("nan")
