"""Which start to follow: each is explored for a few quick steps, and the one that leads lowest is taken from there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.alternation import HAND_OVER, Trace, fit_curve
from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.curve_starts import representatives, starting_curves
from monoopt.algorithms.deadline import Deadline
from monoopt.algorithms.gauss_newton import CurveState
from monoopt.order.bezier import projection_tables

Array = npt.NDArray[np.float64]

LARGE = 4000  # above this many objects the starts are explored on representatives
ROUNDS = 4  # of two steps of each kind that a start gets to show where it leads
SLOW = 1e-4  # relative decrease of J in a round below which it has shown it
COMPILED = 3  # the degree whose exploration is compiled; each degree would be compiled anew
EXACT = 1e-18  # J per unit of weight below which a curve goes through all objects, and only rounding tells two apart
SAME = 1e-2  # starts that lead this near (share of the box) to a curve already seen are not followed


class Explored(NamedTuple):
    """Where a start leads, and J on the way."""

    control_points: Array
    trace: Trace

    @property
    def value(self) -> float:
        """J at the end."""
        return float(self.trace.values[-1])


def choose_start(
    problem: CurveProblem, n_starts: int, init: Array | None, rng: np.random.Generator, deadline: Deadline
) -> tuple[CurveState, Trace, Array]:
    """Explore the starts.

    Parameters
    ----------
    problem : CurveProblem
    n_starts : int
    init : ndarray, shape (k + 1, d), optional
        Take this curve, and explore none.
    rng : Generator
    deadline : Deadline
        After it no further start is explored; the first always is.

    Returns
    -------
    state : CurveState
        Where the start that leads lowest has got to.
    trace : Trace
        J from that start to there (no more than the last value, if the starts were explored on representatives).
    ends : ndarray
        J where every start led.
    """
    if init is not None:
        return _taken(problem, problem.curve(init[1:-1].ravel()))
    large = len(problem.U) > LARGE
    sample = sample_of(problem, rng)
    ends: list[Explored] = []
    best = 0
    exact = EXACT * float(sample.v.sum() * sample.weights.sum())
    for P in starting_curves(sample, n_starts, rng):
        if ends and deadline.over:
            break
        ends.append(explore(sample, P, ends))
        if max(ends[-1].value, exact) < ends[best].value * (1 - 1e-9):
            best = len(ends) - 1
    state, trace, _ = _taken(problem, ends[best].control_points)
    if not large:  # the last value is the same but for rounding
        explored = ends[best].trace
        trace = Trace(explored.phases, np.append(np.maximum(explored.values[:-1], state.value), state.value))
    return state, trace, np.array([end.value for end in ends])


def sample_of(problem: CurveProblem, rng: np.random.Generator) -> CurveProblem:
    """Return the same problem, on representatives if there are many objects."""
    return problem.subset(representatives(problem, LARGE // 2, rng)) if len(problem.U) > LARGE else problem


def explore(problem: CurveProblem, P: Array, seen: list[Explored]) -> Explored:
    """Follow a start a few steps; it is cut short when it joins a curve already seen, which is then returned."""
    known = np.array([other.control_points for other in seen]).reshape(-1, *P.shape)
    if problem.degree != COMPILED:
        return _explored_plainly(problem, P, seen, known)
    from monoopt.algorithms import _curve_kernels as kernels

    end, values, finishing, joined = kernels.explore(
        problem.U, problem.v, problem.weights, P, problem.margin, *projection_tables(problem.degree),
        ROUNDS, SLOW, HAND_OVER, known, SAME,
    )  # fmt: skip
    if joined >= 0:
        return seen[joined]
    return Explored(end, Trace(("start", *("gauss_newton" if late else "qp" for late in finishing[1:])), values))


def _explored_plainly(problem: CurveProblem, P: Array, seen: list[Explored], known: Array) -> Explored:
    """Do the same with the general steps, which take any degree."""
    state, trace, _ = _taken(problem, P)
    for _ in range(ROUNDS):
        before = state.value
        state, more = fit_curve(problem, state, max_iter=2, tolerance=SLOW)
        trace = trace.then(more)
        gaps = np.abs(known - state.control_points)
        joined = np.flatnonzero((gaps <= SAME).all(axis=(1, 2)))
        if len(joined):
            return seen[int(joined[0])]
        if before - state.value <= SLOW * before:
            break
    return Explored(state.control_points, trace)


def _taken(problem: CurveProblem, P: Array) -> tuple[CurveState, Trace, Array]:
    state = CurveState(P, *problem.project(P))
    return state, Trace(("start",), np.array([state.value])), np.array([state.value])
