"""Labels from the contour of an SVDD ball: which objects lie in one piece of the region that the ball encloses.

A graph joins two objects when the segment between them stays in the region (all of some points on it do); clusters
are its connected components. The variants differ in which pairs they look at: all (``cg``), support vectors
(``svg``), edges of their Delaunay triangulation (``pg``); or in working on equilibrium points of the distance
(``gd``), or on spheres around support vectors whose radius follows from the angle to the centre (``ccl``; Lee and
Daniels 2005).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.spatial import Delaunay
from scipy.spatial.distance import pdist

from monoopt.errors import DataError
from monoopt.order.neighbours import nearest

Inside = Callable[[np.ndarray], np.ndarray]

PAIRS_AT_ONCE = 4000
MOST_DIMENSIONS = 7  # of a Delaunay triangulation
STEPS = 2000
STILL = 1e-9  # steps smaller than this times the spread of the data end the descent
SAME = 1e-3  # equilibrium points nearer than this times the spread are one


def segment_components(points: np.ndarray, pairs: np.ndarray, inside: Inside, samples: int) -> np.ndarray:
    """Connected components of the graph whose edges are the pairs with a segment inside the region.

    Pairs that are already connected through others are not looked at: near pairs come first, so most are.

    Parameters
    ----------
    points : ndarray, shape (n, d)
    pairs : ndarray of int, shape (m, 2)
    inside : callable
        Tells for each of some points whether it lies in the region.
    samples : int
        Points looked at on each segment, evenly, without its ends.

    Examples
    --------
    >>> line = np.array([[0.0], [1.0], [3.0]])
    >>> segment_components(line, all_pairs(line), lambda p: np.abs(p[:, 0] - 2.0) > 0.4, 9)
    array([0, 0, 1])
    """
    component = np.arange(len(points))
    steps = (np.arange(samples) + 1.0) / (samples + 1.0)
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs[start : start + PAIRS_AT_ONCE]
        part = part[component[part[:, 0]] != component[part[:, 1]]]
        if not len(part):
            continue
        for some in (steps[samples // 2 :][:1], steps):  # most pairs of different pieces fail in the middle
            part = part[_stays(points, part, some, inside)]
        component = _joined(component, part)
    return np.unique(component, return_inverse=True)[1]


def _stays(points: np.ndarray, pairs: np.ndarray, steps: np.ndarray, inside: Inside) -> np.ndarray:
    """Tell for each pair whether all of the given steps from one end to the other are inside."""
    if not len(pairs):
        return np.zeros(0, dtype=bool)
    a, b = points[pairs[:, 0]], points[pairs[:, 1]]
    on_segment = a[:, None] + steps[:, None] * (b - a)[:, None]
    found = inside(on_segment.reshape(-1, points.shape[1])).reshape(len(pairs), len(steps))
    return np.asarray(found.all(axis=1))


def all_pairs(points: np.ndarray) -> np.ndarray:
    """All pairs, the nearest first."""
    i, j = np.triu_indices(len(points), 1)
    order = np.argsort(pdist(points), kind="stable")
    return np.column_stack([i[order], j[order]])


def delaunay_pairs(points: np.ndarray) -> np.ndarray:
    """Edges of the Delaunay triangulation, the shortest first.

    Raises
    ------
    DataError
        More than 7 attributes: the triangulation is out of reach there.
    """
    n, d = points.shape
    if d > MOST_DIMENSIONS:
        raise DataError(
            f"labelling 'pg' triangulates the support vectors, which is feasible up to {MOST_DIMENSIONS} attributes; "
            f"there are {d}. Take 'svg' or 'ccl'"
        )
    if n <= d + 1:
        return all_pairs(points)
    if d == 1:
        order = np.argsort(points[:, 0], kind="stable")
        edges = np.column_stack([order[:-1], order[1:]])
    else:
        simplices = _triangulation(points)
        i, j = np.triu_indices(d + 1, 1)
        edges = np.unique(np.sort(simplices[:, np.column_stack([i, j])].reshape(-1, 2), axis=1), axis=0)
    length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    return edges[np.argsort(length, kind="stable")]


def _triangulation(points: np.ndarray) -> np.ndarray:
    """Corners of the simplices, found in units of the widths, so that neither unit nor place matters."""
    inner = (points - points.mean(axis=0)) / (float(np.ptp(points, axis=0).max()) or 1.0)
    return Delaunay(inner, qhull_options="QJ Pp").simplices


def equilibria(
    points: np.ndarray, support: np.ndarray, beta: np.ndarray, gamma: float
) -> tuple[np.ndarray, np.ndarray]:
    """Descend from every point to a stable equilibrium of the distance to the centre; merge equal ones.

    minimise over x  -sum_i beta_i exp(-gamma ||x - x_i||^2), by the fixed point x = weighted mean of the support
    vectors with weights beta_i exp(-gamma ||x - x_i||^2), which never increases it.

    Returns
    -------
    found : ndarray, shape (k, d)
        Distinct equilibrium points.
    home : ndarray of int, shape (n,)
        Where each point ends.
    """
    from scipy.spatial.distance import cdist

    spread = float(np.ptp(support, axis=0).max()) or 1.0
    at, moving = points.copy(), np.arange(len(points))
    for _ in range(STEPS):
        exponent = -gamma * cdist(at[moving], support, "sqeuclidean")
        weight = beta * np.exp(exponent - exponent.max(axis=1, keepdims=True))
        following = weight @ support / weight.sum(axis=1, keepdims=True)
        step = np.abs(following - at[moving]).max(axis=1)
        at[moving] = following
        moving = moving[step > STILL * spread]
        if not len(moving):
            break
    home = _joined(np.arange(len(at)), close_pairs(at, SAME * spread))
    home = np.unique(home, return_inverse=True)[1]
    first = np.unique(home, return_index=True)[1]
    return at[first], home


def close_pairs(points: np.ndarray, radius: float) -> np.ndarray:
    """Pairs of points at most `radius` apart."""
    from scipy.spatial import cKDTree

    return cKDTree(points).query_pairs(radius, output_type="ndarray")


def cone_radius(squared_radius: float, centre_norm: float, gamma: float) -> float:
    """Radius of the sphere around a support vector in which points share its cluster.

    The cosine of the angle between phi(v) and the centre a is (1 + ||a||^2 - R^2) / (2 ||a||) for every v on the
    sphere; a point within that angle of phi(v) is within this radius of v.

    Examples
    --------
    >>> round(cone_radius(0.5, 0.5, 1.0) ** 2, 6)
    0.346574
    """
    cosine = (1.0 + centre_norm - squared_radius) / (2.0 * np.sqrt(centre_norm))
    return float(np.sqrt(max(0.0, -np.log(min(1.0, cosine)) / gamma)))


def cone_components(support: np.ndarray, radius: float) -> np.ndarray:
    """Components of support vectors whose spheres touch."""
    return np.unique(_joined(np.arange(len(support)), close_pairs(support, 2.0 * radius)), return_inverse=True)[1]


def spread_labels(known: np.ndarray, label: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Label of the nearest known point."""
    return label[nearest(known, points, 1)[1][:, 0]]


def _joined(component: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Components after joining those of the given pairs."""
    from scipy.sparse.csgraph import connected_components

    if not len(pairs):
        return component
    n = len(component)
    i, j = component[pairs[:, 0]], component[pairs[:, 1]]
    graph = sparse.csr_array((np.ones(len(pairs)), (i, j)), shape=(n, n))
    return connected_components(graph, directed=False)[1][component]
