"""The small quadratic program is solved exactly, or found impossible."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from monoopt.algorithms.small_qp import solve_small_qp


@given(st.integers(0, 10_000))
def test_the_point_satisfies_the_optimality_conditions(seed: int):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 8), rng.integers(1, 15)
    root = rng.normal(size=(n, n))
    H, g = root @ root.T + 0.1 * np.eye(n), 5 * rng.normal(size=n)
    C = rng.normal(size=(m, n))
    b = C @ rng.normal(size=n) - rng.uniform(0, 0.5, m)  # some point satisfies all rows
    answer = solve_small_qp(H, g, C, b)
    assert answer is not None
    slack = C @ answer.x - b
    size = 1 + np.abs(answer.multipliers).max()
    assert slack.min() >= -1e-8 and answer.multipliers.min() >= 0
    np.testing.assert_allclose(H @ answer.x + g, C.T @ answer.multipliers, atol=1e-8 * size)
    assert np.abs(slack * answer.multipliers).max() <= 1e-8 * size


def test_rows_that_contradict_each_other_have_no_point():
    assert solve_small_qp(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])) is None
