"""Laws of reading a Pyomo model by name, checked against Pyomo's other compiler and on models that must be refused."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

from monoopt.program import difference, expand


def everything() -> pyo.ConcreteModel:
    """Scalars, one and two indices, text labels, whole numbers, ranges, equalities, constants, squares."""
    m = pyo.ConcreteModel("everything")
    m.pairs = pyo.Set(dimen=2, initialize=[(0, 2), (1, 0)])
    m.rho = pyo.Var()
    m.x = pyo.Var(pyo.RangeSet(0, 2), bounds=(-1, 5))
    m.label = pyo.Var(["a b", "c"], domain=pyo.NonNegativeReals)
    m.pick = pyo.Var(m.pairs, domain=pyo.Binary)
    m.unused = pyo.Var(bounds=(2, 2))
    m.goal = pyo.Objective(
        expr=m.rho - 2 * m.x[0] ** 2 - m.x[1] * m.x[0] - 3 * m.x[1] ** 2 - m.rho**2 - m.rho * m.x[2] - m.x[2] ** 2 + 7,
        sense=pyo.maximize,
    )
    m.fit = pyo.Constraint(m.pairs, rule=lambda m, i, j: m.x[i] + 1 >= 2 * m.x[j] - m.pick[i, j])
    m.range = pyo.Constraint(expr=(-1, m.x[0] + m.x[1], 4))
    m.equal = pyo.Constraint(expr=m.label["a b"] + m.label["c"] == 1 - m.rho)
    return m


def test_names_sides_and_squares(pyomo_to_program: ModuleType):
    program = pyomo_to_program.program_of(everything())
    assert program.column_names() == [
        "rho", "x(0)", "x(1)", "x(2)", "label(a b)", "label(c)", "pick(0,2)", "pick(1,0)", "unused",
    ]  # fmt: skip
    assert expand(program, "objective") == (
        "maximize -rho^2 - rho x(2) - 2 x(0)^2 - x(0) x(1) - 3 x(1)^2 - x(2)^2 + rho + 7"
    )
    assert expand(program, "range") == "range: -1 <= x(0) + x(1) <= 4"
    assert expand(program, "equal") == "equal: rho + label(a b) + label(c) = 1"
    assert expand(program, "fit(0,2)") == "fit(0,2): -x(0) + 2 x(2) - pick(0,2) <= 1"
    assert program.integer.tolist() == [False] * 6 + [True, True, False]
    assert (program.lower[0], program.upper[0]) == (-np.inf, np.inf)
    assert (program.lower[-1], program.upper[-1]) == (2, 2)


def test_pyomos_matrix_compiler_gives_the_same_rows(folder, pyomo_to_program: ModuleType):
    """Two ways through Pyomo, one matrix: what we read is not an artefact of one of them."""
    model = folder.reference(folder.tiny["data"])
    program = pyomo_to_program.program_of(model)
    if program.P is not None:
        for objective in model.component_objects(pyo.Objective):
            objective.deactivate()
        model.no_costs = pyo.Objective(expr=0)
    form = LinearStandardFormCompiler().write(model, mixed_form=True)
    columns = {variable.name.replace("[", "(").replace("]", ")"): k for k, variable in enumerate(form.columns)}
    dense, names = program.A.toarray(), program.column_names()
    place = {name: i for i, name in enumerate(program.row_names())}
    seen = set()
    for (constraint, kind), row, side in zip(form.rows, form.A.toarray(), form.rhs, strict=True):
        i = place[constraint.name.replace("[", "(").replace("]", ")")]
        assert [row[columns[name]] if name in columns else 0.0 for name in names] == dense[i].tolist()
        sides = {-1: [program.row_lower[i]], 0: [program.row_lower[i], program.row_upper[i]], 1: [program.row_upper[i]]}
        assert sides[kind] == [side] * len(sides[kind])
        seen.add(i)
    assert seen == set(range(program.shape[0]))
    if program.P is None:
        kept = np.zeros(program.shape[1])
        kept[[names.index(name) for name in columns]] = form.c.toarray().ravel()
        assert kept.tolist() == program.c.tolist() and float(form.c_offset[0]) == program.offset


def test_a_row_counts_up_to_a_factor_of_minus_one(pyomo_to_program: ModuleType):
    turned = everything()
    turned.del_component(turned.range)
    turned.range = pyo.Constraint(expr=(-4, -turned.x[0] - turned.x[1], 1))
    plain, other = (pyomo_to_program.program_of(m) for m in (everything(), turned))
    assert difference(plain, other)
    assert difference(plain, pyomo_to_program.turned_like(other, plain)) == []
    assert pyomo_to_program.disagreement(plain, turned) == []


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda m: m.rho.fix(1), "fixed"),
        (lambda m: m.add_component("bad", pyo.Constraint(expr=m.rho**2 <= 1)), "not linear"),
        (lambda m: m.goal.set_value(pyo.exp(m.rho)), "neither linear nor quadratic"),
    ],
)
def test_what_is_no_program_is_refused(spoil, word: str, pyomo_to_program: ModuleType):
    model = everything()
    spoil(model)
    with pytest.raises(ValueError, match=word):
        pyomo_to_program.program_of(model)
