"""Bezier curves as ranking skeletons: basis, exact projection, strict monotonicity, shape.

A curve of degree k in d attributes is f(s) = sum_r B_r^k(s) p_r for s in [0, 1], with the Bernstein basis
B_r^k(s) = binom(k, r) s^r (1 - s)^(k - r). Control points are the rows of an array of shape (k + 1, d).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

STRAIGHT = 0.02  # a curve whose attribute stays this near the straight line (share of its range) is linear


def bernstein(scores: npt.ArrayLike, degree: int) -> Array:
    """Return the Bernstein basis at the given parameters.

    Parameters
    ----------
    scores : array-like, shape (n,)
        Parameters in [0, 1].
    degree : int
        k, at least 0.

    Returns
    -------
    ndarray, shape (n, k + 1)
        Rows are not negative and sum to one.

    Examples
    --------
    >>> bernstein([0.0, 0.5, 1.0], 2)
    array([[1.  , 0.  , 0.  ],
           [0.25, 0.5 , 0.25],
           [0.  , 0.  , 1.  ]])
    """
    s = np.asarray(scores, dtype=np.float64).reshape(-1, 1)
    r = np.arange(degree + 1)
    return np.array([comb(degree, int(i)) for i in r]) * s**r * (1.0 - s) ** (degree - r)


def curve_points(control_points: Array, scores: npt.ArrayLike) -> Array:
    """Return f(s) for each score, shape (n, d).

    Examples
    --------
    >>> curve_points(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), [0.5])
    array([[0.75, 0.25]])
    """
    return bernstein(scores, len(control_points) - 1) @ control_points


def curve_slopes(control_points: Array, scores: npt.ArrayLike) -> Array:
    """Return f'(s) for each score, shape (n, d): k sum_r B_r^(k-1)(s) (p_(r+1) - p_r)."""
    degree = len(control_points) - 1
    return degree * bernstein(scores, degree - 1) @ np.diff(control_points, axis=0)


def project(X: Array, control_points: Array, weights: npt.ArrayLike | None = None) -> tuple[Array, Array]:
    """Project objects on the curve: for each the largest global minimiser of the distance.

    minimise over s in [0, 1]  sum_j w_j (x_j - f_j(s))^2, the sum over the coordinates that are known

    Half the derivative is a polynomial of degree 2k - 1 (a quintic for a cubic curve). All its real roots in
    [0, 1] are isolated by the sign changes of its Bernstein coefficients, and compared with both ends. Each
    object is computed by itself: its score does not depend on the others in the batch.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        NaN marks a coordinate that is not known; it is left out of the distance.
    control_points : ndarray, shape (k + 1, d)
    weights : array-like, shape (d,), optional
        Attribute weights w, ones by default.

    Returns
    -------
    scores : ndarray, shape (n,)
        Distances that differ by less than a share of 1e-12 count as ties; the largest parameter wins (A-2).
    distances : ndarray, shape (n,)
        Squared weighted distances.

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> project(np.array([[0.8, 0.3], [np.nan, 0.3], [2.0, 2.0]]), line)[0]
    array([0.55, 0.3 , 1.  ])
    """
    from monoopt.order import _bezier_kernels as kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    P = np.ascontiguousarray(control_points, dtype=np.float64)
    w = np.ones(X.shape[1]) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    scores, distances = np.empty(len(X)), np.empty(len(X))
    kernels.project(X, w, P, *projection_tables(len(P) - 1), scores, distances)
    return scores, distances


@lru_cache(maxsize=16)
def projection_tables(k: int) -> tuple[Array, Any]:
    """Return what the compiled projection on a curve of degree k needs: constants of the Bernstein basis.

    The weight of coefficient i of degree k times r of degree k - 1 in coefficient i + r of the product, and the
    binomials of degree 2k - 1.
    """
    m = 2 * k - 1
    share = [[comb(k, i) * comb(k - 1, r) / comb(m, i + r) for r in range(k)] for i in range(k + 1)]
    binomials: Any = np.array([float(comb(m, r)) for r in range(m + 1)])
    if m == 5:  # a tuple makes the degree known to the compiler: the cubic is twice as fast
        binomials = tuple(binomials.tolist())
    return np.array(share), binomials


@dataclass(frozen=True)
class DesignSums:
    """All that a control-point program needs of the objects: sums over them at given scores.

    J = sum_j w_j (square_j - 2 data_j . p_j + p_j' gram_j p_j) with p_j the control points of attribute j.

    Attributes
    ----------
    gram : ndarray, shape (d, k + 1, k + 1)
        sum_i v_i B(s_i) B(s_i)', over the objects whose x_ij is known.
    data : ndarray, shape (d, k + 1)
        sum_i v_i x_ij B(s_i).
    square : ndarray, shape (d,)
        sum_i v_i x_ij^2.
    """

    gram: Array
    data: Array
    square: Array


def design_sums(X: Array, object_weights: Array, scores: Array, degree: int) -> DesignSums:
    """Sum basis products over the objects; NaN in X is left out.

    Examples
    --------
    >>> design_sums(np.array([[0.0], [0.5], [1.0]]), np.ones(3), np.array([0.0, 0.5, 1.0]), 1).data
    array([[0.25, 1.25]])
    """
    from monoopt.order import _bezier_kernels as kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    gram, data = kernels.design_sums(X, object_weights, scores, degree)
    return DesignSums(gram, data, object_weights @ np.nan_to_num(X) ** 2)


@dataclass(frozen=True)
class MonotonicityCertificate:
    """Proof, from the control points alone, that every attribute strictly improves along the curve.

    Attributes
    ----------
    least_slope : ndarray, shape (d,)
        A lower bound on direction_j f_j'(s) over [0, 1] (exact up to degree 3). All positive: the curve is
        strictly monotone, and then so is the projection score between any two objects within the range.
    """

    least_slope: Array

    @property
    def ok(self) -> bool:
        """Whether the curve is proved strictly monotone."""
        return bool(np.all(self.least_slope > 0))

    def __str__(self) -> str:
        """One sentence."""
        word = "strictly monotone" if self.ok else "NOT proved monotone"
        return f"{word}: least slope {self.least_slope.min():.3g} over {len(self.least_slope)} attributes"


def certify_monotone(control_points: Array, directions: npt.ArrayLike) -> MonotonicityCertificate:
    """Bound the slope of every attribute from below, in the sense of its direction.

    The derivative has Bernstein coefficients k (p_(r+1) - p_r). Up to degree 3 its least value is found
    exactly (Proposition 1 of the paper is the special case of interior control points); above, the least
    coefficient is a bound, since a polynomial stays within its coefficients.

    Examples
    --------
    >>> certify_monotone(np.array([[0.0, 1.0], [0.9, 0.5], [0.1, 0.5], [1.0, 0.0]]), [1, -1]).least_slope
    array([0.15, 0.75])
    """
    P = np.asarray(control_points, dtype=np.float64)
    degree = len(P) - 1
    steps = degree * np.diff(P, axis=0) * np.asarray(directions, dtype=np.float64)
    if degree != 3:
        return MonotonicityCertificate(steps.min(axis=0))
    a, b, c = steps  # derivative: a (1-s)^2 + 2 b s (1-s) + c s^2
    bend = a - 2 * b + c
    inside = (bend > 0) & (a > b) & (c > b)
    with np.errstate(divide="ignore", invalid="ignore"):
        valley = (a * c - b * b) / bend
    return MonotonicityCertificate(np.where(inside, valley, np.minimum(a, c)))


def attribute_shapes(control_points: Array, directions: npt.ArrayLike) -> list[str]:
    """Name the shape of each attribute along the score, in the sense of improvement.

    linear, convex (slow start, fast end), concave (fast start, slow end), S (slow, fast, slow),
    inverted S (fast, slow, fast), or mixed (degrees above 3). What stays within 2 % of the attribute's range of a
    straight line counts as straight: the whole, or a piece of it.

    Examples
    --------
    >>> P = np.array([[0.0, 0.0, 1.0], [0.1, 1 / 3, 0.0], [0.2, 2 / 3, 0.0], [1.0, 1.0, 0.0]])
    >>> attribute_shapes(P, [1, 1, -1])
    ['convex', 'linear', 'concave']
    """
    P = np.asarray(control_points, dtype=np.float64) * np.asarray(directions, dtype=np.float64)
    return [_shape(column) for column in P.T]


def _shape(p: Array) -> str:
    slack = STRAIGHT * abs(p[-1] - p[0])
    values = curve_points(p[:, None], np.linspace(0.0, 1.0, 101))[:, 0]
    if _departure(values) <= slack:
        return "linear"
    pieces = [(_departure(values[i : k + 1]), sign) for i, k, sign in _bent_pieces(values)]
    least = min(slack, max(pieces)[0])  # the piece that bends most counts in any case
    turns: list[float] = []
    for departure, sign in pieces:
        if departure >= least and turns[-1:] != [sign]:
            turns.append(sign)
    words = {(1.0,): "convex", (-1.0,): "concave", (1.0, -1.0): "S", (-1.0, 1.0): "inverted S"}
    return words.get(tuple(turns), "mixed")


def _departure(values: Array) -> float:
    """Largest distance from the straight line between the ends."""
    return float(np.abs(values - np.linspace(values[0], values[-1], len(values))).max())


def _bent_pieces(values: Array) -> list[tuple[int, int, float]]:
    """Cut a curve on an even grid where its bend changes sign: first and last point of each piece, and the sign."""
    signs = np.sign(np.diff(values, 2))
    starts = [0, *(np.flatnonzero(np.diff(signs)) + 1).tolist()]  # signs[t] is the bend at point t + 1
    ends = [0, *(start + 1 for start in starts[1:]), len(values) - 1]
    return [(i, k, float(signs[start])) for start, (i, k) in zip(starts, pairwise(ends), strict=True)]
