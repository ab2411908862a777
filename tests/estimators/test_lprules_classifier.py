"""LPRulesClassifier: monotone, proved, honest about what it does not know, and a good citizen of scikit-learn."""

from __future__ import annotations

import json
import pickle
import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from monoopt import (
    CertificateError,
    DataError,
    DataWarning,
    LPRulesClassifier,
    OptionError,
    Program,
    SolverNotFound,
    relabel,
)
from monoopt.algorithms import lprules as algorithm
from monoopt.algorithms.column_generation import Priced
from monoopt.datasets import Dataset, load_balance, load_esl, load_lev, load_swd
from monoopt.estimators import lprules as module

NOT_FOR_US = {
    "check_classifiers_classes": "text labels need order=: alphabetical order is seldom what is meant",
    "check_classifiers_train": "the class predicted is fitted to the median of the labels, not the most probable one",
    "check_decision_proba_consistency": "votes of rules and isotonic probabilities are two answers",
}
HAND = ([(1, 1), (2, 2), (4, 4)], [0, 1, 3])


def fitted(table: Dataset, **words: object) -> LPRulesClassifier:
    return LPRulesClassifier(directions=list(table.directions.values()), **words).fit(table.X, table.y)


def test_scikit_learn_accepts_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(LPRulesClassifier(), expected_failed_checks=NOT_FOR_US)


# --- what it answers


def test_rising_features_never_lower_the_answer():
    X, y = [(1, 5), (2, 3), (2, 2), (3, 1), (2, 6), (4, 4)], [0, 1, 1, 1, 0, 2]
    rules = LPRulesClassifier().fit(X, y)
    assert rules.relabelling_.cost == 1 and rules.relabelling_.labels.tolist() == [0, 1, 1, 1, 1, 2]
    assert rules.predict([(5, 5)]).tolist() == [2]
    assert rules.verify().ok
    grid = list(product(range(7), range(8)))
    assert rules.verify(grid).violations == 0 and rules.verify(grid).pairs > 500


def test_outside_the_training_range_there_is_a_label_an_interval_and_a_flag():
    X, y = HAND
    rules = LPRulesClassifier(order=range(4)).fit(X, y)
    assert rules.predict([(0, 0), (9, 9)]).tolist() == [0, 3]
    assert rules.predict_interval([(0, 0), (9, 9)]).tolist() == [[0, 0], [3, 3]]
    assert rules.outside_range([(0, 0), (9, 9), (2, 4), (2, 5)]).tolist() == [True, True, False, True]


def test_intervals_say_how_sure_a_label_is():
    X, y = HAND
    rules = LPRulesClassifier(order=range(4)).fit(X, y)
    assert rules.predict_interval([(3, 3), (1, 5)]).tolist() == [[1, 3], [0, 3]]


@pytest.mark.filterwarnings("ignore:all objects have the same label")
def test_a_query_in_float32_meets_the_object_that_it_repeats():
    rules = LPRulesClassifier(order=[0, 1, 2]).fit(np.array([[0.1]]), [1])
    assert rules.predict_interval(np.array([[0.1]], dtype=np.float32)).tolist() == [[1, 1]]
    both = LPRulesClassifier().fit(np.array([[0.1], [0.3]]), [0, 1])
    assert both.predict(np.array([[0.1], [0.3]], dtype=np.float32)).tolist() == [0, 1]
    half = LPRulesClassifier().fit(np.array([[0.1], [0.3]], dtype=np.float32), [0, 1])
    assert half.predict([[0.1], [0.3]]).tolist() == [0, 1]


def test_labels_are_given_back_in_the_users_values():
    rules = LPRulesClassifier().fit([[1], [2], [3]], [10, 40, 20])
    assert set(rules.predict([[0], [1], [2], [3], [4]])) <= {10, 20, 40}
    text = LPRulesClassifier(order=["low", "high"]).fit([[1], [2]], ["low", "high"])
    assert text.predict([[0], [3]]).tolist() == ["low", "high"]
    with pytest.raises(DataError, match="alphabetically"):
        LPRulesClassifier().fit([[1], [2]], ["low", "high"])


def test_a_vote_of_nothing_is_answered_by_the_middle_of_what_is_open():
    X, y = [(0, 0), (9, 9)], [0, 2]
    rules = LPRulesClassifier(order=[0, 1, 2]).fit(X, y)
    assert rules.votes([(3, 3)]).tolist() == [[0.0, 0.0]]
    assert rules.predict([(3, 3)]).tolist() == [1], "both questions are open: the middle of 0 and 2"
    two = LPRulesClassifier().fit(X, y)
    assert two.predict([(3, 3)]).tolist() == [0], "the middle of 0 and 1, rounded down"


def test_decisions_are_votes_for_two_classes_and_scores_for_more():
    two = LPRulesClassifier().fit([[1], [2], [3]], [0, 0, 1])
    assert two.decision_function([[1], [2.5], [3]]).tolist() == [-0.5, 0.0, 0.5]
    table = load_lev()
    rules = fitted(table)
    grid = np.array(list(product(range(-1, 6), repeat=4)), dtype=float)
    scores = rules.decision_function(grid)
    assert scores.shape == (len(grid), 5)
    assert (rules.classes_[scores.argmax(axis=1)] == rules.predict(grid)).all()


@pytest.mark.parametrize("load", [load_esl, load_lev, load_swd, load_balance])
def test_on_real_data_everything_is_proved_and_monotone(load: object):
    table = load()
    rules = fitted(table)
    K = len(rules.classes_)
    assert len(rules.certificates_) == 2 * (K - 1) and all(c.ok for c in rules.certificates_)
    assert (rules.predict(table.X) == rules.relabelling_.labels).all(), "the relabelled data are separated"
    assert (rules.margins_ > 0).all() and (rules.bounds_ - rules.margins_ <= 1e-6).all()
    check = rules.verify()
    assert check.ok and check.pairs > 0
    assert "every rule is monotone in form; 0 of" in str(check)
    low, high = rules.predict_interval(table.X).T
    assert (low == high).all() and (low == rules.relabelling_.labels).all()


def test_predictions_on_new_objects_are_monotone_and_within_the_interval():
    table = load_swd()
    half = np.random.default_rng(0).permutation(len(table.y))[:300]
    rules = LPRulesClassifier().fit(table.X[half], table.y[half])
    found = rules.predict(table.X)
    low, high = rules.predict_interval(table.X).T
    assert (low <= found).all() and (found <= high).all()
    assert rules.verify(table.X).violations == 0


@given(st.integers(0, 2**31))
@settings(max_examples=12, deadline=None)
def test_random_data_give_monotone_answers_everywhere(seed: int):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (15, 3)).astype(float)
    y = random.integers(0, 4, 15)
    directions = random.choice([-1, 0, 1], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        rules = LPRulesClassifier(directions=directions).fit(X, y, random.integers(0, 3, 15) + (np.arange(15) < 2))
    assert all(certificate.ok for certificate in rules.certificates_)
    grid = np.array(list(product((-1, 0, 0.5, 1, 2, 3, 4), repeat=3)))
    assert rules.verify(grid).violations == 0
    found, (low, high) = rules.predict(grid), rules.predict_interval(grid).T
    assert (low <= found).all() and (found <= high).all()


def test_verification_finds_a_rule_that_was_turned_round():
    rules = LPRulesClassifier().fit([[1], [2], [3]], [0, 1, 1])
    rules.directions_ = np.array([-1], dtype=np.int8)
    check = rules.verify()
    assert not check.ok and not check.by_form and check.violations == 2 and check.worst is not None


@pytest.mark.filterwarnings("ignore:all objects have the same label")
def test_the_rules_are_readable_and_speak_of_names_and_classes():
    frame = pd.DataFrame({"skill": [1, 2, 3], "debt": [3, 2, 1]})
    rules = LPRulesClassifier(directions={"skill": 1, "debt": -1}, order=["no", "yes"]).fit(frame, ["no", "no", "yes"])
    text = str(rules.rules_)
    assert text.splitlines()[0] == "at least yes: margin 0.5"
    assert "if skill >= 3 then at least yes (weight 0.5)" in text
    assert len(rules.rules_) == 1 and len(rules.rules_[0].rules) == 2
    assert repr(rules.rules_) == text
    constant = LPRulesClassifier().fit([[1], [2]], [7, 7])
    assert str(constant.rules_) == "always 7" and constant.predict([[0], [5]]).tolist() == [7, 7]


# --- words


def test_weight_two_is_two_copies_and_weight_zero_is_no_row():
    table = load_lev()
    weights = np.random.default_rng(1).integers(0, 3, len(table.y))
    weighted = LPRulesClassifier().fit(table.X, table.y, sample_weight=weights)
    copies = LPRulesClassifier().fit(table.X.repeat(weights, axis=0), table.y.repeat(weights))
    assert str(weighted.rules_) == str(copies.rules_)
    assert weighted.relabelling_.cost == copies.relabelling_.cost
    assert (weighted.objects_ == copies.objects_).all()


def test_a_soft_margin_needs_a_penalty_above_its_bound():
    X, y = [[1], [2], [3]], [0, 1, 1]
    with pytest.raises(DataError, match=r"D >= 0\.333333 = 1 / n"):
        LPRulesClassifier(D=0.3).fit(X, y)
    soft = LPRulesClassifier(D=0.4).fit(X, y)
    assert soft.certificates_[-1].primal_objective == pytest.approx(0.6)
    assert LPRulesClassifier(D=1.0).fit(X, y).margins_.tolist() == [0.5]


def test_the_softer_the_margin_the_larger_its_objective_and_all_stay_monotone():
    table = load_balance()
    fits = [fitted(table, D=D) for D in (2 / 625, 10 / 625, None)]
    objectives = [[c.primal_objective for c in rules.certificates_[2:]] for rules in fits]
    assert (np.diff(objectives, axis=0) <= 1e-6).all() and objectives[0][0] > 3 * objectives[2][0]
    for rules in fits:
        assert rules.verify().ok and all(c.ok for c in rules.certificates_)


@pytest.mark.parametrize("solver", ["highs", "clarabel", "glpk"])
def test_margins_are_the_same_on_every_kind_of_solver(solver: str):
    rules = fitted(load_lev(), solver=solver)
    assert rules.margins_ == pytest.approx(fitted(load_lev()).margins_, abs=2e-6)
    assert all(certificate.ok for certificate in rules.certificates_)


@pytest.mark.parametrize("pricing", ["enumeration", "search"])
def test_margins_are_the_same_however_rules_are_found(pricing: str):
    assert fitted(load_esl(), pricing=pricing).margins_ == pytest.approx(fitted(load_esl()).margins_, abs=2e-6)


def test_the_same_bits_for_the_same_seed_and_whatever_the_number_of_jobs():
    one, again = fitted(load_esl()), fitted(load_esl(), random_state=0)
    with parallel_config("threading"):
        two = fitted(load_esl(), n_jobs=2)
    for other in (two, again):
        assert [e.to_dict() for e in one.rules_] == [e.to_dict() for e in other.rules_]


@pytest.mark.slow
def test_the_same_bits_in_other_processes():
    one, two = fitted(load_esl()), fitted(load_esl(), n_jobs=2)
    assert [e.to_dict() for e in one.rules_] == [e.to_dict() for e in two.rules_]


@pytest.mark.parametrize("words", [{"max_iterations": 1}, {"time_limit": 1e-3}])
def test_a_limit_keeps_a_valid_monotone_classifier_and_warns(words: dict[str, float]):
    table = load_balance()
    with pytest.warns(ConvergenceWarning, match="proved bound"):
        rules = fitted(table, **words)
    assert not all(certificate.ok for certificate in rules.certificates_)
    assert (rules.margins_ > 0).all() and (rules.margins_ < rules.bounds_).all()
    assert (rules.predict(table.X) == table.y).all() and rules.verify().ok


def test_a_limit_does_not_stop_the_relabelling():
    rng = np.random.default_rng(0)
    X, y = rng.random((1500, 2)), rng.integers(0, 2, 1500)
    with pytest.warns(ConvergenceWarning, match="proved bound"):
        rules = LPRulesClassifier(time_limit=1e-3).fit(X, y)
    assert rules.relabelling_.ok and not rules.certificates_[-1].ok
    assert (rules.margins_ > 0).all() and rules.verify().ok


def test_a_proof_that_fails_without_a_limit_is_an_error_unless_told_to_keep(monkeypatch: pytest.MonkeyPatch):
    class Blind(algorithm.SearchPricer):
        def price(self, program: Program, *args: object, **words: object) -> Priced:
            return Priced(sparse.csr_array((program.shape[0], 0)), np.empty(0), [], 1.0, True)

    monkeypatch.setattr(algorithm, "SearchPricer", Blind)
    X, y = [[1, 2], [2, 1], [2, 2], [3, 0]], [0, 0, 1, 1]
    with pytest.raises(CertificateError, match="keep_best"):
        LPRulesClassifier().fit(X, y)
    with pytest.warns(ConvergenceWarning, match="no new column improves"):
        kept = LPRulesClassifier(keep_best=True).fit(X, y)
    assert kept.predict(X).tolist() == y and not kept.certificates_[-1].ok


# --- manners


def test_parameters_survive_clone_and_set_params():
    rules = LPRulesClassifier(directions={"a": 1}, D=0.5, tie="greatest", n_jobs=2)
    again = clone(rules.set_params(**rules.get_params()))
    assert again.get_params() == rules.get_params()


def test_pickle_before_and_after_fitting():
    rules = LPRulesClassifier(tie="greatest")
    assert pickle.loads(pickle.dumps(rules)).get_params() == rules.get_params()
    table = load_lev()
    rules.fit(table.X, table.y)
    again = pickle.loads(pickle.dumps(rules))
    assert (again.votes(table.X) == rules.votes(table.X)).all()
    assert str(again.rules_) == str(rules.rules_)


def test_grid_search_and_cross_validation():
    table = load_lev()
    rows = np.random.default_rng(0).permutation(len(table.y))[:250]
    X, y = table.X[rows], table.y[rows]
    search = GridSearchCV(
        LPRulesClassifier(), {"tie": ["least", "greatest"]}, scoring="neg_mean_absolute_error", cv=3
    ).fit(X, y)
    assert search.best_estimator_.verify().ok
    assert search.best_score_ > -0.6
    assert pickle.loads(pickle.dumps(search)).predict(X).tolist() == search.predict(X).tolist()


def test_json_gives_the_same_predictions_bit_for_bit():
    table = load_esl()
    frame = pd.DataFrame(table.X / 3, columns=table.feature_names)
    rules = LPRulesClassifier(directions=table.directions).fit(frame, table.y)
    saved = json.loads(json.dumps(rules.to_dict(), allow_nan=False))
    again = LPRulesClassifier.from_dict(saved)
    random = np.random.default_rng(0)
    new = pd.DataFrame(random.uniform(0, 4, (500, 4)), columns=table.feature_names)
    assert (again.votes(new) == rules.votes(new)).all()
    assert (again.predict(new) == rules.predict(new)).all()
    assert (again.predict_interval(new) == rules.predict_interval(new)).all()
    turned = new[list(table.feature_names[::-1])]
    assert (again.predict(turned) == rules.predict(new)).all()
    assert again.classes_.dtype == rules.classes_.dtype
    assert [c.ok for c in again.certificates_] == [c.ok for c in rules.certificates_]
    assert str(again.rules_) == str(rules.rules_) and again.verify().ok
    assert again.to_dict() == rules.to_dict()
    assert again.fit(frame, table.y).to_dict() == rules.to_dict(), "the settings came along"


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1], [2]], ["a", "b"], {"order": ["a", "b"]}),
        ([[1], [2]], [False, True], {}),
        ([[1], [2]], [0.5, 1.5], {}),
        ([[1], [2]], [3, 3], {}),
        ([[1.0], [2.0]], [0, 1], {"loss": [[0, 2], [1, 0]], "random_state": 7}),
    ],
)
@pytest.mark.filterwarnings("ignore:all objects have the same label")
def test_json_keeps_labels_of_any_type(X: list, y: list, words: dict):
    rules = LPRulesClassifier(**words).fit(X, y)
    again = LPRulesClassifier.from_dict(json.loads(json.dumps(rules.to_dict(), allow_nan=False)))
    assert again.predict(X).tolist() == rules.predict(X).tolist() == y
    assert again.classes_.dtype == rules.classes_.dtype


def test_json_carries_schema_versions_and_the_digest_of_the_data():
    X, y = HAND
    saved, other = LPRulesClassifier().fit(X, y).to_dict(), LPRulesClassifier().fit(X, [0, 1, 4]).to_dict()
    assert saved["schema"] == 2 and {"monoopt", "python", "numpy", "highspy"} <= set(saved["versions"])
    assert len(saved["data_sha256"]) == 64 and saved["data_sha256"] != other["data_sha256"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"schema": 99}, "schema 99"),
        ({"estimator": "Other"}, "'Other'"),
        ({"rules": None}, "damaged"),
        ({"parameters": {"colour": "red"}}, "damaged"),
    ],
)
def test_a_damaged_record_is_refused(change: dict, what: str):
    saved = LPRulesClassifier().fit([[1], [2]], [0, 1]).to_dict() | change
    with pytest.raises(DataError, match=what):
        LPRulesClassifier.from_dict(saved)


def test_every_part_of_a_record_must_have_its_length_and_kind():
    rules = LPRulesClassifier().fit(pd.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2]}), [0, 1, 2])
    saved = json.loads(json.dumps(rules.to_dict()))
    assert LPRulesClassifier.from_dict(saved).predict(rules.objects_).tolist() == [0, 1, 2]
    parts = sorted(set(saved) - {"versions", "estimator", "schema"})
    for part in parts:
        with pytest.raises(DataError):
            LPRulesClassifier.from_dict({word: value for word, value in saved.items() if word != part})
        for wrong in ([], {}, "text", ["text"], [None], [[1]], [1.5], None, 0.5, -1, True, float("nan"), [True] * 3):
            if (part, wrong) == ("names", None):
                continue
            with pytest.raises(DataError):
                LPRulesClassifier.from_dict(saved | {part: wrong})
        if isinstance(saved[part], list):
            for wrong in (saved[part][:-1], saved[part] + saved[part][:1]):
                with pytest.raises(DataError, match="damaged"):
                    LPRulesClassifier.from_dict(saved | {part: wrong})


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("rules", 0, "rules"), []),
        (("rules", 0, "rules", 0, "positive"), 1),
        (("rules", 0, "rules", 0, "conditions", 0), [5, ">=", 1.0]),
        (("rules", 0, "rules", 0, "conditions", 0), [0, "=>", 1.0]),
        (("rules", 0, "rules", 0, "conditions", 0), [0, ">=", "nan"]),
        (("rules", 0, "weights"), [0.0, 0.0]),
        (("object_codes", 0), 9),
        (("objects", 0, 0), float("inf")),
        (("data_sha256",), "z" * 64),
        (("parameters", "tolerance"), "a"),
        (("parameters", "n_estimators"), 2),
        (("certificates", 0, "gap"), "small"),
        (("certificates", 0, "ok"), 1),
        (("classes", "kind"), "O"),
        (("classes", "labels"), [1, 1]),
        (("object_weights", 0), -1.0),
    ],
)
def test_a_record_damaged_inside_is_refused(path: tuple, wrong: object):
    saved = json.loads(json.dumps(LPRulesClassifier().fit([[1], [2]], [0, 1]).to_dict()))
    place = saved
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = wrong
    with pytest.raises(DataError, match="damaged"):
        LPRulesClassifier.from_dict(saved)


@pytest.mark.parametrize("saved", [[], None, 3, "text", {}])
def test_what_is_no_record_at_all_is_refused(saved: object):
    with pytest.raises(DataError, match="saved classifier"):
        LPRulesClassifier.from_dict(saved)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_go_by_name(frame: type):
    data = {"a": [1.0, 2.0, 3.0], "b": [3.0, 2.0, 1.0]}
    rules = LPRulesClassifier(directions={"b": "cost", "a": "gain"}).fit(frame(data), [0, 1, 2])
    turned = frame({"b": data["b"], "a": data["a"]})
    assert rules.predict(turned).tolist() == [0, 1, 2]
    with pytest.raises(DataError, match=r"missing column 'b'.*did you mean 'bb'"):
        rules.predict(frame({"a": [1.0], "bb": [1.0]}))


# --- bad input


BAD = {
    "NaN": (([[np.nan], [1]], [0, 1]), {}, DataError, "NaN"),
    "infinite": (([[np.inf], [1]], [0, 1]), {}, DataError, "inf"),
    "text": (([["a"], [1]], [0, 1]), {}, DataError, "is text"),
    "label order missing": (([[1], [2]], ["a", "b"]), {}, DataError, "give order="),
    "unknown direction": (([[1], [2]], [0, 1]), {"directions": ["up!"]}, DataError, "is no direction"),
    "D too small": (([[1], [2]], [0, 1]), {"D": 0.4}, DataError, "D >= 0.5"),
    "D no number": (([[1], [2]], [0, 1]), {"D": "soft"}, OptionError, "positive number"),
    "unknown solver": (([[1], [2]], [0, 1]), {"solver": "higs"}, SolverNotFound, "did you mean 'highs'"),
    "unknown pricing": (([[1], [2]], [0, 1]), {"pricing": "serch"}, OptionError, "did you mean 'search'"),
    "unknown tie": (([[1], [2]], [0, 1]), {"tie": "best"}, OptionError, "wanted 'least' or 'greatest'"),
    "tolerance": (([[1], [2]], [0, 1]), {"tolerance": 2}, OptionError, "tolerance"),
    "time limit": (([[1], [2]], [0, 1]), {"time_limit": 0}, OptionError, "time_limit"),
    "negative weight": (([[1], [2]], [0, 1], [1, -1]), {}, DataError, "object 1: -1"),
}


@pytest.mark.parametrize(("data", "words", "error", "what"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_and_nothing_is_half_fitted(data: tuple, words: dict, error: type[Exception], what: str):
    rules = LPRulesClassifier(**words)
    with pytest.raises(error, match=what):
        rules.fit(*data)
    with pytest.raises(NotFittedError):
        rules.predict([[1]])
    assert not [name for name in vars(rules) if name.endswith("_")]


@pytest.mark.filterwarnings("ignore:all objects have the same label")
def test_degenerate_data_have_the_right_answer():
    assert LPRulesClassifier().fit([[1]], [5]).predict([[0], [9]]).tolist() == [5, 5]
    assert LPRulesClassifier().fit([[1]] * 3, [0, 0, 1]).predict([[1], [0]]).tolist() == [0, 0]
    constant = LPRulesClassifier().fit([[1, 7], [2, 7]], [0, 1])
    assert constant.predict([[1, 7], [2, 7]]).tolist() == [0, 1]


def test_incomparable_data_and_contradicting_directions_are_warned_of():
    with pytest.warns(DataWarning, match="no object dominates"):
        rules = LPRulesClassifier().fit([[1, 2], [2, 1]], [0, 1])
    assert rules.predict([[1, 2], [2, 1]]).tolist() == [0, 1]
    with pytest.warns(DataWarning, match="check its direction"):
        LPRulesClassifier(directions=[-1]).fit([[1], [2], [3], [4], [5]], [0, 0, 1, 1, 2])


# --- accuracy


@pytest.mark.slow
@pytest.mark.parametrize(("load", "bar"), [(load_esl, 0.34), (load_swd, 0.44), (load_lev, 0.405), (load_balance, 0.07)])
def test_mean_absolute_error_in_cross_validation_is_as_good_as_published(load: object, bar: float):
    table = load()
    rules = LPRulesClassifier(directions=list(table.directions.values()))
    folds = KFold(10, shuffle=True, random_state=0)
    scores = cross_val_score(rules, table.X, table.y, cv=folds, scoring="neg_mean_absolute_error")
    assert -scores.mean() <= bar


def test_relabelling_is_that_of_relabel():
    table = load_esl()
    assert (fitted(table).relabelling_.codes == relabel(table.X, table.y).codes).all()
    assert module.LPRulesClassifier is LPRulesClassifier


def test_tables_wider_than_numpy_has_axes_are_learned_and_verified():
    X = np.random.default_rng(0).random((3, 70))
    X[1] += 1.0
    rules = LPRulesClassifier().fit(X, [0, 1, 0])
    assert rules.predict(X).tolist() == [0, 1, 0] and rules.verify().ok
