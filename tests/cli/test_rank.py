"""``monoopt rank``: best first, intervals and reasons where asked for, one picture, words apart from data."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from monoopt.cli import output
from monoopt.datasets import load_countries

WORDS = ("--id", "country", "--up", "gdp,leb", "--down", "imr")


def countries_csv(count: int = 40) -> str:
    table = load_countries()
    rows = [[name, *map(repr, row.tolist())] for name, row in zip(table.objects, table.X, strict=True)][:count]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([["country", "gdp", "leb", "imr"], *rows])
    return text.getvalue()


@pytest.fixture(autouse=True)
def table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(countries_csv())


def rows(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


@pytest.mark.filterwarnings("ignore::monoopt.errors.DataWarning")
def test_the_ranking_is_the_estimators_best_first(monoopt):
    done = monoopt("rank", "t.csv", *WORDS, "--solver", "direct")
    assert done.exit_code == output.FINE, done.stderr
    found = rows(done.stdout)
    assert list(found[0]) == ["rank", "country", "score"] and len(found) == 40
    from monoopt import RankingPrincipalCurve

    table = load_countries()
    fitted = RankingPrincipalCurve(solver="direct", directions=[1, 1, -1])
    scores = fitted.fit(table.X[:40], objects=table.objects[:40]).scores_
    assert [row["country"] for row in found] == [table.objects[i] for i in np.argsort(-scores)]
    assert [float(row["score"]) for row in found] == sorted(scores, reverse=True)
    assert "strictly monotone" in done.stderr and "optimality proved" in done.stderr


@pytest.mark.parametrize("method", ["rpc", "weighted", "pca", "median", "footrule", "kemeny"])
def test_every_method_ranks_and_says_what_it_did(monoopt, method: str):
    done = monoopt(
        "rank", "t.csv", *WORDS, "--method", method, "--top", "3", *(["--solver", "direct"] * (method == "rpc"))
    )
    assert done.exit_code == output.FINE, done.stderr
    assert len(rows(done.stdout)) == 3 and done.stderr.strip()


def test_intervals_are_the_same_for_the_same_seed_and_any_number_of_threads(monoopt):
    words = ("--method", "weighted", "--intervals", "20", "--quiet")
    first = monoopt("rank", "t.csv", *WORDS, *words, "--seed", "7")
    again = monoopt("rank", "t.csv", *WORDS, *words, "--seed", "7")
    assert first.stdout == again.stdout and first.stderr == ""
    assert {"lowest_rank", "highest_rank"} < set(rows(first.stdout)[0])
    assert all(float(row["lowest_rank"]) <= float(row["highest_rank"]) for row in rows(first.stdout))


def test_only_named_columns_take_part_once_gains_are_named(monoopt, tmp_path: Path):
    lines = countries_csv().splitlines()
    note = [lines[0] + ",note", *(line + ",some text" for line in lines[1:])]
    (tmp_path / "n.csv").write_text("\n".join(note) + "\n")
    done = monoopt("rank", "n.csv", *WORDS, "--solver", "direct")
    assert (
        done.exit_code == output.FINE and done.stdout == monoopt("rank", "t.csv", *WORDS, "--solver", "direct").stdout
    )
    assert monoopt("rank", "n.csv", "--id", "country").exit_code == output.BAD_DATA


def test_without_directions_all_are_gains_and_it_says_so(monoopt):
    done = monoopt("rank", "t.csv", "--id", "country", "--method", "weighted")
    assert done.exit_code == output.FINE and "every attribute counts as a gain" in done.stderr
    done = monoopt("rank", "t.csv", "--id", "country", "--method", "weighted", "--quiet")
    assert "counts as a gain" not in done.stderr


def test_reasons_add_up_in_the_words_of_the_table(monoopt):
    done = monoopt("rank", "t.csv", *WORDS, "--method", "weighted", "--why", "Austria,Angola")
    assert "Austria against Angola" in done.stderr and "gdp" in done.stderr
    assert monoopt("rank", "t.csv", *WORDS, "--method", "median", "--why", "Austria,Angola").exit_code == output.USAGE
    assert monoopt("rank", "t.csv", *WORDS, "--method", "weighted", "--why", "Austria").exit_code == output.USAGE
    missing = monoopt("rank", "t.csv", *WORDS, "--method", "weighted", "--why", "Austria,Atlantis")
    assert missing.exit_code == output.BAD_DATA and "no object 'Atlantis'" in missing.stderr


def test_preferences_are_met_or_refused_in_words(monoopt):
    done = monoopt(
        "rank", "t.csv", *WORDS, "--solver", "direct", "--above", "Angola,Austria", "--above", "Austria,Angola"
    )
    assert done.exit_code == output.BAD_DATA and "'Angola' above 'Austria'" in done.stderr
    assert monoopt("rank", "t.csv", *WORDS, "--method", "pca", "--above", "a,b").exit_code == output.USAGE


def test_missing_cells_are_refused_or_done_without(monoopt, tmp_path: Path):
    lines = countries_csv().splitlines()
    cells = lines[3].split(",")
    lines[3] = ",".join([cells[0], "", *cells[2:]])
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n")
    refused = monoopt("rank", "m.csv", *WORDS, "--solver", "direct")
    assert refused.exit_code == output.BAD_DATA and "line 4, column 'gdp': missing" in refused.stderr
    assert "--missing project" in refused.stderr
    done = monoopt("rank", "m.csv", *WORDS, "--solver", "direct", "--missing", "project")
    assert done.exit_code == output.FINE and len(rows(done.stdout)) == 40
    lines[5] = lines[5].replace(lines[5].split(",")[1], "15%")
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n")
    both = monoopt("rank", "m.csv", *WORDS, "--solver", "direct", "--missing", "project")
    assert both.exit_code == output.BAD_DATA and "'15%' is text" in both.stderr and "missing" not in both.stderr


def test_a_picture_is_written(monoopt, tmp_path: Path):
    pytest.importorskip("matplotlib")
    words = ("--solver", "direct", "--intervals", "5", "--plot", "out.png")
    done = monoopt("rank", "t.csv", *WORDS, *words)
    assert done.exit_code == output.FINE, done.stderr
    assert (tmp_path / "out.png").stat().st_size > 10_000 and (tmp_path / "out_intervals.png").exists()
    assert monoopt("rank", "t.csv", *WORDS, "--solver", "direct", "--plot", "out.xyz").exit_code == output.USAGE


@pytest.mark.parametrize("words", [("--plot", "out.xyz"), ("--why", "Austria"), ("--why", "Austria,Atlantis")])
def test_what_cannot_be_shown_is_refused_before_anything_is_computed_or_written(monoopt, words):
    refused = monoopt("rank", "t.csv", *WORDS, "--solver", "direct", *words)
    assert refused.exit_code != output.FINE and words[1].split(",")[-1] in refused.stderr and not refused.stdout


def test_json_and_the_tables_own_dialect(monoopt, tmp_path: Path):
    done = monoopt("rank", "t.csv", *WORDS, "--method", "weighted", "--json", "--top", "2")
    assert [record["rank"] for record in json.loads(done.stdout)] == [1, 2]
    text = "country;gdp;leb;imr\nA;1,5;2;3\nB;2,5;3;2\nC;0,5;1;4\n"
    (tmp_path / "d.csv").write_text(text)
    done = monoopt("rank", "d.csv", *WORDS, "--decimal", ",", "--method", "weighted", "--quiet")
    assert done.stdout.splitlines() == ["rank;country;score", "1;B;1,0", "2;A;0,5", "3;C;0,0"]


def test_the_demonstration_ranks_the_countries_that_come_with_it(monoopt):
    done = monoopt("demo", "rank", "--solver", "direct")
    assert done.exit_code == output.FINE, done.stderr
    assert "173 countries" in done.stdout and "Luxembourg" in done.stdout and "Gapminder" in done.stdout
    record = json.loads(monoopt("demo", "rank", "--solver", "direct", "--json").stdout)
    assert len(record["ranking"]) == 10 and "strictly monotone" in record["proofs"]["monotone"]


@pytest.mark.filterwarnings("ignore::monoopt.errors.DataWarning")
def test_weights_count_in_the_ranking_and_in_its_intervals_or_are_refused(monoopt, tmp_path: Path):
    lines = countries_csv().splitlines()
    weights = ["weight", *(str(1 + 40 * (i < 10)) for i in range(40))]
    (tmp_path / "w.csv").write_text("\n".join(f"{a},{b}" for a, b in zip(lines, weights, strict=True)) + "\n")
    words = (*WORDS, "--solver", "direct", "--intervals", "20")
    plain, weighted = monoopt("rank", "t.csv", *words), monoopt("rank", "w.csv", *words, "--weight", "weight")
    assert weighted.exit_code == output.FINE, weighted.stderr
    from monoopt import RankingPrincipalCurve, bootstrap_ranks

    table = load_countries()
    spread = bootstrap_ranks(RankingPrincipalCurve(solver="direct", directions=[1, 1, -1]), table.X[:40], n_boot=20,
                             objects=table.objects[:40], sample_weight=[float(w) for w in weights[1:]])  # fmt: skip
    low = {row["country"]: float(row["lowest_rank"]) for row in rows(weighted.stdout)}
    assert low == dict(zip(table.objects, spread.low, strict=False)) and weighted.stdout != plain.stdout
    refused = monoopt("rank", "w.csv", *WORDS, "--weight", "weight", "--method", "kemeny")
    assert refused.exit_code == output.USAGE and "--weight works with --method rpc" in refused.stderr
