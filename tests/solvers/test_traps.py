"""Ways in which backends were measured to fail, one test each: here they must not."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from monoopt.errors import FormulationError, OptionError, UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Status, certify
from monoopt.solvers import explain_infeasible, open_session, solve
from monoopt.solvers.cvxpy_engines import NATIVE_STATUS
from monoopt.solvers.cvxpy_engines import STATUS as CVXPY_STATUS
from monoopt.solvers.highs import STATUS as HIGHS_STATUS
from monoopt.solvers.pyomo_engines import STATUS as PYOMO_STATUS
from monoopt.solvers.registry import solvers_that_can
from tests.solvers.every_solver import SOLVERS, require, takes
from tests.solvers.named_programs import CASES
from tests.solvers.test_settings import cover_program, order_program

# --- statuses: every native word has one of ours -----------------------------------------------------------


def test_every_status_of_highs_is_translated() -> None:
    import highspy

    assert set(highspy.HighsModelStatus.__members__) <= set(HIGHS_STATUS)


def test_every_status_of_cvxpy_is_translated() -> None:
    from cvxpy import settings

    words = {*settings.SOLUTION_PRESENT, *settings.INF_OR_UNB, *settings.INACCURATE, *settings.ERROR}
    assert words == set(CVXPY_STATUS)


def test_every_status_of_the_engines_behind_cvxpy_is_translated() -> None:
    """Native words that cvxpy lumps together as errors are told apart."""
    import highspy
    from cvxpy.reductions.solvers.conic_solvers.clarabel_conif import CLARABEL
    from cvxpy.reductions.solvers.conic_solvers.highs_conif import HIGHS
    from cvxpy.reductions.solvers.conic_solvers.scip_conif import STATUS_MAP

    lumped = [word for word, status in {**CLARABEL.STATUS_MAP, **STATUS_MAP}.items() if status == "solver_error"]
    assert set(lumped) - {"Unsolved"} <= set(NATIVE_STATUS)
    assert "timelimit" in NATIVE_STATUS and NATIVE_STATUS["timelimit"] is Status.LIMIT
    missing = set(highspy.HighsModelStatus.__members__) - set(HIGHS.STATUS_MAP)
    errors = {"kLoadError", "kPresolveError", "kPostsolveError", "kModelEmpty"}
    assert missing - errors <= {*NATIVE_STATUS, "kHighsInterrupt"}


def test_every_status_of_both_pyomo_interfaces_is_translated() -> None:
    from pyomo.contrib.solver.common.results import TerminationCondition as New
    from pyomo.opt import TerminationCondition as Old

    assert {str(word) for word in Old} | {word.name for word in New} <= set(PYOMO_STATUS)


def test_every_status_has_its_advice() -> None:
    assert all(len(status.advice) > 20 for status in Status)


# --- HiGHS -------------------------------------------------------------------------------------------------


def test_highs_an_unknown_method_is_refused_and_not_replaced_by_simplex() -> None:
    with pytest.raises(OptionError, match="solver"):
        solve(CASES["demand"].build(), options={"solver": "no_such_method"})


def test_highs_the_time_limit_counts_anew_for_every_solve_of_a_session() -> None:
    """Its own limit counts over all runs of an object."""
    program, limit = cover_program(120, 80), 0.1
    with open_session(program, time_limit=limit) as session:
        costs, late = np.array(program.c), []
        while len(late) < 8:
            before = session._held._highs.getRunTime()
            costs = np.roll(costs, 1)
            session.set_costs("x", costs)
            solution = session.solve(raise_on_failure=False)
            late += [solution.optimal] * (before > limit)
    assert any(late), "the object had run for longer than one limit, and yet went on"


def test_highs_works_after_another_user_of_the_process_ran_it_with_other_threads() -> None:
    script = """
import highspy
theirs = highspy.Highs()
theirs.setOptionValue("output_flag", False)
for k in range(30):
    theirs.addVar(0.0, 9.0)
    theirs.changeColCost(k, 30.0 + k % 7)
for k in range(20):
    theirs.addRow(20.0, highspy.kHighsInf, 30, list(range(30)), [1.0 + (i * k + i) % 9 for i in range(30)])
theirs.run()
from monoopt.solvers import solve
from tests.solvers.test_settings import cover_program
for threads in (1, 2, 1):
    assert solve(cover_program(20, 30), threads=threads).optimal
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_highs_a_session_lives_through_a_change_of_threads_elsewhere() -> None:
    program = cover_program(20, 30)
    with open_session(program) as session:
        assert session.solve().optimal
        assert solve(program, threads=2).optimal
        session.set_costs("x", program.c[::-1].copy())
        assert session.solve().optimal


def test_highs_the_quadratic_part_is_not_regularised_and_both_triangles_count() -> None:
    b = ProgramBuilder("dense")
    b.add_columns("x", 3, cost=[1, -2, 3])
    root = np.array([[2.0, 0, 0], [1, 1, 0], [-1, 0.5, 3]])
    P = root @ root.T
    b.add_quadratic("x", P)
    solution = solve(b.build())
    np.testing.assert_allclose(solution.x, np.linalg.solve(P, [-1, 2, -3]), rtol=1e-10)


def test_highs_an_empty_row_does_not_hang_a_quadratic_program() -> None:
    b = ProgramBuilder("empty")
    b.add_columns("x", 2, lower=0, cost=-1)
    b.add_quadratic("x", np.eye(2))
    b.add_rows("rows", {"x": [[0.0, 0.0], [1.0, 1.0]]}, upper=1)
    solution = solve(b.build(), time_limit=20)
    assert solution.objective == pytest.approx(-0.75) and solution.y.shape == (2,)


def test_highs_a_vertex_is_not_asked_of_an_interior_method() -> None:
    program = CASES["closure"].build()
    for options in ({"solver": "ipm", "run_crossover": "off"}, {"solver": "pdlp"}):
        with pytest.raises(UnsupportedProgram, match="vertex"):
            solve(program, options=options)
        for name in ("cvxpy-highs", "pyomo-highs"):
            with pytest.raises(UnsupportedProgram, match="vertex"):
                solve(program, name, options=options)
    assert solve(program, options={"solver": "ipm"}).optimal
    assert not any(takes(name, program) for name in ("clarabel", "osqp", "scs", "piqp", "ipopt"))


def test_highs_an_infeasible_set_is_named_and_not_empty() -> None:
    """Its default strategy returns an empty set for a program that is infeasible."""
    found = explain_infeasible(CASES["infeasible_preferences"].build())
    assert set(found.rows) == {"above(A over B)", "above(B over A)"} and not found.bounds
    assert found.irreducible


def test_highs_the_search_for_an_infeasible_set_ends_at_its_time_limit() -> None:
    """It hears ``iis_time_limit`` alone; without one this program takes seconds."""
    rng = np.random.default_rng(0)
    rows = sparse.random_array((1200, 600), density=0.01, rng=rng, data_sampler=lambda size: rng.normal(size=size))
    b = ProgramBuilder("crowded")
    b.add_columns("x", 600, lower=0, upper=1)
    b.add_rows("r", {"x": rows}, lower=0.75 * np.asarray(rows.tocsr().maximum(0).sum(axis=1)))
    found = explain_infeasible(b.build(), time_limit=0.01)
    assert not found.irreducible and len(found.rows) > 100


def test_highs_options_that_its_package_does_not_show_are_taken() -> None:
    assert solve(CASES["knapsack"].build(), options={"mip_lp_solver": "simplex", "mip_allow_restart": False}).optimal
    with pytest.raises(OptionError, match="refused the value"):
        solve(CASES["knapsack"].build(), options={"mip_lp_solver": "nobody"})


def test_highs_whole_number_optima_are_not_a_hundredth_of_a_percent_away() -> None:
    rng = np.random.default_rng(5)
    words = {"shape": 30, "lower": 0, "upper": 1, "integer": True, "cost": rng.integers(10_000, 20_000, 30)}
    b = ProgramBuilder("big", "maximize")
    b.add_columns("x", **words)
    b.add_rows("weight", {"x": rng.integers(100, 200, (1, 30))}, upper=2000)
    first, second = solve(b.build(), "highs"), solve(b.build(), "cvxpy-highs")
    assert first.objective == second.objective and first.gap < 1e-9


# --- data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["cost", "row", "side", "bound", "quadratic"])
def test_nan_never_reaches_a_solver(where: str) -> None:
    """HiGHS takes a NaN cost and says optimal; Pyomo and others lose rows with infinite coefficients."""
    nan = np.nan
    b = ProgramBuilder("nan")
    with pytest.raises(FormulationError, match="NaN"):
        b.add_columns("x", 2, lower=[0, nan if where == "bound" else 0], cost=[1, nan if where == "cost" else 1])
        b.add_rows("r", {"x": [[1, nan if where == "row" else 1]]}, lower=nan if where == "side" else 1)
        b.add_quadratic("x", np.diag([1.0, nan if where == "quadratic" else 1.0]))
        b.build()


@pytest.mark.parametrize("size", [1e-12, 1e12])
@pytest.mark.parametrize("name", SOLVERS)
def test_the_unit_of_the_costs_does_not_matter(name: str, size: float, found: dict[str, str]) -> None:
    """To absolute tolerances weights of 1e-12 are nothing, and any point is optimal."""
    require(name, found)
    program = CASES["demand"].build()
    program = program if takes(name, program) else SOLVERS[name].trial()[0]
    P = None if program.P is None else program.P * size
    scaled = replace(program, c=program.c * size, P=P, offset=program.offset * size)
    plain, solution = solve(program, name), solve(scaled, name)
    assert solution.objective / size == pytest.approx(plain.objective, abs=1e-6)
    np.testing.assert_allclose(solution.x, plain.x, atol=1e-5)


def test_an_indefinite_quadratic_part_is_refused_by_its_least_eigenvalue() -> None:
    b = ProgramBuilder("indefinite")
    b.add_columns("x", 2, lower=0, upper=1)
    b.add_quadratic("x", np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(FormulationError, match="least eigenvalue -1"):
        b.build()


@pytest.mark.parametrize("name", solvers_that_can({"quadratic"}))
def test_eigenvalues_that_rounding_put_below_zero_are_solved_as_zeros(name: str, found: dict[str, str]) -> None:
    """cvxpy factors P for SCIP, and calls it indefinite when a pivot is below -2e-10."""
    require(name, found)
    L = np.random.default_rng(0).normal(size=(12, 3))
    K = L @ L.T / 20
    b = ProgramBuilder("rounded")
    b.add_columns("x", 12, lower=0, upper=0.4, cost=-np.diag(K))
    b.add_quadratic("x", 2 * K - 4e-9 * np.eye(12))
    b.add_rows("total", {"x": np.ones((1, 12))}, lower=1, upper=1)
    assert solve(b.build(), name).objective == pytest.approx(solve(b.build(), "smo").objective, abs=1e-6)


@pytest.mark.parametrize("name", ["highs", "clarabel", "osqp", "piqp", "cvxpy-highs", "smo"])
def test_a_gram_matrix_of_repeated_points_is_solved(name: str, found: dict[str, str]) -> None:
    """cvxpy's quad_form asks ARPACK for its eigenvalue, which does not converge."""
    require(name, found)
    points = np.repeat(np.random.default_rng(0).normal(size=(12, 3)), 3, axis=0)
    b = ProgramBuilder("gram")
    b.add_columns("beta", 36, lower=0, upper=0.25, cost=-(points**2).sum(axis=1))
    b.add_quadratic("beta", 2 * points @ points.T)
    b.add_rows("total", {"beta": np.ones((1, 36))}, lower=1, upper=1)
    solution, reference = solve(b.build(), name, time_limit=30), solve(b.build(), "clarabel")
    assert solution.objective == pytest.approx(reference.objective, abs=1e-6)


# --- cvxpy and Pyomo ---------------------------------------------------------------------------------------


def test_cvxpy_the_default_does_not_depend_on_what_is_installed() -> None:
    linear, curved = solve(CASES["demand"].build(), "cvxpy"), solve(CASES["projection"].build(), "cvxpy")
    assert linear.raw_status == "kOptimal" and curved.raw_status == "Solved"


def test_cvxpy_an_equality_has_the_sign_of_a_slope(found: dict[str, str]) -> None:
    for name in ("clarabel", "osqp", "scs", "piqp", "cvxpy-highs"):
        require(name, found)
        assert float(solve(CASES["one_column_equal"].build(), name).dual("side")) == pytest.approx(1, abs=1e-5)


def test_cvxpy_scips_time_limit_is_a_limit_and_no_error(found: dict[str, str]) -> None:
    require("scip", found)
    rng = np.random.default_rng(2)
    b = ProgramBuilder("hard", "maximize")
    b.add_columns("x", 60, lower=0, upper=1, integer=True, cost=rng.integers(50, 99, 60))
    b.add_rows("weights", {"x": rng.integers(1, 99, (25, 60))}, upper=rng.integers(500, 900, 25))
    solution = solve(b.build(), "scip", time_limit=0.05, raise_on_failure=False)
    assert solution.status in (Status.LIMIT, Status.FEASIBLE), str(solution)
    assert "timelimit" in solution.raw_status


def test_cvxpy_scs_takes_a_quadratic_part_of_free_columns_alone() -> None:
    """It refuses programs without any row."""
    b = ProgramBuilder("bowl")
    b.add_columns("x", 2, cost=-1)
    b.add_quadratic("x", np.eye(2))
    np.testing.assert_allclose(solve(b.build(), "scs").x, [1, 1], atol=1e-6)
    with open_session(b.build(), "scs") as session:
        np.testing.assert_allclose(session.solve().x, [1, 1], atol=1e-6)


def test_cvxpy_scs_stopped_by_the_clock_or_its_count_reached_a_limit() -> None:
    """Its word for that, and for its iterations, is a longer one than cvxpy reads."""
    program = order_program(120, 400)
    for words in ({"time_limit": 1e-6}, {"options": {"max_iters": 2}}):
        solution = solve(program, "scs", raise_on_failure=False, **words)
        assert solution.status in (Status.LIMIT, Status.FEASIBLE) and "reached" in solution.raw_status, str(solution)


@pytest.mark.parametrize("name", ["pyomo-highs", "pyomo", "pyomo:appsi_highs", "highs", "cvxpy-highs"])
def test_highs_drops_no_small_coefficient_on_any_way_to_it(name: str) -> None:
    """Pyomo sets its options after the rows are loaded, so they would come too late."""
    b = ProgramBuilder("small")
    b.add_columns("x", 2, lower=0, upper=[1e11, 1], cost=1)
    b.add_rows("r", {"x": [[0.0, 1.0], [1e-10, 1.0], [0.0, 0.0]]}, lower=[-1, 5, -1])
    solution = solve(b.build(), name)
    assert solution.objective == pytest.approx(4e10 + 1)
    np.testing.assert_allclose(solution.dual("r"), [0, 1e10, 0])


def test_pyomo_glpk_takes_fractions_of_a_second(found: dict[str, str]) -> None:
    require("glpk", found)
    assert solve(CASES["demand"].build(), "glpk", time_limit=0.25).optimal


def test_pyomo_an_executable_that_overstays_its_time_reached_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pyomo ends the process and calls that an error."""
    from monoopt.solvers import pyomo_

    def overstay(*words: object) -> dict[str, object]:
        time.sleep(0.02)
        raise RuntimeError("Solver (glpk) did not exit normally")

    monkeypatch.setattr(pyomo_, "_run_new", overstay)
    program = CASES["demand"].build()
    assert solve(program, "pyomo-highs", time_limit=0.01, raise_on_failure=False).status is Status.LIMIT
    solution = solve(program, "pyomo-highs", time_limit=60, raise_on_failure=False)
    assert solution.status is Status.ERROR and "did not exit normally" in solution.raw_status


def test_pyomo_glpk_takes_broken_bounds_of_whole_columns(found: dict[str, str]) -> None:
    require("glpk", found)
    assert solve(CASES["mixed_integer"].build(), "glpk").objective == pytest.approx(-1.5)


def test_pyomo_no_whole_number_between_the_bounds_is_infeasible(found: dict[str, str]) -> None:
    b = ProgramBuilder("between")
    b.add_columns("n", lower=0.25, upper=0.75, integer=True, cost=1)
    for name in ("glpk", "cbc", "pyomo-highs", "highs", "scip"):
        require(name, found)
        assert solve(b.build(), name, raise_on_failure=False).status is Status.INFEASIBLE, name


def test_pyomo_cbcs_seed_is_never_the_clock(found: dict[str, str]) -> None:
    require("cbc", found)
    log = solve(CASES["demand"].build(), "cbc", seed=0).log
    assert "randomSeed was changed from 1234567 to 1" in log.splitlines() and "time of day" not in log


def test_a_row_without_coefficients_that_asks_for_something_is_infeasible_everywhere(found: dict[str, str]) -> None:
    """cvxpy's SCIP drops such a row and reports an optimum."""
    program = CASES["infeasible_empty_row"].build()
    for name in SOLVERS:
        if not found[name] and takes(name, program):
            assert solve(program, name, raise_on_failure=False).status is Status.INFEASIBLE, name


# --- hot starts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["highs", "glpk", "clarabel"])
def test_a_session_grows_like_a_program_that_was_built_whole(name: str, found: dict[str, str]) -> None:
    require(name, found)
    b = ProgramBuilder("growing")
    b.add_columns("a", 2, lower=0, cost=[4, 5])
    b.add_rows("cover", {"a": [[1.0, 2.0], [3.0, 1.0]]}, lower=[4, 6])
    with open_session(b.build(), name) as session:
        first = session.solve()
        session.add_columns("a", cost=[1.0], coefficients=[[1.0], [1.0]])
        second = session.solve()
        session.add_rows("cover", coefficients=[[0.0, 1.0, 1.0]], lower=9)
        third = session.solve()
        session.set_costs("a", [1, 1, 4])
        fourth = session.solve()
    assert first.objective > second.objective < third.objective
    for solution in (first, second, third, fourth):
        fresh = solve(_whole(solution.program), "highs")
        assert solution.objective == pytest.approx(fresh.objective, abs=1e-5)
        assert certify(solution.program, solution).ok
    assert first.stats.hot is False and fourth.stats.hot is (name == "highs")


def _whole(program: Program) -> Program:
    b = ProgramBuilder("whole", program.sense)
    b.add_columns("a", program.shape[1], lower=program.lower, upper=program.upper, cost=program.sign * program.c)
    b.add_rows("cover", {"a": program.A}, lower=program.row_lower, upper=program.row_upper)
    return b.build()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["highs", "mincut", "clarabel", "scip"])
def test_a_thousand_solves_do_not_grow_the_process(name: str, found: dict[str, str]) -> None:
    require(name, found)
    resource = pytest.importorskip("resource")
    program = SOLVERS[name].trial()[0]
    for _ in range(200):
        solve(program, name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000):
        solve(program, name)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 15_000, f"{grown} kB in 1000 solves"


@pytest.mark.parametrize("name", ["highs", "clarabel", "glpk", "cvxpy-highs", "pyomo-highs"])
def test_a_session_may_begin_without_columns(name: str, found: dict[str, str]) -> None:
    require(name, found)
    b = ProgramBuilder("bare")
    b.add_columns("a", 0, lower=0)
    b.add_rows("need", {"a": np.zeros((2, 0))}, lower=[-1, 0])
    with open_session(b.build(), name) as session:
        assert session.solve().objective == 0
        session.add_columns("a", cost=[2], coefficients=[[1], [1]])
        session.add_rows("need", coefficients=[[1]], lower=3)
        assert session.solve().objective == pytest.approx(6, abs=1e-6)
