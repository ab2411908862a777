"""Programs rendered for Pyomo: GLPK, CBC, IPOPT, HiGHS, SCIP and any other solver that it can call.

Handled here because it was measured: HiGHS behind Pyomo takes unknown options in silence and CBC only remarks on them
in its log, so both are looked at; GLPK refuses fractions of a second; CBC's seed 0 means the clock; multipliers that
are asked of a program with whole numbers end in an error; columns that stand nowhere get no value; two entries for
one product of columns would overwrite each other.
"""

from __future__ import annotations

import io
import logging
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.errors import DataWarning, OptionError, UnsupportedProgram
from monoopt.program import Block, Program, Status
from monoopt.solvers.base import RawAnswer, Settings, Solver
from monoopt.solvers.engines import at_scale, impossible_row, refused
from monoopt.solvers.highs import check_native, refuse_non_vertex, share_threads
from monoopt.solvers.pyomo_engines import COMPLAINTS, STATUS, PyomoEngine, find_engine

LARGE = 200_000  # rows: Pyomo makes an object of each, about 15 000 a second


class Pyomo(Solver):
    """Any solver behind Pyomo.

    Parameters
    ----------
    name : str
        ``"glpk"``, ``"cbc"``, ``"ipopt"``, ``"pyomo-highs"``, ``"pyomo-scip"``; ``"pyomo:NAME"`` for any other that
        Pyomo knows; or ``"pyomo"``: HiGHS through Pyomo.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        word = name.removeprefix("pyomo:").removeprefix("pyomo-")
        self._word = "highs" if word == "pyomo" else word
        self._engine = find_engine(self._word)
        self.can = self._engine.can
        self.install = self._engine.install

    def version(self) -> str:
        """Version of the solver, and of Pyomo."""
        return _version(self._word)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Render the program, let Pyomo write and solve it, read back."""
        return at_scale(self._run, program, settings)

    def _run(self, program: Program, settings: Settings) -> RawAnswer:
        engine = self._engine
        options = engine.options(settings, self.name)
        refuse_non_vertex(program, settings)
        if engine.word == "highs":
            share_threads(settings.threads)
            check_native(settings.options)
        if (ray := impossible_row(program)) is not None:
            return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="a row without columns can't hold")
        low, high = whole_bounds(program)
        if (low > high).any():
            return RawAnswer(Status.INFEASIBLE, raw_status="no whole number between the bounds of a column")
        start = time.perf_counter()
        rendering = Rendering.of(program, minimise=True, duals=engine.duals and not program.integer.any())
        opened, new = _opened(engine)
        limit = None if settings.time_limit is None else engine.clock(settings.time_limit)
        built = time.perf_counter()
        try:
            found = (_run_new if new else _run_old)(opened, rendering, options, limit, settings.verbose)
        except Exception as failure:  # backends raise whatever they like; what they say is kept
            _refuse_complaints(self.name, settings, "\n".join(getattr(failure, "__notes__", ())))
            answer = refused(self.name, failure, settings)
            late = limit is not None and time.perf_counter() - built >= limit  # Pyomo ends a process that overstays
            return replace(answer, status=Status.LIMIT) if late else answer
        _refuse_complaints(self.name, settings, found["log"])
        heard = [status for line, status in engine.says.items() if line in found["log"]]
        found["status"] = heard[0] if heard else found["status"]
        solved = time.perf_counter()
        return RawAnswer(**found, build_time=built - start, solve_time=solved - built)


@dataclass(eq=False)
class Rendering:
    """A program as a Pyomo instance, with the way back from its components to our columns and rows."""

    program: Program
    instance: Any = None
    variables: list[Any] = field(default_factory=list)
    rows: list[tuple[int, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program, minimise: bool = False, duals: bool = False) -> Rendering:
        """Render column blocks as indexed variables and row blocks as indexed constraints, by the same names."""
        import pyomo.environ as pyo

        if program.cones:
            raise UnsupportedProgram(f"program {program.name!r} has cones, which are not rendered for Pyomo")
        if program.shape[0] > LARGE:
            warnings.warn(
                f"program {program.name!r} has {program.shape[0]} rows, each an object in Pyomo; 'highs' takes arrays",
                DataWarning,
                stacklevel=2,
            )
        made = cls(program, pyo.ConcreteModel(name=program.name))
        low, high = whole_bounds(program) if minimise else (program.lower, program.upper)
        for block in program.columns:
            made._add_columns(block, low, high)
        made._add_objective(minimise)
        for block in program.rows:
            made._add_rows(block)
        if duals:
            made.instance.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        return made

    def _attach(self, name: str, component: Any) -> Any:
        """Add a component under its name, or the name with underscores where that is taken."""
        while hasattr(self.instance, name) or name == "dual":
            name += "_"
        self.instance.add_component(name, component)
        return component

    def _add_columns(self, block: Block, low: np.ndarray, high: np.ndarray) -> None:
        import pyomo.environ as pyo

        program, keys = self.program, _keys(block)
        place = dict(zip(keys, range(block.start, block.stop), strict=True))

        def bounds(instance: Any, *key: Any) -> tuple[float | None, float | None]:
            j = place[_plain(key)]
            return _side(float(low[j])), _side(float(high[j]))

        def domain(instance: Any, *key: Any) -> Any:
            return pyo.Integers if program.integer[place[_plain(key)]] else pyo.Reals

        made = self._attach(block.name, pyo.Var(*_index(keys), bounds=bounds, domain=domain))
        self.variables += [made[key] for key in keys]

    def _add_objective(self, minimise: bool) -> None:
        """State the objective in the user's sense, or as the minimisation that is kept."""
        import pyomo.environ as pyo

        program = self.program
        sign = 1.0 if minimise else program.sign
        expression = _linear(sign * program.offset, sign * program.c, self.variables)
        if program.P is not None:
            upper = sparse.coo_array(sparse.triu(sparse.csc_array(program.P)))
            entries = zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
            expression = expression + sum(
                sign * (value / 2 if i == j else value) * self.variables[i] * self.variables[j]
                for i, j, value in entries
            )
        sense = pyo.minimize if minimise or program.sense == "minimize" else pyo.maximize
        self._attach("objective", pyo.Objective(expr=expression, sense=sense))

    def _add_rows(self, block: Block) -> None:
        import pyomo.environ as pyo

        keys = _keys(block)
        place = dict(zip(keys, range(block.start, block.stop), strict=True))
        rows = pyo.Constraint(*_index(keys), rule=lambda _, *key: self._row(place[_plain(key)]))
        made = self._attach(block.name, rows)
        self.rows += [(i, made[key]) for key, i in place.items() if key in made]

    def _row(self, i: int) -> Any:
        import pyomo.environ as pyo

        program = self.program
        low, high = program.row_lower[i], program.row_upper[i]
        part = slice(program.A.indptr[i], program.A.indptr[i + 1])
        if part.start == part.stop or (np.isinf(low) and np.isinf(high)):
            return pyo.Constraint.Skip if low <= 0 <= high else pyo.Constraint.Infeasible
        columns = [self.variables[j] for j in program.A.indices[part]]
        body = _linear(0.0, program.A.data[part], columns)
        return (float(low), body, float(high)) if low < high else body == float(low)

    def point(self, values: list[float | None]) -> np.ndarray | None:
        """Columns from values in order; a column that stands nowhere has none and takes the one nearest 0."""
        if all(value is None for value in values):
            return None
        idle = np.clip(0.0, self.program.lower, self.program.upper)
        return np.array(
            [rest if value is None else value for value, rest in zip(values, idle, strict=True)], dtype=float
        )

    def multipliers(self, x: np.ndarray, duals: Any) -> dict[str, np.ndarray]:
        """Row multipliers, which have our sign in a minimisation, and the columns' that follow."""
        y = np.zeros(self.program.shape[0])
        for i, constraint in self.rows:
            y[i] = duals.get(constraint, 0.0)
        return {"y": y, "z": self.program.gradient(x) - self.program.A.T @ y}


def to_pyomo(program: Program) -> Any:
    """Return the program as a ``pyomo.environ.ConcreteModel``, in the user's sense, blocks by their names.

    For auditors, and for anyone who wants to go on in Pyomo. Rows without columns that hold trivially are left out.
    Cones are not rendered: programs with cones are refused.
    """
    return Rendering.of(program).instance


def _run_old(opened: Any, rendering: Rendering, options: dict[str, Any], limit: Any, verbose: bool) -> dict[str, Any]:
    """Solve through Pyomo's first interface: executables, files."""
    from pyomo.opt.solver import SystemCallSolver

    with _listening() as said, tempfile.TemporaryDirectory() as folder:
        logfile = os.path.join(folder, "log")
        words = {"logfile": logfile} if isinstance(opened, SystemCallSolver) else {}
        results = opened.solve(
            rendering.instance, load_solutions=False, tee=verbose, timelimit=limit, options=options, **words
        )
        log = Path(logfile).read_text(errors="replace") if os.path.exists(logfile) else ""
        word = str(results.solver.termination_condition)
        found: dict[str, Any] = {
            "status": STATUS.get(word, Status.ERROR),
            "raw_status": word,
            "log": said.getvalue() + log,
        }
        if len(results.solution):
            results.solver.status = "ok"  # Pyomo would not load the point of a solve that a limit stopped
            rendering.instance.solutions.load_from(results)
            found["x"] = rendering.point([variable.value for variable in rendering.variables])
            found["bound"] = _finite(results.problem.lower_bound) if rendering.program.integer.any() else None
    duals = getattr(rendering.instance, "dual", None)
    if found.get("x") is not None and duals is not None and (len(duals) or not rendering.rows):
        found |= rendering.multipliers(found["x"], duals)
    return found


def _run_new(opened: Any, rendering: Rendering, options: dict[str, Any], limit: Any, verbose: bool) -> dict[str, Any]:
    """Solve through Pyomo's second interface: packages with their own Python doors."""
    with _listening() as said:
        results = opened.solve(
            rendering.instance,
            load_solutions=False,
            raise_exception_on_nonoptimal_result=False,
            tee=verbose,
            time_limit=limit,
            solver_options=options,
        )
    word = results.termination_condition.name
    found: dict[str, Any] = {
        "status": STATUS.get(word, Status.ERROR),
        "raw_status": word,
        "log": said.getvalue() + (results.solver_log or ""),
        "iterations": {} if (count := getattr(results, "iteration_count", None)) is None else {"iterations": count},
    }
    if results.solution_status.name in ("noSolution", "infeasible"):
        return found
    values = results.solution_loader.get_vars()
    found["x"] = rendering.point([values.get(variable) for variable in rendering.variables])
    found["bound"] = _finite(results.objective_bound) if rendering.program.integer.any() else None
    if found["x"] is not None and hasattr(rendering.instance, "dual"):
        found |= rendering.multipliers(found["x"], results.solution_loader.get_duals())
    return found


def _opened(engine: PyomoEngine) -> tuple[Any, bool]:
    """Pyomo's own object for this solver, and whether it is of the second interface; ImportError if it is not there."""
    import pyomo.environ as pyo
    from pyomo.contrib.solver.common.factory import SolverFactory as NewFactory

    with _listening() as said:
        opened = pyo.SolverFactory(engine.word)
        newer = [name for name in NewFactory if isinstance(opened, NewFactory.get_class(name))]
        opened = NewFactory(newer[0]) if newer else opened
        there = bool(opened.available()) if newer else bool(opened.available(exception_flag=False))
    if not there:
        reason = f"no executable {engine.executable} found" if engine.executable else "Pyomo does not find it"
        raise ImportError(said.getvalue().strip() or reason)
    return opened, bool(newer)


@cache
def _version(word: str) -> str:
    """Asked once: an executable is started to tell it."""
    import pyomo

    opened, _ = _opened(find_engine(word))
    return f"{'.'.join(str(part) for part in opened.version() or ('unknown',))} (pyomo {pyomo.__version__})"


@contextmanager
def _listening() -> Iterator[io.StringIO]:
    """Catch what Pyomo would say on stdout through its logger."""
    from pyomo.common.log import LoggingIntercept

    said = io.StringIO()
    with LoggingIntercept(said, "pyomo", logging.WARNING):
        try:
            yield said
        except Exception as failure:
            failure.add_note(said.getvalue())
            raise


def _refuse_complaints(name: str, settings: Settings, log: str) -> None:
    """Refuse the options that GLPK stops at, and those that CBC only remarks on before it goes on without them."""
    said = [line.strip() for line in log.splitlines() if any(text in line for text in COMPLAINTS)]
    words = {str(part) for option in settings.options.items() for part in option}
    wrong = [line for line in said if any(word in line for word in words)]
    if wrong:
        raise OptionError(f"solver {name!r} refused its options {dict(settings.options)}: {'; '.join(wrong)}")


def whole_bounds(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Bounds with those of whole columns rounded inwards: GLPK refuses others."""
    low = np.where(program.integer, np.ceil(program.lower), program.lower)
    return low, np.where(program.integer, np.floor(program.upper), program.upper)


def _linear(constant: float, coefficients: np.ndarray, variables: list[Any]) -> Any:
    from pyomo.core.expr import LinearExpression

    return LinearExpression(constant=float(constant), linear_coefs=coefficients.tolist(), linear_vars=variables)


def _keys(block: Block) -> list[Any]:
    """Index of every member: None for a scalar, a label, or a tuple of labels."""
    if block.index is not None:
        return [tuple(row) if isinstance(row, list) else row for row in block.index.tolist()]
    if not block.shape:
        return [None]
    return [_plain(key) for key in np.ndindex(*block.shape)]


def _index(keys: list[Any]) -> list[list[Any]]:
    """Arguments that index a component: none for a scalar."""
    return [] if keys == [None] else [keys]


def _plain(key: tuple[Any, ...]) -> Any:
    return None if not key else key[0] if len(key) == 1 else key


def _side(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _finite(value: Any) -> float | None:
    """A bound as Pyomo reports it: a number, an infinity, None or a placeholder."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None
