"""Monotone classifiers as JSON: the same answers bit for bit, strict JSON, and damaged records refused."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from monoopt import DataError, DataWarning, IsotonicSeparationClassifier, MonotoneProbabilityClassifier, solvers
from monoopt.datasets import load_esl

KINDS = [
    IsotonicSeparationClassifier(),
    IsotonicSeparationClassifier(costs=(1.0, 3.0), scale=False, solver=solvers.get_solver("highs")),
    MonotoneProbabilityClassifier(),
    MonotoneProbabilityClassifier(max_conditions=None, loss="squared"),
]


@pytest.fixture(params=KINDS, ids=lambda kind: type(kind).__name__)
def fitted(request: pytest.FixtureRequest) -> Any:
    esl = load_esl()
    X = {name: column / 3 for name, column in zip(esl.feature_names, esl.X[::4].T, strict=True)}
    return request.param.fit(X, esl.y[::4])


def test_answers_survive_bit_for_bit(fitted: Any):
    saved = json.loads(json.dumps(fitted.to_dict(), allow_nan=False))
    again = type(fitted).from_dict(saved)
    esl = load_esl()
    X = dict(zip(reversed(esl.feature_names), np.random.default_rng(0).uniform(0, 4, (4, 300)), strict=True))
    for method in ("predict", "predict_interval", "predict_proba", "margins", "outside_range"):
        if hasattr(fitted, method):
            np.testing.assert_array_equal(getattr(again, method)(X), getattr(fitted, method)(X))
    assert again.verify() == fitted.verify() and again.verify().ok
    assert [proof.ok for proof in again.certificates_] == [True] * len(fitted.certificates_)
    assert again.to_dict() == saved


def test_damage_is_refused(fitted: Any):
    saved = json.loads(json.dumps(fitted.to_dict()))
    for part in sorted(set(saved) - {"versions"}):
        with pytest.raises(DataError):
            type(fitted).from_dict({word: value for word, value in saved.items() if word != part})
        for wrong in ([], "text", [[1]], 0.5, True):
            if wrong == [] and part == "certificates" and hasattr(fitted, "probabilities_"):
                continue  # nothing had to be solved: that can be
            with pytest.raises(DataError):
                type(fitted).from_dict(saved | {part: wrong})
    for wrong in ({"isotonic": [], "ensembles": None, "share": 1.0}, {"share": 2}):
        if "probabilities" in saved:
            with pytest.raises(DataError, match="probabilities"):
                type(fitted).from_dict(saved | {"probabilities": saved["probabilities"] | wrong})


def test_categories_and_gaps_survive():
    X = {"size": [1, None, 3, 2, 3, None], "colour": ["red", "blue", "red", None, "blue", "red"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for missing in ("worst", "incomparable"):
            chances = MonotoneProbabilityClassifier(directions=[1, 0], missing=missing).fit(X, [0, 1, 1, 0, 1, 0])
            again = MonotoneProbabilityClassifier.from_dict(json.loads(json.dumps(chances.to_dict())))
            assert np.array_equal(again.predict_proba(X), chances.predict_proba(X))
            with pytest.raises(DataError, match="'pink' is no category"):
                again.predict({"size": [1], "colour": ["pink"]})


@pytest.mark.filterwarnings("error")
def test_a_record_changed_after_it_was_written_is_read_with_a_warning(fitted: Any):
    saved = json.loads(json.dumps(fitted.to_dict()))
    codes = [min(saved["object_codes"]), *saved["object_codes"][1:]]
    proof = saved["certificates"][0] | {"primal_objective": -1.0, "dual_objective": -1.0, "gap": 0.0}
    for change in (
        {"data_sha256": "0" * 64},
        {"versions": {"monoopt": "99"}},
        {"object_codes": codes[::-1]},
        {"certificates": [proof, *saved["certificates"][1:]]},
        {"record_sha256": "0" * 64},
    ):
        with pytest.warns(DataWarning, match="was changed after it was written"):
            type(fitted).from_dict(saved | change)
    rewritten = saved | {"objects": [[float(v) for v in row] for row in saved["objects"]], "table": {"source": "a.csv"}}
    rewritten |= {"object_weights": [int(w) for w in saved["object_weights"]]}
    type(fitted).from_dict(dict(reversed(rewritten.items())))  # other tools write 1 for 1.0, and keys in any order
