"""Fitted estimators as JSON files: what the estimator writes of itself, and the table that it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from monoopt.cli import output
from monoopt.cli.columns import read_columns
from monoopt.cli.tables import Table, read_bytes
from monoopt.errors import DataError, OptionError, nearest, refuse

KINDS = (
    "LPRulesClassifier", "LPRulesClassifierCV", "MonotoneProbabilityClassifier", "MonotoneMixtureClassifier",
    "IsotonicSeparationClassifier", "MonotoneRelabeler",
)  # fmt: skip
HOMES = dict.fromkeys(KINDS, "monoopt.estimators")
"""Estimators that a file may name, and where they live; a file never makes anything else run."""


@dataclass(frozen=True)
class Saved:
    """A fitted estimator with the source, digest and target column of its table; `intact`: as it was written."""

    estimator: Any
    table: Mapping[str, Any]
    intact: bool = True

    def columns(self, table: Table) -> dict[str, np.ndarray]:
        """Return the columns of fitting by name; all missing ones, then all bad cells, are named in one error."""
        known = self.estimator._attributes
        missing = [name for name in known.names if name not in table.names]
        refuse([f"no column {name!r}{nearest(name, table.names)}" for name in missing], table.source)
        pairs = zip(known.names, known.categories, strict=True)
        categories = {name: listed for name, listed in pairs if listed is not None}
        faults: list[str] = []
        found = read_columns(table, known.names, categories, known.missing != "error", faults)
        refuse(faults, f"{table.source}: {len(faults)} bad cell(s)")
        return found


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
        wanted = f"wanted a file that `monoopt fit` wrote, or what `to_dict` gives of {', '.join(HOMES)}"
        raise DataError(f"{path} holds no fitted estimator that this version knows: {wanted}")
    estimator = getattr(import_module(HOMES[kind]), kind).from_dict(content)
    if not isinstance(content.get("table", {}), dict) or not hasattr(estimator, "feature_names_in_"):
        raise DataError(
            f"{path} does not say which columns it was fitted on: fit it with `monoopt fit`, or to named ones"
        )
    from monoopt.estimators.fitted_json import is_intact

    return Saved(estimator, content.get("table", {}), is_intact(content))


def load_for(path: str, data: str | None) -> Saved:
    """Read an estimator that is to meet a table; standard input can't be both."""
    if path == "-" and data == "-":
        raise OptionError("standard input can be the rules or the data, not both")
    return load(path)
