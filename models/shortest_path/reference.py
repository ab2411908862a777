"""Shortest paths from several sources in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/shortest_path/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program; the members of data are those of the card."""
    length = {tuple(arc): value for arc, value in zip(data["arcs"], data["lengths"], strict=True)}
    if not data.get("directed", False):
        length |= {(v, u): value for (u, v), value in length.items()}
    others = [v for v in range(data["nodes"]) if v not in data["sources"]]

    model = pyo.ConcreteModel("shortest_path")
    model.arcs = pyo.Set(initialize=list(length), dimen=2)
    model.others = pyo.Set(initialize=others)
    model.f = pyo.Var(model.arcs, domain=pyo.NonNegativeReals)

    @model.Objective(sense=pyo.minimize)
    def total_length(model):
        return sum(length[arc] * model.f[arc] for arc in model.arcs)

    @model.Constraint(model.others)
    def conservation(model, v):
        inflow = sum(model.f[arc] for arc in model.arcs if arc[1] == v)
        outflow = sum(model.f[arc] for arc in model.arcs if arc[0] == v)
        return inflow - outflow == 1

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("appsi_highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
