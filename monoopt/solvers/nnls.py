"""``nnls``: non-negative least squares by scipy's active set, for programs that fit targets by columns >= 0."""

from __future__ import annotations

import time

import numpy as np
import scipy
import scipy.optimize
from scipy import sparse

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Solver
from monoopt.solvers.settings import Settings, unknown_option

OPTIONS = ["iterations"]
SIGN = 1e-13  # a multiplier that is wrong by less, relative to the largest at a = 0, is rounding
PULL = 1e-10  # columns that pull less than this share of the largest pull at a = 0 wait for the last steps
FIRST, MORE = 200, 100  # columns that work at first, and that join in each round
PER_COLUMN = 30  # iterations of the active set allowed per column


class Nnls(Solver):
    """Solve min sum_i q_i p_i^2 / 2 + c_i p_i subject to p_i - sum_t R_it a_t = 0, a >= 0.

    The columns p (with a square, free) come first, the columns a (no square, no cost, bounds [0, inf)) after them, and
    row i holds p_i with coefficient 1 and only columns of a besides. Anything else is refused, naming row or column.

    The native option is ``iterations``, the most changes of the active set. An active set can't be interrupted:
    ``time_limit``, ``tolerance``, ``threads`` and ``seed`` have nothing to act on.

    References
    ----------
    C. L. Lawson and R. J. Hanson, Solving Least Squares Problems (1974), chapter 23.
    """

    name = "nnls"
    can = frozenset({"linear", "quadratic", "duals"})
    install = "it comes with scipy"
    special = "non-negative least squares: min sum q p^2 / 2 + c p, p = R a, a >= 0"

    def version(self) -> str:
        """Version of scipy, whose active set does the work."""
        return str(scipy.__version__)

    def trial(self) -> tuple[Program, float]:
        """One target that one column fits."""
        builder = ProgramBuilder("trial")
        builder.add_columns("p", 1, cost=[-2.0])
        builder.add_quadratic("p", [[2.0]])
        builder.add_columns("a", 1, lower=0)
        builder.add_rows("fit", {"p": [[1.0]], "a": [[-2.0]]}, lower=0, upper=0)
        return builder.build(), -1.0

    def check(self, program: Program) -> None:
        """Refuse what is no non-negative least squares, naming the first row or column that is in the way."""
        super().check(program)
        wrong = _misfit(program)
        if wrong:
            raise UnsupportedProgram(
                "solver 'nnls' does non-negative least squares only (min sum q p^2 / 2 + c p, p = R a, a >= 0); "
                f"program {program.name!r} is none: {wrong}"
            )

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve for a, read p and the multipliers off it."""
        n = program.shape[0]
        most = _iterations(settings, PER_COLUMN * (program.shape[1] - n))
        start = time.perf_counter()
        curvature = _diagonal(program)[:n]
        root = np.sqrt(curvature)
        R = -program.A[:, n:].toarray()
        A, b = R * root[:, None], -program.c[:n] / root
        try:
            a = _polished(A, b, _by_working_sets(A, b, most))
        except RuntimeError as stop:
            return RawAnswer(Status.LIMIT, raw_status=str(stop), solve_time=time.perf_counter() - start)
        p = R @ a
        y = curvature * p + program.c[:n]
        return RawAnswer(
            Status.OPTIMAL,
            x=np.concatenate([p, a]),
            y=y,
            z=np.concatenate([np.zeros(n), R.T @ y]),
            raw_status=f"{np.count_nonzero(a)} columns in the active set",
            solve_time=time.perf_counter() - start,
        )


def _by_working_sets(A: np.ndarray, b: np.ndarray, most: int) -> np.ndarray:
    """Solve for the columns that pull most, and again with those that still pull, until none does.

    An active set looks at every column in each of its steps; most columns are never needed.
    """
    a, working = np.zeros(A.shape[1]), np.empty(0, dtype=np.int64)
    pull = A.T @ b
    slack = PULL * float(np.abs(pull).max())
    while True:
        pull[working] = -np.inf
        new = np.flatnonzero(pull > slack)
        if not len(new):
            return a
        strongest = new[np.argsort(-pull[new], kind="stable")[: FIRST if not len(working) else MORE]]
        working = np.concatenate([working, strongest])
        chosen = np.ascontiguousarray(A[:, working])
        a[working], _ = scipy.optimize.nnls(chosen, b, maxiter=most)
        pull = A.T @ (b - chosen @ a[working])


def _polished(A: np.ndarray, b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Go on from an active set by orthogonal factors until the multipliers have the right sign.

    scipy works on normal equations, which lose half the digits where columns nearly depend on one another.
    """
    active = a > 0
    slack = SIGN * max(1.0, float(np.abs(A.T @ b).max()))
    for _ in range(len(a)):
        active, a = _inner(A, b, active, a)
        pull = A.T @ (b - A @ a)
        pull[active] = -np.inf
        if pull.max(initial=-np.inf) <= slack:
            break
        active[np.argmax(pull)] = True
    return a


def _inner(A: np.ndarray, b: np.ndarray, active: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least squares on the active columns; those that would turn negative on the way leave (Lawson and Hanson)."""
    active = active.copy()
    while active.any():
        wanted = np.zeros(len(a))
        wanted[active] = np.linalg.lstsq(A[:, active], b, rcond=None)[0]
        falling = active & (wanted <= 0)
        if not falling.any():
            return active, wanted
        way = float((a[falling] / np.maximum(a[falling] - wanted[falling], np.finfo(float).tiny)).min())
        a = np.maximum(a + way * (wanted - a), 0.0)
        active &= a > 0
        if way == 0.0:
            active &= ~falling
    return active, np.zeros(len(a))


def _misfit(program: Program) -> str:
    """Say which row or column is outside the class, or nothing."""
    n, columns = program.shape
    diagonal = _diagonal(program)
    if program.P is not None and sparse.coo_array(program.P).nnz and _off_diagonal(program):
        return "P is not diagonal"
    squares = diagonal > 0
    if n == 0 or columns <= n or not squares[:n].all() or squares[n:].any():
        return f"it has {n} rows and {int(squares.sum())} columns with a square: wanted one such column per row, first"
    if (program.row_lower != 0).any() or (program.row_upper != 0).any():
        i = int(np.argmax((program.row_lower != 0) | (program.row_upper != 0)))
        return f"row {program.row_name(i)} is no equality with 0"
    if (program.A[:, :n] != sparse.eye_array(n, format="csr")).nnz:
        return "row i holds more of the first columns than column i with coefficient 1"
    free = np.isinf(program.lower[:n]) & np.isinf(program.upper[:n])
    if not free.all():
        return f"column {program.column_name(int(np.argmin(free)))} has bounds"
    plain = (program.lower[n:] == 0) & np.isinf(program.upper[n:]) & (program.c[n:] == 0)
    return "" if plain.all() else f"column {program.column_name(n + int(np.argmin(plain)))} has a cost or other bounds"


def _diagonal(program: Program) -> np.ndarray:
    return np.zeros(len(program.c)) if program.P is None else np.asarray(program.P.diagonal(), dtype=float)


def _off_diagonal(program: Program) -> bool:
    P = sparse.coo_array(program.P)
    return bool(((P.row != P.col) & (P.data != 0)).any())


def _iterations(settings: Settings, default: int) -> int:
    for word, value in settings.options.items():
        if word not in OPTIONS:
            raise unknown_option("nnls", word, OPTIONS)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise OptionError(f"nnls: iterations={value!r}, wanted a whole number from 1")
    return int(settings.options.get("iterations", default))
