"""Regression by monotone rules in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/rule_regression/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "targets" in [0, 1], "answers" (objects by rules) and, if wanted, "weights"."""
    t, r = data["targets"], data["answers"]
    w = data.get("weights") or [1] * len(t)

    model = pyo.ConcreteModel("rule_regression")
    model.objects = pyo.RangeSet(0, len(t) - 1)
    model.rules = pyo.RangeSet(0, len(r[0]) - 1)

    model.p = pyo.Var(model.objects)
    model.a = pyo.Var(model.rules, bounds=(0, None))

    @model.Objective(sense=pyo.minimize)
    def distance(model):
        return sum(w[i] * (model.p[i] - t[i]) ** 2 for i in model.objects)

    @model.Constraint(model.objects)
    def fit(model, i):
        return model.p[i] - sum(r[i][k] * model.a[k] for k in model.rules) == 0

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("ipopt")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
