"""The house stands: imports go down, strangers stay strangers, heavy packages stay behind doors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FLOOR = {
    "errors": 0,
    "program": 1, "order": 1, "datasets": 1,
    "formulations": 2, "solvers": 2,
    "algorithms": 3,
    "estimators": 4,
    "report": 5,
    "cli": 6,
    "__main__": 7,
}  # fmt: skip
"""A room imports only from rooms with a smaller number; rooms with the same number never see each other."""

ONLY_IN = {"highspy": "solvers", "cvxpy": "solvers", "pyomo": "solvers", "typer": "cli"}
FRAMES = {"pandas", "polars", "pyarrow"}
INSIDE_FUNCTIONS = {"highspy", "cvxpy", "pyomo", "matplotlib", "plotly", "rich", "jinja2"} | FRAMES
LONGEST_FILE = 500


@dataclass(frozen=True)
class Import:
    """One imported module: its dotted name, its line, and the doors it stands behind."""

    module: str
    line: int
    inside_function: bool
    for_types_only: bool


@cache
def imports_of(source: str) -> tuple[Import, ...]:
    """Every import of a file; ``from a import b`` counts as ``a.b`` and as ``a``'s package."""
    return tuple(_walk(ast.parse(source), inside=False, types=False))


def _walk(node: ast.AST, inside: bool, types: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.Import):
            yield from (Import(a.name, child.lineno, inside, types) for a in child.names)
        elif isinstance(child, ast.ImportFrom):
            start = "." * child.level + (child.module or "")
            yield from (Import(f"{start}.{a.name}", child.lineno, inside, types) for a in child.names)
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        guard = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield from _walk(child, inside or function, types or guard)


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "monoopt").with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def faults_of(path: Path, source: str) -> list[str]:
    """Name every import of one file that breaks a rule of the house."""
    room, faults = room_of(path), []
    for found in imports_of(source):
        where = f"{path.relative_to(ROOT)}:{found.line}"
        top, *rest = found.module.split(".")
        if top == "":
            faults.append(f"{where}: relative import; write the room's name in full")
        elif top == "monoopt" and not (found.for_types_only and room in ("", "errors")):
            faults += _floor_faults(where, room, rest[0] if rest else "")
        elif top == "models":
            faults.append(f"{where}: the package imports nothing of models/, the auditors' independent witness")
        else:
            faults += _package_faults(where, room, path, found)
    return faults


def _floor_faults(where: str, room: str, other: str) -> list[str]:
    if other in (room, "__version__") and room:
        return []
    if other not in FLOOR:
        return [f"{where}: imports monoopt.{other}, which is no room of the table"]
    if room and FLOOR[other] == FLOOR[room]:
        return [f"{where}: {room} and {other} are on one floor and never see each other"]
    if not room or FLOOR[other] > FLOOR[room]:
        return [f"{where}: {room or 'monoopt/__init__'} imports {other}, which is above it or must stay lazy"]
    return []


def _package_faults(where: str, room: str, path: Path, found: Import) -> list[str]:
    top, faults = found.module.split(".")[0], []
    if found.for_types_only:
        return faults
    if top in ONLY_IN and room != ONLY_IN[top]:
        faults.append(f"{where}: {top} is imported only under monoopt/{ONLY_IN[top]}/")
    if top == "rich" and room not in ("cli", "report"):
        faults.append(f"{where}: rich belongs to the terminal, monoopt/cli/")
    if top in INSIDE_FUNCTIONS and not found.inside_function:
        faults.append(f"{where}: {top} is heavy; import it inside the function that needs it")
    if top == "numba" and not path.name.startswith("_"):
        faults.append(f"{where}: numba kernels live in modules whose name starts with an underscore")
    if room == "order" and found.module.startswith("scipy.optimize"):
        faults.append(f"{where}: nothing in order/ optimizes")
    return faults


def kernel_faults(path: Path, source: str, kernels: set[str]) -> list[str]:
    """Name every import of a compiled module that is made before anybody calls a function."""
    early = (f for f in imports_of(source) if not f.inside_function and not f.for_types_only)
    hit = [f for f in early if any(f.module == k or f.module.startswith(k + ".") for k in kernels)]
    return [f"{path.relative_to(ROOT)}:{f.line}: {f.module} compiles; import it inside a function" for f in hit]


def package_files() -> list[Path]:
    return sorted((ROOT / "monoopt").rglob("*.py"))


def test_every_import_goes_down():
    faults = [fault for path in package_files() for fault in faults_of(path, path.read_text())]
    assert not faults, "\n".join(faults)


def test_every_room_is_in_the_table():
    here = {p.name for p in (ROOT / "monoopt").iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert here <= set(FLOOR), f"rooms without a floor: {sorted(here - set(FLOOR))}"


def test_compiled_modules_are_imported_inside_functions():
    texts = {path: path.read_text() for path in package_files()}
    compiled = {p for p, text in texts.items() if any(f.module.split(".")[0] == "numba" for f in imports_of(text))}
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts) for p in compiled}
    faults = [f for p, text in texts.items() if p not in compiled for f in kernel_faults(p, text, names)]
    assert not faults, "\n".join(faults)


def test_no_file_is_too_long():
    folders = ("monoopt", "models", "tests", "examples", "benchmarks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    long = {str(p.relative_to(ROOT)): n for p in files if (n := p.read_text().count("\n")) > LONGEST_FILE}
    assert not long, f"split along their seams: {long}"


@pytest.mark.parametrize(
    ("place", "source", "word"),
    [
        ("formulations/a.py", "from monoopt.solvers import solve", "one floor"),
        ("program/a.py", "import monoopt.order.rules", "one floor"),
        ("program/a.py", "from monoopt import estimators", "above"),
        ("order/a.py", "from monoopt import solve", "no room"),
        ("solvers/a.py", "import cvxpy", "inside the function"),
        ("algorithms/a.py", "def f():\n    import highspy", "only under"),
        ("order/a.py", "from scipy.optimize import linprog", "optimizes"),
        ("order/a.py", "import numba", "underscore"),
        ("estimators/a.py", "from .base import x", "relative"),
        ("estimators/a.py", "def f():\n    from models.svdd import reference", "witness"),
        ("estimators/a.py", "def f():\n    from rich import print", "terminal"),
    ],
)
def test_a_broken_floor_is_named(place: str, source: str, word: str):
    faults = faults_of(ROOT / "monoopt" / place, source)
    assert len(faults) == 1 and word in faults[0], faults


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("solvers/a.py", "from monoopt.program import Program\ndef f():\n    import highspy"),
        ("estimators/a.py", "from monoopt.algorithms.column_generation import grow"),
        ("errors.py", "if TYPE_CHECKING:\n    from monoopt.program import Solution"),
        ("order/_a.py", "import numba"),
    ],
)
def test_a_right_import_is_left_alone(place: str, source: str):
    assert faults_of(ROOT / "monoopt" / place, source) == []


def test_a_compiled_module_at_the_door_is_named():
    path = ROOT / "monoopt" / "order" / "a.py"
    assert kernel_faults(path, "from monoopt.order._k import f", {"monoopt.order._k"})
    assert not kernel_faults(path, "def g():\n    from monoopt.order._k import f", {"monoopt.order._k"})
