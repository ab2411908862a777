"""What a solver behind a modelling package can do, and its own words for ours."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.errors import OptionError
from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.settings import Settings, unknown_option
from monoopt.solvers.silence import silent_descriptor

COST_RANGE = (1e-3, 1e6)  # largest cost that goes in unscaled
LARGEST = 2.0**40  # coefficient that a scaled row may have
OURS = ("time_limit", "tolerance", "threads", "seed")


@dataclass(frozen=True)
class Engine:
    """One solver behind cvxpy or Pyomo.

    Attributes
    ----------
    word : str
        The package's name for it.
    can : frozenset of str
        The needs it meets.
    ours : mapping of str to tuple of str
        Our words (time_limit, tolerance, threads, seed) -> native options that carry the value.
    defaults : mapping
        Native options that are set unless the user gives others: tight enough for our certificate.
    known : callable or None
        Names of all native options; None where nobody can list them.
    tolerances : pair of float
        Least and largest tolerance that it takes.
    first_seed : int
        Added to the seed, where 0 would mean "by the clock".
    presolve : mapping of bool to mapping
        Native options that switch presolve on and off; empty where there is none to switch.
    """

    word: str
    can: frozenset[str]
    ours: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    known: Callable[[], list[str]] | None = None
    tolerances: tuple[float, float] = (0.0, 1.0)
    first_seed: int = 0
    presolve: Mapping[bool, Mapping[str, Any]] = field(default_factory=dict)

    def options(self, settings: Settings, name: str) -> dict[str, Any]:
        """Native options for these settings; words that do not exist, or that are ours, are refused."""
        given = dict(settings.options)
        taken = {word: ours for ours in ("time_limit", "threads", "seed") for word in self.ours.get(ours, ())}
        for word in given:
            if word in taken:
                raise OptionError(f"solver {name!r}: set {word!r} through solve({taken[word]}=...)")
            if self.known is not None and word not in (known := self.known()):
                raise unknown_option(name, word, known)
        values = {ours: getattr(settings, ours) for ours in OURS}
        values["seed"] += self.first_seed
        if settings.tolerance is not None:
            values["tolerance"] = min(max(settings.tolerance, self.tolerances[0]), self.tolerances[1])
        sent = {word: value for ours, value in values.items() if value is not None for word in self.ours.get(ours, ())}
        switch = {} if settings.presolve is None else self.presolve.get(settings.presolve, {})
        return {**self.defaults, **sent, **switch, **given}


def cost_scale(program: Program) -> float:
    """Power of two that brings the largest cost near 1, or 1 when it is near enough.

    Solvers compare reduced costs with absolute tolerances: to them, weights of 1e-12 are all nothing.
    """
    largest = float(np.abs(program.c).max(initial=0.0))
    if program.P is not None:
        largest = max(largest, float(np.abs(program.P).max()))
    if largest == 0 or COST_RANGE[0] <= largest <= COST_RANGE[1]:
        return 1.0
    return float(2.0 ** -np.round(np.log2(largest)))


def at_scale(run: Callable[[Program, Settings], RawAnswer], program: Program, settings: Settings) -> RawAnswer:
    """Run a program with its costs scaled to a usual size, and give the multipliers back in its own."""
    scale = cost_scale(program)
    if scale == 1.0:
        return run(program, settings)
    P = None if program.P is None else program.P * scale
    answer = run(replace(program, c=program.c * scale, P=P, offset=program.offset * scale), settings)
    dear = {word: getattr(answer, word) for word in ("y", "z", "w", "bound")}
    return replace(answer, **{word: value / scale for word, value in dear.items() if value is not None})


def with_visible_rows(
    run: Callable[[Program, Settings], RawAnswer], program: Program, settings: Settings, least: float
) -> RawAnswer:
    """Run with rows scaled by powers of two until no coefficient is below `least`, which would be dropped."""
    scale = row_scale(program, least)
    if (scale == 1).all():
        return run(program, settings)
    scaled = replace(
        program,
        A=sparse.csr_array(sparse.diags_array(scale) @ program.A),
        row_lower=program.row_lower * scale,
        row_upper=program.row_upper * scale,
    )
    answer = run(scaled, settings)
    dear = {word: getattr(answer, word) for word in ("y", "ray")}
    return replace(answer, **{word: value * scale for word, value in dear.items() if value is not None})


def row_scale(program: Program, least: float) -> np.ndarray:
    """Powers of two that bring the least coefficient of each row to `least`, and no coefficient above LARGEST."""
    scale = np.ones(program.shape[0])
    filled = np.diff(program.A.indptr) > 0
    if least > 0 and filled.any():
        sizes, starts = np.abs(program.A.data), program.A.indptr[:-1][filled]
        small = np.minimum.reduceat(np.where(sizes > 0, sizes, np.inf), starts)
        large = np.maximum.reduceat(sizes, starts)
        most = np.maximum(LARGEST / np.maximum(large, 1.0), 1.0)
        scale[filled] = 2.0 ** np.floor(np.log2(np.clip(2 * least / small, 1.0, most)))
    return scale


def impossible_row(program: Program) -> np.ndarray | None:
    """A row without columns whose sides exclude 0, as a Farkas ray; modelling packages drop it or can't write it."""
    empty = np.diff(program.A.indptr) == 0
    wrong = empty & ((program.row_lower > 0) | (program.row_upper < 0))
    if not wrong.any():
        return None
    first = int(np.argmax(wrong))
    ray = np.zeros(program.shape[0])
    ray[first] = 1.0 if program.row_lower[first] > 0 else -1.0
    return ray


def refused(name: str, wrong: Exception, settings: Settings) -> RawAnswer:
    """What a backend raised, as an answer; raised again as `OptionError` where the user's options can be why."""
    first = wrong.args[0] if wrong.args and isinstance(wrong.args[0], Exception) else wrong  # one wrapped in another
    if settings.options and isinstance(first, (TypeError, ValueError, KeyError)):
        raise OptionError(f"solver {name!r} refused its options {dict(settings.options)}: {first}") from wrong
    text = "; ".join([str(wrong), *getattr(wrong, "__notes__", ())])
    return RawAnswer(Status.ERROR, raw_status=f"{type(wrong).__name__}: {text}")


def attributes(thing: Any) -> list[str]:
    """Public attributes of a settings object: how many packages name their options."""
    return [word for word in dir(thing) if not word.startswith("_")]


@cache
def highs_options() -> list[str]:
    """Names of HiGHS's options: those that its package shows as attributes, and the others that it writes to a file."""
    import highspy

    with silent_descriptor(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "options")
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.writeOptions(str(path))
        written = re.findall(r"^(\w+) = ", path.read_text(), flags=re.M)
    return sorted({*attributes(highspy.HighsOptions()), *written})


HIGHS_TOLERANCES = (1e-10, 1.0)
SCIP_TOLERANCES = (1e-10, 1e-3)  # below the least its simplex takes no smaller one, and says so on stderr
HIGHS_PRESOLVE = {True: {"presolve": "on"}, False: {"presolve": "off"}}
SCIP_PRESOLVE = {True: {"presolving/maxrounds": -1}, False: {"presolving/maxrounds": 0}}
HIGHS_WORDS = {
    "time_limit": ("time_limit",),
    "tolerance": ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance"),
    "threads": ("threads",),
    "seed": ("random_seed",),
}
# Its defaults move quadratic answers by 1e-7, call whole-number answers optimal that are 0.01 % away, and drop
# coefficients below 1e-9 without a word.
HIGHS_DEFAULTS = {
    "qp_regularization_value": 0.0,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-9,
    "small_matrix_value": 1e-12,
}
