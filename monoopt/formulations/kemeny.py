"""Kemeny's rank aggregation: the order nearest to all rankings in Kendall's distance, an integer program.

minimise    sum_{i<k} N_ki above_ik + N_ik (1 - above_ik)
subject to  0 <= above_ij + above_jk - above_ik <= 1     for i < j < k   (rows "transitive")
            above_ik in {0, 1}                           for i < k

N_ik is the weight of the rankings that put i above k; a ranking that ties them counts for neither. above_ik = 1
puts i above k; the rows forbid both ways round a circle. Source: Kemeny 1959; the program of Conitzer, Davenport
and Kalagnanam 2006.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import refuse
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]
Triples = npt.NDArray[np.int64]


def pair_weights(locations: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Array:
    """Return N: entry (i, k) is the weight of the rankings that put i above k.

    Parameters
    ----------
    locations : array-like, shape (n, m)
        Location of every object in every ranking, 1 the best.
    weights : array-like, shape (m,), optional

    Examples
    --------
    >>> pair_weights([[1, 1, 2], [2, 2, 1]])
    array([[0., 2.],
           [1., 0.]])
    """
    tau = np.asarray(locations, dtype=np.float64)
    w = np.ones(tau.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    return sum(
        (wj * (column[:, None] < column) for wj, column in zip(w, tau.T, strict=True)),
        start=np.zeros((len(tau), len(tau))),
    )


def build(pairs: npt.ArrayLike, *, triples: Triples | None = None, integer: bool = True) -> Program:
    """Build the program.

    Parameters
    ----------
    pairs : array-like, shape (n, n)
        N, not negative (see `pair_weights`).
    triples : ndarray, shape (m, 3), optional
        The transitivity rows to write, i < j < k; all of them by default (n (n - 1) (n - 2) / 6).
    integer : bool
        False gives the linear relaxation.

    Examples
    --------
    >>> build([[0, 2, 1], [1, 0, 3], [2, 0, 0]]).row_names()
    ['transitive(0,1,2)']
    """
    N = np.asarray(pairs, dtype=np.float64)
    if N.ndim != 2 or N.shape[0] != N.shape[1] or not (np.isfinite(N) & (N >= 0)).all():
        refuse([f"shape {N.shape}: wanted a square matrix of numbers >= 0"], "pairs")
    n = len(N)
    first, second = np.triu_indices(n, 1)
    b = ProgramBuilder("kemeny", sense="minimize")
    b.add_columns("above", len(first), lower=0, upper=1, cost=N[second, first] - N[first, second], integer=integer,
                  index=np.column_stack([first, second]), tex="a_{i,k}", over="i < k in objects")  # fmt: skip
    b.add_offset(float(N[first, second].sum()))
    rows = all_triples(n) if triples is None else triples
    if len(rows):
        b.add_rows("transitive", {"above": transitivity(n, rows)}, lower=np.zeros(len(rows)),
                   upper=np.ones(len(rows)), index=rows, tex="a_{i,j} + a_{j,k} - a_{i,k}",
                   over="i < j < k in objects")  # fmt: skip
    return b.build()


def read(program: Program, solution: Solution) -> npt.NDArray[np.int64]:
    """Return the position of every object, 1 the best.

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build(pair_weights([[1, 1, 2], [2, 3, 1], [3, 2, 3]]))
    >>> read(program, solve(program))
    array([1, 2, 3])
    """
    above = np.round(solution.values("above"))
    n = round((1 + np.sqrt(1 + 8 * len(above))) / 2)
    first, second = np.triu_indices(n, 1)
    beaten = np.zeros(n, dtype=np.int64)
    np.add.at(beaten, second, above.astype(np.int64))
    np.add.at(beaten, first, 1 - above.astype(np.int64))
    return beaten + 1


def all_triples(n: int) -> Triples:
    """All i < j < k, shape (n (n - 1) (n - 2) / 6, 3)."""
    return np.array(list(combinations(range(n), 3)), dtype=np.int64).reshape(-1, 3)


def violated_triples(above: Array, n: int, limit: int, tolerance: float = 1e-6) -> Triples:
    """Find the rows that a point breaks most, at most ``limit`` of them."""
    full = np.zeros((n, n))
    full[np.triu_indices(n, 1)] = above
    found = []
    for i in range(n - 2):
        excess = full[i, i + 1 :, None] + full[i + 1 :, i + 1 :] - full[i, None, i + 1 :]
        over = np.triu(np.maximum(excess - 1, -excess), 1)
        j, k = np.nonzero(over > tolerance)
        found.append(np.column_stack([over[j, k], np.full(len(j), i), j + i + 1, k + i + 1]))
    rows = np.concatenate(found) if found else np.empty((0, 4))
    rows = rows[np.argsort(-rows[:, 0], kind="stable")[:limit]]
    return rows[:, 1:].astype(np.int64)


def transitivity(n: int, triples: Triples) -> sparse.csr_array:
    """Coefficients of the rows of the given triples."""
    i, j, k = triples.T
    columns = np.column_stack([_pair(n, i, j), _pair(n, j, k), _pair(n, i, k)])
    data = np.tile([1.0, 1.0, -1.0], len(triples))
    rows = np.repeat(np.arange(len(triples)), 3)
    return sparse.csr_array((data, (rows, columns.ravel())), shape=(len(triples), n * (n - 1) // 2))


def _pair(n: int, i: Triples, k: Triples) -> Triples:
    """Position of the pair i < k among all pairs, row by row."""
    return i * (2 * n - i - 1) // 2 + (k - i - 1)
