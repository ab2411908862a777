"""The path of column generation: its margin never falls, its bound never rises, it ends at the fit."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from monoopt import DataWarning, relabel
from monoopt.algorithms import margin_path as module
from monoopt.algorithms.column_generation import Limits
from monoopt.algorithms.few_rules import Choice, choose, fit_few, taken
from monoopt.algorithms.lprules import Settings, TaskFit, fit_task
from monoopt.algorithms.margin_path import Labelled, MarginPath, margin_path
from monoopt.algorithms.rule_path import penalty_of
from monoopt.datasets import load_balance, load_lev
from monoopt.order import merge_equal


@cache
def question(name: str, k: int) -> Labelled:
    table = {"lev": load_lev, "balance": load_balance}[name]()
    objects, home = merge_equal(table.X)
    codes = np.zeros(len(objects), dtype=np.int64)
    codes[home] = relabel(table.X, table.y, directions=list(table.directions.values())).codes
    return Labelled(objects, np.where(codes >= k, 1, -1), np.bincount(home).astype(float))


def up(name: str) -> np.ndarray:
    table = {"lev": load_lev, "balance": load_balance}[name]()
    return np.array(list(table.directions.values()), dtype=np.int8)


@cache
def walked(name: str, k: int, nu: float) -> tuple[TaskFit, MarginPath]:
    seen = question(name, k)
    own = Settings(D=penalty_of(nu, seen.weights))
    fit = fit_task(seen.X, seen.signs, up(name), seen.weights, own)
    return fit, margin_path(fit, seen)


CASES = [("lev", 2, 0.0), ("lev", 3, 0.2), ("balance", 1, 0.0)]


@pytest.mark.parametrize("case", CASES)
def test_the_margin_never_falls_the_bound_never_rises_and_stays_above(case: tuple[str, int, float]):
    _, path = walked(*case)
    assert len(path) > 1
    assert (np.diff(path.margins) >= -1e-9).all() and (np.diff(path.bounds) <= 0).all()
    assert (path.bounds >= path.margins - 1e-9).all() and path.gaps[-1] <= 1e-6


@pytest.mark.parametrize("case", CASES)
def test_the_last_ensemble_is_the_fitted_one(case: tuple[str, int, float]):
    fit, path = walked(*case)
    assert path.chosen == len(path) - 1 == len(fit.steps) - 1
    assert path.ensemble(-1) == fit.ensemble and path.rules[-1] == len(fit.ensemble.rules)
    assert path.margins[-1] == fit.certificate.primal_objective and path.bounds[-1] == fit.bound


@pytest.mark.parametrize("case", CASES)
def test_numbers_and_errors_are_those_of_the_ensembles(case: tuple[str, int, float]):
    seen, (_, path) = question(*case[:2]), walked(*case)
    for t in range(len(path)):
        ensemble = path.ensemble(t)
        wrong = seen.signs * ensemble.decision(seen.X) <= 1e-9
        assert path.rules[t] == len(ensemble.rules)
        assert path.errors[t] == pytest.approx(seen.weights[wrong].sum() / seen.weights.sum(), abs=1e-12)


def test_every_ensemble_of_a_hard_margin_has_the_margin_of_its_master_program():
    seen, (_, path) = question("balance", 1), walked("balance", 1, 0.0)
    reached = [(seen.signs * path.ensemble(t).decision(seen.X)).min() for t in range(len(path))]
    assert reached == pytest.approx(path.margins, abs=1e-9)
    assert (path.margins > 0).all() and (path.errors == 0).all()
    assert path.rules[0] == 115, "one rule per border object (Theorem 3)"


def test_errors_do_not_depend_on_how_many_objects_are_looked_at_together(monkeypatch: pytest.MonkeyPatch):
    fit, path = walked("lev", 3, 0.2)
    monkeypatch.setattr(module, "AT_ONCE", 100)
    assert margin_path(fit, question("lev", 3)).errors == pytest.approx(path.errors, abs=1e-12)


def test_a_table_marks_the_ensemble_taken():
    _, path = walked("lev", 2, 0.0)
    lines = str(path).split("\n")
    assert lines[0].split() == ["step", "rules", "margin", "bound", "error"] and len(lines) == len(path) + 1
    assert [line.startswith("*") for line in lines[1:]] == [False] * (len(path) - 1) + [True]


def test_fewest_takes_the_shortest_ensemble_without_errors():
    seen, (full, path) = question("balance", 1), walked("balance", 1, 0.0)
    fit = fit_few(seen.X, seen.signs, up("balance"), seen.weights, Settings(), "fewest")
    assert len(fit.ensemble.rules) == path.rules.min() < len(full.ensemble.rules) / 1.5
    assert (seen.signs * fit.ensemble.decision(seen.X)).min() == fit.margin > 0
    assert fit.bound == full.bound > fit.margin and fit.certificate.ok and not fit.limited
    assert f"at most {fit.bound:.6g} is proved" in str(fit.certificate)
    assert fit.certificate.primal_objective == pytest.approx(fit.margin, abs=1e-9)
    again = margin_path(fit, seen)
    assert again.chosen == fit.chosen == int(np.argmin(path.rules)) and again.ensemble(fit.chosen) == fit.ensemble


def test_multipliers_of_an_earlier_ensemble_prove_its_margin_among_its_rules():
    seen, (_, path) = question("balance", 1), walked("balance", 1, 0.0)
    fit = taken(Choice(0.0, path, 1), seen.signs, seen.weights)
    assert fit.duals.min() >= 0 and fit.duals.sum() == pytest.approx(1.0)
    edges = (fit.duals * seen.signs[fit.rows]) @ fit.ensemble.answers(seen.X[fit.rows])
    assert edges.max() == pytest.approx(fit.margin, abs=1e-7)


def test_a_number_is_met_by_the_largest_margin_it_allows_before_any_softer_one():
    seen, (_, path) = question("balance", 1), walked("balance", 1, 0.0)
    allowed = path.rules <= 60
    assert allowed.sum() > 1
    fit = fit_few(seen.X, seen.signs, up("balance"), seen.weights, Settings(), 60)
    assert fit.margin == pytest.approx(path.margins[allowed].max(), abs=1e-9) and len(fit.ensemble.rules) <= 60


@pytest.mark.parametrize("most", [1, 4])
def test_fewer_rules_than_any_hard_margin_takes_are_those_of_a_softer_one(most: int):
    seen, (_, path) = question("lev", 2), walked("lev", 2, 0.0)
    assert path.rules.min() > most
    few = fit_few(seen.X, seen.signs, up("lev"), seen.weights, Settings(), most)
    assert len(few.ensemble.rules) <= most and few.certificate.ok
    assert 0 < (seen.signs * few.ensemble.decision(seen.X) <= 1e-9).mean() < 0.5, "they can't be right everywhere"


def test_where_none_is_so_short_the_shortest_is_chosen():
    _, path = walked("balance", 1, 0.0)
    assert choose([(0.0, path)], 1).rules == path.rules.min()


def test_a_limit_leaves_the_path_as_far_as_it_went():
    seen, (_, path) = question("balance", 1), walked("balance", 1, 0.0)
    own = Settings(limits=Limits(max_iterations=2))
    short = margin_path(fit_task(seen.X, seen.signs, up("balance"), seen.weights, own), seen)
    assert len(short) == 2 and short.margins == pytest.approx(path.margins[:2])
    none = fit_task(seen.X, seen.signs, up("balance"), seen.weights, Settings(limits=Limits(time_limit=1e-9)))
    assert len(margin_path(none, seen)) == len(none.steps) <= 1
    few = fit_few(seen.X, seen.signs, up("balance"), seen.weights, Settings(limits=Limits(time_limit=1e-9)), 5)
    assert (seen.signs * few.ensemble.decision(seen.X)).min() > 0, "the first rules separate at all times"


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=2, max_size=12))
def test_on_any_data_the_path_obeys_its_laws(rows: list[tuple[int, int, bool]]):
    assume(len({c for *_, c in rows}) == 2 and len({(a, b) for a, b, _ in rows}) > 1)
    X = np.array([[a, b] for a, b, _ in rows], dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        codes = relabel(X, [int(c) for *_, c in rows], order=[0, 1]).codes
    objects, home = merge_equal(X)
    signs = np.ones(len(objects), dtype=np.int64)
    signs[home] = np.where(codes == 1, 1, -1)
    seen = Labelled(objects, signs, np.bincount(home).astype(float))
    fit = fit_task(objects, signs, np.ones(2, dtype=np.int8), seen.weights, Settings())
    path = margin_path(fit, seen, seen)
    assert (np.diff(path.margins) >= -1e-9).all() and (path.bounds >= path.margins - 1e-9).all()
    assert path.ensemble(-1) == fit.ensemble and path.rules[-1] == len(fit.ensemble.rules)
    assert (path.errors == 0).all() and (path.new_errors == 0).all()
