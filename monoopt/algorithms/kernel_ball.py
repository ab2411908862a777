"""SVDD training with kernel rows on demand: the same program as `monoopt.formulations.svdd`, never formed.

A coarse solution on every eighth object (found the same way) ranks all objects by distance; the farthest ones
start at their upper bounds, which is nearly the answer when objects are left outside. SMO does the rest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from monoopt.formulations.svdd import Ball, ball
from monoopt.program import Certificate
from monoopt.solvers.smo import feasible_start
from monoopt.solvers.smo_driver import CACHE_MEGABYTES, Descent, Rows, minimise

TOLERANCE = 1e-7
COARSE_TOLERANCE = 1e-4
COARSENING = 8
SMALL = 600  # objects up to which the density of a sample is start enough
SAMPLE = 64


@dataclass(frozen=True, eq=False)
class TrainedBall:
    """A ball, the proof that it is the smallest, and what it took."""

    ball: Ball
    certificate: Certificate
    counts: dict[str, int]
    seconds: float


def train_ball(
    rows: Rows,
    upper: np.ndarray,
    *,
    start: np.ndarray | None = None,
    tolerance: float = TOLERANCE,
    cache_megabytes: float = CACHE_MEGABYTES,
    time_limit: float | None = None,
    threads: int = 1,
) -> TrainedBall:
    """Minimise beta' K beta - diag(K)' beta subject to sum beta = 1, 0 <= beta <= upper.

    Parameters
    ----------
    rows : Rows
        K by blocks: `KernelRows` on demand, or `MatrixRows` of a matrix.
    upper : ndarray, shape (n,)
        C w_i; adds up to 1 at least.
    start : ndarray, shape (n,), optional
        Feasible multipliers to start from (hot start); default: from a coarser set of objects.
    tolerance : float
        Largest violation of the optimality conditions, relative to the largest K_ii.
    cache_megabytes : float
        Memory for kernel rows.
    time_limit : float, optional
        Wall seconds; the certificate then says how far the ball is from the smallest.
    threads : int
        Threads of the matrix products.

    Examples
    --------
    >>> from monoopt.order.kernels import linear_rows
    >>> found = train_ball(linear_rows(np.array([[0.0], [1.0], [4.0]])), np.ones(3))
    >>> found.ball.squared_radius, found.certificate.ok
    (4.0, True)
    """
    began = time.perf_counter()
    first = coarse_start(rows, upper, threads=threads) if start is None else start
    found = _descend(rows, upper, first, tolerance, cache_megabytes, time_limit, threads)
    used = np.flatnonzero(found.x)
    products = rows.dot(rows.take(used), found.x[used])
    answer = ball(found.x, products, rows.diagonal(), upper)
    proof = certify_ball(answer, rows.diagonal(), upper)
    return TrainedBall(answer, proof, found.counts, time.perf_counter() - began)


def certify_ball(answer: Ball, diagonal: np.ndarray, upper: np.ndarray, tolerance: float = 1e-6) -> Certificate:
    """Prove a ball by duality: R^2 + sum upper_i xi_i of the primal bounds the dual objective.

    Any centre and radius give a valid bound, so this trusts nobody; it needs the distances only.
    """
    beta = answer.beta
    slack = np.maximum(answer.squared_distances - answer.squared_radius, 0.0)
    bound = -(answer.squared_radius + float(upper @ slack))
    objective = answer.centre_norm - float(diagonal @ beta)
    size = max(min(1.0, float(diagonal.max())), abs(objective), 1e-300)
    primal = abs(float(beta.sum()) - 1.0)
    outside = max(0.0, float((-beta).max()), float((beta - upper).max()))
    gap = abs(objective - bound) / size
    checks = {"the sum is off by": primal, "a bound is violated by": outside, "gap": gap}
    reasons = tuple(f"{what} {value:.2e}" for what, value in checks.items() if not value <= tolerance)
    return Certificate(
        "optimality",
        not reasons,
        tolerance,
        primal_violation=primal,
        bound_violation=outside,
        primal_objective=objective,
        dual_objective=bound,
        gap=gap,
        reasons=reasons,
    )


def coarse_start(rows: Rows, upper: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """Feasible multipliers: the objects farthest from the centre of a coarser ball are at their bounds."""
    n = len(rows)
    if n <= SMALL:
        sample = np.arange(0, n, max(1, n // SAMPLE))
        weights = np.full(len(sample), 1.0 / len(sample))
    else:
        sample = np.arange(0, n, COARSENING)
        scaled = upper[sample] * (upper.sum() / upper[sample].sum())
        coarse = rows.take(sample)
        first = coarse_start(coarse, scaled, threads=threads)
        weights = _descend(coarse, scaled, first, COARSE_TOLERANCE, CACHE_MEGABYTES, None, threads).x
    used = np.flatnonzero(weights)
    products = rows.dot(rows.take(sample[used]), weights[used])
    begin = feasible_start(2.0 * products - rows.diagonal(), np.zeros(n), upper, 1.0)
    if begin is None:
        raise ValueError(f"the upper bounds add up to {upper.sum():g}, wanted 1 at least")
    return begin


def _descend(
    rows: Rows,
    upper: np.ndarray,
    start: np.ndarray,
    tolerance: float,
    cache_megabytes: float,
    time_limit: float | None,
    threads: int,
) -> Descent:
    """SMO on half the objective: 1/2 beta' K beta - 1/2 diag(K)' beta."""
    diagonal = rows.diagonal()
    return minimise(
        rows,
        -0.5 * diagonal,
        np.zeros(len(rows)),
        upper,
        start,
        tolerance=tolerance * (float(diagonal.max()) or 1.0),
        cache_megabytes=cache_megabytes,
        time_limit=time_limit,
        threads=threads,
    )
