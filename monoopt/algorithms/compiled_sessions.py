"""Sessions of cvxpy's solvers kept from fit to fit: programs of one structure are compiled once in a thread.

These solvers start cold at every solve, so that an answer does not depend on what the session has solved before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from monoopt.program import Program
from monoopt.solvers import Session, open_session

COLD = ("clarabel", "osqp", "piqp", "scs")  # compiled by cvxpy, and without memory of earlier solves
MOST = 16

_kept = threading.local()


def compiled_session(program: Program, solver: str, settings: Mapping[str, Any]) -> Session:
    """Open a session, or take the one that this thread opened for a program with other costs alone.

    Parameters
    ----------
    program : Program
        Without rows and cones it is kept; others are opened anew.
    solver : str
    settings : mapping
        Words of `monoopt.solvers.open_session`.
    """
    if solver not in COLD or program.shape[0] or program.cones or program.P is None:
        return open_session(program, solver, **settings)
    sessions: OrderedDict[Any, Session] = _kept.__dict__.setdefault("sessions", OrderedDict())
    session = sessions.pop(_structure(program, solver, settings), None)
    if session is None:
        session = open_session(program, solver, **settings)
    else:
        session.set_objective(program)
    sessions[_structure(program, solver, settings)] = session
    if len(sessions) > MOST:
        sessions.popitem(last=False)
    return session


def _structure(program: Program, solver: str, settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """All that a session is compiled for: everything but the costs and the numbers of the quadratic part."""
    quadratic: Any = program.P
    curved = np.asarray(abs(quadratic).sum(axis=0)).ravel() > 0
    blocks = tuple((block.name, block.shape) for block in program.columns)
    return (
        solver, tuple(sorted(settings.items())), program.name, program.sense, blocks, program.lower.tobytes(),
        program.upper.tobytes(), program.integer.tobytes(), curved.tobytes(),
    )  # fmt: skip
