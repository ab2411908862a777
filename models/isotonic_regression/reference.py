"""Isotonic regression in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/isotonic_regression/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "targets" in [0, 1], "pairs" (i at least as good as j) and, if wanted, "weights"."""
    t = data["targets"]
    w = data.get("weights") or [1] * len(t)

    model = pyo.ConcreteModel("isotonic_regression")
    model.objects = pyo.RangeSet(0, len(t) - 1)
    model.order = pyo.Set(dimen=2, initialize=[tuple(pair) for pair in data["pairs"]])

    model.p = pyo.Var(model.objects, bounds=(0, 1))

    @model.Objective(sense=pyo.minimize)
    def distance(model):
        return sum(w[i] * (model.p[i] - t[i]) ** 2 for i in model.objects)

    @model.Constraint(model.order)
    def dominance(model, i, j):
        return model.p[i] >= model.p[j]

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("ipopt")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
