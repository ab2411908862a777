"""``monoopt solvers`` and ``monoopt solve``: one program file, any solver, and one table to compare them."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from monoopt.cli import options, output
from monoopt.cli.tables import read_bytes
from monoopt.errors import MonooptError, OptionError, SolverNotFound, UnsupportedProgram
from monoopt.program import Program, Solution, Status

ANSWER = ("kind", "name", "value", "multiplier")
COMPARED = ("solver", "version", "status", "objective", "bound", "violation", "seconds", "difference", "note")


class Format(Enum):
    """File formats of programs."""

    LP = "lp"
    MPS = "mps"


def solvers(json: options.Json = False) -> None:
    """List every known solver: found here by a trial solve, or how to get it."""
    from monoopt.solvers import available_solvers

    rows = [
        (found.name, "yes" if found.found else "no", found.version, " ".join(sorted(found.can)), found.note)
        for found in available_solvers()
    ]
    output.show_table("Solvers", ("name", "found", "version", "can", "note"), rows, json)


def solve(
    program_file: Annotated[str, typer.Argument(metavar="PROGRAM", help="An LP or MPS file, or - for standard input.")],
    solver: options.Solver = "highs",
    compare: Annotated[bool, typer.Option("--compare", help="One row for each solver of a,b,c.")] = False,
    time_limit: options.TimeLimit = None,
    tolerance: options.Tolerance = None,
    threads: options.Threads = 1,
    seed: options.Seed = 0,
    presolve: Annotated[
        bool | None, typer.Option("--presolve/--no-presolve", help="Of the solver; its own default if not given.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="Native option of the solver: name=value.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="Of standard input.")] = Format.LP,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="The solver's log to standard error.")] = False,
) -> None:
    """Solve a program, re-check the answer, and write values and multipliers as CSV.

    With --compare, or with several solvers, one row for each: status, objective, bound, largest violation by
    our own check, seconds, and the difference to the best objective. A solver that can't do such a program is named and
    counts for nothing; it leaves with the worst code of the others.
    """
    program = _read(program_file, format)
    words: dict[str, Any] = dict(map(_pair, option or []))
    words = {"options": words, "time_limit": time_limit, "tolerance": tolerance, "threads": threads}
    words |= {"seed": seed, "presolve": presolve, "verbose": verbose}
    names = options.words([solver])
    if not names:
        raise OptionError("--solver names no solver")
    if compare or len(names) > 1:
        raise typer.Exit(_compare(program, names, words, json))
    raise typer.Exit(_solve_one(program, names[0], words, json, quiet))


def _solve_one(program: Program, name: str, words: Mapping[str, Any], as_json: bool, quiet: bool) -> int:
    solution = _answer(program, name, words)
    if not quiet or not solution.optimal:
        output.log(f"{program.name}: {solution}")
    if not solution.optimal:
        output.log(f"{solution.status.value}: {solution.status.advice}")
    if solution.status is Status.INFEASIBLE:
        output.log(_conflict(program))
    if as_json:
        output.write_json(as_record(solution))
    elif solution.status.has_point:
        output.write_csv(ANSWER, _answer_rows(solution))
    return output.code_of(solution.status)


def _answer(program: Program, name: str, words: Mapping[str, Any]) -> Solution:
    """Solve; what a backend prints through Python goes to standard error, like all words."""
    from monoopt import solvers as layer

    with contextlib.redirect_stdout(sys.stderr):
        return layer.solve(program, name, raise_on_failure=False, **words)


def _conflict(program: Program) -> str:
    """Name rows and bounds that can't hold together, where there is such a set."""
    from monoopt.solvers import explain_infeasible

    try:
        found = explain_infeasible(program)
        rest = "drop any one and the rest can" if found.irreducible else "perhaps fewer can't (time limit reached)"
        return f"these can't hold together; {rest}:\n{found}"
    except (UnsupportedProgram, OptionError) as error:
        return str(error)


def _answer_rows(solution: Solution) -> list[tuple[str, str, object, object]]:
    """Columns with their reduced costs, then rows with their duals; blank where the solver gives none."""
    program, x, y, z = solution.program, solution.x, solution.y, solution.z
    if x is None:
        return []
    blank = [""] * max(program.shape)
    columns = zip(program.column_names(), x, blank if z is None else z, strict=False)
    rows = zip(program.row_names(), program.A @ x, blank if y is None else y, strict=False)
    return [("column", *entry) for entry in columns] + [("row", *entry) for entry in rows]


def as_record(solution: Solution) -> dict[str, Any]:
    """Return everything that a solution says, ready for JSON."""
    proof = solution.certificate
    return {
        "program": solution.program.name,
        "fingerprint": solution.program.fingerprint(),
        "status": solution.status.value,
        "objective": solution.objective,
        "bound": solution.bound,
        "certificate": proof and {"ok": proof.ok, "kind": proof.kind, "gap": proof.gap, "says": str(proof)},
        "violation": violation(solution),
        "solver": solution.solver,
        "version": solution.version,
        "native_status": solution.raw_status,
        "options": solution.options,
        "seconds": solution.stats.build_time + solution.stats.solve_time,
        "answer": [dict(zip(ANSWER, row, strict=True)) for row in _answer_rows(solution)],
    }


def violation(solution: Solution) -> float | None:
    """Return the largest violation of rows, bounds, whole numbers and cones that our own check found."""
    proof = solution.certificate
    if proof is None or solution.x is None:
        return None
    return max(proof.primal_violation, proof.bound_violation, proof.integrality_violation, proof.cone_violation)


def _compare(program: Program, names: list[str], words: Mapping[str, Any], as_json: bool) -> int:
    """Show one row for each solver; return the exit code of the worst of those that can do such a program."""
    answers = {name: _attempt(program, name, words) for name in names}
    solved = {name: answer for name, answer in answers.items() if isinstance(answer, Solution)}
    values = [s.objective for s in solved.values() if s.optimal and s.objective is not None]
    best = min(values, key=lambda value: program.sign * value) if values else None
    rows = [_compared(name, answer, best) for name, answer in answers.items()]
    output.show_table(f"{program.name}: {program.shape[0]} rows, {program.shape[1]} columns", COMPARED, rows, as_json)
    refused = {name: error for name, error in answers.items() if isinstance(error, UnsupportedProgram)}
    if refused:
        output.log(f"not compared, since they can't do this program: {', '.join(refused)}")
    slack = max([1e-6, 10 * (words["tolerance"] or 0)])
    if best is not None and any(abs(value - best) > slack * max(1, abs(best)) for value in values):
        output.log("the solvers do not agree on the objective", style="red")
        return output.UNVERIFIED
    if not solved or len(solved) + len(refused) < len(answers):
        return output.NO_SOLVER
    return max(output.code_of(answer.status) for answer in solved.values())


def _attempt(program: Program, name: str, words: Mapping[str, Any]) -> Solution | MonooptError:
    """Solve, or return the error that says why this solver can't."""
    try:
        return _answer(program, name, words)
    except (SolverNotFound, UnsupportedProgram) as error:
        return error


def _compared(name: str, answer: Solution | MonooptError, best: float | None) -> tuple[object, ...]:
    if isinstance(answer, MonooptError):
        return (name, None, "not run", None, None, None, None, None, str(answer))
    value = answer.objective
    difference = None if value is None or best is None else abs(value - best) / max(1.0, abs(best))
    note = "" if answer.optimal else answer.status.advice
    seconds = answer.stats.build_time + answer.stats.solve_time
    status = answer.status.value
    return (name, answer.version, status, value, answer.bound, violation(answer), seconds, difference, note)


def _read(path: str, format: Format) -> Program:
    """Read a program file; standard input goes through a file, since the reader wants one."""
    from monoopt.solvers import read_program

    if path != "-":
        if not Path(path).is_file():
            raise OptionError(f"can't read {path}: no such file")
        return read_program(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"stdin.{format.value}"
        copy.write_bytes(read_bytes("-"))
        return read_program(str(copy))


def _pair(text: str) -> tuple[str, object]:
    """Read name=value; the value is a number or a truth value where it looks like one."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise OptionError(f"--option wants name=value, got {text!r}")
    for read in (int, float):
        try:
            return name, read(value)
        except ValueError:
            continue
    return name, {"true": True, "false": False}.get(value.lower(), value)
