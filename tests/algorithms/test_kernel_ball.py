"""Training with rows on demand: the same ball as the program, proved without the program."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.algorithms.kernel_ball import certify_ball, coarse_start, train_ball
from monoopt.algorithms.svdd_training import Training, train
from monoopt.errors import CertificateError, DataError, TimeLimitError
from monoopt.formulations import svdd
from monoopt.order.kernels import settle_kernel


def blobs(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 4 * rng.integers(0, 3, size=(n, 1))


@pytest.mark.parametrize("kind", ["gaussian", "linear"])
@pytest.mark.parametrize("C", [1.0, 0.01])
def test_rows_on_demand_give_the_ball_of_the_program(kind: str, C: float):
    X = blobs(700)
    kernel = settle_kernel(kind, X, gamma=0.3)
    by_rows = train_ball(kernel.rows(), np.full(len(X), C), tolerance=1e-10)
    by_program = train(kernel, C, np.ones(len(X)), Training(solver="highs"))
    assert by_rows.certificate.ok
    scale = kernel.rows().diagonal().max()
    assert by_rows.ball.squared_radius == pytest.approx(by_program.ball.squared_radius, abs=1e-6 * scale)
    apart = by_rows.ball.beta - by_program.ball.beta
    assert apart @ kernel.rows().matrix() @ apart < 1e-6 * scale


def test_the_certificate_refuses_a_ball_that_is_too_large_and_one_outside_its_bounds():
    X = blobs(50)
    K = settle_kernel("gaussian", X).rows().matrix()
    upper, diagonal = np.full(50, 0.2), np.ones(50)
    for beta, word in ((np.full(50, 1 / 50), "gap"), (np.eye(50)[0], "a bound"), (np.full(50, 1 / 60), "the sum")):
        proof = certify_ball(svdd.ball(beta, K @ beta, diagonal, upper), diagonal, upper)
        assert not proof.ok and any(word in reason for reason in proof.reasons)
        if word == "gap":
            assert proof.dual_objective <= proof.primal_objective


def test_the_coarse_start_is_feasible_and_near_the_answer():
    X = blobs(1500)
    rows, upper = settle_kernel("gaussian", X).rows(), np.full(1500, 1 / 150)
    start = coarse_start(rows, upper)
    assert start.sum() == pytest.approx(1) and (start >= 0).all() and (start <= upper).all()
    from_coarse = train_ball(rows, upper)
    from_first = train_ball(rows, upper, start=np.r_[np.full(150, 1 / 150), np.zeros(1350)])
    assert from_coarse.ball.squared_radius == pytest.approx(from_first.ball.squared_radius, abs=1e-6)
    assert from_coarse.counts["steps"] < from_first.counts["steps"]


def test_the_tuned_kernel_is_repaired_as_told_and_measured_as_given():
    X = np.random.default_rng(0).normal(size=(120, 2))
    kernel = settle_kernel("tuned", X, rank=7)
    with pytest.raises(DataError, match="least eigenvalue"):
        train(kernel, 1.0, np.ones(120), Training())
    found = train(kernel, 1.0, np.ones(120), Training(repair="shift"))
    assert found.repair is not None and found.repair.how == "shift" and found.repair.least < -1e-3
    K = kernel.rows().matrix()
    distances = 1 - 2 * K @ found.ball.beta + found.ball.beta @ K @ found.ball.beta
    assert np.allclose(found.measured.squared_distances, distances)
    assert found.measured.squared_radius == pytest.approx(distances.max())  # C = 1: the ball holds all


def test_both_roads_of_smo_agree_on_a_repaired_matrix():
    kernel = settle_kernel("tuned", np.random.default_rng(0).normal(size=(150, 2)), rank=7)
    by_program = train(kernel, 0.1, np.ones(150), Training(repair="shift", form_program=True))
    by_rows = train(kernel, 0.1, np.ones(150), Training(repair="shift"))
    assert by_program.program is not None and by_rows.program is None
    assert by_rows.measured.squared_radius == pytest.approx(by_program.measured.squared_radius, abs=1e-6)


def test_what_was_not_proved_is_refused_or_kept_as_told():
    kernel = settle_kernel("gaussian", blobs(2500))
    with pytest.raises(TimeLimitError, match=r"not proved.*time_limit=1e-09 s is over: raise it$"):
        train(kernel, 1.0, np.ones(2500), Training(time_limit=1e-9))
    with pytest.raises(CertificateError, match=r"not proved.*a tolerance below 0.1$"):
        train(kernel, 1.0, np.ones(2500), Training(tolerance=0.1))
    kept = train(kernel, 1.0, np.ones(2500), Training(time_limit=1e-9, keep_best=True))
    assert not kept.certificate.ok and kept.ball.beta.sum() == pytest.approx(1)


def test_a_matrix_too_large_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("monoopt.algorithms.svdd_training.MATRIX_LIMIT", 10)
    with pytest.raises(DataError, match="solver='smo'"):
        train(settle_kernel("gaussian", blobs(20)), 1.0, np.ones(20), Training(solver="highs"))
