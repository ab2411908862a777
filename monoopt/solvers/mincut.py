"""``mincut``: closure programs as minimum cuts, exactly, by scipy's maximum flow; our second, independent solver."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import scipy
from scipy import sparse
from scipy.sparse import csgraph

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.program import Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Solver
from monoopt.solvers.differences import row_misfit
from monoopt.solvers.settings import Settings, unknown_option

LARGEST = 2**30 - 1  # largest sum of |costs| in units: twice it, plus one, still fits the flow's 32 bits
SIDES = ((0.0, np.inf), (-np.inf, 0.0), (0.0, 0.0))  # of a row: >= 0, <= 0, = 0
CLOSURES = ("least", "greatest")


class MinCut(Solver):
    """Solve min c'x subject to x_i >= x_j for given pairs, 0 <= x <= 1, some x fixed: a closure problem.

    Every row must hold exactly one +1 and one -1 and compare the difference with 0 (``>=``, ``<=`` or ``=``);
    every column has the bounds [0, 1], [0, 0] or [1, 1]; costs must be whole multiples of one unit, small
    enough for 32-bit flows. Anything else is refused, naming the row, the column or the costs.

    x is the least optimum (the greatest with ``options={"closure": "greatest"}``; optima form a lattice), y is
    the flow on the arcs, so that the certificate's gap is exactly zero. A maximum flow can't be interrupted:
    ``time_limit``, ``tolerance``, ``threads`` and ``seed`` have nothing to act on.

    References
    ----------
    J.-C. Picard, "Maximal closure of a graph and applications to combinatorial problems", Management Science
    22 (1976) 1268-1272.
    """

    name = "mincut"
    can = frozenset({"linear", "integer", "duals", "vertex"})
    install = "it comes with monoopt"
    special = "closure problems: min c'x, x_i - x_j >= 0, 0 <= x <= 1"

    def version(self) -> str:
        """Version of scipy, whose maximum flow does the work."""
        return str(scipy.__version__)

    def check(self, program: Program) -> None:
        """Refuse what is not a closure problem, naming the first row or column that is none."""
        super().check(program)
        wrong = row_misfit(program, SIDES) or _column_misfit(program) or _cost_misfit(program)
        if wrong:
            raise UnsupportedProgram(
                "solver 'mincut' does closure problems only (min c'x, x_i - x_j >= 0, 0 <= x <= 1); program "
                f"{program.name!r} is none: {wrong}"
            )

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Build the network, find a maximum flow, read cut and flow."""
        greatest = _closure(settings) == "greatest"
        start = time.perf_counter()
        network = _network(program)
        path = _contradiction(network)
        if path is not None:
            return RawAnswer(Status.INFEASIBLE, ray=path, raw_status="a column fixed at 1 implies one fixed at 0")
        capacities = network.capacities()
        built = time.perf_counter()
        flow = csgraph.maximum_flow(capacities, network.source, network.sink)
        residual = capacities - flow.flow
        x = network.sink_side(residual) if greatest else network.source_side(residual)
        y = network.multipliers(flow.flow)
        return RawAnswer(
            Status.OPTIMAL,
            x=x,
            y=y,
            z=program.c - program.A.T @ y,
            bound=program.kept_objective(x),
            raw_status=f"maximum flow {flow.flow_value} units of {network.unit:g}",
            build_time=built - start,
            solve_time=time.perf_counter() - built,
        )


@dataclass(frozen=True, eq=False)
class _Network:
    """Columns are nodes, then source and sink; an arc (tail, head) says: tail at 1 implies head at 1.

    Row k is arc ``tails[k] -> heads[k]``; ``turn[k]`` is +1 or -1 as its multiplier is the flow or its negative;
    rows of direction 0 (equalities) are arcs both ways.
    """

    tails: np.ndarray
    heads: np.ndarray
    turn: np.ndarray
    both: np.ndarray
    costs: np.ndarray
    unit: float
    lower: np.ndarray
    upper: np.ndarray

    @property
    def source(self) -> int:
        return len(self.costs)

    @property
    def sink(self) -> int:
        return len(self.costs) + 1

    def implications(self) -> sparse.csr_array:
        """Say which column implies which: the pattern of all arcs of rows, repeated pairs once."""
        tails = np.concatenate([self.tails, self.heads[self.both]])
        heads = np.concatenate([self.heads, self.tails[self.both]])
        shape = (self.sink + 1, self.sink + 1)
        pattern = sparse.csr_array(sparse.coo_array((np.ones(len(tails), np.int32), (tails, heads)), shape=shape))
        pattern.sum_duplicates()
        return pattern

    def capacities(self) -> sparse.csr_array:
        """Costs below 0 hang on the source, above 0 on the sink; implications and fixings can't be cut."""
        infinite = np.int32(np.abs(self.costs).sum() + 1)
        arcs = self.implications()
        arcs.data[:] = infinite
        free = self.lower < self.upper
        gain = np.where(free, np.maximum(-self.costs, 0), infinite * (self.lower == 1))
        loss = np.where(free, np.maximum(self.costs, 0), infinite * (self.upper == 0))
        nodes = np.arange(len(self.costs))
        tails = np.concatenate([np.full(len(nodes), self.source), nodes])
        heads = np.concatenate([nodes, np.full(len(nodes), self.sink)])
        entries = (np.concatenate([gain, loss]).astype(np.int32), (tails, heads))
        hung = sparse.csr_array(sparse.coo_array(entries, shape=arcs.shape))
        hung.eliminate_zeros()
        return sparse.csr_array(arcs + hung)

    def source_side(self, residual: sparse.csr_array) -> np.ndarray:
        """1 where the source still reaches: the least closure."""
        return self._reached(residual, self.source)

    def sink_side(self, residual: sparse.csr_array) -> np.ndarray:
        """1 where the sink can't be reached any more: the greatest closure."""
        return 1.0 - self._reached(residual.T.tocsr(), self.sink)

    def _reached(self, residual: sparse.csr_array, start: int) -> np.ndarray:
        residual.eliminate_zeros()
        seen = np.zeros(self.sink + 1)
        seen[csgraph.breadth_first_order(residual, start, return_predecessors=False)] = 1.0
        return seen[: len(self.costs)]

    def multipliers(self, flow: sparse.csr_array) -> np.ndarray:
        """Net flow along the arc of every row; of rows between the same two columns the first carries it."""
        net = np.asarray(flow[self.tails, self.heads]).ravel() if len(self.tails) else np.empty(0)
        able = np.flatnonzero((net > 0) | (self.both & (net < 0)))
        low, high = np.minimum(self.tails, self.heads), np.maximum(self.tails, self.heads)
        _, first = np.unique((low * (self.sink + 1) + high)[able], return_index=True)
        y = np.zeros(len(net))
        carriers = able[first]
        y[carriers] = self.turn[carriers] * net[carriers] * self.unit
        return y


def _network(program: Program) -> _Network:
    """Read the arcs off the rows: + at p and - at q with >= 0 says q implies p."""
    pairs = program.A.indices.reshape(-1, 2).astype(np.int64)
    first_positive = program.A.data.reshape(-1, 2)[:, 0] > 0
    plus = np.where(first_positive, pairs[:, 0], pairs[:, 1])
    minus = np.where(first_positive, pairs[:, 1], pairs[:, 0])
    down = np.isinf(program.row_lower)
    costs, unit = whole_multiples(program.c)
    return _Network(
        tails=np.where(down, plus, minus),
        heads=np.where(down, minus, plus),
        turn=np.where(down, -1.0, 1.0),
        both=program.row_lower == program.row_upper,
        costs=costs,
        unit=unit,
        lower=program.lower,
        upper=program.upper,
    )


def whole_multiples(costs: np.ndarray, largest: int = LARGEST) -> tuple[np.ndarray, float]:
    """Write floats exactly as whole numbers times one unit; `UnsupportedProgram` if their sum grows too large.

    Examples
    --------
    >>> whole_multiples(np.array([0.75, -1.5, 0.0]))
    (array([ 1, -2,  0]), 0.75)
    """
    used = costs[costs != 0]
    if not len(used):
        return np.zeros(len(costs), dtype=np.int64), 1.0
    mantissa, exponent = np.frexp(np.abs(used))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(float)).astype(np.int64) + exponent - 53
    power = int(lowest.min())
    scaled = np.ldexp(costs, -power)
    if np.abs(scaled).max() < 2.0**62:
        multiples = scaled.astype(np.int64)
        divisor = int(np.gcd.reduce(multiples))
        if np.abs(multiples // divisor).astype(float).sum() <= largest:
            return multiples // divisor, float(np.ldexp(float(divisor), power))
    raise UnsupportedProgram(
        f"the costs are no whole multiples of one unit with a sum of at most {largest} units, which "
        f"{32 if largest == LARGEST else 64}-bit flows need; round the weights to whole numbers, or take another solver"
    )


def _column_misfit(program: Program) -> str:
    """Say which column is not in [0, 1] or fixed at 0 or 1, or nothing."""
    low, high = program.lower, program.upper
    fits = np.isin(low, (0.0, 1.0)) & np.isin(high, (0.0, 1.0))
    if fits.all():
        return ""
    j = int(np.argmin(fits))
    return f"column {program.column_name(j)} has the bounds [{low[j]:g}, {high[j]:g}], wanted [0, 1], [0, 0] or [1, 1]"


def _cost_misfit(program: Program) -> str:
    try:
        whole_multiples(program.c)
    except UnsupportedProgram as wrong:
        return str(wrong)
    return ""


def _contradiction(network: _Network) -> np.ndarray | None:
    """A path of implications from a column fixed at 1 to one fixed at 0, as a Farkas ray; None if there is none."""
    ones, zeros = np.flatnonzero(network.lower == 1), np.flatnonzero(network.upper == 0)
    if not len(ones) or not len(zeros):
        return None
    arcs = network.implications()
    starts = (np.ones(len(ones), np.int32), (np.full(len(ones), network.source), ones))
    graph = arcs + sparse.csr_array(sparse.coo_array(starts, shape=arcs.shape))
    order, before = csgraph.breadth_first_order(graph, network.source)
    met = np.intersect1d(order, zeros)
    if not len(met):
        return None
    ray = np.zeros(len(network.tails))
    here = int(met[0])
    while (previous := int(before[here])) != network.source:
        along = np.flatnonzero((network.tails == previous) & (network.heads == here))
        against = np.flatnonzero((network.tails == here) & (network.heads == previous) & network.both)
        if len(along):
            ray[along[0]] = network.turn[along[0]]
        else:
            ray[against[0]] = -network.turn[against[0]]
        here = previous
    return ray


def _closure(settings: Settings) -> str:
    for word in settings.options:
        if word != "closure":
            raise unknown_option("mincut", word, ["closure"])
    wanted = settings.options.get("closure", "least")
    if wanted not in CLOSURES:
        raise OptionError(f"mincut: closure={wanted!r}, wanted 'least' or 'greatest'")
    return str(wanted)
