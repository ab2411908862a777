"""``monoopt solve``: right values and multipliers on standard output, words on standard error, honest exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from monoopt.cli import output
from monoopt.program import Status

LP = """\
maximize
 obj: 3 x(0) + 2 x(1) + y
subject to
 cap(0): x(0) + x(1) <= 4
 cap(1): x(0) + 3 x(1) + y <= 6
bounds
 x(0) <= 3
 y <= 1
end
"""
INFEASIBLE = """\
minimize
 obj: x + y
subject to
 a: x - y >= 1
 b: y - x >= 1
 c: x + y >= 1
end
"""
UNBOUNDED = "maximize\n obj: x\nsubject to\n a: x >= 1\nend\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, text in {"p": LP, "infeasible": INFEASIBLE, "unbounded": UNBOUNDED}.items():
        (tmp_path / f"{name}.lp").write_text(text)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_values_and_multipliers_are_the_hand_worked_ones(monoopt):
    done = monoopt("solve", "p.lp")
    assert done.exit_code == output.FINE
    answer = {row["name"]: (float(row["value"]), float(row["multiplier"])) for row in rows(done.stdout)}
    assert answer["x(0)"] == pytest.approx((3, 7 / 3))
    assert answer["x(1)"] == pytest.approx((2 / 3, 0))
    assert answer["y"] == pytest.approx((1, 1 / 3))
    assert answer["cap(0)"] == pytest.approx((11 / 3, 0))
    assert answer["cap(1)"] == pytest.approx((6, 2 / 3))
    assert "optimality proved" in done.stderr


def test_json_says_the_same_and_is_strict(monoopt):
    done = monoopt("solve", "p.lp", "--json")
    found = json.loads(done.stdout, parse_constant=pytest.fail)
    assert found["objective"] == pytest.approx(34 / 3)
    assert found["certificate"]["ok"] and found["status"] == "optimal"
    assert {entry["name"] for entry in found["answer"]} == {"x(0)", "x(1)", "y", "cap(0)", "cap(1)"}


def test_a_program_comes_through_a_pipe(monoopt):
    assert monoopt("solve", "-", input=LP).stdout == monoopt("solve", "p.lp").stdout


def test_infeasible_names_the_conflict_and_leaves_with_four(monoopt):
    done = monoopt("solve", "infeasible.lp")
    assert done.exit_code == output.NO_OPTIMUM and done.stdout == ""
    assert "row a" in done.stderr and "row b" in done.stderr and "row c" not in done.stderr


def test_unbounded_leaves_with_four(monoopt):
    done = monoopt("solve", "unbounded.lp")
    assert done.exit_code == output.NO_OPTIMUM and done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["solve", "nowhere.lp"], output.USAGE, "nowhere.lp"),
        (["solve"], output.USAGE, "PROGRAM"),
        (["solve", "p.lp", "--solvr", "highs"], output.USAGE, "--solver"),
        (["solve", "p.lp", "--time-limit", "soon"], output.USAGE, "time-limit"),
        (["solve", "p.lp", "--tolerance", "7"], output.USAGE, "tolerance"),
        (["solve", "p.lp", "--option", "threds=2"], output.USAGE, "threads"),
        (["solve", "p.lp", "--option", "threads"], output.USAGE, "name=value"),
        (["solve", "p.lp", "--solver", "hihgs"], output.NO_SOLVER, "highs"),
        (["nothing"], output.USAGE, "nothing"),
    ],
    ids=str,
)
def test_mistakes_leave_with_their_code_and_a_word_that_helps(monoopt, arguments, code, word):
    done = monoopt(*arguments)
    assert done.exit_code == code
    assert done.stdout == "" and word in done.stderr


def test_a_file_that_is_no_program_is_a_data_error(monoopt, tmp_path: Path):
    (tmp_path / "no.lp").write_text("this is no program")
    done = monoopt("solve", "no.lp")
    assert done.exit_code == output.BAD_DATA and done.stdout == ""


def test_a_solver_that_cannot_is_told_apart_before_anything_runs(monoopt):
    done = monoopt("solve", "p.lp", "--solver", "mincut")
    assert done.exit_code == output.NO_SOLVER and "mincut" in done.stderr


def test_compare_gives_one_row_a_solver_and_they_agree(monoopt):
    done = monoopt("solve", "p.lp", "--solver", "highs,clarabel", "--compare")
    assert done.exit_code == output.FINE
    found = rows(done.stdout)
    assert [row["solver"] for row in found] == ["highs", "clarabel"]
    assert all(row["status"] == "optimal" for row in found)
    assert all(float(row["difference"]) < 1e-6 and float(row["violation"]) < 1e-6 for row in found)


def test_compare_says_which_solver_could_not_and_shows_the_others(monoopt):
    done = monoopt("solve", "p.lp", "--solver", "highs,nosuch", "--json")
    assert done.exit_code == output.NO_SOLVER
    first, second = json.loads(done.stdout)
    assert first["status"] == "optimal" and second["status"] == "not run" and "nosuch" in second["note"]


def test_compare_counts_the_solvers_that_can_do_such_a_program(monoopt, tmp_path: Path):
    (tmp_path / "whole.lp").write_text(LP.replace("end\n", "general\n x(0) x(1) y\nend\n"))
    done = monoopt("solve", "whole.lp", "--solver", "highs,clarabel", "--compare")
    assert done.exit_code == output.FINE and "not compared" in done.stderr and "clarabel" in done.stderr
    assert [row["status"] for row in rows(done.stdout)] == ["optimal", "not run"]
    assert monoopt("solve", "infeasible.lp", "--solver", "highs,mincut").exit_code == output.NO_OPTIMUM
    assert monoopt("solve", "whole.lp", "--solver", "clarabel,mincut").exit_code == output.NO_SOLVER
    assert monoopt("solve", "whole.lp", "--solver", "highs,clarabel,nosuch").exit_code == output.NO_SOLVER


def test_every_status_has_an_exit_code():
    assert set(output.CODES) == set(Status)
    assert output.CODES[Status.FEASIBLE] == output.CODES[Status.LIMIT] == output.LIMIT_REACHED == 5


def test_solvers_lists_what_is_found_and_how_to_get_the_rest(monoopt):
    found = {entry["name"]: entry for entry in json.loads(monoopt("solvers", "--json").stdout)}
    assert found["highs"]["found"] == "yes" and "linear" in found["highs"]["can"]
    assert all(entry["note"] for entry in found.values())
    assert {row["name"] for row in rows(monoopt("solvers").stdout)} == set(found)


def in_a_process(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "monoopt", "solve", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True)


@pytest.mark.parametrize("solver", ["highs", "clarabel"])
def test_u73_a_log_that_was_asked_for_does_not_mix_with_data(solver: str, tmp_path: Path, root: Path):
    done = in_a_process(root, str(tmp_path / "p.lp"), "--verbose", "--solver", solver)
    assert done.returncode == output.FINE
    assert done.stdout.startswith(b"kind,name,value,multiplier\n") and done.stdout.count(b"\n") == 6
    assert solver.encode() in done.stderr.lower() and done.stderr.count(b"\n") > 8


def test_u73_a_solve_without_an_answer_writes_zero_bytes(tmp_path: Path, root: Path):
    done = in_a_process(root, str(tmp_path / "infeasible.lp"))
    assert done.returncode == output.NO_OPTIMUM and done.stdout == b""


def test_u73_quiet_means_quiet_on_both_streams(tmp_path: Path, root: Path):
    done = in_a_process(root, str(tmp_path / "p.lp"), "--quiet")
    assert done.returncode == output.FINE and done.stderr == b""
