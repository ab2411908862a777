"""The rule search finds the best monotone rule, proves it, and says honestly what it did not prove."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.algorithms import rule_search
from monoopt.algorithms.orthants import rank_points
from monoopt.algorithms.rule_search import RuleSearch
from monoopt.errors import DataError
from monoopt.formulations import rule_pricing
from monoopt.solvers import solve

GRID, TREE = 10**9, 0


@pytest.fixture(params=[GRID, TREE], ids=["grid", "tree"])
def way(request, monkeypatch):
    """Each law holds for the grid sums and for the branch and bound."""
    monkeypatch.setattr(rule_search, "GRID_CELLS", request.param)


def instance(seed, most=9):
    """Objects on a coarse grid (ties), any directions, labels that need not be monotone, some weights zero."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, most + 1), rng.integers(1, 4)
    X = rng.integers(-1, 3, (n, d)).astype(float)
    labels, directions = rng.choice([-1, 1], n), rng.choice([-1, 0, 1], d)
    weights = rng.integers(0, 4, n) if seed % 2 else rng.random(n) * rng.integers(0, 2, n)
    return X, labels, directions, weights.astype(float)


def hard_instance(seed=0, n=300, d=10):
    """Real attributes, labels that the order says nothing about: the branch and bound has work to do."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.choice([-1, 1], n), np.ones(d, dtype=int), rng.dirichlet(np.ones(n))


def all_rules(X, directions, sign):
    """Lower and upper conditions of every monotone rule whose thresholds are values of objects."""
    sides = []
    for column, direction in zip(X.T, directions * sign, strict=True):
        values = np.unique(column)
        lower = [-np.inf, *values] if direction >= 0 else [-np.inf]
        upper = [*values, np.inf] if direction <= 0 else [np.inf]
        sides.append(list(itertools.product(lower, upper)))
    rules = np.array(list(itertools.product(*sides)))
    return rules[:, :, 0], rules[:, :, 1]


def values_of(lower, upper, X, v):
    return ((X >= lower[:, None]) & (X <= upper[:, None])).all(axis=2) @ v


@pytest.mark.parametrize("sign", [1, -1])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_the_best_rule_is_the_best_of_all_rules_tried_one_by_one(seed, sign):
    X, labels, directions, weights = instance(seed)
    v = weights * labels * sign
    best = max(0.0, values_of(*all_rules(X, directions, sign), X, v).max())
    for cells in (GRID, TREE):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rule_search, "GRID_CELLS", cells)
            found = RuleSearch(X, labels, directions).best(weights, sign)
        assert found.proved and found.bound == pytest.approx(best, abs=1e-9)
        assert len(found.values) == 0 if best == 0 else found.values[0] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_the_best_rule_is_that_of_the_integer_program(seed, sign):
    X, labels, directions, weights = instance(seed, most=14)
    program = rule_pricing.build(X, weights * labels * sign, directions, positive=sign > 0)
    found = RuleSearch(X, labels, directions).best(weights, sign)
    assert found.bound == pytest.approx(max(0.0, solve(program).objective), abs=1e-6)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_every_rule_found_is_monotone_and_worth_what_is_said(seed):
    X, labels, directions, weights = instance(seed, most=20)
    for sign in (1, -1):
        found = RuleSearch(X, labels, directions).best(weights, sign, columns=5)
        asks_lower, asks_upper = np.isfinite(found.lower), np.isfinite(found.upper)
        assert not asks_lower[:, directions * sign < 0].any() and not asks_upper[:, directions * sign > 0].any()
        v = weights * labels * sign
        np.testing.assert_allclose(found.values, values_of(found.lower, found.upper, X, v), atol=1e-12)
        assert (np.diff(found.values) <= 0).all() and (found.values > 0).all() and len(found.values) <= 5


@pytest.mark.usefixtures("way")
def test_rules_that_are_returned_together_cover_different_objects():
    X, labels, directions, weights = hard_instance(d=3, n=30)
    search = RuleSearch(X, labels, directions)
    found = search.best(weights, 1, columns=8)
    covered = search.covered(found.lower, found.upper)
    assert 2 <= len(found.values) <= 8 and len(np.unique(covered, axis=0)) == len(covered)


@pytest.mark.usefixtures("way")
def test_a_free_attribute_may_be_bounded_on_both_sides():
    X, labels = np.array([[1.0], [2.0], [3.0]]), [-1, 1, -1]
    found = RuleSearch(X, labels, [0]).best([1, 1, 1], 1)
    assert (found.lower.tolist(), found.upper.tolist()) == ([[2.0]], [[2.0]])
    assert RuleSearch(X, labels, [1]).best([1, 1.5, 1], 1).values.tolist() == [0.5]


@pytest.mark.usefixtures("way")
def test_only_rules_above_the_threshold_are_wanted():
    X, labels, directions, weights = hard_instance(d=3, n=30)
    search = RuleSearch(X, labels, directions)
    best = search.best(weights, 1).values[0]
    found = search.best(weights, 1, threshold=best + 1e-9)
    assert len(found.values) == 0 and found.proved and abs(found.bound - best) <= 2e-9
    assert search.best(weights, 1, threshold=0.9 * best).values.min() > 0.9 * best


def test_a_search_that_is_stopped_gives_a_bound_that_holds():
    X, labels, directions, weights = hard_instance()
    search = RuleSearch(X, labels, directions)
    whole = search.best(weights, 1)
    assert whole.proved and whole.nodes > 100
    for limit in (0, 1, 10, 100):
        stopped = search.best(weights, 1, node_limit=limit)
        assert not stopped.proved and stopped.nodes <= limit
        assert stopped.bound >= whole.values[0] - 1e-9 >= stopped.values[0] - 2e-9
    out_of_time = search.best(weights, 1, time_limit=0.0)
    assert not out_of_time.proved and len(out_of_time.values) == 0 and out_of_time.bound >= whole.bound - 1e-9


def test_without_proof_the_search_stops_at_rules_above_the_threshold_and_proves_only_that_there_are_none():
    X, labels, directions, weights = hard_instance()
    search = RuleSearch(X, labels, directions)
    best = search.best(weights, 1).values[0]
    some = search.best(weights, 1, threshold=0.5 * best, prove=False)
    assert len(some.values) and not some.proved and some.bound >= best - 1e-9
    none = search.best(weights, 1, threshold=best + 1e-9, prove=False)
    assert len(none.values) == 0 and none.proved and none.nodes > 0


def test_the_branch_and_bound_finds_what_the_local_search_misses(monkeypatch):
    X, labels, directions, weights = hard_instance()
    best = RuleSearch(X, labels, directions).best(weights, -1).values[0]
    nothing = np.empty((0, X.shape[1]), dtype=np.int64)
    monkeypatch.setattr(rule_search, "climb_from", lambda *args, **words: nothing)
    alone = RuleSearch(X, labels, directions).best(weights, -1)
    assert alone.proved and alone.values[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("near", [1.0, 0.7], ids=["just_below_the_best", "well_below"])
def test_the_tree_alone_never_cuts_off_the_best_rule(near, monkeypatch):
    """The local search finds most best rules before the tree starts, which would hide a cut that is too deep."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 8, (40, 4)).astype(float) if seed % 2 else rng.normal(size=(30, 3))
        labels, weights = rng.choice([-1, 1], len(X)), rng.dirichlet(np.ones(len(X)))
        search = RuleSearch(X, labels, np.ones(X.shape[1], dtype=int))
        monkeypatch.setattr(rule_search, "GRID_CELLS", GRID)
        best, nothing = search.best(weights, 1).bound, np.empty((0, X.shape[1]), dtype=np.int64)
        with monkeypatch.context() as patch:
            patch.setattr(rule_search, "GRID_CELLS", TREE)
            patch.setattr(rule_search, "climb_from", lambda *args, out=nothing, **words: out)
            found = search.best(weights, 1, threshold=near * best - 1e-9)
        assert found.proved and found.values[0] == pytest.approx(best, abs=1e-12)


def test_grid_and_tree_agree_where_the_tree_is_deep(monkeypatch):
    X, labels, directions, weights = hard_instance(n=40, d=4)
    for sign in (1, -1):
        monkeypatch.setattr(rule_search, "GRID_CELLS", GRID)
        grid = RuleSearch(X, labels, directions).best(weights, sign)
        monkeypatch.setattr(rule_search, "GRID_CELLS", TREE)
        tree = RuleSearch(X, labels, directions).best(weights, sign)
        assert tree.nodes > 0 and tree.bound == pytest.approx(grid.bound, abs=1e-12)


def test_rules_found_once_are_found_again_at_once_when_the_weights_have_changed(monkeypatch):
    X, labels, directions, weights = hard_instance()
    search = RuleSearch(X, labels, directions)
    best = search.best(weights, 1).values[0]
    monkeypatch.setattr(rule_search, "KICKS", (0,))
    monkeypatch.setattr(rule_search, "HEAVIEST", 0)
    fresh = RuleSearch(X, labels, directions).best(weights, 1, prove=False, node_limit=0)
    assert fresh.values.max(initial=0) < best - 1e-9
    assert search.best(weights * 0.5, 1, prove=False, node_limit=0).values[0] == pytest.approx(0.5 * best)


def test_two_searches_give_the_same_bits():
    X, labels, directions, weights = hard_instance()
    first, second = (RuleSearch(X, labels, directions).best(weights, 1) for _ in range(2))
    assert first.values.tobytes() == second.values.tobytes() and first.lower.tobytes() == second.lower.tobytes()
    assert first.nodes == second.nodes


def test_no_object_of_the_rules_side_leaves_no_rule():
    found = RuleSearch([[1.0], [2.0]], [1, 1], [1]).best([1, 1], -1)
    assert found.proved and found.bound == 0 and found.lower.shape == (0, 1)
    assert rank_points(np.array([[1.0]]), np.array([-1.0])) is None


def test_bad_input_is_refused_with_all_faults_at_once():
    with pytest.raises(DataError) as error:
        RuleSearch([[np.nan, 1.0]], [2], [1])
    assert len(error.value.faults) == 3
    search = RuleSearch([[1.0], [2.0]], [1, -1], [1])
    with pytest.raises(DataError) as error:
        search.best([1.0, -1.0], 2, threshold=-1.0, columns=0)
    assert len(error.value.faults) == 4


@pytest.mark.parametrize("d", [64, 65, 200])
def test_more_attributes_than_numpy_has_axes(d: int):
    X = np.random.default_rng(0).random((3, d))
    found = RuleSearch(X, np.array([1, -1, 1]), np.ones(d, dtype=np.int8)).best(np.array([0.3, 0.4, 0.3]), 1)
    assert found.proved and found.bound == pytest.approx(0.6)  # the second is not above what the others share
