"""The residuals behind a certificate, each a plain function of program and vectors (kept sense)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from monoopt.program.program import Cone, Program


def row_violation(program: Program, x: np.ndarray) -> float:
    """Largest violation of row_lower <= A x <= row_upper, divided by max(1, |side|)."""
    return _box_violation(program.A @ x, program.row_lower, program.row_upper)


def bound_violation(program: Program, x: np.ndarray) -> float:
    """Largest violation of lower <= x <= upper, divided by max(1, |side|)."""
    return _box_violation(x, program.lower, program.upper)


def integrality_violation(program: Program, x: np.ndarray) -> float:
    """Largest distance of an integer column to a whole number."""
    whole = x[program.integer]
    return _largest(np.abs(whole - np.round(whole)))


def cone_violation(program: Program, x: np.ndarray) -> float:
    """Largest distance of a cone entry to its cone, divided by max(1, size of the entry)."""
    worst = 0.0
    for cone in program.cones:
        s = cone.G @ x + cone.h
        worst = max(worst, _cone_distance(cone, s) / max(1.0, _largest(np.abs(s))))
    return worst


def reduced_costs(program: Program, gradient: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Px + c - A'y - G'w: the column multipliers that make y and w stationary."""
    reduced = gradient - program.A.T @ y
    for cone in program.cones:
        reduced = reduced - cone.G.T @ w[cone.block.slice]
    return reduced


def dual_objective(program: Program, x: np.ndarray, y: np.ndarray, z: np.ndarray, w: np.ndarray, slack: float) -> float:
    """Lower bound on the kept objective from y, w and the recomputed z.

    -1/2 x'Px + sum of multipliers times the side they point at - w'h + offset. A multiplier of size up to
    `slack` that points at a missing side counts as zero; a larger one makes the bound minus infinity.
    """
    value = program.offset + _side_value(y, program.row_lower, program.row_upper, slack)
    value += _side_value(z, program.lower, program.upper, slack)
    for cone in program.cones:
        value -= float(w[cone.block.slice] @ cone.h)
    return value if program.P is None else value - 0.5 * float(x @ (program.P @ x))


def sign_violation(program: Program, y: np.ndarray, z: np.ndarray, w: np.ndarray) -> float:
    """Largest multiplier that points at an infinite side, or distance of w to the dual cone."""
    worst = max(_missing_side(y, program.row_lower, program.row_upper), _missing_side(z, program.lower, program.upper))
    return max([worst, *(_dual_cone_distance(cone, w[cone.block.slice]) for cone in program.cones)])


def complementarity(program: Program, x: np.ndarray, y: np.ndarray, z: np.ndarray, w: np.ndarray) -> float:
    """Largest product of a multiplier and the slack of the side it points at."""
    worst = max(
        _slackness(y, program.A @ x, program.row_lower, program.row_upper),
        _slackness(z, x, program.lower, program.upper),
    )
    return max([worst, *(abs(float(w[cone.block.slice] @ (cone.G @ x + cone.h))) for cone in program.cones)])


def farkas_margin(program: Program, y: np.ndarray) -> float:
    """How far y'Ax must be above its largest value in the box: positive proves infeasibility."""
    size = _largest(np.abs(y))
    if y.shape != program.row_lower.shape or not np.isfinite(size) or size == 0:
        return -np.inf
    y = np.where(np.abs(y) / size < 1e-12, 0.0, y / size)
    needed = _side_value(y, program.row_lower, program.row_upper, 1e-9)
    v = program.A.T @ y
    v = np.where(np.abs(v) < 1e-11, 0.0, v)
    reached = -_side_value(-v, program.lower, program.upper, 1e-9)
    return needed - reached if np.isfinite(needed) and np.isfinite(reached) else -np.inf


def direction(program: Program, d: np.ndarray) -> tuple[float, float]:
    """Violation of the recession cone by d / max|d|, and the slope of the objective along it."""
    size = _largest(np.abs(d))
    if d.shape != program.c.shape or not np.isfinite(size) or size == 0:
        return np.inf, 0.0
    d = d / size
    worst = max(
        _recession(program.A @ d, program.row_lower, program.row_upper),
        _recession(d, program.lower, program.upper),
    )
    if program.P is not None:
        worst = max(worst, _largest(np.abs(program.P @ d)))
    worst = max([worst, *(_cone_distance(cone, cone.G @ d) for cone in program.cones)])
    return worst, float(program.c @ d) / max(1.0, _largest(np.abs(program.c)))


def _largest(values: np.ndarray) -> float:
    """Largest entry, 0 for none, NaN if any is NaN."""
    return float(np.max(values, initial=0.0))


def _box_violation(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    if not np.isfinite(values).all():
        return np.inf
    over = np.maximum(low - values, 0.0) / np.maximum(1.0, np.abs(low, where=np.isfinite(low), out=np.ones_like(low)))
    under = np.maximum(values - high, 0.0) / np.maximum(
        1.0, np.abs(high, where=np.isfinite(high), out=np.ones_like(high))
    )
    return max(_largest(over), _largest(under))


def _side_value(multipliers: np.ndarray, low: np.ndarray, high: np.ndarray, slack: float) -> float:
    """Sum of multiplier times the side it points at; minus infinity if that side is missing."""
    side = np.where(multipliers > 0, low, high)
    missing = ~np.isfinite(side)
    if (np.abs(multipliers[missing]) > slack).any():
        return -np.inf
    return float(multipliers[~missing] @ side[~missing])


def _missing_side(multipliers: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    side = np.where(multipliers > 0, low, high)
    return _largest(np.abs(multipliers[~np.isfinite(side)]))


def _slackness(multipliers: np.ndarray, values: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    side = np.where(multipliers > 0, low, high)
    there = np.isfinite(side)
    return _largest(np.abs(multipliers[there] * (values[there] - side[there])))


def _recession(change: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    down = np.where(np.isfinite(low), np.maximum(-change, 0.0), 0.0)
    up = np.where(np.isfinite(high), np.maximum(change, 0.0), 0.0)
    return max(_largest(down), _largest(up))


def _cone_distance(cone: Cone, s: np.ndarray) -> float:
    """How far s is outside its cone, as the violation of the cone's inequality."""
    if cone.kind == "second_order":
        return max(0.0, float(np.linalg.norm(s[1:]) - s[0]))
    a, b, c = s.reshape(-1, 3).T
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        inside = np.where(b > 0, b * np.exp(np.minimum(a / np.where(b > 0, b, 1.0), 700.0)) - c, np.inf)
    closure = np.maximum.reduce(
        [np.maximum(a, 0.0), np.abs(np.minimum(b, 0.0)) + np.maximum(b, 0.0), np.maximum(-c, 0.0)]
    )
    return _largest(np.maximum(np.minimum(inside, closure), 0.0))


def _dual_cone_distance(cone: Cone, w: np.ndarray) -> float:
    """How far w is outside the dual cone.

    The dual of the exponential cone is the closure of u < 0, -u exp(v/u) <= e t for w = (u, v, t).
    """
    if cone.kind == "second_order":
        return max(0.0, float(np.linalg.norm(w[1:]) - w[0]))
    u, v, t = w.reshape(-1, 3).T
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratio = np.minimum(v / np.where(u < 0, u, -1.0) - 1.0, 700.0)
        inside = np.where(u < 0, -u * np.exp(ratio) - t, np.inf)
    closure = np.maximum.reduce([np.abs(u), np.maximum(-v, 0.0), np.maximum(-t, 0.0)])
    return _largest(np.maximum(np.minimum(inside, closure), 0.0))
