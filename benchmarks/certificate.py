"""What the certificate after every solve costs: its share of the whole, and the price of an exact one.

Wall seconds of the best of a few runs, as every solution keeps them in ``solution.stats``.

    python benchmarks/certificate.py
    python benchmarks/certificate.py --size 5      # five times as large
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy import sparse

from monoopt.program import Program, ProgramBuilder, certify
from monoopt.solvers import solve

RUNS = 3


def order(columns: int, rows: int) -> Program:
    """Relabelling-like closure: whole-number costs of both signs, random implications."""
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.integers(0, columns, (rows, 2)), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    places = np.arange(0, 2 * len(pairs) + 1, 2)
    matrix = sparse.csr_array((np.tile([1.0, -1.0], len(pairs)), pairs.ravel(), places), shape=(len(pairs), columns))
    b = ProgramBuilder("order")
    b.add_columns("d", columns, lower=0, upper=1, cost=rng.integers(-5, 6, columns))
    b.add_rows("dominance", {"d": matrix}, lower=0)
    return b.build()


def cover(rows: int, columns: int) -> Program:
    """Dense covering program."""
    rng = np.random.default_rng(1)
    b = ProgramBuilder("cover")
    b.add_columns("x", columns, lower=0, cost=rng.integers(20, 60, columns))
    b.add_rows("cover", {"x": rng.integers(0, 9, (rows, columns))}, lower=rng.integers(50, 90, rows))
    return b.build()


def ball(points: int) -> Program:
    """Dual of the smallest ball around points in a Gaussian kernel's space: a dense quadratic program."""
    data = np.random.default_rng(2).normal(size=(points, 4))
    kernel = np.exp(-0.5 * ((data[:, None] - data[None]) ** 2).sum(axis=2))
    b = ProgramBuilder("ball")
    b.add_columns("beta", points, lower=0, upper=10 / points, cost=-1)
    b.add_quadratic("beta", 2 * kernel)
    b.add_rows("total", {"beta": np.ones((1, points))}, lower=1, upper=1)
    return b.build()


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1.0, help="multiplies the sizes")
    size = parser.parse_args().size
    programs = [
        (order(int(5_000 * size), int(10_000 * size)), ("highs", "mincut")),
        (cover(int(200 * size), int(150 * size)), ("highs", "clarabel")),
        (ball(int(300 * size)), ("highs", "clarabel", "smo")),
    ]
    times = "".join(f"{word:>9}" for word in ("build", "solve", "certify", "share", "exact"))
    print(f"{'program':<24} {'solver':<9}{times} {'its gap':>10}")
    for program, solvers in programs:
        name = f"{program.name} {program.shape[0]} x {program.shape[1]}"
        for solver in solvers:
            runs = [solve(program, solver, raise_on_failure=False) for _ in range(RUNS)]
            best = min(runs, key=lambda found: found.stats.build_time + found.stats.solve_time)
            stats = best.stats
            share = stats.certify_time / (stats.build_time + stats.solve_time + stats.certify_time)
            exact = "" if program.P is not None else exact_seconds(program, best)
            print(
                f"{name:<24} {solver:<9} {stats.build_time:>8.4f} {stats.solve_time:>8.4f} {stats.certify_time:>8.4f} "
                f"{share:>7.1%} {exact}"
            )


def exact_seconds(program: Program, solution: object) -> str:
    """Seconds for the exact certificate, and its gap."""
    start = time.perf_counter()
    found = certify(program, solution, exact=True)  # type: ignore[arg-type]
    return f"{time.perf_counter() - start:>8.4f} {found.gap:>10.1e}"


if __name__ == "__main__":
    main()
