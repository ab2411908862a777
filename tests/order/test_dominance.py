"""Every function of dominance against its definition, written out with Python loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.order import (
    TooManyPairs,
    as_gains,
    borders,
    comparisons,
    dominance,
    dominance_pairs,
    extension_bounds,
    inconsistent,
    merge_equal,
    parse_directions,
    transitive_reduction,
    violating_pairs,
)


def dominates(x, z, directions) -> bool:
    return all((a - b) * s >= 0 if s else a == b for a, b, s in zip(x, z, directions, strict=True))


@st.composite
def instances(draw):
    """Small grids with many ties, all kinds of directions, and arbitrary labels."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    X = draw(
        st.lists(
            st.lists(st.sampled_from([-1.0, -0.0, 0.0, 1.0, 2.5]), min_size=d, max_size=d),
            min_size=n,
            max_size=n,
        )
    )
    directions = draw(st.lists(st.sampled_from([1, -1, 0]), min_size=d, max_size=d))
    codes = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return np.array(X), np.array(codes), parse_directions(directions, d)


@settings(max_examples=40)
@given(instances())
def test_dominance_pairs_are_all_pairs(instance):
    X, _, s = instance
    n = len(X)
    expected = [[i, j] for i in range(n) for j in range(n) if i != j and dominates(X[i], X[j], s)]
    assert dominance_pairs(X, s).tolist() == expected


@settings(max_examples=40)
@given(instances())
def test_violating_pairs_and_inconsistent_objects(instance):
    X, codes, s = instance
    expected = [[i, j] for i, j in dominance_pairs(X, s).tolist() if codes[i] < codes[j]]
    assert violating_pairs(X, codes, s).tolist() == expected
    assert np.flatnonzero(inconsistent(X, codes, s)).tolist() == sorted({i for pair in expected for i in pair})


@settings(max_examples=40)
@given(instances(), instances())
def test_extension_bounds_by_definition(instance, other):
    X, codes, s = instance
    d = X.shape[1]
    X_new = np.resize(other[0], (len(other[0]), d))
    low, high = extension_bounds(X, codes, s, X_new, n_classes=5)
    for i, x in enumerate(X_new):
        assert low[i] == max([codes[j] for j in range(len(X)) if dominates(x, X[j], s)], default=0)
        assert high[i] == min([codes[j] for j in range(len(X)) if dominates(X[j], x, s)], default=4)


@settings(max_examples=40)
@given(instances())
def test_gain_columns_say_the_same_as_directions(instance):
    X, _, s = instance
    gains = as_gains(X, s)
    for x, u in zip(X, gains, strict=True):
        assert [dominates(x, z, s) for z in X] == [bool((u >= v).all()) for v in gains]


@settings(max_examples=40)
@given(instances())
def test_merging_keeps_every_object_and_no_two_equal_ones(instance):
    X = instance[0]
    unique, inverse = merge_equal(X)
    np.testing.assert_array_equal(unique[inverse], X)
    assert len({tuple(row) for row in unique.tolist()}) == len(unique) and not np.signbit(unique[unique == 0]).any()


@settings(max_examples=40)
@given(instances())
def test_reduction_is_the_smallest_set_of_arcs_with_the_same_order(instance):
    X, _, s = instance
    X, _ = merge_equal(X)
    pairs, arcs = dominance_pairs(X, s), transitive_reduction(dominance_pairs(X, s), len(X))
    above = {tuple(pair) for pair in pairs.tolist()}
    between = {(i, j) for i, j in above if any((i, k) in above and (k, j) in above for k in range(len(X)))}
    assert {tuple(arc) for arc in arcs.tolist()} == above - between and len(arcs) == len(above - between)
    reach = np.zeros((len(X), len(X)), dtype=int)
    reach[arcs[:, 0], arcs[:, 1]] = 1
    for _ in range(4):
        reach = np.minimum(reach + reach @ reach, 1)
    assert {tuple(pair) for pair in np.argwhere(reach).tolist()} == above


def test_reduction_of_a_chain_of_four():
    pairs = dominance_pairs(np.arange(4.0)[:, None], np.ones(1, np.int8))
    assert transitive_reduction(pairs, 4).tolist() == [[1, 0], [2, 1], [3, 2]]


def test_reduction_refuses_what_is_no_strict_order():
    with pytest.raises(DataError, match="merge equal"):
        transitive_reduction(np.array([[0, 1], [1, 0]]), 2)
    with pytest.raises(DataError, match="not transitive: 1 "):
        transitive_reduction(np.array([[2, 1], [1, 0]]), 3)
    assert transitive_reduction(np.empty((0, 2), dtype=np.int64), 3).shape == (0, 2)


@settings(max_examples=40)
@given(instances())
def test_borders_cover_both_classes_and_nothing_on_a_border_is_implied(instance):
    X, codes, s = instance
    for labels in (codes > 1, np.where(codes > 1, 1, -1)):
        minimal, maximal = borders(X, labels, s)
        upper, lower = np.flatnonzero(codes > 1), np.flatnonzero(codes <= 1)
        assert set(minimal) <= set(upper) and set(maximal) <= set(lower)
        assert all(any(dominates(X[i], X[b], s) for b in minimal) for i in upper)
        assert all(any(dominates(X[b], X[i], s) for b in maximal) for i in lower)
        for border in (minimal, maximal):
            assert not any(dominates(X[a], X[b], s) for a in border for b in border if a != b)


@pytest.mark.parametrize("compiled_from", [0, 10_000])
def test_borders_of_many_objects(monkeypatch, compiled_from):
    monkeypatch.setattr(dominance, "FRONT_OBJECTS", compiled_from)
    monkeypatch.setattr(dominance, "FRONT_BLOCK", 7)
    monkeypatch.setattr(comparisons, "BLOCK_CELLS", 30)
    X = np.random.default_rng(3).integers(0, 6, (200, 3)).astype(float)
    s = parse_directions([1, -1, 0], 3)
    minimal, _ = borders(X, X[:, 0] > 2, s)
    upper = np.flatnonzero(X[:, 0] > 2)
    smallest = [i for i in upper if not any(dominates(X[i], X[j], s) and tuple(X[i]) != tuple(X[j]) for j in upper)]
    assert {tuple(X[i]) for i in minimal} == {tuple(X[i]) for i in smallest} and len(minimal) == len(
        {tuple(X[i]) for i in smallest}
    )


def test_blocks_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(0)
    X, codes, s = rng.integers(0, 5, (60, 2)).astype(float), rng.integers(0, 3, 60), parse_directions(None, 2)
    whole = dominance_pairs(X, s), violating_pairs(X, codes, s), *extension_bounds(X, codes, s, X[:7])
    monkeypatch.setattr(comparisons, "BLOCK_CELLS", 100)
    cut = dominance_pairs(X, s), violating_pairs(X, codes, s), *extension_bounds(X, codes, s, X[:7])
    for a, b in zip(whole, cut, strict=True):
        np.testing.assert_array_equal(a, b)


def test_too_many_pairs_are_refused_with_the_way_out():
    with pytest.raises(TooManyPairs, match="steiner_graph"):
        dominance_pairs(np.arange(100.0)[:, None], np.ones(1, np.int8), max_pairs=1000)
    with pytest.raises(MemoryError):
        violating_pairs(np.arange(100.0)[:, None], -np.arange(100), np.ones(1, np.int8), max_pairs=1000)


def test_u11_free_attributes_compare_only_when_equal():
    X, codes = np.array([[1.0, 0.0], [2.0, 0.0], [2.0, 1.0]]), np.array([1, 0, 0])
    assert violating_pairs(X, codes, parse_directions([1, 0], 2)).tolist() == [[1, 0]]
    assert len(violating_pairs(X[:, :1], codes, parse_directions([1], 1))) == 2  # leaving b out would bring object 3 in


@pytest.mark.parametrize(
    ("query", "interval"),
    [((0, 0), (0, 0)), ((9, 9), (3, 3)), ((3, 3), (1, 3)), ((1, 5), (0, 3)), ((2, 2), (1, 1))],
)
def test_u16_u17_intervals_of_new_objects(query, interval):
    X, codes = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]), np.array([0, 1, 3])
    low, high = extension_bounds(X, codes, parse_directions(None, 2), np.array([query], dtype=float), n_classes=4)
    assert (low[0], high[0]) == interval
