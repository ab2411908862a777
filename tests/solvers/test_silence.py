"""Nothing on stdout: every solver in a process of its own, whose file descriptor 1 is looked at from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

from monoopt.solvers import open_session, solve
from monoopt.solvers.silence import listening, silent_descriptor
from tests.solvers.every_solver import SOLVERS, require
from tests.solvers.named_programs import CASES

# Heavy imports once, then a fork for each solver: so the first object of every library is its process's first.
SCRIPT = """
import ctypes, json, os, sys, tempfile
import cvxpy, pyomo.environ, highspy
from monoopt.errors import MonooptError
from monoopt.solvers import solve
from monoopt.solvers.registry import known_solvers
from tests.solvers.named_programs import CASES

def everything(name):
    solver = known_solvers()[name]()
    trial = solver.trial()[0]
    loose = CASES["no_active_row"].build()
    programs = (trial, loose, CASES["infeasible_sides"].build(), CASES["projection"].build())
    for program, options in (*((program, {}) for program in programs), (trial, {"threds": 2})):
        try:
            solve(program, name, options=options, raise_on_failure=False)
        except (MonooptError, ImportError):
            pass

noise = {}
for name in sys.argv[1:]:
    with tempfile.TemporaryFile() as caught:
        child = os.fork()
        if child == 0:
            os.dup2(caught.fileno(), 1)
            everything(name)
            sys.stdout.flush()
            ctypes.CDLL(None).fflush(None)  # what C keeps back
            os._exit(0)
        os.waitpid(child, 0)
        caught.seek(0)
        noise[name] = caught.read().decode(errors="replace")
print(json.dumps(noise), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def noise() -> dict[str, str]:
    """What each solver wrote to file descriptor 1."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *SOLVERS], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.strip().splitlines()[-1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.parametrize("name", SOLVERS)
def test_a_quiet_solve_writes_nothing_to_descriptor_1(name: str, noise: dict[str, str], found: dict[str, str]) -> None:
    require(name, found)
    assert noise[name] == ""


def test_a_verbose_solve_does_write() -> None:
    script = (
        "from monoopt.solvers import solve\n"
        "from tests.solvers.named_programs import CASES\n"
        "solve(CASES['production'].build(), verbose=True)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "HiGHS" in done.stdout or "Optimal" in done.stdout, done.stderr


def test_descriptor_1_comes_back_when_threads_overlap(capfd: pytest.CaptureFixture[str]) -> None:
    """The last of two overlapping silences brings it back, whichever began first."""
    first_in, second_in = threading.Event(), threading.Event()

    def first() -> None:
        with silent_descriptor():
            first_in.set()
            second_in.wait(5)

    worker = threading.Thread(target=first)
    worker.start()
    first_in.wait(5)
    with silent_descriptor():
        os.write(1, b"lost")
        second_in.set()
        worker.join(5)
        os.write(1, b"lost too")
    os.write(1, b"seen")
    assert capfd.readouterr().out == "seen"


def test_silence_is_harmless_where_there_is_no_stdout() -> None:
    script = (
        "import os; os.close(1)\nfrom monoopt.solvers.silence import silent_descriptor\nwith silent_descriptor(): pass"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_a_line_that_osqp_prints_through_python_is_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    """It says that polishing is not needed, whatever its verbose."""
    assert solve(CASES["no_active_row"].build(), "osqp").optimal
    with open_session(CASES["quadratic_without_active_row"].build(), "osqp") as session:
        assert session.solve().optimal
    assert capsys.readouterr().out == ""


def test_listening_to_a_thread_silences_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    with listening() as outer, listening() as inner:
        print("kept")
        other = threading.Thread(target=print, args=("heard",))
        other.start()
        other.join(5)
    assert (outer.getvalue(), inner.getvalue()) == ("", "kept\n")
    assert sys.stdout is before
    print("heard too")
    assert capsys.readouterr().out == "heard\nheard too\n"


def test_aloud_is_kept_and_let_through_unless_an_outer_ear_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(aloud=True) as kept:
        print("both")
    with listening(), listening(aloud=True):
        print("lost")
    assert kept.getvalue() == capsys.readouterr().out == "both\n"


# What PIQP says goes to descriptor 1 past Python, and our own solvers have nothing to say.
SILENT = {"piqp", "mincut", "smo", "partition", "nnls"}


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in SILENT])
def test_the_log_of_a_solve_is_kept_quiet_or_not(name: str, verbose: bool, found: dict[str, str]) -> None:
    require(name, found)
    program = CASES["production"].build()
    assert len(solve(program, name, verbose=verbose, raise_on_failure=False).log) > 100


def test_an_engine_that_fails_leaves_what_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from cvxpy.reductions.solvers.solving_chain import SolvingChain

    def stumble(*arguments: object) -> None:
        print("line 1")
        raise RuntimeError("no")

    monkeypatch.setattr(SolvingChain, "solve_via_data", stumble)
    answer = solve(CASES["projection"].build(), "clarabel", raise_on_failure=False)
    assert (answer.raw_status, answer.log) == ("RuntimeError: no", "line 1\n")


def test_without_stdout_a_solve_works_and_has_no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    for name in ("clarabel", "osqp", "scs"):
        assert solve(CASES["projection"].build(), name).optimal
