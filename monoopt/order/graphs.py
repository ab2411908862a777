"""Shortest paths by a density-aware length, from many sources at once, proved by potentials.

Up to 1,500 objects the graph is complete. Above, it is a neighbour graph that grows until it is as good: an arc
that is missing at an object is at least as long as one to its last listed neighbour, so a distance is proved to be
the one of the complete graph once that length is not below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from monoopt.order.metric import DensityMetric
from monoopt.order.neighbours import distances, nearest

DENSE_LIMIT = 1500  # objects up to which the complete graph is formed
FIRST_NEIGHBOURS = 12
MOST_ARCS = 40_000_000  # arcs up to which neighbour lists may grow (about 1 GB)


@dataclass(frozen=True, eq=False)
class Paths:
    """Shortest paths from the nearest source.

    Attributes
    ----------
    distance : ndarray, shape (n,)
        Length, infinite where no source is reached.
    predecessor, source : ndarray of int, shape (n,)
        The node before (negative at sources) and the source (negative where none is reached).
    """

    distance: np.ndarray
    predecessor: np.ndarray
    source: np.ndarray


@dataclass(frozen=True, eq=False)
class PathProof:
    """What the potentials prove.

    Attributes
    ----------
    ok : bool
        Every distance is the length of a path, and no arc is shorter than the difference of its ends.
    excess : float
        Largest D(v) - D(u) - W(u, v) over all arcs, relative to the largest distance.
    slack : float
        Largest |D(v) - D(u) - W(u, v)| over the arcs of the paths, relative.
    unproved : int
        Objects whose distance is a shortest one in the neighbour graph, but perhaps not in the complete graph.
    """

    ok: bool
    excess: float
    slack: float
    unproved: int = 0

    def __str__(self) -> str:
        """One line for people."""
        verdict = "proved" if self.ok else "NOT proved"
        where = "" if not self.unproved else f" in the neighbour graph ({self.unproved} objects open beyond it)"
        return f"shortest paths {verdict} by potentials{where}: excess {self.excess:.1e}, slack {self.slack:.1e}"


def complete_graph(metric: DensityMetric) -> sparse.csr_array:
    """All arcs, each pair once."""
    n = len(metric.X)
    i, j = np.triu_indices(n, 1)
    lengths = metric.lengths(distances(metric.X, metric.X)[i, j], i, j)
    return sparse.csr_array((lengths, (i, j)), shape=(n, n))


def without_detours(graph: sparse.csr_array, metric: DensityMetric) -> sparse.csr_array:
    """Drop arcs of a complete graph that a step over a near neighbour makes shorter: all distances stay.

    Every dropped arc is replaced by a strictly shorter path, so shortest paths never needed it. A graph above
    1,500 objects is not complete and comes back as it is.
    """
    n = len(metric.X)
    if n > DENSE_LIMIT:
        return graph
    W = np.zeros((n, n))
    arcs = sparse.coo_array(graph)
    W[arcs.row, arcs.col] = W[arcs.col, arcs.row] = arcs.data
    over = nearest(metric.X, metric.X, min(FIRST_NEIGHBOURS, n - 1) + 1)[1][:, 1:]
    kept = np.triu(np.ones((n, n), dtype=bool), 1)
    for step in over.T:  # from every object to one of its neighbours, and on
        detour = W[np.arange(n), step][:, None] + W[step] < W
        kept &= ~(detour | detour.T)
    i, j = np.nonzero(kept)
    return sparse.csr_array((W[i, j], (i, j)), shape=(n, n))


def neighbour_graph(metric: DensityMetric, counts: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
    """Arcs from every object to its nearest ones, and how far each list reaches.

    Parameters
    ----------
    counts : ndarray of int, shape (n,)
        Neighbours listed for each object (all of them: n - 1).

    Returns
    -------
    graph : csr_array
        Each pair once.
    reach : ndarray, shape (n,)
        Distance of the last one listed, infinite where all are.
    """
    n = len(metric.X)
    reach = np.full(n, np.inf)
    ends, gaps = [], []
    for count in np.unique(counts):
        group = np.flatnonzero(counts == count)
        step = max(1, 4_000_000 // int(count + 1))
        for part in np.split(group, range(step, len(group), step)):
            distance, other = nearest(metric.X, metric.X[part], int(count) + 1)
            if count < n - 1:
                reach[part] = distance[:, -1]
            ends.append(np.column_stack([np.repeat(part, count + 1), other.ravel()]))
            gaps.append(distance.ravel())
    pairs, gap = np.sort(np.vstack(ends), axis=1), np.concatenate(gaps)
    keys, first = np.unique(pairs[:, 0] * n + pairs[:, 1], return_index=True)
    i, j = np.divmod(keys, n)
    kept = i != j
    i, j, gap = i[kept], j[kept], gap[first[kept]]
    return sparse.csr_array((metric.lengths(gap, i, j), (i, j)), shape=(n, n)), reach


def shortest_paths(graph: sparse.csr_array, sources: np.ndarray) -> Paths:
    """Multi-source Dijkstra on an undirected graph: one pass, not one per source.

    Examples
    --------
    >>> chain = sparse.csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> shortest_paths(chain, np.array([0])).distance
    array([0., 1., 3.])
    """
    from scipy.sparse.csgraph import dijkstra

    found = dijkstra(graph, directed=False, indices=sources, min_only=True, return_predecessors=True)
    return Paths(*found)


def nearest_sources(metric: DensityMetric, sources: np.ndarray) -> tuple[Paths, sparse.csr_array, PathProof]:
    """Distance of every object to the nearest source, with the graph and the proof.

    Examples
    --------
    >>> metric = DensityMetric(np.array([[0.0], [1.0], [3.0]]), np.ones(3), 1.0)
    >>> paths, graph, proof = nearest_sources(metric, np.array([0]))
    >>> paths.predecessor, proof.ok, proof.unproved
    (array([-9999,     0,     1], dtype=int32), True, 0)
    """
    n = len(metric.X)
    if n <= DENSE_LIMIT:
        graph = complete_graph(metric)
        paths = shortest_paths(graph, sources)
        return paths, graph, prove_paths(graph, paths)
    counts = np.full(n, min(FIRST_NEIGHBOURS, n - 1))
    while True:
        graph, reach = neighbour_graph(metric, counts)
        paths = shortest_paths(graph, sources)
        open_ones = np.flatnonzero(metric.reach(paths.distance) > reach)
        wanted = np.minimum(2 * counts[open_ones], n - 1)
        if not len(open_ones) or counts.sum() + wanted.sum() > MOST_ARCS:
            return paths, graph, prove_paths(graph, paths, len(open_ones))
        counts[open_ones] = wanted


def prove_paths(graph: sparse.csr_array, paths: Paths, unproved: int = 0, tolerance: float = 1e-9) -> PathProof:
    """Check the distances as potentials of the shortest-path program; needs no solver."""
    D = paths.distance
    reached = np.isfinite(D)
    scale = float(D[reached].max(initial=0.0)) or 1.0
    arcs = sparse.coo_array(graph)
    known = (reached[arcs.row] | reached[arcs.col]) & np.isfinite(arcs.data)
    rise = np.abs(D[arcs.row[known]] - D[arcs.col[known]]) - arcs.data[known]
    excess = max(0.0, float(rise.max(initial=0.0)) / scale)
    nodes = np.flatnonzero((paths.predecessor >= 0) & reached)
    before = paths.predecessor[nodes]
    taken = np.asarray(graph[np.minimum(before, nodes), np.maximum(before, nodes)]).ravel()
    slack = float(np.abs(D[nodes] - D[before] - taken).max(initial=0.0)) / scale
    at_zero = not D[(paths.predecessor < 0) & reached].any()
    return PathProof(excess <= tolerance and slack <= tolerance and at_zero, excess, slack, unproved)
