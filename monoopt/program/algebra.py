"""The program as algebra, one line per block: text, Markdown and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from monoopt.program.blocks import Block
    from monoopt.program.program import Program


def describe(program: Program) -> str:
    """Sizes and the algebra as plain text, one line per block.

    Examples
    --------
    >>> import numpy as np
    >>> from monoopt.program.builder import ProgramBuilder
    >>> b = ProgramBuilder("order")
    >>> b.add_columns("d", 2, lower=0, upper=1, cost=[1, -1], tex="d_i", over="i in objects")
    >>> b.add_rows("dominance", {"d": np.array([[1, -1]])}, lower=0, tex="d_i - d_j", over="(i,j) in dominance",
    ...            index=[(0, 1)])
    >>> print(b.build().describe())
    order: 1 row, 2 columns, 2 nonzeros; needs linear
    minimize  sum of cost * d
    subject to
      dominance: 0 <= d_i - d_j    for (i,j) in dominance  [1 row]
      d: 0 <= d_i <= 1    for i in objects  [2 columns]
    """
    m, n = program.shape
    head = f"{program.name}: {_count(m, 'row')}, {_count(n, 'column')}, {program.A.nnz} nonzeros; "
    lines = [
        head + "needs " + ", ".join(sorted(program.needs)),
        f"{program.sense}  {_objective(program)}",
        "subject to",
    ]
    lines += [f"  {_row_line(program, block)}" for block in program.rows]
    lines += [
        f"  {cone.block.name}: {cone.block.tex or 'G x + h'} in the {cone.kind} cone"
        f"  [{_count(cone.block.size, 'entry')}]"
        for cone in program.cones
    ]
    lines += [f"  {_column_line(program, block)}" for block in program.columns]
    return "\n".join(lines)


def to_markdown(program: Program) -> str:
    """A Markdown page: the algebra in LaTeX, then a table of blocks with their sizes."""
    table = ["| block | kind | members | over |", "|---|---|---|---|"]
    table += [f"| `{b.name}` | column | {b.size} | {b.over} |" for b in program.columns]
    table += [f"| `{b.name}` | row | {b.size} | {b.over} |" for b in program.rows]
    table += [f"| `{c.block.name}` | {c.kind} cone | {c.block.size} | {c.block.over} |" for c in program.cones]
    return f"# {program.name}\n\n$$\n{to_latex(program)}\n$$\n\n" + "\n".join(table) + "\n"


def to_latex(program: Program) -> str:
    """The algebra as a LaTeX ``aligned`` block, one line per block."""
    lines = [
        rf"\text{{{program.sense}}}\quad & {_objective(program, latex=True)} \\",
        r"\text{subject to}\quad",
    ]
    rows = [
        _latex_line(block, program.row_lower[block.slice], program.row_upper[block.slice]) for block in program.rows
    ]
    rows += [rf"& {c.block.tex or 'Gx + h'} \in \mathcal{{K}}_{{\text{{{_plain(c.kind)}}}}} \\" for c in program.cones]
    rows += [_latex_line(block, program.lower[block.slice], program.upper[block.slice]) for block in program.columns]
    return "\\begin{aligned}\n" + "\n".join([*lines, *rows]) + "\n\\end{aligned}"


def _objective(program: Program, latex: bool = False) -> str:
    """Costs by block: a common cost is printed, differing ones as a sum over data."""
    parts = []
    if program.P is not None:
        parts.append(r"\tfrac12 x^\top P x" if latex else "1/2 x'Px")
    for block in program.columns:
        costs = program.sign * program.c[block.slice]
        if not costs.any():
            continue
        tex = block.tex or block.name
        one = costs[0] if (costs == costs[0]).all() else None
        factor = "" if one == 1 else f"{one:g} " if one is not None else ""
        if block.size == 1:
            parts.append(f"{factor}{tex}")
        elif one is not None:
            parts.append(rf"{factor}\sum {tex}" if latex else f"{factor}sum of {tex}".replace(tex, block.name))
        else:
            parts.append(rf"\sum c\,{tex}" if latex else f"sum of cost * {block.name}")
    if program.offset:
        parts.append(f"{program.sign * program.offset:g}")
    return " + ".join(parts) or "0"


def _row_line(program: Program, block: Block) -> str:
    middle = block.tex or " + ".join(_used_blocks(program, block)) or "0"
    sides = _sides(program.row_lower[block.slice], program.row_upper[block.slice], middle)
    return f"{block.name}: {sides}{_over(block)}  [{_count(block.size, 'row')}]"


def _column_line(program: Program, block: Block) -> str:
    sides = _sides(program.lower[block.slice], program.upper[block.slice], block.tex or block.name)
    whole = ", whole numbers" if program.integer[block.slice].any() else ""
    return f"{block.name}: {sides}{whole}{_over(block)}  [{_count(block.size, 'column')}]"


def _used_blocks(program: Program, block: Block) -> list[str]:
    used = np.unique(program.A[block.slice].indices)
    return [f"A {b.name}" for b in program.columns if ((used >= b.start) & (used < b.stop)).any()]


def _sides(low: np.ndarray, high: np.ndarray, middle: str) -> str:
    left, right = _side(low), _side(high)
    if left == right and left is not None and np.array_equal(low, high):
        return f"{middle} = {left}"
    text = middle if left is None else f"{left} <= {middle}"
    text = text if right is None else f"{text} <= {right}"
    return f"{text} free" if left is None and right is None else text


def _side(values: np.ndarray) -> str | None:
    """One number, 'data' for differing ones, None for infinite ones."""
    if not len(values) or np.isinf(values).all():
        return None
    return f"{values[0] + 0.0:g}" if (values == values[0]).all() else "data"


def _latex_line(block: Block, low: np.ndarray, high: np.ndarray) -> str:
    sides = _sides(low, high, block.tex or rf"\text{{{_plain(block.name)}}}")
    sides = sides.replace("<=", r"\le").replace("data", r"\text{data}").replace(" free", r"\ \text{free}")
    over = rf" && \text{{for {_plain(block.over)}}}" if block.over else ""
    return rf"& {sides}{over} \\"


def _plain(words: str) -> str:
    return words.replace("_", r"\_")


def _over(block: Block) -> str:
    return f"    for {block.over}" if block.over else ""


def _count(k: int, word: str) -> str:
    plural = word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{k} {word if k == 1 else plural}"
