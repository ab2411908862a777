"""Honest ranks: how far they would move with other objects, other weights, one object less, another scale."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from monoopt.errors import DataError, DataWarning, OptionError, nearest
from monoopt.estimators.inputs import read_new_table
from monoopt.estimators.rank_aggregation import FootruleAggregation
from monoopt.estimators.ranking import (
    RankingMixin,
    ScoringMixin,
    as_named,
    attribute_names,
    position_of,
    random_generator,
    refuse_options,
)
from monoopt.order.parameters import is_job_count, is_number, is_whole
from monoopt.order.ranks import rank_agreement, ranks
from monoopt.order.scaling import Scaling
from monoopt.order.weights import read_weights

Array = npt.NDArray[np.float64]
OVER = ("objects", "attributes")
TRIES = 1000  # samples drawn until one has two different objects
SCALINGS: tuple[Any, ...] = ("minmax", "robust", (0.1, 0.9))


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Ranks with their spread over bootstrap replicates.

    Attributes
    ----------
    objects : list
    ranks : ndarray, shape (n,)
        Of the fit to the data as they are (averages for ties).
    low, high : ndarray, shape (n,)
        Interval that holds the share ``level`` of the replicates.
    level : float
    samples : ndarray, shape (replicates, n)
        Rank of every object in every replicate.
    unproved : int
        Replicates whose curve was not proved stationary (they count all the same).
    """

    objects: list[Any]
    ranks: Array
    low: Array
    high: Array
    level: float
    samples: npt.NDArray[np.float32]
    unproved: int

    def above(self, a: Any, b: Any) -> float:
        """P(a above b): share of the replicates that rank a before b, ties counting half."""
        first = self.samples[:, position_of(a, self.objects)]
        second = self.samples[:, position_of(b, self.objects)]
        return float(np.mean(first < second) + 0.5 * np.mean(first == second))

    def above_all(self) -> Array:
        """P(row above column) for all pairs, shape (n, n); one half on the diagonal."""
        n = len(self.objects)
        out = np.zeros((n, n))
        for i in range(n):
            mine = self.samples[:, i : i + 1]
            out[i] = (mine < self.samples).mean(axis=0) + 0.5 * (mine == self.samples).mean(axis=0)
        return out

    def __str__(self) -> str:
        """The ten best with their intervals."""
        order = np.argsort(self.ranks, kind="stable")[:10]
        lines = [f"{self.ranks[i]:5g}  [{self.low[i]:g}, {self.high[i]:g}]  {self.objects[i]}" for i in order]
        return "\n".join(lines)


def bootstrap_ranks(
    estimator: Any,
    X: Any,
    *,
    n_boot: int = 500,
    level: float = 0.9,
    over: Literal["objects", "attributes"] = "objects",
    scaling: Literal["refit", "frozen"] = "refit",
    random_state: Any = 0,
    n_jobs: int | None = None,
    objects: Sequence[Any] | None = None,
    sample_weight: Any = None,
    callback: Callable[[int], object] = lambda done: None,
) -> RankIntervals:
    """Bootstrap the ranks of the objects of a table.

    Parameters
    ----------
    estimator : ranking estimator of this package
        Cloned, and fitted anew in every replicate.
    X : array-like or data frame, shape (n, d)
    n_boot : int
        Replicates.
    level : float
        Share of the replicates that an interval holds.
    over : "objects" or "attributes"
        Draw the objects with replacement (every object is ranked in every replicate, drawn or not), or the
        weights of the attributes, uniformly over all splits of their sum (for rank aggregation the only choice).
    scaling : "refit" or "frozen"
        Find the ranges anew in every replicate, or keep those of the fit to the data (then only the curve, or the
        weights, move).
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        As in joblib; the result has the same bits whatever it is.
    objects : sequence, optional
        Labels of the objects; the index of a pandas frame, or positions, by default.
    sample_weight : array-like, shape (n,), optional
        Weights of the fit. An object that is drawn brings its weight along; one of weight 0 is never drawn (it is
        ranked all the same).
    callback : callable, optional
        Called with the number of replicates done, after each.

    Returns
    -------
    RankIntervals

    Examples
    --------
    >>> from monoopt.estimators.rank_baselines import WeightedSum
    >>> X = np.array([[0.0, 0.1], [0.5, 0.4], [0.6, 0.55], [1.0, 0.9], [0.2, 0.3]])
    >>> found = bootstrap_ranks(WeightedSum(), X, n_boot=50, over="attributes")
    >>> found.ranks, found.above(3, 0)
    (array([5., 3., 2., 1., 4.]), 1.0)
    """
    refuse_options(
        [
            (
                not is_whole(n_boot, 1),
                f"n_boot={n_boot!r}: wanted a whole number from 1",
            ),
            (not is_number(level) or not 0 < level < 1, f"level={level!r}: wanted a number in (0, 1)"),
            (over not in OVER, f"over={over!r}: wanted one of {OVER}{nearest(over, OVER)}"),
            (scaling not in ("frozen", "refit"), f"scaling={scaling!r}: wanted 'frozen' or 'refit'"),
            *_faults(estimator, n_jobs),
        ]
    )
    weight = _weights(estimator, sample_weight)
    full = clone(estimator).fit(X, objects=objects, **weight)
    if over == "objects":
        _refuse_unweighted(full, "use over='attributes'")
    start = _Start.of(full, X, frozen=scaling == "frozen", **weight)
    seeds = random_generator(random_state).integers(0, 2**63 - 1, n_boot)
    coming = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_replicate)(start, int(seed), over) for seed in seeds
    )
    found = []
    for replicate in coming:
        found.append(replicate)
        callback(len(found))
    samples = np.array([sample for sample, _ in found], dtype=np.float32)
    tail = (1 - level) / 2
    return RankIntervals(
        full.objects_,
        ranks(full.scores_, "average"),
        np.quantile(samples, tail, axis=0, method="lower").astype(np.float64),
        np.quantile(samples, 1 - tail, axis=0, method="higher").astype(np.float64),
        level,
        samples,
        sum(not proved for _, proved in found),
    )


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """What happens to the others when one object is left out of the fit.

    Attributes
    ----------
    objects : list
    largest_move : ndarray, shape (n,)
        Largest change of rank, among the others, when the object is left out.
    reversals : ndarray of int, shape (n,)
        Pairs of other objects that change their order.
    agreement : ndarray, shape (n,)
        Kendall's tau between the others' scores with and without the object.
    """

    objects: list[Any]
    largest_move: Array
    reversals: npt.NDArray[np.int64]
    agreement: Array


def leave_one_out(
    estimator: Any,
    X: Any,
    *,
    n_jobs: int | None = None,
    objects: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> LeaveOneOut:
    """Fit once without each object (curve and scale), and compare the order of all others.

    Parameters
    ----------
    estimator, X, n_jobs, objects, sample_weight
        As in `bootstrap_ranks`.

    Examples
    --------
    >>> from monoopt.estimators.rank_baselines import WeightedSum
    >>> X = np.array([[0.0, 0.1], [0.5, 0.4], [0.6, 0.35], [1.0, 0.9]])
    >>> leave_one_out(WeightedSum(), X).reversals
    array([0, 0, 0, 1])
    """
    refuse_options(_faults(estimator, n_jobs))
    weight = _weights(estimator, sample_weight)
    full = _quiet(clone(estimator), X, objects=objects, **weight)
    _refuse_unweighted(full, "leaving one out is for scores that are learnt")
    start = _Start.of(full, X, frozen=False, **weight)
    n = len(full.scores_)
    present = n if start.weight is None else int(np.count_nonzero(start.weight))
    if present < 3:
        raise DataError(f"leaving one out: {present} objects of positive weight came; wanted at least 3")
    found = Parallel(n_jobs=n_jobs)(delayed(_without)(start, i, full.scores_) for i in range(n))
    moves, taus = np.array(found).T
    pairs = (n - 1) * (n - 2) / 2
    reversals = np.round((1 - np.nan_to_num(taus, nan=1.0)) / 2 * pairs).astype(np.int64)
    return LeaveOneOut(full.objects_, moves, reversals, taus)


def _faults(estimator: Any, n_jobs: Any) -> list[tuple[bool, str]]:
    ranks_objects = isinstance(estimator, RankingMixin | ScoringMixin)
    return [
        (not ranks_objects, f"estimator={estimator!r}: wanted one that ranks, for example RankingPrincipalCurve()"),
        (not is_job_count(n_jobs), f"n_jobs={n_jobs!r}: wanted a whole number other than 0, or None"),
    ]


def scaling_sensitivity(estimator: Any, X: Any, scalings: Sequence[Any] = SCALINGS) -> dict[str, dict[str, Any]]:
    """Rank under several scalings and compare with the estimator's own.

    Returns
    -------
    dict of dict
        By scaling: ``ranks``, ``spearman`` with the estimator's own, ``largest_move``.

    Examples
    --------
    >>> from monoopt.estimators.rank_baselines import WeightedSum
    >>> X = np.array([[0.0, 0.1], [0.5, 0.4], [0.6, 0.35], [1.0, 0.9]])
    >>> found = scaling_sensitivity(WeightedSum(), X)
    >>> list(found), found["robust"]["largest_move"]
    (['minmax', 'robust', '(0.1, 0.9)'], 0.0)
    """
    several = np.iterable(scalings) and not isinstance(scalings, str)
    refuse_options([*_faults(estimator, None), (not several, f"scalings={scalings!r}: wanted a list of scalings")])
    if "scaling" not in estimator.get_params():
        raise OptionError(f"{type(estimator).__name__} ranks by order alone: no scaling changes it")
    own = _quiet(clone(estimator), X)
    before, out = ranks(own.scores_, "average"), {}
    for scaling in scalings:
        other = _quiet(clone(estimator).set_params(scaling=scaling), X)
        after = ranks(other.scores_, "average")
        out[str(scaling)] = {
            "ranks": after,
            "spearman": rank_agreement(own.scores_, other.scores_),
            "largest_move": float(np.abs(after - before).max()),
        }
    return out


def rank_reversals(estimator: Any, X: Any, newcomers: Any) -> list[tuple[Any, Any]]:
    """Name the pairs of X that would change their order if the newcomers were fitted with them.

    With the frozen scale and curve of an estimator fitted on X no pair ever does: score newcomers by
    ``score_samples``. This tells what fitting again would do.

    Returns
    -------
    list of (a, b)
        a was above b, and would be below.

    Examples
    --------
    >>> from monoopt.estimators.rank_baselines import WeightedSum
    >>> X = np.array([[10.0, 1.0], [6.0, 5.0], [0.0, 0.0]])
    >>> rank_reversals(WeightedSum(), X, np.array([[6.0, -20.0]]))
    [(1, 0)]
    """
    return reversals_with(_quiet(clone(estimator), X), newcomers)


def reversals_with(fitted: Any, newcomers: Any) -> list[tuple[Any, Any]]:
    """Name the pairs of fitted objects that change their order when newcomers are fitted with them."""
    keep_missing = getattr(fitted, "missing", "refuse") == "project"
    more = read_new_table(fitted, newcomers, "scores_", keep_missing=keep_missing)
    table = as_named(np.vstack([fitted.values_, more]), getattr(fitted, "feature_names_in_", None))
    labels = [*fitted.objects_, *(("newcomer", i) for i in range(len(more)))]
    n = len(fitted.scores_)
    before, after = fitted.scores_, _quiet(clone(fitted), table, objects=labels).scores_[:n]
    pairs = np.argwhere((before[:, None] > before) & (after[:, None] < after))
    return [(fitted.objects_[i], fitted.objects_[k]) for i, k in pairs.tolist()]


def _replica(full: Any, frozen: bool) -> Any:
    """Return an unfitted copy that starts from the fitted curve (and keeps the ranges), by the fast path."""
    copy = clone(full)
    known = copy.get_params()
    words: dict[str, Any] = {}
    if frozen and "scaling" in known:
        words["scaling"] = _goalposts(full.scaling_, attribute_names(full, full.n_features_in_))
    if "init" in known:
        words |= {"init": full.control_points_, "keep_best": True, "solver": "direct"}
    if isinstance(full, FootruleAggregation):  # the same cost and tie rule, without a program for every replicate
        words["solver"] = "direct"
    return copy.set_params(**words)


def _goalposts(scaling: Scaling, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    kept = np.flatnonzero(scaling.kept).tolist()
    return {names[j]: (float(scaling.low[j]), float(scaling.high[j])) for j in kept}


@dataclass(frozen=True, eq=False)
class _Start:
    """What every replicate starts from."""

    replica: Any
    X: Any
    objects: list[Any]
    shape: tuple[int, int]
    weight: Array | None

    @classmethod
    def of(cls, full: Any, X: Any, frozen: bool, sample_weight: Any = None) -> _Start:
        shape = full.values_.shape
        weight = None if sample_weight is None else read_weights(sample_weight, shape[0])
        return cls(_replica(full, frozen), X, full.objects_, shape, weight)

    def drawn(self, rng: np.random.Generator) -> Array:
        """Weights of a sample with replacement of the objects that have a weight."""
        n = self.shape[0]
        own = np.ones(n) if self.weight is None else self.weight
        there = np.flatnonzero(own > 0)
        return own * np.bincount(there[rng.integers(0, len(there), len(there))], minlength=n)

    def fit(self, weight: Array | None = None, **words: Any) -> Any:
        more = {} if weight is None else {"sample_weight": weight}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of kept curves, which are counted
            return _quiet(clone(self.replica).set_params(**words), self.X, objects=self.objects, **more)


def _replicate(start: _Start, seed: int, over: str) -> tuple[npt.NDArray[np.float32], bool]:
    rng = np.random.default_rng(seed)
    if over == "objects":
        fitted = _resampled(start, rng)
    else:
        shares = rng.dirichlet(np.ones(start.shape[1])) + 1e-9
        fitted = start.fit(start.weight, attribute_weights=shares.tolist())
    proved = getattr(fitted, "stationarity_", None)
    return ranks(fitted.scores_, "average").astype(np.float32), proved is None or proved.ok


def _resampled(start: _Start, rng: np.random.Generator) -> Any:
    """Fit to objects drawn with replacement; a sample without two different objects has no order: it is drawn again."""
    for _ in range(TRIES):
        try:
            return start.fit(start.drawn(rng))
        except DataError as refused:
            reason = refused
    raise reason


def _without(start: _Start, i: int, scores: Array) -> tuple[float, float]:
    weight = np.ones(len(scores)) if start.weight is None else start.weight.copy()
    weight[i] = 0.0
    try:
        fitted = start.fit(weight)
    except DataError as refused:
        raise DataError(f"without object {start.objects[i]!r}: {refused}", refused.faults) from refused
    after = np.delete(fitted.scores_, i)
    before = np.delete(scores, i)
    moves = np.abs(ranks(after, "average") - ranks(before, "average"))
    return float(moves.max()), rank_agreement(before, after, "kendall")


def _quiet(estimator: Any, X: Any, **words: Any) -> Any:
    """Fit without the warnings that the fit to all data gives once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return estimator.fit(X, **words)


def _weights(estimator: Any, sample_weight: Any) -> dict[str, Any]:
    """Return the weights as words for `fit`; none where there are none."""
    if sample_weight is None:
        return {}
    _refuse_unweighted(estimator, "leave sample_weight out")
    return {"sample_weight": sample_weight}


def _refuse_unweighted(estimator: Any, advice: str) -> None:
    if "sample_weight" not in inspect.signature(estimator.fit).parameters:
        raise OptionError(f"{type(estimator).__name__} takes no weights of objects: {advice}")
