"""What a solver is: three methods, each with the law it obeys; and a session, its second door."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from monoopt.errors import FormulationError, UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Solution, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.settings import Settings
from monoopt.solvers.verdict import checked, required


class Solver(ABC):
    """A backend: what it can, whether it is there, and one call that runs a program.

    Attributes
    ----------
    name : str
        What the user types.
    can : frozenset of str
        The needs it meets.
    install : str
        How to get it.
    special : str
        The one form of program it takes, in words; empty for a solver of all programs whose needs it meets.
    """

    name: str
    can: frozenset[str]
    install: str
    special: str = ""

    @abstractmethod
    def version(self) -> str:
        """Version of the backend; raise ImportError (with its text) if it is not installed."""

    @abstractmethod
    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve one program whose needs are met.

        Law: the answer is in the kept sense with the sign rule of `monoopt.program`; a status says what the
        backend claims, a point is handed over as it is; an unknown native option raises `OptionError`;
        nothing is written to file descriptor 1 unless verbose.
        """

    def trial(self) -> tuple[Program, float]:
        """Return a smallest program that this solver must solve, and its optimum: how `available_solvers` decides."""
        builder = ProgramBuilder("trial")
        builder.add_columns("d", 2, lower=0, upper=1, cost=[2, -1])
        builder.add_rows("dominance", {"d": [[1.0, -1.0]]}, lower=0)
        return builder.build(), 0.0

    def open(self, program: Program, settings: Settings) -> Session:
        """Return a session that can grow the program and solve it again; cold unless overridden."""
        return Session(self, program, settings)

    def check(self, program: Program) -> None:
        """Raise `UnsupportedProgram` if the program needs what this solver can't, before anything is built."""
        missing = program.needs - self.can
        if missing:
            raise UnsupportedProgram(
                f"solver {self.name!r} can't do {', '.join(sorted(missing))}, which program {program.name!r} needs"
            )


class Session:
    """Re-solving is a second door: add columns or rows, change costs, solve again.

    This base class rebuilds and solves cold, on every backend; a backend that can start hot overrides
    `_columns_added`, `_rows_added`, `_costs_changed`, `_objective_changed` and `_run`. `program` is always the
    program as it stands.
    """

    hot = False

    def __init__(self, solver: Solver, program: Program, settings: Settings) -> None:
        solver.check(program)
        self.solver = solver
        self.program = program
        self.settings = settings

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
        self.program = self.program.with_columns(
            block,
            cost=_filled(cost, k),
            coefficients=matrix,
            lower=_filled(lower, k),
            upper=_filled(upper, k),
            index=None if index is None else np.asarray(index),
        )
        self._columns_added(matrix)

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
        self.program = self.program.with_rows(
            block,
            coefficients=matrix,
            lower=_filled(lower, k),
            upper=_filled(upper, k),
            index=None if index is None else np.asarray(index),
        )
        self._rows_added(matrix)

    def set_costs(self, block: str, cost: ArrayLike) -> None:
        """Replace the costs of a column block (program's sense)."""
        self.program = self.program.with_costs(block, np.asarray(cost, dtype=float))
        self._costs_changed()

    def set_objective(self, other: Program) -> None:
        """Take costs, quadratic part and offset of a program with the same columns."""
        if other.column_names() != self.program.column_names() or other.sense != self.program.sense:
            raise FormulationError(f"program {other.name!r} has other columns, or another sense, than the session's")
        self.program = replace(self.program, c=other.c, P=other.P, offset=other.offset)
        self._objective_changed()

    def solve(self, *, time_limit: float | None = None, raise_on_failure: bool = True) -> Solution:
        """Solve the program as it stands; a time limit given here holds for this solve alone.

        A hot answer that the backend calls optimal and our certificate does not is thrown away, and the program
        solved once more from cold: hot starts have been seen to stop above the optimum.
        """
        budget = self.settings.time_limit if time_limit is None else time_limit
        settings = Settings(**{**self.settings.as_dict(), "time_limit": budget})
        answer = self._run(settings)
        solution = self._checked(settings, answer)
        if answer.hot and answer.status is Status.OPTIMAL and not solution.optimal:
            self._forget()
            solution = self._checked(settings, self._run(settings))
        return required(solution) if raise_on_failure else solution

    def close(self) -> None:
        """Let go of the backend's memory."""

    def _columns_added(self, matrix: sparse.csr_array) -> None: ...

    def _rows_added(self, matrix: sparse.csr_array) -> None: ...

    def _costs_changed(self) -> None: ...

    def _objective_changed(self) -> None: ...

    def _forget(self) -> None: ...

    def _run(self, settings: Settings) -> RawAnswer:
        return self.solver.run(self.program, settings)

    def _checked(self, settings: Settings, answer: RawAnswer) -> Solution:
        return checked(self.program, settings, answer, solver=self.solver.name, version=self.solver.version())


def require_program(thing: object) -> None:
    """Refuse what is no program."""
    if not isinstance(thing, Program):
        raise FormulationError(
            f"wanted a Program, from a formulation or from ProgramBuilder.build(), got {type(thing).__name__}"
        )


def _filled(values: ArrayLike, k: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(values, dtype=float), (k,)).copy()
