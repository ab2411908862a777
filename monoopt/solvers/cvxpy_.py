"""Programs rendered for cvxpy: Clarabel, OSQP, SCS, PIQP, SCIP, HiGHS and whatever else it finds; cones.

Handled here because it was measured: the default is fixed, never what happens to be installed; cvxpy's
equality multipliers have the other sign; it calls SCIP's time limit an error and hands over zeros where HiGHS
stopped early; it fails on HiGHS's status "unknown"; ``quad_form`` would ask ARPACK for an eigenvalue of a matrix
that is known to be positive semidefinite.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from monoopt.errors import UnsupportedProgram
from monoopt.program import Block, Cone, Program, Status
from monoopt.solvers.answer import RawAnswer
from monoopt.solvers.base import Session, Solver
from monoopt.solvers.cvxpy_engines import ENGINES, NATIVE_STATUS, STATUS, CvxpyEngine, engine_version, find_engine
from monoopt.solvers.engines import at_scale, impossible_row, refused
from monoopt.solvers.highs import refuse_non_vertex, share_threads
from monoopt.solvers.settings import Settings
from monoopt.solvers.silence import silent_thread

Places = slice | np.ndarray


class Cvxpy(Solver):
    """Any solver behind cvxpy.

    Parameters
    ----------
    name : str
        ``"clarabel"``, ``"osqp"``, ``"scs"``, ``"piqp"``, ``"scip"``, ``"cvxpy-highs"``; ``"cvxpy:NAME"`` for any other
        that cvxpy knows; or ``"cvxpy"``: HiGHS for linear and integer programs, Clarabel for quadratic parts and cones.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        word = name.removeprefix("cvxpy:").removeprefix("cvxpy-")
        self._engine = None if word == "cvxpy" else find_engine(word)
        if self._engine is None:
            self.can = ENGINES["highs"].can | ENGINES["clarabel"].can
            self.install = "python -m pip install cvxpy highspy clarabel"
        else:
            self.can = self._engine.can
            self.install = f"python -m pip install cvxpy {self._engine.package or 'and what cvxpy asks for'}"

    def version(self) -> str:
        """Version of the engine's package, and of cvxpy."""
        import cvxpy

        if self._engine is None:
            return f"cvxpy {cvxpy.__version__}"
        return f"{engine_version(self._engine)} (cvxpy {cvxpy.__version__})"

    def check(self, program: Program) -> None:
        """Refuse what the engine can't, such as whole numbers with a quadratic part in HiGHS."""
        super().check(program)
        engine = self._choose(program)
        curved = program.needs & {"quadratic", "second_order", "exponential"}
        missing = program.needs - engine.can
        if missing or (curved and "integer" in program.needs and engine.word == "HIGHS"):
            raise UnsupportedProgram(
                f"solver {self.name!r} can't do {', '.join(sorted(program.needs))} together, which program "
                f"{program.name!r} needs; 'scip' does whole numbers with quadratic and second-order parts"
            )

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Render the program, let cvxpy compile it, solve and read back."""
        return at_scale(self._run, program, settings)

    def _run(self, program: Program, settings: Settings) -> RawAnswer:
        engine = self._choose(program)
        options = engine.options(settings, self.name)
        refuse_non_vertex(program, settings)
        if (ray := impossible_row(program)) is not None:
            return RawAnswer(Status.INFEASIBLE, ray=ray, raw_status="a row without columns can't hold")
        start = time.perf_counter()
        rendering = Rendering.of(program, engine.wants_row)
        problem = rendering.problem
        try:
            data, chain, inverse = problem.get_problem_data(engine.word, ignore_dpp=True, solver_opts=dict(options))
            built = time.perf_counter()
            if engine.word == "HIGHS":
                share_threads(settings.threads)
            with silent_thread(not settings.verbose):
                raw = chain.solve_via_data(problem, data, False, settings.verbose, dict(options))
        except Exception as wrong:  # backends raise whatever they like; what they say is kept
            return refused(self.name, wrong, settings)
        solved = time.perf_counter()
        return RawAnswer(
            **status_and_point(program, engine, rendering, raw, chain, inverse),
            build_time=built - start,
            solve_time=solved - built,
        )

    def open(self, program: Program, settings: Settings) -> Session:
        """Return a session that compiles once where only the objective changes (quadratic programs)."""
        from monoopt.solvers.cvxpy_session import session_or_none

        engine = self._choose(program)
        return session_or_none(self, program, settings, engine) or super().open(program, settings)

    def _choose(self, program: Program) -> CvxpyEngine:
        if self._engine is not None:
            return self._engine
        return ENGINES["clarabel" if program.P is not None or program.cones else "highs"]


@dataclass(eq=False)
class Rendering:
    """A program as a cvxpy problem, with the way back from cvxpy's multipliers to ours."""

    program: Program
    problem: Any = None
    variables: list[tuple[Places, Any]] = field(default_factory=list)
    rows: list[tuple[Any, np.ndarray, float]] = field(default_factory=list)  # constraint, rows, sign of its multiplier
    cones: list[tuple[Any, Cone]] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program, wants_row: bool = False) -> Self:
        """Render column blocks as variables with bounds, row blocks as at most three constraints each.

        For a solver that wants a row where there is none, one is added that asks for nothing.
        """
        import cvxpy

        made = cls(program)
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
        places = np.concatenate([np.arange(len(rows))[part] for part, _ in touched])
        part = program.P[np.ix_(places, places)] if isinstance(program.P, np.ndarray) else program.P[places][:, places]
        stacked = touched[0][1] if len(touched) == 1 else cvxpy.hstack([variable for _, variable in touched])
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


def status_and_point(
    program: Program, engine: CvxpyEngine, rendering: Rendering, raw: Any, chain: Any, inverse: Any
) -> dict[str, Any]:
    """What the backend claims, in our words."""
    native = engine.native(raw)
    for untrue in engine.untrue:
        raw.pop(untrue, None)
    try:
        solution = chain.invert(raw, inverse)
    except AttributeError as lost:  # cvxpy's HiGHS interface has no word for some of its statuses
        return {"status": NATIVE_STATUS.get(native, Status.ERROR), "raw_status": f"{native} ({lost})"}
    status = NATIVE_STATUS.get(native, STATUS.get(solution.status, Status.ERROR))
    found: dict[str, Any] = {"status": status, "raw_status": f"{native or solution.status}"}
    count = solution.attr.get("num_iters")
    found["iterations"] = {} if count is None else {engine.count: int(count)}
    pair = None if program.integer.any() else rendering.multipliers(solution.dual_vars or {})
    if solution.primal_vars:
        found["x"] = x = rendering.point(solution.primal_vars)
        found["bound"] = _bound(program, engine, raw)
        if x is not None and pair is not None:
            y, w = pair
            pulled = sum((cone.G.T @ w[cone.block.slice] for cone in program.cones), program.A.T @ y)
            found |= {"y": y, "w": w, "z": program.gradient(x) - pulled}
    elif pair is not None and status in (Status.INFEASIBLE, Status.INFEASIBLE_OR_UNBOUNDED):
        found["ray"] = pair[0]
    return found


def _bound(program: Program, engine: CvxpyEngine, raw: Any) -> float | None:
    """Bound of a search over whole numbers, where the engine tells it."""
    found = engine.bound(raw) if program.integer.any() else None
    return None if found is None or not abs(found) < 1e20 else found + program.offset
