"""RankingPrincipalCurve: order is preserved, units don't matter, every answer is proved, bad input is refused."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from monoopt.errors import CertificateError, DataError, DataWarning, OptionError, SolverNotFound
from monoopt.estimators.rpc import RankingPrincipalCurve
from monoopt.formulations.control_points import read
from monoopt.order.bezier import curve_points
from monoopt.order.dominance import dominance_pairs
from monoopt.order.ranks import ranks
from monoopt.solvers import solve


def curve(**options: object) -> RankingPrincipalCurve:
    return RankingPrincipalCurve(**{"solver": "direct", **options})


def objects(seed: int = 0, n: int = 40, d: int = 3, noise: float = 0.1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    P = np.vstack([np.zeros(d), rng.uniform(0, 1, (2, d)), np.ones(d)])
    return curve_points(P, rng.uniform(0, 1, n)) + noise * rng.normal(size=(n, d))


def quiet_fit(estimator: RankingPrincipalCurve, X: object, **words: object) -> RankingPrincipalCurve:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return estimator.fit(X, **words)


# what a ranking must obey


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3, 4]))
def test_an_object_that_dominates_another_scores_strictly_higher(seed: int, degree: int):
    X = objects(seed, n=30)
    a = np.random.default_rng(seed).choice([-1, 1], 3)
    fitted = quiet_fit(curve(directions=a, degree=degree), X * a)
    better, worse = dominance_pairs(X, np.ones(3, dtype=np.int8)).T
    distinct = np.any(X[better] != X[worse], axis=1)
    assert distinct.any()
    assert np.all(fitted.scores_[better[distinct]] > fitted.scores_[worse[distinct]])
    assert fitted.monotonicity_.ok and fitted.stationarity_.ok and fitted.trace_.ok
    assert all(certificate.ok for certificate in fitted.certificates_)


def test_units_do_not_change_scores():
    X = objects(1)
    first = quiet_fit(curve(), X)
    other = quiet_fit(curve(), X * 1000 + 273.15)
    np.testing.assert_allclose(first.scores_, other.scores_, atol=1e-9)
    assert first.rank().tolist() == other.rank().tolist()


def test_a_turned_attribute_with_its_direction_turned_gives_the_same_scores():
    X = objects(2)
    turned = X * [1, -1, 1]
    np.testing.assert_allclose(
        quiet_fit(curve(), X).scores_, quiet_fit(curve(directions=[1, -1, 1]), turned).scores_, atol=1e-9
    )


def test_directions_fix_the_orientation_whatever_the_order_of_rows():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        scores = curve().fit(X[order]).scores_
        np.testing.assert_allclose(scores, np.array([0.0, 0.5, 1.0])[order], atol=1e-12)


@pytest.mark.parametrize("d", [1, 3])
def test_objects_on_a_line_are_scored_along_it_whatever_the_units_and_the_order_of_rows(d: int):
    """Many curves go through all of them; rounding must not choose one."""
    place = np.sort(np.random.default_rng(0).random(24)).round(2)
    X, order = np.outer(place, np.arange(1, d + 1)), np.random.default_rng(1).permutation(24)
    wanted = (place - place[0]) / np.ptp(place)
    for table in (X, X * 1000 + 273.15, X * 7 - 1e4):
        np.testing.assert_allclose(quiet_fit(curve(), table[order]).scores_, wanted[order], atol=1e-9)


def test_shuffled_rows_get_the_same_scores():
    X = objects(3)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(quiet_fit(curve(), X).scores_[order], quiet_fit(curve(), X[order]).scores_, atol=1e-9)


def test_a_cost_of_zero_is_fine_and_a_dominating_object_is_first():
    fitted = curve(directions=["gain", "cost"]).fit([[10, 0], [8, 1], [9, 2]])
    assert np.isfinite(fitted.scores_).all()
    assert fitted.rank()[0] == 1


def test_equal_objects_get_equal_scores():
    X = np.vstack([objects(4), objects(4)[:5]])
    scores = quiet_fit(curve(), X).scores_
    assert np.array_equal(scores[-5:], scores[:5])
    assert quiet_fit(curve(), X).rank(ties="dense").max() == 40


def test_ties_are_an_explicit_choice():
    fitted = curve().fit([[0, 0], [1, 1], [1, 1], [2, 2]])
    assert fitted.rank().tolist() == [4, 2, 2, 1]
    assert fitted.rank(ties="average").tolist() == [4, 2.5, 2.5, 1]
    assert fitted.rank(ties="dense").tolist() == [3, 2, 2, 1]
    with pytest.raises(OptionError, match="ties"):
        fitted.rank(ties="lowest")


def test_small_unsigned_integers_do_not_wrap_round():
    X = np.array([[1, 2], [2, 1], [3, 200]], dtype=np.uint8)
    np.testing.assert_array_equal(curve().fit(X).scores_, curve().fit(X.astype(float)).scores_)


# scores of new objects


def test_a_score_does_not_depend_on_the_batch():
    X = objects(5)
    fitted = quiet_fit(curve(), X)
    together = fitted.score_samples(X)
    assert np.array_equal(together, fitted.scores_)
    alone = [fitted.score_samples(X[i : i + 1])[0] for i in range(len(X))]
    assert np.array_equal(together, alone)


def test_scale_and_curve_are_frozen_so_a_new_object_cannot_swap_two_others():
    X = np.array([[10.0, 1.0], [6.0, 5.0], [0.0, 0.0]])
    fitted = curve().fit(X)
    before = fitted.score_samples(X[:2])
    after = fitted.score_samples(np.array([[10.0, 1.0], [6.0, 5.0], [6.0, -20.0]]))[:2]
    assert np.array_equal(before, after)


def test_objects_beyond_the_range_are_flagged_and_scored_within_zero_and_one():
    fitted = quiet_fit(curve(), objects(6))
    far = np.array([[9.0, 9.0, 9.0], [-9.0, -9.0, -9.0], fitted.inverse([0.5])[0]])
    assert fitted.outside_range(far).all(axis=1).tolist() == [True, True, False]
    scores = fitted.score_samples(far)
    np.testing.assert_allclose(scores, [1, 0, 0.5], atol=1e-9)


def test_the_curve_is_the_inverse_of_the_score():
    fitted = quiet_fit(curve(directions=[1, 1, -1]), objects(7) * [1, 1, -1])
    s = np.linspace(0, 1, 11)
    np.testing.assert_allclose(fitted.score_samples(fitted.inverse(s)), s, atol=1e-9)
    np.testing.assert_allclose(fitted.inverse([0, 1]), fitted.control_points_[[0, -1]])
    np.testing.assert_allclose(fitted.inverse_transform(fitted.transform(objects(7) * [1, 1, -1])),
                               fitted.inverse(fitted.scores_))  # fmt: skip
    with pytest.raises(DataError, match=r"outside \[0, 1\]"):
        fitted.inverse([0.5, 1.2])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_are_put_in_order_by_name_or_refused(frame: type):
    X = objects(8, d=2)
    fitted = quiet_fit(curve(directions={"a": "gain", "b": "cost"}), frame({"a": X[:, 0], "b": -X[:, 1]}))
    swapped = frame({"b": -X[:, 1], "a": X[:, 0]})
    assert np.array_equal(fitted.score_samples(swapped), fitted.scores_)
    with pytest.raises(DataError, match="missing column 'b'"):
        fitted.score_samples(frame({"a": X[:, 0], "c": X[:, 1]}))


# why


def test_contributions_on_the_straight_curve_are_the_halved_differences():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.8, 0.3], [0.4, 0.5]])
    found = curve(degree=1).fit(corners).compare(2, 3)
    np.testing.assert_allclose(found.contributions, [0.20, -0.10], atol=1e-12)
    assert found.difference == pytest.approx(0.10)
    assert "+0.2000  x0" in str(found)


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_contributions_add_up_and_have_the_sign_of_the_advantage(seed: int):
    X = objects(seed, d=4)
    a = np.random.default_rng(seed).choice([-1, 1], 4)
    fitted = quiet_fit(curve(directions=a), X * a)
    found = fitted.compare(0, 1)
    assert found.contributions.sum() == pytest.approx(fitted.scores_[0] - fitted.scores_[1], abs=1e-15)
    assert np.all(found.contributions * np.sign(X[0] - X[1]) >= -1e-15)


def test_reasons_add_up_to_what_is_missing_to_the_best():
    frame = pd.DataFrame(objects(9), columns=["gdp", "leb", "edu"], index=[f"c{i}" for i in range(40)])
    fitted = quiet_fit(curve(), frame)
    reasons = fitted.reasons("c7", top=3)
    assert [points for _, points in reasons] == sorted((points for _, points in reasons), reverse=True)
    assert sum(points for _, points in reasons) == pytest.approx(1 - fitted.scores_[7], abs=1e-12)
    with pytest.raises(DataError, match="did you mean 'c7'"):
        fitted.reasons("c77")
    with pytest.raises(DataError, match="no object"):
        fitted.compare("c1", "Atlantis")


# options


def test_both_algorithms_end_on_the_same_curve():
    X = objects(10)
    first, second = (quiet_fit(curve(algorithm=word), X) for word in ("qp", "richardson"))
    np.testing.assert_allclose(first.control_points_, second.control_points_, atol=1e-7)


def test_a_heavier_attribute_is_followed_more_closely():
    X = objects(11, noise=0.3)
    even = quiet_fit(curve(), X)
    tilted = quiet_fit(curve(attribute_weights=[50, 1, 1]), X)
    agreement = [np.corrcoef(fit.scores_, X[:, 0])[0, 1] for fit in (even, tilted)]
    assert agreement[1] > agreement[0] and agreement[1] > 0.98


def test_weights_count_as_copies_and_zero_as_absent():
    X, weight = objects(12), np.random.default_rng(0).integers(0, 4, 40)
    weighted = quiet_fit(curve(), X, sample_weight=weight)
    copies = quiet_fit(curve(), np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.control_points_, copies.control_points_, atol=1e-8)
    assert len(weighted.scores_) == 40


def test_missing_cells_are_refused_or_projected_on_what_is_known():
    X = objects(13)
    X[3, 1] = np.nan
    X[7, 0] = np.nan
    with pytest.raises(DataError, match="row 3, column 1: NaN"):
        curve().fit(X)
    fitted = quiet_fit(curve(missing="project"), X)
    assert np.isfinite(fitted.scores_).all() and fitted.n_missing_.tolist() == [1, 1, 0]
    known = fitted.inverse([0.3])
    known[0, 1] = np.nan
    assert fitted.score_samples(known)[0] == pytest.approx(0.3, abs=1e-9)
    with pytest.raises(DataError, match="row 0: no attribute is known"):
        fitted.score_samples([[np.nan, np.nan, np.nan]])


def test_an_object_or_attribute_of_which_nothing_is_known_is_refused():
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    with pytest.raises(DataError) as error:
        curve(missing="project").fit(X)
    assert len(error.value.faults) == 2


def test_robust_scaling_keeps_the_differences_of_the_others():
    X = np.vstack([objects(14), [[100.0, 0.5, 0.5]]])
    with pytest.warns(DataWarning, match="object 40 alone sets"):
        plain = curve().fit(X)
    robust = quiet_fit(curve(scaling="robust"), X)
    assert np.ptp(robust.scaling_.apply(X[:40])[:, 0]) > 10 * np.ptp(plain.scaling_.apply(X[:40])[:, 0])


def test_goalposts_fix_the_scale():
    fitted = curve(scaling={"x0": (0, 10), "x1": (0, 10)}, degree=1).fit([[2.0, 2.0], [5.0, 5.0]])
    np.testing.assert_allclose(fitted.scores_, [0.2, 0.5])


def test_a_higher_degree_explains_no_less():
    X = objects(15, noise=0.05)
    shares = [quiet_fit(curve(degree=k), X).explained_variance_ for k in (1, 2, 3)]
    assert shares[0] <= shares[1] <= shares[2] < 1


def test_a_start_given_in_the_units_of_the_data_is_used():
    X = 50 + 10 * objects(16)
    first = quiet_fit(curve(), X)
    again = quiet_fit(curve(init=first.control_points_), X)
    assert again.n_iter_ <= 2
    with pytest.raises(DataError, match="init"):
        curve(init=[[1.0, 2.0]]).fit(X)


def test_the_same_seed_gives_the_same_bits():
    X = objects(17, noise=0.3)
    a, b = (quiet_fit(curve(random_state=5), X) for _ in range(2))
    assert a.scores_.tobytes() == b.scores_.tobytes()


def test_an_unfinished_curve_is_refused_unless_told_to_keep_it():
    X = objects(18, noise=0.3)
    straight = np.linspace(X.min(axis=0), X.max(axis=0), 4)
    with pytest.raises(CertificateError, match="NOT stationary"):
        quiet_fit(curve(max_iter=1, init=straight), X)
    with pytest.warns(ConvergenceWarning, match="NOT stationary.*raise max_iter") as heard:
        kept = quiet_fit(curve(max_iter=1, init=straight, keep_best=True), X)
    assert heard[0].filename == __file__  # where `fit` was called
    assert not kept.stationarity_.ok and kept.monotonicity_.ok
    quiet_fit(curve(keep_best=True), X)  # proved: a warning would be an error


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_on_mirrored_objects_no_way_of_fitting_stops_at_a_saddle_that_another_leaves(seed: int):
    rng = np.random.default_rng(seed)
    half = rng.integers(0, 6, (rng.integers(1, 4), 2)) + np.array([0.0, 0.5])
    X = np.vstack([half, half[:, ::-1]])
    best = quiet_fit(curve(), X).objective_
    for words in ({"solver": "clarabel"}, {"algorithm": "richardson"}, {"algorithm": "richardson", "finish": None}):
        assert quiet_fit(curve(**words), X).objective_ <= best * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("n_starts", [1, 8])
def test_of_two_mirrored_curves_units_do_not_choose(n_starts: int):
    rng = np.random.default_rng(0)
    for n in (2, 3, 4, 5, 3, 4):
        half = rng.random((n, 2)).round(2)
        X = np.vstack([half, half[:, ::-1]])
        wanted = quiet_fit(curve(n_starts=n_starts), X).scores_
        for other in (X * 1000 + 273.15, X * 7.3 - 1):
            np.testing.assert_allclose(quiet_fit(curve(n_starts=n_starts), other).scores_, wanted, atol=1e-7)


def test_three_mirrored_objects_are_fitted_better_than_by_the_straight_curve():
    X = [[10, 0], [8, 1], [9, 2]]
    for words in ({}, {"solver": "clarabel"}, {"n_starts": 1}, {"finish": None}, {"algorithm": "richardson"}):
        fitted = curve(directions=["gain", "cost"], **words).fit(X)
        assert fitted.objective_ == pytest.approx(0.0637063, abs=1e-6) and fitted.rank()[0] == 1


@pytest.mark.parametrize("solver", ["clarabel", "highs"])
def test_a_solver_gives_the_curve_of_the_direct_path_and_its_certificates(solver: str):
    X = objects(19)
    direct, solved = quiet_fit(curve(), X), quiet_fit(curve(solver=solver), X)
    np.testing.assert_allclose(direct.control_points_, solved.control_points_, atol=1e-7)
    assert len(solved.certificates_) > 1 and all(certificate.ok for certificate in solved.certificates_)


def test_the_program_of_the_final_scores_is_there_and_any_solver_agrees():
    fitted = quiet_fit(curve(), objects(30))
    solution = solve(fitted.program_, "clarabel", tolerance=1e-10)
    P = read(fitted.program_, solution, directions=fitted.directions_)
    np.testing.assert_allclose(fitted.scaling_.invert(P), fitted.control_points_, atol=1e-6)
    assert solution.objective == pytest.approx(fitted.objective_, abs=1e-8)
    assert quiet_fit(curve(degree=1), objects(30)).program_ is None


def test_an_unknown_solver_is_refused_before_anything_is_fitted():
    with pytest.raises(SolverNotFound, match="clarabel"):
        curve(solver="clarabell", degree=1).fit(objects(31))


def test_a_margin_that_a_solver_would_take_for_zero_is_refused():
    X = objects(19)
    with pytest.raises(OptionError, match="HiGHS takes lower bounds"):
        curve(solver="highs", margin=1e-4).fit(X)
    close = quiet_fit(curve(solver="highs", margin=1.01e-4), X)
    np.testing.assert_allclose(close.control_points_, quiet_fit(curve(margin=1.01e-4), X).control_points_, atol=1e-7)
    tiny = quiet_fit(curve(solver="clarabel", margin=1e-6), X)
    assert tiny.monotonicity_.ok and tiny.stationarity_.ok and all(proof.ok for proof in tiny.certificates_)


def test_the_callers_table_is_not_kept():
    X = objects(32)
    fitted = quiet_fit(curve(), X)
    before = fitted.compare(0, 1).contributions
    X[:] = 0.0
    np.testing.assert_array_equal(fitted.compare(0, 1).contributions, before)


@pytest.mark.parametrize("degree", [1, 3, 5])
@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_objects_are_ranked_and_proved(degree: int, n: int):
    X = np.array([[0.0, 5.0, 1.0], [1.0, 4.0, 2.0], [0.5, 9.0, 0.0]])[:n]
    fitted = quiet_fit(curve(degree=degree), X)
    assert np.isfinite(fitted.scores_).all() and fitted.stationarity_.ok and fitted.trace_.ok


# bad input


def test_a_constant_attribute_is_left_out_with_a_warning_that_names_it():
    with pytest.warns(DataWarning, match="x1"):
        fitted = curve().fit([[1, 7], [2, 7], [3, 7]])
    assert fitted.rank().tolist() == [3, 2, 1]
    assert fitted.control_points_[:, 1].tolist() == [7] * 4
    assert fitted.compare(0, 2).contributions[1] == 0


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1, 2], [1, 2], [1, 2]], "nothing to rank"),
        ([[1, 2]], "n_samples=1"),
        ([[1, np.inf], [2, 3]], "inf"),
        ([["15%", 1], ["201-250", 2]], "'15%' is text"),
    ],
)
def test_what_cannot_be_ranked_is_refused(X: list, words: str):
    with pytest.raises(DataError, match=words):
        curve().fit(X)


def test_every_bad_cell_is_listed():
    with pytest.raises(DataError) as error:
        curve().fit([["15%", 1], [2, "201-250"], [3, None]])
    assert len(error.value.faults) == 3


@pytest.mark.parametrize(
    ("directions", "words"),
    [
        ({"a": 1}, "no direction for"),
        ({"a": 1, "b": 1, "x": 1}, "unknown 'x'"),
        ([1, 0], "'b' is free"),
        ([1], "1 directions for 2"),
    ],
)
def test_directions_must_be_complete_and_not_free(directions: object, words: str):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 3, 2]})
    with pytest.raises(DataError, match=words):
        curve(directions=directions).fit(frame)


def test_an_id_among_the_attributes_is_warned_about():
    X = np.column_stack([np.arange(1, 41), objects(20)])
    with pytest.warns(DataWarning, match="is it an id"):
        curve().fit(X)


def test_a_direction_against_the_others_is_warned_about():
    X = objects(21, noise=0.05)
    with pytest.warns(DataWarning, match="'x2' runs against the others: declared cost"):
        curve(directions=[1, 1, -1]).fit(X)


def test_all_wrong_options_are_named_at_once():
    with pytest.raises(OptionError) as error:
        curve(algorithm="qq", degree=0, margin=0.6, tolerance=2, n_starts=0).fit(objects(22))
    for word in ("algorithm", "degree", "margin", "tolerance", "n_starts"):
        assert word in str(error.value)


def test_attribute_weights_are_checked_by_name():
    frame = pd.DataFrame(objects(23, d=2), columns=["a", "b"])
    assert quiet_fit(curve(attribute_weights={"b": 3}), frame).attribute_weights_.tolist() == [0.5, 1.5]
    with pytest.raises(DataError, match="unknown attribute 'c'"):
        curve(attribute_weights={"c": 1}).fit(frame)
    with pytest.raises(DataError, match="positive"):
        curve(attribute_weights=[0, 1]).fit(frame)


# scikit-learn's manners


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks_pass():
    check_estimator(curve(), on_skip=None)


def test_it_survives_pickle_clone_and_search():
    X = objects(24)
    fitted = quiet_fit(curve(), X)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).score_samples(X), fitted.scores_)
    assert clone(fitted).get_params() == fitted.get_params()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        search = GridSearchCV(curve(), {"degree": [1, 3]}, cv=3).fit(X)
    assert 0.5 < search.best_score_ <= 1
    assert quiet_fit(curve(), X).score(X) == pytest.approx(fitted.explained_variance_)


def test_ranks_of_scores_and_of_new_objects_agree():
    X = objects(25)
    fitted = quiet_fit(curve(), X)
    assert np.array_equal(fitted.rank(X[:10]), ranks(fitted.scores_[:10]))
    assert fitted.get_feature_names_out().tolist() == ["score"] and fitted.transform(X).shape == (40, 1)


def test_shapes_are_told_by_name():
    t = np.linspace(0, 1, 60)
    frame = pd.DataFrame({"line": t, "late": t**3, "early": 1 - (1 - t) ** 3, "waste": -(t**3)})
    shapes = quiet_fit(curve(directions={"waste": -1, "*": 1}), frame).shapes_
    assert shapes == {"line": "linear", "late": "convex", "early": "concave", "waste": "convex"}


# data of the paper


def test_life_quality_is_ranked_as_printed(data_folder):
    frame = pd.read_csv(data_folder / "ranking" / "life_quality_2005.csv").set_index("country")
    printed = pd.read_csv(data_folder / "ranking" / "rpc_table2_rows.csv").set_index("country")
    fitted = quiet_fit(curve(directions={"gdp": 1, "leb": 1, "imr": -1, "tb": -1}), frame.drop(columns="geo"))
    scores = pd.Series(fitted.scores_, index=frame.index)
    assert fitted.explained_variance_ > 0.86  # the first principal component: .794
    assert scores[printed.index].corr(printed["rpc_score"], method="spearman") > 0.95
