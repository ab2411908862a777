"""LPRulesClassifier beyond the hard margin: soft margins, short rules, few rules, means of bootstrap samples."""

from __future__ import annotations

import json
import pickle
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from monoopt import DataError, LPRulesClassifier, OptionError
from monoopt.datasets import Dataset, load_balance, load_esl, load_lev


def fitted(table: Dataset, **words: object) -> LPRulesClassifier:
    return LPRulesClassifier(directions=list(table.directions.values()), **words).fit(table.X, table.y)


def same_rules(one: LPRulesClassifier, other: LPRulesClassifier) -> bool:
    return [e.to_dict() for e in one.rules_] == [e.to_dict() for e in other.rules_]


def test_nu_is_a_penalty_in_other_words():
    table = load_lev()
    assert same_rules(fitted(table, nu=0.1), fitted(table, D=1 / (0.1 * 1000)))
    assert same_rules(fitted(table, nu=0), fitted(table))


def test_at_most_a_share_nu_of_the_weight_is_on_the_wrong_side():
    table = load_esl()
    rules = fitted(table, nu=0.1)
    votes = rules.votes(rules.objects_)
    for k in range(1, len(rules.classes_)):
        wrong = np.where(rules.object_codes_ >= k, 1, -1) * votes[:, k - 1] <= 0
        assert rules.object_weights_[wrong].sum() <= 0.1 * len(table.y) + 1e-9
    assert rules.verify().ok and all(c.ok for c in rules.certificates_)


def test_short_rules_are_short_and_learn_an_additive_truth_from_fewer_objects():
    """On which side a balance tips is additive in logarithms: one condition a rule is enough."""
    table = load_balance()
    rows = np.random.default_rng(0).permutation(len(table.y))
    seen, new = rows[:300], rows[300:]
    signs = list(table.directions.values())
    short, long = (
        LPRulesClassifier(directions=signs, max_conditions=most).fit(table.X[seen], table.y[seen]) for most in (1, None)
    )
    assert max(len(rule.conditions) for ensemble in short.rules_ for rule in ensemble.rules) == 1
    errors = [np.abs(rules.predict(table.X[new]) - table.y[new]).mean() for rules in (short, long)]
    assert errors[0] < errors[1] / 2
    assert all(c.ok for c in short.certificates_) and short.verify(table.X).violations == 0


def test_rules_too_short_to_separate_are_warned_of():
    xor = list(product((0, 1), repeat=2))
    y = [0, 0, 0, 1]
    assert LPRulesClassifier(max_conditions=1).fit(xor, y).margins_[0] > 0
    X = list(product((0, 1), repeat=4))
    either = [int((a and b) or (c and d)) for a, b, c, d in X]
    with pytest.warns(ConvergenceWarning, match="do not separate"):
        rules = LPRulesClassifier(max_conditions=1).fit(X, either)
    assert rules.margins_[0] == 0 and rules.verify().ok
    soft = LPRulesClassifier(max_conditions=1, nu=0.5).fit(X, either)
    assert np.mean(soft.predict(X) == np.array(either)) > 0.6


def test_few_rules_are_as_few_as_told_and_fewest_make_no_error():
    table = load_lev()
    full, five, fewest = fitted(table), fitted(table, max_rules=5), fitted(table, max_rules="fewest")
    numbers = [[len(e.rules) for e in rules.rules_] for rules in (full, five, fewest)]
    assert max(numbers[1]) <= 5 < max(numbers[0]) and sum(numbers[2]) <= sum(numbers[0])
    assert (fewest.predict(table.X) == fewest.relabelling_.labels).all()
    assert np.mean(five.predict(table.X) == five.relabelling_.labels) > 0.8
    assert five.verify().ok and all(c.ok for c in five.certificates_)


def test_fewer_rules_keep_the_bound_of_all_and_say_what_they_prove():
    table = load_lev()
    full, fewest = fitted(table), fitted(table, max_rules="fewest")
    assert (fewest.bounds_ == full.bounds_).all() and (fewest.margins_ <= full.margins_).all()
    assert (fewest.margin_report().smallest == fewest.margins_).all() and (fewest.margins_ > 0).all()
    for k, ensemble in enumerate(fewest.rules_, start=1):
        path = fewest.margin_path(k)
        assert path.ensemble(path.chosen) == ensemble and len(ensemble.rules) == path.rules.min()
    assert full.margin_path(3).chosen == len(full.margin_path(3)) - 1


def test_the_path_is_the_same_whatever_the_jobs_and_after_a_pickle():
    table = load_lev()
    rules = fitted(table, max_rules=8)
    for other in (fitted(table, max_rules=8, n_jobs=2), pickle.loads(pickle.dumps(rules))):
        for k in range(1, 5):
            one, two = rules.margin_path(k, table.X, table.y), other.margin_path(k, table.X, table.y)
            for word in ("margins", "bounds", "gaps", "rules", "errors", "new_errors"):
                np.testing.assert_array_equal(getattr(one, word), getattr(two, word))
            assert one.chosen == two.chosen and one.ensemble(0) == two.ensemble(0)


def test_errors_on_other_objects_are_those_of_the_votes():
    table = load_lev()
    rules = LPRulesClassifier().fit(table.X[::2], table.y[::2])
    weight = np.arange(500.0)
    path = rules.margin_path(2, table.X[1::2], table.y[1::2], weight)
    report = rules.margin_report(table.X[1::2], table.y[1::2], weight)
    assert path.new_errors is not None and path.new_errors[-1] == pytest.approx(report.errors()[1], abs=1e-12)
    assert "new error" in str(path) and rules.margin_path(2).new_errors is None


def test_a_path_that_is_not_there_or_not_asked_for_rightly_is_refused():
    table = load_lev()
    rules = fitted(table)
    for k in (0, 5, True, "2"):
        with pytest.raises(OptionError, match="question from 1 to 4"):
            rules.margin_path(k)
    with pytest.raises(DataError, match="both X and y"):
        rules.margin_path(1, table.X)
    for without in (LPRulesClassifier.from_dict(rules.to_dict()), fitted(table, n_estimators=2)):
        with pytest.raises(DataError, match="no path"):
            without.margin_path(1)


def test_the_path_of_a_fitted_classifier_starts_at_its_own_margin():
    rules = fitted(load_lev())
    path = rules.rule_path(3, [0.0, 0.2])
    assert path[0].margin == pytest.approx(rules.margins_[2], abs=1e-6) and path[0].error == 0
    assert path[1].fit.certificate.ok
    table = [line.split() for line in str(path).split("\n")]
    assert table[0] == ["nu", "rules", "margin", "error"]
    assert [(float(nu), int(rules)) for nu, rules, *_ in table[1:]] == [(p.nu, p.rules) for p in path]
    for k in (0, 5, True):
        with pytest.raises(OptionError, match="question from 1 to 4"):
            rules.rule_path(k)


def test_a_mean_of_bootstrap_samples_is_monotone_reproducible_and_one_ensemble():
    table = load_lev()
    bagged = fitted(table, n_estimators=3, random_state=1)
    assert same_rules(bagged, fitted(table, n_estimators=3, random_state=1))
    assert not same_rules(bagged, fitted(table, n_estimators=3, random_state=2))
    assert bagged.verify().ok and len(bagged.certificates_) == 4 + 3 * 4 and bagged.fits_ is None
    assert all(float(e.weights.sum()) == 1.0 for e in bagged.rules_)
    again = LPRulesClassifier.from_dict(json.loads(json.dumps(bagged.to_dict(), allow_nan=False)))
    assert (again.votes(table.X) == bagged.votes(table.X)).all() and again.n_estimators == 3


def test_margins_of_the_relabelled_objects_are_at_least_the_margin_proved():
    rules = fitted(load_esl())
    report = rules.margin_report()
    assert (report.smallest >= rules.margins_ - 1e-6).all() and not report.errors().any()
    values, shares = report.distribution(4)
    assert (np.diff(values) > 0).all() and (np.diff(shares) > 0).all() and shares[-1] == pytest.approx(1)
    assert report.errors(float(values[3]))[3] == pytest.approx(shares[3])
    assert "question 1: smallest margin" in str(report)


def test_margin_errors_on_the_labels_themselves_are_what_was_relabelled():
    table = load_esl()
    rules = fitted(table)
    report = rules.margin_report(table.X, table.y)
    assert (report.errors() * len(table.y)).sum() == pytest.approx(rules.relabelling_.cost)
    with pytest.raises(DataError, match="both"):
        rules.margin_report(table.X)


def test_the_bound_of_theorem_5_is_least_over_all_margins():
    rules = fitted(load_lev())
    report = rules.margin_report()
    bound = report.bound(delta=0.1)
    total = bound.margin_errors + bound.complexity
    spread = 4 * np.sqrt(np.log(8 / 0.1) / 1000)
    for theta in (0.01, 0.05, 0.1, 0.3):
        just_below = (report.weights @ (report.margins < theta) / 1000).sum()
        assert total <= just_below + np.sqrt(4 / 1000) * 4 / theta + spread + 1e-9
    assert "M * " in str(bound)
    with pytest.raises(OptionError, match="delta"):
        report.bound(1.0)


def test_verification_looks_on_between_and_beyond_the_thresholds():
    rules = fitted(load_lev())
    check = rules.verify()
    assert check.ok and check.grid_pairs > 1000 and "0 of" in str(check).split(";")[-1]
    assert rules.verify(grid=0).grid_pairs == 0
    rules.directions_ = -rules.directions_
    turned = rules.verify()
    assert turned.grid_violations > 0 and not turned.ok


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"nu": 2}, "nu=2"),
        ({"nu": 0.5, "D": 1.0}, "two ways"),
        ({"max_conditions": 0}, "max_conditions=0"),
        ({"n_estimators": 1.5}, "n_estimators=1.5"),
        ({"max_rules": "few"}, "max_rules='few'"),
        ({"max_rules": 3, "nu": 0.1}, "no D and no nu"),
    ],
)
def test_words_that_can_not_be_are_refused(words: dict[str, object], what: str):
    with pytest.raises(OptionError, match=what):
        LPRulesClassifier(**words).fit([[1], [2]], [0, 1])


SCALARS = {
    "solver": 3, "tie": ["least"], "D": "soft", "nu": "a", "max_conditions": 2.0, "n_estimators": None,
    "pricing": 1, "tolerance": "a", "time_limit": "soon", "max_iterations": 1.5, "keep_best": "x", "n_jobs": 0,
    "random_state": -1, "max_rules": 1.5,
}  # fmt: skip


@pytest.mark.parametrize("word", SCALARS)
def test_every_scalar_parameter_of_a_wrong_kind_is_refused_by_name(word: str):
    for value in (SCALARS[word], float("nan"), object(), np.zeros(2)):
        with pytest.raises(OptionError, match=f"{word}="):
            LPRulesClassifier(**{word: value}).fit([[1], [2]], [0, 1])


def test_all_parameters_that_can_not_be_are_refused_at_once():
    with pytest.raises(OptionError) as refused:
        LPRulesClassifier(**SCALARS).fit([[1], [2]], [0, 1])
    assert all(f"{word}=" in str(refused.value) for word in SCALARS)


def test_numbers_of_numpy_are_parameters_too():
    words = {"max_iterations": np.int64(50), "tolerance": np.float32(1e-5), "keep_best": np.True_, "n_jobs": np.int8(1)}
    assert LPRulesClassifier(**words).fit([[1], [2]], [0, 1]).predict([[2]]).tolist() == [1]


def test_grids_that_are_too_large_are_refused_with_advice():
    X = np.random.default_rng(0).random((1200, 6))
    with pytest.raises(DataError, match="allow fewer conditions"):
        LPRulesClassifier(max_conditions=3).fit(X, (X.sum(axis=1) > 3).astype(int))


def test_a_margin_never_exceeds_its_bound_however_soft_or_short():
    table = load_esl()
    for words in ({"max_rules": 1}, {"max_rules": 3}, {"nu": 0.2}, {"nu": 1.0}, {"D": 0.01}):
        rules = LPRulesClassifier(**words).fit(table.X[:150], table.y[:150])
        assert (rules.margins_ <= rules.bounds_).all() and (rules.margins_ >= 0).all(), words
        assert all(proof.ok for proof in rules.certificates_)
        for k, (margin, bound) in enumerate(zip(rules.margins_, rules.bounds_, strict=True), start=1):
            path = rules.margin_path(k)
            assert path.margins[path.chosen] == pytest.approx(margin, abs=1e-9) and bound == path.bounds[-1]
