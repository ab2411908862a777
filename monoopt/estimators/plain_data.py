"""Values as plain JSON data: numbers, text, lists, mappings, and classifiers not fitted as kind and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from monoopt.errors import DataError
from monoopt.solvers import Solver

MEMBERS = ("LPRulesClassifier", "MonotoneProbabilityClassifier", "MonotoneMixtureClassifier")
"""Classifiers that a record may hold others of; a record never makes anything else run."""


def plain(value: Any) -> Any:
    """Plain data; a solver goes by its name, a random state can't, and JSON knows no infinity, so that goes as text.

    Raises
    ------
    DataError
        There is no way to write it.

    Examples
    --------
    >>> plain({"loss": np.array([[0, 1], [1, 0]]), "gap": np.inf})
    {'loss': [[0, 1], [1, 0]], 'gap': 'inf'}
    """
    if isinstance(value, Solver):
        return str(value.name)
    if isinstance(value, np.random.RandomState):
        return None
    if isinstance(value, BaseEstimator):
        return recipe(value)
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        wrong = [word for word in value if not isinstance(word, str)]
        if wrong:
            raise DataError(f"{wrong[0]!r} names an entry, and JSON knows text as names alone: give a sequence instead")
        return {word: plain(entry) for word, entry in value.items()}
    value = value.item() if isinstance(value, np.generic) else value
    if value is not None and not isinstance(value, str | int | float):
        raise DataError(f"{value!r:.60} of type {type(value).__name__} can't be written as JSON")
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value


def recipe(member: BaseEstimator) -> dict[str, Any]:
    """Return kind and parameters of a classifier, fitted or not.

    Raises
    ------
    DataError
        A kind that a record can't hold.
    """
    kind = type(member).__name__
    if kind not in MEMBERS or type(member) is not class_of(kind):
        raise DataError(f"{kind} can't be written as JSON; of members these can: {', '.join(MEMBERS)}")
    words = member.get_params(deep=False)
    return {"estimator": kind, "parameters": {word: plain(value) for word, value in words.items()}}


def cook(saved: Any) -> Any:
    """Return the classifier, not fitted, that `recipe` wrote down.

    Raises
    ------
    DataError
        It is not what `recipe` writes.
    """
    if not isinstance(saved, Mapping) or set(saved) != {"estimator", "parameters"}:
        raise DataError("members: wanted kind and parameters of every one")
    kind, words = class_of(saved["estimator"]), saved["parameters"]
    if not isinstance(words, Mapping) or set(words) != set(kind._get_param_names()):
        raise DataError(f"members: parameters of {kind.__name__} are missing or unknown")
    nested = words.get("members")
    return kind(**dict(words) | ({"members": [cook(entry) for entry in nested]} if isinstance(nested, list) else {}))


def class_of(kind: Any) -> Any:
    """Return the class of this name, one of `MEMBERS`."""
    if not isinstance(kind, str) or kind not in MEMBERS:
        raise DataError(f"{kind!r:.60} is no kind of member; wanted one of {', '.join(MEMBERS)}")
    return getattr(import_module("monoopt.estimators"), kind)
