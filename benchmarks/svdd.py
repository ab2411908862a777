"""SVDD: objective and time of every way to train, beside libsvm, and training in batches.

Run: python benchmarks/svdd.py [--sizes 500,2000,10000,50000] [--batches] [--repairs]

Everything in one run on one machine, single thread, in seconds of processor time; read the ratios. Objectives are
sum_ij beta_i beta_j K_ij - 1, recomputed from the multipliers of each. libsvm is scikit-learn's OneClassSVM with
nu = 1 / (N C), at its default tolerance and at a tight one. General solvers take the program as it stands, up to 2,000
objects.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import time
from collections.abc import Callable

import numpy as np
from sklearn.svm import OneClassSVM

from monoopt import available_solvers, solve
from monoopt.algorithms.incremental import train_in_batches
from monoopt.algorithms.kernel_ball import train_ball
from monoopt.algorithms.svdd_training import Training, train
from monoopt.errors import MonooptError
from monoopt.formulations import svdd
from monoopt.order.kernels import Kernel, settle_kernel

SOLVERS = ("highs", "piqp", "clarabel", "osqp", "scs", "daqp")
PROGRAM_LIMIT = 2000
TIME_LIMIT = 30.0


def blobs(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Five round clusters of unit width."""
    rng = np.random.default_rng(seed)
    return 3 * rng.normal(size=(5, d))[rng.integers(0, 5, n)] + rng.normal(size=(n, d))


def objective(kernel: Kernel, beta: np.ndarray) -> float:
    """Return beta' K beta - 1 from the multipliers alone."""
    used = np.flatnonzero(beta)
    rows = kernel.take(used).rows()
    return float(beta[used] @ rows.dot(rows, beta[used])) - 1.0


def timed(run: Callable[[], np.ndarray], repeats: int) -> tuple[float, np.ndarray]:
    """Return the best processor time of some runs and the multipliers of the last."""
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        beta = run()
        best = min(best, time.process_time() - began)
    return best, beta


def libsvm(X: np.ndarray, kernel: Kernel, nu: float, tolerance: float) -> Callable[[], np.ndarray]:
    """Return a run of OneClassSVM: on the table, or on the matrix of a kernel that libsvm does not know."""

    def run() -> np.ndarray:
        if kernel.kind == "gaussian":
            machine = OneClassSVM(nu=nu, gamma=float(kernel.scale) ** 2, tol=tolerance).fit(X)
        else:
            machine = OneClassSVM(nu=nu, kernel="precomputed", tol=tolerance).fit(kernel.rows().matrix())
        beta = np.zeros(len(X))
        beta[machine.support_] = machine.dual_coef_[0] / machine.dual_coef_[0].sum()
        return beta

    return run


def ways(X: np.ndarray, kernel: Kernel, nu: float) -> dict[str, Callable[[], np.ndarray]]:
    """Return every way to train, by name."""
    n, C = len(X), 1.0 / (nu * len(X))
    how = Training(repair="shift")
    found: dict[str, Callable[[], np.ndarray]] = {
        "libsvm": libsvm(X, kernel, nu, 1e-3),
        "libsvm tol 1e-8": libsvm(X, kernel, nu, 1e-8),
    }
    if kernel.kind == "gaussian":
        found["smo, rows on demand"] = lambda: train_ball(kernel.rows(), np.full(n, C)).ball.beta
    else:
        found["smo, repaired matrix"] = lambda: train(kernel, C, np.ones(n), how).ball.beta
    if n > PROGRAM_LIMIT or kernel.kind != "gaussian":
        return found
    here = {info.name for info in available_solvers() if info.found}
    program = svdd.build(kernel.rows().matrix(), C=C)
    for name in ("smo", *SOLVERS):
        if name in here:
            found[f"program by {name}"] = lambda name=name: solve(
                program, name, time_limit=TIME_LIMIT, raise_on_failure=False
            ).values("beta")
    return found


def compare(sizes: list[int], kind: str) -> None:
    """Print one line per size and way."""
    train_ball(settle_kernel("gaussian", blobs(300, 2)).rows(), np.full(300, 0.1))  # compile
    head = f"{'N':>8}{'d':>4}{'nu':>6}  {'way':24}{'objective':>16}{'seconds':>10}{'support':>9}{'speed':>8}"
    print(f"\n{kind} kernel; speed is that of libsvm at its default tolerance = 1\n{head}")
    for n in sizes:
        for d, nu in ((2, 0.05), (10, 0.1)):
            X = blobs(n, d)
            kernel = settle_kernel(kind, X)
            base = np.nan
            for name, run in ways(X, kernel, nu).items():
                try:
                    seconds, beta = timed(run, 5 if n <= 2000 and "program" not in name else 1)
                except MonooptError as error:
                    print(f"{n:8}{d:4}{nu:6}  {name:24}  {str(error)[:60]}")
                    continue
                base = seconds if name == "libsvm" else base
                count = int((beta > 1e-6 / n).sum())
                words = f"{objective(kernel, beta):16.10f}{seconds:10.4f}{count:9}{base / seconds:8.2f}"
                print(f"{n:8}{d:4}{nu:6}  {name:24}{words}", flush=True)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{'':8}peak memory of the process so far: {peak:.0f} MB")


def batches(sizes: list[int]) -> None:
    """Print the criterion of the paper's Tables 1 and 2: shared support vectors and time."""
    print(f"\n{'N':>8}{'kernel':>10}  {'training':10}{'support':>9}{'shared':>8}{'seconds':>9}{'gap':>10}")
    for n in sizes:
        for kind, rank in (("tuned", "mean"), ("tuned", "local"), ("gaussian", "local")):
            X = blobs(n, 2)
            kernel, how = settle_kernel(kind, X, rank=rank), Training(repair="shift")
            began = time.process_time()
            full = train(kernel, 1.0, np.ones(n), how)
            rows = [("full", full.ball.support, time.process_time() - began, 0.0)]
            for order in ("random", "ordered"):
                began = time.process_time()
                found = train_in_batches(kernel, 1.0, np.ones(n), how, order=order)
                rows.append((order, found.trained.ball.support, time.process_time() - began, found.gap))
            word = f"{kind} r={kernel.rank}" if kind == "tuned" else kind
            for name, support, seconds, gap in rows:
                shared = len(np.intersect1d(support, full.ball.support))
                print(f"{n:8}{word:>12}  {name:10}{len(support):7}{shared:8}{seconds:9.2f}{gap:10.1e}", flush=True)


def repairs() -> None:
    """Print what each repair of the tuned kernel moves, against SMO on the kernel as it is."""
    print(
        f"\n{'data':>10}{'least eigenvalue':>18}  {'repair':8}{'largest change of beta':>24}{'objective as given':>20}"
    )
    from monoopt.solvers.smo_driver import MatrixRows

    for seed in range(3):
        X = blobs(500, 2, seed)
        kernel = settle_kernel("tuned", X, rank=7)
        K = kernel.rows().matrix()
        plain = train_ball(MatrixRows(K, np.arange(500)), np.full(500, 0.04), tolerance=1e-9).ball.beta
        print(f"{seed:10}{np.linalg.eigvalsh(K)[0]:18.4f}  {'none':8}{0.0:24.1e}{plain @ K @ plain - 1:20.8f}")
        for how in ("shift", "clip"):
            beta = train(kernel, 0.04, np.ones(500), Training(repair=how, tolerance=1e-9)).ball.beta
            print(f"{'':28}  {how:8}{np.abs(beta - plain).max():24.1e}{beta @ K @ beta - 1:20.8f}")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="500,2000,10000,50000")
    parser.add_argument("--batches", action="store_true", help="training in batches instead")
    parser.add_argument("--repairs", action="store_true", help="repairs of the tuned kernel instead")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.batches:
        batches([n for n in sizes if n <= 5000])
    elif given.repairs:
        repairs()
    else:
        compare(sizes, "gaussian")
        compare([n for n in sizes if n <= 5000], "tuned")


if __name__ == "__main__":
    main()
