"""From a kernel and objects to a certified ball: which road is taken, and what is kept.

Every solver but ``smo`` goes through the program (`monoopt.formulations.svdd`) and `solve`; ``smo`` takes kernel rows
on demand (`monoopt.algorithms.kernel_ball`), the same mathematics without a matrix of n x n, unless the program is
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from monoopt.algorithms.kernel_ball import train_ball
from monoopt.errors import CertificateError, DataError, SolveError, TimeLimitError
from monoopt.formulations import svdd
from monoopt.formulations.svdd import Ball
from monoopt.order.definiteness import Repair, check_repair, check_square, repair
from monoopt.order.kernels import Kernel
from monoopt.program import Certificate, Program, Solution, Status
from monoopt.solvers import Settings, check_solver, solve
from monoopt.solvers.smo_driver import MatrixRows, Rows

MATRIX_LIMIT = 12_000  # objects up to which an n x n kernel matrix is formed (1.2 GB)


@dataclass(frozen=True, eq=False)
class Training:
    """How to train: the words that mean the same in every estimator, and what else to try, for errors to say."""

    solver: str = "smo"
    repair: str = "raise"
    time_limit: float | None = None
    tolerance: float | None = None
    keep_best: bool = False
    form_program: bool = False
    advice: str = ""

    def __post_init__(self) -> None:
        """Refuse a word that can't be, even where nothing comes of it."""
        Settings(self.time_limit, self.tolerance)
        check_solver(self.solver)
        check_repair(self.repair)


@dataclass(frozen=True, eq=False)
class Trained:
    """A ball with its proof.

    Attributes
    ----------
    ball : Ball
        Optimal for the kernel that was optimised (the repaired one, if it had to be repaired).
    measured : Ball
        The same centre, with distances and radius measured by the kernel as given. Equal to `ball` without repair.
    certificate : Certificate
        Optimality of the ball.
    repair : Repair or None
        What was found and done to an indefinite kernel; None for kernels that are valid by construction.
    program : Program or None
        The program that was solved, if one was formed.
    """

    ball: Ball
    measured: Ball
    certificate: Certificate
    repair: Repair | None
    program: Program | None


def train(
    kernel: Kernel | np.ndarray,
    C: float,
    weight: np.ndarray,
    how: Training,
    *,
    start: np.ndarray | None = None,
) -> Trained:
    """Find the smallest ball in the feature space of a kernel.

    Parameters
    ----------
    kernel : Kernel or ndarray, shape (n, n)
        A settled kernel, or a kernel matrix.
    C : float
        Penalty; at least 1 / (sum of weights).
    weight : ndarray, shape (n,)
        Positive.
    how : Training
        Solver, repair, limits.
    start : ndarray, shape (n,), optional
        Feasible multipliers to start from: ``smo`` starts hot, other solvers start cold.

    Raises
    ------
    DataError
        An invalid kernel matrix, C below its bound, too many objects for a matrix.
    TimeLimitError
        Time was up before there was a proof, or, with ``how.keep_best``, before there was any ball.
    CertificateError
        The answer was not proved, with time to spare, and ``how.keep_best`` is False.
    """
    C = svdd.penalty(C, None, float(weight.sum()))
    valid = isinstance(kernel, Kernel) and kernel.kind != "tuned"
    on_rows = how.solver == "smo" and (start is not None or not how.form_program)
    if valid and on_rows:
        return _by_rows(kernel.rows(), None, C * weight, how, None, start)  # type: ignore[union-attr]
    given = _matrix(kernel, len(weight))
    fixed, done = (given, None) if valid else repair(given, how.repair)
    if on_rows:
        original = None if fixed is given else MatrixRows(given, np.arange(len(given)))
        return _by_rows(MatrixRows(fixed, np.arange(len(fixed))), original, C * weight, how, done, start)
    return _by_program(fixed, given, C, weight, how, done)


def _by_program(
    K: np.ndarray, given: np.ndarray, C: float, weight: np.ndarray, how: Training, done: Repair | None
) -> Trained:
    program = svdd.build(K, C=C, sample_weight=weight)
    solution = solve(
        program,
        how.solver,
        time_limit=how.time_limit,
        tolerance=how.tolerance,
        raise_on_failure=not how.keep_best,
    )
    if not solution.status.has_point:
        _refuse_nothing(solution, how)
    answer = svdd.read(program, solution)
    measured = answer if K is given else svdd.ball(answer.beta, given @ answer.beta, np.diag(given), program.upper)
    certificate = solution.certificate
    assert certificate is not None  # solve always attaches one
    return Trained(answer, measured, _kept(certificate, how, limited=False), done, program)


def _by_rows(
    rows: Rows,
    given: Rows | None,
    upper: np.ndarray,
    how: Training,
    done: Repair | None,
    start: np.ndarray | None,
) -> Trained:
    words: dict[str, Any] = {} if how.tolerance is None else {"tolerance": how.tolerance}
    found = train_ball(rows, upper, start=start, time_limit=how.time_limit, **words)
    measured = found.ball
    if given is not None:
        measured = svdd.ball(found.ball.beta, given.dot(given, found.ball.beta), given.diagonal(), upper)
    limited = how.time_limit is not None and found.seconds >= how.time_limit
    return Trained(found.ball, measured, _kept(found.certificate, how, limited), done, None)


def _matrix(kernel: Kernel | np.ndarray, n: int) -> np.ndarray:
    if isinstance(kernel, np.ndarray):
        check_square(kernel)
        return kernel
    if n > MATRIX_LIMIT:
        raise DataError(
            f"{n} distinct objects: the {kernel.kind} kernel needs its matrix here ({8e-9 * n * n:.1f} GB), which is "
            f"formed up to {MATRIX_LIMIT} objects; train in batches (SDSN(training='ordered')), or take a Gaussian "
            "kernel with solver='smo'"
        )
    return kernel.rows().matrix()


def _refuse_nothing(solution: Solution, how: Training) -> None:
    """Say that there is no ball to keep, and what to do."""
    text = f"there is no ball to keep: solver {solution.solver!r} had none when it stopped ({solution.status.value})"
    if how.time_limit is None or solution.status is not Status.LIMIT:
        raise SolveError(f"{text}; take solver='smo', which has one from its start on", solution)
    raise TimeLimitError(
        f"{text}; raise time_limit={how.time_limit:g} s, or take solver='smo', which has one from its start on",
        solution,
    )


def _kept(certificate: Certificate, how: Training, limited: bool) -> Certificate:
    """Refuse what is not proved, unless the best point is wanted all the same."""
    if certificate.ok or how.keep_best:
        return certificate
    text = f"the ball was not proved to be the smallest: {certificate}"
    other = f", or {how.advice}" if how.advice else ""
    if limited:
        raise TimeLimitError(f"{text}; time_limit={how.time_limit:g} s is over: raise it{other}")
    way = "another solver" if how.tolerance is None else f"a tolerance below {how.tolerance:g}"
    raise CertificateError(f"{text}; take {way}{other}", certificate)
