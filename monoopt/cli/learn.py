"""``monoopt fit`` and ``monoopt predict``: monotone rules from one CSV file, answers for another."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import numpy as np
import typer

from monoopt.cli import options, output, store
from monoopt.cli.columns import read_objects
from monoopt.cli.tables import Table, read_table
from monoopt.errors import DataError, OptionError


class Pricing(Enum):
    """How the best rule is found."""

    SEARCH = "search"
    ENUMERATION = "enumeration"
    PROGRAM = "program"


def fit(
    data: options.Data,
    target: options.Target,
    order: options.Order = None,
    up: options.Up = None,
    down: options.Down = None,
    free: options.Free = None,
    levels: options.Levels = None,
    missing: options.Gaps = options.Missing.ERROR,
    id: options.Id = None,
    weight: options.Weight = None,
    ignore: options.Ignore = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the fitted rules go; - is standard output.")] = "-",
    penalty: Annotated[float | None, typer.Option("--penalty", help="Of the soft margin; hard if not given.")] = None,
    pricing: Annotated[Pricing, typer.Option("--pricing", help="How the best rule is found.")] = Pricing.SEARCH,
    max_rules: Annotated[
        str | None, typer.Option("--max-rules", help="Rules per question: a number, or fewest; the largest margin's.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option("--plot", help="Write a picture of margin, rules and error by step: png, svg or pdf.")
    ] = None,
    solver: options.Solver = "highs",
    time_limit: options.TimeLimit = None,
    tolerance: options.Tolerance = None,
    threads: options.Threads = 1,
    seed: options.Seed = 0,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = None,
    null_value: options.NullValue = None,
    skip_lines: options.SkipLines = 0,
    no_header: options.NoHeader = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit monotone rules of proved largest margin and write them as JSON (never a pickle).

    The rules, their margins and what is proved are shown on standard error. Questions "at least class k?" are fitted
    on as many processes as there are threads. At a time limit the best rules so far are written, and it leaves with 5.
    """
    from monoopt.estimators import LPRulesClassifier

    output.check_picture(plot)
    dialect = options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header)
    table = read_table(data, dialect)
    roles = options.roles(target, order, up, down, free, id, weight, ignore, levels)
    objects = read_objects(table, roles, gaps=missing is not options.Missing.ERROR)
    estimator = LPRulesClassifier(
        directions=objects.directions,
        order=objects.order,
        missing=missing.value,
        solver=solver,
        D=penalty,
        max_rules=int(max_rules) if max_rules is not None and max_rules.isdecimal() else max_rules,
        pricing=pricing.value,
        tolerance=1e-6 if tolerance is None else tolerance,
        time_limit=time_limit,
        n_jobs=threads,
        random_state=seed,
    )
    with output.at_work(f"learning from {len(table)} objects", quiet):
        estimator.fit(objects.columns, objects.y, objects.weights)
    store.save(store.Saved(estimator, {"source": table.source, "sha256": table.sha256, "target": target}), out)
    if plot:
        _plot(estimator, plot)
    if not quiet:
        output.log(summary(estimator))
    if not all(certificate.ok for certificate in estimator.certificates_):
        output.log("a limit was reached: the rules are monotone, and not all margins are proved to be largest")
        raise typer.Exit(output.LIMIT_REACHED)


def _plot(estimator: Any, path: str) -> None:
    """Draw the path of every question."""
    try:
        from monoopt.report.plots_rules import plot_margin_path

        plot_margin_path(estimator).savefig(path, dpi=150)
    except ImportError as error:
        raise OptionError("--plot needs matplotlib: pip install 'monoopt[plot]'") from error
    except OSError as error:
        raise OptionError(f"can't write {path}: {error.strerror or error}") from error


def summary(estimator: Any) -> str:
    """Say what was relabelled, the rules with their margins, and what is proved."""
    proved = sum(certificate.ok for certificate in estimator.certificates_)
    return "\n".join(
        [
            str(estimator.relabelling_),
            str(estimator.rules_),
            f"{proved} of {len(estimator.certificates_)} certificates hold; {estimator.verify()}",
        ]
    )


def predict(
    fitted: options.Fitted,
    data: options.Data,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add the lowest and highest label that the training data allow.")
    ] = False,
    into: Annotated[str, typer.Option("--into", help="Name of the new column.")] = "prediction",
    out: Annotated[str, typer.Option("--out", "-o", help="Where the answers go; - is standard output.")] = "-",
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = None,
    null_value: options.NullValue = None,
    skip_lines: options.SkipLines = 0,
    no_header: options.NoHeader = False,
    json: options.Json = False,
) -> None:
    """Label new objects: the table as it came, with a new column (and with --intervals three more).

    Columns are found by name, in any order. An interval of one label means that the training data leave no choice;
    outside_range tells objects beyond the range of the training data in some attribute.
    """
    saved = store.load_for(fitted, data)
    table = read_table(data, options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header))
    columns = saved.columns(table)
    answers: dict[str, np.ndarray] = {into: saved.estimator.predict(columns)}
    if intervals:
        ends = saved.estimator.predict_interval(columns)
        outside = np.where(saved.estimator.outside_range(columns), "yes", "no")
        answers |= {"lowest": ends[:, 0], "highest": ends[:, 1], "outside_range": outside}
    _write(table, answers, json, out)


def _write(table: Table, answers: dict[str, np.ndarray], as_json: bool, path: str) -> None:
    """Write the table with the answers beside it, in its own dialect or as JSON."""
    taken = [name for name in answers if name in table.names]
    if taken:
        raise DataError(f"{table.source} has a column {taken[0]!r} already: drop it, or name the new one with --into")
    names = [*table.names, *answers]
    new = list(zip(*(values.tolist() for values in answers.values()), strict=True))
    if as_json:
        records = [{**dict(zip(table.names, row, strict=True)), **dict(zip(answers, more, strict=True))}
                   for row, more in zip(table.rows, new, strict=True)]  # fmt: skip
        output.write_json(records, path)
        return
    rows = [[*row, *map(table.text, more)] for row, more in zip(table.rows, new, strict=True)]
    output.write_table(table, names, rows, path)
