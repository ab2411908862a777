"""Exact closures: cost, bound and both ties equal brute force in rational arithmetic, however bad the multipliers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import CertificateError
from monoopt.formulations import monotonization
from monoopt.formulations.exact_closures import cost_of, exact_closure, prove
from monoopt.program import Program

WEIGHTS = (
    st.integers(0, 3).map(float),
    st.floats(0.0, 1.0),
    st.integers(0, 3).map(lambda extra: 1e15 + extra),
    st.sampled_from([1e-30, 1e-9, 1.0, 1.00000001, 1e12, 1e30]),
)


@st.composite
def programs(draw: st.DrawFn) -> tuple[Program, np.ndarray | None]:
    n = draw(st.integers(1, 6))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = draw(st.lists(ends, max_size=9, unique=True)) if n > 1 else []
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weights = draw(st.lists(draw(st.sampled_from(WEIGHTS)), min_size=n, max_size=n))
    program = monotonization.build(labels, np.array(pairs, dtype=int).reshape(-1, 2), weights)
    anything = st.sampled_from([0.0, -1.0, 0.3, 1.0, 1e9 + 0.5, 1e40, np.inf, np.nan])
    y = draw(st.none() | st.lists(anything, min_size=len(pairs), max_size=len(pairs)).map(np.array))
    return program, y


def optima(program: Program) -> tuple[Fraction, np.ndarray]:
    A, n = program.A.toarray(), program.shape[1]
    points = [np.array(x) for x in product((0, 1), repeat=n) if not len(A) or (A @ x >= 0).all()]
    costs = [cost_of(program, x) for x in points]
    return min(costs), np.array([x for x, cost in zip(points, costs, strict=True) if cost == min(costs)])


@given(programs())
@settings(max_examples=80, deadline=None)
def test_any_multipliers_are_completed_to_the_exact_optimum_and_its_ties(found: tuple[Program, np.ndarray | None]):
    program, y = found
    cost, best = optima(program)
    exact = exact_closure(program, y)
    assert (exact.least == best.min(axis=0)).all() and (exact.greatest == best.max(axis=0)).all()
    for x in (exact.least, exact.greatest):
        certificate = prove(program, x, exact)
        assert certificate.ok and certificate.exact_primal == certificate.exact_dual == cost


def test_a_point_that_is_no_optimum_is_not_proved():
    program = monotonization.build([1, 0], [(1, 0)], [1e12, 1e12 + 1])
    exact = exact_closure(program)
    assert prove(program, exact.least, exact).exact_primal == 10**12
    with pytest.raises(CertificateError, match="NOT proved"):
        prove(program, 1 - exact.least, exact)
    with pytest.raises(CertificateError, match="NOT proved"):
        prove(program, np.array([1, 0]), exact)
