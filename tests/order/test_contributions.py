"""Contributions: they add up, exactly where all mixtures are tried and where orders are drawn."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from monoopt.order.contributions import contributions


def crooked(X: np.ndarray) -> np.ndarray:
    """A score with interactions, increasing in every attribute."""
    return np.tanh(X.sum(axis=1)) + np.where(X[:, 0] > 0.5, X[:, 1], 0.2 * X[:, 1]) + X.max(axis=1)


def test_they_are_the_mean_over_all_orders():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(size=(2, 4))
    expected = np.zeros(4)
    for order in permutations(range(4)):
        here = b.copy()
        for j in order:
            before = crooked(here[None])[0]
            here[j] = a[j]
            expected[j] += (crooked(here[None])[0] - before) / 24
    np.testing.assert_allclose(contributions(crooked, a, b), expected, atol=1e-14)


@pytest.mark.parametrize("d", [3, 13, 20])
def test_they_add_up_and_repeat(d: int):
    a, b = np.random.default_rng(d).uniform(size=(2, d))
    first, second = contributions(crooked, a, b), contributions(crooked, a, b)
    ends = crooked(np.stack([a, b]))
    assert first.sum() == pytest.approx(ends[0] - ends[1], abs=1e-15)
    assert np.array_equal(first, second)
    assert np.all(first * np.sign(a - b) >= -1e-15)


def test_attributes_that_are_equal_contribute_nothing():
    a, b = np.array([1.0, 2.0, np.nan]), np.array([1.0, 3.0, np.nan])
    found = contributions(lambda X: np.nansum(X, axis=1), a, b)
    assert found.tolist() == [0.0, -1.0, 0.0]
    assert contributions(crooked, b[:2], b[:2]).tolist() == [0.0, 0.0]
