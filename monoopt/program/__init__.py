"""What a problem and an answer are.

Standard form: minimise 1/2 x'Px + c'x + offset subject to row_lower <= A x <= row_upper,
lower <= x <= upper, some x integer, G x + h in cones.

Sign rule, written once, here: multipliers y of rows, z of columns, w of cone entries satisfy
Px + c - A'y - z - G'w = 0 for a minimisation, positive where a lower side binds, so that a dual is
d objective / d right-hand side. For a maximisation all three change sign and the same reading holds.
"""

from __future__ import annotations

from monoopt.program.algebra import expand, to_latex, to_markdown
from monoopt.program.blocks import Block
from monoopt.program.builder import ProgramBuilder
from monoopt.program.certificate import Certificate, certify
from monoopt.program.compare import difference
from monoopt.program.program import Cone, Need, Program
from monoopt.program.solution import Solution, SolveStats, Status
from monoopt.program.structure import Structure, structure
from monoopt.program.writers import name_map, to_lp, to_mps

__all__ = [
    "Block",
    "Certificate",
    "Cone",
    "Need",
    "Program",
    "ProgramBuilder",
    "Solution",
    "SolveStats",
    "Status",
    "Structure",
    "certify",
    "difference",
    "expand",
    "name_map",
    "structure",
    "to_latex",
    "to_lp",
    "to_markdown",
    "to_mps",
]
