"""Monotone rules and ensembles of them, in the user's units and directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import refuse
from monoopt.order.attributes import Attributes
from monoopt.order.precision import match_precision

Floats: TypeAlias = npt.NDArray[np.float64]
Side: TypeAlias = Literal[">=", "<="]

MANY_ANSWERS = 20_000_000  # rules times objects above which loops are compiled


@dataclass(frozen=True)
class Condition:
    """One comparison: x[attribute] >= threshold, or <=.

    Attributes
    ----------
    attribute : int
        Column.
    side : ">=" or "<="
    threshold : float
        In the units of the data.
    """

    attribute: int
    side: Side
    threshold: float

    def holds(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Tell for each object whether the comparison holds.

        Parameters
        ----------
        X : ndarray, shape (n, d)
        """
        column = X[:, self.attribute]
        return column >= self.threshold if self.side == ">=" else column <= self.threshold


@dataclass(frozen=True)
class Rule:
    """A conjunction of conditions with one answer: +1 where all hold (positive) or -1 (negative), else 0.

    Attributes
    ----------
    positive : bool
    conditions : tuple of Condition
        None at all: the rule always answers.

    Examples
    --------
    >>> rule = Rule(True, (Condition(0, ">=", 3.0), Condition(1, "<=", 2.0)))
    >>> rule.answers(np.array([[3.0, 2.0], [3.0, 2.5]]))
    array([1, 0], dtype=int8)
    >>> rule.text(["grade", "debt"])
    'if grade >= 3 and debt <= 2 then +1'
    """

    positive: bool
    conditions: tuple[Condition, ...]

    def covers(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Tell for each object whether all conditions hold.

        Parameters
        ----------
        X : ndarray, shape (n, d)
        """
        covered = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            covered &= condition.holds(X)
        return covered

    def answers(self, X: Floats) -> npt.NDArray[np.int8]:
        """Return +1, -1 or 0 for each object.

        Parameters
        ----------
        X : ndarray, shape (n, d)
        """
        return (self.covers(X) * (1 if self.positive else -1)).astype(np.int8)

    def text(self, names: Attributes | Sequence[str] | None = None, then: str | None = None) -> str:
        """Return the rule in words.

        Parameters
        ----------
        names : Attributes or sequence of str, optional
            What the columns are, or their names alone; x0, x1, ... when not given.
        then : str, optional
            What the rule says, for example "at least class 2"; +1 or -1 when not given.
        """
        attributes = (
            names if isinstance(names, Attributes) else Attributes(names=None if names is None else tuple(names))
        )
        parts = attributes.words(self.conditions)
        answer = then if then is not None else ("+1" if self.positive else "-1")
        return f"if {' and '.join(parts)} then {answer}" if parts else f"always {answer}"

    def is_monotone(self, directions: npt.ArrayLike) -> bool:
        """Tell whether the form alone proves that a better object never gets a lower answer.

        A positive rule may ask >= of a gain and <= of a cost, a negative rule the reverse; a free attribute
        may carry both, since comparable objects are equal there.

        Parameters
        ----------
        directions : array-like of int, shape (d,)
            +1, -1, 0.
        """
        signs = np.asarray(directions) * (1 if self.positive else -1)
        upward = {">=": 1, "<=": -1}
        return all(signs[c.attribute] in (0, upward[c.side]) for c in self.conditions)


@dataclass(frozen=True)
class RuleEnsemble:
    """A weighted vote of rules: f(x) = sum of weight times answer.

    Attributes
    ----------
    rules : tuple of Rule
    weights : ndarray, shape (T,)
        Not negative.

    Raises
    ------
    DataError
        Weights of another number than rules, negative or not finite.

    Examples
    --------
    >>> high, low = Rule(True, (Condition(0, ">=", 2.0),)), Rule(False, (Condition(0, "<=", 1.0),))
    >>> ensemble = RuleEnsemble((high, low), np.array([0.75, 0.25]))
    >>> ensemble.decision(np.array([[1.0], [1.5], [2.0]]))
    array([-0.25,  0.  ,  0.75])
    >>> print(ensemble.text(["skill"], upper="at least class 2", lower="below class 2"))
    if skill >= 2 then at least class 2 (weight 0.75)
    if skill <= 1 then below class 2 (weight 0.25)
    """

    rules: tuple[Rule, ...]
    weights: Floats

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (len(self.rules),):
            refuse([f"{len(self.rules)} rules need as many weights, got shape {weights.shape}"], "rule ensemble")
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        refuse([f"weight {t} is {weights[t]}: wanted a number >= 0" for t in bad], "rule ensemble")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleEnsemble):
            return NotImplemented
        return self.rules == other.rules and np.array_equal(self.weights, other.weights)

    __hash__ = None  # type: ignore[assignment]

    def answers(self, X: Floats) -> npt.NDArray[np.int8]:
        """Return the answer of every rule to every object, shape (n, T).

        Parameters
        ----------
        X : ndarray, shape (n, d)
        """
        return np.array([rule.answers(X) for rule in self.rules], dtype=np.int8).reshape(len(self.rules), len(X)).T

    def decision(self, X: Floats) -> Floats:
        """Return f(x) for each object; its sign is the class.

        Sums rule by rule in a fixed order, so that equal objects get equal bits whatever the batch.

        Parameters
        ----------
        X : ndarray, shape (n, d)
        """
        total = np.zeros(len(X))
        votes = np.where([rule.positive for rule in self.rules], self.weights, -self.weights)
        if len(X) * len(self.rules) > MANY_ANSWERS:
            from monoopt.order import _rule_kernels

            _rule_kernels.vote(np.ascontiguousarray(X.T, dtype=np.float64), *_flat(self.rules), votes, total)
            return total
        for rule, vote in zip(self.rules, votes, strict=True):
            total += np.where(rule.covers(X), vote, 0.0)
        return total

    def is_monotone(self, directions: npt.ArrayLike) -> bool:
        """Tell whether every rule is monotone by its form; then so is f, because weights are not negative.

        Parameters
        ----------
        directions : array-like of int, shape (d,)
        """
        return all(rule.is_monotone(directions) for rule in self.rules)

    def at_precision(self, bits: npt.NDArray[np.uint8]) -> RuleEnsemble:
        """Return the ensemble with its thresholds rounded as `match_precision` rounds the objects.

        Parameters
        ----------
        bits : ndarray of uint8, shape (d,)

        Examples
        --------
        >>> ensemble = RuleEnsemble((Rule(False, (Condition(0, "<=", 0.1),)),), np.array([1.0]))
        >>> query = np.array([[np.float32(0.1)]], dtype=float)
        >>> ensemble.decision(query), ensemble.at_precision(np.array([23], dtype=np.uint8)).decision(query)
        (array([0.]), array([-1.]))
        """
        if not np.any(bits < 52):
            return self

        def rounded(c: Condition) -> Condition:
            threshold = match_precision(np.array([c.threshold]), bits[[c.attribute]])
            return Condition(c.attribute, c.side, float(threshold[0]))

        rules = tuple(Rule(rule.positive, tuple(map(rounded, rule.conditions))) for rule in self.rules)
        return RuleEnsemble(rules, self.weights)

    def text(self, names: Attributes | Sequence[str] | None = None, upper: str = "+1", lower: str = "-1") -> str:
        """Return one line per rule, heaviest first.

        Parameters
        ----------
        names : Attributes or sequence of str, optional
        upper, lower : str
            What a positive and a negative rule say.
        """
        order = np.argsort(-self.weights, kind="stable")
        lines = [self.rules[t].text(names, upper if self.rules[t].positive else lower) for t in order]
        return "\n".join(f"{line} (weight {self.weights[t]:.3g})" for line, t in zip(lines, order, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers that survive JSON bit for bit.

        Infinite thresholds are written as text, because JSON has no infinity.
        """
        rules = [
            {
                "positive": rule.positive,
                "conditions": [[c.attribute, c.side, _to_json(c.threshold)] for c in rule.conditions],
            }
            for rule in self.rules
        ]
        return {"rules": rules, "weights": [float(weight) for weight in self.weights]}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> RuleEnsemble:
        """Read back what `to_dict` wrote.

        Parameters
        ----------
        saved : mapping

        Examples
        --------
        >>> ensemble = RuleEnsemble((Rule(True, (Condition(0, ">=", 0.1),)),), np.array([1.0]))
        >>> RuleEnsemble.from_dict(ensemble.to_dict()) == ensemble
        True
        """
        rules = tuple(
            Rule(
                bool(rule["positive"]),
                tuple(Condition(int(j), side, float(threshold)) for j, side, threshold in rule["conditions"]),
            )
            for rule in saved["rules"]
        )
        return cls(rules, np.array(saved["weights"], dtype=np.float64))


def simplified(rules: Sequence[Rule], X: Floats) -> list[Rule]:
    """Drop conditions of each rule one after another, from the last, as long as it covers the same objects.

    Parameters
    ----------
    rules : sequence of Rule
    X : ndarray, shape (n, d)

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 3.0]])
    >>> [rule.text() for rule in simplified([Rule(True, (Condition(0, ">=", 2.0), Condition(1, ">=", 2.0)))], X)]
    ['if x0 >= 2 then +1']
    """
    if len(X) * len(rules) <= MANY_ANSWERS:
        return [_simplified(rule, X) for rule in rules]
    from monoopt.order import _rule_kernels

    first, *conditions = _flat(rules)
    needed = np.ones(first[-1], dtype=bool)
    _rule_kernels.mark_needed(np.ascontiguousarray(X.T, dtype=np.float64), first, *conditions, needed)
    return [
        Rule(rule.positive, tuple(c for c, keep in zip(rule.conditions, needed[start:], strict=False) if keep))
        for rule, start in zip(rules, first, strict=False)
    ]


def _simplified(rule: Rule, X: Floats) -> Rule:
    refused = [~condition.holds(X) for condition in rule.conditions]
    times, kept = np.sum(refused, axis=0), []
    for condition, here in zip(reversed(rule.conditions), reversed(refused), strict=True):
        if (here & (times == 1)).any():
            kept.append(condition)
        else:
            times = times - here
    return Rule(rule.positive, tuple(reversed(kept)))


def _flat(rules: Sequence[Rule]) -> tuple[npt.NDArray[Any], ...]:
    """All conditions in a row: where each rule begins; attribute, whether x >= threshold is asked, threshold."""
    conditions = [condition for rule in rules for condition in rule.conditions]
    return (
        np.concatenate([[0], np.cumsum([len(rule.conditions) for rule in rules], dtype=np.int64)]),
        np.array([c.attribute for c in conditions], dtype=np.int64),
        np.array([c.side == ">=" for c in conditions], dtype=bool),
        np.array([c.threshold for c in conditions], dtype=np.float64),
    )


def _to_json(value: float) -> float | str:
    return float(value) if np.isfinite(value) else repr(float(value))
