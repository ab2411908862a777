"""The spectral step: pieces first, groups that stand out, and what cannot be split is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse

from monoopt.algorithms.spectral_clustering import spectral_clusters
from monoopt.errors import DataError, DataWarning, OptionError
from monoopt.order import spectral
from monoopt.order.graphs import complete_graph
from monoopt.order.metric import DensityMetric, average_distances
from monoopt.order.spectral import groups_by_size, leading_eigenpairs, path_affinity, pieces

TWO_BLOCKS = np.kron(np.eye(2), np.ones((2, 2)))


def blobs(k: int = 3, each: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), each)
    return rng.normal(size=(k * each, 2)) * 0.5 + 4 * np.c_[y, y**2], y


def kernel(X: np.ndarray, width: float = 1.5) -> np.ndarray:
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / width**2)


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


def test_two_blocks_are_two_clusters_and_cannot_be_three_or_one():
    assert spectral_clusters(TWO_BLOCKS, 2).tolist() == [0, 0, 1, 1]
    assert spectral_clusters(TWO_BLOCKS).tolist() == [0, 0, 1, 1]
    with pytest.raises(DataError, match="2 components, 3 asked"):
        spectral_clusters(TWO_BLOCKS, 3)
    with pytest.raises(DataError, match="2 components, 1 asked"):
        spectral_clusters(TWO_BLOCKS, 1)


def test_an_isolated_object_gets_a_label_of_its_own_with_a_warning():
    for alone in (0.0, 1.0):
        affinity = np.zeros((5, 5))
        affinity[:4, :4], affinity[4, 4] = TWO_BLOCKS, alone
        with pytest.warns(DataWarning, match="clusters of their own: 4"):
            assert spectral_clusters(affinity, 2).tolist() == [0, 0, 1, 1, 2]


def test_objects_that_are_all_isolated_are_all_clusters():
    assert spectral_clusters(np.eye(3)).tolist() == [0, 1, 2]
    assert spectral_clusters(np.ones((1, 1))).tolist() == [0]
    with pytest.raises(DataError, match="2 asked"):
        spectral_clusters(np.eye(3), 2)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_number_of_groups_is_read_off_the_eigenvalues(k: int):
    X, y = blobs(k)
    assert same_partition(spectral_clusters(kernel(X), random_state=0), y)
    assert same_partition(spectral_clusters(kernel(X), k, random_state=0), y)


def test_the_papers_count_works_where_affinities_are_near_one():
    X, y = blobs(3)
    blocks = np.kron(np.eye(3), np.full((20, 20), 0.95)) + 0.05 * np.eye(60)
    assert groups_by_size(blocks) == 3
    assert same_partition(spectral_clusters(blocks, "eigenvalues", random_state=0), y)
    assert groups_by_size(kernel(X, width=0.5)) > 3


def test_sparse_affinities_give_the_same_groups(monkeypatch: pytest.MonkeyPatch):
    X, y = blobs(3)
    K = kernel(X)
    K[K < 1e-9] = 0
    dense = leading_eigenpairs(K, 6)[0]
    monkeypatch.setattr(spectral, "DENSE_LIMIT", 10)
    assert leading_eigenpairs(sparse.csr_array(K), 6)[0] == pytest.approx(dense, abs=1e-9)
    assert same_partition(spectral_clusters(sparse.csr_array(K), 3, random_state=0), y)


def test_path_affinities_are_those_of_the_definition_dense_and_in_chunks(monkeypatch: pytest.MonkeyPatch):
    X, _ = blobs(2, each=30)
    metric = DensityMetric(X, average_distances(X), 2.0)
    graph, members = complete_graph(metric), np.arange(0, 60, 2)
    from scipy.sparse.csgraph import dijkstra

    P = dijkstra(graph, directed=False)[np.ix_(members, members)]
    scale = np.sort(P, axis=1)[:, 5]
    wanted = np.exp(-P / np.sqrt(np.outer(scale, scale)))
    assert np.allclose(path_affinity(metric, graph, members, 5), wanted, atol=1e-12)
    monkeypatch.setattr(spectral, "DENSE_LIMIT", 5)
    rough = path_affinity(metric, graph, members, 5)
    assert sparse.issparse(rough) and abs(rough - wanted).max() <= np.exp(-spectral.FAINT)


def test_pieces_do_not_count_isolated_objects():
    count, piece, alone = pieces(np.diag([1.0, 1.0, 0.0]) + np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    assert count == 1 and piece.tolist() == [0, 0, -1] and alone.tolist() == [2]


@pytest.mark.parametrize(
    ("affinity", "word"),
    [
        (np.ones((2, 3)), "square"),
        (np.array([[1, 0.5], [0.2, 1]]), "not symmetric"),
        (np.array([[1, -0.5], [-0.5, 1]]), "not negative"),
        (np.array([[1, np.nan], [np.nan, 1]]), "finite"),
    ],
)
def test_what_is_no_affinity_is_refused(affinity: np.ndarray, word: str):
    with pytest.raises(DataError, match=word):
        spectral_clusters(affinity, 2)


def test_impossible_numbers_are_refused():
    with pytest.raises(DataError, match=r"only 4 distinct object.*ask for 4 or fewer"):
        spectral_clusters(TWO_BLOCKS, 5)
    for wrong in (0, 1.5, True):
        with pytest.raises(OptionError, match="whole number from 1"):
            spectral_clusters(TWO_BLOCKS, wrong)
    with pytest.raises(OptionError, match="did you mean 'eigenvalues'"):
        spectral_clusters(TWO_BLOCKS, "eigenvalue")


def test_the_labels_are_the_same_every_time():
    X, _ = blobs(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = spectral_clusters(kernel(X), 5, random_state=3)
    assert (first == spectral_clusters(kernel(X), 5, random_state=3)).all()
