"""Missing cells and categories in the classifiers: monotone in the order that was asked for, at fit and at predict."""

from __future__ import annotations

import json
import pickle
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from monoopt import (
    SVDD,
    DataError,
    DataWarning,
    IsotonicSeparationClassifier,
    LPRulesClassifier,
    LPRulesClassifierCV,
    MonotoneProbabilityClassifier,
    MonotoneRelabeler,
    OptionError,
    WeightedSum,
    relabel,
)
from monoopt.order import as_gains, read_attributes
from monoopt.order.comparisons import at_least

NAN = float("nan")
GRID = np.array(list(product((-1, 0, 1, 2, NAN), repeat=3)))


def above(X: Any, directions: list[int], missing: str) -> np.ndarray:
    values, columns = read_attributes(X, directions, missing)
    gains = as_gains(values, columns.directions)
    return at_least(gains, gains)


@given(st.integers(0, 2**31), st.sampled_from(["worst", "incomparable"]))
@settings(max_examples=5)
def test_answers_are_monotone_with_missing_cells(seed: int, missing: str):
    random = np.random.default_rng(seed)
    X, y = random.choice([0, 1, 2, NAN], (16, 3)), random.integers(0, 3, 16)
    directions = random.choice([-1, 0, 1], 3).tolist()
    over = above(GRID, directions, missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        rules = LPRulesClassifier(directions=directions, missing=missing).fit(X, y)
        repair = MonotoneRelabeler(directions=directions, missing=missing).fit(X, y)
        chances = MonotoneProbabilityClassifier(directions=directions, missing=missing).fit(X, y)
    assert all(proof.ok for proof in [*rules.certificates_, *repair.certificates_])
    assert (
        rules.verify().ok and rules.verify(GRID).violations == 0 and rules.verify(GRID).pairs == over.sum() - len(GRID)
    )
    for codes in (rules.predict(GRID), repair.predict(GRID), chances.predict(GRID), *repair.predict_interval(GRID).T):
        assert not (over & (codes[:, None] < codes[None, :])).any()
    assert np.array_equal(rules.predict(X), repair.labels_)  # a largest margin separates what was relabelled
    for fitted in (rules, chances):
        q = np.cumsum(fitted.predict_proba(GRID)[:, ::-1], axis=1)[:, :-1]
        assert not (over[:, :, None] & (q[:, None] < q[None] - 1e-12)).any()


@pytest.mark.parametrize("missing", ["worst", "incomparable"])
@pytest.mark.parametrize("seed", range(6))
def test_the_cost_of_relabelling_is_that_of_trying_everything(seed: int, missing: str):
    random = np.random.default_rng(seed)
    X, y = random.choice([0, 1, NAN], (7, 2)), random.integers(0, 2, 7)
    over = above(X, [1, -1], missing)
    costs = [
        np.abs(np.array(labels) - y).sum()
        for labels in product((0, 1), repeat=7)
        if not (over & (np.array(labels)[:, None] < np.array(labels))).any()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = relabel(X, y, directions=[1, -1], missing=missing)
    assert found.cost == min(costs) and found.ok
    assert not (over & (found.codes[:, None] < found.codes)).any()


def test_the_two_policies_by_hand():
    X, y = [[1.0], [2.0], [NAN]], [0, 1, 1]
    assert relabel(X, y, missing="incomparable").cost == 0
    worst = relabel(X, y, missing="worst", tie="greatest")
    assert worst.cost == 1 and worst.labels.tolist() == [1, 1, 1]
    rules = LPRulesClassifier(missing="incomparable").fit([[1.0], [2.0]], [0, 1])
    assert rules.predict_interval([[NAN], [3]]).tolist() == [[0, 1], [1, 1]]  # compared with nobody
    assert rules.outside_range([[NAN], [2]]).tolist() == [True, False]
    worst = LPRulesClassifier(missing="worst").fit([[1.0], [2.0]], [0, 1])
    assert worst.predict_interval([[NAN]]).tolist() == [[0, 0]]
    assert worst.outside_range([[NAN], [1]]).tolist() == [True, False]


@pytest.mark.parametrize("kind", [LPRulesClassifier, MonotoneRelabeler, MonotoneProbabilityClassifier])
def test_missing_cells_are_refused_unless_told_otherwise(kind: Any):
    fitted = kind().fit([[1.0, 2.0], [2.0, 3.0]], [0, 1])
    with pytest.raises(DataError) as caught:
        fitted.predict([[NAN, 1.0], [None, None]])
    assert len(caught.value.faults) == 3
    with pytest.raises(OptionError, match="missing='wurst', did you mean 'worst'"):
        kind(missing="wurst").fit([[1.0]], [0])


def sizes_and_colours(n: int = 40) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(1)
    X = pd.DataFrame({
        "size": random.integers(0, 5, n).astype(float), "colour": random.choice(["red", "green", "blue"], n),
        "safety": pd.Categorical(random.choice(["low", "med", "high"], n), ["low", "med", "high"], ordered=True),
    })  # fmt: skip
    up = (X["size"] > 2).astype(int) + (X["safety"].cat.codes > 1)
    return X, np.where(X["colour"] == "red", 2 - up, up)


DIRECTIONS = {"size": "gain", "colour": "free", "safety": "gain"}


def test_rules_speak_of_categories_and_learn_each_by_itself():
    X, y = sizes_and_colours()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        rules = LPRulesClassifier(directions=DIRECTIONS).fit(X, y)
        alone = relabel(X[X["colour"] == "red"].drop(columns="colour"), y[X["colour"] == "red"])
    text = str(rules.rules_)
    assert "colour in {blue, green}" in text and "safety >= high" in text
    red = X["colour"].to_numpy() == "red"
    assert rules.relabelling_.labels[red].tolist() == alone.labels.tolist()
    explanation = rules.explain(X.iloc[:1])[0]
    assert f"colour {X['colour'][0]}" in str(explanation.at_least)
    assert json.loads(json.dumps(explanation.to_dict()))["at_least"]["values"]["colour"] == X["colour"][0]
    asked = {cell for entry in rules.rule_table() for _, _, cell in entry["conditions"]}
    assert asked & {"red", "green", "blue"} and asked & {"low", "med", "high"}


def test_every_kind_of_frame_and_json_and_pickle_answer_alike():
    X, y = sizes_and_colours()
    X.loc[::7, "size"] = NAN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for missing in ("worst", "incomparable"):
            rules = LPRulesClassifier(directions=DIRECTIONS, missing=missing).fit(X, y)
            saved = json.loads(json.dumps(rules.to_dict()))
            json.dumps(saved, allow_nan=False)
            again = LPRulesClassifier.from_dict(saved)
            texts = X.astype({"safety": str})
            tables = [
                X[["safety", "colour", "size"]],
                pl.from_pandas(X),
                texts,
                texts.to_dict("list"),
                texts.to_numpy(),
            ]
            for table in tables:
                for estimator in (rules, again, pickle.loads(pickle.dumps(rules))):
                    assert np.array_equal(estimator.predict(table), rules.predict(X))
            assert str(again.rules_) == str(rules.rules_)
            assert str(again.fit(texts, y).rules_) == str(rules.rules_)  # the order of categories is kept, too


def test_unknown_categories_are_refused_at_predict_all_of_them():
    X, y = sizes_and_colours()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        rules = LPRulesClassifier(directions=DIRECTIONS).fit(X, y)
    with pytest.raises(DataError) as caught:
        rules.predict({"size": [1, 2], "colour": ["purple", "gren"], "safety": ["low", None]})
    assert len(caught.value.faults) == 3 and "did you mean 'green'" in str(caught.value)


def test_recourse_reaches_a_class_through_categories_and_gaps():
    X = {"size": [1, 2, 3, 1, 2, 3], "colour": ["red"] * 3 + ["blue"] * 3}
    rules = LPRulesClassifier(directions=["gain", "free"], missing="worst").fit(X, [0, 0, 0, 0, 1, 1])
    advice = rules.recourse({"size": [3], "colour": ["red"]}, 1)
    assert advice.changes == {"colour": ("red", "blue")} and advice.cost == 1 and advice.certificate.ok
    advice = rules.recourse({"size": [None], "colour": ["blue"]}, 1)
    assert advice.changes == {"size": (None, 2.0)} and advice.cost == 0.5 and "from missing to 2" in str(advice)
    still = LPRulesClassifier(directions=["gain", "free"], missing="incomparable").fit(X, [0, 0, 0, 0, 1, 1])
    with pytest.raises(DataError, match="no allowed change"):
        still.recourse({"size": [None], "colour": ["blue"]}, 1)


@pytest.mark.parametrize("missing", ["worst", "incomparable"])
def test_what_cross_validation_chooses_is_monotone_with_gaps_and_categories(missing: str):
    X, y = sizes_and_colours()
    X.loc[::5, "size"] = NAN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        chosen = LPRulesClassifierCV(directions=DIRECTIONS, missing=missing, cv=2, max_conditions=(1, None)).fit(X, y)
    assert chosen.verify().ok and chosen.verify(X).violations == 0 and chosen.verify(X).pairs > 0
    with pytest.raises(DataError, match="no category"):
        chosen.predict(X.assign(colour="pink"))


@pytest.mark.parametrize("kind", [MonotoneProbabilityClassifier, IsotonicSeparationClassifier])
def test_other_monotone_classifiers_read_categories_too(kind: Any):
    X, y = sizes_and_colours()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted = kind(directions=DIRECTIONS).fit(X, y)
    assert fitted.verify().ok and fitted.verify(X).violations == 0
    assert set(fitted.predict(X)) <= {0, 1, 2}


@pytest.mark.parametrize(
    ("estimator", "way"),
    [
        (LPRulesClassifier(), "missing='incomparable' or missing='worst'"),
        (MonotoneProbabilityClassifier(), "missing='incomparable' or missing='worst'"),
        (MonotoneRelabeler(), "missing='incomparable' or missing='worst'"),
        (WeightedSum(), "missing='project'"),
        (IsotonicSeparationClassifier(), ""),
        (SVDD(), ""),
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_refused_gap_names_what_can_be_said_of_it_and_nothing_that_can_not(estimator, way: str):
    X, y = [[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]], [0, 0, 1]
    again = clone(estimator).fit(X, y)
    for ask in (lambda table: clone(estimator).fit(table, y), getattr(again, "predict", None) or again.score_samples):
        with pytest.raises(DataError, match=r"row 1, column 0: NaN \(missing\): fill it in, or leave its row") as said:
            ask([[1.0, 2.0], [None, 1.0], [3.0, 4.0]])
        assert str(said.value).endswith(f"or say what it is: {way}" if way else "column out")
        with pytest.raises(DataError, match=r"0 sample.*Give at least one object"):
            ask(np.empty((0, 2)))
