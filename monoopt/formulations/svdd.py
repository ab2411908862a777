"""SVDD: the smallest ball in feature space that holds the objects, as its dual quadratic program.

minimise    sum_ij beta_i beta_j K_ij - sum_i beta_i K_ii
subject to  sum_i beta_i = 1,   0 <= beta_i <= C w_i

Its own dual is the primal: minimise R^2 + C sum_i w_i xi_i subject to ||phi(x_i) - a||^2 <= R^2 + xi_i, xi >= 0,
with centre a = sum_i beta_i phi(x_i). Objects with beta = 0 are inside, with 0 < beta < C w on the sphere,
with beta = C w on it or outside. (Tax and Duin 2004; equations (1) and (2) of "Integrating the supervised
information into unsupervised learning".)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from monoopt.errors import DataError, FormulationError, OptionError
from monoopt.order.definiteness import check_square, repair
from monoopt.order.parameters import is_number
from monoopt.program import Program, ProgramBuilder, Solution

TOLERANCE = 1e-6  # of the squared radius: how near an object must be to count as on the sphere
ROUNDING = 1e-9
MOST = 1e100  # of C: from 1 on it bounds nothing where every object weighs 1


@dataclass(frozen=True, eq=False)
class Ball:
    """The ball: its centre as multipliers, its radius, and on which side the objects are.

    Attributes
    ----------
    beta : ndarray, shape (n,)
        Centre a = sum of beta_i phi(x_i).
    squared_radius : float
        R^2: the largest among the optimal radii (there is an interval of them when no object has 0 < beta < C w).
    squared_distances : ndarray, shape (n,)
        ||phi(x_i) - a||^2 of the objects.
    centre_norm : float
        beta' K beta.
    largest_norm : float
        Largest K_ii.
    support, boundary, outside : ndarray of int
        Objects on the sphere or outside; on it; outside. By distance, with a tolerance relative to R^2, so that
        the sets do not depend on which of several equal multipliers a solver picked.
    """

    beta: np.ndarray
    squared_radius: float
    squared_distances: np.ndarray
    centre_norm: float
    largest_norm: float
    support: np.ndarray
    boundary: np.ndarray
    outside: np.ndarray


def penalty(C: float | None, nu: float | None, total_weight: float) -> float:
    """Return C, or C = 1 / (nu * total weight); refuse what is below the bound 1 / (total weight).

    Examples
    --------
    >>> penalty(None, 0.5, 4)
    0.5
    >>> penalty(0.2, None, 4)
    Traceback (most recent call last):
    ...
    monoopt.errors.DataError: C = 0.2 is too small: the multipliers add up to 1, so C >= 0.25 = 1 / N is needed (N = 4)
    """
    if C is None:
        if not is_number(nu) or not 0 < nu <= 1:
            raise OptionError(f"nu is {nu!r}; wanted a fraction of outliers, 0 < nu <= 1 (or C)")
        return min(1.0 / (nu * total_weight), MOST)
    if not is_number(C) or not 0 < float(C) <= MOST:
        raise OptionError(f"C is {C!r}; wanted a positive number, {MOST:g} at most (1 or more: no object outside)")
    if C * total_weight < 1 - ROUNDING:
        few = "g" if f"{C:g}" != f"{1 / total_weight:g}" else ".12g"  # digits that show the difference
        raise DataError(
            f"C = {C:{few}} is too small: the multipliers add up to 1, so C >= {1 / total_weight:{few}} = 1 / N is "
            f"needed (N = {total_weight:g})"
        )
    return max(float(C), 1.0 / total_weight)  # the bound itself, if rounding put C below it


def build(K: ArrayLike, *, C: float, sample_weight: ArrayLike | None = None, index: object = None) -> Program:
    """Build the dual program.

    minimise beta' K beta - diag(K)' beta  subject to  sum beta = 1 (row ``total``), 0 <= beta <= C w.

    Parameters
    ----------
    K : array-like, shape (n, n)
        Kernel matrix, symmetric positive semidefinite (singular is fine).
    C : float
        Upper bound of a multiplier, at least 1 / (sum of weights).
    sample_weight : array-like, shape (n,), optional
        Positive; weight k is k copies. Default 1.
    index : array-like, optional
        Labels of the objects.

    Returns
    -------
    Program
        Columns ``beta``, row ``total``.

    Raises
    ------
    DataError
        K not square, finite, symmetric or positive semidefinite (the message holds the least eigenvalue), or
        C below its bound.

    Examples
    --------
    >>> program = build([[0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 4.0]], C=1)
    >>> program.shape, program.needs == {"linear", "quadratic"}
    ((1, 3), True)
    """
    matrix = np.asarray(K, dtype=float)
    check_square(matrix)
    n = len(matrix)
    weight = _weights(sample_weight, n)
    bound = penalty(C, None, float(weight.sum()))
    builder = ProgramBuilder("svdd")
    builder.add_columns(
        "beta",
        n,
        lower=0.0,
        upper=bound * weight,
        cost=-np.diag(matrix),
        index=index,
        tex=r"\beta_i",
        over="i in objects",
    )
    builder.add_quadratic("beta", matrix + matrix.T)
    builder.add_rows("total", {"beta": np.ones((1, n))}, lower=1.0, upper=1.0, tex=r"\sum_i \beta_i")
    try:
        return builder.build()
    except FormulationError:
        repair(matrix, "raise")  # says it in words of kernels, with the least eigenvalue
        raise


def read(program: Program, solution: Solution) -> Ball:
    """Return the ball of a solution.

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> x = np.array([0.0, 0.0, 2.0])
    >>> program = build(np.outer(x, x), C=1)
    >>> ball = read(program, solve(program))
    >>> round(ball.squared_radius, 6), round(float(ball.beta @ x), 6)
    (1.0, 1.0)
    """
    beta = np.clip(solution.values("beta"), program.lower, program.upper)
    beta = beta / beta.sum()
    products = 0.5 * (program.P @ beta)
    return ball(beta, products, -program.c, program.upper)


def ball(beta: np.ndarray, products: np.ndarray, diagonal: np.ndarray, upper: np.ndarray) -> Ball:
    """Return the ball around the centre that beta describes.

    Parameters
    ----------
    beta : ndarray, shape (n,)
        Multipliers, adding up to 1.
    products : ndarray, shape (n,)
        K beta.
    diagonal, upper : ndarray, shape (n,)
        K_ii and C w_i.
    """
    norm = float(beta @ products)
    squared = np.maximum(diagonal - 2.0 * products + norm, 0.0)
    radius = optimal_squared_radius(squared, upper)
    largest = float(diagonal.max(initial=0.0))
    slack = sphere_slack(radius, largest)
    support = squared >= radius - slack
    outside = squared > radius + slack
    boundary = support & ~outside
    return Ball(beta, radius, squared, norm, largest, *(np.flatnonzero(s) for s in (support, boundary, outside)))


def sphere_slack(squared_radius: float, largest_norm: float) -> float:
    """How far from R^2 a squared distance may be to count as on the sphere."""
    return TOLERANCE * squared_radius + 1e-12 * largest_norm


def optimal_squared_radius(squared_distances: np.ndarray, upper: np.ndarray) -> float:
    """Largest R^2 that minimises R^2 + sum_i upper_i max(0, d_i^2 - R^2): a weighted quantile of the distances.

    Examples
    --------
    >>> optimal_squared_radius(np.array([1.0, 4.0, 9.0]), np.full(3, 0.5))
    4.0
    >>> optimal_squared_radius(np.array([1.0, 4.0, 9.0]), np.ones(3))
    9.0
    """
    order = np.argsort(-squared_distances, kind="stable")
    mass = np.cumsum(upper[order])
    first = int(np.searchsorted(mass, 1.0 - ROUNDING))
    return float(squared_distances[order[min(first, len(order) - 1)]])


def _weights(sample_weight: ArrayLike | None, n: int) -> np.ndarray:
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=float)
    if weight.shape != (n,) or not np.isfinite(weight).all() or (weight <= 0).any():
        raise DataError(f"sample_weight: wanted {n} positive finite numbers (leave out objects of weight 0)")
    return weight
