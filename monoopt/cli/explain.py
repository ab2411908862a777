"""``monoopt explain``: why objects are in their classes, why one is above another, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer

from monoopt.cli import options, output, store
from monoopt.cli.tables import Table, read_table
from monoopt.errors import OptionError


def explain(
    fitted: options.Fitted,
    data: options.Data,
    row: Annotated[
        list[int] | None, typer.Option("--row", help="Objects to explain, the first is 1; all if not given.", min=1)
    ] = None,
    against: Annotated[
        int | None, typer.Option("--against", help="Say why they are above or below this object.", min=1)
    ] = None,
    reach: Annotated[str | None, typer.Option("--reach", help="Say what would bring them into this class.")] = None,
    fixed: Annotated[list[str] | None, typer.Option("--fixed", help="Attributes that can't change.")] = None,
    top: Annotated[int, typer.Option("--top", help="Reasons of each kind.", min=1)] = 4,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = None,
    null_value: options.NullValue = None,
    skip_lines: options.SkipLines = 0,
    no_header: options.NoHeader = False,
    json: options.Json = False,
) -> None:
    """Explain classes: rules that fired, what keeps objects from the next class, training objects that bound theirs.

    With --against, the rules that tell two objects apart; with --reach, the cheapest change that brings a class.
    """
    saved = store.load_for(fitted, data)
    table = read_table(data, options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header))
    asked = [("explain", True), ("compare", against is not None), ("recourse", reach is not None)]
    if not all(hasattr(saved.estimator, word) for word, wanted in asked if wanted):
        what = "no reasons to give" if not hasattr(saved.estimator, "explain") else "no --against and no --reach"
        raise OptionError(f"{fitted} holds {type(saved.estimator).__name__}, which has {what}")
    columns = saved.columns(table)
    chosen = _chosen([*(row or []), *([against] if against else [])], table)
    places = chosen[: len(row)] if row else list(range(len(table)))
    found = saved.estimator.explain({name: cells[places] for name, cells in columns.items()}, top)
    records = []
    for place, explanation in zip(places, found, strict=True):
        answers: dict[str, Any] = {"explanation": explanation}
        if against is not None:
            answers["comparison"] = saved.estimator.compare(_one(columns, place), _one(columns, chosen[-1]))
        if reach is not None:
            answers["recourse"] = _recourse(saved.estimator, _one(columns, place), reach, fixed)
        records.append((place, answers))
    if json:
        output.write_json([_record(table, place, answers) for place, answers in records])
    else:
        output.show_text("\n\n".join(_text(table, place, answers, against) for place, answers in records))


def _chosen(rows: Sequence[int], table: Table) -> list[int]:
    """Positions of objects counted from 1."""
    beyond = [str(row) for row in rows if row > len(table)]
    if beyond:
        raise OptionError(f"no object {', '.join(beyond)}: {table.source} has {len(table)}, the first is 1")
    return [row - 1 for row in rows]


def _one(columns: dict[str, np.ndarray], place: int) -> dict[str, np.ndarray]:
    return {name: cells[[place]] for name, cells in columns.items()}


def _recourse(estimator: Any, x: dict[str, np.ndarray], reach: str, fixed: list[str] | None) -> Any:
    """The cheapest change; the class may be written as text."""
    target = next((label for label in estimator.classes_.tolist() if str(label) == reach), reach)
    return estimator.recourse(x, target, fixed=options.words(fixed))


def _text(table: Table, place: int, answers: dict[str, Any], against: int | None) -> str:
    heads = {
        "explanation": f"object {place + 1} (line {table.lines[place]})",
        "comparison": f"object {place + 1} beside object {against}",
        "recourse": "the cheapest change",
    }
    return "\n".join(f"{heads[kind]}: {answer}" for kind, answer in answers.items())


def _record(table: Table, place: int, answers: dict[str, Any]) -> dict[str, Any]:
    """Plain data for JSON."""
    found: dict[str, Any] = {"object": place + 1, "line": table.lines[place]}
    for kind, answer in answers.items():
        found[kind] = answer.to_dict()
    return found
