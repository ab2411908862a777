"""``monoopt repair``: the table comes back as it was written, labels changed as little as possible, with a proof."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from monoopt import datasets
from monoopt.cli import output

TABLE = "name;x;z;grade\na;1,5;2;low\nb;2;3;high\nc;3;3;low\nd;4;5;high\n"
WORDS = ("--target", "grade", "--decimal", ",", "--id", "name")


@pytest.fixture(autouse=True)
def table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)


def rows(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def esl_csv() -> str:
    esl = datasets.load_esl()
    lines = [",".join([*esl.feature_names, "class"])]
    lines += [",".join(f"{v:g}" for v in row) + f",{label}" for row, label in zip(esl.X, esl.y, strict=True)]
    return "\n".join(lines) + "\n"


def test_only_the_label_changes_and_the_dialect_is_kept(monoopt):
    done = monoopt("repair", "t.csv", *WORDS, "--order", "low,high")
    assert done.exit_code == output.FINE
    assert done.stdout == TABLE.replace("b;2;3;high", "b;2;3;low")
    assert "cost 1" in done.stderr and "proved exactly" in done.stderr


def test_the_greatest_of_equal_repairs_can_be_asked_for(monoopt):
    done = monoopt("repair", "t.csv", *WORDS, "--order", "low,high", "--tie", "greatest", "--quiet")
    assert done.stdout == TABLE.replace("c;3;3;low", "c;3;3;high")
    assert done.stderr == ""


def test_directions_are_followed_by_name(monoopt):
    done = monoopt("repair", "t.csv", *WORDS, "--order", "low,high", "--down", "x")
    assert done.stdout == TABLE, "x falls where z rises: no two of them contradict each other"


def test_conflicts_put_the_two_sides_beside_each_other(monoopt, tmp_path: Path):
    monoopt("repair", "t.csv", *WORDS, "--order", "low,high", "--conflicts", "c.csv")
    found = rows((tmp_path / "c.csv").read_text())
    assert [(row["changed"], row["label"], row["new label"], row["contradicted"]) for row in found] == [
        ("b", "high", "low", "c")
    ]


def test_text_labels_without_an_order_show_the_alphabetical_trap(monoopt):
    done = monoopt("repair", "t.csv", *WORDS)
    assert done.exit_code == output.BAD_DATA and done.stdout == ""
    assert "high < low" in done.stderr and "--order" in done.stderr


def test_every_bad_cell_is_on_standard_error(monoopt, tmp_path: Path):
    cells = ["1.5", "x", "", "inf", "2%", "7"]
    (tmp_path / "bad.csv").write_text("a,class\n" + "".join(f"{cell},1\n" for cell in cells))
    done = monoopt("repair", "bad.csv", "--target", "class")
    assert done.exit_code == output.BAD_DATA and done.stdout == ""
    assert [f"line {line}" in done.stderr for line in range(2, 8)] == [False, True, True, True, True, False]


def test_a_real_table_in_every_solver_gives_the_known_cost_and_the_same_labels(monoopt):
    answers = [
        monoopt("repair", "-", "--target", "class", "--solver", solver, input=esl_csv())
        for solver in ("highs", "mincut")
    ]
    assert "cost 104" in answers[0].stderr
    assert answers[0].stdout == answers[1].stdout


def test_json_holds_cost_changes_and_proofs(monoopt):
    found = json.loads(monoopt("repair", "-", "-t", "class", "--json", input=esl_csv()).stdout)
    assert found["cost"] == 104 and found["objects"] == 488
    assert all(proof["ok"] and proof["exact"] for proof in found["certificates"]) and len(found["certificates"]) == 8
    assert all(entry["contradicts_lines"] for entry in found["changed"])


def test_weights_and_ignored_columns(monoopt, tmp_path: Path):
    (tmp_path / "w.csv").write_text("x,w,note,class\n1,1,a,1\n2,5,b,2\n3,1,c,1\n")
    done = monoopt("repair", "w.csv", "-t", "class", "--weight", "w", "--ignore", "note")
    assert rows(done.stdout)[2]["class"] == "2", "five against one"


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["t.csv", "--target", "grad"], output.USAGE, "'grade'"),
        (["t.csv"], output.USAGE, "--target"),
        (["t.csv", *WORDS, "--order", "low,high", "--solver", "nosuch"], output.NO_SOLVER, "nosuch"),
        (["t.csv", *WORDS, "--order", "low"], output.BAD_DATA, "'high'"),
        (["nowhere.csv", *WORDS], output.USAGE, "nowhere.csv"),
        (["t.csv", *WORDS, "--order", "low,high", "--out", "no/such/folder.csv"], output.USAGE, "no/such"),
        (["t.csv", *WORDS, "--order", "low,high", "--tie", "most"], output.USAGE, "greatest"),
    ],
    ids=str,
)
def test_mistakes_leave_with_their_code(monoopt, arguments, code, word):
    done = monoopt("repair", *arguments)
    assert done.exit_code == code and done.stdout == "" and word in done.stderr


def test_labels_that_are_all_the_same_are_warned_of(monoopt):
    done = monoopt("repair", "-", "-t", "class", input="a,class\n3,1\n1,1\n")
    assert done.exit_code == output.FINE and "all objects have the same label" in done.stderr
    assert "nan" not in done.stderr


def test_a_wrong_direction_is_warned_of_by_name(monoopt):
    done = monoopt(
        "repair",
        "-",
        "-t",
        "class",
        "--down",
        "debt",
        input="debt,class\n" + "".join(f"{i},{i // 3}\n" for i in range(12)),
    )
    assert done.exit_code == output.FINE and "warning: debt is declared cost" in done.stderr


def test_progress_is_told_of_what_takes_longer_than_silence(monoopt, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(output, "SILENT", 0.0)
    told = monoopt("repair", "-", "-t", "class", "--json", input=esl_csv()).stderr
    assert "1 of 8 questions answered (0 s)" in told and "1 of 99 changed objects compared" in told
    assert monoopt("repair", "-", "-t", "class", "--json", "--quiet", input=esl_csv()).stderr == ""


def test_json_counts_all_contradictions_and_lists_the_first(monoopt, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("monoopt.cli.repair.LISTED", 2)
    found = json.loads(monoopt("repair", "-", "-t", "class", "--json", input=esl_csv()).stdout)
    assert max(entry["contradictions"] for entry in found["changed"]) > 10
    assert all(len(e["contradicts_lines"]) == min(2, e["contradictions"]) for e in found["changed"])
