"""The program as algebra, one line per block: text, Markdown and LaTeX; and any one row with its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from monoopt.errors import FormulationError, nearest
from monoopt.program.writers import number

if TYPE_CHECKING:
    from monoopt.program.blocks import Block
    from monoopt.program.program import Program

SHOWN = 20  # rows that `expand` writes out before it counts the rest


@dataclass(frozen=True)
class Line:
    """One line of the algebra: a body with its sides, and for whom it holds."""

    body: str
    over: str


@dataclass(frozen=True)
class Style:
    """How one notation writes the few words that the algebra needs."""

    latex: bool
    at_most: str
    at_least: str
    data: str
    free: str
    member: str

    def of(self, block: Block) -> str:
        """One member of a block."""
        if block.tex and block.tex != block.name:
            return block.tex if self.latex else plain(block.tex)
        return self.name(block.name)

    def name(self, name: str) -> str:
        """A block as a whole."""
        return rf"\mathit{{{escaped(name)}}}" if self.latex else name


TEXT = Style(False, "<=", ">=", "data", "free", "in")
LATEX = Style(True, r"\leq", r"\geq", r"\text{data}", r"\ \text{free}", r"\in")


def describe(program: Program) -> str:
    """Sizes and the algebra as plain text, one line per block.

    Examples
    --------
    >>> from monoopt.program.builder import ProgramBuilder
    >>> b = ProgramBuilder("order")
    >>> b.add_columns("d", 2, lower=0, upper=1, cost=[1, -1], tex="d_i", over="i in objects")
    >>> b.add_rows("dominance", {"d": [[1, -1]]}, lower=0, tex="d_i - d_j", over="(i,j) in dominance", index=[(0, 1)])
    >>> print(b.build().describe())
    order: 1 row, 2 columns, 2 nonzeros; needs linear
    minimize  sum of cost * d
    subject to
      dominance: d_i - d_j >= 0    for (i,j) in dominance  [1 row]
      d: 0 <= d_i <= 1    for i in objects  [2 columns]
    """
    m, n = program.shape
    head = f"{program.name}: {_count(m, 'row')}, {_count(n, 'column')}, {_count(int(program.A.nnz), 'nonzero')}; "
    lines = [
        head + "needs " + ", ".join(sorted(program.needs)),
        f"{program.sense}  {_objective(program, TEXT)}",
        "subject to",
    ]
    for block, kind, line in _lines(program, TEXT):
        over = f"    for {line.over}" if line.over else ""
        lines.append(f"  {block.name}: {line.body}{over}  [{_count(block.size, kind)}]")
    return "\n".join(lines)


def to_markdown(program: Program) -> str:
    """A Markdown page: the algebra in LaTeX, then a table of blocks with their sizes."""
    table = ["| block | kind | members | for |", "|---|---|---|---|"]
    for block, kind, _ in _lines(program, TEXT):
        table.append(f"| `{block.name}` | {kind} | {block.size} | {block.over.replace('|', chr(92) + '|')} |")
    return f"# {program.name}\n\n$$\n{to_latex(program)}\n$$\n\n" + "\n".join(table) + "\n"


def to_latex(program: Program) -> str:
    r"""The algebra as a LaTeX ``aligned`` block, one line per block.

    Examples
    --------
    >>> from monoopt.program import ProgramBuilder
    >>> b = ProgramBuilder("choice", sense="maximize")
    >>> b.add_columns("x", 3, lower=0, upper=1, cost=2, integer=True, tex="x_i", over="i in items")
    >>> b.add_rows("budget", {"x": [[3.0, 4.0, 5.0]]}, upper=7, tex=r"\sum_i w_i x_i")
    >>> print(to_latex(b.build()))
    \begin{aligned}
    \text{maximize}\quad & 2 \sum x_i \\
    \text{subject to}\quad & \sum_i w_i x_i \leq 7 \\
    & x_i \in \{0, 1\} && \text{for i in items}
    \end{aligned}
    """
    head = rf"\text{{{program.sense}}}\quad & {_objective(program, LATEX)}"
    lines = [
        f"& {line.body}" + (rf" && \text{{for {escaped(line.over)}}}" if line.over else "")
        for _, _, line in _lines(program, LATEX)
    ]
    lines = [rf"\text{{subject to}}\quad {lines[0]}", *lines[1:]] if lines else []
    return "\\begin{aligned}\n" + " \\\\\n".join([head, *lines]) + "\n\\end{aligned}"


def expand(program: Program, name: str) -> str:
    """Write out with its numbers a row, the rows of a block, or ``"objective"``; one line each.

    Parameters
    ----------
    name : str
        A row such as ``"dominance(0,3)"``, a row block such as ``"dominance"`` (its first 20 rows), or ``"objective"``.

    Examples
    --------
    >>> from monoopt.program import ProgramBuilder
    >>> b = ProgramBuilder("order")
    >>> b.add_columns("d", 3, lower=0, upper=1, cost=[1, -1, 2])
    >>> b.add_rows("dominance", {"d": [[1, -1, 0], [0, 1, -1]]}, lower=0, index=[(0, 1), (1, 2)])
    >>> print(expand(b.build(), "dominance"))
    dominance(0,1): d(0) - d(1) >= 0
    dominance(1,2): d(1) - d(2) >= 0
    >>> print(expand(b.build(), "objective"))
    minimize d(0) - d(1) + 2 d(2)
    """
    if name == "objective":
        return f"{program.sense} {_objective_in_full(program)}"
    blocks = {block.name: block for block in program.rows}
    names = program.row_names()
    if name in blocks:
        places = list(range(blocks[name].start, blocks[name].stop))
    elif name in names:
        places = [names.index(name)]
    else:
        choices = ["objective", *blocks, *names]
        raise FormulationError(f"no row or row block {name!r} in program {program.name!r}{nearest(name, choices)}")
    lines = [_row_in_full(program, i) for i in places[:SHOWN]]
    return "\n".join([*lines, *([f"... and {len(places) - SHOWN} more"] if len(places) > SHOWN else [])])


def plain(tex: str) -> str:
    r"""LaTeX of one member as readable text: ``\sum_i \beta_{ij}`` becomes ``sum_i beta_ij``."""
    text = re.sub(r"\\[,;:! ]|\\quad", " ", tex)
    text = re.sub(r"\\(?:text|mathit|mathrm|mathbf)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\([A-Za-z]+)\s*", r"\1 ", text).replace("\\", "")
    text = re.sub(r"\{(\w*)\}", r"\1", text).replace("{", "(").replace("}", ")")
    return re.sub(r"(\w) +(?=[_^)])", r"\1", " ".join(text.split()))


def escaped(words: str) -> str:
    """Text that LaTeX prints as it stands."""
    special = {"\\": r"\textbackslash ", "~": r"\sim ", "^": r"\hat{} ", "{": r"\{", "}": r"\}"}
    return "".join(special.get(sign, rf"\{sign}" if sign in "_&%#$" else sign) for sign in words)


def _lines(program: Program, style: Style) -> list[tuple[Block, str, Line]]:
    """Rows, cones and columns in this order, each with its kind and its line."""
    lines = []
    for block in program.rows:
        low, high = program.row_lower[block.slice], program.row_upper[block.slice]
        body = _sides(low, high, _left(program, block, style), style)
        lines.append((block, "row", Line(body, block.over)))
    for cone in program.cones:
        kind = cone.kind.replace("_", "-") + " cone"
        cone_word = rf"\text{{the {kind}}}" if style.latex else f"the {kind}"
        left = style.of(cone.block) if cone.block.tex else "G x + h"
        lines.append((cone.block, f"{kind} entry", Line(f"{left} {style.member} {cone_word}", cone.block.over)))
    lines += [(block, "column", Line(_domain(program, block, style), block.over)) for block in program.columns]
    return lines


def _left(program: Program, block: Block, style: Style) -> str:
    """Left-hand side of a row block: its words, or which column blocks stand in it."""
    if block.tex and block.tex != block.name:
        return style.of(block)
    used = np.unique(program.A[block.slice].indices)
    names = [b.name for b in program.columns if ((used >= b.start) & (used < b.stop)).any()]
    return " + ".join(f"A {style.name(name)}" for name in names) or "0"


def _domain(program: Program, block: Block, style: Style) -> str:
    """Bounds of a column block, and what must be whole."""
    low, high, whole = (a[block.slice] for a in (program.lower, program.upper, program.integer))
    member = style.of(block)
    if not whole.any():
        return _sides(low, high, member, style)
    if whole.all() and not low.any() and (high == 1).all():
        return rf"{member} {style.member} " + (r"\{0, 1\}" if style.latex else "{0, 1}")
    words = "whole numbers" if whole.all() else "some whole numbers"
    words = rf"\ \text{{{words}}}" if style.latex else f" {words}"
    return f"{_sides(low, high, member, style)},{words}"


def _sides(low: np.ndarray, high: np.ndarray, middle: str, style: Style) -> str:
    left, right = _side(low, style), _side(high, style)
    if left is None and right is None:
        return f"{middle} {style.free}"
    if np.array_equal(low, high):
        return f"{middle} = {left}"
    if right is None:
        return f"{middle} {style.at_least} {left}"
    text = f"{middle} {style.at_most} {right}"
    return text if left is None else f"{left} {style.at_most} {text}"


def _side(values: np.ndarray, style: Style) -> str | None:
    """One number, the word for data where they differ, None for infinite ones."""
    if not len(values) or np.isinf(values).all():
        return None
    return number(values[0]) if (values == values[0]).all() else style.data


def _objective(program: Program, style: Style) -> str:
    """Quadratic part by blocks, then costs by block: a common cost is printed, differing ones are a sum over data."""
    parts = _quadratic_parts(program, style)
    for block in program.columns:
        costs = program.sign * program.c[block.slice]
        if not costs.any():
            continue
        member, common = style.of(block), bool((costs == costs[0]).all())
        if block.size > 1 and common:
            member = rf"\sum {member}" if style.latex else f"sum of {block.name}"
        if common:
            parts.append((float(costs[0]), member))
        else:
            parts.append((1.0, rf"\sum c\,{member}" if style.latex else f"sum of cost * {block.name}"))
    return _sum([*parts, *([(program.sign * program.offset, "")] if program.offset else [])])


def _quadratic_parts(program: Program, style: Style) -> list[tuple[float, str]]:
    """Which column blocks are multiplied with which; P has the user's sign."""
    if program.P is None:
        return []
    P = sparse.coo_array(program.P)
    ends = np.array([block.stop for block in program.columns])
    left, right = (np.searchsorted(ends, places, "right") for places in (P.row, P.col))
    pairs = np.unique(np.sort(np.column_stack([left, right]), axis=1), axis=0).tolist()
    times, half = (r"^\top P\,", r"\frac{1}{2} ") if style.latex else ("' P ", "1/2 ")
    names = [style.name(block.name) for block in program.columns]
    return [(1.0, f"{half if i == j else ''}{names[i]}{times}{names[j]}") for i, j in pairs]


def _sum(parts: list[tuple[float, str]]) -> str:
    """Terms with their signs; a factor of one is not written."""
    text = ""
    for factor, word in parts:
        size = "" if abs(factor) == 1 and word else number(abs(factor))
        term = f"{size} {word}".strip()
        sign = "-" if factor < 0 else "+"
        text = f"{text} {sign} {term}" if text else f"-{term}" if factor < 0 else term
    return text or "0"


def _row_in_full(program: Program, i: int) -> str:
    row = slice(program.A.indptr[i], program.A.indptr[i + 1])
    terms = zip(program.A.data[row].tolist(), program.A.indices[row].tolist(), strict=True)
    left = _sum([(value, program.column_name(j)) for value, j in terms])
    return f"{program.row_name(i)}: {_sides(program.row_lower[[i]], program.row_upper[[i]], left, TEXT)}"


def _objective_in_full(program: Program) -> str:
    names = program.column_names()
    parts = []
    if program.P is not None:
        upper = sparse.coo_array(sparse.triu(sparse.csr_array(program.P)))
        for i, j, value in sorted(zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)):
            word = f"{names[i]}^2" if i == j else f"{names[i]} {names[j]}"
            parts.append((program.sign * (0.5 * value if i == j else value), word))
    parts += [(program.sign * cost, name) for cost, name in zip(program.c.tolist(), names, strict=True)]
    parts = [(factor, word) for factor, word in parts if factor]
    return _sum([*parts, *([(program.sign * program.offset, "")] if program.offset else [])])


def _count(k: int, word: str) -> str:
    plural = word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{k} {word if k == 1 else plural}"
