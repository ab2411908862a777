"""``smo``: sequential minimal optimization, our own, for quadratic programs over one sum row and a box."""

from __future__ import annotations

import time

import numpy as np

from monoopt.errors import UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Solver
from monoopt.solvers.settings import Settings, unknown_option
from monoopt.solvers.smo_driver import MatrixRows, minimise

TOLERANCE = 1e-8


class Smo(Solver):
    """Solve min 1/2 x'Px + c'x subject to sum x = total, lower <= x <= upper (the SVDD dual, and its kind).

    The one row must be an equality with one and the same coefficient for every column; lower bounds must be
    finite. Anything else is refused, naming the row or column. It has no options of its own.
    """

    name = "smo"
    can = frozenset({"linear", "quadratic", "duals"})
    install = "it comes with monoopt"
    special = "min 1/2 x'Px + c'x, sum x = total, lower <= x <= upper"

    def version(self) -> str:
        """Return monoopt's version: the solver is ours."""
        from monoopt import __version__

        return __version__

    def trial(self) -> tuple[Program, float]:
        """Two columns that share one unit: the optimum is in the middle."""
        builder = ProgramBuilder("trial")
        builder.add_columns("beta", 2, lower=0, upper=1)
        builder.add_quadratic("beta", np.eye(2))
        builder.add_rows("total", {"beta": np.ones((1, 2))}, lower=1, upper=1)
        return builder.build(), 0.25

    def check(self, program: Program) -> None:
        """Refuse what is not one equal-coefficient sum row and a box bounded below."""
        super().check(program)
        wrong = _misfit(program)
        if wrong:
            raise UnsupportedProgram(
                f"solver 'smo' does min 1/2 x'Px + c'x, sum x = total, lower <= x <= upper only; program "
                f"{program.name!r} does not fit: {wrong}"
            )

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve one program of the class."""
        for word in settings.options:
            raise unknown_option("smo", word, [])
        began = time.perf_counter()
        coefficient = float(program.A.data[0])
        total = float(program.row_lower[0]) / coefficient
        start = feasible_start(program.c + _at_lower(program), program.lower, program.upper, total)
        if start is None:
            ray = np.array([1.0 if total > program.lower.sum() else -1.0]) * np.sign(coefficient)
            return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="total outside the sums of the bounds")
        found = minimise(
            MatrixRows(_dense(program), np.arange(program.shape[1])),
            program.c,
            program.lower,
            program.upper,
            start,
            tolerance=(settings.tolerance or TOLERANCE) * _scale(program),
            time_limit=settings.time_limit,
            threads=settings.threads,
        )
        y = np.array([found.multiplier / coefficient])
        return RawAnswer(
            Status.OPTIMAL if found.converged else Status.FEASIBLE,
            x=found.x,
            y=y,
            z=found.gradient - found.multiplier,
            raw_status=f"violation {found.violation:.2e}" + ("" if found.converged else ", stopped at a limit"),
            iterations=found.counts,
            solve_time=time.perf_counter() - began,
        )


def feasible_start(order: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float) -> np.ndarray | None:
    """Fill columns to their upper bounds, least `order` first, until the sum is `total`; None if it can't be.

    Examples
    --------
    >>> feasible_start(np.array([3.0, 1.0, 2.0]), np.zeros(3), np.full(3, 0.4), 1.0)
    array([0.2, 0.4, 0.4])
    >>> feasible_start(np.zeros(3), np.zeros(3), np.full(3, 0.2), 1.0) is None
    True
    """
    missing = total - lower.sum()
    slack = 1e-12 * max(1.0, abs(total), float(np.abs(lower).sum()))
    if missing < -slack or missing > (upper - lower).sum() + slack:
        return None
    room = (upper - lower)[ranks := np.argsort(order, kind="stable")]
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    x = lower.copy()
    x[ranks] += np.minimum(room, np.maximum(missing - before, 0.0))
    full = np.flatnonzero(missing - before >= room)
    x[ranks[full]] = upper[ranks[full]]
    return x


def _misfit(program: Program) -> str:
    """Say which row or column is outside the class, or nothing."""
    if program.shape[0] != 1:
        named = f" (rows {', '.join(program.row_names()[:3])}, ...)" if program.shape[0] else ""
        return f"it has {program.shape[0]} rows{named}, wanted 1"
    row = program.row_name(0)
    if program.row_lower[0] != program.row_upper[0]:
        return f"row {row} is no equality"
    data = program.A.data
    if len(data) < program.shape[1]:
        there = np.zeros(program.shape[1], dtype=bool)
        there[program.A.indices] = True
        return f"row {row} leaves out column {program.column_name(int(np.argmin(there)))}"
    if len(data) and (data != data[0]).any():
        return f"row {row} has different coefficients ({data.min():g} to {data.max():g})"
    if not np.isfinite(program.lower).all():
        return f"column {program.column_name(int(np.argmin(np.isfinite(program.lower))))} has no lower bound"
    return "" if len(data) else "it has no column"


def _dense(program: Program) -> np.ndarray:
    n = program.shape[1]
    if program.P is None:
        return np.zeros((n, n))
    return program.P if isinstance(program.P, np.ndarray) else program.P.toarray()


def _at_lower(program: Program) -> np.ndarray:
    """P times the lower bounds and a little of everything: which columns look cheap."""
    if program.P is None:
        return np.zeros(program.shape[1])
    return program.P @ (program.lower + 1.0 / program.shape[1])


def _scale(program: Program) -> float:
    """Size of a gradient: the tolerance is relative to it."""
    largest = 0.0 if program.P is None else float(abs(program.P).max())
    return max(float(np.abs(program.c).max()), largest) or 1.0
