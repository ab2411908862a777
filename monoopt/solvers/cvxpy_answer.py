"""A rendered problem through cvxpy: compiled, solved, listened to and read back.

Handled here because it was measured: cvxpy calls SCIP's time limit an error, hands over zeros where HiGHS stopped
early, and fails on HiGHS's status "unknown".
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.cvxpy_engines import NATIVE_STATUS, STATUS, CvxpyEngine
from monoopt.solvers.cvxpy_rendering import Rendering
from monoopt.solvers.engines import refused
from monoopt.solvers.highs_calls import share_threads
from monoopt.solvers.settings import Settings
from monoopt.solvers.silence import listening


def compiled_answer(
    name: str,
    engine: CvxpyEngine,
    rendering: Rendering,
    settings: Settings,
    options: dict[str, Any],
    start: float,
    **compiling: Any,
) -> RawAnswer:
    """Let cvxpy compile the problem, solve it and read back; keep what the engine said on the way."""
    problem = rendering.problem
    with listening(settings.verbose) as said, _native_log(engine, options) as (options, log):
        try:
            data, chain, inverse = problem.get_problem_data(engine.word, solver_opts=dict(options), **compiling)
            built = time.perf_counter()
            if engine.word == "HIGHS":
                share_threads(settings.threads)
            talks = settings.verbose or (engine.prints_through_python and sys.stdout is not None)
            raw = chain.solve_via_data(problem, data, False, talks, dict(options))
        except Exception as wrong:  # backends raise whatever they like; what they say is kept
            return replace(refused(name, wrong, settings), log=said.getvalue() + log())
        solved = time.perf_counter()
        return RawAnswer(
            **_status_and_point(rendering.program, engine, rendering, raw, chain, inverse),
            log=said.getvalue() + log(),
            build_time=built - start,
            solve_time=solved - built,
        )


@contextmanager
def _native_log(engine: CvxpyEngine, options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Callable[[], str]]]:
    """Options that let the engine write its log into a file of ours, where it has such a word, and the reader of it."""
    word = engine.log_option
    if not word or word in options:
        yield options, lambda: ""
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "log")
        yield {**options, word: str(path)}, lambda: path.read_text(errors="replace") if path.exists() else ""


def _status_and_point(
    program: Program, engine: CvxpyEngine, rendering: Rendering, raw: Any, chain: Any, inverse: Any
) -> dict[str, Any]:
    """What the backend claims, in our words."""
    native = engine.native(raw)
    for untrue in engine.untrue:
        raw.pop(untrue, None)
    try:
        solution = chain.invert(raw, inverse)
    except AttributeError as lost:  # cvxpy's HiGHS interface has no word for some of its statuses
        return {"status": NATIVE_STATUS.get(native, Status.ERROR), "raw_status": f"{native} ({lost})"}
    status = NATIVE_STATUS.get(native, STATUS.get(solution.status, Status.ERROR))
    found: dict[str, Any] = {"status": status, "raw_status": f"{native or solution.status}"}
    count = solution.attr.get("num_iters")
    found["iterations"] = {} if count is None else {engine.count: int(count)}
    pair = None if program.integer.any() else rendering.multipliers(solution.dual_vars or {})
    if solution.primal_vars:
        found["x"] = x = rendering.point(solution.primal_vars)
        found["bound"] = _bound(program, engine, raw)
        if x is not None and pair is not None:
            y, w = pair
            pulled = sum((cone.G.T @ w[cone.block.slice] for cone in program.cones), program.A.T @ y)
            found |= {"y": y, "w": w, "z": program.gradient(x) - pulled}
    elif pair is not None and status in (Status.INFEASIBLE, Status.INFEASIBLE_OR_UNBOUNDED):
        found["ray"] = pair[0]
    return found


def _bound(program: Program, engine: CvxpyEngine, raw: Any) -> float | None:
    """Bound of a search over whole numbers, where the engine tells it."""
    found = engine.bound(raw) if program.integer.any() else None
    return None if found is None or not abs(found) < 1e20 else found + program.offset
