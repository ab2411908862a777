"""Laws of comparing by name: order does not count, every number does, and nothing is passed over in silence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from monoopt.program import Block, Program, ProgramBuilder, difference

N, M = 5, 4
A = np.array([[1.0, -1, 0, 0, 0], [0, 1, -1, 0, 0], [0, 0, 1 / 3, 2, 0], [1, 1, 1, 1, 1]])
P = np.array([[2.0, 1, 0, 0, 0], [1, 2, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]])


def program(
    columns: list[int] | None = None,
    rows: list[int] | None = None,
    sense: str = "minimize",
    cone: str = "second_order",
    constant: float = 0.0,
    weight: float = 1.0,
) -> Program:
    """A program with everything in it, its columns and rows laid out in the order asked for."""
    at, down = columns or list(range(N)), rows or list(range(M))
    turn = 1 if sense == "minimize" else -1
    b = ProgramBuilder("everything", sense=sense)  # type: ignore[arg-type]
    lower, upper = np.array([0, 0, -np.inf, 1, 0]), np.array([1, np.inf, np.inf, 1, 9])
    b.add_columns("x", N, lower=lower[at], upper=upper[at], cost=np.arange(N)[at] - 1, index=at)
    b.add_quadratic("x", turn * P[np.ix_(at, at)])
    low, high = np.array([0, -1, 1, 2]), np.array([0, 1, np.inf, 3])
    b.add_rows("r", {"x": A[np.ix_(down, at)]}, lower=low[down], upper=high[down], index=down)
    b.add_cone("k", cone, {"x": weight * np.eye(3, N)[:, at]}, constant=constant)  # type: ignore[arg-type]
    b.add_offset(0.25)
    return b.build()


@given(st.permutations(range(N)), st.permutations(range(M)), st.sampled_from(["minimize", "maximize"]))
def test_order_does_not_count(columns: list[int], rows: list[int], sense: str):
    assert difference(program(sense=sense), program(columns, rows, sense)) == []


def changed(word: str, place: int, value: float) -> Program:
    array = getattr(program(), word).copy()
    array[place] = value
    return replace(program(), **{word: array})


CHANGES = {
    "cost": (changed("c", 2, np.nextafter(1.0, 2)), ["cost of x(2): 1.0 / 1.0000000000000002"]),
    "a loosened bound": (changed("upper", 4, np.inf), ["upper of x(4): 9.0 / inf"]),
    "lower": (changed("lower", 0, -1), ["lower of x(0): 0.0 / -1.0"]),
    "integrality": (changed("integer", 1, True), ["integer of x(1): False / True"]),
    "a row's side": (changed("row_upper", 3, 4), ["row_upper of r(3): 3.0 / 4.0"]),
    "offset": (replace(program(), offset=0.5), ["offset: 0.25 / 0.5"]),
    "quadratic": (
        replace(program(), P=P + np.diag([0, 0, 0, 0, 1.0])),
        ["quadratic of x(4) in x(4): 0.0 / 1.0"],
    ),
    "cone constant": (program(constant=1.0), [f"constant of k({k}): 0.0 / 1.0" for k in range(3)]),
    "cone weight": (program(weight=2.0), [f"coefficient of x({k}) in k({k}): 1.0 / 2.0" for k in range(3)]),
    "cone kind": (program(cone="exponential"), ["cone k: second_order 3 / exponential 3"]),
}


@pytest.mark.parametrize(("other", "named"), CHANGES.values(), ids=CHANGES)
def test_one_changed_number_is_named(other: Program, named: list[str]):
    assert difference(program(), other) == named


def test_one_flipped_row_is_named():
    flipped = A.copy()
    flipped[0] *= -1
    other = replace(program(), A=sparse.csr_array(flipped))
    assert difference(program(), other) == [
        "coefficient of x(0) in r(0): 1.0 / -1.0",
        "coefficient of x(1) in r(0): -1.0 / 1.0",
    ]


def test_a_dropped_row_is_named():
    assert difference(program(), program(rows=[0, 1, 3])) == ["rows only on the left: r(2)"]
    assert difference(program(rows=[0, 1, 3]), program()) == ["rows only on the right: r(2)"]


def test_the_sense_counts_and_costs_are_told_in_the_users_sense():
    turned = program(sense="maximize")
    faults = difference(program(), turned)
    assert faults[0] == "sense: minimize / maximize"
    assert all(fault.startswith("quadratic") for fault in faults[1:])


def test_a_missing_cone_is_named():
    assert "cones: k / none" in difference(program(), replace(program(), cones=()))


def test_many_differences_are_counted():
    b, other = ProgramBuilder("many"), ProgramBuilder("many")
    b.add_columns("x", 50, cost=1)
    other.add_columns("x", 50, cost=2)
    faults = difference(b.build(), other.build())
    assert len(faults) == 21 and faults[-1] == "... and 30 more"
    other.add_columns("y", 30)
    (fault,) = difference(b.build(), other.build())
    assert fault.startswith("columns only on the right: y(0), y(1)") and fault.endswith("... and 10 more")


def test_names_that_repeat_are_a_difference_not_a_match():
    b = ProgramBuilder("repeat")
    b.add_columns("x", 2, cost=[1, 2], index=[("a,b", "c"), ("a", "b,c")])
    assert difference(b.build(), b.build()) == [
        "column names that repeat on the left: x(a,b,c)",
        "column names that repeat on the right: x(a,b,c)",
    ]


def test_words_and_blocks_do_not_count_names_do():
    plain = program()
    other = replace(plain, columns=(Block("v", 0, N, (N,), np.array(plain.column_names()), verbatim=True),))
    assert difference(plain, other) == []
