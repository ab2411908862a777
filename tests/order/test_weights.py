from __future__ import annotations

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from monoopt.algorithms.ordinal_data import read_ordinal_data
from monoopt.errors import DataError
from monoopt.estimators import SVDD, MonotoneRelabeler
from monoopt.order.weights import read_weights

WRONG = {
    "text": (["1", "1", "0"], "object 0: '1' is text"),
    "text array": (np.array(["1", "1", "0"]), "object 2: '0' is text"),
    "bytes": ([b"1", 1, 0], "object 0: b'1' is text"),
    "mixed text": ([1, "1", 0], "object 1: '1' is text"),
    "overflow": ([1.7e308] * 3, r"the sum inf is beyond 1e\+250"),
    "underflow": ([5e-324] * 3, "the largest weight 4.94066e-324 is below 1e-250"),
    "masked": (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), "object 1: nan"),
    "missing": ([1, None, 1], "object 1: nan"),
    "column with a gap": (pl.Series([1, None, 1]), "object 1: nan"),
    "infinite": ([1, np.inf, -np.inf], "object 1: inf.*object 2: -inf"),
    "negative": ([1, -1, 1], "object 1: -1, wanted"),
    "none left": ([0, 0, 0], "all weights are zero"),
    "short": ([1, 2], r"shape \(2,\), wanted \(3,\)"),
    "uneven": ([[1], [1, 2], 3], "one table"),
    "changed": ([2**53 + 1, 0.5, 1], r"beyond 2\*\*53"),
    "complex": ([1j, 1, 1], "Complex"),
    "dates": (np.array(["2026-01-01"] * 3, dtype="M8[ns]"), "datetime64"),
    "one word": ("1", "'1' is text"),
    "a set": ({1, 2, 3}, "'set'"),
}


@pytest.mark.parametrize("weights, words", WRONG.values(), ids=WRONG)
def test_what_is_no_weight_is_refused_at_every_door(weights, words):
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in (
            lambda: read_weights(weights, 3),
            lambda: read_ordinal_data(X, y, sample_weight=weights),
            lambda: MonotoneRelabeler().fit(X, y, sample_weight=weights),
            lambda: SVDD().fit(X, sample_weight=weights),
        ):
            with pytest.raises(DataError, match=f"(?s)sample_weight: .*{words}"):
                read()


@pytest.mark.parametrize(
    "weights",
    [[1, 2, 0], (1.0, 2.0, 0.0), np.array([1, 2, 0], dtype=np.uint8), pd.Series([1, 2, 0], index=[5, 6, 7]),
     [Decimal(1), 2, False], pl.Series([1, 2, 0]), np.ma.array([1, 2, 0])],
)  # fmt: skip
def test_weights_of_all_forms_are_read(weights):
    assert read_weights(weights, 3).tolist() == [1, 2, 0]


def test_one_number_stands_for_all():
    assert read_weights(2, 3).tolist() == [2, 2, 2] and read_weights(None, 2).tolist() == [1, 1]


@pytest.mark.parametrize("scale", [1e-240, 1.0, 1e240])
def test_the_scale_of_the_weights_does_not_change_the_answer(scale):
    X, y, w = [[1.0], [2.0], [3.0], [4.0]], [1, 0, 0, 1], np.array([1.0, 3.0, 2.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fitted = MonotoneRelabeler().fit(X, y, sample_weight=w * scale)
    assert fitted.predict(X).tolist() == [0, 0, 0, 1]
