"""Fitted estimators as JSON: schema version, library versions, digest of the data, and no pickle anywhere."""

from __future__ import annotations

import importlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from monoopt.cli.tables import read_bytes
from monoopt.errors import DataError

FORMAT, SCHEMA = "monoopt-estimator", 1
HOMES = {"LPRulesClassifier": "monoopt.estimators"}
"""Estimators that a file may name, and where they live; nothing else is ever imported for a file."""

LIBRARIES = ("numpy", "scipy", "scikit-learn", "highspy")


@dataclass(frozen=True)
class Saved:
    """A fitted estimator with what a reader has to know about its data."""

    estimator: Any
    attributes: list[str]
    target: str
    data: Mapping[str, Any]


def record(saved: Saved) -> dict[str, Any]:
    """Return what is written to the file; floats keep every bit, since Python writes the shortest text that does."""
    from monoopt import __version__

    versions = {"monoopt": __version__, "python": platform.python_version()}
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "estimator": type(saved.estimator).__name__,
        "versions": versions | {name: version(name) for name in LIBRARIES},
        "target": saved.target,
        "attributes": saved.attributes,
        "data": saved.data,
        "state": saved.estimator.to_dict(),
    }


def load(path: str) -> Saved:
    """Read a fitted estimator; its predictions are bit for bit those of the one that was saved.

    Raises
    ------
    DataError
        The file is no JSON, not ours, of a schema that this version doesn't know, or incomplete.
    """
    try:
        content = json.loads(read_bytes(path))
    except ValueError as error:
        raise DataError(f"{path} is no JSON file: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{path} holds no fitted estimator: wanted a file that `monoopt fit` wrote")
    if content.get("schema") != SCHEMA:
        raise DataError(f"{path} has schema {content.get('schema')!r}; this version of monoopt reads schema {SCHEMA}")
    kind = content.get("estimator")
    if kind not in HOMES:
        raise DataError(f"{path} holds an estimator {kind!r}; known ones are {', '.join(HOMES)}")
    try:
        estimator = getattr(importlib.import_module(HOMES[kind]), kind).from_dict(content["state"])
        return Saved(estimator, list(content["attributes"]), content["target"], content["data"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is incomplete or damaged: {error!r}") from error
