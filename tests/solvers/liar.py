"""A solver that answers whatever it was told to: what the check after every solve must see through."""

from __future__ import annotations

from typing import Any

import numpy as np

from monoopt.program import Program, Status
from monoopt.solvers import RawAnswer, Settings, Solver

ARRAYS = ("x", "y", "z", "w", "ray")


class Liar(Solver):
    """Returns a fixed answer; `hot` marks it as one from a hot start."""

    name = "liar"
    can = frozenset({"linear", "quadratic", "integer", "duals", "vertex"})
    install = "it is part of the tests"

    def __init__(self, status: Status, **words: Any) -> None:
        arrays = {word: np.asarray(value, dtype=float) for word, value in words.items() if word in ARRAYS}
        self.answer = RawAnswer(status, **{**words, **arrays}, raw_status="so it says")

    def version(self) -> str:
        return "1"

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        return self.answer
