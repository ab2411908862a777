"""nnls: non-negative least squares with multipliers, against brute force over active sets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.formulations import rule_regression
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers import solve


def random_program(seed: int, n: int = 5, T: int = 5) -> Program:
    rng = np.random.default_rng(seed)
    return rule_regression.build(rng.random(n), rng.integers(-1, 2, (n, T)), rng.integers(1, 4, n))


def by_active_sets(program: Program) -> float:
    n = program.shape[0]
    R, w = -program.A[:, n:].toarray(), np.sqrt(program.P.diagonal()[:n] / 2)
    t, best = -program.c[:n] / (2 * w**2), np.inf
    for active in product((False, True), repeat=R.shape[1]):
        a = np.zeros(R.shape[1])
        a[list(active)] = np.linalg.lstsq(R[:, list(active)] * w[:, None], t * w, rcond=None)[0]
        if (a >= -1e-12).all():
            best = min(best, float((w**2 * (R @ a - t) ** 2).sum()))
    return best


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_the_optimum_is_that_of_brute_force_and_proved(seed: int):
    program = random_program(seed)
    solution = solve(program, "nnls")
    assert solution.objective == pytest.approx(by_active_sets(program), abs=1e-9)
    assert solution.status is Status.OPTIMAL and solution.certificate is not None and solution.certificate.ok


def test_it_agrees_with_a_general_solver():
    program = random_program(3, n=20, T=8)
    assert solve(program, "nnls").objective == pytest.approx(solve(program, "clarabel").objective, abs=1e-6)


def test_a_limit_of_iterations_is_a_limit():
    program = random_program(1, n=30, T=20)
    solution = solve(program, "nnls", options={"iterations": 1}, raise_on_failure=False)
    assert solution.status is Status.LIMIT and solution.x is None


@pytest.mark.parametrize("value", [0, 1.5, True])
def test_bad_options_are_refused(value: object):
    with pytest.raises(OptionError, match="iterations"):
        solve(random_program(1), "nnls", options={"iterations": value})


def other(**words: object) -> Program:
    builder = ProgramBuilder("other")
    builder.add_columns("p", 1, lower=words.get("lower", -np.inf))
    builder.add_quadratic("p", [[1.0]])
    builder.add_columns("a", 1, lower=words.get("a_lower", 0.0), cost=words.get("cost", 0.0))
    side = words.get("side", 0.0)
    builder.add_rows("fit", {"p": [[words.get("first", 1.0)]], "a": [[-1.0]]}, lower=side, upper=side)
    return builder.build()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"lower": 0.0}, r"column p\(0\) has bounds"),
        ({"a_lower": -1.0}, r"column a\(0\) has a cost or other bounds"),
        ({"cost": 1.0}, r"column a\(0\) has a cost or other bounds"),
        ({"side": 1.0}, "is no equality with 0"),
        ({"first": 2.0}, "coefficient 1"),
    ],
)
def test_anything_else_is_refused_by_name(words: dict[str, object], named: str):
    with pytest.raises(UnsupportedProgram, match=named):
        solve(other(**words), "nnls")
