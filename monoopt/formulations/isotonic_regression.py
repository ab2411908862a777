"""Isotonic regression on a partial order: the quadratic program behind class probabilities.

minimise    sum_i w_i (p_i - t_i)^2
subject to  p_i - p_j >= 0   for (i,j) in dominance,   0 <= p <= 1

With t_i = 1[y_i >= k] the optimum estimates P(y >= k | x_i); the estimates of all k nest by themselves, so
that differences of neighbouring ones are class probabilities (Barile and Feelders 2008). Cutting p at 1/2 gives
the extreme relabellings of least absolute error (Kotlowski and Slowinski 2013).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from monoopt.errors import CertificateError, refuse
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]
JOIN = 1e-5  # neighbours in the order whose values differ by less are tried as one block


def build(
    targets: npt.ArrayLike,
    pairs: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    objects: npt.ArrayLike | None = None,
) -> Program:
    """Build the isotonic regression program.

    minimise sum_i w_i (p_i - t_i)^2 subject to p_i >= p_j for (i,j) in pairs, 0 <= p <= 1.

    Parameters
    ----------
    targets : array-like, shape (n,)
        Values in [0, 1].
    pairs : array-like, shape (m, 2)
        Positions (i, j) with object i at least as good as object j; a transitive reduction suffices.
    weights : array-like, shape (n,), optional
        Positive weights; 1 by default.
    objects : array-like, shape (n,), optional
        Labels of the objects for the names; positions by default.

    Returns
    -------
    Program
        Columns ``p(i)``, rows ``dominance(i,j)``; needs a quadratic solver.

    Raises
    ------
    DataError
        Targets outside [0, 1], weights that are not positive, pairs outside the objects.

    Examples
    --------
    >>> program = build([1.0, 0.0, 1.0], [(1, 0), (2, 1)])
    >>> program.column_names(), program.row_names()
    (['p(0)', 'p(1)', 'p(2)'], ['dominance(1,0)', 'dominance(2,1)'])
    """
    t = np.asarray(targets, dtype=float)
    n = len(t)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    order = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    names = np.arange(n) if objects is None else np.asarray(objects)
    _check(t, w, order)
    m = len(order)
    ends = (np.tile([1.0, -1.0], m), order.ravel(), np.arange(0, 2 * m + 1, 2))
    builder = ProgramBuilder("isotonic_regression")
    builder.add_columns("p", n, lower=0, upper=1, cost=-2 * w * t, index=names, tex="p_i", over="i in objects")
    builder.add_quadratic("p", sparse.diags_array(2 * w))
    builder.add_offset(float(w @ t**2))
    if m:
        D = sparse.csr_array(ends, shape=(m, n))
        over = "(i,j) in dominance"
        builder.add_rows("dominance", {"p": D}, lower=0, index=names[order], tex="p_i - p_j", over=over)
    return builder.build()


def read(program: Program, solution: Solution) -> Array:
    """Return the fitted values, the same on every solver.

    An optimum is constant on blocks, each at the weighted mean of its targets. The blocks are read off the
    answer (neighbours in the order that are equal up to the solver's tolerance) and set to their exact means;
    the result is kept if it obeys the order and costs no more than the answer.

    Raises
    ------
    NoSolutionError
        There is no point.
    CertificateError
        The answer is further from an optimum than block means can mend.
    """
    p = np.clip(solution.values("p"), 0.0, 1.0)
    cost = program.objective(p)
    best = None
    for width in (1e2 * JOIN, JOIN, 1e-2 * JOIN):
        fitted = _block_means(program, p, width)
        obeys = not program.shape[0] or float((program.A @ fitted).min()) >= 0.0
        if obeys and (best is None or program.objective(fitted) < program.objective(best)):
            best = fitted
    if best is None or program.objective(best) > cost + 1e-7 * max(1.0, abs(cost)):
        raise CertificateError(
            f"isotonic regression: the answer of {solution.solver} can't be turned into block means of the same cost; "
            "ask for a smaller tolerance or another quadratic solver",
            solution.certificate,
        )
    return best


def _block_means(program: Program, p: Array, width: float) -> Array:
    """Weighted mean of the targets on every block of neighbours that are equal within `width`."""
    n = len(p)
    weights = np.asarray(program.P.diagonal()) / 2 if program.P is not None else np.ones(n)
    targets = -program.c / (2 * weights)
    tails, heads = program.A.indices.reshape(-1, 2).T if program.shape[0] else np.empty((2, 0), dtype=int)
    tied = np.abs(p[tails] - p[heads]) <= width
    graph = sparse.coo_array((np.ones(tied.sum()), (tails[tied], heads[tied])), shape=(n, n))
    _, block = connected_components(graph, directed=False)
    means = np.bincount(block, weights * targets) / np.bincount(block, weights)
    return np.clip(means[block], 0.0, 1.0)


def _check(t: Array, w: Array, order: npt.NDArray[np.int64]) -> None:
    n = len(t)
    faults = [f"target {i} is {t[i]:g}, wanted [0, 1]" for i in np.flatnonzero(~((t >= 0) & (t <= 1)))[:20]]
    if w.shape != (n,):
        faults.append(f"{n} targets and {w.shape} weights")
    faults += [f"weight {i} is {w[i]:g}, wanted a positive number" for i in np.flatnonzero(~(w > 0) | np.isinf(w))[:20]]
    if order.size and (order.min() < 0 or order.max() >= n):
        faults.append(f"a pair names object {order.max() if order.max() >= n else order.min()}, there are {n}")
    refuse(faults, "isotonic regression")
