"""Footrule-optimal rank aggregation: an assignment program, totally unimodular.

minimise    sum_ip c_ip assign_ip,   c_ip = sum_j w_j |tau_j(i) - p|
subject to  sum_p assign_ip = 1      for every object i       (rows "object")
            sum_i assign_ip = 1      for every position p     (rows "position")
            assign >= 0

tau_j(i) is the location of object i in ranking j (1 is the best; averages for ties). The matrix is that of a
bipartite graph, so every vertex is a permutation. The optimum is within twice the least total Kendall distance
(Diaconis and Graham 1977; Dwork, Kumar, Naor and Sivakumar 2001).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import refuse
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]


def footrule_costs(locations: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Array:
    """Return c: the cost of putting object i on position p (columns from position 1).

    Parameters
    ----------
    locations : array-like, shape (n, m)
        tau_j(i), one column for each ranking.
    weights : array-like, shape (m,), optional
        w, ones by default.

    Examples
    --------
    >>> footrule_costs([[1, 2], [2, 1]])
    array([[1., 1.],
           [1., 1.]])
    """
    tau = np.asarray(locations, dtype=np.float64)
    if tau.ndim != 2 or tau.size == 0 or not np.isfinite(tau).all():
        refuse([f"shape {tau.shape}: wanted finite locations, objects x rankings"], "locations")
    w = np.ones(tau.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (tau.shape[1],) or not (np.isfinite(w) & (w >= 0)).all():
        refuse([f"{w}: wanted one number >= 0 for each of {tau.shape[1]} rankings"], "weights")
    positions = np.arange(1, len(tau) + 1)
    return sum(
        (wj * np.abs(column[:, None] - positions) for wj, column in zip(w, tau.T, strict=True)),
        start=np.zeros((len(tau), len(tau))),
    )


def build(locations: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Program:
    """Build the program from the locations of n objects in m rankings (see `footrule_costs`).

    Returns
    -------
    Program
        Columns "assign" (n x n), rows "object" and "position"; needs a vertex.

    Examples
    --------
    >>> build([[1, 2], [2, 1]]).shape
    (4, 4)
    """
    costs = footrule_costs(locations, weights)
    n = len(costs)
    b = ProgramBuilder("footrule", sense="minimize")
    b.add_columns("assign", (n, n), lower=0, upper=1, cost=costs, tex="a_{i,p}",
                  over="i in objects, p in positions")  # fmt: skip
    eye, ones = sparse.eye_array(n), np.ones((1, n))
    b.add_rows("object", {"assign": sparse.kron(eye, ones)}, lower=np.ones(n), upper=np.ones(n),
               tex=r"\sum_p a_{i,p}", over="i in objects")  # fmt: skip
    b.add_rows("position", {"assign": sparse.kron(ones, eye)}, lower=np.ones(n), upper=np.ones(n),
               tex=r"\sum_i a_{i,p}", over="p in positions")  # fmt: skip
    b.require("vertex")
    return b.build()


def read(program: Program, solution: Solution) -> npt.NDArray[np.int64]:
    """Return the position of every object, 1 the best.

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build([[1, 1, 2], [2, 3, 1], [3, 2, 3]])
    >>> read(program, solve(program))
    array([1, 2, 3])
    """
    return solution.values("assign").argmax(axis=1).astype(np.int64) + 1
