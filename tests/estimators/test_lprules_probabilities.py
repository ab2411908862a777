"""Probabilities of LPRulesClassifier: valid, monotone, proved, those of isotonic regression, and kept in JSON."""

from __future__ import annotations

import json
import pickle
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from monoopt import DataWarning, LPRulesClassifier, MonotoneProbabilityClassifier
from monoopt.datasets import load_lev
from monoopt.order import as_gains, linear_loss
from monoopt.order.comparisons import at_least

GRID = np.array(list(product((-1, 0, 0.5, 1, 2, 4), repeat=3)))


@given(st.integers(0, 2**31))
@settings(max_examples=8)
def test_probabilities_are_valid_monotone_proved_and_those_of_isotonic_regression(seed: int):
    random = np.random.default_rng(seed)
    X, y, w = random.integers(0, 3, (18, 3)), random.integers(0, 4, 18), random.integers(0, 3, 18) + (np.arange(18) < 2)
    directions = random.choice([-1, 0, 1], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        rules = LPRulesClassifier(directions=directions).fit(X, y, w)
        alone = MonotoneProbabilityClassifier(directions=directions, max_conditions=None).fit(X, y, w)
    p = rules.predict_proba(GRID)
    assert np.array_equal(p, alone.predict_proba(GRID))
    assert p.shape == (len(GRID), len(rules.classes_)) and (p >= 0).all() and np.allclose(p.sum(axis=1), 1)
    gains = as_gains(GRID, directions.astype(np.int8))
    above, q = at_least(gains, gains), np.cumsum(p[:, ::-1], axis=1)
    for k in range(q.shape[1] - 1):
        assert not (above & (q[:, k, None] < q[None, :, k] - 1e-12)).any()
    assert all(certificate.ok for certificate in rules.probabilities_.certificates)


def test_the_likeliest_class_need_not_be_the_one_predicted():
    X, y = [[1]] * 5, [0, 0, 1, 2, 2]
    rules = LPRulesClassifier().fit(X, y)
    assert np.allclose(rules.predict_proba([[1]]), [[0.4, 0.2, 0.4]])
    assert rules.predict([[1]]).tolist() == [1]


def test_the_loss_names_the_rule_median_mean_or_quantile():
    X, y = [[1]] * 7, [0, 0, 0, 0, 2, 3, 3]  # median 0, mean 8/7, three quarters at most 3
    answers = {
        loss if isinstance(loss, str) else "quantile": LPRulesClassifier(loss=loss, order=range(4))
        .fit(X, y)
        .predict([[1]])[0]
        for loss in ("absolute", "squared", linear_loss(0.25, 4))
    }
    assert answers == {"absolute": 0, "squared": 1, "quantile": 3}


def test_probabilities_survive_json_and_pickle_and_are_solved_at_first_use():
    lev = load_lev()
    rules = LPRulesClassifier(directions=list(lev.directions.values())).fit(lev.X[::10], lev.y[::10])
    assert "probabilities" not in vars(rules._seen)
    again = LPRulesClassifier.from_dict(json.loads(json.dumps(rules.to_dict())))
    expected = rules.predict_proba(lev.X[:50])
    assert np.array_equal(again.predict_proba(lev.X[:50]), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(rules)).predict_proba(lev.X[:50]), expected)


def test_before_fitting_there_are_no_probabilities():
    with pytest.raises(NotFittedError):
        LPRulesClassifier().predict_proba([[1]])
    assert not hasattr(LPRulesClassifier(), "probabilities_")


@pytest.mark.parametrize("weights", [None, [1, 1, 0]])
def test_one_class_is_said_and_predicted_for_sure(weights):
    y = [5, 5, 5] if weights is None else [5, 5, 7]
    with pytest.warns(DataWarning, match="the same label, 5: there is nothing to learn"):
        rules = LPRulesClassifier().fit([[1], [2], [3]], y, weights)
    assert set(rules.predict([[0], [9]])) == {5}
    assert rules.predict_proba([[2]])[0, 0] == 1
