"""Least and greatest optimum of a closure program, the same from every solver.

minimise  c'x  subject to  x_i - x_j >= 0 for given pairs (i, j),  0 <= x <= 1

The optima with values 0 and 1 form a lattice. A solver's multipliers are as good as its tolerance; that may be coarser
than a weight, so they are completed to an exact proof (`exact_closure`) before any optimum is read off them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import CertificateError, OptionError, nearest
from monoopt.formulations.exact_closures import ExactClosure, arcs, cost_of, exact_closure, prove
from monoopt.program import Program, Solution

Tie: TypeAlias = Literal["least", "greatest", "any"]
Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

TIES = ("least", "greatest", "any")
COARSE = 1e-4  # relative: how much better a point may be than the same point rounded


def check_tie(tie: str) -> None:
    """Refuse a word that is no tie rule.

    Examples
    --------
    >>> check_tie("smallest")
    Traceback (most recent call last):
    ...
    monoopt.errors.OptionError: tie='smallest', did you mean 'least'?; wanted 'least', 'greatest' or 'any'
    """
    if tie not in TIES:
        raise OptionError(f"tie={tie!r}{nearest(tie, TIES)}; wanted 'least', 'greatest' or 'any'")


def integral_optimum(program: Program, solution: Solution, tie: str = "least") -> Integers:
    """Read a 0/1 optimum of a closure program off a solution: exactly optimal, whatever the solver's tolerance.

    Parameters
    ----------
    program : Program
        A minimisation with rows x_i - x_j >= 0 and columns in [0, 1].
    solution : Solution
        Optimal up to the solver's tolerance, at a vertex or not. Its multipliers, if it has any, save work.
    tie : "least", "greatest" or "any"
        Which optimum. ``"any"`` is the point rounded at 1/2 if that is an optimum, else the least one.

    Returns
    -------
    ndarray of int64, shape (columns,)

    Raises
    ------
    NoSolutionError
        There is no point.
    CertificateError
        ``tie="any"``, and the point, rounded, is far from optimal or breaks a row.
    """
    check_tie(tie)
    point = solution.values(program.columns[0].name).ravel()
    found = exact_closure(program, solution.y)
    if tie == "any":
        x = _rounded(program, point, solution)
        return x if cost_of(program, x) == cost_of(program, found.least) else found.least
    return _extreme(found, tie)


def exact_vertex(program: Program, solution: Solution, tie: str) -> Solution:
    """Return the solution moved to its least or greatest optimum, with multipliers and certificate of gap exactly 0.

    ``raw_status`` says where the solver's multipliers were missing or too coarse, so that ours took their place.
    """
    found = exact_closure(program, solution.y)
    labels = _extreme(found, tie)
    certificate = prove(program, labels, found)
    value, word = certificate.primal_objective, solution.raw_status
    if solution.y is None:
        word += "; gave no multipliers: proved by an exact maximum flow of monoopt"
    elif found.lacked:
        word += f"; its bound was completed by {float(found.lacked):.3g}, by an exact maximum flow of monoopt"
    return replace(
        solution,
        x=labels.astype(float),
        y=found.y,
        z=None,
        objective=value,
        bound=value,
        certificate=certificate,
        raw_status=word,
    )


def _extreme(found: ExactClosure, tie: str) -> Integers:
    return found.least if tie == "least" else found.greatest


def _rounded(program: Program, point: Floats, solution: Solution) -> Integers:
    x = (point > 0.5).astype(np.int64)
    upper, lower = arcs(program)
    worse = float(program.c @ (x - point))
    unit = float(np.abs(program.c).max(initial=0.0)) or 1.0
    if (x[upper] < x[lower]).any() or worse > min(0.5 * unit, COARSE * max(unit, abs(program.objective(x)))):
        raise CertificateError(
            f"{program.name}: the answer of {solution.solver or 'this solver'}, rounded at 1/2, costs {worse:.3g} more "
            "or breaks a row: it is no optimum; ask for a smaller tolerance or another solver",
            solution.certificate,
        )
    return x
