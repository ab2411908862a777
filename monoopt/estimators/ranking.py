"""What every ranking estimator shares: scores, ranks, one transformed column, object labels, honest warnings."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import DataError, DataWarning, OptionError, nearest, refuse
from monoopt.order.directions import parse_directions
from monoopt.order.frames import is_frame
from monoopt.order.ranks import Ties, rank_agreement, ranks
from monoopt.order.scaling import Scaling, lone_extremes

Array = npt.NDArray[np.float64]
LOOKED_AT = 20_000  # objects on which agreement with a direction is looked at
DISAGREE = -0.1  # rank correlation of an attribute (in its declared sense) with the score, below which we warn


class RankingMixin:
    """Ranks of the fitted objects, for estimators with `scores_`."""

    scores_: Array

    def rank(self, *, ties: Ties = "min") -> npt.NDArray[Any]:
        """Rank the fitted objects; 1 is the best.

        Parameters
        ----------
        ties : "min", "dense", "average", "ordinal" or "max"
            What equal scores get: 1,1,3 or 1,1,2 or 1.5,1.5,3 or 1,2,3 (row order) or 2,2,3.
        """
        check_is_fitted(self, "scores_")
        return ranks(self.scores_, ties)


class ScoringMixin(ABC):
    """Scores, ranks and one transformed column of any objects, for estimators with `scores_`."""

    scores_: Array

    @abstractmethod
    def score_samples(self, X: Any) -> Array:
        """Score objects; higher is better."""

    def rank(self, X: Any = None, *, ties: Ties = "min") -> npt.NDArray[Any]:
        """Rank objects; 1 is the best.

        Parameters
        ----------
        X : array-like or data frame, optional
            Objects to rank among themselves; the fitted ones by default.
        ties : "min", "dense", "average", "ordinal" or "max"
            What equal scores get: 1,1,3 or 1,1,2 or 1.5,1.5,3 or 1,2,3 (row order) or 2,2,3.
        """
        check_is_fitted(self, "scores_")
        return ranks(self.scores_ if X is None else self.score_samples(X), ties)

    def transform(self, X: Any) -> Array:
        """Return the scores as one column, shape (n, 1)."""
        return self.score_samples(X)[:, None]

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Name the one transformed column: ``score``."""
        return np.array(["score"], dtype=object)


def ranking_directions(directions: Any, estimator: Any, d: int) -> npt.NDArray[np.float64]:
    """Read directions that a ranking can use: +1 or -1 for every attribute."""
    names = attribute_names(estimator, d)
    known = names if hasattr(estimator, "feature_names_in_") else d
    signs = parse_directions(directions, known).astype(np.float64)
    free = [names[j] for j in np.flatnonzero(signs == 0)]
    refuse(
        [f"{name!r} is free: a ranking needs to know whether more is better; leave the column out" for name in free],
        "directions",
    )
    return signs


def attribute_names(estimator: Any, d: int) -> list[str]:
    """Names of the columns at fit; x0, x1, ... where they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(d)] if names is None else [str(name) for name in names]


def object_labels(X: Any, objects: Sequence[Any] | None, n: int) -> list[Any]:
    """Return what the objects are called: as given, the index of a pandas frame, or their positions."""
    if objects is None:
        index = getattr(X, "index", None)
        objects = None if index is None or callable(index) else list(index)
    if objects is not None and not np.iterable(objects):
        raise DataError(f"objects is {objects!r}; wanted {n} labels")
    labels = list(range(n)) if objects is None else list(objects)
    if len(labels) != n:
        raise DataError(f"{len(labels)} object labels for {n} objects")
    return labels


def position_of(label: Any, labels: Sequence[Any]) -> int:
    """Find an object by its label; positions are labels where the objects have none."""
    places = [i for i, known in enumerate(labels) if known == label]
    if len(places) == 1:
        return places[0]
    if places:
        raise DataError(f"object {label!r} is not unique: rows {places[:5]}")
    known = [str(known) for known in labels]
    few = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    raise DataError(
        f"no object {label!r}{nearest(label, known)}; there are {len(known)} ({few}): give one of these, or the values "
        "of an object (a sequence, a dict by attribute, or a table of one row)"
    )


def one_row(a: Any) -> Any:
    """Return the values of one object as a table, with their names if they have some; None for an object's label.

    Examples
    --------
    >>> one_row({"income": 3, "debt": 1}), one_row([3, 1]), one_row("Norway")
    ({'income': [3], 'debt': [1]}, array([[3, 1]]), None)
    """
    if isinstance(a, Mapping):
        return {name: value if np.ndim(value) else [value] for name, value in a.items()}
    if is_frame(a):
        return a
    if isinstance(a, str) or np.ndim(a) == 0:
        return None
    names = list(index) if np.iterable(index := getattr(a, "index", None)) else []  # of a pandas Series
    if names and all(isinstance(name, str) for name in names):
        return dict(zip(names, np.asarray(a)[:, None], strict=True))
    return np.asarray(a).reshape(1, -1)


def as_named(values: Array, names: Sequence[str] | None) -> Any:
    """Give a table its column names back, as a dict of columns; without names it stays an array.

    Examples
    --------
    >>> as_named(np.array([[1.0, 2.0]]), ["a", "b"])
    {'a': array([1.]), 'b': array([2.])}
    """
    return values if names is None else dict(zip(names, values.T, strict=True))


def require_two_objects(weight: Array) -> None:
    """Refuse a table in which there is nothing to rank."""
    n = int(np.count_nonzero(weight > 0))
    if n < 2:
        raise DataError(f"n_samples={n} object(s) with positive weight: a ranking needs at least two")


def random_generator(random_state: Any) -> np.random.Generator:
    """Turn a seed, Generator or RandomState into a Generator; None means the seed 0, so that fits repeat."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1))
    try:
        return np.random.default_rng(0 if random_state is None else random_state)
    except (TypeError, ValueError) as error:
        raise OptionError(f"random_state={random_state!r}: wanted a whole number from 0, or a Generator") from error


def refuse_options(faults: Sequence[tuple[bool, str]]) -> None:
    """Raise one `OptionError` with the words of every check that failed."""
    found = [words for wrong, words in faults if wrong]
    if found:
        raise OptionError("; ".join(found))


def warn_about_columns(X: Array, scaling: Scaling, weight: Array, names: Sequence[str]) -> None:
    """Say what a person should know about the columns before trusting a ranking of them."""
    constant = [names[j] for j in np.flatnonzero(~scaling.kept).tolist()]
    if constant and scaling.kept.any():
        _warn(f"{constant} do not vary and are left out of the scale and of the scores")
    for j in np.flatnonzero(scaling.kept).tolist():
        values = X[weight > 0, j]
        if len(values) >= 5 and not np.isnan(values).any() and _is_running_number(values):
            _warn(f"{names[j]!r} numbers the rows one by one: is it an id? Leave it out, or ignore this")


def warn_about_goalposts(X: Array, scaling: Scaling, weight: Array, names: Sequence[str]) -> None:
    """Say which attributes have no object within their range: they tell nobody apart."""
    outside = scaling.outside(X[weight > 0]) | np.isnan(X[weight > 0])
    for j in np.flatnonzero(outside.all(axis=0) & scaling.kept).tolist():
        _warn(f"no object lies within the goalposts of {names[j]!r}, {scaling.low[j]:g} to {scaling.high[j]:g}")


def warn_about_extremes(X: Array, weight: Array, names: Sequence[str], labels: Sequence[Any]) -> None:
    """Say which single object sets an attribute's range."""
    for row, j, share in lone_extremes(X, weight):
        _warn(
            f"object {labels[row]!r} alone sets {share:.0%} of the range of {names[j]!r} ({X[row, j]:g}); "
            "with scaling='robust' or goalposts the other objects keep their differences"
        )


def warn_about_directions(X: Array, scores: Array, directions: Array, names: Sequence[str]) -> None:
    """Say which attribute gets worse, in its declared sense, as the score gets better."""
    step = max(1, len(X) // LOOKED_AT)
    X, scores = X[::step], scores[::step]
    for j, name in enumerate(names):
        known = ~np.isnan(X[:, j])
        agreement = rank_agreement(directions[j] * X[known, j], scores[known])
        if agreement < DISAGREE:
            _warn(
                f"{name!r} runs against the others: declared {'gain' if directions[j] > 0 else 'cost'}, yet its rank "
                f"correlation with the score is {agreement:.2f} in that sense; check its direction"
            )


def _is_running_number(values: Array) -> bool:
    whole = np.array_equal(values, np.round(values)) and np.ptp(values) == len(values) - 1
    return bool(whole and len(np.unique(values)) == len(values))


def _warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=4)
