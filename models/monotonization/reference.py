"""Monotonization for two classes in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/monotonization/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "labels" (0 or 1), "pairs" (i at least as good as j) and, if wanted, "weights"."""
    y = data["labels"]
    w = data.get("weights") or [1] * len(y)

    model = pyo.ConcreteModel("monotonization")
    model.objects = pyo.RangeSet(0, len(y) - 1)
    model.order = pyo.Set(dimen=2, initialize=[tuple(pair) for pair in data["pairs"]])

    model.d = pyo.Var(model.objects, bounds=(0, 1))

    @model.Objective(sense=pyo.minimize)
    def cost(model):
        return sum(w[i] * ((1 - model.d[i]) if y[i] == 1 else model.d[i]) for i in model.objects)

    @model.Constraint(model.order)
    def dominance(model, i, j):
        return model.d[i] >= model.d[j]

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
