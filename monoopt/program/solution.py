"""What an answer is: status with advice, values by block, multipliers in the user's sense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from monoopt.errors import NoSolutionError
from monoopt.program.blocks import Block
from monoopt.program.certificate import Certificate
from monoopt.program.program import Program


class Status(Enum):
    """How a solve ended. Every member carries the advice that errors show."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    INFEASIBLE_OR_UNBOUNDED = "infeasible_or_unbounded"
    LIMIT = "limit"
    NUMERICAL = "numerical"
    ERROR = "error"

    @property
    def advice(self) -> str:
        """One sentence: what it means and what to do next."""
        return ADVICE[self]

    @property
    def has_point(self) -> bool:
        """Whether a point that passed our own check comes with this status."""
        return self in (Status.OPTIMAL, Status.FEASIBLE)


ADVICE = {
    Status.OPTIMAL: "an optimum was found and passed our check",
    Status.FEASIBLE: "a feasible point was found and not proved optimal: raise the limit, tighten the tolerance, "
    "or read the bound to see how far it can be",
    Status.INFEASIBLE: "no point satisfies all rows and bounds: read solution.ray, or ask "
    "monoopt.solvers.explain_infeasible(program) for a small conflicting set of rows by name",
    Status.UNBOUNDED: "the objective improves without end: add the missing bounds (solution.ray gives a direction)",
    Status.INFEASIBLE_OR_UNBOUNDED: "the solver can't tell infeasible from unbounded: "
    "solve once with zero costs to decide",
    Status.LIMIT: "a limit was reached before any usable point: raise time_limit",
    Status.NUMERICAL: "the solver's point did not pass our check, or it gave up numerically: rescale the data, tighten "
    "the tolerance, or try another solver",
    Status.ERROR: "the solver failed: read solution.log and solution.raw_status",
}


@dataclass(frozen=True)
class SolveStats:
    """What the solve took.

    Attributes
    ----------
    build_time, solve_time, certify_time : float
        Wall seconds to hand the program over, inside the backend, and for our certificate.
    iterations : mapping of str to int
        Counts by kind as the backend reports them (simplex, ipm, qp, nodes, ...).
    hot : bool
        Whether a session could start from what it knew.
    """

    build_time: float = 0.0
    solve_time: float = 0.0
    certify_time: float = 0.0
    iterations: Mapping[str, int] = field(default_factory=dict)
    hot: bool = False


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to a program.

    Multipliers are in the user's sense: a dual is d objective / d right-hand side. For a minimisation
    Px + c - A'y - z - G'w = 0, with y and z positive where a lower side binds; for a maximisation y, z
    and w have the opposite sign.

    Attributes
    ----------
    status : Status
        How it ended, with advice.
    x, y, z : ndarray or None
        Column values, row multipliers, column multipliers; None unless they passed our check.
    w : ndarray or None
        Multipliers of the cone entries, all cone blocks one after another.
    objective, bound : float or None
        Value at x, and the best bound known, both in the user's sense.
    ray : ndarray or None
        For INFEASIBLE row multipliers that prove it (Farkas); for UNBOUNDED a direction.
    certificate : Certificate or None
        Our own re-check.
    solver, version, options, raw_status, log
        Who answered, with what settings, in its own words.
    """

    program: Program = field(repr=False)
    status: Status
    x: np.ndarray | None = field(default=None, repr=False)
    y: np.ndarray | None = field(default=None, repr=False)
    z: np.ndarray | None = field(default=None, repr=False)
    w: np.ndarray | None = field(default=None, repr=False)
    objective: float | None = None
    bound: float | None = None
    ray: np.ndarray | None = field(default=None, repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    stats: SolveStats = field(default_factory=SolveStats)
    solver: str = ""
    version: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    raw_status: str = ""
    log: str = field(default="", repr=False)

    @property
    def optimal(self) -> bool:
        """Whether the status is OPTIMAL."""
        return self.status is Status.OPTIMAL

    @property
    def gap(self) -> float:
        """Distance of the objective to the bound, relative to max(1, |objective|); infinite if either is missing."""
        if self.objective is None or self.bound is None:
            return float("inf")
        return abs(self.objective - self.bound) / max(1.0, abs(self.objective))

    def values(self, block: str) -> np.ndarray:
        """Values of a column block in its own shape; `NoSolutionError` when there is no point."""
        return self._read(self.x, self.program.column_block(block), "values")

    def dual(self, block: str) -> np.ndarray:
        """Multipliers of a row block: d objective / d right-hand side."""
        return self._read(self.y, self.program.row_block(block), "duals")

    def reduced_costs(self, block: str) -> np.ndarray:
        """Multipliers of the bounds of a column block."""
        return self._read(self.z, self.program.column_block(block), "reduced costs")

    def __str__(self) -> str:
        """One paragraph: status, objective, solver, time, certificate."""
        value = "" if self.objective is None else f", objective {self.objective:.12g}"
        proof = "" if self.certificate is None else f"; {self.certificate}"
        return (
            f"{self.status.value}{value} ({self.solver} {self.version}, {self.stats.solve_time:.3g} s, "
            f"native status {self.raw_status!r}){proof}"
        )

    def _read(self, array: np.ndarray | None, block: Block, what: str) -> np.ndarray:
        if array is None:
            raise NoSolutionError(
                f"no {what} of block {block.name!r}: the status is {self.status.value} "
                f"({self.solver}: {self.raw_status!r}); {self.status.advice}",
                self,
            )
        return array[block.slice].reshape(block.shape)
