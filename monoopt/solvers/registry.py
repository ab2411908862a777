"""Which solvers there are: one line each. Others add theirs through the entry-point group ``monoopt.solvers``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from monoopt.errors import OptionError, SolverNotFound, nearest
from monoopt.program import Status
from monoopt.solvers.base import Solver
from monoopt.solvers.settings import Settings

GROUP = "monoopt.solvers"
# "cvxpy:NAME" and "pyomo:NAME" are any solver that the package knows
LAYERS = {"cvxpy": "monoopt.solvers.cvxpy_:Cvxpy", "pyomo": "monoopt.solvers.pyomo_:Pyomo"}
CVXPY = ("clarabel", "osqp", "scs", "piqp", "scip", "cvxpy-highs", "cvxpy")
PYOMO = ("glpk", "cbc", "ipopt", "pyomo-highs", "pyomo-scip", "pyomo")
# name -> "module:callable[:argument]"; the callable returns a Solver
BUILT_IN = {
    "highs": "monoopt.solvers.highs:Highs",
    **{word: f"{LAYERS['cvxpy']}:{word}" for word in CVXPY},
    **{word: f"{LAYERS['pyomo']}:{word}" for word in PYOMO},
    "mincut": "monoopt.solvers.mincut:MinCut",
    "smo": "monoopt.solvers.smo:Smo",
    "partition": "monoopt.solvers.partition:Partition",
    "nnls": "monoopt.solvers.nnls:Nnls",
}


@dataclass(frozen=True)
class SolverInfo:
    """One line of `available_solvers`.

    Attributes
    ----------
    name : str
        What to type.
    found : bool
        Whether a trial solve worked.
    version : str
        Version of the backend, empty if not found.
    can : frozenset of str
        The needs it meets.
    note : str
        How to install it, or why the trial failed.
    special : str
        The one form of program it takes; empty for all programs whose needs it meets.
    """

    name: str
    found: bool
    version: str
    can: frozenset[str]
    note: str
    special: str = ""


def get_solver(name: str) -> Solver:
    """Return the solver of this name; `SolverNotFound` names the nearest, or says how to install it."""
    key = str(name).lower()
    table = known_solvers()
    layer = key.partition(":")[0]
    if key not in table and (layer == key or layer not in LAYERS):
        near = nearest(key, table)
        ways = "" if near or layer != key else f"; try {' or '.join(repr(f'{word}:{key}') for word in LAYERS)}"
        raise SolverNotFound(
            f"no solver {name!r}{near}; known: {', '.join(sorted(table))}, "
            f"and {' and '.join(f'{word}:NAME' for word in LAYERS)} for any other that those know{ways}"
        )
    solver = table[key]() if key in table else _maker(f"{LAYERS[layer]}:{key}")()
    try:
        solver.version()
    except ImportError as missing:
        raise SolverNotFound(
            f"solver {name!r} is not installed ({missing}); to get it: {solver.install}; "
            "available_solvers() lists what is here"
        ) from missing
    return solver


def check_solver(solver: object) -> None:
    """Refuse what is neither a solver that is here nor the name of one."""
    if isinstance(solver, str):
        get_solver(solver)
    elif not isinstance(solver, Solver):
        raise OptionError(f"solver={solver!r}: wanted the name of a solver, or a Solver")


def available_solvers() -> list[SolverInfo]:
    """List every known solver: found (by a trial solve) or how to install it.

    Examples
    --------
    >>> [info.found for info in available_solvers() if info.name == "highs"]
    [True]
    """
    return [_info(name) for name in known_solvers()]


def solvers_that_can(needs: Iterable[str], found: bool = True) -> list[str]:
    """Names of the solvers that take every program with these needs: those found here, or all that are known."""
    wanted = frozenset(needs)
    solvers = {name: make() for name, make in known_solvers().items()}
    able = [name for name, solver in solvers.items() if wanted <= solver.can and not solver.special]
    return [name for name in able if not found or _info(name).found]


@cache
def _info(name: str) -> SolverInfo:
    solver = known_solvers()[name]()
    try:
        version = solver.version()
    except ImportError as missing:
        return SolverInfo(name, False, "", solver.can, f"{solver.install} ({missing})", solver.special)
    why = _trial(solver)
    return SolverInfo(name, not why, version, solver.can, why or "ready", solver.special)


def _trial(solver: Solver) -> str:
    """Solve the solver's trial program; say what went wrong, or nothing."""
    try:
        program, optimum = solver.trial()
        answer = solver.run(program, Settings(time_limit=10.0))
    except Exception as wrong:  # a broken backend is a line in the list, whatever it throws
        return f"trial solve failed: {wrong}"
    if answer.status is not Status.OPTIMAL or answer.x is None:
        return f"trial solve ended with {answer.status.value} ({answer.raw_status})"
    value = program.objective(answer.x)
    return "" if abs(value - optimum) < 1e-3 else f"trial solve gave {value:g}, the optimum is {optimum:g}"


@cache
def known_solvers() -> dict[str, Callable[[], Solver]]:
    """Name -> maker of the solver, found here or not: built-in ones first, then the entry points of packages."""
    table: dict[str, Callable[[], Solver]] = {name: _maker(text) for name, text in BUILT_IN.items()}
    for point in entry_points(group=GROUP):
        table.setdefault(point.name.lower(), point.load())
    return table


def _maker(text: str) -> Callable[[], Solver]:
    module, attribute, *argument = text.split(":", 2)

    def make() -> Solver:
        return getattr(import_module(module), attribute)(*argument)

    return make
