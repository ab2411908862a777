"""Closure programs as minimum cuts: exact, extreme, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Status, certify
from monoopt.solvers import solve
from monoopt.solvers.mincut import LARGEST, whole_multiples

INF = np.inf


def closure(rows: object, cost: object, lower: object = 0, upper: object = 1, sides: object = None) -> Program:
    """Rows ``>= 0`` unless other sides are given."""
    matrix = sparse.csr_array(rows, dtype=float)
    b = ProgramBuilder("closure")
    b.add_columns("d", matrix.shape[1], lower=lower, upper=upper, cost=cost)
    b.add_rows("dominance", {"d": matrix}, **({"lower": 0} if sides is None else sides))
    return b.build()


@st.composite
def closures(draw: st.DrawFn) -> Program:
    """Any closure program of up to seven columns: rows of all three kinds, repeated ones, cycles, fixed columns."""
    n = draw(st.integers(2, 7))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 2), st.sampled_from([">=", "<=", "="]))
    pairs = draw(st.lists(pair, min_size=1, max_size=12))
    rows, low, high = np.zeros((len(pairs), n)), np.zeros(len(pairs)), np.zeros(len(pairs))
    for k, (i, j, kind) in enumerate(pairs):
        rows[k, i], rows[k, j + (j >= i)] = 1, -1
        low[k], high[k] = {">=": (0, INF), "<=": (-INF, 0), "=": (0, 0)}[kind]
    fixed = draw(st.lists(st.sampled_from([(0, 1), (0, 1), (0, 1), (0, 0), (1, 1)]), min_size=n, max_size=n))
    cost = np.array(draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))) * draw(
        st.sampled_from([1, 0.375, 2.0**40])
    )
    sense = draw(st.sampled_from(["minimize", "maximize"]))
    b = ProgramBuilder("closure", sense)
    b.add_columns("d", n, lower=[a for a, _ in fixed], upper=[b for _, b in fixed], cost=cost)
    b.add_rows("dominance", {"d": rows}, lower=low, upper=high)
    return b.build()


@settings(max_examples=50)
@given(closures())
def test_it_agrees_with_the_simplex_method_and_its_gap_is_exactly_zero(program: Program) -> None:
    cut, other = (solve(program, name, raise_on_failure=False) for name in ("mincut", "highs"))
    assert cut.status is other.status and cut.certificate.ok
    if not cut.optimal:
        assert cut.status is Status.INFEASIBLE
        return
    greatest = solve(program, "mincut", options={"closure": "greatest"})
    for solution in (cut, greatest):
        proof = certify(program, solution, exact=True)
        assert proof.ok and proof.gap == 0 and proof.exact_primal == proof.exact_dual
        assert set(solution.x) <= {0.0, 1.0}
    assert (cut.x <= other.x + 1e-9).all() and (other.x <= greatest.x + 1e-9).all()
    assert other.objective == pytest.approx(cut.objective, rel=1e-9)


@settings(max_examples=50)
@given(closures())
def test_least_and_greatest_are_extreme_among_all_optima(program: Program) -> None:
    """Against all 0/1 points."""
    n = program.shape[1]
    points = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    activity = points @ program.A.toarray().T
    inside = ((activity >= program.row_lower) & (activity <= program.row_upper)).all(axis=1)
    inside &= ((points >= program.lower) & (points <= program.upper)).all(axis=1)
    if not inside.any():
        assert solve(program, "mincut", raise_on_failure=False).status is Status.INFEASIBLE
        return
    feasible = points[inside]
    values = feasible @ program.c
    best = feasible[values == values.min()]
    for word, extreme in (("least", best.min(axis=0)), ("greatest", best.max(axis=0))):
        np.testing.assert_array_equal(solve(program, "mincut", options={"closure": word}).x, extreme)


def test_a_flow_by_hand() -> None:
    """Giving up 2 frees 0 -> 1 and 0 -> 2 at 3 and 4: the flow of 2 goes to one of them and proves it."""
    solution = solve(closure([[-1, 1, 0], [-1, 0, 1]], [-2, 3, 4]), "mincut")
    assert solution.objective == 0 and list(solution.x) == [0, 0, 0]
    assert solution.y.sum() == 2 and (solution.y >= 0).all()
    assert solution.raw_status == "maximum flow 2 units of 1"


def test_ties_go_to_the_least_or_the_greatest() -> None:
    program = closure([[-1, 1]], [-3, 3])
    assert list(solve(program, "mincut").x) == [0, 0]
    assert list(solve(program, "mincut", options={"closure": "greatest"}).x) == [1, 1]


def test_a_contradiction_is_proved_by_its_path() -> None:
    """0 is fixed at 1 and implies 1, which implies 2, which is fixed at 0."""
    sides = {"lower": [0, -INF], "upper": [INF, 0]}
    program = closure([[-1, 1, 0], [0, 1, -1]], 0, lower=[1, 0, 0], upper=[1, 1, 0], sides=sides)
    solution = solve(program, "mincut", raise_on_failure=False)
    assert solution.status is Status.INFEASIBLE and solution.certificate.ok
    np.testing.assert_array_equal(solution.ray, [1, -1])


@pytest.mark.parametrize(
    ("rows", "words", "named"),
    [
        ([[1, 1]], {}, "row dominance has the coefficients 1, 1"),
        ([[1, -2]], {}, "coefficients 1, -2"),
        ([[1, 0]], {}, "has 1 coefficients"),
        ([[1, -1]], {"sides": {"lower": -1}}, r"sides \[-1, inf\]"),
        ([[1, -1]], {"sides": {"lower": 0, "upper": 1}}, r"sides \[0, 1\]"),
        ([[1, -1]], {"upper": 2}, r"column d\(0\) has the bounds \[0, 2\]"),
        ([[1, -1]], {"lower": [0, -INF]}, r"column d\(1\) has the bounds \[-inf, 1\]"),
        ([[1, -1]], {"cost": [0.1, 1 / 3]}, "no whole multiples"),
        ([[1, -1]], {"cost": [LARGEST, 1]}, "32-bit"),
    ],
)
def test_anything_else_is_refused_by_name(rows: list[list[float]], words: dict, named: str) -> None:
    program = closure(rows, words.pop("cost", 1), **words)
    with pytest.raises(UnsupportedProgram, match=f"none: .*{named}"):
        solve(program, "mincut")


def test_quadratic_programs_are_refused() -> None:
    program = replace(closure([[1, -1]], 1), P=np.eye(2))
    with pytest.raises(UnsupportedProgram, match="quadratic"):
        solve(program, "mincut")


def test_the_option_has_two_values() -> None:
    with pytest.raises(OptionError, match="'least' or 'greatest'"):
        solve(closure([[1, -1]], 1), "mincut", options={"closure": "smallest"})


@given(st.lists(st.integers(-1000, 1000), min_size=1), st.integers(-80, 80))
def test_whole_multiples_lose_nothing(numbers: list[int], power: int) -> None:
    costs = np.ldexp(np.array(numbers, dtype=float), power)
    multiples, unit = whole_multiples(costs)
    np.testing.assert_array_equal(multiples * unit, costs)
    assert not any(costs) or np.gcd.reduce(multiples) == 1


def test_large_sparse_closures_are_solved_and_proved() -> None:
    rng = np.random.default_rng(0)
    n, m = 20_000, 60_000
    pairs = np.sort(rng.integers(0, n, (m, 2)), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    places = np.repeat(np.arange(len(pairs)), 2)
    rows = sparse.csr_array((np.tile([1.0, -1.0], len(pairs)), (places, pairs.ravel())), shape=(len(pairs), n))
    solution = solve(closure(rows, rng.integers(-3, 4, n)), "mincut")
    assert solution.certificate.gap == 0 and solution.certificate.ok
