"""Pricing of monotone rules as an integer program in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/rule_pricing/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def sides_of(directions: list[int], positive: bool) -> list[tuple[int, int]]:
    """Pairs (attribute, factor): on a side, factor times attribute reads "larger is more for this rule"."""
    directed = [(j, sign) for j, sign in enumerate(directions) if sign]
    free = [j for j, sign in enumerate(directions) if not sign]
    sides = directed + [(j, 1) for j in free] + [(j, -1) for j in free]
    return sides if positive else [(j, -factor) for j, factor in sides]


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "X" (a row for each object), "values" (v), "directions" and perhaps "positive"."""
    X, v = data["X"], data["values"]
    sides = sides_of(data["directions"], data.get("positive", True))
    seen = [sorted({factor * row[j] for row in X}) for j, factor in sides]
    level = [[values.index(factor * row[j]) for (j, factor), values in zip(sides, seen, strict=True)] for row in X]

    model = pyo.ConcreteModel("rule_pricing")
    model.objects = pyo.RangeSet(0, len(X) - 1)
    model.sides = pyo.RangeSet(0, len(sides) - 1)
    model.thresholds = pyo.Set(dimen=2, initialize=[(p, s) for p in model.sides for s in range(len(seen[p]))])
    model.gaining = pyo.Set(initialize=[i for i in model.objects if v[i] >= 0])
    model.losing = pyo.Set(initialize=[i for i in model.objects if v[i] < 0])

    model.cover = pyo.Var(model.objects, bounds=(0, 1))
    model.cut = pyo.Var(model.thresholds, domain=pyo.Binary)

    def refusals(i, p):
        """1 if side p has its threshold above object i, else 0."""
        return sum(model.cut[p, s] for s in range(level[i][p] + 1, len(seen[p])))

    @model.Objective(sense=pyo.maximize)
    def edge(model):
        return sum(v[i] * model.cover[i] for i in model.objects)

    @model.Constraint(model.sides)
    def choice(model, p):
        return sum(model.cut[p, s] for s in range(len(seen[p]))) == 1

    @model.Constraint(model.gaining, model.sides)
    def inside(model, i, p):
        return model.cover[i] + refusals(i, p) <= 1

    @model.Constraint(model.losing)
    def outside(model, i):
        return model.cover[i] + sum(refusals(i, p) for p in model.sides) >= 1

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
