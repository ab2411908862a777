"""``monoopt explain`` and ``monoopt verify``, and text, categories and missing cells on the way to them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from monoopt import IsotonicSeparationClassifier, MonotoneProbabilityClassifier
from monoopt.cli import output
from monoopt.estimators import fitted_json

TABLE = """\
name,size,colour,safety,class
a,1,red,low,bad
b,2,red,med,good
c,,blue,high,good
d,3,blue,low,bad
e,3,red,high,best
f,1,blue,,bad
"""
MEANING = ("--order", "bad,good,best", "--free", "colour", "--levels", "safety=low,med,high", "--id", "name")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(TABLE)


def fitted(monoopt, missing: str = "worst") -> str:
    done = monoopt("fit", "data.csv", "-t", "class", *MEANING, "--missing", missing, "-o", "rules.json")
    assert done.exit_code == output.FINE, done.stderr
    return done.stderr


def test_rules_speak_of_categories_and_of_missing_cells(monoopt):
    words = fitted(monoopt)
    assert "safety >= med" in words and "colour is red" in words and "or missing)" in words
    found = list(csv.DictReader(io.StringIO(monoopt("predict", "rules.json", "data.csv").stdout)))
    assert [row["prediction"] for row in found] == [row["class"] for row in found]


def test_an_object_is_explained_compared_and_advised(monoopt):
    fitted(monoopt)
    done = monoopt("explain", "rules.json", "data.csv", "--row", "3", "--against", "1", "--reach", "best")
    assert done.exit_code == output.FINE
    for words in (
        "object 3 (line 4): good", "rules that fired:", "against the next class:", "size missing, colour blue",
        "object 3 beside object 1: good against bad", "the cheapest change: best: size from missing to 3, colour from",
    ):  # fmt: skip
        assert words in done.stdout
    everything = monoopt("explain", "rules.json", "data.csv").stdout
    assert all(f"object {number} (line {number + 1})" in everything for number in range(1, 7))


def test_explanations_as_json_are_plain_and_in_the_order_asked_for(monoopt):
    fitted(monoopt)
    done = monoopt("explain", "rules.json", "data.csv", "--row", "3", "--row", "1", "--reach", "best", "--json")
    first, second = json.loads(done.stdout, parse_constant=pytest.fail)
    assert (first["object"], second["object"], second["line"]) == (3, 1, 2)
    assert first["explanation"]["label"] == "good" and first["recourse"]["changes"]["size"] == [None, 3.0]
    assert first["recourse"]["certificate"]["ok"]


@pytest.mark.parametrize("missing", ["worst", "incomparable"])
def test_verification_counts_pairs_and_computes_margins_again(monoopt, missing: str):
    fitted(monoopt, missing)
    for arguments in (["rules.json"], ["rules.json", "data.csv"]):
        done = monoopt("verify", *arguments, "--json")
        assert done.exit_code == output.FINE
        rows = json.loads(done.stdout)
        assert {row["verdict"] for row in rows} == {"holds"}
        assert sum("as recorded" in row["check"] for row in rows) == 4
        assert sum("comparable pairs violated" in row["finding"] for row in rows) == 2


def test_rules_that_someone_turned_round_are_found_out(monoopt, tmp_path: Path):
    fitted(monoopt)
    content = json.loads((tmp_path / "rules.json").read_text())
    for rule in content["rules"][0]["rules"]:
        rule["positive"] = not rule["positive"]
    (tmp_path / "rules.json").write_text(json.dumps(content))
    done = monoopt("verify", "rules.json")
    assert done.exit_code == output.UNVERIFIED
    assert "form,not monotone,BROKEN" in done.stdout and "worst pair" in done.stdout


def test_other_classifiers_written_from_python_are_read_verified_and_have_no_reasons(monoopt, tmp_path: Path):
    X = {"size": [1, 2, 3, 3], "colour": ["red", "red", "blue", "red"]}
    for kind in (MonotoneProbabilityClassifier, IsotonicSeparationClassifier):
        fitted_here = kind(directions=["gain", "free"]).fit(X, [0, 1, 0, 2])
        (tmp_path / "other.json").write_text(json.dumps(fitted_here.to_dict()))
        (tmp_path / "new.csv").write_text("colour,size\nred,2\nblue,9\n")
        done = monoopt("predict", "other.json", "new.csv", "--json")
        assert [row["prediction"] for row in json.loads(done.stdout)] == fitted_here.predict(
            {"size": [2, 9], "colour": ["red", "blue"]}
        ).tolist()
        rows = json.loads(monoopt("verify", "other.json", "new.csv", "--json").stdout)
        assert {row["verdict"] for row in rows} == {"holds"} and rows[0]["check"] == "form"
        done = monoopt("explain", "other.json", "new.csv")
        assert done.exit_code == output.USAGE and f"{kind.__name__}, which has no reasons" in done.stderr


def test_repair_takes_the_same_policies(monoopt):
    for missing, cost in (("worst", 0), ("incomparable", 0)):
        done = monoopt("repair", "data.csv", "-t", "class", *MEANING, "--missing", missing, "--json", "-q")
        assert json.loads(done.stdout)["cost"] == cost


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["explain", "rules.json", "data.csv", "--row", "9"], output.USAGE, ["no object 9", "has 6"]),
        (["explain", "rules.json", "data.csv", "--reach", "bset"], output.BAD_DATA, ["did you mean 'best'"]),
        (["explain", "-", "-"], output.USAGE, ["not both"]),
        (["verify", "rules.json", "-"], output.BAD_DATA, ["line 2", "'purple' is no", "line 3", "mean 'high'"]),
        (["fit", "data.csv", "-t", "class", "--order", "bad,good,best"], output.BAD_DATA,
         ["--free colour", "--levels safety=", "line 4, column 'size': missing", "line 7, column 'safety': missing"]),
        (["fit", "data.csv", "-t", "class", *MEANING], output.BAD_DATA, ["line 4, column 'size': missing"]),
        (["fit", "data.csv", "-t", "class", "--levels", "safety"], output.USAGE, ["safety=low,med,high"]),
        (["fit", "data.csv", "-t", "class", "--levels", "safty=a,b"], output.USAGE, ["did you mean 'safety'"]),
    ],
    ids=str,
)  # fmt: skip
def test_mistakes_are_all_said(monoopt, arguments: list[str], code: int, words: list[str]):
    fitted(monoopt)
    done = monoopt(*arguments, input="size,colour,safety\n1,purple,low\n2,red,hgih\n")
    assert done.exit_code == code
    for word in words:
        assert word in done.stderr


def test_a_proof_that_failed_and_a_file_that_was_changed_are_not_verified(monoopt, tmp_path: Path):
    fitted(monoopt)
    content = json.loads((tmp_path / "rules.json").read_text())
    failed = [proof | {"ok": False, "reasons": ["time limit"]} for proof in content["certificates"]]
    for change, words in (
        ({"certificates": failed}, "margin of at least"),
        ({"data_sha256": "0" * 64}, "not verified: file"),
    ):
        (tmp_path / "changed.json").write_text(json.dumps(content | change))
        done = monoopt("verify", "changed.json")
        assert done.exit_code == output.UNVERIFIED and words in done.stderr
        assert "file,changed after it was written" in done.stdout and "warning: saved classifier" in done.stderr
    again = fitted_json.checksum(content | {"certificates": failed})
    (tmp_path / "limit.json").write_text(json.dumps(content | {"certificates": failed, "record_sha256": again}))
    done = monoopt("verify", "limit.json", "--json")
    assert done.exit_code == output.UNVERIFIED and "not verified: relabelling of" in done.stderr
    assert {row["verdict"] for row in json.loads(done.stdout)} == {"holds", "not proved"}
