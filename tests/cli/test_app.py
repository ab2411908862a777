"""The command line teaches, keeps its streams apart, and turns every error into its exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import monoopt as library
from monoopt import errors
from monoopt.cli import output
from monoopt.cli.app import app, exit_code


def test_help_teaches_by_examples_and_names_the_exit_codes(monoopt):
    text = " ".join(monoopt("--help").stdout.split())
    for command in ("demo", "repair", "fit", "predict", "solve", "solvers"):
        assert f" {command} " in text
    assert "3 verification failed" in text and "monoopt demo" in text


@pytest.mark.parametrize("command", ["demo", "repair", "fit", "predict", "solve", "solvers"])
def test_every_command_explains_itself(monoopt, command: str):
    done = monoopt(command, "--help")
    assert done.exit_code == 0 and len(done.stdout) > 200


def test_version(monoopt):
    assert monoopt("--version").stdout.strip() == f"monoopt {library.__version__}"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.OptionError("x"), 1),
        (errors.DataError("x"), 2),
        (errors.FormulationError("x"), 2),
        (errors.CertificateError("x"), 3),
        (errors.SolveError("x"), 3),
        (errors.TimeLimitError("x"), 5),
        (errors.SolverNotFound("x"), 6),
        (errors.UnsupportedProgram("x"), 6),
    ],
)
def test_every_error_of_the_library_has_its_code(error: errors.MonooptError, code: int):
    assert exit_code(error) == code


def test_a_fault_of_our_own_is_no_usage_error(monoopt, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("monoopt.cli.solve._read", broken)
    done = monoopt("solve", "p.lp")
    assert done.exit_code == output.INTERNAL and "please report" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said_in_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "monoopt", "--version"], stdout=full, stderr=-1, text=True)
    assert done.returncode == 1 and done.stderr.strip() == "error: can't write the answer: No space left on device"


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path):
    (tmp_path / "long.csv").write_text("a,b\n" + "".join(f"{i % 997},{i % 89}\n" for i in range(8_000)))
    command = [sys.executable, "-m", "monoopt", "rank", str(tmp_path / "long.csv"), "--up", "a,b"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout is not None and done.stdout.readline() == b"rank,row,score\n"
        done.stdout.close()
        assert done.stderr is not None and b"Traceback" not in done.stderr.read()
    assert done.returncode == 0


def test_json_never_holds_what_json_does_not_have():
    assert output.plain({"a": (1.0, float("inf"))}) == {"a": [1.0, None]}


def test_commands_are_these():
    assert {c.callback.__name__ for c in app.registered_commands} == {
        "demo", "repair", "fit", "predict", "explain", "verify", "rank", "cluster", "solvers", "solve"
    }  # fmt: skip
