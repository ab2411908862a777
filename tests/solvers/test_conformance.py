"""Every solver on every named program it can take: status, point, multipliers, certificate, proof."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.errors import NoSolutionError, SolveError, UnsupportedProgram
from monoopt.program import Program, Status, certify
from monoopt.solvers import solve
from monoopt.solvers.verdict import required
from tests.solvers.every_solver import SOLVERS, require, takes
from tests.solvers.named_programs import CASES, Case

CLOSE = 2e-5  # interior and splitting methods stop near, not at, a vertex
STEP = 1e-3


PAIRS = [(name, case) for name in SOLVERS for case in CASES if takes(name, CASES[case].build())]
REFUSED = [(name, case) for name in SOLVERS for case in CASES if (name, case) not in set(PAIRS)]


@pytest.mark.parametrize(("name", "word"), PAIRS, ids=[f"{name}-{case}" for name, case in PAIRS])
def test_every_solver_gives_the_known_answer(
    name: str, word: str, found: dict[str, str], record_property: pytest.FixtureRequest
) -> None:
    record_property("conformance", (name, word))
    require(name, found)
    case, program = CASES[word], CASES[word].build()
    solution = solve(program, name, time_limit=30.0, raise_on_failure=False)
    assert solution.status is case.status, str(solution)
    if case.status is Status.OPTIMAL:
        _check_optimum(case, program, solution)
    else:
        assert solution.x is None and solution.objective is None
        assert solution.certificate.ok is case.proved, str(solution.certificate)
        with pytest.raises(NoSolutionError, match=case.status.value):
            solution.values(program.columns[0].name)
        with pytest.raises(SolveError) as raised:
            required(solution)
        assert raised.value.solution.status is case.status


def _check_optimum(case: Case, program: Program, solution) -> None:
    certificate = certify(program, solution)
    assert certificate.ok, str(certificate)
    assert solution.objective == pytest.approx(case.objective, abs=CLOSE)
    for block, values in case.x.items():
        np.testing.assert_allclose(solution.values(block), values, atol=10 * CLOSE)
    if solution.y is None:
        assert "integer" in program.needs or "duals" not in SOLVERS[solution.solver].can
        return
    assert certificate.kind == "optimality"
    for block, values in case.y.items():
        np.testing.assert_allclose(np.ravel(solution.dual(block)), np.ravel(values), atol=10 * CLOSE)
    for block, values in case.z.items():
        np.testing.assert_allclose(solution.reduced_costs(block), values, atol=10 * CLOSE)
    if case.w is not None:
        np.testing.assert_allclose(solution.w, case.w, atol=10 * CLOSE)


@pytest.mark.parametrize("name", SOLVERS)
def test_what_a_solver_cannot_take_is_refused_before_anything_is_built(name: str, found: dict[str, str]) -> None:
    require(name, found)
    for _, word in (pair for pair in REFUSED if pair[0] == name):
        with pytest.raises(UnsupportedProgram, match=rf"{name}|scip|clarabel"):
            solve(CASES[word].build(), name)


SLOPES = [word for word, case in CASES.items() if case.y or case.w is not None]


@pytest.mark.parametrize("word", SLOPES)
def test_known_multipliers_are_slopes_of_the_objective(word: str) -> None:
    """Move every right-hand side a little, solve again with a reference solver: the change is the multiplier."""
    case, program = CASES[word], CASES[word].build()
    reference = "clarabel" if program.cones else "highs"
    for block in program.rows:
        if block.name not in case.y:
            continue
        for k, known in enumerate(np.ravel(case.y[block.name])):
            ends = [solve(_moved(program, block.start + k, sign * STEP), reference).objective for sign in (-1, 1)]
            assert (ends[1] - ends[0]) / (2 * STEP) == pytest.approx(known, abs=2e-4), f"{block.name}({k})"
    for k, known in enumerate([] if case.w is None else case.w):
        ends = [solve(_cone_moved(program, k, sign * STEP), reference).objective for sign in (-1, 1)]
        assert (ends[0] - ends[1]) / (2 * STEP) == pytest.approx(known, abs=2e-4), f"w({k})"


def _moved(program: Program, i: int, step: float) -> Program:
    from dataclasses import replace

    change = np.zeros(program.shape[0])
    change[i] = step
    return replace(program, row_lower=program.row_lower + change, row_upper=program.row_upper + change)


def _cone_moved(program: Program, k: int, step: float) -> Program:
    """The right-hand side of a cone entry is minus its constant."""
    from dataclasses import replace

    (cone,) = program.cones
    change = np.zeros(cone.block.size)
    change[k] = step
    return replace(program, cones=(replace(cone, h=cone.h + change),))


def test_the_suite_has_every_kind_of_program() -> None:
    needs = frozenset().union(*(case.build().needs for case in CASES.values()))
    assert needs >= {"linear", "quadratic", "integer", "second_order", "exponential", "vertex"}
    assert {case.status for case in CASES.values()} == {Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED}
    assert len({case.build().fingerprint() for case in CASES.values()}) == len(CASES)
