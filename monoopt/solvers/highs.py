"""HiGHS: linear, integer and convex quadratic programs, with hot sessions.

What is handled here because it was measured: empty rows are kept away from the quadratic solver, which can loop on
them; the time limit counts over all runs of an object; costs far from 1 are scaled by a power of two, for HiGHS
compares reduced costs with an absolute tolerance.
"""

from __future__ import annotations

import time
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.errors import UnsupportedProgram
from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Held, Solver
from monoopt.solvers.engines import cost_scale
from monoopt.solvers.highs_calls import call, make_highs, pass_program, refuse_non_vertex
from monoopt.solvers.settings import Settings

STATUS = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnbounded": Status.UNBOUNDED,
    "kUnboundedOrInfeasible": Status.INFEASIBLE_OR_UNBOUNDED,
    "kTimeLimit": Status.LIMIT,
    "kIterationLimit": Status.LIMIT,
    "kSolutionLimit": Status.LIMIT,
    "kMemoryLimit": Status.LIMIT,
    "kInterrupt": Status.LIMIT,
    "kHighsInterrupt": Status.LIMIT,
    "kObjectiveBound": Status.LIMIT,
    "kObjectiveTarget": Status.LIMIT,
    "kUnknown": Status.NUMERICAL,
    "kSolveError": Status.NUMERICAL,
    "kPostsolveError": Status.NUMERICAL,
    "kPresolveError": Status.ERROR,
    "kLoadError": Status.ERROR,
    "kModelError": Status.ERROR,
    "kModelEmpty": Status.ERROR,
    "kNotset": Status.ERROR,
}


class Highs(Solver):
    """HiGHS through arrays; hot start for added columns (primal simplex) and rows (dual simplex)."""

    name = "highs"
    can = frozenset({"linear", "quadratic", "integer", "duals", "vertex"})
    install = "python -m pip install highspy"

    def version(self) -> str:
        """Version of highspy."""
        return _version()

    def check(self, program: Program) -> None:
        """Refuse what HiGHS can't, such as whole numbers in a quadratic program."""
        super().check(program)
        if {"integer", "quadratic"} <= program.needs:
            raise UnsupportedProgram("solver 'highs' can't do quadratic programs with whole numbers; 'scip' can")

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve once, cold."""
        return HeldByHighs(self, program, settings).run(settings)

    def hold(self, program: Program, settings: Settings) -> HeldByHighs:
        """Keep one Highs object and its basis."""
        return HeldByHighs(self, program, settings)


class HeldByHighs(Held):
    """One Highs object; linear programs start from the basis of the last solve."""

    def __init__(self, solver: Solver, program: Program, settings: Settings) -> None:
        super().__init__(solver, program, settings)
        start = time.perf_counter()
        self._log: list[str] = []
        self._runs = 0
        self._scale = cost_scale(program)
        self._highs = make_highs(settings, self._log)
        refuse_non_vertex(program, settings)
        self._kept = _rows_kept(program)
        pass_program(self._highs, program, self._scale, self._kept)
        self._build_time = time.perf_counter() - start

    def close(self) -> None:
        """Free HiGHS's memory."""
        self._highs.clear()

    def columns_added(self, matrix: sparse.csr_array) -> None:
        """Append them; the basis stays primal feasible."""
        columns = sparse.csc_array(matrix)
        k = matrix.shape[1]
        new = slice(-k, None) if k else slice(0, 0)
        program = self.program
        call(
            "addCols",
            self._highs.addCols(
                k,
                program.c[new] * self._scale,
                program.lower[new],
                program.upper[new],
                columns.nnz,
                columns.indptr[:-1].astype(np.int32),
                columns.indices.astype(np.int32),
                columns.data,
            ),
        )
        self._prefer(4)

    def rows_added(self, matrix: sparse.csr_array) -> None:
        """Append them; the basis stays dual feasible."""
        k = matrix.shape[0]
        new = slice(-k, None) if k else slice(0, 0)
        program = self.program
        call(
            "addRows",
            self._highs.addRows(
                k,
                program.row_lower[new],
                program.row_upper[new],
                matrix.nnz,
                matrix.indptr[:-1].astype(np.int32),
                matrix.indices.astype(np.int32),
                matrix.data,
            ),
        )
        self._kept = np.append(self._kept, np.ones(k, dtype=bool))
        self._prefer(1)

    def costs_changed(self) -> None:
        """Pass all costs; the basis stays primal feasible."""
        n = self.program.shape[1]
        places = np.arange(n, dtype=np.int32)
        call("changeColsCost", self._highs.changeColsCost(n, places, self.program.c * self._scale))
        self._prefer(4)

    def objective_changed(self) -> None:
        """Pass the whole program: HiGHS takes no other Hessian alone."""
        self._scale = cost_scale(self.program)
        pass_program(self._highs, self.program, self._scale, self._kept)
        self.forget()

    def _prefer(self, strategy: int) -> None:
        """Primal simplex (4) after new columns or costs, dual (1) after new rows, unless the user chose."""
        if "simplex_strategy" not in self.settings.options:
            call("simplex_strategy", self._highs.setOptionValue("simplex_strategy", strategy))

    def forget(self) -> None:
        """Drop the basis."""
        self._highs.clearSolver()
        self._runs = 0

    def run(self, settings: Settings) -> RawAnswer:
        """Run from the basis of the last run, within this run's own time limit."""
        highs = self._highs
        budget = settings.time_limit
        limit = np.inf if budget is None else highs.getRunTime() + budget
        call("time_limit", highs.setOptionValue("time_limit", float(limit)))
        start = time.perf_counter()
        code = self._run_here()
        if self.program.P is not None and highs.getModelStatus().name == "kSolveError":
            code = self._regularised()
        solve_time = time.perf_counter() - start
        self._runs += 1
        word = highs.getModelStatus().name
        status = STATUS[word]
        if code.name == "kError" and status is Status.OPTIMAL:
            status = Status.ERROR
        return RawAnswer(
            status=status,
            **self._point(status),
            ray=self._ray(status),
            raw_status=f"{word} ({code.name})",
            log="".join(self._log),
            iterations=_iterations(highs.getInfo()),
            build_time=self._build_time if self._runs == 1 else 0.0,
            solve_time=solve_time,
            hot=self._runs > 1 and self.program.P is None and not self.program.integer.any(),
        )

    def _run_here(self) -> Any:
        """Run; once more with a fresh scheduler where others in the process ran HiGHS with other threads meanwhile."""
        code = self._highs.run()
        if code.name == "kError" and self._highs.getModelStatus().name == "kNotset":
            self._highs.resetGlobalScheduler(True)
            code = self._highs.run()
        return code

    def _regularised(self) -> Any:
        """A singular P can look non-convex to the unregularised method: once more with 1e-7 on the diagonal."""
        if "qp_regularization_value" in self.settings.options:
            return self._highs.run()
        call("qp_regularization_value", self._highs.setOptionValue("qp_regularization_value", 1e-7))
        return self._highs.run()

    def _point(self, status: Status) -> dict[str, Any]:
        """Values and multipliers where HiGHS says they are valid."""
        solution = self._highs.getSolution()
        info = self._highs.getInfo()
        found: dict[str, Any] = {}
        if self.program.integer.any():
            found["bound"] = _finite(info.mip_dual_bound / self._scale)
        if not solution.value_valid or status in (Status.INFEASIBLE, Status.UNBOUNDED, Status.ERROR):
            return found
        found["x"] = np.array(solution.col_value)
        if solution.dual_valid and not self.program.integer.any():
            y = np.zeros(len(self._kept))
            y[self._kept] = np.array(solution.row_dual) / self._scale
            found |= {"y": y, "z": np.array(solution.col_dual) / self._scale}
        return found

    def _ray(self, status: Status) -> np.ndarray | None:
        """A Farkas ray or an unbounded direction, if HiGHS has one."""
        if self.program.integer.any() or status not in (Status.INFEASIBLE, Status.UNBOUNDED):
            return None
        if status is Status.UNBOUNDED:
            _, there, ray = self._highs.getPrimalRay()
            return np.array(ray) if there else _unit_direction(self.program)
        _, there, ray = self._highs.getDualRay()
        if not there:
            return None
        full = np.zeros(len(self._kept))
        full[self._kept] = np.array(ray)
        return full


@cache
def _version() -> str:
    """Read the version once: the metadata of a package are parsed anew at every call."""
    import highspy  # noqa: F401

    return version("highspy")


def _rows_kept(program: Program) -> np.ndarray:
    """Rows that are handed over: the quadratic solver can loop on empty ones that hold trivially."""
    keep = np.ones(program.shape[0], dtype=bool)
    if program.P is not None:
        empty = np.diff(program.A.indptr) == 0
        keep = ~(empty & (program.row_lower <= 0) & (program.row_upper >= 0))
    return keep


def _unit_direction(program: Program) -> np.ndarray | None:
    """One column that improves for ever and stands in no row: presolve finds it and keeps no ray."""
    alone = np.asarray(abs(program.A).sum(axis=0)).ravel() == 0
    for endless, sign in (
        (alone & (program.c < 0) & np.isinf(program.upper), 1.0),
        (alone & (program.c > 0) & np.isinf(program.lower), -1.0),
    ):
        if endless.any():
            return sign * np.eye(1, len(endless), int(np.argmax(endless)))[0]
    return None


def _iterations(info: Any) -> dict[str, int]:
    words = ("simplex", "ipm", "crossover", "pdlp", "qp")
    counts = {word: int(getattr(info, f"{word}_iteration_count")) for word in words}
    counts["nodes"] = int(info.mip_node_count)
    return {word: count for word, count in counts.items() if count > 0}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) and abs(value) < 1e30 else None
