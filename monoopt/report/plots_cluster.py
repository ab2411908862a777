"""Pictures of balls and clusters: boundary and distance, representatives, clusters, shortest paths.

Every function returns a matplotlib `Figure` that belongs to no window: ``figure.savefig("clusters.png")``.
matplotlib comes with ``pip install monoopt[plot]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import DataError
from monoopt.estimators.sdsn import SDSN
from monoopt.estimators.svdd import SVDD
from monoopt.order.dominance import merge_equal
from monoopt.order.frames import read_table
from monoopt.order.graphs import complete_graph
from monoopt.order.metric import DensityMetric, average_distances, root_mean_square_distance

INSIDE, SPHERE, OUTSIDE, GUIDE = "#5b7f95", "#b3202c", "#e08a1e", "#9aa5ad"
CLUSTERS = (
    "#2a7f62",
    "#b3202c",
    "#3b6ea8",
    "#e08a1e",
    "#7a4fa3",
    "#8a6d3b",
    "#c2559d",
    "#4f8f8f",
    "#777777",
    "#a0b020",
)
GRID = 200  # points along each side of a distance map
MOST_PATH_OBJECTS = 1500


def plot_ball(estimator: SVDD, X: Any) -> Any:
    """Draw the ball: a map of the distance with its boundary for two attributes, sorted distances otherwise.

    Parameters
    ----------
    estimator : SVDD
        Fitted.
    X : array-like or data frame
        The training objects (the kernel matrix when precomputed).

    Returns
    -------
    matplotlib.figure.Figure
    """
    check_is_fitted(estimator, "radius_")
    values, names = read_table(X)
    figure, axis = _figure(1, 4.6)
    if values.shape[1] == 2 and estimator.kernel != "precomputed":
        _distance_map(figure, axis, estimator, values)
        _name_axes(axis, names, [0, 1])
        axis.set_aspect("equal")
    else:
        _sorted_distances(axis, estimator, X, len(values))
    sets = f"{len(estimator.boundary_)} objects on the sphere, {len(estimator.outside_)} outside"
    axis.set_title(f"R = {estimator.radius_:.4g}, {sets}", fontsize=9)
    axis.legend(fontsize=7, loc="best")
    return figure


def plot_representatives(estimator: SDSN, attributes: Sequence[int] = (0, 1)) -> Any:
    """Draw the data representatives, coloured by their cluster, among all objects."""
    X, label, distance = _rows(estimator)
    figure, axis = _figure(1, 4.6)
    chosen = _plane(X, attributes)
    chief = distance == 0
    axis.scatter(*X[~chief][:, chosen].T, s=9, c=GUIDE, label="other objects", linewidths=0)
    axis.scatter(*X[chief][:, chosen].T, s=16, c=[CLUSTERS[k % len(CLUSTERS)] for k in label[chief]],
                 label="representatives", linewidths=0)  # fmt: skip
    axis.set_title(
        f"{int(chief.sum())} representatives of {len(X)} distinct objects, r = {estimator.rank_}", fontsize=9
    )
    _finish(axis, estimator, chosen)
    return figure


def plot_clusters(estimator: Any, X: Any = None, attributes: Sequence[int] = (0, 1)) -> Any:
    """Draw the clusters of a fitted `SDSN` (or of any clusterer with ``labels_``, given its training table).

    For two attributes and an estimator that predicts, the plane is coloured by the label it would give.
    """
    check_is_fitted(estimator, "labels_")
    if X is None:
        values, label, _ = _rows(estimator)
    else:
        values, label = read_table(X)[0], estimator.labels_
    figure, axis = _figure(1, 4.6)
    chosen = _plane(values, attributes)
    if values.shape[1] == 2 and hasattr(estimator, "predict"):
        _label_map(axis, estimator, values)
    for k in np.unique(label):
        colour = CLUSTERS[k % len(CLUSTERS)]
        axis.scatter(*values[label == k][:, chosen].T, s=12, c=colour, linewidths=0, label=f"{k}")
    axis.set_title(f"{len(np.unique(label))} clusters", fontsize=9)
    _finish(axis, estimator, chosen)
    return figure


def plot_paths(X: Any, pairs: Sequence[tuple[int, int]], attributes: Sequence[int] = (0, 1)) -> Any:
    """Draw shortest paths between pairs of objects: by Euclidean length, by W without and with the density ratio.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        Up to 1,500 objects.
    pairs : sequence of (int, int)
        Row numbers of the ends.
    """
    values, names = read_table(X)
    if len(values) > MOST_PATH_OBJECTS:
        raise DataError(f"{len(values)} objects: paths in the complete graph are drawn for up to {MOST_PATH_OBJECTS}")
    rows, home = merge_equal(values)
    metric = DensityMetric(rows, average_distances(rows), root_mean_square_distance(rows))
    kinds = {"Euclidean": None, "without density ratio": replace(metric, balanced=False), "with density ratio": metric}
    figure, axes = _figure(3, 3.6)
    chosen = _plane(values, attributes)
    for axis, (title, kind) in zip(axes, kinds.items(), strict=True):
        axis.scatter(*values[:, chosen].T, s=6, c=GUIDE, linewidths=0)
        for i, j in pairs:
            path, length = _path(kind, rows, int(home[i]), int(home[j]))
            axis.plot(*rows[path][:, chosen].T, "-o", ms=2.5, lw=1.2, label=f"{i} to {j}: {length:.4g}")
        axis.set_title(title, fontsize=9)
        axis.legend(fontsize=6, loc="best")
        axis.set_aspect("equal")
        _name_axes(axis, names, chosen)
    return figure


def _path(metric: DensityMetric | None, rows: np.ndarray, start: int, stop: int) -> tuple[list[int], float]:
    from scipy.sparse.csgraph import dijkstra

    if metric is None:
        return [start, stop], float(np.linalg.norm(rows[start] - rows[stop]))
    distance, before = dijkstra(complete_graph(metric), directed=False, indices=start, return_predecessors=True)
    path = [stop]
    while path[-1] != start and before[path[-1]] >= 0:
        path.append(int(before[path[-1]]))
    return path[::-1], float(distance[stop])


def _figure(columns: int, side: float) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(columns * side, side * 0.95), layout="constrained")
    axes = figure.subplots(1, columns)
    for axis in np.ravel(axes):
        axis.tick_params(labelsize=7)
    return figure, axes


def _distance_map(figure: Any, axis: Any, estimator: SVDD, values: np.ndarray) -> None:
    grid, x, y = _grid(values)
    distance = estimator.distance(grid).reshape(len(y), len(x))
    image = axis.contourf(x, y, distance, levels=24, cmap="Greys", alpha=0.7)
    figure.colorbar(image, ax=axis, label="distance to the centre", shrink=0.7).ax.tick_params(labelsize=7)
    if distance.min() < estimator.radius_ < distance.max():
        axis.contour(x, y, distance, levels=[estimator.radius_], colors=SPHERE, linewidths=1.2)
    for word, members, colour, size in _sets(estimator, len(values)):
        axis.scatter(*values[members].T, s=size, c=colour, label=word, linewidths=0)


def _sorted_distances(axis: Any, estimator: SVDD, X: Any, n: int) -> None:
    if estimator.kernel == "precomputed":
        distance = estimator.distance(X, np.diag(read_table(X)[0]))
    else:
        distance = estimator.distance(X)
    place = np.empty(n, dtype=int)
    place[np.argsort(distance, kind="stable")] = np.arange(n)
    for word, members, colour, size in _sets(estimator, n):
        axis.scatter(place[members], distance[members], s=size, c=colour, label=word, linewidths=0)
    axis.axhline(estimator.radius_, color=SPHERE, lw=1.0)
    axis.set_xlabel("objects, nearest first", fontsize=8)
    axis.set_ylabel("distance to the centre", fontsize=8)


def _sets(estimator: SVDD, n: int) -> list[tuple[str, np.ndarray, str, int]]:
    inside = np.setdiff1d(np.arange(n), estimator.support_)
    return [
        ("inside", inside, INSIDE, 9),
        ("on the sphere", estimator.boundary_, SPHERE, 18),
        ("outside", estimator.outside_, OUTSIDE, 18),
    ]


def _label_map(axis: Any, estimator: Any, values: np.ndarray) -> None:
    from matplotlib.colors import ListedColormap

    grid, x, y = _grid(values)
    label = estimator.predict(grid)
    colours = ListedColormap([CLUSTERS[k % len(CLUSTERS)] for k in range(int(label.max()) + 1)])
    levels = np.arange(int(label.max()) + 2) - 0.5
    axis.contourf(x, y, label.reshape(len(y), len(x)), levels=levels, cmap=colours, alpha=0.15)


def _grid(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = values.min(axis=0), values.max(axis=0)
    margin = 0.15 * np.where(high > low, high - low, 1.0)
    x, y = (np.linspace(a, b, GRID) for a, b in zip(low - margin, high + margin, strict=True))
    return np.column_stack([c.ravel() for c in np.meshgrid(x, y)]), x, y


def _rows(estimator: SDSN) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct training objects with their labels and path distances."""
    check_is_fitted(estimator, "labels_")
    return estimator.objects_, estimator.object_labels_, estimator.object_distance_


def _plane(values: np.ndarray, attributes: Sequence[int]) -> list[int]:
    """Return two columns to draw; one attribute is drawn against itself."""
    d = values.shape[1]
    if d == 1:
        return [0, 0]
    if len(attributes) != 2 or not all(0 <= a < d for a in attributes):
        raise DataError(f"attributes {tuple(attributes)}: wanted two column numbers of 0..{d - 1}")
    return list(attributes)


def _finish(axis: Any, estimator: Any, chosen: list[int]) -> None:
    _name_axes(axis, getattr(estimator, "feature_names_in_", None), chosen)
    axis.set_aspect("equal")
    axis.legend(fontsize=7, loc="best")


def _name_axes(axis: Any, names: ArrayLike | None, chosen: list[int]) -> None:
    known = [f"x{k}" for k in chosen] if names is None else [str(np.asarray(names)[k]) for k in chosen]
    axis.set_xlabel(known[0], fontsize=8)
    axis.set_ylabel(known[1], fontsize=8)
