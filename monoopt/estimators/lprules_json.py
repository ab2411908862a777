"""A fitted LPRulesClassifier as plain JSON data and back: no pickle, every bit of every number."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from monoopt.errors import DataError, refuse
from monoopt.estimators.probability_teller import LabelsSeen
from monoopt.estimators.record_faults import record_faults
from monoopt.estimators.rule_book import RuleBook
from monoopt.order import Attributes, RuleEnsemble
from monoopt.program import Certificate

if TYPE_CHECKING:
    from monoopt.estimators.lprules import LPRulesClassifier

SCHEMA = 2
LIBRARIES = ("numpy", "scipy", "scikit-learn", "highspy")
PLAIN_WORDS = (
    "missing", "tie", "D", "nu", "max_conditions", "max_rules", "n_estimators", "pricing", "tolerance", "time_limit",
    "max_iterations", "keep_best", "n_jobs",
)  # fmt: skip
CERTIFIED = ("kind", "ok", "tolerance", "primal_objective", "dual_objective", "gap", "exact", "reasons")


def record(fitted: LPRulesClassifier) -> dict[str, Any]:
    """Return everything that prediction needs, with versions, settings, proofs in short and the digest of the data."""
    from monoopt import __version__

    columns = fitted._attributes
    return {
        "estimator": type(fitted).__name__,
        "schema": SCHEMA,
        "versions": {"monoopt": __version__, "python": platform.python_version()}
        | {name: version(name) for name in LIBRARIES},
        "parameters": _parameters(fitted),
        "classes": _labels(fitted.classes_),
        "names": None if columns.names is None else list(columns.names),
        "directions": list(columns.signs),
        "categories": [None if known is None else list(known) for known in columns.categories],
        "precision": fitted._precision.tolist(),
        "objects": fitted.objects_.tolist(),
        "object_codes": fitted.object_codes_.tolist(),
        "object_weights": fitted.object_weights_.tolist(),
        "object_class_weights": fitted.object_class_weights_.tolist(),
        "rules": [ensemble.to_dict() for ensemble in fitted.rules_],
        "margins": fitted.margins_.tolist(),
        "bounds": fitted.bounds_.tolist(),
        "iterations": fitted.n_iter_,
        "certificates": [_certificate(c) for c in fitted.certificates_],
        "data_sha256": fitted._digest,
    }


def restore(kind: type[LPRulesClassifier], saved: Mapping[str, Any]) -> LPRulesClassifier:
    """Return the classifier; `DataError` says what is wrong with the record."""
    if not isinstance(saved, Mapping):
        raise DataError(f"saved classifier: wanted a mapping, got {type(saved).__name__}")
    if saved.get("estimator") != kind.__name__ or saved.get("schema") != SCHEMA:
        found = f"{saved.get('estimator')!r}, schema {saved.get('schema')!r}"
        raise DataError(f"saved classifier: wanted {kind.__name__!r}, schema {SCHEMA}; got {found}")
    refuse(record_faults(saved, kind._get_param_names()), "saved classifier: incomplete or damaged")
    try:
        fitted = kind(**saved["parameters"])
        fitted._check_words()
        return _filled(fitted, saved)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"saved classifier: incomplete or damaged ({error!r})") from error


def _filled(fitted: LPRulesClassifier, saved: Mapping[str, Any]) -> LPRulesClassifier:
    fitted._keep_attributes(_read_attributes(saved, fitted.missing))
    fitted.directions_ = fitted._attributes.directions
    fitted.classes_ = np.array(saved["classes"]["labels"], dtype=saved["classes"]["kind"])
    fitted._precision = np.array(saved["precision"], dtype=np.uint8)
    fitted.objects_ = np.array(saved["objects"], dtype=np.float64).reshape(-1, len(fitted.directions_))
    fitted.object_codes_ = np.array(saved["object_codes"], dtype=np.int64)
    fitted.object_weights_ = np.array(saved["object_weights"], dtype=float)
    fitted.object_class_weights_ = np.array(saved["object_class_weights"], dtype=float)
    fitted._seen = LabelsSeen(fitted.objects_, fitted.object_class_weights_, fitted.directions_)
    fitted.margins_, fitted.bounds_ = (np.array(saved[word], dtype=float) for word in ("margins", "bounds"))
    ensembles = tuple(RuleEnsemble.from_dict(entry) for entry in saved["rules"])
    fitted.rules_ = RuleBook(ensembles, fitted.margins_, fitted.classes_, fitted._attributes)
    fitted.n_iter_ = int(saved["iterations"])
    fitted.certificates_ = [_read_certificate(entry) for entry in saved["certificates"]]
    fitted.relabelling_ = fitted.fits_ = None
    fitted._digest = saved["data_sha256"]
    return fitted


def _parameters(fitted: LPRulesClassifier) -> dict[str, Any]:
    """Constructor arguments as JSON data; directions and order as they were understood."""
    words = {word: _plain(getattr(fitted, word)) for word in PLAIN_WORDS}
    columns = fitted._attributes
    directions = [_direction(*entry) for entry in zip(columns.signs, columns.categories, strict=True)]
    solver, seed = fitted.solver, fitted.random_state
    return words | {
        "directions": directions if columns.names is None else dict(zip(columns.names, directions, strict=True)),
        "order": None if fitted.order is None else _labels(fitted.classes_)["labels"],
        "loss": fitted.loss if isinstance(fitted.loss, str) else np.asarray(fitted.loss, dtype=float).tolist(),
        "solver": solver if isinstance(solver, str) else str(solver.name),
        "random_state": None if isinstance(seed, np.random.RandomState) else _plain(seed),
    }


def _direction(sign: int, categories: tuple[Any, ...] | None) -> Any:
    """A direction as it could be given: the categories of a directed attribute worst first, which makes a gain."""
    return sign if not sign or categories is None or len(categories) < 2 else list(categories[::sign])


def _read_attributes(saved: Mapping[str, Any], missing: str) -> Attributes:
    names = None if saved["names"] is None else tuple(saved["names"])
    categories = tuple(None if known is None else tuple(known) for known in saved["categories"])
    return Attributes(tuple(saved["directions"]), names, categories, missing)


def _labels(classes: np.ndarray) -> dict[str, Any]:
    if classes.dtype.kind not in "biufU":
        kinds = sorted({type(label).__name__ for label in classes})
        raise DataError(f"labels of type {kinds} can't be written as JSON; use numbers, booleans or text")
    return {"labels": classes.tolist(), "kind": classes.dtype.str}


def _certificate(certificate: Certificate) -> dict[str, Any]:
    entry = {word: getattr(certificate, word) for word in CERTIFIED}
    return {word: _plain(list(value) if isinstance(value, tuple) else value) for word, value in entry.items()}


def _read_certificate(entry: Mapping[str, Any]) -> Certificate:
    words = dict(entry)
    for number in ("tolerance", "primal_objective", "dual_objective", "gap"):
        words[number] = float(words[number])
    return Certificate(**words | {"reasons": tuple(entry["reasons"])})


def _plain(value: Any) -> Any:
    """Numbers as Python has them; JSON knows no infinity, so that goes as text."""
    value = value.item() if isinstance(value, np.generic) else value
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value
