"""Pictures of a ranking: the curve among the objects, each attribute along the score, how sure the ranks are.

Every function returns a matplotlib `Figure` that belongs to no window: ``figure.savefig("curve.png")``.
matplotlib comes with ``pip install monoopt[plot]``.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import OptionError, nearest
from monoopt.estimators.rank_uncertainty import RankIntervals
from monoopt.estimators.ranking import attribute_names, position_of
from monoopt.estimators.rpc import RankingPrincipalCurve

POINTS, CURVE, POLYGON, GUIDE = "#2a7f62", "#b3202c", "#e08a1e", "#9aa5ad"
MOST = 8  # attributes that a scatter matrix takes
PANEL, WIDTH, HEIGHT, NEAR = 115.0, 4.3, 8.0, 4.0  # points: side of a panel, a letter, a line, a name's distance
GUIDES_UP_TO = 400  # objects for which the line to the curve is drawn


def plot_curve(
    estimator: RankingPrincipalCurve, attributes: Sequence[str] | None = None, label: Sequence[Any] = ()
) -> Any:
    """Draw the scatter matrix of the objects with the curve, its control points and the projections.

    Parameters
    ----------
    estimator : RankingPrincipalCurve
        Fitted.
    attributes : sequence of str, optional
        Up to 8 to draw; the first 8 that vary by default.
    label : sequence
        Objects to name in the pictures.

    Returns
    -------
    matplotlib.figure.Figure
    """
    chosen, names = _chosen(estimator, attributes)
    values, on_curve = estimator.values_, estimator.inverse(estimator.scores_)
    path = estimator.inverse(np.linspace(0.0, 1.0, 201))
    named = [(position_of(each, estimator.objects_), str(each)) for each in label]
    m = len(chosen)
    figure, axes = _grid(m, m, 2.1)
    for row, i in enumerate(chosen):
        for column, j in enumerate(chosen):
            axis = axes[row, column]
            if row == column:
                _attribute_along_score(axis, estimator, i)
            else:
                _pair(
                    axis, values[:, [j, i]], on_curve[:, [j, i]], path[:, [j, i]], estimator.control_points_[:, [j, i]]
                )
                if named:
                    _name(axis, values[np.ix_([k for k, _ in named], [j, i])], [text for _, text in named])
            _only_outer(axis, row, column, m, names[row], names[column])
    figure.suptitle(textwrap.fill(_title(estimator), 26 * max(m, 2)), fontsize=10)
    _legend(figure)
    return figure


def plot_scores(estimator: Any, attributes: Sequence[str] | None = None) -> Any:
    """Draw every attribute against the score, with the curve where there is one."""
    chosen, names = _chosen(estimator, attributes)
    columns = math.isqrt(max(len(chosen) - 1, 0)) + 1
    rows = -(-len(chosen) // columns)
    figure, axes = _grid(rows, columns, 3.0)
    for axis in axes.ravel()[len(chosen) :]:
        axis.set_axis_off()
    for axis, j, name in zip(axes.ravel(), chosen, names, strict=False):
        _attribute_along_score(axis, estimator, j)
        axis.set_xlabel("score", fontsize=8)
        axis.set_ylabel(name, fontsize=8)
    figure.suptitle("Attributes along the score", fontsize=10)
    return figure


def plot_intervals(intervals: RankIntervals, top: int = 40) -> Any:
    """Draw the ranks of the best objects with their intervals, the best on top.

    Parameters
    ----------
    intervals : RankIntervals
        From `bootstrap_ranks`.
    top : int
        How many objects.
    """
    from matplotlib.figure import Figure

    order = np.argsort(intervals.ranks, kind="stable")[:top]
    figure = Figure(figsize=(6.0, 1.0 + 0.19 * len(order)), layout="constrained")
    axis = figure.subplots()
    places = np.arange(len(order))
    axis.hlines(places, intervals.low[order], intervals.high[order], color=GUIDE, linewidth=4)
    axis.scatter(np.median(intervals.samples[:, order], axis=0), places, marker="|", s=45, color=CURVE, label="median")
    axis.scatter(intervals.ranks[order], places, s=14, color=POINTS, zorder=3, label="rank")
    axis.set_yticks(places, [str(intervals.objects[i]) for i in order], fontsize=7)
    axis.set_ylim(len(order) - 0.5, -0.5)
    axis.set_xlabel(
        f"rank (1 is the best), {intervals.level:.0%} interval of {len(intervals.samples)} replicates", fontsize=8
    )
    axis.tick_params(axis="x", labelsize=7)
    axis.grid(axis="x", color="#e5e8ea")
    axis.set_axisbelow(True)
    axis.legend(fontsize=7, loc="lower left")
    return figure


def _chosen(estimator: Any, attributes: Sequence[str] | None) -> tuple[list[int], list[str]]:
    """Columns to draw and their names."""
    check_is_fitted(estimator, "scores_")
    names = attribute_names(estimator, estimator.n_features_in_)
    if attributes is None:
        kept = getattr(getattr(estimator, "scaling_", None), "kept", np.ones(len(names), dtype=bool))
        chosen = np.flatnonzero(kept)[:MOST].tolist()
    else:
        unknown = [name for name in attributes if name not in names]
        if unknown:
            raise OptionError(f"unknown attributes {unknown}{nearest(unknown[0], names)}")
        chosen = [names.index(name) for name in attributes][:MOST]
    return chosen, [names[j] for j in chosen]


def _grid(rows: int, columns: int, size: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(size * columns, 4.0), size * rows + 0.6), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _pair(axis: Any, points: Any, on_curve: Any, path: Any, control: Any) -> None:
    """Two attributes: objects, lines to their projections, curve, control polygon."""
    if len(points) <= GUIDES_UP_TO:
        from matplotlib.collections import LineCollection

        axis.add_collection(
            LineCollection(list(np.stack([points, on_curve], axis=1)), colors=GUIDE, linewidths=0.4, alpha=0.6)
        )
    axis.scatter(points[:, 0], points[:, 1], s=6, color=POINTS, alpha=0.7, linewidths=0)
    axis.plot(control[:, 0], control[:, 1], "o--", color=POLYGON, markersize=3.5, linewidth=0.8)
    axis.plot(path[:, 0], path[:, 1], color=CURVE, linewidth=1.6)


def _name(axis: Any, points: np.ndarray, texts: Sequence[str]) -> None:
    """Ring objects and write their names where there is room: in the panel, and none across another."""
    axis.scatter(points[:, 0], points[:, 1], s=22, facecolors="none", edgecolors="black", linewidths=0.8, zorder=4)
    (left, right), (bottom, top) = axis.get_xlim(), axis.get_ylim()
    places = (points - [left, bottom]) / [right - left, top - bottom] * PANEL
    taken = [np.array([place - NEAR, place + NEAR]) for place in places]
    for at in np.argsort(-places[:, 1], kind="stable"):
        shift, box = _room(places[at], len(texts[at]) * WIDTH, taken)
        taken.append(box)
        line = {"arrowstyle": "-", "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2} if np.abs(shift).max() > NEAR else None
        axis.annotate(texts[at], points[at], fontsize=6, xytext=shift, textcoords="offset points", va="center",
                      ha="left" if shift[0] > 0 else "right", arrowprops=line, zorder=5)  # fmt: skip


def _room(place: np.ndarray, width: float, taken: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the shift, in points, to the nearest free place for a text, and the box that it takes."""
    rows = sorted(np.arange(-6.5, 7), key=lambda row: (abs(row), -row))
    choices = [
        np.array([side * (NEAR + reach), row * HEIGHT])
        for row in rows for reach in (abs(row) * HEIGHT, 0.0) for side in (1, -1)
    ]  # fmt: skip
    boxes = []
    for shift in choices:
        start = place + shift - np.array([0 if shift[0] > 0 else width, HEIGHT / 2])
        boxes.append(np.array([start, start + np.array([width, HEIGHT])]))
    free = [
        bool(np.all((box >= 0) & (box <= PANEL))) and not any(np.all((box[0] < b[1]) & (b[0] < box[1])) for b in taken)
        for box in boxes
    ]
    best = free.index(True) if any(free) else 0
    return choices[best], boxes[best]


def _attribute_along_score(axis: Any, estimator: Any, j: int) -> None:
    axis.scatter(estimator.scores_, estimator.values_[:, j], s=6, color=POINTS, alpha=0.7, linewidths=0)
    if hasattr(estimator, "inverse"):
        s = np.linspace(0.0, 1.0, 201)
        axis.plot(s, estimator.inverse(s)[:, j], color=CURVE, linewidth=1.6)
        name = attribute_names(estimator, estimator.n_features_in_)[j]
        shape = estimator.shapes_.get(name)  # of what gets better: a cost falls the other way round
        axis.set_title("constant" if shape is None else f"improvement by score: {shape}", fontsize=7, pad=3)
    axis.tick_params(labelsize=6)


def _only_outer(axis: Any, row: int, column: int, m: int, row_name: str, column_name: str) -> None:
    """Keep labels at the outer edges; the diagonal has the score below and says so in its title."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    axis.tick_params(labelsize=6)
    for side in (axis.xaxis, axis.yaxis):
        side.set_major_locator(MaxNLocator(4))
        if max(map(abs, side.get_view_interval())) >= 10_000:
            side.set_major_formatter(EngFormatter(sep=""))
    if column == 0:
        axis.set_ylabel(row_name, fontsize=8)
    elif row != column:
        axis.set_yticklabels([])
    if row == m - 1:
        axis.set_xlabel("score" if row == column else column_name, fontsize=8)
    elif row != column:
        axis.set_xticklabels([])


def _title(estimator: RankingPrincipalCurve) -> str:
    share = f"{estimator.explained_variance_:.1%} of the variance explained"
    proof = "proved strictly monotone" if estimator.monotonicity_.ok else "NOT proved monotone"
    return f"Ranking principal curve of degree {estimator.degree}: {share}, {proof}"


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], marker="o", linestyle="", markersize=4, color=POINTS, label="object"),
        Line2D([], [], color=GUIDE, linewidth=1, label="projection"),
        Line2D([], [], color=CURVE, linewidth=1.6, label="curve"),
        Line2D([], [], marker="o", linestyle="--", markersize=4, linewidth=0.8, color=POLYGON, label="control points"),
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=4, fontsize=7, frameon=False)
