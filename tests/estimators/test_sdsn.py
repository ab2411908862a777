"""SDSN as an estimator: shapes that k-means can't see, predictions, proofs, and the awkward tables."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from monoopt.errors import DataError, DataWarning, OptionError
from monoopt.estimators.sdsn import SDSN


@parametrize_with_checks([SDSN()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [make_moons, make_circles])
@pytest.mark.parametrize("seed", [0, 1])
def test_moons_and_rings_are_found_with_nothing_set_by_hand(make, seed: int):
    words = {"factor": 0.5} if make is make_circles else {}
    X, y = make(200, noise=0.06, random_state=seed, **words)
    found = SDSN(random_state=0).fit(X)
    assert found.n_clusters_ == 2 and adjusted_rand_score(y, found.labels_) == 1.0
    new, z = make(100, noise=0.04, random_state=seed + 10, **words)
    assert adjusted_rand_score(z, found.predict(new)) > 0.95


def test_noisy_moons_are_told_apart_better_than_by_spectral_clustering_on_neighbours():
    ours, theirs = [], []
    for seed in range(3):
        X, y = make_moons(300, noise=0.1, random_state=seed)
        ours.append(adjusted_rand_score(y, SDSN(random_state=0).fit_predict(X)))
        spectral = SpectralClustering(2, affinity="nearest_neighbors", random_state=0)
        theirs.append(adjusted_rand_score(y, spectral.fit_predict(X)))
    assert np.mean(ours) > np.mean(theirs) + 0.1


@pytest.mark.parametrize("words", [{}, {"affinity": "kernel"}, {"training": "ordered"}, {"training": "random"}])
def test_blobs_are_found_by_every_variant_and_predicted_as_labelled(words: dict):
    X, y = make_blobs(120, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.7, random_state=0)
    found = SDSN(n_clusters=3, random_state=0, **words).fit(X)
    assert adjusted_rand_score(y, found.labels_) == 1.0
    assert (found.predict(X) == found.labels_).all()
    assert found.path_proof_.ok and all(proof.ok for proof in found.certificates_)
    assert (found.batches_ is None) == ("training" not in words)


def test_labels_are_numbered_by_size_whatever_the_row_order():
    X, _ = make_blobs([50, 30, 40], centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    found = SDSN(random_state=0).fit(X)
    assert np.bincount(found.labels_).tolist() == [50, 40, 30]
    turned = np.random.default_rng(1).permutation(len(X))
    assert (SDSN(random_state=0).fit(X[turned]).labels_ == found.labels_[turned]).all()


def test_units_do_not_matter():
    X, _ = make_moons(150, noise=0.05, random_state=0)
    assert (SDSN(random_state=0).fit(X * 1000 + 273.15).labels_ == SDSN(random_state=0).fit(X).labels_).all()


def test_a_single_attribute_and_duplicated_rows():
    X = np.repeat([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], 3, axis=0)
    found = SDSN(n_clusters=2, random_state=0).fit(X)
    assert found.labels_.tolist() == [0] * 9 + [1] * 9
    assert found.predict([[0.15], [4.0]]).tolist() == [0, 1]


def test_identical_points_and_one_point_are_one_cluster():
    for X in (np.full((4, 2), 3.0), [[1.0, 2.0]]):
        found = SDSN().fit(X)
        assert set(found.labels_) == {0} and found.n_clusters_ == 1
        assert found.predict([[9.0, 9.0]]).tolist() == [0]
    assert SDSN().fit([[0.0], [1.0]]).n_clusters_ == 1


@pytest.mark.parametrize("affinity", ["path", "kernel"])
@pytest.mark.parametrize("far", [10.0, 1e3, 1e8])
def test_two_far_blocks_of_two_are_two_clusters(far: float, affinity: str):
    square = np.array([[0.0, 0], [0, 1], [far, 0], [far, 1]])
    line = np.array([[0.0], [1.2], [far], [far + 1]])
    assert SDSN(affinity=affinity, random_state=0).fit(square).labels_.tolist() == [0, 0, 1, 1]
    if affinity == "path":
        found = SDSN(random_state=0).fit(line)
        assert found.labels_.tolist() == [0, 0, 1, 1]
        assert found.representatives_.tolist() == [0, 1, 2, 3]  # the ball alone has two, one of each block
    if far == 1e8:
        with pytest.raises(DataError, match="3 asked: the objects fall into 2 distinct groups"):
            SDSN(n_clusters=3, affinity=affinity, random_state=0).fit(square)


def test_more_clusters_than_distinct_objects_are_refused():
    with pytest.raises(DataError, match="n_clusters = 3"):
        SDSN(n_clusters=3).fit([[0.0], [0.0], [1.0]])
    with pytest.raises(DataError, match="n_clusters = 2"):
        SDSN(n_clusters=2).fit(np.zeros((5, 2)))


def test_an_outlier_far_away_does_not_upset_the_rest():
    X, y = make_moons(200, noise=0.05, random_state=0)
    with pytest.warns(DataWarning, match="clusters of their own: 200 "):  # its row
        found = SDSN(random_state=0).fit(np.vstack([X, [[50.0, 50.0]]]))
    assert np.isfinite(found.path_distance_).all()
    assert found.labels_[-1] == 2 and adjusted_rand_score(y, found.labels_[:-1]) == 1.0


def test_training_objects_keep_their_label_where_paths_are_equally_long():
    grid = np.array([[i, j] for i in range(7) for j in range(7)], dtype=float)
    for words in ({}, {"rank": 5}, {"training": "ordered"}):
        found = SDSN(random_state=0, **words).fit(grid)
        assert found.n_clusters_ > 1 and (found.predict(grid) == found.labels_).all()


def test_new_objects_beyond_any_path_get_the_label_of_the_nearest():
    X, y = make_blobs([20, 30], centers=[[0, 0], [9, 0]], cluster_std=0.5, random_state=0)
    found = SDSN(random_state=0).fit(X)
    left, right = found.labels_[y == 0][0], found.labels_[y == 1][0]
    assert found.predict([[-1e6, 0.0], [1e6, 0.0], [-1e140, 1.0]]).tolist() == [left, right, left]


def test_paths_that_no_number_can_measure_are_refused_and_a_unit_that_sees_no_difference_is_one_cluster():
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(DataError, match="Take unit=None"):
        SDSN(unit=1).fit(1e4 * X)
    assert SDSN(unit=1e300).fit(X).n_clusters_ == 1
    with pytest.raises(DataError, match="1 distinct groups at most; ask for 1"):
        SDSN(unit=1e300, n_clusters=2).fit(X)


def test_representatives_are_support_vectors_and_carry_their_own_label():
    X, _ = make_moons(150, noise=0.05, random_state=0)
    found = SDSN(random_state=0).fit(X)
    assert (found.path_distance_[found.representatives_] == 0).all()
    assert np.count_nonzero(found.path_distance_ == 0) == len(found.representatives_)
    paper = SDSN(rank=7, random_state=0).fit(X)
    assert paper.repair_.how == "shift" and paper.repair_.least < 0


def test_a_swapped_solver_finds_the_same_representatives():
    X, _ = make_moons(80, noise=0.05, random_state=0)
    ours, theirs = (SDSN(random_state=0, solver=s, rank=5).fit(X) for s in ("smo", "highs"))
    assert len(np.setxor1d(ours.representatives_, theirs.representatives_)) <= 2
    assert (ours.labels_ == theirs.labels_).all()


def test_words_outside_their_range_are_refused():
    X = np.arange(10.0)[:, None]
    for words, message in (
        ({"affinity": "paths"}, "did you mean 'path'"),
        ({"training": "order"}, "did you mean 'ordered'"),
        ({"neighbourhood": 0}, "0 < f <= 1"),
        ({"unit": -1.0}, "positive distance"),
        ({"rank": "locl"}, "did you mean 'local'"),
        ({"n_clusters": 0}, "whole number"),
        ({"repair": "shfit"}, "shift"),
        ({"working_fraction": "a"}, "working_fraction is 'a'"),
        ({"batch_fraction": 1.0}, "batch_fraction is 1.0"),
    ):
        with pytest.raises(OptionError, match=message):
            SDSN(**words).fit(X)
    with pytest.raises(DataError, match="NaN"):
        SDSN().fit([[1.0], [np.nan]])


def test_it_survives_pickle_and_clone_and_reads_frames_by_name():
    X, _ = make_moons(100, noise=0.05, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    found = SDSN(random_state=0).fit(frame)
    assert (pickle.loads(pickle.dumps(found)).predict(frame) == found.labels_).all()
    assert (found.predict(frame[["b", "a"]]) == found.labels_).all()
    assert clone(found).get_params() == found.get_params()


def test_real_sets_reach_what_was_measured(data_folder: Path):
    for name, k, least in (("iris", 3, 0.7), ("wine", 3, 0.8), ("letter_ab520", 2, 0.7)):
        table = pd.read_csv(data_folder / "cluster" / f"{name}.csv")
        X = table.drop(columns="class").to_numpy(float)
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
        labels = SDSN(n_clusters=k, random_state=0).fit_predict(X)
        assert adjusted_rand_score(table["class"], labels) > least
