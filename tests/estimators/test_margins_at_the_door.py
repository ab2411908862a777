"""Margins asked for: weights, labels and questions that can't be are refused in words."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from monoopt import DataError, DataWarning, LPRulesClassifier, OptionError

X, Y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 2, 2])


@cache
def rules() -> LPRulesClassifier:
    return LPRulesClassifier().fit(X, Y)


WEIGHTS = {
    "zero": (np.zeros(4), "all weights are zero"),
    "huge": (np.full(4, 1e308), "the sum inf is beyond"),
    "tiny": (np.full(4, 5e-324), "the largest weight .* is below"),
    "negative": ([1, -1, 1, 1], "object 1: -1, wanted a finite number that is not negative"),
    "nan": ([1, 1, np.nan, 1], "object 2: "),
    "text": (["a", "b", "c", "d"], "object 0: "),
    "few": (np.ones(3), r"shape \(3,\), wanted \(4,\)"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", WEIGHTS)
def test_weights_that_can_not_be_are_refused_in_words(case: str):
    weights, words = WEIGHTS[case]
    for ask in (rules().margin_report, lambda *labelled: rules().margin_path(1, *labelled)):
        with pytest.raises(DataError, match=words):
            ask(X, Y, weights)


def test_labels_of_other_length_and_weights_of_no_objects_are_refused():
    for ask in (rules().margin_report, lambda *labelled: rules().margin_path(1, *labelled)):
        with pytest.raises(DataError, match="4 objects and 3 labels"):
            ask(X, Y[:3])
        with pytest.raises(DataError, match="give both X and y"):
            ask(None, Y)
        with pytest.raises(DataError, match="sample_weight is for X and y"):
            ask(None, None, np.ones(4))


def test_one_class_has_no_question():
    with pytest.warns(DataWarning, match="the same label"):
        alone = LPRulesClassifier().fit([[1], [2]], [0, 0])
    for k in (1, "hi"):
        with pytest.raises(OptionError, match="only one class, hence no question"):
            alone.margin_path(k)


def test_why_there_is_no_path_and_what_to_do():
    with pytest.raises(DataError, match=r"no path: the classifier was read from a record.*fit it again"):
        LPRulesClassifier.from_dict(rules().to_dict()).margin_path(1)
    with pytest.raises(DataError, match=r"no path: the rules are a mean of bootstrap samples.*fit with n_estimators=1"):
        LPRulesClassifier(n_estimators=2, random_state=0).fit(X, Y).margin_path(1)


def test_no_margin_is_minus_zero():
    report = LPRulesClassifier().fit([[1], [2]], [0, 1]).margin_report([[1.5]], [0])  # the vote is 0, the sign -1
    assert report.margins.tolist() == [[0.0]] and not np.signbit(report.margins).any()
    assert str(report) == "question 1: smallest margin 0, 100.0% on the wrong side or undecided"
