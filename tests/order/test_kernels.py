"""Kernels: blocks on demand equal the matrix, far-away data keep their digits, tuning reads the gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monoopt.errors import DataError, OptionError
from monoopt.order.definiteness import check_square, least_eigenvalue, repair
from monoopt.order.kernels import gaussian_rows, resolve_gamma, settle_kernel
from monoopt.order.neighbours import nearest
from monoopt.order.potential import schroedinger_potential
from monoopt.order.tuning import tuning_rank, tuning_scales

INDEFINITE = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])


def plane(n: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 2))


@pytest.mark.parametrize("kind", ["gaussian", "linear", "tuned"])
def test_blocks_and_products_on_demand_equal_the_definition(kind: str):
    X = plane()
    kernel = settle_kernel(kind, X, gamma=0.7, rank=5)
    D, C = ((X[:, None] - X[None]) ** 2).sum(axis=2), X - X.mean(axis=0)
    sigma = np.sort(np.sqrt(D), axis=1)[:, 5]
    wanted = {"gaussian": np.exp(-0.7 * D), "linear": C @ C.T, "tuned": np.exp(-D / np.outer(sigma, sigma))}[kind]
    rows = kernel.rows()
    assert np.allclose(rows.matrix(), wanted, atol=1e-14)
    some, others = np.array([3, 1]), np.array([0, 3, 7])
    assert np.allclose(rows.take(some).block(rows.take(others)), wanted[np.ix_(some, others)], atol=1e-14)
    assert np.allclose(rows.dot(rows.take(others), np.arange(3.0)), wanted[:, others] @ np.arange(3.0))
    assert np.allclose(kernel.new_rows(X).block(rows), wanted, atol=1e-14)


def test_far_away_data_keep_their_digits():
    X = plane() + 1e7
    near = gaussian_rows(plane(), 1.0, plane().mean(axis=0)).matrix()
    assert np.allclose(settle_kernel("gaussian", X, gamma=1.0).rows().matrix(), near, atol=1e-7)


@pytest.mark.parametrize("kind", ["gaussian", "tuned"])
def test_a_far_object_takes_no_digits_from_the_others(kind: str):
    X = np.vstack([plane(), [[1e9, 0.0]]])
    kernel = settle_kernel(kind, X, gamma=0.7, rank=3)
    assert kernel.exact and not settle_kernel(kind, plane(), gamma=0.7, rank=3).exact
    rows, others = kernel.rows(), np.array([0, 3, 40])
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    sigma = np.sort(np.sqrt(D), axis=1)[:, 3]
    wanted = np.exp(-0.7 * D) if kind == "gaussian" else np.exp(-D / np.outer(sigma, sigma))
    assert np.allclose(rows.matrix(), wanted, rtol=0, atol=1e-13)
    assert np.allclose(rows.row(2), wanted[2], rtol=0, atol=1e-13)
    assert np.allclose(rows.dot(rows.take(others), np.arange(3.0)), wanted[:, others] @ np.arange(3.0), rtol=0)
    assert np.allclose(kernel.new_rows(X[:5]).block(rows), wanted[:5], rtol=0, atol=1e-13)


def test_objects_too_near_to_be_told_apart_have_affinity_one():
    kernel = settle_kernel("tuned", np.array([[0.0], [1e-200], [1.0]]), rank=1)
    assert kernel.rows().matrix().tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


@given(arrays(float, (6, 2), elements=st.floats(-5, 5, width=32)), st.floats(0.1, 10))
def test_gaussian_matrices_are_symmetric_with_unit_diagonal_and_pass_as_semidefinite(X: np.ndarray, gamma: float):
    K = gaussian_rows(X, np.sqrt(gamma), X.mean(axis=0)).matrix()
    assert (K == K.T).all() and (np.diag(K) == 1).all() and K.min() >= 0 and K.max() <= 1
    assert repair(K)[1].how == "none"


def test_gamma_scale_follows_the_units_and_is_one_for_identical_objects():
    X = plane()
    assert resolve_gamma("scale", X) == pytest.approx(1 / (2 * X.var()))
    assert resolve_gamma("scale", 10 * X) == pytest.approx(resolve_gamma("scale", X) / 100)
    assert resolve_gamma("scale", np.full((4, 2), 3.0)) == 1.0
    assert resolve_gamma("scale", np.full((3, 2), 0.1)) == 1.0  # whose variance is 2e-34 by rounding
    with pytest.raises(OptionError, match="did you mean 'scale'"):
        resolve_gamma("scal", X)
    for wrong in (0, -1, np.nan, np.inf):
        with pytest.raises(OptionError, match="positive number"):
            resolve_gamma(wrong, X)


def test_weighted_gamma_equals_the_gamma_of_copies():
    X, weight = plane(5), np.array([1, 2, 3, 1, 1])
    assert resolve_gamma("scale", X, weight) == pytest.approx(resolve_gamma("scale", np.repeat(X, weight, axis=0)))


def test_an_unknown_kernel_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'gaussian'"):
        settle_kernel("gausian", plane())


@pytest.mark.parametrize("rule", ["mean", "local"])
def test_the_rank_is_the_typical_place_of_the_largest_relative_gap(rule: str):
    # three objects close together, three far: the largest relative gap is before place 3 for each of them
    assert tuning_rank(np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]), rule) == 3
    assert tuning_rank(np.array([[0.0], [1.0]]), rule) == 1
    assert tuning_rank(np.array([[0.0]]), rule) == 1


def test_one_far_object_moves_the_papers_rank_and_not_the_local_one():
    X = plane(200)
    far = np.vstack([X, [[1e3, 1e3]]])
    assert tuning_rank(X, "mean") < 20 and tuning_rank(far, "mean") > 180
    assert tuning_rank(X) == tuning_rank(far) < 10
    with pytest.raises(OptionError, match="did you mean 'local'"):
        tuning_rank(X, "locl")


def test_new_objects_that_repeat_an_old_one_get_its_scale():
    X = plane()
    assert (tuning_scales(X, 4, X) == tuning_scales(X, 4)).all()
    with pytest.raises(DataError, match=r"wanted 1\.\.39"):
        tuning_scales(X, 40)


def test_neighbours_of_the_tree_and_of_all_distances_agree():
    X = np.random.default_rng(1).normal(size=(60, 3))
    wide = np.hstack([X, np.zeros((60, 20))])
    for count in (1, 7, 60):
        tree, brute = nearest(X, X, count), nearest(wide, wide, count)
        assert np.allclose(tree[0], brute[0]) and (tree[1] == brute[1]).all()


def test_an_indefinite_matrix_is_refused_with_its_least_eigenvalue_and_a_singular_one_passes():
    with pytest.raises(DataError, match=r"least eigenvalue -0\.2728"):
        repair(INDEFINITE)
    with pytest.raises(DataError, match=r"least eigenvalue -2e-08, tolerance -1\.0e-08"):
        repair(np.array([[1.0, 1 + 2e-8], [1 + 2e-8, 1.0]]))
    K, done = repair(np.ones((2, 2)))
    assert done.how == "none" and (K == 1).all()
    assert repair(np.zeros((3, 3)))[1].how == "none"


@pytest.mark.parametrize("how", ["clip", "shift"])
def test_a_repaired_matrix_is_semidefinite_and_says_what_was_done(how: str):
    K, done = repair(INDEFINITE, how)
    assert least_eigenvalue(K) > -1e-12 and (K == K.T).all()
    assert done.how == how and done.least == pytest.approx(1 - 0.9 * np.sqrt(2)) and how in str(done)


def test_shift_changes_the_diagonal_only_and_clip_is_the_nearest_semidefinite_matrix():
    shifted, _ = repair(INDEFINITE, "shift")
    assert np.allclose(shifted - np.diag(np.diag(shifted)), INDEFINITE - np.diag(np.diag(INDEFINITE)))
    clipped, _ = repair(INDEFINITE, "clip")
    assert np.linalg.norm(clipped - INDEFINITE) == pytest.approx(0.9 * np.sqrt(2) - 1)
    assert np.linalg.norm(shifted - INDEFINITE) > np.linalg.norm(clipped - INDEFINITE)


@pytest.mark.parametrize(
    ("K", "word"),
    [
        (np.ones((2, 3)), "wanted a square matrix"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "2 entries are NaN"),
        (np.ones(3), "wanted a square matrix"),
    ],
)
def test_what_is_no_kernel_matrix_is_refused(K: np.ndarray, word: str):
    with pytest.raises(DataError, match=word):
        check_square(K)


def test_an_unknown_repair_is_refused():
    with pytest.raises(OptionError, match="did you mean 'shift'"):
        repair(INDEFINITE, "shfit")


def test_the_potential_is_least_in_the_middle_and_largest_at_the_edge():
    X = np.random.default_rng(0).normal(size=(200, 2))
    potential, radius = schroedinger_potential(X, 1.0), np.linalg.norm(X, axis=1)
    assert potential.min() == 0
    assert radius[np.argmin(potential)] < 0.5
    assert np.argmax(potential) == np.argmax(radius)
    with pytest.raises(OptionError, match="positive width"):
        schroedinger_potential(X, 0.0)
