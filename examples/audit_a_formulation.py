"""Audit a formulation in six steps, trusting neither the builder nor the solver.

Six objects in a line, each better than the one before it, with labels that zigzag. The least number of labels to change
is 2: small enough to check by hand. Run from a checkout: the Pyomo reference stands in models/.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pyomo.environ as pyo

from monoopt import certify, solve
from monoopt.formulations import monotonization
from monoopt.program import difference, expand, to_lp
from monoopt.solvers import read_program

SHELF = Path(__file__).resolve().parents[1] / "models"
sys.path.insert(0, str(SHELF))

from audit import load  # noqa: E402
from pyomo_to_program import disagreement  # noqa: E402

data = {"labels": [0, 1, 0, 1, 0, 1], "pairs": [[1, 0], [2, 1], [3, 2], [4, 3], [5, 4]]}
program = monotonization.build(**data)

print("1. Read it: the algebra, its rows with their numbers, and what kind of program it is\n")
print(program.describe(), "\n")
print(expand(program, "objective"))
print(expand(program, "dominance"), "\n")
print(program.structure(), "\n")

print("2. Compare it, name by name, with the same program written independently in Pyomo\n")
reference = load(SHELF / "monotonization" / "reference.py")
print("differences:", disagreement(program, reference.build(data)) or "none")
flipped = {**data, "pairs": [[0, 1], *data["pairs"][1:]]}
print("with one edge flipped:", *disagreement(program, reference.build(flipped)), sep="\n  ")

print("\n3. Hand it to strangers: a file that any solver reads\n")
with tempfile.TemporaryDirectory() as folder:
    file, answer = Path(folder) / "monotonization.lp", Path(folder) / "answer.txt"
    file.write_text(to_lp(program))
    print(file.read_text())
    print("read back by HiGHS, differences:", difference(program, read_program(file)) or "none")
    if shutil.which("glpsol"):
        subprocess.run(["glpsol", "--lp", file, "--output", answer], check=True, capture_output=True)
        print("GLPK:", next(line for line in answer.read_text().splitlines() if line.startswith("Objective")))
    else:
        print("GLPK is not installed here; its command would be: glpsol --lp monotonization.lp --output answer.txt")

print("\n4. Solve the Pyomo side too\n")
twin = reference.build(data)
pyo.SolverFactory("highs").solve(twin)
solution = solve(program, "highs")
print("reference:", pyo.value(twin.cost), " monoopt:", solution.objective)

print("\n5. Check the answer in exact arithmetic: a flow of the same value proves the cost\n")
print("labels:", monotonization.read(program, solution))
print("flow:  ", dict(zip(program.row_names(), (solution.dual("dominance") + 0.0).tolist(), strict=True)))
proof = certify(program, solution, exact=True)
print(proof)
assert proof.ok and proof.gap == 0

print("\n6. Tamper with the answer: the certificate says so\n")
print(certify(program, replace(solution, x=solution.x[::-1].copy())))
