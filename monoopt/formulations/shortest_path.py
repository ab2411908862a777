"""Shortest paths from several sources as one flow program, and the potentials that prove them.

minimise    sum_a length_a f_a
subject to  inflow(v) - outflow(v) = demand_v   for every node that is not a source,   f >= 0

One unit (or `demand`) flows from the sources to each node; the optimum is the sum of the distances. The
multipliers of the rows are the potentials: pi_v - pi_u <= length(u, v) on every arc, and pi_v is the distance of v
to the nearest source. The matrix is that of a network, hence totally unimodular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from monoopt.errors import DataError, refuse
from monoopt.program import Program, ProgramBuilder, Solution


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """Distances and a forest of paths.

    Attributes
    ----------
    distance : ndarray, shape (n,)
        Length of the shortest path from the nearest source; 0 at sources.
    predecessor : ndarray of int, shape (n,)
        The node before on such a path, -1 at sources.
    source : ndarray of int, shape (n,)
        The source it starts from.
    """

    distance: np.ndarray
    predecessor: np.ndarray
    source: np.ndarray


def build(arcs: ArrayLike, lengths: ArrayLike, sources: ArrayLike, nodes: int, *, directed: bool = False) -> Program:
    """Build the flow program with one unit of demand at every node that is not a source.

    Parameters
    ----------
    arcs : array-like of int, shape (m, 2)
        Tail and head of every arc, between different nodes, none twice.
    lengths : array-like, shape (m,)
        Non-negative.
    sources : array-like of int
        At least one node.
    nodes : int
        Number of nodes.
    directed : bool
        Otherwise every arc may be used both ways.

    Returns
    -------
    Program
        Columns ``f``, rows ``conservation`` (one per node that is no source).

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build([[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 3.0], [0], 3)
    >>> solution = solve(program)
    >>> solution.objective, read(program, solution, [0], 3).distance
    (3.0, array([0., 1., 2.]))
    """
    pairs, length, start = _checked(arcs, lengths, sources, nodes)
    if not directed:
        pairs, length = np.vstack([pairs, pairs[:, ::-1]]), np.concatenate([length, length])
    others = np.setdiff1d(np.arange(nodes), start)
    m = len(pairs)
    data = np.concatenate([np.ones(m), -np.ones(m)])
    ends = np.concatenate([pairs[:, 1], pairs[:, 0]])
    inflow = sparse.csr_array((data, (ends, np.tile(np.arange(m), 2))), shape=(nodes, m))[others]
    builder = ProgramBuilder("shortest_path")
    builder.add_columns("f", m, lower=0.0, cost=length, index=pairs, tex="f_{uv}", over="(u,v) in arcs")
    builder.add_rows(
        "conservation",
        {"f": inflow},
        lower=np.ones(len(others)),
        upper=np.ones(len(others)),
        index=others,
        tex=r"\sum_u f_{uv} - \sum_u f_{vu}",
        over="v in nodes without sources",
    )
    builder.require("duals", "vertex")
    return builder.build()


def read(program: Program, solution: Solution, sources: ArrayLike, nodes: int) -> ShortestPaths:
    """Return distances (the potentials) and the forest of paths that the flow uses."""
    start = np.asarray(sources, dtype=np.int64)
    distance = np.zeros(nodes)
    block = program.row_block("conservation")
    if block.index is not None:
        distance[block.index] = solution.dual("conservation")
    pairs = program.column_block("f").index
    predecessor = np.full(nodes, -1)
    if pairs is not None:
        used = pairs[solution.values("f") > 0.5]
        predecessor[used[:, 1]] = used[:, 0]
    return ShortestPaths(distance, predecessor, _roots(predecessor, distance, start))


def _roots(predecessor: np.ndarray, distance: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Follow the forest up to its sources."""
    root = np.full(len(predecessor), -1)
    root[sources] = sources
    for node in range(len(root)):
        path = []
        at = node
        while root[at] < 0:
            path.append(at)
            at = int(predecessor[at])
        root[path] = root[at]
    return root


def _checked(
    arcs: ArrayLike, lengths: ArrayLike, sources: ArrayLike, nodes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pairs = np.asarray(arcs, dtype=np.int64).reshape(-1, 2)
    length = np.asarray(lengths, dtype=float)
    start = np.unique(np.asarray(sources, dtype=np.int64))
    if length.shape != (len(pairs),):
        raise DataError(f"shortest paths: {len(pairs)} arcs, lengths of shape {length.shape}; wanted one per arc")
    faults = []
    if not len(start) or start.min() < 0 or start.max() >= nodes:
        faults.append(f"sources {start.tolist()}: wanted at least one node of 0..{nodes - 1}")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= nodes):
        faults.append(f"arcs name nodes outside 0..{nodes - 1}")
    if (pairs[:, 0] == pairs[:, 1]).any():
        faults.append("an arc leads from a node to itself")
    if not np.isfinite(length).all() or (length < 0).any():
        faults.append("lengths must be finite and not negative")
    refuse(faults, "shortest paths")
    return pairs, length, start
