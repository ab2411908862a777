"""``monoopt fit`` and ``monoopt predict``: rules as JSON, the same answers bit for bit, columns found by name."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from monoopt import LPRulesClassifier, datasets
from monoopt.cli import output, store
from monoopt.errors import DataError

TRAIN = "a,b,class\n1,5,0\n2,3,1\n2,2,1\n3,1,1\n2,6,0\n4,4,2\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(TRAIN)
    (tmp_path / "new.csv").write_text("b,name,a\n5,first,5\n6,second,2\n-1,third,0.5\n")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def fitted(monoopt, *more: str) -> str:
    done = monoopt("fit", "train.csv", "--target", "class", "--out", "rules.json", *more)
    assert done.exit_code == output.FINE and done.stdout == ""
    return done.stderr


def test_a_person_reads_rules_margins_and_what_is_proved(monoopt):
    words = fitted(monoopt)
    assert "cost 1" in words and "if a >= 4 then at least 2" in words
    assert "certificates hold; every rule is monotone in form; 0 of" in words


def test_answers_come_beside_the_table_whatever_the_order_of_its_columns(monoopt):
    fitted(monoopt)
    found = rows(monoopt("predict", "rules.json", "new.csv", "--intervals").stdout)
    assert [row["prediction"] for row in found] == ["2", "1", "0"]
    assert [(row["lowest"], row["highest"]) for row in found] == [("2", "2"), ("1", "1"), ("0", "0")]
    assert [row["outside_range"] for row in found] == ["yes", "no", "yes"]
    assert [row["name"] for row in found] == ["first", "second", "third"]


def test_u77_a_saved_classifier_predicts_bit_for_bit(tmp_path: Path):
    esl = datasets.load_esl()
    X = dict(zip(esl.feature_names, (esl.X + np.pi / 1e3).T, strict=True))
    before = LPRulesClassifier(directions=esl.directions).fit(X, esl.y)
    store.save(store.Saved(before, {"target": "class"}), str(tmp_path / "s.json"))
    after = store.load(str(tmp_path / "s.json")).estimator
    for method in ("predict", "decision_function", "predict_interval"):
        np.testing.assert_array_equal(getattr(after, method)(X), getattr(before, method)(X))
    content = json.loads((tmp_path / "s.json").read_text(), parse_constant=pytest.fail)
    assert content["schema"] == 2 and len(content["data_sha256"]) == 64
    assert {"monoopt", "numpy", "highspy"} <= set(content["versions"])


def test_fitting_twice_writes_the_same_file(monoopt, tmp_path: Path):
    fitted(monoopt)
    first = (tmp_path / "rules.json").read_bytes()
    assert monoopt("fit", "train.csv", "-t", "class", "-q").stdout_bytes == first


def test_the_file_names_its_table_by_digest(monoopt, tmp_path: Path):
    import hashlib

    fitted(monoopt)
    table = json.loads((tmp_path / "rules.json").read_text())["table"]
    assert table == {"source": "train.csv", "sha256": hashlib.sha256(TRAIN.encode()).hexdigest(), "target": "class"}


def test_text_labels_keep_their_words_and_order(monoopt, tmp_path: Path):
    (tmp_path / "train.csv").write_text("x,class\n1,low\n2,mid\n3,high\n4,high\n")
    fitted(monoopt, "--order", "low,mid,high")
    found = rows(monoopt("predict", "rules.json", "-", input="x\n0\n2\n9\n").stdout)
    assert [row["prediction"] for row in found] == ["low", "mid", "high"]


def test_json_answers(monoopt):
    fitted(monoopt)
    found = json.loads(monoopt("predict", "rules.json", "new.csv", "--json", "--into", "class").stdout)
    assert [entry["class"] for entry in found] == [2, 1, 0]


def test_fewer_rules_and_the_picture_of_their_path(monoopt, tmp_path: Path):
    pytest.importorskip("matplotlib")
    lev = datasets.load_lev()
    lines = [",".join([*lev.feature_names, "class"])]
    lines += [",".join(map(str, [*row, int(label)])) for row, label in zip(lev.X[::20], lev.y[::20] > 2, strict=True)]
    (tmp_path / "train.csv").write_text("\n".join(lines))
    fitted(monoopt, "--plot", "path.svg", "-q")
    assert "bound over all rules" in (tmp_path / "path.svg").read_text()
    numbers = []
    for more in ([], ["--max-rules", "fewest"], ["--max-rules", "2"]):
        fitted(monoopt, *more, "-q")
        numbers.append(len(json.loads((tmp_path / "rules.json").read_text())["rules"][0]["rules"]))
    assert numbers[2] <= 2 <= numbers[1] <= numbers[0]
    found = monoopt("verify", "rules.json", "--json")
    assert found.exit_code == output.FINE and "chosen" in found.stdout


def test_a_reached_limit_leaves_rules_and_five(monoopt, tmp_path: Path):
    swd = datasets.load_swd()
    lines = [",".join([*swd.feature_names, "class"])]
    lines += [",".join(map(str, [*row, label])) for row, label in zip(swd.X, swd.y, strict=True)]
    (tmp_path / "train.csv").write_text("\n".join(lines))
    done = monoopt("fit", "train.csv", "-t", "class", "-o", "rules.json", "--time-limit", "0.001")
    assert done.exit_code == output.LIMIT_REACHED and "not all margins are proved" in done.stderr
    assert monoopt("predict", "rules.json", "train.csv").exit_code == output.FINE


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["predict", "new.csv", "new.csv"], output.BAD_DATA, "no JSON"),
        (["predict", "rules.json", "only_a.csv"], output.BAD_DATA, "no column 'b'"),
        (["predict", "rules.json", "text.csv"], output.BAD_DATA, "'x' is text"),
        (["predict", "rules.json", "train.csv", "--into", "class"], output.BAD_DATA, "--into"),
        (["predict", "-", "-"], output.USAGE, "not both"),
        (["predict", "rules.json", "nowhere.csv"], output.USAGE, "nowhere.csv"),
        (["fit", "train.csv", "-t", "clas"], output.USAGE, "'class'"),
        (["fit", "train.csv", "-t", "class", "--penalty", "0.01"], output.BAD_DATA, "D"),
        (["fit", "train.csv", "-t", "class", "--max-rules", "few"], output.USAGE, "fewest"),
        (["fit", "train.csv", "-t", "class", "--max-rules", "0"], output.USAGE, "max_rules=0"),
        (["fit", "train.csv", "-t", "class", "--plot", "path.xyz"], output.USAGE, "path.xyz"),
        (["fit", "train.csv", "-t", "class", "--solver", "nosuch"], output.NO_SOLVER, "nosuch"),
        (["fit", "train.csv", "-t", "class", "--tolerance", "-1"], output.USAGE, "tolerance"),
    ],
    ids=str,
)
def test_mistakes_leave_with_their_code(monoopt, tmp_path: Path, arguments, code, word):
    fitted(monoopt)
    (tmp_path / "only_a.csv").write_text("a\n1\n")
    (tmp_path / "text.csv").write_text("a,b\n1,x\n")
    done = monoopt(*arguments)
    assert done.exit_code == code and done.stdout == "" and word in done.stderr


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"estimator": "os.system"}',
        '{"estimator": "LPRulesClassifier", "schema": 99}',
        "not json",
        '{"estimator": []}',
        "[" * 99999,
    ],
)
def test_a_file_that_is_not_ours_is_refused_and_runs_nothing(tmp_path: Path, content: str):
    (tmp_path / "f.json").write_text(content)
    with pytest.raises(DataError):
        store.load(str(tmp_path / "f.json"))


def test_a_damaged_file_is_refused(monoopt, tmp_path: Path):
    fitted(monoopt)
    content = json.loads((tmp_path / "rules.json").read_text())
    for key in ("rules", "objects", "classes", "names"):
        (tmp_path / "f.json").write_text(json.dumps({k: v for k, v in content.items() if k != key}))
        with pytest.raises(DataError):
            store.load(str(tmp_path / "f.json"))
    for key, wrong in (("rules", []), ("certificates", []), ("precision", ["a", "b"]), ("iterations", "x")):
        (tmp_path / "f.json").write_text(json.dumps(content | {key: wrong}))
        done = monoopt("predict", "f.json", "train.csv")
        assert done.exit_code == output.BAD_DATA and "damaged" in done.stderr


def test_the_rules_do_not_depend_on_the_number_of_threads(monoopt):
    def rules(*more: str) -> object:
        return json.loads(monoopt("fit", "train.csv", "-t", "class", "-q", *more).stdout)["rules"]

    assert rules("--threads", "2") == rules()
