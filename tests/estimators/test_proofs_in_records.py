"""Proofs in records: what is none, or contradicts itself, is refused in words by every kind of record."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest

from monoopt import (
    DataError,
    IsotonicSeparationClassifier,
    LPRulesClassifier,
    LPRulesClassifierCV,
    MonotoneMixtureClassifier,
    MonotoneProbabilityClassifier,
    MonotoneRelabeler,
)
from monoopt.datasets import load_esl
from monoopt.estimators.fitted_json import checksum
from monoopt.estimators.proof_faults import proof_faults
from monoopt.estimators.record_faults import CHECKSUM

KINDS = {
    "separation": IsotonicSeparationClassifier(),
    "relabeler": MonotoneRelabeler(),
    "rules": LPRulesClassifier(),
    "probabilities": MonotoneProbabilityClassifier(),
    "mixture": MonotoneMixtureClassifier(members=[LPRulesClassifier(), MonotoneProbabilityClassifier()]),
    "choice": LPRulesClassifierCV(cv=2, max_conditions=(1,)),
}


@cache
def written(kind: str) -> str:
    esl = load_esl()
    return json.dumps(KINDS[kind].fit(esl.X[::8], esl.y[::8]).to_dict(), allow_nan=False)


def read(kind: str, record: dict[str, Any]) -> Any:
    """Read a record with checksums that fit, inside too."""
    record = copy.deepcopy(record)
    for inner in (record.get("best"), *record.get("members", ())):
        if inner is not None:
            inner[CHECKSUM] = checksum(inner)
    return type(KINDS[kind]).from_dict(record | {CHECKSUM: checksum(record)})


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": ({"zz": 1}, "certificates: entry 0: missing or unknown: zz"),
    "gap": ({"gap": 10**400}, "entry 0: gap: wanted a number that float64 can hold"),
    "tolerance": ({"tolerance": -(10**400)}, "entry 0: tolerance: wanted a number that float64 can hold"),
    "objective": ({"primal_objective": 10**400}, "entry 0: primal_objective: wanted a number"),
    "bound": ({"dual_objective": 10**400}, "entry 0: dual_objective: wanted a number"),
    "ok of no kind": ({"ok": 1}, "entry 0: ok: wanted true or false"),
    "kind": ({"kind": ["optimality"]}, "entry 0: kind: wanted one of"),
    "above": ({"gap": 0.5, "dual_objective": 1e9}, "ok, and yet gap 0.5 is above tolerance"),
    "other gap": ({"dual_objective": 1e9}, "is not that of objective"),
    "no gap": ({"gap": "nan"}, "ok, and yet gap nan"),
    "nothing": ({"kind": "none"}, "ok, and yet it proves nothing"),
    "wide": ({"tolerance": 10.0}, "tolerance 10: wanted a number from 0 to 1"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_proof_that_can_not_be_is_refused_in_words(kind: str, change: str):
    values, words = CHANGES[change]
    record = json.loads(written(kind))
    read(kind, record)
    for holder in (record, *record.get("members", ())[:1]):
        holder["certificates"][0].update(values)
    with pytest.raises(DataError, match=words) as refused:
        read(kind, record)
    assert "Error" not in str(refused.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_proof_that_was_left_out_is_refused(kind: str):
    record = json.loads(written(kind))
    for holder in (record, *record.get("members", ())[:1]):
        del holder["certificates"][0]
    with pytest.raises(DataError, match="certificates: wanted"):
        read(kind, record)


def test_the_cost_of_a_relabelling_is_the_sum_of_what_its_questions_cost():
    record = json.loads(written("relabeler"))
    with pytest.raises(DataError, match="is not the sum of the certificates' objectives"):
        read("relabeler", record | {"cost": record["cost"] + 1})


def test_no_hard_margin_is_above_its_bound():
    record = json.loads(written("rules"))
    record["bounds"][1] = record["margins"][1] / 2
    with pytest.raises(DataError, match=r"bounds: question 2: .* is below its margin"):
        read("rules", record)


def test_a_gap_may_be_relative_to_small_costs_and_a_proof_may_fail():
    proof = json.loads(written("relabeler"))["certificates"][0]
    small = proof | {"primal_objective": 1e-8, "dual_objective": 0.99e-8, "gap": 0.01, "ok": False, "exact": False}
    open_ = proof | {"primal_objective": 1.0, "dual_objective": "inf", "gap": "inf", "ok": False}
    checked = proof | {"kind": "feasibility", "dual_objective": "nan", "gap": "nan"}
    assert proof_faults([proof, small, open_, checked]) == []
