"""The words that mean the same everywhere: refused when wrong, kept when right, honest at their limits."""

from __future__ import annotations

import os

import numpy as np
import pytest

from monoopt.errors import NoSolutionError, OptionError, SolveError
from monoopt.program import Program, ProgramBuilder, Status, certify
from monoopt.solvers import Settings, open_session, solve
from tests.solvers.every_solver import SOLVERS, require, takes

MOMENT = 1e-3
REFUSED_VALUES = {
    "highs": {"presolve": "maybe"},
    "pyomo-highs": {"presolve": "maybe"},
    "cvxpy-highs": {"presolve": "maybe"},
    "clarabel": {"max_iter": "many"},
    "osqp": {"max_iter": "many"},
    "scs": {"max_iters": "many"},
    "piqp": {"max_iter": "many"},
    "scip": {"limits/nodes": "many"},
    "pyomo-scip": {"limits/nodes": "many"},
    "glpk": {"mipgap": "many"},
    "cbc": {"primalTolerance": "many"},
    "mincut": {"closure": "most"},
}


def trial_of(name: str) -> Program:
    return SOLVERS[name].trial()[0]


def cover_program(m: int, n: int) -> Program:
    """Random covering program: nothing is not enough, so the start is no point."""
    rng = np.random.default_rng(1)
    b = ProgramBuilder("cover")
    b.add_columns("x", n, lower=0, cost=rng.integers(20, 60, n))
    b.add_rows("cover", {"x": rng.integers(0, 9, (m, n))}, lower=rng.integers(50, 90, m))
    return b.build()


@pytest.mark.parametrize("name", SOLVERS)
def test_a_misspelt_option_is_refused(name: str, found: dict[str, str]) -> None:
    require(name, found)
    with pytest.raises(OptionError, match="threds"):
        solve(trial_of(name), name, options={"threds": 2})


@pytest.mark.parametrize("name", REFUSED_VALUES)
def test_an_option_with_a_value_that_does_not_fit_is_refused(name: str, found: dict[str, str]) -> None:
    require(name, found)
    with pytest.raises(OptionError, match=name.rpartition("-")[2]):
        solve(trial_of(name), name, options=REFUSED_VALUES[name])


@pytest.mark.parametrize(("name", "word"), [("highs", "time_limit"), ("clarabel", "max_threads"), ("cbc", "threads")])
def test_a_native_option_that_has_our_word_is_refused(name: str, word: str, found: dict[str, str]) -> None:
    require(name, found)
    with pytest.raises(OptionError, match=r"through solve\("):
        solve(trial_of(name), name, options={word: 1})


def test_a_misspelt_word_names_the_nearest() -> None:
    with pytest.raises(TypeError, match="did you mean 'threads'"):
        solve(trial_of("highs"), threds=2)
    with pytest.raises(TypeError, match="did you mean 'time_limit'"):
        open_session(trial_of("highs"), timelimit=2)


def test_all_wrong_values_are_listed_at_once() -> None:
    with pytest.raises(OptionError) as refused:
        solve(trial_of("highs"), time_limit=-1, tolerance=2, threads=0, seed=-3, verbose="x", options=[1])
    for word in ("time_limit=-1", "tolerance=2", "threads=0", "seed=-3", "verbose='x'", "options="):
        assert word in str(refused.value)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, "1", True, 0])
def test_a_time_limit_that_is_no_time_is_refused(wrong: object) -> None:
    with pytest.raises(OptionError, match="time_limit"):
        solve(trial_of("highs"), time_limit=wrong)


def test_threads_that_no_machine_has_are_refused() -> None:
    """HiGHS would start them all, and hang."""
    most = max(64, os.cpu_count() or 1)
    assert Settings(threads=most).threads == most
    with pytest.raises(OptionError, match=f"threads=5000: wanted a whole number from 1 to {most}"):
        solve(trial_of("highs"), threads=5000)


def test_numbers_of_numpy_become_pythons_and_a_limit_of_an_age_is_none() -> None:
    words = {"time_limit": np.float32(3), "tolerance": np.float64(1e-6), "threads": np.int64(2), "seed": np.int8(4)}
    settings = Settings(**words, verbose=np.bool_(False))
    assert [type(getattr(settings, word)) for word in (*words, "verbose")] == [float, float, int, int, bool]
    assert Settings(time_limit=1e9).time_limit is None and Settings(time_limit=1e8).time_limit == 1e8


EXTREMES = [
    {"tolerance": 1e-12},
    {"tolerance": 1e-300},
    {"tolerance": 0.9},
    {"time_limit": np.float32(30)},
    {"time_limit": 9e8},
    {"time_limit": 1e300},
    {"threads": np.int64(1), "seed": np.int64(3), "verbose": np.bool_(False)},
]


@pytest.mark.parametrize("words", EXTREMES, ids=str)
@pytest.mark.parametrize("name", SOLVERS)
def test_a_word_within_its_range_is_no_error_on_any_solver(
    name: str, words: dict[str, object], found: dict[str, str]
) -> None:
    """HiGHS refuses tolerances below 1e-10, SCIP those above 1e-3 and times above 1e20, GLPK times above 2e9."""
    require(name, found)
    solution = solve(trial_of(name), name, raise_on_failure=False, **words)
    assert solution.status in (Status.OPTIMAL, Status.FEASIBLE, Status.NUMERICAL), str(solution)
    assert solution.optimal or "tolerance" in words, str(solution)


@pytest.mark.parametrize("name", ["pyomo-highs", "cvxpy-highs", "scip"])
def test_a_tolerance_that_a_backend_refuses_becomes_the_nearest_that_it_takes(name: str) -> None:
    engine = SOLVERS[name]._engine
    for tolerance in (1e-300, 0.9):
        options = engine.options(Settings(tolerance=tolerance), name)
        low, high = engine.tolerances
        assert [options[word] for word in engine.ours["tolerance"]] == [min(max(tolerance, low), high)] * len(
            engine.ours["tolerance"]
        )


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_no_zero_has_a_minus(sense: str, found: dict[str, str]) -> None:
    b = ProgramBuilder("zeros", sense)
    b.add_columns("x", 2, lower=-1, upper=1)
    b.add_rows("r", {"x": [[1.0, 1.0], [1.0, -1.0]]}, lower=0, upper=0)
    for name in SOLVERS:
        if found[name] or not takes(name, b.build()):
            continue
        solution = solve(b.build(), name)
        for word in ("x", "y", "z"):
            values = getattr(solution, word)
            assert values is None or not np.signbit(values[values == 0]).any(), f"{name}: {word} {values}"


@pytest.mark.parametrize("name", SOLVERS)
def test_every_word_is_taken_and_kept_in_the_answer(name: str, found: dict[str, str]) -> None:
    require(name, found)
    program, optimum = SOLVERS[name].trial()
    words = {"time_limit": 20.0, "tolerance": 1e-7, "threads": 1, "seed": 7}
    solution = solve(program, name, **words)
    assert solution.objective == pytest.approx(optimum, abs=1e-5)
    assert {word: solution.options[word] for word in words} == words
    assert solution.solver == name and solution.version and solution.raw_status
    assert solution.stats.solve_time >= 0 and solution.certificate.ok


@pytest.mark.parametrize("name", SOLVERS)
def test_one_thread_two_threads_one_thread(name: str, found: dict[str, str]) -> None:
    """HiGHS's threads belong to the process: a change of their number must not end in no answer."""
    require(name, found)
    program = cover_program(20, 30)  # small ones are solved before any thread is asked for
    simplex = takes(name, program) and "vertex" in SOLVERS[name].can
    program = program if simplex else SOLVERS[name].trial()[0]
    first, second, third = (solve(program, name, threads=threads) for threads in (1, 2, 1))
    assert first.optimal and second.optimal and third.optimal
    np.testing.assert_array_equal(first.x, third.x)


def order_program(n: int, m: int, seed: int = 0) -> Program:
    """Random closure: n columns, m implications of a random order, costs of both signs."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, n, (m, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    rows = np.zeros((len(pairs), n))
    rows[np.arange(len(pairs)), pairs[:, 0]], rows[np.arange(len(pairs)), pairs[:, 1]] = -1, 1
    b = ProgramBuilder("order")
    b.add_columns("d", n, lower=0, upper=1, cost=rng.integers(-5, 6, n))
    b.add_rows("dominance", {"d": rows}, lower=0)
    return b.build()


ORDER = order_program(120, 400)


@pytest.mark.parametrize("name", [name for name in SOLVERS if takes(name, ORDER)])
def test_a_limit_of_a_millisecond_is_honest(name: str, found: dict[str, str]) -> None:
    """Whatever was reached: an optimum is certified, a point passes our check, and nothing else has values."""
    require(name, found)
    best = solve(ORDER, "mincut").objective
    solution = solve(ORDER, name, time_limit=MOMENT, raise_on_failure=False)
    if solution.status is Status.OPTIMAL:
        assert solution.objective == pytest.approx(best, abs=1e-3) and solution.certificate.ok
    elif solution.status is Status.FEASIBLE:
        assert certify(ORDER, solution).feasible and solution.objective >= best - 1e-3
    else:
        assert solution.status in (Status.LIMIT, Status.NUMERICAL), str(solution)
        assert solution.x is None and solution.y is None and solution.objective is None
        with pytest.raises(NoSolutionError, match=solution.status.value):
            solution.values("d")


def test_a_limit_that_is_reached_says_so() -> None:
    program = cover_program(600, 400)
    solution = solve(program, time_limit=MOMENT, options={"presolve": "off"}, raise_on_failure=False)
    assert solution.status is Status.LIMIT and "kTimeLimit" in solution.raw_status
    with pytest.raises(SolveError, match="raise time_limit") as raised:
        solve(program, time_limit=MOMENT, options={"presolve": "off"})
    assert raised.value.solution.status is Status.LIMIT


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("highs", {"simplex_iteration_limit": 1, "presolve": "off"}),
        ("cvxpy-highs", {"simplex_iteration_limit": 1, "presolve": "off"}),
        ("pyomo-highs", {"simplex_iteration_limit": 1, "presolve": "off"}),
        ("clarabel", {"max_iter": 2}),
        ("osqp", {"max_iter": 2}),
        ("scs", {"max_iters": 2}),
        ("piqp", {"max_iter": 2}),
    ],
)
def test_an_iteration_limit_never_hands_over_a_point_that_fails(
    name: str, options: dict[str, object], found: dict[str, str]
) -> None:
    """cvxpy calls such points user_limit, HiGHS's are zeros, OSQP's violate rows by units."""
    require(name, found)
    program = cover_program(40, 30)
    solution = solve(program, name, options=options, raise_on_failure=False)
    assert solution.status in (Status.LIMIT, Status.FEASIBLE, Status.NUMERICAL), str(solution)
    assert (solution.x is not None) == (solution.status is Status.FEASIBLE)
    if solution.x is not None:
        assert certify(program, solution).feasible


@pytest.mark.parametrize("name", ["highs", "clarabel", "mincut", "glpk"])
def test_the_same_solve_gives_the_same_bits(name: str, found: dict[str, str]) -> None:
    require(name, found)
    program = order_program(60, 150, seed=3)
    if not takes(name, program):
        pytest.skip(f"{name} can't take it")
    first, second = solve(program, name), solve(program, name)
    np.testing.assert_array_equal(first.x, second.x)
    np.testing.assert_array_equal(first.y, second.y)


@pytest.mark.parametrize("presolve", [True, False, None])
@pytest.mark.parametrize("name", SOLVERS)
def test_presolve_is_a_word_of_ours_on_every_solver(name: str, presolve: bool | None, found: dict[str, str]) -> None:
    require(name, found)
    program, optimum = SOLVERS[name].trial()
    solution = solve(program, name, presolve=presolve)
    assert solution.objective == pytest.approx(optimum, abs=1e-5) and solution.options["presolve"] is presolve


def test_presolve_reaches_the_solver() -> None:
    program = cover_program(5, 8)
    with_it, without = (solve(program, presolve=switch).log for switch in (True, False))
    assert "Presolving" in with_it and "Presolving" not in without
    for word in ({"presolve": "off"}, {"raise_on_failure": "no"}):
        with pytest.raises(OptionError, match="wanted True"):
            solve(program, **word)
