"""Column generation: solve a linear program of too many columns through the few that matter, with a proof.

One loop for any master program and any pricer. The master program holds the columns found so far and is solved hot; the
pricer looks for columns that improve on its multipliers y and says what bound y proves over ALL columns. The loop stops
when objective and best bound meet, when nothing improves, or at a limit, and keeps a line per iteration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.algorithms.deadline import Deadline
from monoopt.errors import OptionError, SolveError
from monoopt.program import Certificate, Program, Solution, Status
from monoopt.solvers import Session, Solver, open_session, solve

Floats: TypeAlias = npt.NDArray[np.float64]

TIME, ITERATIONS = "time limit", "iteration limit"
FEW = 10  # columns found at smoothed multipliers: with fewer the true ones are priced as well


@dataclass(frozen=True, eq=False)
class Priced:
    """What a pricer found at multipliers y.

    Attributes
    ----------
    coefficients : csr_array, shape (rows, k)
        New columns, best first; they need not improve, the loop looks itself.
    costs : ndarray, shape (k,)
        Their costs in the program's sense.
    items : sequence, length k
        What the columns stand for (rules, patterns, routes).
    bound : float
        No choice among ALL columns has a better objective; infinite where y proves nothing.
    complete : bool
        Whether the search was complete, so that no column improves if none was found.
    guess : float, optional
        What the bound would be if no column were better than those found; the bound itself if not given. It proves
        nothing; smoothing goes by it.
    """

    coefficients: sparse.csr_array
    costs: Floats
    items: Sequence[Any]
    bound: float
    complete: bool
    guess: float | None = None


class Pricer(Protocol):
    """The problem of the columns: anything with this one method.

    It may have another one, ``quick``, with the same parameters: columns and a guess without any effort for the bound.
    Smoothed multipliers are priced by that.
    """

    def price(self, program: Program, y: Floats, *, tolerance: float, time_limit: float | None) -> Priced:
        """Return improving columns for the row multipliers y (program's sense) and the bound that y proves.

        A column of cost c and coefficients a improves if c - a'y is positive in a maximisation, negative in a
        minimisation. Columns that improve by no more than `tolerance` are of no use.
        """
        ...


@dataclass(frozen=True)
class Step:
    """One line of the log.

    Attributes
    ----------
    iteration : int
        From 1.
    objective, bound, gap : float
        Of the master program, the best bound so far, and their distance relative to max(1, |objective|).
    columns, added : int
        Columns in the master program that was solved, and columns found afterwards.
    seconds : float
        Since the start.
    hot : bool
        Whether the master program started from the last basis.
    pivots : int
        Simplex iterations of the master program; 0 if the solver counts none.
    """

    iteration: int
    objective: float
    bound: float
    gap: float
    columns: int
    added: int
    seconds: float
    hot: bool
    pivots: int

    def __str__(self) -> str:
        return (
            f"{self.iteration:4d}  objective {self.objective:.9g}  bound {self.bound:.9g}  gap {self.gap:.1e}  "
            f"{self.columns} columns, {self.added} more  {self.seconds:.2f} s"
        )


@dataclass(frozen=True, eq=False)
class Iterate:
    """The solution of one master program, zeros left out.

    Attributes
    ----------
    columns, values : ndarray
        Places of columns that are not zero, and their values. New columns come last: places keep their meaning.
    rows, multipliers : ndarray
        The same of the row multipliers.
    certificate : Certificate
        Of that master program alone: what is proved holds among the columns that it had.
    """

    columns: npt.NDArray[np.int64]
    values: Floats
    rows: npt.NDArray[np.int64]
    multipliers: Floats
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class Generated:
    """The result of column generation.

    Attributes
    ----------
    solution : Solution
        Of the last master program; its status is OPTIMAL only if no column outside improves, FEASIBLE at a limit,
        and its bound holds for all columns.
    items : tuple
        What the columns of the last block stand for, in order.
    steps : tuple of Step
        The log.
    iterates : tuple of Iterate
        The solution of every step.
    certificate : Certificate
        Of the master program, with the bound of the pricing in place of its own: a proof over all columns.
    stopped : str
        Why the loop ended.
    """

    solution: Solution
    items: tuple[Any, ...]
    steps: tuple[Step, ...] = field(repr=False)
    iterates: tuple[Iterate, ...] = field(repr=False)
    certificate: Certificate
    stopped: str


@dataclass(frozen=True)
class Limits:
    """When to stop.

    Attributes
    ----------
    tolerance : float
        Largest gap, relative to max(1, |objective|), that counts as closed.
    time_limit : float or None
        Wall seconds.
    max_iterations : int or None
        Master programs solved.
    smoothing : float
        In [0, 1): price first at the mixture smoothing * (multipliers of the best guess) + (1 - smoothing) * y, which
        damps the multipliers' jumps (Wentges 1997). It saves master programs and costs pricing.
    """

    tolerance: float = 1e-6
    time_limit: float | None = None
    max_iterations: int | None = None
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        """Refuse values outside their range, all at once."""
        faults = []
        if not 0 < self.tolerance < 1:
            faults.append(f"tolerance={self.tolerance!r}: wanted a number between 0 and 1")
        if self.time_limit is not None and not self.time_limit > 0:
            faults.append(f"time_limit={self.time_limit!r}: wanted a positive number of seconds or None")
        if self.max_iterations is not None and not self.max_iterations >= 1:
            faults.append(f"max_iterations={self.max_iterations!r}: wanted a whole number from 1, or None")
        if not 0 <= self.smoothing < 1:
            faults.append(f"smoothing={self.smoothing!r}: wanted a number from 0, below 1")
        if faults:
            raise OptionError("; ".join(faults))


def generate_columns(
    program: Program,
    pricer: Pricer,
    items: Sequence[Any],
    *,
    bound: float | None = None,
    limits: Limits | None = None,
    solver: str | Solver = "highs",
    options: Mapping[str, Any] | None = None,
    callback: Callable[[Step], object] | None = None,
) -> Generated:
    """Solve a linear program over all columns that the pricer can find.

    Parameters
    ----------
    program : Program
        The master program with the columns to start from; new ones are added to its last column block.
    pricer : Pricer
        Finds improving columns and proves bounds.
    items : sequence
        What the columns of the last block stand for.
    bound : float, optional
        What is known beforehand: no choice among all columns has a better objective.
    limits : Limits, optional
        When to stop.
    solver : str or Solver
        For the master program; it must give multipliers.
    options : mapping, optional
        Native options of the solver.
    callback : callable, optional
        Called with every `Step`.

    Returns
    -------
    Generated
        At a limit the best point so far, with status FEASIBLE and the best bound; LIMIT without a point if not even
        the first master program could be solved in time.

    Raises
    ------
    SolveError
        The first master program has no optimum.
    """
    loop = _Loop(program, pricer, list(items), bound, limits or Limits(), solver, options, callback)
    with open_session(program, solver, options=options) as session:
        loop.run(session)
    return loop.result()


class _Loop:
    """The state of one run: the last good solution, the best bound and the multipliers that gave it, the log."""

    def __init__(
        self,
        program: Program,
        pricer: Pricer,
        items: list[Any],
        bound: float | None,
        limits: Limits,
        solver: str | Solver,
        options: Mapping[str, Any] | None,
        callback: Callable[[Step], object] | None,
    ) -> None:
        self.pricer, self.items, self.limits = pricer, items, limits
        self.solver, self.options, self.callback = solver, options, callback
        self.block = program.columns[-1].name
        self.better = 1.0 if program.sense == "maximize" else -1.0
        self.bound = self.better * np.inf if bound is None else bound
        self.centre: Floats | None = None
        self.guess = self.better * np.inf
        self.solution: Solution | None = None
        self.items_solved = len(items)
        self.steps: list[Step] = []
        self.iterates: list[Iterate] = []
        self.stopped = ""
        self.start, self.deadline = time.monotonic(), Deadline.after(self.limits.time_limit)
        last = program.block(self.block)
        self.known = set(_keys(program.A[:, last], program.sign * program.c[last]))

    def run(self, session: Session) -> None:
        """Solve, price, add, until something stops it."""
        while not self.stopped:
            solution = self._solve(session)
            if solution is None:
                return
            self.solution, self.items_solved = solution, len(self.items)
            found = None if self.deadline.over else self._improving(session.program, solution)
            self._log(session, solution, found)
            self._decide(found)
            if not self.stopped and found is not None:
                session.add_columns(self.block, cost=found.costs, coefficients=found.coefficients)
                self.items += found.items

    def _solve(self, session: Session) -> Solution | None:
        """Solve the master program hot, and cold if that answer fails its certificate; None ends the loop."""
        solution = session.solve(time_limit=self.deadline.left, raise_on_failure=False)
        if not solution.optimal and not self.deadline.over:
            solution = solve(
                session.program,
                self.solver,
                time_limit=self.deadline.left,
                options=self.options,
                raise_on_failure=False,
            )
        if solution.optimal and solution.y is not None:
            return solution
        limit = self.deadline.over
        if self.solution is None and not limit:
            raise SolveError(f"column generation, first master program: {solution}", solution)
        self.stopped = TIME if limit else f"the master program could not be solved again: {solution}"
        if self.solution is None:
            self.solution = replace(solution, status=Status.LIMIT, x=None, y=None, z=None, objective=None)
        return None

    def _improving(self, program: Program, solution: Solution) -> Priced:
        """Price at smoothed multipliers first, then at the true ones; return new columns that improve."""
        y = solution.y
        assert y is not None
        if not self.limits.smoothing or self.centre is None:
            return self._price(program, y, y, self.pricer.price)
        quick = getattr(self.pricer, "quick", self.pricer.price)
        mixed = self.limits.smoothing * self.centre + (1 - self.limits.smoothing) * y
        found = self._price(program, mixed, y, quick)
        if len(found.items) >= FEW or self._gap(solution) <= self.limits.tolerance:
            return found
        return _joined(found, self._price(program, y, y, quick if found.items else self.pricer.price))

    def _price(self, program: Program, at: Floats, y: Floats, price: Callable[..., Priced]) -> Priced:
        """Price at some multipliers; keep what is new and improves at y."""
        found = price(program, at, tolerance=self.limits.tolerance / 2, time_limit=self.deadline.left)
        if self.better * found.bound < self.better * self.bound:
            self.bound = found.bound
        guess = found.bound if found.guess is None else found.guess
        if self.better * guess < self.better * self.guess:
            self.guess, self.centre = guess, at
        gains = self.better * (found.costs - found.coefficients.T @ y)
        kept = []
        for t, key in enumerate(_keys(found.coefficients, found.costs)):
            if gains[t] > self.limits.tolerance / 2 and key not in self.known:
                self.known.add(key)
                kept.append(t)
        return Priced(
            sparse.csr_array(found.coefficients[:, kept]),
            found.costs[kept],
            [found.items[t] for t in kept],
            found.bound,
            found.complete,
        )

    def _decide(self, found: Priced | None) -> None:
        """Say why to stop, if there is a reason."""
        assert self.solution is not None
        if self._gap(self.solution) <= self.limits.tolerance:
            self.stopped = "proved: no column outside improves"
        elif found is None or (not found.items and not found.complete):
            self.stopped = TIME
        elif not found.items:
            self.stopped = "no new column improves, yet the bound is not reached: a tolerance is too coarse"
        elif len(self.steps) == self.limits.max_iterations:
            self.stopped = ITERATIONS

    def _log(self, session: Session, solution: Solution, found: Priced | None) -> None:
        step = Step(
            iteration=len(self.steps) + 1,
            objective=float(solution.objective or 0.0),
            bound=self.bound,
            gap=self._gap(solution),
            columns=session.program.column_block(self.block).size,
            added=0 if found is None else len(found.items),
            seconds=time.monotonic() - self.start,
            hot=solution.stats.hot,
            pivots=solution.stats.iterations.get("simplex", 0),
        )
        self.steps.append(step)
        self.iterates.append(_without_zeros(solution))
        if self.callback is not None:
            self.callback(step)

    def result(self) -> Generated:
        """Put the bound over all columns in place of the master program's own."""
        assert self.solution is not None and self.solution.certificate is not None
        gap = self._gap(self.solution)
        closed = gap <= self.limits.tolerance
        own = self.solution.certificate
        why = f"bound over all columns by pricing; {self.stopped}"
        if self.solution.x is None:
            own, why = Certificate("none", False, own.tolerance), f"no point: {self.stopped}"
        certificate = replace(
            own,
            ok=own.ok and closed,
            tolerance=max(own.tolerance, self.limits.tolerance),
            dual_objective=self.bound,
            gap=gap,
            reasons=(*own.reasons, why),
        )
        status = self.solution.status
        if status is Status.OPTIMAL and not closed:
            status = Status.FEASIBLE
        solution = replace(self.solution, status=status, bound=self.bound, certificate=certificate)
        items = tuple(self.items[: self.items_solved])
        return Generated(solution, items, tuple(self.steps), tuple(self.iterates), certificate, self.stopped)

    def _gap(self, solution: Solution) -> float:
        if solution.objective is None:
            return float("inf")
        return abs(self.bound - solution.objective) / max(1.0, abs(solution.objective))


def _joined(first: Priced, second: Priced) -> Priced:
    """Put the columns of two answers side by side; what is proved is what the second one proves."""
    return replace(
        second,
        coefficients=sparse.csr_array(sparse.hstack([first.coefficients, second.coefficients])),
        costs=np.concatenate([first.costs, second.costs]),
        items=[*first.items, *second.items],
    )


def _without_zeros(solution: Solution) -> Iterate:
    assert solution.x is not None and solution.y is not None and solution.certificate is not None
    columns, rows = np.flatnonzero(solution.x), np.flatnonzero(solution.y)
    return Iterate(columns, solution.x[columns], rows, solution.y[rows], solution.certificate)


def _keys(coefficients: Any, costs: Floats) -> list[bytes]:
    """Columns as bytes, so that none is taken twice."""
    columns = sparse.csc_array(coefficients)
    columns.sort_indices()
    rows, data = columns.indices.astype("<i8"), columns.data + 0.0
    ends = zip(columns.indptr[:-1], columns.indptr[1:], costs + 0.0, strict=True)
    return [rows[a:b].tobytes() + data[a:b].tobytes() + cost.tobytes() for a, b, cost in ends]
