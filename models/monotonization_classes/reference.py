"""Monotonization for K classes as one program in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/monotonization_classes/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo

LOSSES = {"absolute": lambda y, k: abs(y - k), "squared": lambda y, k: (y - k) ** 2}


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "codes" (0..K-1), "n_classes" (K), "pairs" and, if wanted, "weights" and "loss".

    A loss is "absolute", "squared" or a table with a row for each true code and a column for each new one.
    """
    y, classes = data["codes"], data["n_classes"]
    w = data.get("weights") or [1] * len(y)
    given = data.get("loss", "absolute")
    loss = LOSSES[given] if isinstance(given, str) else lambda true, new: given[true][new]

    model = pyo.ConcreteModel("monotonization_classes")
    model.objects = pyo.RangeSet(0, len(y) - 1)
    model.thresholds = pyo.RangeSet(1, classes - 1)
    model.between = pyo.RangeSet(1, classes - 2)
    model.order = pyo.Set(dimen=2, initialize=[tuple(pair) for pair in data["pairs"]])

    model.d = pyo.Var(model.objects, model.thresholds, bounds=(0, 1))

    @model.Objective(sense=pyo.minimize)
    def cost(model):
        def steps(i):
            return sum((loss(y[i], k) - loss(y[i], k - 1)) * model.d[i, k] for k in model.thresholds)

        return sum(w[i] * (loss(y[i], 0) + steps(i)) for i in model.objects)

    @model.Constraint(model.objects, model.between)
    def nesting(model, i, k):
        return model.d[i, k] >= model.d[i, k + 1]

    @model.Constraint(model.order, model.thresholds)
    def dominance(model, i, j, k):
        return model.d[i, k] >= model.d[j, k]

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
