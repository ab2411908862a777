"""Small programs whose answers are known by hand: what every solver must get right.

Each case names its optimum and, where unique, its point and multipliers in the user's sense.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from monoopt.program import Program, ProgramBuilder, Status

INF, ROOT2 = np.inf, np.sqrt(2.0)
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A program and what is known of its answer.

    ``x``, ``y``, ``z`` map blocks to values and ``w`` is one vector; what is not unique is left out.
    ``proved`` tells whether an INFEASIBLE or UNBOUNDED answer must bring a ray that passes its certificate.
    """

    name: str
    build: Callable[[], Program]
    objective: float | None = None
    status: Status = Status.OPTIMAL
    x: Values = field(default_factory=dict)
    y: Values = field(default_factory=dict)
    z: Values = field(default_factory=dict)
    w: Any = None
    proved: bool = True


CASES: dict[str, Case] = {}


def case(**known: Any) -> Callable[[Callable[[], Program]], Callable[[], Program]]:
    """Enter a builder function into the table under its own name."""

    def enter(build: Callable[[], Program]) -> Callable[[], Program]:
        CASES[build.__name__] = Case(build.__name__, build, **known)
        return build

    return enter


def columns(name: str, sense: str = "minimize", **blocks: dict[str, Any]) -> ProgramBuilder:
    """A builder with column blocks; a block without `shape` is a scalar."""
    builder = ProgramBuilder(name, sense)  # type: ignore[arg-type]
    for block, words in blocks.items():
        builder.add_columns(block, words.pop("shape", ()), **words)
    return builder


# --- linear -----------------------------------------------------------------------------------------------


@case(objective=9.0, x={"x": [3.0, 1.0]}, y={"demand": 3.0}, z={"x": [-1.0, 0.0]})
def demand() -> Program:
    """min 2a + 3b, a + b >= 4, 0 <= a <= 3: the cheap one to its bound, the dear one for the rest."""
    b = columns("demand", x={"shape": 2, "lower": 0, "upper": [3, INF], "cost": [2, 3]})
    b.add_rows("demand", {"x": [[1, 1]]}, lower=4)
    return b.build()


@case(objective=-9.0, x={"x": [3.0, 1.0]}, y={"demand": -3.0}, z={"x": [1.0, 0.0]})
def demand_maximised() -> Program:
    """Its twin, max -2a - 3b: every multiplier changes sign, and is a slope of the objective still."""
    b = columns("demand_maximised", "maximize", x={"shape": 2, "lower": 0, "upper": [3, INF], "cost": [-2, -3]})
    b.add_rows("demand", {"x": [[1, 1]]}, lower=4)
    return b.build()


@case(objective=11.0, x={"x": [3.0, 1.0]}, y={"capacity": 2.0, "labour": 0.0}, z={"x": [1.0, 0.0]})
def production() -> Program:
    """max 3a + 2b, a + b <= 4, a + 3b <= 6.5, 0 <= a <= 3: one more unit of capacity is worth 2."""
    b = columns("production", "maximize", x={"shape": 2, "lower": 0, "upper": [3, INF], "cost": [3, 2]})
    b.add_rows("capacity", {"x": [[1, 1]]}, upper=4)
    b.add_rows("labour", {"x": [[1, 3]]}, upper=6.5)
    return b.build()


@case(objective=3.0, x={"x": 3.0}, y={"side": 1.0})
def one_column_at_least() -> Program:
    """min x, x >= 3."""
    b = columns("one_column_at_least", x={"cost": 1})
    b.add_rows("side", {"x": [[1.0]]}, lower=3)
    return b.build()


@case(objective=3.0, x={"x": 3.0}, y={"side": 1.0})
def one_column_at_most() -> Program:
    """max x, x <= 3."""
    b = columns("one_column_at_most", "maximize", x={"cost": 1})
    b.add_rows("side", {"x": [[1.0]]}, upper=3)
    return b.build()


@case(objective=3.0, x={"x": 3.0}, y={"side": 1.0})
def one_column_equal() -> Program:
    """min x, x = 3."""
    b = columns("one_column_equal", x={"cost": 1})
    b.add_rows("side", {"x": [[1.0]]}, lower=3, upper=3)
    return b.build()


@case(objective=1.375, x={"x": [0.625, 0.375, 0.0]}, y={"total": 1.5, "gap": -0.5}, z={"x": [0.0, 0.0, 1.5]})
def equalities() -> Program:
    """min a + 2b + 3c, a + b + c = 1, a - b = 1/4, all >= 0."""
    b = columns("equalities", x={"shape": 3, "lower": 0, "cost": [1, 2, 3]})
    b.add_rows("total", {"x": [[1, 1, 1]]}, lower=1, upper=1)
    b.add_rows("gap", {"x": [[1, -1, 0]]}, lower=0.25, upper=0.25)
    return b.build()


@case(objective=-3.5, x={"x": [3.0, 0.5]}, y={"range": -0.5}, z={"x": [-0.5, 0.0]})
def range_row_at_its_upper_side() -> Program:
    """min -a - b, 1 <= a + 2b <= 4, 0 <= a <= 3, b >= 0."""
    b = columns("range_row_at_its_upper_side", x={"shape": 2, "lower": 0, "upper": [3, INF], "cost": -1})
    b.add_rows("range", {"x": [[1, 2]]}, lower=1, upper=4)
    return b.build()


@case(objective=4.0, x={"x": [1.0, 1.0]}, y={"range": 3.0}, z={"x": [-2.0, 0.0]})
def range_row_at_its_lower_side() -> Program:
    """min a + 3b, 2 <= a + b <= 5, 0 <= a <= 1, b >= 0."""
    b = columns("range_row_at_its_lower_side", x={"shape": 2, "lower": 0, "upper": [1, INF], "cost": [1, 3]})
    b.add_rows("range", {"x": [[1, 1]]}, lower=2, upper=5)
    return b.build()


@case(
    objective=12.0,
    x={"u": -1.0, "v": 2.0, "f": 2.0},
    y={"sum": 1.5, "gap": 0.5},
    z={"u": 0.0, "v": 0.0, "f": 1.0},
)
def free_and_fixed_columns() -> Program:
    """min 2u + v + f + 10, u + v >= 1, u - v >= -3, u free, v >= 0, f = 2."""
    b = columns(
        "free_and_fixed_columns", u={"cost": 2}, v={"lower": 0, "cost": 1}, f={"lower": 2, "upper": 2, "cost": 1}
    )
    b.add_rows("sum", {"u": [[1.0]], "v": [[1.0]]}, lower=1)
    b.add_rows("gap", {"u": [[1.0]], "v": [[-1.0]]}, lower=-3)
    b.add_offset(10)
    return b.build()


@case(objective=-5.0, x={"x": [-2.0, -3.0]}, z={"x": [1.0, 1.0]})
def no_rows() -> Program:
    """min a + b over a box: the bounds alone decide."""
    return columns("no_rows", x={"shape": 2, "lower": [-2, -3], "upper": [5, 5], "cost": 1}).build()


@case(objective=0.0)
def columns_alone() -> Program:
    """Nothing to choose by: free columns, no rows, no costs."""
    return columns("columns_alone", x={"shape": 2}).build()


@case(objective=0.0)
def columns_in_a_box_alone() -> Program:
    """The same in a box that 0 is not in."""
    return columns("columns_in_a_box_alone", x={"shape": 2, "lower": [1, -2], "upper": [2, -1]}).build()


@case(objective=0.0)
def whole_columns_alone() -> Program:
    """The same for whole numbers."""
    return columns("whole_columns_alone", x={"shape": 2, "lower": 0.5, "upper": 3, "integer": True}).build()


@case(status=Status.UNBOUNDED)
def unbounded_columns_alone() -> Program:
    """max a + b, both free, no rows."""
    return columns("unbounded_columns_alone", "maximize", x={"shape": 2, "cost": 1}).build()


@case(objective=0.0)
def a_row_without_sides() -> Program:
    """Free columns without costs under a row that asks for nothing."""
    b = columns("a_row_without_sides", x={"shape": 2})
    b.add_rows("free", {"x": [[1, 1]]})
    return b.build()


@case(objective=0.0)
def no_active_row() -> Program:
    """a + b >= 3 without costs: most points touch nothing."""
    b = columns("no_active_row", x={"shape": 2, "lower": 0})
    b.add_rows("row", {"x": [[1, 1]]}, lower=3)
    return b.build()


@case(objective=1.0, x={"x": [1.0, 0.0]}, y={"rows": [0.0, 1.0, 0.0]})
def empty_rows() -> Program:
    """min a + 2b, a + b >= 1 between rows without coefficients that hold, one of them just."""
    b = columns("empty_rows", x={"shape": 2, "lower": 0, "cost": [1, 2]})
    b.add_rows("rows", {"x": [[0, 0], [1, 1], [0, 0]]}, lower=[-1, 1, -INF], upper=[1, INF, 0.5])
    b.add_rows("touched", {"x": [[0, 0]]}, upper=0)
    return b.build()


@case(objective=-2.0, x={"x": [1.0, 1.0]}, y={"order": 2.0, "budget": -1.0})
def sides_of_zero() -> Program:
    """min a - 3b, a - b >= 0, a + b <= 2."""
    b = columns("sides_of_zero", x={"shape": 2, "lower": 0, "cost": [1, -3]})
    b.add_rows("order", {"x": [[1, -1]]}, lower=0)
    b.add_rows("budget", {"x": [[1, 1]]}, upper=2)
    return b.build()


@case(objective=2.0, y={"free": 0.0, "sum": 1.0})
def free_row_and_ties() -> Program:
    """min a + b, a + b >= 2, with a row that has no side: many points, one price."""
    b = columns("free_row_and_ties", x={"shape": 2, "lower": 0, "cost": 1})
    b.add_rows("free", {"x": [[1, -1]]})
    b.add_rows("sum", {"x": [[1, 1]]}, lower=2)
    return b.build()


@case(objective=-2.0, x={"x": [1.0, 1.0]})
def degenerate() -> Program:
    """min -a - b, three rows through the one best vertex: the point is unique, the multipliers are not."""
    b = columns("degenerate", x={"shape": 2, "lower": 0, "cost": -1})
    b.add_rows("corner", {"x": [[1, 0], [0, 1], [1, 1]]}, upper=[1, 1, 2])
    return b.build()


@case(objective=5.0, x={"x": [1.0, 1.0]})
def no_costs() -> Program:
    """Only a constant to minimise: a + b = 2, a - b = 0 decide."""
    b = columns("no_costs", x={"shape": 2})
    b.add_rows("here", {"x": [[1, 1], [1, -1]]}, lower=[2, 0], upper=[2, 0])
    b.add_offset(5)
    return b.build()


@case(objective=-1.0, x={"x": [[0.0, 1.0], [1.0, 0.0]]})
def an_idle_column() -> Program:
    """min -(off-diagonal)/2 of a 2 x 2 block whose other columns stand nowhere and cost nothing."""
    cost = [[0, -0.5], [-0.5, 0]]
    return columns("an_idle_column", x={"shape": (2, 2), "lower": 0, "upper": [[0, 1], [1, 0]], "cost": cost}).build()


@case(objective=2.0, x={"d": [0.0, 0.0, 0.0]})
def closure() -> Program:
    """Relabel labels 1, 0, 0 along 0 <= 1 <= 2 at weights 2, 3, 4: give up the first."""
    b = columns("closure", d={"shape": 3, "lower": 0, "upper": 1, "cost": [-2, 3, 4]})
    b.add_rows("dominance", {"d": [[-1, 1, 0], [0, -1, 1]]}, lower=0)
    b.add_offset(2)
    b.require("vertex")
    return b.build()


# --- no point, no end --------------------------------------------------------------------------------------


@case(status=Status.INFEASIBLE)
def infeasible_sides() -> Program:
    """x >= 1 and x <= 0."""
    b = columns("infeasible_sides", x={"cost": 1})
    b.add_rows("sides", {"x": [[1.0], [1.0]]}, lower=[1, -INF], upper=[INF, 0])
    return b.build()


@case(status=Status.INFEASIBLE)
def infeasible_with_bounds() -> Program:
    """a + b >= 3 in the unit box."""
    b = columns("infeasible_with_bounds", x={"shape": 2, "lower": 0, "upper": 1, "cost": [-1, 2]})
    b.add_rows("sum", {"x": [[1, 1]]}, lower=3)
    return b.build()


@case(status=Status.INFEASIBLE)
def infeasible_equalities() -> Program:
    """a + b = 1, 2a + 2b = 3, a and b free."""
    b = columns("infeasible_equalities", x={"shape": 2, "cost": 1})
    b.add_rows("sums", {"x": [[1, 1], [2, 2]]}, lower=[1, 3], upper=[1, 3])
    return b.build()


@case(status=Status.INFEASIBLE)
def infeasible_empty_row() -> Program:
    """A row without coefficients that asks for 1 (and columns that would be fine)."""
    b = columns("infeasible_empty_row", x={"shape": 2, "lower": 0, "cost": 1})
    b.add_rows("rows", {"x": [[1, 1], [0, 0]]}, lower=1)
    return b.build()


@case(status=Status.INFEASIBLE)
def infeasible_preferences() -> Program:
    """A above B, B above A, B above C: the first two conflict."""
    b = columns("infeasible_preferences", score={"shape": 3, "lower": 0, "upper": 1, "index": ["A", "B", "C"]})
    rows = [[1, -1, 0], [-1, 1, 0], [0, 1, -1]]
    b.add_rows("above", {"score": rows}, lower=0.125, index=["A over B", "B over A", "B over C"])
    return b.build()


@case(status=Status.UNBOUNDED)
def unbounded() -> Program:
    """min -a - b along a = b."""
    b = columns("unbounded", x={"shape": 2, "lower": 0, "cost": -1})
    b.add_rows("strip", {"x": [[1, -1]]}, lower=-1, upper=1)
    return b.build()


@case(status=Status.UNBOUNDED)
def unbounded_maximised() -> Program:
    """max a + 2b, a - b <= 3, both free below."""
    b = columns("unbounded_maximised", "maximize", x={"shape": 2, "cost": [1, 2]})
    b.add_rows("side", {"x": [[1, -1]]}, upper=3)
    return b.build()


@case(status=Status.INFEASIBLE)
def infeasible_with_an_improving_direction() -> Program:
    """a - b <= -1 and a - b >= 1, while a = b would improve for ever: there is no point all the same."""
    b = columns("infeasible_with_an_improving_direction", x={"shape": 2, "lower": 0, "cost": -1})
    b.add_rows("sides", {"x": [[1, -1], [1, -1]]}, lower=[-INF, 1], upper=[-1, INF])
    return b.build()


# --- whole numbers -----------------------------------------------------------------------------------------


@case(objective=21.0, x={"x": [0.0, 1.0, 1.0, 1.0]})
def knapsack() -> Program:
    """max 8a + 11b + 6c + 4d, 5a + 7b + 4c + 3d <= 14, all 0 or 1 (22 without whole numbers)."""
    words = {"shape": 4, "lower": 0, "upper": 1, "cost": [8, 11, 6, 4], "integer": True}
    b = columns("knapsack", "maximize", x=words)
    b.add_rows("weight", {"x": [[5, 7, 4, 3]]}, upper=14)
    return b.build()


@case(objective=-1.5, x={"n": -2.0, "r": 0.5})
def mixed_integer() -> Program:
    """min n + r, n >= -2.5 whole, r >= -n - 1.5, r >= 0, kept together by n + 3r >= -0.5."""
    b = columns("mixed_integer", n={"lower": -2.5, "upper": 8, "cost": 1, "integer": True}, r={"lower": 0, "cost": 1})
    b.add_rows("low", {"n": [[1.0]], "r": [[1.0]]}, lower=-1.5)
    b.add_rows("mix", {"n": [[1.0]], "r": [[3.0]]}, lower=-0.5)
    return b.build()


@case(objective=7.0, x={"x": [1.0, 2.5, 3.0]})
def some_members_integer() -> Program:
    """A block with whole and broken members: min a + 2b + c - 2, a >= 0.25 whole, b >= 2.5, c >= 2.1 whole."""
    words = {"shape": 3, "lower": [0.25, 2.5, 2.1], "upper": 9, "cost": [1, 2, 1], "integer": [True, False, True]}
    b = columns("some_members_integer", x=words)
    b.add_rows("loose", {"x": [[1, 1, 1]]}, upper=20)
    b.add_offset(-2)
    return b.build()


@case(status=Status.INFEASIBLE, proved=False)
def infeasible_by_whole_numbers() -> Program:
    """2n = 1: the relaxation has a point, so no ray can prove it."""
    b = columns("infeasible_by_whole_numbers", n={"lower": 0, "upper": 3, "cost": 1, "integer": True})
    b.add_rows("half", {"n": [[2.0]]}, lower=1, upper=1)
    return b.build()


# --- quadratic ---------------------------------------------------------------------------------------------


@case(objective=0.5, x={"x": [0.5, 1.5]}, y={"budget": -1.0})
def projection() -> Program:
    """min (a - 1)^2 + (b - 2)^2, a + b <= 2."""
    b = columns("projection", x={"shape": 2, "cost": [-2, -4]})
    b.add_quadratic("x", 2 * np.eye(2))
    b.add_rows("budget", {"x": [[1, 1]]}, upper=2)
    b.add_offset(5)
    return b.build()


@case(objective=-0.5, x={"x": [0.5, 1.5]}, y={"budget": 1.0})
def projection_maximised() -> Program:
    """Its twin, max -(a - 1)^2 - (b - 2)^2."""
    b = columns("projection_maximised", "maximize", x={"shape": 2, "cost": [2, 4]})
    b.add_quadratic("x", -2 * np.eye(2))
    b.add_rows("budget", {"x": [[1, 1]]}, upper=2)
    b.add_offset(-5)
    return b.build()


@case(objective=0.75, x={"x": [0.5, 0.5]}, y={"total": 1.5})
def dense_quadratic_with_equality() -> Program:
    """min 1/2 x'[[2, 1], [1, 2]]x, a + b = 1: both triangles count."""
    b = columns("dense_quadratic_with_equality", x={"shape": 2, "lower": 0})
    b.add_quadratic("x", np.array([[2.0, 1.0], [1.0, 2.0]]))
    b.add_rows("total", {"x": [[1, 1]]}, lower=1, upper=1)
    return b.build()


@case(objective=-0.5)
def singular_quadratic() -> Program:
    """min 1/2 (a + b)^2 - a - b in the unit box: every point with a + b = 1."""
    b = columns("singular_quadratic", x={"shape": 2, "lower": 0, "upper": 1, "cost": -1})
    b.add_quadratic("x", np.ones((2, 2)))
    b.add_rows("loose", {"x": [[1, 1]]}, upper=2)
    return b.build()


@case(objective=-2.15625, x={"x": [1.0, 0.25], "y": 0.5}, z={"x": [-1.25, 0.0]}, y={"tie": -0.5})
def quadratic_between_blocks() -> Program:
    """min 1/2(a^2 + b^2) + b y + y^2 - (9a + 7b + 3y)/4, a <= 1, 2b - y = 0."""
    words = {"shape": 2, "upper": [1, INF], "cost": [-2.25, -1.75]}
    b = columns("quadratic_between_blocks", x=words, y={"cost": -0.75})
    b.add_quadratic("x", np.eye(2))
    b.add_quadratic("y", np.array([[2.0]]))
    b.add_quadratic("x", np.array([[0.0], [1.0]]), "y")
    b.add_rows("tie", {"x": [[0, 2]], "y": [[-1.0]]}, lower=0, upper=0)
    return b.build()


@case(status=Status.INFEASIBLE)
def infeasible_quadratic() -> Program:
    """a + b >= 1, a + b <= 0 under a convex objective."""
    b = columns("infeasible_quadratic", x={"shape": 2})
    b.add_quadratic("x", np.eye(2))
    b.add_rows("sides", {"x": [[1, 1], [1, 1]]}, lower=[1, -INF], upper=[INF, 0])
    return b.build()


@case(status=Status.UNBOUNDED)
def unbounded_quadratic() -> Program:
    """min 1/2 a^2 - b: flat along b."""
    b = columns("unbounded_quadratic", x={"shape": 2, "lower": 0, "cost": [0, -1]})
    b.add_quadratic("x", np.diag([1.0, 0.0]))
    b.add_rows("side", {"x": [[1, 1]]}, lower=1)
    return b.build()


@case(objective=-1.0, x={"x": [1.0, 1.0]}, y={"row": 0.0})
def quadratic_without_active_row() -> Program:
    """min 1/2 (a^2 + b^2) - a - b, a + b <= 9: the row is far away."""
    b = columns("quadratic_without_active_row", x={"shape": 2, "cost": -1})
    b.add_quadratic("x", np.eye(2))
    b.add_rows("row", {"x": [[1, 1]]}, upper=9)
    return b.build()


# --- cones -------------------------------------------------------------------------------------------------


@case(objective=ROOT2, x={"x": [1.0, 1.0], "t": ROOT2}, y={"total": 1 / ROOT2}, w=[1.0, -1 / ROOT2, -1 / ROOT2])
def shortest_vector() -> Program:
    """min t, t >= ||x||, a + b = 2."""
    b = columns("shortest_vector", t={"cost": 1}, x={"shape": 2})
    b.add_rows("total", {"x": [[1, 1]]}, lower=2, upper=2)
    b.add_cone("norm", "second_order", {"t": [[1], [0], [0]], "x": [[0, 0], [1, 0], [0, 1]]})
    return b.build()


@case(objective=5.0, x={"x": [1.8, 2.4]}, y={"cap": 0.0}, w=[-5 / 3, 1.0, 4 / 3])
def longest_step_in_a_ball() -> Program:
    """max a + 4b/3, 3 >= ||x||, 5a <= 10 loose: the constant of the cone has its price too."""
    b = columns("longest_step_in_a_ball", "maximize", x={"shape": 2, "cost": [1, 4 / 3]})
    b.add_rows("cap", {"x": [[5, 0]]}, upper=10)
    b.add_cone("ball", "second_order", {"x": [[0, 0], [1, 0], [0, 1]]}, constant=[3, 0, 0])
    return b.build()


@case(objective=2.0, x={"t": 2.0}, w=[1.0])
def cone_of_one_entry() -> Program:
    """min t, t - 2 >= 0 as a second-order cone of size one."""
    b = columns("cone_of_one_entry", t={"cost": 1})
    b.add_cone("ray", "second_order", {"t": [[1.0]]}, constant=-2)
    return b.build()


@case(objective=np.log(10), x={"a": np.log(10)}, w=[1.0, 1 - np.log(10), -0.1])
def logarithm() -> Program:
    """max a, exp(a) <= 10; the multipliers are slopes in the cone's constant (0, 1, 10), with the sign of a maximum."""
    b = columns("logarithm", "maximize", a={"cost": 1})
    b.add_cone("exp", "exponential", {"a": [[1.0], [0.0], [0.0]]}, constant=[0, 1, 10])
    return b.build()


@case(objective=np.log(3), x={"p": [1 / 3] * 3}, y={"total": np.log(3) - 1})
def entropy() -> Program:
    """max sum of t_i, p_i exp(t_i / p_i) <= 1, sum p = 1: the uniform distribution."""
    b = columns("entropy", "maximize", p={"shape": 3, "lower": 0}, t={"shape": 3, "cost": 1})
    b.add_rows("total", {"p": [[1, 1, 1]]}, lower=1, upper=1)
    first, second = np.kron(np.eye(3), [[1], [0], [0]]), np.kron(np.eye(3), [[0], [1], [0]])
    b.add_cone("entropy", "exponential", {"t": first, "p": second}, constant=np.tile([0, 0, 1], 3))
    return b.build()


@case(status=Status.INFEASIBLE, proved=False)
def infeasible_cone() -> Program:
    """1 >= ||(3, 4)||: only the cone says no, and a certificate of rows can't prove that."""
    b = columns("infeasible_cone", t={"lower": 0, "upper": 1, "cost": 1})
    b.add_cone("norm", "second_order", {"t": [[1], [0], [0]]}, constant=[0, 3, 4])
    return b.build()
