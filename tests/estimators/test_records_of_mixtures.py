"""Mixtures, cross-validated choices and relabelers as JSON: the same answers bit for bit, damage refused in words."""

from __future__ import annotations

import copy
import json
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from monoopt import (
    DataError,
    DataWarning,
    LPRulesClassifier,
    LPRulesClassifierCV,
    MonotoneMixtureClassifier,
    MonotoneProbabilityClassifier,
    MonotoneRelabeler,
)
from monoopt.datasets import load_esl
from monoopt.estimators.fitted_json import checksum
from monoopt.estimators.record_faults import CHECKSUM

MEMBERS = [LPRulesClassifier(), MonotoneProbabilityClassifier(), MonotoneProbabilityClassifier(max_conditions=None)]
KINDS = {
    "relabeler": MonotoneRelabeler(tie="greatest", options={}),
    "mixture": MonotoneMixtureClassifier(members=MEMBERS, shares=(1, 0, 2), loss="squared"),
    "standard mixture": MonotoneMixtureClassifier(),
    "chosen mixture": LPRulesClassifierCV(cv=3, max_conditions=(1, None)),
    "chosen best": LPRulesClassifierCV(cv=KFold(2, shuffle=True, random_state=0), combine="best", max_conditions=(1,)),
    "chosen rules": LPRulesClassifierCV(cv=2, combine="best", probabilities=False, max_rules=("fewest",)),
}


def table() -> tuple[dict[str, np.ndarray], np.ndarray]:
    esl = load_esl()
    return {name: column / 3 for name, column in zip(esl.feature_names, esl.X[::8].T, strict=True)}, esl.y[::8]


@cache
def fitted(kind: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return KINDS[kind].fit(*table())


def saved(kind: str) -> dict[str, Any]:
    return json.loads(json.dumps(fitted(kind).to_dict(), allow_nan=False))


def sealed(record: dict[str, Any]) -> dict[str, Any]:
    return record | {CHECKSUM: checksum(record)}


@pytest.mark.parametrize("kind", KINDS)
def test_answers_survive_bit_for_bit(kind: str):
    before, record = fitted(kind), saved(kind)
    after = type(before).from_dict(record)
    names = list(table()[0])
    X = dict(zip(reversed(names), np.random.default_rng(0).uniform(0, 4, (4, 200)), strict=True))
    for method in ("predict", "predict_interval", "predict_proba", "outside_range", "exceedance"):
        if hasattr(before, method):
            np.testing.assert_array_equal(getattr(after, method)(X), getattr(before, method)(X))
    assert after.verify() == before.verify() and after.verify().ok
    assert [str(proof) for proof in after.certificates_] == [str(proof) for proof in before.certificates_]
    assert after.to_dict() == record and list(after.feature_names_in_) == names
    if hasattr(before, "explain"):
        assert list(map(str, after.explain(X))) == list(map(str, before.explain(X)))


def test_a_relabeler_keeps_labels_cost_and_changes_and_says_that_it_has_no_conflicts():
    before = fitted("relabeler")
    after = MonotoneRelabeler.from_dict(saved("relabeler"))
    assert len(before.changed_) and (after.changed_ == before.changed_).all() and after.cost_ == before.cost_
    assert (after.labels_ == before.labels_).all() and after.labels_.dtype == before.labels_.dtype
    with pytest.raises(DataError, match="no conflicts"):
        _ = after.conflicts_


def test_a_choice_keeps_what_was_compared():
    for kind in ("chosen mixture", "chosen best", "chosen rules"):
        before, after = fitted(kind), LPRulesClassifierCV.from_dict(saved(kind))
        assert str(after.best_candidate_) == str(before.best_candidate_) and after.best_error_ == before.best_error_
        assert after.cv_results_ == before.cv_results_
        assert after.cv == (None if kind == "chosen best" else before.cv)


def test_parameters_come_back_and_fit_again():
    after = MonotoneMixtureClassifier.from_dict(saved("mixture"))
    assert [type(member) for member in after.members] == [type(member) for member in MEMBERS]
    assert after.members[2].max_conditions is None and after.shares == [1, 0, 2] and after.loss == "squared"
    X, y = table()
    np.testing.assert_array_equal(after.fit(X, y).predict_proba(X), fitted("mixture").predict_proba(X))


@pytest.mark.parametrize("kind", KINDS)
def test_every_missing_or_senseless_part_is_refused(kind: str):
    record = saved(kind)
    for part in sorted(set(record) - {"versions"}):
        with pytest.raises(DataError):
            type(fitted(kind)).from_dict({word: value for word, value in record.items() if word != part})
        for wrong in ("text", [[1]], True, {"a": 1}, -1):
            with pytest.raises(DataError):
                type(fitted(kind)).from_dict(record | {part: wrong})
    for wrong in (None, [], "text", fitted("relabeler").to_dict() if kind != "relabeler" else {"estimator": "x"}):
        with pytest.raises(DataError, match="wanted"):
            type(fitted(kind)).from_dict(wrong)


DAMAGE = {
    ("mixture", "shares", 0): (2.0, "shares"),
    ("mixture", "shares"): ([0.5, 0.25], "sum 1"),
    ("mixture", "members"): ([], "members"),
    ("mixture", "members", 0, "estimator"): ("os.system", "members"),
    ("mixture", "members", 0, "margins"): ("none", "member 0.*margins"),
    ("mixture", "members", 1, "names"): (["a", "b", "c", "d"], "member 1.*other classes or columns"),
    ("mixture", "parameters", "members", 0, "estimator"): ("Popen", "no kind of member"),
    ("mixture", "parameters", "members", 0, "parameters"): ({"command": 1}, "missing or unknown"),
    ("mixture", "parameters", "shares"): ([1, -1, 2], "shares"),
    ("mixture", "parameters", "loss"): ("cubic", "loss"),
    ("mixture", "certificates"): ([], "certificates"),
    ("chosen mixture", "best", "shares"): ([1.0], "shares"),
    ("chosen mixture", "best", "estimator"): ("MonotoneRelabeler", "best"),
    ("chosen mixture", "parameters", "combine"): ("best", "combine"),
    ("chosen mixture", "best_candidate"): ({"votes": 1, "words": {}}, "candidate"),
    ("chosen mixture", "cv_results", "error", 0): ("low", "cv_results: error"),
    ("chosen mixture", "cv_results", "candidate"): ([], "cv_results"),
    ("relabeler", "row_codes", 0): (99, "row_codes"),
    ("relabeler", "row_codes"): ([0], "row_codes"),
    ("relabeler", "changed"): ([3, 1], "ascending"),
    ("relabeler", "changed", 0): (10**6, "changed"),
    ("relabeler", "cost"): (-1.0, "cost"),
    ("relabeler", "certificates"): ([], "certificates"),
    ("relabeler", "parameters", "tie"): ("middle", "tie"),
    ("relabeler", "parameters", "loss"): ("cubic", "loss"),
}


@pytest.mark.parametrize("where", DAMAGE, ids=lambda where: " ".join(map(str, where)))
def test_damage_within_is_refused_in_words_even_with_a_new_checksum(where: tuple[Any, ...]):
    kind, *path = where
    value, words = DAMAGE[where]
    record = copy.deepcopy(saved(kind))
    place: Any = record
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    for inner in (record.get("best"), *(record["members"] if isinstance(record.get("members"), list) else [])):
        if isinstance(inner, dict):
            inner[CHECKSUM] = checksum(inner)
    with pytest.raises(DataError, match=words):
        type(fitted(kind)).from_dict(sealed(record))


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_record_that_could_be_one_is_warned_of(kind: str):
    record = saved(kind)
    record["versions"]["numpy"] = "0.0.1"
    with pytest.warns(DataWarning, match="changed after it was written"):
        type(fitted(kind)).from_dict(record)


def test_members_that_a_record_can_not_hold_are_refused():
    class Mine(MonotoneProbabilityClassifier):
        pass

    X, y = table()
    with pytest.raises(DataError, match=r"^Mine can't be written as JSON"):
        MonotoneMixtureClassifier(members=[Mine()]).fit(X, y).to_dict()
    mixed = copy.copy(fitted("mixture"))
    with pytest.raises(DataError, match="DecisionTreeClassifier can't"):
        mixed.set_params(members=[DecisionTreeClassifier()]).to_dict()
    with pytest.raises(DataError, match="names an entry"):
        mixed.set_params(members=[LPRulesClassifier(directions={0: "gain"})]).to_dict()


@pytest.mark.parametrize("missing", ["worst", "incomparable"])
def test_categories_and_gaps_survive(missing: str):
    X = {"size": [1, None, 3, 2, 3, None], "colour": ["red", "blue", "red", None, "blue", "red"]}
    words = {"directions": [1, 0], "missing": missing}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for estimator in (MonotoneMixtureClassifier(**words), MonotoneRelabeler(**words)):
            before = estimator.fit(X, [0, 1, 1, 0, 1, 0])
            after = type(before).from_dict(json.loads(json.dumps(before.to_dict(), allow_nan=False)))
            assert (after.predict(X) == before.predict(X)).all()
            with pytest.raises(DataError, match="'pink' is no category"):
                after.predict({"size": [1], "colour": ["pink"]})


def test_one_class_alone_survives():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for kind in (LPRulesClassifierCV, MonotoneMixtureClassifier, MonotoneRelabeler):
            before = kind(order=["a"]).fit([[1], [2]], ["a", "a"])
            after = type(before).from_dict(json.loads(json.dumps(before.to_dict(), allow_nan=False)))
            assert after.predict([[0], [5]]).tolist() == ["a", "a"]
        alone = LPRulesClassifierCV().fit([[1]], [0])
    assert np.isnan(LPRulesClassifierCV.from_dict(alone.to_dict()).best_error_)
