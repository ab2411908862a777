"""Kemeny's order by pieces and by broken rows is the order of the whole program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.algorithms import kemeny_order as module
from monoopt.algorithms.kemeny_order import disagreements, improve_by_moving, kemeny_order
from monoopt.formulations import kemeny
from monoopt.solvers import solve


def pairs_of(seed: int, n: int, m: int, agreement: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    latent = agreement * np.arange(n)
    scores = latent[:, None] + n * rng.uniform(size=(n, m))
    return kemeny.pair_weights(scores.argsort(axis=0).argsort(axis=0) + 1.0)


@settings(max_examples=10)
@given(st.integers(0, 500), st.sampled_from([3, 4, 5]), st.sampled_from([0.0, 2.0]))
def test_pieces_and_rows_give_the_optimum_of_the_whole_program(seed: int, m: int, agreement: float):
    pairs = pairs_of(seed, 9, m, agreement)
    whole = solve(kemeny.build(pairs)).objective
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ALL_ROWS_UP_TO", 3)
        found = kemeny_order(pairs)
    assert found.cost == pytest.approx(whole) and found.optimal
    assert found.bound == pytest.approx(whole)
    assert sorted(found.positions) == list(range(1, 10))


def test_a_unanimous_order_needs_no_program():
    found = kemeny_order(kemeny.pair_weights(np.tile(np.arange(1.0, 8.0)[:, None], 3)))
    assert found.positions.tolist() == list(range(1, 8)) and found.cost == 0 and found.certificates == ()


def test_a_limit_gives_an_order_and_an_honest_bound():
    pairs = pairs_of(3, 40, 5)
    found = kemeny_order(pairs, time_limit=1e-6)
    assert found.bound <= found.cost
    assert sorted(found.positions) == list(range(1, 41))


def test_moving_single_objects_never_raises_the_cost():
    pairs = pairs_of(4, 15, 5)
    start = np.arange(15)
    better = improve_by_moving(pairs, start)
    assert disagreements(pairs, better) <= disagreements(pairs, start)
    assert sorted(better) == list(range(15))


def test_a_limit_ends_the_local_search_too_with_an_order_and_a_bound():
    pairs = np.random.default_rng(0).random((400, 400))
    np.fill_diagonal(pairs, 0.0)
    found = kemeny_order(pairs, time_limit=1e-9)
    assert sorted(found.positions) == list(range(1, 401)) and found.bound <= found.cost and not found.optimal
