"""Programs as cvxpy problems: a variable a column block, at most three constraints a row block.

Handled here because it was measured: cvxpy's equality multipliers have the other sign; ``quad_form`` would ask ARPACK
for an eigenvalue of a matrix that is known to be positive semidefinite.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from monoopt.program import Block, Cone, Program

Places = slice | np.ndarray


@dataclass(eq=False)
class Rendering:
    """A program as a cvxpy problem, with the way back from cvxpy's multipliers to ours."""

    program: Program
    problem: Any = None
    variables: list[tuple[Places, Any]] = field(default_factory=list)
    rows: list[tuple[Any, np.ndarray, float]] = field(default_factory=list)  # constraint, rows, sign of its multiplier
    cones: list[tuple[Any, Cone]] = field(default_factory=list)
    factored: bool = False

    @classmethod
    def of(cls, program: Program, wants_row: bool = False, factored: bool = False) -> Self:
        """Render column blocks as variables with bounds, row blocks as at most three constraints each.

        For a solver that wants a row where there is none, one is added that asks for nothing. The quadratic part is
        handed over as it is, or as a sum of squares (`factored`).
        """
        import cvxpy

        made = cls(program, factored=factored)
        made.variables = [pair for block in program.columns for pair in _variables(program, block)]
        for block in program.rows:
            made._add_rows(block)
        for cone in program.cones:
            made._add_cone(cone)
        kept = made._objective()
        goal = cvxpy.Minimize(kept) if program.sense == "minimize" else cvxpy.Maximize(-kept)
        bare = wants_row and not made._constraints() and not np.isfinite([program.lower, program.upper]).any()
        idle = [np.zeros(variable.size) @ variable <= 1 for _, variable in made.variables[:1]] if bare else []
        made.problem = cvxpy.Problem(goal, made._constraints() + idle)
        return made

    def _constraints(self) -> list[Any]:
        return [constraint for constraint, *_ in self.rows] + [constraint for constraint, _ in self.cones]

    def _sum(self, matrix: sparse.csr_array) -> Any:
        """Matrix times all columns, block by block; blocks without entries are left out."""
        wide = sparse.csc_array(matrix)
        parts = [(wide[:, places], variable) for places, variable in self.variables]
        used = [(part, variable) for part, variable in parts if part.nnz] or parts[:1]
        return sum(sparse.csr_array(part) @ variable for part, variable in used)

    def _add_rows(self, block: Block) -> None:
        """``lower = upper`` becomes an equality; finite sides become inequalities, a range row two of them."""
        low, high = self.program.row_lower[block.slice], self.program.row_upper[block.slice]
        equal = low == high
        matrix = self.program.A[block.slice]
        for chosen, sign in ((equal, -1.0), (np.isfinite(low) & ~equal, 1.0), (np.isfinite(high) & ~equal, -1.0)):
            if not chosen.any():
                continue
            left = self._sum(matrix if chosen.all() else matrix[chosen])
            if chosen is equal:
                constraint = left == low[chosen]
            else:
                constraint = left >= low[chosen] if sign > 0 else left <= high[chosen]
            self.rows.append((constraint, block.start + np.flatnonzero(chosen), sign))

    def _add_cone(self, cone: Cone) -> None:
        import cvxpy

        s = self._sum(cone.G) + cone.h
        if cone.kind == "exponential":
            self.cones.append((cvxpy.ExpCone(s[0::3], s[1::3], s[2::3]), cone))
        elif cone.block.size == 1:
            self.cones.append((s >= np.zeros(1), cone))
        else:
            self.cones.append((cvxpy.SOC(s[0], s[1:]), cone))

    def _objective(self) -> Any:
        """Kept objective: linear terms by block, the quadratic part on the blocks that it touches."""
        import cvxpy

        program = self.program
        value = sum((program.c[places] @ variable for places, variable in self.variables), program.offset)
        if program.P is None:
            return value
        rows = np.asarray(abs(program.P).sum(axis=0)).ravel()
        touched = [(places, variable) for places, variable in self.variables if rows[places].any()]
        if not touched:  # a quadratic part of zeros
            return value
        places = np.concatenate([np.arange(len(rows))[part] for part, _ in touched])
        part = program.P[np.ix_(places, places)] if isinstance(program.P, np.ndarray) else program.P[places][:, places]
        stacked = touched[0][1] if len(touched) == 1 else cvxpy.hstack([variable for _, variable in touched])
        if self.factored:
            return value + 0.5 * cvxpy.sum_squares(squares_of(part) @ stacked)
        return value + 0.5 * cvxpy.quad_form(stacked, part, assume_PSD=True)

    def point(self, values: dict[int, Any]) -> np.ndarray | None:
        """Columns from cvxpy's values by variable."""
        x = np.empty(self.program.shape[1])
        for places, variable in self.variables:
            if values.get(variable.id) is None:
                return None
            x[places] = np.ravel(values[variable.id])
        return x

    def multipliers(self, duals: dict[int, Any]) -> tuple[np.ndarray, np.ndarray] | None:
        """Row and cone multipliers with our sign; None unless every constraint has its own."""
        if any(duals.get(constraint.id) is None for constraint in self._constraints()):
            return None
        y = np.zeros(self.program.shape[0])
        for constraint, places, sign in self.rows:
            y[places] += sign * np.ravel(duals[constraint.id])
        w = [np.ravel(duals[constraint.id]).astype(float) for constraint, _ in self.cones]
        return y, np.concatenate(w) if w else np.empty(0)


def squares_of(P: Any) -> np.ndarray:
    """Return F with F'F = P, P positive semidefinite but for rounding; eigenvalues below zero count as zero."""
    values, vectors = np.linalg.eigh(P if isinstance(P, np.ndarray) else P.toarray())
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def to_cvxpy(program: Program) -> Any:
    """Return the program as a ``cvxpy.Problem``: a variable a column block, constraints in the order of the rows.

    For auditors, and for anyone who wants to go on in cvxpy. The sense is the user's.
    """
    return Rendering.of(program).problem


def _variables(program: Program, block: Block) -> list[tuple[Places, Any]]:
    """One variable for a block, two where only some members are whole: cvxpy reads index lists now so, now so."""
    whole = program.integer[block.slice]
    if whole.all() or not whole.any():
        return [(block.slice, _variable(program, block.slice, block.name, bool(whole.any())))] if block.size else []
    first, second = block.start + np.flatnonzero(~whole), block.start + np.flatnonzero(whole)
    return [
        (first, _variable(program, first, block.name, False)),
        (second, _variable(program, second, f"{block.name}_whole", True)),
    ]


def _variable(program: Program, places: Places, name: str, whole: bool) -> Any:
    import cvxpy

    low, high = program.lower[places], program.upper[places]
    bounded = np.isfinite(low).any() or np.isfinite(high).any()
    return cvxpy.Variable(len(low), name=name, integer=whole, bounds=[low, high] if bounded else None)
