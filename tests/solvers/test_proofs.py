"""No backend is believed: claims are proved, contradicted, or marked as mere claims."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.errors import SolveError
from monoopt.program import ProgramBuilder, Status
from monoopt.program.residuals import farkas_margin, row_violation
from monoopt.solvers import Settings, solve
from monoopt.solvers.proofs import least_violation, steepest_direction
from tests.solvers.liar import Liar
from tests.solvers.named_programs import CASES


def told(word: str, status: Status, **answer: object):
    return solve(CASES[word].build(), Liar(status, **answer), raise_on_failure=False)


def test_the_truth_passes() -> None:
    solution = told("demand", Status.OPTIMAL, x=[3, 1], y=[3], z=[-1, 0])
    assert solution.optimal and solution.certificate.kind == "optimality" and solution.bound == 9


@pytest.mark.parametrize("x", [[3, 0.9], [3.1, 1], [np.nan, 1], [np.inf, 1], [-1, 5]])
def test_an_optimal_point_that_violates_something_is_no_point(x: list[float]) -> None:
    solution = told("demand", Status.OPTIMAL, x=x, y=[3], z=[-1, 0])
    assert solution.status is Status.NUMERICAL and solution.x is None and solution.objective is None


@pytest.mark.parametrize(
    ("y", "z"), [([2.5], [-1, 0]), ([3], [1, 0]), ([-3], [-1, 0]), ([0], [2, 3]), ([np.nan], [-1, 0])]
)
def test_an_optimum_with_wrong_multipliers_is_only_a_point(y: list[float], z: list[float]) -> None:
    solution = told("demand", Status.OPTIMAL, x=[3, 1], y=y, z=z)
    assert solution.status is Status.FEASIBLE and not solution.certificate.ok
    with pytest.raises(SolveError, match="not proved optimal"):
        solve(CASES["demand"].build(), Liar(Status.OPTIMAL, x=[3, 1], y=y, z=z))


def test_a_feasible_point_called_optimal_is_only_a_point() -> None:
    assert told("demand", Status.OPTIMAL, x=[2, 2], y=[3], z=[-1, 0]).status is Status.FEASIBLE


def test_a_point_that_a_limit_left_and_multipliers_prove_is_an_optimum() -> None:
    assert told("demand", Status.LIMIT, x=[3, 1], y=[3], z=[-1, 0]).optimal
    assert told("demand", Status.NUMERICAL, x=[3, 1], y=[3], z=[-1, 0]).optimal


def test_a_whole_number_optimum_away_from_its_own_bound_is_only_a_point() -> None:
    x = [1, 1, 0, 0]  # value 19, the optimum is 21
    assert told("knapsack", Status.OPTIMAL, x=x, bound=-19).optimal
    solution = told("knapsack", Status.OPTIMAL, x=x, bound=-21)
    assert solution.status is Status.FEASIBLE and solution.objective == 19 and solution.bound == 21


def test_optimal_without_a_point_is_an_error() -> None:
    assert told("demand", Status.OPTIMAL).status is Status.ERROR
    assert told("demand", Status.FEASIBLE).status is Status.LIMIT


def test_infeasible_is_contradicted_by_a_point() -> None:
    solution = told("demand", Status.INFEASIBLE)
    assert solution.status is Status.NUMERICAL


@pytest.mark.parametrize("ray", [None, [1.0, 1.0], [0.0, 0.0], [np.nan, 1.0], [1.0]])
def test_infeasible_without_a_good_ray_is_proved_by_ours(ray: list[float] | None) -> None:
    words = {} if ray is None else {"ray": ray}
    solution = told("infeasible_sides", Status.INFEASIBLE, **words)
    assert solution.status is Status.INFEASIBLE and solution.certificate.ok
    assert farkas_margin(solution.program, solution.ray) > 0


def test_a_ray_of_the_other_sign_is_turned() -> None:
    solution = told("infeasible_sides", Status.INFEASIBLE, ray=[-1.0, 1.0])
    np.testing.assert_array_equal(solution.ray, [1.0, -1.0])


@pytest.mark.parametrize("status", [Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED])
def test_unbounded_or_not_is_decided(status: Status) -> None:
    assert told("unbounded", status).status is Status.UNBOUNDED
    assert told("unbounded", status).certificate.ok
    assert told("infeasible_sides", status).status is Status.INFEASIBLE
    assert told("infeasible_with_an_improving_direction", status).status is Status.INFEASIBLE
    assert told("demand", status).status is status and not told("demand", status).certificate.ok


def test_a_direction_that_leaves_the_rows_is_replaced() -> None:
    solution = told("unbounded", Status.UNBOUNDED, ray=[1.0, 0.0])
    assert solution.certificate.ok and abs(solution.ray[0] - solution.ray[1]) < 1e-9


def test_what_only_whole_numbers_or_cones_forbid_stays_the_backends_word() -> None:
    solution = told("infeasible_by_whole_numbers", Status.INFEASIBLE)
    assert solution.status is Status.INFEASIBLE and solution.ray is None and not solution.certificate.ok


def test_least_violation_is_the_distance_to_the_rows() -> None:
    program = CASES["infeasible_with_bounds"].build()  # a + b >= 3 in the unit box misses by 1
    y, x = least_violation(program, Settings())
    assert row_violation(program, x) == pytest.approx(1 / 3)  # relative to the side
    assert farkas_margin(program, y) == pytest.approx(1)


def test_steepest_direction_is_flat_where_the_objective_is_curved() -> None:
    b = ProgramBuilder("curved")
    b.add_columns("x", 3, cost=[-1, -1, 1])
    b.add_quadratic("x", np.diag([1.0, 0.0, 0.0]))
    d = steepest_direction(b.build(), Settings())
    np.testing.assert_allclose(d, [0, 1, -1], atol=1e-9)
