"""Calls into HiGHS, each with its return code checked: a new object with its settings, native options, the arrays.

What is handled here because it was measured: the Hessian goes in as its lower triangle by columns, without the default
regularisation; threads belong to the process; the first object prints a banner whatever the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.program import Program
from monoopt.solvers.engines import HIGHS_DEFAULTS, HIGHS_PRESOLVE, HIGHS_TOLERANCES, highs_options
from monoopt.solvers.settings import Settings, unknown_option
from monoopt.solvers.silence import silent_descriptor

OWN_WORDS = ("time_limit", "threads", "random_seed", "output_flag", "log_to_console")
_state = {"threads": 0}


def make_highs(settings: Settings, log: list[str]) -> Any:
    """Return a Highs object with the settings, each checked."""
    import highspy

    share_threads(settings.threads)
    highs = highspy.Highs()
    words: dict[str, Any] = {
        "output_flag": True,
        "log_to_console": settings.verbose,
        "threads": settings.threads,
    }
    words |= {"random_seed": settings.seed, **HIGHS_DEFAULTS}
    if settings.presolve is not None:
        words |= HIGHS_PRESOLVE[settings.presolve]
    if settings.tolerance is not None:
        names = ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance")
        words |= dict.fromkeys(names, max(settings.tolerance, HIGHS_TOLERANCES[0]))
    for word, value in words.items():
        call(word, highs.setOptionValue(word, value))
    for word, value in settings.options.items():
        _set_native(highs, word, value)
    highs.cbLogging += lambda event: log.append(event.message)
    return highs


def share_threads(threads: int) -> None:
    """Give the process's one HiGHS scheduler this many threads; the first object's banner is let go unseen.

    Every way to HiGHS passes here, also those through other packages.
    """
    import highspy

    if _state["threads"] != threads:
        highspy.Highs.resetGlobalScheduler(True)
    if _state["threads"] == 0:
        with silent_descriptor():
            highspy.Highs()
    _state["threads"] = threads


def pass_program(highs: Any, program: Program, scale: float = 1.0, kept: np.ndarray | None = None) -> None:
    """Hand the arrays over in one call."""
    import highspy

    keep = np.ones(program.shape[0], dtype=bool) if kept is None else kept
    A = program.A if keep.all() else program.A[keep]
    n, m = program.shape[1], A.shape[0]
    common = (program.offset * scale, program.c * scale, program.lower, program.upper)
    rows = (program.row_lower[keep], program.row_upper[keep])
    matrix = (A.indptr.astype(np.int32), A.indices.astype(np.int32), A.data)
    whole = program.integer.astype(np.int32)  # an empty array would be refused
    row_wise, triangular = int(highspy.MatrixFormat.kRowwise), int(highspy.HessianFormat.kTriangular)
    minimise = int(highspy.ObjSense.kMinimize)
    if program.P is None:
        code = highs.passModel(n, m, A.nnz, row_wise, minimise, *common, *rows, *matrix, whole)
    else:
        lower = sparse.csc_array(sparse.tril(sparse.csc_array(program.P)), dtype=float)
        lower.sort_indices()
        hessian = (lower.indptr.astype(np.int32), lower.indices.astype(np.int32), lower.data * scale)
        code = highs.passModel(
            n, m, A.nnz, lower.nnz, row_wise, triangular, minimise, *common, *rows, *matrix, *hessian, whole
        )
    call("passModel", code)


def check_native(options: Mapping[str, Any]) -> None:
    """Refuse unknown options and values before another package passes them over in silence."""
    import highspy

    probe = highspy.Highs()
    probe.setOptionValue("output_flag", False)
    for word, value in options.items():
        _set_native(probe, word, value)


def _set_native(highs: Any, word: str, value: Any) -> None:
    """Set one native option; refuse unknown words, words that have a name of ours, and refused values."""
    known = highs_options()
    if word in OWN_WORDS:
        raise OptionError(f"solver 'highs': set {word!r} through solve(time_limit=, threads=, seed=, verbose=)")
    if word not in known:
        raise unknown_option("highs", word, known)
    if highs.setOptionValue(word, value).name != "kOk":
        raise OptionError(f"solver 'highs' refused the value {value!r} for its option {word!r}")


def refuse_non_vertex(program: Program, settings: Settings) -> None:
    """A program that needs a vertex can't take an interior method without crossover."""
    if "vertex" not in program.needs:
        return
    method, crossover = settings.options.get("solver", "choose"), settings.options.get("run_crossover", "on")
    if method == "pdlp" or (method in ("ipm", "hipo", "ipx") and crossover != "on"):
        raise UnsupportedProgram(
            f"program {program.name!r} needs a vertex, which HiGHS's {method!r} without crossover does not give"
        )


def call(what: str, code: Any) -> None:
    """Refuse a native kError; kWarning is let through where HiGHS uses it for remarks."""
    if code.name == "kError":
        raise OptionError(f"HiGHS refused {what}")
