"""Read a Pyomo model as a program of monoopt, by name: what lets the reference and the builder be compared.

``d[0]`` becomes ``d(0)`` and ``a[3,7]`` becomes ``a(3,7)``; scalars keep their names. The coefficients come from
Pyomo's own `generate_standard_repn`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.program import Program, ProgramBuilder, difference

Place = tuple[str, int]


def program_of(model: Any) -> Program:
    """A Pyomo ConcreteModel as a monoopt program of the same names.

    Linear constraints, a linear or quadratic objective, continuous and integer variables; anything else is refused
    with a ValueError.
    """
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    (objective,) = model.component_data_objects(pyo.Objective, active=True)
    goal = generate_standard_repn(objective.expr, quadratic=True)
    if goal.nonlinear_expr is not None:
        raise ValueError(f"the objective of {model.name} is neither linear nor quadratic")
    builder = ProgramBuilder(model.name, sense="minimize" if objective.sense == pyo.minimize else "maximize")
    cost: dict[int, float] = defaultdict(float)
    for variable, value in zip(goal.linear_vars, goal.linear_coefs, strict=True):
        cost[id(variable)] += value
    families = list(model.component_objects(pyo.Var, active=True))
    for family in families:
        _add_columns(builder, family, [cost[id(variable)] for variable in family.values()])
    where = {id(variable): (f.local_name, k) for f in families for k, variable in enumerate(f.values())}
    sizes = {family.local_name: len(family) for family in families}
    _add_quadratic(builder, goal, where, sizes)
    for family in model.component_objects(pyo.Constraint, active=True):
        bodies = [generate_standard_repn(constraint.body, quadratic=True) for constraint in family.values()]
        _add_rows(builder, family, bodies, where, sizes)
    builder.add_offset(goal.constant)
    return builder.build()


def turned_like(program: Program, other: Program) -> Program:
    """The program with rows times -1 where that makes them the row of that name in the other (Pyomo turns a >= b)."""
    ours, theirs = (_rows_by_name(p) for p in (program, other))
    opposite = [
        bool(row) and theirs.get(name) == {column: -value for column, value in row.items()}
        for name, row in ours.items()
    ]
    turn = np.where(np.array(opposite, dtype=bool), -1.0, 1.0)
    return replace(
        program,
        A=sparse.csr_array(sparse.diags_array(turn) @ program.A) if len(turn) else program.A,
        row_lower=np.where(turn > 0, program.row_lower, -program.row_upper) + 0.0,
        row_upper=np.where(turn > 0, program.row_upper, -program.row_lower) + 0.0,
    )


def disagreement(program: Program, model: Any) -> list[str]:
    """Differences between monoopt's program and the Pyomo reference, by name; rows count up to a factor -1."""
    return difference(program, turned_like(program_of(model), program))


def _add_columns(builder: ProgramBuilder, family: Any, cost: list[float]) -> None:
    members = list(family.values())
    if any(variable.fixed for variable in members):
        raise ValueError(f"{family.name} has fixed variables; give them equal bounds instead")
    builder.add_columns(
        family.local_name,
        len(members) if family.is_indexed() else (),
        lower=_shaped(family, [-np.inf if v.lb is None else v.lb for v in members]),
        upper=_shaped(family, [np.inf if v.ub is None else v.ub for v in members]),
        cost=_shaped(family, cost),
        integer=_shaped(family, [v.is_integer() for v in members]),
        index=_labels(family),
    )


def _add_quadratic(builder: ProgramBuilder, goal: Any, where: dict[int, Place], sizes: dict[str, int]) -> None:
    """Add 1/2 x'Px block by block: a term q x_i x_j puts q into P_ij and P_ji, a term q x_i^2 puts 2 q into P_ii."""
    order = list(sizes)
    entries: dict[tuple[str, str], list[tuple[float, int, int]]] = defaultdict(list)
    for pair, value in zip(goal.quadratic_vars, goal.quadratic_coefs, strict=True):
        (left, i), (right, j) = sorted((where[id(v)] for v in pair), key=lambda place: order.index(place[0]))
        entries[left, right] += [(value, i, j), (value, j, i)] if left == right else [(value, i, j)]
    for (left, right), terms in entries.items():
        values, i, j = zip(*terms, strict=True)
        matrix = sparse.coo_array((values, (i, j)), shape=(sizes[left], sizes[right]), dtype=float)
        builder.add_quadratic(left, sparse.csr_array(matrix), right)


def _add_rows(
    builder: ProgramBuilder, family: Any, bodies: list[Any], where: dict[int, Place], sizes: dict[str, int]
) -> None:
    """Add a family of constraints as one block of rows."""
    matrices = {name: sparse.lil_array((len(bodies), size)) for name, size in sizes.items()}
    low, high = [], []
    for row, (constraint, body) in enumerate(zip(family.values(), bodies, strict=True)):
        if not body.is_linear():
            raise ValueError(f"{constraint.name} is not linear")
        for variable, value in zip(body.linear_vars, body.linear_coefs, strict=True):
            name, k = where[id(variable)]
            matrices[name][row, k] += value
        low.append(-np.inf if constraint.lb is None else constraint.lb - body.constant)
        high.append(np.inf if constraint.ub is None else constraint.ub - body.constant)
    builder.add_rows(
        family.local_name, matrices, lower=_shaped(family, low), upper=_shaped(family, high), index=_labels(family)
    )


def _shaped(family: Any, values: list[Any]) -> Any:
    return np.array(values) if family.is_indexed() else values[0]


def _labels(family: Any) -> np.ndarray | None:
    """Index labels of a Pyomo family, None for a scalar or an empty one."""
    if not family.is_indexed() or not len(family):
        return None
    return np.array([index if isinstance(index, tuple) else (index,) for index in family])


def _rows_by_name(program: Program) -> dict[str, dict[str, float]]:
    names, A = program.column_names(), program.A
    rows = zip(program.row_names(), A.indptr[:-1], A.indptr[1:], strict=True)
    return {row: dict(zip((names[j] for j in A.indices[a:b]), A.data[a:b].tolist(), strict=True)) for row, a, b in rows}
