"""Ranking principal curves: time and fit beside other principal curves, and alone on a million objects.

Run: python benchmarks/rpc.py [--large] [--data FOLDER]

Everything in one run on one machine, single thread; processor seconds, which other work on the machine disturbs less
than the wall clock; read the ratios. J is the mean squared distance to the curve on
data scaled to the unit box. Peers that are installed take part (pip install pcurvepy2 prinpy elpigraph-python); they
draw free curves, which may have a lower J and which keep no order, so their reversed dominance pairs are counted too.
With --data the folder of public data sets is used for what the paper reports on life quality and on journals.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from monoopt import FirstPrincipalComponent, RankingPrincipalCurve
from monoopt.errors import DataWarning
from monoopt.order.bezier import bernstein, curve_points, project
from monoopt.order.dominance import dominance_pairs
from monoopt.order.ranks import rank_agreement

Fit = Callable[[np.ndarray], tuple[np.ndarray, float]]
REPEATS = 30


def objects(n: int, d: int = 4, noise: float = 0.1, seed: int = 0) -> np.ndarray:
    """Objects along a random cubic with noise, scaled to the unit box."""
    rng = np.random.default_rng(seed)
    P = np.vstack([np.zeros(d), rng.uniform(0, 1, (2, d)), np.ones(d)])
    X = curve_points(P, rng.uniform(0, 1, n)) + noise * rng.normal(size=(n, d))
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def ours(**words: object) -> Fit:
    def fit(X: np.ndarray) -> tuple[np.ndarray, float]:
        curve = RankingPrincipalCurve(**words).fit(X)
        return curve.scores_, curve.objective_

    return fit


def pcurvepy2(X: np.ndarray) -> tuple[np.ndarray, float]:
    from pcurvepy2 import PrincipalCurve

    curve = PrincipalCurve(k=3)
    curve.fit(X)
    return curve.pseudotimes_interp, float(((X - curve.points_interp) ** 2).sum(axis=1).mean())


def prinpy(X: np.ndarray) -> tuple[np.ndarray, float]:
    from prinpy.local_curves import ConstrainedFitter, GreedyFit

    found = ConstrainedFitter(GreedyFit(), 0.3).fit(X[np.argsort(X.sum(axis=1))]).project(X)
    return found.unit_lengths, float(((X - found.points) ** 2).sum(axis=1).mean())


def elpigraph(X: np.ndarray) -> tuple[np.ndarray, float]:
    import contextlib
    import io

    from elpigraph import computeElasticPrincipalCurve

    with contextlib.redirect_stdout(io.StringIO()):
        found = computeElasticPrincipalCurve(X, 15)[0]
    return np.zeros(len(X)), float(found["FinalReport"]["MSEP"])


def timed(fit: Fit, X: np.ndarray, repeats: int) -> tuple[float, np.ndarray, float]:
    """Return the least processor time of some runs, after one that compiles and imports, and the last result."""
    fit(X)
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        scores, value = fit(X)
        best = min(best, time.process_time() - start)
    return best, scores, value


def reversed_pairs(X: np.ndarray, scores: np.ndarray) -> str:
    """How many dominance pairs the scores put the wrong way round (the better orientation is taken)."""
    if np.ptp(scores) == 0 or len(X) > 2000:
        return "-"
    better, worse = dominance_pairs(X, np.ones(X.shape[1], dtype=np.int8)).T
    wrong = min(int((scores[better] <= scores[worse]).sum()), int((scores[better] >= scores[worse]).sum()))
    return f"{wrong} of {len(better)}"


def beside_peers(n: int) -> None:
    """Print one table of time, J and reversed pairs."""
    X = objects(n)
    rivals: dict[str, Fit] = {
        "monoopt direct": ours(solver="direct"),
        "monoopt clarabel": ours(solver="clarabel"),
        "without the finish": ours(solver="direct", finish=None),
        "pcurvepy2": pcurvepy2,
        "prinpy": prinpy,
    }
    if n < 1000:
        rivals["elpigraph"] = elpigraph
    print(f"\nn = {n}, d = 4\n{'':18} {'seconds':>9} {'ratio':>8} {'J':>10}  reversed pairs")
    base = 0.0
    for name, fit in rivals.items():
        try:
            seconds, scores, value = timed(fit, X, 1 if name == "elpigraph" or n > 1000 else REPEATS)
        except Exception as reason:
            print(f"{name:18} not measured: {type(reason).__name__}: {str(reason)[:70]}")
            continue
        base = base or seconds
        print(f"{name:18} {seconds:9.4f} {seconds / base:8.1f} {value:10.6f}  {reversed_pairs(X, scores)}")


def alone(n: int) -> None:
    """Print what a large fit takes, and the speed of the projection."""
    X = objects(n)
    fit = ours(solver="direct")
    fit(X[:1000])
    start, begin = time.process_time(), time.perf_counter()
    _, value = fit(X)
    seconds, wall = time.process_time() - start, time.perf_counter() - begin
    P = np.vstack([np.zeros(4), np.full((1, 4), 0.3), np.full((1, 4), 0.6), np.ones(4)])
    start = time.process_time()
    project(X, P)
    rate = n / (time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nn = {n}, d = 4: fitted in {seconds:.2f} s ({wall:.2f} s by the wall clock), J {value:.6f}")
    print(f"peak memory of the process {peak:.2f} GiB")
    print(f"projection alone: {rate / 1e6:.2f} million objects a second on one core")


def explained_with_free_ends(X: np.ndarray, directions: np.ndarray, starts: int = 12) -> float:
    """Explained variance of a cubic whose four control points may all lie anywhere in the box, no order asked for."""
    from scipy.optimize import minimize

    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    total = ((U - U.mean(axis=0)) ** 2).sum()
    line = (1 - directions) / 2 + np.linspace(0, 1, 4)[:, None] * directions

    def share(q: np.ndarray) -> tuple[float, np.ndarray]:
        P = q.reshape(line.shape)
        scores, distances = project(U, P)
        basis = bernstein(scores, 3)
        return distances.sum() / total, (-2 * basis.T @ (U - basis @ P) / total).ravel()

    rng, found = np.random.default_rng(0), []
    for k in range(starts):
        start = np.clip(line + (k > 0) * rng.normal(scale=0.3, size=line.shape), 0, 1)
        found.append(minimize(share, start.ravel(), jac=True, bounds=[(0, 1)] * start.size, method="L-BFGS-B").fun)
    return 1 - min(found)


def published(folder: Path) -> None:
    """Print explained variance and rank correlations on the data of the paper's two applications."""
    rows = list(csv.DictReader((folder / "ranking" / "life_quality_2005.csv").open(encoding="utf-8")))
    names = [row["country"] for row in rows]
    X = np.array([[float(row[key]) for key in ("gdp", "leb", "imr", "tb")] for row in rows])
    curve = RankingPrincipalCurve(directions=[1, 1, -1, -1], solver="direct").fit(X, objects=names)
    line = FirstPrincipalComponent(directions=[1, 1, -1, -1]).fit(X)
    printed = list(csv.DictReader((folder / "ranking" / "rpc_table2_rows.csv").open(encoding="utf-8")))
    ours_now = [curve.scores_[names.index(row["country"])] for row in printed]
    rho = rank_agreement(ours_now, [float(row["rpc_score"]) for row in printed])
    print(f"\nlife quality, {len(rows)} countries: explained {curve.explained_variance_:.1%}, by the first component "
          f"{line.explained_variance_:.1%} (paper, 171 countries: 90 % and, for its peer, 86 %)")  # fmt: skip
    free = explained_with_free_ends(X, curve.directions_)
    print(f"a cubic whose ends are free as well, as the ends that the paper prints suggest: {free:.1%}")
    print(f"Spearman correlation with the order of the 15 countries that the paper prints: {rho:.3f}")
    rows = list(csv.DictReader((folder / "ranking" / "scimago_cs_2012.csv").open(encoding="utf-8")))
    X = np.array([[float(value) for key, value in row.items() if key != "title"] for row in rows])
    for scaling in ("minmax", "robust"):
        curve = RankingPrincipalCurve(solver="direct", scaling=scaling).fit(X)
        line = FirstPrincipalComponent(scaling=scaling).fit(X)
        print(f"{len(rows)} journals, {scaling}: explained {curve.explained_variance_:.1%}, by the first component "
              f"{line.explained_variance_:.1%}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Ranking principal curves beside their peers.")
    parser.add_argument("--large", action="store_true", help="also fit a million objects")
    parser.add_argument("--data", type=Path, help="folder of public data sets")
    given = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)
    for n in (171, 10_000):
        beside_peers(n)
    if given.large:
        alone(1_000_000)
    if given.data:
        published(given.data)


if __name__ == "__main__":
    main()
