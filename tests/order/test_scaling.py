"""Scaling is affine, frozen and said aloud."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.errors import DataError, OptionError
from monoopt.order.scaling import fit_scaling, lone_extremes

NAMES = ["gdp", "leb"]
X = np.array([[100.0, 40.0], [500.0, 60.0], [300.0, 80.0], [np.nan, 70.0]])


def test_the_range_is_the_least_and_largest_known_value():
    scaling = fit_scaling(X, np.ones(4), "minmax", NAMES)
    assert scaling.low.tolist() == [100, 40] and scaling.high.tolist() == [500, 80]
    np.testing.assert_allclose(scaling.invert(scaling.apply(X[:3])), X[:3])
    assert np.isnan(scaling.apply(X)[3, 0])


def test_an_absent_object_does_not_set_the_range():
    assert fit_scaling(X, np.array([1.0, 0.0, 1.0, 1.0]), "minmax", NAMES).high.tolist() == [300, 80]


def test_a_constant_attribute_is_left_out_and_comes_back_as_its_constant():
    data = np.array([[1.0, 7.0], [3.0, 7.0]])
    scaling = fit_scaling(data, np.ones(2), "minmax", NAMES)
    assert scaling.kept.tolist() == [True, False]
    assert scaling.apply(data).tolist() == [[0.0], [1.0]]
    assert scaling.invert(np.array([[0.5]])).tolist() == [[2.0, 7.0]]


def test_weights_count_as_copies_in_quantiles():
    rng = np.random.default_rng(0)
    data, weight = rng.normal(size=(30, 2)), rng.integers(0, 4, 30)
    weighted = fit_scaling(data, weight.astype(float), "robust", NAMES)
    copies = fit_scaling(np.repeat(data, weight, axis=0), np.ones(weight.sum()), "robust", NAMES)
    np.testing.assert_array_equal(weighted.low, copies.low)
    np.testing.assert_array_equal(weighted.high, copies.high)


def test_goalposts_are_taken_as_they_are():
    scaling = fit_scaling(X, np.ones(4), {"gdp": (0, 1000)}, NAMES)
    assert scaling.low.tolist() == [0, 40] and scaling.high.tolist() == [1000, 80]
    assert scaling.outside(np.array([[-1.0, 50.0], [10.0, 90.0], [np.nan, 50.0]])).tolist() == [
        [True, False], [False, True], [False, False]]  # fmt: skip


@pytest.mark.parametrize("wrong", ["min-max", (0.9, 0.1), 3, (0.1,)])
def test_an_unknown_scaling_is_refused(wrong: object):
    with pytest.raises(OptionError, match="minmax"):
        fit_scaling(X, np.ones(4), wrong, NAMES)


def test_all_wrong_goalposts_are_listed():
    with pytest.raises(DataError) as error:
        fit_scaling(X, np.ones(4), {"gpd": (0, 1), "leb": (9, 1)}, NAMES)
    assert len(error.value.faults) == 2 and "did you mean 'gdp'" in str(error.value)


def test_an_object_that_sets_the_range_alone_is_found_at_either_end():
    data = np.column_stack([[0.0, 1, 2, 3, 30], [-50.0, 1, 2, 3, 4]])
    assert [(row, column) for row, column, _ in lone_extremes(data, np.ones(5))] == [(4, 0), (0, 1)]
    assert lone_extremes(data, np.array([1.0, 1, 1, 1, 0])) == []
    assert lone_extremes(data[1:4], np.ones(3)) == []


def test_what_varies_by_rounding_only_is_constant_and_what_varies_by_more_is_not():
    column = np.array([0.3, 0.1 + 0.2, 0.3])  # three tenths, twice as written and once as a sum
    for values, kept in ((column, False), (column * 1e300, False), (column * -1e-300, False), (1e9 + column, True)):
        data = np.column_stack([[1.0, 2.0, 3.0], np.where(kept, [1e9, 1e9 + 1, 1e9], values)])
        assert fit_scaling(data, np.ones(3), "minmax", NAMES).kept.tolist() == [True, kept]
    posts = {"leb": (0.0, 1.0)}
    assert fit_scaling(np.column_stack([[1.0, 2, 3], column]), np.ones(3), posts, NAMES).kept.all()
