"""The largest margin over all monotone rules, proved: how long it takes, and what the search for rules contributes.

Left: for every question "at least class k?" of a data set, border objects, margin, bound, master programs solved,
rules at hand, simplex pivots, rules used, processor seconds. Right: one pricing problem (the multipliers at which
column generation ended, so that no rule improves and the whole search is a proof) by three exact ways: sums of the
whole grid (up to two million cells), branch and bound with its nodes, the integer program in HiGHS.

    python benchmarks/rule_search.py           # shipped sets, car (if MONOOPT_DATA is set), synthetic ones
    python benchmarks/rule_search.py --sets swd,real13 --smoothing 0,0.3 --no-program
    python benchmarks/rule_search.py --sets real13 --without columns   # what one of the techniques is worth
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from monoopt import datasets
from monoopt.algorithms import column_generation, rule_pricers, rule_search
from monoopt.algorithms.column_generation import Limits
from monoopt.algorithms.lprules import Settings, TaskFit, fit_task
from monoopt.algorithms.ordinal_data import OrdinalData, read_ordinal_data
from monoopt.algorithms.questions import distinct_objects
from monoopt.algorithms.relabelling import relabel_data
from monoopt.algorithms.rule_pricers import SMOOTHING
from monoopt.algorithms.words import Words
from monoopt.formulations import rule_pricing
from monoopt.program import Program
from monoopt.solvers import Settings as SolverSettings
from monoopt.solvers import solve
from monoopt.solvers.base import Held
from monoopt.solvers.highs import Highs

CELLS = rule_search.GRID_CELLS
SHIPPED = ("esl", "swd", "lev", "era", "balance")
SYNTHETIC = {  # objects, attributes, levels (None: real values), correlation of the attributes
    "levels10": (1000, 10, 4, 0.3),
    "real8": (500, 8, None, 0.3),
    "real13": (500, 13, None, 0.3),
    "real13iid": (500, 13, None, 0.0),
    "real6": (5000, 6, None, 0.3),
    "real13many": (1000, 13, None, 0.0),
}
WITHOUT = {  # constants that switch a technique off
    "columns": (rule_pricers, "COLUMNS", 1),  # one rule per sign and call
    "memory": (rule_search, "REMEMBERED", 0),  # no climbing from rules found before
    "kicks": (rule_search, "KICKS", (3,)),  # no long local search before branch and bound
    "bounds": (rule_pricers, "BOUND_FROM", 10**9),  # no bounds in passing
    "true": (column_generation, "FEW", 1),  # true multipliers only where smoothed ones find nothing
    "hot": None,  # every master program from scratch
}


class Forgetful(Highs):
    """HiGHS that starts every master program cold."""

    def hold(self, program: Program, settings: SolverSettings) -> Held:
        """Keep nothing."""
        return Held(self, program, settings)


def synthetic(n: int, d: int, levels: int | None, rho: float, seed: int = 0) -> OrdinalData:
    """Four classes from a weighted sum of one-factor attributes, with noise."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, d))
    score = X @ rng.dirichlet(np.full(d, 3.0))
    score = score / score.std() + 0.4 * rng.normal(size=n)
    if levels:
        X = np.clip(np.round((X + 2) * levels / 4 - 0.5), 0, levels - 1)
    return read_ordinal_data(X, np.searchsorted(np.quantile(score, [0.25, 0.5, 0.75]), score))


def load(name: str) -> OrdinalData | None:
    """Read a set by name; None if its file is not there."""
    if name in SYNTHETIC:
        return synthetic(*SYNTHETIC[name])
    if name in SHIPPED:
        data = getattr(datasets, f"load_{name}")()
        return read_ordinal_data(data.X, data.y, list(data.directions.values()))
    path = Path(os.environ.get("MONOOPT_DATA", "")) / "ordinal" / f"{name}.csv"
    if not path.is_file():
        return None
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return read_ordinal_data(table[:, :-1], table[:, -1].astype(int), {"car": [-1, -1, 1, 1, 1, 1]}.get(name))


def tasks(data: OrdinalData) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Objects and signs of every question that has both answers, after relabelling."""
    codes = relabel_data(data, "absolute", "least", Words("mincut")).codes
    X, codes, _ = distinct_objects(data, codes)
    for k in range(1, data.n_classes):
        signs = np.where(codes >= k, 1, -1)
        if len(set(signs.tolist())) == 2:
            yield k + 1, X, signs


def fit(
    data: OrdinalData, X: np.ndarray, signs: np.ndarray, smoothing: float, limit: float, hot: bool = True
) -> tuple[TaskFit, float]:
    """Fit one question; return it and the processor seconds."""
    rule_search.GRID_CELLS = CELLS
    solver = "highs" if hot else Forgetful()
    settings = Settings(solver=solver, limits=Limits(time_limit=limit, smoothing=smoothing))
    start = time.process_time()
    found = fit_task(X, signs, data.directions, np.ones(len(X)), settings)
    return found, time.process_time() - start


def price(
    data: OrdinalData, X: np.ndarray, signs: np.ndarray, found: TaskFit, program: bool, limit: float
) -> tuple[list[str], int]:
    """Processor seconds of three exact ways for the pricing problem of the last multipliers, both signs together."""
    rows, u = found.rows, found.duals
    seconds, nodes = {"grid": 0.0, "tree": 0.0, "program": 0.0}, 0
    search = rule_search.RuleSearch(X[rows], signs[rows], data.directions)
    for sign in (1, -1):
        for way, cells in (("grid", 2e6), ("tree", 0.0)):
            rule_search.GRID_CELLS = cells
            start = time.process_time()
            answer = search.best(u, sign)
            seconds[way] += time.process_time() - start
            nodes += answer.nodes if way == "tree" else 0
            if way == "grid" and answer.nodes:
                seconds["grid"] = np.nan
        if program:
            start, v = time.process_time(), u * signs[rows] * sign
            there = np.flatnonzero(v)
            built = rule_pricing.build(X[rows][there], v[there], data.directions, sign > 0)
            done = solve(built, time_limit=limit, raise_on_failure=False).optimal
            seconds["program"] += time.process_time() - start if done else np.nan
    shown = [seconds["grid"], seconds["tree"], seconds["program"] if program else np.nan]
    return [f"{value:10.4f}" if np.isfinite(value) else f"{'-':>10}" for value in shown], nodes


def warm_up() -> None:
    """Compile before anything is timed."""
    data = synthetic(60, 8, None, 0.3)
    for _, X, signs in tasks(data):
        fit(data, X, signs, SMOOTHING, 60.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join([*SHIPPED, "car", *SYNTHETIC]))
    parser.add_argument("--smoothing", default=str(SMOOTHING))
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--no-program", action="store_true", help="leave out the integer program")
    parser.add_argument("--without", default="", help=f"leave techniques out: {', '.join(WITHOUT)}")
    words = parser.parse_args()
    warm_up()
    without = [name for name in words.without.split(",") if name]
    if unknown := set(without) - set(WITHOUT):
        parser.error(f"--without {', '.join(sorted(unknown))}: wanted some of {', '.join(WITHOUT)}")
    for name in without:
        if WITHOUT[name] is not None:
            setattr(*WITHOUT[name])
    print(f"{'set':>10}  k smooth border    margin      bound proved steps columns pivots rules    cpu s |", end=" ")
    print(f"{'grid s':>10} {'tree s':>10} {'program s':>10} nodes")
    for name in words.sets.split(","):
        data = load(name)
        if data is None:
            print(f"{name:>10}  not there: set MONOOPT_DATA to the folder that holds ordinal/{name}.csv")
            continue
        for k, X, signs in tasks(data):
            for smoothing in map(float, words.smoothing.split(",")):
                found, cpu = fit(data, X, signs, smoothing, words.time_limit, "hot" not in without)
                row = f"{name:>10} {k:2d} {smoothing:6.2f} {len(found.rows):6d} {found.margin:9.6f} "
                row += f"{found.bound:10.7f} {found.certificate.ok!s:>6} {len(found.steps):5d} "
                row += f"{found.steps[-1].columns:7d} "
                row += f"{sum(s.pivots for s in found.steps):6d} {len(found.ensemble.rules):5d} {cpu:8.2f} | "
                ways, nodes = price(data, X, signs, found, not words.no_program, words.time_limit)
                print(row + " ".join(ways) + f" {nodes:5d}", flush=True)


if __name__ == "__main__":
    main()
