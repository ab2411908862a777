"""The agreement tests can fail: every small change of a program, a card, a reference or an answer is caught."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from monoopt.program import Block, Program, difference
from monoopt.solvers import read_program

HERE = Path(__file__).resolve().parent


def with_row(program: Program, i: int, factor: float) -> Program:
    scale = np.ones(program.shape[0])
    scale[i] = factor
    return replace(program, A=sparse.csr_array(sparse.diags_array(scale) @ program.A))


def flipped_row(program: Program) -> Program | None:
    """Turn one row round (for a difference row: flip the edge); rows that mean the same both ways don't count."""
    differs = np.flatnonzero((program.row_lower != -program.row_upper) & (np.diff(program.A.indptr) > 0))
    return with_row(program, int(differs[0]), -1.0) if len(differs) else None


def changed_coefficient(program: Program) -> Program | None:
    full = np.flatnonzero(np.diff(program.A.indptr))
    return with_row(program, int(full[-1]), np.nextafter(1.0, 2.0)) if len(full) else None


def changed_cost(program: Program) -> Program:
    costs = program.c.copy()
    costs[-1] = np.nextafter(costs[-1], np.inf)
    return replace(program, c=costs)


def dropped_row(program: Program) -> Program | None:
    names = program.row_names()
    if not names:
        return None
    rows = (Block("row", 0, len(names) - 1, (len(names) - 1,), np.array(names[:-1]), verbatim=True),)
    lower, upper = program.row_lower[:-1], program.row_upper[:-1]
    return replace(program, rows=rows if len(names) > 1 else (), A=program.A[:-1], row_lower=lower, row_upper=upper)


def loosened_bound(program: Program) -> Program | None:
    bounded = np.flatnonzero(np.isfinite(program.lower))
    if not len(bounded):
        return None
    lower = program.lower.copy()
    lower[bounded[0]] -= 1e-9
    return replace(program, lower=lower)


def loosened_side(program: Program) -> Program | None:
    sides = np.flatnonzero(np.isfinite(program.row_lower))
    if not len(sides):
        return None
    lower = program.row_lower.copy()
    lower[sides[0]] -= 1e-9
    return replace(program, row_lower=lower)


def changed_offset(program: Program) -> Program:
    return replace(program, offset=program.offset + 1.0)


def other_integrality(program: Program) -> Program:
    whole = program.integer.copy()
    whole[-1] = not whole[-1]
    return replace(program, integer=whole)


def other_sense(program: Program) -> Program:
    return replace(program, sense="maximize" if program.sense == "minimize" else "minimize")


def changed_quadratic(program: Program) -> Program | None:
    if program.P is None:
        return None
    P = sparse.csc_array(program.P).copy()
    P.data[0] = np.nextafter(P.data[0], np.inf)
    return replace(program, P=sparse.csc_array((P + P.T) / 2))


def swapped_names(program: Program) -> Program:
    names = program.column_names()
    names[:2] = names[1::-1]
    columns = (Block("column", 0, len(names), (len(names),), np.array(names), verbatim=True),)
    return replace(program, columns=columns)


MUTATIONS: list[Callable[[Program], Program | None]] = [
    flipped_row, changed_coefficient, changed_cost, dropped_row, loosened_bound, loosened_side, changed_offset,
    other_integrality, other_sense, changed_quadratic, swapped_names,
]  # fmt: skip


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda f: f.__name__)
def test_one_small_change_of_the_program_is_caught(folder, mutate, pyomo_to_program: ModuleType):
    data = folder.tiny["data"]
    program, reference = folder.program(data), folder.reference(data)
    changed = mutate(program)
    if changed is not None:
        same = swapped_names is mutate and difference(program, changed) == []  # two equal columns changed places
        assert same or pyomo_to_program.disagreement(changed, reference)


def test_a_flipped_dominance_edge_is_caught_and_named(folders, pyomo_to_program: ModuleType):
    (folder,) = (f for f in folders if f.name == "monotonization")
    data = folder.tiny["data"]
    turned = data | {"pairs": [data["pairs"][0][::-1], *data["pairs"][1:]]}
    faults = pyomo_to_program.disagreement(folder.program(turned), folder.reference(data))
    assert faults == ["rows only on the left: dominance(0,1)", "rows only on the right: dominance(1,0)"]


def test_a_changed_golden_file_is_caught(folder, tmp_path: Path):
    text = (folder.path / "tiny.lp").read_text()
    head, body = text.split("subject to", 1)
    path = tmp_path / "tiny.lp"
    changed = re.sub(r"<= ([\d.]+)$", lambda side: f"<= {float(side[1]) + 0.5:g}", body, count=1, flags=re.M)
    path.write_text(head + "subject to" + changed.replace("+ 1 ", "+ 2 ", 1))
    assert path.read_text() != text
    assert difference(folder.program(folder.tiny["data"]), read_program(path))


def copied(folder, tmp_path: Path):
    """The folder in another place, to be broken there."""
    shutil.copytree(folder.path, tmp_path / folder.name)
    return type(folder)(tmp_path / folder.name)


@pytest.fixture(scope="module")
def agreement(audit: ModuleType) -> ModuleType:
    return audit.load(HERE / "test_agreement.py")


def rewritten(folder, **answer: object) -> None:
    tiny = folder.tiny
    tiny["answer"] |= answer
    (folder.path / "tiny.json").write_text(json.dumps(tiny))


def test_a_wrong_hand_worked_answer_is_caught(folder, tmp_path: Path, agreement: ModuleType, audit: ModuleType):
    broken = copied(folder, tmp_path)
    objective, values = broken.tiny["answer"]["objective"], broken.tiny["answer"]["values"]
    rewritten(broken, objective=objective + 0.001)
    with pytest.raises(AssertionError):
        agreement.test_the_hand_worked_answer_is_proved(broken, audit)
    first = next(iter(values))
    rewritten(broken, objective=objective, values=values | {first: values[first] + 0.5})
    with pytest.raises(AssertionError):
        agreement.test_the_hand_worked_answer_is_proved(broken, audit)


def test_a_card_that_misses_or_invents_a_family_is_caught(folder, tmp_path: Path, agreement: ModuleType):
    broken = copied(folder, tmp_path)
    card = broken.card
    invented = card.replace("## Columns\n", "## Columns\n\n| `made_up(i)` | | |\n")
    for changed in (card.replace("## Rows", "## Other"), invented):
        assert changed != card
        (broken.path / "CARD.md").write_text(changed)
        with pytest.raises(AssertionError):
            agreement.test_the_card_names_every_family_and_no_other(broken)


def test_a_reference_that_borrows_is_caught(folder, tmp_path: Path, agreement: ModuleType):
    broken = copied(folder, tmp_path)
    source = (broken.path / "reference.py").read_text()
    for line in ("from monoopt.formulations import svdd", "import importlib", "import monoopt.program as p"):
        (broken.path / "reference.py").write_text(f"{source}\n\ndef later():\n    {line}\n")
        with pytest.raises(AssertionError):
            agreement.test_the_reference_knows_nothing_of_monoopt(broken)


def test_a_folder_without_random_instances_fails_and_says_what_to_add(folders, tmp_path: Path):
    stranger = type(folders[0])(tmp_path / "stranger")
    with pytest.raises(pytest.fail.Exception, match=r"add a function stranger\(rng\)"):
        stranger.instance(1)


def test_a_half_empty_folder_fails(folders, tmp_path: Path, agreement: ModuleType):
    broken = copied(folders[0], tmp_path)
    (broken.path / "tiny.lp").unlink()
    with pytest.raises(AssertionError):
        agreement.test_a_folder_holds_a_card_a_reference_and_a_tiny_instance(broken)
