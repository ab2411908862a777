"""Audit a program: build it twice, compare by name, write it down, solve it, prove the answer.

Run: python models/audit.py monotonization [instance.json]

The instance is a JSON file with a member "data"; without one, the folder's tiny.json is taken. The exit status is 0 if
everything agrees and 1 otherwise. With --rewrite the folder's tiny.lp is written anew: look at the difference before
you keep it.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from monoopt.program import Program, Solution, Status, certify, difference, to_lp
from monoopt.solvers import read_program, solve

SHELF = Path(__file__).resolve().parent
TOLERANCE = 1e-6


def load(path: Path) -> ModuleType:
    """Import a file by its path, under a name that nobody else has."""
    spec = importlib.util.spec_from_file_location(f"shelf_{path.parent.name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def builder_of(tiny: dict[str, Any]) -> Callable[..., Program]:
    """The function of monoopt that "builder" names, such as "monoopt.formulations.svdd:build"."""
    module, function = tiny["builder"].split(":")
    return getattr(importlib.import_module(module), function)


def answer_by_hand(program: Program, answer: dict[str, Any]) -> Solution:
    """The hand-worked answer as a solution: "values" and, unless the program is integer, "duals", all by name."""
    x = np.array([answer["values"][name] for name in program.column_names()], dtype=float)
    duals = answer.get("duals")
    y = None if duals is None else np.array([duals[name] for name in program.row_names()], dtype=float)
    return Solution(program, Status.OPTIMAL, x=x, y=y, objective=program.objective(x), solver="by hand")


def audit(folder: Path, instance: Path) -> list[str]:
    """Go through the steps, print them, and return what is wrong."""
    tiny = json.loads((folder / "tiny.json").read_text(encoding="utf-8"))
    data = json.loads(instance.read_text(encoding="utf-8"))["data"]
    program = builder_of(tiny)(**data)
    print(f"1. {tiny['builder']} builds\n\n{program}\n")

    model = load(folder / "reference.py").build(data)
    faults = load(SHELF / "pyomo_to_program.py").disagreement(program, model)
    print(f"2. the Pyomo reference is the same program, name by name: {_verdict(faults)}")

    again = _read_back(program)
    print(f"3. written as LP and read back by HiGHS it is the same program: {_verdict(again)}")

    solution = solve(program)
    linear = not program.needs & {"quadratic", "integer"}
    proof = certify(program, solution, exact=linear)
    proof = proof if proof.ok else certify(program, solution)  # an answer in floats need not be exactly feasible
    print(f"4. {solution.solver} {solution.version}: {proof}")
    faults += [*again, *([] if proof.ok else proof.reasons)]

    if instance == folder / "tiny.json":
        hand = certify(program, answer_by_hand(program, tiny["answer"]), exact=linear)
        print(f"5. by hand: {hand}")
        faults += [] if hand.ok else hand.reasons
        if abs(hand.primal_objective - proof.primal_objective) > TOLERANCE * max(1.0, abs(proof.primal_objective)):
            faults.append(f"by hand {hand.primal_objective:g}, by {solution.solver} {proof.primal_objective:g}")
    return faults


def rewrite(folder: Path) -> None:
    """Write the folder's tiny.lp with monoopt's own writer."""
    tiny = json.loads((folder / "tiny.json").read_text(encoding="utf-8"))
    (folder / "tiny.lp").write_text(to_lp(builder_of(tiny)(**tiny["data"])), encoding="ascii")


def _read_back(program: Program) -> list[str]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "program.lp"
        path.write_text(to_lp(program), encoding="ascii")
        return difference(program, read_program(path))


def _verdict(faults: list[str]) -> str:
    return "NO\n   " + "\n   ".join(faults) if faults else "yes"


def main() -> int:
    """Audit the program that the command line names."""
    names = sorted(path.parent.name for path in SHELF.glob("*/CARD.md"))
    parser = argparse.ArgumentParser(description="Build a program twice, compare by name, solve it, prove the answer.")
    parser.add_argument("program", choices=names)
    parser.add_argument("instance", type=Path, nargs="?", help='JSON file with a member "data" (default: tiny.json)')
    parser.add_argument("--rewrite", action="store_true", help="write the folder's tiny.lp anew")
    given = parser.parse_args()
    folder = SHELF / given.program
    if given.rewrite:
        rewrite(folder)
    wrong = audit(folder, folder / "tiny.json" if given.instance is None else given.instance.resolve())
    print("\nAll agree." if not wrong else "\nNOT in agreement:\n  " + "\n  ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
