"""Everything that can be wrong with a saved LPRulesClassifier, found before any of it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

SIDES = (">=", "<=")
WHOLE_WEIGHT = 1e-6  # how far the weights of an ensemble may be from a sum of 1


def record_faults(saved: Mapping[str, Any], parameters: Sequence[str]) -> list[str]:
    """Return all faults: what is missing or of the wrong kind, length or range.

    The digest is that of the training table, which is not stored (objects are its distinct rows, relabelled): only its
    form can be checked.
    """
    wanted = (
        "parameters", "classes", "names", "directions", "categories", "precision", "objects", "object_codes",
        "object_weights", "object_class_weights", "rules", "margins", "bounds", "iterations", "certificates",
        "data_sha256",
    )  # fmt: skip
    missing = [f"{word} is missing" for word in wanted if word not in saved]
    if missing:
        return missing
    d, n = (len(saved[word]) if isinstance(saved[word], list) else 0 for word in ("directions", "objects"))
    words = saved["parameters"]
    compared = d + (isinstance(words, Mapping) and words.get("missing") == "incomparable")
    faults, K = _class_faults(saved["classes"])
    faults += _parameter_faults(saved["parameters"], parameters)
    faults += [f"{word}: wanted at least one" for word, size in (("directions", d), ("objects", n)) if not size]
    faults += _names_faults(saved["names"], d) + _category_faults(saved["categories"], d)
    for word, shape, whole, low, high in (
        ("directions", (d,), True, -1, 1),
        ("precision", (compared,), True, 0, 255),
        ("objects", (n, compared), False, -np.inf, np.inf),
        ("object_codes", (n,), True, 0, K - 1),
        ("object_weights", (n,), False, 0, np.inf),
        ("object_class_weights", (K, n), False, 0, np.inf),
        ("margins", (K - 1,), False, -np.inf, np.inf),
        ("bounds", (K - 1,), False, -np.inf, np.inf),
        ("iterations", (), True, 0, np.inf),
    ):
        faults += _number_faults(word, saved[word], shape, whole, low, high)
    faults += _rule_faults(saved["rules"], K - 1, compared)
    faults += _certificate_faults(saved["certificates"], saved["parameters"], K - 1)
    if not isinstance(saved["data_sha256"], str) or not re.fullmatch("[0-9a-f]{64}", saved["data_sha256"]):
        faults.append("data_sha256: wanted 64 hexadecimal digits")
    return faults


def _parameter_faults(saved: Any, names: Sequence[str]) -> list[str]:
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


def _number_faults(word: str, value: Any, shape: tuple[int, ...], whole: bool, low: float, high: float) -> list[str]:
    try:
        array = np.array(value) if isinstance(value, list) or not shape else np.array(None)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    kind = "whole numbers" if whole else "numbers"
    if array.size == 0 and array.shape == shape:
        return []
    if array.dtype.kind not in ("iu" if whole else "iuf") or array.shape != shape or _holds_truth(value):
        return [f"{word}: wanted {kind} of shape {shape}"]
    finite = word in ("margins", "bounds") or np.isfinite(array).all()
    if not finite or not ((array >= low) & (array <= high)).all():
        return [f"{word}: wanted {kind} from {low} to {high}, finite where the data are"]
    return []


def _holds_truth(value: Any) -> bool:
    """Whether true or false stands among the numbers, where numpy would read 1 or 0."""
    if isinstance(value, list):
        return any(_holds_truth(entry) for entry in value)
    return isinstance(value, bool)


def _rule_faults(saved: Any, questions: int, d: int) -> list[str]:
    if not isinstance(saved, list) or len(saved) != questions:
        return [f"rules: wanted {questions} ensembles, one per question"]
    return [
        f"rules: the ensemble of question {k} is damaged" for k, e in enumerate(saved, start=1) if not _ensemble(e, d)
    ]


def _ensemble(entry: Any, d: int) -> bool:
    """Whether these are rules over d attributes with weights that add up to 1."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("rules"), list) or not entry["rules"]:
        return False
    if _number_faults("weights", entry.get("weights"), (len(entry["rules"]),), False, 0, np.inf):
        return False
    return abs(sum(entry["weights"]) - 1) <= WHOLE_WEIGHT and all(_rule(rule, d) for rule in entry["rules"])


def _rule(rule: Any, d: int) -> bool:
    return (
        isinstance(rule, Mapping)
        and isinstance(rule.get("positive"), bool)
        and isinstance(rule.get("conditions"), list)
        and all(isinstance(c, list) and len(c) == 3 and _condition(d, *c) for c in rule["conditions"])
    )


def _condition(d: int, attribute: Any, side: Any, threshold: Any) -> bool:
    number = threshold in ("inf", "-inf") if isinstance(threshold, str) else _real(threshold)
    return type(attribute) is int and 0 <= attribute < d and isinstance(side, str) and side in SIDES and number


def _certificate_faults(saved: Any, parameters: Any, questions: int) -> list[str]:
    """One proof of the relabelling per question, and one of the margin per question and bootstrap sample."""
    bags = parameters.get("n_estimators", 1) if isinstance(parameters, Mapping) else None
    if type(bags) is not int:
        return ["parameters: wanted a mapping with a whole number n_estimators"]
    wanted = questions * (1 + bags)
    if not isinstance(saved, list) or len(saved) != wanted:
        return [f"certificates: wanted {wanted}"]
    whole = all(isinstance(c, Mapping) and _certificate(c) for c in saved)
    return [] if whole else ["certificates: an entry is damaged"]


def _certificate(entry: Mapping[str, Any]) -> bool:
    numbers = (entry.get(word) for word in ("tolerance", "primal_objective", "dual_objective", "gap"))
    reasons = entry.get("reasons")
    return (
        all(number in ("nan", "inf", "-inf") if isinstance(number, str) else _real(number) for number in numbers)
        and entry.get("kind") in ("optimality", "feasibility", "infeasibility", "unboundedness", "none")
        and all(isinstance(entry.get(word), bool) for word in ("ok", "exact"))
        and isinstance(reasons, list)
        and all(isinstance(reason, str) for reason in reasons)
    )


def _real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
