"""What a backend says, before anyone checked it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from monoopt.program import Program, Status


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


def without_columns(program: Program) -> RawAnswer:
    """Answer a program without columns, which few backends take: its rows decide, for each must allow 0."""
    m = program.shape[0]
    wrong = (program.row_lower > 0) | (program.row_upper < 0)
    if wrong.any():
        ray = np.where(wrong, np.sign(np.where(program.row_lower > 0, 1.0, -1.0)), 0.0)
        return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="no columns")
    return RawAnswer(
        Status.OPTIMAL,
        np.empty(0),
        np.zeros(m),
        np.empty(0),
        np.zeros(sum(c.block.size for c in program.cones)),
        raw_status="no columns",
    )
