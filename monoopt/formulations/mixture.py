"""The mixture of given estimates that is nearest to the truth seen: a least squares program over the simplex.

minimise    sum_i w_i (sum_t q_it a_t - y_i)^2
subject to  sum_t a_t = 1,   a >= 0

Every q_t holds what one way of learning says about objects that it has not learned from (stacked regression, Breiman
1996). A mixture of monotone estimates is monotone, whatever the weights; among the mixtures this one has the least
squared error, so it is never worse there than the best single estimate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from monoopt.errors import refuse
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]


def build(
    targets: npt.ArrayLike,
    estimates: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    members: npt.ArrayLike | None = None,
) -> Program:
    """Build the program for the estimates at hand.

    minimise sum_i w_i (sum_t q_it a_t - y_i)^2 subject to sum_t a_t = 1, a >= 0.

    Parameters
    ----------
    targets : array-like, shape (n,)
        What was seen, finite.
    estimates : array-like, shape (n, T)
        q: one column per estimate, finite. At least one.
    weights : array-like, shape (n,), optional
        Not negative, not all zero; 1 by default. Only their ratios matter to the optimum.
    members : array-like, shape (T,), optional
        Labels of the estimates for the names; positions by default.

    Returns
    -------
    Program
        Columns ``a(t)``, row ``whole``; needs a quadratic solver.

    Raises
    ------
    DataError
        Shapes that do not fit, values that are not finite, weights that are negative or all zero.

    References
    ----------
    L. Breiman, "Stacked regressions", Machine Learning 24 (1996) 49-64.

    Examples
    --------
    >>> program = build([0.0, 1.0], [[0.0, 1.0], [0.5, 1.0]])
    >>> program.column_names(), program.row_names()
    (['a(0)', 'a(1)'], ['whole'])
    >>> from monoopt.solvers import solve
    >>> read(program, solve(program)).round(6)
    array([0.8, 0.2])
    """
    y, Q = np.asarray(targets, dtype=float), np.asarray(estimates, dtype=float)
    w = np.ones(y.shape) if weights is None else np.asarray(weights, dtype=float)
    refuse(_faults(y, Q, w), "mixture")
    T = Q.shape[1]
    builder = ProgramBuilder("mixture")
    names = np.arange(T) if members is None else np.asarray(members)
    builder.add_columns("a", T, lower=0, cost=-2 * Q.T @ (w * y), index=names, tex="a_t", over="t in estimates")
    gram = Q.T @ (w[:, None] * Q)
    builder.add_quadratic("a", gram + gram.T)
    builder.add_offset(float(w @ y**2))
    builder.add_rows("whole", {"a": np.ones((1, T))}, lower=1, upper=1, tex=r"\sum_t a_t")
    return builder.build()


def read(program: Program, solution: Solution) -> Array:
    """Return the weights of the estimates, shape (T,): not negative, of sum 1.

    Raises
    ------
    NoSolutionError
        There is no point.
    """
    a = np.maximum(solution.values("a"), 0.0)
    return a / a.sum()


def _faults(y: Array, Q: Array, w: Array) -> list[str]:
    faults = []
    if y.ndim != 1 or Q.ndim != 2 or len(Q) != len(y) or Q.shape[1] == 0:
        return [f"targets have shape {y.shape}, estimates {Q.shape}: wanted (n,) and (n, T) with at least one estimate"]
    if not np.isfinite(y).all() or not np.isfinite(Q).all():
        faults.append("targets and estimates must be finite")
    if w.shape != y.shape or not np.isfinite(w).all() or (w < 0).any() or not (w > 0).any():
        faults.append(f"weights: wanted {len(y)} numbers that are finite, not negative and not all zero")
    return faults
