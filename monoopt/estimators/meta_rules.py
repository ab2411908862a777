"""The five meta-rules as checks of any ranking rule: a verdict and a witness for each.

Source: Definitions 2 to 6 of "Unsupervised ranking of multi-attribute objects based on principal curves".
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from monoopt.errors import DataError, DataWarning, OptionError, refuse
from monoopt.estimators.ranking import RankingMixin, ScoringMixin, as_named, random_generator, ranking_directions
from monoopt.order.dominance import dominance_pairs
from monoopt.order.frames import read_table

Array = npt.NDArray[np.float64]
Verdict = Literal["holds", "fails", "unknown"]
Finding = tuple[Verdict, str]

PAIRS_OF = 1500  # objects among which all dominance pairs are looked at
MOVED = 60  # objects that are improved in one attribute at a time
SEGMENTS, STEPS = 60, 256  # lines between objects along the ranking, and steps on each, to look for jumps and kinks
STRAIGHT = 0.02  # largest departure from a straight line, share of the range, that counts as none
SHAPES: dict[str, Callable[[Array], Array]] = {
    "convex": lambda t: t**2,
    "concave": lambda t: 1 - (1 - t) ** 2,
    "S": lambda t: t**2 * (3 - 2 * t),
    "inverted S": lambda t: 3 * t - 6 * t**2 + 4 * t**3,
}


@dataclass(frozen=True)
class MetaRule:
    """One row of the report.

    Attributes
    ----------
    rule : str
    verdict : "holds", "fails" or "unknown"
    evidence : str
        What was looked at, or the witness: the pair, the attribute, the scale.
    """

    rule: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class MetaRuleReport:
    """Five rows, in the paper's order."""

    rows: tuple[MetaRule, ...]

    @property
    def ok(self) -> bool:
        """Whether no rule fails."""
        return all(row.verdict != "fails" for row in self.rows)

    def __getitem__(self, rule: str) -> MetaRule:
        """Return the row of a rule by name."""
        return next(row for row in self.rows if row.rule == rule)

    def __str__(self) -> str:
        """A table of text."""
        wide = max(len(row.rule) for row in self.rows)
        return "\n".join(f"{row.rule:<{wide}}  {row.verdict:<7}  {row.evidence}" for row in self.rows)


class _Rule:
    """A rule that can be applied to a table, and perhaps a function of single points."""

    def __init__(self, score: Any, X: Array, names: Sequence[str] | None = None) -> None:
        if isinstance(score, type) or not (hasattr(score, "fit") or callable(score)):
            raise OptionError(f"score={score!r}: wanted an estimator that ranks, or a function from tables to scores")
        self.estimator = score if hasattr(score, "fit") else None
        self.names = names if isinstance(score, RankingMixin | ScoringMixin) else None
        self._score = score
        self.point: Callable[[Array], Array] | None = self.table
        if self.estimator is not None:
            self.fitted = self.fit(X)
            self.point = self._score_points if hasattr(self.fitted, "score_samples") else None

    def fit(self, X: Array) -> Any:
        """Fit a copy of the estimator to a table, which has the names of the columns."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return clone(self.estimator).fit(as_named(X, self.names))

    def _score_points(self, X: Array) -> Array:
        return _read_scores(self.fitted.score_samples(as_named(X, self.names)), len(X))

    def table(self, X: Array) -> Array:
        """Scores of the objects of a table, the rule learnt from this very table if it learns."""
        if self.estimator is not None:
            return _read_scores(self.fit(X).scores_, len(X))
        return _read_scores(self._score(X), len(X))

    def side_by_side(self, X: Array, others: Array) -> tuple[Array, Array]:
        """Scores of two lists of points on one footing."""
        if self.point is not None and self.estimator is not None:
            return self.point(X), self.point(others)
        both = self.table(np.vstack([X, others]))
        return both[: len(X)], both[len(X) :]


def _read_scores(scores: Any, n: int) -> Array:
    """Read scores, one number for each object."""
    try:
        values = np.asarray(scores, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise DataError(f"score: wanted {n} numbers, got {scores!r:.60}") from None
    refuse([] if len(values) == n else [f"{len(values)} scores for {n} objects"], "score")
    return values


def check_meta_rules(
    score: Any,
    X: Any,
    directions: Any = None,
    *,
    n_parameters: int | None = None,
    random_state: Any = 0,
) -> MetaRuleReport:
    """Check the five meta-rules of unsupervised ranking on a table.

    scale and translation invariance; strict monotonicity, over all dominance pairs of the table and along
    each attribute; capacity for linear and nonlinear relations; smoothness (continuous with continuous slope);
    a number of parameters that is known and does not grow with the objects.

    Parameters
    ----------
    score : estimator or callable
        An estimator of this package or with ``fit`` and ``scores_`` (cloned and fitted anew wherever the rule has to
        see other data), or a function from a table (n, d) to scores (n,), higher is better.
    X : array-like, shape (n, d)
        The table on which to look; all cells known.
    directions : dict, sequence or None
        What is better in each attribute; None: what the estimator takes for better, or more everywhere.
    n_parameters : int, optional
        For functions: how many parameters it has, if that is known.
    random_state : int, Generator, RandomState or None
        Draws the scales, moves and lines.

    Returns
    -------
    MetaRuleReport
        Five rows with verdict and evidence. A witness is a proof of failure; "holds" means that nothing was found.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> report = check_meta_rules(lambda X: X.sum(axis=1), rng.uniform(size=(30, 2)))
    >>> [(row.rule, row.verdict) for row in report.rows[:3]]
    [('scale invariance', 'fails'), ('strict monotonicity', 'holds'), ('capacity', 'fails')]
    """
    values, names = read_table(X)
    holder = _Names(names)
    if directions is None:
        directions = getattr(score, "directions", None)
    signs = ranking_directions(directions, holder, values.shape[1])
    labels = list(names) if names is not None else [f"x{j}" for j in range(values.shape[1])]
    rng = random_generator(random_state)
    if getattr(score, "anchors", None) is not None:
        raise OptionError(
            "anchors name objects of one table, and the rules are looked at on others: pass the estimator with "
            "set_params(anchors=None)"
        )
    rule = _Rule(score, values, names)
    odd = np.flatnonzero(~np.isfinite(rule.table(values)))[:20].tolist()
    refuse([f"object {i} of the table has no finite score" for i in odd], "score")
    found = {
        "scale invariance": _scale_invariance(rule, values, labels, rng),
        "strict monotonicity": _strict_monotonicity(rule, values, signs, labels, rng),
        "capacity": _capacity(rule, values, signs, rng),
        "smoothness": _smoothness(rule, values),
        "explicitness": _explicitness(rule, values, n_parameters),
    }
    return MetaRuleReport(tuple(MetaRule(word, verdict, evidence) for word, (verdict, evidence) in found.items()))


class _Names:
    """Carries column names to the reader of directions, as an estimator would."""

    def __init__(self, names: tuple[str, ...] | None) -> None:
        if names is not None:
            self.feature_names_in_ = names


def _scale_invariance(rule: _Rule, X: Array, names: list[str], rng: np.random.Generator) -> Finding:
    before = rule.table(X)
    size = np.ptp(X, axis=0)
    for j, name in enumerate(names):
        for factor, shift in (
            (1000.0, 0.0),
            (1e-3, 0.0),
            (1.0, 100.0 * (size[j] or 1.0)),
            tuple(rng.uniform(0.1, 10, 2)),
        ):
            changed = X.copy()
            changed[:, j] = factor * X[:, j] + shift
            after = rule.table(changed)
            words = f"{name} -> {factor:g} * {name} + {shift:g}"
            if np.isnan(after).any():
                return ("fails", f"{words} leaves object {np.argmax(np.isnan(after))} without a score")
            pair = _turned(before, after)
            if pair is not None:
                return ("fails", f"{words} turns objects {pair[0]} and {pair[1]}")
    return ("holds", f"same order under {4 * len(names)} changes of unit")


def _turned(before: Array, after: Array) -> tuple[int, int] | None:
    """Return two objects in the other order than before, if there are any beyond rounding."""
    order = np.lexsort((after, before))
    seen = np.maximum.accumulate(after[order])
    small_before, small_after = 1e-7 * (np.ptp(before) or 1.0), 1e-7 * (np.ptp(after) or 1.0)
    for at in np.flatnonzero(after[order] < seen - small_after):
        earlier = order[:at]
        turned = earlier[
            (after[earlier] > after[order[at]] + small_after) & (before[earlier] < before[order[at]] - small_before)
        ]
        if len(turned):
            return int(turned[0]), int(order[at])
    return None


def _strict_monotonicity(rule: _Rule, X: Array, signs: Array, names: list[str], rng: np.random.Generator) -> Finding:
    chosen = np.sort(rng.permutation(len(X))[:PAIRS_OF])
    scores = rule.table(X)
    pairs = dominance_pairs(X[chosen], signs.astype(np.int8))
    better, worse = chosen[pairs[:, 0]], chosen[pairs[:, 1]]
    distinct = np.any(X[better] != X[worse], axis=1)
    wrong = np.flatnonzero(distinct & ~(scores[better] > scores[worse]))
    if len(wrong):
        i, k = better[wrong[0]], worse[wrong[0]]
        words = f"object {i} dominates {k}, yet scores {scores[i]:.6g} against {scores[k]:.6g}"
        return ("fails", f"{words} ({len(wrong)} of {int(distinct.sum())} pairs)")
    for j, name in enumerate(names):
        found = _fails_along(rule, X, j, signs[j], rng)
        if found is not None:
            return ("fails", f"improving {name} of {found}")
    words = f"{int(distinct.sum())} dominance pairs, and along each of {len(names)} attributes"
    return ("holds", words)


def _fails_along(rule: _Rule, X: Array, j: int, sign: float, rng: np.random.Generator) -> str | None:
    """Improve one attribute of some objects, by much and then by a little, and look for one that does not gain."""
    best = X[:, j].max() if sign > 0 else X[:, j].min()
    movable = np.flatnonzero(X[:, j] != best)
    rows = rng.permutation(movable)[:MOVED]
    if len(rows) == 0:
        return None
    share = rng.uniform(0.05, 0.95, len(rows))
    path = np.repeat(X[rows][None], 3, axis=0)
    path[1, :, j] += share * (best - X[rows, j])
    path[2, :, j] += (share + 0.02 * (1 - share)) * (best - X[rows, j])
    start, moved = rule.side_by_side(path[0], path[1:].reshape(-1, X.shape[1]))
    scores = np.vstack([start, moved.reshape(2, -1)])
    wrong = np.argwhere(~(np.diff(scores, axis=0) > 0))
    if len(wrong) == 0:
        return None
    step, i = wrong[0]
    change = f"from {path[step, i, j]:.6g} to {path[step + 1, i, j]:.6g}"
    return f"object {rows[i]} {change} takes its score from {scores[step, i]:.6g} to {scores[step + 1, i]:.6g}"


def _capacity(rule: _Rule, X: Array, signs: Array, rng: np.random.Generator) -> Finding:
    """Definition 4: a linear score of objects on a line, and a score that is not linear where the relation bends."""
    if rule.estimator is None:
        if _bend(rule, X, rng) <= 1e-9:
            return ("fails", "the score is a linear function of the attributes: linear relations only")
        return ("unknown", "a fixed nonlinear function; give the estimator to see what it can learn")
    if X.shape[1] == 1:
        return ("unknown", "one attribute: there is no relation to depict")
    t = np.linspace(0.0, 1.0, 61)
    for word, shape in {"linear": lambda u: u, **SHAPES}.items():
        U = np.column_stack([t] + [shape(t)] * (X.shape[1] - 1))
        size = np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1.0)
        table = X.min(axis=0) + size * np.where(signs > 0, U, 1.0 - U)
        bend = _bend(_Rule(rule.estimator, table, rule.names), table, rng)
        if word == "linear" and bend > STRAIGHT:
            return ("fails", f"objects on a line, and yet a score that bends by {bend:.0%} of its range")
        if word != "linear" and bend <= STRAIGHT:
            return ("fails", f"objects along a {word} relation, and yet the score stays linear")
    return ("holds", f"linear on a line; follows {', '.join(SHAPES)} relations")


def _bend(rule: _Rule, X: Array, rng: np.random.Generator) -> float:
    """Largest departure of the score half way between two objects from the mean of theirs, share of its range."""
    ends = rng.integers(0, len(X), (200, 2))
    first, last = X[ends[:, 0]], X[ends[:, 1]]
    outer, middle = rule.side_by_side(np.vstack([first, last]), 0.5 * (first + last))
    away = np.abs(0.5 * (outer[:200] + outer[200:]) - middle)
    return float(away.max() / (np.ptp(outer) or 1.0))


def _smoothness(rule: _Rule, X: Array) -> Finding:
    if rule.point is None:
        return ("fails", "there is no score between the ranked objects")
    scores = rule.table(X)
    scale, order = np.ptp(scores) or 1.0, np.argsort(scores, kind="stable")
    step = max(1, len(X) // SEGMENTS)
    for i, k in zip(order[:-step:step], order[step::step], strict=False):
        kind, where = _rough(rule, X[i], X[k], scale)
        if kind:
            return ("fails", f"{kind} {where:.1%} of the way from object {i} to object {k}")
    return ("holds", "no jump and no kink on lines between objects next to each other in the ranking")


def _rough(rule: _Rule, a: Array, b: Array, scale: float) -> tuple[str, float]:
    """Zoom in on the sharpest bend of the score on a line: it fades for a smooth score, and stays otherwise."""
    low, high, bends, jumps = 0.0, 1.0, [], []
    for _ in range(3):
        t = np.linspace(low, high, STEPS + 1)
        values = rule.side_by_side(a + t[:, None] * (b - a), a[None])[0] / scale
        step = (high - low) / STEPS
        bend = np.abs(np.diff(values, 2))
        at = int(np.argmax(bend)) + 1
        bends.append(bend.max() / step)
        jumps.append(np.abs(np.diff(values)).max())
        low, high = max(t[at] - 4 * step, 0.0), min(t[at] + 4 * step, 1.0)
    if jumps[2] > 1e-5 and jumps[2] > 0.3 * jumps[0]:
        return f"a jump of {jumps[2]:.2g} of the range", 0.5 * (low + high)
    if bends[2] > 1e-2 and bends[2] > 0.2 * bends[0]:
        return "a kink", 0.5 * (low + high)
    return "", 0.0


def _explicitness(rule: _Rule, X: Array, n_parameters: int | None) -> Finding:
    if rule.estimator is None:
        if n_parameters is None:
            return ("unknown", "the number of parameters of a function: pass n_parameters")
        return ("holds", f"{n_parameters} parameters, as stated")
    all_of_them = getattr(rule.fitted, "n_parameters_", None)
    if all_of_them is None:
        return ("fails", "no parameters: the order of the objects is all there is")
    order = np.argsort(X[:, 0], kind="stable")
    half = rule.fit(X[order[:: 2 if len(X) > 3 else 1]])
    if half.n_parameters_ != all_of_them:
        words = f"{all_of_them} numbers for {len(X)} objects, {half.n_parameters_} for half of them"
        return ("fails", words)
    return ("holds", f"{all_of_them} parameters, whatever the number of objects")
