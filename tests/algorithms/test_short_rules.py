"""Rules of few conditions: a complete list, the best ones found, margins as in the program over all of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import DataError, solve
from monoopt.algorithms.lprules import Settings, fit_task
from monoopt.algorithms.short_rules import ShortPricer, grid_cells, short_rules
from monoopt.formulations import lpboost_master
from monoopt.order import Rule, as_gains, merge_equal
from monoopt.order.comparisons import at_least

DIRECTIONS = np.array([1, -1, 0], dtype=np.int8)


def instance(seed: int, n: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Distinct objects on a small grid with monotone signs; some above, some not."""
    rng = np.random.default_rng(seed)
    X, _ = merge_equal(rng.integers(0, 3, (n, 3)).astype(float))
    gains = as_gains(X, DIRECTIONS)
    above = at_least(gains, gains[rng.integers(0, len(X), 2)]).any(axis=1)
    return X, np.where(above, 1, -1)


def patterns(X: np.ndarray, most: int) -> set[tuple[int, ...]]:
    """Answers of all monotone rules of at most `most` conditions, by trying every threshold on every side."""
    found = set()
    for positive in (True, False):
        turn = 1 if positive else -1
        sides = np.column_stack([X[:, 0], -X[:, 1], X[:, 2], -X[:, 2]]) * turn
        values = [[-np.inf, *np.unique(side)] for side in sides.T]
        for levels in product(*values):
            if np.isfinite(levels).sum() <= most:
                covered = (sides >= np.array(levels)).all(axis=1)
                found.add(tuple((covered * turn).tolist()))
    return {pattern for pattern in found if any(pattern)}


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=30)
def test_the_list_holds_every_answer_once_by_a_monotone_short_rule(seed: int, most: int):
    X, _ = instance(seed)
    rules = short_rules(X, DIRECTIONS, most)
    answers = [tuple(rule.answers(X).tolist()) for rule in rules]
    assert len(answers) == len(set(answers)) and set(answers) == patterns(X, most)
    assert all(rule.is_monotone(DIRECTIONS) and len(rule.conditions) <= most for rule in rules)


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=30)
def test_the_pricer_finds_the_largest_edge_of_all_short_rules(seed: int, most: int):
    X, signs = instance(seed)
    u = np.random.default_rng(seed).dirichlet(np.ones(len(X)))
    largest = max(float((u * signs) @ np.array(pattern)) for pattern in patterns(X, most))
    found = ShortPricer(X, signs, DIRECTIONS, most).best(u, 0.0, 1e-9, None)
    assert found.complete and found.bound == pytest.approx(largest, abs=1e-12)
    if largest > abs(float(u @ signs)) + 1e-9:
        assert float((u * signs) @ found.rules[0].answers(X)) == pytest.approx(largest, abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 2), st.sampled_from([None, 0.25]))
@settings(max_examples=25)
def test_margins_are_those_of_the_program_over_all_listed_rules(seed: int, most: int, D: float | None):
    X, signs = instance(seed)
    w = np.ones(len(X))
    fit = fit_task(X, signs, DIRECTIONS, w, Settings(D=D, max_conditions=most))
    answers = np.column_stack([rule.answers(X) for rule in short_rules(X, DIRECTIONS, most)])
    full = solve(lpboost_master.build(signs, answers, D, w))
    assert fit.certificate.ok and fit.bound == pytest.approx(full.objective, abs=1e-6)
    assert all(len(rule.conditions) <= most for rule in fit.ensemble.rules)


def test_as_many_conditions_as_sides_are_no_limit():
    assert not Settings(max_conditions=4).short(DIRECTIONS)
    assert Settings(max_conditions=3).short(DIRECTIONS)


def test_thresholds_can_be_thinned_out():
    X = np.arange(100.0)[:, None]
    up = np.array([1], dtype=np.int8)
    rules = short_rules(X, up, 1, cuts=3)
    assert [rule.text() for rule in rules[:4]] == [
        "always +1", "if x0 >= 1 then +1", "if x0 >= 50 then +1", "if x0 >= 99 then +1",
    ]  # fmt: skip
    assert isinstance(rules[-1], Rule) and len(rules) == 8


def test_too_many_are_refused_with_advice():
    X = np.random.default_rng(0).random((2000, 6))
    up = np.ones(6, dtype=np.int8)
    assert grid_cells(X, 3) > 1e11
    with pytest.raises(DataError, match="allow fewer conditions"):
        ShortPricer(X, np.where(X[:, 0] > 0.5, 1, -1), up, 3)
    with pytest.raises(DataError, match="rules of 2 conditions"):
        short_rules(X, up, 2)
