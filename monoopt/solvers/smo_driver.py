"""Sequential minimal optimization with rows of P on demand.

minimise 1/2 x'Px + c'x  subject to  sum x = total,  lower <= x <= upper.

Pairs of columns by the maximal violation and second-order choice (Fan, Chen, Lin 2005), columns that seem
settled at a bound set aside (shrinking; their gradient is rebuilt and checked before any answer), rows of P
computed when first needed and kept in a cache of stated size. P is not formed, but used as it is where it is there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, Self

import numpy as np

SHRINK_EVERY = 1000  # pair steps between two looks at what can be set aside
SHRINK_LEAST = 100  # fewer active columns are not worth it: all their rows are computed at once
ROWS_AT_ONCE = 64  # of a matrix in a product: a copy that stays in the processor's cache
CACHE_MEGABYTES = 400.0
ROUGH = 100.0  # times the tolerance: reached first, and followed by a leap
LEAP_EFFORT = 10  # operations of a leap (k^3 for k columns) that take as long as one column in a pair step
LEAP_RIDGE = 1e-13  # of the largest entry: equal columns have no single least point
STEPS_LEAST = 10_000_000


class Rows(Protocol):
    """A symmetric positive semidefinite matrix P of which any block can be computed."""

    def __len__(self) -> int: ...

    def take(self, index: np.ndarray) -> Self:
        """Rows and columns of a subset."""
        ...

    def diagonal(self) -> np.ndarray:
        """Diagonal of P."""
        ...

    def row(self, k: int) -> np.ndarray:
        """Row k of P."""
        ...

    def block(self, other: Self) -> np.ndarray:
        """P between these (rows) and others (columns)."""
        ...

    def dot(self, other: Self, weights: np.ndarray) -> np.ndarray:
        """``block(other) @ weights``, in pieces."""
        ...

    def whole(self) -> np.ndarray | None:
        """P itself where it lies in memory, None where it would have to be computed."""
        ...


@dataclass(frozen=True, eq=False)
class MatrixRows:
    """The `Rows` of a matrix that is there."""

    matrix: np.ndarray
    index: np.ndarray

    def __len__(self) -> int:
        return len(self.index)

    def take(self, index: np.ndarray) -> MatrixRows:
        """Rows and columns of a subset."""
        return MatrixRows(self.matrix, self.index[index])

    def diagonal(self) -> np.ndarray:
        """Diagonal of P."""
        return self.matrix[self.index, self.index]

    def row(self, k: int) -> np.ndarray:
        """Row k of P."""
        return self.matrix[self.index[k], self.index]

    def block(self, other: MatrixRows) -> np.ndarray:
        """P between these (rows) and others (columns)."""
        return self.matrix[np.ix_(self.index, other.index)]

    def dot(self, other: MatrixRows, weights: np.ndarray) -> np.ndarray:
        """``block(other) @ weights`` as a sum over the others' rows (P is symmetric)."""
        spread = np.zeros(len(self.matrix))
        spread[other.index] = weights
        used, total = np.flatnonzero(spread), np.zeros(len(self.matrix))
        for start in range(0, len(used), ROWS_AT_ONCE):
            some = used[start : start + ROWS_AT_ONCE]
            total += spread[some] @ self.matrix[some]
        return total[self.index]

    def whole(self) -> np.ndarray:
        """P: the matrix, or a copy of a part of it."""
        everything = len(self.index) == len(self.matrix) and (np.diff(self.index) == 1).all()
        return np.ascontiguousarray(self.matrix if everything else self.block(self))


@dataclass(frozen=True, eq=False)
class Descent:
    """Where SMO stopped.

    Attributes
    ----------
    x, gradient : ndarray
        The point and Px + c there.
    violation : float
        Largest gradient difference over pairs that could still move; at most the tolerance when converged.
    converged : bool
        Whether it got there.
    multiplier : float
        Multiplier of the sum: the lower end of the interval in which it may lie. There no column that can grow has
        a negative reduced cost, so that the dual bound is as good as the violation is small, however wide the box.
    counts : dict of str to int
        Pair steps, rows computed, full checks.
    """

    x: np.ndarray
    gradient: np.ndarray
    violation: float
    converged: bool
    multiplier: float
    counts: dict[str, int]


def minimise(
    rows: Rows,
    c: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    start: np.ndarray,
    *,
    tolerance: float = 1e-7,
    cache_megabytes: float = CACHE_MEGABYTES,
    time_limit: float | None = None,
    threads: int = 1,
) -> Descent:
    """Minimise 1/2 x'Px + c'x over the box, keeping sum x as it is at the start.

    Parameters
    ----------
    rows : Rows
        P by blocks.
    c, lower, upper : ndarray, shape (n,)
        Costs and bounds; the lower bounds are finite.
    start : ndarray, shape (n,)
        A feasible point: its sum is kept.
    tolerance : float
        Largest violation of the optimality conditions left, in units of the gradient.
    cache_megabytes : float
        Memory for rows of P that are computed; a matrix that is there needs none.
    time_limit : float, optional
        Wall seconds; the point reached is feasible and is handed back as not converged.
    threads : int
        Threads of the matrix products.
    """
    with _pools().limit(limits=threads, user_api="blas"):
        return _Work(rows, c, lower, upper, start, tolerance, cache_megabytes, time_limit).run()


@cache
def _pools() -> Any:
    """Thread pools of the process; looking for them takes milliseconds, so they are looked for once."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _Work:
    """One run: the full vectors, and the active set that is being worked on."""

    def __init__(
        self,
        rows: Rows,
        c: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        start: np.ndarray,
        tolerance: float,
        cache_megabytes: float,
        time_limit: float | None,
    ) -> None:
        self.rows, self.lower, self.upper = rows, lower, upper
        self.tolerance = tolerance
        self.cache_entries = int(cache_megabytes * 125_000)
        self.deadline = np.inf if time_limit is None else time.monotonic() + time_limit
        self.x = start.astype(float).copy()
        self.gradient = c + self._product(np.arange(len(c)), np.flatnonzero(self.x), self.x)
        self.at = self.x.copy()  # the point at which the gradient of set-aside columns holds
        self.counts = {"steps": 0, "rows": 0, "checks": 0}

    def run(self) -> Descent:
        """Work on the active set, check the rest, take back what violates, until nothing does."""
        active = np.arange(len(self.x))
        while True:
            converged, active = self._settle(active)
            aside = np.ones(len(self.x), dtype=bool)
            aside[active] = False
            rest = np.flatnonzero(aside)
            self._refresh(rest)
            least, most = _interval(self.gradient, self.x, self.lower, self.upper)
            violation = max(0.0, most - least)
            if violation <= self.tolerance or not converged or not len(rest):
                break
            low, high = _interval(*(v[active] for v in (self.gradient, self.x, self.lower, self.upper)))
            grows = (self.gradient[rest] < high) & (self.x[rest] < self.upper[rest])
            shrinks = (self.gradient[rest] > low) & (self.x[rest] > self.lower[rest])
            active = np.union1d(active, rest[grows | shrinks])
        multiplier = least if np.isfinite(least) else most if np.isfinite(most) else 0.0
        done = violation <= self.tolerance
        return Descent(self.x, self.gradient, violation, done, multiplier, self.counts)

    def _settle(self, active: np.ndarray) -> tuple[bool, np.ndarray]:
        """Descend on the active columns to the tolerance, shrinking them; return them as they are left."""
        piece = _Active(self, active)
        most_steps = max(STEPS_LEAST, 100 * len(self.x))
        tolerance = ROUGH * self.tolerance
        while True:
            reached = piece.descend(SHRINK_EVERY if len(piece.index) > SHRINK_LEAST else most_steps, tolerance)
            over = time.monotonic() > self.deadline or self.counts["steps"] >= most_steps
            finished = reached and tolerance == self.tolerance
            if finished or over:
                piece.write_back()
                return finished, piece.index
            if reached:
                piece.leap()
                tolerance = self.tolerance
            else:
                piece.shrink()

    def _refresh(self, rest: np.ndarray) -> None:
        """Bring the gradient of set-aside columns to the present point: one product with what has moved."""
        moved = np.flatnonzero(self.x != self.at)
        self.gradient[rest] += self._product(rest, moved, self.x - self.at)
        self.at = self.x.copy()
        self.counts["checks"] += 1

    def _product(self, index: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
        if not len(index) or not len(columns):
            return np.zeros(len(index))
        return self.rows.take(index).dot(self.rows.take(columns), weights[columns])


class _Active:
    """The active columns with compact copies of their data and the cache of their rows."""

    def __init__(self, work: _Work, index: np.ndarray) -> None:
        self.work = work
        self.state, self.buffer = np.array([-1, -1, 0]), np.empty(0)
        self.index = index
        self.rows = work.rows.take(index)
        self.diagonal = self.rows.diagonal()
        vectors = (work.gradient, work.x, work.lower, work.upper)
        self.gradient, self.x, self.lower, self.upper = (vector[index] for vector in vectors)
        self._bar()
        matrix = self.rows.whole()
        if matrix is None and len(index) <= SHRINK_LEAST:
            matrix = self.rows.block(self.rows)
        if matrix is None:
            self._lay_out(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        else:
            self._show(matrix)

    def _bar(self) -> None:
        """Note which columns can't grow and which can't shrink, as infinite entries."""
        self.barred_up = np.where(self.x < self.upper, 0.0, np.inf)
        self.barred_down = np.where(self.x > self.lower, 0.0, np.inf)

    def _lay_out(self, owners: np.ndarray, stamps: np.ndarray) -> None:
        """Cut the buffer into rows; the first ones hold what the owners had."""
        n = len(self.index)
        if not len(self.buffer):
            self.buffer = np.empty(min(max(self.work.cache_entries, 2 * n), n * n + n))
        slots = max(2, min(n, len(self.buffer) // n))
        self.cache = self.buffer[: slots * n].reshape(slots, n)
        self.used = len(owners)
        self.owner = np.full(slots, -1)
        self.stamp = np.zeros(slots, dtype=np.int64)
        self.place = np.full(n, -1)
        self.owner[: self.used], self.stamp[: self.used] = owners, stamps
        self.place[owners] = np.arange(self.used)

    def _show(self, matrix: np.ndarray) -> None:
        """Take the rows from a matrix: none will be missed."""
        self.cache, self.used = matrix, 0
        self.place, self.stamp = np.arange(len(matrix)), np.zeros(len(matrix), dtype=np.int64)

    def descend(self, steps: int, tolerance: float) -> bool:
        """Take at most this many pair steps, fetching rows as they are missed; tell whether it converged."""
        from monoopt.solvers._smo_kernels import CONVERGED, ROW_MISSING, descend

        vectors = (self.gradient, self.x, self.lower, self.upper, self.barred_up, self.barred_down, self.diagonal)
        while True:
            why, done = descend(*vectors, self.cache, self.place, self.stamp, self.state, tolerance, steps)
            steps -= done
            self.work.counts["steps"] += done
            if why != ROW_MISSING:
                return why == CONVERGED
            if time.monotonic() > self.work.deadline:
                return False
            self._fetch()

    def leap(self) -> None:
        """Go to the least objective over the columns between their bounds, or to the first bound on the way.

        One linear system for what pair steps would take hundreds for; left out where it would be more work than
        the steps so far, and where it has no clear answer.
        """
        free = np.flatnonzero((self.x > self.lower) & (self.x < self.upper))
        effort = LEAP_EFFORT * self.work.counts["steps"] * len(self.index)
        if len(free) < 2 or len(free) ** 3 > effort or (self.place[free] < 0).any():
            return
        rows = self.cache[self.place[free]]
        way = _valley(rows[:, free], self.gradient[free])
        ahead = np.where(way > 0, self.upper[free], self.lower[free])
        share = np.divide(ahead - self.x[free], way, out=np.full(len(free), np.inf), where=way != 0)
        t = min(1.0, float(share.min()))
        change = t * (way @ rows)
        if not t * (way @ (self.gradient[free] + 0.5 * change[free])) < 0:
            return
        self.x[free] = np.where(share <= t, ahead, self.x[free] + t * way)
        self.gradient += change
        self._bar()

    def _fetch(self) -> None:
        """Compute the missing row of the pair at hand, in place of the row that rested longest."""
        i, j = int(self.state[0]), int(self.state[1])
        missing = i if self.place[i] < 0 else j
        slot = self.used if self.used < len(self.stamp) else self._oldest(i)
        self.used = max(self.used, slot + 1)
        self.cache[slot] = self.rows.row(missing)
        self.place[missing], self.owner[slot], self.stamp[slot] = slot, missing, self.state[2]
        self.work.counts["rows"] += 1

    def _oldest(self, partner: int) -> int:
        """Free the slot of the row that rested longest; the row of the partner stays."""
        if self.place[partner] >= 0:
            self.stamp[self.place[partner]] = self.state[2] + 1
        slot = int(np.argmin(self.stamp))
        self.place[self.owner[slot]] = -1
        return slot

    def shrink(self) -> None:
        """Set aside the columns that sit at a bound and want to stay there."""
        low, high = _interval(self.gradient, self.x, self.lower, self.upper)
        settled = (self.x >= self.upper) & (self.gradient < low) | (self.x <= self.lower) & (self.gradient > high)
        if settled.sum() <= (0.1 if self.used else 0.5) * len(self.index):  # a matrix is copied, rows are compacted
            return
        keep = np.flatnonzero(~settled)
        compacted = self._compact(keep) if self.used else None
        self.work.x[self.index] = self.x  # the full gradient stays as it is at `work.at`
        self.index, self.rows = self.index[keep], self.rows.take(keep)
        vectors = (self.gradient, self.x, self.lower, self.upper, self.diagonal)
        self.gradient, self.x, self.lower, self.upper, self.diagonal = (v[keep] for v in vectors)
        self._bar()
        if compacted is None:
            self._show(self.cache[np.ix_(keep, keep)])
        else:
            self._lay_out(*compacted)

    def _compact(self, keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Move the cached rows of kept columns, without the dropped entries, to the front of the buffer."""
        n, m = len(self.index), len(keep)
        new_place = np.full(n, -1)
        new_place[keep] = np.arange(m)
        alive = np.array([s for s in range(self.used) if new_place[self.owner[s]] >= 0], dtype=np.int64)
        for target, source in enumerate(alive):
            self.buffer[target * m : (target + 1) * m] = self.buffer[source * n : (source + 1) * n][keep]
        return new_place[self.owner[alive]], self.stamp[alive]

    def write_back(self) -> None:
        """Store point and gradient in the full vectors."""
        self.work.x[self.index] = self.x
        self.work.gradient[self.index] = self.gradient


def _valley(K: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the step d of sum 0 that minimises 1/2 d'Kd + slope'd, the first entry taken as minus the others."""
    apart = K[1:] - K[0]
    curvature = apart[:, 1:] - apart[:, :1]
    curvature[np.diag_indices(len(curvature))] += LEAP_RIDGE * float(np.abs(K).max())
    try:
        others = np.linalg.solve(curvature, slope[0] - slope[1:])
    except np.linalg.LinAlgError:
        return np.full(len(K), np.nan)
    return np.concatenate([[-others.sum()], others])


def _interval(gradient: np.ndarray, x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[float, float]:
    """Least gradient of what can grow, largest gradient of what can shrink: optimal when the first is not less."""
    least = float(np.min(gradient, where=x < upper, initial=np.inf))
    most = float(np.max(gradient, where=x > lower, initial=-np.inf))
    return least, most
