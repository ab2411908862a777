"""What a fitted LPRulesClassifier keeps in JSON besides the rest: rules, margins, labels as they were given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from monoopt.estimators.probability_teller import LabelsSeen
from monoopt.estimators.proof_faults import is_real
from monoopt.estimators.record_faults import Shape, number_faults, rule_faults
from monoopt.estimators.rule_book import RuleBook
from monoopt.order import RuleEnsemble

if TYPE_CHECKING:
    from monoopt.estimators.lprules import LPRulesClassifier

OWN = ("object_class_weights", "rules", "margins", "bounds", "iterations")
SLACK = 1e-6  # how far rounding may put a margin above its bound
WHOLE_WEIGHT = 1e-6  # how far the weights of an ensemble may be from a sum of 1


def own_record(fitted: LPRulesClassifier) -> dict[str, Any]:
    """Return plain data."""
    return {
        "object_class_weights": fitted.object_class_weights_.tolist(),
        "rules": [ensemble.to_dict() for ensemble in fitted.rules_],
        "margins": fitted.margins_.tolist(),
        "bounds": fitted.bounds_.tolist(),
        "iterations": fitted.n_iter_,
    }


def own_faults(saved: Mapping[str, Any], shape: Shape) -> list[str]:
    """Return what is wrong: one ensemble per question, proofs of the relabelling and of every sample's margins."""
    questions = shape.classes - 1
    faults = number_faults("object_class_weights", saved["object_class_weights"], (shape.classes, shape.objects), 0)
    faults += number_faults("margins", saved["margins"], (questions,), finite=False)
    faults += number_faults("bounds", saved["bounds"], (questions,), finite=False)
    faults += number_faults("iterations", saved["iterations"], (), 0, whole=True)
    faults += rule_faults(saved["rules"], questions, shape.columns, WHOLE_WEIGHT)
    bags = saved["parameters"].get("n_estimators", 1) if isinstance(saved["parameters"], Mapping) else None
    if type(bags) is not int:
        return [*faults, "parameters: wanted a mapping with a whole number n_estimators"]
    wanted = questions * (1 + bags)
    count = len(saved["certificates"]) if isinstance(saved["certificates"], list) else wanted
    faults += [] if count == wanted else [f"certificates: wanted {wanted}"]
    return faults or _bound_faults(saved)


def _bound_faults(saved: Mapping[str, Any]) -> list[str]:
    """Return the hard margins that are above what no ensemble exceeds, up to the tolerance of solvers."""
    words = saved["parameters"]
    if any(words.get(word) is not None for word in ("nu", "D", "max_rules")) or "tolerance" not in words:
        return []
    slack = words["tolerance"] if is_real(words["tolerance"]) else SLACK
    return [
        f"bounds: question {k}: {bound:g} is below its margin {margin:g}"
        for k, (margin, bound) in enumerate(zip(saved["margins"], saved["bounds"], strict=True), start=1)
        if margin > bound + max(slack, SLACK)
    ]


def fill(fitted: LPRulesClassifier, saved: Mapping[str, Any]) -> None:
    """Store it all."""
    fitted._check_words()
    fitted.object_class_weights_ = np.array(saved["object_class_weights"], dtype=float)
    fitted._seen = LabelsSeen(fitted.objects_, fitted.object_class_weights_, fitted.directions_)
    fitted.margins_, fitted.bounds_ = (np.array(saved[word], dtype=float) for word in ("margins", "bounds"))
    ensembles = tuple(RuleEnsemble.from_dict(entry) for entry in saved["rules"])
    fitted.rules_ = RuleBook(ensembles, fitted.margins_, fitted.classes_, fitted._attributes)
    fitted.n_iter_ = int(saved["iterations"])
    fitted.relabelling_ = fitted.fits_ = None
