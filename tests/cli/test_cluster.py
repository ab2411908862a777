"""``monoopt cluster``: one more column, proofs on standard error, and faults by their exit codes."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from monoopt.cli import output

X, Y = make_moons(120, noise=0.05, random_state=0)


@pytest.fixture(autouse=True)
def table(tmp_path) -> None:
    lines = [f"o{i},{a!r},{b!r}" for i, (a, b) in enumerate(X.tolist())]
    (tmp_path / "t.csv").write_text("\n".join(["object,a,b", *lines]) + "\n")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_clusters_are_written_beside_the_names_and_proofs_are_said(monoopt):
    done = monoopt("cluster", "t.csv", "--id", "object")
    assert done.exit_code == output.FINE, done.stderr
    found = rows(done.stdout)
    assert [row["object"] for row in found] == [f"o{i}" for i in range(120)]
    assert adjusted_rand_score(Y, [row["cluster"] for row in found]) == 1.0
    assert "2 cluster(s) of 60, 60 objects" in done.stderr
    assert "optimality proved" in done.stderr and "shortest paths proved" in done.stderr


@pytest.mark.parametrize("labelling", ["cg", "svg", "pg", "gd", "ccl"])
def test_contours_are_cut_by_every_labelling(monoopt, labelling: str):
    words = ("--method", "svc", "--labelling", labelling, "--gamma", "20", "--nu", "0.05")
    done = monoopt("cluster", "t.csv", "--id", "object", *words, "--quiet")
    assert done.exit_code == output.FINE and len(rows(done.stdout)) == 120 and not done.stderr


def test_outliers_come_with_their_distance(monoopt):
    done = monoopt("cluster", "t.csv", "--id", "object", "--method", "svdd", "--nu", "0.2", "--json")
    found = json.loads(done.stdout)
    outside = [row for row in found if not row["inside"]]
    assert 0 < len(outside) <= 24
    assert min(row["distance"] for row in outside) > max(row["distance"] for row in found if row["inside"])
    assert "radius" in done.stderr


@pytest.mark.parametrize("method", ["svdd", "svc", "sdsn"])
def test_a_time_limit_leaves_with_its_own_code(monoopt, method: str):
    done = monoopt("cluster", "t.csv", "--id", "object", "--method", method, "--time-limit", "1e-9")
    assert done.exit_code == output.LIMIT_REACHED and not done.stdout and "raise it" in done.stderr


def test_a_given_number_of_clusters_and_another_scaling(monoopt):
    done = monoopt("cluster", "t.csv", "--id", "object", "-k", "3", "--scaling", "standard")
    assert {row["cluster"] for row in rows(done.stdout)} == {"0", "1", "2"}
    assert "3 cluster(s)" in done.stderr


@pytest.mark.parametrize("method", ["sdsn", "svdd"])
def test_a_picture_is_written(monoopt, tmp_path, method: str):
    done = monoopt("cluster", "t.csv", "--id", "object", "--method", method, "--plot", "p.png", "--out", "c.csv")
    assert done.exit_code == output.FINE, done.stderr
    assert (tmp_path / "p.png").stat().st_size > 5000 and len(rows((tmp_path / "c.csv").read_text())) == 120


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--id", "objekt"), output.USAGE, "did you mean 'object'"),
        ((), output.BAD_DATA, "o0"),
        (("--id", "object", "-k", "500"), output.BAD_DATA, "n_clusters = 500"),
        (("--id", "object", "-k", "1.5"), output.USAGE, "whole number"),
        (("--id", "object", "-k", "gp"), output.USAGE, "did you mean 'gap'"),
        (("--id", "object", "--method", "svdd", "--nu", "2"), output.USAGE, "0 < nu <= 1"),
        (("--id", "object", "--solver", "smoo"), output.NO_SOLVER, "smo"),
        (("--id", "object", "--solver", "mincut"), output.NO_SOLVER, "quadratic"),
        (("--id", "object", "--plot", "p.bmp"), output.USAGE, ".png"),
    ],
)
def test_faults_have_their_exit_codes(monoopt, words: tuple[str, ...], code: int, says: str):
    done = monoopt("cluster", "t.csv", *words)
    assert done.exit_code == code and says in done.stderr and not done.stdout


def test_the_demonstration_finds_the_true_numbers_of_clusters(monoopt):
    done = monoopt("demo", "cluster", "--json")
    assert done.exit_code == output.FINE, done.stderr
    found = {row["data"]: row for row in json.loads(done.stdout)}
    assert all(row["proved"] for row in found.values())
    for name in ("moons", "rings", "blobs"):
        assert found[name]["found"] == found[name]["true"]
        assert found[name]["index"] >= found[name]["k-means"] - 0.05
    assert np.mean([found[name]["index"] for name in ("moons", "rings")]) > 0.9


def test_the_demonstration_tells_people_what_is_proved(monoopt, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("monoopt.cli.cluster._demo_sets", lambda seed: [("moons", X, Y)])
    told = monoopt("demo", "cluster").stdout
    assert "Proved" in told and "moons" in told and "yes" in told
