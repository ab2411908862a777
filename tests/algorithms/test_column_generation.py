"""Column generation: equals the full program, in both senses, and is honest where it was stopped."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from monoopt import OptionError, ProgramBuilder, SolveError, Status, solve
from monoopt.algorithms import column_generation
from monoopt.algorithms.column_generation import ITERATIONS, TIME, Limits, Priced, Step, generate_columns
from monoopt.algorithms.lprules import cone_rule
from monoopt.algorithms.rule_pricers import EnumerationPricer, distinct_rules
from monoopt.datasets import load_balance
from monoopt.formulations import lpboost_master
from monoopt.solvers import RawAnswer, get_solver
from monoopt.solvers.highs import HeldByHighs, Highs

# --- cutting stock: pieces of four lengths from rolls of length 20; a column is a pattern, its cost is one roll

LENGTHS, DEMAND, ROLL = np.array([4, 7, 9, 11]), np.array([13.0, 7.0, 11.0, 5.0]), 20
PATTERNS = np.array(
    [p for p in product(*(range(ROLL // length + 1) for length in LENGTHS)) if 0 < LENGTHS @ p <= ROLL]
).T


def stock(patterns: np.ndarray) -> object:
    builder = ProgramBuilder("cutting_stock")
    builder.add_columns("rolls", patterns.shape[1], lower=0, cost=1.0)
    builder.add_rows("demand", {"rolls": patterns}, lower=DEMAND)
    return builder.build()


class Knapsack:
    """Prices all patterns; Farley's bound. Counts its calls and remembers the multipliers."""

    def __init__(self, per_call: int = 1) -> None:
        self.per_call, self.seen = per_call, []

    def price(self, program: object, y: np.ndarray, *, tolerance: float, time_limit: float | None) -> Priced:
        self.seen.append(y)
        values = PATTERNS.T @ np.maximum(y, 0)
        order = np.argsort(-values)[: self.per_call]
        bound = float(np.maximum(y, 0) @ DEMAND / max(1.0, values.max()))
        columns = sparse.csr_array(PATTERNS[:, order].astype(float))
        return Priced(columns, np.ones(len(order)), [tuple(PATTERNS[:, t]) for t in order], bound, True)


START = np.diag(ROLL // LENGTHS)
FULL = solve(stock(PATTERNS)).objective


@pytest.mark.parametrize("smoothing", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("per_call", [1, 5])
def test_a_minimisation_reaches_the_optimum_over_all_columns(smoothing: float, per_call: int):
    limits = Limits(tolerance=1e-9, smoothing=smoothing)
    found = generate_columns(stock(START), Knapsack(per_call), list(map(tuple, START.T)), limits=limits)
    assert found.solution.objective == pytest.approx(FULL, abs=1e-9)
    assert found.solution.status is Status.OPTIMAL
    assert found.certificate.ok and found.certificate.gap <= 1e-9
    assert found.solution.bound == pytest.approx(FULL, abs=1e-8)
    assert len(set(found.items)) == len(found.items), "a column was taken twice"
    assert len(found.items) < PATTERNS.shape[1]


class Hasty(Knapsack):
    """Also has a quick way, which proves nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.hasty = []

    def quick(self, program: object, y: np.ndarray, *, tolerance: float, time_limit: float | None) -> Priced:
        self.hasty.append(y)
        found = super().price(program, y, tolerance=tolerance, time_limit=time_limit)
        self.seen.pop()
        return replace(found, bound=-np.inf, complete=False, guess=found.bound)


def test_smoothed_multipliers_are_priced_by_the_quick_way_and_only_the_full_one_proves():
    pricer = Hasty()
    found = generate_columns(stock(START), pricer, list(map(tuple, START.T)), limits=Limits(1e-9, smoothing=0.5))
    assert found.solution.objective == pytest.approx(FULL) and found.certificate.ok
    assert pricer.hasty and len(pricer.seen) < len(found.steps)
    plain = Hasty()
    generate_columns(stock(START), plain, list(map(tuple, START.T)), limits=Limits(1e-9))
    assert not plain.hasty


def test_true_multipliers_are_priced_as_well_where_smoothed_ones_give_few_columns(monkeypatch: pytest.MonkeyPatch):
    runs = []
    for few in (1, 10):
        monkeypatch.setattr(column_generation, "FEW", few)
        pricer = Hasty()
        found = generate_columns(stock(START), pricer, list(map(tuple, START.T)), limits=Limits(1e-9, smoothing=0.5))
        assert found.certificate.ok and len(set(found.items)) == len(found.items)
        runs.append((len(pricer.hasty), len(found.steps)))
    (calls_alone, steps_alone), (calls, steps) = runs
    assert calls_alone < steps_alone and calls >= steps and steps <= steps_alone


def test_the_log_has_a_line_per_iteration_and_bounds_never_get_worse():
    seen: list[Step] = []
    found = generate_columns(stock(START), Knapsack(), list(map(tuple, START.T)), callback=seen.append)
    steps = found.steps
    assert seen == list(steps)
    assert [s.iteration for s in steps] == list(range(1, len(steps) + 1))
    assert (np.diff([s.objective for s in steps]) <= 1e-9).all(), "a minimum only falls as columns come"
    assert (np.diff([s.bound for s in steps]) >= 0).all(), "the best bound is kept"
    assert [s.columns for s in steps] == list(np.cumsum([4, *(s.added for s in steps[:-1])]))
    assert not steps[0].hot and all(s.hot for s in steps[1:])
    assert "objective" in str(steps[0]) and "gap" in str(steps[0])


def test_an_iteration_limit_keeps_the_best_so_far_and_says_so():
    found = generate_columns(stock(START), Knapsack(), list(map(tuple, START.T)), limits=Limits(max_iterations=1))
    assert found.stopped == ITERATIONS
    assert found.solution.status is Status.FEASIBLE and not found.certificate.ok
    assert found.solution.bound <= FULL < found.solution.objective
    assert len(found.items) == len(found.solution.values("rolls")) == 4
    assert ITERATIONS in str(found.certificate)


def test_a_time_limit_while_pricing_keeps_the_point_and_the_bound_known_beforehand():
    class Slow(Knapsack):
        def price(self, program: object, y: np.ndarray, *, tolerance: float, time_limit: float | None) -> Priced:
            time.sleep(1.05 * time_limit)
            none = sparse.csr_array((4, 0))
            return Priced(none, np.empty(0), [], -np.inf, False)

    limits = Limits(time_limit=2)
    found = generate_columns(stock(START), Slow(), list(map(tuple, START.T)), bound=1.0, limits=limits)
    assert found.stopped == TIME and found.solution.status is Status.FEASIBLE
    assert found.solution.bound == 1.0 and found.certificate.dual_objective == 1.0
    assert found.solution.objective > FULL


def test_no_time_at_all_gives_no_point_and_says_so():
    class Late(Highs):
        def hold(self, program: object, settings: object) -> HeldByHighs:
            time.sleep(0.02)
            return HeldLate(self, program, settings)

    class HeldLate(HeldByHighs):
        def run(self, settings: object) -> RawAnswer:
            return RawAnswer(Status.LIMIT, raw_status="out of time")

    limits = Limits(time_limit=0.01)
    found = generate_columns(stock(START), Knapsack(), list(map(tuple, START.T)), limits=limits, solver=Late())
    assert found.stopped == TIME and found.solution.status is Status.LIMIT
    assert found.solution.x is None and not found.certificate.ok


def test_a_hot_answer_that_fails_its_certificate_is_solved_cold():
    class Drunk(Highs):
        def hold(self, program: object, settings: object) -> HeldByHighs:
            return HeldDrunk(self, program, settings)

    class HeldDrunk(HeldByHighs):
        def run(self, settings: object) -> RawAnswer:
            answer = super().run(settings)
            return replace(answer, x=answer.x * 0.9)

    found = generate_columns(stock(START), Knapsack(), list(map(tuple, START.T)), solver=Drunk())
    assert found.solution.objective == pytest.approx(FULL, abs=1e-6)
    assert found.certificate.ok and not any(step.hot for step in found.steps)


def test_a_pricer_that_repeats_itself_does_not_loop_for_ever():
    class Stubborn(Knapsack):
        def price(self, program: object, y: np.ndarray, *, tolerance: float, time_limit: float | None) -> Priced:
            again = sparse.csr_array(START[:, :1].astype(float))
            return Priced(again, np.ones(1), [(5, 0, 0, 0)], 0.0, True)

    found = generate_columns(stock(START), Stubborn(), list(map(tuple, START.T)))
    assert len(found.steps) == 1 and not found.certificate.ok
    assert "no new column improves" in found.stopped


def test_a_column_offered_twice_is_taken_once():
    class Double(Knapsack):
        def price(self, program: object, y: np.ndarray, *, tolerance: float, time_limit: float | None) -> Priced:
            found = super().price(program, y, tolerance=tolerance, time_limit=time_limit)
            twice = sparse.csr_array(sparse.hstack([found.coefficients, found.coefficients]))
            return replace(found, coefficients=twice, costs=np.ones(2), items=[*found.items, *found.items])

    found = generate_columns(stock(START), Double(), list(map(tuple, START.T)))
    assert found.certificate.ok and len(set(found.items)) == len(found.items)


def test_a_bound_on_the_wrong_side_is_no_proof():
    class Liar(Knapsack):
        def price(self, program: object, y: np.ndarray, *, tolerance: float, time_limit: float | None) -> Priced:
            return replace(super().price(program, y, tolerance=tolerance, time_limit=time_limit), bound=1e6)

    found = generate_columns(stock(START), Liar(), list(map(tuple, START.T)))
    assert not found.certificate.ok and found.solution.status is Status.FEASIBLE


def test_a_first_program_without_a_solution_is_an_error():
    with pytest.raises(SolveError, match="first master program"):
        generate_columns(stock(np.array([[1], [0], [0], [0]])), Knapsack(), ["one"])


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"tolerance": 0}, "tolerance"),
        ({"time_limit": 0}, "time_limit"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"smoothing": 1.0}, "smoothing"),
    ],
)
def test_limits_out_of_range_are_refused(words: dict, what: str):
    with pytest.raises(OptionError, match=what):
        Limits(**words)


# --- LPBoost: three objects, rules x >= s and x <= s


def boost(X: np.ndarray, signs: np.ndarray, directions: np.ndarray, **words: object) -> tuple:
    start = [cone_rule(x, directions, s > 0) for x, s in zip(X, signs, strict=True)]
    answers = np.column_stack([rule.answers(X) for rule in start])
    program = lpboost_master.build(signs, answers)
    return generate_columns(program, EnumerationPricer(X, signs, directions), start, **words), program


def test_three_objects_give_a_half_on_each_side_of_the_gap():
    X, signs, up = np.array([[1.0], [2.0], [3.0]]), np.array([-1, 1, 1]), np.array([1], dtype=np.int8)
    found, _ = boost(X, signs, up)
    weights = found.solution.values("a")
    kept = {found.items[t].text(): weights[t] for t in np.flatnonzero(weights > 1e-9)}
    assert found.solution.objective == pytest.approx(0.5)
    assert kept == {"if x0 >= 2 then +1": 0.5, "if x0 <= 1 then -1": 0.5}
    assert found.certificate.ok and found.certificate.dual_objective == pytest.approx(0.5)


@pytest.mark.parametrize("solver", ["highs", "clarabel", "glpk"])
@pytest.mark.parametrize("seed", range(4))
def test_lpboost_equals_its_full_program_on_every_kind_of_solver(solver: str, seed: int):
    random = np.random.default_rng(seed)
    X = np.unique(random.integers(0, 4, (14, 2)), axis=0).astype(float)
    signs = np.where(X.sum(axis=1) >= 3, 1, -1)
    up = np.array([1, 1], dtype=np.int8)
    rules = [*distinct_rules(X, signs, up, True), *distinct_rules(X, signs, up, False)]
    full = lpboost_master.build(signs, np.column_stack([rule.answers(X) for rule in rules]))
    get_solver(solver)
    found, _ = boost(X, signs, up, solver=solver)
    assert found.solution.objective == pytest.approx(solve(full).objective, abs=2e-6)
    assert found.certificate.ok


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_a_degenerate_program_ends_with_the_same_margin_whatever_the_smoothing(smoothing: float):
    table = load_balance()
    X, signs = table.X[::5], np.where(table.y >= 2, 1, -1)[::5]
    directions = np.array(list(table.directions.values()), dtype=np.int8)
    rules = [*distinct_rules(X, signs, directions, True), *distinct_rules(X, signs, directions, False)]
    full = lpboost_master.build(signs, np.column_stack([rule.answers(X) for rule in rules]))
    found, _ = boost(X, signs, directions, limits=Limits(smoothing=smoothing))
    assert found.certificate.ok
    assert found.solution.objective == pytest.approx(solve(full).objective, abs=2e-6)
