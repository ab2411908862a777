"""How long a program takes from arrays to HiGHS: monoopt against cvxpy, linopy and Pyomo, in one run.

The program is an order: difference rows ``d_i - d_j >= 0`` for random pairs, half as many columns in [0, 1], costs of
both signs. Every way starts from the same array of pairs and ends with the program in a HiGHS object (cvxpy: with the
data that it would hand over, for its last step can't be taken alone). Processor seconds, the best of a few runs.

    python benchmarks/build.py                      # 100 000 and 1 000 000 rows, Pyomo on the first alone
    python benchmarks/build.py --rows 20000 --ways monoopt,pyomo
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

SLOW_ABOVE = {"pyomo": 200_000}  # rows: it takes minutes beyond, unless asked for with --patient
RUNS = 3


def order_pairs(rows: int, seed: int = 0) -> tuple[np.ndarray, int, np.ndarray]:
    """Distinct random pairs of columns, the number of columns, and costs."""
    rng = np.random.default_rng(seed)
    columns = max(rows // 2, 2)
    pairs = rng.integers(0, columns, (rows + rows // 10, 2))
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return rng.permutation(pairs)[:rows], columns, rng.choice([-1.0, 1.0], columns)


def difference_matrix(pairs: np.ndarray, columns: int) -> sparse.csr_array:
    """+1 at i, -1 at j, one row a pair."""
    places = np.arange(0, 2 * len(pairs) + 1, 2)
    return sparse.csr_array((np.tile([1.0, -1.0], len(pairs)), pairs.ravel(), places), shape=(len(pairs), columns))


def build_monoopt(pairs: np.ndarray, columns: int, costs: np.ndarray) -> Any:
    from monoopt.program import ProgramBuilder
    from monoopt.solvers import Settings
    from monoopt.solvers.highs import make_highs, pass_program

    b = ProgramBuilder("order")
    b.add_columns("d", columns, lower=0, upper=1, cost=costs, tex="d_i", over="i in objects")
    b.add_rows("dominance", {"d": difference_matrix(pairs, columns)}, lower=0, index=pairs, tex="d_i - d_j")
    highs = make_highs(Settings(), [])
    pass_program(highs, b.build())
    return highs


def build_cvxpy(pairs: np.ndarray, columns: int, costs: np.ndarray) -> Any:
    import cvxpy

    d = cvxpy.Variable(columns, bounds=[0, 1])
    problem = cvxpy.Problem(cvxpy.Minimize(costs @ d), [difference_matrix(pairs, columns) @ d >= 0])
    return problem.get_problem_data(cvxpy.HIGHS, solver_opts={})


def build_linopy(pairs: np.ndarray, columns: int, costs: np.ndarray) -> Any:
    import linopy
    import xarray

    program = linopy.Model()
    d = program.add_variables(lower=0, upper=1, coords=[np.arange(columns)], dims=["i"], name="d")
    places = (xarray.DataArray(pairs[:, k], dims=["pair"]) for k in (0, 1))
    above, below = ((1 * d).isel(i=place).drop_vars("i") for place in places)
    program.add_constraints(above - below >= 0, name="dominance")
    program.add_objective((xarray.DataArray(costs, dims=["i"]) * d).sum())
    return linopy.io.to_highspy(program)


def build_pyomo(pairs: np.ndarray, columns: int, costs: np.ndarray) -> Any:
    import pyomo.environ as pyo
    from pyomo.contrib.solver.common.factory import SolverFactory

    instance = pyo.ConcreteModel()
    instance.d = pyo.Var(range(columns), bounds=(0, 1))
    both = pairs.tolist()
    instance.dominance = pyo.Constraint(range(len(both)), rule=lambda m, k: m.d[both[k][0]] - m.d[both[k][1]] >= 0)
    instance.cost = pyo.Objective(expr=sum(cost * instance.d[i] for i, cost in enumerate(costs.tolist())))
    solver = SolverFactory("highs")
    solver.set_instance(instance)
    return solver


WAYS: dict[str, Callable[[np.ndarray, int, np.ndarray], Any]] = {
    "monoopt": build_monoopt,
    "cvxpy": build_cvxpy,
    "linopy": build_linopy,
    "pyomo": build_pyomo,
}


def seconds(way: str, rows: int) -> float:
    """Processor seconds of the best run; the first small one pays for imports."""
    WAYS[way](*order_pairs(10))
    data = order_pairs(rows)
    taken = []
    for _ in range(1 if rows > SLOW_ABOVE.get(way, rows) else RUNS):
        start = time.process_time()
        WAYS[way](*data)
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="100000,1000000", help="numbers of rows, comma separated")
    parser.add_argument(
        "--ways", default=",".join(WAYS), help="which ways, comma separated; monoopt is always measured"
    )
    parser.add_argument("--patient", action="store_true", help="measure Pyomo beyond 200 000 rows too")
    words = parser.parse_args()
    print(f"{'rows':>10} {'way':<8} {'seconds':>9} {'rows a second':>14} {'times monoopt':>14}")
    for rows in map(int, words.rows.split(",")):
        ours = seconds("monoopt", rows)
        print(f"{rows:>10} {'monoopt':<8} {ours:>9.3f} {rows / ours:>14,.0f} {1:>14}")
        for way in words.ways.split(","):
            if way == "monoopt" or (rows > SLOW_ABOVE.get(way, rows) and not words.patient):
                continue
            try:
                taken = seconds(way, rows)
            except ImportError as missing:
                print(f"{rows:>10} {way:<8} not measured: {missing}")
                continue
            print(f"{rows:>10} {way:<8} {taken:>9.3f} {rows / taken:>14,.0f} {taken / ours:>14.1f}")


if __name__ == "__main__":
    main()
