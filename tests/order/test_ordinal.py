from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError, OptionError
from monoopt.order import combine, crossings, keeps_bayes_monotone, linear_loss, loss_table, steps, thresholds

CODES = st.integers(2, 7).flatmap(lambda K: st.tuples(st.just(K), st.lists(st.integers(0, K - 1), min_size=1)))


@settings(max_examples=40)
@given(CODES)
def test_combine_inverts_thresholds_and_they_are_nested(case):
    K, codes = case
    tasks = thresholds(codes, K)
    assert tasks.shape == (K - 1, len(codes)) and combine(tasks).tolist() == codes and len(crossings(tasks)) == 0
    assert combine(np.where(tasks, 1, -1)).tolist() == codes


@settings(max_examples=40)
@given(CODES, st.randoms(use_true_random=False))
def test_theorem_2_the_error_is_at_most_the_wrong_answers(case, random):
    K, codes = case
    answers = np.array([[random.choice([-1, 1]) for _ in codes] for _ in range(K - 1)])
    wrong = (thresholds(codes, K) != (answers > 0)).sum(axis=0)
    assert (np.abs(combine(answers) - codes) <= wrong).all()


def test_crossings_name_task_and_object():
    assert crossings([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).tolist() == [[2, 1], [3, 2]]


@settings(max_examples=40)
@given(CODES, st.sampled_from(["absolute", "squared", "linear"]))
def test_cost_is_the_cost_of_class_zero_plus_the_steps_of_the_tasks_answered_yes(case, loss):
    K, codes = case
    table = linear_loss(0.3, K) if loss == "linear" else loss_table(loss, K)
    S = steps(table)
    for y in range(K):
        for h in codes:
            assert table[y, h] == pytest.approx(table[y, 0] + S[thresholds([h], K)[:, 0], y].sum())


def test_tables_by_word():
    assert loss_table("squared", 3).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    np.testing.assert_allclose(linear_loss(0.5, 4), loss_table("absolute", 4) / 2)
    with pytest.raises(OptionError, match="did you mean 'absolute'"):
        loss_table("absolut", 3)
    with pytest.raises(OptionError, match="tau"):
        linear_loss(1.0, 3)


def test_words_and_convex_tables_keep_bayes_monotone_and_class_weights_may_not():
    for table in (loss_table("absolute", 5), loss_table("squared", 5), linear_loss(0.8, 5)):
        np.testing.assert_array_equal(loss_table(table, 5), table)
        assert keeps_bayes_monotone(table)
    weighted = loss_table("absolute", 3) * np.array([[1.0], [5.0], [1.0]])
    assert not keeps_bayes_monotone(loss_table(weighted, 3))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (1 - np.eye(3), r"row 0 is not convex at L\[0, 1\]"),
        ([[0, 1, 1.5], [1, 0, 1], [2, 1, 0]], r"row 0 is not convex at L\[0, 1\] \(0, 1, 1.5\)"),
        ([[1, 1, 2], [1, 0, 1], [2, 1, 0]], r"L\[0, 0\] = 1"),
        ([[0, -1, 0], [1, 0, 1], [2, 1, 0]], r"L\[0, 1\] = -1 is negative"),
        ([[0, np.nan, 0], [1, 0, 1], [2, 1, 0]], "not finite"),
        (np.zeros((2, 2)), "3 x 3"),
        ([0, 1, 2], "3 x 3"),
    ],
)
def test_faulty_tables_are_refused_naming_the_entry(table, words):
    with pytest.raises(DataError, match=words):
        loss_table(table, 3)


def minimisers(costs: np.ndarray) -> np.ndarray:
    return np.flatnonzero(costs <= costs.min() + 1e-9)


@settings(max_examples=40)
@given(st.integers(2, 5), st.data())
def test_bayes_classifier_is_monotone_for_every_submodular_table(K, data):
    """The law behind `keeps_bayes_monotone`, on random tables and stochastically ordered distributions."""
    row = st.lists(st.integers(-5, 5), min_size=K, max_size=K)
    falling = [sorted(data.draw(row), reverse=True) for _ in range(K - 1)]  # steps that never rise with y
    table = np.vstack([np.zeros(K), np.cumsum(falling, axis=0)]).T
    assert keeps_bayes_monotone(table)
    mass = np.array(data.draw(st.lists(st.integers(1, 9), min_size=K, max_size=K)), dtype=float)
    moved, source = mass.copy(), data.draw(st.integers(0, K - 2))
    moved[source : source + 2] = 0.0, mass[source] + mass[source + 1]  # mass moves up one class
    below, above = minimisers(mass @ table), minimisers(moved @ table)
    assert below[0] <= above[0] and below[-1] <= above[-1]


def test_a_table_that_is_not_submodular_lets_the_bayes_classifier_fall():
    table = loss_table(loss_table("absolute", 3) * np.array([[1.0], [5.0], [1.0]]), 3)
    lower, upper = np.array([0.6, 0.3, 0.1]), np.array([0.6, 0.0, 0.4])
    assert minimisers(lower @ table).tolist() == [1] and minimisers(upper @ table).tolist() == [0]
