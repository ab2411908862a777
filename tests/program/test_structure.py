"""What a program is, read off its data; total unimodularity against all subdeterminants."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monoopt.program import Program, ProgramBuilder
from monoopt.program.structure import two_colouring

INF = np.inf


def program_of(A: object, **words: object) -> Program:
    matrix = np.array(A, dtype=float)
    b = ProgramBuilder("given")
    b.add_columns("x", matrix.shape[1], **{"lower": 0, "upper": 1, **words})
    b.add_rows("row", {"x": matrix}, lower=0)
    return b.build()


def all_subdeterminants_are_units(A: np.ndarray) -> bool:
    m, n = A.shape
    return all(
        round(abs(np.linalg.det(A[np.ix_(rows, cols)]))) in (0, 1)
        for k in range(1, min(m, n) + 1)
        for rows in combinations(range(m), k)
        for cols in combinations(range(n), k)
    )


def matrices(entries: list[int]) -> st.SearchStrategy[np.ndarray]:
    shape = st.tuples(st.integers(1, 4), st.integers(1, 4))
    return shape.flatmap(
        lambda s: st.lists(st.sampled_from(entries), min_size=s[0] * s[1], max_size=s[0] * s[1]).map(
            lambda values: np.array(values, dtype=float).reshape(s)
        )
    )


@given(matrices([0, 0, 1, -1]))
def test_a_decision_on_total_unimodularity_is_right(A: np.ndarray) -> None:
    found = program_of(A).structure()
    if found.totally_unimodular is not None:
        assert found.totally_unimodular == all_subdeterminants_are_units(A), found.witness
    assert found.witness


@given(matrices([0, 1, -1, 2]))
def test_a_coefficient_that_is_no_unit_decides_and_is_named(A: np.ndarray) -> None:
    found = program_of(A).structure()
    if (A == 2).any():
        i, j = next((i, j) for i in range(A.shape[0]) for j in range(A.shape[1]) if A[i, j] == 2)
        name = "row" if A.shape[0] == 1 else f"row({i})"
        assert found.totally_unimodular is False and f"coefficient 2 of x({j}) in {name}" in found.witness


def test_difference_rows_are_totally_unimodular_with_whole_vertices() -> None:
    found = program_of([[1, -1, 0], [0, 1, -1], [1, 0, -1]]).structure()
    assert found.difference_constraints and found.totally_unimodular and found.integral_vertices
    assert "one +1 and one -1" in found.witness
    assert "every vertex is a whole point" in str(found)


def test_an_assignment_is_totally_unimodular_by_its_rows() -> None:
    """Two sets of rows: each column stands once in either."""
    A = np.vstack([np.kron(np.eye(3), np.ones(3)), np.kron(np.ones(3), np.eye(3))])
    found = program_of(A).structure()
    assert found.totally_unimodular and "colouring of the rows" in found.witness and not found.difference_constraints


def test_an_interval_matrix_is_totally_unimodular() -> None:
    A = [[1, 1, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1], [0, 0, -1, -1]]
    found = program_of(A).structure()
    assert found.totally_unimodular and "consecutive" in found.witness
    assert all_subdeterminants_are_units(np.array(A))


def test_an_odd_cycle_is_not_claimed() -> None:
    A = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    assert not all_subdeterminants_are_units(np.array(A))
    assert program_of(A).structure().totally_unimodular is not True


def test_whole_vertices_need_whole_sides_and_bounds() -> None:
    assert not program_of([[1, -1]], upper=0.5).structure().integral_vertices
    assert program_of([[1, -1]], upper=INF).structure().integral_vertices


@given(matrices([0, 0, 1, -1]))
def test_a_two_colouring_keeps_its_promise(A: np.ndarray) -> None:
    parts = two_colouring(program_of(A).A)
    if parts is None:
        return
    for row in A:
        (places,) = np.nonzero(row)
        assert len(places) <= 2
        if len(places) == 2:
            u, v = places
            assert (parts[u] != parts[v]) == (row[u] == row[v])


def test_empty_rows_unused_columns_and_ranges_are_told() -> None:
    b = ProgramBuilder("loose")
    b.add_columns("x", 4, lower=0, upper=[1, 1, 1, 50], cost=[0, 0.5, 0, 0])
    b.add_rows("row", {"x": [[0, 0, 0, 0], [1e-3, 0, 2000, 0]]}, lower=[-1, 4])
    found = b.build().structure()
    assert found.empty_rows == ["row(0)"] and found.unused_columns == ["x(3)"]
    assert (found.rows, found.columns, found.nonzeros) == (2, 4, 2)
    assert found.ranges == {"matrix": (1e-3, 2000), "cost": (0.5, 0.5), "bounds": (1, 50), "sides": (1, 4)}
    assert "empty rows: row(0)" in str(found) and "unused columns: x(3)" in str(found)


def test_columns_in_a_quadratic_part_or_a_cone_are_used() -> None:
    b = ProgramBuilder("curved")
    b.add_columns("x", 3)
    b.add_quadratic("x", np.diag([1.0, 0, 0]))
    b.add_cone("cone", "second_order", {"x": [[0, 1, 0]]}, constant=1)
    assert b.build().structure().unused_columns == ["x(2)"]


def test_a_program_without_rows_is_what_it_is() -> None:
    b = ProgramBuilder("box")
    b.add_columns("x", 2, lower=0, upper=1, cost=1)
    found = b.build().structure()
    assert found.totally_unimodular and not found.difference_constraints and found.rows == 0


@pytest.mark.parametrize("n", [2, 50])
def test_a_chain_of_any_length_is_decided(n: int) -> None:
    assert program_of(np.eye(n, k=1)[: n - 1] - np.eye(n)[: n - 1]).structure().totally_unimodular
