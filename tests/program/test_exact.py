"""Exact arithmetic: nothing is rounded, nothing is believed."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import FormulationError
from monoopt.program import Program, ProgramBuilder, Solution, Status, certify, exact

INF = np.inf


def answer(program: Program, x: object, y: object = None) -> Solution:
    rows = None if y is None else np.asarray(y, dtype=float)
    return Solution(program, Status.OPTIMAL, x=np.asarray(x, dtype=float), y=rows)


def chain(n: int = 3, cost: object = (-2, 3, 4), sense: str = "minimize") -> Program:
    b = ProgramBuilder("chain", sense)
    b.add_columns("d", n, lower=0, upper=1, cost=cost)
    rows = np.eye(n, k=1)[: n - 1] - np.eye(n)[: n - 1]
    b.add_rows("dominance", {"d": rows}, lower=0)
    return b.build()


def test_whole_numbers_give_a_gap_of_exactly_zero() -> None:
    program = chain()
    found = certify(program, answer(program, [0, 0, 0], [2, 0]), exact=True)
    assert found.ok and found.exact and found.gap == 0
    assert found.exact_primal == found.exact_dual == Fraction(0)
    assert str(found).startswith("optimality proved exactly: objective 0, bound 0")


def test_weights_that_floats_can_not_add_are_added() -> None:
    """0.1 + 0.2 - 0.3 is not 0 in floats, and these three floats do not add to 0 in truth either."""
    program = chain(cost=(0.1, 0.2, -0.3))
    value = Fraction(0.1) + Fraction(0.2) - Fraction(0.3)
    found = certify(program, answer(program, [1, 1, 1]), exact=True)
    assert found.exact_primal == value != 0


def test_a_point_that_is_nearly_whole_is_rounded_before_it_is_judged() -> None:
    program = chain()
    found = certify(program, answer(program, [1e-9, 1 - 1e-9, 1.0], [2, 0]), exact=True)
    assert found.exact_primal == 7


def test_a_violation_that_floats_forgive_is_seen() -> None:
    b = ProgramBuilder("third")
    b.add_columns("x", cost=1)
    b.add_rows("three", {"x": [[3.0]]}, lower=1)
    program = b.build()
    below, above = np.nextafter(1 / 3, 0), np.nextafter(1 / 3, 1)
    assert certify(program, answer(program, [below], [1 / 3])).ok
    found = certify(program, answer(program, [below], [1 / 3]), exact=True)
    assert not found.ok and "no exactly feasible point" in found.reasons[-1]
    assert certify(program, answer(program, [above], [1 / 3]), exact=True).exact_primal == Fraction(above)


def test_a_wrong_bound_has_a_gap() -> None:
    program = chain()
    found = certify(program, answer(program, [0, 0, 0], [1.25, 0]), exact=True)
    assert not found.ok and found.exact_dual == Fraction(-3, 4) and found.gap == 0.75


def test_the_sense_is_the_users() -> None:
    program = chain(cost=(2, -3, -4), sense="maximize")
    found = certify(program, answer(program, [0, 0, 0], [-2, 0]), exact=True)
    assert found.ok and found.exact_dual == 0
    loose = certify(program, answer(program, [0, 0, 0], [-1.25, 0]), exact=True)
    assert loose.exact_dual == Fraction(3, 4)


def test_columns_without_bounds_need_exact_stationarity() -> None:
    b = ProgramBuilder("free")
    b.add_columns("x", 2, cost=[1, 1])
    b.add_rows("sum", {"x": [[1, 1]]}, lower=2)
    program = b.build()
    assert exact.bound(program, np.array([1.0])) == 2
    assert exact.bound(program, np.array([1 + 1e-9])) == 2, "the nearest whole number does"
    assert exact.bound(program, np.array([0.3])) is None
    found = certify(program, answer(program, [1, 1], [0.3]), exact=True)
    assert not found.ok and "no exact bound" in found.reasons[-1]


def test_multipliers_at_missing_sides_count_as_none() -> None:
    program = chain()
    assert exact.bound(program, np.array([2.0, -5.0])) == exact.bound(program, np.array([2.0, 0.0]))


def test_quadratic_programs_are_refused() -> None:
    b = ProgramBuilder("quadratic")
    b.add_columns("x", 1)
    b.add_quadratic("x", np.eye(1))
    program = b.build()
    with pytest.raises(FormulationError, match="linear programs"):
        certify(program, answer(program, [0], []), exact=True)


def test_numbers_beyond_machine_integers_are_kept() -> None:
    big = float(2**53)
    b = ProgramBuilder("big")
    b.add_columns("x", 2, lower=0, upper=big, cost=[big, -1])
    b.add_rows("row", {"x": [[big, -0.5]]}, lower=0)
    program = b.build()
    x = [big, big]
    assert exact.objective(program, exact.feasible_point(program, np.array(x))) == 2**106 - 2**53
    assert exact.bound(program, np.array([1.0])) == -(2**52)


@st.composite
def boxed(draw: st.DrawFn) -> tuple[Program, np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m, n = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    A = rng.integers(-2, 3, (m, n)).astype(float)
    inside = rng.integers(0, 3, n)
    b = ProgramBuilder("boxed", draw(st.sampled_from(["minimize", "maximize"])))
    b.add_columns("x", n, lower=0, upper=2, cost=rng.integers(-4, 5, n) / 4)
    b.add_rows("row", {"x": A}, lower=A @ inside - rng.integers(0, 2, m), upper=A @ inside + rng.integers(0, 3, m))
    return b.build(), rng.normal(size=m)


@settings(max_examples=50)
@given(boxed())
def test_any_multipliers_bound_every_feasible_point(made: tuple[Program, np.ndarray]) -> None:
    """Against all whole points of the box, compared as exact numbers."""
    program, y = made
    n = program.shape[1]
    bound = exact.bound(program, y)
    assert bound is not None
    for point in np.ndindex(*(3,) * n):
        x = exact.feasible_point(program, np.array(point, dtype=float))
        if x is not None:
            assert program.sign * exact.objective(program, x) >= program.sign * bound


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6))
def test_the_objective_is_the_sum_of_exact_products(cost: list[float], point: list[float]) -> None:
    b = ProgramBuilder("sum")
    b.add_columns("x", len(cost), cost=cost)
    x = [Fraction(value) for value in point[: len(cost)]]
    expected = sum((Fraction(c) * v for c, v in zip(cost, x, strict=True)), Fraction(0))
    assert exact.objective(b.build(), x) == expected


def test_the_bound_is_the_same_number_with_and_without_gmp(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gmpy2", reason="gmpy2 is not here: the extra 'exact' brings it")
    builder = ProgramBuilder("thirds")
    builder.add_columns("x", 2, lower=0, upper=1 / 3, cost=[0.1, -0.7])
    builder.add_rows("sum", {"x": [[1 / 3, 1.0]]}, upper=0.2)
    program, y = builder.build(), np.array([-0.3])
    fast = exact.bound(program, y)
    monkeypatch.setitem(sys.modules, "gmpy2", None)
    assert exact.bound(program, y) == fast
    assert isinstance(fast, Fraction)
