"""Batch training: optimal on its working set, honest about the rest, hot where the solver can."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.algorithms.incremental import train_in_batches
from monoopt.algorithms.svdd_training import Training, train
from monoopt.errors import DataError, OptionError
from monoopt.order.kernels import settle_kernel


def blobs(n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)) + 3 * rng.integers(0, 2, size=(n, 1))


@pytest.mark.parametrize("order", ["ordered", "random"])
def test_every_object_comes_by_and_each_working_set_is_solved_to_proof(order: str):
    X = blobs()
    found = train_in_batches(settle_kernel("gaussian", X, gamma=0.2), 1.0, np.ones(300), Training(), order=order)
    assert len(found.working) == 60 and len(found.certificates) == 1 + (300 - 60) / 6
    assert all(proof.ok for proof in found.certificates)
    assert set(np.flatnonzero(found.trained.ball.beta)) <= set(found.working)
    assert found.trained.ball.beta.sum() == pytest.approx(1)


def test_a_ball_with_few_support_vectors_is_the_ball_of_full_training():
    X = blobs()
    kernel = settle_kernel("gaussian", X, gamma=0.1)
    full = train(kernel, 1.0, np.ones(300), Training())
    found = train_in_batches(kernel, 1.0, np.ones(300), Training())
    assert found.gap < 1e-5
    assert found.trained.measured.squared_radius == pytest.approx(full.ball.squared_radius, abs=1e-5)
    assert len(np.intersect1d(found.trained.ball.support, full.ball.support)) >= len(full.ball.support) - 1


def test_the_gap_tells_when_the_working_set_was_too_small():
    X = blobs()
    kernel = settle_kernel("gaussian", X, gamma=30.0)  # nearly every object is a support vector
    assert train_in_batches(kernel, 1.0, np.ones(300), Training()).gap > 1e-3


def test_a_cold_solver_gives_the_same_ball():
    X = blobs(80)
    kernel = settle_kernel("gaussian", X, gamma=0.2)
    hot = train_in_batches(kernel, 1.0, np.ones(80), Training())
    cold = train_in_batches(kernel, 1.0, np.ones(80), Training(solver="highs"))
    assert cold.trained.measured.squared_radius == pytest.approx(hot.trained.measured.squared_radius, abs=1e-5)


def test_sizes_and_orders_outside_their_range_are_refused():
    kernel = settle_kernel("linear", blobs(20))
    for words in ({"working_fraction": 0}, {"working_fraction": 1.5}, {"batch_fraction": 1.0}):
        with pytest.raises(OptionError, match=next(iter(words))):
            train_in_batches(kernel, 1.0, np.ones(20), Training(), **words)
    with pytest.raises(OptionError, match="did you mean 'ordered'"):
        train_in_batches(kernel, 1.0, np.ones(20), Training(), order="order")
    with pytest.raises(DataError, match=r"C >= 0\.25"):
        train_in_batches(kernel, 0.1, np.ones(20), Training())
