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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from monoopt.errors import OptionError
from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Solver
from monoopt.solvers.engines import at_scale, impossible_row, refused, with_visible_rows
from monoopt.solvers.highs_calls import check_native, refuse_non_vertex, share_threads
from monoopt.solvers.pyomo_engines import COMPLAINTS, STATUS, PyomoEngine, find_engine
from monoopt.solvers.pyomo_rendering import Rendering, whole_bounds
from monoopt.solvers.settings import Settings


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
        return at_scale(self._run_visible, program, settings)

    def _run_visible(self, program: Program, settings: Settings) -> RawAnswer:
        return with_visible_rows(self._run, program, settings, self._engine.least)

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
        heard = said.getvalue().strip().partition("\n")[0].rstrip(":")  # what follows may be a traceback
        raise ImportError(heard or reason)
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


def _finite(value: Any) -> float | None:
    """A bound as Pyomo reports it: a number, an infinity, None or a placeholder."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None
