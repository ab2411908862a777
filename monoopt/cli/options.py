"""The words that several commands share, with one meaning everywhere."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from monoopt.cli.columns import Roles
from monoopt.cli.tables import Dialect
from monoopt.errors import OptionError

SOLVING, READING, MEANING = "Solving", "How the CSV is written", "What the columns mean"


class Missing(Enum):
    """What missing cells are."""

    ERROR = "error"
    INCOMPARABLE = "incomparable"
    WORST = "worst"


Solver = Annotated[
    str, typer.Option("--solver", help="Any name that `monoopt solvers` lists.", rich_help_panel=SOLVING)
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", help="Seconds for the programs to be solved.", min=0, rich_help_panel=SOLVING),
]
Threads = Annotated[int, typer.Option("--threads", help="Threads of the solver.", min=1, rich_help_panel=SOLVING)]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.", min=0, rich_help_panel=SOLVING)]
Tolerance = Annotated[
    float | None,
    typer.Option("--tolerance", help="Relative tolerance of the answer.", min=0, rich_help_panel=SOLVING),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON instead of CSV.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error unless it fails.")]

Fitted = Annotated[str, typer.Argument(help="A file that `monoopt fit` wrote.", metavar="RULES.json")]
Data = Annotated[str, typer.Argument(help="A CSV file, or - for standard input.", metavar="DATA.csv")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column of the labels.", rich_help_panel=MEANING)]
Order = Annotated[
    str | None,
    typer.Option("--order", help="All labels, worst first: low,medium,high.", rich_help_panel=MEANING),
]
Up = Annotated[
    list[str] | None,
    typer.Option("--up", help="Attributes where more is better (all, unless said otherwise).", rich_help_panel=MEANING),
]
Down = Annotated[
    list[str] | None, typer.Option("--down", help="Attributes where less is better.", rich_help_panel=MEANING)
]
Free = Annotated[
    list[str] | None,
    typer.Option("--free", help="Attributes without a better side; may be text.", rich_help_panel=MEANING),
]
Levels = Annotated[
    list[str] | None,
    typer.Option("--levels", help="Categories of text, worst first: safety=low,med,high.", rich_help_panel=MEANING),
]
Gaps = Annotated[
    Missing,
    typer.Option("--missing", help="Missing cells: refused, of no comparison, or worst.", rich_help_panel=MEANING),
]
Id = Annotated[str | None, typer.Option("--id", help="Column that names the objects.", rich_help_panel=MEANING)]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", help="Columns to leave out.", rich_help_panel=MEANING)]
Weight = Annotated[
    str | None, typer.Option("--weight", help="Column of the objects' weights.", rich_help_panel=MEANING)
]

Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", "-d", help="Found if not given; \\t is a tab.", rich_help_panel=READING),
]
Decimal = Annotated[str, typer.Option("--decimal", help="Decimal sign: '.' or ','.", rich_help_panel=READING)]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", "-e", help="UTF-8 or the file's byte order mark if not given.", rich_help_panel=READING),
]
NullValue = Annotated[
    list[str] | None,
    typer.Option("--null-value", help="Text of a missing cell, beside the empty one.", rich_help_panel=READING),
]
SkipLines = Annotated[
    int, typer.Option("--skip-lines", "-K", help="Lines before the table.", min=0, rich_help_panel=READING)
]
NoHeader = Annotated[
    bool,
    typer.Option("--no-header", "-H", help="Columns are called column1, column2, ...", rich_help_panel=READING),
]


def dialect(
    delimiter: str | None,
    decimal: str,
    encoding: str | None,
    null_value: list[str] | None,
    skip_lines: int,
    no_header: bool,
) -> Dialect:
    """Return how the CSV is written, in the user's words."""
    delimiter = "\t" if delimiter in ("\\t", "tab") else delimiter
    return Dialect(delimiter, decimal, encoding, tuple(null_value or ()), skip_lines, not no_header)


def roles(
    target: str,
    order: str | None,
    up: list[str] | None,
    down: list[str] | None,
    free: list[str] | None,
    id: str | None,
    weight: str | None,
    ignore: list[str] | None,
    levels: list[str] | None,
) -> Roles:
    """Return what the columns mean, in the user's words."""
    labels = words([order]) if order else []
    return Roles(target, labels, words(up), words(down), words(free), id, weight, words(ignore), _levels(levels))


def _levels(entries: list[str] | None) -> dict[str, list[str]]:
    """Return the categories of every column named: at least two, each once."""
    found = {}
    for entry in entries or []:
        name, sign, rest = entry.partition("=")
        listed = words([rest])
        if not sign or len(listed) < 2 or len(set(listed)) < len(listed):
            raise OptionError(
                f"--levels {entry!r}: wanted a column and its categories, worst first: safety=low,med,high"
            )
        found[name.strip()] = listed
    return found


def words(entries: list[str] | None) -> list[str]:
    """Return the names of options that may be repeated or hold several, cut by commas."""
    return [word.strip() for entry in entries or [] for word in entry.split(",") if word.strip()]
