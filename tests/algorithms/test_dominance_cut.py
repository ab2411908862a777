"""The minimum cut of very many objects: least loss, the tie rule, a proof that can be checked pair by pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from monoopt import CertificateError, DataWarning, TimeLimitError, relabel
from monoopt.algorithms import dominance_cut, threshold_relabelling
from monoopt.algorithms.dominance_cut import Contradictions, cut, in_units
from monoopt.order import as_gains, inconsistent
from monoopt.order.comparisons import at_least


def instance(seed: int, most: int = 9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct objects on a coarse grid, whole costs of both signs, any directions."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    X = np.unique(rng.integers(0, 4, (rng.integers(1, most + 1), d)).astype(float), axis=0)
    costs = rng.integers(1, 5, len(X)) * rng.choice([-1, 1], len(X))
    return X, costs, rng.choice([-1, 0, 1], d, p=[0.3, 0.2, 0.5]).astype(np.int8)


def noisy(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Uniform objects; the better half wants 1, but one in ten wants the opposite."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, ((X.mean(axis=1) > 0.5) ^ (rng.random(n) < 0.1)).astype(int)


def all_optima(X: np.ndarray, costs: np.ndarray, directions: np.ndarray) -> tuple[int, np.ndarray]:
    gains = as_gains(X, directions)
    above = at_least(gains, gains)
    labels = np.array(list(product((0, 1), repeat=len(X))))
    labels = labels[[not (above & (row[:, None] < row)).any() for row in labels]]
    loss = (np.abs(costs) * ((costs > 0) == (labels == 1))).sum(axis=1)
    return int(loss.min()), labels[loss == loss.min()]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_loss_and_ties_are_those_of_all_labels_tried_one_by_one(seed: int):
    X, costs, directions = instance(seed)
    loss, optima = all_optima(X, costs, directions)
    for tie, extreme in (("least", optima.min(axis=0)), ("greatest", optima.max(axis=0))):
        found = cut(X, costs, directions, tie)
        assert found.loss == loss == found.proof.total
        assert found.labels.tolist() == extreme.tolist()
        assert found.proof.faults(X, costs, directions) == []


def test_a_proof_that_is_tampered_with_does_not_pass():
    X, y = noisy(300, 2)
    costs, up = np.where(y == 1, -2, 2), np.ones(2, dtype=np.int8)
    proof = cut(X, costs, up).proof
    assert len(proof.units) > 10 and proof.faults(X, costs, up) == []
    swapped = replace(proof, better=proof.worse, worse=proof.better)
    assert "no contradictions" in swapped.faults(X, costs, up)[0]
    assert "charged more" in replace(proof, units=proof.units + 2).faults(X, costs, up)[0]
    assert "no contradictions" in replace(proof, units=proof.units * 0).faults(X, costs, up)[0]


@pytest.mark.parametrize("tie", ["least", "greatest"])
def test_wrong_labels_are_caught_by_their_proof(tie: str, monkeypatch: pytest.MonkeyPatch):
    X, y = noisy(300, 2)
    costs, up = np.where(y == 1, -1, 1), np.ones(2, dtype=np.int8)
    whole = dominance_cut._preflow
    monkeypatch.setattr(dominance_cut, "_preflow", lambda *a: (~whole(*a)[0], *whole(*a)[1:]))
    with pytest.raises(CertificateError, match="the labels lose"):
        cut(X, costs, up, tie)


@pytest.mark.parametrize("tie", ["least", "greatest"])
def test_components_apart_or_together_give_the_same_and_jobs_change_no_bit(tie: str, monkeypatch: pytest.MonkeyPatch):
    X, y = noisy(3000, 3)
    X[:, 2] = np.arange(3000) % 7  # a free attribute: seven parts that have nothing to do with each other
    costs, directions = np.where(y == 1, -3, 2), np.array([1, -1, 0], dtype=np.int8)
    alone = cut(X, costs, directions, tie)
    with parallel_config(backend="threading", n_jobs=3):
        shared = cut(X, costs, directions, tie)
    for field in ("better", "worse", "units"):
        assert np.array_equal(getattr(alone.proof, field), getattr(shared.proof, field))
    monkeypatch.setattr(dominance_cut, "BATCHES", 1)
    together = cut(X, costs, directions, tie)
    assert alone.labels.tolist() == shared.labels.tolist() == together.labels.tolist()
    assert together.loss == alone.loss and together.proof.faults(X, costs, directions) == []


def test_costs_are_taken_exactly_where_61_bits_are_enough_and_rounded_down_elsewhere():
    costs = np.array([0.1, -0.3, 0.7])
    units, unit, exact = in_units(costs)
    assert exact and (units * np.array(unit) == costs).all()
    costs = np.random.default_rng(0).random(10_000) - 0.5
    units, unit, exact = in_units(costs)
    assert not exact and np.abs(units.astype(object)).sum() < 2**61
    assert (np.abs(units * unit) <= np.abs(costs)).all() and np.abs(units * unit - costs).max() <= unit
    many = np.full(1_000_000, 0.1)
    assert in_units(many)[1:] == (0.1, True)


@pytest.fixture
def none_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threshold_relabelling, "WRITTEN_OUT", 0)


@pytest.mark.parametrize("tie", ["least", "greatest"])
@pytest.mark.filterwarnings("ignore::monoopt.DataWarning")
def test_relabelling_is_the_same_with_and_without_a_program(tie: str, monkeypatch: pytest.MonkeyPatch):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 5, (60, 3)), rng.integers(0, 4, 60)
        words = {"sample_weight": rng.integers(0, 4, 60) / 4, "directions": [1, 0, -1], "tie": tie}
        written = relabel(X, y, **words)
        with monkeypatch.context() as patch:
            patch.setattr(threshold_relabelling, "WRITTEN_OUT", 0)
            direct = relabel(X, y, **words)
            twin = relabel(X, y, **words, solver="clarabel")
        assert direct.labels.tolist() == written.labels.tolist() == twin.labels.tolist()
        assert direct.cost == written.cost and direct.ok and twin.ok and not direct.solutions
        assert [c.exact_dual for c in direct.certificates] == [c.exact_dual for c in written.certificates]
        assert len(direct.contradictions) == 3 and not twin.contradictions and twin.solutions


@pytest.mark.usefixtures("none_written_out")
def test_a_cut_that_is_out_of_time_gives_no_labels():
    X, y = noisy(400, 2)
    with pytest.raises(TimeLimitError, match=r"time limit of 1e-09 s .* allow more time"):
        relabel(X, y, time_limit=1e-9)
    calls = []
    costs = np.random.default_rng(0).choice([-1, 1], len(X))
    cut(X, costs, np.array([1, 1], dtype=np.int8), in_time=lambda: calls.append(1))
    assert len(calls) > 1  # not once alone: while it sends, too


@pytest.mark.usefixtures("none_written_out")
def test_contradictions_name_rows_that_contradict_each_other_and_add_up_to_the_cost():
    X, y = noisy(400, 2)
    X = np.concatenate([X, X[:100]])
    y = np.concatenate([y, y[:100]])
    answer = relabel(X, y, sample_weight=np.full(500, 0.75))
    proof = answer.contradictions[1]
    assert (X[proof.better] >= X[proof.worse]).all() and (y[proof.better] < y[proof.worse]).all()
    assert proof.total * proof.unit == answer.cost > 0


@pytest.mark.usefixtures("none_written_out")
def test_weights_beyond_61_bits_leave_a_gap_that_is_stated():
    X, y = noisy(500, 2)
    weights = np.random.default_rng(1).lognormal(sigma=3, size=500)
    with pytest.warns(DataWarning, match="more than 61 bits"):
        answer = relabel(X, y, sample_weight=weights)
    certificate = answer.certificates[0]
    assert answer.ok and 0 < certificate.gap < 1e-12 and certificate.exact_dual < certificate.exact_primal
    assert certificate.primal_objective == pytest.approx(answer.cost)


@pytest.mark.usefixtures("none_written_out")
def test_what_61_bits_cannot_tell_apart_is_not_handed_out():
    rng = np.random.default_rng(0)
    X, y = np.column_stack([rng.random((600, 2)), np.repeat(np.arange(75), 8)]), rng.integers(0, 4, 600)
    loss = [[0, 1, 3, 6.5], [0.1, 0, 0, 0.2], [5, 1, 0, 1e-9], [1e12, 10, 1 / 3, 0]]
    with pytest.warns(DataWarning, match="61 bits"), pytest.raises(CertificateError, match="can't be told apart"):
        relabel(X, y, directions=["gain", "gain", "free"], loss=loss)


def test_many_objects_are_relabelled_without_a_program_and_are_monotone_afterwards():
    X, y = noisy(20_000, 3)
    answer = relabel(X, y)
    assert answer.ok and not answer.solutions and answer.certificates[0].exact
    assert answer.cost == len(answer.changed) == answer.contradictions[1].total
    assert not inconsistent(X, answer.codes, np.ones(3, dtype=np.int8)).any()


def test_no_contradiction_needs_no_proof():
    X, up = np.arange(6.0).reshape(3, 2), np.ones(2, dtype=np.int8)
    found = cut(X, np.array([3, -1, -1]), up)
    assert (found.labels.tolist(), found.loss, found.proof.total) == ([0, 1, 1], 0, 0)
    assert Contradictions(np.array([2]), np.array([1]), np.array([1])).faults(X, np.array([3, -1, -1]), up)
