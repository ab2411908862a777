"""Relabelling of many objects: the answer of the plain linear program over all pairs, in memory that stays small."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from joblib import parallel_config

from monoopt import DataWarning, OptionError, relabel, solve
from monoopt.algorithms import ordinal_data, threshold_relabelling
from monoopt.formulations import monotonization
from monoopt.order import as_gains, dominance, dominance_pairs, inconsistent, steiner_graph
from monoopt.order.comparisons import at_least

CLASSES = 4
Instance = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def instance(kind: str, d: int, seed: int) -> Instance:
    """Up to 60 objects: X, codes, weights (some 0, some fractions), directions (some free)."""
    rng = np.random.default_rng(100 * d + seed)
    n, signs = int(rng.integers(20, 61)), rng.choice([-1, 1], d)
    X = rng.integers(0, 3 + 60 // d**2, (n, d)).astype(float)
    height = (X * signs).sum(axis=1)
    y = np.clip((height - height.mean()) / (height.std() + 1e-9) + 2 + rng.normal(0, 0.7, n), 0, 3).astype(int)
    weights = rng.integers(0, 5, n) / 4
    if kind == "free":
        signs[-1] = 0
        X[:, -1] = rng.integers(0, 2, n)
    elif kind == "twice":
        X[n // 2 :] = X[: n - n // 2]
    elif kind == "one class":
        y[:] = 2
    elif kind == "consistent":
        y = np.clip(height // 3, 0, 3).astype(int)
    elif kind == "upside down":
        y, weights = np.clip(-height // 3 + 2, 0, 3).astype(int), np.ones(n)
    weights[0] = 1.0
    return X, y, weights, signs.astype(np.int8)


def plain_program(found: Instance, tie: str) -> tuple[float, np.ndarray]:
    """Every comparable pair a row, every object a column, all classes at once, in HiGHS."""
    X, y, weights, directions = found
    program = monotonization.build_classes(y, CLASSES, dominance_pairs(X, directions), weights, "absolute")
    solution = solve(program)
    return solution.objective, monotonization.read_classes(program, solution, tie)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("kind", ["noisy", "free", "twice", "one class", "consistent", "upside down"])
@pytest.mark.filterwarnings("ignore::monoopt.DataWarning")
def test_cost_and_labels_of_both_ties_are_those_of_the_plain_program(
    kind: str, d: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(threshold_relabelling, "WRITTEN_OUT", 0)
    for seed, tie in ((1, "least"), (2, "greatest")):
        found = instance(kind, d, seed)
        X, y, weights, directions = found
        cost, labels = plain_program(found, tie)
        answer = relabel(X, y, directions=directions, sample_weight=weights, order=range(CLASSES), tie=tie)
        assert answer.cost == pytest.approx(cost, abs=1e-9) and answer.labels.tolist() == labels.tolist()
        assert answer.ok and all(c.exact and c.gap == 0 for c in answer.certificates) and not answer.solutions
        assert (kind in ("one class", "consistent")) <= (answer.cost == 0)


@pytest.mark.parametrize("most", [0, 10**9])
def test_inconsistent_objects_are_those_of_all_pairs_however_they_are_found(most: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(dominance, "MAX_COMPARISONS", most)
    for kind in ("noisy", "free", "twice", "one class", "consistent", "upside down"):
        X, y, _, directions = instance(kind, 2, 3)
        gains = as_gains(X, directions)
        wrong = at_least(gains, gains) & (y[:, None] < y)
        assert inconsistent(X, y, directions).tolist() == (wrong.any(axis=0) | wrong.any(axis=1)).tolist()


def test_the_sparse_graph_holds_exactly_the_objects_that_contradict_somebody():
    for kind, d in product(("noisy", "free", "consistent", "upside down"), (1, 2, 3, 6)):
        X, y, _, directions = instance(kind, d, 4)
        X, first = np.unique(X, axis=0, return_index=True)
        wish = y[first] >= 2
        tails, heads, _ = steiner_graph(X, directions, ~wish, wish)
        ends = np.union1d(tails, heads)
        assert ends[ends < len(X)].tolist() == np.flatnonzero(inconsistent(X, wish, directions)).tolist()


def test_a_comparable_pair_is_found_wherever_it_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ordinal_data, "FIRST_LOOK", 10)
    up, rising = np.ones(2, dtype=np.int8), np.arange(200.0)
    antichain = np.column_stack([rising, -rising])
    assert not ordinal_data.any_comparable(antichain, up)
    assert ordinal_data.any_comparable(np.vstack([antichain, [150.5, -20.0]]), up)
    assert ordinal_data.any_comparable(np.vstack([antichain, antichain[77]]), up), "equal objects are comparable"


def test_the_number_of_jobs_changes_nothing():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((12_000, 2)), np.arange(12_000) % 9])
    y = ((X[:, 0] > 0.5) ^ (rng.random(12_000) < 0.1)).astype(int)
    alone = relabel(X, y, directions=[1, 1, 0])
    with parallel_config(backend="threading", n_jobs=2):
        shared = relabel(X, y, directions=[1, 1, 0])
    assert np.array_equal(alone.codes, shared.codes) and alone.cost == shared.cost
    for part in ("better", "worse", "units"):
        assert np.array_equal(getattr(alone.contradictions[1], part), getattr(shared.contradictions[1], part))


def test_a_callback_that_can_not_be_called_is_refused_before_anything_is_read():
    for wrong in (3, "print", [print]):
        with pytest.raises(OptionError, match=r"callback=.*: wanted something to call"):
            relabel([["no number"]], [0], callback=wrong)


def test_the_callback_hears_of_every_question():
    heard = []
    answer = relabel([[1], [2], [3]], [2, 1, 0], callback=lambda k, proof: heard.append((k, proof)))
    assert heard == list(enumerate(answer.certificates, start=1))


def test_conflicts_are_looked_up_only_for_rows_that_changed():
    with pytest.warns(DataWarning):
        answer = relabel(np.arange(30)[:, None], np.arange(30)[::-1])
    assert len(answer.conflicts) == len(answer.changed) > 10 and repr(answer.conflicts).endswith(", ...}")
    assert answer.conflicts[0].tolist() == list(range(1, 30))
    with pytest.raises(KeyError):
        answer.conflicts[int(np.setdiff1d(np.arange(30), answer.changed)[0])]


AT_SCALE = """
import json, resource
import numpy as np
from monoopt import MonotoneRelabeler
from monoopt.order import inconsistent
rng = np.random.default_rng(0)
X = rng.random((100_000, 4))
y = np.digitize(X.mean(axis=1) + rng.normal(0, 0.1, len(X)), [0.4, 0.5, 0.6])
found = MonotoneRelabeler().fit(X, y)
answer, up = found.relabelling_, np.ones(4, dtype=np.int8)
row = int(answer.changed[0])
print(json.dumps({
    "ok": answer.ok and all(c.exact and c.gap == 0 for c in answer.certificates),
    "wrong": int(inconsistent(X, answer.codes, up).sum()),
    "proved": sum(p.total * p.unit for p in answer.contradictions.values()),
    "faults": [p.faults(X, np.where(y >= k, -1, 1), up) for k, p in answer.contradictions.items()],
    "cost": answer.cost,
    "moved": int(np.abs(answer.codes - y).sum()),
    "kept": bool((found.predict(X) == answer.labels).all()),
    "contradicted": len(answer.conflicts[row]),
    "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
}))
"""


@pytest.mark.slow
def test_a_hundred_thousand_objects_are_proved_pair_by_pair_in_little_memory():
    done = subprocess.run([sys.executable, "-c", AT_SCALE], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["ok"] and found["wrong"] == 0 and found["kept"] and found["contradicted"] > 0
    assert found["faults"] == [[], [], []] and found["proved"] == found["cost"] == found["moved"] > 10_000
    assert found["gigabytes"] < 1.5, "a table of all pairs of flags would take 10"
