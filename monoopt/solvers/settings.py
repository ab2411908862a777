"""The words that mean the same on every backend, checked at the door."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from monoopt.errors import OptionError, nearest

NO_LIMIT = 1e9  # seconds, 31 years: more than GLPK and SCIP take, and as good as none


@dataclass(frozen=True)
class Settings:
    """The words that mean the same on every backend.

    Attributes
    ----------
    time_limit : float or None
        Wall seconds for this solve; 1e9 and more is kept as None.
    tolerance : float or None
        Feasibility and optimality tolerance; None keeps the backend's default. A backend that refuses so small or
        so large a one gets the nearest that it takes.
    threads : int
        Threads the backend may use: at most 64, or the number of cores where that is larger.
    seed : int
        Seed of the backend's random choices.
    verbose : bool
        Let the backend print its log; otherwise nothing reaches stdout or file descriptor 1.
    options : mapping
        Native options, passed through; an unknown one is refused.
    presolve : bool or None
        Switch the backend's presolve on or off; None keeps its default. A backend without one has nothing to switch.
    """

    time_limit: float | None = None
    tolerance: float | None = None
    threads: int = 1
    seed: int = 0
    verbose: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    presolve: bool | None = None

    def __post_init__(self) -> None:
        """Refuse values outside their range, all at once; turn numbers of NumPy into Python's."""
        faults = []
        most = max(64, os.cpu_count() or 1)
        if self.time_limit is not None and not (_real(self.time_limit) and self.time_limit > 0):
            faults.append(f"time_limit={self.time_limit!r}: wanted a positive number of seconds or None")
        if self.tolerance is not None and not (_real(self.tolerance) and 0 < self.tolerance < 1):
            faults.append(f"tolerance={self.tolerance!r}: wanted a number between 0 and 1 or None")
        if not _whole(self.threads) or not 1 <= self.threads <= most:
            faults.append(f"threads={self.threads!r}: wanted a whole number from 1 to {most}")
        if not _whole(self.seed) or not 0 <= self.seed < 2**31:
            faults.append(f"seed={self.seed!r}: wanted a whole number from 0 to 2147483647")
        if not isinstance(self.verbose, (bool, np.bool_)):
            faults.append(f"verbose={self.verbose!r}: wanted True or False")
        if self.presolve is not None and not isinstance(self.presolve, (bool, np.bool_)):
            faults.append(f"presolve={self.presolve!r}: wanted True, False or None (the solver's own default)")
        if not isinstance(self.options, Mapping):
            faults.append(f"options={self.options!r}: wanted a mapping from native option to value")
        if faults:
            raise OptionError("; ".join(faults))
        limited = self.time_limit is not None and self.time_limit < NO_LIMIT
        self._keep("time_limit", float(self.time_limit) if limited else None)  # type: ignore[arg-type]
        self._keep("tolerance", None if self.tolerance is None else float(self.tolerance))
        self._keep("threads", int(self.threads))
        self._keep("seed", int(self.seed))
        self._keep("verbose", bool(self.verbose))
        self._keep("presolve", None if self.presolve is None else bool(self.presolve))

    def _keep(self, word: str, value: object) -> None:
        object.__setattr__(self, word, value)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as a plain dict, for the record kept in a solution."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


def unknown_option(solver: str, word: str, known: list[str]) -> OptionError:
    """Return the error for a native option that does not exist."""
    return OptionError(f"solver {solver!r} has no option {word!r}{nearest(word, known)}")


def _real(value: object) -> bool:
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except (OverflowError, TypeError):  # a whole number beyond all floats; a complex one
        return False


def _whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
