"""Mixtures of monotone classifiers: the sum of what the members say, monotone, explained, and refusing nonsense."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from monoopt import LPRulesClassifier, MonotoneMixtureClassifier, MonotoneProbabilityClassifier, OptionError
from monoopt.datasets import load_lev
from monoopt.estimators.rule_voting import answers_of, middle

SIGNS = st.sampled_from([-0.5, 0.0, 0.5])


def test_scikit_learn_accepts_it():
    why = {
        "check_classifiers_classes": "text labels need order=: alphabetical order is seldom what is meant",
        "check_classifiers_train": "the class predicted is that of least loss, not the most probable one",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members = [MonotoneProbabilityClassifier(max_conditions=None)]
        check_estimator(MonotoneMixtureClassifier(members=members), expected_failed_checks=why)


@given(arrays(float, (6, 4), elements=SIGNS))
@settings(max_examples=50)
def test_votes_as_answers_keep_the_class_and_the_order(votes: np.ndarray):
    answers = answers_of(votes)
    assert (np.diff(answers, axis=1) <= 0).all()
    assert (((answers > 0.5).sum(axis=1) + (answers >= 0.5).sum(axis=1)) // 2 == middle(votes)).all()
    assert (answers_of(np.maximum(votes, votes[0])) >= answers).all()


def test_by_hand():
    """The votes say 0, 1/2 open and 1; isotonic regression says 0, 1/2, 1/2, 1; three parts of the second to one."""
    X, y = [[1], [2], [3], [4]], [0, 1, 0, 1]
    members = [LPRulesClassifier(), MonotoneProbabilityClassifier(max_conditions=None)]
    fitted = MonotoneMixtureClassifier(members=members, shares=[1, 3]).fit(X, y)
    votes = answers_of(fitted.members_[0].votes(X))[:, 0]
    assert fitted.predict_proba(X)[:, 1] == pytest.approx(0.25 * votes + 0.75 * np.array([0, 0.5, 0.5, 1]))
    assert len(fitted.certificates_) == sum(len(member.certificates_) for member in fitted.members_)


def test_the_mixture_is_monotone_and_no_member_without_share_is_fitted():
    table = load_lev()
    members = [
        LPRulesClassifier(max_conditions=2),
        MonotoneProbabilityClassifier(isotonic_share=0.0),
        MonotoneProbabilityClassifier(max_conditions=None),
    ]
    X, y = table.X[::5], table.y[::5]
    fitted = MonotoneMixtureClassifier(members=members, shares=[1, 2, 0]).fit(X, y)
    assert fitted.shares_.tolist() == [1 / 3, 2 / 3] and len(fitted.members_) == 2
    check = fitted.verify(table.X)
    assert check.ok and check.pairs > 100
    low, high = fitted.predict_interval(X).T
    assert (low == fitted.predict(X)).all() and (high == low).all()
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.exceedance(table.X) == fitted.exceedance(table.X)).all()
    assert (clone(fitted).fit(X, y).exceedance(table.X) == fitted.exceedance(table.X)).all()


def test_an_explanation_adds_up_and_names_rules_and_witnesses():
    table = load_lev()
    X = dict(zip(table.feature_names, table.X[::5].T, strict=True))
    members = [LPRulesClassifier(max_conditions=2), MonotoneProbabilityClassifier(isotonic_share=0.0)]
    fitted = MonotoneMixtureClassifier(members=[members[0], members[1], members[1]]).fit(X, table.y[::5])
    new = {"in1": [2], "in2": [1], "in3": [3], "in4": [2]}
    found = fitted.explain(new, top=None)[0]
    assert found.label == fitted.predict(new)[0]
    assert [opinion.share for opinion in found.opinions] == pytest.approx([2 / 3, 1 / 3]), "equal members are one"
    total = sum(opinion.share * np.array(opinion.exceedance) for opinion in found.opinions)
    assert found.exceedance == pytest.approx(total, abs=1e-6)
    weights = [abs(reason.weight) for reason in found.reasons]
    assert weights == sorted(weights, reverse=True) and all("in" in reason.text for reason in found.reasons)
    text = str(found)
    assert "LPRulesClassifier(max_conditions=2)" in text and "no better than" in text
    assert json.loads(json.dumps(found.to_dict()))["label"] == found.label
    assert len(fitted.explain(new, top=1)[0].reasons) == 1


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"members": []}, "at least one"),
        ({"members": [int]}, "votes or estimates"),
        ({"shares": [1]}, "wanted 3 numbers"),
        ({"shares": [1, -1, 1]}, "not negative"),
        ({"shares": [0, 0, 0]}, "not all 0"),
    ],
)
def test_words_that_can_not_be_are_refused(words: dict[str, object], what: str):
    with pytest.raises(OptionError, match=what):
        MonotoneMixtureClassifier(**words).fit([[1], [2]], [0, 1])
