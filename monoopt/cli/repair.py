"""``monoopt repair``: the least change of labels after which no better object has a lower label."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import numpy as np
import typer

from monoopt.algorithms.ordinal_data import read_ordinal_data
from monoopt.algorithms.relabelling import Relabelling, relabel_data
from monoopt.algorithms.words import Words
from monoopt.cli import options, output
from monoopt.cli.columns import Objects, Roles, read_objects
from monoopt.cli.tables import read_table

CONFLICTS = "changed objects compared with all others"
LISTED = 100
"""Contradictions of one changed object that JSON lists; it counts all, and --conflicts lists all."""


class Tie(Enum):
    """Which of the relabellings of least cost."""

    LEAST = "least"
    GREATEST = "greatest"


class Loss(Enum):
    """What it costs to move a label by some classes."""

    ABSOLUTE = "absolute"
    SQUARED = "squared"


def repair(
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
    tie: Annotated[Tie, typer.Option("--tie", help="Of several least changes the lowest or the highest.")] = Tie.LEAST,
    loss: Annotated[Loss, typer.Option("--loss", help="Of moving a label.")] = Loss.ABSOLUTE,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the repaired table goes; - is standard output.")] = "-",
    conflicts: Annotated[
        str | None,
        typer.Option("--conflicts", help="Write the contradictions of every changed object to this CSV file."),
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
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Change labels as little as possible so that no object is labelled below one that it dominates.

    Writes the table with repaired labels; the cost comes with a proof that no other labels cost less.
    """
    dialect = options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header)
    roles = options.roles(target, order, up, down, free, id, weight, ignore, levels)
    objects = read_objects(read_table(data, dialect), roles, gaps=missing is not options.Missing.ERROR)
    known = read_ordinal_data(
        objects.columns, objects.y, objects.directions, objects.weights, objects.order, missing.value
    )
    known.warn()
    words = Words(solver, time_limit, tolerance, None, threads, seed)
    progress = None if quiet else output.Progress(known.n_classes - 1, "questions answered")
    answer = relabel_data(known, loss.value, tie.value, words, progress)
    if not quiet:
        output.log(str(answer))
    if conflicts is not None:
        write_conflicts(answer, objects, roles, conflicts, quiet)
    if json:
        output.write_json(as_record(answer, objects, roles, quiet), out)
    else:
        write_repaired(answer, objects, roles, out)


def label_texts(labels: np.ndarray, objects: Objects, target: str) -> list[str]:
    """Write labels as the table does: in the text of a cell that has this label."""
    table = objects.table
    text_of: dict[Any, str] = {}
    for label, cell in zip(objects.y.tolist(), table.column(target), strict=True):
        text_of.setdefault(label, cell)
    return [text_of.get(label) or table.text(label) for label in labels.tolist()]


def write_repaired(answer: Relabelling, objects: Objects, roles: Roles, path: str) -> None:
    """Write the table as it came, with the new labels in the target's column."""
    table, place = objects.table, objects.table.place(roles.target)
    texts = label_texts(answer.labels, objects, roles.target)
    rows = [[*row[:place], text, *row[place + 1 :]] for row, text in zip(table.rows, texts, strict=True)]
    output.write_table(table, table.names, rows, path)


def write_conflicts(answer: Relabelling, objects: Objects, roles: Roles, path: str, quiet: bool) -> None:
    """Write one row for each changed object and object that its old label contradicted, side by side."""
    table = objects.table
    name = table.column(roles.id) if roles.id else [f"line {line}" for line in table.lines]
    old = table.column(roles.target)
    new = label_texts(answer.labels, objects, roles.target)
    rows = (
        [name[i], old[i], new[i], name[j], old[j], new[j]]
        for i, partners in output.watched(answer.conflicts.items(), CONFLICTS, quiet)
        for j in partners.tolist()
    )
    head = ("changed", "label", "new label", "contradicted", "its label", "its new label")
    output.write_csv(head, rows, path)


def as_record(answer: Relabelling, objects: Objects, roles: Roles, quiet: bool) -> dict[str, Any]:
    """Return the relabelling with its proof, ready for JSON."""
    table = objects.table
    texts, old = label_texts(answer.labels, objects, roles.target), table.column(roles.target)
    names = table.column(roles.id) if roles.id else [None] * len(table)
    return {
        "source": table.source,
        "sha256": table.sha256,
        "objects": len(table),
        "cost": answer.cost,
        "labels": answer.labels,
        "changed": [
            {
                "line": table.lines[i],
                "id": names[i],
                "label": old[i],
                "new_label": texts[i],
                "contradictions": len(partners),
                "contradicts_lines": [table.lines[j] for j in partners[:LISTED].tolist()],
            }
            for i, partners in output.watched(answer.conflicts.items(), CONFLICTS, quiet)
        ],
        "certificates": [
            {"question": f"at least {answer.classes[k]}", "ok": proof.ok, "exact": proof.exact, "says": str(proof)}
            for k, proof in enumerate(answer.certificates, start=1)
        ],
        "directions": objects.directions,
    }
