"""Recourse under rule ensembles in Pyomo, written from the card; nothing of monoopt is imported.

Run: python models/recourse/reference.py [instance.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyomo.environ as pyo


def build(data: dict) -> pyo.ConcreteModel:
    """Build the program: data has "ensembles", "levels" (values and costs per attribute), "target" and "margin"."""
    ensembles, levels = data["ensembles"], data["levels"]
    margin, least_open = data.get("margin", 1e-4), data.get("least_open", 0.0)
    rules = {(k, t): rule for k, e in enumerate(ensembles) for t, rule in enumerate(e["rules"])}
    weight = {(k, t): e["weights"][t] for k, e in enumerate(ensembles) for t in range(len(e["rules"]))}

    def asks(k: int, t: int) -> list[int]:
        return sorted({j for j, _, _ in rules[k, t]["conditions"]})

    def met(k: int, t: int, j: int) -> list[int]:
        """Values of attribute j that meet the rule's conditions on it."""
        own = [(side, s) for i, side, s in rules[k, t]["conditions"] if i == j]
        holds = {">=": lambda x, s: x >= s, "<=": lambda x, s: x <= s}
        return [v for v, x in enumerate(levels[j]["values"]) if all(holds[side](x, s) for side, s in own)]

    positive = [key for key, rule in rules.items() if rule["positive"]]
    negative = [key for key, rule in rules.items() if not rule["positive"]]
    model = pyo.ConcreteModel("recourse")
    model.attributes = pyo.RangeSet(0, len(levels) - 1)
    model.thresholds = pyo.RangeSet(0, len(ensembles) - 1)
    pairs = [(j, v) for j, level in enumerate(levels) for v in range(len(level["values"]))]
    model.choices = pyo.Set(dimen=2, initialize=pairs)
    model.rules = pyo.Set(dimen=2, initialize=list(rules))
    model.asked = pyo.Set(dimen=3, initialize=[(k, t, j) for k, t in positive for j in asks(k, t)])
    model.negative = pyo.Set(dimen=2, initialize=negative)

    model.level = pyo.Var(model.choices, domain=pyo.Binary)
    model.reach = pyo.Var(model.thresholds, domain=pyo.Binary)
    model.open = pyo.Var(model.thresholds, domain=pyo.Binary)
    model.fires = pyo.Var(model.rules, bounds=(0, 1))

    @model.Objective(sense=pyo.minimize)
    def price(model):
        return sum(levels[j]["costs"][v] * model.level[j, v] for j, v in model.choices)

    @model.Constraint(model.attributes)
    def choice(model, j):
        return sum(model.level[j, v] for v in range(len(levels[j]["values"]))) == 1

    @model.Constraint(model.asked)
    def needs(model, k, t, j):
        return sum(model.level[j, v] for v in met(k, t, j)) - model.fires[k, t] >= 0

    @model.Constraint(model.negative)
    def forced(model, k, t):
        all_met = sum(model.level[j, v] for j in asks(k, t) for v in met(k, t, j))
        return model.fires[k, t] - all_met >= 1 - len(asks(k, t))

    def votes(k: int):
        own = [(t, 1 if rules[k, t]["positive"] else -1) for t in range(len(ensembles[k]["rules"]))]
        return sum(sign * weight[k, t] * model.fires[k, t] for t, sign in own)

    @model.Constraint(model.thresholds)
    def vote(model, k):
        return votes(k) - (1 + margin) * model.reach[k] >= -1

    @model.Constraint(model.thresholds)
    def no_vote_against(model, k):
        return votes(k) - (1 + least_open) * model.open[k] >= -1

    @model.Constraint()
    def target(model):
        return sum(model.reach[k] + model.open[k] for k in model.thresholds) >= 2 * data["target"]

    return model


if __name__ == "__main__":
    instance = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("tiny.json")
    program = build(json.loads(Path(instance).read_text(encoding="utf-8"))["data"])
    program.pprint()
    solver = pyo.SolverFactory("highs")
    if solver.available(exception_flag=False):
        solver.solve(program)
        program.display()
