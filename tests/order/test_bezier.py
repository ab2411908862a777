"""Curves: the projection is the true global one, the certificate is a proof, shapes are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt.order.bezier import (
    attribute_shapes,
    bernstein,
    certify_monotone,
    curve_points,
    curve_slopes,
    project,
)

GRID = np.linspace(0.0, 1.0, 100_001)


def random_curve(rng: np.random.Generator, degree: int, d: int, low: float = 0.0, high: float = 1.0):
    inner = rng.uniform(low, high, (degree - 1, d))
    return np.vstack([np.zeros(d), inner, np.ones(d)])


def brute_force(x: np.ndarray, points: np.ndarray, weights: np.ndarray) -> float:
    known = ~np.isnan(x)
    return float((weights[known] * (points[:, known] - x[known]) ** 2).sum(axis=1).min())


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5])
def test_projection_is_the_global_minimum_of_a_fine_grid(degree: int):
    rng = np.random.default_rng(degree)
    P = random_curve(rng, degree, 3)
    weights = rng.uniform(0.2, 2.0, 3)
    X = rng.uniform(-0.5, 1.5, (200, 3))
    X[::7, 1] = np.nan
    scores, distances = project(X, P, weights)
    points = curve_points(P, GRID)
    best = np.array([brute_force(x, points, weights) for x in X])
    assert np.all(distances <= best + 1e-14)  # nowhere worse than the grid
    assert np.all(distances >= best - 1e-8)  # and nowhere better than the curve allows
    reached = np.where(np.isnan(X), 0.0, X - curve_points(P, scores)) ** 2 @ weights
    np.testing.assert_allclose(reached, distances, rtol=1e-9, atol=1e-15)


@given(st.integers(0, 10_000))
def test_projection_finds_the_global_minimum_among_several_critical_points(seed: int):
    rng = np.random.default_rng(seed)
    P = random_curve(rng, 3, 2, -3.0, 4.0)  # loops: up to five critical points
    X = rng.uniform(-1.0, 2.0, (20, 2))
    _, distances = project(X, P)
    points = curve_points(P, GRID[::10])
    best = np.array([brute_force(x, points, np.ones(2)) for x in X])
    assert np.all(distances <= best + 1e-12)
    assert np.all(distances >= best - 1e-4)


def test_the_largest_minimiser_wins_a_tie():
    # symmetric about s = 1/2 in the first attribute: an object on the axis is equally near to both sides
    P = np.array([[-1.0, 0.0], [-1.0, 2.0], [1.0, 2.0], [1.0, 0.0]])
    scores, _ = project(np.array([[0.0, 0.0]]), P)
    points = curve_points(P, GRID)
    distance = (points**2).sum(axis=1)
    ties = GRID[distance <= distance.min() + 1e-9]
    assert scores[0] == pytest.approx(ties.max(), abs=1e-4)
    assert scores[0] > 0.5


def test_a_critical_point_on_the_exact_middle_is_found():
    P = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    scores, distances = project(np.array([[0.5, 2.0], [0.5, 0.75]]), P)
    np.testing.assert_allclose(scores, 0.5, atol=1e-12)
    np.testing.assert_allclose(distances, [1.25**2, 0.0], atol=1e-15)


def test_a_score_does_not_depend_on_the_batch():
    rng = np.random.default_rng(3)
    P, X = random_curve(rng, 3, 4), rng.uniform(0, 1, (50, 4))
    together, _ = project(X, P)
    alone = np.array([project(X[i : i + 1], P)[0][0] for i in range(len(X))])
    assert np.array_equal(together, alone)


def test_ends_project_on_ends():
    P = random_curve(np.random.default_rng(5), 3, 3, 0.1, 0.9)
    scores, distances = project(np.array([[0.0] * 3, [1.0] * 3, [5.0] * 3, [-2.0] * 3]), P)
    assert scores.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert distances[:2].tolist() == [0.0, 0.0]


@given(st.integers(0, 10_000))
def test_a_monotone_curve_never_reverses_a_dominance_pair(seed: int):
    rng = np.random.default_rng(seed)
    P = random_curve(rng, 3, 3, 1e-4, 1 - 1e-4)
    assert certify_monotone(P, [1, 1, 1]).ok
    worse = rng.uniform(0, 1, (30, 3))
    better = worse + rng.uniform(0, 1, (30, 3)) * (1 - worse) * rng.integers(0, 2, (30, 3))
    moved = np.any(better > worse, axis=1)
    low, high = project(worse, P)[0], project(better, P)[0]
    assert np.all(high[moved] > low[moved])  # strictly, inside the box
    assert np.array_equal(high[~moved], low[~moved])


@given(st.lists(st.floats(-1, 2), min_size=2, max_size=2))
def test_the_least_slope_of_a_cubic_is_exact(inner: list[float]):
    P = np.array([0.0, *inner, 1.0])[:, None]
    proved = certify_monotone(P, [1]).least_slope[0]
    seen = curve_slopes(P, GRID[::20]).min()
    assert proved <= seen + 1e-12
    assert proved == pytest.approx(seen, abs=1e-5)


@pytest.mark.parametrize("degree", [1, 2, 4, 6])
def test_the_slope_bound_holds_for_every_degree(degree: int):
    P = np.random.default_rng(degree).uniform(0, 1, (degree + 1, 4))
    assert np.all(certify_monotone(P, [1, -1, 1, -1]).least_slope
                  <= (curve_slopes(P, GRID[::50]) * [1, -1, 1, -1]).min(axis=0) + 1e-12)  # fmt: skip


def test_interior_control_points_suffice_for_a_cubic_and_not_for_a_quartic():
    cubic = np.array([0.0, 0.999, 0.001, 1.0])[:, None]
    quartic = np.array([0.0, 0.999, 0.5, 0.001, 1.0])[:, None]
    assert certify_monotone(cubic, [1]).ok  # Proposition 1
    assert curve_slopes(quartic, GRID).min() < 0
    assert not certify_monotone(quartic, [1]).ok


def test_the_basis_sums_to_one_and_ends_interpolate():
    basis = bernstein(GRID[::1000], 5)
    np.testing.assert_allclose(basis.sum(axis=1), 1.0)
    assert basis[0].tolist() == [1, 0, 0, 0, 0, 0] and basis[-1].tolist() == [0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("inner", "shape"),
    [((1 / 3, 2 / 3), "linear"), ((0.05, 0.2), "convex"), ((0.8, 0.95), "concave"), ((0.01, 0.99), "S"),
     ((0.9, 0.1), "inverted S"), ((0.33, 0.67), "linear"), ((0.999, 0.954), "concave"), ((0.046, 0.001), "convex")],
)  # fmt: skip
def test_shapes_are_named_in_the_sense_of_improvement(inner: tuple[float, float], shape: str):
    gain = np.array([0.0, *inner, 1.0])
    assert attribute_shapes(np.column_stack([gain, 1 - gain]), [1, -1]) == [shape, shape]


def test_a_turn_near_an_end_is_no_turn():
    turns = np.linspace(0.901, 0.999, 50)  # (1 - s)(p2 - 2 p1) + s (1 - 2 p2 + p1) = 0 there, with p1 = .9
    second = (1.8 * (1 - turns) - 1.9 * turns) / (1 - 3 * turns)
    curves = np.array([np.zeros(50), np.full(50, 0.9), second, np.ones(50)])
    assert set(attribute_shapes(curves, np.ones(50))) == {"concave"}
    assert set(attribute_shapes(1 - curves[::-1], np.ones(50))) == {"convex"}


def test_a_cubic_that_is_not_linear_has_one_of_four_shapes():
    cubics = np.random.default_rng(0).random((4, 300))
    cubics[0], cubics[3] = 0.0, 1.0
    assert set(attribute_shapes(cubics, np.ones(300))) == {"convex", "concave", "S", "inverted S"}
