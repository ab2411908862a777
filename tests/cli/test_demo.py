"""``monoopt demo`` shows cost, margins, rules, proofs, solver and time, on data that come with the package."""

from __future__ import annotations

import json

import pytest

from monoopt.cli import output


def test_the_demo_tells_the_whole_way(monoopt):
    done = monoopt("demo")
    assert done.exit_code == output.FINE and done.stderr == ""
    text = " ".join(done.stdout.split())
    for word in ("99 of 488", "104", "0.2131", "16 of 16 certificates hold", "monotone in form", "highs", "if in"):
        assert word in text


def test_the_demo_in_json_holds_the_known_figures(monoopt):
    found = json.loads(monoopt("demo", "--json").stdout)
    assert found["relabelling"]["cost"] == sum(row["cost"] for row in found["questions"]) == 104
    assert found["questions"][0]["margin"] == pytest.approx(0.5, abs=1e-6)
    assert all(row["bound"] == pytest.approx(row["margin"], abs=1e-6) for row in found["questions"])
    assert all(proof["ok"] for proof in found["certificates"])
    assert found["monotone"]["by_form"] and found["monotone"]["violations"] == 0


def test_another_solver_gives_the_same_cost_and_margins(monoopt):
    first, second = (json.loads(monoopt("demo", "--json", "--solver", name).stdout) for name in ("highs", "clarabel"))
    assert first["relabelling"] == second["relabelling"]
    margins = [[row["margin"] for row in found["questions"]] for found in (first, second)]
    assert margins[0] == pytest.approx(margins[1], abs=1e-6)
    assert "clarabel" in second["solver"]
