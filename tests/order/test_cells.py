from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from monoopt.errors import CellTypeError, DataError
from monoopt.order import align_columns, read_table

BIG = 2**53 + 1


@pytest.mark.parametrize(
    "table",
    [
        [[2**53, 0.5], [BIG, 0.5]],
        [(0.5, -BIG)],
        [[BIG, True], [0.5, None]],
        [np.array([BIG]), np.array([0.5])],
        [[2**63 + 1], [-1]],
        {"a": np.array([2**53, BIG])},
        {"a": [0.5, BIG]},
        {"a": pl.Series([None, BIG])},
        {"a": pd.Series([pd.NA, BIG], dtype="Int64")},
        np.array([[BIG], [0.5]], dtype=object),
        np.array([[np.int64(BIG)]], dtype=object),
        np.array([[Decimal(BIG)]]),
        [[Decimal(BIG)], [Fraction(1, 2)]],
        [[Fraction(BIG)]],
        pd.DataFrame({"a": [BIG, 0.5]}, dtype=object),
        pd.DataFrame({"a": [Decimal(BIG), 1]}),
        pd.DataFrame({"a": pd.array([BIG, None], dtype="Int64")}),
        pl.DataFrame({"a": [BIG, None]}),
        pd.DataFrame({"a": pd.array([BIG, None], dtype="int64[pyarrow]")}),
        pa.table({"a": [BIG, None]}),
        pl.DataFrame({"a": [Decimal(BIG)]}),
        pl.DataFrame({"a": pl.Series([BIG], dtype=pl.Int128)}),
        {"a": pl.Series([BIG], dtype=pl.Int128)},
        np.ma.array([[BIG], [1]], mask=[[False], [True]]),
    ],
)
@pytest.mark.parametrize("keep_missing", [False, True])
def test_whole_numbers_that_float64_changes_are_refused_in_every_form(table, keep_missing):
    with pytest.raises(DataError, match=r"(900719925474099\d|9223372036854775809) is beyond 2\*\*53"):
        read_table(table, keep_missing=keep_missing)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long double is float64 here")
def test_long_doubles_that_float64_changes_are_refused():
    big = np.longdouble(2**53) + 1
    for table in (np.array([[big]]), {"a": np.array([big])}, np.array([[big]], dtype=object), [[big, 0.5]]):
        with pytest.raises(DataError, match=r"9007199254740993(\.0)? is beyond 2\*\*53"):
            read_table(table)
    assert read_table(np.array([[np.longdouble(0.5)]]))[0] == [[0.5]]


@pytest.mark.parametrize("table", [[[1e300, 2**60]], [[-1e16, 3]], [[Decimal(2**60), 0.1]], {"a": [2**53, 0.5]}])
def test_whole_numbers_that_float64_holds_are_read(table):
    expected = next(iter(table.values())) if isinstance(table, dict) else table[0]
    assert read_table(table)[0].ravel().tolist() == [float(v) for v in expected]


def test_wide_integers_of_polars_are_read():
    column = pl.Series([1, None, 3], dtype=pl.Int128)
    for table in (pl.DataFrame({"a": column}), {"a": column}):
        np.testing.assert_array_equal(read_table(table, keep_missing=True)[0], [[1], [np.nan], [3]])


MASKED = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])


@pytest.mark.parametrize(
    "table",
    [MASKED, MASKED.astype(int), MASKED > 0, list(MASKED), [[1, np.ma.masked], [3, 4]], {0: [1, 3], 1: MASKED[:, 1]}],
)
def test_masked_cells_are_missing(table):
    with pytest.raises(DataError, match=r"row 0, column 1: NaN \(missing\)") as caught:
        read_table(table)
    assert len(caught.value.faults) == 1
    assert np.isnan(read_table(table, keep_missing=True)[0]).tolist() == [[False, True], [False, False]]


def test_an_array_without_masked_cells_is_a_plain_one():
    values, _ = read_table(np.ma.array([[1, 2]]))
    assert type(values) is np.ndarray and values.tolist() == [[1, 2]]


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_dates_are_listed_with_all_other_faults(unit):
    dates = np.array(["2026-01-01", "2026-01-02"], dtype=f"M8[{unit}]")
    for column in (dates, dates - dates[0]):
        for make in (dict, pd.DataFrame):
            with pytest.raises(CellTypeError) as caught:
                read_table(make({"when": column, "a": ["low", np.nan]}))
            assert len(caught.value.faults) == 4 and isinstance(caught.value, DataError)
        with pytest.raises(CellTypeError, match="row 1, column 0"):
            read_table(column[:, None])


class Elsewhere:
    """A table of a kind that holds no rows itself."""

    columns = ("b", "a")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("table", [pl.LazyFrame({"b": [1], "a": [1]}), Elsewhere()])
def test_a_frame_without_its_rows_is_refused(table):
    with pytest.raises(DataError, match=r"came.*wanted .*collect.* first"):
        read_table(table)
    with pytest.raises(DataError, match=r"came.*wanted .*collect.* first"):
        align_columns(["a", "b"], table)
