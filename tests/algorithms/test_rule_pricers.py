"""Pricers: three ways find the same, a run that is stopped states a gap worth stating, and time limits are shared."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from monoopt.algorithms import rule_pricers, rule_search
from monoopt.algorithms.column_generation import ITERATIONS, Limits
from monoopt.algorithms.lprules import Settings, fit_task
from monoopt.algorithms.rule_pricers import (
    BOUND_FROM,
    SMOOTHING,
    EnumerationPricer,
    Found,
    ProgramPricer,
    SearchPricer,
)
from monoopt.program import Program
from monoopt.solvers import Settings as SolverSettings
from monoopt.solvers.base import Held
from monoopt.solvers.highs import Highs

TIGHT = 1e-9


class Forgetful(Highs):
    """HiGHS that starts every master program cold."""

    def hold(self, program: Program, settings: SolverSettings) -> Held:
        return Held(self, program, settings)


def monotone_task(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Real attributes, signs that are monotone with a jagged border, all attributes gains."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    seeds = X[rng.choice(n, n // 6, replace=False)]
    signs = np.where((X[:, None] >= seeds).all(axis=2).any(axis=1) | (X.mean(axis=1) > 0.2), 1, -1)
    assert (signs[(X[:, None] >= X[signs > 0]).all(axis=2).any(axis=1)] > 0).all()
    return X, signs, np.ones(d, dtype=np.int8)


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """Every exact search is done by the tree; the words of all searches are written down, each takes one second."""
    monkeypatch.setattr(rule_search, "GRID_CELLS", 0)
    now, calls, whole = [0.0], [], rule_search.RuleSearch.best

    def watched(self: object, *args: object, **words: object) -> object:
        calls.append({"sign": args[1], **words})
        now[0] += 1.0
        return whole(self, *args, **words)

    monkeypatch.setattr(rule_search.RuleSearch, "best", watched)
    monkeypatch.setattr(rule_pricers, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return calls


@pytest.mark.parametrize("cells", [0, 10**9], ids=["tree", "grid"])
def test_three_pricers_prove_the_same_bound(cells: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rule_search, "GRID_CELLS", cells)
    for seed in range(3):
        X, signs, up = monotone_task(30, 2, seed)
        u = np.random.default_rng(seed).dirichlet(np.ones(30))
        best = EnumerationPricer(X, signs, up).best(u, 0.0, TIGHT, None).bound
        assert ProgramPricer(X, signs, up).best(u, 0.0, TIGHT, None).bound == pytest.approx(best, abs=1e-6)
        found = SearchPricer(X, signs, up).best(u, 0.0, TIGHT, None)
        assert found.rules and found.bound >= best - TIGHT
        proved = SearchPricer(X, signs, up).best(u, best, TIGHT, None)
        assert not proved.rules and proved.complete and proved.bound == pytest.approx(best, abs=2 * TIGHT)


def test_a_run_that_is_stopped_states_a_bound_that_says_something():
    X, signs, up = monotone_task(120, 7)
    runs = [
        fit_task(X, signs, up, np.ones(120), Settings(limits=Limits(max_iterations=most, smoothing=SMOOTHING)))
        for most in (None, BOUND_FROM + 1)
    ]
    whole, stopped = runs
    assert whole.certificate.ok and len(whole.steps) > BOUND_FROM + 1 and stopped.stopped == ITERATIONS
    assert stopped.margin < whole.margin <= whole.bound <= stopped.bound < 2.1 * whole.bound
    assert stopped.certificate.gap == pytest.approx(stopped.bound - stopped.margin)


def test_a_bound_proved_in_passing_holds_for_all_rules(searched: list[dict], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rule_pricers, "BOUND_FROM", 1)
    X, signs, up = monotone_task(40, 2)
    u = np.random.default_rng(0).dirichlet(np.ones(40))
    best = EnumerationPricer(X, signs, up).best(u, 0.0, TIGHT, None).bound
    found = SearchPricer(X, signs, up).best(u, 0.9 * best, TIGHT, None)
    assert not found.complete and best - TIGHT <= found.bound < 1.0
    assert any(call["node_limit"] == rule_pricers.BOUND_NODES for call in searched)


def test_rules_of_one_sign_spare_the_proof_for_the_other(searched: list[dict], monkeypatch: pytest.MonkeyPatch):
    X, signs, up = monotone_task(60, 4)
    pricer = SearchPricer(X, signs, up)
    monkeypatch.setattr(pricer, "_glance", lambda *args: Found([], 0.0, 1.0, False))
    assert pricer.best(np.ones(60) / 60, 0.0, TIGHT, None).rules
    assert [call["node_limit"] for call in searched] == [None, 0]


def test_the_searches_of_one_call_share_its_time_and_a_proof_that_came_in_time_is_kept(searched: list[dict]):
    X, signs, up = monotone_task(40, 2)
    u = np.random.default_rng(0).dirichlet(np.ones(40))
    best = EnumerationPricer(X, signs, up).best(u, 0.0, TIGHT, None).bound
    in_time = SearchPricer(X, signs, up).best(u, best, 1e-6, 4.5)
    assert [call["time_limit"] for call in searched] == [4.5, 3.5, 2.5, 1.5, 0.5, 0.0]
    assert in_time.complete and not in_time.rules and in_time.bound == pytest.approx(best, abs=2e-6)
    too_late = SearchPricer(X, signs, up).best(u, best, 1e-6, 0.0)
    assert not too_late.complete and best <= too_late.bound


def test_the_master_program_goes_on_from_its_last_basis():
    X, signs, up = monotone_task(120, 7)
    steps = fit_task(X, signs, up, np.ones(120), Settings()).steps
    cold = fit_task(X, signs, up, np.ones(120), Settings(solver=Forgetful())).steps
    assert all(step.hot for step in steps[1:]) and steps[-1].objective == pytest.approx(cold[-1].objective, abs=1e-6)
    assert np.mean([s.pivots for s in steps[1:]]) < 0.5 * np.mean([s.pivots for s in cold[1:]])
