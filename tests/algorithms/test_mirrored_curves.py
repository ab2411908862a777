"""Of mirrored curves one is kept by rule: units, the order of rows and rounding choose nothing."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.algorithms.curve_fit import CurveOptions, best_curve
from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.algorithms.mirrored_curves import Mirror, choose_by_rule, mirrors


def problem_of(U: np.ndarray, directions: tuple[int, ...], degree: int = 3, margin: float = 1e-3) -> CurveProblem:
    n, d = U.shape
    return CurveProblem(
        np.ascontiguousarray(U), np.full(n, 1 / n), np.ones(d), np.array(directions, float), degree, margin
    )


def fitted(problem: CurveProblem, n_starts: int = 8):
    return best_curve(problem, CurveOptions(solver="direct", n_starts=n_starts), np.random.default_rng(0))


SHARES = [np.linspace(0, 1, 9), np.sort(np.random.default_rng(1).random(12)), np.array([0.0, 1.0])]


@pytest.mark.parametrize("u", SHARES, ids=["steps", "random", "two"])
@pytest.mark.parametrize("directions", [(1, 1), (1, -1), (1, 1, 1, 1)])
def test_where_gains_contradict_each_other_the_score_goes_with_the_first_whatever_the_rounding(u, directions):
    u = (u - u.min()) / np.ptp(u)
    gains = np.column_stack([u, 1 - u] * (len(directions) // 2))
    table = np.where(np.array(directions) > 0, gains, 1 - gains)
    rng, wanted = np.random.default_rng(0), None
    for n_starts in (8, 8, 8, 1):
        rows = rng.permutation(len(u))
        noise = 1e-15 * rng.normal(size=table.shape)
        found = fitted(problem_of((table + noise)[rows], directions), n_starts)
        assert found.trace.ok and found.stationarity.ok and found.monotonicity.ok
        scores = np.empty(len(u))
        scores[rows] = found.state.scores
        assert np.all(np.diff(scores[np.argsort(u, kind="stable")]) > 0)
        wanted = scores if wanted is None or n_starts == 1 else wanted
        np.testing.assert_allclose(scores, wanted, atol=1e-6)


def test_the_image_of_a_curve_is_as_good_and_gets_the_other_one_back():
    rng = np.random.default_rng(3)
    half = rng.random((6, 3)).round(3)
    U = np.vstack([half, half[:, [1, 0, 2]], [[0, 0, 0], [1, 1, 1]]])
    problem = problem_of(U, (1, 1, 1))
    assert list(mirrors(problem)) == [Mirror((1, 0, 2), False)]
    state = fitted(problem).state
    image = Mirror((1, 0, 2), False).curve(state.control_points)
    assert problem.project(image)[1] == pytest.approx(state.value, rel=1e-9)
    assert not np.allclose(image, state.control_points, atol=1e-3)
    back = choose_by_rule(problem, type(state)(image, *problem.project(image)))
    np.testing.assert_allclose(back.control_points, state.control_points, atol=1e-9)


def test_weights_and_missing_cells_break_a_mirror():
    u = np.linspace(0, 1, 7)
    problem = problem_of(np.column_stack([u, 1 - u]), (1, 1))
    assert Mirror((1, 0), True) in list(mirrors(problem))
    other = CurveProblem(problem.U, problem.v, np.array([1.2, 0.8]), problem.directions, 3, 1e-3)
    assert Mirror((1, 0), True) not in list(mirrors(other))
    holes = problem.U.copy()
    holes[1, 0] = np.nan
    assert list(mirrors(problem_of(holes, (1, 1)))) == []
    twice = problem.v * np.where(u > 0.6, 2, 1)  # the same objects at both ends no longer weigh the same
    turned = CurveProblem(np.column_stack([u, u]), twice / twice.sum(), np.ones(2), np.ones(2), 3, 1e-3)
    assert all(not mirror.turned for mirror in mirrors(turned))


def test_data_without_a_mirror_keep_their_curve_to_the_bit():
    problem = problem_of(np.random.default_rng(4).random((30, 3)), (1, -1, 1))
    state = fitted(problem).state
    assert list(mirrors(problem)) == [] and choose_by_rule(problem, state) is state
