from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from monoopt.errors import DataError
from monoopt.order import parse_directions, read_labels
from monoopt.order.ordinal import loss_table

WORDS = {"low": 0, "high": 1}


@pytest.mark.parametrize("order", [{"low", "high"}, frozenset(WORDS), WORDS, WORDS.keys(), WORDS.values()])
def test_an_order_without_an_order_is_refused(order):
    with pytest.raises(DataError, match=r"order: a .* came: an order needs a sequence"):
        read_labels(["low", "high"], order)


@pytest.mark.parametrize("order", [3, 2.5, np.array(3), object(), pd.DataFrame({"low": [0], "high": [1]})])
def test_an_order_that_is_no_sequence_is_refused(order):
    with pytest.raises(DataError, match="an order needs a sequence"):
        read_labels(["low", "high"], order)


@pytest.mark.parametrize("order", [[[1], [2]], np.array([[1], [2]]), [{1}, 2]])
def test_entries_of_an_order_must_be_labels(order):
    with pytest.raises(DataError, match=r"order: entry 0: .* is no label"):
        read_labels([1, 2], order)


@pytest.mark.parametrize("order", [("low", "high"), np.array(["low", "high"]), pd.Series(["low", "high"])])
def test_every_sequence_is_an_order(order):
    assert read_labels(["high", "low"], order).codes.tolist() == [1, 0]


def test_directions_without_an_order_are_refused():
    with pytest.raises(DataError, match="has no order"):
        parse_directions({"gain", "cost"}, 2)


@pytest.mark.parametrize("y", [[[1], 2, 3], [[1], [2, 3]], [{1}, 2], np.array([[1], 2, None], dtype=object)])
@pytest.mark.parametrize("order", [None, [1, 2, 3]])
def test_labels_that_are_lists_are_refused(y, order):
    with pytest.raises(DataError, match="y: "):
        read_labels(y, order)


MASK = [False, True, False]


@pytest.mark.parametrize("y", [np.ma.array([1, 2, 3], mask=MASK), np.ma.array(["a", "b", "c"], mask=MASK)])
def test_masked_labels_are_missing(y):
    for labels in (y, list(y)):
        with pytest.raises(DataError, match=r"1 label\(s\) missing .*row 1: (None|nan)"):
            read_labels(labels, y.data.tolist())


def test_bytes_are_read_as_text():
    for y in ([b"b", b"a"], np.array([b"b", b"a"]), np.array([b"b", b"a"], dtype=object), ["b", "a"]):
        for order in ([b"a", b"b"], np.array([b"a", b"b"]), ["a", "b"]):
            labels = read_labels(y, order)
            assert labels.codes.tolist() == [1, 0] and labels.classes.tolist() == ["a", "b"]
    with pytest.raises(DataError, match="differ only by type"):
        read_labels(np.array([b"a", "a"], dtype=object), ["a", "b"])


def test_text_and_numbers_are_told_apart():
    with pytest.raises(DataError, match="the labels are text and the order holds numbers") as caught:
        read_labels(["1", "2"], [1, 2, 3])
    assert "did you mean" not in str(caught.value)
    with pytest.raises(DataError, match="the labels are numbers and the order holds text"):
        read_labels([1, 2], ["1", "2"])


@pytest.mark.parametrize("order", [None, [1, 2, 3], [Decimal(1), 2.0, Fraction(3)]])
@pytest.mark.parametrize("number", [Decimal, Fraction, np.longdouble, np.int8])
def test_numbers_of_all_types_are_ordered_by_value(number, order):
    labels = read_labels([number(3), number(1), number(2)], order)
    assert labels.codes.tolist() == [2, 0, 1] and labels.classes.tolist() == [1, 2, 3]


def test_decimal_fractions_are_read_as_floats():
    labels = read_labels([Decimal("0.5"), Decimal("0.1")])
    assert labels.classes.dtype == float and labels.classes.tolist() == [0.1, 0.5]
    assert read_labels([0.1], [Decimal("0.1"), Decimal("0.5")]).codes.tolist() == [0]
    for missing in (Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")):
        with pytest.raises(DataError, match="row 1"):
            read_labels([Decimal(1), missing])


BIG = 2**53 + 1


@pytest.mark.parametrize("y", [[2**53, BIG, 0.5], np.array([BIG, 0.5], dtype=object), [0.5, Decimal(BIG)]])
def test_numbers_that_an_array_would_change_are_refused(y):
    with pytest.raises(DataError, match="9007199254740993 would be changed"):
        read_labels(y)
    with pytest.raises(DataError, match=r"order: .*9007199254740993 would be changed"):
        read_labels([0.5], y)


def test_large_integers_alone_stay_as_they_are():
    for y in ([2**53, BIG], pl.Series([2**53, BIG], dtype=pl.Int128), [Decimal(2**53), Decimal(BIG)]):
        assert read_labels(y).classes.tolist() == [2**53, BIG]
    with pytest.raises(DataError, match="differ only"):
        read_labels([Decimal("0.1"), Decimal("0.10000000000000000000000001")])


@pytest.mark.parametrize(
    "loss",
    [[["0", "1"], ["1", "0"]], [[0, "a"], [1, 0]], [[0, 1], [1]], [[0, None], [1, 0]], [[0, 1j], [1, 0]], 3, {"a": 1}],
)
def test_a_loss_table_of_anything_but_numbers_is_refused(loss):
    with pytest.raises(DataError, match="loss"):
        loss_table(loss, 2)


def test_masked_entries_of_a_loss_table_are_missing():
    with pytest.raises(DataError, match=r"L\[0, 1\] = nan"):
        loss_table(np.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [0, 0]]), 2)
