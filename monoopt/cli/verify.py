"""``monoopt verify``: what is proved of fitted rules, and every comparable pair of a table checked."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from monoopt.cli import options, output, store
from monoopt.cli.tables import read_table

HEAD = ("check", "finding", "verdict")
HELD, BROKEN, OPEN = "holds", "BROKEN", "not proved"
SLACK = 1e-9  # of margins that were rounded


def verify(
    fitted: options.Fitted,
    data: Annotated[
        str | None, typer.Argument(help="Objects to compare; those of the fit if not given.", metavar="[DATA.csv]")
    ] = None,
    grid: Annotated[int, typer.Option("--grid", help="Points on, between and beyond thresholds.", min=0)] = 1000,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = None,
    null_value: options.NullValue = None,
    skip_lines: options.SkipLines = 0,
    no_header: options.NoHeader = False,
    json: options.Json = False,
) -> None:
    """Prove that answers never fall when an object gets better; leaves with 3 if they do, or if a proof is missing.

    By the form of every rule, for all objects; by counting over all comparable pairs, and on a grid of thresholds.
    Margins are computed again from rules and objects; certificates are shown as the fit recorded them, and one that
    proved nothing, or a file that was changed after it was written, is a proof that is missing.
    """
    saved = store.load_for(fitted, data)
    columns = None
    if data is not None:
        table = read_table(data, options.dialect(delimiter, decimal, encoding, null_value, skip_lines, no_header))
        columns = saved.columns(table)
    words = {"grid": grid} if hasattr(saved.estimator, "votes") else {}
    check = saved.estimator.verify(columns, **words)
    where = "objects of the fit" if data is None else f"objects of {data}"
    rows = [
        ("form", "monotone" if check.by_form else "not monotone", _verdict(check.by_form)),
        (where, f"{check.violations} of {check.pairs} comparable pairs violated", _verdict(not check.violations)),
    ]
    if check.worst is not None:
        rows.append(("worst pair", "objects {} and {}".format(*(row + 1 for row in check.worst)), BROKEN))
    if words and grid:
        found = f"{check.grid_violations} of {check.grid_pairs} comparable pairs violated"
        rows.append(("grid of thresholds", found, _verdict(not check.grid_violations)))
    rows += _proofs(saved.estimator)
    written = "as it was written" if saved.intact else "changed after it was written: its checksum does not fit"
    rows.append(("file", written, _verdict(saved.intact)))
    output.show_table("Verification", HEAD, rows, json)
    failed = [check for check, _, verdict in rows if verdict in (BROKEN, OPEN)]
    if failed:
        output.log(f"not verified: {'; '.join(failed)}")
        raise typer.Exit(output.UNVERIFIED)


def _verdict(held: bool) -> str:
    return HELD if held else BROKEN


def _proofs(estimator: Any) -> list[tuple[str, str, str]]:
    """Certificates of the fit as they were recorded; of votes also the margins, computed anew."""
    certificates = [(str(proof), HELD if proof.ok else OPEN) for proof in estimator.certificates_]
    if not hasattr(estimator, "margin_report"):
        return [(f"program {place}, as recorded", *found) for place, found in enumerate(certificates, start=1)]
    rows = []
    questions = [f"at least {label}" for label in estimator.classes_[1:]]
    smallest = estimator.margin_report().smallest if questions else []
    for question, again, kept, bound in zip(questions, smallest, estimator.margins_, estimator.bounds_, strict=True):
        margins = f"smallest margin {again:.6g}, recorded {kept:.6g}, bound {bound:.6g}"
        word = "soft" if estimator.max_rules is None else "chosen"
        rows.append((question, margins, _verdict(again >= kept - SLACK) if _hard(estimator) else word))
    for place, found in enumerate(certificates):
        part, k = divmod(place, len(questions))
        rows.append((f"{'margin' if part else 'relabelling'} of {questions[k]}, as recorded", *found))
    return rows


def _hard(estimator: Any) -> bool:
    """Whether margins are surely those of all objects: no object was allowed to lie within."""
    return estimator.D is None and not estimator.nu and estimator.max_rules is None
