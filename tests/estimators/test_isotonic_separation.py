"""Isotonic separation: distances by hand, monotone, proved, and as good as published."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from monoopt import DataWarning, OptionError, relabel
from monoopt.datasets import load_esl, load_lev
from monoopt.estimators import IsotonicSeparationClassifier

ORDER_NEEDED = {"check_classifiers_classes": "text labels need order=: alphabetical order is seldom what is meant"}
GRID = np.array(list(product((-1, 0, 0.5, 1, 2, 4), repeat=3)))


def test_scikit_learn_accepts_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(IsotonicSeparationClassifier(), expected_failed_checks=ORDER_NEEDED)


def test_distances_by_hand():
    """B_1 = {(3, 3)}, B_0 = {(0, 2), (2, 0)}: (2, 2) is 2 above the nearest of B_0 and 2 below B_1."""
    X, y = [(0, 2), (2, 0), (0, 0), (3, 3), (4, 3)], [0, 0, 0, 1, 1]
    plain = IsotonicSeparationClassifier(scale=False).fit(X, y)
    upper, lower = plain.borders_[0]
    assert upper.tolist() == [[3, 3]] and lower.tolist() == [[0, 2], [2, 0]]
    assert plain.margins([(2, 2), (3, 2), (1, 1), (3, 4), (0, 1)])[:, 0].tolist() == [0, 2, -3, 5, -5]
    assert plain.predict([(2, 2), (3, 2), (1, 1)]).tolist() == [0, 1, 0]
    dear = IsotonicSeparationClassifier(scale=False, costs=(1, 3)).fit(X, y)
    assert dear.margins([(3, 2)])[:, 0].tolist() == [0]


def test_units_do_not_matter():
    table = load_lev()
    one = IsotonicSeparationClassifier().fit(table.X, table.y)
    other = IsotonicSeparationClassifier().fit(table.X * [1000, 1, 0.25, 8], table.y)
    new = np.random.default_rng(0).uniform(-1, 6, (200, 4))
    assert (one.predict(new) == other.predict(new * [1000, 1, 0.25, 8])).all()


@given(st.integers(0, 2**31))
@settings(max_examples=15)
def test_answers_are_monotone_within_the_interval_and_right_on_the_relabelled_data(seed: int):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, (15, 3)), random.integers(0, 4, 15)
    directions = random.choice([-1, 0, 1], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted = IsotonicSeparationClassifier(directions=directions, costs=(1, 2)).fit(X, y)
    assert (fitted.predict(X) == fitted.relabelling_.labels).all()
    assert fitted.verify(GRID).violations == 0 and all(certificate.ok for certificate in fitted.certificates_)
    low, high = fitted.predict_interval(GRID).T
    assert (low <= fitted.predict(GRID)).all() and (fitted.predict(GRID) <= high).all()


def test_the_relabelling_is_that_of_relabel():
    table = load_esl()
    assert IsotonicSeparationClassifier().fit(table.X, table.y).relabelling_.cost == relabel(table.X, table.y).cost


@pytest.mark.parametrize("costs", [(1,), (0, 1), (1, np.inf)])
def test_bad_costs_are_refused(costs: tuple):
    with pytest.raises(OptionError, match="two positive numbers"):
        IsotonicSeparationClassifier(costs=costs).fit([[1], [2]], [0, 1])


@pytest.mark.slow
def test_mean_absolute_error_in_cross_validation_is_as_good_as_published():
    table = load_esl()
    folds = KFold(10, shuffle=True, random_state=0)
    scores = cross_val_score(
        IsotonicSeparationClassifier(), table.X, table.y, cv=folds, scoring="neg_mean_absolute_error"
    )
    assert -scores.mean() <= 0.36


def test_an_object_farther_than_numbers_go_is_answered_without_a_word():
    separation = IsotonicSeparationClassifier().fit([[1, 1], [2, 2], [4, 4]], [0, 0, 1])
    far = [[1e308, 5], [-1e308, 0], [5, 1e308], [1e308, 1e308], [-1e308, -1e308]]
    assert separation.predict(far).tolist() == [1, 0, 1, 1, 0]
    assert separation.predict([[1e308, -1e308]]).tolist() == [0]
