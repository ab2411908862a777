"""Regression by monotone rules: the quadratic program behind class probabilities that are sums of short rules.

minimise    sum_i w_i (p_i - t_i)^2
subject to  p_i - sum_t r_t(x_i) a_t = 0   for i in objects,   a >= 0

Isotonic regression (`monoopt.formulations.isotonic_regression`) looks at all monotone functions; this one only at
sums of the rules given, each monotone and weighted not negatively, hence a monotone sum. Rules of one condition give
an additive function, which needs far fewer objects to be learned. "Always +1" and "always -1" among the rules are
the free constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import refuse
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]


def build(
    targets: npt.ArrayLike,
    answers: Any,
    weights: npt.ArrayLike | None = None,
    objects: npt.ArrayLike | None = None,
) -> Program:
    """Build the program for the rules at hand.

    minimise sum_i w_i (p_i - t_i)^2 subject to p_i = sum_t r_t(x_i) a_t, a >= 0.

    Parameters
    ----------
    targets : array-like, shape (n,)
        Values in [0, 1].
    answers : matrix, dense or sparse, shape (n, T)
        r_t(x_i): +1, -1 or 0. At least one rule.
    weights : array-like, shape (n,), optional
        Positive weights; 1 by default. Only their ratios matter to the optimum.
    objects : array-like, shape (n,), optional
        Labels of the objects for the names; positions by default.

    Returns
    -------
    Program
        Columns ``p(i)``, ``a(t)``; rows ``fit(i)``; needs a quadratic solver, or "nnls".

    Raises
    ------
    DataError
        Targets outside [0, 1], answers that are none, weights that are not positive, shapes that do not fit.

    Examples
    --------
    >>> program = build([0.0, 1.0], [[1, -1, 0], [1, -1, 1]])
    >>> program.column_names(), program.row_names()
    (['p(0)', 'p(1)', 'a(0)', 'a(1)', 'a(2)'], ['fit(0)', 'fit(1)'])
    >>> from monoopt.solvers import solve
    >>> read(program, solve(program, "nnls"))
    array([0., 0., 1.])
    """
    t = np.asarray(targets, dtype=float)
    w = np.ones(len(t)) if weights is None else np.asarray(weights, dtype=float)
    R = sparse.csr_array(answers, dtype=float)
    refuse(_faults(t, w, R), "rule regression")
    n, T = R.shape
    names = np.arange(n) if objects is None else np.asarray(objects)
    builder = ProgramBuilder("rule_regression")
    builder.add_columns("p", n, cost=-2 * w * t, index=names, tex="p_i", over="i in objects")
    builder.add_quadratic("p", sparse.diags_array(2 * w))
    builder.add_offset(float(w @ t**2))
    builder.add_columns("a", T, lower=0, tex="a_t", over="t in rules")
    terms = {"p": sparse.eye_array(n), "a": -R}
    builder.add_rows("fit", terms, lower=0, upper=0, index=names, tex=r"p_i - \sum_t r_t(x_i) a_t", over="i in objects")
    return builder.build()


def read(program: Program, solution: Solution) -> Array:
    """Return the weights of the rules, shape (T,), not negative.

    Raises
    ------
    NoSolutionError
        There is no point.
    """
    return np.maximum(solution.values("a"), 0.0)


def _faults(t: Array, w: Array, R: sparse.csr_array) -> list[str]:
    n = len(t)
    faults = [f"target {i} is {t[i]:g}, wanted [0, 1]" for i in np.flatnonzero(~((t >= 0) & (t <= 1)))[:20]]
    if R.shape[0] != n or R.shape[1] == 0:
        faults.append(f"answers have shape {R.shape}, wanted {n} objects (rows) and at least one rule (columns)")
    if not np.isin(R.data, (-1, 0, 1)).all():
        faults.append("answers: wanted +1, -1 or 0")
    if w.shape != (n,):
        return [*faults, f"{n} targets and {w.shape} weights"]
    wrong = np.flatnonzero(~(w > 0) | np.isinf(w))[:20]
    return faults + [f"weight {i} is {w[i]:g}, wanted a positive number" for i in wrong]
