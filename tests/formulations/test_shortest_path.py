"""Shortest paths as a flow program: its potentials are the distances that Dijkstra finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from monoopt.errors import DataError, SolveError
from monoopt.formulations import shortest_path
from monoopt.program import Status
from monoopt.solvers import solve


def random_graph(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    tree = np.array([[v, rng.integers(0, v)] for v in range(1, n)])
    more = rng.integers(0, n, size=(n, 2))
    more = more[more[:, 0] != more[:, 1]]
    arcs = np.unique(np.sort(np.vstack([tree, more]), axis=1), axis=0)
    return arcs, rng.integers(1, 20, size=len(arcs)).astype(float), np.unique(rng.integers(0, n, size=2))


@given(st.integers(0, 10_000), st.integers(2, 9))
@settings(max_examples=30)
def test_potentials_are_distances_and_the_flow_is_a_forest_of_shortest_paths(seed: int, n: int):
    arcs, lengths, sources = random_graph(seed, n)
    program = shortest_path.build(arcs, lengths, sources, n)
    paths = shortest_path.read(program, solve(program), sources, n)
    graph = sparse.csr_array((lengths, tuple(arcs.T)), shape=(n, n))
    distance = dijkstra(graph, directed=False, indices=sources, min_only=True)
    assert np.allclose(paths.distance, distance)
    W = graph.toarray() + graph.toarray().T
    for v in range(n):
        u = paths.predecessor[v]
        assert (u < 0) == (v in sources)
        if u >= 0:
            assert W[u, v] > 0 and distance[v] == pytest.approx(distance[u] + W[u, v])
            assert paths.source[v] == paths.source[u]
        else:
            assert paths.source[v] == v


def test_a_directed_arc_is_used_one_way_only():
    program = shortest_path.build([[0, 1], [2, 1], [1, 2]], [1.0, 1.0, 5.0], [0], 3, directed=True)
    assert solve(program).objective == 1 + 6


def test_a_node_that_no_path_reaches_makes_the_program_infeasible():
    program = shortest_path.build([[0, 1]], [1.0], [0], 3)
    with pytest.raises(SolveError) as stopped:
        solve(program)
    assert stopped.value.solution.status in (Status.INFEASIBLE, Status.INFEASIBLE_OR_UNBOUNDED)


def test_the_matrix_is_totally_unimodular_and_says_so():
    arcs, lengths, sources = random_graph(3, 8)
    assert "unimodular" in str(shortest_path.build(arcs, lengths, sources, 8).structure()).lower()


def test_all_faults_are_listed_at_once():
    with pytest.raises(DataError) as refused:
        shortest_path.build([[0, 0], [0, 9]], [1.0, -1.0], [7], 3)
    assert len(refused.value.faults) == 4
    with pytest.raises(DataError, match="one per arc"):
        shortest_path.build([[0, 1]], [1.0, 2.0], [0], 2)
