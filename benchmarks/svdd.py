"""SVDD: objective and time of every way to train, beside libsvm, and training in batches.

Run: python benchmarks/svdd.py [--sizes 500,2000,10000,50000] [--quick] [--batches] [--repairs]

Everything in one run on one machine, single thread, in seconds of processor time; read the ratios. Objectives are
sum_ij beta_i beta_j K_ij - 1, recomputed from the multipliers of each. libsvm is scikit-learn's OneClassSVM with
nu = 1 / (N C), at its default tolerance and at a tight one. "smo" is the solver with its certificate, on the table and
on the same matrix as libsvm; "SVDD.fit" is all that an estimator does: equal rows, the kernel, for the tuned one its
matrix, the least eigenvalue and the repair (which libsvm does not make), the ball, the certificate, the sets. General
solvers take the program as it stands, up to 10,000 objects, each in a process of its own that ends after 60 seconds.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import multiprocessing
import resource
import time
from collections.abc import Callable

import numpy as np
from sklearn.svm import OneClassSVM

from monoopt import SVDD, available_solvers, solve
from monoopt.algorithms.incremental import train_in_batches
from monoopt.algorithms.kernel_ball import train_ball
from monoopt.algorithms.svdd_training import Training, train
from monoopt.errors import MonooptError
from monoopt.formulations import svdd
from monoopt.order.definiteness import repair
from monoopt.order.kernels import Kernel, settle_kernel
from monoopt.program import Program
from monoopt.solvers.smo_driver import MatrixRows

SOLVERS = ("smo", "highs", "piqp", "clarabel", "osqp", "scs", "daqp")
PROGRAM_LIMIT = 10_000  # objects; the matrix is then 0.8 GB
MATRIX_LIMIT = 5000  # objects up to which libsvm and smo are shown on a matrix, too
SECONDS = 60


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


def libsvm(X: np.ndarray, tolerance: float, nu: float, **words: object) -> np.ndarray:
    """Return the multipliers of OneClassSVM, on a table or on a matrix."""
    machine = OneClassSVM(nu=nu, tol=tolerance, **words).fit(X)
    beta = np.zeros(len(X))
    beta[machine.support_] = machine.dual_coef_[0] / machine.dual_coef_[0].sum()
    return beta


def ways(X: np.ndarray, kernel: Kernel, nu: float) -> dict[str, Callable[[], np.ndarray]]:
    """Return every way to train that is not a general solver, by name."""
    n, C = len(X), 1.0 / (nu * len(X))
    found: dict[str, Callable[[], np.ndarray]] = {}
    if kernel.kind == "gaussian":
        gamma = float(kernel.scale) ** 2
        found["libsvm, table"] = lambda: libsvm(X, 1e-3, nu, gamma=gamma)
        found["libsvm, table, tol 1e-8"] = lambda: libsvm(X, 1e-8, nu, gamma=gamma)
        found["smo, table"] = lambda: train_ball(kernel.rows(), np.full(n, C)).ball.beta
    found["SVDD.fit, table"] = lambda: SVDD(kernel=kernel.kind, nu=nu, repair="shift").fit(X).centre_
    if n > MATRIX_LIMIT:
        return found
    K = repair(kernel.rows().matrix(), "shift")[0]
    found["libsvm, matrix"] = lambda: libsvm(K, 1e-3, nu, kernel="precomputed")
    found["libsvm, matrix, tol 1e-5"] = lambda: libsvm(K, 1e-5, nu, kernel="precomputed")
    found["smo, matrix"] = lambda: train_ball(MatrixRows(K, np.arange(n)), np.full(n, C)).ball.beta
    return found


def in_its_own_process(program: Program, name: str) -> tuple[float, np.ndarray] | str:
    """Solve in a child that may use so much processor time; return seconds and multipliers, or what went wrong."""

    def work(pipe: object) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        began = time.process_time()
        try:
            beta = solve(program, name, raise_on_failure=False).values("beta")
            pipe.send((time.process_time() - began, beta))
        except (MonooptError, MemoryError) as error:
            pipe.send(str(error)[:60])

    here, there = multiprocessing.get_context("fork").Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=work, args=(there,))
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(10 * SECONDS) else f"past {10 * SECONDS} s of the clock"
    except EOFError:
        return f"past {SECONDS} s"
    finally:
        child.kill()
        child.join()


def line(n: int, d: int, nu: float, name: str, kernel: Kernel, seconds: float, beta: np.ndarray, base: float) -> None:
    """Print one result."""
    words = f"{objective(kernel, beta):16.10f}{seconds:10.4f}{int((beta > 1e-6 / n).sum()):9}{base / seconds:8.2f}"
    print(f"{n:8}{d:4}{nu:6}  {name:26}{words}", flush=True)


def compare(sizes: list[int], kind: str, quick: bool) -> None:
    """Print one line per size and way."""
    head = f"{'N':>8}{'d':>4}{'nu':>6}  {'way':26}{'objective':>16}{'seconds':>10}{'support':>9}{'speed':>8}"
    print(f"\n{kind} kernel; speed is that of libsvm (its first line) at its default tolerance = 1\n{head}")
    here = {info.name for info in available_solvers() if info.found}
    for n in sizes:
        for d, nu in ((2, 0.05), (10, 0.1)):
            X = blobs(n, d)
            kernel, base = settle_kernel(kind, X), np.nan
            for name, run in ways(X, kernel, nu).items():
                seconds, beta = timed(run, 5 if n <= 2000 else 1)
                base = seconds if name.startswith("libsvm") and np.isnan(base) else base
                line(n, d, nu, name, kernel, seconds, beta, base)
            if quick or n > PROGRAM_LIMIT or (n > 2000 and d > 2):
                continue
            program = svdd.build(repair(kernel.rows().matrix(), "shift")[0], C=1.0 / (nu * n))
            for name in (solver for solver in SOLVERS if solver in here):
                answer = in_its_own_process(program, name)
                if isinstance(answer, str):
                    print(f"{n:8}{d:4}{nu:6}  {f'program by {name}':26}  {answer}", flush=True)
                else:
                    line(n, d, nu, f"program by {name}", kernel, *answer, base)
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
    parser.add_argument("--quick", action="store_true", help="leave out the general solvers")
    parser.add_argument("--kernel", default="gaussian,tuned", help="gaussian, tuned, or both")
    parser.add_argument("--batches", action="store_true", help="training in batches instead")
    parser.add_argument("--repairs", action="store_true", help="repairs of the tuned kernel instead")
    given = parser.parse_args()
    train_ball(settle_kernel("gaussian", blobs(300, 2)).rows(), np.full(300, 0.1))  # compile
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.batches:
        batches([n for n in sizes if n <= 5000])
    elif given.repairs:
        repairs()
    else:
        for kind in given.kernel.split(","):
            compare(sizes if kind == "gaussian" else [n for n in sizes if n <= MATRIX_LIMIT], kind, given.quick)


if __name__ == "__main__":
    main()
