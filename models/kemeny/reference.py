"""Kemeny's rank aggregation as an integer program in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/kemeny/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "pairs", N[i][k] the weight of the rankings that put i above k."""
    N = data["pairs"]
    everyone = range(len(N))

    model = pyo.ConcreteModel("kemeny")
    model.two = pyo.Set(dimen=2, initialize=list(combinations(everyone, 2)))
    model.three = pyo.Set(dimen=3, initialize=list(combinations(everyone, 3)))

    model.above = pyo.Var(model.two, domain=pyo.Binary)

    @model.Objective(sense=pyo.minimize)
    def disagreements(model):
        return sum(N[k][i] * model.above[i, k] + N[i][k] * (1 - model.above[i, k]) for i, k in model.two)

    @model.Constraint(model.three)
    def transitive(model, i, j, k):
        return (0, model.above[i, j] + model.above[j, k] - model.above[i, k], 1)

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
