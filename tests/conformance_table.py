"""The table of the conformance suite: solver by program, printed at the end of a run.

Called from the tests' outermost conftest: where workers share the tests, those deeper down are read by workers alone.
"""

from __future__ import annotations

from typing import Any

COLUMN = 12


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print ok, FAILED or skipped for every pair that was run; a pair that the solver can't take is a dot."""
    cells: dict[tuple[str, str], str] = {}
    why: dict[str, str] = {}
    for outcome, mark in (("passed", "ok"), ("failed", "FAILED"), ("error", "FAILED"), ("skipped", "-")):
        for report in terminalreporter.stats.get(outcome, []):
            pair = dict(getattr(report, "user_properties", ())).get("conformance")
            if pair:
                cells[tuple(pair)] = mark
                if outcome == "skipped":
                    why[pair[0]] = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not cells:
        return
    solvers = list(dict.fromkeys(solver for solver, _ in cells))
    programs = list(dict.fromkeys(program for _, program in cells))
    terminalreporter.section("conformance: program by solver (a dot: it can't, and says so)")
    wide = max(map(len, programs)) + 2
    terminalreporter.write_line(" " * wide + "".join(f"{solver:>{COLUMN}}" for solver in solvers))
    for program in programs:
        marks = "".join(f"{cells.get((solver, program), '.'):>{COLUMN}}" for solver in solvers)
        terminalreporter.write_line(f"{program:<{wide}}{marks}")
    for solver, reason in why.items():
        terminalreporter.write_line(f"- {solver}: {reason}")
