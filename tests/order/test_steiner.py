"""The sparse graph says exactly what the pairs say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.order import as_gains, dominance, extension_bounds, greatest_above, parse_directions, steiner_graph
from monoopt.order.comparisons import at_least


@st.composite
def roles(draw):
    """Objects on a grid with many ties, any directions, and each object source, target, both or neither."""
    d, levels = draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 4, 40]))
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    directions = draw(st.lists(st.sampled_from([1, 1, -1, -1, 0]), min_size=d, max_size=d))
    role = rng.integers(0, 4, n)
    return rng.integers(0, levels, (n, d)) - 1.0, parse_directions(directions, d), role % 2 == 1, role // 2 == 1


def reachable(tail: np.ndarray, head: np.ndarray, n_nodes: int) -> np.ndarray:
    reach = np.eye(n_nodes, dtype=np.float32)
    reach[tail, head] = 1
    while True:
        further = (reach @ reach > 0).astype(np.float32)
        if (further == reach).all():
            return reach > 0
        reach = further


@settings(max_examples=80)
@given(roles())
def test_a_path_leads_from_source_to_target_iff_it_dominates(case):
    X, directions, sources, targets = case
    tail, head, n_nodes = steiner_graph(X, directions, sources, targets)
    reach, gains = reachable(tail, head, n_nodes), as_gains(X, directions)
    dominates, same = at_least(gains, gains), np.eye(len(X), dtype=bool)
    chosen = sources[:, None] & targets[None, :] & ~same
    np.testing.assert_array_equal(reach[: len(X), : len(X)][chosen], dominates[chosen])
    assert not (reach[: len(X), : len(X)] & ~dominates).any()  # no path between any objects that says too much


@settings(max_examples=40)
@given(roles())
def test_arcs_are_few_simple_and_in_topological_order(case):
    X, directions, sources, targets = case
    targets = targets & ~sources
    tail, head, n_nodes = steiner_graph(X, directions, sources, targets)
    assert len({*zip(tail.tolist(), head.tolist(), strict=True)}) == len(tail) and (tail != head).all()
    assert sources[tail[tail < len(X)]].all() and targets[head[head < len(X)]].all()
    left: set[int] = set()
    for t, h in zip(tail.tolist(), head.tolist(), strict=True):
        left.add(t)
        assert h not in left
    assert set(range(len(X), n_nodes)) <= {*tail.tolist()} & {*head.tolist()}


def test_indices_and_masks_say_the_same():
    X = np.random.default_rng(1).random((30, 2))
    mask = X[:, 0] > 0.5
    one = steiner_graph(X, parse_directions(None, 2), mask, ~mask)
    other = steiner_graph(X, parse_directions(None, 2), np.flatnonzero(mask), np.flatnonzero(~mask).tolist())
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("d", "limit"), [(1, 3.1), (2, 12.0), (3, 45.0)])
def test_arcs_grow_as_n_times_powers_of_the_logarithm(d, limit):
    n = 20_000
    X = np.random.default_rng(d).random((n, d))
    upper = np.random.default_rng(0).random(n) < 0.5
    tail, _, n_nodes = steiner_graph(X, parse_directions(None, d), upper, ~upper)
    assert len(tail) < limit * n and n_nodes < limit * n  # the pairs would be n**2 / 4 / 2**d


@pytest.mark.parametrize("empty", [[], np.array([], dtype=np.int64), np.zeros(3, dtype=bool)])
def test_nothing_to_compare_gives_no_arc(empty):
    X, up = np.arange(3.0)[:, None], np.ones(1, np.int8)
    for sources, targets in ((empty, [0, 1]), ([0, 1], empty)):
        tail, head, n_nodes = steiner_graph(X, up, sources, targets)
        assert len(tail) == len(head) == 0 and n_nodes == 3


@settings(max_examples=40)
@given(roles(), st.integers(0, 10))
def test_bounds_by_graph_equal_bounds_by_pairs(case, seed):
    X, directions, known, _ = case
    known[0] = True
    codes = np.random.default_rng(seed).integers(0, 4, known.sum())
    by_pairs = extension_bounds(X[known], codes, directions, X, n_classes=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dominance, "MAX_COMPARISONS", 0)
        by_graph = extension_bounds(X[known], codes, directions, X, n_classes=5)
    for a, b in zip(by_pairs, by_graph, strict=True):
        np.testing.assert_array_equal(a, b)


def test_greatest_above_counts_equal_objects():
    X, values = np.array([[1.0], [2.0]]), np.array([3, 4])
    assert greatest_above(X, values, np.ones(1, np.int8), np.array([[2.0], [2.5]])).tolist() == [4, 0]


@pytest.mark.slow
def test_a_million_objects_fit_in_memory():
    rng = np.random.default_rng(0)
    X = rng.random((1_000_000, 3))
    upper = X.mean(axis=1) > 0.5
    upper ^= rng.random(len(X)) < 0.1
    tail, _, n_nodes = steiner_graph(X, parse_directions(None, 3), ~upper, upper)
    assert len(tail) < 30_000_000 and n_nodes < 4_000_000
