"""HiGHS's scheduler belongs to the process: a foreign run with other threads must not break ours, nor ours theirs."""

from __future__ import annotations

import highspy
import numpy as np

from monoopt.program import ProgramBuilder
from monoopt.solvers import open_session, solve


def foreign(threads: int) -> highspy.HighsModelStatus:
    """Somebody else in the process solves a small program with their own number of threads."""
    highspy.Highs.resetGlobalScheduler(True)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", threads)
    highs.addVars(2, np.zeros(2), np.ones(2))
    highs.changeColsCost(2, np.arange(2, dtype=np.int32), np.array([-1.0, 1.0]))
    highs.run()
    return highs.getModelStatus()


def floor():
    b = ProgramBuilder("floor")
    b.add_columns("x", cost=1)
    b.add_rows("floor", {"x": [[1.0]]}, lower=3)
    return b.build()


def test_a_foreign_run_between_ours_is_survived():
    assert solve(floor()).objective == 3
    for threads in (2, 1, 2):
        assert foreign(threads) == highspy.HighsModelStatus.kOptimal
        assert solve(floor(), threads=1).objective == 3


def test_an_open_session_survives_a_foreign_run():
    with open_session(floor()) as session:
        assert session.solve().objective == 3
        foreign(2)
        session.set_costs("x", [2.0])
        assert session.solve().objective == 6
