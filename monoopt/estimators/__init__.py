"""fit / predict / rank, in scikit-learn's manners; every estimator keeps its certificates. Names load on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monoopt.estimators.lprules import LPRulesClassifier
    from monoopt.estimators.relabeler import MonotoneRelabeler

__all__ = ["LPRulesClassifier", "MonotoneRelabeler"]

_HOME_OF = {"LPRulesClassifier": "lprules", "MonotoneRelabeler": "relabeler"}


def __getattr__(name: str) -> object:
    """Load an estimator from its file on first use (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
