"""The best mixture of estimates in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/mixture/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "targets", "estimates" (objects by estimates) and, if wanted, "weights"."""
    y, q = data["targets"], data["estimates"]
    w = data.get("weights") or [1] * len(y)

    model = pyo.ConcreteModel("mixture")
    model.objects = pyo.RangeSet(0, len(y) - 1)
    model.estimates = pyo.RangeSet(0, len(q[0]) - 1)

    model.a = pyo.Var(model.estimates, bounds=(0, None))

    @model.Objective(sense=pyo.minimize)
    def distance(model):
        return sum(w[i] * (sum(q[i][t] * model.a[t] for t in model.estimates) - y[i]) ** 2 for i in model.objects)

    @model.Constraint()
    def whole(model):
        return sum(model.a[t] for t in model.estimates) == 1

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("ipopt")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
