"""What the columns of a table mean: attributes with directions, ordered labels, weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from monoopt.cli import output
from monoopt.cli.tables import Table
from monoopt.errors import DataError, OptionError, nearest, refuse

SHOWN = 20
"""Labels shown in a message."""

ATTRIBUTES = ("--up", "--down", "--free", "--levels")
"""Options that make a column an attribute."""


@dataclass(frozen=True)
class Roles:
    """Which column plays which part, in the user's words."""

    target: str
    order: list[str] = field(default_factory=list)
    up: list[str] = field(default_factory=list)
    down: list[str] = field(default_factory=list)
    free: list[str] = field(default_factory=list)
    id: str | None = None
    weight: str | None = None
    ignore: list[str] = field(default_factory=list)
    levels: dict[str, list[str]] = field(default_factory=dict)

    def attributes(self, table: Table) -> dict[str, int]:
        """Return the attributes with their directions: every column without another part, a gain unless told.

        Raises
        ------
        OptionError
            Lists every unknown name and every column with two parts.
        """
        parts = [
            ("--target", [self.target] if self.target else []), ("--id", [self.id] if self.id else []),
            ("--weight", [self.weight] if self.weight else []), ("--ignore", self.ignore),
            ("--up", self.up), ("--down", self.down), ("--free", self.free), ("--levels", list(self.levels)),
        ]  # fmt: skip
        faults: list[str] = []
        part_of: dict[str, str] = {}
        for option, names in parts:
            for name in names:
                if name not in table.names:
                    faults.append(f"{option} {name!r}: no such column{nearest(name, table.names)}")
                elif part_of.setdefault(name, option) != option:
                    faults.append(f"{option} {name!r}: it is {part_of[name]} already")
        chosen = [name for name in table.names if part_of.get(name, "--up") in ATTRIBUTES]
        if not chosen and not faults:
            faults.append("no attribute is left")
        if faults:
            raise OptionError(f"{table.source} has the columns {', '.join(table.names)}; " + "; ".join(faults))
        sign = {"--down": -1, "--free": 0}
        return {name: sign.get(part_of.get(name, "--up"), 1) for name in chosen}


@dataclass(frozen=True)
class Objects:
    """A table read as objects with attributes, labels and weights.

    Attributes
    ----------
    columns : dict of str to ndarray
        The attributes: numbers (missing: NaN) or categories (missing: None).
    y : ndarray
    directions : dict of str to (int or list of str)
        A list holds the categories of a gain, worst first.
    order, weights
        Of the labels, of the objects.
    table : Table
    """

    columns: dict[str, np.ndarray]
    y: np.ndarray
    directions: dict[str, Any]
    order: list[object] | None
    weights: np.ndarray | None
    table: Table


def read_objects(table: Table, roles: Roles, *, gaps: bool = False) -> Objects:
    """Read attributes, labels and weights; every bad cell of all of them is listed in one error."""
    signs = roles.attributes(table)
    faults: list[str] = []
    categories = dict[str, list[str] | None](roles.levels)
    for name, sign in signs.items():
        share = table.share_of_text(name)
        if name not in roles.levels and (share == 1 or (sign == 0 and share > 0.5)):
            categories[name] = None
    for name in [name for name, listed in categories.items() if listed is None and signs[name]]:
        seen = ", ".join(list(dict.fromkeys(cell for cell in table.column(name) if not table.missing(cell)))[:SHOWN])
        advice = f"say --free {name}, --ignore {name}, or list them worst first: --levels {name}=..."
        faults.append(f"column {name!r} holds text ({seen}), which has no order of its own: {advice}")
    columns = read_columns(table, list(signs), categories, gaps, faults)
    y = _or_faults(lambda: table.labels(roles.target), faults)
    weight = roles.weight
    weights = _or_faults(lambda: table.numbers([weight])[:, 0], faults) if weight else None
    if not gaps and any(": missing" in fault for fault in faults):
        faults[-1] += " (missing cells: fill them in, leave them out, or say what they are with --missing)"
    refuse(faults, f"{table.source}: {len(faults)} fault(s)")
    for name, column in columns.items():
        if name not in categories and is_row_number(column):
            output.log(f"warning: {name!r} counts the rows; if it names them, say --id {name}", style="yellow")
    directions = {name: roles.levels.get(name, sign) for name, sign in signs.items()}
    return Objects(columns, y, directions, _order(roles.order, y, table), weights, table)


def read_columns(
    table: Table, names: Sequence[str], categories: Mapping[str, Sequence[Any] | None], gaps: bool, faults: list[str]
) -> dict[str, np.ndarray]:
    """Read attributes: those with categories as such (None: any text), the others as numbers; note what can't be."""
    numeric = [name for name in names if name not in categories]
    numbers = _or_faults(lambda: table.numbers(numeric, gaps=gaps), faults)
    found = dict(zip(numeric, numbers.T, strict=False))
    for name, known in categories.items():
        found[name] = _or_faults(lambda name=name, known=known: table.words(name, known, gaps=gaps), faults)  # type: ignore[misc]
    return {name: found[name] for name in names if name in found}


def is_row_number(values: np.ndarray) -> bool:
    """Tell whether a column just counts the rows, as identifiers written by other tools do."""
    return len(values) > 2 and bool((np.diff(values) == 1).all())


def _or_faults(read: Callable[[], np.ndarray], faults: list[str]) -> np.ndarray:
    """Read, or note what can't be read."""
    try:
        return read()
    except DataError as error:
        faults += error.faults
        return np.empty((0, 0))


def _order(order: list[str], y: np.ndarray, table: Table) -> list[object] | None:
    """Return the labels in order, as numbers where the labels are numbers; text has no order of its own."""
    seen = list(dict.fromkeys(y.tolist()))
    if not order and y.dtype.kind == "U":
        trap = " < ".join(sorted(seen)[:SHOWN])
        example = ",".join(seen[:SHOWN])
        raise DataError(
            f"{table.source}: the labels are text, which has no order (alphabetically: {trap}, seldom what is meant); "
            f"give --order from worst to best, for example --order {example}"
        )
    if not order:
        return None
    if y.dtype.kind == "U":
        return list(order)
    number = table.dialect.number
    return [y.dtype.type(word.replace(",", ".")) if number.fullmatch(word) else word for word in order]
