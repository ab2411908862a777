"""Data to standard output, words to standard error, and the exit codes."""

from __future__ import annotations

import csv
import json
import math
import sys
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import numpy as np

from monoopt.errors import DataError, MonooptError, OptionError
from monoopt.program import Status

if TYPE_CHECKING:
    from monoopt.cli.tables import Table

T = TypeVar("T")

FINE, USAGE, BAD_DATA, UNVERIFIED, NO_OPTIMUM, LIMIT_REACHED, NO_SOLVER = range(7)
PICTURES = (".png", ".svg", ".pdf")
SILENT = 2.0  # seconds
INTERNAL = 70
"""A fault of monoopt itself (EX_SOFTWARE of sysexits.h)."""

CODES = {
    Status.OPTIMAL: FINE,
    Status.FEASIBLE: LIMIT_REACHED,
    Status.LIMIT: LIMIT_REACHED,
    Status.INFEASIBLE: NO_OPTIMUM,
    Status.UNBOUNDED: NO_OPTIMUM,
    Status.INFEASIBLE_OR_UNBOUNDED: NO_OPTIMUM,
    Status.NUMERICAL: UNVERIFIED,
    Status.ERROR: UNVERIFIED,
}


def code_of(status: Status) -> int:
    """Return the exit code that stands for a status."""
    return CODES[status]


def check_picture(path: str | None) -> None:
    """Refuse the name of a picture that can't be written, before anything is computed."""
    if path and Path(path).suffix.lower() not in PICTURES:
        raise OptionError(f"--plot {path!r}: wanted a name that ends in .png, .svg or .pdf")
    if path and not Path(path).parent.is_dir():
        raise OptionError(f"--plot {path!r}: there is no folder {str(Path(path).parent)!r}")


def log(message: str, style: str | None = None) -> None:
    """Say something on standard error; colours only where a terminal shows them."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True).print(message, style=style, markup=False)


class Progress:
    """Says on standard error how many steps of something are done, after two seconds, four, eight and so on.

    Call it after every step; whatever it is called with, it counts.
    """

    def __init__(self, steps: int, what: str) -> None:
        self.steps, self.what, self.done = steps, what, 0
        self.start, self.silent = time.monotonic(), SILENT

    def __call__(self, *_: object) -> None:
        """Say how far it is, if it is time to."""
        self.done += 1
        passed = time.monotonic() - self.start
        if self.done < self.steps and passed >= self.silent:
            log(f"{self.done} of {self.steps} {self.what} ({passed:.0f} s)")
            self.silent = 2 * passed


def watched(items: Collection[T], what: str, quiet: bool) -> Iterator[T]:
    """Yield the items, and say how many are done unless it has to be quiet."""
    progress = Progress(len(items), what)
    for item in items:
        yield item
        if not quiet:
            progress()


@contextmanager
def at_work(what: str, quiet: bool) -> Iterator[None]:
    """Show whoever sits at a terminal, after two seconds, that work goes on and for how long."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich import progress
    from rich.console import Console

    words = progress.TextColumn(f"{what} (at its first use on a machine numerical code is compiled)", markup=False)
    columns = progress.SpinnerColumn(), progress.TimeElapsedColumn(), words
    shown = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    shown.add_task(what, total=None)
    timer = threading.Timer(SILENT, shown.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # so that it does not start after the end
        shown.stop()


def log_error(error: MonooptError) -> None:
    """Show an error, and every fault of the data on a line of its own."""
    log(f"error: {error}", style="red")
    shown = str(error)
    if isinstance(error, DataError):
        for fault in error.faults:
            if fault not in shown:
                log(f"  - {fault}")


def write(text: str, path: str = "-") -> None:
    """Write data to a file, or to standard output for ``-``."""
    with _opened(path) as stream:
        stream.write(text)


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    """Open a file to write, or standard output for ``-``."""
    if path == "-":
        yield sys.stdout
        return
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as stream:
            yield stream
    except OSError as error:
        raise OptionError(f"can't write {path}: {error.strerror or error}") from error


def write_csv(
    names: Sequence[str] | None, rows: Iterable[Sequence[object]], path: str = "-", delimiter: str = ","
) -> None:
    """Write a table as CSV, with a header if there are names; numbers in full precision."""
    with _opened(path) as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        if names is not None:
            writer.writerow(names)
        writer.writerows([plain(cell) for cell in row] for row in rows)


def write_table(table: Table, names: Sequence[str], rows: Iterable[Sequence[object]], path: str = "-") -> None:
    """Write rows in the dialect of a table that was read."""
    write_csv(names if table.dialect.header else None, rows, path, table.dialect.delimiter or ",")


def write_json(value: object, path: str = "-") -> None:
    """Write strict JSON: numbers that JSON doesn't have (infinities, NaN) become null."""
    write(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n", path)


def plain(value: Any) -> Any:
    """Turn arrays, numpy scalars, tuples and mappings into what JSON and CSV know."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show_text(text: str) -> None:
    """Write text as data: with colours on a terminal, plain in a pipe."""
    if sys.stdout.isatty():
        from rich.console import Console

        Console(file=sys.stdout, soft_wrap=True).print(text, markup=False)
    else:
        write(text + "\n")


def show_table(title: str, names: Sequence[str], rows: Sequence[Sequence[object]], as_json: bool) -> None:
    """Write a table as data: JSON if asked, a drawn table on a terminal, CSV in a pipe."""
    if as_json:
        write_json([dict(zip(names, row, strict=True)) for row in rows])
    elif sys.stdout.isatty():
        draw_table(title, names, rows)
    else:
        write_csv(names, rows)


def draw_table(title: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Draw a table for people on standard output."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(name)
    for row in rows:
        table.add_row(*(brief(cell) for cell in row))
    Console(file=sys.stdout).print(table)


def brief(cell: object) -> str:
    """Write a cell for people: numbers to six digits, nothing for None."""
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
