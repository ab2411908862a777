"""Compiled loops over objects for Bezier curves: exact projection, and sums over objects for the fit.

Everything is computed object by object in a fixed order, so that a score does not depend on the batch that
an object comes in, and sums have the same bits on every run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

TIE = 1e-12  # distances that differ by less than this share count as equal
FLAT = 1e-15  # a derivative below this share of its size is rounding noise: all of the interval is critical
NARROWEST = 2.0**-40  # critical points nearer than this count as one


@njit(cache=True, nogil=True, inline="always")
def _bernstein(k: Any, s: Any, out: Any) -> Any:
    """Write B_0^k(s) .. B_k^k(s), by the stable triangular recurrence."""
    out[0] = 1.0
    rest = 1.0 - s
    for degree in range(1, k + 1):
        carry = 0.0
        for r in range(degree):
            value = out[r]
            out[r] = carry + rest * value
            carry = s * value
        out[degree] = carry


@njit(cache=True, nogil=True, inline="always")
def _variations(c: Any, m: Any) -> Any:
    """Count the sign changes among c[0..m], zeros left out."""
    count = 0
    last = 0.0
    for r in range(m + 1):
        if c[r] != 0.0:
            if last * c[r] < 0.0:
                count += 1
            last = c[r]
    return count


@njit(cache=True, nogil=True, inline="always")
def _value_and_slope(c: Any, m: Any, t: Any, work: Any) -> Any:
    """De Casteljau: the polynomial with Bernstein coefficients c at t, and its derivative."""
    for r in range(m + 1):
        work[r] = c[r]
    rest = 1.0 - t
    for level in range(m, 1, -1):
        for r in range(level):
            work[r] = rest * work[r] + t * work[r + 1]
    return rest * work[0] + t * work[1], m * (work[1] - work[0])


@njit(cache=True, nogil=True, inline="always")
def _single_root(c: Any, m: Any, binomials: Any, work: Any) -> Any:
    """Return the only root in (0, 1) of a polynomial whose Bernstein coefficients c change sign once.

    Newton steps on the power form (fast), kept inside a shrinking bracket, then one on the Bernstein form,
    which has no cancellation.
    """
    for r in range(m + 1):
        work[r] = c[r]
    for level in range(1, m + 1):  # forward differences: the power form, up to binomials
        for r in range(m, level - 1, -1):
            work[r] -= work[r - 1]
    for r in range(1, m + 1):
        work[r] *= binomials[r]
    rising = False
    for r in range(m, -1, -1):
        if c[r] != 0.0:
            rising = c[r] < 0.0  # in the end the sign of the first coefficient that is not zero
    lo, hi = 0.0, 1.0
    t = min(max(c[0] / (c[0] - c[m]), 0.05), 0.95) if c[0] * c[m] < 0.0 else 0.5
    for _ in range(60):
        value, slope = work[m], 0.0
        for r in range(m - 1, -1, -1):
            slope = slope * t + value
            value = value * t + work[r]
        if (value < 0.0) == rising:
            lo = t
        else:
            hi = t
        new = 0.5 * (lo + hi)
        if slope != 0.0 and lo < t - value / slope < hi:
            new = t - value / slope
        moved = abs(new - t)
        t = new
        if moved <= 1e-8:
            break
    value, slope = _value_and_slope(c, m, t, work)
    if slope != 0.0:
        t -= value / slope
    return min(max(t, 0.0), 1.0)


@njit(cache=True, nogil=True, inline="always")
def _halve(stack: Any, top: Any, m: Any) -> Any:
    """Split the polynomial on the stack's top at its middle: left half into top, right half into top + 1."""
    right = stack[top + 1]
    left = stack[top]
    for r in range(m + 1):
        right[r] = left[r]
    for level in range(1, m + 1):
        for r in range(m - level + 1):
            right[r] = 0.5 * (right[r] + right[r + 1])
        left[level] = right[0]


@njit(cache=True, nogil=True, inline="always")
def _distance(x: Any, weights: Any, P: Any, k: Any, s: Any, basis: Any) -> Any:
    """Weighted squared distance from one object to the curve at s; missing coordinates are left out."""
    _bernstein(k, s, basis)
    total = 0.0
    for j in range(P.shape[1]):
        if not math.isnan(x[j]):
            value = 0.0
            for r in range(k + 1):
                value += basis[r] * P[r, j]
            gap = x[j] - value
            total += weights[j] * gap * gap
    return total


@njit(cache=True, nogil=True, inline="always")
def _better(s: Any, distance: Any, best_s: Any, best: Any) -> Any:
    """Whether s replaces the best parameter so far: clearly nearer, or as near and larger."""
    if distance < best * (1.0 - TIE):
        return True
    return distance <= best * (1.0 + TIE) and s > best_s


@njit(cache=True, nogil=True, inline="always")
def _nearest(
    x: Any,
    weights: Any,
    P: Any,
    products: Any,
    slopes: Any,
    binomials: Any,
    stack: Any,
    ends: Any,
    work: Any,
    basis: Any,
) -> Any:
    """Largest global minimiser of the distance from x to the curve, and that squared distance.

    Half the derivative of the distance has degree m = 2k - 1; its Bernstein coefficients are
    sum_j w_j (products_j - x_j slopes_j). No sign change among them: no critical point inside. One: exactly
    one. More: halve the interval. So every critical point is found, none twice.
    """
    m = len(binomials) - 1
    scale = 0.0
    for r in range(m + 1):
        stack[0, r] = 0.0
    for j in range(P.shape[1]):
        if not math.isnan(x[j]):
            for r in range(m + 1):
                stack[0, r] += weights[j] * (products[j, r] - x[j] * slopes[j, r])
    for r in range(m + 1):
        scale = max(scale, abs(stack[0, r]))
    best_s, best = 0.0, math.inf
    if stack[0, 0] >= 0.0:
        best = _distance(x, weights, P, m // 2 + 1, 0.0, basis)
    if stack[0, m] <= 0.0:
        distance = _distance(x, weights, P, m // 2 + 1, 1.0, basis)
        if _better(1.0, distance, best_s, best):
            best_s, best = 1.0, distance
    ends[0, 0], ends[0, 1] = 0.0, 1.0
    top = 0
    while top >= 0:
        lo, width = ends[top, 0], ends[top, 1]
        count = _variations(stack[top], m)
        s = -1.0
        if count == 1:
            s = lo + width * _single_root(stack[top], m, binomials, work)
        elif count > 1:
            s = lo + 0.5 * width
            largest = 0.0
            for r in range(m + 1):
                largest = max(largest, abs(stack[top, r]))
            if largest > FLAT * scale and width > NARROWEST:
                _halve(stack, top, m)
                ends[top, 1] = 0.5 * width
                ends[top + 1, 0], ends[top + 1, 1] = s, 0.5 * width
                if stack[top, m] != 0.0:
                    s = -1.0
                top += 2
        if s >= 0.0:
            distance = _distance(x, weights, P, m // 2 + 1, s, basis)
            if _better(s, distance, best_s, best):
                best_s, best = s, min(best, distance)
        top -= 1
    return best_s, best


@njit(cache=True, nogil=True)
def _distance_forms(P: Any, mixing: Any) -> Any:
    """Bernstein coefficients of degree 2k - 1 of f_j f_j' and of f_j', per attribute, shape (d, 2k) each."""
    k, d = P.shape[0] - 1, P.shape[1]
    products, slopes = np.zeros((d, 2 * k)), np.zeros((d, 2 * k))
    for j in range(d):
        for r in range(k):
            step = k * (P[r + 1, j] - P[r, j])
            for i in range(k + 1):
                slopes[j, i + r] += mixing[i, r] * step
                products[j, i + r] += mixing[i, r] * step * P[i, j]
    return products, slopes


@njit(cache=True, nogil=True)
def project(X: Any, weights: Any, P: Any, mixing: Any, binomials: Any, scores: Any, distances: Any) -> Any:
    """Project every row of X on the curve; fill scores and squared distances.

    ``binomials`` of degree m = 2k - 1, as a tuple or an array; a tuple is compiled for its own degree.
    """
    m = len(binomials) - 1
    products, slopes = _distance_forms(P, mixing)
    stack = np.empty((64, m + 1))
    ends = np.empty((64, 2))
    work = np.empty(m + 1)
    basis = np.empty(P.shape[0])
    for i in range(X.shape[0]):
        scores[i], distances[i] = _nearest(X[i], weights, P, products, slopes, binomials, stack, ends, work, basis)


@njit(cache=True, nogil=True)
def design_sums(X: Any, v: Any, scores: Any, k: Any) -> Any:
    """Per attribute the Gram matrix of the Bernstein basis at the scores, and its products with the data.

    G[j] = sum_i v_i B(s_i) B(s_i)', C[j] = sum_i v_i x_ij B(s_i), over the objects whose x_ij is known.
    """
    n, d = X.shape
    G = np.zeros((d, k + 1, k + 1))
    C = np.zeros((d, k + 1))
    basis = np.empty(k + 1)
    for i in range(n):
        _bernstein(k, scores[i], basis)
        for j in range(d):
            if not math.isnan(X[i, j]):
                for r in range(k + 1):
                    part = v[i] * basis[r]
                    C[j, r] += part * X[i, j]
                    for q in range(r + 1):
                        G[j, r, q] += part * basis[q]
    for j in range(d):
        for r in range(k + 1):
            for q in range(r):
                G[j, q, r] = G[j, r, q]
    return G, C


@njit(cache=True, nogil=True, inline="always")
def _add_object(
    x: Any,
    vi: Any,
    weights: Any,
    P: Any,
    s: Any,
    basis: Any,
    lower: Any,
    slope: Any,
    u: Any,
    exact: Any,
    gradient: Any,
    H: Any,
) -> Any:
    """Add one object's share to the gradient and Hessian of half the squared distance; return its share."""
    k = P.shape[0] - 1
    d = P.shape[1]
    size = (k - 1) * d
    _bernstein(k, s, basis)
    _bernstein(k - 1, s, lower)
    for r in range(k + 1):  # derivative of B_r^k
        slope[r] = k * ((lower[r - 1] if r > 0 else 0.0) - (lower[r] if r < k else 0.0))
    total, tangent, bend = 0.0, 0.0, 0.0
    for a in range(size):
        u[a] = 0.0
    if k > 1:
        _bernstein(k - 2, s, lower)
    for j in range(d):
        if math.isnan(x[j]):
            continue
        value, first, second = 0.0, 0.0, 0.0
        for r in range(k + 1):
            value += basis[r] * P[r, j]
            first += slope[r] * P[r, j]
        for r in range(k - 1):
            second += k * (k - 1) * lower[r] * (P[r + 2, j] - 2.0 * P[r + 1, j] + P[r, j])
        gap = x[j] - value
        total += weights[j] * gap * gap
        tangent += weights[j] * first * first
        bend += weights[j] * gap * second
        for r in range(1, k):
            a = (r - 1) * d + j
            gradient[a] -= vi * weights[j] * basis[r] * gap
            u[a] = weights[j] * (basis[r] * first - (slope[r] * gap if exact else 0.0))
            for q in range(1, r + 1):
                H[a, (q - 1) * d + j] += vi * weights[j] * basis[r] * basis[q]
    curvature = tangent - bend if exact else tangent
    if 0.0 < s < 1.0 and curvature > 1e-12 * tangent:
        for a in range(size):
            part = vi * u[a] / curvature
            if part != 0.0:
                for b in range(a + 1):
                    H[a, b] -= part * u[b]
    return vi * total


@njit(cache=True, nogil=True)
def normal_equations(X: Any, v: Any, weights: Any, P: Any, scores: Any, exact: Any) -> Any:
    """Sum of squared distances J, and gradient and Hessian of J / 2 in the free control points.

    Scores move with the control points (they stay projections). ``exact`` gives the true Hessian, otherwise
    the Gauss-Newton one, in which the curve is straight near each projection. Points are laid out
    row by row: p_1 first.
    """
    k, d = P.shape[0] - 1, P.shape[1]
    size = (k - 1) * d
    gradient = np.zeros(size)
    H = np.zeros((size, size))
    basis, lower, slope = np.empty(k + 1), np.empty(k + 1), np.empty(k + 1)
    u = np.empty(size)
    J = 0.0
    for i in range(X.shape[0]):
        J += _add_object(X[i], v[i], weights, P, scores[i], basis, lower, slope, u, exact, gradient, H)
    for a in range(size):
        for b in range(a):
            H[b, a] = H[a, b]
    return J, gradient, H
