"""``partition``: isotonic regression by recursive minimum cuts, our own, for separable squares over an order."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from monoopt.errors import UnsupportedProgram
from monoopt.program import Program, ProgramBuilder, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Solver
from monoopt.solvers.differences import row_misfit
from monoopt.solvers.settings import Settings, unknown_option

UNITS = 2**28  # flows are whole multiples of (sum of what is left to send) / UNITS, so that they fit 32 bits
ROUNDS = 4  # each sends what rounding left, in a unit so much finer
NOISE = 1e-13  # a gain, or a rest, below this share of all pulls is rounding


class Partition(Solver):
    """Solve min sum_i a_i x_i^2 / 2 + c_i x_i subject to x_i >= x_j for given pairs.

    P must be diagonal and positive, every row one +1 and one -1 with sides [0, inf), and -c/a, the targets, must lie
    within the bounds, so that bounds never bind. Anything else is refused, naming the row or the column.

    A set of objects starts as one block at the mean of its targets. A minimum cut finds the upper part that pulls
    hardest away from the mean; if there is one the block is cut in two, otherwise the maximum flow within the block
    is its proof: the flows are the multipliers of the rows. A cut can't be interrupted; ``time_limit`` is looked at
    between cuts, and at the limit the open blocks stay at their means.

    References
    ----------
    W. L. Maxwell and J. A. Muckstadt, Operations Research 33 (1985) 1316-1341; R. Luss, S. Rosset and M. Shahar,
    Annals of Applied Statistics 6 (2012) 253-283.
    """

    name = "partition"
    can = frozenset({"linear", "quadratic", "duals"})
    install = "it comes with monoopt"
    special = "isotonic regression: min sum a x^2 / 2 + c x, x_i - x_j >= 0"

    def version(self) -> str:
        """Return monoopt's version: the solver is ours."""
        from monoopt import __version__

        return __version__

    def trial(self) -> tuple[Program, float]:
        """Two objects in the wrong order meet in the middle."""
        builder = ProgramBuilder("trial")
        builder.add_columns("p", 2, lower=0, upper=1, cost=[0.0, -2.0])
        builder.add_quadratic("p", 2.0 * np.eye(2))
        builder.add_rows("dominance", {"p": [[1.0, -1.0]]}, lower=0)
        return builder.build(), -0.5

    def check(self, program: Program) -> None:
        """Refuse what is no isotonic regression, naming the first row or column that is in the way."""
        super().check(program)
        wrong = _misfit(program)
        if wrong:
            raise UnsupportedProgram(
                "solver 'partition' does isotonic regression only (min sum a x^2 / 2 + c x, x_i - x_j >= 0); program "
                f"{program.name!r} is none: {wrong}"
            )

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Cut blocks until none can be cut."""
        for word in settings.options:
            raise unknown_option("partition", word, [])
        start = time.perf_counter()
        limit = np.inf if settings.time_limit is None else start + settings.time_limit
        curvature = _curvature(program)
        tails, heads = _arcs(program)
        x, y = np.empty(len(program.c)), np.zeros(len(tails))
        blocks = [_Block(np.arange(len(x)), _first_of_each(tails, heads))]
        cuts, stopped = 0, False
        while blocks:
            block = blocks.pop()
            own = curvature[block.nodes]
            mean = -program.c[block.nodes].sum() / own.sum()
            x[block.nodes] = mean
            pull = -program.c[block.nodes] - own * mean
            stopped |= time.perf_counter() > limit
            if stopped:
                continue
            if not len(block.rows):
                x[block.nodes] = -program.c[block.nodes] / own
                continue
            upper, flow = _cut(block, pull, tails, heads)
            cuts += 1
            if upper is None:
                y[block.rows] = flow
            else:
                blocks += [block.part(upper, tails, heads), block.part(~upper, tails, heads)]
        return RawAnswer(
            Status.FEASIBLE if stopped else Status.OPTIMAL,
            x=x,
            y=y,
            z=curvature * x + program.c - program.A.T @ y if stopped else np.zeros(len(x)),
            raw_status="stopped at the time limit" if stopped else "no block can be cut",
            iterations={"cuts": cuts},
            solve_time=time.perf_counter() - start,
        )


@dataclass(frozen=True, eq=False)
class _Block:
    """Nodes of a block, ascending, and the rows between them."""

    nodes: np.ndarray
    rows: np.ndarray

    def part(self, chosen: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> _Block:
        nodes = self.nodes[chosen]
        inside = np.isin(tails[self.rows], nodes) & np.isin(heads[self.rows], nodes)
        return _Block(nodes, self.rows[inside])


def _cut(block: _Block, pull: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return an upper part that gains by rising, or None and the flow that proves that none does.

    What rises takes along everything above it: an arc from every head to its tail that can't be cut. Positive
    pulls are sent to negative ones; what can't be sent is cut off. Rounds of ever finer units make the flow exact.
    """
    low, high = np.searchsorted(block.nodes, heads[block.rows]), np.searchsorted(block.nodes, tails[block.rows])
    total, flow, rest = float(np.abs(pull).sum()), np.zeros(len(low)), pull.copy()
    for _ in range(ROUNDS):
        size = float(np.abs(rest).sum())
        if size <= NOISE * total:
            break
        unit = size / UNITS
        upper, sent = _send(np.rint(rest / unit).astype(np.int64), low, high, np.minimum(flow / unit, UNITS))
        flow = np.maximum(flow + sent * unit, 0.0)
        if upper.any() and not upper.all() and pull[upper].sum() > NOISE * total:
            return upper, np.empty(0)
        rest = pull.copy()
        np.subtract.at(rest, low, flow)
        np.add.at(rest, high, flow)
    return None, flow


def _send(units: np.ndarray, low: np.ndarray, high: np.ndarray, back: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Send positive units to negative ones along low -> high without limit, and back along what was sent before.

    Returns the nodes that unsent units still reach, and the net flow of every arc.
    """
    n = len(units)
    up, down = np.flatnonzero(units > 0), np.flatnonzero(units < 0)
    starts = np.concatenate([np.full(len(up), n), low, high, down])
    ends = np.concatenate([up, high, low, np.full(len(down), n + 1)])
    room = np.concatenate([units[up], np.full(len(low), UNITS), np.floor(back), -units[down]]).astype(np.int32)
    network = sparse.csr_array(sparse.coo_array((room, (starts, ends)), shape=(n + 2, n + 2)))
    flow = csgraph.maximum_flow(network, n, n + 1).flow
    residual = sparse.csr_array(network - flow)
    residual.eliminate_zeros()
    reached = np.zeros(n + 2, dtype=bool)
    reached[csgraph.breadth_first_order(residual, n, return_predecessors=False)] = True
    return reached[:n], np.asarray(flow[low, high], dtype=float).ravel()


def _first_of_each(tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Rows without those that repeat another one."""
    _, first = np.unique(np.column_stack([tails, heads]), axis=0, return_index=True)
    return np.sort(first)


def _curvature(program: Program) -> np.ndarray:
    """Diagonal of P."""
    P = program.P
    assert P is not None
    return np.asarray(P.diagonal(), dtype=float)


def _arcs(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Column with +1 and column with -1 of every row."""
    A = program.A
    if not program.shape[0]:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    columns, first = A.indices.reshape(-1, 2), A.data.reshape(-1, 2)[:, 0] > 0
    return np.where(first, columns[:, 0], columns[:, 1]), np.where(first, columns[:, 1], columns[:, 0])


def _misfit(program: Program) -> str:
    """Say which row or column is outside the class, or nothing."""
    P = sparse.coo_array(np.zeros((len(program.c),) * 2) if program.P is None else program.P)
    off = (P.row != P.col) & (P.data != 0)
    if off.any():
        k = int(np.argmax(off))
        return f"columns {program.column_name(int(P.row[k]))} and {program.column_name(int(P.col[k]))} share a square"
    curvature = np.asarray(P.diagonal())
    if not (curvature > 0).all():
        return f"column {program.column_name(int(np.argmin(curvature > 0)))} has no square"
    target = -program.c / curvature
    outside = (target < program.lower) | (target > program.upper)
    if outside.any() or (len(target) and (target.min() < program.lower.max() or target.max() > program.upper.min())):
        j = int(np.argmax(outside)) if outside.any() else int(np.argmax(program.lower))
        return f"bounds may bind: column {program.column_name(j)} has the target {target[j]:g}"
    return row_misfit(program, [(0.0, np.inf)])
