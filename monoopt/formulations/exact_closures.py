"""Exact optimum of a closure program from anybody's multipliers: whole numbers, no rounding, any size of cost.

minimise  c'x  subject to  x_i - x_j >= 0 for given pairs (i, j),  0 <= x <= 1

Every float is a whole number over a power of two, so costs and multipliers y >= 0 are made whole. With z = c - A'y the
bound is the sum of min(z, 0), and what it lacks is a maximum flow from the columns with z < 0 to those with z > 0,
along j -> i without limit and i -> j up to y_ij. Good multipliers leave next to nothing to it; none leave everything.
Flows of many bits are found in stages: capacities without their last bits, then what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from monoopt.errors import CertificateError
from monoopt.program import Certificate, Program

Integers: TypeAlias = npt.NDArray[np.int64]
Whole: TypeAlias = npt.NDArray[Any]  # int64, or Python integers where those could overflow

BITS = 28  # of the flow of one stage: sums of two flows and a capacity stay within the 32 bits of scipy's flows


@dataclass(frozen=True, eq=False)
class ExactClosure:
    """The least and the greatest optimum, with multipliers whose bound is their cost.

    Attributes
    ----------
    least, greatest : ndarray of int64, shape (columns,)
    multipliers : ndarray of int or object, shape (rows,)
        Whole, in units of 1 / `unit`; so are the costs.
    unit : int
        A power of two.
    lacked : Fraction
        How far the bound of the given multipliers was below the optimum.
    """

    least: Integers
    greatest: Integers
    multipliers: Whole
    unit: int
    lacked: Fraction

    @property
    def y(self) -> npt.NDArray[np.float64]:
        """Multipliers as floats, each the nearest to the exact one."""
        if self.multipliers.dtype == np.int64 and self.unit < 2**900:
            return np.ldexp(self.multipliers.astype(np.float64), 1 - self.unit.bit_length())
        return np.array([float(Fraction(int(v), self.unit)) for v in self.multipliers])


def exact_closure(program: Program, y: npt.NDArray[np.float64] | None = None) -> ExactClosure:
    """Complete multipliers to a proof, and read the extreme optima off it.

    Parameters
    ----------
    program : Program
        A minimisation with rows x_i - x_j >= 0 and columns in [0, 1].
    y : ndarray, shape (rows,), optional
        Multipliers of the rows, from any solver, however coarse; none: zeros.

    Examples
    --------
    >>> from monoopt.formulations.monotonization import build
    >>> program = build([1, 0], [(1, 0)], [1e9, 1e9])
    >>> found = exact_closure(program, np.array([999999999.9]))
    >>> found.least, found.greatest, found.y, found.lacked
    (array([0, 0]), array([1, 1]), array([1.e+09]), Fraction(0, 1))
    """
    upper, lower = arcs(program)
    costs, unit = whole_numbers(program.c)
    n, limit = len(costs), sum(map(abs, costs))
    given = [0] * len(upper) if y is None else _nearest(y, unit, limit)
    kind = np.int64 if (limit + sum(given)) * 4 < 2**62 else object
    joined, first, place = np.unique(lower * n + upper, return_index=True, return_inverse=True)
    flow = np.zeros(len(joined), dtype=kind)
    np.add.at(flow, place, np.array(given, dtype=kind))
    tails, heads = joined // n, joined % n
    z = np.array(costs, dtype=kind)
    np.subtract.at(z, heads, flow)
    np.add.at(z, tails, flow)
    start = int(np.minimum(z, 0).sum())
    flow, z = _maximal(tails, heads, flow, z)
    whole = np.zeros(len(upper), dtype=kind)
    whole[first] = flow
    tied = flow > 0
    least = reached(np.flatnonzero(z < 0), tails, heads, tied, n)
    below = reached(np.flatnonzero(z > 0), heads, tails, tied, n)
    lacked = Fraction(int(np.minimum(z, 0).sum()) - start, unit)
    return ExactClosure(least.astype(np.int64), (~below).astype(np.int64), whole, unit, lacked)


def prove(program: Program, x: Integers, found: ExactClosure) -> Certificate:
    """Recompute cost and bound in whole numbers, from program, point and multipliers alone; their gap is exactly 0.

    Raises
    ------
    CertificateError
        They prove nothing of the kind.
    """
    upper, lower = arcs(program)
    costs, unit = whole_numbers(program.c)
    y = [int(v) for v in found.multipliers]
    z = list(costs)
    for i, j, v in zip(upper.tolist(), lower.tolist(), y, strict=True):
        z[i] -= v
        z[j] += v
    primal = cost_of(program, x)
    dual = Fraction(program.offset) + Fraction(sum(v for v in z if v < 0), unit)
    inside = bool(np.isin(x, (0, 1)).all() and (x[upper] >= x[lower]).all())
    ok = inside and unit == found.unit and min(y, default=0) >= 0 and primal == dual
    certificate = Certificate(
        kind="optimality",
        ok=ok,
        tolerance=0.0,
        stationarity=0.0,
        sign_violation=0.0,
        complementarity=0.0,
        primal_objective=float(primal),
        dual_objective=float(dual),
        gap=float(abs(primal - dual)) / max(1.0, abs(float(primal))),
        exact=True,
        exact_primal=primal,
        exact_dual=dual,
    )
    if not ok:
        raise CertificateError(f"{program.name}: {certificate}", certificate)
    return certificate


def cost_of(program: Program, x: Integers) -> Fraction:
    """Return the objective of a 0/1 point exactly."""
    costs, unit = whole_numbers(program.c)
    return Fraction(program.offset) + Fraction(sum(c for c, one in zip(costs, x.tolist(), strict=True) if one), unit)


def arcs(program: Program) -> tuple[Integers, Integers]:
    """Return for every row x_i - x_j >= 0 the columns i and j."""
    if not program.shape[0]:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    ends = program.A.indices.reshape(-1, 2).astype(np.int64)
    first = program.A.data.reshape(-1, 2)[:, 0] > 0
    return np.where(first, ends[:, 0], ends[:, 1]), np.where(first, ends[:, 1], ends[:, 0])


def whole_numbers(values: npt.NDArray[np.float64]) -> tuple[list[int], int]:
    """Write floats as whole numbers over one power of two.

    Examples
    --------
    >>> whole_numbers(np.array([0.75, -2.0]))
    ([3, -8], 4)
    """
    pairs = [v.as_integer_ratio() for v in values.tolist()]
    unit = max((below for _, below in pairs), default=1)
    return [above * (unit // below) for above, below in pairs], unit


def reached(
    starts: Integers, tails: Integers, heads: Integers, both: npt.NDArray[np.bool_], n: int
) -> npt.NDArray[np.bool_]:
    """Tell which nodes can be reached from the starts along tail -> head, and head -> tail where `both`."""
    rows = np.concatenate([np.full(len(starts), n), tails, heads[both]])
    columns = np.concatenate([starts, heads, tails[both]])
    graph = sparse.csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n + 1, n + 1))
    seen = np.zeros(n + 1, dtype=bool)
    seen[csgraph.breadth_first_order(graph, n, return_predecessors=False)] = True
    return seen[:n]


def _nearest(values: npt.NDArray[np.float64], unit: int, limit: int) -> list[int]:
    """Nearest whole numbers of units, each as `_near` has it."""
    if limit >= 2**53 or unit >= 2**900:
        return [_near(value, unit, limit) for value in values.tolist()]
    whole = np.rint(np.ldexp(values, unit.bit_length() - 1))  # a power of two rounds nothing
    return np.clip(np.nan_to_num(whole, nan=0.0), 0, limit).astype(np.int64).tolist()


def _near(value: float, unit: int, limit: int) -> int:
    """Nearest whole number of units, from 0 to a limit that no flow needs to exceed; 0 for what is no number."""
    if not value > 0:
        return 0
    return limit if value == np.inf else min(limit, round(Fraction(value) * unit))


def _maximal(tails: Integers, heads: Integers, flow: Whole, z: Whole) -> tuple[Whole, Whole]:
    """Add flow until no column with z < 0 reaches one with z > 0; every stage leaves less than an arc's last bits."""
    n = len(z)
    left = min(int(np.maximum(-z, 0).sum()), int(np.maximum(z, 0).sum()))
    pairs = tails * n + heads
    twin = np.isin(pairs, heads * n + tails)
    while left > 0 and n and len(tails):
        shift = max(0, left.bit_length() - BITS)
        net = _stage(tails, heads, flow, z, left, shift)
        net[twin & (net < 0)] = 0  # of two rows against each other the one with the flow carries it
        more = net.astype(z.dtype) * 2**shift
        flow, z = flow + more, z.copy()
        np.subtract.at(z, heads, more)
        np.add.at(z, tails, more)
        left = 2**shift * (len(tails) + 2 * n) if shift else 0
    return flow, z


def _stage(tails: Integers, heads: Integers, flow: Whole, z: Whole, left: int, shift: int) -> Integers:
    """Net maximum flow tail -> head along every arc, all capacities cut at `left` and without their last bits."""
    n, most = len(z), left >> shift

    def cut(capacity: Whole) -> npt.NDArray[np.int32]:
        return np.minimum(capacity >> shift, most).astype(np.int32)

    nodes, source, sink = np.arange(n), n, n + 1
    starts = np.concatenate([tails, heads, np.full(n, source), nodes])
    ends = np.concatenate([heads, tails, nodes, np.full(n, sink)])
    free = np.full(len(tails), most, dtype=np.int32)
    sizes = np.concatenate([free, cut(flow), cut(np.maximum(-z, 0)), cut(np.maximum(z, 0))])
    network = sparse.csr_array(sparse.coo_array((sizes, (starts, ends)), shape=(n + 2, n + 2)))
    network.sum_duplicates()
    network.eliminate_zeros()
    found = csgraph.maximum_flow(network, source, sink).flow
    return np.asarray(found[tails, heads]).ravel().astype(np.int64)
