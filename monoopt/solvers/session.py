"""A session: one program that changes and is solved again."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from monoopt.errors import FormulationError
from monoopt.program import Program, Solution, Status
from monoopt.solvers.answer import RawAnswer, without_columns
from monoopt.solvers.base import Held
from monoopt.solvers.settings import Settings
from monoopt.solvers.verdict import checked, required


class Session:
    """Re-solving is a second door: add columns or rows, change costs, solve again.

    Hot where the backend can; elsewhere it rebuilds and solves cold.
    """

    def __init__(self, held: Held) -> None:
        self._held = held

    @property
    def program(self) -> Program:
        """The program as it stands."""
        return self._held.program

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_columns(
        self,
        block: str,
        *,
        cost: ArrayLike,
        coefficients: Any,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = np.inf,
        index: ArrayLike | None = None,
    ) -> None:
        """Add k columns at the end of the last column block.

        Parameters
        ----------
        cost : array-like, shape (k,)
            Costs in the program's sense.
        coefficients : matrix, shape (rows, k)
            Their entries in all rows of the program as it stands.
        lower, upper : array-like
            Bounds.
        index : array-like, optional
            Labels, if the block has labels.
        """
        matrix = sparse.csr_array(coefficients, dtype=float)
        k = matrix.shape[1]
        self._held.program = self.program.with_columns(
            block,
            cost=_filled(cost, k),
            coefficients=matrix,
            lower=_filled(lower, k),
            upper=_filled(upper, k),
            index=None if index is None else np.asarray(index),
        )
        self._held.columns_added(matrix)

    def add_rows(
        self,
        block: str,
        *,
        coefficients: Any,
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
        index: ArrayLike | None = None,
    ) -> None:
        """Add rows at the end of the last row block; coefficients have shape (k, columns)."""
        matrix = sparse.csr_array(coefficients, dtype=float)
        k = matrix.shape[0]
        self._held.program = self.program.with_rows(
            block,
            coefficients=matrix,
            lower=_filled(lower, k),
            upper=_filled(upper, k),
            index=None if index is None else np.asarray(index),
        )
        self._held.rows_added(matrix)

    def set_costs(self, block: str, cost: ArrayLike) -> None:
        """Replace the costs of a column block (program's sense)."""
        self._held.program = self.program.with_costs(block, np.asarray(cost, dtype=float))
        self._held.costs_changed()

    def set_objective(self, other: Program) -> None:
        """Take costs, quadratic part and offset of a program with the same columns."""
        if other.column_names() != self.program.column_names() or other.sense != self.program.sense:
            raise FormulationError(f"program {other.name!r} has other columns, or another sense, than the session's")
        self._held.program = replace(self.program, c=other.c, P=other.P, offset=other.offset)
        self._held.objective_changed()

    def solve(self, *, time_limit: float | None = None, raise_on_failure: bool = True) -> Solution:
        """Solve the program as it stands; a time limit given here holds for this solve alone.

        A hot answer that the backend calls optimal and our certificate does not is thrown away, and the program
        solved once more from cold: hot starts have been seen to stop above the optimum.
        """
        settings = self._held.settings
        if time_limit is not None:
            settings = replace(settings, time_limit=time_limit)
        answer, solution = self._run(settings)
        if answer.hot and answer.status is Status.OPTIMAL and not solution.optimal:
            self._held.forget()
            _, solution = self._run(settings)
        return required(solution) if raise_on_failure else solution

    def close(self) -> None:
        """Let go of the backend's memory."""
        self._held.close()

    def _run(self, settings: Settings) -> tuple[RawAnswer, Solution]:
        solver = self._held.solver
        answer = self._held.run(settings) if self.program.shape[1] else without_columns(self.program)
        return answer, checked(self.program, settings, answer, solver=solver.name, version=solver.version())


def _filled(values: ArrayLike, k: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(values, dtype=float), (k,)).copy()
