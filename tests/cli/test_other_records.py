"""The command line reads what mixtures, cross-validated choices and relabelers write of themselves."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from monoopt import LPRulesClassifierCV, MonotoneMixtureClassifier, MonotoneRelabeler
from monoopt.cli import output, store

X = {"a": np.array([1.0, 2, 2, 3, 2, 4, 1, 5]), "b": np.array([5.0, 3, 2, 1, 6, 4, 1, 5])}
Y = [0, 1, 1, 1, 0, 1, 0, 1]
KINDS = [
    MonotoneRelabeler(),
    MonotoneMixtureClassifier(),
    LPRulesClassifierCV(cv=2, max_conditions=(1,)),
    LPRulesClassifierCV(cv=2, combine="best", probabilities=False),
]


@pytest.fixture(params=KINDS, ids=["relabeler", "mixture", "chosen mixture", "chosen rules"])
def fitted(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    estimator = request.param.fit(X, Y)
    store.save(store.Saved(estimator, {"target": "class"}), str(tmp_path / "f.json"))
    rows = zip(X["b"], X["a"], strict=True)
    (tmp_path / "new.csv").write_text("b,a\n" + "\n".join(f"{b},{a}" for b, a in rows) + "\n")
    return estimator


def test_predict_verify_and_explain_read_them(monoopt, fitted: Any, tmp_path: Path):
    found = list(csv.DictReader(io.StringIO(monoopt("predict", "f.json", "new.csv", "--intervals").stdout)))
    assert [int(row["prediction"]) for row in found] == fitted.predict(X).tolist()
    assert [int(row["lowest"]) for row in found] == fitted.predict_interval(X)[:, 0].tolist()
    for more in ([], ["new.csv"]):
        checks = monoopt("verify", "f.json", *more, "--json")
        assert checks.exit_code == output.FINE
        assert len(json.loads(checks.stdout)) == 3 + len(fitted.certificates_)
    done = monoopt("explain", "f.json", "new.csv", "--row", "1")
    assert (done.exit_code == output.FINE) == hasattr(fitted, "explain")
    for more in (["--against", "2"], ["--reach", "1"]):
        done = monoopt("explain", "f.json", "new.csv", "--row", "1", *more)
        assert done.exit_code == (output.FINE if hasattr(fitted, "compare") else output.USAGE), done.stderr
    content = json.loads((tmp_path / "f.json").read_text())
    content["certificates"] = "gone"
    (tmp_path / "f.json").write_text(json.dumps(content))
    assert monoopt("verify", "f.json").exit_code == output.BAD_DATA
