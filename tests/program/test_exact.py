"""Exact certificates: machine integers where nothing can be rounded, rationals elsewhere, the same answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import Program, ProgramBuilder
from monoopt.program import exact


def program_of(seed: int, unit: float) -> Program:
    random = np.random.default_rng(seed)
    n, m = 4, 3
    builder = ProgramBuilder("random", sense=random.choice(["minimize", "maximize"]))
    lower, upper = random.integers(-2, 1, n), random.integers(1, 3, n)
    builder.add_columns("x", n, lower=lower, upper=upper, cost=random.integers(-5, 6, n) / unit)
    low = np.where(random.random(m) < 0.5, -np.inf, random.integers(-9, -5, m))
    builder.add_rows("r", {"x": random.integers(-3, 4, (m, n))}, lower=low, upper=random.integers(5, 9, m))
    builder.add_offset(int(random.integers(-3, 4)))
    return builder.build()


@given(st.integers(0, 2**31), st.sampled_from([1, 2, 3]))
@settings(max_examples=60, deadline=None)
def test_machine_integers_and_rationals_agree(seed: int, unit: int):
    program = program_of(seed, unit)
    random = np.random.default_rng(seed)
    y, x = random.normal(scale=3, size=3), random.integers(-3, 4, 4).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        quick = exact.bound(program, y), exact._inside(program, x)
        patch.setattr(exact, "EXACT", -1.0)  # nothing is small enough: rationals throughout
        assert (exact.bound(program, y), exact._inside(program, x)) == quick


@given(st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_no_feasible_point_is_better_than_the_bound(seed: int):
    program = program_of(seed, 1)
    y = np.random.default_rng(seed).normal(scale=3, size=3)
    bound = exact.bound(program, y)
    for point in np.ndindex(5, 5, 5, 5):
        x = np.array(point) - 2.0
        if exact._inside(program, x):
            assert program.sign * (Fraction(program.objective(x)) - bound) >= 0


def test_a_bound_that_reaches_the_objective_ends_the_search():
    builder = ProgramBuilder("tied")
    builder.add_columns("d", 2, lower=0, upper=1, cost=[-1.0, 1.0])
    builder.add_rows("dominance", {"d": [[-1.0, 1.0]]}, lower=0)
    program = builder.build()
    assert exact.bound(program, np.array([1.0 + 1e-9]), enough=Fraction(0)) == 0


def test_numbers_too_large_for_machine_integers_go_through_rationals():
    builder = ProgramBuilder("large")
    builder.add_columns("x", 2, lower=0, upper=2.0**40, cost=[2.0**40, -(2.0**40) + 1])
    builder.add_rows("r", {"x": [[1.0, 1.0]]}, upper=2.0**40)
    program = builder.build()
    assert exact.bound(program, np.array([-(2.0**40) + 1])) == Fraction(-(2**40) + 1) * 2**40
