"""How to solve: the words of `monoopt.solve`, with one clock for a whole loop of programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from monoopt.algorithms.deadline import Deadline
from monoopt.errors import TimeLimitError
from monoopt.program import Program, Solution
from monoopt.solvers import Settings, Solver, check_solver, solve


@dataclass(frozen=True)
class Words:
    """How to solve: the words of `monoopt.solve`, with one time limit for a whole loop of programs."""

    solver: str | Solver = "highs"
    time_limit: float | None = None
    tolerance: float | None = None
    options: Mapping[str, Any] | None = None
    threads: int = 1
    seed: int = 0
    _deadline: Deadline = field(init=False)

    def __post_init__(self) -> None:
        """Refuse a solver or a word that can't be, even where nothing will have to be solved."""
        Settings(self.time_limit, self.tolerance, options={} if self.options is None else self.options)
        check_solver(self.solver)
        object.__setattr__(self, "_deadline", Deadline.after(self.time_limit))

    def left(self) -> float | None:
        """Seconds that are left; never quite zero, so that solvers can say that the limit is reached."""
        return self._deadline.left

    def in_time(self) -> None:
        """Raise `TimeLimitError` when the time is up, for work that no solver does."""
        if self._deadline.over:
            raise TimeLimitError(
                f"the time limit of {self.time_limit:g} s was reached before the minimum cut was found: allow more "
                "time (labels that are not proved best are not given)"
            )

    def unlimited(self) -> Words:
        """Return the same words without a time limit, for what has to be finished."""
        return replace(self, time_limit=None)

    def solve(self, program: Program) -> Solution:
        """Solve one program within what is left."""
        return solve(
            program,
            self.solver,
            time_limit=self.left(),
            tolerance=self.tolerance,
            threads=self.threads,
            seed=self.seed,
            options=self.options,
        )
