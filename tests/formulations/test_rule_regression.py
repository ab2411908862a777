"""Regression by rules: its optimum, its relation to isotonic regression, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.formulations import isotonic_regression, rule_regression
from monoopt.solvers import solve, solvers_that_can

STEPS = np.array([[1, -1, 0, 0], [1, -1, 1, 0], [1, -1, 1, 1]])  # always +1, always -1, x >= 1, x >= 2 on x = 0, 1, 2


@pytest.mark.parametrize("solver", ["nnls", *sorted(set(solvers_that_can({"quadratic"})) - {"highs", "scs"})])
def test_a_hand_worked_instance(solver: str):
    """Targets 0, 1, 0 on a chain: the two last ones meet in the middle."""
    program = rule_regression.build([0.0, 1.0, 0.0], STEPS)
    solution = solve(program, solver)
    assert solution.objective == pytest.approx(0.5, abs=1e-5)
    assert STEPS @ rule_regression.read(program, solution) == pytest.approx([0.0, 0.5, 0.5], abs=1e-3)


@given(st.lists(st.integers(0, 4), min_size=3, max_size=3), st.lists(st.integers(1, 3), min_size=3, max_size=3))
@settings(max_examples=30)
def test_on_a_chain_it_is_isotonic_regression(quarters: list[int], weights: list[int]):
    targets = np.array(quarters) / 4
    program = rule_regression.build(targets, STEPS, weights)
    isotonic = isotonic_regression.build(targets, [(1, 0), (2, 1)], weights)
    p = STEPS @ rule_regression.read(program, solve(program, "nnls"))
    assert np.allclose(p, isotonic_regression.read(isotonic, solve(isotonic, "partition")), atol=1e-9)


def test_all_faults_come_at_once():
    with pytest.raises(DataError) as found:
        rule_regression.build([2.0, 0.5], [[1], [3]], [1.0, 0.0])
    assert len(found.value.faults) == 3
    with pytest.raises(DataError, match="wanted 2 objects"):
        rule_regression.build([0.0, 0.5], [[1]])
