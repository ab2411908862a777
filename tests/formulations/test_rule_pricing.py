"""Pricing program: its optimum is the best of all monotone rules, found by trying them all."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import DataError, solve
from monoopt.formulations import rule_pricing


def best_by_hand(X: np.ndarray, v: np.ndarray, directions: np.ndarray, positive: bool) -> float:
    """Try every choice of a lower and an upper threshold per attribute that the sign of the rule allows."""
    choices = []
    for j, sign in enumerate(directions * (1 if positive else -1)):
        values = np.unique(X[:, j])
        lows = [-np.inf, *values] if sign >= 0 else [-np.inf]
        highs = [np.inf, *values] if sign <= 0 else [np.inf]
        choices.append(list(product(lows, highs)))
    best = -np.inf
    for ends in product(*choices):
        inside = np.all([(X[:, j] >= low) & (X[:, j] <= high) for j, (low, high) in enumerate(ends)], axis=0)
        best = max(best, float(v[inside].sum()))
    return best


@st.composite
def instances(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 2))
    cells = st.lists(st.integers(0, 2), min_size=d, max_size=d)
    X = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)
    v = np.array(draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))) / 8
    directions = np.array(draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=d, max_size=d)))
    return X, v, directions, draw(st.booleans())


@given(instances())
@settings(max_examples=60, deadline=None)
def test_the_optimum_is_the_best_rule_and_the_rule_read_has_that_value(
    instance: tuple[np.ndarray, np.ndarray, np.ndarray, bool],
):
    X, v, directions, positive = instance
    program = rule_pricing.build(X, v, directions, positive)
    solution = solve(program)
    assert solution.objective == pytest.approx(best_by_hand(X, v, directions, positive), abs=1e-9)
    lower, upper = rule_pricing.read(program, solution, X, directions, positive)
    inside = ((X >= lower) & (X <= upper)).all(axis=1)
    assert v[inside].sum() == pytest.approx(solution.objective, abs=1e-9)
    turn = directions * (1 if positive else -1)
    assert (np.isinf(lower) | (turn >= 0)).all() and (np.isinf(upper) | (turn <= 0)).all()


def test_cover_is_whole_although_it_is_not_asked_to_be():
    random = np.random.default_rng(3)
    X, v = random.integers(0, 4, (12, 3)).astype(float), random.normal(size=12)
    program = rule_pricing.build(X, v, [1, -1, 0])
    cover = solve(program).values("cover")
    assert np.allclose(cover, np.round(cover))
    assert not program.integer[program.block("cover")].any()


def test_blocks_are_named_by_object_side_and_threshold():
    program = rule_pricing.build([[1.0, 7.0], [2.0, 7.0]], [-1.0, 1.0], [1, 0], objects=["ann", "bob"])
    assert program.column_names() == ["cover(ann)", "cover(bob)", "cut(0,0)", "cut(0,1)", "cut(1,0)", "cut(2,0)"]
    inside = ["inside(bob,0)", "inside(bob,1)", "inside(bob,2)"]
    assert program.row_names() == ["choice(0)", "choice(1)", "choice(2)", *inside, "outside(ann)"]


def test_a_threshold_of_zero_asks_nothing():
    X, v = [[1.0], [2.0]], [1.0, 1.0]
    program = rule_pricing.build(X, v, [1])
    assert rule_pricing.read(program, solve(program), X, [1]) == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("X", "values", "directions", "what"),
    [
        ([1.0, 2.0], [1.0, 1.0], [1], "X has shape"),
        ([[np.nan]], [1.0], [1], "finite"),
        ([[1.0]], [1.0, 2.0], [1], "values have shape"),
        ([[1.0]], [np.inf], [1], "values"),
        ([[1.0]], [1.0], [2], "directions"),
        ([[1.0]], [1.0], [1, 1], "directions"),
    ],
)
def test_what_can_not_be_used_is_named(X: list, values: list, directions: list, what: str):
    with pytest.raises(DataError, match=what):
        rule_pricing.build(X, values, directions)
