"""LPBoost's restricted master program in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/lpboost_master/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "signs" (y), "answers" (a row an object), "D" (or null) and perhaps "weights"."""
    y, answers = data["signs"], data["answers"]
    w = data.get("weights") or [1] * len(y)
    D = data.get("D")
    soft = D is not None and any(D * w_i < 1 for w_i in w)

    model = pyo.ConcreteModel("lpboost_master")
    model.objects = pyo.RangeSet(0, len(y) - 1)
    model.rules = pyo.RangeSet(0, len(answers[0]) - 1)

    model.rho = pyo.Var()
    if soft:
        model.xi = pyo.Var(model.objects, bounds=(0, None))
    model.a = pyo.Var(model.rules, bounds=(0, None))

    @model.Objective(sense=pyo.maximize)
    def goal(model):
        return model.rho - (sum(D * w[i] * model.xi[i] for i in model.objects) if soft else 0)

    @model.Constraint(model.objects)
    def margin(model, i):
        vote = sum(answers[i][t] * model.a[t] for t in model.rules)
        return y[i] * vote + (model.xi[i] if soft else 0) >= model.rho

    @model.Constraint()
    def convexity(model):
        return sum(model.a[t] for t in model.rules) == 1

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
