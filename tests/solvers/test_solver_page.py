"""The page on solvers says what the code does."""

from __future__ import annotations

from pathlib import Path

from monoopt.solvers import cvxpy_engines, pyomo_engines
from tests.solvers.every_solver import SOLVERS

WORDS = {"second_order": "second-order"}


def lines_with(page: str, word: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("|") and f"`{word}`" in line.split("|")[1]]


def test_every_solver_and_what_it_can_is_on_the_page(root: Path) -> None:
    page = (root / "docs" / "solvers.md").read_text()
    for name, solver in SOLVERS.items():
        (line, *_) = lines_with(page, name)
        if name != "cvxpy":
            needs = solver.can - ({"linear"} if solver.special else set())
            assert all(WORDS.get(need, need) in line for need in needs), line
            assert ("no duals" in line) == ("duals" not in solver.can), line


def test_every_native_word_is_on_the_page(root: Path) -> None:
    page = (root / "docs" / "solvers.md").read_text()
    engines = {**pyomo_engines.ENGINES, **cvxpy_engines.ENGINES}
    engines["cbc"], engines["glpk"] = pyomo_engines.ENGINES["cbc"], pyomo_engines.ENGINES["glpk"]
    for name, engine in engines.items():
        line = lines_with(page, name)[-1]
        for native in (word for words in engine.ours.values() for word in words):
            assert f"`{native}`" in line, f"{native} of {name}"
