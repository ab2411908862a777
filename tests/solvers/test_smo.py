"""smo: right on its class (against brute force and HiGHS), refuses the rest by name, needs little memory."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.order.kernels import gaussian_rows
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers import smo_driver, solve
from monoopt.solvers.smo import feasible_start
from monoopt.solvers.smo_driver import MatrixRows, minimise


def program(
    P: np.ndarray | None,
    c: np.ndarray,
    lower: np.ndarray | float = 0.0,
    upper: np.ndarray | float = 1.0,
    total: float = 1.0,
    coefficient: float = 1.0,
) -> Program:
    builder = ProgramBuilder("share")
    builder.add_columns("x", len(c), lower=lower, upper=upper, cost=c)
    if P is not None:
        builder.add_quadratic("x", P)
    row = np.full((1, len(c)), coefficient)
    builder.add_rows("total", {"x": row}, lower=coefficient * total, upper=coefficient * total)
    return builder.build()


def by_active_sets(p: Program) -> float:
    """Least objective over all choices of columns at their bounds: the equality-constrained optimum of the rest."""
    n, best = len(p.c), np.inf
    for sides in product((0, 1, 2), repeat=n):
        x = np.where(np.array(sides) == 0, p.lower, p.upper)
        free = np.flatnonzero(np.array(sides) == 2)
        x[free] = 0.0
        total = p.row_lower[0] / p.A.data[0] - x.sum()
        if len(free):
            k = len(free)
            K = np.block([[p.P[np.ix_(free, free)], np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
            right = np.append(-p.c[free] - (p.P @ x)[free], total)
            x[free] = np.linalg.lstsq(K, right, rcond=None)[0][:k]
        if (
            abs(x.sum() * p.A.data[0] - p.row_lower[0]) < 1e-9
            and (x >= p.lower - 1e-9).all()
            and (x <= p.upper + 1e-9).all()
        ):
            best = min(best, p.objective(x))
    return best


@given(st.integers(0, 10_000), st.integers(1, 5))
@settings(max_examples=40)
def test_the_optimum_is_that_of_brute_force(seed: int, n: int):
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(n, rng.integers(1, n + 1)))
    lower = np.round(rng.normal(size=n), 1)
    upper = lower + np.round(rng.random(n), 1)
    total = lower.sum() + rng.random() * (upper - lower).sum()
    p = program(L @ L.T, rng.normal(size=n), lower, upper, total, coefficient=rng.choice([1.0, -2.0]))
    found = solve(p, "smo")
    assert found.certificate.ok
    assert found.objective == pytest.approx(by_active_sets(p), abs=1e-6)


def test_duals_are_the_change_of_the_objective():
    rng = np.random.default_rng(1)
    L, c = rng.normal(size=(6, 6)), rng.normal(size=6)
    P = L @ L.T + np.eye(6)
    at = [solve(program(P, c, total=t, upper=0.6, coefficient=2.0), "smo", tolerance=1e-10) for t in (1, 1.0005)]
    slope = (at[1].objective - at[0].objective) / 0.001
    assert slope == pytest.approx(float(at[0].dual("total")), abs=1e-3)


def test_a_maximisation_is_answered_in_its_own_sense():
    builder = ProgramBuilder("share", sense="maximize")
    builder.add_columns("x", 2, lower=0, upper=1, cost=[1.0, 3.0])
    builder.add_quadratic("x", -np.eye(2) * 4)
    builder.add_rows("total", {"x": np.ones((1, 2))}, lower=1, upper=1)
    found = solve(builder.build(), "smo")
    assert found.values("x") == pytest.approx([0.25, 0.75])
    assert found.objective == pytest.approx(0.25 + 2.25 - 2 * (0.0625 + 0.5625))


def test_a_linear_program_of_the_class_is_solved():
    found = solve(program(None, np.array([3.0, 1.0, 2.0]), upper=0.4), "smo")
    assert found.values("x") == pytest.approx([0.2, 0.4, 0.4])


def test_an_impossible_total_is_proved_impossible():
    for total in (3.5, -0.5):
        found = solve(program(np.eye(3), np.zeros(3), total=total), "smo", raise_on_failure=False)
        assert found.status is Status.INFEASIBLE and found.certificate.ok


def test_fixed_columns_and_infinite_upper_bounds_are_fine():
    found = solve(program(np.eye(3), np.zeros(3), np.array([0.5, 0, 0]), np.array([0.5, np.inf, np.inf])), "smo")
    assert found.values("x") == pytest.approx([0.5, 0.25, 0.25])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda b: b.add_rows("more", {"x": [[1.0, 0.0]]}, upper=1), "rows total, more"),
        (lambda b: None, "row total is no equality"),
        (lambda b: None, "leaves out column x\\(1\\)"),
        (lambda b: None, "different coefficients"),
        (lambda b: None, "column x\\(0\\) has no lower bound"),
    ],
)
def test_other_programs_are_refused_by_name(change, word: str):
    rows = {
        "row total is no equality": (([[1.0, 1.0]]), 0.0),
        "leaves": ([[1.0, 0.0]], 1.0),
        "different": ([[1.0, 2.0]], 1.0),
    }
    matrix, low = next((v for k, v in rows.items() if word.startswith(k)), ([[1.0, 1.0]], 1.0))
    builder = ProgramBuilder("other")
    builder.add_columns("x", 2, lower=-np.inf if "lower" in word else 0.0, upper=1.0)
    builder.add_quadratic("x", np.eye(2))
    builder.add_rows("total", {"x": matrix}, lower=low, upper=1.0)
    change(builder)
    with pytest.raises(UnsupportedProgram, match=word):
        solve(builder.build(), "smo")


def test_integers_are_refused_and_options_are_checked():
    builder = ProgramBuilder("whole")
    builder.add_columns("x", 2, lower=0, upper=1, integer=True)
    builder.add_rows("total", {"x": [[1.0, 1.0]]}, lower=1, upper=1)
    with pytest.raises(UnsupportedProgram, match="integer"):
        solve(builder.build(), "smo")
    with pytest.raises(OptionError, match="cache_megabytes"):
        solve(program(np.eye(2), np.zeros(2)), "smo", options={"cache_megabytes": 1})


def gram(n: int, seed: int = 0) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("megabytes", [None, 400.0, 1e-4])
def test_shrinking_a_matrix_and_a_cache_of_two_rows_do_not_change_the_answer(megabytes: float | None):
    X = np.random.default_rng(0).normal(size=(1200, 2))
    n, K = len(X), gram(1200)
    upper = np.full(n, 10.0 / n)
    start = feasible_start(np.zeros(n), np.zeros(n), upper, 1.0)
    rows = MatrixRows(K, np.arange(n)) if megabytes is None else gaussian_rows(X, 1.0, np.zeros(2))
    found = minimise(rows, np.zeros(n), np.zeros(n), upper, start, tolerance=1e-9, cache_megabytes=megabytes or 1.0)
    assert found.converged and found.violation <= 1e-9
    assert np.allclose(found.gradient, K @ found.x, rtol=0, atol=1e-12)
    assert found.x.sum() == pytest.approx(1.0, abs=1e-12)
    assert (found.x >= 0).all() and (found.x <= upper).all()
    assert found.x @ K @ found.x == pytest.approx(
        2 * solve(program(K, np.zeros(n), upper=upper), "highs").objective, abs=1e-7
    )


@pytest.mark.parametrize("scale", [1e-120, 1e-30, 1e120])
@pytest.mark.parametrize("n", [5, 130])
def test_the_unit_of_the_objective_does_not_matter(scale: float, n: int):
    K = gram(n)
    at = [solve(program(s * K, np.zeros(n), upper=5.0 / n), "smo", tolerance=1e-9).x for s in (1.0, scale)]
    apart = at[0] - at[1]
    assert apart @ K @ apart < 1e-8


def test_a_time_limit_hands_back_a_feasible_point():
    K = gram(1500)
    found = solve(program(K, np.zeros(len(K)), upper=0.01), "smo", time_limit=1e-6, raise_on_failure=False)
    assert found.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert found.values("x").sum() == pytest.approx(1.0)


def test_the_same_bits_come_out_every_time():
    p = program(gram(300), np.zeros(300), upper=0.02)
    assert (solve(p, "smo").x == solve(p, "smo").x).all()


@pytest.mark.parametrize("rank", [2, 300])
def test_a_leap_saves_steps_and_changes_neither_the_answer_nor_the_sum(rank: int, monkeypatch: pytest.MonkeyPatch):
    K = gram(300)
    if rank == 2:  # singular: no single least point between the bounds
        L = np.random.default_rng(0).normal(size=(300, 2))
        K = L @ L.T
    upper, c = np.full(300, 0.04), -0.5 * np.diag(K)
    start = feasible_start(c, np.zeros(300), upper, 1.0)
    found = [minimise(MatrixRows(K, np.arange(300)), c, np.zeros(300), upper, start, tolerance=1e-9)]
    monkeypatch.setattr(smo_driver._Active, "leap", lambda self: None)
    found.append(minimise(MatrixRows(K, np.arange(300)), c, np.zeros(300), upper, start, tolerance=1e-9))
    costs = [0.5 * f.x @ K @ f.x + c @ f.x for f in found]
    assert costs[0] == pytest.approx(costs[1], abs=1e-10) and all(f.converged for f in found)
    assert found[0].counts["steps"] < found[1].counts["steps"] or rank == 2
    assert found[0].x.sum() == pytest.approx(1.0, abs=1e-13)
    assert np.allclose(found[0].gradient, K @ found[0].x + c, rtol=0, atol=1e-13)
    assert (found[0].x >= 0).all() and (found[0].x <= upper).all()
