"""relabel: monotone labels of least cost, the same on every solver, proved; honest about bad data."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import monoopt
from monoopt import CertificateError, DataError, DataWarning, OptionError, SolverNotFound, relabel, solve
from monoopt.datasets import load_balance, load_era, load_esl, load_lev, load_swd
from monoopt.formulations import monotonization
from monoopt.order import dominance_pairs

COSTS = {load_esl: 104, load_era: 1161, load_lev: 364, load_swd: 375, load_balance: 0}
SOLVERS = [
    info.name
    for info in monoopt.available_solvers()
    if info.found and "linear" in info.can and (not info.special or info.name == "mincut")
]
QUICK = ("highs", "mincut", "clarabel", "osqp", "glpk")


@st.composite
def data(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 2), min_size=d, max_size=d)
    X = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    w[0] = 1.0
    directions = np.array(draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=d, max_size=d)), dtype=np.int8)
    return X, y, w, directions


def quietly(*args: object, **words: object) -> monoopt.Relabelling:
    """Random data may have directions that go against the labels, or nothing comparable; that is not the point."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return relabel(*args, **words)


# --- what it must be on known data


def test_rising_features_never_meet_a_falling_label():
    X = [(1, 5), (2, 3), (2, 2), (3, 1), (2, 6), (4, 4)]
    answer = relabel(X, [0, 1, 1, 1, 0, 2])
    assert (answer.cost, answer.labels.tolist()) == (1.0, [0, 1, 1, 1, 1, 2])
    assert answer.labels.tolist() == relabel(X, [0, 1, 1, 1, 0, 2], tie="greatest").labels.tolist()
    assert answer.changed.tolist() == [4]
    assert {row: partners.tolist() for row, partners in answer.conflicts.items()} == {4: [1, 2]}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tied_pair_has_one_answer_per_tie_rule_on_every_solver(solver: str):
    assert relabel([[1], [2]], [1, 0], solver=solver).labels.tolist() == [0, 0]
    assert relabel([[1], [2]], [1, 0], solver=solver, tie="greatest").labels.tolist() == [1, 1]


def test_weight_zero_is_absent_and_weight_two_is_two_copies():
    answer = relabel([[1], [2], [3]], [0, 2, 1], sample_weight=[1, 1, 0])
    assert answer.cost == 0 and answer.labels[:2].tolist() == [0, 2]
    X, y = np.array([[1], [2], [2], [3]]), np.array([1, 0, 2, 0])
    weighted = relabel(X, y, sample_weight=[2, 1, 1, 3])
    copies = relabel(X.repeat([2, 1, 1, 3], axis=0), y.repeat([2, 1, 1, 3]))
    assert weighted.cost == copies.cost
    assert weighted.labels.tolist() == copies.labels[[0, 2, 3, 4]].tolist()


def test_text_needs_an_order_and_the_trap_is_shown():
    y = ["low", "medium", "high"]
    with pytest.raises(DataError, match="high < low < medium"):
        relabel([[1], [2], [3]], y)
    assert relabel([[1], [2], [3]], y, order=["low", "medium", "high"]).cost == 0
    assert relabel([[1], [2], [3]], y, order=["high", "low", "medium"]).cost == 2
    ordered = pd.Series(pd.Categorical(y, ["low", "medium", "high"], ordered=True))
    assert relabel(pd.DataFrame({"a": [1, 2, 3]}), ordered).labels.tolist() == y
    enum = pl.Series(y, dtype=pl.Enum(["low", "medium", "high"]))
    assert relabel(pl.DataFrame({"a": [1, 2, 3]}), enum).cost == 0


def test_labels_with_gaps_come_back_as_they_were():
    low, high = (relabel([[1], [2], [3]], [10, 40, 20], tie=tie) for tie in ("least", "greatest"))
    assert low.labels.tolist() == [10, 20, 20] and high.labels.tolist() == [10, 40, 40]
    assert low.cost == high.cost == 1 and low.classes.tolist() == [10, 20, 40]


def test_thresholds_do_not_cross():
    for tie, label in (("least", 0), ("greatest", 2)):
        answer = relabel([[1], [2]], [2, 0], order=[0, 1, 2], tie=tie)
        assert answer.cost == 2 and answer.labels.tolist() == [label, label]


def test_a_free_attribute_makes_objects_comparable_only_where_they_are_equal():
    X, y = [(1, 0), (2, 0), (2, 1)], [1, 0, 0]
    for tie, labels in (("least", [0, 0, 0]), ("greatest", [1, 1, 0])):
        answer = relabel(X, y, directions=[1, 0], tie=tie)
        assert answer.cost == 1 and answer.labels.tolist() == labels
    assert relabel(X, y, tie="greatest").labels.tolist() == [0, 0, 0]


def test_a_direction_the_wrong_way_round_is_warned_of_and_reported():
    with pytest.warns(DataWarning, match=r"x0 is declared cost.*tau \+0\.894"):
        answer = relabel([[1], [2], [3], [4], [5]], [0, 0, 1, 1, 2], directions=["cost"])
    assert answer.labels.tolist() == [1] * 5
    assert answer.cost == 3 and answer.share_changed == 0.6
    assert "3 of 5 labels changed (60.0%), cost 3" in str(answer)
    assert "x0 (cost): tau +0.894 CONTRADICTS" in str(answer)


def test_a_misspelt_direction_is_named():
    with pytest.raises(DataError, match="unknown 'dept', did you mean 'debt'"):
        relabel(pd.DataFrame({"income": [1, 2], "debt": [2, 1]}), [0, 1], directions={"income": 1, "dept": -1})


def test_directions_by_name_follow_the_names():
    frame = pd.DataFrame({"debt": [1, 2, 3], "income": [1, 1, 1]})
    signs = {"income": "gain", "debt": "cost"}
    assert relabel(frame, [2, 1, 0], directions=signs).cost == 0
    assert relabel(pl.from_pandas(frame), [2, 1, 0], directions=signs).cost == 0


# --- least costs on real data


def costs_agree(load: object, solver: str) -> None:
    table = load()
    least, greatest = (
        relabel(table.X, table.y, directions=list(table.directions.values()), tie=tie, solver=solver)
        for tie in ("least", "greatest")
    )
    assert least.cost == greatest.cost == COSTS[load]
    assert (least.codes <= greatest.codes).all()
    reference = relabel(table.X, table.y, directions=list(table.directions.values()), solver="mincut")
    assert (least.codes == reference.codes).all()


@pytest.mark.parametrize("load", COSTS, ids=lambda load: load.__name__)
@pytest.mark.parametrize("solver", [name for name in SOLVERS if name in QUICK])
def test_least_cost_and_labels_are_the_same_on_solvers_of_all_kinds(load: object, solver: str):
    costs_agree(load, solver)


@pytest.mark.slow
@pytest.mark.parametrize("load", COSTS, ids=lambda load: load.__name__)
@pytest.mark.parametrize("solver", [name for name in SOLVERS if name not in QUICK])
def test_least_cost_and_labels_are_the_same_on_every_solver(load: object, solver: str):
    costs_agree(load, solver)


@pytest.mark.parametrize(
    "options",
    [{"solver": "ipm", "run_crossover": "off", "presolve": "off"}, {"solver": "simplex", "presolve": "off"}],
)
def test_least_cost_and_labels_do_not_depend_on_the_method(options: dict[str, str]):
    table = load_swd()
    answer = relabel(table.X, table.y, options=options)
    assert answer.cost == 375
    assert (answer.codes == relabel(table.X, table.y, solver="mincut").codes).all()


def test_least_cost_of_car(data_folder: Path):
    table = np.loadtxt(data_folder / "ordinal" / "car.csv", delimiter=",", skiprows=1)
    answer = relabel(table[:, :-1], table[:, -1], directions=[-1, -1, 1, 1, 1, 1])
    assert answer.cost == 21 and answer.ok
    assert [c.primal_objective for c in answer.certificates] == [18, 3, 0]


def test_costs_per_threshold_of_esl_and_their_exact_proofs():
    answer = relabel(load_esl().X, load_esl().y)
    assert [c.primal_objective for c in answer.certificates] == [2, 3, 18, 20, 25, 20, 13, 3]
    assert all(c.ok and c.exact and c.gap == 0 and c.exact_primal == c.exact_dual for c in answer.certificates)


def test_programs_hold_only_objects_that_contradict_somebody():
    table = load_esl()
    answer = relabel(table.X, table.y)
    sizes = {k: solution.program.shape for k, solution in answer.solutions.items()}
    assert max(columns for _, columns in sizes.values()) < 60
    assert 8 not in sizes or sizes[8][1] < 20
    assert relabel([[1], [2]], [0, 1]).solutions == {}, "nothing contradicts: nothing is built"


# --- laws


@given(data(), st.sampled_from(["least", "greatest"]), st.sampled_from(["absolute", "squared"]))
@settings(max_examples=40, deadline=None)
def test_relabelling_equals_the_program_for_all_classes_at_once(
    found: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], tie: str, loss: str
):
    X, y, w, directions = found
    answer = quietly(X, y, directions=directions, sample_weight=w, order=range(4), tie=tie, loss=loss)
    pairs = dominance_pairs(X, directions)
    program = monotonization.build_classes(y, 4, pairs, w, loss)
    solution = solve(program)
    assert answer.cost == pytest.approx(solution.objective, abs=1e-9)
    assert (answer.codes == monotonization.read_classes(program, solution, tie)).all()
    assert (answer.codes[pairs[:, 0]] >= answer.codes[pairs[:, 1]]).all(), "a dominance pair is crossed"
    assert sum(c.primal_objective for c in answer.certificates) == pytest.approx(answer.cost)
    assert sum(c.dual_objective for c in answer.certificates) == pytest.approx(answer.cost)


@given(data())
@settings(max_examples=40, deadline=None)
def test_conflicts_are_the_pairs_that_contradict(
    found: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
):
    X, y, w, directions = found
    answer = quietly(X, y, directions=directions, sample_weight=w)
    old = answer.data.labels.codes
    pairs = dominance_pairs(X, directions)
    wrong = pairs[old[pairs[:, 0]] < old[pairs[:, 1]]]
    for row in answer.changed:
        mine = wrong[(wrong == row).any(axis=1)]
        partners = np.unique(mine[mine != row])
        assert answer.conflicts[int(row)].tolist() == partners[w[partners] > 0].tolist()
        assert w[row] == 0 or len(answer.conflicts[int(row)]), "a label changed that contradicted nobody"
    assert set(answer.conflicts) == set(answer.changed.tolist())


@given(data(), st.integers(0, 2**31))
@settings(max_examples=30, deadline=None)
def test_order_of_rows_and_monotone_changes_of_units_do_not_matter(
    found: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], seed: int
):
    X, y, w, directions = found
    plain = quietly(X, y, directions=directions, sample_weight=w, order=range(4))
    shuffle = np.random.default_rng(seed).permutation(len(X))
    other = quietly(np.exp(X[shuffle]), y[shuffle], directions=directions, sample_weight=w[shuffle], order=range(4))
    assert plain.cost == other.cost and (plain.codes[shuffle] == other.codes).all()


@pytest.mark.parametrize("weight", [1e-12, 0.1, 1 / 3, 0.25, 1e12])
def test_the_unit_of_the_weights_does_not_matter(weight: float):
    table = load_swd()
    plain = relabel(table.X, table.y)
    scaled = relabel(table.X, table.y, sample_weight=np.full(len(table.y), weight))
    assert (plain.codes == scaled.codes).all()
    assert scaled.cost == pytest.approx(375 * weight)
    assert scaled.certificates[1].dual_objective == pytest.approx(193 * weight)


@pytest.mark.parametrize("solver", ["clarabel", "glpk", "mincut"])
def test_tiny_weights_are_not_taken_for_nothing_by_any_kind_of_solver(solver: str):
    answer = relabel([[1], [2], [3]], [0, 1, 0], sample_weight=[3e-13, 2e-13, 1e-13], solver=solver, tie="greatest")
    assert answer.labels.tolist() == [0, 1, 1] and answer.cost == pytest.approx(1e-13)
    assert 0.5 <= np.abs(answer.solutions[1].program.c).max() <= 1.0


LARGE = {
    "two of 1e9": ([[2], [1]], [0, 1], [1e9, 1e9], None),
    "1e12 among ones": (
        [[1, 2], [0, 1], [0, 2], [0, 1], [2, 2], [0, 1], [2, 2]],
        [1, 0, 1, 0, 0, 0, 1],
        [1e12, 1, 1, 1, 1e12, 1, 1],
        None,
    ),
    "near multiples of 1e9": (
        [[3, 1], [3, 2], [1, 1], [1, 0], [2, 1], [1, 0], [2, 3]],
        [1, 0, 0, 1, 0, 0, 1],
        [2000000001, 3000000002, 2000000002, 3000000002, 3000000000, 1000000002, 2000000000],
        [-1, 1],
    ),
    "fractions that nearly tie": ([[1, 0], [2, 2]], [1, 0], [1.00000001, 1.0], None),
    "fractions that tie": ([[2], [1]], [0, 1], [0.1, 0.1], None),
}


def cheapest(X: list, y: list, w: list, directions: list | None) -> tuple[Fraction, np.ndarray]:
    """Cost and set of the best relabellings, by trying all of them in rational arithmetic."""
    pairs = dominance_pairs(np.array(X, dtype=float), np.array(directions or [1] * len(X[0]), dtype=np.int8))
    every = np.array(list(product((0, 1), repeat=len(y))))
    monotone = every[(every[:, pairs[:, 0]] >= every[:, pairs[:, 1]]).all(axis=1)]
    costs = [
        sum((Fraction(v) for v, old, new in zip(w, y, d, strict=True) if old != new), Fraction(0)) for d in monotone
    ]
    return min(costs), monotone[[cost == min(costs) for cost in costs]]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("case", LARGE.values(), ids=LARGE)
def test_large_and_nearly_tied_weights_have_exact_costs_and_ties_on_every_solver(case: tuple, solver: str):
    X, y, w, directions = case
    if solver == "mincut" and max(w) != 0.1:
        pytest.skip("beyond its 32 bits")
    cost, best = cheapest(*case)
    for tie, labels in (("least", best.min(axis=0)), ("greatest", best.max(axis=0))):
        answer = relabel(X, y, directions=directions, sample_weight=w, tie=tie, solver=solver)
        assert answer.labels.tolist() == labels.tolist() and answer.cost == float(cost)
        for proof in answer.certificates:
            assert proof.ok and proof.gap == 0 and proof.exact_primal == proof.exact_dual
            assert "proved exactly" in str(proof)


@given(data(), st.sampled_from([1e9, 1e12, 1 / 3]), st.sampled_from(["cbc", "osqp", "pyomo-scip"]))
@settings(max_examples=20, deadline=None)
def test_weights_of_any_size_are_relabelled_alike_by_coarse_solvers(
    found: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], size: float, solver: str
):
    if solver not in SOLVERS:
        return
    X, y, w, directions = found
    weights = w * size + np.arange(len(w)) * (w > 0) * (size > 1)
    for tie in ("least", "greatest"):
        words = {"directions": directions, "sample_weight": weights, "order": range(4), "tie": tie}
        one, other = quietly(X, y, **words), quietly(X, y, **words, solver=solver)
        assert (one.codes == other.codes).all() and one.cost == other.cost
        assert all(proof.ok and proof.exact_primal == proof.exact_dual for proof in other.certificates)


def test_equal_objects_get_equal_labels_and_cancelling_weights_are_completed():
    answer = relabel([[1], [1], [0], [2]], [0, 1, 0, 1], sample_weight=[0.1, 0.1, 1, 1])
    assert answer.labels.tolist() == [0, 0, 0, 1] and answer.cost == pytest.approx(0.1)
    upper = relabel([[1], [1], [0], [2]], [0, 1, 0, 1], sample_weight=[0.1, 0.1, 1, 1], tie="greatest")
    assert upper.labels.tolist() == [1, 1, 0, 1] and upper.cost == pytest.approx(0.1)


def test_relabelling_again_changes_nothing():
    table = load_lev()
    first = relabel(table.X, table.y)
    again = relabel(table.X, first.labels)
    assert again.cost == 0 and len(again.changed) == 0


# --- bad input: all faults at once, or the right answer


BAD_CELLS = {
    "NaN": ([[1.0], [np.nan]], r"X: row 1, column 0: NaN"),
    "infinite": ([[1.0], [np.inf]], r"X: row 1, column 0: inf"),
    "text": ([[1.0], ["two"]], "'two' is text"),
    "no row": (np.empty((0, 1)), "0 sample"),
    "one dimension": ([1.0, 2.0], "Reshape your data"),
}


@pytest.mark.parametrize(("X", "what"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_a_bad_table_is_refused(X: object, what: str):
    with pytest.raises(DataError, match=what):
        relabel(X, [0, 1])


BAD_WORDS = {
    "missing label": ({"y": [0, None]}, DataError, "row 1: None"),
    "lengths": ({"y": [0, 1, 1]}, DataError, "X has 2 objects and y 3 labels"),
    "label outside the order": ({"order": [1, 2]}, DataError, "label 0 is not in the order"),
    "negative weight": ({"sample_weight": [1, -1]}, DataError, "object 1: -1"),
    "weight NaN": ({"sample_weight": [np.nan, 1]}, DataError, "object 0: nan"),
    "no weight at all": ({"sample_weight": [0, 0]}, DataError, "all weights are zero"),
    "weight text": ({"sample_weight": ["a", "b"]}, DataError, "object 0: 'a' is text"),
    "weights of another length": ({"sample_weight": [1]}, DataError, r"shape \(1,\), wanted \(2,\)"),
    "direction": ({"directions": ["gian"]}, DataError, "did you mean 'gain'"),
    "directions of another length": ({"directions": [1, 1]}, DataError, "2 directions for 1 attributes"),
    "loss": ({"loss": "absolut"}, OptionError, "did you mean 'absolute'"),
    "loss table": ({"loss": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, DataError, "wanted a 2 x 2 table"),
    "tie": ({"tie": "any"}, OptionError, "wanted 'least' or 'greatest'"),
    "solver": ({"solver": "higs"}, SolverNotFound, "did you mean 'highs'"),
    "option": ({"y": [1, 0], "options": {"presolv": "off"}}, OptionError, "did you mean 'presolve'"),
    "time limit": ({"time_limit": -1}, OptionError, "time_limit"),
}


@pytest.mark.parametrize(("words", "error", "what"), BAD_WORDS.values(), ids=BAD_WORDS)
def test_a_bad_word_is_refused(words: dict, error: type[Exception], what: str):
    with pytest.raises(error, match=what):
        relabel([[1.0], [2.0]], words.get("y", [0, 1]), **{k: v for k, v in words.items() if k != "y"})


def test_all_faults_of_all_arguments_come_in_one_error():
    with pytest.raises(DataError) as caught:
        relabel([[1.0, np.nan], [2.0, np.inf]], ["a", "b"], directions=[1, "x"], sample_weight=[-1, np.nan])
    assert len(caught.value.faults) == 6, "two cells, a direction, the labels and two weights"
    with pytest.raises(DataError) as caught:
        relabel([[1.0, 2.0]], ["a"], directions=[1, "x"], sample_weight=[-1])
    assert len(caught.value.faults) == 3
    for word in ("y: ", "directions: ", "sample_weight: "):
        assert word in str(caught.value)


@pytest.mark.filterwarnings("ignore:all objects have the same label")
def test_small_and_flat_data_have_the_right_answer():
    assert relabel([[1]], [5]).labels.tolist() == [5]
    assert relabel([[1], [2], [3]], [7, 7, 7]).cost == 0
    flat = relabel([[1, 1]] * 3, [0, 0, 2])
    assert flat.labels.tolist() == [0, 0, 0] and flat.cost == 1, "classes are 0 and 2: gaps mean nothing"
    assert relabel([[1, 1]] * 3, [0, 0, 2], order=[0, 1, 2]).cost == 2
    assert relabel([[1, 3], [2, 3]], [1, 0]).cost == 1, "a constant column changes nothing"


def test_incomparable_objects_are_warned_of_and_keep_their_labels():
    with pytest.warns(DataWarning, match="no object dominates another"):
        answer = relabel([[1, 2], [2, 1]], [0, 1])
    assert answer.labels.tolist() == [0, 1] and answer.cost == 0


def test_nothing_is_written_into_the_data():
    X, y, w = np.array([[2.0], [1.0]]), np.array([0, 1]), np.array([1.0, 2.0])
    for array in (X, y, w):
        array.flags.writeable = False
    assert relabel(X, y, sample_weight=w).labels.tolist() == [1, 1]


def test_a_solver_that_lies_about_the_optimum_is_found_out():
    from monoopt.program import Status
    from monoopt.solvers import RawAnswer, get_solver

    class Liar(type(get_solver("highs"))):
        name = "liar"

        def run(self, program: monoopt.Program, settings: object) -> RawAnswer:
            m, n = program.shape
            return RawAnswer(Status.OPTIMAL, np.ones(n), np.zeros(m), program.c.copy(), np.empty(0))

    with pytest.raises((CertificateError, monoopt.SolveError)):
        relabel([[1], [2], [3]], [1, 0, 0], solver=Liar())
