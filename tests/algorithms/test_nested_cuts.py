"""All questions by nested cuts: the answers and the proofs that each question would get alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt import CertificateError
from monoopt.algorithms import nested_cuts as room
from monoopt.algorithms.dominance_cut import cut
from monoopt.algorithms.nested_cuts import completed, nested_cuts


def instance(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct objects, costs that never fall along the questions (zeros among them), any directions."""
    rng = np.random.default_rng(seed)
    n, d, q = rng.integers(1, 40), int(rng.integers(1, 4)), int(rng.integers(1, 8))
    X = np.unique(rng.integers(0, 6, (n, d)).astype(float), axis=0)
    costs = np.sort(rng.integers(-4, 5, (q, len(X))), axis=0)
    return X, costs, rng.choice([-1, 0, 1], d, p=[0.3, 0.2, 0.5]).astype(np.int8)


@given(st.integers(0, 10**6), st.sampled_from(["least", "greatest"]))
@settings(max_examples=150, deadline=None)
def test_every_question_gets_the_answer_and_the_loss_it_gets_alone(seed: int, tie: str):
    X, costs, directions = instance(seed)
    answers = dict(nested_cuts(X, costs, directions, tie))
    assert sorted(answers) == list(range(len(costs)))
    for k, cost in enumerate(costs):
        there = np.flatnonzero(cost)
        alone = cut(X[there], cost[there], directions, tie) if len(there) else None
        labels = completed(X, there, alone.labels if alone else np.zeros(0, dtype=np.int64), directions, tie)
        if alone:  # without any say, the questions around decide
            assert answers[k].labels.tolist() == labels.tolist()
            assert answers[k].loss == alone.loss
        assert answers[k].proof.total == answers[k].loss
        assert answers[k].proof.faults(X, cost, directions) == []
        assert k == 0 or (answers[k].labels <= answers[k - 1].labels).all()


def test_the_middle_question_is_first_and_the_others_are_asked_of_one_side_only(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(room, "cut", lambda X, *rest: asked.append(len(X)) or cut(X, *rest))
    rng = np.random.default_rng(0)
    X = rng.random((400, 2))
    y = rng.integers(0, 8, 400)
    costs = np.where(y >= np.arange(1, 8)[:, None], -1, 1)
    order = [k for k, _ in nested_cuts(X, costs, np.ones(2, dtype=np.int8), "least")]
    assert order[0] == 3 and asked[0] == 400
    assert sum(asked) < 0.6 * 7 * 400


def test_a_proof_that_falls_short_is_refused(monkeypatch: pytest.MonkeyPatch):
    X, costs, directions = np.array([[1.0], [2.0]]), np.array([[-2, 1]]), np.array([-1], dtype=np.int8)
    assert dict(nested_cuts(X, costs, directions, "least"))[0].loss == 0

    def careless(*words: object) -> object:
        found = cut(*words)
        return replace(found, labels=1 - found.labels)

    monkeypatch.setattr(room, "cut", careless)
    with pytest.raises(CertificateError, match="question 1, 2 objects: the labels lose 3, the contradictions prove 0"):
        dict(nested_cuts(X, costs, directions, "least"))
