"""Constructor parameters of a wrong kind are refused by an error of monoopt that names them, whatever they are."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt import (
    SDSN,
    SVDD,
    FootruleAggregation,
    IsotonicSeparationClassifier,
    KemenyAggregation,
    LPRulesClassifier,
    LPRulesClassifierCV,
    MonotoneMixtureClassifier,
    MonotoneRelabeler,
    RankingPrincipalCurve,
    SupportVectorClustering,
    WeightedSum,
    bootstrap_ranks,
    check_meta_rules,
    leave_one_out,
    scaling_sensitivity,
)
from monoopt.errors import DataError, MonooptError

X, y = [[0, 1], [1, 0], [1, 1], [2, 2], [3, 3]], [0, 0, 1, 1, 1]
WRONG = ["nonsense", b"x", {"a": 1}, [None], np.array([1, 2]), np.array([]), 1j, object(), 10**400, float("nan")]
WORDS = [
    (SDSN, "n_clusters affinity training unit neighbourhood time_limit solver repair random_state"),
    (SVDD, "kernel C time_limit tolerance solver repair gamma keep_best keep_programs"),
    (SupportVectorClustering, "labelling samples time_limit solver"),
    (MonotoneRelabeler, "missing tie solver time_limit tolerance"),
    (IsotonicSeparationClassifier, "costs scale tie solver"),
    (MonotoneMixtureClassifier, "members shares"),
    (LPRulesClassifier, "D nu n_estimators tolerance time_limit n_jobs missing tie"),
    (LPRulesClassifierCV, "nu max_conditions combine probabilities n_jobs"),
    (KemenyAggregation, "time_limit"),
    (FootruleAggregation, "solver"),
    (RankingPrincipalCurve, "solver algorithm finish degree margin init tolerance missing attribute_weights anchors"),
    (WeightedSum, "missing attribute_weights"),
]
PLAIN = [(estimator, word) for estimator, words in WORDS for word in words.split()]
TWO_NUMBERS, NOTHING = "array([1, 2])", "array([], dtype=float64)"
RIGHT = {  # for these words some of the values are no mistake
    "costs": [TWO_NUMBERS], "attribute_weights": [TWO_NUMBERS], "anchors": [NOTHING],
    "nu": ["[None]"], "max_conditions": ["[None]", TWO_NUMBERS, "b'x'"],
}  # fmt: skip


@pytest.mark.parametrize(("estimator", "word"), PLAIN, ids=lambda part: getattr(part, "__name__", part))
def test_a_parameter_of_a_wrong_kind_is_refused_by_name(estimator: type, word: str):
    for value in WRONG:
        if repr(value) in RIGHT.get(word, ()):
            continue
        with pytest.raises(MonooptError):
            estimator(**{word: value}).fit(X, y)


@pytest.mark.parametrize("cv", [[1, 2], "nonsense", [None]])
def test_folds_that_are_none_are_refused(cv: object):
    with pytest.raises(MonooptError, match="cv="):
        LPRulesClassifierCV(cv=cv).fit(X, y)


@pytest.mark.parametrize("estimator", [SVDD(), SVDD(kernel="tuned"), SDSN(n_clusters=2), SupportVectorClustering()])
def test_new_objects_too_far_away_for_a_square_are_refused(estimator: object):
    fitted = estimator.fit(X)
    with pytest.raises(DataError, match=r"as large as 1e\+308"):
        fitted.predict([[1e308, -1e308]])


def test_a_range_that_no_number_holds_is_refused():
    with pytest.raises(DataError, match=r"'x1' goes from -1.7e\+308 to 1.7e\+308"):
        WeightedSum().fit([[1, 1.7e308], [2, -1.7e308]])


def test_questions_to_a_fitted_classifier_are_refused_where_they_make_no_sense():
    rules = LPRulesClassifier().fit(X, y)
    for strange in (3, 1.5, "x", [[1]], ["x"], object()):
        with pytest.raises(MonooptError):
            rules.recourse(X[0], 1, fixed=strange)
        with pytest.raises(MonooptError):
            rules.recourse(X[0], 1, costs=strange)
        with pytest.raises(MonooptError):
            rules.rule_path(1, strange)
    for strange in (None, "x", [1], {}, np.array([1, 2])):
        with pytest.raises(MonooptError):
            rules.recourse(X[0], strange)
        with pytest.raises(MonooptError):
            rules.rule_path(strange)


def test_questions_to_a_fitted_ranking_are_refused_where_they_make_no_sense():
    curve = RankingPrincipalCurve(solver="direct").fit(X)
    with pytest.raises(DataError, match="'Norway' is text"):
        curve.compare(["Norway", "Chad"], 0)
    with pytest.raises(DataError, match="no scores"):
        curve.inverse(["a"])
    with pytest.raises(DataError, match="wanted 5 labels"):
        curve.fit(X, objects=3)


def test_questions_about_how_sure_ranks_are_are_refused_where_they_make_no_sense():
    for level in (None, "x", [1], 1j, float("nan"), 1):
        with pytest.raises(MonooptError, match="level="):
            bootstrap_ranks(WeightedSum(), X, n_boot=2, level=level)
    for seed in ("x", -1, 1.5, {}, object()):
        with pytest.raises(MonooptError, match="random_state="):
            bootstrap_ranks(WeightedSum(), X, n_boot=2, random_state=seed)
        with pytest.raises(MonooptError, match="random_state="):
            RankingPrincipalCurve(solver="direct", random_state=seed).fit(X)


@pytest.mark.parametrize(
    "question",
    [
        lambda: bootstrap_ranks(WeightedSum(), X, n_boot=2, n_jobs="x"),
        lambda: bootstrap_ranks(3, X, n_boot=2),
        lambda: leave_one_out(3, X),
        lambda: scaling_sensitivity(WeightedSum(), X, 3),
        lambda: check_meta_rules(3, X),
        lambda: check_meta_rules(lambda table: np.zeros((3, 3)), X),
        lambda: LPRulesClassifierCV(cv=[]).fit(X, y),
    ],
)
def test_questions_about_a_ranking_say_what_they_wanted(question):
    with pytest.raises(MonooptError, match=r"wanted|scores for|no folds"):
        question()
