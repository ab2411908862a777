"""A certificate passes what is right and fails everything else, whoever says it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt.errors import CertificateError, FormulationError, OptionError
from monoopt.program import Program, ProgramBuilder, Solution, Status, certify
from monoopt.solvers import solve

INF = np.inf


def answer(program: Program, status: Status = Status.OPTIMAL, **words: Any) -> Solution:
    arrays = {word: np.asarray(value, dtype=float) for word, value in words.items() if word != "bound"}
    return Solution(program, status, **arrays, **({"bound": words["bound"]} if "bound" in words else {}))


def demand(sense: str = "minimize") -> Program:
    """min 2a + 3b (or max of its negative), a + b >= 4, 0 <= a <= 3, b >= 0: 9 at (3, 1), price 3."""
    sign = 1 if sense == "minimize" else -1
    b = ProgramBuilder("demand", sense)
    b.add_columns("x", 2, lower=0, upper=[3, INF], cost=[sign * 2, sign * 3])
    b.add_rows("demand", {"x": [[1, 1]]}, lower=4)
    return b.build()


RIGHT = {"x": [3, 1], "y": [3], "z": [-1, 0]}


def test_the_right_answer_is_proved() -> None:
    found = certify(demand(), answer(demand(), **RIGHT))
    assert found.ok and found.kind == "optimality" and found.gap == 0 and found.feasible
    assert found.primal_objective == found.dual_objective == 9
    assert found.require() is found
    assert str(found) == "optimality proved: objective 9, bound 9, gap 0.0e+00 (tolerance 1e-06)"


def test_a_gap_in_exact_arithmetic_is_not_called_an_exact_proof() -> None:
    proved = certify(demand(), answer(demand(), **RIGHT), exact=True)
    assert "optimality proved exactly: objective 9, bound 9" in str(proved)
    close = replace(proved, exact_dual=Fraction(9) - Fraction(1, 2**30), gap=2.0**-30 / 9)
    assert "exactly" not in str(close) and "proved to a gap of 9.31e-10 (exact arithmetic): objective 9" in str(close)


def test_a_maximisation_is_proved_in_the_users_sense() -> None:
    found = certify(demand("maximize"), answer(demand("maximize"), x=[3, 1], y=[-3], z=[1, 0]))
    assert found.ok and found.primal_objective == found.dual_objective == -9
    assert not certify(demand("maximize"), answer(demand("maximize"), **RIGHT)).ok


def test_the_multipliers_of_the_columns_follow_from_the_rows() -> None:
    found = certify(demand(), answer(demand(), x=[3, 1], y=[3]))
    assert found.ok and found.stationarity == 0


WRONG = [
    ({"x": [3, 0.5]}, "a row is violated"),
    ({"x": [3.5, 0.5]}, "a bound is violated"),
    ({"x": [2, 2]}, "gap"),
    ({"x": [np.nan, 1]}, "violated by inf"),
    ({"y": [2.9]}, "stationarity"),
    ({"y": [-3]}, "sign_violation"),
    ({"y": [2], "z": [0, 1]}, "complementarity"),
    ({"z": [1, 0]}, "complementarity"),
    ({"z": [0, 0]}, "stationarity"),
    ({"y": [np.nan]}, "NaN"),
]


@pytest.mark.parametrize(("words", "reason"), WRONG)
def test_a_wrong_answer_fails_and_says_why(words: dict[str, Any], reason: str) -> None:
    found = certify(demand(), answer(demand(), **{**RIGHT, **words}))
    assert not found.ok and reason in "; ".join(found.reasons), found.reasons
    with pytest.raises(CertificateError, match="NOT proved") as raised:
        found.require()
    assert raised.value.certificate is found


def test_a_point_alone_is_checked_and_not_proved() -> None:
    found = certify(demand(), answer(demand(), x=[2, 2]))
    assert found.ok and found.kind == "feasibility" and "optimality is not proved" in found.reasons[0]
    assert str(found).startswith("feasibility checked")


def test_no_point_proves_nothing() -> None:
    found = certify(demand(), answer(demand(), Status.LIMIT))
    assert not found.ok and found.kind == "none" and not found.feasible
    assert str(found) == "nothing proved (tolerance 1e-06); no point: the status is limit"


def test_an_answer_of_another_program_is_refused() -> None:
    with pytest.raises(FormulationError, match=r"x has shape \(3,\), wanted \(2,\)"):
        certify(demand(), answer(demand(), x=[1, 2, 3]))


def test_an_objective_in_tiny_units_is_not_right_by_being_tiny() -> None:
    tiny = replace(demand(), c=demand().c * 1e-12)
    assert certify(tiny, answer(tiny, x=[3, 1], y=[3e-12])).ok
    assert not certify(tiny, answer(tiny, x=[2, 2], y=[3e-12])).ok
    assert not certify(tiny, answer(tiny, x=[3, 1], y=[0])).ok


# --- constructed optima: choose a point and multipliers that fit, and compute the costs for them ------------


@st.composite
def optima(draw: st.DrawFn) -> tuple[Program, dict[str, np.ndarray]]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    sense = draw(st.sampled_from(["minimize", "maximize"]))
    sign = 1.0 if sense == "minimize" else -1.0
    A, x = rng.integers(-3, 4, (m, n)).astype(float), rng.integers(-4, 5, n).astype(float)
    y, z = rng.integers(-3, 4, m).astype(float), rng.integers(-3, 4, n).astype(float)
    root = rng.integers(-2, 3, (n, n)).astype(float) if draw(st.booleans()) else np.zeros((n, n))
    sides = [_sides(rng, value, multiplier) for value, multiplier in zip(A @ x, y, strict=True)]
    bounds = [_sides(rng, value, multiplier) for value, multiplier in zip(x, z, strict=True)]
    cost = A.T @ y + z - root.T @ root @ x
    b = ProgramBuilder("made", sense)
    b.add_columns("x", n, lower=[low for low, _ in bounds], upper=[high for _, high in bounds], cost=sign * cost)
    b.add_rows("row", {"x": A}, lower=[low for low, _ in sides], upper=[high for _, high in sides])
    if root.any():
        b.add_quadratic("x", sign * root.T @ root)
    b.add_offset(draw(st.integers(-5, 5)))
    return b.build(), {"x": x, "y": sign * y, "z": sign * z}


def _sides(rng: np.random.Generator, value: float, multiplier: float) -> tuple[float, float]:
    """Sides that a multiplier of this sign may point at: tight where it is not 0, anywhere on the other."""
    away = rng.choice([1.0, INF])
    if multiplier > 0:
        return value, value + away
    if multiplier < 0:
        return value - away, value
    return value - away, value + rng.choice([2.0, INF])


@given(optima())
def test_a_constructed_optimum_passes(made: tuple[Program, dict[str, np.ndarray]]) -> None:
    program, right = made
    found = certify(program, answer(program, **right))
    assert found.ok and found.kind == "optimality", str(found)
    assert found.gap <= 1e-9


@given(optima(), st.sampled_from(["y", "z"]), st.integers(0, 3), st.sampled_from([-0.01, 0.01]))
def test_a_nudged_multiplier_fails(
    made: tuple[Program, dict[str, np.ndarray]], which: str, k: int, nudge: float
) -> None:
    program, right = made
    values = right[which].copy()
    k %= len(values)
    values[k] += nudge * (1 + np.abs(right["y"]).max() + np.abs(right["z"]).max())
    if which == "y" and not program.A[[k]].nnz:
        return  # an empty row takes any multiplier at a side of 0
    assert not certify(program, answer(program, **{**right, which: values})).ok


@given(optima())
def test_any_multipliers_give_a_bound_below_the_optimum(made: tuple[Program, dict[str, np.ndarray]]) -> None:
    """Weak duality: the dual objective of a wrong y is never better than the true value."""
    program, right = made
    y = right["y"] + np.random.default_rng(0).normal(size=len(right["y"]))
    found = certify(program, answer(program, x=right["x"], y=y))
    assert program.sign * found.dual_objective <= program.sign * found.primal_objective + 1e-6 * (
        1 + abs(found.primal_objective)
    )


# --- quadratic, whole numbers, cones ------------------------------------------------------------------------


def dense() -> Program:
    b = ProgramBuilder("dense")
    b.add_columns("x", 2, cost=[-1, -1])
    b.add_quadratic("x", np.array([[2.0, 1.0], [1.0, 3.0]]))
    return b.build()


def test_the_answer_of_half_a_hessian_fails() -> None:
    """A backend that reads one triangle as the whole matrix minimises another function."""
    program = dense()
    right = np.linalg.solve(program.P, [1, 1])
    half = np.linalg.solve(np.diag([2.0, 3.0]), [1, 1])
    twice = np.linalg.solve(program.P + np.array([[0.0, 1.0], [1.0, 0.0]]), [1, 1])
    assert certify(program, answer(program, x=right, y=[])).ok
    for wrong in (half, twice):
        found = certify(program, answer(program, x=wrong, y=[]))
        assert not found.ok and "sign_violation" in "; ".join(found.reasons)


def test_whole_numbers_are_checked_and_their_bound_is_the_solvers_word() -> None:
    b = ProgramBuilder("whole")
    b.add_columns("n", 2, lower=0, upper=5, cost=1, integer=True)
    b.add_rows("odd", {"n": [[2.0, 2.0]]}, lower=3)
    program = b.build()
    found = certify(program, answer(program, x=[1, 1], y=[0.5], bound=2.0))
    assert found.ok and found.kind == "feasibility" and "bound 2 is the solver's word" in found.reasons[0]
    broken = certify(program, answer(program, x=[1.5, 0]))
    assert not broken.ok and broken.integrality_violation == 0.5


def cone_program(kind: str) -> Program:
    b = ProgramBuilder("cone")
    if kind == "second_order":  # min t, t >= ||(a, b)||, a + b = 2
        b.add_columns("t", cost=1)
        b.add_columns("x", 2)
        b.add_rows("total", {"x": [[1, 1]]}, lower=2, upper=2)
        b.add_cone("norm", kind, {"t": [[1], [0], [0]], "x": [[0, 0], [1, 0], [0, 1]]})
    else:  # min -a, exp(a) <= 10
        b.add_columns("a", cost=-1)
        b.add_cone("exp", kind, {"a": [[1.0], [0.0], [0.0]]}, constant=[0, 1, 10])
    return b.build()


ROOT = np.sqrt(0.5)
CONES = {
    "second_order": {"x": [2 * ROOT, 1, 1], "y": [ROOT], "w": [1, -ROOT, -ROOT]},
    "exponential": {"x": [np.log(10)], "y": [], "w": [-1, np.log(10) - 1, 0.1]},
}


@pytest.mark.parametrize("kind", CONES)
def test_cones_are_proved_by_multipliers_in_the_dual_cone(kind: str) -> None:
    program, right = cone_program(kind), CONES[kind]
    found = certify(program, answer(program, **right))
    assert found.ok and found.kind == "optimality", str(found)
    outside = certify(program, answer(program, **{**right, "x": 0.9 * np.array(right["x"]) + (kind == "exponential")}))
    assert not outside.feasible
    for k in range(3):
        w = np.array(right["w"], dtype=float)
        w[k] *= 1.01
        assert not certify(program, answer(program, **{**right, "w": w})).ok
    assert not certify(program, answer(program, **{**right, "w": -np.array(right["w"])})).ok
    without = certify(program, answer(program, x=right["x"], y=right["y"]))
    assert without.ok and without.kind == "feasibility", "rows alone prove no optimum over cones"


FALSE = {  # every residual is 0 and so is the gap, but w is outside the dual cone: these points are not optimal
    "second_order": {"x": [1.8, 1, 1], "y": [0.9], "w": [1, -0.9, -0.9]},
    "exponential": {"x": [1.0], "y": [], "w": [-1, 0.9, 0.01]},
}


@pytest.mark.parametrize("kind", FALSE)
def test_multipliers_outside_the_dual_cone_prove_nothing(kind: str) -> None:
    program = cone_program(kind)
    found = certify(program, answer(program, **FALSE[kind]))
    assert found.feasible and found.gap < 1e-12 and found.complementarity < 1e-12
    assert not found.ok and found.sign_violation > 1e-2
    assert [reason.split()[0] for reason in found.reasons] == ["sign_violation"]


# --- no point, no end ---------------------------------------------------------------------------------------


def conflict() -> Program:
    b = ProgramBuilder("conflict")
    b.add_columns("x", 2, lower=0, upper=[INF, 1])
    b.add_rows("sides", {"x": [[1, 1], [1, 0]]}, lower=[4, -INF], upper=[INF, 2])
    return b.build()


def test_a_farkas_ray_proves_that_there_is_no_point() -> None:
    found = certify(conflict(), answer(conflict(), Status.INFEASIBLE, ray=[1, -1]))
    assert found.ok and found.kind == "infeasibility" and found.gap == pytest.approx(1)
    assert certify(conflict(), answer(conflict(), Status.INFEASIBLE, ray=[1e9, -1e9])).ok


@pytest.mark.parametrize("ray", [[1, 0], [0, 1], [1, 1], [-1, 0.5], [0, 0], [np.nan, -1], [np.inf, -1], [1]])
def test_a_false_ray_proves_nothing(ray: list[float]) -> None:
    found = certify(conflict(), answer(conflict(), Status.INFEASIBLE, ray=ray))
    assert not found.ok and "proves nothing" in found.reasons[0]


def test_infeasible_without_a_ray_is_a_claim() -> None:
    found = certify(conflict(), answer(conflict(), Status.INFEASIBLE))
    assert not found.ok and found.reasons == ("no ray came with the answer",)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=1))
def test_no_ray_proves_a_feasible_program_infeasible(ray: list[float]) -> None:
    assert not certify(demand(), answer(demand(), Status.INFEASIBLE, ray=ray)).ok


def strip(sense: str = "minimize") -> Program:
    b = ProgramBuilder("strip", sense)
    b.add_columns("x", 2, lower=0, cost=-1 if sense == "minimize" else 1)
    b.add_rows("strip", {"x": [[1, -1]]}, lower=-1, upper=1)
    return b.build()


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_a_direction_proves_that_there_is_no_end(sense: str) -> None:
    assert certify(strip(sense), answer(strip(sense), Status.UNBOUNDED, ray=[2, 2])).ok


@pytest.mark.parametrize("ray", [[1, 0], [-1, -1], [0, 0], [np.nan, 1], [1]])
def test_a_false_direction_proves_nothing(ray: list[float]) -> None:
    found = certify(strip(), answer(strip(), Status.UNBOUNDED, ray=ray))
    assert not found.ok and found.reasons


def test_a_direction_along_which_the_objective_is_curved_proves_nothing() -> None:
    b = ProgramBuilder("curved")
    b.add_columns("x", 2, cost=-1)
    b.add_quadratic("x", np.diag([1.0, 0.0]))
    program = b.build()
    assert not certify(program, answer(program, Status.UNBOUNDED, ray=[1, 0])).ok
    assert certify(program, answer(program, Status.UNBOUNDED, ray=[0, 1])).ok


@pytest.mark.parametrize("word", ["x", "y", "z"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("exact", [False, True])
def test_an_answer_that_holds_no_numbers_is_never_ok(word: str, value: float, exact: bool) -> None:
    builder = ProgramBuilder("one_row")
    builder.add_columns("x", 2, lower=0, upper=1, cost=[1, -1])
    builder.add_rows("sum", {"x": [[1.0, 1.0]]}, upper=1)
    program = builder.build()
    solution = solve(program)
    tampered = replace(solution, **{word: np.full_like(getattr(solution, word), value)})
    assert not certify(program, tampered, exact=exact).ok


@pytest.mark.parametrize("word", ["x", "y", "z"])
def test_vectors_of_another_length_are_refused_by_name(word: str) -> None:
    builder = ProgramBuilder("one_row")
    builder.add_columns("x", 2, lower=0, upper=1, cost=[1, -1])
    builder.add_rows("sum", {"x": [[1.0, 1.0]]}, upper=1)
    program = builder.build()
    with pytest.raises(FormulationError, match=f"{word} has shape"):
        certify(program, replace(solve(program), **{word: np.zeros(7)}))


@pytest.mark.parametrize("tolerance", [np.inf, np.nan, -1e-9, 1.0])
def test_a_tolerance_that_would_pass_anything_is_refused(tolerance: float) -> None:
    builder = ProgramBuilder("none")
    builder.add_columns("x", 1, lower=0, upper=1)
    program = builder.build()
    with pytest.raises(OptionError, match="tolerance"):
        certify(program, solve(program), tolerance=tolerance)


def test_a_program_can_not_become_non_convex_by_a_copy() -> None:
    builder = ProgramBuilder("square")
    builder.add_columns("x", 2, lower=-1, upper=1)
    builder.add_quadratic("x", np.eye(2))
    program = builder.build()
    with pytest.raises(FormulationError, match="not convex"):
        replace(program, P=-np.eye(2))
    assert replace(program, offset=1.0).offset == 1.0


def test_what_is_no_program_or_no_solution_is_refused():
    for program, solution in ((None, None), (demand(), "x")):
        with pytest.raises(FormulationError, match="wanted a Program and its Solution"):
            certify(program, solution)
