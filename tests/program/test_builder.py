"""From named blocks to one frozen program; everything wrong is named before anyone solves it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from monoopt.errors import DataWarning, FormulationError, NoSolutionError
from monoopt.program import Program, ProgramBuilder, Solution, Status, difference

INF = np.inf


def small(sense: str = "minimize") -> ProgramBuilder:
    b = ProgramBuilder("small", sense)
    b.add_columns("a", 2, lower=0, upper=[1, INF], cost=[1, -2])
    b.add_columns("rho", cost=3)
    b.add_rows("mix", {"a": [[1, 2], [0, 1]], "rho": [[1], [-1]]}, lower=[1, -INF], upper=[INF, 4])
    return b


def test_blocks_are_laid_out_in_order() -> None:
    program = small().build()
    assert program.shape == (2, 3) and program.needs == {"linear"}
    assert program.column_names() == ["a(0)", "a(1)", "rho"] and program.row_names() == ["mix(0)", "mix(1)"]
    np.testing.assert_array_equal(program.A.toarray(), [[1, 2, 1], [0, 1, -1]])
    np.testing.assert_array_equal(program.c, [1, -2, 3])
    assert program.block("rho") == slice(2, 3)
    assert program.lower[2] == -INF and program.upper[2] == INF, "no hidden sign restriction"
    assert program.row_name(1) == "mix(1)" and program.column_name(2) == "rho"


def test_a_maximisation_is_kept_turned_and_reported_as_stated() -> None:
    b = small("maximize")
    b.add_quadratic("rho", [[-2.0]])
    b.add_offset(5)
    program = b.build()
    np.testing.assert_array_equal(program.c, [-1, 2, -3])
    x = np.array([1.0, 2.0, 3.0])
    assert program.objective(x) == 1 - 4 + 9 - 9 + 5 == -program.kept_objective(x)


def test_values_are_broadcast_to_the_shape_of_the_block() -> None:
    b = ProgramBuilder("grid")
    b.add_columns("x", (2, 3), cost=[[1], [2]], lower=[0, 1, 2])
    program = b.build()
    np.testing.assert_array_equal(program.c, [1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(program.lower, [0, 1, 2, 0, 1, 2])
    assert program.column_names()[5] == "x(1,2)"


def test_labels_name_the_members() -> None:
    b = ProgramBuilder("labels")
    b.add_columns("d", 2, index=["left", "right"])
    b.add_rows("pair", {"d": [[1, -1]]}, lower=0, index=[[3, 7]])
    program = b.build()
    assert program.column_names() == ["d(left)", "d(right)"] and program.row_names() == ["pair(3,7)"]


def test_a_vector_is_one_row_and_sparse_terms_are_kept_sparse() -> None:
    b = ProgramBuilder("row")
    b.add_columns("x", 3, lower=0)
    b.add_rows("sum", {"x": np.ones(3)}, lower=1)
    b.add_rows("part", {"x": sparse.coo_array(([2.0, 3.0], ([0, 0], [1, 1])), shape=(1, 3))}, upper=9)
    program = b.build()
    np.testing.assert_array_equal(program.A.toarray(), [[1, 1, 1], [0, 5, 0]])
    assert program.A.nnz == 4 and program.A.has_canonical_format


def test_terms_over_several_blocks_and_groups_meet_their_columns() -> None:
    b = ProgramBuilder("many")
    b.add_columns("x", 2)
    b.add_columns("y", 3)
    b.add_rows("one", {"y": np.eye(3)}, lower=0)
    b.add_rows("two", {"y": [[1, 2, 3]], "x": [[4, 5]]}, lower=0)
    np.testing.assert_array_equal(b.build().A.toarray()[[0, 3]], [[0, 0, 1, 0, 0], [4, 5, 1, 2, 3]])


def test_quadratic_terms_add_up_and_stand_symmetric() -> None:
    b = ProgramBuilder("quadratic")
    b.add_columns("x", 2)
    b.add_columns("y", 1)
    b.add_quadratic("x", np.array([[2.0, 1.0], [1.0, 2.0]]))
    b.add_quadratic("x", sparse.csr_array(np.eye(2)))
    b.add_quadratic("y", [[4.0]])
    b.add_quadratic("x", [[1.0], [0.0]], "y")
    program = b.build()
    P = program.P if isinstance(program.P, np.ndarray) else program.P.toarray()
    np.testing.assert_array_equal(P, [[3, 1, 1], [1, 3, 0], [1, 0, 4]])
    x = np.array([1.0, 2.0, 3.0])
    assert program.objective(x) == 0.5 * x @ P @ x and "quadratic" in program.needs
    np.testing.assert_array_equal(program.gradient(x), P @ x)


def test_needs_are_read_off_the_data_and_can_be_asked_for() -> None:
    b = small()
    b.add_columns("n", integer=True, lower=0, upper=1)
    b.add_cone("cone", "second_order", {"a": [[1, 0]]})
    b.add_cone("exp", "exponential", {"a": [[1, 0], [0, 1], [0, 0]]}, constant=[0, 0, 1])
    b.require("duals", "vertex")
    assert b.build().needs == {"linear", "integer", "second_order", "exponential", "duals", "vertex"}
    with pytest.raises(FormulationError, match="did you mean 'vertex'"):
        b.require("vertx")


# --- refused -------------------------------------------------------------------------------------------------


REFUSED = {
    "no_identifier": (lambda b: b.add_columns("1st", 2), "plain identifier"),
    "taken": (lambda b: b.add_columns("a", 2), "'a' is taken"),
    "taken_row": (lambda b: b.add_rows("mix", {"a": [[1, 1]]}), "'mix' is taken"),
    "negative_shape": (lambda b: b.add_columns("x", -1), "negative side"),
    "misfitting_cost": (lambda b: b.add_columns("x", 2, cost=[1, 2, 3]), r"cost \(3,\) does not fit"),
    "text": (lambda b: b.add_columns("x", 2, cost=["a", "b"]), "cost .* does not fit"),
    "label_count": (lambda b: b.add_columns("x", 2, index=["a"]), "wanted 2 labels"),
    "label_repeat": (lambda b: b.add_columns("x", 2, index=["a", "a"]), "repeat"),
    "label_repeat_pairs": (lambda b: b.add_columns("x", 2, index=[[1, 2], [1, 2]]), "repeat"),
    "label_floats": (lambda b: b.add_columns("x", 2, index=[0.5, 1.5]), "integers or strings"),
    "unknown_block": (lambda b: b.add_rows("r", {"rh": [[1]]}), "no column block 'rh', did you mean 'rho'"),
    "no_terms": (lambda b: b.add_rows("r", {}), "no terms"),
    "wrong_width": (lambda b: b.add_rows("r", {"a": [[1, 2, 3]]}), r"shape \(1, 3\), wanted \(rows, 2\)"),
    "unequal_heights": (lambda b: b.add_rows("r", {"a": [[1, 2]], "rho": [[1], [2]]}), "different numbers of rows"),
    "quadratic_shape": (lambda b: b.add_quadratic("a", np.eye(3)), r"shape \(3, 3\), wanted \(2, 2\)"),
    "cone_kind": (lambda b: b.add_cone("k", "quadratic", {"a": [[1, 0]]}), "wanted 'second_order'"),
}


@pytest.mark.parametrize("word", REFUSED)
def test_what_does_not_fit_is_refused_at_the_door(word: str) -> None:
    add, message = REFUSED[word]
    with pytest.raises(FormulationError, match=message):
        add(small())


LATE = {
    "nan_cost": (lambda b: b.add_columns("x", 2, cost=[1, np.nan]), "1 cost.* NaN"),
    "infinite_cost": (lambda b: b.add_columns("x", cost=INF), "cost.* infinite"),
    "nan_coefficient": (lambda b: b.add_rows("r", {"a": [[np.nan, 1]]}, lower=0), "row coefficient.* NaN"),
    "infinite_coefficient": (lambda b: b.add_rows("r", {"a": [[INF, 1]]}, lower=0), "row coefficient"),
    "nan_side": (lambda b: b.add_rows("r", {"a": [[1, 1]]}, lower=np.nan), "NaN bound, the first is r"),
    "crossed_bounds": (lambda b: b.add_columns("x", 3, lower=[0, 2, 0], upper=1), r"x\(1\): \[2, 1\]"),
    "crossed_sides": (lambda b: b.add_rows("r", {"a": [[1, 1]]}, lower=2, upper=1), r"r: \[2, 1\]"),
    "impossible_bound": (lambda b: b.add_columns("x", lower=INF), r"lower bound \+inf"),
    "nan_quadratic": (lambda b: b.add_quadratic("a", [[np.nan, 0], [0, 1]]), "quadratic coefficient"),
    "asymmetric": (lambda b: b.add_quadratic("a", [[1.0, 1], [0, 1]]), "not symmetric"),
    "indefinite": (lambda b: b.add_quadratic("a", [[1.0, 2], [2, 1]]), "not convex.*least eigenvalue -1"),
    "exponential_size": (lambda b: b.add_cone("k", "exponential", {"a": [[1, 0]]}), "come in threes"),
    "nan_cone": (lambda b: b.add_cone("k", "second_order", {"a": [[1, 0]]}, constant=np.nan), "cone 'k'"),
    "nan_offset": (lambda b: b.add_offset(np.nan), "offset"),
}


@pytest.mark.parametrize("word", LATE)
def test_what_no_solver_should_see_is_refused_when_it_is_built(word: str) -> None:
    add, message = LATE[word]
    b = small()
    add(b)
    with pytest.raises(FormulationError, match=message):
        b.build()


def test_all_faults_are_listed_at_once() -> None:
    b = small()
    b.add_columns("x", 2, cost=np.nan, lower=[2, np.nan], upper=1)
    b.add_rows("r", {"a": [[INF, 1]]}, lower=3, upper=2)
    with pytest.raises(FormulationError) as refused:
        b.build()
    for part in ("2 cost(s)", "row coefficient", "x(1)", "x(0)", "r: [3, 2]"):
        assert part in str(refused.value)


def test_a_concave_maximisation_is_convex_and_a_convex_one_is_not() -> None:
    for sign, fine in ((-1, True), (1, False)):
        b = small("maximize")
        b.add_quadratic("a", sign * np.eye(2))
        if fine:
            assert b.build().P is not None
        else:
            with pytest.raises(FormulationError, match="not convex"):
                b.build()


def test_bounds_that_every_solver_reads_as_infinite_are_read_so_here_and_said() -> None:
    b = ProgramBuilder("large")
    with pytest.warns(DataWarning, match=r"1 bound.* read as infinite"):
        b.add_columns("x", 2, upper=[1e30, 1e19])
    np.testing.assert_array_equal(b.build().upper, [INF, 1e19])


def test_the_sense_is_one_of_two_words() -> None:
    with pytest.raises(FormulationError, match="'minimize' or 'maximize'"):
        ProgramBuilder("x", "min")


def test_unknown_blocks_name_the_nearest() -> None:
    program = small().build()
    with pytest.raises(FormulationError, match="no column block 'rh', did you mean 'rho'"):
        program.block("rh")
    with pytest.raises(FormulationError, match="there are mix"):
        program.row_block("max")


# --- frozen, fingerprinted, grown ----------------------------------------------------------------------------


def test_a_program_is_frozen() -> None:
    program = small().build()
    with pytest.raises(ValueError, match="read-only"):
        program.c[0] = 7
    with pytest.raises(AttributeError):
        program.name = "other"


def test_the_builders_arrays_are_its_own() -> None:
    cost, rows = np.array([1.0, 2.0]), np.array([[1.0, 1.0]])
    b = ProgramBuilder("own")
    b.add_columns("x", 2, cost=cost)
    b.add_rows("r", {"x": rows}, lower=0)
    program = b.build()
    cost[0], rows[0, 0] = 99, 99
    assert program.c[0] == 1 and program.A[0, 0] == 1


def test_equal_programs_have_equal_fingerprints_whatever_way_they_were_given() -> None:
    b = ProgramBuilder("other_name")
    b.add_columns("a", 2, lower=[0, 0], upper=[1, INF], cost=np.array([1, -2]))
    b.add_columns("rho", cost=3.0)
    mix = sparse.coo_array(([1.0, 1.0, 1.0, 1.0], ([0, 0, 0, 1], [0, 1, 1, 1])), shape=(2, 2))
    b.add_rows("mix", {"rho": [[1], [-1]], "a": mix}, lower=[1, -INF], upper=[INF, 4])
    assert b.build().fingerprint() == small().build().fingerprint()
    assert len(small().build().fingerprint()) == 64


def test_any_changed_number_changes_the_fingerprint() -> None:
    program = small().build()
    changed = [
        replace(program, c=np.array([1, -2, 3 + 1e-15])),
        replace(program, lower=np.array([-1.0, 0, -INF])),
        replace(program, upper=np.array([1.0, 5, INF])),
        replace(program, row_lower=np.array([1 + 1e-15, -INF])),
        replace(program, row_upper=np.array([INF, 5.0])),
        replace(program, A=program.A * 2),
        replace(program, P=np.eye(3)),
        replace(program, integer=np.array([True, False, False])),
        replace(program, offset=1.0),
        replace(program, sense="maximize"),
        replace(program, required=frozenset({"duals"})),
    ]
    prints = {other.fingerprint() for other in (program, *changed)}
    assert len(prints) == len(changed) + 1


@settings(max_examples=30)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10**6))
def test_a_grown_program_equals_one_that_was_built_whole(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, costs = rng.integers(-3, 4, (3, n + k)).astype(float), rng.integers(-5, 6, n + k).astype(float)

    def build(columns: int, rows: int) -> Program:
        b = ProgramBuilder("grow", "maximize")
        b.add_columns("x", columns, lower=0, upper=2, cost=costs[:columns])
        b.add_rows("r", {"x": A[:rows, :columns]}, lower=np.full(rows, -1.0), index=np.arange(rows))
        return b.build()

    wide = build(n, 2).with_columns(
        "x", cost=costs[n:], coefficients=A[:2, n:], lower=np.zeros(k), upper=np.full(k, 2.0)
    )
    tall = wide.with_rows("r", coefficients=A[2:], lower=np.array([-1.0]), upper=np.array([INF]), index=np.array([2]))
    assert difference(tall, build(n + k, 3)) == []
    assert tall.fingerprint() == build(n + k, 3).fingerprint()
    assert difference(tall.with_costs("x", costs + 1), tall) != []


def test_only_the_last_block_grows() -> None:
    program = small().build()
    with pytest.raises(FormulationError, match="last block 'rho'"):
        program.with_columns("a", cost=np.ones(1), coefficients=np.ones((2, 1)), lower=np.zeros(1), upper=np.ones(1))
    with pytest.raises(FormulationError, match="last block"):
        program.with_rows("other", coefficients=np.ones((1, 3)), lower=np.zeros(1), upper=np.ones(1))


def test_many_rows_are_built_from_arrays_alone() -> None:
    """A hundred thousand difference rows: labels, names and the matrix come without a loop over rows."""
    n, m = 50_000, 100_000
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.integers(0, n, (m, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    places = np.repeat(np.arange(len(pairs)), 2)
    rows = sparse.csr_array((np.tile([1.0, -1.0], len(pairs)), (places, pairs.ravel())), shape=(len(pairs), n))
    b = ProgramBuilder("order")
    b.add_columns("d", n, lower=0, upper=1)
    b.add_rows("dominance", {"d": rows}, lower=0, index=pairs)
    program = b.build()
    assert program.row_name(5) == f"dominance({pairs[5, 0]},{pairs[5, 1]})" and program.A.nnz == 2 * len(pairs)


def test_an_empty_program_is_a_program() -> None:
    program = ProgramBuilder("nothing").build()
    assert program.shape == (0, 0) and program.needs == {"linear"} and program.objective(np.empty(0)) == 0


# --- solutions -----------------------------------------------------------------------------------------------


def test_values_come_by_block_in_their_shape() -> None:
    b = ProgramBuilder("shapes")
    b.add_columns("x", (2, 2))
    b.add_columns("rho")
    b.add_rows("r", {"x": np.eye(4)}, lower=0)
    program = b.build()
    x = np.arange(5.0)
    solution = Solution(program, Status.OPTIMAL, x=x, y=np.arange(4.0), z=x, objective=1.0, bound=1.5)
    np.testing.assert_array_equal(solution.values("x"), [[0, 1], [2, 3]])
    assert solution.values("rho") == 4 and solution.dual("r").shape == (4,) and solution.reduced_costs("rho") == 4
    assert solution.optimal and solution.gap == 0.5


@pytest.mark.parametrize("status", [s for s in Status if not s.has_point])
def test_where_there_is_no_point_values_raise_with_the_advice(status: Status) -> None:
    solution = Solution(small().build(), status, solver="some", raw_status="its word")
    for read in (solution.values, solution.reduced_costs):
        with pytest.raises(NoSolutionError) as raised:
            read("a")
        assert status.value in str(raised.value) and status.advice in str(raised.value)
        assert raised.value.solution is solution and "its word" in str(raised.value)
    assert solution.gap == INF


def test_nothing_warns_about_ordinary_programs() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small().build().describe()


@pytest.mark.parametrize("seed", range(5))
def test_a_gram_matrix_of_low_rank_is_convex_whatever_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(60, 3)) * 10.0 ** rng.integers(-5, 6)
    for bounds in ({}, {"lower": 0.0, "upper": 1.0}):
        b = ProgramBuilder("gram")
        b.add_columns("x", 60, **bounds)
        b.add_quadratic("x", L @ L.T)
        assert b.build().P is not None


def test_a_bend_downwards_of_1e9_passes_in_a_box_and_is_refused_where_a_column_is_free() -> None:
    P = np.diag([1.0, 1.0, -1e-9])
    boxed = ProgramBuilder("boxed")
    boxed.add_columns("x", 3, lower=0, upper=1)
    boxed.add_quadratic("x", P)
    assert boxed.build().P is not None
    for bounds in ({"upper": 1}, {"lower": 0}, {}):
        free = ProgramBuilder("free")
        free.add_columns("x", 3, **bounds)
        free.add_quadratic("x", P)
        with pytest.raises(FormulationError, match=r"not convex.*least eigenvalue -1e-09"):
            free.build()


def test_a_proof_that_leant_on_bounds_is_asked_again_where_they_go() -> None:
    b = ProgramBuilder("boxed")
    b.add_columns("x", 3, lower=0, upper=1)
    b.add_quadratic("x", np.diag([1.0, 1.0, -1e-9]))
    program = b.build()
    assert replace(program, upper=np.full(3, 2.0)).P is program.P
    wider = program.with_columns("x", cost=[1.0], coefficients=np.zeros((0, 1)), lower=[-np.inf], upper=[np.inf])
    for loosened in (program, wider):
        with pytest.raises(FormulationError, match=r"not convex.*least eigenvalue -1e-09"):
            replace(loosened, upper=np.full(len(loosened.c), np.inf))


def test_bounds_beyond_1e20_become_infinite_beside_a_zero_without_another_word() -> None:
    b = ProgramBuilder("wide")
    with pytest.warns(DataWarning) as said:
        b.add_columns("x", 3, lower=[0.0, -1e20, -np.inf], upper=[0.0, 1e30, np.inf])
    assert len(said) == 2
    program = b.build()
    assert program.lower.tolist() == [0, -np.inf, -np.inf] and program.upper.tolist() == [0, np.inf, np.inf]
