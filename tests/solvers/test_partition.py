"""partition: exact isotonic regression with its proof, the same as Clarabel's, and a refusal for everything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.formulations import isotonic_regression
from monoopt.order import dominance_pairs
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers import solve


def random_program(seed: int, n: int = 12, d: int = 2) -> Program:
    rng = np.random.default_rng(seed)
    X = rng.permutation(n * d).reshape(n, d).astype(float)
    pairs = dominance_pairs(X, np.ones(d, dtype=np.int8))
    return isotonic_regression.build(rng.integers(0, 4, n) / 3, pairs, rng.integers(1, 5, n) / 8)


def by_the_min_max_formula(program: Program) -> np.ndarray:
    """p_i = min over lower sets L with i of max over upper sets U with i of the mean on L and U, all sets tried."""
    n = len(program.c)
    weights = program.P.diagonal() / 2
    targets = -program.c / (2 * weights)
    above = np.eye(n, dtype=bool)
    for row in program.A.toarray():
        above[np.argmax(row), np.argmin(row)] = True
    sets = [np.array([m >> i & 1 for i in range(n)], dtype=bool) for m in range(1 << n)]
    upper = [S for S in sets if not any(S[j] and not S[i] for i, j in np.argwhere(above))]
    p = np.empty(n)
    for i in range(n):
        values = []
        for L in (~U for U in upper if not U[i]):
            both = [L & U for U in upper if U[i]]
            values.append(max(weights[S] @ targets[S] / weights[S].sum() for S in both))
        p[i] = min(values)
    return p


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_values_are_those_of_the_min_max_formula(seed: int):
    program = random_program(seed, n=5)
    assert np.allclose(solve(program, "partition").x, by_the_min_max_formula(program), atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=30)
def test_the_flow_proves_the_optimum(seed: int, d: int):
    solution = solve(random_program(seed, n=25, d=d), "partition")
    assert solution.status is Status.OPTIMAL
    assert solution.certificate is not None and solution.certificate.ok and solution.certificate.gap < 1e-12


def test_it_agrees_with_clarabel():
    program = random_program(5, n=40, d=2)
    assert solve(program, "partition").objective == pytest.approx(solve(program, "clarabel").objective, abs=1e-6)


def test_objects_that_nothing_compares_keep_their_targets():
    program = isotonic_regression.build([0.25, 1.0, 0.5], np.empty((0, 2)), [1, 2, 3])
    assert np.allclose(solve(program, "partition").x, [0.25, 1.0, 0.5])


def quadratic(**words: object) -> Program:
    builder = ProgramBuilder("other")
    builder.add_columns("x", 2, lower=words.get("lower", -np.inf), cost=words.get("cost", [0.0, 0.0]))
    builder.add_quadratic("x", words.get("P", np.eye(2)))
    builder.add_rows("r", {"x": words.get("row", [[1.0, -1.0]])}, lower=words.get("side", 0.0))
    return builder.build()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"P": np.array([[2.0, 1.0], [1.0, 2.0]])}, "share a square"),
        ({"P": np.diag([1.0, 0.0])}, r"x\(1\) has no square"),
        ({"lower": 1.0}, "bounds may bind"),
        ({"row": [[2.0, -1.0]]}, "has the coefficients 2, -1"),
        ({"row": [[1.0, 0.0]]}, "has 1 coefficients"),
        ({"side": 1.0}, r"has the sides \[1, inf\], wanted \[0, inf\]"),
    ],
)
def test_anything_else_is_refused_by_name(words: dict[str, object], named: str):
    with pytest.raises(UnsupportedProgram, match=named):
        solve(quadratic(**words), "partition")


def test_unknown_options_are_refused():
    with pytest.raises(OptionError, match="partition"):
        solve(random_program(0), "partition", options={"cuts": 3})
