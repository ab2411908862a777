"""Control points at fixed scores in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/control_points/reference.py [instance.json]
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pyomo.environ as pyo


def known(x: float | None) -> bool:
    """Whether a cell has a value."""
    return x is not None and not math.isnan(x)


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program; the members of data are those of the card."""
    X, s, a = data["U"], data["scores"], data["directions"]
    k, margin = data.get("degree", 3), data.get("margin", 1e-3)
    w = data.get("attribute_weights") or [1] * len(a)
    weight = data.get("sample_weight") or [1] * len(X)
    v = [each / sum(weight) for each in weight]
    extra = data.get("preferences") or {"coefficients": [], "lower": [], "upper": []}

    model = pyo.ConcreteModel("control_points")
    model.attributes = pyo.RangeSet(0, len(a) - 1)
    for r in range(1, k):
        bounds = (margin, 1 - margin) if k <= 3 else (None, None)
        model.add_component(f"p{r}", pyo.Var(model.attributes, bounds=bounds))

    def point(r, j):
        if r in (0, k):
            return (1 - a[j]) / 2 if r == 0 else (1 + a[j]) / 2
        return model.component(f"p{r}")[j]

    def curve(t, j):
        return sum(math.comb(k, r) * t**r * (1 - t) ** (k - r) * point(r, j) for r in range(k + 1))

    @model.Objective(sense=pyo.minimize)
    def distance(model):
        cells = [(i, j) for i in range(len(X)) for j in model.attributes if known(X[i][j])]
        return sum(v[i] * w[j] * (X[i][j] - curve(s[i], j)) ** 2 for i, j in cells)

    if k > 3:
        model.steps = pyo.RangeSet(0, k - 1)

        @model.Constraint(model.steps, model.attributes)
        def increase(model, r, j):
            return a[j] * (point(r + 1, j) - point(r, j)) >= margin

    if extra["coefficients"]:
        model.preferences = pyo.RangeSet(0, len(extra["coefficients"]) - 1)
        places = [(r, j) for r in range(1, k) for j in model.attributes]

        @model.Constraint(model.preferences)
        def prefer(model, m):
            row = zip(extra["coefficients"][m], places, strict=True)
            return (extra["lower"][m], sum(c * point(r, j) for c, (r, j) in row), extra["upper"][m])

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("ipopt")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
