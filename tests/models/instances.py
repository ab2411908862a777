"""Random instances for every folder of models/: one function of the folder's name, from a generator to data.

The data go to `reference.build(data)` and, as keyword arguments, to the builder. Numbers are small multiples of a power
of two, so that two ways of adding them up give the same floats and the comparison can ask for equality.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Data = dict[str, Any]


def dominance(rng: np.random.Generator, n: int, d: int = 2, levels: int = 4) -> list[list[int]]:
    """All pairs (i, j), i at least as good as j, of random points; equal points give both pairs."""
    X = rng.integers(0, levels, size=(n, d))
    above = (X[:, None, :] >= X[None, :, :]).all(axis=2) & ~np.eye(n, dtype=bool)
    return np.argwhere(above).tolist()


def dyadic(rng: np.random.Generator, low: float, high: float, size: Any, unit: float = 1 / 8) -> np.ndarray:
    """Random multiples of a unit in [low, high]."""
    return rng.integers(round(low / unit), round(high / unit) + 1, size=size) * unit


def monotonization(rng: np.random.Generator) -> Data:
    n = int(rng.integers(2, 12))
    data = {"labels": rng.integers(0, 2, n).tolist(), "pairs": dominance(rng, n)}
    return data if rng.random() < 0.3 else data | {"weights": dyadic(rng, 0, 4, n).tolist()}


def monotonization_classes(rng: np.random.Generator) -> Data:
    n, classes = int(rng.integers(2, 9)), int(rng.integers(2, 6))
    table = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))) * dyadic(rng, 0.125, 2, (classes, 1))
    loss = ["absolute", "squared", table.tolist()][rng.integers(3)]
    return {
        "codes": rng.integers(0, classes, n).tolist(),
        "n_classes": classes,
        "pairs": dominance(rng, n),
        "weights": dyadic(rng, 0, 4, n).tolist(),
        "loss": loss,
    }


def lpboost_master(rng: np.random.Generator) -> Data:
    n, T = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    data = {
        "signs": rng.choice([-1, 1], n).tolist(),
        "answers": (rng.choice([-1, 1], T) * rng.integers(0, 2, (n, T))).tolist(),
    }
    kind = rng.integers(3)  # hard margin, soft margin, soft margin with weights
    if kind == 0:
        return data
    weights = dyadic(rng, 0.5, 3, n)
    least = 1 / (n if kind == 1 else weights.sum())
    data["D"] = float(np.ceil(least * 16) / 16 + dyadic(rng, 0, 0.25, (), 1 / 16))
    return data if kind == 1 else data | {"weights": weights.tolist()}


def rule_pricing(rng: np.random.Generator) -> Data:
    n, d = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    return {
        "X": dyadic(rng, -1, 1, (n, d), 1 / 2).tolist(),
        "values": dyadic(rng, -1, 1, n).tolist(),
        "directions": rng.integers(-1, 2, d).tolist(),
        "positive": bool(rng.integers(2)),
    }


def control_points(rng: np.random.Generator) -> Data:
    n, d, degree = int(rng.choice([4, 8])), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    U = dyadic(rng, -0.25, 1.25, (n, d)).tolist()
    if rng.random() < 0.5:
        U[0][0] = None  # a missing cell
    data = {
        "U": U,
        "scores": dyadic(rng, 0, 1, n, 1 / 4).tolist(),
        "directions": rng.choice([-1, 1], d).tolist(),
        "attribute_weights": dyadic(rng, 0.5, 2, d).tolist(),
        "degree": degree,
        "margin": 1 / 16,
    }
    if rng.random() < 0.5:
        data["preferences"] = {
            "words": ["a above b", "c at 1/2"],
            "coefficients": dyadic(rng, -1, 1, (2, (degree - 1) * d)).tolist(),
            "lower": [1 / 8, 1 / 2],
            "upper": [None, 1 / 2],
        }
    return data


def footrule(rng: np.random.Generator) -> Data:
    n, m = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    locations = np.column_stack([rng.permutation(n) + 1.0 for _ in range(m)])
    data = {"locations": locations.tolist()}
    return data if rng.random() < 0.3 else data | {"weights": dyadic(rng, 0, 2, m).tolist()}


def kemeny(rng: np.random.Generator) -> Data:
    n = int(rng.integers(2, 6))
    return {"pairs": (dyadic(rng, 0, 4, (n, n)) * (1 - np.eye(n))).tolist()}


def svdd(rng: np.random.Generator) -> Data:
    n, d = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    L = dyadic(rng, -2, 2, (n, d), 1 / 2)
    data = {"K": (L @ L.T).tolist(), "C": float(np.ceil(16 / n) / 16 + dyadic(rng, 0, 0.5, (), 1 / 16))}
    return data if rng.random() < 0.5 else data | {"sample_weight": dyadic(rng, 1, 3, n, 1 / 2).tolist()}


def shortest_path(rng: np.random.Generator) -> Data:
    n = int(rng.integers(2, 8))
    chain = [[v, int(rng.integers(0, v))] for v in range(1, n)]
    more = [pair for pair in rng.integers(0, n, (n, 2)).tolist() if pair[0] != pair[1]]
    arcs = sorted({tuple(sorted(pair)) for pair in chain + more})
    data = {
        "arcs": [list(arc) for arc in arcs],
        "lengths": dyadic(rng, 0, 4, len(arcs)).tolist(),
        "sources": sorted(set(rng.integers(0, n, 2).tolist())),
        "nodes": n,
    }
    return data if rng.random() < 0.5 else data | {"directed": True, "sources": [0]}


def isotonic_regression(rng: np.random.Generator) -> Data:
    n = int(rng.integers(2, 10))
    data = {"targets": dyadic(rng, 0, 1, n).tolist(), "pairs": dominance(rng, n)}
    return data if rng.random() < 0.3 else data | {"weights": dyadic(rng, 0.5, 3, n, 1 / 4).tolist()}


def rule_regression(rng: np.random.Generator) -> Data:
    n, T = int(rng.integers(2, 8)), int(rng.integers(1, 6))
    answers = (rng.choice([-1, 1], T) * rng.integers(0, 2, (n, T))).tolist()
    data = {"targets": dyadic(rng, 0, 1, n).tolist(), "answers": answers}
    return data if rng.random() < 0.3 else data | {"weights": dyadic(rng, 0.5, 3, n, 1 / 4).tolist()}


def mixture(rng: np.random.Generator) -> Data:
    n, T = int(rng.integers(1, 8)), int(rng.integers(1, 5))
    data = {"targets": dyadic(rng, 0, 1, n).tolist(), "estimates": dyadic(rng, 0, 1, (n, T)).tolist()}
    return data if rng.random() < 0.3 else data | {"weights": dyadic(rng, 0.5, 3, n, 1 / 4).tolist()}


def recourse(rng: np.random.Generator) -> Data:
    d = int(rng.integers(1, 4))

    def rule() -> Data:
        side = [">=", "<="][rng.integers(2)]
        asked = sorted(rng.choice(d, size=int(rng.integers(0, d + 1)), replace=False).tolist())
        return {"positive": side == ">=", "conditions": [[j, side, int(rng.integers(4))] for j in asked]}

    def ensemble() -> Data:
        rules = [rule() for _ in range(int(rng.integers(1, 4)))]
        return {"rules": rules, "weights": dyadic(rng, 0.125, 0.375, len(rules), 1 / 16).tolist()}

    def level() -> Data:
        values = np.unique(rng.integers(0, 5, int(rng.integers(1, 5))))
        return {"values": values.tolist(), "costs": dyadic(rng, 0, 2, len(values)).tolist()}

    ensembles = [ensemble() for _ in range(int(rng.integers(2, 4)))]
    return {
        "ensembles": ensembles,
        "levels": [level() for _ in range(d)],
        "target": int(rng.integers(0, len(ensembles) + 1)),
        "margin": 0.125,
    }
