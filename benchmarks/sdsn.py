"""SDSN beside other clusterings: accuracy, adjusted Rand index, time and memory.

Run: python benchmarks/sdsn.py [--data FOLDER] [--only NAME,NAME] [--fast] [--limit SECONDS]

Moons, rings, spirals and the two-density string of the paper's Figures 2 to 6 are drawn here (five draws each); with
--data FOLDER (or MONOOPT_DATA) iris, wine, wdbc, letter_ab520, monk3 and news_1 are read from FOLDER/cluster. Accuracy
is that of the best one-to-one matching of clusters and classes (Hungarian). "SDSN, nothing set" finds the number of
clusters itself; every other method but HDBSCAN is told the number of classes. For support vector clustering the best of
a list of gamma is shown, chosen by looking at the classes: its result is an upper bound. Attributes of the tables are
scaled to [0, 1]; the news are tf-idf of unit length. Seconds are of processor time; what has not finished after
--limit of them (60) is stopped, and said to be.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import csv
import signal
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.datasets import make_circles, make_moons
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from monoopt import SDSN, SupportVectorClustering
from monoopt.errors import MonooptError

Draws = list[tuple[np.ndarray, np.ndarray]]
Method = Callable[[np.ndarray, np.ndarray], np.ndarray]
DRAWS = 5
TABLES = ("iris", "wine", "wdbc", "letter_ab520", "monk3_train")
GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


def spirals(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two interleaved spirals of one and a half turns, objects more widely spaced outside."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    t = 3 * np.pi * np.sqrt(rng.random(n))
    r, angle = t / (3 * np.pi) + 0.05, t + np.pi * y
    return np.c_[r * np.cos(angle), r * np.sin(angle)] + 0.018 * rng.normal(size=(n, 2)), y


def string(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A dense wavy string between two loose round clusters, after the paper's Figure 2."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, 120)
    wave = np.c_[t, 0.5 + 0.25 * np.sin(2 * np.pi * t)] + 0.01 * rng.normal(size=(120, 2))
    rounds = [centre + 0.05 * rng.normal(size=(60, 2)) for centre in ((0.25, 0.35), (0.75, 0.68))]
    return np.vstack([wave, *rounds]), np.repeat([0, 1, 2], [120, 60, 60])


def data(folder: Path | None) -> Iterator[tuple[str, Draws]]:
    """Yield every data set as draws."""
    for noise in (0.06, 0.08, 0.1):
        yield f"moons, noise {noise}", [make_moons(300, noise=noise, random_state=s) for s in range(DRAWS)]
    for noise in (0.05, 0.07, 0.08):
        draws = [make_circles(300, noise=noise, factor=0.5, random_state=s) for s in range(DRAWS)]
        yield f"rings, noise {noise}", draws
    yield "spirals", [spirals(400, s) for s in range(DRAWS)]
    yield "string and two rounds", [string(s) for s in range(DRAWS)]
    if folder is None:
        return
    for name in TABLES:
        yield name, [table(folder / f"{name}.csv")]
    yield "news_1", [news(folder / "news_1.npz")]


def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read a table of numbers whose last column is the class; scale the attributes to [0, 1]."""
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines))[1:]
    X = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    X = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1.0)
    return X, np.unique([row[-1] for row in rows], return_inverse=True)[1]


def news(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read counts of terms; tf-idf of unit length."""
    stored = np.load(path, allow_pickle=True)
    counts = sparse.csr_matrix((stored["data"], stored["indices"], stored["indptr"]), stored["shape"])
    return TfidfTransformer().fit_transform(counts).toarray(), np.unique(stored["labels"], return_inverse=True)[1]


def contour(labelling: str) -> Method:
    """Support vector clustering at the gamma that agrees best with the classes."""

    def run(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        unit = 1.0 / (X.shape[1] * X.var())
        words = {"labelling": labelling, "nu": 0.1}
        tries = [SupportVectorClustering(gamma=unit * g, **words).fit(X).labels_ for g in GAMMAS]
        return max(tries, key=lambda labels: adjusted_rand_score(y, labels))

    return run


def methods(fast: bool) -> dict[str, Method]:
    """Return every method by name; each gets the classes, to count them."""

    def sdsn(**words: object) -> Method:
        return lambda X, y: SDSN(random_state=0, **words).fit_predict(X)

    def told(**words: object) -> Method:
        return lambda X, y: SDSN(n_clusters=len(set(y)), random_state=0, **words).fit_predict(X)

    def spectral(affinity: str) -> Method:
        return lambda X, y: SpectralClustering(len(set(y)), affinity=affinity, random_state=0).fit_predict(X)

    found: dict[str, Method] = {
        "SDSN, nothing set": sdsn(),
        "SDSN": told(),
        "SDSN, rank 7": told(rank=7),
        "SDSN, in batches": told(training="ordered"),
        "SDSN as in the paper": told(affinity="kernel", rank="mean"),
        "k-means": lambda X, y: KMeans(len(set(y)), n_init=10, random_state=0).fit_predict(X),
        "spectral, neighbours": spectral("nearest_neighbors"),
        "spectral, rbf (NJW)": spectral("rbf"),
        "HDBSCAN": lambda X, y: HDBSCAN(min_cluster_size=15, copy=True).fit_predict(X),
    }
    if not fast:
        found |= {f"SVC {word}, best gamma": contour(word) for word in ("cg", "svg", "pg", "gd", "ccl")}
    return found


def accuracy(y: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of objects on the diagonal of the best matching of clusters and classes."""
    counts = contingency_matrix(y, labels)
    return float(counts[linear_sum_assignment(-counts)].sum()) / len(y)


def measure(run: Method, draws: Draws) -> str:
    """Return means over the draws: accuracy, index, number of clusters, seconds; memory of the first."""
    scores = []
    for X, y in draws:
        began = time.process_time()
        labels = run(X, y)
        seconds = time.process_time() - began
        scores.append((accuracy(y, labels), adjusted_rand_score(y, labels), len(set(labels) - {-1}), seconds))
    tracemalloc.start()
    run(*draws[0])
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    share, index, count, seconds = np.mean(scores, axis=0)
    return f"{share:10.3f}{index:8.3f}{count:10.1f}{seconds:9.2f}{peak:9.1f}"


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes more processor time (between two instructions of Python)."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def main() -> None:
    """Print one table per data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MONOOPT_DATA"), help="folder with cluster/")
    parser.add_argument("--only", default="", help="data sets whose name starts with one of these")
    parser.add_argument("--fast", action="store_true", help="leave out support vector clustering")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds of one method on one data set")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = tuple(word for word in given.only.split(",") if word)
    for name, draws in data(Path(given.data) / "cluster" if given.data else None):
        if chosen and not name.startswith(chosen):
            continue
        X, y = draws[0]
        print(f"\n{name}: {len(X)} x {X.shape[1]}, {len(set(y))} classes, {len(draws)} draw(s)")
        print(f"{'':28}{'accuracy':>10}{'ARI':>8}{'clusters':>10}{'seconds':>9}{'MB':>9}")
        for word, run in methods(given.fast).items():
            try:
                with at_most(given.limit):
                    words = measure(run, draws)
                print(f"{word:28}{words}", flush=True)
            except TimeoutError:
                print(f"{word:28}  past {given.limit:g} s", flush=True)
            except MonooptError as error:
                print(f"{word:28}  {str(error)[:70]}", flush=True)


if __name__ == "__main__":
    main()
