"""Footrule and Kemeny programs: their optima are those of trying every order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.formulations import footrule, kemeny
from monoopt.program import structure
from monoopt.solvers import solve


def rankings(seed: int, n: int, m: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(n) + 1 for _ in range(m)]).astype(float)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 4))
def test_the_footrule_optimum_is_the_best_of_all_orders(seed: int, n: int, m: int):
    tau = rankings(seed, n, m)
    weights = np.random.default_rng(seed).uniform(0.5, 2, m)
    program = footrule.build(tau, weights)
    solution = solve(program)
    best = min(sum(weights @ np.abs(tau[i] - p[i]) for i in range(n)) for p in permutations(range(1, n + 1)))
    assert solution.objective == pytest.approx(best)
    assert sorted(footrule.read(program, solution)) == list(range(1, n + 1))


@settings(max_examples=20)
@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 5))
def test_the_kemeny_optimum_is_the_best_of_all_orders(seed: int, n: int, m: int):
    pairs = kemeny.pair_weights(rankings(seed, n, m))
    program = kemeny.build(pairs)
    solution = solve(program)
    cost = min(np.tril(pairs[np.ix_(order, order)], -1).sum() for order in permutations(range(n)))
    assert solution.objective == pytest.approx(cost)
    position = kemeny.read(program, solution)
    order = np.argsort(position)
    assert np.tril(pairs[np.ix_(order, order)], -1).sum() == pytest.approx(cost)


def test_the_assignment_matrix_is_totally_unimodular():
    assert structure(footrule.build(rankings(0, 4, 3))).totally_unimodular


def test_rows_can_be_added_where_they_are_broken():
    pairs = kemeny.pair_weights(np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]], dtype=float))  # a circle
    free = solve(kemeny.build(pairs, triples=np.empty((0, 3), dtype=np.int64)))
    broken = kemeny.violated_triples(free.x, 3, 10)
    assert broken.tolist() == [[0, 1, 2]]
    full = solve(kemeny.build(pairs))
    assert free.objective == pytest.approx(3) and full.objective == pytest.approx(4)
    assert len(kemeny.violated_triples(full.x, 3, 10)) == 0


def test_ties_count_for_neither_order():
    assert kemeny.pair_weights([[1.5, 1], [1.5, 2]]).tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("wrong", [[[np.nan, 1.0]], [1.0, 2.0]])
def test_locations_that_are_no_table_of_numbers_are_refused(wrong: list):
    with pytest.raises(DataError, match="locations"):
        footrule.build(wrong)
    with pytest.raises(DataError, match="square"):
        kemeny.build([[0.0, -1.0], [1.0, 0.0]])
