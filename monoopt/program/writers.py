"""Deterministic LP and MPS files with safe names and the map back to the program's own names.

Numbers are written with the fewest digits that read back to the same float. Columns stand in the
program's order, so a reader that numbers them by first appearance finds the same program.

Readers differ, so nothing is written that one of them refuses, or worse, silently reads otherwise. Measured with
HiGHS 1.16, GLPK 5.0, CBC 2.10 and SCIP 10, and undone by `read_program`:

- The offset is the cost of a column fixed at 1: a constant in an LP objective is refused by GLPK and dropped by CBC,
  and one in an MPS right-hand side is read with opposite signs by HiGHS and GLPK.
- A range row becomes two rows: LP readers refuse two-sided rows, and MPS ranges round.
- A side of -1e30 is an infinite one: readers drop rows without a side or refuse them.
- MPS holds minimisations only, and the first line says so if the objective stands turned: GLPK refuses OBJSENSE, CBC
  overlooks it.
- Names are at most 120 characters and a suffix long: beyond 160 CBC crashes.

GLPK alone wants at least one row.
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
LONGEST = 120
LOW, HIGH = ".lo", ".up"  # endings of the two rows that a range row becomes
FREE_SIDE = -1e30  # readers drop rows without a side, or refuse them, and take this as infinite
TURNED = "* maximize: the objective stands turned here; the optimum is minus that of this file"
KIND = {"=": "E", ">=": "G", "<=": "L"}
WIDTH = 500  # characters of a line; some readers stop at 560
Side = tuple[int, str, str, float]


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
    r"""Return the program in LP format; cones are refused.

    Examples
    --------
    >>> from monoopt.program import ProgramBuilder
    >>> b = ProgramBuilder("toy", sense="maximize")
    >>> b.add_columns("x", 2, lower=0, upper=[4, 1], cost=[3, 2])
    >>> b.add_rows("capacity", {"x": [[1.0, 0.5]]}, upper=5)
    >>> print(to_lp(b.build()))
    \ toy
    maximize
     obj: + 3 x(0) + 2 x(1)
    subject to
     capacity: + 1 x(0) + 0.5 x(1) <= 5
    bounds
     0 <= x(0) <= 4
     0 <= x(1) <= 1
    end
    <BLANKLINE>
    """
    _refuse_cones(program, "LP")
    columns, rows = _safe(program.column_names()), _safe(program.row_names())
    lines = [
        f"\\ {' '.join(program.name.split())}",
        f"{program.sense}",
        *_wrapped(" obj:", _lp_objective(program, columns)),
        "subject to",
    ]
    for i, name, relation, side in _one_sided(program, rows):
        lines += _wrapped(f" {name}:", [*_row_terms(program, i, columns), f"{relation} {number(side)}"])
    lines += [
        "bounds",
        *(_lp_bound(*entry) for entry in zip(columns, program.lower, program.upper, strict=True)),
        *([f" {OFFSET} = 1"] if _needs_constant(program) else []),
    ]
    whole = [columns[j] for j in np.flatnonzero(program.integer)]
    lines += ["general", *_wrapped("", whole)] if whole else []
    return "\n".join([*lines, "end", ""])


def to_mps(program: Program) -> str:
    """Return the program in free MPS format, always as a minimisation; cones are refused."""
    _refuse_cones(program, "MPS")
    columns, rows = _safe(program.column_names()), _safe(program.row_names())
    lines = [
        *([TURNED] if program.sign < 0 else []),
        f"NAME {UNSAFE.sub('_', program.name)} FREE",
        "ROWS",
        " N obj",
    ]
    sides = list(_one_sided(program, rows))
    lines += [f" {KIND[relation]} {name}" for _, name, relation, _ in sides]
    lines += ["COLUMNS", *_mps_columns(program, columns, sides), "RHS"]
    lines += [f" rhs {name} {number(side)}" for _, name, _, side in sides if side]
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


def _one_sided(program: Program, rows: list[str]) -> Iterator[Side]:
    """The rows as a file holds them: position, name, relation, side; a range row gives two."""
    for i, (name, low, high) in enumerate(zip(rows, program.row_lower, program.row_upper, strict=True)):
        if low == high:
            yield i, name, "=", low
        elif np.isfinite(low) and np.isfinite(high):
            yield i, name + LOW, ">=", low
            yield i, name + HIGH, "<=", high
        elif np.isfinite(high):
            yield i, name, "<=", high
        else:
            yield i, name, ">=", max(low, FREE_SIDE)


def _row_terms(program: Program, i: int, columns: list[str]) -> list[str]:
    part = slice(program.A.indptr[i], program.A.indptr[i + 1])
    terms = zip(program.A.indices[part], program.A.data[part], strict=True)
    return [_term(value, columns[j]) for j, value in terms] or [f"+ 0 {(columns or [OFFSET])[0]}"]


def _lp_bound(name: str, low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return f" {name} free"
    left = "-inf" if np.isinf(low) else number(low)
    right = "+inf" if np.isinf(high) else number(high)
    return f" {name} = {left}" if low == high else f" {left} <= {name} <= {right}"


def _mps_columns(program: Program, columns: list[str], sides: list[Side]) -> Iterator[str]:
    by_column = sparse.csc_array(program.A[[i for i, *_ in sides]])
    whole = False
    for j, name in enumerate(columns):
        if program.integer[j] != whole:
            whole = bool(program.integer[j])
            yield f" MARKER 'MARKER' '{'INTORG' if whole else 'INTEND'}'"
        yield f" {name} obj {number(program.c[j])}"
        part = slice(by_column.indptr[j], by_column.indptr[j + 1])
        for i, value in zip(by_column.indices[part], by_column.data[part], strict=True):
            yield f" {name} {sides[i][1]} {number(value)}"
    if whole:
        yield " MARKER 'MARKER' 'INTEND'"
    if _needs_constant(program):
        yield f" {OFFSET} obj {number(program.offset)}"


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
    entries = sorted(zip(lower.col.tolist(), lower.row.tolist(), lower.data.tolist(), strict=True))
    return ["QUADOBJ", *(f" {columns[j]} {columns[i]} {number(value)}" for j, i, value in entries)]
