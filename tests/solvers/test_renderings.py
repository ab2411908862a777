"""Programs in other people's languages: the same names, the same answer when their own door is used."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.errors import DataWarning, UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers.cvxpy_rendering import to_cvxpy
from monoopt.solvers.pyomo_rendering import to_pyomo
from tests.solvers.named_programs import CASES, Case

OPTIMAL = [case for case in CASES.values() if case.status is Status.OPTIMAL]


@pytest.mark.parametrize("case", OPTIMAL, ids=lambda case: case.name)
def test_cvxpy_itself_solves_the_rendering_to_the_known_optimum(case: Case) -> None:
    problem = to_cvxpy(case.build())
    whole = any(variable.attributes["integer"] for variable in problem.variables())
    problem.solve(solver="HIGHS" if whole else "CLARABEL")
    assert problem.value == pytest.approx(case.objective, abs=1e-5), "in the user's sense, with the constant"
    assert problem.is_dcp()


@pytest.mark.parametrize("case", [c for c in OPTIMAL if not c.build().cones], ids=lambda case: case.name)
def test_pyomo_itself_solves_the_rendering_to_the_known_optimum(case: Case) -> None:
    import pyomo.environ as pyo

    instance = to_pyomo(case.build())
    pyo.SolverFactory("highs").solve(instance)
    assert pyo.value(instance.objective) == pytest.approx(case.objective, abs=1e-5)


def labelled() -> Program:
    b = ProgramBuilder("labelled", "maximize")
    b.add_columns("score", 3, lower=0, upper=[1, 2, 3], cost=[3, 2, 1], index=["A", "B", "C"])
    b.add_columns("share", (2, 2), lower=0, upper=1, cost=1)
    b.add_columns("rho", cost=-1, lower=0)
    b.add_columns("name", 1, lower=0, upper=1)
    rows = [[1, -1, 0], [0, 1, -1]]
    b.add_rows("above", {"score": rows, "rho": [[1.0], [1.0]]}, lower=0.5, index=[["A", "B"], ["B", "C"]])
    b.add_rows("total", {"share": np.ones((1, 4))}, upper=2)
    return b.build()


def test_pyomo_components_carry_our_names_and_labels() -> None:
    import pyomo.environ as pyo

    instance = to_pyomo(labelled())
    assert [str(key) for key in instance.score] == ["A", "B", "C"]
    assert list(instance.share) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert not instance.rho.is_indexed() and not instance.total.is_indexed()
    assert list(instance.above) == [("A", "B"), ("B", "C")]
    assert instance.score["C"].bounds == (0, 3) and instance.objective.sense == pyo.maximize
    assert "score[A]" in str(instance.above["A", "B"].expr)
    assert "name_" in {component.local_name for component in instance.component_objects(pyo.Var)}, "name is Pyomo's own"


def test_cvxpy_variables_carry_our_names() -> None:
    problem = to_cvxpy(labelled())
    assert [variable.name() for variable in problem.variables()] == ["score", "share", "rho", "name"]
    assert len(problem.constraints) == 2


def test_a_block_with_some_whole_members_becomes_two_variables() -> None:
    problem = to_cvxpy(CASES["some_members_integer"].build())
    assert {variable.name(): variable.size for variable in problem.variables()} == {"x": 1, "x_whole": 2}


def test_pyomo_refuses_cones_and_warns_of_many_rows() -> None:
    with pytest.raises(UnsupportedProgram, match="cones"):
        to_pyomo(CASES["shortest_vector"].build())
    from monoopt.solvers import pyomo_rendering

    with pytest.MonkeyPatch.context() as patch, pytest.warns(DataWarning, match="2 rows"):
        patch.setattr(pyomo_rendering, "LARGE", 1)
        to_pyomo(CASES["production"].build())
