"""Programs as Pyomo instances: blocks become indexed components of the same name."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from monoopt.errors import DataWarning, UnsupportedProgram
from monoopt.program import Block, Program

LARGE = 200_000  # rows: Pyomo makes an object of each, about 15 000 a second


@dataclass(eq=False)
class Rendering:
    """A program as a Pyomo instance, with the way back from its components to our columns and rows."""

    program: Program
    instance: Any = None
    variables: list[Any] = field(default_factory=list)
    rows: list[tuple[int, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program, minimise: bool = False, duals: bool = False) -> Rendering:
        """Render column blocks as indexed variables and row blocks as indexed constraints, by the same names."""
        import pyomo.environ as pyo

        if program.cones:
            raise UnsupportedProgram(f"program {program.name!r} has cones, which are not rendered for Pyomo")
        if program.shape[0] > LARGE:
            warnings.warn(
                f"program {program.name!r} has {program.shape[0]} rows, each an object in Pyomo; 'highs' takes arrays",
                DataWarning,
                stacklevel=2,
            )
        made = cls(program, pyo.ConcreteModel(name=program.name))
        low, high = whole_bounds(program) if minimise else (program.lower, program.upper)
        for block in program.columns:
            made._add_columns(block, low, high)
        made._add_objective(minimise)
        for block in program.rows:
            made._add_rows(block)
        if duals:
            made.instance.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        return made

    def _attach(self, name: str, component: Any) -> Any:
        """Add a component under its name, or the name with underscores where that is taken."""
        while hasattr(self.instance, name) or name == "dual":
            name += "_"
        self.instance.add_component(name, component)
        return component

    def _add_columns(self, block: Block, low: np.ndarray, high: np.ndarray) -> None:
        import pyomo.environ as pyo

        program, keys = self.program, _keys(block)
        place = dict(zip(keys, range(block.start, block.stop), strict=True))

        def bounds(instance: Any, *key: Any) -> tuple[float | None, float | None]:
            j = place[_plain(key)]
            return _side(float(low[j])), _side(float(high[j]))

        def domain(instance: Any, *key: Any) -> Any:
            return pyo.Integers if program.integer[place[_plain(key)]] else pyo.Reals

        made = self._attach(block.name, pyo.Var(*_index(keys), bounds=bounds, domain=domain))
        self.variables += [made[key] for key in keys]

    def _add_objective(self, minimise: bool) -> None:
        """State the objective in the user's sense, or as the minimisation that is kept."""
        import pyomo.environ as pyo

        program = self.program
        sign = 1.0 if minimise else program.sign
        expression = _linear(sign * program.offset, sign * program.c, self.variables)
        if program.P is not None:
            upper = sparse.coo_array(sparse.triu(sparse.csc_array(program.P)))
            entries = zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
            expression = expression + sum(
                sign * (value / 2 if i == j else value) * self.variables[i] * self.variables[j]
                for i, j, value in entries
            )
        sense = pyo.minimize if minimise or program.sense == "minimize" else pyo.maximize
        self._attach("objective", pyo.Objective(expr=expression, sense=sense))

    def _add_rows(self, block: Block) -> None:
        import pyomo.environ as pyo

        keys = _keys(block)
        place = dict(zip(keys, range(block.start, block.stop), strict=True))
        rows = pyo.Constraint(*_index(keys), rule=lambda _, *key: self._row(place[_plain(key)]))
        made = self._attach(block.name, rows)
        self.rows += [(i, made[key]) for key, i in place.items() if key in made]

    def _row(self, i: int) -> Any:
        import pyomo.environ as pyo

        program = self.program
        low, high = program.row_lower[i], program.row_upper[i]
        part = slice(program.A.indptr[i], program.A.indptr[i + 1])
        if part.start == part.stop or (np.isinf(low) and np.isinf(high)):
            return pyo.Constraint.Skip if low <= 0 <= high else pyo.Constraint.Infeasible
        columns = [self.variables[j] for j in program.A.indices[part]]
        body = _linear(0.0, program.A.data[part], columns)
        return (float(low), body, float(high)) if low < high else body == float(low)

    def point(self, values: list[float | None]) -> np.ndarray | None:
        """Columns from values in order; a column that stands nowhere has none and takes the one nearest 0."""
        if all(value is None for value in values) and self._stands().any():
            return None
        idle = np.clip(0.0, *whole_bounds(self.program))
        return np.array(
            [rest if value is None else value for value, rest in zip(values, idle, strict=True)], dtype=float
        )

    def _stands(self) -> np.ndarray:
        """Columns that are written: those with a cost, a quadratic part, or an entry in a row with a side."""
        program = self.program
        asks = np.isfinite(program.row_lower) | np.isfinite(program.row_upper)
        found = (program.c != 0) | (np.asarray(abs(program.A[asks]).sum(axis=0)).ravel() > 0)
        return found if program.P is None else found | (np.asarray(abs(program.P).sum(axis=0)).ravel() > 0)

    def multipliers(self, x: np.ndarray, duals: Any) -> dict[str, np.ndarray]:
        """Row multipliers, which have our sign in a minimisation, and the columns' that follow."""
        y = np.zeros(self.program.shape[0])
        for i, constraint in self.rows:
            y[i] = duals.get(constraint, 0.0)
        return {"y": y, "z": self.program.gradient(x) - self.program.A.T @ y}


def to_pyomo(program: Program) -> Any:
    """Return the program as a ``pyomo.environ.ConcreteModel``, in the user's sense, blocks by their names.

    For auditors, and for anyone who wants to go on in Pyomo. Rows without columns that hold trivially are left out.
    Cones are not rendered: programs with cones are refused.
    """
    return Rendering.of(program).instance


def whole_bounds(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Bounds with those of whole columns rounded inwards: GLPK refuses others."""
    low = np.where(program.integer, np.ceil(program.lower), program.lower)
    return low, np.where(program.integer, np.floor(program.upper), program.upper)


def _linear(constant: float, coefficients: np.ndarray, variables: list[Any]) -> Any:
    from pyomo.core.expr import LinearExpression

    return LinearExpression(constant=float(constant), linear_coefs=coefficients.tolist(), linear_vars=variables)


def _keys(block: Block) -> list[Any]:
    """Index of every member: None for a scalar, a label, or a tuple of labels."""
    if block.index is not None:
        return [tuple(row) if isinstance(row, list) else row for row in block.index.tolist()]
    if not block.shape:
        return [None]
    return [_plain(key) for key in np.ndindex(*block.shape)]


def _index(keys: list[Any]) -> list[list[Any]]:
    """Arguments that index a component: none for a scalar."""
    return [] if keys == [None] else [keys]


def _plain(key: tuple[Any, ...]) -> Any:
    return None if not key else key[0] if len(key) == 1 else key


def _side(value: float) -> float | None:
    return value if np.isfinite(value) else None
