"""The best mixture: no worse than its parts, exact where one part is the truth, bad input refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monoopt.errors import DataError
from monoopt.formulations import mixture
from monoopt.solvers import solve, solvers_that_can

QUARTERS = st.integers(0, 4).map(lambda k: k / 4)


@pytest.mark.parametrize("solver", sorted(set(solvers_that_can({"quadratic"})) - {"scs"}))
def test_two_half_right_estimates_meet_in_the_middle(solver: str):
    program = mixture.build([0, 1, 1], [[0, 0.5, 1], [0.5, 1, 1], [1, 1, 1]])
    solution = solve(program, solver)
    assert solution.objective == pytest.approx(0.125, abs=1e-5)
    assert mixture.read(program, solution) == pytest.approx([0.5, 0.5, 0], abs=1e-3)


@given(arrays(float, (5, 3), elements=QUARTERS), arrays(float, 5, elements=QUARTERS), st.integers(0, 2))
@settings(max_examples=30)
def test_no_worse_than_the_best_estimate_nor_than_any_grid_of_shares(Q: np.ndarray, y: np.ndarray, heavy: int):
    w = np.array([1.0, 0.0, 2.0, 1.0, 1.0 + heavy])
    program = mixture.build(y, Q, w)
    a = mixture.read(program, solve(program))
    assert a.min() >= 0 and a.sum() == pytest.approx(1)
    grid = [np.array([i, j, 8 - i - j]) / 8 for i in range(9) for j in range(9 - i)]
    least = min(w @ (Q @ b - y) ** 2 for b in grid)
    assert w @ (Q @ a - y) ** 2 <= least + 1e-6


def test_the_truth_among_the_estimates_gets_everything():
    y = np.array([0.0, 1.0, 0.0, 1.0])
    program = mixture.build(y, np.column_stack([1 - y, y, np.full(4, 0.5)]), members=["wrong", "right", "blank"])
    assert program.column_names() == ["a(wrong)", "a(right)", "a(blank)"]
    assert mixture.read(program, solve(program)) == pytest.approx([0, 1, 0], abs=1e-6)


def test_all_faults_come_at_once():
    with pytest.raises(DataError) as found:
        mixture.build([0.0, np.nan], [[1.0], [2.0]], [1.0, -1.0])
    assert len(found.value.faults) == 2
    with pytest.raises(DataError, match="at least one estimate"):
        mixture.build([0.0, 1.0], np.empty((2, 0)))
