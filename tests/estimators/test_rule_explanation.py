"""Explanations add up, witnesses are witnesses, and recourse is the cheapest change that there is."""

from __future__ import annotations

import json
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest

from monoopt import DataError, LPRulesClassifier, OptionError
from monoopt.datasets import load_esl, load_lev

HAND = ([(1, 1), (1, 3), (3, 1), (3, 3)], [0, 0, 0, 1])


@cache
def lev() -> tuple[LPRulesClassifier, pd.DataFrame]:
    table = load_lev()
    frame = pd.DataFrame(table.X, columns=table.feature_names)
    return LPRulesClassifier(directions=table.directions).fit(frame, table.y), frame


def test_the_rules_that_fired_add_up_to_the_votes():
    rules, frame = lev()
    for row, explanation in zip(range(0, 1000, 97), rules.explain(frame.iloc[::97], top=None), strict=False):
        votes = np.zeros(4)
        for reason in explanation.fired:
            assert reason.fired
            votes[reason.question - 1] += reason.weight
        assert np.allclose(votes, explanation.votes) and np.allclose(votes, rules.votes(frame.iloc[[row]])[0])
        assert explanation.label == rules.predict(frame.iloc[[row]])[0]


def test_what_speaks_against_the_next_class_is_all_that_does():
    """The vote of the next question is what all "at least" rules weigh, less what speaks against it."""
    rules, frame = lev()
    for explanation in rules.explain(frame.iloc[::53], top=None):
        place = list(rules.classes_).index(explanation.label)
        if place == 4:
            assert explanation.against_next == ()
            continue
        ensemble = rules.rules_[place]
        for_it = sum(w for rule, w in zip(ensemble.rules, ensemble.weights, strict=True) if rule.positive)
        against = sum(abs(reason.weight) for reason in explanation.against_next)
        assert explanation.votes[place] == pytest.approx(for_it - against)
        assert all(reason.fired == (reason.weight < 0) for reason in explanation.against_next)


def test_witnesses_bound_the_interval():
    rules = LPRulesClassifier(order=range(4)).fit([(1, 1), (2, 2), (4, 4)], [0, 1, 3])
    low, high, free = rules.explain([(3, 3), (4, 5), (0, 0)])
    assert (low.at_least.values, low.at_least.label) == ({"x0": 2, "x1": 2}, 1)
    assert (low.at_most.values, low.at_most.label) == ({"x0": 4, "x1": 4}, 3)
    assert high.at_most is None and high.at_least.label == 3 and high.interval == (3, 3)
    assert free.at_least is None and free.at_most.label == 0


def test_top_cuts_and_text_and_json_say_the_same():
    rules, frame = lev()
    (whole,), (short,) = rules.explain(frame.iloc[[0]], top=None), rules.explain(frame.iloc[[0]], top=2)
    assert short.fired == whole.fired[:2] and len(short.against_next) == 2
    text = str(short)
    assert "rules that fired:" in text and "against the next class:" in text and "not met:" in text
    plain = json.loads(json.dumps(short.to_dict(), allow_nan=False))
    assert plain["label"] == short.label and plain["fired"][0]["text"] == short.fired[0].text
    with pytest.raises(OptionError, match="top=0"):
        rules.explain(frame, top=0)


def test_reasons_of_a_comparison_add_up_to_the_difference_of_the_votes():
    rules, frame = lev()
    a, b = frame.iloc[[3]], frame.iloc[[950]]
    found = rules.compare(a, b)
    assert found.difference == pytest.approx(float((rules.votes(a) - rules.votes(b)).sum()))
    assert found.labels == (rules.predict(a)[0], rules.predict(b)[0])
    assert json.loads(json.dumps(found.to_dict()))["dominance"] == found.dominance
    back = rules.compare(b, a)
    assert back.difference == pytest.approx(-found.difference)


def test_a_better_object_never_loses_a_comparison():
    rules = LPRulesClassifier().fit(*HAND)
    better = rules.compare([3, 3], [1, 3])
    assert better.dominance == "a" and all(reason.weight > 0 for reason in better.reasons)
    assert rules.compare([1, 3], [3, 3]).dominance == "b"
    assert rules.compare([1, 3], [1, 3]).dominance == "equal"
    assert "each is better in something" in str(rules.compare([1, 3], [3, 1]))


def test_the_rule_table_counts_what_rules_cover():
    rules, _ = lev()
    entries = rules.rule_table()
    assert len(entries) == sum(len(ensemble.rules) for ensemble in rules.rules_)
    json.dumps(entries)
    for entry in entries:
        assert 0 < entry["support"] <= 1000 and entry["coverage"] == entry["support"] / 1000
        assert 0 <= entry["precision"] <= 1
    certain = [entry for entry in entries if entry["weight"] > 0.99]
    assert certain and all(entry["text"].startswith("always") for entry in certain)


def cheapest_by_trying_all(rules: LPRulesClassifier, x: np.ndarray, code: int, prices: np.ndarray) -> float:
    values = [sorted({v for v in rules.objects_[:, j] if v > x[j]} | {x[j]}) for j in range(len(x))]
    grid = np.array(list(product(*values)))
    reached = rules.predict(grid) >= rules.classes_[code]
    cost = np.abs(grid - x) @ prices
    return float(cost[reached].min(initial=np.inf))


@pytest.mark.parametrize("row", [0, 100, 250])
def test_recourse_is_the_cheapest_of_all_changes(row: int):
    table = load_esl()
    rules = LPRulesClassifier().fit(table.X, table.y)
    width = table.X.max(axis=0) - table.X.min(axis=0)
    code = min(int(rules.object_codes_.max()), list(rules.classes_).index(table.y[row]) + 2)
    target = rules.classes_[code]
    found = rules.recourse(table.X[row], target, costs={0: 3.0})
    prices = np.array([3.0, 1.0, 1.0, 1.0]) / width
    assert found.cost == pytest.approx(cheapest_by_trying_all(rules, table.X[row], code, prices), abs=1e-6)
    assert found.label >= target and found.certificate.ok
    assert found.label == rules.predict(found.values[None])[0]
    assert found.cost == pytest.approx(np.abs(found.values - table.X[row]) @ prices)


def test_recourse_leaves_alone_what_is_fixed_and_never_makes_worse():
    rules, frame = lev()
    start = frame.iloc[[0]]
    found = rules.recourse(start, 4, fixed=["in1"])
    assert "in1" not in found.changes and all(new > old for old, new in found.changes.values())
    dear = rules.recourse(start, 4, fixed=["in1"], costs={"in3": 100})
    assert dear.cost >= found.cost
    with pytest.raises(DataError, match=r"no allowed change.*in1"):
        rules.recourse(start, 4, fixed=["in1", "in2", "in3", "in4"])


def test_recourse_of_an_object_that_is_there_costs_nothing():
    rules = LPRulesClassifier().fit(*HAND)
    found = rules.recourse([3, 3], 1)
    assert found.cost == 0 and not found.changes and "nothing to change" in str(found)


def test_cost_attributes_fall_and_free_ones_go_either_way():
    X = [(3, 0), (2, 0), (1, 0), (3, 1), (2, 1), (1, 1)]
    rules = LPRulesClassifier(directions=["cost", "free"]).fit(X, [0, 0, 0, 0, 1, 1])
    assert rules.recourse([3, 1], 1).changes == {"x0": (3.0, 2.0)}
    assert rules.recourse([2, 0], 1).changes == {"x1": (0.0, 1.0)}
    with pytest.raises(DataError, match="no allowed change"):
        rules.recourse([1, 0], 1, fixed=[1])


@pytest.mark.parametrize("seed", range(4))
def test_recourse_counts_what_stays_open_as_predict_does(seed: int):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (12, 2)), rng.integers(0, 3, 12)
    rules = LPRulesClassifier(directions=["free", "gain"]).fit(X, y, sample_weight=rng.integers(1, 4, 12))
    x = X[int(np.argmin(rules.predict(X)))]
    grid = np.array([(a, b) for a in {*X[:, 0], x[0]} for b in {*X[:, 1], x[1]} if b >= x[1]])
    costs = np.abs(grid - x) @ (1 / np.ptp(X, axis=0))
    for target in rules.classes_:
        there = rules.predict(grid) >= target
        if there.any():
            found = rules.recourse(x, target)
            assert found.cost == pytest.approx(costs[there].min()) and found.label >= target
        else:
            with pytest.raises(DataError, match="no allowed change"):
                rules.recourse(x, target)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"target": 9}, "target 9 is no class"),
        ({"fixed": ["age"]}, "unknown attribute 'age'"),
        ({"costs": {0: -1}}, "cost of 0 is -1"),
        ({"x": [[1, 1], [2, 2]]}, "wanted one object"),
    ],
)
def test_bad_questions_are_refused(words: dict, what: str):
    rules = LPRulesClassifier().fit(*HAND)
    with pytest.raises(DataError, match=what):
        rules.recourse(**({"x": [1, 1], "target": 1} | words))
