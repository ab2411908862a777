"""LPBoost's master program: margins, multipliers and the bound on D."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import DataError, NoSolutionError, OptionError, open_session, solve
from monoopt.formulations import lpboost_master
from monoopt.program import difference

X = np.array([1.0, 2.0, 3.0])
SIGNS = np.array([-1, 1, 1])
THRESHOLDS = np.array([1.0, 2.0, 3.0])
ANSWERS = np.column_stack([1 * (X[:, None] >= THRESHOLDS), -1 * (X[:, None] <= THRESHOLDS)])
"""Three objects and all rules x >= s (+1) and x <= s (-1)."""


def answer(D: float | None, weights: list[float] | None = None) -> lpboost_master.MasterAnswer:
    program = lpboost_master.build(SIGNS, ANSWERS, D, weights)
    return lpboost_master.read(program, solve(program))


@pytest.mark.parametrize(("D", "optimum"), [(0.4, 0.6), (1.0, 0.5), (None, 0.5), (7.0, 0.5)])
def test_the_optimum_for_three_objects(D: float | None, optimum: float):
    program = lpboost_master.build(SIGNS, ANSWERS, D)
    solution = solve(program)
    assert solution.objective == pytest.approx(optimum)
    assert solution.certificate.ok
    assert lpboost_master.read(program, solution).beta == pytest.approx(optimum)


def test_the_best_weights_are_a_half_on_each_side_of_the_gap():
    found = answer(1.0)
    kept = np.flatnonzero(found.weights > 1e-9)
    assert kept.tolist() == [1, 3]  # x >= 2 and x <= 1
    assert found.weights[kept].tolist() == [0.5, 0.5]
    assert found.margins.min() == found.rho == 0.5


@pytest.mark.parametrize("D", [0.3, 1 / 3 - 1e-6])
def test_a_penalty_below_its_bound_is_refused_and_the_bound_named(D: float):
    with pytest.raises(DataError, match=r"D >= 0\.333333 = 1 / n \(n = 3\)"):
        lpboost_master.build(SIGNS, ANSWERS, D)


def test_a_penalty_at_its_bound_spreads_the_multipliers_evenly():
    found = answer(1 / 3)
    assert found.object_duals == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize("D", [0, -1, np.nan, np.inf, "hard", True])
def test_a_penalty_that_is_no_positive_number_is_refused(D: object):
    with pytest.raises(OptionError, match="wanted a positive number, or None"):
        lpboost_master.build(SIGNS, ANSWERS, D)


def test_a_hard_margin_has_no_slack_columns_and_a_soft_one_has():
    hard, soft = lpboost_master.build(SIGNS, ANSWERS), lpboost_master.build(SIGNS, ANSWERS, 0.5)
    assert [block.name for block in hard.columns] == ["rho", "a"]
    assert [block.name for block in soft.columns] == ["rho", "xi", "a"]
    assert [block.name for block in soft.rows] == ["margin", "convexity"]


@given(st.integers(0, 2**31), st.floats(0.2, 2.0))
@settings(max_examples=40, deadline=None)
def test_multipliers_are_a_distribution_within_bounds_and_prove_the_objective(seed: int, D: float):
    random = np.random.default_rng(seed)
    signs = random.choice([-1, 1], 6)
    answers = random.choice([-1, 0, 1], (6, 4))
    weights = random.integers(1, 4, 6).astype(float)
    program = lpboost_master.build(signs, answers, D, weights)
    solution = solve(program)
    found = lpboost_master.read(program, solution)
    assert found.object_duals.sum() == pytest.approx(1.0, abs=1e-12)
    assert (found.object_duals <= D * weights + 1e-12).all()
    assert found.beta == pytest.approx(solution.objective, abs=1e-7)
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)


@given(st.lists(st.floats(-1, 2), min_size=4, max_size=4), st.floats(0.26, 3.0))
@settings(max_examples=60, deadline=None)
def test_any_multipliers_are_made_a_distribution_within_bounds(raw: list[float], D: float):
    signs, answers = [-1, 1, 1, -1], np.eye(4)
    program = lpboost_master.build(signs, answers, D)
    u = lpboost_master.object_duals(program, np.array([*raw, 0.0]))
    assert u.sum() == pytest.approx(1.0, abs=1e-12)
    assert (u >= 0).all() and (u <= min(D, 1.0) + 1e-12).all()


@pytest.mark.parametrize("n", [7, 19, 23, 49])
def test_multipliers_that_all_have_to_be_at_their_caps_are_there(n: int):
    """n times 1/n may add up to less than 1, with no room left."""
    program = lpboost_master.build(np.ones(n), np.ones((n, 1)), D=1 / n)
    np.testing.assert_allclose(lpboost_master.object_duals(program, -np.ones(n)), 1 / n, rtol=1e-12)


def test_weight_two_is_two_copies():
    twice = np.r_[0, 1, 1, 2]
    copies = lpboost_master.build(SIGNS[twice], ANSWERS[twice], 0.3)
    weighted = lpboost_master.build(SIGNS, ANSWERS, 0.3, [1, 2, 1])
    assert solve(copies).objective == pytest.approx(solve(weighted).objective)


@pytest.mark.parametrize("D", [None, 0.4])
def test_rules_added_in_a_session_make_the_program_that_is_built_at_once(D: float | None):
    program = lpboost_master.build(SIGNS, ANSWERS[:, :2], D)
    with open_session(program) as session:
        session.solve()
        new = lpboost_master.coefficients(SIGNS, ANSWERS[:, 2:])
        session.add_columns("a", cost=0.0, coefficients=new)
        grown = session.solve()
        assert difference(session.program, lpboost_master.build(SIGNS, ANSWERS, D)) == []
    assert grown.objective == pytest.approx(answer(D).rho if D is None else 0.6)


def test_an_interior_answer_gives_the_same_margin():
    program = lpboost_master.build(SIGNS, ANSWERS)
    inner = {"solver": "ipm", "run_crossover": "off", "presolve": "off"}
    found = lpboost_master.read(program, solve(program, options=inner))
    assert found.rho == pytest.approx(0.5, abs=1e-6)
    assert found.object_duals.sum() == pytest.approx(1.0, abs=1e-12)


def test_without_multipliers_there_is_no_reading():
    program = lpboost_master.build(SIGNS, ANSWERS)
    with pytest.raises(NoSolutionError, match="duals"):
        lpboost_master.read(program, replace(solve(program), y=None))


@pytest.mark.parametrize(
    ("signs", "answers", "weights", "what"),
    [
        ([0, 1], np.ones((2, 1)), None, "signs"),
        ([1, 1], np.ones((3, 1)), None, "answers have shape"),
        ([1, 1], np.ones((2, 0)), None, "at least one rule"),
        ([1, 1], np.full((2, 1), 2.0), None, r"wanted \+1, -1 or 0"),
        ([1, 1], np.ones((2, 1)), [1, 0], "weights"),
        ([1, 1], np.ones((2, 1)), [1], "weights"),
    ],
)
def test_what_can_not_be_used_is_named(signs: list, answers: np.ndarray, weights: list | None, what: str):
    with pytest.raises(DataError, match=what):
        lpboost_master.build(signs, answers, weights=weights)


def test_a_penalty_without_measure_is_a_hard_margin_and_one_just_below_its_bound_shows_the_digits():
    for D in (1e308, np.float64(1.7e308), 1.0):
        assert lpboost_master.penalty(D, [1.0, 2.0, 1.0]) is None
    with pytest.raises(DataError, match=r"D = 0\.3333333 is too small: wanted D >= 0\.333333333333"):
        lpboost_master.penalty(0.3333333, [1, 1, 1])
