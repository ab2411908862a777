"""The shelf's references judge the whole method on real data: no reduction, no shortcut, no solver layer of ours."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pyomo.environ as pyo
import pytest

from monoopt import relabel
from monoopt.datasets import load_era, load_esl, load_lev


def all_pairs(X: np.ndarray) -> list[list[int]]:
    """Every pair of the order, from its definition."""
    above = (X[:, None, :] >= X[None, :, :]).all(axis=2)
    np.fill_diagonal(above, False)
    return np.argwhere(above).tolist()


def optimum(model: pyo.ConcreteModel) -> float:
    result = pyo.SolverFactory("highs").solve(model)
    assert result.solver.termination_condition == pyo.TerminationCondition.optimal
    return pyo.value(model.cost)


def named(folders, name: str):
    return next(folder for folder in folders if folder.name == name)


@pytest.mark.parametrize("load", [load_esl, load_lev, load_era])
def test_relabelling_costs_what_the_reference_says(load, folders):
    """Sixty objects, all pairs, all classes at once: the cost of `relabel` is the reference's optimum."""
    found = load()
    some = np.random.default_rng(7).choice(len(found.y), 60, replace=False)
    X, classes = found.X[some], np.unique(found.y[some])
    codes = np.searchsorted(classes, found.y[some])
    data = {"codes": codes.tolist(), "n_classes": len(classes), "pairs": all_pairs(X)}
    expected = optimum(named(folders, "monotonization_classes").reference(data))
    answer = relabel(X, codes)
    assert answer.cost == pytest.approx(expected, abs=1e-7)
    assert all(proof.ok for proof in answer.certificates)


@pytest.mark.slow
def test_esl_as_a_whole_is_the_program_of_the_card(folders, pyomo_to_program: ModuleType):
    """One threshold of ESL with all its pairs: the same rows by name, and the cost that `relabel` finds."""
    found = load_esl()
    labels = (found.y >= 6).astype(int)
    data = {"labels": labels.tolist(), "pairs": all_pairs(found.X)}
    assert len(data["pairs"]) == 84821
    folder = named(folders, "monotonization")
    model = folder.reference(data)
    assert pyomo_to_program.disagreement(folder.program(data), model) == []
    assert relabel(found.X, labels).cost == pytest.approx(optimum(model), abs=1e-7)
