"""The second signature: every program of the shelf is what its card, its reference and its hand-worked instance say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import highspy
import numpy as np
import pytest

from monoopt.program import Program, certify, difference, to_lp
from monoopt.solvers import read_program, solve
from monoopt.solvers.silence import silent_descriptor

NEEDED = ("CARD.md", "reference.py", "tiny.json", "tiny.lp")
MEMBERS = {"title": str, "builder": str, "data": dict, "answer": dict, "why": list}
EXACT = 1e-9
QUADRATIC = 1e-6


def test_a_folder_holds_a_card_a_reference_and_a_tiny_instance(folder):
    assert [name for name in NEEDED if not (folder.path / name).is_file()] == []
    faults = [word for word, kind in MEMBERS.items() if not isinstance(folder.tiny.get(word), kind)]
    assert not faults, f"models/{folder.name}/tiny.json: missing or of the wrong kind: {faults}"
    assert {"objective", "values", "unique"} <= set(folder.tiny["answer"])


def test_tiny_is_the_same_program_by_name(folder, pyomo_to_program):
    data = folder.tiny["data"]
    assert pyomo_to_program.disagreement(folder.program(data), folder.reference(data)) == []


def test_random_instances_are_the_same_program_by_name(folder, seed, pyomo_to_program):
    data = folder.instance(seed)
    assert pyomo_to_program.disagreement(folder.program(data), folder.reference(data)) == []


def test_the_golden_file_is_what_monoopt_writes_now(folder):
    text = to_lp(folder.program(folder.tiny["data"]))
    assert (folder.path / "tiny.lp").read_text(encoding="ascii") == text, (
        f"models/{folder.name}/tiny.lp differs; if that is meant: python models/audit.py {folder.name} --rewrite"
    )


def test_the_golden_file_is_read_back_as_the_same_program(folder):
    assert difference(folder.program(folder.tiny["data"]), read_program(folder.path / "tiny.lp")) == []


def test_the_hand_worked_answer_is_proved(folder, audit):
    """Exactly for linear programs; for integer ones a solver must confirm that nothing is better."""
    program, answer = folder.program(folder.tiny["data"]), folder.tiny["answer"]
    assert set(answer["values"]) == set(program.column_names())
    integer = "integer" in program.needs
    assert ("duals" in answer) != integer, "hand-worked duals for all but integer programs"
    assert integer or set(answer["duals"]) == set(program.row_names())
    linear = not program.needs & {"quadratic", "integer", "second_order", "exponential"}
    proof = certify(program, audit.answer_by_hand(program, answer), exact=linear)
    assert proof.ok, proof
    assert proof.kind == ("feasibility" if integer else "optimality")
    assert proof.gap == 0 or not linear
    assert proof.primal_objective == pytest.approx(answer["objective"], abs=EXACT)
    assert solve(program).objective == pytest.approx(answer["objective"], abs=QUADRATIC)


def test_highs_finds_the_hand_worked_answer_in_the_golden_file(folder):
    """HiGHS reads the file itself: neither our reader nor our solver layer takes part."""
    answer = folder.tiny["answer"]
    objective, values, duals = highs_on(folder.path / "tiny.lp")
    program = folder.program(folder.tiny["data"])
    close = QUADRATIC if "quadratic" in program.needs else EXACT
    assert objective == pytest.approx(answer["objective"], abs=close)
    if answer["unique"]["values"]:
        assert {name: values[name] for name in answer["values"]} == pytest.approx(answer["values"], abs=10 * close)
    if answer["unique"].get("duals"):
        assert duals == pytest.approx(answer["duals"], abs=10 * close)


def test_the_card_names_every_family_and_no_other(folder):
    programs = [folder.program(folder.tiny["data"]), *(folder.program(folder.instance(seed)) for seed in range(1, 9))]
    for heading, families in (("Columns", columns_of), ("Rows", rows_of)):
        written = set(families_of(folder.card, heading))
        assert written, f"models/{folder.name}/CARD.md: no table with `family(...)` under the heading ## {heading}"
        present = set().union(*(families(program) for program in programs))
        assert present <= written, f"families that the card does not name: {sorted(present - written)}"
        assert written <= present, f"families that no instance has: {sorted(written - present)}"


def test_the_reference_knows_nothing_of_monoopt(folder):
    tree = ast.parse((folder.path / "reference.py").read_text(encoding="utf-8"))
    imported = set(modules_of(tree))
    assert "pyomo" in imported
    assert not {name for name in imported if name.startswith(("monoopt", "models"))}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"__import__", "exec", "eval", "compile"}
    assert "importlib" not in imported


def test_the_reference_runs_as_a_script(folder, capsys, monkeypatch):
    import runpy

    for argv in (["reference.py"], ["reference.py", str(folder.path / "tiny.json")]):
        monkeypatch.setattr("sys.argv", argv)
        runpy.run_path(str(folder.path / "reference.py"), run_name="__main__")
        printed = capsys.readouterr().out
        assert all(family in printed for family in columns_of(folder.program(folder.tiny["data"])))


def columns_of(program: Program) -> set[str]:
    return {block.name for block in program.columns if block.size}


def rows_of(program: Program) -> set[str]:
    return {block.name for block in (*program.rows, *(cone.block for cone in program.cones)) if block.size}


def families_of(card: str, heading: str) -> list[str]:
    """Names in backticks in the first cells of the table under a heading."""
    part = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", card, flags=re.M | re.S)
    return re.findall(r"^\| *`([A-Za-z_]\w*)", part.group(1), flags=re.M) if part else []


def modules_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "relative").split(".")[0] if not node.level else "models"


def highs_on(path) -> tuple[float, dict[str, float], dict[str, float]]:
    """Objective, values and multipliers that HiGHS finds; the two rows of a range row are added up."""
    with silent_descriptor():
        highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", 20.0)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    assert highs.run() == highspy.HighsStatus.kOk and highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    lp, found = highs.getLp(), highs.getSolution()
    duals: dict[str, float] = {}
    for name, dual in zip(lp.row_names_, found.row_dual, strict=False):
        stem = name.removesuffix(".lo").removesuffix(".up")
        duals[stem] = duals.get(stem, 0.0) + dual
    values = dict(zip(lp.col_names_, np.array(found.col_value).tolist(), strict=True))
    return highs.getObjectiveValue(), values, duals
