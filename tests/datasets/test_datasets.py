"""The shipped data are those of the source, with directions and classes that fit."""

from __future__ import annotations

import csv
import os
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from monoopt import datasets
from monoopt.order import parse_directions, violating_pairs

SHAPES = {
    "esl": (488, 4, 9),
    "swd": (1000, 10, 4),
    "lev": (1000, 4, 5),
    "era": (1000, 4, 9),
    "balance": (625, 4, 3),
}
SIZES = {
    "esl": (2, 12, 38, 100, 116, 135, 62, 19, 4),
    "swd": (32, 352, 399, 217),
    "lev": (93, 280, 403, 197, 27),
    "era": (92, 142, 181, 172, 158, 118, 88, 31, 18),
    "balance": (288, 49, 288),
}
# Counted independently over all pairs of objects: lower class in spite of being at least as good everywhere.
VIOLATIONS = {"esl": 1125, "swd": 4741, "lev": 6648, "era": 16730, "balance": 0}


def load(name: str) -> datasets.Dataset:
    return getattr(datasets, f"load_{name}")()


@pytest.mark.parametrize("name", SHAPES)
def test_shape_classes_and_documentation(name):
    data = load(name)
    n, d, K = SHAPES[name]
    assert data.X.shape == (n, d) and data.X.dtype == np.float64 and data.y.shape == (n,)
    assert tuple(np.bincount(data.y)[1:]) == SIZES[name]
    assert len(data.classes) == K and len(data.feature_names) == d and list(data.directions) == list(data.feature_names)
    assert "skordinal" in data.source and "BSD-3-Clause" in data.licence and data.description


@pytest.mark.parametrize("name", SHAPES)
def test_violating_pairs_under_the_stated_directions(name):
    data = load(name)
    signs = parse_directions(data.directions, data.feature_names)
    assert len(violating_pairs(data.X, data.y, signs)) == VIOLATIONS[name]


@pytest.mark.parametrize("name", SHAPES)
def test_rows_equal_an_independent_copy(name):
    folder = os.environ.get("MONOOPT_DATA")
    if not folder:
        pytest.skip("MONOOPT_DATA names no folder with independent copies of the data")
    with Path(folder, "ordinal", f"{name}.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    data = load(name)
    assert (*data.feature_names, data.target_name) == tuple(header)
    ours = Counter((*x, y) for x, y in zip(data.X.tolist(), data.y.tolist(), strict=True))
    assert ours == Counter(tuple(float(cell) for cell in row) for row in rows)


def test_data_can_not_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        load("esl").X[0, 0] = 7


def test_frame_holds_attributes_and_target():
    frame = load("balance").frame()
    assert list(frame.columns) == [*load("balance").feature_names, "class"]
    assert frame["class"].tolist() == load("balance").y.tolist()


def test_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        load("esl").frame()


def test_balance_tips_left_when_the_left_moment_is_larger():
    data = load("balance")
    moment = data.X[:, 0] * data.X[:, 1] - data.X[:, 2] * data.X[:, 3]
    np.testing.assert_array_equal(data.y, 2 + np.sign(moment))


def test_licence_text_is_shipped():
    text = Path(datasets.__file__).with_name("data").joinpath("LICENSE-skordinal.txt").read_text(encoding="utf-8")
    assert "The skordinal developers" in text and "Redistribution and use" in text
