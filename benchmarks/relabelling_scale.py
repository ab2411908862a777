"""What each reduction of the relabelling is worth, and how far the last one reaches.

Ways, each on top of the one before, every run in a process of its own:

    all-pairs     the linear program with a row for every pair of which one object is at least as good, in HiGHS
    merged        equal objects are one
    reduced       pairs that follow from others are left out (transitive reduction)
    inconsistent  only objects that contradict somebody
    steiner       the order as a sparse graph with extra nodes in place of pairs
    cut           the same graph, but a minimum cut in integers, proved by contradictions, in place of the program
    relabel       the library's function: reading, warnings, every question, certificates, labels

All but `relabel` answer the question "at least the middle class?". Seconds hold building, solving and what proves the
answer, not imports nor compilation (a small instance goes first); memory is what the process grew by at its peak.

    python benchmarks/relabelling_scale.py                                       # the reductions at 3000 objects
    python benchmarks/relabelling_scale.py --objects 1e5 --ways steiner,cut --limit 600
    python benchmarks/relabelling_scale.py --objects 1e6 --ways relabel --classes 5 --noise 0.05
    python benchmarks/relabelling_scale.py --objects 1e5 --ways relabel --noise inf   # labels drawn at random
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from datetime import date
from importlib.metadata import version

import numpy as np

from monoopt import relabel, solve
from monoopt.algorithms.dominance_cut import cut
from monoopt.formulations import monotonization
from monoopt.order import dominance_pairs, inconsistent, merge_equal, steiner_graph, transitive_reduction

HEAD = ("way", "columns", "rows", "cost", "CPU s", "wall s", "times the cut", "MB")
WARM = 300  # objects of the instance that goes first
Counts = tuple[int, int, float]


def draw(n: int, d: int, classes: int, noise: float, levels: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Uniform objects; classes of equal size by the mean of the attributes plus noise (infinite: at random)."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    if levels:
        X = np.floor(levels * X)
    score = rng.random(n) if np.isinf(noise) else X.mean(axis=1) / (levels or 1) + rng.normal(0, noise, n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def program(labels: np.ndarray, pairs: np.ndarray, weights: np.ndarray, extra: int = 0) -> Counts:
    """Solve the program in HiGHS; `extra` columns cost nothing."""
    labels, weights = np.append(labels, np.zeros(extra, dtype=int)), np.append(weights, np.zeros(extra))
    solution = solve(monotonization.build(labels, pairs, weights))
    rows, columns = solution.program.shape
    return columns, rows, solution.objective


def merged(X: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Distinct objects, what most of their copies are, by how many more, and what the others lose."""
    objects, home = merge_equal(X)
    votes = np.bincount(home, 2 * labels - 1)
    decided = np.flatnonzero(votes)
    return (
        objects[decided],
        (votes > 0)[decided].astype(int),
        np.abs(votes)[decided],
        (len(X) - np.abs(votes).sum()) / 2,
    )


def all_pairs(X: np.ndarray, labels: np.ndarray, up: np.ndarray) -> Counts:
    return program(labels, dominance_pairs(X, up), np.ones(len(X)))


def merged_pairs(X: np.ndarray, labels: np.ndarray, up: np.ndarray) -> Counts:
    X, labels, weights, base = merged(X, labels)
    columns, rows, cost = program(labels, dominance_pairs(X, up), weights)
    return columns, rows, cost + base


def reduced(X: np.ndarray, labels: np.ndarray, up: np.ndarray) -> Counts:
    X, labels, weights, base = merged(X, labels)
    columns, rows, cost = program(labels, transitive_reduction(dominance_pairs(X, up), len(X)), weights)
    return columns, rows, cost + base


def inconsistent_only(X: np.ndarray, labels: np.ndarray, up: np.ndarray) -> Counts:
    X, labels, weights, base = merged(X, labels)
    members = inconsistent(X, labels, up)
    pairs = transitive_reduction(dominance_pairs(X[members], up), int(members.sum()))
    columns, rows, cost = program(labels[members], pairs, weights[members])
    return columns, rows, cost + base


def steiner(X: np.ndarray, labels: np.ndarray, up: np.ndarray) -> Counts:
    X, labels, weights, base = merged(X, labels)
    tails, heads, _ = steiner_graph(X, up, labels == 0, labels == 1)
    there, ends = np.unique(np.concatenate([tails, heads]), return_inverse=True)
    members = there[there < len(X)]
    pairs = ends.reshape(2, -1).T
    columns, rows, cost = program(labels[members], pairs, weights[members], len(there) - len(members))
    return columns, rows, cost + base


def minimum_cut(X: np.ndarray, labels: np.ndarray, up: np.ndarray) -> Counts:
    X, labels, weights, base = merged(X, labels)
    found = cut(X, np.where(labels == 1, -weights, weights).astype(np.int64), up)
    return 0, 0, found.loss + base


WAYS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Counts]] = {
    "all-pairs": all_pairs,
    "merged": merged_pairs,
    "reduced": reduced,
    "inconsistent": inconsistent_only,
    "steiner": steiner,
    "cut": minimum_cut,
}


def answer(way: str, X: np.ndarray, codes: np.ndarray, classes: int) -> Counts:
    """Relabel in one way; return columns, rows and cost."""
    if way == "relabel":
        found = relabel(X, codes)
        assert found.ok
        return 0, 0, found.cost
    return WAYS[way](X, (codes >= classes // 2).astype(int), np.ones(X.shape[1], dtype=np.int8))


def peak() -> float:
    """Megabytes of the process at their most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(way: str, n: int, d: int, classes: int, noise: float, levels: int) -> dict[str, float]:
    """Run one way in this process."""
    warnings.simplefilter("ignore")
    answer(way, *draw(WARM, d, classes, 0.1, 0), classes)
    if way == "relabel":  # its compiled half, which a few objects do not reach
        answer("cut", *draw(WARM, d, 2, 0.1, 0), 2)
    X, codes = draw(n, d, classes, noise, levels)
    before, cpu, wall = peak(), time.process_time(), time.perf_counter()
    columns, rows, cost = answer(way, X, codes, classes)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"columns": columns, "rows": rows, "cost": cost, "cpu": cpu, "wall": wall, "mb": peak() - before}


def run(way: str, arguments: argparse.Namespace) -> dict[str, float] | str:
    """Measure one way in a process of its own; say why where it has no result."""
    command = [sys.executable, __file__, *sys.argv[1:], "--one", way]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        return f"not within {arguments.limit:g} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1][:100]
    return json.loads(done.stdout)


def line(way: str, found: dict[str, float] | str, unit: dict[str, float] | str) -> str:
    """Write one row of the table."""
    if isinstance(found, str):
        return f"| {way} | {found} | | | | | | |"
    sizes = (f"{found['columns']:,.0f}", f"{found['rows']:,.0f}") if found["columns"] else ("", "")
    times = "" if isinstance(unit, str) else f"{found['cpu'] / max(unit['cpu'], 1e-3):,.1f}"
    cells = (
        way,
        *sizes,
        f"{found['cost']:g}",
        f"{found['cpu']:.3g}",
        f"{found['wall']:.3g}",
        times,
        f"{found['mb']:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def surroundings() -> str:
    """Machine, versions, date and load."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("monoopt", "numpy", "scipy", "numba", "highspy"))
    machine = f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}"
    return f"{date.today()}, {machine}, Python {platform.python_version()}, {packages}"


def main() -> None:
    """Run the ways that are asked for and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=float, default=3000)
    parser.add_argument("--attributes", type=int, default=3)
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--levels", type=int, default=0, help="values of an attribute; 0: real numbers")
    parser.add_argument("--ways", default=",".join([*WAYS, "relabel"]))
    parser.add_argument("--limit", type=float, default=300, help="seconds for one way")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    size = (int(arguments.objects), arguments.attributes, arguments.classes, arguments.noise, arguments.levels)
    if arguments.one:
        print(json.dumps(measure(arguments.one, *size)))
        return
    ways = arguments.ways.split(",")
    unknown = [way for way in ways if way not in WAYS and way != "relabel"]
    if unknown:
        parser.error(f"unknown {unknown}; known are {[*WAYS, 'relabel']}")
    print("{} objects, {} attributes, {} classes, noise {}, {} levels".format(*size))
    print(surroundings())
    print(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|")
    found = {way: run(way, arguments) for way in ways}
    for way in ways:
        print(line(way, found[way], found.get("cut", "not run")))


if __name__ == "__main__":
    main()
