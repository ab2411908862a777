"""Recourse: the integer program finds the cheapest change, as trying all of them does."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from monoopt.errors import DataError, SolveError
from monoopt.formulations import recourse
from monoopt.formulations.recourse import Levels
from monoopt.order.rules import Condition, Rule, RuleEnsemble
from monoopt.solvers import solve

MARGIN = 1e-4
NOTHING = 1e-12  # a vote of 0 up to rounding


def random_ensemble(rng: np.random.Generator, d: int) -> RuleEnsemble:
    rules = []
    for _ in range(int(rng.integers(1, 5))):
        positive = bool(rng.integers(2))
        asked = rng.choice(d, size=int(rng.integers(0, d + 1)), replace=False)
        side = ">=" if positive else "<="
        rules.append(Rule(positive, tuple(Condition(int(j), side, float(rng.integers(0, 4))) for j in asked)))
    weights = rng.integers(1, 5, size=len(rules)).astype(float)
    return RuleEnsemble(tuple(rules), weights / weights.sum())


def cheapest_by_trying_all(ensembles: list[RuleEnsemble], levels: list[Levels], target: int) -> float:
    best = np.inf
    for choice in product(*(range(len(level.values)) for level in levels)):
        x = np.array([[level.values[v] for level, v in zip(levels, choice, strict=True)]])
        votes = np.array([e.decision(x)[0] for e in ensembles])
        if ((votes >= MARGIN).sum() + (votes >= -NOTHING).sum()) // 2 >= target:
            best = min(best, sum(level.costs[v] for level, v in zip(levels, choice, strict=True)))
    return best


@pytest.mark.parametrize("seed", range(25))
def test_recourse_is_the_cheapest_of_all_changes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    ensembles = [random_ensemble(rng, d) for _ in range(int(rng.integers(1, 4)))]
    levels = [Levels(np.arange(4.0), np.abs(np.arange(4.0) - rng.integers(4)) * rng.integers(1, 5)) for _ in range(d)]
    target = int(rng.integers(0, len(ensembles) + 1))
    wanted = cheapest_by_trying_all(ensembles, levels, target)
    program = recourse.build(ensembles, levels, target, MARGIN)
    if np.isinf(wanted):
        with pytest.raises(SolveError, match="infeasible"):
            solve(program)
        return
    solution = solve(program)
    assert solution.objective == pytest.approx(wanted, abs=1e-9)
    x = recourse.read(program, solution, levels)[None, :]
    votes = np.array([e.decision(x)[0] for e in ensembles])
    assert ((votes > NOTHING).sum() + (votes >= -NOTHING).sum()) // 2 >= target


def test_with_the_margin_for_open_thresholds_clear_votes_alone_count() -> None:
    silent = RuleEnsemble((Rule(True, (Condition(0, ">=", 5.0),)),), np.ones(1))
    levels = [Levels(np.array([0.0, 5.0]), np.array([0.0, 1.0]))]
    assert solve(recourse.build([silent, silent], levels, 1)).objective == 0
    assert solve(recourse.build([silent, silent], levels, 1, least_open=MARGIN)).objective == 1


def test_every_fault_is_listed() -> None:
    ensemble = RuleEnsemble((Rule(True, (Condition(3, ">=", 1.0),)),), np.ones(1))
    with pytest.raises(DataError) as refused:
        recourse.build([ensemble], [Levels(np.arange(2.0), np.array([0.0, -1.0]))], 2)
    assert len(refused.value.faults) == 3
