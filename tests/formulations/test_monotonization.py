"""Monotonization: least change of labels, the same least and greatest answer from any optimal multipliers."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import CertificateError, DataError, OptionError, certify, solve
from monoopt.formulations import monotonization
from monoopt.formulations.closures import integral_optimum
from monoopt.order import linear_loss

INNER = {"solver": "ipm", "run_crossover": "off", "presolve": "off"}


def all_pairs(X: np.ndarray) -> np.ndarray:
    better = (X[:, None, :] >= X[None, :, :]).all(axis=2)
    return np.argwhere(better & ~np.eye(len(X), dtype=bool))


def monotone_codes(n: int, K: int, pairs: np.ndarray) -> list[np.ndarray]:
    every = (np.array(codes) for codes in product(range(K), repeat=n))
    return [codes for codes in every if (codes[pairs[:, 0]] >= codes[pairs[:, 1]]).all()]


def optima(y: np.ndarray, w: np.ndarray, pairs: np.ndarray, K: int, table: np.ndarray) -> tuple[float, np.ndarray]:
    allowed = np.array(monotone_codes(len(y), K, pairs))
    costs = np.array([w @ table[y, codes] for codes in allowed])
    return float(costs.min()), allowed[np.isclose(costs, costs.min(), atol=1e-9)]


@st.composite
def instances(draw: st.DrawFn, K: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 6))
    X = np.array(draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=n, max_size=n)), float)
    y = np.array(draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), float)
    return all_pairs(X), y, w


def test_two_contradicting_objects_cost_one_and_have_two_optima():
    program = monotonization.build([1, 0], [(1, 0)])
    solution = solve(program)
    assert solution.objective == 1.0
    assert monotonization.read(program, solution).tolist() == [0, 0]
    assert monotonization.read(program, solution, tie="greatest").tolist() == [1, 1]


@pytest.mark.parametrize("options", [INNER, {"solver": "pdlp", "presolve": "off"}])
def test_an_answer_that_is_no_vertex_is_read_the_same(options: dict[str, str]):
    program = monotonization.build([1, 0], [(1, 0)])
    solution = solve(program, options=options)
    assert (np.abs(solution.x - np.round(solution.x)) > 0.1).all(), "this solver was meant to give fractions"
    assert monotonization.read(program, solution).tolist() == [0, 0]
    assert monotonization.read(program, solution, tie="greatest").tolist() == [1, 1]


@given(instances())
@settings(max_examples=40, deadline=None)
def test_cost_and_both_ties_equal_brute_force(instance: tuple[np.ndarray, np.ndarray, np.ndarray]):
    pairs, y, w = instance
    least_cost, best = optima(y, w, pairs, 2, 1.0 - np.eye(2))
    program = monotonization.build(y, pairs, w)
    for solution in (solve(program), solve(program, "mincut")):
        assert solution.objective == pytest.approx(least_cost)
        assert (monotonization.read(program, solution) == best.min(axis=0)).all()
        assert (monotonization.read(program, solution, tie="greatest") == best.max(axis=0)).all()


@given(instances(), st.integers(0, 2**31), st.sampled_from([1e-7, 1e-4, 1e-2, 0.3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_coarse_or_missing_multipliers_lead_to_the_right_answer(
    instance: tuple[np.ndarray, np.ndarray, np.ndarray], seed: int, noise: float
):
    pairs, y, w = instance
    program = monotonization.build(y, pairs, w)
    exact = solve(program, "mincut")
    wrong = np.random.default_rng(seed).normal(scale=noise, size=len(exact.y))
    for tie in ("least", "greatest"):
        found = monotonization.read(program, exact, tie)
        for multipliers in (exact.y + wrong, None):
            assert (monotonization.read(program, replace(exact, y=multipliers), tie) == found).all()


def test_a_rounded_point_that_costs_a_little_too_much_is_replaced():
    program = monotonization.build([1, 0], [(1, 0)], [1e12 + 1, 1e12])
    solution = replace(solve(program), x=np.array([0.0, 0.0]), y=None)
    assert program.objective(monotonization.read(program, solution, "any")) == 1e12


def test_rounding_an_optimum_keeps_its_cost_and_a_worse_point_is_refused():
    program = monotonization.build([1, 1, 0], [(2, 0), (2, 1)])
    optimum = solve(program, options=INNER)
    assert program.objective(monotonization.read(program, optimum, "any")) == 1.0
    bent = replace(optimum, x=np.array([0.4, 0.6, 0.6]))
    with pytest.raises(CertificateError, match="no optimum"):
        monotonization.read(program, bent, "any")


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
def test_the_size_of_the_weights_does_not_matter(factor: float):
    y, pairs = [1, 0, 0], [(1, 0), (2, 0), (2, 1)]
    program = monotonization.build(y, pairs, np.array([0.3, 0.1, 0.1]) * factor)
    assert monotonization.read(program, solve(program)).tolist() == [1, 1, 1]
    program = monotonization.build(y, pairs, np.array([0.1, 0.3, 0.2]) * factor)
    assert monotonization.read(program, solve(program), tie="greatest").tolist() == [0, 0, 0]


def test_objects_are_called_by_their_names():
    program = monotonization.build([1, 0], [(1, 0)], objects=["ann", "bob"])
    assert program.column_names() == ["d(ann)", "d(bob)"]
    assert program.row_names() == ["dominance(bob,ann)"]


def test_the_rows_are_totally_unimodular_and_the_certificate_is_exact():
    program = monotonization.build([1, 0, 1, 0], [(1, 0), (3, 2), (3, 1)], [2, 3, 1, 1])
    assert program.structure().totally_unimodular
    assert certify(program, solve(program), exact=True).gap == 0.0


def test_all_faults_come_in_one_error():
    with pytest.raises(DataError) as caught:
        monotonization.build([0, 2, 1], [(0, 0), (0, 7)], [1, -1, np.nan])
    text = str(caught.value)
    assert len(caught.value.faults) == 5
    for piece in ("label 1 is 2", "weight 1 is -1", "weight 2 is nan", "pair 0 is (0, 0)", "pair 1 is (0, 7)"):
        assert piece in text


@pytest.mark.parametrize(
    ("labels", "pairs", "more", "what"),
    [
        ([], [], {}, "labels have shape"),
        ([[0, 1]], [], {}, "labels have shape"),
        ([0, 1], [(0.0, 1.0)], {}, "pairs have shape"),
        ([0, 1], [(0, 1, 2)], {}, "pairs have shape"),
        ([0, 1], [], {"weights": [1.0]}, "weights have shape"),
        ([0, 1], [], {"objects": ["a"]}, "objects have shape"),
        (["a", "b"], [], {}, "label 0 is a"),
    ],
)
def test_a_wrong_shape_is_named(labels: list, pairs: list, more: dict, what: str):
    with pytest.raises(DataError, match=what):
        monotonization.build(labels, pairs, **more)


def test_an_unknown_tie_rule_is_refused():
    program = monotonization.build([1, 0], [(1, 0)])
    with pytest.raises(OptionError, match="did you mean 'least'"):
        monotonization.read(program, solve(program), tie="leest")


LOSSES = {
    "absolute": "absolute",
    "squared": "squared",
    "quarter": linear_loss(0.25, 3),
    "by hand": np.array([[0.0, 1, 5], [2, 0, 1], [9, 4, 0]]),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@given(instances(K=3))
@settings(max_examples=25, deadline=None)
def test_classes_in_one_program_equal_brute_force(loss: object, instance: tuple[np.ndarray, np.ndarray, np.ndarray]):
    pairs, y, w = instance
    table = monotonization.loss_table(loss, 3)
    least_cost, best = optima(y, w, pairs, 3, table)
    program = monotonization.build_classes(y, 3, pairs, w, loss)
    solution = solve(program)
    assert solution.objective == pytest.approx(least_cost, abs=1e-9)
    for tie, corner in (("least", best.min(axis=0)), ("greatest", best.max(axis=0))):
        assert (monotonization.read_classes(program, solution, tie) == corner).all()
    assert (integral_optimum(program, solution, "any").reshape(-1, 2)[:, 1] <= 1).all()


def test_two_classes_in_one_program_are_the_binary_program():
    y, pairs, w = [1, 0, 1], [(1, 0), (2, 1)], [1.0, 2.0, 3.0]
    binary, classes = monotonization.build(y, pairs, w), monotonization.build_classes(y, 2, pairs, w)
    assert (binary.c == classes.c).all() and binary.offset == classes.offset
    assert (binary.A != classes.A).nnz == 0
    assert classes.row_names() == ["dominance(1,0,1)", "dominance(2,1,1)"]


def test_three_classes_have_nesting_rows_and_costs_per_threshold():
    program = monotonization.build_classes([2, 0], 3, [(1, 0)], [1, 5], objects=["ann", "bob"])
    names = ["nesting(ann,1)", "nesting(bob,1)", "dominance(bob,ann,1)", "dominance(bob,ann,2)"]
    assert program.row_names() == names
    assert program.c.tolist() == [-1, -1, 5, 5] and program.offset == 2
    rows = [[1, -1, 0, 0], [0, 0, 1, -1], [-1, 0, 1, 0], [0, -1, 0, 1]]
    assert program.A.toarray().tolist() == rows
    assert program.structure().totally_unimodular


def test_a_loss_that_is_not_convex_is_refused_with_its_place():
    with pytest.raises(DataError, match=r"row 0 is not convex at L\[0, 1\]"):
        monotonization.build_classes([0, 1], 3, [], loss=1 - np.eye(3))


def test_fewer_than_two_classes_are_refused():
    with pytest.raises(DataError, match="1 classes"):
        monotonization.build_classes([0], 1, [])


def test_weights_that_are_no_numbers_are_refused():
    with pytest.raises(DataError, match="wanted a number for each object"):
        monotonization.build([0, 1], pairs=[(1, 0)], weights=["a", 1])
