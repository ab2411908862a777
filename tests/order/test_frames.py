from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from monoopt.errors import DataError
from monoopt.order import align_columns, extension_bounds, match_precision, precision_of, read_table

TABLE = {"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": [True, False, True]}
EXPECTED = [[1.0, 0.5, 1.0], [2.0, 1.5, 0.0], [3.0, 2.5, 1.0]]


def arrow_table(columns: dict[str, list[float]]) -> object:
    return pytest.importorskip("pyarrow").table(columns)


MAKERS = [pd.DataFrame, pl.DataFrame, arrow_table]


@pytest.mark.parametrize("make", MAKERS)
def test_frames_of_all_kinds_give_the_same_numbers_and_names(make):
    values, names = read_table(make(TABLE))
    assert values.tolist() == EXPECTED and names == ("a", "b", "c")
    assert values.dtype == np.float64 and values.flags.c_contiguous


def test_a_dict_of_columns_is_a_table_with_names():
    table = {"b": [1, 2], "a": np.array([0.5, 1.5], dtype=np.float32)}
    values, names = read_table(table)
    np.testing.assert_array_equal(values, [[1, 0.5], [2, 1.5]])
    assert names == ("b", "a") and list(align_columns(["a", "b"], table)) == ["a", "b"]
    assert precision_of(table).tolist() == [52, 23]


@pytest.mark.parametrize("wrong", [{}, {"a": [1, 2], "b": [1]}, {"a": 1.0}, {"a": [[1.0, 2.0]]}], ids=str)
def test_a_dict_that_is_no_table_is_refused(wrong):
    with pytest.raises(DataError, match="one dimension and equal length"):
        read_table(wrong)


def test_bad_cells_of_a_dict_are_named_by_column():
    with pytest.raises(DataError, match=r"column 'a'.*'x' is text"):
        read_table({"a": [1.0, "x"]})


def test_arrays_and_lists_have_no_names():
    for X in (EXPECTED, np.array(EXPECTED), np.asfortranarray(EXPECTED), np.array(EXPECTED, dtype=object)):
        values, names = read_table(X)
        assert values.tolist() == EXPECTED and names is None and values.flags.c_contiguous


def test_frames_whose_names_are_not_all_text_have_no_names():
    values, names = read_table(pd.DataFrame(EXPECTED))
    assert values.tolist() == EXPECTED and names is None


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.uint64, np.float32, bool])
def test_u37_numbers_become_float64_before_any_difference(kind):
    values, _ = read_table(np.array([[1], [0]], dtype=kind))
    assert values[1, 0] - values[0, 0] == -1.0


def test_u37_in_frames():
    for frame in (
        pd.DataFrame({"a": np.array([1, 2], np.uint8)}),
        pl.DataFrame({"a": [1, 2]}, schema={"a": pl.UInt8}),
    ):
        values, _ = read_table(frame)
        assert values[0, 0] - values[1, 0] == -1.0


def test_exact_number_types_are_read():
    values, _ = read_table([[Decimal("0.5"), Fraction(1, 4), np.float32(2), 3]])
    assert values.tolist() == [[0.5, 0.25, 2.0, 3.0]]
    assert read_table(pl.DataFrame({"a": [Decimal("0.5")]}))[0].tolist() == [[0.5]]


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        lambda rows: np.array(rows, dtype=object),
        lambda rows: pd.DataFrame(rows, columns=["a", "b"], dtype=object),
    ],
)
def test_all_bad_cells_are_listed_with_place_and_value(make):
    with pytest.raises(DataError) as caught:
        read_table(make([[1, "low"], [float("nan"), 2], [3, float("-inf")], [None, 4]]))
    assert len(caught.value.faults) == 4
    for piece in ("'low' is text", "NaN", "-inf"):
        assert piece in str(caught.value)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([0.5, None], dtype="Float64")}),
        pl.DataFrame({"a": [1, None]}),
        pl.DataFrame({"a": [True, None]}),
    ],
)
def test_nulls_of_every_frame_are_missing_values(frame):
    with pytest.raises(DataError, match=r"row 1, column 'a': NaN \(missing\)"):
        read_table(frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
        pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
        pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"], ordered=True)}),
    ],
)
def test_text_columns_are_refused_by_name(frame):
    with pytest.raises(DataError, match="column 'b': 'x' is text"):
        read_table(frame)


def test_many_bad_cells_show_twenty_and_the_total():
    with pytest.raises(DataError, match="and 80 more") as caught:
        read_table(np.full((50, 2), np.nan))
    assert len(caught.value.faults) == 21


def test_missing_cells_may_be_kept_but_infinities_never():
    values, _ = read_table([[1.0, None], [float("nan"), 2.0]], keep_missing=True)
    np.testing.assert_array_equal(values, [[1.0, np.nan], [np.nan, 2.0]])
    with pytest.raises(DataError, match="row 0, column 1: inf") as caught:
        read_table([[None, float("inf")]], keep_missing=True)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([1, 2], "Reshape your data"),
        (3.0, "Reshape your data"),
        (np.zeros((2, 2, 2)), "2 dimensions"),
        (np.zeros((0, 2)), "0 sample"),
        (np.zeros((2, 0)), r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
        (np.ones((2, 1), dtype=complex), "Complex data not supported"),
        ([[1 + 2j]], "Complex data not supported"),
        (sparse.csr_array(np.eye(2)), "sparse"),
        ([[1, 2], [3]], "one table"),
        (np.array([["1", "2"]]), "'1' is text"),
        (np.array([[2**53 + 1]]), r"beyond 2\*\*53"),
        (np.array([[10**400]], dtype=object), "inf"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than once"),
        (pd.Series([1, 2], name="a"), "Reshape your data"),
    ],
)
def test_tables_that_are_none_are_refused(wrong, words):
    with pytest.raises(DataError, match=words):
        read_table(wrong)


def test_a_cell_that_is_neither_number_nor_text_is_a_wrong_type():
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        read_table(np.array([[{"a": 1}]], dtype=object))
    with pytest.raises(TypeError, match="column 'when'"):
        read_table(pd.DataFrame({"when": pd.to_datetime(["2026-01-01"])}))


@pytest.mark.parametrize("make", MAKERS)
def test_u39_columns_are_put_in_the_order_of_fitting(make):
    swapped = make({"b": [3, 4], "a": [1, 2]})
    values, names = read_table(align_columns(("a", "b"), swapped))
    assert values.tolist() == [[1.0, 3.0], [2.0, 4.0]] and names == ("a", "b")


def test_u39_missing_and_extra_names_are_all_listed():
    with pytest.raises(DataError) as caught:
        align_columns(("income", "debt", "age"), pd.DataFrame({"dept": [1], "age": [2], "zip": [3]}))
    message = str(caught.value)
    assert (
        all(f"{name!r}" in message for name in ("income", "debt", "dept", "zip")) and "did you mean 'dept'" in message
    )


def test_tables_without_names_stay_as_they_are():
    X, frame = np.eye(2), pd.DataFrame({"a": [1]})
    assert align_columns(("a", "b"), X) is X and align_columns(None, frame) is frame


def test_u19_float32_queries_equal_the_float64_objects_that_they_repeat():
    X, codes, up = np.array([[0.1], [0.7]]), np.array([1, 2]), np.array([1], dtype=np.int8)
    query = np.array([[0.1]], dtype=np.float32)
    plain = extension_bounds(X, codes, up, query.astype(float), n_classes=3)
    bits = np.minimum(precision_of(X), precision_of(query))
    old, new = match_precision(X, bits), match_precision(read_table(query)[0], bits)
    low, high = extension_bounds(old, codes, up, new, n_classes=3)
    assert (low[0], high[0]) == (1, 1)
    assert (plain[0][0], plain[1][0]) == (1, 2)  # what a comparison of unequal precisions would say


def test_u19_the_other_way_round_fitted_in_float32_and_asked_in_float64():
    fitted, query = np.array([[0.1]], dtype=np.float32), np.array([[0.1]])
    bits = np.minimum(precision_of(fitted), precision_of(query))
    assert match_precision(read_table(fitted)[0], bits) == match_precision(query, bits)


def test_precision_goes_column_by_column_and_integers_are_exact():
    frame = pd.DataFrame({"a": np.float32([0.1]), "b": [0.1], "c": np.uint8([3]), "d": np.float16([0.1])})
    assert precision_of(frame).tolist() == [23, 52, 52, 10]
    assert precision_of(pl.DataFrame({"a": [0.1]}, schema={"a": pl.Float32})).tolist() == [23]
    assert precision_of([[1, 2.5]]).tolist() == [52, 52]
    rounded = match_precision(np.array([[0.1, 0.1, 2.0**40 + 1, 0.1]]), precision_of(frame))
    assert rounded.tolist() == [[float(np.float32(0.1)), 0.1, 2.0**40 + 1, float(np.float16(0.1))]]


def test_plain_arrays_load_no_frame_package():
    program = (
        "import sys; from monoopt.order import read_table, read_labels, align_columns, precision_of\n"
        "X = [[1, 2.5], [3, 4]]\n"
        "read_table(X); align_columns(['a', 'b'], X); precision_of(X); read_labels([1, 2])\n"
        "print([m for m in ('narwhals', 'pandas', 'polars', 'pyarrow', 'numba') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "table",
    [
        np.array([[np.float32(0.1), 1.0]], dtype=object),
        pd.DataFrame({"a": np.array([np.float32(0.1)], dtype=object), "b": [1.0]}),
        {"a": np.array([np.float32(0.1)], dtype=object), "b": [1.0]},
    ],
)
def test_cells_that_are_objects_keep_their_precision(table: object):
    assert precision_of(table).tolist() == [23, 52]
