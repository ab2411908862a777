"""What a backend says, before anyone checked it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from monoopt.program import Status


@dataclass(frozen=True, eq=False)
class RawAnswer:
    """What a backend says, in the kept (minimised) sense, before anyone checked it."""

    status: Status
    x: np.ndarray | None = None
    y: np.ndarray | None = None
    z: np.ndarray | None = None
    w: np.ndarray | None = None
    bound: float | None = None
    ray: np.ndarray | None = None
    raw_status: str = ""
    log: str = ""
    iterations: Mapping[str, int] = field(default_factory=dict)
    build_time: float = 0.0
    solve_time: float = 0.0
    hot: bool = False
