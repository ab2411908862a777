from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt.errors import DataError
from monoopt.order import as_gains, orient, parse_directions

ALL_FORMS = [1, -1, 0, 1.0, np.int8(-1), "gain", "cost", "free", "+", "-", "up", "down", "Gain", None]
SIGNS = [1, -1, 0, 1, -1, 1, -1, 0, 1, -1, 1, -1, 1, 0]


def test_none_means_all_gain():
    assert parse_directions(None, 3).tolist() == [1, 1, 1]


def test_every_written_form():
    assert parse_directions(ALL_FORMS, len(ALL_FORMS)).tolist() == SIGNS


def test_a_dict_is_read_by_name_not_by_position():
    assert parse_directions({"b": "cost", "a": 1}, ["a", "b"]).tolist() == [1, -1]


def test_star_stands_for_every_attribute_not_named():
    assert parse_directions({"b": "cost", "*": 0}, ["a", "b", "c"]).tolist() == [0, -1, 0]


def test_positions_serve_where_columns_have_no_names():
    assert parse_directions({1: "cost", "*": "gain"}, 2).tolist() == [1, -1]


def test_series_by_name_and_series_by_position():
    assert parse_directions(pd.Series({"b": -1, "a": 1}), ["a", "b"]).tolist() == [1, -1]
    assert parse_directions(pd.Series([1, -1]), ["a", "b"]).tolist() == [1, -1]


def test_u13_unknown_and_missing_names_are_listed_at_once():
    with pytest.raises(ValueError, match="dept") as caught:
        parse_directions({"income": 1, "dept": -1, "agge": 0}, ["income", "debt", "age"])
    message = str(caught.value)
    assert "did you mean 'debt'" in message and "did you mean 'age'" in message
    assert "no direction for ['debt', 'age']" in message


@pytest.mark.parametrize("wrong", [float("nan"), 2, True, "gian", "", [1], 0.5, float("inf")])
def test_u13_entries_that_are_no_direction_are_refused(wrong):
    with pytest.raises(DataError, match="no direction"):
        parse_directions([1, wrong], 2)


def test_all_faulty_entries_are_listed():
    with pytest.raises(DataError) as caught:
        parse_directions({"a": float("nan"), "b": "gian"}, ["a", "b"])
    assert len(caught.value.faults) == 2
    assert "did you mean 'gain'" in str(caught.value)


@pytest.mark.parametrize("wrong", [[1], [1, 1, 1], "gain", 1, {"a": 1}])
def test_forms_that_do_not_fit(wrong):
    with pytest.raises(DataError):
        parse_directions(wrong, 2)


@given(st.lists(st.sampled_from([1, -1, 0]), min_size=1, max_size=6), st.randoms())
def test_dict_and_sequence_agree_in_any_order(signs, random):
    names = [f"x{j}" for j in range(len(signs))]
    items = list(zip(names, signs, strict=True))
    random.shuffle(items)
    assert parse_directions(dict(items), names).tolist() == parse_directions(signs, names).tolist() == signs


def test_orient_turns_costs_and_keeps_free_columns_apart():
    X = np.array([[1.0, 2.0, 3.0], [4.0, 0.0, 6.0]])
    directed, free = orient(X, parse_directions([1, -1, 0], 3))
    assert directed.tolist() == [[1.0, -2.0], [4.0, 0.0]] and free.tolist() == [[3.0], [6.0]]
    assert not np.signbit(directed[1, 1])
    assert as_gains(X, parse_directions([1, -1, 0], 3)).shape == (2, 4)
