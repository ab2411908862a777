"""Class probabilities: valid, monotone, proved; the class predicted costs least; a good citizen of scikit-learn."""

from __future__ import annotations

import pickle
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from monoopt import DataError, DataWarning, OptionError, relabel
from monoopt.algorithms.class_probabilities import nested
from monoopt.datasets import load_era, load_esl, load_lev
from monoopt.estimators import MonotoneProbabilityClassifier
from monoopt.estimators.monotone_probability import best_codes
from monoopt.order import as_gains, linear_loss, loss_table
from monoopt.order.comparisons import at_least

NOT_FOR_US = {
    "check_classifiers_classes": "text labels need order=: alphabetical order is seldom what is meant",
    "check_classifiers_train": "the class predicted is that of least loss, the median, not the most probable one",
}
GRID = np.array(list(product((-1, 0, 0.5, 1, 2, 4), repeat=3)))


def test_scikit_learn_accepts_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(MonotoneProbabilityClassifier(), expected_failed_checks=NOT_FOR_US)


@given(st.integers(0, 2**31), st.sampled_from([None, 1, 2]), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=20)
def test_probabilities_are_valid_and_monotone_everywhere(seed: int, most: int | None, share: float):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, (20, 3)), random.integers(0, 4, 20)
    directions = random.choice([-1, 0, 1], 3).astype(np.int8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted = MonotoneProbabilityClassifier(directions=directions, max_conditions=most, isotonic_share=share)
        fitted.fit(X, y, random.integers(0, 3, 20) + (np.arange(20) < 2))
    p, q = fitted.predict_proba(GRID), fitted.exceedance(GRID)
    assert np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
    gains = as_gains(GRID, directions)
    above = at_least(gains, gains)
    for k in range(q.shape[1]):
        assert not (above & (q[:, k, None] < q[None, :, k])).any()
    assert fitted.verify(GRID).violations == 0 and fitted.verify().ok
    assert all(certificate.ok for certificate in fitted.certificates_)


def test_one_attribute_and_isotonic_regression_alone_is_that_of_scikit_learn():
    from sklearn.isotonic import isotonic_regression

    random = np.random.default_rng(3)
    X, y = np.arange(30.0)[:, None], random.integers(0, 2, 30)
    fitted = MonotoneProbabilityClassifier(max_conditions=None).fit(X, y)
    assert np.allclose(fitted.exceedance(X)[:, 0], isotonic_regression(y.astype(float)), atol=1e-8)


def test_the_median_of_isotonic_estimates_is_the_relabelling():
    table = load_esl()
    fitted = MonotoneProbabilityClassifier(max_conditions=None).fit(table.X, table.y)
    answer = relabel(table.X, table.y)
    cost = np.abs(fitted.predict(table.X) - table.y).sum()
    assert cost == answer.cost == 104


def test_the_class_predicted_has_the_least_expected_loss():
    table = load_lev()
    for loss in ("absolute", "squared", linear_loss(0.25, 5)):
        fitted = MonotoneProbabilityClassifier(loss=loss).fit(table.X, table.y)
        costs = fitted.predict_proba(table.X) @ loss_table(loss, 5)
        chosen = np.searchsorted(fitted.classes_, fitted.predict(table.X))
        assert np.allclose(costs[np.arange(len(costs)), chosen], costs.min(axis=1), atol=1e-6)


def test_a_lower_quantile_never_answers_higher_than_a_higher_one():
    table = load_era()
    low, high = (MonotoneProbabilityClassifier(loss=linear_loss(tau, 9)).fit(table.X, table.y) for tau in (0.8, 0.2))
    assert (low.predict(table.X) <= high.predict(table.X)).all()
    assert (low.predict(table.X) < high.predict(table.X)).any()


def test_ties_go_to_the_middle_rounded_down():
    assert best_codes(np.array([[0.5, 0.5, 0.5]]), loss_table("absolute", 4)).tolist() == [1]


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=3, max_size=3))
def test_nesting_keeps_what_is_nested_and_gives_nested(rows: list[list[float]]):
    q = np.array(rows)
    out = nested(q)
    assert (np.diff(out, axis=0) <= 0).all() and (out >= q.min(axis=0)).all() and (out <= q.max(axis=0)).all()
    assert (nested(out) == out).all()


@pytest.mark.parametrize("solvers", [{"isotonic_solver": "clarabel", "rule_solver": "clarabel"}])
def test_any_quadratic_solver_gives_the_same_probabilities(solvers: dict[str, str]):
    random = np.random.default_rng(0)
    X = random.integers(0, 4, (40, 2))
    y = (X.sum(axis=1) + random.integers(0, 3, 40)) // 3
    one, two = (MonotoneProbabilityClassifier(**words).fit(X, y) for words in ({}, solvers))
    assert np.allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-3)


def test_weights_are_copies_and_names_are_kept():
    table = load_lev()
    rows, weights = np.arange(0, 1000, 5), np.random.default_rng(1).integers(0, 3, 200)
    X, y = pd.DataFrame(table.X[rows], columns=table.feature_names), table.y[rows]
    weighted = MonotoneProbabilityClassifier(directions=table.directions, order=range(1, 6)).fit(X, y, weights)
    copies = MonotoneProbabilityClassifier(order=range(1, 6)).fit(table.X[rows].repeat(weights, 0), y.repeat(weights))
    turned = X[X.columns[::-1]]
    assert np.allclose(weighted.predict_proba(turned), copies.predict_proba(table.X[rows]), atol=1e-6)
    again = pickle.loads(pickle.dumps(weighted))
    assert (again.predict_proba(X) == weighted.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("words", "error", "what"),
    [
        ({"isotonic_share": 2}, OptionError, "isotonic_share"),
        ({"max_conditions": 0}, OptionError, "max_conditions"),
        ({"cuts": 1}, OptionError, "cuts"),
        ({"loss": [[0, 1, 2], [5, 0, 0], [2, 1, 0]]}, DataError, "must not rise"),
        ({"isotonic_solver": "mincut"}, Exception, "mincut"),
    ],
)
def test_words_that_can_not_be_are_refused(words: dict, error: type[Exception], what: str):
    with pytest.raises(error, match=what):
        MonotoneProbabilityClassifier(**words).fit([[1], [2], [3], [4]], [0, 1, 0, 2])
