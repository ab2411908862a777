"""Baselines with one interface: the same directions, labels, ties and refusals as the curve."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

from monoopt.errors import DataError, DataWarning, OptionError
from monoopt.estimators.rank_aggregation import FootruleAggregation, KemenyAggregation, MedianRankAggregation
from monoopt.estimators.rank_baselines import FirstPrincipalComponent, WeightedSum
from monoopt.estimators.rpc import RankingPrincipalCurve

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
