"""Honest ranks: seeded, the same on any number of workers, and honest about what moves them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

from monoopt.errors import DataWarning, OptionError
from monoopt.estimators.rank_aggregation import KemenyAggregation, MedianRankAggregation
from monoopt.estimators.rank_baselines import WeightedSum
from monoopt.estimators.rank_uncertainty import bootstrap_ranks, leave_one_out, rank_reversals, scaling_sensitivity
from monoopt.estimators.rpc import RankingPrincipalCurve
from monoopt.order.bezier import curve_points

pytestmark = pytest.mark.filterwarnings("ignore::monoopt.errors.DataWarning")


def table(noise: float = 0.15, n: int = 25) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    P = np.array([[0.0, 0.0, 0.0], [0.1, 0.8, 0.4], [0.3, 0.9, 0.6], [1.0, 1.0, 1.0]])
    X = curve_points(P, np.linspace(0, 1, n)) + noise * rng.normal(size=(n, 3))
    return pd.DataFrame(X, columns=["a", "b", "c"], index=[f"o{i}" for i in range(n)])


CURVE = RankingPrincipalCurve(solver="direct")


def test_intervals_hold_their_share_and_the_rank():
    found = bootstrap_ranks(CURVE, table(), n_boot=60, level=0.8)
    inside = (found.samples >= found.low) & (found.samples <= found.high)
    assert np.all(inside.mean(axis=0) >= 0.8)
    assert np.mean((found.low <= found.ranks) & (found.ranks <= found.high)) > 0.9
    assert found.unproved == 0
    assert np.all(found.samples.sum(axis=1) == 25 * 26 / 2)


def test_the_bits_do_not_depend_on_the_number_of_workers():
    first, heard = bootstrap_ranks(WeightedSum(), table(), n_boot=20, n_jobs=1), []
    with parallel_config("threading"):
        second = bootstrap_ranks(WeightedSum(), table(), n_boot=20, n_jobs=2, callback=heard.append)
    assert first.samples.tobytes() == second.samples.tobytes() and heard == list(range(1, 21))
    other = bootstrap_ranks(WeightedSum(), table(), n_boot=20, random_state=1)
    assert first.samples.tobytes() != other.samples.tobytes()


def test_probabilities_of_a_pair_add_up_to_one():
    found = bootstrap_ranks(CURVE, table(), n_boot=30)
    assert found.above("o20", "o2") == 1
    assert found.above("o9", "o10") + found.above("o10", "o9") == pytest.approx(1)
    matrix = found.above_all()
    np.testing.assert_allclose(matrix + matrix.T, 1)
    assert matrix[20, 2] == found.above("o20", "o2")


def test_noise_widens_the_intervals():
    found = [bootstrap_ranks(WeightedSum(), table(noise), n_boot=60, over="attributes") for noise in (0.02, 0.3)]
    assert (found[1].high - found[1].low).mean() > (found[0].high - found[0].low).mean()


def test_a_frozen_scale_moves_ranks_less_than_one_found_anew():
    X = table()
    frozen = bootstrap_ranks(WeightedSum(), X, n_boot=40, scaling="frozen")
    anew = bootstrap_ranks(WeightedSum(), X, n_boot=40)
    assert np.all(frozen.low == frozen.high)  # nothing else is learnt by a weighted sum
    assert (anew.high - anew.low).sum() > 0


def test_aggregation_is_bootstrapped_over_attributes_only():
    with pytest.raises(OptionError, match="over='attributes'"):
        bootstrap_ranks(KemenyAggregation(), table())
    with pytest.raises(OptionError, match="takes no weights"):
        leave_one_out(MedianRankAggregation(), table())
    with pytest.raises(OptionError, match="order alone"):
        scaling_sensitivity(MedianRankAggregation(), table())
    found = bootstrap_ranks(MedianRankAggregation(), table(), n_boot=20, over="attributes")
    assert (found.high - found.low).mean() > 0


@pytest.mark.parametrize("words", [{"n_boot": 0}, {"level": 1.0}, {"over": "object"}, {"scaling": "minmax"}])
def test_wrong_words_are_refused(words: dict):
    with pytest.raises(OptionError, match=next(iter(words))):
        bootstrap_ranks(WeightedSum(), table(), **words)


def test_leaving_out_the_object_that_sets_the_range_moves_the_others_most():
    X = table()
    X.loc["far"] = [6.0, 1.0, 1.0]
    found = leave_one_out(WeightedSum(), X)
    assert found.objects[int(np.argmax(found.reversals))] == "far"
    assert np.all((found.agreement <= 1) & (found.reversals >= 0))
    assert found.reversals.max() > 0 and found.largest_move.max() >= 1


def test_scalings_are_compared_with_the_estimators_own():
    found = scaling_sensitivity(CURVE, table())
    assert found["minmax"]["spearman"] == pytest.approx(1) and found["minmax"]["largest_move"] == 0
    assert 0 < found["robust"]["spearman"] <= 1


def test_fitting_again_with_a_newcomer_may_swap_two_others_and_the_frozen_scale_never_does():
    X = np.array([[10.0, 1.0], [6.0, 5.0], [0.0, 0.0]])
    newcomer = np.array([[6.0, -20.0]])
    assert rank_reversals(WeightedSum(), X, newcomer) == [(1, 0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted = WeightedSum().fit(X)
    assert np.array_equal(fitted.score_samples(np.vstack([X, newcomer]))[:3], fitted.scores_)
    assert fitted.rank_reversal_check(newcomer) == [(1, 0)]
    assert fitted.rank_reversal_check([[5.0, 2.0]]) == []


def test_labels_and_options_by_name_survive_the_newcomers():
    X = table()
    ranker = WeightedSum(directions={"a": 1, "b": 1, "c": -1}, attribute_weights={"a": 2}, scaling={"b": (-1, 2)})
    reversed_pairs = rank_reversals(ranker, X, [[9.0, 0.5, 0.5]])
    assert reversed_pairs and all(isinstance(a, str) and isinstance(b, str) for a, b in reversed_pairs)


def test_a_table_of_few_different_objects_can_be_resampled() -> None:
    from monoopt.estimators.rank_baselines import WeightedSum

    X = [[1.0, 7.0], [1.0, 7.0], [3.0, 2.0], [0.0, 0.0]]
    found = bootstrap_ranks(WeightedSum(directions=[1, 1]), X, n_boot=50, random_state=0)
    assert (found.low <= found.high).all()


def test_equal_weights_change_no_replicate():
    plain = bootstrap_ranks(CURVE, table(), n_boot=10)
    weighted = bootstrap_ranks(CURVE, table(), n_boot=10, sample_weight=np.full(25, 3.0))
    np.testing.assert_array_equal(plain.samples, weighted.samples)


def test_an_object_of_weight_zero_moves_nobody_and_is_ranked_all_the_same():
    X = table()
    more = pd.concat([X, pd.DataFrame([[9.0, 9.0, 9.0]], columns=X.columns, index=["far"])])
    plain = bootstrap_ranks(CURVE, X, n_boot=10)
    found = bootstrap_ranks(CURVE, more, n_boot=10, sample_weight=[*np.ones(25), 0.0])
    np.testing.assert_array_equal(found.above_all()[:25, :25], plain.above_all())
    assert np.all(found.samples[:, 25] < 4)
    left_out = leave_one_out(CURVE, more, sample_weight=[*np.ones(25), 0.0])
    assert left_out.reversals[25] == 0


def test_weights_move_the_intervals_as_they_move_the_fit():
    weight = np.where(np.arange(25) < 12, 50.0, 1.0)
    plain = bootstrap_ranks(CURVE, table(), n_boot=30)
    weighted = bootstrap_ranks(CURVE, table(), n_boot=30, sample_weight=weight)
    assert not np.array_equal(plain.samples, weighted.samples)
    fitted = RankingPrincipalCurve(solver="direct").fit(table(), sample_weight=weight)
    np.testing.assert_array_equal(weighted.ranks, fitted.rank(ties="average"))


def test_weights_of_objects_are_refused_where_a_ranking_has_no_use_for_them():
    with pytest.raises(OptionError, match="takes no weights"):
        bootstrap_ranks(KemenyAggregation(), table(), n_boot=3, over="attributes", sample_weight=np.ones(25))
