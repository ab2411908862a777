"""What a solver is: three methods, each with the law it obeys."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from monoopt.errors import FormulationError, OptionError, UnsupportedProgram, nearest
from monoopt.program import Program, ProgramBuilder, Solution, Status

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
    """

    time_limit: float | None = None
    tolerance: float | None = None
    threads: int = 1
    seed: int = 0
    verbose: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

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

    def _keep(self, word: str, value: object) -> None:
        object.__setattr__(self, word, value)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as a plain dict, for the record kept in a solution."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


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
        from monoopt.solvers.solve import finish, required

        budget = self.settings.time_limit if time_limit is None else time_limit
        settings = Settings(**{**self.settings.as_dict(), "time_limit": budget})
        answer = self._run(settings)
        solution = finish(self.solver, self.program, settings, answer)
        if answer.hot and answer.status is Status.OPTIMAL and not solution.optimal:
            self._forget()
            solution = finish(self.solver, self.program, settings, self._run(settings))
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


def require_program(thing: object) -> None:
    """Refuse what is no program."""
    if not isinstance(thing, Program):
        raise FormulationError(
            f"wanted a Program, from a formulation or from ProgramBuilder.build(), got {type(thing).__name__}"
        )


def unknown_option(solver: str, word: str, known: list[str]) -> OptionError:
    """Return the error for a native option that does not exist."""
    return OptionError(f"solver {solver!r} has no option {word!r}{nearest(word, known)}")


def _filled(values: ArrayLike, k: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(values, dtype=float), (k,)).copy()


def _real(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
