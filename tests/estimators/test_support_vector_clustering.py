"""Support vector clustering: every labelling finds clear pieces; each keeps its own law."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from monoopt.algorithms.contour_labelling import (
    all_pairs,
    cone_radius,
    delaunay_pairs,
    equilibria,
    segment_components,
)
from monoopt.errors import DataError, OptionError
from monoopt.estimators.support_vector_clustering import LABELLINGS, SupportVectorClustering


@parametrize_with_checks([SupportVectorClustering()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs([50, 40, 30], centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.6, random_state=0)


@pytest.mark.parametrize("labelling", LABELLINGS)
def test_every_labelling_finds_three_blobs_and_numbers_them_by_size(labelling: str):
    X, y = blobs()
    gamma = {"ccl": 2.0, "pg": 0.6}.get(labelling, 1.0)
    found = SupportVectorClustering(labelling=labelling, gamma=gamma, nu=0.1).fit(X)
    assert adjusted_rand_score(y, found.labels_) == 1.0
    assert np.bincount(found.labels_).tolist() == [50, 40, 30] and found.n_clusters_ == 3
    assert found.certificates_[0].ok
    assert (found.predict(X) == found.labels_).all()


@pytest.mark.parametrize("labelling", ["cg", "svg"])
def test_rings_are_told_apart_by_their_contour(labelling: str):
    X, y = make_circles(200, noise=0.03, factor=0.3, random_state=0)
    found = SupportVectorClustering(labelling=labelling, gamma=6.0, nu=0.05).fit(X)
    assert adjusted_rand_score(y, found.labels_) == 1.0


def test_the_complete_graph_is_that_of_all_segments_looked_at_one_by_one():
    X, _ = make_circles(40, noise=0.05, factor=0.4, random_state=0)
    found = SupportVectorClustering(gamma=10.0, C=1.0, samples=7).fit(X)
    steps = np.arange(1, 8)[:, None] / 8
    joined = np.eye(40, dtype=bool)
    for i in range(40):
        for j in range(i):
            joined[i, j] = joined[j, i] = (found.ball_.decision_function(X[i] + steps * (X[j] - X[i])) >= 0).all()
    for _ in range(6):
        joined = joined @ joined
    assert (joined == (found.labels_[:, None] == found.labels_)).all()


def test_more_gamma_never_joins_what_is_far_apart():
    X, _ = blobs()
    counts = [SupportVectorClustering(gamma=g, C=1.0, labelling="cg").fit(X).n_clusters_ for g in (0.005, 1.0, 20.0)]
    assert counts[0] == 1 and counts == sorted(counts)


def test_equilibria_are_where_the_gradient_vanishes_and_no_point_gets_farther():
    X, _ = blobs()
    ball = SupportVectorClustering(gamma=1.0, C=1.0).fit(X).ball_
    support, beta = ball.support_vectors_, ball.multipliers_
    found, home = equilibria(X, support, beta, 1.0)

    def density(points: np.ndarray) -> np.ndarray:
        return np.exp(-((points[:, None] - support) ** 2).sum(axis=2)) @ beta

    nudges = found[:, None] + 1e-4 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    slopes = density(nudges.reshape(-1, 2)).reshape(-1, 4) - density(found)[:, None]
    assert (slopes <= 1e-10).all()
    assert (density(found)[home] >= density(X) - 1e-9).all()


def test_the_cone_radius_is_where_the_angle_to_the_support_vector_is_that_of_the_centre():
    X, _ = blobs()
    ball = SupportVectorClustering(gamma=1.0, C=1.0).fit(X).ball_
    radius = cone_radius(ball.squared_radius_, ball.centre_norm_, 1.0)
    v = X[ball.boundary_[:1]]
    towards_centre = (1 + ball.centre_norm_ - ball.squared_radius_) / 2 / np.sqrt(ball.centre_norm_)
    assert np.exp(-(radius**2)) == pytest.approx(towards_centre)
    assert ball.distance(v)[0] == pytest.approx(ball.radius_, rel=1e-5)


def test_delaunay_edges_join_neighbours_and_refuse_many_attributes():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [9.0, 9.0]])
    edges = {tuple(edge) for edge in delaunay_pairs(square).tolist()}
    assert {(0, 1), (0, 2), (1, 3), (2, 3)} <= edges and (0, 4) not in edges
    assert delaunay_pairs(np.array([[3.0], [1.0], [2.0]])).tolist() in ([[1, 2], [2, 0]], [[2, 0], [1, 2]])
    with pytest.raises(DataError, match="up to 7 attributes"):
        SupportVectorClustering(labelling="pg", gamma=1.0).fit(np.random.default_rng(0).normal(size=(30, 8)))


@pytest.mark.parametrize(("scale", "offset"), [(1e120, 0.0), (1e-120, 0.0), (1.0, 1e12)])
def test_a_triangulation_does_not_depend_on_unit_and_place(scale: float, offset: float):
    X, _ = blobs()
    there = SupportVectorClustering(labelling="pg", gamma=0.6 / scale**2).fit(X * scale + offset)
    assert adjusted_rand_score(SupportVectorClustering(labelling="pg", gamma=0.6).fit_predict(X), there.labels_) == 1.0


def test_segments_that_leave_the_region_do_not_join():
    line = np.arange(6.0)[:, None]
    found = segment_components(line, all_pairs(line), lambda p: np.abs(p[:, 0] - 2.5) > 0.2, 9)
    assert found.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("labelling", LABELLINGS)
@pytest.mark.parametrize("X", [np.full((4, 2), 3.0), np.array([[1.0, 2.0]])])
def test_identical_points_and_one_point_are_one_cluster(labelling: str, X: np.ndarray):
    found = SupportVectorClustering(labelling=labelling, gamma=0.1).fit(X)
    assert set(found.labels_) == {0} and found.predict(X).tolist() == [0] * len(X)


def test_words_outside_their_range_are_refused():
    X = np.arange(5.0)[:, None]
    with pytest.raises(OptionError, match="did you mean 'svg'"):
        SupportVectorClustering(labelling="svgg").fit(X)
    with pytest.raises(OptionError, match="samples"):
        SupportVectorClustering(samples=0).fit(X)
    with pytest.raises(DataError, match=r"C >= 0\.2"):
        SupportVectorClustering(C=0.1).fit(X)
    with pytest.raises(DataError, match="NaN"):
        SupportVectorClustering().fit([[np.nan]])
