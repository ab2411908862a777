"""``monoopt cluster``: clusters or outliers of a CSV file, with what is proved about them."""

from __future__ import annotations

import time
from enum import Enum
from typing import Annotated, Any

import numpy as np
import typer

from monoopt.cli import options, output
from monoopt.cli.columns import Roles
from monoopt.cli.tables import read_table
from monoopt.errors import OptionError


class Method(Enum):
    """What is looked for."""

    SDSN = "sdsn"
    SVC = "svc"
    SVDD = "svdd"


class Labelling(Enum):
    """Which pairs support vector clustering looks at."""

    CG = "cg"
    SVG = "svg"
    PG = "pg"
    GD = "gd"
    CCL = "ccl"


class Scaling(Enum):
    """What is done with the attributes first."""

    MINMAX = "minmax"
    STANDARD = "standard"
    NONE = "none"


def cluster(
    data: options.Data,
    id: options.Id = None,
    ignore: options.Ignore = None,
    method: Annotated[
        Method, typer.Option("--method", help="Two-phase clusters, pieces of a contour, or outliers only.")
    ] = Method.SDSN,
    clusters: Annotated[
        str, typer.Option("--clusters", "-k", help="How many (sdsn), or gap: read off the eigenvalues.")
    ] = "gap",
    labelling: Annotated[Labelling, typer.Option("--labelling", help="Of svc.")] = Labelling.CG,
    gamma: Annotated[
        str, typer.Option("--gamma", help="Of the kernel of svc and svdd; the larger, the more pieces.")
    ] = "scale",
    nu: Annotated[float, typer.Option("--nu", help="Largest fraction outside, of svc and svdd.")] = 0.1,
    scaling: Annotated[
        Scaling, typer.Option("--scaling", help="Of the attributes, before distances are taken.")
    ] = Scaling.MINMAX,
    plot: Annotated[str | None, typer.Option("--plot", help="Write a picture: png, svg or pdf.")] = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the table goes; - is standard output.")] = "-",
    solver: Annotated[
        str, typer.Option("--solver", help="Any name that `monoopt solvers` lists.", rich_help_panel=options.SOLVING)
    ] = "smo",
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = None,
    null_value: options.NullValue = None,
    skip_lines: options.SkipLines = 0,
    no_header: options.NoHeader = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the clusters of a CSV file (or its outliers), and write them as one more column.

    Every column but --id and --ignore takes part. Clusters are numbered by size, the largest is 0. With
    --method svdd the columns say how far each object is from the centre and whether it is inside.
    """
    output.check_picture(plot)
    table = read_table(data, options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header))
    names = list(Roles("", id=id, ignore=options.words(ignore)).attributes(table))
    X = scaled(table.numbers(names), scaling)
    with output.at_work(f"grouping {len(table)} objects", quiet):
        fitted = _estimator(method, clusters, labelling, gamma, nu, solver, time_limit, seed).fit(X)
        found = _columns(fitted, X)
    labels = table.column(id) if id else [str(line) for line in range(1, len(table) + 1)]
    head = [id or "row", *found]
    rows = [list(row) for row in zip(labels, *found.values(), strict=True)]
    if json:
        output.write_json([dict(zip(head, row, strict=True)) for row in rows], out)
    else:
        output.write_table(table, head, rows, out)
    if not quiet:
        output.log(summary(fitted))
    if plot:
        _plot(fitted, X, plot)


def scaled(X: np.ndarray, scaling: Scaling) -> np.ndarray:
    """Bring the attributes to one scale; constant ones become 0."""
    if scaling is Scaling.NONE:
        return X
    width = np.ptp(X, axis=0) if scaling is Scaling.MINMAX else X.std(axis=0)
    origin = X.min(axis=0) if scaling is Scaling.MINMAX else X.mean(axis=0)
    return np.divide(X - origin, width, out=np.zeros_like(X), where=width > 0)


def _estimator(
    method: Method, clusters: str, labelling: Labelling, gamma: str, nu: float, solver: str,
    time_limit: float | None, seed: int,
) -> Any:  # fmt: skip
    from monoopt import estimators

    words: dict[str, Any] = {"solver": solver, "time_limit": time_limit}
    if method is Method.SDSN:
        return estimators.SDSN(n_clusters=_number(clusters, int, "--clusters"), random_state=seed, **words)
    width = _number(gamma, float, "--gamma")
    if method is Method.SVC:
        return estimators.SupportVectorClustering(labelling=labelling.value, gamma=width, nu=nu, **words)
    return estimators.SVDD(gamma=width, nu=nu, **words)


def _number(text: str, kind: type[int] | type[float], option: str) -> Any:
    """Return the number that a text is; words are left to the estimator."""
    if text.isalpha() and text.lower() not in ("nan", "inf", "infinity"):
        return text
    try:
        return kind(text)
    except ValueError:
        raise OptionError(f"{option} {text!r}: wanted a {'whole ' if kind is int else ''}number or a word") from None


def _columns(fitted: Any, X: np.ndarray) -> dict[str, list[Any]]:
    if hasattr(fitted, "labels_"):
        return {"cluster": fitted.labels_.tolist()}
    inside = [int(side == 1) for side in fitted.predict(X)]
    return {"distance": fitted.distance(X).tolist(), "inside": inside}


def summary(fitted: Any) -> str:
    """Say what was found and what is proved."""
    proofs = fitted.certificates_
    proved = f"{sum(proof.ok for proof in proofs)} of {len(proofs)} certificates hold ({proofs[-1]})"
    if not hasattr(fitted, "labels_"):
        sets = f"{len(fitted.boundary_)} objects on the sphere, {len(fitted.outside_)} outside"
        return f"radius {fitted.radius_:.6g}, {sets}; {proved}"
    sizes = ", ".join(map(str, np.bincount(fitted.labels_)))
    found = f"{fitted.n_clusters_} cluster(s) of {sizes} objects"
    if not hasattr(fitted, "path_proof_"):
        return f"{found}; {proved}"
    chief = f"{len(fitted.representatives_)} representatives, tuning rank {fitted.rank_}, kernel: {fitted.repair_}"
    return f"{found}; {chief}\n{proved}; {fitted.path_proof_}"


def _plot(fitted: Any, X: np.ndarray, path: str) -> None:
    """Draw the clusters, or the ball."""
    try:
        from monoopt.report import plots_cluster

        draw = plots_cluster.plot_clusters if hasattr(fitted, "labels_") else plots_cluster.plot_ball
        draw(fitted, X).savefig(path, dpi=150, bbox_inches="tight")
    except ImportError as error:
        raise OptionError("--plot needs matplotlib: pip install 'monoopt[plot]'") from error
    except OSError as error:
        raise OptionError(f"can't write {path}: {error.strerror or error}") from error


def demo_cluster(solver: str, seed: int, as_json: bool) -> None:
    """Cluster moons, rings and blobs with nothing set by hand, beside k-means that is told how many there are."""
    rows = [_demo_row(name, X, y, solver, seed) for name, X, y in _demo_sets(seed)]
    head = ["data", "size", "true", "found", "index", "k-means", "DRs", "sec", "proved"]
    if as_json:
        output.write_json([dict(zip(head, row, strict=True)) for row in rows])
        return
    output.write(
        "SDSN: data representatives (DRs) by SVDD with the tuning-scaled kernel, clustered by their paths; all others\n"
        "take the label of the representative nearest by a density-aware shortest path. Nothing is set by hand, the\n"
        "number of clusters neither; k-means is told it. The index of agreement with the truth is adjusted Rand: 1 is\n"
        "perfect, 0 is chance.\n"
    )
    output.draw_table("", head, [[*row[:-1], "yes" if row[-1] else "NO"] for row in rows])
    output.write(
        "\n   Proved, no solver trusted: that every SVDD ball is the smallest (duality gap), and that every path is a\n"
        f"   shortest one (potentials). Solver {solver}.\n\n"
        "Your own data: monoopt cluster data.csv --id COLUMN\n"
    )


def _demo_sets(seed: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
    from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons

    iris = load_iris()
    return [
        ("moons", *make_moons(300, noise=0.08, random_state=seed)),
        ("rings", *make_circles(300, noise=0.05, factor=0.5, random_state=seed)),
        ("blobs", *make_blobs(300, centers=5, cluster_std=0.8, random_state=seed)),
        ("iris", iris.data, iris.target),
    ]


def _demo_row(name: str, X: np.ndarray, y: np.ndarray, solver: str, seed: int) -> list[Any]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    from monoopt.estimators import SDSN

    k = len(np.unique(y))
    began = time.perf_counter()
    found = SDSN(solver=solver, random_state=seed).fit(X)
    seconds = round(time.perf_counter() - began, 2)
    other = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
    agreement = [round(float(adjusted_rand_score(y, labels)), 3) for labels in (found.labels_, other)]
    proved = all(proof.ok for proof in found.certificates_) and found.path_proof_.ok
    return [name, len(X), k, found.n_clusters_, *agreement, len(found.representatives_), seconds, proved]
