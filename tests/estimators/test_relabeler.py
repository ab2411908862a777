"""MonotoneRelabeler: a resampler and the plainest monotone classifier, in scikit-learn's manners."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from monoopt import DataError, DataWarning, LPRulesClassifier, MonotoneProbabilityClassifier, MonotoneRelabeler
from monoopt.datasets import load_esl, load_swd

ORDER_NEEDED = {"check_classifiers_classes": "text labels need order=: alphabetical order is seldom what is meant"}


def test_scikit_learn_accepts_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(MonotoneRelabeler(), expected_failed_checks=ORDER_NEEDED)


def test_it_keeps_labels_cost_changes_conflicts_and_proofs():
    table = load_esl()
    repair = MonotoneRelabeler().fit(table.X, table.y)
    assert repair.cost_ == 104
    assert (np.flatnonzero(repair.labels_ != table.y) == repair.changed_).all()
    assert set(repair.conflicts_) == set(repair.changed_.tolist())
    assert len(repair.certificates_) == 8 and all(c.ok for c in repair.certificates_)
    assert repair.classes_.tolist() == list(range(1, 10))


def test_resampling_gives_the_table_back_with_new_labels():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    X, y = MonotoneRelabeler().fit_resample(frame, [0, 1, 0])
    assert X is frame and y.tolist() == [0, 0, 0]


def test_predictions_lie_in_the_interval_and_repeat_the_new_labels():
    table = load_swd()
    repair = MonotoneRelabeler().fit(table.X[::2], table.y[::2])
    assert (repair.predict(table.X[::2]) == repair.labels_).all()
    low, high = repair.predict_interval(table.X).T
    found = repair.predict(table.X)
    assert (low <= found).all() and (found <= high).all()


def test_predictions_are_monotone():
    table = load_swd()
    repair = MonotoneRelabeler().fit(table.X[::2], table.y[::2])
    X, found = table.X, repair.predict(table.X)
    better = (X[:, None, :] >= X[None, :, :]).all(axis=2)
    assert not (better & (found[:, None] < found[None, :])).any()


def test_clone_and_pickle_before_and_after_fitting():
    repair = MonotoneRelabeler(directions=[-1], tie="greatest")
    assert clone(repair).get_params() == repair.get_params()
    assert pickle.loads(pickle.dumps(repair)).tie == "greatest"
    fitted = repair.fit([[3], [2], [1]], [0, 1, 0])
    again = pickle.loads(pickle.dumps(fitted))
    assert again.labels_.tolist() == fitted.labels_.tolist() == [0, 1, 1]
    assert again.conflicts_ == fitted.conflicts_
    assert not hasattr(clone(fitted), "labels_")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_are_put_in_order_by_name(frame: type):
    fitted = MonotoneRelabeler(directions={"a": 1, "b": -1}).fit(frame({"a": [1, 2], "b": [2, 1]}), [0, 1])
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert fitted.predict(frame({"b": [2, 1], "a": [1, 2]})).tolist() == [0, 1]
    with pytest.raises(DataError, match="missing column 'b'"):
        fitted.predict(frame({"a": [1]}))


def test_a_failed_fit_leaves_nothing_half_done():
    repair = MonotoneRelabeler()
    with pytest.raises(DataError):
        repair.fit([[np.nan]], [0])
    with pytest.raises(NotFittedError):
        repair.predict([[1]])
    repair.fit([[1], [2]], [0, 1])
    with pytest.raises(DataError):
        repair.fit([[1], [np.inf]], [0, 1])
    assert repair.predict([[2]]).tolist() == [1], "the earlier fit still stands"


def test_no_comparable_objects_are_warned_of():
    with pytest.warns(DataWarning, match="no object dominates"):
        MonotoneRelabeler().fit([[1, 2], [2, 1]], [0, 1])


@pytest.mark.parametrize("missing", ["error", "incomparable", "worst"])
def test_the_relabeler_proves_itself_monotone(missing: str, monkeypatch: pytest.MonkeyPatch):
    X = np.random.default_rng(0).integers(0, 4, (40, 2)).astype(float)
    X[::7, 0] = X[::7, 0] if missing == "error" else np.nan
    y = (np.nan_to_num(X).sum(axis=1) // 3).astype(int)
    y[::5] = 2 - y[::5]
    repair = MonotoneRelabeler(missing=missing).fit(X, y)
    check = repair.verify()
    assert check.ok and check.pairs > 0 and repair.verify(X[:20]).ok
    assert str(check).startswith("the interval of labels is monotone in form; 0 of")  # it has no rules
    codes = repair.object_codes_
    monkeypatch.setattr(repair, "_middle", lambda X: codes.max() - codes)  # it can fail
    assert not repair.verify().ok


@pytest.mark.parametrize("kind", [MonotoneRelabeler, LPRulesClassifier, MonotoneProbabilityClassifier])
def test_a_class_of_absent_rows_alone_keeps_its_place_as_in_scikit_learn(kind: type):
    X, y, w = [[1], [2], [3], [4]], [0, 2, 1, 3], [1, 1, 0, 1]
    found, tree = kind().fit(X, y, sample_weight=w), DecisionTreeClassifier().fit(X, y, sample_weight=w)
    assert found.classes_.tolist() == tree.classes_.tolist() == [0, 1, 2, 3]
    gone = kind(order=[0, 1, 2, 3]).fit([[1], [2], [4]], [0, 2, 3])
    assert found.predict(X).tolist() == gone.predict(X).tolist() == [0, 2, 2, 3]
    assert found.predict_interval(X).tolist() == gone.predict_interval(X).tolist()
