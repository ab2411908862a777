"""A session whose objective is replaced answers as a fresh solve does, on every backend with quadratic programs."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.errors import FormulationError
from monoopt.program import Program, ProgramBuilder
from monoopt.solvers import open_session, solve
from tests.solvers.every_solver import SOLVERS, require, takes


def program_of(seed: int, rank: int = 4) -> Program:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(rank, 4))
    P = root.T @ root
    b = ProgramBuilder("moving", sense="minimize")
    b.add_columns("p", 2, lower=-1, upper=1, cost=rng.normal(size=2))
    b.add_columns("q", 2, lower=-1, cost=rng.normal(size=2))
    b.add_columns("flat", 1, lower=0, upper=1, cost=rng.normal())
    b.add_quadratic("p", P[:2, :2])
    b.add_quadratic("p", P[:2, 2:], "q")
    b.add_quadratic("q", P[2:, 2:])
    b.add_rows("together", {"p": np.ones((1, 2)), "flat": np.ones((1, 1))}, lower=-0.5, upper=1.5)
    b.add_rows("fixed", {"q": np.ones((1, 2))}, lower=[0.25], upper=[0.25])
    b.add_offset(float(rng.normal()))
    return b.build()


@pytest.mark.parametrize("name", [name for name in SOLVERS if takes(name, program_of(0))])
def test_a_new_objective_gets_the_answer_of_a_fresh_solve(name: str, found: dict[str, str]):
    require(name, found)
    with open_session(program_of(0), name) as session:
        for seed in (0, 1, 2):
            session.set_objective(program_of(seed))
            solution = session.solve()
            fresh = solve(program_of(seed), "clarabel")
            assert solution.certificate.ok
            assert solution.objective == pytest.approx(fresh.objective, abs=1e-5)
            np.testing.assert_allclose(solution.x, fresh.x, atol=2e-3)
            if solution.y is not None:
                np.testing.assert_allclose(solution.dual("fixed"), fresh.dual("fixed"), atol=2e-3)


def test_a_compiled_session_says_that_it_was_compiled():
    with open_session(program_of(0), "clarabel") as session:
        hot = []
        for seed in (0, 1, 2):
            session.set_objective(program_of(seed))
            hot.append(session.solve().stats.hot)
    assert hot == [False, True, True]


def test_rows_added_to_a_compiled_session_count():
    with open_session(program_of(0), "clarabel") as session:
        before = session.solve().objective
        session.add_rows("fixed", coefficients=np.array([[1.0, -1.0, 0, 0, 0]]), lower=0.5, upper=0.5)
        after = session.solve()
        assert after.objective >= before - 1e-9
        assert after.x[0] - after.x[1] == pytest.approx(0.5, abs=1e-6)


def test_other_columns_are_refused():
    b = ProgramBuilder("other")
    b.add_columns("r", 3)
    with open_session(program_of(0), "clarabel") as session, pytest.raises(FormulationError, match="other columns"):
        session.set_objective(b.build())
