from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.order import Condition, Rule, RuleEnsemble, dominance_pairs, parse_directions, simplified
from monoopt.order import rules as rules_room

finite = st.floats(-3, 3, allow_nan=False)
conditions = st.builds(Condition, st.integers(0, 2), st.sampled_from([">=", "<="]), finite)
rules = st.builds(Rule, st.booleans(), st.lists(conditions, max_size=3).map(tuple))
ensembles = st.lists(st.tuples(rules, st.floats(0, 1)), max_size=5).map(
    lambda pairs: RuleEnsemble(tuple(r for r, _ in pairs), np.array([w for _, w in pairs]))
)
directions = st.lists(st.sampled_from([1, -1, 0]), min_size=3, max_size=3)
tables = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=8)


@settings(max_examples=40)
@given(rules, tables)
def test_a_rule_answers_where_all_conditions_hold(rule, rows):
    X = np.array(rows, dtype=float)
    for x, answer in zip(X, rule.answers(X), strict=True):
        met = all(
            x[c.attribute] >= c.threshold if c.side == ">=" else x[c.attribute] <= c.threshold for c in rule.conditions
        )
        assert answer == (0 if not met else 1 if rule.positive else -1)


@settings(max_examples=40)
@given(ensembles, tables)
def test_decision_is_the_weighted_sum_and_does_not_depend_on_the_batch(ensemble, rows):
    X = np.array(rows, dtype=float)
    np.testing.assert_allclose(ensemble.decision(X), ensemble.answers(X) @ ensemble.weights, atol=1e-12)
    assert [float(ensemble.decision(x[None])[0]) for x in X] == ensemble.decision(X).tolist()


@settings(max_examples=40)
@given(ensembles, directions, tables)
def test_monotone_by_form_never_crosses_a_dominance_pair(ensemble, signs, rows):
    X, s = np.array(rows, dtype=float), parse_directions(signs, 3)
    if ensemble.is_monotone(s):
        for rule in ensemble.rules:
            answers = rule.answers(X)
            assert all(answers[i] >= answers[j] for i, j in dominance_pairs(X, s))


@settings(max_examples=40)
@given(rules, directions)
def test_a_form_that_is_not_monotone_has_a_counterexample(rule, signs):
    s = np.array(signs)
    if rule.is_monotone(s) or not rule.covers(np.array([middle(rule)]))[0]:
        return
    X = np.array([middle(rule)])
    for c in rule.conditions:
        beyond = X.copy()
        beyond[0, c.attribute] = c.threshold + (-1 if c.side == ">=" else 1)  # the condition fails here
        pair = np.vstack([X, beyond])
        answers = rule.answers(pair)
        if s[c.attribute] and any(answers[i] < answers[j] for i, j in dominance_pairs(pair, s.astype(np.int8))):
            return
    raise AssertionError("no counterexample")


def middle(rule: Rule) -> list[float]:
    """A point on the thresholds, where all conditions hold unless they contradict each other."""
    point = [0.0, 0.0, 0.0]
    for c in rule.conditions:
        point[c.attribute] = c.threshold
    return point


def test_monotone_forms_by_direction():
    up, down = Condition(0, ">=", 1.0), Condition(0, "<=", 1.0)
    table = {(True, ">="): (1, 0), (True, "<="): (-1, 0), (False, "<="): (1, 0), (False, ">="): (-1, 0)}
    for (positive, side), allowed in table.items():
        rule = Rule(positive, (up if side == ">=" else down,))
        assert [sign for sign in (1, 0, -1) if rule.is_monotone([sign])] == sorted(allowed, reverse=True)
    assert Rule(True, (up, down)).is_monotone([0]) and Rule(False, ()).is_monotone([1])


@settings(max_examples=40)
@given(ensembles)
def test_json_gives_back_every_bit(ensemble):
    assert RuleEnsemble.from_dict(json.loads(json.dumps(ensemble.to_dict(), allow_nan=False))) == ensemble


def test_infinite_thresholds_survive_json():
    ensemble = RuleEnsemble((Rule(True, (Condition(0, ">=", -np.inf), Condition(1, "<=", 1 / 3))),), [0.1 + 0.2])
    assert RuleEnsemble.from_dict(json.loads(json.dumps(ensemble.to_dict(), allow_nan=False))) == ensemble


def test_text_with_names_and_classes():
    rule = Rule(True, (Condition(0, ">=", 3.0), Condition(1, "<=", 2.5)))
    ensemble = RuleEnsemble((Rule(False, ()), rule), [0.13, 0.87])
    assert ensemble.text(["a", "b"], "at least class good", "below class good").split("\n") == [
        "if a >= 3 and b <= 2.5 then at least class good (weight 0.87)",
        "always below class good (weight 0.13)",
    ]
    assert rule.text() == "if x0 >= 3 and x1 <= 2.5 then +1"
    assert (
        Rule(False, (Condition(0, "<=", 0.1), Condition(0, ">=", -np.inf))).text()
        == "if x0 <= 0.1 and x0 >= -inf then -1"
    )


@settings(max_examples=30)
@given(ensembles, tables)
def test_compiled_loops_answer_in_the_same_bits(ensemble, rows):
    X = np.array(rows, dtype=float)
    plain, short = ensemble.decision(X), simplified(ensemble.rules, X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_room, "MANY_ANSWERS", 0)
        assert ensemble.decision(X).tolist() == plain.tolist() and simplified(ensemble.rules, X) == short


@settings(max_examples=40)
@given(st.lists(rules, max_size=3), tables)
def test_simplified_rules_cover_the_same_objects_with_no_condition_too_many(some, rows):
    X = np.array(rows, dtype=float)
    for rule, short in zip(some, simplified(some, X), strict=True):
        assert (short.answers(X) == rule.answers(X)).all()
        for left_out in range(len(short.conditions)):
            fewer = Rule(short.positive, short.conditions[:left_out] + short.conditions[left_out + 1 :])
            assert (fewer.covers(X) != rule.covers(X)).any()


def test_u19_thresholds_follow_the_precision_of_the_query():
    ensemble = RuleEnsemble((Rule(False, (Condition(0, "<=", 0.1), Condition(1, "<=", 0.1))),), [1.0])
    query = np.array([[np.float32(0.1), 0.1]], dtype=float)
    assert ensemble.decision(query).tolist() == [0.0]
    assert ensemble.at_precision(np.array([23, 52], dtype=np.uint8)).decision(query).tolist() == [-1.0]
    assert ensemble.at_precision(np.array([52, 52], dtype=np.uint8)) is ensemble


@pytest.mark.parametrize("weights", [[1.0], [1.0, -0.1], [1.0, np.nan], [[1.0, 1.0]]])
def test_faulty_weights_are_refused(weights):
    with pytest.raises(DataError, match="weight"):
        RuleEnsemble((Rule(True, ()), Rule(False, ())), weights)


def test_an_empty_ensemble_answers_zero():
    empty = RuleEnsemble((), np.empty(0))
    assert empty.decision(np.eye(3)).tolist() == [0.0] * 3 and empty.answers(np.eye(3)).shape == (3, 0)
    assert empty.text() == "" and empty.is_monotone([1, 1, 1])
