"""Rankings refuse in words what they can't use, and read names wherever a table is fitted again."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from monoopt.errors import DataError, DataWarning, OptionError, SolveError, TimeLimitError
from monoopt.estimators.meta_rules import check_meta_rules
from monoopt.estimators.rank_aggregation import FootruleAggregation, KemenyAggregation, MedianRankAggregation
from monoopt.estimators.rank_baselines import FirstPrincipalComponent, WeightedSum
from monoopt.estimators.rank_uncertainty import bootstrap_ranks, leave_one_out, rank_reversals, scaling_sensitivity
from monoopt.estimators.rpc import RankingPrincipalCurve

pytestmark = pytest.mark.filterwarnings("ignore::monoopt.errors.DataWarning")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    mixed = np.random.default_rng(0).random((20, 3)) @ np.array([[1, 0.6, 0.5], [0.2, 1, 0.3], [0.3, 0.4, 1]])
    return pd.DataFrame(mixed, columns=["a", "b", "c"], index=[f"o{i}" for i in range(20)])


def curve(**words: object) -> RankingPrincipalCurve:
    return RankingPrincipalCurve(**{"solver": "direct", **words})


def test_a_table_that_is_fitted_again_keeps_its_names_and_its_objects(table):
    named = {"directions": {"a": 1, "*": 1}, "attribute_weights": {"b": 2}}
    anchored = curve(anchors=[("o2", "above", "o1")], scaling={"c": (0, 3)}, **named)
    assert check_meta_rules(curve(**named), table).ok
    newcomer = table.iloc[:1] * 3
    swapped = anchored.fit(table).rank_reversal_check(newcomer)
    assert all({a, b} <= set(table.index) and {a, b} != {"o1", "o2"} for a, b in swapped)
    assert rank_reversals(anchored, table, newcomer[["c", "a", "b"]]) == swapped
    assert rank_reversals(curve(missing="project"), table, {"a": [1.0], "b": [np.nan], "c": [1.0]}) == []


def test_meta_rules_take_the_estimators_own_directions_and_refuse_what_moves_with_the_objects(table):
    costs = curve(directions=["cost"] * 3)
    assert check_meta_rules(costs, -table).ok
    assert check_meta_rules(costs, -table, [1, 1, 1])["strict monotonicity"].verdict == "fails"
    with pytest.raises(OptionError, match="set_params\\(anchors=None\\)"):
        check_meta_rules(curve(anchors=[("o2", "above", "o1")]), table)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        check_meta_rules(WeightedSum(), table.assign(d=1.0))


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (lambda X: X[:, 0] * np.nan, "object 0 of the table has no finite score"),
        (lambda X: ["high"] * len(X), "wanted 20 numbers"),
        (lambda X: X[:3, 0], "3 scores for 20 objects"),
    ],
)
def test_a_scorer_must_give_one_finite_number_for_each_object(table, score, words: str):
    with pytest.raises(DataError, match=words):
        check_meta_rules(score, table)


def test_a_unit_in_which_a_scorer_has_no_answer_is_a_witness():
    X = np.random.default_rng(1).uniform(1, 2, (10, 2))

    def roots(table: np.ndarray) -> np.ndarray:
        return np.where(table > 50, np.nan, table).sum(axis=1)

    row = check_meta_rules(roots, X)["scale invariance"]
    assert row.verdict == "fails" and "leaves object 0 without a score" in row.evidence


@pytest.mark.parametrize("scorer", [RankingPrincipalCurve, "curve", 3])
def test_what_scores_nothing_is_refused(table, scorer):
    with pytest.raises(OptionError, match="wanted an estimator that ranks"):
        check_meta_rules(scorer, table)


@pytest.mark.parametrize("question", [bootstrap_ranks, leave_one_out, scaling_sensitivity])
def test_estimators_that_rank_nothing_are_refused(table, question):
    with pytest.raises(OptionError, match="wanted one that ranks"):
        question(LinearRegression(), table)


def test_leaving_one_out_says_whose_absence_leaves_nothing_to_rank(table):
    with pytest.raises(DataError, match="2 objects of positive weight came; wanted at least 3"):
        leave_one_out(curve(), table[:2])
    gaps = [[1, np.nan], [2, 3], [3, np.nan]]
    with pytest.raises(DataError, match=r"without object 1: .*'x1': no value is known"):
        leave_one_out(curve(missing="project"), gaps)


KINDS = [WeightedSum, FirstPrincipalComponent, MedianRankAggregation, FootruleAggregation, KemenyAggregation, curve]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1e308, 1e-300])
def test_weights_of_attributes_that_no_sum_holds_are_refused(table, kind, size: float):
    with pytest.raises(DataError, match="only ratios matter"):
        kind(attribute_weights=[size, size, size]).fit(table)


def test_degrees_beyond_what_is_proved_are_refused_and_the_highest_is_proved(table):
    with pytest.raises(OptionError, match="from 1 to 15"):
        curve(degree=16).fit(table)
    fitted = curve(degree=15, n_starts=2).fit(table)
    assert fitted.stationarity_.ok and fitted.monotonicity_.ok


def test_a_start_that_is_no_numbers_and_a_count_of_reasons_below_none_are_refused(table):
    with pytest.raises(DataError, match="no finite numbers"):
        curve(init=np.full((4, 3), np.nan)).fit(table)
    fitted = curve().fit(table)
    assert fitted.reasons("o1", top=0) == []
    for top in (-1, "two", 1.5):
        with pytest.raises(OptionError, match="top="):
            fitted.reasons("o1", top=top)


@pytest.mark.parametrize("solver", ["direct", "clarabel", "highs"])
def test_a_time_limit_is_of_the_whole_fit_and_one_that_hits_says_so(table, solver: str):
    X = np.random.default_rng(0).random((3000, 4)) @ (np.eye(4) + 0.5)
    for words in ({}, {"finish": None}):
        with pytest.raises(TimeLimitError, match=r"NOT stationary.* time_limit=1e-09 s is over: raise it, or keep"):
            curve(solver=solver, time_limit=1e-9, **words).fit(X)
    with pytest.warns(ConvergenceWarning, match="may not be the best: .*raise it"):
        kept = curve(solver=solver, time_limit=1e-9, keep_best=True).fit(X)
    assert not kept.stationarity_.ok and kept.monotonicity_.ok and kept.trace_.ok
    assert all(proof.ok for proof in kept.certificates_[1:])
    ample = curve(solver=solver, time_limit=1e6).fit(X)
    np.testing.assert_array_equal(ample.scores_, curve(solver=solver).fit(X).scores_)
    with pytest.raises(OptionError, match="time_limit=-1"):
        curve(solver=solver, time_limit=-1).fit(X)


def test_replicates_whose_curve_is_not_proved_are_counted_and_not_warned_of_one_by_one(table):
    straight = np.linspace(table.min(), table.max(), 4)
    with pytest.warns(ConvergenceWarning) as heard:  # the fit to all data, once
        found = bootstrap_ranks(curve(max_iter=1, init=straight, keep_best=True), table, n_boot=5)
    assert len(heard) == 1 and found.unproved > 0


def test_anchors_that_no_time_was_left_for_are_not_called_a_conflict(table):
    with pytest.raises(SolveError, match="time_limit is over"):
        curve(anchors=[("o1", "above", "o2")], time_limit=1e-9).fit(table)


def test_numbers_near_the_largest_are_ranked_without_a_warning_of_overflow():
    x = np.random.default_rng(0).random(30)
    huge = curve(directions=[1, -1]).fit(1.7e308 * np.column_stack([x, -x]))
    np.testing.assert_allclose(huge.scores_, curve(directions=[1, -1]).fit(np.column_stack([x, -x])).scores_, atol=1e-6)


def test_goalposts_that_hold_no_object_are_warned_of(table):
    with pytest.warns(DataWarning, match="no object lies within the goalposts of 'b', 10 to 11"):
        curve(scaling={"b": (10, 11)}).fit(table)


def test_statements_come_as_rows_of_any_kind_and_one_alone_is_asked_into_a_list(table, capfd):
    stated = [("o2", "above", "o1")]
    wanted = curve(anchors=stated).fit(table).scores_
    assert wanted[2] > wanted[1]
    np.testing.assert_array_equal(curve(anchors=np.array(stated)).fit(table).scores_, wanted)
    with pytest.raises(DataError, match=r"put it in a list: \[\('o2', 'above', 'o1'\)\]"):
        curve(anchors=stated[0]).fit(table)
    straight = curve(degree=1).fit(table).scores_
    better, worse = ("o2", "o1") if straight[2] > straight[1] else ("o1", "o2")
    assert curve(degree=1, anchors=[(better, "above", worse)]).fit(table).monotonicity_.ok
    with pytest.raises(DataError, match="no curve of degree 1"):
        curve(degree=1, anchors=[(worse, "above", better)]).fit(table)
    assert capfd.readouterr().err == ""  # no library speaks of empty matrices
