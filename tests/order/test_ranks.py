"""Ranks: ties are a choice, never an accident."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.errors import DataError, OptionError
from monoopt.order.ranks import rank_agreement, ranks


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("min", [1, 1, 3, 4]), ("dense", [1, 1, 2, 3]), ("average", [1.5, 1.5, 3, 4]),
     ("ordinal", [1, 2, 3, 4]), ("max", [2, 2, 3, 4])],
)  # fmt: skip
def test_tie_methods_of_equal_scores(ties: str, expected: list[float]):
    found = ranks([0.9, 0.9, 0.4, 0.1], ties)
    assert found.tolist() == expected


def test_low_scores_can_be_the_best():
    assert ranks([3.0, 1.0, 2.0], best="low").tolist() == [3, 1, 2]


@pytest.mark.parametrize("words", [{"ties": "dens"}, {"best": "hi"}])
def test_unknown_words_are_refused(words: dict[str, str]):
    with pytest.raises(OptionError):
        ranks([1.0, 2.0], **words)


def test_agreement_is_one_for_the_same_order_and_nothing_for_a_constant():
    assert rank_agreement([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert rank_agreement([1, 2, 3], [3, 2, 1], "kendall") == pytest.approx(-1)
    assert np.isnan(rank_agreement([1, 1, 1], [1, 2, 3]))
    with pytest.raises(OptionError, match="kendall"):
        rank_agreement([1, 2], [1, 2], "kendal")


def test_rounding_decides_no_rank() -> None:
    scores = np.array([0.1 + 0.2, 0.3, 1.0, 0.0])
    assert ranks(scores).tolist() == ranks(np.array([0.3, 0.1 + 0.2, 1.0, 0.0])).tolist() == [2, 2, 1, 4]
    assert ranks(scores * 1e-9).tolist() == ranks(scores * 1000 + 273.15).tolist() == [2, 2, 1, 4]
    assert ranks([1.0, 1.0 + 1e-9, 0.0]).tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1.0, np.nan, 2.0], r"NaN at \[1\].*leave it out"),
        ([[1.0], [2.0]], r"shape \(2, 1\)"),
        (["a"], "wanted numbers"),
    ],
)
def test_what_has_no_score_has_no_rank(scores: list, words: str):
    with pytest.raises(DataError, match=words):
        ranks(scores)
