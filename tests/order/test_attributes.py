"""Attributes: categories and missing cells become numbers whose order is the one that was asked for."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt import DataError, OptionError
from monoopt.order import Attributes, Condition, Rule, as_gains, read_attributes
from monoopt.order.comparisons import at_least

NAN = float("nan")


def reference(x: Any, z: Any, signs: list[int], missing: str) -> bool:
    """Whether x is at least as good as z, cell by cell, as the documentation says it."""
    for a, b, sign in zip(x, z, signs, strict=True):
        gaps = (np.isnan(a), np.isnan(b))
        if sign == 0 or missing == "incomparable":
            if gaps[0] != gaps[1]:
                return False
            fits = all(gaps) or (a == b if sign == 0 else (a - b) * sign >= 0)
        else:
            fits = gaps[1] or (not gaps[0] and (a - b) * sign >= 0)
        if not fits:
            return False
    return True


@given(st.integers(0, 2**31), st.sampled_from(["worst", "incomparable"]))
def test_objects_with_gaps_are_compared_as_told(seed: int, missing: str):
    random = np.random.default_rng(seed)
    X = random.choice([0.0, 1.0, 2.0, NAN], (12, 3))
    signs = random.choice([-1, 0, 1], 3).tolist()
    values, columns = read_attributes(X, signs, missing)
    gains = as_gains(values, columns.directions)
    above = at_least(gains, gains)
    assert above.tolist() == [[reference(x, z, signs, missing) for z in X] for x in X]
    assert above.diagonal().all()
    assert not ((above.astype(int) @ above.astype(int) > 0) & ~above).any()  # transitive


def test_gaps_are_refused_all_of_them_unless_told_otherwise():
    X = pd.DataFrame({"a": [1.0, None, 3.0], "b": ["x", "y", None]})
    with pytest.raises(DataError) as caught:
        read_attributes(X, {"a": 1, "b": "free"})
    assert len(caught.value.faults) == 2
    assert "row 1, column 'a'" in str(caught.value) and "row 2, column 'b'" in str(caught.value)
    with pytest.raises(OptionError, match=r"missing='wurst', did you mean 'worst'\?"):
        read_attributes(X, {"a": 1, "b": "free"}, "wurst")
    with pytest.raises(DataError, match="infinite"):
        read_attributes([[np.inf], [NAN]], [1], "worst")
    with pytest.raises(DataError, match="too large beside missing cells"):
        read_attributes([[1e305], [NAN]], [1], "worst")


ROWS = {"size": [3, 1, 2], "colour": ["red", "blue", "red"], "safety": ["low", "high", "med"]}
SAFETY = ["low", "med", "high"]
TABLES = {
    "dict": ROWS,
    "rows": [list(row) for row in zip(*ROWS.values(), strict=True)],
    "objects": np.array([list(row) for row in zip(*ROWS.values(), strict=True)], dtype=object),
    "pandas": pd.DataFrame(ROWS),
    "pandas categories": pd.DataFrame(ROWS).astype({"colour": "category"}),
    "polars": pl.DataFrame(ROWS),
    "polars categories": pl.DataFrame(ROWS, schema_overrides={"colour": pl.Categorical}),
    "arrow": pa.table(ROWS),
}


@pytest.mark.parametrize("name", TABLES)
def test_text_is_read_alike_from_every_kind_of_table(name: str):
    values, columns = read_attributes(TABLES[name], ["cost", "free", SAFETY])
    assert values.tolist() == [[3, 1, 0], [1, 0, 2], [2, 1, 1]]
    assert columns.categories == (None, ("blue", "red"), tuple(SAFETY)) and columns.signs == (-1, 0, 1)
    assert columns.read(TABLES[name]).tolist() == values.tolist()


@pytest.mark.parametrize(
    "safety",
    [
        pd.DataFrame({"s": pd.Categorical(ROWS["safety"], SAFETY, ordered=True)}),
        pl.DataFrame({"s": pl.Series(ROWS["safety"], dtype=pl.Enum(SAFETY))}),
    ],
    ids=["pandas", "polars"],
)
def test_an_ordered_category_brings_its_order(safety: Any):
    for direction in (None, ["gain"], ["cost"], ["free"]):
        values, columns = read_attributes(safety, direction)
        assert values.ravel().tolist() == [0, 2, 1] and columns.categories == (tuple(SAFETY),)
    assert read_attributes(safety, [SAFETY[::-1]])[0].ravel().tolist() == [2, 0, 1]  # what is said wins


def test_categories_that_are_numbers_go_by_their_own_order_if_they_have_one():
    for ordered, places in ((True, [0, 1, 2]), (False, [3, 1, 2])):
        frame = pd.DataFrame({"a": pd.Categorical([3, 1, 2], [3, 1, 2], ordered=ordered)})
        values, columns = read_attributes(frame, None)
        assert values.ravel().tolist() == places and columns.read([[1]]).tolist() == [[1.0]]
    assert columns.categories == (None,)


def test_text_without_an_order_is_refused_where_more_is_better_and_says_what_to_do():
    with pytest.raises(DataError) as caught:
        read_attributes({"a": ["high", "low"], "b": [1.0, NAN]}, None)
    text = str(caught.value)
    assert "column 'a' holds text" in text and "high < low, seldom what is meant" in text
    assert "row 1, column 'b'" in text


def test_unknown_categories_are_all_listed_with_the_nearest():
    _, columns = read_attributes(ROWS, ["gain", "free", SAFETY])
    with pytest.raises(DataError) as caught:
        columns.read({"size": [1, 2], "colour": ["rde", "green"], "safety": ["hgih", "low"]})
    assert len(caught.value.faults) == 3
    assert "'rde' is no category of it, did you mean 'red'?" in str(caught.value)
    with pytest.raises(DataError, match="category 'low' appears more than once"):
        read_attributes(ROWS, ["gain", "free", ["low", "low", "high"]])
    for nothing in (None, NAN):
        with pytest.raises(DataError, match="a missing cell is no category"):
            read_attributes(ROWS, ["gain", "free", ["low", "med", "high", nothing]], "worst")
    with pytest.raises(DataError, match="'med' is no category"):
        read_attributes(ROWS, ["gain", "free", ["low", "high"]])


def test_numbers_that_were_read_can_be_turned_back():
    for missing in ("worst", "incomparable"):
        X = {"a": [1.0, None], "b": ["x", None], "c": [None, 2.0]}
        values, columns = read_attributes(X, [1, 0, -1], missing)
        assert np.array_equal(columns.read(columns.table(values)), values)
        assert [columns.cell(j, v) for j, v in enumerate(values[1, :3])] == [None, None, 2.0]


@pytest.mark.parametrize("missing", ["error", "worst", "incomparable"])
def test_words_hold_exactly_where_the_conditions_do(missing: str):
    columns = Attributes((1, -1, 0), ("a", "b", "c"), (None, None, ("x", "y", "z")), missing)
    cells = [(1.0, 2.0, None), (1.0, 2.0, None), ("x", "y", "z", None)]
    rows = [row for row in product(*cells) if missing != "error" or None not in row]
    X = columns.read(np.array(rows, dtype=object))
    sides = [(side, t) for side in (">=", "<=") for t in (1.0, 2.0)]
    for j, chosen in product((0, 1, 2), (1, 2)):
        for pair in product(sides, repeat=chosen):
            conditions = tuple(Condition(j, side, t) for side, t in pair)
            texts = columns.words(conditions)
            said = [all(understood(text, dict(zip("abc", row, strict=True))) for text in texts) for row in rows]
            assert said == Rule(True, conditions).covers(X).tolist(), texts


def understood(text: str, row: dict[str, Any]) -> bool:
    """Read one condition as a person would."""
    body = text.strip("()").removesuffix(" or missing")
    name = body.split()[0]
    value = row[name]
    if value is None:
        return text.endswith("or missing)") or body == f"{name} is missing"
    for part in body.split(" and "):
        rest = part.removeprefix(f"{name} ")
        if rest.startswith("in "):
            fits = value in rest[4:-1].split(", ")
        elif rest.startswith("is "):
            fits = value == rest[3:]
        else:
            side, number = rest.split()
            fits = value >= float(number) if side == ">=" else value <= float(number)
        if not fits:
            return False
    return True


def test_a_rule_about_missing_cells_says_so():
    columns = Attributes((1, -1), ("a", "b"), (None, None), "incomparable")
    gap = columns.read([[NAN, NAN]])[0]
    assert columns.words([Condition(0, "<=", gap[0]), Condition(1, ">=", gap[1])]) == ["a is missing", "b is missing"]
    assert columns.words([Condition(0, "<=", 3.0), Condition(2, "<=", 0.0)]) == ["a <= 3", "missing cells <= 0"]
    assert columns.words([Condition(0, "<=", 3.0)]) == ["(a <= 3 or missing)"]
