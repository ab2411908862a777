"""LPBoost's master program: weights of the rules at hand that make the smallest margin largest.

maximise    rho - D sum_i w_i xi_i
subject to  y_i sum_t a_t r_t(x_i) + xi_i - rho >= 0  (margin),   sum_t a_t = 1  (convexity),   a, xi >= 0

With D w_i >= 1 for every object (or no D at all) a slack never pays: the margin is hard and xi is left out. The dual is

minimise    beta   subject to   sum_i u_i y_i r_t(x_i) <= beta for every rule t,   sum_i u_i = 1,   0 <= u_i <= D w_i

so any u with sum 1 within its bounds proves that no ensemble does better than the largest edge
sum_i u_i y_i r(x_i) among ALL rules r, which the pricing program (`monoopt.formulations.rule_pricing`) computes.
(Demiriz, Bennett and Shawe-Taylor, Machine Learning 46 (2002); section 5 of Kotlowski and Slowinski, ICML 2009.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import DataError, OptionError, refuse
from monoopt.program import Program, ProgramBuilder, Solution

Floats: TypeAlias = npt.NDArray[np.float64]
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class MasterAnswer:
    """What a solution of the master program says.

    Attributes
    ----------
    rho : float
        The margin that is reached (hard margin: the smallest of `margins`).
    weights : ndarray, shape (T,)
        a: not negative, sum 1.
    margins : ndarray, shape (n,)
        y_i f(x_i).
    object_duals : ndarray, shape (n,)
        u: how much each object counts for the next rule; within [0, D w], sum 1.
    beta : float
        Largest edge among the rules at hand.
    """

    rho: float
    weights: Floats
    margins: Floats
    object_duals: Floats
    beta: float


def penalty(D: float | None, weights: npt.ArrayLike) -> float | None:
    """Return D, or None where the margin is hard; refuse a D for which the program has no bound.

    Parameters
    ----------
    D : float or None
        Penalty per unit of weight.
    weights : array-like, shape (n,)
        Positive weights of the objects.

    Examples
    --------
    >>> penalty(0.4, [1, 1, 1]), penalty(1.0, [1, 1, 1]), penalty(None, [1, 1, 1])
    (0.4, None, None)
    >>> penalty(0.3, [1, 1, 1])
    Traceback (most recent call last):
    ...
    monoopt.errors.DataError: D = 0.3 is too small: wanted D >= 0.333333 = 1 / n (n = 3)
    """
    if D is None:
        return None
    w = np.asarray(weights, dtype=float)
    if isinstance(D, bool) or not isinstance(D, int | float | np.number) or not np.isfinite(D) or D <= 0:
        raise OptionError(f"D={D!r}: wanted a positive number, or None for a hard margin")
    D, total, lightest = float(D), float(w.sum()), float(w.min())  # Python's floats overflow to infinity in silence
    if D * total < 1 - ROUNDING:
        few = "g" if f"{D:g}" != f"{1 / total:g}" else ".12g"  # digits that show the difference
        raise DataError(f"D = {D:{few}} is too small: wanted D >= {1 / total:{few}} = 1 / n (n = {total:g})")
    return None if D * lightest >= 1 else D


def build(
    signs: npt.ArrayLike,
    answers: Any,
    D: float | None = None,
    weights: npt.ArrayLike | None = None,
    objects: npt.ArrayLike | None = None,
) -> Program:
    """Build the master program for the rules at hand.

    maximise rho - D sum w xi  subject to  y_i sum_t a_t r_t(x_i) + xi_i - rho >= 0,  sum a = 1,  a, xi >= 0.

    Parameters
    ----------
    signs : array-like, shape (n,)
        y: +1 or -1.
    answers : matrix, dense or sparse, shape (n, T)
        r_t(x_i): +1, -1 or 0. At least one rule.
    D : float, optional
        Penalty per unit of weight, at least 1 / sum(weights); None: hard margin.
    weights : array-like, shape (n,), optional
        Positive; weight k is k copies. 1 by default.
    objects : array-like, shape (n,), optional
        Names of the objects; positions by default.

    Returns
    -------
    Program
        Columns ``rho``, ``xi(i)`` (soft margin only), ``a(t)`` last, so that rules can be added; rows ``margin(i)`` and
        ``convexity``.

    Raises
    ------
    DataError
        Signs, answers or weights that can't be used, or D below its bound.

    Examples
    --------
    >>> program = build([-1, 1, 1], [[-1, 0], [0, 1], [0, 1]])
    >>> program.column_names(), program.row_names()
    (['rho', 'a(0)', 'a(1)'], ['margin(0)', 'margin(1)', 'margin(2)', 'convexity'])
    """
    y = np.asarray(signs, dtype=float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    R = sparse.csr_array(answers, dtype=float)
    refuse(_faults(y, w, R), "lpboost master")
    soft = penalty(D, w)
    n, T = R.shape
    names = np.arange(n) if objects is None else np.asarray(objects)
    builder = ProgramBuilder("lpboost_master", sense="maximize")
    builder.add_columns("rho", cost=1.0, tex=r"\rho")
    terms: dict[str, Any] = {"rho": -np.ones((n, 1)), "a": sparse.diags_array(y) @ R}
    tex = r"y_i \sum_t r_t(x_i) a_t - \rho"
    if soft is not None:
        cost = -soft * w
        builder.add_columns("xi", n, lower=0, cost=cost, index=names, tex=r"\xi_i", over="i in objects")
        terms["xi"] = sparse.eye_array(n)
        tex = r"y_i \sum_t r_t(x_i) a_t + \xi_i - \rho"
    builder.add_columns("a", T, lower=0, tex="a_t", over="t in rules")
    builder.add_rows("margin", terms, lower=0, index=names, tex=tex, over="i in objects")
    builder.add_rows("convexity", {"a": np.ones((1, T))}, lower=1, upper=1, tex=r"\sum_t a_t")
    builder.require("duals")
    return builder.build()


def coefficients(signs: npt.ArrayLike, answers: Any) -> sparse.csr_array:
    """Return the entries of new rules in all rows of the master program: y_i r_t(x_i), and 1 in ``convexity``.

    Examples
    --------
    >>> coefficients([-1, 1], [[-1], [0]]).toarray().ravel()
    array([1., 0., 1.])
    """
    R = sparse.csr_array(answers, dtype=float)
    return sparse.csr_array(
        sparse.vstack([sparse.diags_array(np.asarray(signs, dtype=float)) @ R, np.ones((1, R.shape[1]))])
    )


def read(program: Program, solution: Solution) -> MasterAnswer:
    """Return margin, weights and multipliers; rounding dust of inexact solvers is swept out.

    Raises
    ------
    NoSolutionError
        There is no point, or it came without multipliers.

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build([-1, 1, 1], [[-1, 0], [0, 1], [0, 1]])
    >>> answer = read(program, solve(program))
    >>> answer.rho, answer.weights, answer.beta
    (0.5, array([0.5, 0.5]), 0.5)
    """
    weights = np.maximum(solution.values("a"), 0.0)
    weights = weights / weights.sum()
    edges = _edges(program)
    margins = edges @ weights
    hard = len(program.columns) == 2
    rho = float(margins.min()) if hard else float(solution.values("rho"))
    solution.dual("margin")  # raises the right error where there are none
    u = object_duals(program, solution.y)
    return MasterAnswer(rho, weights, margins, u, float((edges.T @ u).max()))


def object_duals(program: Program, y: npt.NDArray[np.float64] | None) -> Floats:
    """Return u from the row multipliers of the master program, made to satisfy 0 <= u <= D w and sum u = 1 exactly.

    Whatever y is, this u gives a valid bound: the largest edge among all rules.
    """
    block = program.row_block("margin")
    raw = np.zeros(block.size) if y is None else np.maximum(-y[block.slice], 0.0)
    caps = np.ones(block.size)
    if len(program.columns) == 3:
        caps = program.c[program.block("xi")]  # kept as a minimisation: + D w
    return within(raw, caps)


def within(raw: Floats, caps: Floats) -> Floats:
    """Return u with 0 <= u <= caps and sum 1, as near to `raw` as that allows (caps add up to 1 at least).

    Examples
    --------
    >>> within(np.array([0.5, 0.25, 0.0]), np.array([0.5, 0.5, 0.5]))
    array([0.5       , 0.33333333, 0.16666667])
    """
    u = np.minimum(raw, caps)
    total = float(u.sum())
    room = caps - u
    if total >= 1.0 or not room.any():  # nu = 1: all at their caps, whose sum is 1 but for rounding
        return u / total
    return u + (1.0 - total) * room / room.sum()


def _edges(program: Program) -> sparse.csr_array:
    """y_i r_t(x_i) for all objects and rules."""
    rows, columns = program.row_block("margin").slice, program.block("a")
    return sparse.csr_array(program.A[rows, columns])


def _faults(y: Floats, w: Floats, R: sparse.csr_array) -> list[str]:
    faults = []
    if y.ndim != 1 or not np.isin(y, (-1, 1)).all():
        faults.append("signs: wanted one +1 or -1 per object")
    if R.shape[0] != len(y) or R.shape[1] == 0:
        faults.append(f"answers have shape {R.shape}, wanted {len(y)} objects (rows) and at least one rule (columns)")
    if not np.isin(R.data, (-1, 0, 1)).all():
        faults.append("answers: wanted +1, -1 or 0")
    if w.shape != y.shape or not (np.isfinite(w) & (w > 0)).all():
        faults.append(f"weights: wanted {len(y)} positive finite numbers")
    return faults
