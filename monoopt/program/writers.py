"""Deterministic LP and MPS files with safe names and the map back to the program's own names.

Numbers are written with the fewest digits that read back to the same float. Columns stand in the
program's order, so a reader that numbers them by first appearance finds the same program.

Readers differ, so nothing is written that one of them refuses or silently reads otherwise. Measured with HiGHS,
GLPK, CBC and SCIP: a constant in an LP objective is refused by GLPK and dropped by CBC, and one in an MPS right-hand
side is read with opposite signs, hence the offset is the cost of a column fixed at 1; a two-sided LP row is refused,
hence two rows; an infinite side is refused, hence -1e30, which readers take as infinite. `read_program` undoes all
three. GLPK alone wants at least one row, and a maximisation as LP (it has no OBJSENSE in MPS, and says so).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from monoopt.errors import FormulationError

if TYPE_CHECKING:
    from monoopt.program.program import Program

UNSAFE = re.compile(r"[^A-Za-z0-9_.(),]")
NUMBER_LIKE = re.compile(r"[eE]\d")
OFFSET = "offset"  # the column fixed at 1 that carries the constant of the objective
RESERVED = {
    "inf", "infinity", "free", "nan", "st", "s.t.", "st.", "subject", "such", "bounds", "bound", "general", "generals",
    "gen", "integer", "integers", "int", "binary", "binaries", "bin", "end", "max", "maximize", "maximise", "maximum",
    "min", "minimize", "minimise", "minimum", "semi", "semis", "sec", "sos", "sos1", "sos2", "sin", OFFSET,
    "obj", "rhs", "rng", "bnd", "name", "rows", "columns", "ranges", "endata", "objsense", "objsen", "objname",
    "quadobj", "qmatrix", "qsection", "qcmatrix", "csection", "sets", "indicators", "gencons", "pwlobj", "marker",
    "lazycons", "usercuts", "refrow", "basis", "negative",
}  # fmt: skip
LONGEST = 240
LOW, HIGH = ".lo", ".up"  # endings of the two rows that a range row becomes in LP format
FREE_SIDE = -1e30  # readers drop rows without a side, or refuse them, and take this as infinite
WIDTH = 500  # characters of a line; some readers stop at 560


def name_map(program: Program) -> dict[str, dict[str, str]]:
    """Safe names for files -> the program's names, for ``"columns"`` and ``"rows"``.

    Letters, digits, ``_ . ( ) ,`` stay; others become ``_``; words that a file format reserves or could read
    as numbers get the prefix ``v_``; equal results are told apart by ``_2``, ``_3``, ...
    """
    return {
        "columns": dict(zip(_safe(program.column_names()), program.column_names(), strict=True)),
        "rows": dict(zip(_safe(program.row_names()), program.row_names(), strict=True)),
    }


def to_lp(program: Program) -> str:
    """Return the program in LP format; cones are refused."""
    _refuse_cones(program, "LP")
    columns, rows = _safe(program.column_names()), _safe(program.row_names())
    constant = _needs_constant(program)
    lines = [
        f"\\ {' '.join(program.name.split())}",
        f"{program.sense}",
        *_wrapped(" obj:", _lp_objective(program, columns)),
        "subject to",
    ]
    for i, name in enumerate(rows):
        lines += _lp_row(program, i, name, columns)
    lines += [
        "bounds",
        *(_lp_bound(*entry) for entry in zip(columns, program.lower, program.upper, strict=True)),
        *([f" {OFFSET} = 1"] if constant else []),
    ]
    whole = [columns[j] for j in np.flatnonzero(program.integer)]
    lines += ["general", *_wrapped("", whole)] if whole else []
    return "\n".join([*lines, "end", ""])


def to_mps(program: Program) -> str:
    """Return the program in free MPS format; cones are refused."""
    _refuse_cones(program, "MPS")
    columns, rows = _safe(program.column_names()), _safe(program.row_names())
    lines = [
        f"NAME {UNSAFE.sub('_', program.name)} FREE",
        *(["OBJSENSE", "    MAX"] if program.sign < 0 else []),
        "ROWS",
        " N obj",
    ]
    kinds = [_mps_kind(low, high) for low, high in zip(program.row_lower, program.row_upper, strict=True)]
    lines += [f" {kind} {name}" for (kind, *_), name in zip(kinds, rows, strict=True)]
    lines += ["COLUMNS", *_mps_columns(program, columns, rows), "RHS"]
    lines += [f" rhs {name} {number(side)}" for (_, side, _), name in zip(kinds, rows, strict=True) if side]
    ranges = [
        f" rng {name} {number(width)}" for (*_, width), name in zip(kinds, rows, strict=True) if width is not None
    ]
    lines += ["RANGES", *ranges] if ranges else []
    lines += ["BOUNDS", *_mps_bounds(program, columns)]
    lines += [f" FX bnd {OFFSET} 1"] if _needs_constant(program) else []
    lines += [*_mps_quadratic(program, columns), "ENDATA", ""]
    return "\n".join(lines)


def _refuse_cones(program: Program, what: str) -> None:
    if program.cones:
        raise FormulationError(
            f"program {program.name!r} has cone blocks, which {what} files can't hold; describe() and to_latex() can"
        )


def _safe(names: list[str]) -> list[str]:
    """Safe, distinct names in order."""
    taken: set[str] = set()
    result = []
    for name in names:
        base = UNSAFE.sub("_", name)[:LONGEST] or "_"
        if base.endswith((LOW, HIGH)):
            base += "_"
        if base.lower() in RESERVED or NUMBER_LIKE.match(base) or not (base[0].isalpha() or base[0] == "_"):
            base = f"v_{base}"
        safe, k = base, 2
        while safe in taken:
            safe, k = f"{base}_{k}", k + 1
        taken.add(safe)
        result.append(safe)
    return result


def _needs_constant(program: Program) -> bool:
    """Whether the file needs the constant column: for the offset, or since no reader takes a program of no columns."""
    return bool(program.offset) or not len(program.c)


def number(value: float) -> str:
    """Shortest text that reads back to the same float."""
    value = float(value) + 0.0
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _term(value: float, name: str) -> str:
    sign = "-" if value < 0 else "+"
    return f"{sign} {number(abs(value))} {name}"


def _wrapped(head: str, words: list[str], most: int = 8) -> list[str]:
    """Lay words over lines, at most `most` on each and within `WIDTH` characters."""
    lines, count = [head], 0
    for word in words:
        if count == most or (count and len(lines[-1]) + len(word) >= WIDTH):
            lines.append(" ")
            count = 0
        lines[-1] += f" {word}"
        count += 1
    return lines


def _lp_objective(program: Program, columns: list[str]) -> list[str]:
    """Every column once, in order, zero or not: readers number columns by first appearance."""
    words = [_term(program.sign * cost, name) for cost, name in zip(program.c, columns, strict=True)]
    if _needs_constant(program):
        words.append(_term(program.sign * program.offset, OFFSET))
    if program.P is not None:
        upper = sparse.coo_array(sparse.triu(sparse.csc_array(program.P)))
        entries = sorted(zip(upper.row.tolist(), upper.col.tolist(), (program.sign * upper.data).tolist(), strict=True))
        words.append("+ [")
        words += [
            _term(value, f"{columns[i]} ^ 2") if i == j else _term(2 * value, f"{columns[i]} * {columns[j]}")
            for i, j, value in entries
        ]
        words.append("] / 2")
    return words


def _lp_row(program: Program, i: int, name: str, columns: list[str]) -> list[str]:
    part = slice(program.A.indptr[i], program.A.indptr[i + 1])
    words = [
        _term(value, columns[j]) for j, value in zip(program.A.indices[part], program.A.data[part], strict=True)
    ] or [f"+ 0 {(columns or [OFFSET])[0]}"]
    low, high = program.row_lower[i], program.row_upper[i]
    if low == high:
        return _wrapped(f" {name}:", [*words, f"= {number(low)}"])
    if np.isfinite(low) and np.isfinite(high):  # readers differ on two-sided rows: two rows, merged by name
        return [
            *_wrapped(f" {name}{LOW}:", [*words, f">= {number(low)}"]),
            *_wrapped(f" {name}{HIGH}:", [*words, f"<= {number(high)}"]),
        ]
    if np.isfinite(high):
        return _wrapped(f" {name}:", [*words, f"<= {number(high)}"])
    return _wrapped(f" {name}:", [*words, f">= {number(max(low, FREE_SIDE))}"])


def _lp_bound(name: str, low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return f" {name} free"
    left = "-inf" if np.isinf(low) else number(low)
    right = "+inf" if np.isinf(high) else number(high)
    return f" {name} = {left}" if low == high else f" {left} <= {name} <= {right}"


def _mps_kind(low: float, high: float) -> tuple[str, float, float | None]:
    """Row type, right-hand side and range width."""
    if low == high:
        return "E", low, None
    if np.isinf(low) and np.isinf(high):
        return "G", FREE_SIDE, None
    if np.isinf(high):
        return "G", low, None
    if np.isinf(low):
        return "L", high, None
    width = high - low
    if low + width == high:
        return "G", low, width
    if high - width == low:
        return "L", high, width
    raise FormulationError(f"the range [{low!r}, {high!r}] can't be written in MPS without rounding; write LP instead")


def _mps_columns(program: Program, columns: list[str], rows: list[str]) -> Iterator[str]:
    by_column = sparse.csc_array(program.A)
    whole = False
    for j, name in enumerate(columns):
        if program.integer[j] != whole:
            whole = bool(program.integer[j])
            yield f" MARKER 'MARKER' '{'INTORG' if whole else 'INTEND'}'"
        yield f" {name} obj {number(program.sign * program.c[j])}"
        part = slice(by_column.indptr[j], by_column.indptr[j + 1])
        for i, value in zip(by_column.indices[part], by_column.data[part], strict=True):
            yield f" {name} {rows[i]} {number(value)}"
    if whole:
        yield " MARKER 'MARKER' 'INTEND'"
    if _needs_constant(program):
        yield f" {OFFSET} obj {number(program.sign * program.offset)}"


def _mps_bounds(program: Program, columns: list[str]) -> Iterator[str]:
    for name, low, high in zip(columns, program.lower, program.upper, strict=True):
        if low == high:
            yield f" FX bnd {name} {number(low)}"
        elif np.isinf(low) and np.isinf(high):
            yield f" FR bnd {name}"
        else:
            yield f" MI bnd {name}" if np.isinf(low) else f" LO bnd {name} {number(low)}"
            yield f" PL bnd {name}" if np.isinf(high) else f" UP bnd {name} {number(high)}"


def _mps_quadratic(program: Program, columns: list[str]) -> list[str]:
    if program.P is None:
        return []
    lower = sparse.coo_array(sparse.tril(sparse.csc_array(program.P)))
    entries = sorted(zip(lower.col.tolist(), lower.row.tolist(), (program.sign * lower.data).tolist(), strict=True))
    return ["QUADOBJ", *(f" {columns[j]} {columns[i]} {number(value)}" for j, i, value in entries)]
