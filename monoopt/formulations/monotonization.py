"""Monotonization: the least change of labels that makes the data monotone; a totally unimodular linear program.

Two classes (equation (3) of Kotlowski and Slowinski, "Rule learning with monotonicity constraints", ICML 2009):

minimise    sum_i w_i |y_i - d_i|
subject to  d_i - d_j >= 0  for (i,j) in dominance,   0 <= d <= 1

K classes as one program, with d_ik saying "object i is at least class k" and L the loss:

minimise    sum_i w_i ( L(y_i,0) + sum_k (L(y_i,k) - L(y_i,k-1)) d_ik )
subject to  d_ik - d_i,k+1 >= 0  (nesting),   d_ik - d_jk >= 0  for (i,j) in dominance,   0 <= d <= 1

The dual of both is a flow: multipliers of the rows that carry cost from objects labelled too high to objects labelled
too low; a flow of value c proves that no relabelling costs less than c.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import DataError, refuse
from monoopt.formulations.closures import integral_optimum
from monoopt.order.ordinal import Loss, loss_table, steps
from monoopt.program import Program, ProgramBuilder, Solution

SHOWN = 20


def build(
    labels: npt.ArrayLike,
    pairs: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    objects: npt.ArrayLike | None = None,
) -> Program:
    """Build the program for two classes.

    minimise sum_i w_i |y_i - d_i|  subject to  d_i - d_j >= 0 for (i,j) in pairs,  0 <= d <= 1.

    Parameters
    ----------
    labels : array-like, shape (n,)
        0 or 1 (or booleans).
    pairs : array-like, shape (m, 2)
        Positions (i, j) with object i at least as good as object j. A transitive reduction is enough.
    weights : array-like, shape (n,), optional
        Not negative; 1 by default. Weight k is k copies.
    objects : array-like, shape (n,), optional
        Names of the objects, integers or text; positions by default.

    Returns
    -------
    Program
        Columns ``d(i)``, rows ``dominance(i,j)``.

    Raises
    ------
    DataError
        Every label, pair and weight that can't be used.

    Examples
    --------
    >>> program = build([1, 0, 1], [(1, 0), (2, 1)])
    >>> program.column_names(), program.row_names()
    (['d(0)', 'd(1)', 'd(2)'], ['dominance(1,0)', 'dominance(2,1)'])
    >>> program.c.tolist(), program.offset
    ([-1.0, 1.0, -1.0], 2.0)
    """
    y, w, order, names = _data(labels, 2, pairs, weights, objects)
    builder = ProgramBuilder("monotonization")
    costs = np.where(y == 1, -w, w)
    builder.add_columns("d", len(y), lower=0, upper=1, cost=costs, index=names, tex="d_i", over="i in objects")
    builder.add_offset(float(w[y == 1].sum()))
    rows = _differences(order[:, 0], order[:, 1], len(y))
    builder.add_rows("dominance", {"d": rows}, lower=0, index=names[order], tex="d_i - d_j", over="(i,j) in dominance")
    return builder.build()


def read(program: Program, solution: Solution, tie: str = "least") -> npt.NDArray[np.int64]:
    """Return the new labels, 0 or 1, the same from every solver.

    Parameters
    ----------
    program : Program
        From `build`.
    solution : Solution
        Its solution, from a vertex method or not.
    tie : "least", "greatest" or "any"
        Among relabellings of equal cost the one with the fewest ones, with the most, or the solution rounded at 1/2.

    Returns
    -------
    ndarray of int64, shape (n,)

    Raises
    ------
    NoSolutionError
        There is no point.
    CertificateError
        ``tie="any"``, and the point is far from optimal (see `monoopt.formulations.closures.integral_optimum`).

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build([1, 0], [(1, 0)])
    >>> solution = solve(program)
    >>> read(program, solution), read(program, solution, tie="greatest")
    (array([0, 0]), array([1, 1]))
    """
    return integral_optimum(program, solution, tie)


def build_classes(
    codes: npt.ArrayLike,
    n_classes: int,
    pairs: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    loss: Loss = "absolute",
    objects: npt.ArrayLike | None = None,
) -> Program:
    """Build the program for K classes as one linear program.

    minimise    sum_i w_i ( L(y_i,0) + sum_k (L(y_i,k) - L(y_i,k-1)) d_ik )
    subject to  d_ik - d_i,k+1 >= 0,  d_ik - d_jk >= 0 for (i,j) in pairs,  0 <= d <= 1,  k = 1..K-1.

    Parameters
    ----------
    codes : array-like of int, shape (n,)
        0..K-1.
    n_classes : int
        K, at least 2.
    pairs, weights, objects
        As in `build`.
    loss : "absolute", "squared" or array-like, shape (K, K)
        L[y, k], zero on the diagonal and convex in k.

    Returns
    -------
    Program
        Columns ``d(i,k)``, rows ``nesting(i,k)`` (for K >= 3) and ``dominance(i,j,k)``.

    Raises
    ------
    DataError
        Codes, pairs, weights or a loss that can't be used.

    Examples
    --------
    >>> program = build_classes([2, 0], 3, [(1, 0)])
    >>> program.column_names()
    ['d(0,1)', 'd(0,2)', 'd(1,1)', 'd(1,2)']
    >>> program.row_names()
    ['nesting(0,1)', 'nesting(1,1)', 'dominance(1,0,1)', 'dominance(1,0,2)']
    """
    y, w, order, names = _data(codes, n_classes, pairs, weights, objects)
    table, tasks, n, m = loss_table(loss, n_classes), n_classes - 1, len(y), len(order)
    builder = ProgramBuilder("monotonization")
    builder.add_columns(
        "d",
        (n, tasks),
        lower=0,
        upper=1,
        cost=steps(table)[:, y].T * w[:, None],
        index=_labelled(names[:, None], np.arange(1, n_classes)),
        tex="d_{ik}",
        over="i in objects, k = 1..K-1",
    )
    builder.add_offset(float(w @ table[y, 0]))
    places = np.arange(n * tasks).reshape(n, tasks)
    if tasks > 1:
        builder.add_rows(
            "nesting",
            {"d": _differences(places[:, :-1].ravel(), places[:, 1:].ravel(), n * tasks)},
            lower=0,
            index=_labelled(names[:, None], np.arange(1, tasks)),
            tex="d_{ik} - d_{i,k+1}",
            over="i in objects, k = 1..K-2",
        )
    builder.add_rows(
        "dominance",
        {"d": _differences(places[order[:, 0]].ravel(), places[order[:, 1]].ravel(), n * tasks)},
        lower=0,
        index=_labelled(names[order].reshape(m, 2), np.arange(1, n_classes)),
        tex="d_{ik} - d_{jk}",
        over="(i,j) in dominance, k = 1..K-1",
    )
    return builder.build()


def read_classes(program: Program, solution: Solution, tie: str = "least") -> npt.NDArray[np.int64]:
    """Return the new codes 0..K-1 from the solution of `build_classes`; `tie` as in `read`.

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build_classes([2, 0], 3, [(1, 0)])
    >>> solution = solve(program)
    >>> solution.objective, read_classes(program, solution), read_classes(program, solution, tie="greatest")
    (2.0, array([0, 0]), array([2, 2]))
    """
    shape = program.column_block("d").shape
    return integral_optimum(program, solution, tie).reshape(shape).sum(axis=1)


def _data(
    labels: npt.ArrayLike,
    n_classes: int,
    pairs: npt.ArrayLike,
    weights: npt.ArrayLike | None,
    objects: npt.ArrayLike | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.generic]]:
    """Check everything and return codes, weights, pairs and names; one error lists all faults."""
    y, n = np.asarray(labels), len(np.atleast_1d(labels))
    try:
        w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"monotonization: weights are {weights!r}; wanted a number for each object") from None
    order = np.asarray(pairs)
    order = order.astype(np.int64).reshape(-1, 2) if order.size == 0 else order
    names = np.arange(n) if objects is None else np.asarray(objects)
    faults = [f"{n_classes} classes: wanted at least 2"] if n_classes < 2 else []
    faults += _shape_faults(y, w, order, names) or [
        *(
            f"label {i} is {y[i]}, wanted a code from 0 to {n_classes - 1}"
            for i in _first(~np.isin(y, range(n_classes)))
        ),
        *(
            f"weight {i} is {w[i]:g}, wanted a finite number that is not negative"
            for i in _first(~((w >= 0) & np.isfinite(w)))
        ),
        *(
            f"pair {p} is {tuple(order[p].tolist())}, wanted two different objects from 0 to {n - 1}"
            for p in _first(((order < 0) | (order >= n)).any(axis=1) | (order[:, 0] == order[:, 1]))
        ),
    ]
    refuse(faults, "monotonization")
    return y.astype(np.int64), w, order.astype(np.int64), names


def _shape_faults(
    y: npt.NDArray[np.generic],
    w: npt.NDArray[np.float64],
    order: npt.NDArray[np.generic],
    names: npt.NDArray[np.generic],
) -> list[str]:
    faults = [] if y.ndim == 1 and len(y) else [f"labels have shape {y.shape}, wanted one code per object"]
    faults += [] if w.shape == y.shape else [f"weights have shape {w.shape}, wanted {y.shape}"]
    faults += [] if names.shape == y.shape else [f"objects have shape {names.shape}, wanted {y.shape}"]
    if order.ndim != 2 or order.shape[1] != 2 or order.dtype.kind not in "iu":
        faults.append(f"pairs have shape {order.shape} and kind {order.dtype}, wanted integers, two per pair")
    return faults


def _first(wrong: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(wrong)[:SHOWN]


def _differences(plus: npt.NDArray[np.int64], minus: npt.NDArray[np.int64], n: int) -> sparse.csr_array:
    """Rows with +1 at one column and -1 at another."""
    m = len(plus)
    ends = np.column_stack([plus, minus]).ravel()
    return sparse.csr_array((np.tile([1.0, -1.0], m), ends, np.arange(0, 2 * m + 1, 2)), shape=(m, n))


def _labelled(names: npt.NDArray[np.generic], tasks: npt.NDArray[np.int64]) -> npt.NDArray[np.generic]:
    """Return every row of names with every task behind it."""
    return np.column_stack([np.repeat(names, len(tasks), axis=0), np.tile(tasks, len(names))])
