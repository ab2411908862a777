"""LPRulesClassifierCV: mixes or chooses by training data alone, honestly counted, the same for every number of jobs."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import check_estimator

from monoopt import LPRulesClassifier, OptionError
from monoopt.datasets import load_balance, load_esl, load_lev
from monoopt.estimators import LPRulesClassifierCV, MonotoneProbabilityClassifier
from monoopt.estimators.candidates import SMALL
from monoopt.estimators.monotone_mixture import said
from monoopt.formulations import mixture
from monoopt.solvers import solve

ORDER_NEEDED = {
    "check_classifiers_classes": "text labels need order=: alphabetical order is seldom what is meant",
    "check_classifiers_train": "the class predicted is that of least loss, not the most probable one",
}


@pytest.mark.parametrize("combine", ["mixture", pytest.param("best", marks=pytest.mark.slow)])
def test_scikit_learn_accepts_it(combine: str):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quick = LPRulesClassifierCV(cv=2, max_conditions=(1,), probabilities=False, combine=combine)
        check_estimator(quick, expected_failed_checks=ORDER_NEEDED)


def test_an_additive_truth_without_noise_is_answered_by_short_rules():
    table = load_balance()
    rows = np.random.default_rng(0).permutation(len(table.y))[:300]
    chosen = LPRulesClassifierCV(directions=list(table.directions.values()), cv=3, combine="best")
    chosen.fit(table.X[rows], table.y[rows])
    assert isinstance(chosen.best_estimator_, LPRulesClassifier)
    assert chosen.best_candidate_.words["max_conditions"] == 1
    assert chosen.verify(table.X).violations == 0


def test_errors_are_those_of_refitting_on_the_folds_by_hand():
    table = load_lev()
    rows = np.random.default_rng(1).permutation(len(table.y))[:200]
    X, y = table.X[rows], table.y[rows]
    chosen = LPRulesClassifierCV(cv=3, max_conditions=(1,), random_state=5, order=range(1, 6), combine="best").fit(X, y)
    seed = np.random.RandomState(5).randint(2**31 - 1)
    folds = KFold(3, shuffle=True, random_state=seed)
    for candidate, error in zip(chosen.cv_results_["candidate"], chosen.cv_results_["error"], strict=True):
        kind = LPRulesClassifier if candidate.votes else MonotoneProbabilityClassifier
        found = []
        for train, test in folds.split(X):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = kind(order=range(1, 6), **candidate.words).fit(X[train], y[train])
            found += np.abs(fitted.predict(X[test]) - y[test]).tolist()
        assert error == pytest.approx(np.mean(found)), str(candidate)
    assert chosen.cv_results_["error"] == sorted(chosen.cv_results_["error"])
    assert chosen.best_error_ == chosen.cv_results_["error"][0]


def test_the_mixture_is_the_mean_of_the_folds_and_its_shares_solve_the_program():
    table = load_lev()
    X, y = table.X[::8], table.y[::8]
    chosen = LPRulesClassifierCV(cv=3, max_conditions=(1,), order=range(1, 6)).fit(X, y)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    folds = list(KFold(3, shuffle=True, random_state=seed).split(X))
    candidates = chosen._candidates()
    own, everywhere = np.zeros((len(X), 4, len(candidates))), np.zeros((len(table.X), 4, len(candidates)))
    for train, test in folds:
        for t, candidate in enumerate(candidates):
            kind = LPRulesClassifier if candidate.votes else MonotoneProbabilityClassifier
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = kind(order=range(1, 6), **candidate.words).fit(X[train], y[train])
            own[test, :, t], everywhere[:, :, t] = (
                said(fitted, X[test]),
                everywhere[:, :, t] + said(fitted, table.X) / 3,
            )
    program = mixture.build((y[:, None] > np.arange(1, 5)).ravel(), own.reshape(-1, len(candidates)))
    best = solve(program).objective
    shares = np.zeros(len(candidates))
    for share, candidate in zip(chosen.best_candidate_.shares, chosen.best_candidate_.candidates, strict=True):
        shares[candidates.index(candidate)] = share
    assert shares.sum() == pytest.approx(1) and ((shares == 0) | (shares >= SMALL)).all()
    assert program.objective(shares) == pytest.approx(best, rel=0.01)
    assert np.allclose(chosen.best_estimator_.exceedance(table.X), everywhere @ shares, atol=1e-6)
    codes = ((own @ shares > 0.5).sum(axis=1) + (own @ shares >= 0.5).sum(axis=1)) // 2
    assert chosen.best_error_ == pytest.approx(np.abs(codes + 1 - y).mean())
    assert chosen.certificates_[0].ok and all(proof.ok for proof in chosen.certificates_)
    assert chosen.verify(table.X).ok


def test_the_one_standard_error_rule_never_takes_more_parts():
    table = load_esl()
    rows = np.random.default_rng(2).permutation(len(table.y))[:150]
    words = {"cv": 3, "max_conditions": (1, None), "order": range(1, 10), "combine": "best"}
    least, plain = (
        LPRulesClassifierCV(one_standard_error=rule, **words).fit(table.X[rows], table.y[rows])
        for rule in (False, True)
    )
    results = least.cv_results_
    parts = dict(zip(map(str, results["candidate"]), results["parts"], strict=True))
    assert parts[str(plain.best_candidate_)] <= parts[str(least.best_candidate_)]
    assert plain.best_error_ <= results["error"][0] + results["standard_error"][0]


def test_the_same_choice_whatever_the_number_of_jobs():
    table = load_lev()
    X, y = table.X[::6], table.y[::6]
    one = LPRulesClassifierCV(cv=3, max_conditions=(1,)).fit(X, y)
    with parallel_config("threading"):
        two = LPRulesClassifierCV(cv=3, max_conditions=(1,), n_jobs=2).fit(X, y)
    assert one.cv_results_ == two.cv_results_ and (one.predict(table.X) == two.predict(table.X)).all()


def test_manners():
    table = load_lev()
    X, y = table.X[::6], table.y[::6]
    chosen = clone(LPRulesClassifierCV(cv=2, repeats=2, max_conditions=(1,))).fit(X, y)
    again = pickle.loads(pickle.dumps(chosen))
    assert (again.predict(table.X) == chosen.predict(table.X)).all()
    low, high = chosen.predict_interval(X).T
    assert (low <= high).all() and (chosen.classes_ == np.unique(y)).all()
    assert chosen.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert len(chosen.explain(X[:2])) == 2


def test_folds_can_be_given():
    table = load_lev()
    X, y = table.X[::6], table.y[::6]
    halves = [(np.arange(80), np.arange(80, len(y))), (np.arange(80, len(y)), np.arange(80))]
    weights = np.r_[np.zeros(10), np.ones(len(y) - 10)]
    chosen = LPRulesClassifierCV(cv=halves, max_conditions=(1,), probabilities=False, order=range(1, 6))
    chosen.fit(X, y, weights)
    assert len(chosen.cv_results_["error"]) == 1 and 0 < chosen.best_error_ < 1


@pytest.mark.filterwarnings("ignore:all objects have the same label")
def test_nothing_to_compare_is_no_error():
    assert LPRulesClassifierCV().fit([[1], [2]], [3, 3]).predict([[0]]).tolist() == [3]
    assert LPRulesClassifierCV(order=[0, 1]).fit([[1]], [1]).predict([[0], [5]]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"cv": 1}, "cv=1"),
        ({"repeats": 0}, "repeats=0"),
        ({"nu": 0.1}, "nu=0.1: wanted a sequence"),
        ({"nu": [2]}, "nu=2"),
        ({"max_rules": "few"}, "max_rules='few'"),
        ({"combine": "mix"}, "combine='mix'.*'mixture'"),
        ({"one_standard_error": True}, "combine='best'"),
    ],
)
def test_words_that_can_not_be_are_refused(words: dict[str, object], what: str):
    with pytest.raises(OptionError, match=what):
        LPRulesClassifierCV(**words).fit([[1], [2]], [0, 1])
