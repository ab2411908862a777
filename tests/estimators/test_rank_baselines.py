"""Baselines with one interface: the same directions, labels, ties and refusals as the curve."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.utils.estimator_checks import check_estimator

from monoopt.algorithms.equal_orders import nearest_of_equal_cost
from monoopt.errors import DataError, DataWarning, OptionError, SolverNotFound
from monoopt.estimators.rank_aggregation import FootruleAggregation, KemenyAggregation, MedianRankAggregation
from monoopt.estimators.rank_baselines import FirstPrincipalComponent, WeightedSum
from monoopt.estimators.rpc import RankingPrincipalCurve
from monoopt.order.dominance import dominance_pairs

ALL = [WeightedSum, FirstPrincipalComponent, MedianRankAggregation, FootruleAggregation, KemenyAggregation]
TABLE_1 = {"a": [[0.3, 0.25], [0.25, 0.55], [0.7, 0.7]], "b": [[0.35, 0.4], [0.25, 0.55], [0.7, 0.7]]}


def quiet(estimator, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return estimator.fit(X)


@pytest.mark.parametrize("kind", ALL)
def test_directions_turn_the_order(kind: type):
    frame = pd.DataFrame({"good": [1, 2, 4, 3], "bad": [9, 7, 1, 2]}, index=list("wxyz"))
    fitted = quiet(kind(directions={"good": "gain", "bad": "cost"}), frame)
    assert fitted.rank().tolist() == [4, 3, 1, 2]
    assert fitted.objects_ == list("wxyz")
    assert quiet(kind(directions={"good": "cost", "bad": "gain"}), frame).rank().tolist() == [1, 2, 4, 3]


@pytest.mark.parametrize("kind", ALL)
def test_equal_objects_get_equal_ranks_and_units_do_not_matter(kind: type):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(12, 3))
    X[5] = X[9]
    fitted = quiet(kind(), X)
    assert fitted.scores_[5] == fitted.scores_[9]
    assert quiet(kind(), X * [1000, 2, 0.1] + 7).rank().tolist() == fitted.rank().tolist()


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("X", "words"), [([["15%", 1], [2, 3]], "is text"), ([[1, np.nan], [2, 3]], "NaN"), ([[1, 2]], "n_samples=1")]
)
def test_bad_tables_are_refused(kind: type, X: list, words: str):
    with pytest.raises(DataError, match=words):
        kind().fit(X)
    with pytest.raises(DataError, match="free"):
        kind(directions=[1, 0]).fit([[1, 2], [3, 4]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ALL)
def test_scikit_learn_checks_pass(kind: type):
    check_estimator(kind(), on_skip=None)


def test_the_weighted_sum_is_the_weighted_mean_of_scaled_attributes():
    X = np.array([[0.0, 0.0], [10.0, 1.0], [5.0, 0.2]])
    fitted = WeightedSum(attribute_weights=[3, 1]).fit(X)
    np.testing.assert_allclose(fitted.scores_, [0, 1, 0.75 * 0.5 + 0.25 * 0.2])
    assert fitted.compare(2, 0).contributions == pytest.approx([0.375, 0.05])


def test_a_missing_cell_leaves_the_mean_of_the_others():
    fitted = WeightedSum(missing="project").fit([[0.0, 0.0], [10.0, 1.0], [5.0, np.nan]])
    assert fitted.scores_[2] == pytest.approx(0.5)
    with pytest.raises(OptionError, match="every cell"):
        FirstPrincipalComponent(missing="project").fit([[1, 2], [3, 4]])


def test_the_first_component_points_to_the_better_side_and_names_what_runs_against():
    rng = np.random.default_rng(1)
    t = rng.uniform(size=50)
    X = np.column_stack([t, t + 0.1 * rng.normal(size=50), 1 - t])
    with pytest.warns(DataWarning, match="x2"):
        fitted = FirstPrincipalComponent().fit(X)
    assert fitted.contrary_ == ["x2"] and np.corrcoef(fitted.scores_, t)[0, 1] > 0.9


def test_where_no_end_of_the_component_is_better_rounding_does_not_choose_it():
    X = np.array([[2, 0], [3, 1], [3, 3], [3, 0], [2, 1], [0, 2], [1, 3], [0, 3], [1, 2]], dtype=float)
    first = quiet(FirstPrincipalComponent(), X)  # as many above the diagonal as below: loadings 0.7 and -0.7
    assert first.loadings_ == pytest.approx([np.sqrt(0.5), -np.sqrt(0.5)])
    for other in (X * 1000 + 273.15, X / 3, X * 0.1 - 7):
        assert quiet(FirstPrincipalComponent(), other).scores_ == pytest.approx(first.scores_)
    assert quiet(FirstPrincipalComponent(), X[::-1]).scores_[::-1] == pytest.approx(first.scores_)


def test_the_first_component_explains_what_a_decomposition_says():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(30, 3)) @ rng.uniform(size=(3, 3))
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    values = np.linalg.svd(U - U.mean(axis=0))[1] ** 2
    assert quiet(FirstPrincipalComponent(), X).explained_variance_ == pytest.approx(values[0] / values.sum())


def test_mean_locations_tie_where_the_curve_does_not():
    # Table I of the paper: rank aggregation can't tell A from B, the curve can, and the order depends on the values
    for part, expected in (("a", [3, 2, 1]), ("b", [2, 3, 1])):
        median = MedianRankAggregation().fit(TABLE_1[part])
        assert median.kappa_.tolist() == [2.5, 2.5, 1.0]
        goalposts = {"x0": (0, 1), "x1": (0, 1)}
        curve = quiet(RankingPrincipalCurve(solver="direct", scaling=goalposts, n_starts=60), TABLE_1[part])
        assert curve.rank().tolist() == expected


def test_a_new_object_is_placed_among_the_fitted_ones():
    fitted = MedianRankAggregation().fit([[1.0], [2.0], [3.0]])
    np.testing.assert_allclose(fitted.score_samples([[2.0], [2.5], [9.0]]), [0.5, 0.75, 1.25])


def test_the_direct_assignment_costs_what_the_program_costs():
    X = np.random.default_rng(3).uniform(size=(20, 4))
    program, direct = FootruleAggregation().fit(X), FootruleAggregation(solver="direct").fit(X)
    assert program.cost_ == pytest.approx(direct.cost_)
    assert program.certificates_[0].ok and direct.certificates_ == []
    assert sorted(program.scores_) == pytest.approx(np.linspace(0, 1, 20))
    assert np.array_equal(np.argsort(-program.scores_), np.argsort(program.positions_))


def test_kemeny_is_proved_optimal():
    X = np.random.default_rng(4).uniform(size=(30, 3))
    fitted = KemenyAggregation().fit(X)
    assert fitted.optimal_ and fitted.cost_ == pytest.approx(fitted.bound_)
    assert all(certificate.ok for certificate in fitted.certificates_)


AGGREGATIONS = [FootruleAggregation(), FootruleAggregation(solver="direct"), KemenyAggregation()]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(AGGREGATIONS))
def test_the_order_of_the_rows_never_chooses_among_equally_good_orders(seed: int, ranker):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (int(rng.integers(2, 9)), int(rng.integers(2, 4)))).astype(float)
    order = rng.permutation(len(X))
    first, second = ranker.fit(X).scores_.copy(), ranker.fit(X[order]).scores_
    np.testing.assert_array_equal(first[order], second)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(AGGREGATIONS))
def test_an_object_that_dominates_another_stands_before_it(seed: int, ranker):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (int(rng.integers(2, 9)), 2)).astype(float)
    fitted = ranker.fit(X)
    pairs = dominance_pairs(X, np.ones(2, dtype=np.int8))
    better, worse = pairs[np.any(X[pairs[:, 0]] != X[pairs[:, 1]], axis=1)].T
    assert np.all(fitted.positions_[better] < fitted.positions_[worse])


def test_of_equally_good_orders_one_near_the_mean_ranks_is_taken():
    # two rankings against each other: any order of Kemeny's costs the same; the third, of next to no weight, tells
    X = np.array([[1.0, 4, 2], [2, 3, 4], [3, 2, 1], [4, 1, 3]])
    fitted = KemenyAggregation(attribute_weights=[1, 1, 1e-12]).fit(X)
    assert fitted.positions_.tolist() == [3, 1, 4, 2]


@given(st.integers(0, 10_000))
def test_exchanges_keep_the_cost_and_leave_no_free_one_that_is_nearer(seed: int):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    costs, ranks = rng.integers(0, 2, (n, n)).astype(float), rng.integers(0, 4, n).astype(float)
    found = nearest_of_equal_cost(costs, linear_sum_assignment(costs)[1], ranks)
    total = costs[np.arange(n), found].sum()
    assert total == costs[linear_sum_assignment(costs)].sum()
    for i, k in combinations(range(n), 2):
        other = found.copy()
        other[[i, k]] = found[[k, i]]
        assert costs[np.arange(n), other].sum() > total or ranks @ other <= ranks @ found


@pytest.mark.parametrize("kind", [WeightedSum, FirstPrincipalComponent, RankingPrincipalCurve])
def test_an_object_to_compare_is_read_by_its_names_wherever_it_has_some(kind: type):
    frame = pd.DataFrame({"p": [0, 1, 0.8, 0.4], "q": [0, 1, 0.3, 0.5]}, index=["low", "high", "A", "B"])
    ranker = quiet(kind(), frame)
    wanted = ranker.compare("A", "B").contributions
    turned = frame[["q", "p"]]
    ways = [turned.loc["A"], turned.loc[["A"]], {"q": 0.3, "p": 0.8}, {"q": [0.3], "p": [0.8]}]
    for way in [*ways, pl.DataFrame({"q": [0.3], "p": [0.8]}), [0.8, 0.3], np.array([0.8, 0.3])]:
        assert np.array_equal(ranker.compare(way, "B").contributions, wanted)
    with pytest.raises(DataError, match="missing column 'q'"):
        ranker.compare({"p": 0.8}, "B")
    with pytest.raises(DataError, match="2 objects; wanted one"):
        ranker.compare(frame.loc[["A", "B"]], "B")
    with pytest.raises(DataError, match=r"no object 'Z'; there are 4 \(low, high, A, B\)"):
        ranker.compare("Z", "B")


def test_an_unknown_solver_is_refused_even_where_majorities_settle_the_order():
    X = [[3, 3], [2, 2], [1, 1]]
    assert KemenyAggregation().fit(X).certificates_ == []
    with pytest.raises(SolverNotFound, match="did you mean 'highs'"):
        KemenyAggregation(solver="higs").fit(X)
