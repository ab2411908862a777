"""The printed algebra of every program on the shelf: each family on its own line, LaTeX that a typesetter takes."""

from __future__ import annotations

import re

from matplotlib.mathtext import MathTextParser

from monoopt.program import to_latex


def test_every_family_has_its_own_line(folder):
    program = folder.program(folder.tiny["data"])
    lines = program.describe().splitlines()[3:]
    families = [block.name for block in (*program.rows, *(c.block for c in program.cones), *program.columns)]
    assert [line.strip().split(":")[0] for line in lines] == families
    assert not [line for line in lines if "\\" in line]


def test_its_latex_can_be_set(folder):
    parser = MathTextParser("path")
    for line in to_latex(folder.program(folder.tiny["data"])).splitlines()[1:-1]:
        for cell in re.split(r"(?<!\\)&", line.removesuffix(r" \\")):
            if cell.strip():
                parser.parse(f"${cell.strip()}$")
