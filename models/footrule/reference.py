"""Footrule-optimal rank aggregation in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/footrule/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "locations" (a row for each object) and, if wanted, "weights" of the rankings."""
    tau = data["locations"]
    w = data.get("weights") or [1] * len(tau[0])

    model = pyo.ConcreteModel("footrule")
    model.objects = pyo.RangeSet(0, len(tau) - 1)
    model.places = pyo.RangeSet(0, len(tau) - 1)

    model.assign = pyo.Var(model.objects, model.places, bounds=(0, 1))

    def distance(i, p):
        return sum(w[j] * abs(tau[i][j] - (p + 1)) for j in range(len(w)))

    @model.Objective(sense=pyo.minimize)
    def cost(model):
        return sum(distance(i, p) * model.assign[i, p] for i in model.objects for p in model.places)

    @model.Constraint(model.objects)
    def object(model, i):
        return sum(model.assign[i, p] for p in model.places) == 1

    @model.Constraint(model.places)
    def position(model, p):
        return sum(model.assign[i, p] for i in model.objects) == 1

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
