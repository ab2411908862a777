"""Isotonic regression: the program, its answer on every solver, and the min-max formula."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.formulations import isotonic_regression
from monoopt.order import dominance_pairs, merge_equal, transitive_reduction
from monoopt.solvers import solve, solvers_that_can

QP_SOLVERS = solvers_that_can({"linear", "quadratic"})
UP = np.array([1, 1], dtype=np.int8)


def min_max_formula(X: np.ndarray, t: np.ndarray, w: np.ndarray) -> np.ndarray:
    """p_i = max over upper sets U with i of min over lower sets L with i of the mean on U and L."""
    n = len(X)
    above = (X[:, None, :] >= X[None, :, :]).all(axis=2)  # above[i, j]: i dominates j
    sets = [np.array(bits) for bits in product([False, True], repeat=n)]
    upper = [s for s in sets if all(s[i] or not (s[j] and above[i, j]) for i in range(n) for j in range(n))]
    lower = [~s for s in upper]
    mean = lambda s: (w[s] @ t[s]) / w[s].sum()  # noqa: E731
    return np.array([max(min(mean(u & low) for low in lower if low[i]) for u in upper if u[i]) for i in range(n)])


def fitted(X: np.ndarray, t: np.ndarray, w: np.ndarray, solver: str = "highs") -> np.ndarray:
    program = isotonic_regression.build(t, transitive_reduction(dominance_pairs(X, UP), len(X)), w)
    return isotonic_regression.read(program, solve(program, solver))


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10_000))
def test_the_answer_is_the_min_max_formula(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, _ = merge_equal(rng.integers(0, 4, size=(n, 2)).astype(float))
    t = rng.integers(0, 5, size=len(X)) / 4
    w = rng.integers(1, 4, size=len(X)).astype(float)
    assert np.allclose(fitted(X, t, w), min_max_formula(X, t, w), atol=1e-9)


@pytest.mark.parametrize("solver", QP_SOLVERS)
def test_every_quadratic_solver_gives_the_same_block_means(solver: str) -> None:
    X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [2, 2]])
    t = np.array([0.5, 0.0, 1.0, 0.25, 1.0, 0.0])
    w = np.array([1.0, 2, 1, 3, 1, 2])
    assert np.allclose(fitted(X, t, w, solver), min_max_formula(X, t, w), atol=1e-12)


def test_the_fit_never_crosses_a_dominance_pair() -> None:
    rng = np.random.default_rng(3)
    X, _ = merge_equal(rng.integers(0, 6, size=(40, 2)).astype(float))
    p = fitted(X, rng.random(len(X)).round(), np.ones(len(X)))
    pairs = dominance_pairs(X, UP)
    assert (p[pairs[:, 0]] >= p[pairs[:, 1]]).all()
    assert ((p >= 0) & (p <= 1)).all()


def test_targets_and_weights_are_refused_all_at_once() -> None:
    with pytest.raises(DataError) as refused:
        isotonic_regression.build([0.5, np.nan, 2.0], [(0, 5)], [1.0, 0.0, -1.0])
    assert len(refused.value.faults) == 5
