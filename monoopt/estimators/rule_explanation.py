"""Why an object is in its class, why one is above another, and what the rules rest on: in words and as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import DataError, OptionError
from monoopt.estimators.ordinal_inputs import OrdinalPredictor
from monoopt.estimators.rule_voting import RuleVoter, middle
from monoopt.order import Rule, as_gains
from monoopt.order.cells import as_array
from monoopt.order.comparisons import at_least
from monoopt.order.parameters import is_whole

Floats: TypeAlias = npt.NDArray[np.float64]

TOP = 4  # reasons shown


@dataclass(frozen=True)
class Reason:
    """One rule and what it does to an object.

    Attributes
    ----------
    question : int
        k of "at least class k?".
    text : str
        The rule in words.
    weight : float
        What it adds to the vote f_k when it fires; negative for a rule that says "below".
    missed : tuple of str
        Conditions that the object does not meet; empty if the rule fired.
    """

    question: int
    text: str
    weight: float
    missed: tuple[str, ...] = ()

    @property
    def fired(self) -> bool:
        """Whether all conditions hold."""
        return not self.missed

    def __str__(self) -> str:
        why = "" if self.fired else f"; not met: {', '.join(self.missed)}"
        return f"{self.weight:+.3g}  {self.text}{why}"


@dataclass(frozen=True)
class Witness:
    """A training object that bounds the class.

    Attributes
    ----------
    object : int
        Row of ``objects_``.
    values : dict of str to cell
        Numbers, categories, None for a missing cell.
    label
        Its label after relabelling.
    """

    object: int
    values: dict[str, Any]
    label: Any

    def __str__(self) -> str:
        return f"{', '.join(f'{name} {cell_text(value)}' for name, value in self.values.items())}: {self.label}"


@dataclass(frozen=True)
class Placement:
    """The class of an object and what the training data say of it, whoever placed it there.

    Attributes
    ----------
    label
        Class predicted.
    interval : (label, label)
        Lowest and highest class that a monotone function through the training data can give.
    at_least, at_most : Witness or None
        A training object that it is at least as good as, of the highest class; one that is at least as good, of the
        lowest class. Classes are those after relabelling.
    """

    label: Any
    interval: tuple[Any, Any]
    at_least: Witness | None
    at_most: Witness | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return plain(asdict(self))

    def _about(self, reasons: list[str]) -> str:
        """Put the reasons between the class and the witnesses."""
        low, high = self.interval
        lines = [f"{self.label} (the training data allow {low if low == high else f'{low} to {high}'})", *reasons]
        lines += [f"at least as good as  {self.at_least}"] if self.at_least else []
        lines += [f"no better than  {self.at_most}"] if self.at_most else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Explanation(Placement):
    """Why rules put an object in its class; also the attributes of `Placement`.

    Attributes
    ----------
    votes : tuple of float
        f_k for every question.
    fired : tuple of Reason
        All rules that fired, heaviest first.
    against_next : tuple of Reason
        What keeps the object from the next class, heaviest first: rules that say "below" and fired, rules that say
        "at least" and did not. Empty in the best class.
    """

    votes: tuple[float, ...]
    fired: tuple[Reason, ...]
    against_next: tuple[Reason, ...]

    def __str__(self) -> str:
        lines = ["rules that fired:", *(f"  {reason}" for reason in self.fired)] if self.fired else ["no rule fired"]
        if self.against_next:
            lines += ["against the next class:", *(f"  {reason}" for reason in self.against_next)]
        return self._about(lines)


@dataclass(frozen=True)
class Comparison:
    """Why one object is above another.

    Attributes
    ----------
    labels : (label, label)
        Classes of a and b.
    dominance : str
        "a", "b", "equal" or "none": which is at least as good in everything.
    difference : float
        Sum of the votes of a minus that of b, over all questions.
    reasons : tuple of Reason
        Rules that fire for one of them only, heaviest first; the weight is what it adds to the difference, so that the
        weights of all of them add up to it.
    """

    labels: tuple[Any, Any]
    dominance: str
    difference: float
    reasons: tuple[Reason, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return plain(asdict(self))

    def __str__(self) -> str:
        words = {
            "a": "the first is at least as good in everything",
            "b": "the second is at least as good in everything",
            "equal": "they are equal",
            "none": "each is better in something",
        }
        first = f"{self.labels[0]} against {self.labels[1]}: {words[self.dominance]}; votes {self.difference:+.3g}"
        return "\n".join([first, *(f"  {reason}" for reason in self.reasons)])


class RuleExplainer(RuleVoter):
    """Explanations of what ensembles of rules say."""

    def explain(self, X: Any, top: int | None = TOP) -> list[Explanation]:
        """Explain the class of each object.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        top : int or None
            At most so many reasons of each kind; None: all.

        Returns
        -------
        list of Explanation
        """
        top = checked_top(top)
        votes, intervals = self.votes(X), self.predict_interval(X)
        old, values, bits = self._matched(X)
        codes = middle(votes)
        return [
            Explanation(
                label=self.classes_[codes[i]],
                interval=(intervals[i, 0], intervals[i, 1]),
                votes=tuple(votes[i].tolist()),
                fired=tuple(self._fired(values[i], bits)[:top]),
                against_next=tuple(self._against(values[i], bits, int(codes[i]) + 1)[:top]),
                at_least=witness(self, old, values[i], above=False),
                at_most=witness(self, old, values[i], above=True),
            )
            for i in range(len(values))
        ]

    def compare(self, a: Any, b: Any) -> Comparison:
        """Say why object a is above object b, or below.

        Parameters
        ----------
        a, b : array-like, shape (d,), or tables of one row

        Returns
        -------
        Comparison
        """
        first, second = (self._matched(one_row(x))[1:] for x in (a, b))
        reasons = []
        for k, ensemble in enumerate(self.rules_, start=1):
            one, other = ensemble.at_precision(first[1]), ensemble.at_precision(second[1])
            for rule, also, weight in zip(one.rules, other.rules, ensemble.weights, strict=True):
                change = int(rule.answers(first[0])[0]) - int(also.answers(second[0])[0])
                if change:
                    reasons.append(Reason(k, self._text(k, rule), float(weight) * change))
        reasons.sort(key=lambda reason: -abs(reason.weight))
        gains = [as_gains(x, self.directions_) for x, _ in (first, second)]
        above, below = bool(at_least(*gains)[0, 0]), bool(at_least(*gains[::-1])[0, 0])
        dominance = "equal" if above and below else "a" if above else "b" if below else "none"
        labels = [self.predict(one_row(x))[0] for x in (a, b)]
        difference = float(sum(reason.weight for reason in reasons))
        return Comparison((labels[0], labels[1]), dominance, difference, tuple(reasons))

    def rule_table(self) -> list[dict[str, Any]]:
        """Return every rule with what it rests on: plain data, one entry per rule, heaviest first per question.

        ``support`` is the weight of the training objects that the rule covers, ``coverage`` its share of all, and
        ``precision`` the share of it that is relabelled the way the rule says.
        """
        entries = []
        total = float(self.object_weights_.sum())
        for k, ensemble in enumerate(self.rules_, start=1):
            for t in np.argsort(-ensemble.weights, kind="stable"):
                rule = ensemble.rules[t]
                covered = rule.covers(self.objects_)
                support = float(self.object_weights_[covered].sum())
                right = float(self.object_weights_[covered & ((self.object_codes_ >= k) == rule.positive)].sum())
                entries.append({
                    "question": k, "class": plain(self.classes_[k]), "text": self._text(k, rule),
                    "positive": rule.positive, "weight": float(ensemble.weights[t]), "support": support,
                    "coverage": support / total, "precision": right / support if support else float("nan"),
                    "conditions": [
                        [self._names[c.attribute], c.side, self._attributes.cell(c.attribute, c.threshold)]
                        for c in rule.conditions
                    ],
                })  # fmt: skip
        return entries

    @property
    def _names(self) -> list[str]:
        return attribute_names(self)

    def _text(self, k: int, rule: Rule) -> str:
        return rule.text(self._attributes, f"{'at least' if rule.positive else 'below'} {self.classes_[k]}")

    def _fired(self, x: Floats, bits: npt.NDArray[np.uint8]) -> list[Reason]:
        found = [
            Reason(k, self._text(k, rule), float(weight) * (1 if rule.positive else -1))
            for k, ensemble in enumerate(self.rules_, start=1)
            for rule, weight, same in zip(
                ensemble.rules, ensemble.weights, ensemble.at_precision(bits).rules, strict=True
            )
            if same.covers(x[None])[0]
        ]
        return sorted(found, key=lambda reason: -abs(reason.weight))

    def _against(self, x: Floats, bits: npt.NDArray[np.uint8], k: int) -> list[Reason]:
        """Rules of question k that keep x below: "below" ones that fire, "at least" ones that don't."""
        if k >= len(self.classes_):
            return []
        ensemble, found = self.rules_[k - 1], []
        matched = ensemble.at_precision(bits)
        for rule, same, weight in zip(ensemble.rules, matched.rules, ensemble.weights, strict=True):
            wrong = {c.attribute for c in same.conditions if not c.holds(x[None])[0]}
            missed = tuple(self._attributes.words(c for c in rule.conditions if c.attribute in wrong))
            if rule.positive == bool(missed):
                found.append(Reason(k, self._text(k, rule), float(weight) * (1 if rule.positive else -1), missed))
        return sorted(found, key=lambda reason: -abs(reason.weight))


def attribute_names(fitted: OrdinalPredictor) -> list[str]:
    """Return the names of the attributes; x0, x1, ... where there are none."""
    return fitted._attributes.labels


def witness(fitted: OrdinalPredictor, old: Floats, x: Floats, *, above: bool) -> Witness | None:
    """Return the training object below of the highest label, or above of the lowest; of several the nearest in rank."""
    gains, own = as_gains(old, fitted.directions_), as_gains(x[None], fitted.directions_)
    related = at_least(gains, own)[:, 0] if above else at_least(own, gains)[0]
    if not related.any():
        return None
    codes = np.where(related, fitted.object_codes_, np.iinfo(np.int64).max if above else -1)
    tied = np.flatnonzero(codes == (codes.min() if above else codes.max()))
    nearest = int(tied[np.argmin(np.abs(gains[tied] - own).sum(axis=1))])
    columns = fitted._attributes
    cells = (columns.cell(j, value) for j, value in enumerate(fitted.objects_[nearest].tolist()))
    values = dict(zip(columns.labels, cells, strict=True))
    return Witness(nearest, values, fitted.classes_[fitted.object_codes_[nearest]])


def checked_top(top: int | None) -> int | None:
    """Refuse a number of reasons that can't be."""
    if top is not None and not is_whole(top, 1):
        raise OptionError(f"top={top!r}: wanted a whole number from 1, or None for all")
    return top


def cell_text(cell: Any) -> str:
    """Write a cell for people."""
    return "missing" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)


def one_row(x: Any) -> Any:
    """Return a table of one row: a flat list of numbers becomes one; a frame must have one row already.

    Examples
    --------
    >>> one_row([1, 2])
    array([[1, 2]])
    """
    if hasattr(x, "columns") or isinstance(x, dict):
        return x
    values = as_array(x, "x")
    row = values[None] if values.ndim == 1 else values
    if row.ndim != 2 or len(row) != 1:
        raise DataError(f"wanted one object, got an array of shape {values.shape}")
    return row


def plain(value: Any) -> Any:
    """Return plain lists, dicts, texts and numbers for JSON."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value
