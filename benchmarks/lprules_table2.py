"""Mean absolute error of LPRules and its peers on six ordinal data sets, in the same folds: the paper's Table 2.

Run: python benchmarks/lprules_table2.py --out results.csv [--repeats 2] [--folds 10] [--datasets esl,swd] [--slow]
     python benchmarks/lprules_table2.py --read results.csv

Every (data set, method, repeat) runs in a process of its own, so that its peak of memory is its own. One line per fit
goes into the CSV file as soon as a repeat is done, and the table comes from there; repeats that the file already has
are not run again, so a run that was stopped goes on where it was. Standard errors are those of Nadeau and Bengio
(2003), as in the paper. Car is read from the folder that MONOOPT_DATA names. Violated pairs are counted over all
comparable pairs of the whole data set, summed over all fits.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import multiprocessing
import os
import platform
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from lprules_peers import PEERS, SLOW
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from monoopt.datasets import load_balance, load_era, load_esl, load_lev, load_swd
from monoopt.estimators import (
    IsotonicSeparationClassifier,
    LPRulesClassifier,
    LPRulesClassifierCV,
    MonotoneProbabilityClassifier,
    MonotoneRelabeler,
)

LOADERS = {"esl": load_esl, "swd": load_swd, "lev": load_lev, "era": load_era, "balance": load_balance}
SETS = (*LOADERS, "car")
CAR_COSTS = ("buying", "maint")
OURS: dict[str, Callable[[int], Any]] = {
    "LPRulesClassifier": lambda d: LPRulesClassifier(),
    "LPRulesClassifier, fewest rules": lambda d: LPRulesClassifier(max_rules="fewest"),
    "LPRulesClassifier, 10 rules": lambda d: LPRulesClassifier(max_rules=10),
    "LPRulesClassifierCV": lambda d: LPRulesClassifierCV(),
    "LPRulesClassifierCV, best candidate": lambda d: LPRulesClassifierCV(combine="best"),
    "MonotoneProbabilityClassifier": lambda d: MonotoneProbabilityClassifier(),
    "IsotonicSeparationClassifier": lambda d: IsotonicSeparationClassifier(),
    "MonotoneRelabeler": lambda d: MonotoneRelabeler(),
}
PAPER = {
    "esl": (0.323, 0.024), "swd": (0.435, 0.017), "lev": (0.396, 0.016),
    "era": (1.263, 0.033), "balance": (0.063, 0.009), "car": (0.030, 0.004),
}  # fmt: skip
"""LPRules in Table 2 of Kotlowski and Slowinski (2009): mean absolute error and its standard error."""
FIELDS = (
    "dataset",
    "method",
    "repeat",
    "fold",
    "n_train",
    "n_test",
    "mae",
    "violations",
    "pairs",
    "cpu_s",
    "rules",
    "mb",
)
PACKAGES = (
    "monoopt",
    "numpy",
    "scikit-learn",
    "highspy",
    "skordinal",
    "lightgbm",
    "xgboost-cpu",
    "interpret-core",
    "ruleopt",
)


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Objects with all attributes turned into gains, and codes 0..K-1."""
    if name in LOADERS:
        table = LOADERS[name]()
        return table.X * np.array(list(table.directions.values())), table.y - int(table.y.min())
    path = Path(os.environ.get("MONOOPT_DATA", ".")) / "ordinal" / "car.csv"
    header, *rows = csv.reader(path.open(encoding="utf-8"))
    cells = np.array(rows, dtype=float)
    signs = np.array([-1 if column in CAR_COSTS else 1 for column in header[:-1]])
    return cells[:, :-1] * signs, cells[:, -1].astype(int) - 1


def run(job: tuple[str, str, int, int, int]) -> list[dict[str, Any]]:
    """All fits of one method on one data set in one repeat."""
    name, method, repeat, folds, seed = job
    X, y = load(name)
    above = np.ones((len(X), len(X)), dtype=bool)
    for column in X.T:
        above &= column[:, None] >= column
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = []
    cut = KFold(folds, shuffle=True, random_state=seed + repeat)
    for fold, (train, test) in enumerate(cut.split(X)):
        start = time.process_time()
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            fitted = (OURS | PEERS)[method](X.shape[1]).fit(X[train], y[train])
            seconds = time.process_time() - start
            answers = np.asarray(fitted.predict(X), dtype=float)
        lines.append({
            "dataset": name, "method": method, "repeat": repeat, "fold": fold,
            "n_train": len(train), "n_test": len(test), "mae": np.abs(answers[test] - y[test]).mean(),
            "violations": int((above & (answers[:, None] < answers)).sum()), "pairs": int(above.sum()) - len(X),
            "cpu_s": seconds, "rules": rules_per_question(fitted),
            "mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
        })  # fmt: skip
    return lines


def rules_per_question(fitted: Any) -> float:
    """Mean number of rules per binary question, of a mixture the different ones; NaN for methods without rules."""
    fitted = getattr(fitted, "best_estimator_", fitted)
    books = [getattr(member, "rules_", None) for member in getattr(fitted, "members_", [fitted])]
    questions = list(zip(*(book for book in books if book is not None), strict=True))
    several = [len({rule for ensemble in ensembles for rule in ensemble.rules}) for ensembles in questions]
    return float(np.mean(several)) if several else float("nan")


def standard_error(errors: np.ndarray, n_test: float, n_train: float) -> float:
    """Of a mean over repeated folds, whose training sets overlap (Nadeau and Bengio 2003)."""
    return float(np.sqrt((1 / len(errors) + n_test / n_train) * errors.var(ddof=1)))


def table(lines: list[dict[str, str]]) -> Iterator[str]:
    """Yield the table in Markdown, data set by data set."""
    methods = [method for method in OURS | PEERS if any(line["method"] == method for line in lines)]
    for name in SETS:
        own = [line for line in lines if line["dataset"] == name]
        if not own:
            continue
        yield f"\n**{name}** (paper's LPRules {PAPER[name][0]:.3f} ± {PAPER[name][1]:.3f})\n"
        yield "| method | MAE | ± | rules | violated pairs | CPU s/fit | MB |"
        yield "|---|---|---|---|---|---|---|"
        for method in methods:
            found = [line for line in own if line["method"] == method]
            if not found:
                continue
            column = {word: np.array([float(line[word]) for line in found]) for word in FIELDS[4:]}
            se = standard_error(column["mae"], column["n_test"].mean(), column["n_train"].mean())
            rules = "" if np.isnan(column["rules"]).all() else f"{np.nanmean(column['rules']):.1f}"
            yield (
                f"| {method} | {column['mae'].mean():.3f} | {se:.3f} | {rules} | {int(column['violations'].sum())} of "
                f"{int(column['pairs'].sum())} | {column['cpu_s'].mean():.2f} | {column['mb'].max():.0f} |"
            )
        yield from verdict(own, name)


def page(lines: list[dict[str, str]]) -> Iterator[str]:
    """Yield one table over all data sets: errors with their standard errors, then rules per question."""
    methods = [method for method in OURS | PEERS if any(line["method"] == method for line in lines)]
    found = {
        (m, name): [line for line in lines if (line["method"], line["dataset"]) == (m, name)]
        for m in methods
        for name in SETS
    }
    yield f"| | {' | '.join(SETS)} | repeats | violated pairs | CPU s a fit | MB |"
    yield "|---" * (len(SETS) + 5) + "|"
    yield (
        "| *paper, LPRules* | "
        + " | ".join(f"*{PAPER[name][0]:.3f} ± {PAPER[name][1]:.3f}*" for name in SETS)
        + " |" * 5
    )
    for method in methods:
        cells = [error_cell(found[method, name]) for name in SETS]
        own = [found[method, name] for name in SETS if found[method, name]]
        fewest, most = (f(len({line["repeat"] for line in some}) for some in own) for f in (min, max))
        seconds = [np.mean([float(line["cpu_s"]) for line in some]) for some in own]
        violated = sum(int(line["violations"]) for some in own for line in some)
        memory = max(float(line["mb"]) for some in own for line in some)
        yield (
            f"| {method} | {' | '.join(cells)} | {fewest if fewest == most else f'{fewest} to {most}'} | {violated} | "
            f"{min(seconds):.2f} to {max(seconds):.2f} | {memory:.0f} |"
        )
    for method in methods:
        rules = [np.mean([float(line["rules"]) for line in found[method, name]] or [np.nan]) for name in SETS]
        if not np.isnan(rules).all():
            yield f"| rules: {method} | {' | '.join(f'{number:.1f}' for number in rules)} |"


def error_cell(found: list[dict[str, str]]) -> str:
    """Mean and standard error of one method on one data set."""
    if not found:
        return ""
    mae, tested, trained = (np.array([float(line[word]) for line in found]) for word in ("mae", "n_test", "n_train"))
    return f"{mae.mean():.3f} ± {standard_error(mae, tested.mean(), trained.mean()):.3f}"


def verdict(own: list[dict[str, str]], name: str) -> Iterator[str]:
    """Yield where LPRulesClassifierCV stands against the paper and the best peer."""
    means = {
        m: np.mean([float(line["mae"]) for line in own if line["method"] == m]) for m in {x["method"] for x in own}
    }
    peers = {method: value for method, value in means.items() if method in PEERS}
    if "LPRulesClassifierCV" not in means or not peers:
        return
    best = min(peers, key=peers.__getitem__)
    errors = np.array([float(line["mae"]) for line in own if line["method"] == best])
    sizes = [np.mean([float(line[word]) for line in own]) for word in ("n_test", "n_train")]
    se, mine = standard_error(errors, *sizes), means["LPRulesClassifierCV"]
    paper = "at or under" if mine <= PAPER[name][0] else "above"
    yield (
        f"\nLPRulesClassifierCV {mine:.3f}: {paper} the paper's LPRules; "
        f"{'within one' if mine <= peers[best] + se else 'more than one'} standard error of the best peer ({best})."
    )


def about() -> str:
    """Machine, versions and date."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    return f"{date.today()}, {machine}, Python {platform.python_version()}, {', '.join(found)}"


def chosen_methods(wanted: str, skipped: str, slow: bool) -> list[str]:
    """Names of the methods that the command line asks for, by parts of their names."""
    parts, less = ([part for part in text.split(",") if part] for text in (wanted, skipped))
    return [
        method
        for method in OURS | PEERS
        if (not parts or any(part in method for part in parts))
        and not any(part in method for part in less)
        and (slow or method not in SLOW)
    ]


def keep(lines: list[dict[str, Any]], path: Path) -> None:
    """Add lines to the file."""
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerows(lines)


def main() -> None:
    """Run what is asked, or print the table of what was run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, help="CSV file to add the fits to")
    parser.add_argument("--read", type=Path, help="print the table of this CSV file and stop")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="number of the first repeat that is run, from 0")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--methods", default="", help="parts of names, separated by commas; all by default")
    parser.add_argument("--skip", default="", help="parts of names to leave out, separated by commas")
    parser.add_argument("--slow", action="store_true", help="also the methods that take minutes")
    parser.add_argument("--jobs", type=int, default=1, help="processes at the same time")
    given = parser.parse_args()
    if given.read:
        lines = list(csv.DictReader(given.read.open(encoding="utf-8")))
        print("\n".join([*table(lines), "", *page(lines)]))
        return
    methods = chosen_methods(given.methods, given.skip, given.slow)
    lines = list(csv.DictReader(given.out.open(encoding="utf-8"))) if given.out and given.out.exists() else []
    done = {(line["dataset"], line["method"], int(line["repeat"])) for line in lines}
    asked = itertools.product(range(given.first, given.repeats), given.datasets.split(","), methods)
    jobs = [(name, m, repeat, given.folds, given.seed) for repeat, name, m in asked if (name, m, repeat) not in done]
    with multiprocessing.get_context("fork").Pool(given.jobs, maxtasksperchild=1) as pool:
        pending = [(job, pool.apply_async(run, (job,))) for job in jobs]
        for (name, method, repeat, *_), result in pending:
            try:
                found = result.get()
            except Exception as error:
                print(f"{name}, {method}: left out ({type(error).__name__}: {error})", file=sys.stderr)
                continue
            print(f"{name}, {method}, {repeat}: {np.mean([line['mae'] for line in found]):.4f}", file=sys.stderr)
            lines += found
            if given.out:
                keep(found, given.out)
    print(about())
    print("\n".join(table([{word: str(value) for word, value in line.items()} for line in lines])))


if __name__ == "__main__":
    main()
