"""Solvers behind cvxpy: Clarabel, OSQP, SCS, PIQP, SCIP, HiGHS and whatever else it finds; cones.

The default is fixed, never what happens to be installed.
"""

from __future__ import annotations

import time

from monoopt.errors import UnsupportedProgram
from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Held, Solver
from monoopt.solvers.cvxpy_answer import compiled_answer
from monoopt.solvers.cvxpy_engines import ENGINES, CvxpyEngine, engine_version, find_engine
from monoopt.solvers.cvxpy_held import held_or_none
from monoopt.solvers.cvxpy_rendering import Rendering
from monoopt.solvers.engines import at_scale, impossible_row
from monoopt.solvers.highs_calls import refuse_non_vertex
from monoopt.solvers.settings import Settings


class Cvxpy(Solver):
    """Any solver behind cvxpy.

    Parameters
    ----------
    name : str
        ``"clarabel"``, ``"osqp"``, ``"scs"``, ``"piqp"``, ``"scip"``, ``"cvxpy-highs"``; ``"cvxpy:NAME"`` for any other
        that cvxpy knows; or ``"cvxpy"``: HiGHS for linear and integer programs, Clarabel for quadratic parts and cones.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        word = name.removeprefix("cvxpy:").removeprefix("cvxpy-")
        self._engine = None if word == "cvxpy" else find_engine(word)
        if self._engine is None:
            self.can = ENGINES["highs"].can | ENGINES["clarabel"].can
            self.install = "python -m pip install cvxpy highspy clarabel"
        else:
            self.can = self._engine.can
            self.install = f"python -m pip install cvxpy {self._engine.package or 'and what cvxpy asks for'}"

    def version(self) -> str:
        """Version of the engine's package, and of cvxpy."""
        import cvxpy

        if self._engine is None:
            return f"cvxpy {cvxpy.__version__}"
        return f"{engine_version(self._engine)} (cvxpy {cvxpy.__version__})"

    def check(self, program: Program) -> None:
        """Refuse what the engine can't, such as whole numbers with a quadratic part in HiGHS."""
        super().check(program)
        engine = self._choose(program)
        curved = program.needs & {"quadratic", "second_order", "exponential"}
        missing = program.needs - engine.can
        if missing or (curved and "integer" in program.needs and engine.word == "HIGHS"):
            raise UnsupportedProgram(
                f"solver {self.name!r} can't do {', '.join(sorted(program.needs))} together, which program "
                f"{program.name!r} needs; 'scip' does whole numbers with quadratic and second-order parts"
            )

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Render the program, let cvxpy compile it, solve and read back."""
        return at_scale(self._run, program, settings)

    def _run(self, program: Program, settings: Settings) -> RawAnswer:
        engine = self._choose(program)
        options = engine.options(settings, self.name)
        refuse_non_vertex(program, settings)
        if (ray := impossible_row(program)) is not None:
            return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="a row without columns can't hold")
        start = time.perf_counter()
        rendering = Rendering.of(program, engine.wants_row, engine.factored)
        return compiled_answer(self.name, engine, rendering, settings, options, start, ignore_dpp=True)

    def hold(self, program: Program, settings: Settings) -> Held:
        """Compile once where only the objective changes (quadratic programs)."""
        engine = self._choose(program)
        return held_or_none(self, program, settings, engine) or super().hold(program, settings)

    def _choose(self, program: Program) -> CvxpyEngine:
        if self._engine is not None:
            return self._engine
        return ENGINES["clarabel" if program.P is not None or program.cones else "highs"]
