"""The path from many rules to few: proved at every step, monotone in what it should be, chosen as told."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt import OptionError, relabel
from monoopt.algorithms.few_rules import check_max_rules
from monoopt.algorithms.lprules import Settings
from monoopt.algorithms.rule_path import PathPoint, penalty_of, rule_path
from monoopt.datasets import load_lev
from monoopt.order import merge_equal


@pytest.fixture(scope="module")
def path() -> tuple[PathPoint, ...]:
    table = load_lev()
    objects, home = merge_equal(table.X)
    codes = np.zeros(len(objects), dtype=np.int64)
    codes[home] = relabel(table.X, table.y).codes
    up = np.ones(4, dtype=np.int8)
    return rule_path(objects, np.where(codes >= 2, 1, -1), up, np.bincount(home).astype(float), Settings())


def test_every_point_is_proved_and_the_objective_rises_with_softness(path: tuple[PathPoint, ...]):
    assert all(point.fit.certificate.ok for point in path)
    objectives = [point.fit.certificate.primal_objective for point in path]
    assert (np.diff(objectives) >= -1e-6).all()
    assert path[0].error == 0.0 and path[0].margin == pytest.approx(0.1, abs=1e-6)


def test_no_more_than_a_share_nu_is_on_the_wrong_side(path: tuple[PathPoint, ...]):
    assert all(point.error <= point.nu + 1e-9 for point in path)


@pytest.mark.parametrize("max_rules", [0, 2.5, True, "few"])
def test_bad_numbers_of_rules_are_refused(max_rules: object):
    with pytest.raises(OptionError, match="max_rules"):
        check_max_rules(max_rules)


@pytest.mark.parametrize("nu", [-0.1, 1.5, "soft", True])
def test_bad_shares_are_refused(nu: object):
    with pytest.raises(OptionError, match="nu="):
        penalty_of(nu, np.ones(3))
