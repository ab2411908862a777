"""Everything that can be wrong with a saved monotone classifier, found before any of it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from monoopt.estimators.proof_faults import is_real, proof_faults

SIDES = (">=", "<=")
CHECKSUM = "record_sha256"
COMMON = (
    "parameters", "classes", "names", "directions", "categories", "precision", "objects", "object_codes",
    "object_weights", "certificates", "data_sha256", CHECKSUM,
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How many classes, objects and columns that are compared a record speaks of."""

    classes: int
    objects: int
    columns: int


def common_faults(
    saved: Mapping[str, Any], parameters: Sequence[str], own: Sequence[str]
) -> tuple[list[str], Shape | None]:
    """Return all faults of what every classifier keeps: missing or of the wrong kind, length or range; and the shape.

    The digest of the data is that of the training table, which is not stored (objects are its distinct rows,
    relabelled): of it and of the checksum of the record only the form is looked at here.
    """
    missing = [f"{word} is missing" for word in (*COMMON, *own) if word not in saved]
    if missing:
        return missing, None
    d, n = (len(saved[word]) if isinstance(saved[word], list) else 0 for word in ("directions", "objects"))
    words = saved["parameters"]
    compared = d + (isinstance(words, Mapping) and words.get("missing") == "incomparable")
    faults, K = _class_faults(saved["classes"])
    faults += parameter_faults(saved["parameters"], parameters)
    faults += [f"{word}: wanted at least one" for word, size in (("directions", d), ("objects", n)) if not size]
    faults += _names_faults(saved["names"], d) + _category_faults(saved["categories"], d)
    faults += number_faults("directions", saved["directions"], (d,), -1, 1, whole=True)
    faults += number_faults("precision", saved["precision"], (compared,), 0, 255, whole=True)
    faults += number_faults("objects", saved["objects"], (n, compared))
    faults += number_faults("object_codes", saved["object_codes"], (n,), 0, K - 1, whole=True)
    faults += number_faults("object_weights", saved["object_weights"], (n,), 0)
    faults += proof_faults(saved["certificates"])
    faults += digest_faults("data_sha256", saved["data_sha256"]) + digest_faults(CHECKSUM, saved[CHECKSUM])
    return faults, Shape(K, n, compared)


def digest_faults(word: str, value: Any) -> list[str]:
    """Return what is wrong with the form of a digest."""
    fits = isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value)
    return [] if fits else [f"{word}: wanted 64 hexadecimal digits"]


def parameter_faults(saved: Any, names: Sequence[str]) -> list[str]:
    """Return what is wrong with constructor arguments: not a mapping, or not of these names."""
    if not isinstance(saved, Mapping):
        return ["parameters: wanted a mapping"]
    wrong = sorted(map(str, set(names) ^ set(saved)))
    return [f"parameters: missing or unknown: {', '.join(wrong)}"] if wrong else []


def _class_faults(classes: Any) -> tuple[list[str], int]:
    """Faults of the labels, and how many there are (1 if nobody can tell)."""
    if not isinstance(classes, Mapping) or not isinstance(classes.get("labels"), list) or not classes["labels"]:
        return ["classes: wanted labels and their kind"], 1
    labels, kind = classes["labels"], classes.get("kind")
    try:
        kept = np.array(labels, dtype=kind if isinstance(kind, str) else "V")
        same = kept.dtype.kind in "biufU" and kept.tolist() == labels
        same = same and len(set(labels)) == len(labels)
    except (ValueError, TypeError, OverflowError, SyntaxError):
        same = False
    return ([] if same else [f"classes: {labels!r:.60} are not different labels of kind {kind!r:.20}"]), len(labels)


def _names_faults(names: Any, d: int) -> list[str]:
    fits = names is None or (
        isinstance(names, list) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names) == d
    )
    return [] if fits else [f"names: wanted {d} different names or null"]


def _category_faults(saved: Any, d: int) -> list[str]:
    def fits(known: Any) -> bool:
        plain = isinstance(known, list) and all(isinstance(c, str | int | float) for c in known)
        return known is None or (plain and bool(known) and len(set(known)) == len(known))

    whole = isinstance(saved, list) and len(saved) == d and all(map(fits, saved))
    return [] if whole else [f"categories: wanted {d} entries, each null or a list of different texts or numbers"]


def number_faults(
    word: str,
    value: Any,
    shape: tuple[int, ...],
    low: float = -np.inf,
    high: float = np.inf,
    *,
    whole: bool = False,
    finite: bool = True,
) -> list[str]:
    """Return what is wrong with numbers that should have a shape and a range."""
    try:
        array = np.array(value) if isinstance(value, list) or not shape else np.array(None)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    kind = "whole numbers" if whole else "numbers"
    if array.size == 0 and array.shape == (shape if shape[:1] != (0,) else (0,)):  # no rows have no length
        return []
    if array.dtype.kind not in ("iu" if whole else "iuf") or array.shape != shape or _holds_truth(value):
        return [f"{word}: wanted {kind} of shape {shape}"]
    if (finite and not np.isfinite(array).all()) or not ((array >= low) & (array <= high)).all():
        return [f"{word}: wanted {kind} from {low} to {high}, finite where the data are"]
    return []


def _holds_truth(value: Any) -> bool:
    """Whether true or false stands among the numbers, where numpy would read 1 or 0."""
    if isinstance(value, list):
        return any(_holds_truth(entry) for entry in value)
    return isinstance(value, bool)


def rule_faults(saved: Any, questions: int, columns: int, whole_weight: float | None = None) -> list[str]:
    """Return what is wrong with the ensembles of all questions; weights sum to 1 up to `whole_weight`, if given."""
    if not isinstance(saved, list) or len(saved) != questions:
        return [f"rules: wanted {questions} ensembles, one per question"]
    return [
        f"rules: the ensemble of question {k} is damaged"
        for k, entry in enumerate(saved, start=1)
        if not _ensemble(entry, columns, whole_weight)
    ]


def _ensemble(entry: Any, columns: int, whole_weight: float | None) -> bool:
    """Whether these are rules over so many columns with weights that are not negative."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("rules"), list):
        return False
    if number_faults("weights", entry.get("weights"), (len(entry["rules"]),), 0):
        return False
    whole = whole_weight is None or (bool(entry["rules"]) and abs(sum(entry["weights"]) - 1) <= whole_weight)
    return whole and all(_rule(rule, columns) for rule in entry["rules"])


def _rule(rule: Any, d: int) -> bool:
    return (
        isinstance(rule, Mapping)
        and isinstance(rule.get("positive"), bool)
        and isinstance(rule.get("conditions"), list)
        and all(isinstance(c, list) and len(c) == 3 and _condition(d, *c) for c in rule["conditions"])
    )


def _condition(d: int, attribute: Any, side: Any, threshold: Any) -> bool:
    number = threshold in ("inf", "-inf") if isinstance(threshold, str) else is_real(threshold)
    return type(attribute) is int and 0 <= attribute < d and isinstance(side, str) and side in SIDES and number
