"""Audit a formulation in five steps, trusting neither the builder nor the solver.

Six objects in a line, each better than the one before it, with labels that zigzag. The least number of labels to change
is 2: small enough to check by hand.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from monoopt import certify, solve
from monoopt.formulations import monotonization
from monoopt.program import difference, to_lp
from monoopt.solvers import read_program

labels = [0, 1, 0, 1, 0, 1]
better_than = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]
program = monotonization.build(labels, better_than)

print("1. Read it: the algebra, and what kind of program it is\n")
print(program.describe(), "\n")
print(program.structure(), "\n")

print("2. Hand it to a reader that is not ours: written as LP, read back by HiGHS, compared by name\n")
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "monotonization.lp"
    file.write_text(to_lp(program))
    print(file.read_text())
    print("differences:", difference(program, replace(read_program(file), name=program.name)) or "none", "\n")

print("3. Flip one edge: the comparison names it\n")
flipped = monotonization.build(labels, [(0, 1), *better_than[1:]])
print(*difference(program, flipped), sep="\n")

print("\n4. Check the answer in exact arithmetic: a flow of the same value proves the cost\n")
solution = solve(program, "highs")
print("labels:", monotonization.read(program, solution), " cost:", solution.objective)
print("flow:  ", dict(zip(program.row_names(), solution.dual("dominance").tolist(), strict=True)))
print(certify(program, solution, exact=True))

print("\n5. Tamper with the answer: the certificate says so\n")
print(certify(program, replace(solution, x=solution.x[::-1].copy())))
