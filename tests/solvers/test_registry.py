"""Finding solvers: names, what is missing, other people's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from monoopt.errors import FormulationError, OptionError, SolverNotFound, UnsupportedProgram
from monoopt.program import ProgramBuilder, Status
from monoopt.solvers import (
    RawAnswer,
    available_solvers,
    explain_infeasible,
    get_solver,
    open_session,
    solve,
    solvers_that_can,
)
from monoopt.solvers import registry as registry_module
from tests.solvers.liar import Liar
from tests.solvers.named_programs import CASES


def test_the_default_solvers_are_found_by_a_trial_solve() -> None:
    infos = {info.name: info for info in available_solvers()}
    for name in ("highs", "mincut", "clarabel", "osqp", "scs", "cvxpy", "cvxpy-highs", "pyomo", "pyomo-highs"):
        assert infos[name].found and infos[name].version and infos[name].note == "ready", infos[name]
    assert infos["mincut"].special and not infos["highs"].special


def test_a_solver_prints_alike_in_every_process() -> None:
    assert repr(get_solver("highs")) == "<solver highs>"


def test_what_is_missing_says_how_to_get_it() -> None:
    for info in available_solvers():
        assert info.found or "install" in info.note


def test_an_unknown_name_lists_the_known_and_the_nearest() -> None:
    with pytest.raises(SolverNotFound, match=r"did you mean 'clarabel'.*highs.*pyomo:NAME"):
        solve(CASES["demand"].build(), "claralbel")


def test_a_solver_that_only_a_layer_knows_is_pointed_to() -> None:
    with pytest.raises(SolverNotFound, match="try 'cvxpy:gurobi' or 'pyomo:gurobi'"):
        solve(CASES["demand"].build(), "gurobi")


def test_what_is_no_solver_and_what_is_no_program_is_refused() -> None:
    program = CASES["demand"].build()
    for wrong in (None, 3):
        with pytest.raises(OptionError, match="wanted a name that available_solvers"):
            solve(program, wrong)
        with pytest.raises(OptionError, match="wanted a name that available_solvers"):
            open_session(program, wrong)
    for verb in (solve, open_session, explain_infeasible):
        with pytest.raises(FormulationError, match=r"wanted a Program.*got NoneType"):
            verb(None)


@pytest.mark.parametrize(
    ("name", "told"), [("cvxpy:clarabl", "did you mean 'CLARABEL'"), ("pyomo:nothing_such", "find")]
)
def test_a_layer_refuses_names_that_it_does_not_know(name: str, told: str) -> None:
    with pytest.raises(SolverNotFound, match=told):
        get_solver(name)


def test_a_missing_executable_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pyomo.common import Executable

    from monoopt.solvers import pyomo_

    monkeypatch.setenv("PATH", str(tmp_path))
    pyomo_._version.cache_clear()
    Executable.rehash()
    try:
        with pytest.raises(SolverNotFound, match="apt-get install glpk-utils"):
            solve(CASES["demand"].build(), "glpk")
    finally:
        monkeypatch.undo()
        Executable.rehash()


def test_any_solver_of_a_layer_is_reached_by_its_name() -> None:
    for name in ("cvxpy:clarabel", "cvxpy:scipy", "pyomo:appsi_highs", "pyomo:highs", "CLARABEL", "Pyomo:HiGHS"):
        assert solve(CASES["demand"].build(), name).objective == pytest.approx(9, abs=1e-5)


def test_refusal_names_solvers_that_can() -> None:
    with pytest.raises(UnsupportedProgram, match=r"second_order.*clarabel"):
        solve(CASES["shortest_vector"].build(), "highs")
    assert "clarabel" in solvers_that_can({"exponential"}) and "highs" not in solvers_that_can({"exponential"})
    assert "mincut" not in solvers_that_can({"linear"}), "it takes one form of program only"


def test_a_solver_object_is_taken_in_place_of_a_name() -> None:
    assert solve(CASES["demand"].build(), Liar(Status.OPTIMAL, x=[3, 1], y=[3], z=[-1, 0])).solver == "liar"


def test_a_solver_whose_trial_fails_is_not_found() -> None:
    wrong, dead = Liar(Status.OPTIMAL, x=[0, 1]), Liar(Status.ERROR)
    assert "gave -1" in registry_module._trial(wrong)
    assert "ended with error" in registry_module._trial(dead)


def test_a_solver_that_raises_at_its_trial_is_not_found() -> None:
    class Broken(Liar):
        def run(self, program: object, settings: object) -> RawAnswer:
            raise RuntimeError("no licence")

    assert "no licence" in registry_module._trial(Broken(Status.OPTIMAL))


PLUGIN = '''
from monoopt.program import Status
from monoopt.solvers import RawAnswer, Solver
from monoopt.solvers.mincut import MinCut


class Borrowed(MinCut):
    """Somebody else's solver."""

    name = "borrowed"

    def version(self):
        return "7.5"
'''


def test_a_plug_in_is_found_through_its_entry_point(tmp_path: Path) -> None:
    """An installed package with a line in the group ``monoopt.solvers``, in a process of its own."""
    (tmp_path / "borrowed_solver.py").write_text(PLUGIN)
    metadata = tmp_path / "borrowed_solver-7.5.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: borrowed-solver\nVersion: 7.5\n")
    (metadata / "entry_points.txt").write_text("[monoopt.solvers]\nBorrowed = borrowed_solver:Borrowed\n")
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from monoopt.solvers import get_solver, solve
from monoopt.solvers.registry import _info
info = _info("borrowed")
assert info.found and info.version == "7.5", info
program, optimum = get_solver("borrowed").trial()
assert solve(program, "borrowed").objective == optimum
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_plug_in_does_not_replace_what_is_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "highs"

        def load(self) -> type[Liar]:
            return Liar

    monkeypatch.setattr(registry_module, "entry_points", lambda group: [Point()])
    registry_module.known_solvers.cache_clear()
    try:
        assert get_solver("highs").name == "highs"
    finally:
        registry_module.known_solvers.cache_clear()


def test_a_program_without_columns_needs_no_solver() -> None:
    program = ProgramBuilder("nothing").build()
    assert solve(program).objective == 0 and solve(program).certificate.ok
