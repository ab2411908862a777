"""A time limit that several steps share."""

from __future__ import annotations

import time
from dataclasses import dataclass

LEAST = 1e-3  # seconds that a solver is given at least


@dataclass(frozen=True)
class Deadline:
    """The moment at which time is over; None: never.

    Examples
    --------
    >>> Deadline.after(None).left, Deadline.after(1e-9).left, Deadline.after(60).over
    (None, 0.001, False)
    """

    end: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Start the clock."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    @property
    def left(self) -> float | None:
        """Seconds that a solver may take from now."""
        return None if self.end is None else max(self.end - time.monotonic(), LEAST)

    @property
    def over(self) -> bool:
        """Whether the moment has passed."""
        return self.end is not None and time.monotonic() >= self.end


NEVER = Deadline()
