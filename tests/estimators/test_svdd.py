"""SVDD as an estimator: OneClassSVM's ball, scikit-learn's contract, and no silent wrong answer."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks

from monoopt.errors import CertificateError, DataError, OptionError, SolveError, SolverNotFound, TimeLimitError
from monoopt.estimators.sdsn import SDSN
from monoopt.estimators.support_vector_clustering import SupportVectorClustering
from monoopt.estimators.svdd import SVDD
from monoopt.program import Program, Solution, Status, certify
from monoopt.solvers import available_solvers


def plane(n: int = 80, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 2))


@parametrize_with_checks([SVDD()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("nu", [0.05, 0.33, 0.97])
def test_it_is_the_one_class_support_vector_machine(nu: float):
    X, new = plane(), plane(30, seed=1)
    ball = SVDD(nu=nu, gamma=0.8, tolerance=1e-10).fit(X)
    machine = OneClassSVM(nu=nu, gamma=0.8, tol=1e-10).fit(X)
    total = machine.dual_coef_.sum()
    beta = np.zeros(len(X))
    beta[machine.support_] = machine.dual_coef_[0] / total
    assert ball.C_ == pytest.approx(1 / (nu * len(X)))
    assert ball.centre_ == pytest.approx(beta, abs=1e-6)
    # R^2 - d^2 = 2 (sum beta K - rho), up to the tolerance 1e-6 R^2 of the sphere
    assert ball.decision_function(new) == pytest.approx(2 * machine.decision_function(new) / total, abs=1e-5)
    far = np.abs(machine.decision_function(new)) > 1e-4
    assert (ball.predict(new)[far] == machine.predict(new)[far]).all()


def test_weights_are_copies_and_weight_zero_is_no_object():
    X, weight = plane(20), np.array([1, 2, 3, 0, 1] * 4)
    weighted = SVDD(nu=0.2).fit(X, sample_weight=weight)
    copied = SVDD(nu=0.2).fit(np.repeat(X, weight, axis=0))
    assert weighted.radius_ == pytest.approx(copied.radius_, abs=1e-7)
    assert weighted.distance(X) == pytest.approx(copied.distance(X), abs=1e-7)
    assert (weighted.centre_[weight == 0] == 0).all()
    assert not np.isin(np.flatnonzero(weight == 0), weighted.support_).any()


def test_duplicates_share_their_multiplier():
    ball = SVDD(kernel="linear", C=1).fit([[0.0], [0.0], [2.0]])
    assert ball.centre_ == pytest.approx([0.25, 0.25, 0.5]) and ball.radius_ == pytest.approx(1.0)
    assert ball.boundary_.tolist() == [0, 1, 2]


def test_C_below_its_bound_is_refused_before_the_kernel():
    X = [[0.0], [1.0], [2.0], [5.0]]
    with pytest.raises(DataError, match=r"C >= 0\.25"):
        SVDD(C=0.2).fit(X)
    assert SVDD(C=0.25).fit(X).centre_ == pytest.approx([0.25] * 4)
    assert SVDD(C=np.float32(0.25)).fit(X).C_ == 0.25


def test_four_equal_points_are_a_ball_of_radius_zero():
    ball = SVDD().fit(np.full((4, 2), 3.0))
    assert ball.radius_ == 0 and np.isfinite(ball.centre_).all()
    assert ball.predict([[3.0, 3.0], [4.0, 3.0]]).tolist() == [1, -1]


def test_one_object_is_its_own_centre():
    for kernel in ("gaussian", "linear", "tuned"):
        ball = SVDD(kernel=kernel).fit([[1.0, 2.0]])
        assert ball.centre_.tolist() == [1.0] and ball.predict([[1.0, 2.0]]).tolist() == [1]


def test_units_do_not_matter_with_the_scale():
    X = plane()
    assert SVDD().fit(10 * X).radius_ == pytest.approx(SVDD().fit(X).radius_, abs=1e-7)


@pytest.mark.parametrize("solver", ["smo", "highs"])
@pytest.mark.parametrize("kernel", ["gaussian", "linear", "tuned"])
def test_where_the_data_lie_does_not_matter(kernel: str, solver: str):
    X = plane()
    words = {"kernel": kernel, "C": 0.1, "solver": solver, "rank": 5, "repair": "shift"}
    here, far = SVDD(**words).fit(X), SVDD(**words).fit(X + 1e8)
    assert far.radius_ == pytest.approx(here.radius_, rel=1e-5)
    assert far.distance(X + 1e8) == pytest.approx(here.distance(X), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("kernel", ["gaussian", "linear", "tuned"])
def test_units_beyond_what_squares_can_hold_are_refused_and_others_do_not_matter(kernel: str):
    X = plane()
    words = {"kernel": kernel, "nu": 0.2, "repair": "shift"}
    unit = SVDD(**words).fit(X)
    for scale in (1e-140, 1e140):
        other = SVDD(**words).fit(X * scale)
        length = scale if kernel == "linear" else 1.0
        assert other.radius_ == pytest.approx(unit.radius_ * length, rel=1e-6)
    for scale in (1e-200, 1e200):
        with pytest.raises(DataError, match="another unit"):
            SVDD(**words).fit(X * scale)


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_training_objects_are_predicted_on_the_side_where_they_are(kernel: str):
    X = plane()
    ball = SVDD(kernel=kernel, nu=0.15).fit(X)
    assert (np.flatnonzero(ball.predict(X) == -1) == ball.outside_).all()
    assert set(ball.boundary_) | set(ball.outside_) == set(ball.support_)
    assert ball.distance(X)[ball.boundary_] == pytest.approx(ball.radius_, rel=1e-6)


def test_the_row_order_does_not_matter():
    X, shuffled = plane(), np.random.default_rng(5).permutation(80)
    straight, turned = SVDD(nu=0.2).fit(X), SVDD(nu=0.2).fit(X[shuffled])
    assert (straight.centre_[shuffled] == turned.centre_).all()
    assert straight.radius_ == turned.radius_


def test_a_precomputed_kernel_is_the_kernel():
    X, new = plane(), plane(7, seed=2)

    def K(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2))

    given = SVDD(kernel="precomputed", nu=0.2).fit(K(X, X))
    direct = SVDD(gamma=0.5, nu=0.2).fit(X)
    assert given.decision_function(K(new, X)) == pytest.approx(direct.decision_function(new), abs=1e-7)


def test_a_precomputed_kernel_with_its_own_lengths_asks_for_them():
    X, new = plane(), plane(5, seed=2)
    ball = SVDD(kernel="precomputed", C=1).fit(X @ X.T)
    with pytest.raises(DataError, match="self_similarity"):
        ball.predict(new @ X.T)
    wanted = SVDD(kernel="linear", C=1).fit(X).distance(new)
    assert ball.distance(new @ X.T, self_similarity=(new**2).sum(axis=1)) == pytest.approx(wanted, abs=1e-5)
    with pytest.raises(DataError, match="5 finite numbers"):
        ball.distance(new @ X.T, self_similarity=[1.0])


@pytest.mark.parametrize(
    ("K", "word"),
    [
        (np.ones((3, 2)), "wanted a square matrix"),
        (np.array([[1, 0.5], [0.1, 1]]), "not symmetric"),
        (np.array([[1, 0.5], [0.5000001, 1]]), r"entry \(1, 0\) is off it by 1e-07"),
        (np.array([[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]]), r"least eigenvalue -0\.2728"),
        (np.array([[1, np.nan], [np.nan, 1]]), "NaN"),
    ],
)
def test_what_is_no_kernel_matrix_is_refused_at_fit(K: np.ndarray, word: str):
    with pytest.raises(DataError, match=word):
        SVDD(kernel="precomputed", C=1).fit(K)


def test_a_kernel_of_the_wrong_width_is_refused_at_predict():
    ball = SVDD(kernel="precomputed", C=1).fit(np.eye(3))
    with pytest.raises(DataError, match="expecting 3 features"):
        ball.predict(np.ones((3, 2)))


@pytest.mark.parametrize("how", ["clip", "shift"])
def test_an_indefinite_kernel_is_repaired_only_when_told(how: str):
    X = plane(150)
    with pytest.raises(DataError, match="repair='shift'"):
        SVDD(kernel="tuned", rank=7).fit(X)
    ball = SVDD(kernel="tuned", rank=7, repair=how).fit(X)
    assert ball.repair_.how == how and ball.repair_.least < 0
    assert ball.certificates_[0].ok
    assert (ball.predict(X) == 1).mean() >= 0.85


@pytest.mark.parametrize("how", ["clip", "shift"])
@pytest.mark.parametrize("rank", [5, 7])
def test_after_a_repair_training_objects_are_still_predicted_on_the_side_where_they_are(how: str, rank: int):
    X = plane(60)
    ball = SVDD(kernel="tuned", rank=rank, repair=how, nu=0.2).fit(X)
    assert ball.repair_.how == how
    assert np.flatnonzero(ball.predict(X) == -1).tolist() == ball.outside_.tolist()
    assert len(ball.outside_) <= 12 and set(ball.boundary_) | set(ball.outside_) == set(ball.support_)


def test_a_ball_that_is_not_proved_is_kept_only_when_told_and_then_says_so():
    X = plane(20)
    with pytest.raises(CertificateError, match=r"not proved to be the smallest.*SVDD\(keep_best=True\)"):
        SVDD(tolerance=1e-3).fit(X)
    with pytest.warns(ConvergenceWarning, match="may not be the smallest.*gap"):
        kept = SVDD(tolerance=1e-3, keep_best=True).fit(X)
    assert not kept.certificates_[0].ok and kept.certificates_[0].gap > 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SVDD(keep_best=True).fit(X).certificates_[0].ok


def test_a_solver_that_a_limit_stopped_before_it_had_a_ball_leaves_nothing_to_keep(monkeypatch: pytest.MonkeyPatch):
    def stopped(program: Program, *_: object, **__: object) -> Solution:
        return Solution(program, status, solver="clarabel", certificate=certify(program, Solution(program, status)))

    monkeypatch.setattr("monoopt.algorithms.svdd_training.solve", stopped)
    ball, status = SVDD(keep_best=True, time_limit=1e-3, solver="clarabel"), Status.LIMIT
    with pytest.raises(TimeLimitError, match=r"no ball to keep.*clarabel.*raise time_limit=0.001 s, or.*solver='smo'"):
        ball.fit(plane(20))
    status = Status.NUMERICAL
    with pytest.raises(SolveError, match=r"no ball to keep.*\(numerical\); take solver='smo'"):
        ball.fit(plane(20))


@pytest.mark.parametrize("kind", [SDSN, SupportVectorClustering])
def test_clusterings_that_time_was_up_for_are_not_told_of_a_word_that_they_do_not_have(kind: type):
    with pytest.raises(TimeLimitError, match=r"time_limit=1e-09 s is over: raise it$"):
        kind(time_limit=1e-9).fit(plane(700))


@pytest.mark.parametrize("size", [1e-289, 1e300])
def test_kernels_near_the_ends_of_the_numbers_are_used_without_a_warning(size: float):
    ball = SVDD(kernel="precomputed", C=1).fit(size * np.eye(2))
    assert ball.radius_ == pytest.approx(np.sqrt(size / 2), rel=1e-5)
    assert ball.predict(size * np.eye(2)).tolist() == [1, 1]


@pytest.mark.parametrize("size", [1e-320, 1e-291, 1.1e300])
def test_kernels_beyond_them_are_refused_in_words(size: float):
    with pytest.raises(DataError, match=r"largest \|entry\| is .*divide all entries by it"):
        SVDD(kernel="precomputed", C=1, repair="shift").fit(size * np.eye(2))


def test_tiny_weights_give_the_ball_of_their_ratios_and_the_bound_of_C_is_said():
    X, weight = plane(20), np.array([1.0, 2, 3, 0, 1] * 4)
    ball, tiny = (SVDD(nu=0.2).fit(X, sample_weight=w) for w in (weight, weight * 1e-240))
    assert tiny.radius_ == pytest.approx(ball.radius_, rel=1e-9) and tiny.certificates_[0].ok
    assert tiny.centre_ == pytest.approx(ball.centre_, abs=1e-9)
    with pytest.raises(OptionError, match=r"C is 1e\+300; wanted a positive number, 1e\+100 at most"):
        SVDD(C=1e300).fit(X)


@pytest.mark.parametrize("solver", ["smo", "highs", "clarabel"])
def test_a_kernel_of_zeros_is_a_ball_of_radius_zero_for_every_solver(solver: str):
    if solver not in {info.name for info in available_solvers() if info.found}:
        pytest.skip(f"{solver} is not here")
    assert SVDD(kernel="linear", C=1, solver=solver).fit(np.full((4, 2), 3.0)).radius_ == 0
    assert SVDD(kernel="precomputed", C=1, solver=solver).fit(np.zeros((3, 3))).radius_ == 0


def test_a_diagonal_that_rounding_put_below_zero_is_zero():
    ball = SVDD(kernel="precomputed", C=1).fit(np.diag([1.0, -1e-12]))
    assert ball.centre_ == pytest.approx([0.5, 0.5]) and ball.radius_ == pytest.approx(0.5)


def test_the_width_of_the_kernel_may_be_anything():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 0.0]])
    for gamma in (1e8, 1e30, 1e300):  # all objects at right angles
        ball = SVDD(gamma=gamma, C=1).fit(X + 1e3)
        assert ball.centre_ == pytest.approx([1 / 3] * 3) and ball.radius_ == pytest.approx(np.sqrt(2 / 3))
        assert ball.predict(X + 1e3).tolist() == [1, 1, 1] and ball.predict([[5.0, 5.0]]).tolist() == [-1]


def test_what_no_kernel_can_be_is_refused_at_predict():
    ball = SVDD(kernel="precomputed", C=1).fit(np.eye(3))
    assert ball.predict([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]).tolist() == [1, -1]
    with pytest.raises(DataError, match=r"1 entries are larger.*\(0, 2\): -1.5, where .* allow 1"):
        ball.predict([[0.0, 1.0, -1.5]])
    with pytest.raises(DataError, match=r"self_similarity.*'a'"):
        ball.distance(np.zeros((1, 3)), self_similarity=["a"])
    with pytest.raises(DataError, match="none negative"):
        ball.distance(np.zeros((1, 3)), self_similarity=[-1.0])
    with pytest.raises(OptionError, match="belongs to a precomputed kernel"):
        SVDD().fit(plane()).distance(plane(1), self_similarity=[1.0])


def test_bad_tables_are_refused_with_every_cell():
    with pytest.raises(DataError) as refused:
        SVDD().fit([[1.0, np.nan], ["x", 2.0], [np.inf, 1.0]])
    assert len(refused.value.faults) == 3
    with pytest.raises(DataError, match="negative"):
        SVDD().fit(plane(3), sample_weight=[1, -1, 1])
    with pytest.raises(DataError, match="all weights are zero"):
        SVDD().fit(plane(3), sample_weight=[0, 0, 0])


def test_unknown_words_are_refused_with_the_nearest():
    with pytest.raises(OptionError, match="gaussian"):
        SVDD(kernel="gausian").fit(plane())
    with pytest.raises(SolverNotFound, match="smo"):
        SVDD(solver="smoo").fit(plane())
    for words, message in (
        ({"C": "a"}, "C is 'a'"),
        ({"C": True}, "C is True"),
        ({"nu": "a"}, "nu is 'a'"),
        ({"gamma": None}, "gamma is None"),
        ({"kernel": "tuned", "rank": 1.5}, "rank is 1.5"),
    ):
        with pytest.raises(OptionError, match=message):
            SVDD(**words).fit(plane())
    with pytest.raises(DataError, match=r"wanted 1\.\.4"):
        SVDD(kernel="tuned", rank=9).fit(plane(5))


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda data: pl.DataFrame(data)])
def test_columns_are_matched_by_name(frame):
    X = plane()
    ball = SVDD().fit(frame({"a": X[:, 0], "b": X[:, 1]}))
    turned = ball.decision_function(frame({"b": X[:, 1], "a": X[:, 0]}))
    assert turned == pytest.approx(SVDD().fit(X).decision_function(X))
    with pytest.raises(DataError, match="missing column 'b'"):
        ball.predict(frame({"a": X[:, 0], "c": X[:, 1]}))


def test_it_survives_pickle_clone_and_grid_search():
    X = plane()
    ball = SVDD(nu=0.2).fit(X)
    assert (pickle.loads(pickle.dumps(ball)).decision_function(X) == ball.decision_function(X)).all()
    assert clone(ball).get_params() == ball.get_params()
    search = GridSearchCV(SVDD(), {"nu": [0.1, 0.3]}, scoring=lambda e, X, y=None: e.score_samples(X).mean(), cv=2)
    assert search.fit(X).best_estimator_.radius_ > 0


def test_another_solver_gives_the_same_ball_and_keeps_its_program():
    X = plane()
    ours, theirs = SVDD(nu=0.2).fit(X), SVDD(nu=0.2, solver="highs", keep_programs=True).fit(X)
    assert theirs.radius_ == pytest.approx(ours.radius_, abs=1e-6)
    assert theirs.programs_[0].name == "svdd" and theirs.certificates_[0].ok
