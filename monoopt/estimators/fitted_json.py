"""Fitted monotone classifiers as plain JSON data and back: no pickle, every bit of every number."""

from __future__ import annotations

import hashlib
import json
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np

from monoopt.errors import DataError, DataWarning, MonooptError, refuse
from monoopt.estimators.ordinal_inputs import OrdinalPredictor
from monoopt.estimators.plain_data import plain
from monoopt.estimators.proof_faults import CERTIFIED, NUMBERS
from monoopt.estimators.record_faults import CHECKSUM, Shape, common_faults
from monoopt.order import Attributes
from monoopt.order.attributes import POLICIES
from monoopt.order.cells import EXACT_INTEGERS
from monoopt.program import Certificate

SCHEMA = 2
LIBRARIES = ("numpy", "scipy", "scikit-learn", "highspy")
UNDERSTOOD = ("directions", "order")
Fitted = TypeVar("Fitted", bound=OrdinalPredictor)


def record(fitted: Any, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what all monotone classifiers keep, with versions, settings, proofs in short and the digest of the data.

    Parameters
    ----------
    fitted : OrdinalPredictor
    own : mapping
        What this classifier keeps besides.
    """
    columns = fitted._attributes
    kept = {
        **head(fitted),
        "parameters": _parameters(fitted),
        "classes": _labels(fitted.classes_),
        "names": None if columns.names is None else list(columns.names),
        "directions": list(columns.signs),
        "categories": [None if known is None else list(known) for known in columns.categories],
        "precision": fitted._precision.tolist(),
        "objects": fitted.objects_.tolist(),
        "object_codes": fitted.object_codes_.tolist(),
        "object_weights": fitted.object_weights_.tolist(),
        **own,
        "certificates": [plain_certificate(c) for c in fitted.certificates_],
        "data_sha256": fitted._digest,
    }
    return kept | {CHECKSUM: checksum(kept)}


def head(fitted: Any) -> dict[str, Any]:
    """Return what every record begins with: kind, schema and versions."""
    from monoopt import __version__

    versions = {"monoopt": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in LIBRARIES}
    return {"estimator": type(fitted).__name__, "schema": SCHEMA, "versions": versions}


def checksum(saved: Mapping[str, Any]) -> str:
    """SHA-256 of all that a record says, so that a change after it was written is noticed.

    What the command line adds about its table is left out; 1 and 1.0 are the same, since other tools write one for the
    other.

    Examples
    --------
    >>> checksum({"margins": [1.0, 0.5], "table": {}}) == checksum({"margins": [1, 0.5], CHECKSUM: "0"})
    True
    """
    said = {word: _canonical(value) for word, value in saved.items() if word not in (CHECKSUM, "table")}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def is_intact(saved: Mapping[str, Any]) -> bool:
    """Whether a record is as it was written."""
    return bool(saved[CHECKSUM] == checksum(saved))


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(word): _canonical(entry) for word, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(entry) for entry in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < EXACT_INTEGERS
    return int(value) if whole else value


def restore(
    kind: type[Fitted],
    saved: Mapping[str, Any],
    own: Sequence[str],
    faults: Callable[[Mapping[str, Any], Shape], list[str]],
    fill: Callable[[Fitted, Mapping[str, Any]], object],
) -> Fitted:
    """Return the classifier; `DataError` says everything that is wrong with the record.

    A record that was changed after it was written, and could still be one, is read with a `DataWarning`.

    Parameters
    ----------
    kind : class
    saved : mapping
        From `record`.
    own : sequence of str
        What this classifier keeps besides.
    faults : callable
        What is wrong with it.
    fill : callable
        Checks the parameters and stores it, when all else is there.
    """
    check_head(kind, saved)
    wrong, shape = common_faults(saved, kind._get_param_names(), own)  # type: ignore[attr-defined]
    refuse(wrong + (faults(saved, shape) if shape else []), "saved classifier: incomplete or damaged")
    try:
        fitted = kind(**saved["parameters"])
        _fill(fitted, saved)
        fill(fitted, saved)
    except DataError:
        raise
    except MonooptError as error:
        raise DataError(f"saved classifier: incomplete or damaged: {error}") from error
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError) as error:
        raise DataError("saved classifier: incomplete or damaged: a value is of a wrong kind or size") from error
    warn_of_changes(saved, stacklevel=4)
    return fitted


def check_head(kind: type, saved: Any) -> None:
    """Refuse what is no record of this kind and schema."""
    if not isinstance(saved, Mapping):
        raise DataError(f"saved classifier: wanted a mapping, got {type(saved).__name__}")
    if saved.get("estimator") != kind.__name__ or saved.get("schema") != SCHEMA:
        found = f"{saved.get('estimator')!r}, schema {saved.get('schema')!r}"
        raise DataError(f"saved classifier: wanted {kind.__name__!r}, schema {SCHEMA}; got {found}")


def warn_of_changes(saved: Mapping[str, Any], stacklevel: int) -> None:
    """Warn if a record is not as it was written."""
    if not is_intact(saved):
        warnings.warn(
            f"saved classifier: the record was changed after it was written ({CHECKSUM} does not fit): its proofs and "
            "the digest of its data need not be those of a fit; fit again, or take the record as it was",
            DataWarning,
            stacklevel=stacklevel,
        )


def _fill(fitted: Any, saved: Mapping[str, Any]) -> None:
    names = None if saved["names"] is None else tuple(saved["names"])
    categories = tuple(None if known is None else tuple(known) for known in saved["categories"])
    missing = getattr(fitted, "missing", None)
    policies = () if missing is None else POLICIES[1:]
    fitted._keep_attributes(Attributes(tuple(saved["directions"]), names, categories, missing or "error", policies))
    fitted.directions_ = fitted._attributes.directions
    fitted.classes_ = np.array(saved["classes"]["labels"], dtype=saved["classes"]["kind"])
    fitted._precision = np.array(saved["precision"], dtype=np.uint8)
    fitted.objects_ = np.array(saved["objects"], dtype=np.float64).reshape(-1, len(fitted.directions_))
    fitted.object_codes_ = np.array(saved["object_codes"], dtype=np.int64)
    fitted.object_weights_ = np.array(saved["object_weights"], dtype=float)
    fitted.certificates_ = [read_certificate(entry) for entry in saved["certificates"]]
    fitted._digest = saved["data_sha256"]


def _parameters(fitted: Any) -> dict[str, Any]:
    """Constructor arguments as JSON data; directions and order as they were understood."""
    words = fitted.get_params(deep=False).items()
    return {word: plain(value) for word, value in words if word not in UNDERSTOOD} | understood(fitted)


def understood(fitted: Any) -> dict[str, Any]:
    """Return directions and order as they were understood."""
    columns = fitted._attributes
    directions = [_direction(*entry) for entry in zip(columns.signs, columns.categories, strict=True)]
    return {
        "directions": directions if columns.names is None else dict(zip(columns.names, directions, strict=True)),
        "order": None if fitted.order is None else _labels(fitted.classes_)["labels"],
    }


def _direction(sign: int, categories: tuple[Any, ...] | None) -> Any:
    """A direction as it could be given: the categories of a directed attribute worst first, which makes a gain."""
    return sign if not sign or categories is None or len(categories) < 2 else list(categories[::sign])


def _labels(classes: np.ndarray) -> dict[str, Any]:
    if classes.dtype.kind not in "biufU":
        kinds = sorted({type(label).__name__ for label in classes})
        raise DataError(f"labels of type {kinds} can't be written as JSON; use numbers, booleans or text")
    return {"labels": classes.tolist(), "kind": classes.dtype.str}


def plain_certificate(certificate: Certificate) -> dict[str, Any]:
    """Return what a record keeps of a proof."""
    return {word: plain(getattr(certificate, word)) for word in CERTIFIED}


def read_certificate(entry: Mapping[str, Any]) -> Certificate:
    """Return the proof that `plain_certificate` wrote down."""
    words = dict(entry)
    for number in NUMBERS:
        words[number] = float(words[number])
    return Certificate(**words | {"reasons": tuple(entry["reasons"])})
