"""Anchors: what is stated holds, what cannot hold is named in the words of whoever stated it."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from monoopt.errors import DataError, DataWarning
from monoopt.estimators.rpc import RankingPrincipalCurve
from monoopt.order.bezier import curve_points


def table(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    P = np.vstack([np.zeros(3), rng.uniform(0, 1, (2, 3)), np.ones(3)])
    X = curve_points(P, rng.uniform(0, 1, 40)) + 0.1 * rng.normal(size=(40, 3))
    return pd.DataFrame(X, columns=["a", "b", "c"], index=[f"o{i}" for i in range(40)])


def fit(frame: pd.DataFrame, anchors: list, **options: object) -> RankingPrincipalCurve:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return RankingPrincipalCurve(solver="direct", anchors=anchors, **options).fit(frame)


def close_pair(frame: pd.DataFrame) -> tuple[str, str]:
    """Two objects with neighbouring scores, the lower one not dominated: the order may be turned."""
    free = fit(frame, [])
    order = np.argsort(free.scores_)
    for low, high in pairwise(order[10:]):
        if np.any(frame.values[low] > frame.values[high]):
            return free.objects_[low], free.objects_[high]
    raise AssertionError("no such pair")


def test_a_preference_turns_the_order_of_two_objects():
    frame = table()
    low, high = close_pair(frame)
    free, told = fit(frame, []), fit(frame, [(low, "above", high)])
    score = dict(zip(told.objects_, told.scores_, strict=True))
    assert score[low] - score[high] >= 1e-3 - 1e-6
    assert told.objective_ >= free.objective_ and told.monotonicity_.ok and told.stationarity_.ok
    assert "prefer" in {block.name for block in _program(told).rows}


def test_below_is_above_the_other_way_round():
    frame = table(1)
    low, high = close_pair(frame)
    first, second = fit(frame, [(low, "above", high)]), fit(frame, [(high, "below", low)])
    np.testing.assert_array_equal(first.scores_, second.scores_)


def test_a_reference_object_gets_its_score():
    frame = table(2)
    free = fit(frame, [])
    told = fit(frame, [("o5", "at", float(free.scores_[5]) + 0.03)])
    assert told.scores_[5] == pytest.approx(free.scores_[5] + 0.03, abs=1e-6)
    assert told.stationarity_.ok


def test_statements_that_hold_anyway_change_nothing():
    frame = table(3)
    free = fit(frame, [])
    best, worst = free.objects_[np.argmax(free.scores_)], free.objects_[np.argmin(free.scores_)]
    np.testing.assert_array_equal(fit(frame, [(best, "above", worst)]).scores_, free.scores_)


def test_contradicting_preferences_are_named_and_no_others():
    with pytest.raises(DataError) as error:
        fit(table(), [("o1", "above", "o2"), ("o2", "above", "o1"), ("o2", "above", "o3")])
    assert error.value.faults == ["'o1' above 'o2'", "'o2' above 'o1'"]


def test_a_preference_against_dominance_names_the_fact():
    frame = table()
    frame.loc["good"] = frame.max()
    with pytest.raises(DataError, match="'good' dominates 'o3'") as error:
        fit(frame, [("o3", "above", "good")])
    assert error.value.faults == ["'o3' above 'good'"]


def test_fixed_scores_against_a_preference_are_named():
    with pytest.raises(DataError) as error:
        fit(table(), [("o1", "at", 0.3), ("o2", "at", 0.6), ("o1", "above", "o2")])
    assert set(error.value.faults) == {"'o1' at 0.3", "'o2' at 0.6", "'o1' above 'o2'"}


def test_what_no_curve_of_the_degree_can_do_is_reduced_to_its_core():
    frame = pd.DataFrame({"a": np.linspace(0, 1, 21), "b": np.linspace(0, 1, 21)})
    with pytest.raises(DataError, match="no curve of degree 1") as error:
        fit(frame, [(10, "at", 0.8), (20, "above", 0)], degree=1)
    assert error.value.faults == ["10 at 0.8"]


def test_every_unreadable_statement_is_listed():
    with pytest.raises(DataError) as error:
        fit(table(), [("o1", "abov", "o2"), ("o1", "at", 2), ("zz", "above", "o1"), "o1 above o2"])
    assert len(error.value.faults) == 4 and "did you mean 'above'" in str(error.value)


def _program(fitted: RankingPrincipalCurve):
    from monoopt.algorithms.anchored_curve import preference_rows
    from monoopt.algorithms.stationarity import program_at

    U = fitted.scaling_.apply(fitted.values_)
    problem = fitted._problem(U, np.ones(len(U)))
    rows = preference_rows(problem, fitted._curve, fitted._read_anchors())
    return program_at(problem, fitted.scores_, rows)
