"""Deterministic LP and MPS files with safe names and the map back to the program's own names.

Numbers are written with the fewest digits that read back to the same float. Columns stand in the
program's order, so a reader that numbers them by first appearance finds the same program.
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
RESERVED = {
    "inf", "infinity", "free", "nan", "st", "s.t.", "st.", "subject", "such", "bounds", "bound", "general", "generals",
    "gen", "integer", "integers", "int", "binary", "binaries", "bin", "end", "max", "maximize", "maximise", "maximum",
    "min", "minimize", "minimise", "minimum", "semi", "semis", "sec", "sos", "sos1", "sos2", "obj", "rhs", "rng", "bnd",
}  # fmt: skip
LONGEST = 240
LOW, HIGH = ".lo", ".up"  # endings of the two rows that a range row becomes in LP format


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
    lines = [
        f"\\ {program.name}",
        f"{program.sense}",
        *_wrapped(" obj:", _lp_objective(program, columns)),
        "subject to",
    ]
    for i, name in enumerate(rows):
        lines += _lp_row(program, i, name, columns)
    lines += [
        "bounds",
        *(_lp_bound(*entry) for entry in zip(columns, program.lower, program.upper, strict=True)),
    ]
    whole = [columns[j] for j in np.flatnonzero(program.integer)]
    lines += ["general", *_wrapped("", whole)] if whole else []
    return "\n".join([*lines, "end", ""])


def to_mps(program: Program) -> str:
    """Return the program in free MPS format; cones are refused."""
    _refuse_cones(program, "MPS")
    columns, rows = _safe(program.column_names()), _safe(program.row_names())
    lines = [
        f"NAME {UNSAFE.sub('_', program.name)}",
        *(["OBJSENSE", "    MAX"] if program.sign < 0 else []),
        "ROWS",
        " N obj",
    ]
    kinds = [_mps_kind(low, high) for low, high in zip(program.row_lower, program.row_upper, strict=True)]
    lines += [f" {kind} {name}" for (kind, *_), name in zip(kinds, rows, strict=True)]
    lines += ["COLUMNS", *_mps_columns(program, columns, rows), "RHS"]
    lines += [f" rhs obj {_number(-program.sign * program.offset)}"] if program.offset else []
    lines += [f" rhs {name} {_number(side)}" for (_, side, _), name in zip(kinds, rows, strict=True) if side]
    ranges = [
        f" rng {name} {_number(width)}" for (*_, width), name in zip(kinds, rows, strict=True) if width is not None
    ]
    lines += ["RANGES", *ranges] if ranges else []
    lines += ["BOUNDS", *_mps_bounds(program, columns), *_mps_quadratic(program, columns), "ENDATA", ""]
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
        base = UNSAFE.sub("_", name)[:LONGEST]
        if base.lower() in RESERVED or NUMBER_LIKE.match(base) or not (base[0].isalpha() or base[0] == "_"):
            base = f"v_{base}"
        safe, k = base, 2
        while safe in taken:
            safe, k = f"{base}_{k}", k + 1
        taken.add(safe)
        result.append(safe)
    return result


def _number(value: float) -> str:
    """Shortest text that reads back to the same float."""
    value = float(value) + 0.0
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _term(value: float, name: str) -> str:
    sign = "-" if value < 0 else "+"
    return f"{sign} {_number(abs(value))} {name}"


def _wrapped(head: str, words: list[str], width: int = 8) -> list[str]:
    """Lay words over lines so that no line grows long."""
    groups = [words[k : k + width] for k in range(0, len(words), width)] or [[]]
    return [f"{head if k == 0 else ' '} {' '.join(group)}".rstrip() for k, group in enumerate(groups)]


def _lp_objective(program: Program, columns: list[str]) -> list[str]:
    """Every column once, in order, zero or not: readers number columns by first appearance."""
    words = [_term(program.sign * cost, name) for cost, name in zip(program.c, columns, strict=True)]
    if program.P is not None:
        upper = sparse.coo_array(sparse.triu(sparse.csc_array(program.P)))
        entries = sorted(zip(upper.row.tolist(), upper.col.tolist(), (program.sign * upper.data).tolist(), strict=True))
        words.append("+ [")
        words += [
            _term(value, f"{columns[i]} ^ 2") if i == j else _term(2 * value, f"{columns[i]} * {columns[j]}")
            for i, j, value in entries
        ]
        words.append("] / 2")
    if program.offset:
        value = program.sign * program.offset
        words.append(f"{'-' if value < 0 else '+'} {_number(abs(value))}")
    return words


def _lp_row(program: Program, i: int, name: str, columns: list[str]) -> list[str]:
    part = slice(program.A.indptr[i], program.A.indptr[i + 1])
    words = [
        _term(value, columns[j]) for j, value in zip(program.A.indices[part], program.A.data[part], strict=True)
    ] or [f"+ 0 {columns[0]}"]
    low, high = program.row_lower[i], program.row_upper[i]
    if low == high:
        return _wrapped(f" {name}:", [*words, f"= {_number(low)}"])
    if np.isfinite(low) and np.isfinite(high):  # readers differ on two-sided rows: two rows, merged by name
        return [
            *_wrapped(f" {name}{LOW}:", [*words, f">= {_number(low)}"]),
            *_wrapped(f" {name}{HIGH}:", [*words, f"<= {_number(high)}"]),
        ]
    if np.isfinite(low):
        return _wrapped(f" {name}:", [*words, f">= {_number(low)}"])
    return _wrapped(f" {name}:", [*words, f"<= {_number(high) if np.isfinite(high) else '+inf'}"])


def _lp_bound(name: str, low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return f" {name} free"
    left = "-inf" if np.isinf(low) else _number(low)
    right = "+inf" if np.isinf(high) else _number(high)
    return f" {name} = {left}" if low == high else f" {left} <= {name} <= {right}"


def _mps_kind(low: float, high: float) -> tuple[str, float, float | None]:
    """Row type, right-hand side and range width."""
    if low == high:
        return "E", low, None
    if np.isinf(low) and np.isinf(high):
        return "G", -1e30, None  # a free row: readers drop N rows, and read 1e30 as infinite
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
        yield f" {name} obj {_number(program.sign * program.c[j])}"
        part = slice(by_column.indptr[j], by_column.indptr[j + 1])
        for i, value in zip(by_column.indices[part], by_column.data[part], strict=True):
            yield f" {name} {rows[i]} {_number(value)}"
    if whole:
        yield " MARKER 'MARKER' 'INTEND'"


def _mps_bounds(program: Program, columns: list[str]) -> Iterator[str]:
    for name, low, high in zip(columns, program.lower, program.upper, strict=True):
        if low == high:
            yield f" FX bnd {name} {_number(low)}"
        elif np.isinf(low) and np.isinf(high):
            yield f" FR bnd {name}"
        else:
            yield f" MI bnd {name}" if np.isinf(low) else f" LO bnd {name} {_number(low)}"
            yield f" PL bnd {name}" if np.isinf(high) else f" UP bnd {name} {_number(high)}"


def _mps_quadratic(program: Program, columns: list[str]) -> list[str]:
    if program.P is None:
        return []
    lower = sparse.coo_array(sparse.tril(sparse.csc_array(program.P)))
    entries = sorted(zip(lower.col.tolist(), lower.row.tolist(), (program.sign * lower.data).tolist(), strict=True))
    return ["QUADOBJ", *(f" {columns[j]} {columns[i]} {_number(value)}" for j, i, value in entries)]
