"""The SVDD program: its bound on C, its geometry, and the same ball from every solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError, OptionError
from monoopt.formulations import svdd
from monoopt.solvers import available_solvers, solve
from monoopt.solvers.registry import get_solver

QP_SOLVERS = ["highs", "smo", *(name for name in ("clarabel", "osqp", "piqp", "scs", "daqp", "ipopt"))]


def found_here(name: str) -> str:
    here = {info.name: info for info in available_solvers()}
    if name not in here or not here[name].found:
        pytest.skip(f"{name} is not here: {here[name].note if name in here else 'not in the registry'}")
    return name


def gram(X: np.ndarray, gamma: float = 1.0) -> np.ndarray:
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def test_four_objects_with_the_least_C_share_equally():
    X = np.array([[0.0], [1.0], [2.0], [5.0]])
    with pytest.raises(DataError, match=r"C = 0\.2 is too small.*C >= 0\.25"):
        svdd.build(gram(X), C=0.2)
    program = svdd.build(gram(X), C=0.25)
    assert svdd.read(program, solve(program, "smo")).beta == pytest.approx([0.25] * 4)


def test_weights_move_the_bound_on_C():
    program = svdd.build(np.eye(2), C=0.25, sample_weight=[1, 3])
    assert program.upper.tolist() == [0.25, 0.75]
    with pytest.raises(DataError, match=r"C >= 0\.25"):
        svdd.build(np.eye(2), C=0.2, sample_weight=[1, 3])
    with pytest.raises(DataError, match="positive finite"):
        svdd.build(np.eye(2), C=1, sample_weight=[1, 0])


def test_a_penalty_that_rounding_put_below_its_bound_is_the_bound():
    assert svdd.penalty(0.25 - 1e-12, None, 4) == 0.25
    with pytest.raises(DataError, match=r"C >= 0\.25"):
        svdd.penalty(0.2499, None, 4)


def test_nu_becomes_C():
    assert svdd.penalty(None, 0.1, 200) == pytest.approx(0.05)
    for wrong in (0, 1.5, None, -0.1):
        with pytest.raises(OptionError, match="0 < nu <= 1"):
            svdd.penalty(None, wrong, 10)
    for wrong in (0, -1, np.nan):
        with pytest.raises(OptionError, match="positive number"):
            svdd.penalty(wrong, 0.1, 10)


def test_identical_objects_make_a_ball_of_radius_zero():
    program = svdd.build(np.ones((4, 4)), C=1)
    ball = svdd.read(program, solve(program, "smo"))
    assert ball.squared_radius == 0 and len(ball.boundary) == 4 and len(ball.outside) == 0


def test_one_object_is_its_own_centre():
    program = svdd.build([[2.0]], C=1)
    for solver in ("highs", "smo"):
        ball = svdd.read(program, solve(program, solver))
        assert ball.beta == pytest.approx([1.0]) and ball.squared_radius == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", QP_SOLVERS)
def test_duplicates_leave_beta_open_and_fix_centre_and_radius(name: str):
    x = np.array([0.0, 0.0, 2.0])
    program = svdd.build(np.outer(x, x), C=1)
    ball = svdd.read(program, solve(program, found_here(name), tolerance=1e-8, raise_on_failure=False))
    assert ball.beta @ x == pytest.approx(1.0, abs=1e-4)
    assert ball.squared_radius == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("name", QP_SOLVERS)
def test_every_solver_finds_the_same_ball(name: str):
    X = np.random.default_rng(0).normal(size=(60, 2))
    K = gram(X)
    program = svdd.build(K, C=1 / (0.1 * 60))
    solution = solve(program, found_here(name), tolerance=1e-9, raise_on_failure=False)
    ball = svdd.read(program, solution)
    best = svdd.read(program, solve(program, "smo", tolerance=1e-12))
    apart = ball.beta - best.beta
    assert solution.objective == pytest.approx(best.centre_norm - 1.0, abs=1e-6)
    assert ball.squared_radius == pytest.approx(best.squared_radius, abs=1e-6)
    assert apart @ K @ apart < 1e-9  # the centre: squared distance in feature space


@given(st.integers(0, 10_000), st.integers(2, 25), st.floats(0.05, 1.0))
@settings(max_examples=30)
def test_the_ball_obeys_its_geometry(seed: int, n: int, nu: float):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    C = svdd.penalty(None, nu, n)
    program = svdd.build(gram(X), C=C)
    solution = solve(program, "smo", tolerance=1e-11)
    ball = svdd.read(program, solution)
    assert len(ball.outside) <= nu * n + 1e-9  # the nu property
    assert len(ball.support) >= min(nu * n - 1e-9, 1)
    assert set(np.flatnonzero(ball.beta > 1e-7)) <= set(ball.support)
    slack = np.maximum(ball.squared_distances - ball.squared_radius, 0)
    assert -solution.objective == pytest.approx(ball.squared_radius + C * slack.sum(), abs=1e-8)  # strong duality


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8), st.integers(0, 100))
def test_the_radius_minimises_the_primal_in_R(distances: list[float], seed: int):
    d = np.array(distances)
    upper = np.random.default_rng(seed).random(len(d)) + 1 / len(d)
    best = svdd.optimal_squared_radius(d, upper)

    def cost(r: float) -> float:
        return r + float(upper @ np.maximum(d - r, 0))

    assert all(cost(best) <= cost(r) + 1e-9 for r in [0.0, *d, *(d + 0.1)])
    assert all(cost(r) > cost(best) + 1e-12 for r in d if r > best + 1e-6)  # the largest of the optimal ones


@pytest.mark.parametrize(
    ("K", "word"),
    [
        ([[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]], r"least eigenvalue -0\.2728"),
        ([[1, 0.5], [0.4, 1]], "not symmetric"),
        ([[1, 0.5]], "square"),
        ([[1, np.nan], [np.nan, 1]], "NaN"),
    ],
)
def test_what_is_no_kernel_is_refused_before_anything_is_built(K: list, word: str):
    with pytest.raises(DataError, match=word):
        svdd.build(K, C=1)


def test_the_program_is_described_by_its_families():
    program = svdd.build(np.eye(3), C=1, index=["a", "b", "c"])
    assert program.column_names() == ["beta(a)", "beta(b)", "beta(c)"]
    assert [block.name for block in program.rows] == ["total"]
    get_solver("smo").check(program)


def test_a_bound_that_differs_late_is_shown_with_the_digits_that_differ() -> None:
    with pytest.raises(DataError, match=r"C = 0\.3333333 is too small.*C >= 0\.333333333333"):
        svdd.penalty(0.3333333, None, 3)
    assert svdd.penalty(None, 1e-300, 4) == svdd.penalty(1e100, None, 4) == 1e100  # no object outside, either way
