from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.order import read_labels

LEVELS = ["low", "medium", "high"]


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30))
def test_codes_keep_the_order_of_numbers_and_decode_gives_them_back(y):
    labels = read_labels(y)
    assert labels.decode(labels.codes).tolist() == y
    assert labels.classes.tolist() == sorted(set(y))
    order = np.argsort(y, kind="stable")
    assert (np.diff(labels.codes[order]) >= 0).all() and labels.codes.max() == labels.n_classes - 1


def test_u07_gaps_and_fractions_are_kept():
    labels = read_labels([10, 40, 20])
    assert labels.codes.tolist() == [0, 2, 1] and labels.classes.tolist() == [10, 20, 40]
    assert read_labels([0.5, -1.0, 72.5]).classes.tolist() == [-1.0, 0.5, 72.5]


def test_u07_a_measured_target_is_refused_with_advice():
    with pytest.raises(DataError, match=r"Unknown label type: continuous.*digitize"):
        read_labels(np.random.default_rng(0).normal(size=100))


def test_many_integer_valued_floats_are_classes():
    assert read_labels(np.arange(100.0)).n_classes == 100
    assert read_labels(np.repeat(np.arange(40) / 4, 3)).n_classes == 40


def test_booleans():
    labels = read_labels([True, False, True])
    assert labels.codes.tolist() == [1, 0, 1] and labels.classes.tolist() == [False, True]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pd.Categorical, lambda y: np.array(y, object)])
def test_u05_text_needs_an_order_and_the_trap_is_shown(make):
    y = make(["low", "medium", "high"])
    with pytest.raises(DataError, match="high < low < medium"):
        read_labels(y)
    assert read_labels(y, order=LEVELS).codes.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.Categorical(["high", "low"], LEVELS, ordered=True)),
        pd.Categorical(["high", "low"], LEVELS, ordered=True),
        pl.Series(["high", "low"], dtype=pl.Enum(LEVELS)),
    ],
)
def test_u05_ordered_categories_give_their_order_with_unused_ones_kept(y):
    labels = read_labels(y)
    assert labels.codes.tolist() == [2, 0] and labels.classes.tolist() == LEVELS and labels.n_classes == 3


def test_order_wins_over_the_order_of_a_category():
    y = pd.Series(pd.Categorical(["high", "low"], LEVELS, ordered=True))
    assert read_labels(y, order=["high", "low"]).codes.tolist() == [0, 1]


def test_intervals_of_a_cut_are_ordered_labels():
    labels = read_labels(pd.cut(pd.Series([5.0, 1.0, 9.0, 4.0, 2.0]), [0, 3, 6, 10]))
    assert labels.codes.tolist() == [1, 0, 2, 1, 0] and labels.decode([0])[0] == pd.Interval(0, 3)


def test_unordered_category_of_numbers_is_ordered_by_value():
    assert read_labels(pd.Series([10, 2, 10], dtype="category")).codes.tolist() == [1, 0, 1]


def test_text_that_looks_like_numbers_is_told_so():
    with pytest.raises(DataError, match="look like numbers"):
        read_labels(["10", "9"])


def test_labels_not_in_order_are_all_listed():
    with pytest.raises(DataError) as caught:
        read_labels(["low", "hihg", "none"], order=LEVELS)
    assert len(caught.value.faults) == 2 and "did you mean 'high'" in str(caught.value)


def test_order_of_numbers_may_differ_from_their_size():
    assert read_labels([1, 3, 2], order=[3, 2, 1]).codes.tolist() == [2, 0, 1]


@pytest.mark.parametrize("order", [["low", "low", "high"], ["low", None], [], "low", [float("nan"), 1.0]])
def test_faulty_orders_are_refused(order):
    with pytest.raises(DataError, match="order"):
        read_labels(["low"], order=order)


@pytest.mark.parametrize(
    "y",
    [
        [1.0, float("nan")],
        [1.0, float("inf")],
        np.array([1, None], dtype=object),
        ["low", None],
        pd.Series(["low", None]),
        pd.Series(pd.array([1, None], dtype="Int64")),
        pl.Series([1, None]),
        pl.Series(["low", None]),
        pd.Categorical(["low", None], LEVELS, ordered=True),
    ],
)
def test_missing_labels_are_refused_with_their_rows(y):
    with pytest.raises(DataError, match="row 1"):
        read_labels(y, order=None if not isinstance(y, list) or y[0] == 1.0 else LEVELS)


@pytest.mark.parametrize(
    "y", [[1, "a"], [1 + 2j], pd.to_datetime(["2026-01-01"]), np.zeros((2, 2)), 3, np.array([{1}, {2}])]
)
def test_labels_of_unknown_kinds_are_refused(y):
    with pytest.raises(DataError, match=r"Unknown label type|1d array"):
        read_labels(y)


def test_one_class_is_flagged_not_refused():
    assert read_labels([7, 7]).one_class and not read_labels([7, 8]).one_class
    assert read_labels(["low", "low"], order=LEVELS).one_class
