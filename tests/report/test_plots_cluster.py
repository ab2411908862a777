"""Pictures of balls and clusters: they show what was found, on any table, and open no window."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from monoopt.errors import DataError
from monoopt.estimators.sdsn import SDSN
from monoopt.estimators.svdd import SVDD
from monoopt.report.plots_cluster import plot_ball, plot_clusters, plot_paths, plot_representatives

X = make_moons(100, noise=0.05, random_state=0)[0]


def drawn(figure) -> list[tuple[str, int]]:
    """Label and number of points of every scatter in the first axes."""
    scatters = [c for c in figure.axes[0].collections if not c.get_label().startswith("_")]
    return [(c.get_label(), len(c.get_offsets())) for c in scatters]


def saved(figure, tmp_path) -> int:
    figure.savefig(tmp_path / "p.png", dpi=40)
    return (tmp_path / "p.png").stat().st_size


def test_the_ball_shows_every_object_on_its_side_and_the_boundary(tmp_path):
    ball = SVDD(gamma=3.0, nu=0.1).fit(X)
    figure = plot_ball(ball, X)
    counts = dict(drawn(figure))
    assert counts["on the sphere"] == len(ball.boundary_) and counts["outside"] == len(ball.outside_)
    assert sum(counts.values()) == 100 and f"{ball.radius_:.4g}" in figure.axes[0].get_title()
    assert saved(figure, tmp_path) > 3000


def test_other_tables_show_sorted_distances(tmp_path):
    wide = np.hstack([X, X**2])
    for ball, table in (
        (SVDD(nu=0.1).fit(wide), wide),
        (SVDD(kernel="precomputed", C=1).fit(X @ X.T), X @ X.T),
    ):
        figure = plot_ball(ball, table)
        assert sum(count for _, count in drawn(figure)) == 100
        heights = np.concatenate([c.get_offsets()[:, 1] for c in figure.axes[0].collections])
        assert heights.min() >= 0 and saved(figure, tmp_path) > 3000


def test_representatives_and_clusters_are_counted(tmp_path):
    found = SDSN(random_state=0).fit(X)
    counts = dict(drawn(plot_representatives(found)))
    assert counts == {
        "other objects": 100 - len(found.representatives_),
        "representatives": len(found.representatives_),
    }
    figure = plot_clusters(found)
    assert dict(drawn(figure)) == {"0": 50, "1": 50} and saved(figure, tmp_path) > 3000
    figure = plot_clusters(SDSN(random_state=0).fit(X[:, :1]))
    assert saved(figure, tmp_path) > 2000


def test_clusters_of_any_clusterer_are_drawn():
    means = KMeans(2, n_init=1, random_state=0).fit(X)
    assert sum(count for _, count in drawn(plot_clusters(means, np.hstack([X, X]), attributes=(0, 3)))) == 100
    with pytest.raises(DataError, match=r"two column numbers of 0\.\.1"):
        plot_clusters(means, X, attributes=(0, 7))


def test_paths_go_from_end_to_end_through_objects(tmp_path):
    figure = plot_paths(X, [(0, 5)])
    direct, _, star = (axis.lines[0].get_xydata() for axis in figure.axes)
    for path in (direct, star):
        assert (path[0] == X[0]).all() and (path[-1] == X[5]).all()
    assert len(direct) == 2 and len(star) > 2
    assert {tuple(p) for p in star} <= {tuple(p) for p in X} and saved(figure, tmp_path) > 3000
    with pytest.raises(DataError, match="up to 1500"):
        plot_paths(np.zeros((1501, 2)), [(0, 1)])
