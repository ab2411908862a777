"""Paths by density: the exact distances of the complete graph whatever the graph that is formed, proved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from monoopt.formulations import shortest_path
from monoopt.order import graphs
from monoopt.order.graphs import complete_graph, nearest_sources, prove_paths, shortest_paths, without_detours
from monoopt.order.metric import DensityMetric, average_distances, root_mean_square_distance
from monoopt.solvers import solve


def metric(n: int, seed: int = 0, d: int = 2, balanced: bool = True) -> DensityMetric:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.2, 1.0], size=(n, 1))
    return DensityMetric(X, average_distances(X), root_mean_square_distance(X), balanced)


def test_lengths_are_those_of_the_definition():
    m = metric(30)
    D, AD = cdist(m.X, m.X), m.density
    i, j = np.triu_indices(30, 1)
    eta = 2 - np.minimum(AD[i], AD[j]) / np.maximum(AD[i], AD[j])
    assert np.allclose(m.lengths(D[i, j], i, j), eta * (np.exp((D[i, j] / m.unit) ** 2) - 1))
    plain = replace(m, balanced=False)
    assert np.allclose(plain.lengths(D[i, j], i, j), np.exp((D[i, j] / m.unit) ** 2) - 1)
    assert np.allclose(plain.reach(plain.lengths(D[i, j], i, j)), D[i, j])


def test_average_distances_leave_the_object_itself_out():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert average_distances(X, 0.5).tolist() == [2.0, 1.5, 2.5, 5.0]
    assert average_distances(X, 0.5, X).tolist() == average_distances(X, 0.5).tolist()
    assert average_distances(X, 0.5, np.array([[2.0]])).tolist() == [1.0]
    assert average_distances(X[:1]).tolist() == [1.0]


@given(st.integers(0, 10_000), st.integers(2, 40), st.booleans())
@settings(max_examples=40)
def test_the_growing_neighbour_graph_gives_the_distances_of_the_complete_one(seed: int, n: int, balanced: bool):
    m = metric(n, seed, balanced=balanced)
    sources = np.unique(np.random.default_rng(seed).integers(0, n, size=2))
    wanted = shortest_paths(complete_graph(m), sources)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs, "DENSE_LIMIT", 0)
        patch.setattr(graphs, "FIRST_NEIGHBOURS", 2)
        found, graph, proof = nearest_sources(m, sources)
    assert np.allclose(found.distance, wanted.distance, rtol=1e-12)
    assert proof.ok and proof.unproved == 0
    assert graph.nnz <= n * (n - 1) / 2


def test_a_graph_that_may_not_grow_says_how_many_distances_are_open(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graphs, "DENSE_LIMIT", 0)
    monkeypatch.setattr(graphs, "FIRST_NEIGHBOURS", 2)
    monkeypatch.setattr(graphs, "MOST_ARCS", 0)
    _, _, proof = nearest_sources(metric(200), np.array([0]))
    assert proof.unproved > 0 and str(proof.unproved) in str(proof)


@given(st.integers(0, 10_000), st.integers(2, 30))
@settings(max_examples=30)
def test_dropping_detours_changes_no_distance(seed: int, n: int):
    m = metric(n, seed)
    full = complete_graph(m)
    thin = without_detours(full, m)
    assert thin.nnz <= full.nnz
    for source in range(0, n, 5):
        a, b = (shortest_paths(g, np.array([source])).distance for g in (full, thin))
        assert np.allclose(a, b, rtol=1e-12)


def test_a_wrong_distance_fails_its_proof():
    m = metric(40)
    graph = complete_graph(m)
    right = shortest_paths(graph, np.array([0, 7]))
    assert prove_paths(graph, right).ok
    for factor in (0.9, 1.1):
        wrong = right.distance.copy()
        wrong[np.argmax(wrong)] *= factor
        assert not prove_paths(graph, replace(right, distance=wrong)).ok
    assert "NOT" in str(prove_paths(graph, replace(right, distance=wrong)))


def test_the_potentials_are_the_duals_of_the_flow_program():
    m = metric(12)
    graph = complete_graph(m)
    sources = np.array([0, 5])
    arcs = np.column_stack(graph.nonzero())
    program = shortest_path.build(arcs, graph.data, sources, 12)
    paths = shortest_path.read(program, solve(program), sources, 12)
    assert paths.distance == pytest.approx(shortest_paths(graph, sources).distance)


def test_many_attributes_and_far_away_objects_are_fine():
    m = metric(60, d=40)
    m = replace(m, X=np.vstack([m.X, m.X[:1] + 1e6]), density=np.append(m.density, 1.0))
    paths, _, proof = nearest_sources(m, np.array([3]))
    assert np.isinf(paths.distance[-1]) and np.isfinite(paths.distance[:-1]).all() and proof.ok
