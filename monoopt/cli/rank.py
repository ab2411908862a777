"""``monoopt rank``: objects of a CSV file ranked by several attributes, with intervals, reasons and pictures."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer

from monoopt.cli import options, output
from monoopt.cli.columns import Roles
from monoopt.cli.tables import Table, read_table
from monoopt.errors import DataError, OptionError, refuse

if TYPE_CHECKING:
    from monoopt.estimators.rank_uncertainty import RankIntervals


class Method(Enum):
    """How the objects are ranked."""

    RPC = "rpc"
    WEIGHTED = "weighted"
    PCA = "pca"
    MEDIAN = "median"
    FOOTRULE = "footrule"
    KEMENY = "kemeny"


class Ties(Enum):
    """What equal scores get."""

    MIN = "min"
    DENSE = "dense"
    AVERAGE = "average"
    ORDINAL = "ordinal"
    MAX = "max"


class Missing(Enum):
    """What is done with missing cells."""

    REFUSE = "refuse"
    PROJECT = "project"


SCORING = (Method.RPC, Method.WEIGHTED, Method.PCA)


def rank(
    data: options.Data,
    id: options.Id = None,
    up: options.Up = None,
    down: options.Down = None,
    ignore: options.Ignore = None,
    weight: options.Weight = None,
    method: Annotated[Method, typer.Option("--method", help="Curve, sum, component or aggregation.")] = Method.RPC,
    degree: Annotated[int, typer.Option("--degree", help="Of the curve; 1 is a straight line.", min=1)] = 3,
    scaling: Annotated[str, typer.Option("--scaling", help="Of the attributes: minmax or robust.")] = "minmax",
    missing: Annotated[Missing, typer.Option("--missing", help="Refuse missing cells, or not.")] = Missing.REFUSE,
    above: Annotated[
        list[str] | None, typer.Option("--above", help="A,B: A must be above B (curve only; may be repeated).")
    ] = None,
    ties: Annotated[Ties, typer.Option("--ties", help="Ranks of equal scores.")] = Ties.MIN,
    intervals: Annotated[
        int, typer.Option("--intervals", help="Bootstrap replicates for rank intervals; 0 for none.", min=0)
    ] = 0,
    level: Annotated[float, typer.Option("--level", help="Share of the replicates that an interval holds.")] = 0.9,
    top: Annotated[int | None, typer.Option("--top", help="Write the best so many only.", min=1)] = None,
    why: Annotated[str | None, typer.Option("--why", help="A,B: say on standard error why A is above B.")] = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Write a picture: png, svg or pdf.")] = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the ranking goes; - is standard output.")] = "-",
    solver: Annotated[
        str | None, typer.Option("--solver", help="Any name that `monoopt solvers` lists, or direct.")
    ] = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    threads: options.Threads = 1,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = None,
    null_value: options.NullValue = None,
    skip_lines: options.SkipLines = 0,
    no_header: options.NoHeader = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Rank the objects of a CSV file, best first, along a curve that is proved strictly monotone.

    With --up only the columns named by --up and --down take part; without, every other column is a gain. What
    was found and proved is shown on standard error.
    """
    from monoopt.estimators.rank_uncertainty import bootstrap_ranks

    table = read_table(data, options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header))
    signs = _attributes(table, id, up, down, ignore, weight)
    if not (quiet or options.words(up) or options.words(down)):
        output.log("no --up and no --down: every attribute counts as a gain", style="yellow")
    columns = _numbers(table, list(signs), missing is Missing.PROJECT)
    labels = table.column(id) if id else [str(line) for line in range(1, len(table) + 1)]
    words: dict[str, Any] = {"scaling": scaling, "missing": missing.value, "degree": degree, "random_state": seed,
                             "anchors": _pairs(above) or None, "solver": solver,
                             "time_limit": time_limit}  # fmt: skip
    estimator = _ranker(method, signs, words)
    output.check_picture(plot)
    pair = _questioned(why, method, labels) if why else None
    weights: dict[str, Any] = {"sample_weight": table.numbers([weight])[:, 0]} if weight else {}
    if weight and method not in SCORING:
        raise OptionError(f"--weight works with --method rpc, weighted and pca, not with {method.value}")
    over: Literal["objects", "attributes"] = "objects" if method in SCORING else "attributes"
    with output.at_work(f"ranking {len(table)} objects", quiet):
        fitted = estimator.fit(columns, objects=labels, **weights)
    progress: dict[str, Any] = {} if quiet else {"callback": output.Progress(intervals, "replicates ranked")}
    spread = bootstrap_ranks(estimator, columns, n_boot=intervals, level=level, over=over, random_state=seed,
                             n_jobs=threads, objects=labels, **weights, **progress) if intervals else None  # fmt: skip
    _write(fitted, spread, ties.value, labels, id or "row", top, table, json, out)
    if not quiet:
        output.log(summary(fitted, method))
    if pair:
        output.log(f"{pair[0]} against {pair[1]}, in points of the score:\n{fitted.compare(*pair)}")
    if plot:
        _plot(fitted, spread, method, plot)


def _attributes(
    table: Table,
    id: str | None,
    up: list[str] | None,
    down: list[str] | None,
    ignore: list[str] | None,
    weight: str | None,
) -> dict[str, int]:
    """Return the attributes that take part, with their directions."""
    gains, costs = options.words(up), options.words(down)
    named = {*gains, *costs, id, weight}
    others = [name for name in table.names if name not in named] if gains else []
    roles = Roles("", [], gains, costs, [], id, weight, [*options.words(ignore), *others])
    return roles.attributes(table)


def _all_there(table: Table, names: list[str]) -> np.ndarray:
    """Read attributes without a gap; where there is one, say what can be done about it."""
    try:
        return table.numbers(names)
    except DataError as error:
        gaps = any(": missing" in fault for fault in error.faults)
        advice = " (missing cells: fill them in, leave them out, or say --missing project)" if gaps else ""
        raise DataError(f"{error}{advice}", error.faults) from None


def _numbers(table: Table, names: list[str], keep_missing: bool) -> dict[str, np.ndarray]:
    """Read the attributes; with ``keep_missing`` empty cells become NaN."""
    if not keep_missing:
        return dict(zip(names, _all_there(table, names).T, strict=True))
    columns, faults = {}, []
    for name in names:
        known = [not table.missing(cell) for cell in table.column(name)]
        part = replace(table, rows=[row for row, there in zip(table.rows, known, strict=True) if there],
                       lines=[line for line, there in zip(table.lines, known, strict=True) if there])  # fmt: skip
        values = np.full(len(table), np.nan)
        try:
            values[np.array(known, dtype=bool)] = part.numbers([name])[:, 0]
        except DataError as error:
            faults += error.faults
        columns[name] = values
    refuse(faults, f"{table.source}: {len(faults)} cell(s) are no finite numbers")
    return columns


def _ranker(method: Method, signs: dict[str, int], words: dict[str, Any]) -> Any:
    """Return the estimator of a method, with the words that it knows."""
    from monoopt import estimators

    kinds = {
        Method.RPC: estimators.RankingPrincipalCurve,
        Method.WEIGHTED: estimators.WeightedSum,
        Method.PCA: estimators.FirstPrincipalComponent,
        Method.MEDIAN: estimators.MedianRankAggregation,
        Method.FOOTRULE: estimators.FootruleAggregation,
        Method.KEMENY: estimators.KemenyAggregation,
    }
    estimator = kinds[method](directions=signs)
    known = estimator.get_params()
    if words["anchors"] and "anchors" not in known:
        raise OptionError(f"--above works with --method rpc, not with {method.value}")
    if words["missing"] != "refuse" and "missing" not in known:
        raise OptionError(f"--missing {words['missing']} works with --method rpc and weighted, not with {method.value}")
    return estimator.set_params(**{word: value for word, value in words.items() if word in known and value is not None})


def _pairs(entries: list[str] | None) -> list[tuple[str, str, str]]:
    return [(a, "above", b) for a, b in (_pair(entry, "--above") for entry in entries or [])]


def _pair(entry: str, option: str) -> tuple[str, str]:
    """Cut "A,B" at the comma; a bar serves where names hold commas."""
    parts = [part.strip() for part in entry.split("|" if "|" in entry else ",")]
    if len(parts) != 2:
        raise OptionError(f"{option} {entry!r}: wanted two objects A,B (or A|B where names hold commas)")
    return parts[0], parts[1]


def _write(
    fitted: Any, spread: RankIntervals | None, ties: str, labels: list[str], name: str, top: int | None, table: Table,
    as_json: bool, path: str,
) -> None:  # fmt: skip
    """Write rank, name, score and, where asked for, the interval: best first."""
    ranks = fitted.rank(ties=ties)
    order = np.argsort(-fitted.scores_, kind="stable")[:top]
    names = ["rank", name, "score"]
    columns: list[Any] = [ranks[order], [labels[i] for i in order], fitted.scores_[order]]
    if spread is not None:
        names += ["lowest_rank", "highest_rank"]
        columns += [spread.low[order], spread.high[order]]
    rows = list(zip(*(output.plain(list(column)) for column in columns), strict=True))
    if as_json:
        output.write_json([dict(zip(names, row, strict=True)) for row in rows], path)
        return
    output.write_table(table, names, [[table.text(cell) for cell in row] for row in rows], path)


def summary(fitted: Any, method: Method) -> str:
    """Say what was found and what is proved."""
    if method is Method.RPC:
        shapes = ", ".join(f"{name} {shape}" for name, shape in fitted.shapes_.items())
        return "\n".join(
            [
                f"curve of degree {fitted.degree}: {fitted.explained_variance_:.1%} of the variance explained",
                f"along the score: {shapes}",
                f"proved: {fitted.monotonicity_}",
                f"proved: {fitted.stationarity_}",
            ]
        )
    if method is Method.PCA:
        return f"first principal component, {fitted.explained_variance_:.1%} of the variance explained"
    if method is Method.KEMENY:
        proof = "proved optimal" if fitted.optimal_ else f"not proved: no order has fewer than {fitted.bound_:g}"
        return f"{fitted.cost_:g} weighted disagreements with the attributes' rankings, {proof}"
    if method is Method.FOOTRULE:
        return f"total footrule distance {fitted.cost_:g}; " + "; ".join(str(proof) for proof in fitted.certificates_)
    if method is Method.MEDIAN:
        return "ranked by the mean location over the attributes' rankings"
    return "ranked by the weighted mean of the scaled attributes"


def _questioned(why: str, method: Method, labels: list[str]) -> tuple[str, str]:
    """Read the two objects of --why, before anything is computed."""
    from monoopt.estimators.ranking import position_of

    pair = _pair(why, "--why")
    if method not in SCORING:
        raise OptionError(f"--why works with --method rpc, weighted and pca, not with {method.value}")
    for name in pair:
        position_of(name, labels)
    return pair


def _plot(fitted: Any, spread: RankIntervals | None, method: Method, path: str) -> None:
    """Draw the curve; for other methods the intervals if there are any, else the attributes by score."""
    try:
        from monoopt.report import plots_rank

        if method is Method.RPC:
            figure = plots_rank.plot_curve(fitted)
        else:
            figure = plots_rank.plot_scores(fitted) if spread is None else plots_rank.plot_intervals(spread)
        figure.savefig(path, dpi=150)
        if spread is not None and method is Method.RPC:
            stem = Path(path)
            plots_rank.plot_intervals(spread).savefig(stem.with_name(f"{stem.stem}_intervals{stem.suffix}"), dpi=150)
    except ImportError as error:
        raise OptionError("--plot needs matplotlib: pip install 'monoopt[plot]'") from error
    except OSError as error:
        raise OptionError(f"can't write {path}: {error.strerror or error}") from error


def demo_rank(solver: str, seed: int, as_json: bool) -> None:
    """Rank the countries that come with the package, and show what is proved."""
    from monoopt.datasets import load_countries
    from monoopt.estimators import FirstPrincipalComponent, RankingPrincipalCurve, bootstrap_ranks

    countries = load_countries()
    columns, names = countries.columns(), list(countries.objects)
    curve = RankingPrincipalCurve(directions=countries.directions, solver=solver, random_state=seed)
    fitted = curve.fit(columns, objects=names)
    line = FirstPrincipalComponent(directions=countries.directions).fit(columns, objects=names)
    spread = bootstrap_ranks(curve, columns, n_boot=50, random_state=seed, objects=names)
    order = np.argsort(-fitted.scores_, kind="stable")[:10]
    ranks, other = fitted.rank(), line.rank()
    head = ["rank", "country", "score", "interval", "first component"]
    rows = [
        [int(ranks[i]), names[i], float(fitted.scores_[i]), f"{spread.low[i]:g} to {spread.high[i]:g}", int(other[i])]
        for i in order
    ]
    first, second = names[order[0]], names[order[1]]
    if as_json:
        records = [dict(zip(head, row, strict=True)) for row in rows]
        proofs = {"monotone": str(fitted.monotonicity_), "stationary": str(fitted.stationarity_)}
        output.write_json(
            {"source": countries.source, "licence": countries.licence, "ranking": records, "proofs": proofs}
        )
        return
    output.write(
        f"{len(names)} countries by {', '.join(countries.feature_names)}. From {countries.source}.\n\n"
        f"A curve of degree {fitted.degree} explains {fitted.explained_variance_:.1%} of the variance, "
        f"the first principal component {line.explained_variance_:.1%}.\n"
    )
    output.draw_table("", head, rows)
    output.write(
        f"\n   Why {first} is above {second}, in points of the score:\n   "
        + str(fitted.compare(first, second)).replace("\n", "\n   ")
        + f"\n\n   Proved, no solver trusted: {fitted.monotonicity_};\n   {fitted.stationarity_}.\n\n"
        "Your own data: monoopt rank data.csv --id COLUMN --up A,B --down C --intervals 500\n"
    )
