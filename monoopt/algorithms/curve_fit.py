"""From scaled data to a proved curve: several starts, the alternation, the finish, the certificates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.alternation import Algorithm, Trace, Update, fit_curve
from monoopt.algorithms.anchored_curve import Anchors, fit_anchored, preference_rows, smallest_conflict
from monoopt.algorithms.compiled_sessions import compiled_session
from monoopt.algorithms.curvature import step_off
from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.curve_search import choose_start, sample_of
from monoopt.algorithms.curve_starts import starting_curves
from monoopt.algorithms.deadline import NEVER, Deadline
from monoopt.algorithms.gauss_newton import CurveState
from monoopt.algorithms.mirrored_curves import choose_by_rule
from monoopt.algorithms.stationarity import Stationarity, stationarity
from monoopt.errors import DataError, SolveError
from monoopt.formulations import control_points
from monoopt.order.bezier import DesignSums, MonotonicityCertificate, certify_monotone, project
from monoopt.program import Certificate
from monoopt.solvers import Session

Array = npt.NDArray[np.float64]

SADDLES = 10  # that a fit steps off at most


@dataclass(frozen=True)
class CurveOptions:
    """How to fit; see `fit_curve` for the words."""

    algorithm: Algorithm = "qp"
    finish: bool = True
    solver: str = "clarabel"
    n_starts: int = 8
    max_iter: int = 1000
    tolerance: float = 1e-10
    init: Array | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    anchors: Anchors | None = None
    time_limit: float | None = None


@dataclass(frozen=True)
class CurveResult:
    """The best curve found and what is proved about it.

    Attributes
    ----------
    state : CurveState
        Control points, scores, J.
    trace : Trace
        J step by step from the chosen start (from where it led, if the starts were explored on representatives).
    starts : ndarray
        J where each start led after a few quick steps (on representatives, if there are many objects).
    stationarity, monotonicity
        Proofs about the final curve.
    programs : tuple of Certificate
        One for every control-point program that a solver solved on the way.
    limited : bool
        Whether the time was over before the fit came to its end.
    """

    state: CurveState
    trace: Trace
    starts: Array
    stationarity: Stationarity
    monotonicity: MonotonicityCertificate
    programs: tuple[Certificate, ...]
    limited: bool


def best_curve(problem: CurveProblem, options: CurveOptions, rng: np.random.Generator) -> CurveResult:
    """Try several starts, follow the best one to the end, and prove what was found."""
    deadline = Deadline.after(options.time_limit)
    start, trace, ends = choose_start(problem, options.n_starts, options.init, rng, deadline)
    programs: list[Certificate] = []
    update = None if options.solver == "direct" else solver_update(problem, options, programs, deadline)
    state, more = _down(problem, start, options, update, deadline)
    trace = trace.then(more)
    if options.init is None:
        state = choose_by_rule(problem, state)
    rows = None
    if options.anchors is not None and options.anchors.broken(_scores_of(problem, state, options.anchors)).any():
        state = _anchored(problem, state, options, rng, deadline)
        trace = Trace(("anchored",), np.array([state.value]))
        rows = preference_rows(problem, state.control_points, options.anchors)
    return CurveResult(
        state,
        trace,
        ends,
        stationarity(problem, state, preferences=rows),
        certify_monotone(state.control_points, problem.directions),
        tuple(programs),
        deadline.over,
    )


def _down(
    problem: CurveProblem, start: CurveState, options: CurveOptions, update: Update | None, deadline: Deadline
) -> tuple[CurveState, Trace]:
    """Fit from one start to a stationary curve, and on from there where that is a saddle."""
    words: dict[str, Any] = {
        "algorithm": options.algorithm, "update": update, "finish": options.finish,
        "max_iter": options.max_iter, "tolerance": options.tolerance, "deadline": deadline,
    }  # fmt: skip
    state, trace = fit_curve(problem, start, **words)
    for _ in range(SADDLES):
        beside = None if deadline.over else step_off(problem, state)
        if beside is None:
            break
        trace = trace.then(Trace(("saddle", "curvature"), np.array([state.value, beside.value])))
        state, more = fit_curve(problem, beside, **words)
        trace = trace.then(more)
    return state, trace


def solver_update(
    problem: CurveProblem, options: CurveOptions, keep: list[Certificate], deadline: Deadline = NEVER
) -> Update:
    """Return an update that hands the control-point program to a solver and keeps the certificates.

    Only the objective changes from step to step: one session serves all, so that layers compile once. A solver that
    the deadline stops leaves the control points where they are.
    """
    sessions: list[Session] = []

    def update(sums: DesignSums, P: Array) -> Array:
        program = control_points.build_from_sums(
            sums, directions=problem.directions, attribute_weights=problem.weights, margin=problem.margin
        )
        if sessions:
            sessions[0].set_objective(program)
        else:
            sessions.append(compiled_session(program, options.solver, options.settings))
        try:
            solution = sessions[0].solve(time_limit=deadline.left)
        except SolveError:
            if deadline.over:
                return P
            raise
        if solution.certificate is not None:
            keep.append(solution.certificate)
        return control_points.read(program, solution, directions=problem.directions)

    return update


def _scores_of(problem: CurveProblem, state: CurveState, anchors: Anchors) -> Array:
    return project(anchors.U, state.control_points, problem.weights)[0]


def _anchored(
    problem: CurveProblem, state: CurveState, options: CurveOptions, rng: np.random.Generator, deadline: Deadline
) -> CurveState:
    """Fit with the statements, on representatives first where there are many objects."""
    assert options.anchors is not None
    sample = sample_of(problem, rng)
    starts = [state.control_points, *starting_curves(sample, options.n_starts, rng)]
    found = fit_anchored(sample, options.anchors, starts, options.max_iter, deadline)
    if found is not None and sample is not problem:
        found = fit_anchored(problem, options.anchors, [found.control_points], options.max_iter, deadline)
    if found is not None:
        return found
    if deadline.over:
        raise SolveError("time_limit is over, and no curve that meets the anchors has been found: raise it")
    conflict = smallest_conflict(sample, options.anchors, starts, options.max_iter)
    raise DataError(
        f"anchors: no curve of degree {problem.degree} was found that meets {'; '.join(conflict)}; drop one of them or "
        "raise the degree",
        conflict,
    )
