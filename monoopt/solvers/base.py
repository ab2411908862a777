"""What a solver is: a few methods, each with the law it obeys."""

from __future__ import annotations

from abc import ABC, abstractmethod

from scipy import sparse

from monoopt.errors import FormulationError, UnsupportedProgram
from monoopt.program import Program, ProgramBuilder
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.settings import Settings


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

    def __repr__(self) -> str:
        """Say what the user types: the same in every process, as parameters of estimators should print."""
        return f"<solver {self.name}>"

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

    def hold(self, program: Program, settings: Settings) -> Held:
        """Take a program that will change and be solved again; cold unless overridden."""
        return Held(self, program, settings)

    def check(self, program: Program) -> None:
        """Raise `UnsupportedProgram` if the program needs what this solver can't, before anything is built."""
        missing = program.needs - self.can
        if missing:
            raise UnsupportedProgram(
                f"solver {self.name!r} can't do {', '.join(sorted(missing))}, which program {program.name!r} needs"
            )


class Held:
    """A program as a backend holds it between two runs.

    This class rebuilds and runs cold, on every backend. A backend that can start hot keeps its own copy and overrides
    what tells it of changes; `program` is always the program as it stands, already changed when it is told.
    """

    def __init__(self, solver: Solver, program: Program, settings: Settings) -> None:
        solver.check(program)
        self.solver = solver
        self.program = program
        self.settings = settings

    def run(self, settings: Settings) -> RawAnswer:
        """Solve the program as it stands, by the law of `Solver.run`."""
        return self.solver.run(self.program, settings)

    def columns_added(self, matrix: sparse.csr_array) -> None:
        """Hear of new last columns, with these entries in the rows."""

    def rows_added(self, matrix: sparse.csr_array) -> None:
        """Hear of new last rows."""

    def costs_changed(self) -> None:
        """Hear of other costs."""

    def objective_changed(self) -> None:
        """Hear of another linear and quadratic part."""

    def forget(self) -> None:
        """Let the next run start cold."""

    def close(self) -> None:
        """Let go of the backend's memory."""


def require_program(thing: object) -> None:
    """Refuse what is no program."""
    if not isinstance(thing, Program):
        raise FormulationError(
            f"wanted a Program, from a formulation or from ProgramBuilder.build(), got {type(thing).__name__}"
        )
