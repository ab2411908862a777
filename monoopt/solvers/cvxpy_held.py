"""A problem held by cvxpy: compiled once, with costs and quadratic part as parameters, and solved often.

For loops over programs that differ in their objective alone, such as the control points of a curve at changing
scores. The quadratic part enters as 1/2 ||F x||^2 with P = F'F: parameters may not appear in ``quad_form``.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Held, Solver
from monoopt.solvers.cvxpy_answer import compiled_answer
from monoopt.solvers.cvxpy_engines import CvxpyEngine
from monoopt.solvers.cvxpy_rendering import Rendering, squares_of
from monoopt.solvers.engines import at_scale, impossible_row
from monoopt.solvers.settings import Settings

WIDEST = 400  # columns in the quadratic part for which its factor is one dense parameter


class HeldByCvxpy(Held):
    """Compiles at the first solve; compiles again when columns or rows are added."""

    def __init__(self, solver: Solver, program: Program, settings: Settings, engine: CvxpyEngine) -> None:
        super().__init__(solver, program, settings)
        self._engine = engine
        self._rendering: ParametricRendering | None = None

    def columns_added(self, matrix: sparse.csr_array) -> None:
        """Compile anew."""
        self._rendering = None

    def rows_added(self, matrix: sparse.csr_array) -> None:
        """Compile anew."""
        self._rendering = None

    def objective_changed(self) -> None:
        """Compile anew only where the quadratic part touches other columns."""
        if self._rendering is not None and not self._rendering.fits(self.program):
            self._rendering = None

    def run(self, settings: Settings) -> RawAnswer:
        """Give the parameters their values and solve."""
        return at_scale(self._run_scaled, self.program, settings)

    def _run_scaled(self, program: Program, settings: Settings) -> RawAnswer:
        options = self._engine.options(settings, self.solver.name)
        if (ray := impossible_row(program)) is not None:
            return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="a row without columns can't hold")
        start = time.perf_counter()
        compiled = self._rendering is not None
        if self._rendering is None:
            self._rendering = ParametricRendering.of(program, self._engine.wants_row)
        rendering = self._rendering
        rendering.set_numbers(program)
        answer = compiled_answer(self.solver.name, self._engine, rendering, settings, options, start)
        return replace(answer, hot=compiled)


class ParametricRendering(Rendering):
    """A program whose costs and quadratic part are cvxpy parameters."""

    touched: np.ndarray
    costs: Any = None
    factor: Any = None

    def fits(self, program: Program) -> bool:
        """Whether the program's quadratic part touches no column that this one's does not."""
        return set(_touched(program)) <= set(self.touched)

    def set_numbers(self, program: Program) -> None:
        """Give the parameters their values; answers are read back for this program from now on."""
        self.program = program
        self.costs.value = program.c
        if self.factor is not None:
            self.factor.value = _factor(program, self.touched)

    def _objective(self) -> Any:
        import cvxpy

        program = self.program
        self.touched = _touched(program)
        self.costs = cvxpy.Parameter(program.shape[1], name="costs")
        whole = cvxpy.hstack([variable for _, variable in self.variables])
        order = np.concatenate([np.arange(program.shape[1])[places] for places, _ in self.variables])
        back = np.argsort(order)  # columns of the program among the variables laid end to end
        value = self.costs @ whole[back]
        if len(self.touched):
            self.factor = cvxpy.Parameter((len(self.touched), len(self.touched)), name="factor")
            value = value + 0.5 * cvxpy.sum_squares(self.factor @ whole[back[self.touched]])
        return value


def held_or_none(solver: Solver, program: Program, settings: Settings, engine: CvxpyEngine) -> Held | None:
    """Compile once where that can help: a quadratic part of moderate width, no whole numbers."""
    width = len(_touched(program))
    if not 0 < width <= WIDEST or program.integer.any():
        return None
    return HeldByCvxpy(solver, program, settings, engine)


def _touched(program: Program) -> np.ndarray:
    """Columns in the quadratic part."""
    if program.P is None:
        return np.empty(0, dtype=int)
    return np.flatnonzero(np.asarray(abs(program.P).sum(axis=0)).ravel())


def _factor(program: Program, touched: np.ndarray) -> np.ndarray:
    """F with F'F = P on the columns touched."""
    if program.P is None:
        return np.zeros((len(touched), len(touched)))
    part = program.P[np.ix_(touched, touched)] if isinstance(program.P, np.ndarray) else program.P[touched][:, touched]
    return squares_of(part)
