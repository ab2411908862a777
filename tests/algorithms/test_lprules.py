"""LPRules, one question: margins are the largest over all monotone rules, whoever searches, and known on real data."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from monoopt import DataError, OptionError, relabel
from monoopt.algorithms.column_generation import ITERATIONS, TIME, Limits
from monoopt.algorithms.lprules import (
    GRAIN,
    PRICING,
    Settings,
    TaskFit,
    cone_rule,
    fit_task,
    whole_grains,
)
from monoopt.algorithms.rule_pricers import ProgramPricer, distinct_rules, rule_of
from monoopt.datasets import load_balance, load_era, load_esl, load_lev, load_swd
from monoopt.order import merge_equal, simplified

LOADERS = {"esl": load_esl, "lev": load_lev, "era": load_era, "balance": load_balance}
PUBLISHED = {
    "esl": [0.5, 0.13333, 0.13333, 0.09091, 0.08333, 0.07692, 0.2, 0.33333],
    "lev": [0.23077, 0.1, 0.09091],
    "era": [0.27273, 0.33333, 0.2, 0.1875, 0.2, 0.33333, 0.4, 0.4],
    "balance": [0.03105, 0.03105],
}
"""Optimal hard margins per question, measured on the tied relabelling that one solver happened to choose."""
COINCIDE = {"esl": [0, 1, 2, 3, 4, 7], "lev": [0, 1, 2], "era": range(8), "balance": [0, 1]}
"""Questions whose relabelling is the same with the tie rule "least", or has the same margin."""


@cache
def monotone(name: str, tie: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Distinct objects of a data set with their codes after relabelling, and the number of classes."""
    table = load_swd() if name == "swd" else LOADERS[name]()
    directions = np.array(list(table.directions.values()), dtype=np.int8)
    answer = relabel(table.X, table.y, directions=directions, tie=tie)
    objects, home = merge_equal(table.X)
    codes = np.zeros(len(objects), dtype=np.int64)
    codes[home] = answer.codes
    return objects, codes, directions, len(answer.classes)


@cache
def question(name: str, tie: str, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, TaskFit]:
    X, codes, directions, _ = monotone(name, tie)
    signs = np.where(codes >= k, 1, -1)
    return X, signs, directions, fit_task(X, signs, directions, np.ones(len(X)), Settings())


def margin_by_full_program(X: np.ndarray, signs: np.ndarray, directions: np.ndarray) -> float:
    """Largest hard margin: one linear program over all distinct rules and all objects, by scipy, without our code."""
    rules = [*distinct_rules(X, signs, directions, True), *distinct_rules(X, signs, directions, False)]
    edges = np.column_stack([rule.answers(X) for rule in rules]) * signs[:, None]
    n, T = edges.shape
    found = linprog(
        np.r_[-1.0, np.zeros(T)],
        A_ub=np.column_stack([np.ones(n), -edges]),
        b_ub=np.zeros(n),
        A_eq=[[0.0, *np.ones(T)]],
        b_eq=[1.0],
        bounds=[(None, None)] + [(0, None)] * T,
    )
    return -float(found.fun)


QUESTIONS = [(name, k) for name, margins in PUBLISHED.items() for k in range(1, len(margins) + 1)]
SOME = [("esl", 2), ("esl", 6), ("lev", 1), ("lev", 3), ("era", 4), ("era", 8)]


@pytest.mark.parametrize(("name", "k"), QUESTIONS)
def test_margins_are_proved_and_equal_the_published_ones_where_the_relabelling_is_the_same(name: str, k: int):
    X, signs, _, fit = question(name, "least", k)
    assert fit.certificate.ok and fit.bound - fit.margin <= 1e-6
    assert (signs * fit.ensemble.decision(X)).min() == fit.margin > 0
    if k - 1 in COINCIDE[name]:
        assert fit.margin == pytest.approx(PUBLISHED[name][k - 1], abs=5e-6)


@pytest.mark.parametrize("tie", ["least", "greatest"])
@pytest.mark.parametrize(("name", "k"), SOME)
def test_margins_equal_the_full_program_over_all_rules_and_all_objects(name: str, k: int, tie: str):
    X, signs, directions, fit = question(name, tie, k)
    assert fit.margin == pytest.approx(margin_by_full_program(X, signs, directions), abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("tie", ["least", "greatest"])
@pytest.mark.parametrize(("name", "k"), [q for q in QUESTIONS if q not in SOME])
def test_every_margin_equals_the_full_program(name: str, k: int, tie: str):
    X, signs, directions, fit = question(name, tie, k)
    assert fit.margin == pytest.approx(margin_by_full_program(X, signs, directions), abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOADERS)
def test_enumeration_gives_the_margins_of_the_search(name: str):
    X, codes, directions, K = monotone(name, "greatest")
    for k in range(1, K):
        signs = np.where(codes >= k, 1, -1)
        listed = fit_task(X, signs, directions, np.ones(len(X)), Settings(pricing="enumeration"))
        searched = question(name, "greatest", k)[3]
        assert listed.margin == pytest.approx(searched.margin, abs=2e-6)


@pytest.mark.parametrize(("name", "k"), [("swd", 2), ("swd", 3), ("esl", 4), ("balance", 1)])
def test_the_integer_program_finds_no_better_rule_at_the_last_multipliers(name: str, k: int):
    X, signs, directions, fit = question(name, "least", k)
    found = ProgramPricer(X[fit.rows], signs[fit.rows], directions).best(fit.duals, fit.margin, 1e-6, None)
    assert fit.certificate.ok and fit.duals.sum() == pytest.approx(1) and (fit.duals >= 0).all()
    assert found.complete and not found.rules and found.bound == pytest.approx(fit.margin, abs=1e-6)


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw distinct objects with monotone signs, directions and weights."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 3), min_size=d, max_size=d)
    X = np.unique(np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float), axis=0)
    directions = np.array(draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=d, max_size=d)), dtype=np.int8)
    signs = np.where(X @ directions >= draw(st.integers(-3, 6)), 1, -1)
    weights = np.array(draw(st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X))), dtype=float)
    return X, signs, directions, weights


@given(problems())
@settings(max_examples=20, deadline=None)
def test_three_pricers_and_the_full_program_agree_and_separate(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
):
    X, signs, directions, weights = problem
    margin = margin_by_full_program(X, signs, directions)
    for pricing in PRICING:
        fit = fit_task(X, signs, directions, weights, Settings(pricing=pricing))
        assert fit.certificate.ok and fit.margin == pytest.approx(margin, abs=2e-6)
        assert fit.ensemble.is_monotone(directions)
        assert (signs * fit.ensemble.decision(X) > 0).all(), "a separating ensemble always exists"


@given(problems(), st.floats(0.05, 1.0))
@settings(max_examples=15, deadline=None)
def test_soft_margins_reach_the_bound_and_multipliers_stay_below_the_penalty(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], share: float
):
    X, signs, directions, weights = problem
    D = 1.0 / (share * weights.sum())
    fits = [fit_task(X, signs, directions, weights, Settings(D=D, pricing=p)) for p in ("search", "enumeration")]
    assert fits[0].bound == pytest.approx(fits[1].bound, abs=3e-6)
    for fit in fits:
        assert fit.certificate.ok
        assert (fit.duals <= D * weights[fit.rows] + 1e-9).all() and fit.duals.sum() == pytest.approx(1)


def test_one_sided_questions_are_answered_by_the_rule_without_conditions():
    X, up = np.array([[1.0], [2.0]]), np.array([1], dtype=np.int8)
    for sign, text in ((1, "always +1 (weight 1)"), (-1, "always -1 (weight 1)")):
        fit = fit_task(X, np.array([sign, sign]), up, np.ones(2), Settings())
        assert fit.ensemble.text() == text and fit.margin == 1.0 and fit.certificate.ok


def test_only_the_border_is_in_the_program():
    X, signs, _, fit = question("esl", "least", 4)
    assert len(fit.rows) < len(X) / 4
    soft = fit_task(X, signs, np.ones(4, dtype=np.int8), np.ones(len(X)), Settings(D=0.02))
    assert len(soft.rows) == len(X), "with a soft margin every object counts"


@pytest.mark.parametrize(("limits", "why"), [(Limits(max_iterations=1), ITERATIONS), (Limits(time_limit=1e-4), TIME)])
def test_a_limit_leaves_a_separating_monotone_ensemble_with_an_honest_gap(limits: Limits, why: str):
    X, signs, directions, best = question("balance", "least", 1)
    fit = fit_task(X, signs, directions, np.ones(len(X)), Settings(limits=limits))
    assert fit.limited and fit.stopped == why and not fit.certificate.ok
    assert 0 < fit.margin < best.margin - 1e-6 < fit.bound <= 1.0
    assert fit.ensemble.is_monotone(directions)
    assert (signs * fit.ensemble.decision(X)).min() == fit.margin


def test_the_rules_of_theorem_3_separate_with_equal_weights():
    X, signs, directions, _ = question("lev", "least", 2)
    votes = sum(cone_rule(x, directions, s > 0).answers(X).astype(int) for x, s in zip(X, signs, strict=True))
    assert (signs * votes > 0).all()


def test_weights_are_whole_grains_so_that_votes_add_up_exactly_in_any_order():
    fit = question("balance", "least", 1)[3]
    weights = fit.ensemble.weights
    assert weights.sum() == 1.0 and (weights / GRAIN == np.round(weights / GRAIN)).all()
    random = np.random.default_rng(0)
    sums = {float(weights[random.permutation(len(weights))].sum()) for _ in range(20)}
    assert sums == {1.0}
    assert whole_grains(np.full(7, 1 / 7)).sum() == 1.0


@given(problems())
@settings(max_examples=30, deadline=None)
def test_a_simplified_rule_covers_the_same_objects_with_no_condition_too_many(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
):
    X, signs, directions, _ = problem
    for x, sign in zip(X, signs, strict=True):
        rule = cone_rule(x, directions, sign > 0)
        (short,) = simplified([rule], X)
        assert (short.covers(X) == rule.covers(X)).all() and set(short.conditions) <= set(rule.conditions)
        for left_out in short.conditions:
            fewer = tuple(c for c in short.conditions if c != left_out)
            assert (type(short)(short.positive, fewer).covers(X) != rule.covers(X)).any()


def test_distinct_rules_are_all_rules_up_to_what_they_cover():
    random = np.random.default_rng(5)
    X, directions = random.integers(0, 3, (7, 2)).astype(float), np.array([1, 0], dtype=np.int8)
    signs = random.choice([-1, 1], 7)
    for positive in (True, False):
        own = signs == (1 if positive else -1)
        turn = 1.0 if positive else -1.0
        wanted = set()
        for a, low, high in ((a, b, c) for a in (0, 1, 2) for b in (0, 1, 2) for c in (0, 1, 2)):
            x0, x1 = (a, np.inf) if turn > 0 else (-np.inf, a), (low, high)
            rule = rule_of(np.array([x0[0], x1[0]]), np.array([x0[1], x1[1]]), positive)
            wanted.add(rule.covers(X).tobytes() if (rule.covers(X) & own).any() else b"")
        found = [rule.covers(X).tobytes() for rule in distinct_rules(X, signs, directions, positive)]
        assert len(set(found)) == len(found)
        assert set(found) <= wanted
        assert all(rule.is_monotone(directions) for rule in distinct_rules(X, signs, directions, positive))


def test_too_many_rules_to_list_are_refused_with_the_way_out():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 6))
    signs = np.where(X.sum(axis=1) > 0, 1, -1)
    with pytest.raises(DataError, match="take pricing='search'"):
        distinct_rules(X, signs, np.ones(6, dtype=np.int8), True)


def test_an_unknown_pricing_is_refused():
    X, up = np.array([[1.0], [2.0]]), np.array([1], dtype=np.int8)
    with pytest.raises(OptionError, match="did you mean 'search'"):
        fit_task(X, np.array([-1, 1]), up, np.ones(2), Settings(pricing="serch"))
