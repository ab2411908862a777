"""Why is it infeasible? A small conflicting set of rows and bounds, in the program's own words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from monoopt.errors import OptionError, UnsupportedProgram
from monoopt.program import Program
from monoopt.solvers.base import require_program
from monoopt.solvers.highs_calls import call, make_highs, pass_program
from monoopt.solvers.settings import Settings

IRREDUCIBLE = 4  # iis_strategy: the default, 0, reports an empty set for a truly infeasible program
SIDES = {"kIisBoundStatusLower": "lower", "kIisBoundStatusUpper": "upper", "kIisBoundStatusBoxed": "both"}


@dataclass(frozen=True)
class Conflict:
    """A set of rows and bounds that no point satisfies together.

    Attributes
    ----------
    rows : dict of str to str
        Row name -> the side that takes part: ``"lower"``, ``"upper"`` or ``"both"``.
    bounds : dict of str to str
        Column name -> the bound that takes part.
    irreducible : bool
        Whether the rest can be satisfied once any one member is dropped; False where the time limit came first.
    """

    rows: dict[str, str]
    bounds: dict[str, str]
    irreducible: bool = True

    def __str__(self) -> str:
        """One line a member."""
        lines = [f"row {name} ({side} side)" for name, side in self.rows.items()]
        return "\n".join(lines + [f"bound of {name} ({side})" for name, side in self.bounds.items()])


def explain_infeasible(program: Program, *, time_limit: float | None = 60.0) -> Conflict:
    """Return an irreducible set of rows and bounds that no point satisfies together, or what is left at the time limit.

    Whole numbers are relaxed: a program that only integrality makes infeasible is refused.

    Raises
    ------
    UnsupportedProgram
        The program has cones, or its linear relaxation is feasible: there is nothing to explain.

    Examples
    --------
    >>> from monoopt.program import ProgramBuilder
    >>> b = ProgramBuilder("preferences")
    >>> b.add_columns("score", 3, lower=0, upper=1, index=["A", "B", "C"])
    >>> rows = [[1, -1, 0], [-1, 1, 0], [0, 1, -1]]
    >>> b.add_rows("above", {"score": rows}, lower=0.1, index=["A over B", "B over A", "B over C"])
    >>> sorted(explain_infeasible(b.build()).rows)
    ['above(A over B)', 'above(B over A)']
    """
    require_program(program)
    if program.cones:
        raise UnsupportedProgram(f"program {program.name!r} has cones; conflicting sets are for linear rows")
    highs = make_highs(Settings(time_limit=time_limit), [])
    pass_program(highs, _relaxation(program))
    if time_limit is not None:  # its general time limit is not heard here
        call("iis_time_limit", highs.setOptionValue("iis_time_limit", float(time_limit)))
    if highs.setOptionValue("iis_strategy", IRREDUCIBLE).name != "kOk":
        raise OptionError("this HiGHS refuses iis_strategy 4; wanted highspy 1.15 or newer")
    code, found = highs.getIis()
    if code.name == "kError" or not (len(found.row_index_) or len(found.col_index_)):
        raise UnsupportedProgram(
            f"program {program.name!r}: no conflicting set found; its linear relaxation is feasible, or HiGHS gave up "
            f"({code.name})"
        )
    rows = {
        program.row_name(i): SIDES.get(bound, "both")
        for i, bound in zip(found.row_index_, _sides(found.row_bound_), strict=True)
    }
    bounds = {
        program.column_name(j): SIDES[bound]
        for j, bound in zip(found.col_index_, _sides(found.col_bound_), strict=True)
        if bound in SIDES
    }
    return Conflict(rows, bounds, irreducible=code.name == "kOk")


def _sides(bounds: list[int]) -> list[str]:
    import highspy

    names = {int(member): name for name, member in highspy.IisBoundStatus.__members__.items()}
    return [names.get(int(bound), str(bound)) for bound in bounds]


def _relaxation(program: Program) -> Program:
    """The linear part: costs, quadratic terms and whole numbers do not make a set of rows conflict."""
    n = program.shape[1]
    return replace(program, c=np.zeros(n), integer=np.zeros(n, dtype=bool), P=None)
