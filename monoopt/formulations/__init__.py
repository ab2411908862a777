"""One file per program: ``build(...)`` turns data into a `Program`, ``read(...)`` turns its `Solution` back.

No solver in sight: a formulation knows the data and the algebra, `monoopt.solve` knows the rest. The modules load
on first use: ``monoopt.formulations.monotonization.build(...)``.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

__all__ = sorted(found.name for found in pkgutil.iter_modules(__path__))


def __getattr__(name: str) -> ModuleType:
    """Load a formulation on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no formulation {name!r}; there are {', '.join(__all__)}")
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return list(__all__)
