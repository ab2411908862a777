"""Program in, checked solution out: one file per backend, the file name is what the user types."""

from __future__ import annotations

from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Held, Solver
from monoopt.solvers.cvxpy_rendering import to_cvxpy
from monoopt.solvers.highs_io import read_program
from monoopt.solvers.infeasible import Conflict, explain_infeasible
from monoopt.solvers.pyomo_rendering import to_pyomo
from monoopt.solvers.registry import SolverInfo, available_solvers, check_solver, get_solver, solvers_that_can
from monoopt.solvers.session import Session
from monoopt.solvers.settings import Settings
from monoopt.solvers.solve import open_session, solve

__all__ = [
    "Conflict",
    "Held",
    "RawAnswer",
    "Session",
    "Settings",
    "Solver",
    "SolverInfo",
    "available_solvers",
    "check_solver",
    "explain_infeasible",
    "get_solver",
    "open_session",
    "read_program",
    "solve",
    "solvers_that_can",
    "to_cvxpy",
    "to_pyomo",
]
