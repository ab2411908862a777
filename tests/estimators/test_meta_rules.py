"""The five meta-rules: each is found broken where it is broken, with a witness that can be checked."""

from __future__ import annotations

import re

import numpy as np
import pytest

from monoopt.errors import DataError
from monoopt.estimators.meta_rules import check_meta_rules
from monoopt.estimators.rank_aggregation import FootruleAggregation, MedianRankAggregation
from monoopt.estimators.rank_baselines import FirstPrincipalComponent, WeightedSum
from monoopt.estimators.rpc import RankingPrincipalCurve
from monoopt.order.bezier import curve_points

pytestmark = pytest.mark.filterwarnings("ignore")


def objects(n: int = 40) -> np.ndarray:
    rng = np.random.default_rng(0)
    P = np.array([[0.0, 0.0], [0.1, 0.8], [0.3, 0.9], [1.0, 1.0]])
    return curve_points(P, rng.uniform(0, 1, n)) + 0.03 * rng.normal(size=(n, 2))


def failed(report) -> set[str]:
    return {row.rule for row in report.rows if row.verdict == "fails"}


def test_the_curve_meets_all_five():
    report = check_meta_rules(RankingPrincipalCurve(solver="direct"), objects())
    assert report.ok and [row.verdict for row in report.rows] == ["holds"] * 5, str(report)
    assert "8 parameters" in report["explicitness"].evidence


@pytest.mark.parametrize(
    ("ranker", "broken"),
    [
        (WeightedSum(), {"capacity"}),
        (FirstPrincipalComponent(), {"capacity"}),
        (MedianRankAggregation(), {"strict monotonicity", "smoothness", "explicitness"}),
        (FootruleAggregation(solver="direct"), {"smoothness", "explicitness"}),
    ],
)
def test_baselines_break_what_the_paper_says(ranker: object, broken: set[str]):
    assert broken <= failed(check_meta_rules(ranker, objects()))
    if broken == {"capacity"}:
        assert failed(check_meta_rules(ranker, objects())) == broken


def test_the_scale_witness_really_turns_the_pair():
    X = objects()
    row = check_meta_rules(lambda T: T.sum(axis=1), X)["scale invariance"]
    assert row.verdict == "fails"
    factor, shift, i, k = re.search(r"x0 -> (\S+) \* x0 \+ (\S+) turns objects (\d+) and (\d+)", row.evidence).groups()
    i, k = int(i), int(k)
    changed = X * [float(factor), 1] + [float(shift), 0]
    before, after = X.sum(axis=1), changed.sum(axis=1)
    assert (before[i] - before[k]) * (after[i] - after[k]) < 0


def test_the_monotonicity_witness_names_pair_or_attribute():
    X = objects()
    blind = check_meta_rules(lambda T: T[:, 0], X)["strict monotonicity"]
    assert blind.verdict == "fails" and "improving x1" in blind.evidence
    upside_down = check_meta_rules(lambda T: -T.sum(axis=1), X)["strict monotonicity"]
    assert "dominates" in upside_down.evidence
    assert check_meta_rules(lambda T: -T.sum(axis=1), X, [-1, -1])["strict monotonicity"].verdict == "holds"


def test_kinks_and_jumps_are_told_apart():
    X = np.random.default_rng(1).uniform(size=(50, 2))
    assert "kink" in check_meta_rules(lambda T: T.min(axis=1) + 0.1 * T.sum(axis=1), X)["smoothness"].evidence
    jump = check_meta_rules(lambda T: T.sum(axis=1) + (T[:, 0] > 0.5), X)["smoothness"]
    assert "jump" in jump.evidence
    assert check_meta_rules(lambda T: np.exp(T).sum(axis=1), X)["smoothness"].verdict == "holds"


def test_what_a_function_does_not_say_stays_unknown():
    report = check_meta_rules(lambda T: np.exp(T).sum(axis=1), objects())
    assert report["explicitness"].verdict == "unknown" and report["capacity"].verdict == "unknown"
    assert (
        check_meta_rules(lambda T: np.exp(T).sum(axis=1), objects(), n_parameters=2)["explicitness"].verdict == "holds"
    )


def test_directions_must_be_known():
    with pytest.raises(DataError, match="free"):
        check_meta_rules(WeightedSum(), objects(), [1, 0])


def test_the_report_is_a_table_of_five_lines():
    lines = str(check_meta_rules(WeightedSum(), objects())).splitlines()
    assert len(lines) == 5 and lines[0].startswith("scale invariance")
