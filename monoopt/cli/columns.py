"""What the columns of a table mean: attributes with directions, ordered labels, weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from monoopt.cli import output
from monoopt.cli.tables import Table
from monoopt.errors import DataError, OptionError, nearest, refuse

SHOWN = 20
"""Labels shown in a message."""


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
            ("--up", self.up), ("--down", self.down), ("--free", self.free),
        ]  # fmt: skip
        faults: list[str] = []
        part_of: dict[str, str] = {}
        for option, names in parts:
            for name in names:
                if name not in table.names:
                    faults.append(f"{option} {name!r}: no such column{nearest(name, table.names)}")
                elif part_of.setdefault(name, option) != option:
                    faults.append(f"{option} {name!r}: it is {part_of[name]} already")
        chosen = [name for name in table.names if part_of.get(name, "--up") in ("--up", "--down", "--free")]
        if not chosen and not faults:
            faults.append("no attribute is left")
        if faults:
            raise OptionError(f"{table.source} has the columns {', '.join(table.names)}; " + "; ".join(faults))
        sign = {"--down": -1, "--free": 0}
        return {name: sign.get(part_of.get(name, "--up"), 1) for name in chosen}


@dataclass(frozen=True)
class Objects:
    """A table read as objects with attributes, labels and weights."""

    X: np.ndarray
    y: np.ndarray
    directions: dict[str, int]
    order: list[object] | None
    weights: np.ndarray | None
    table: Table

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The attributes by name."""
        return dict(zip(self.directions, self.X.T, strict=True))


def read_objects(table: Table, roles: Roles) -> Objects:
    """Read attributes, labels and weights; every bad cell of all of them is listed in one error."""
    directions = roles.attributes(table)
    faults: list[str] = []
    X = _or_faults(lambda: table.numbers(list(directions)), faults)
    y = _or_faults(lambda: table.labels(roles.target), faults)
    weight = roles.weight
    weights = _or_faults(lambda: table.numbers([weight])[:, 0], faults) if weight else None
    refuse(faults, f"{table.source}: {len(faults)} bad cell(s)")
    for name, column in zip(directions, X.T, strict=True):
        if is_row_number(column):
            output.log(f"warning: {name!r} counts the rows; if it names them, say --id {name}", style="yellow")
    return Objects(X, y, directions, _order(roles.order, y, table), weights, table)


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
