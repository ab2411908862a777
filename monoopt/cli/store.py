"""Fitted estimators as JSON files: what the estimator writes of itself, and the table that it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from monoopt.cli import output
from monoopt.cli.tables import read_bytes
from monoopt.errors import DataError

HOMES = {"LPRulesClassifier": "monoopt.estimators"}
"""Estimators that a file may name, and where they live; a file never makes anything else run."""


@dataclass(frozen=True)
class Saved:
    """A fitted estimator with the source, digest and target column of its table."""

    estimator: Any
    table: Mapping[str, Any]

    @property
    def attributes(self) -> list[str]:
        """Names of the columns that it was fitted on."""
        return [str(name) for name in self.estimator.feature_names_in_]


def save(saved: Saved, path: str) -> None:
    """Write it, one line a key; floats keep every bit, since Python writes the shortest text that does."""
    content = saved.estimator.to_dict() | {"table": saved.table}
    lines = (f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in content.items())
    output.write("{\n" + ",\n".join(lines) + "\n}\n", path)


def load(path: str) -> Saved:
    """Read it back; predictions are bit for bit those of the estimator that was saved.

    Raises
    ------
    DataError
        The file is no JSON, holds no estimator that this version knows, or is incomplete.
    """
    try:
        content = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is no JSON file: {error}") from error
    kind = content.get("estimator") if isinstance(content, dict) else None
    if not isinstance(kind, str) or kind not in HOMES:
        wanted = f"wanted a file that `monoopt fit` wrote ({', '.join(HOMES)})"
        raise DataError(f"{path} holds no fitted estimator that this version knows: {wanted}")
    estimator = getattr(import_module(HOMES[kind]), kind).from_dict(content)
    if not isinstance(content.get("table"), dict) or not hasattr(estimator, "feature_names_in_"):
        raise DataError(f"{path} does not say which columns it was fitted on: fit it with `monoopt fit`")
    return Saved(estimator, content["table"])
