"""The dual program of SVDD in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/svdd/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program; the members of data are those of the card."""
    K, C = data["K"], data["C"]
    w = data.get("sample_weight") or [1] * len(K)

    model = pyo.ConcreteModel("svdd")
    model.objects = pyo.RangeSet(0, len(K) - 1)
    model.beta = pyo.Var(model.objects, bounds=lambda model, i: (0, C * w[i]))

    @model.Objective(sense=pyo.minimize)
    def minus_mean_squared_distance(model):
        pairs = ((i, j) for i in model.objects for j in model.objects)
        centre_norm = sum(K[i][j] * model.beta[i] * model.beta[j] for i, j in pairs)
        return centre_norm - sum(K[i][i] * model.beta[i] for i in model.objects)

    @model.Constraint()
    def total(model):
        return sum(model.beta[i] for i in model.objects) == 1

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("ipopt")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
