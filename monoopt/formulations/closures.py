"""Least and greatest optimum of a closure program, the same from every solver.

minimise  c'x  subject to  x_i - x_j >= 0 for given pairs (i, j),  0 <= x <= 1

The optima with values 0 and 1 form a lattice. Any multipliers y >= 0 of the rows, with z = c - A'y, give the bound
B = sum of min(z, 0), and an integral optimum of cost c* has c* - B = sum y_ij (x_i - x_j) + sum of |z| over the
columns that z pays for. So with a tolerance t >= c* - B every optimum has x = 1 where z < -t, x = 0 where z > t, and
x_i = x_j where y_ij > t. What these imply, and nothing more, is the least optimum as soon as it costs c*.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from monoopt.errors import CertificateError, OptionError, nearest
from monoopt.program import Program, Solution

Tie: TypeAlias = Literal["least", "greatest", "any"]
Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

TIES = ("least", "greatest", "any")
TOLERANCES = 0.3 * 0.25 ** np.arange(16)  # of the largest cost: from 0.3 down to 3e-10
SLACK = 1e-6  # relative: how far above the bound an optimum may be where the costs are not whole numbers
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


def integral_optimum(program: Program, solution: Solution, tie: str = "least") -> npt.NDArray[np.int64]:
    """Read a 0/1 optimum of a closure program off a solution.

    Parameters
    ----------
    program : Program
        A minimisation with rows x_i - x_j >= 0 and columns in [0, 1].
    solution : Solution
        Optimal up to the solver's tolerance, at a vertex or not.
    tie : "least", "greatest" or "any"
        Which optimum. ``"any"`` rounds at 1/2, which keeps the cost: level sets of an optimum are optimal.

    Returns
    -------
    ndarray of int64, shape (columns,)

    Raises
    ------
    NoSolutionError
        There is no point.
    CertificateError
        The rounded point costs more than the optimum; or the multipliers are missing or too coarse to tell the least
        (greatest) optimum. Then solve once with ``tilted(program, tie)``.
    """
    check_tie(tie)
    point = solution.values(program.columns[0].name).ravel()
    if tie == "any":
        return _rounded(program, point, solution)
    if solution.y is not None:
        for tolerance in TOLERANCES * _unit(program.c):
            found, excess = _implied(program, solution.y, tolerance, tie)
            if excess <= min(tolerance, _room(program, found)):
                return found
    raise CertificateError(
        f"{program.name}: {solution.solver or 'this answer'} gave no multipliers, or too coarse ones, to tell the "
        f"{tie} optimum; ask for a smaller tolerance, solve tilted(program, {tie!r}), or read with tie='any'",
        solution.certificate,
    )


def tilted(program: Program, tie: str) -> Program:
    """Return the program with costs that make its least (greatest) optimum the only one.

    With whole-number costs c becomes (n + 1) c + 1 (or - 1): among the optima the one with the fewest (most) columns at
    1 wins. With other costs the tilt is a millionth of the largest one, shared among the columns.

    Examples
    --------
    >>> from monoopt.formulations.monotonization import build
    >>> program = build([1, 0], [(1, 0)])  # both (0, 0) and (1, 1) cost 1
    >>> tilted(program, "greatest").c.tolist()
    [-4.0, 2.0]
    """
    turn = {"least": 1.0, "greatest": -1.0}[tie]
    n = program.shape[1]
    costs = (n + 1) * program.c + turn if _whole(program.c) else program.c + turn * 1e-6 * _unit(program.c) / n
    return program.with_costs(program.columns[0].name, costs)


def arcs(program: Program) -> tuple[Integers, Integers]:
    """Return for every row x_i - x_j >= 0 the columns i and j."""
    if not program.shape[0]:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    ends = program.A.indices.reshape(-1, 2).astype(np.int64)
    first = program.A.data.reshape(-1, 2)[:, 0] > 0
    return np.where(first, ends[:, 0], ends[:, 1]), np.where(first, ends[:, 1], ends[:, 0])


def _implied(program: Program, multipliers: Floats, tolerance: float, tie: str) -> tuple[npt.NDArray[np.int64], float]:
    """Return what the multipliers imply at this tolerance and how far its cost is above their bound."""
    y = np.maximum(multipliers, 0.0)
    z = program.c - program.A.T @ y
    upper, lower = arcs(program)
    tied = y > tolerance
    if tie == "least":  # x_lower = 1 implies x_upper = 1; where tied also the reverse
        ones = _reached(np.flatnonzero(z < -tolerance), lower, upper, tied, len(z))
    else:
        ones = ~_reached(np.flatnonzero(z > tolerance), upper, lower, tied, len(z))
    x = ones.astype(np.int64)
    return x, max(0.0, float(program.c @ x) - float(np.minimum(z, 0.0).sum()))


def _reached(
    starts: Integers, tails: Integers, heads: Integers, both: npt.NDArray[np.bool_], n: int
) -> npt.NDArray[np.bool_]:
    """Tell which nodes can be reached from the starts along tail -> head, and head -> tail where `both`."""
    rows = np.concatenate([np.full(len(starts), n), tails, heads[both]])
    columns = np.concatenate([starts, heads, tails[both]])
    graph = sparse.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n + 1, n + 1))
    seen = np.zeros(n + 1, dtype=bool)
    seen[breadth_first_order(graph, n, return_predecessors=False)] = True
    return seen[:n]


def _rounded(program: Program, point: Floats, solution: Solution) -> npt.NDArray[np.int64]:
    x = (point > 0.5).astype(np.int64)
    upper, lower = arcs(program)
    worse = float(program.c @ (x - point))
    if (x[upper] < x[lower]).any() or worse > min(0.5 * _unit(program.c), COARSE * _scale(program, x)):
        raise CertificateError(
            f"{program.name}: the answer of {solution.solver or 'this solver'}, rounded at 1/2, costs {worse:.3g} more "
            "or breaks a row: it is no optimum; ask for a smaller tolerance or another solver",
            solution.certificate,
        )
    return x


def _room(program: Program, x: npt.NDArray[np.int64]) -> float:
    """How far above a valid bound the cost of an optimal x may be; whole-number costs leave no doubt below 1."""
    if _whole(program.c):
        return 1.0 - 1e-6
    return SLACK * _scale(program, x)


def _scale(program: Program, x: npt.NDArray[np.int64]) -> float:
    return max(_unit(program.c), abs(program.objective(x)))


def _whole(costs: Floats) -> bool:
    return bool((costs == np.round(costs)).all()) and float(np.abs(costs).sum()) < 2**53


def _unit(costs: Floats) -> float:
    return float(np.abs(costs).max(initial=0.0)) or 1.0
