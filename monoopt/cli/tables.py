"""CSV in any dialect: read once, with every bad cell named by row, column and value."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from monoopt.errors import DataError, OptionError, nearest, refuse
from monoopt.order.cells import MIXED_UP, mixed_up, read_categories

DELIMITERS = ",;\t|"
LOOKED_AT = 50
"""Lines read to find the delimiter."""

INFINITE = ("inf", "infinity")
GAPS = ("na", "n/a", "nan", "none", "null", "nil", "?", "", ".", "missing")
"""What other tools write for a missing value, in small letters and without a sign."""

UNDEFINED = (*INFINITE, "nan")

BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    Attributes
    ----------
    delimiter : str or None
        One character; None finds it among comma, semicolon, tab and bar.
    decimal : str
        The decimal sign, "." or ",". Never guessed: 1,234 can mean two things.
    encoding : str or None
        None means UTF-8, or what the file's byte order mark says.
    null_values : tuple of str
        Texts that stand for a missing value; the empty cell always does.
    skip_lines : int
        Lines before the table.
    header : bool
        Whether the first line of the table holds the names.
    """

    delimiter: str | None = None
    decimal: str = "."
    encoding: str | None = None
    null_values: tuple[str, ...] = ()
    skip_lines: int = 0
    header: bool = True

    def __post_init__(self) -> None:
        """Refuse a dialect that no file can have."""
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise OptionError(f"--delimiter wants one character (or \\t for a tab), got {self.delimiter!r}")
        if self.decimal not in (".", ","):
            raise OptionError(f"--decimal wants '.' or ',', got {self.decimal!r}")
        if self.delimiter == self.decimal:
            raise OptionError(f"--delimiter and --decimal can't both be {self.decimal!r}")

    @property
    def number(self) -> re.Pattern[str]:
        """What a finite number looks like: no blanks, no thousands, no units, no underscores."""
        point = re.escape(self.decimal)
        return re.compile(rf"[+-]?(?:\d+(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Table:
    """Cells of a CSV file as text, with the place where each row stood.

    Attributes
    ----------
    names : list of str
        Column names; a column without one is called ``column1``, ``column2``, ...
    rows : list of list of str
        Cells, stripped of surrounding blanks.
    lines : list of int
        Line of the file on which each row ends.
    source, sha256 : str
        Where it came from, and the digest of its bytes.
    dialect : Dialect
        As found.
    """

    names: list[str]
    rows: list[list[str]]
    lines: list[int]
    source: str
    sha256: str
    dialect: Dialect = field(default_factory=Dialect)

    def __len__(self) -> int:
        return len(self.rows)

    def place(self, name: str) -> int:
        """Return the position of a column; an unknown name is refused with the nearest one."""
        if name not in self.names:
            known = ", ".join(self.names)
            advice = nearest(name, self.names)
            raise OptionError(f"{self.source} has no column {name!r}{advice}; its columns are {known}")
        return self.names.index(name)

    def column(self, name: str) -> list[str]:
        """Return the cells of a column as text."""
        place = self.place(name)
        return [row[place] for row in self.rows]

    def missing(self, cell: str) -> bool:
        """Tell whether a cell stands for a missing value."""
        return cell == "" or cell in self.dialect.null_values

    def numbers(self, names: Sequence[str], *, gaps: bool = False) -> np.ndarray:
        """Return these columns as float64, or one error that lists every cell that is no finite number.

        Parameters
        ----------
        names : sequence of str
        gaps : bool
            Missing cells are NaN instead of faults.

        Raises
        ------
        DataError
            Its ``faults`` name line, column and value of all bad cells, in the order of the file.
        """
        places = [self.place(name) for name in names]
        number, comma = self.dialect.number, self.dialect.decimal == ","
        values, faults = np.empty((len(self), len(places))), []
        for i, row in enumerate(self.rows):
            for j, place in enumerate(places):
                cell = row[place]
                if number.fullmatch(cell):
                    values[i, j] = float(cell.replace(",", ".") if comma else cell)
                    if np.isfinite(values[i, j]) and not self._mixed_up(cell):
                        continue
                elif gaps and self.missing(cell):
                    values[i, j] = np.nan
                    continue
                faults.append(f"line {self.lines[i]}, column {names[j]!r}: {self._complaint(cell)}")
        refuse(faults, f"{self.source}: {len(faults)} cell(s) are no finite numbers that float64 can hold")
        return values

    def words(self, name: str, known: Sequence[Any] | None = None, *, gaps: bool = False) -> np.ndarray:
        """Return a column of categories, missing cells as None.

        Parameters
        ----------
        name : str
        known : sequence, optional
            The categories that there are; any text when not given.
        gaps : bool
            Whether cells may be missing.

        Raises
        ------
        DataError
            Lists every missing cell, unless they may be, and every cell that is no category.
        """
        cells = [None if self.missing(cell) else cell for cell in self.column(name)]
        category_of = {str(category): category for category in known or ()}
        wrong = [] if known is None else read_categories(cells, list(category_of))[1]
        wrong += [] if gaps else [(i, "missing") for i, cell in enumerate(cells) if cell is None]
        faults = [f"line {self.lines[i]}, column {name!r}: {complaint}" for i, complaint in sorted(wrong)]
        refuse(faults, f"{self.source}: {len(faults)} bad cell(s)")
        values = np.empty(len(cells), dtype=object)
        values[:] = cells if known is None else [cell if cell is None else category_of[cell] for cell in cells]
        return values

    def share_of_text(self, name: str) -> float:
        """Return the share of cells that are no numbers, not even infinite or undefined, among those that are there."""
        cells = [cell for cell in self.column(name) if not self.missing(cell) and bare(cell) not in UNDEFINED]
        return sum(self.dialect.number.fullmatch(cell) is None for cell in cells) / max(len(cells), 1)

    def labels(self, name: str) -> np.ndarray:
        """Return a column of labels: integers or floats where most cells are numbers, else text.

        Raises
        ------
        DataError
            Lists every missing label, or, where most labels are numbers, every cell that is none.
        """
        cells = self.column(name)
        places = zip(self.lines, cells, strict=True)
        gaps = [f"line {line}, column {name!r}: missing" for line, cell in places if self.missing(cell)]
        refuse(gaps, f"{self.source}: {len(gaps)} label(s) are missing")
        if 2 * sum(self.dialect.number.fullmatch(cell) is not None for cell in cells) <= len(cells):
            return np.array(cells)
        if all(re.fullmatch(r"[+-]?\d{1,18}", cell, re.ASCII) for cell in cells):
            return np.array([int(cell) for cell in cells])
        return self.numbers([name])[:, 0]

    def text(self, value: object) -> str:
        """Write a value as this table would."""
        return str(value).replace(".", self.dialect.decimal) if isinstance(value, float) else str(value)

    def _mixed_up(self, cell: str) -> bool:
        """Tell whether float64 changes a number that is written as a whole one, 9007199254740993 for example."""
        whole, _, rest = cell.partition(self.dialect.decimal)
        digits = whole.lstrip("+-0")
        return not rest.strip("0") and digits.isdecimal() and len(digits) < 310 and mixed_up(int(digits))

    def _complaint(self, cell: str) -> str:
        """Say what is wrong with a cell that is no finite number, and what to do if that is plain."""
        if self.missing(cell):
            return "missing" if cell == "" else f"missing ({cell!r})"
        if self._mixed_up(cell):
            return f"{cell!r} {MIXED_UP}"
        if self.dialect.number.fullmatch(cell) or bare(cell) in INFINITE:
            return f"{cell!r} is not finite"
        other = Dialect(decimal="," if self.dialect.decimal == "." else ".", delimiter="\t")
        if other.number.fullmatch(cell):
            return f"{cell!r} has the other decimal sign: use --decimal '{other.decimal}' if it is one"
        if bare(cell) in GAPS:
            return f"{cell!r} is text; if it means missing, say --null-value {cell!r}"
        return f"{cell!r} is text"


def bare(cell: str) -> str:
    """Return a cell in small letters, without a sign."""
    return cell.lower().lstrip("+-")


def read_table(path: str, dialect: Dialect | None = None) -> Table:
    """Read a CSV file, or standard input for ``-``.

    Raises
    ------
    OptionError
        The file can't be opened, or the encoding is unknown.
    DataError
        The bytes don't decode, there is no row, names are repeated, or rows are of uneven width: all
        of them listed.
    """
    dialect = dialect or Dialect()
    source = "standard input" if path == "-" else Path(path).name
    content = read_bytes(path)
    text = _decode(content, dialect.encoding, source)
    lines = text.splitlines(keepends=True)[dialect.skip_lines :]
    dialect = replace(dialect, delimiter=dialect.delimiter or find_delimiter(lines[:LOOKED_AT]))
    rows, places = _split("".join(lines), dialect, source)
    if not rows:
        raise DataError(f"{source} is empty: wanted a CSV table{' with a header line' if dialect.header else ''}")
    head = rows.pop(0) if dialect.header else [""] * len(rows[0])
    names = [name or f"column{j + 1}" for j, name in enumerate(head)]
    places = places[len(places) - len(rows) :]
    _refuse_shape(names, rows, places, source)
    return Table(names, rows, places, source, hashlib.sha256(content).hexdigest(), dialect)


def read_bytes(path: str) -> bytes:
    """Read a whole file, or standard input for ``-``."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise OptionError(f"can't read {path}: {error.strerror or error}") from error


def find_delimiter(lines: Iterable[str]) -> str:
    r"""Return the delimiter that cuts all lines into the same number of cells, more than one.

    Where none does, the one that cuts the first line finest wins, so that bad rows are named later.

    Examples
    --------
    >>> find_delimiter(["x;y", "1,5;2,5"])
    ';'
    >>> find_delimiter(["name\tvalue", "a, b\t1"])
    '\t'
    """
    sample = "".join(line if line.endswith(("\n", "\r")) else line + "\n" for line in lines)

    def merit(delimiter: str) -> tuple[bool, int]:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row]
        even = len(set(widths)) == 1 and widths[0] > 1
        return even, widths[0] if widths else 0

    try:
        return max(DELIMITERS, key=merit)
    except csv.Error:
        return DELIMITERS[0]


def _decode(content: bytes, encoding: str | None, source: str) -> str:
    """Turn bytes into text; say where and why when they are in another encoding."""
    marked = next((name for mark, name in BOMS.items() if content.startswith(mark)), "utf-8")
    encoding = encoding or marked
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        advice = "common ones are utf-8, cp1252, latin-1 and utf-16"
        raise OptionError(f"--encoding {encoding!r} is unknown; {advice}") from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        what = f"{source}, line {line}: byte {content[error.start]:#04x} is not {encoding}"
        raise DataError(f"{what}; give --encoding, for example cp1252 (Windows), latin-1 or utf-16") from error


def _split(text: str, dialect: Dialect, source: str) -> tuple[list[list[str]], list[int]]:
    """Cut text into rows of cells and the lines where they end; blank lines and a blank end are left out."""
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=dialect.delimiter or ",", skipinitialspace=True)
    rows, places = [], []
    try:
        for row in reader:
            if row:
                rows.append([cell.strip() for cell in row])
                places.append(reader.line_num + dialect.skip_lines)
    except csv.Error as error:
        raise DataError(f"{source}, line {reader.line_num + dialect.skip_lines}: {error}") from error
    while rows and not any(rows[-1]):
        rows.pop(), places.pop()
    return rows, places


def _refuse_shape(names: list[str], rows: list[list[str]], places: list[int], source: str) -> None:
    """List repeated names and rows of the wrong width; refuse a table without rows."""
    width = len(names)
    repeated = sorted({name for name in names if names.count(name) > 1})
    faults = [f"the header names {name!r} more than once" for name in repeated]
    lengths = zip(places, map(len, rows), strict=True)
    faults += [f"line {line}: {length} cells, wanted {width}" for line, length in lengths if length != width]
    if not rows:
        faults.append("the header is there and no row under it")
    refuse(faults, f"{source} is no table")
