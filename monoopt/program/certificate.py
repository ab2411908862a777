"""Certificates: what an answer proves, recomputed from program and answer alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from monoopt.errors import CertificateError, FormulationError, OptionError
from monoopt.program import residuals

if TYPE_CHECKING:
    from monoopt.program.program import Program
    from monoopt.program.solution import Solution

Kind = Literal["optimality", "feasibility", "infeasibility", "unboundedness", "none"]
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Certificate:
    """What an answer proves, trusting no solver.

    Residuals of rows and bounds are divided by max(1, |side|), stationarity by max(u, largest |Px + c|),
    complementarity and gap by max(u, |objective|); each is compared with `tolerance`. The unit u is 1, or the
    largest cost where all costs are smaller: an objective in tiny units is not right by being tiny.

    Attributes
    ----------
    kind : str
        ``"optimality"`` (multipliers prove it), ``"feasibility"`` (a point, no proof of optimality),
        ``"infeasibility"`` (a Farkas ray), ``"unboundedness"`` (a direction), ``"none"``.
    ok : bool
        Whether everything that `kind` claims holds.
    primal_violation, bound_violation, integrality_violation, cone_violation : float
        Largest relative violations of rows, column bounds, whole numbers and cones.
    stationarity : float
        Largest |Px + c - A'y - z - G'w|.
    sign_violation : float
        Largest multiplier that points at a side which is not there.
    complementarity : float
        Largest product of a multiplier and the slack of its side.
    primal_objective, dual_objective : float
        In the user's sense; the dual one is recomputed from y alone, hence a bound.
    gap : float
        |primal - dual|, relative.
    exact : bool
        Whether objective, bound and gap were computed in exact arithmetic.
    exact_primal, exact_dual : Fraction or None
        The two values as exact numbers when `exact`.
    reasons : tuple of str
        Why it is not ok, or what it leaves unproved.
    """

    kind: Kind
    ok: bool
    tolerance: float
    primal_violation: float = 0.0
    bound_violation: float = 0.0
    integrality_violation: float = 0.0
    cone_violation: float = 0.0
    stationarity: float = float("nan")
    sign_violation: float = float("nan")
    complementarity: float = float("nan")
    primal_objective: float = float("nan")
    dual_objective: float = float("nan")
    gap: float = float("nan")
    exact: bool = False
    exact_primal: Fraction | None = None
    exact_dual: Fraction | None = None
    reasons: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether the point itself passes, optimal or not."""
        worst = max(self.primal_violation, self.bound_violation, self.integrality_violation, self.cone_violation)
        return self.kind in ("optimality", "feasibility") and worst <= self.tolerance

    def require(self) -> Certificate:
        """Return self, or raise `CertificateError` with the reasons."""
        if not self.ok:
            raise CertificateError(str(self), self)
        return self

    def __str__(self) -> str:
        """One paragraph for a person."""
        verdict = (
            "proved" if self.ok and self.kind not in ("feasibility", "none") else "checked" if self.ok else "NOT proved"
        )
        text = "nothing proved" if self.kind == "none" else f"{self.kind} {verdict}"
        if self.exact_primal is not None and self.exact_dual is not None:
            short = abs(self.exact_primal - self.exact_dual)
            how = f" to a gap of {float(short):.3g} (exact arithmetic)" if short else " exactly"
            text += f"{how}: objective {self.exact_primal}, bound {self.exact_dual}"
        elif self.kind == "optimality":
            exactly = self.exact and self.gap == 0  # read back from a file, without the fractions
            how, gap = (" exactly", "") if exactly else ("", f", gap {self.gap:.1e}")
            text += f"{how}: objective {self.primal_objective:.12g}, bound {self.dual_objective:.12g}{gap}"
        text += f" (tolerance {self.tolerance:.0e})"
        return text + ("; " + "; ".join(self.reasons) if self.reasons else "")


def certify(program: Program, solution: Solution, exact: bool = False, tolerance: float = TOLERANCE) -> Certificate:
    """Recompute from program and answer whether the answer is right.

    A point with multipliers is checked for feasibility, stationarity, signs, complementarity and gap; a
    point alone for feasibility; an INFEASIBLE answer by its Farkas ray, an UNBOUNDED one by its direction.
    The bound comes from y (and, for a quadratic program, from x as the point of linearisation): the
    multipliers of the columns are recomputed, so any y gives a valid bound where the columns are boxed.

    Parameters
    ----------
    program : Program
        What was to be solved.
    solution : Solution
        Any object with ``x, y, w, ray, status, bound``.
    exact : bool
        Compute objective, bound and gap in exact rational arithmetic (linear programs).
    tolerance : float
        Relative tolerance of every residual.

    Returns
    -------
    Certificate

    Raises
    ------
    FormulationError
        ``exact=True`` for a program with quadratic or conic parts, or an answer of another shape.
    OptionError
        A tolerance outside [0, 1).
    """
    if not 0 <= tolerance < 1:  # also NaN
        raise OptionError(f"tolerance={tolerance!r}: wanted a relative tolerance from 0 to 1")
    if not hasattr(program, "row_lower") or not hasattr(solution, "status"):
        kinds = f"{type(program).__name__} and {type(solution).__name__}"
        raise FormulationError(f"certify: wanted a Program and its Solution, got {kinds}")
    status = solution.status.value
    answer = _read(program, solution)
    if status == "infeasible":
        return _farkas(program, answer.ray, tolerance)
    if status == "unbounded":
        return _direction(program, answer.ray, tolerance)
    if answer.x is None:
        return Certificate("none", False, tolerance, reasons=(f"no point: the status is {status}",))
    if not np.isfinite(answer.x).all():
        return Certificate(
            "feasibility",
            False,
            tolerance,
            np.inf,
            reasons=("a row is violated by inf: the point holds NaN or infinite values",),
        )
    found = _point(program, answer, tolerance)
    if answer.broken:
        return replace(found, ok=False, reasons=(*found.reasons, f"{answer.broken} holds NaN or infinite values"))
    return _exactly(program, answer, found) if exact else found


@dataclass(frozen=True)
class _Answer:
    """The vectors of an answer, of the right lengths; multipliers with NaN or infinite values are none, and broken."""

    x: np.ndarray | None
    y: np.ndarray | None
    z: np.ndarray | None
    w: np.ndarray | None
    ray: np.ndarray | None
    bound: float | None
    broken: str


def _read(program: Program, solution: Solution) -> _Answer:
    """Take the vectors of an answer; `FormulationError` lists those of another length or kind."""
    m, n = program.shape
    sizes = {"x": n, "y": m, "z": n, "w": sum(cone.block.size for cone in program.cones)}
    found: dict[str, np.ndarray | None] = {}
    faults = []
    for word, size in sizes.items():
        given = getattr(solution, word, None)
        try:
            vector = None if given is None else np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            faults.append(f"{word} holds no numbers")
            continue
        if vector is not None and vector.shape != (size,) and not (word == "w" and vector.size == size == 0):
            faults.append(f"{word} has shape {vector.shape}, wanted ({size},)")
        found[word] = vector
    if faults:
        raise FormulationError(f"the answer does not fit program {program.name!r}: {'; '.join(faults)}")
    broken = [word for word in ("y", "z", "w") if _not_finite(found[word])]
    found |= dict.fromkeys(broken)
    ray = getattr(solution, "ray", None)
    vector = None if ray is None else np.asarray(ray, dtype=float)
    return _Answer(**found, ray=vector, bound=solution.bound, broken=" and ".join(broken))


def _not_finite(vector: np.ndarray | None) -> bool:
    return vector is not None and not np.isfinite(vector).all()


def _point(program: Program, solution: _Answer, tolerance: float) -> Certificate:
    """Certificate of a point, with or without multipliers."""
    x = np.asarray(solution.x)
    found = Certificate(
        "feasibility",
        True,
        tolerance,
        primal_violation=residuals.row_violation(program, x),
        bound_violation=residuals.bound_violation(program, x),
        integrality_violation=residuals.integrality_violation(program, x),
        cone_violation=residuals.cone_violation(program, x),
        primal_objective=program.objective(x),
    )
    reasons = [
        f"{what} violated by {value:.2e}"
        for what, value in (
            ("a row is", found.primal_violation),
            ("a bound is", found.bound_violation),
            ("integrality is", found.integrality_violation),
            ("a cone is", found.cone_violation),
        )
        if not value <= tolerance
    ]
    if "integer" in program.needs:
        return replace(found, ok=not reasons, reasons=(*reasons, *_claimed(program, solution, found)))
    if solution.y is None or (solution.w is None and program.cones):
        return replace(
            found,
            ok=not reasons,
            reasons=(*reasons, "no multipliers came with the point: optimality is not proved"),
        )
    return _multipliers(program, solution, found, reasons)


def _claimed(program: Program, solution: _Answer, found: Certificate) -> list[str]:
    """Say what an integer program leaves to the solver's word."""
    if solution.bound is None:
        return ["integer program: the point is checked, its optimality is not"]
    return [f"integer program: the bound {solution.bound:.12g} is the solver's word"]


def _multipliers(program: Program, solution: _Answer, found: Certificate, reasons: list[str]) -> Certificate:
    """Add everything that multipliers prove."""
    sign = program.sign
    x, y = np.asarray(solution.x), sign * np.asarray(solution.y)
    w = np.empty(0) if solution.w is None else sign * np.asarray(solution.w)
    gradient = program.gradient(x)
    unit = cost_unit(program)
    scale = max(unit, float(np.abs(gradient).max(initial=0.0)))
    reduced = residuals.reduced_costs(program, gradient, y, w)
    z = reduced if solution.z is None else sign * np.asarray(solution.z)
    dual = residuals.dual_objective(program, x, y, reduced, w, found.tolerance * scale)
    size = max(unit, abs(found.primal_objective))
    checks = {
        "stationarity": float(np.abs(reduced - z).max(initial=0.0)) / scale,
        "sign_violation": residuals.sign_violation(program, y, z, w) / scale,
        "complementarity": residuals.complementarity(program, x, y, z, w) / size,
        "gap": abs(sign * found.primal_objective - dual) / size,
    }
    reasons = [
        *reasons,
        *(f"{word} {value:.2e}" for word, value in checks.items() if not value <= found.tolerance),
    ]
    return replace(
        found,
        kind="optimality",
        ok=not reasons,
        dual_objective=sign * dual + 0.0,
        reasons=tuple(reasons),
        stationarity=checks["stationarity"],
        sign_violation=checks["sign_violation"],
        complementarity=checks["complementarity"],
        gap=checks["gap"],
    )


def cost_unit(program: Program) -> float:
    """1, or the largest cost or quadratic coefficient where all are below 1."""
    P = program.P
    largest = max(float(np.abs(program.c).max(initial=0.0)), 0.0 if P is None else float(np.abs(P).max()))
    return min(1.0, largest) or 1.0


def _exactly(program: Program, solution: _Answer, found: Certificate) -> Certificate:
    """Replace objective, bound and gap by exact ones."""
    from monoopt.program import exact

    if program.P is not None or program.cones:
        raise FormulationError("exact certificates are for linear programs; this one has quadratic or conic parts")
    point = exact.feasible_point(program, np.asarray(solution.x))
    if point is None:
        why = "no exactly feasible point at the answer (neither as it stands nor rounded to whole numbers)"
        return replace(found, ok=False, exact=True, reasons=(*found.reasons, why))
    primal = exact.objective(program, point)
    if solution.y is None or "integer" in program.needs:
        return replace(found, exact=True, exact_primal=primal, primal_objective=float(primal))
    dual = exact.bound(program, solution.y, enough=primal)
    if dual is None:
        return replace(
            found,
            ok=False,
            exact=True,
            exact_primal=primal,
            reasons=(*found.reasons, "no exact bound from y"),
        )
    gap = float(abs(primal - dual)) / max(1.0, abs(float(primal)))
    return replace(
        found,
        ok=found.ok and gap <= found.tolerance,
        exact=True,
        exact_primal=primal,
        exact_dual=dual,
        primal_objective=float(primal),
        dual_objective=float(dual),
        gap=gap,
    )


def _farkas(program: Program, ray: np.ndarray | None, tolerance: float) -> Certificate:
    """Check that the ray combines the rows into one that no point in the box satisfies."""
    if ray is None:
        return Certificate("infeasibility", False, tolerance, reasons=("no ray came with the answer",))
    margin = max(residuals.farkas_margin(program, ray), residuals.farkas_margin(program, -ray))
    ok = margin > tolerance
    reasons = () if ok else (f"the ray proves nothing: margin {margin:.2e}",)
    return Certificate("infeasibility", ok, tolerance, gap=margin, reasons=reasons)


def _direction(program: Program, ray: np.ndarray | None, tolerance: float) -> Certificate:
    """Check that the objective improves for ever along the direction."""
    if ray is None:
        return Certificate("unboundedness", False, tolerance, reasons=("no direction came with the answer",))
    violation, slope = residuals.direction(program, ray)
    reasons = []
    if violation > tolerance:
        reasons.append(f"the direction leaves the rows or bounds by {violation:.2e}")
    if slope >= -tolerance:
        reasons.append(f"the objective does not improve along it (slope {slope:.2e})")
    return Certificate("unboundedness", not reasons, tolerance, primal_violation=violation, reasons=tuple(reasons))
