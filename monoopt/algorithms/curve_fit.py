"""From scaled data to a proved curve: several starts, the alternation, the finish, the certificates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.alternation import Algorithm, Trace, Update, fit_curve
from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.curve_starts import representatives, starting_curves
from monoopt.algorithms.gauss_newton import CurveState
from monoopt.algorithms.stationarity import Stationarity, stationarity
from monoopt.formulations import control_points
from monoopt.order.bezier import DesignSums, MonotonicityCertificate, certify_monotone
from monoopt.program import Certificate

Array = npt.NDArray[np.float64]

LARGE = 4000  # above this many objects the starts are tried on representatives
QUICK = 6  # Gauss-Newton steps that a start gets to show where it leads
SAME = 1e-3  # starts that lead this near (share of the box) to a curve already seen are not followed


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


@dataclass(frozen=True)
class CurveResult:
    """The best curve found and what is proved about it.

    Attributes
    ----------
    state : CurveState
        Control points, scores, J.
    trace : Trace
        J step by step from the chosen start.
    starts : ndarray
        J where each start led after a few quick steps (on representatives, if there are many objects).
    stationarity, monotonicity
        Proofs about the final curve.
    programs : tuple of Certificate
        One for every control-point program that a solver solved on the way.
    """

    state: CurveState
    trace: Trace
    starts: Array
    stationarity: Stationarity
    monotonicity: MonotonicityCertificate
    programs: tuple[Certificate, ...]


def best_curve(problem: CurveProblem, options: CurveOptions, rng: np.random.Generator) -> CurveResult:
    """Try several starts, follow the best one to the end, and prove what was found."""
    start, ends = _choose_start(problem, options, rng)
    programs: list[Certificate] = []
    update = None if options.solver == "direct" else solver_update(problem, options, programs)
    state, trace = fit_curve(
        problem,
        start,
        algorithm=options.algorithm,
        update=update,
        finish=options.finish,
        max_iter=options.max_iter,
        tolerance=options.tolerance,
    )
    return CurveResult(
        state,
        trace,
        ends,
        stationarity(problem, state),
        certify_monotone(state.control_points, problem.directions),
        tuple(programs),
    )


def solver_update(problem: CurveProblem, options: CurveOptions, keep: list[Certificate]) -> Update:
    """Return an update that hands the control-point program to a solver and keeps the certificates."""
    from monoopt.solvers import solve

    def update(sums: DesignSums, P: Array) -> Array:
        program = control_points.build_from_sums(
            sums, directions=problem.directions, attribute_weights=problem.weights, margin=problem.margin
        )
        solution = solve(program, options.solver, **options.settings)
        if solution.certificate is not None:
            keep.append(solution.certificate)
        return control_points.read(program, solution, directions=problem.directions)

    return update


def _choose_start(problem: CurveProblem, options: CurveOptions, rng: np.random.Generator) -> tuple[CurveState, Array]:
    """Follow each start a few quick steps and return the one that leads lowest, and where all led."""
    if options.init is not None:
        start = _state(problem, problem.curve(options.init[1:-1].ravel()))
        return start, np.array([start.value])
    large = len(problem.U) > LARGE
    sample = problem.subset(representatives(problem, LARGE // 2, rng)) if large else problem
    curves = starting_curves(sample, options.n_starts, rng)
    ends: list[CurveState] = []
    best = 0
    for at, P in enumerate(curves):
        ends.append(_quick(sample, P, ends))
        if ends[at].value < ends[best].value * (1 - 1e-9):
            best = at
    chosen = ends[best].control_points if large else curves[best]
    return _state(problem, chosen), np.array([end.value for end in ends])


def _quick(problem: CurveProblem, P: Array, seen: list[CurveState]) -> CurveState:
    """Where a start leads after a few steps; cut short when it joins a curve already seen."""
    state, _ = fit_curve(problem, _state(problem, P), max_iter=2, tolerance=1e-4)
    for other in seen:
        if np.abs(other.control_points - state.control_points).max() <= SAME:
            return other
    return fit_curve(problem, state, max_iter=QUICK, tolerance=1e-4)[0]


def _state(problem: CurveProblem, P: Array) -> CurveState:
    return CurveState(P, *problem.project(P))
