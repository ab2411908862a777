"""Compiled exploration of a start: a few steps of projection, control points and Gauss-Newton, all in one loop.

The same steps as `monoopt.algorithms.alternation.fit_curve` takes with the direct solution, for the paper's cubic,
whose control points are held by a box alone. Where a start leads is all that is asked here; the curve that is kept
is finished, and proved, outside.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from monoopt.order._bezier_kernels import design_sums, normal_equations, project

BLOCKS = 3  # exchanges of many sides at once that may fail to reduce the faults, before they go one by one


@njit(cache=True, nogil=True)
def _factor(H: Any, places: Any, m: Any, L: Any) -> Any:
    """Cholesky factor of the rows and columns at ``places``; False if they are not positive definite."""
    for a in range(m):
        for b in range(a + 1):
            value = H[places[a], places[b]]
            for c in range(b):
                value -= L[a, c] * L[b, c]
            if a == b:
                if not value > 1e-14 * abs(H[places[a], places[a]]):
                    return False
                L[a, a] = math.sqrt(value)
            else:
                L[a, b] = value / L[b, b]
    return True


@njit(cache=True, nogil=True)
def _solve(L: Any, m: Any, right: Any) -> Any:
    """Solve L L' x = right in place."""
    for a in range(m):
        for c in range(a):
            right[a] -= L[a, c] * right[c]
        right[a] /= L[a, a]
    for a in range(m - 1, -1, -1):
        for c in range(a + 1, m):
            right[a] -= L[c, a] * right[c]
        right[a] /= L[a, a]


@njit(cache=True, nogil=True)
def solve_box(H: Any, g: Any, low: Any, high: Any, x: Any, side: Any) -> Any:
    """Minimise 1/2 x'Hx + g'x over low <= x <= high, H positive definite, by block principal pivoting.

    Sides that are wrong change all at once while that reduces their number, then one by one, which ends for
    certain (Judice and Pires 1994). ``side`` becomes -1, 0 or 1: at the lower side, free, at the upper side. False
    if a factor breaks down.
    """
    n = len(g)
    places = np.empty(n, np.int64)
    right, L = np.empty(n), np.empty((n, n))
    wanted = np.empty(n, np.int64)
    least, left = n + 1, BLOCKS
    for i in range(n):
        side[i] = 0
    for _ in range(50 + 10 * n):
        m = 0
        for i in range(n):
            if side[i] == 0:
                places[m] = i
                m += 1
            else:
                x[i] = low[i] if side[i] < 0 else high[i]
        for a in range(m):
            i = places[a]
            right[a] = -g[i]
            for c in range(n):
                if side[c] != 0:
                    right[a] -= H[i, c] * x[c]
        if not _factor(H, places, m, L):
            return False
        _solve(L, m, right)
        for a in range(m):
            x[places[a]] = right[a]
        faults, last = 0, -1
        for i in range(n):
            wanted[i] = _belongs(H, g, low, high, x, side, i)
            if wanted[i] != side[i]:
                faults, last = faults + 1, i
        if faults == 0:
            return True
        if faults < least:
            least, left = faults, BLOCKS
        else:
            left -= 1
        for i in range(n):
            if left >= 0 or i == last:
                side[i] = wanted[i]
    return False


@njit(cache=True, nogil=True)
def _belongs(H: Any, g: Any, low: Any, high: Any, x: Any, side: Any, i: Any) -> Any:
    """Return the side that variable i belongs on, given where the others are."""
    if side[i] == 0:
        if x[i] < low[i]:
            return -1
        return 1 if x[i] > high[i] else 0
    slope, size = g[i], abs(g[i])
    for c in range(len(g)):
        slope += H[i, c] * x[c]
        size += abs(H[i, c] * x[c])
    return 0 if side[i] * slope > 1e-14 * size else side[i]


@njit(cache=True, nogil=True)
def _control_points(U: Any, v: Any, scores: Any, P: Any, margin: Any) -> Any:
    """Best control points at fixed scores, attribute by attribute; what the scores leave open stays."""
    k, d = P.shape[0] - 1, P.shape[1]
    gram, data = design_sums(U, v, scores, k)
    new = P.copy()
    H, g = np.empty((k - 1, k - 1)), np.empty(k - 1)
    low, high, x = np.empty(k - 1), np.empty(k - 1), np.zeros(k - 1)
    side = np.zeros(k - 1, np.int64)
    for j in range(d):
        trace = 1e-300
        for r in range(k + 1):
            trace += gram[j, r, r]
        for r in range(1, k):
            g[r - 1] = -data[j, r]
            for q in range(k + 1):
                g[r - 1] += gram[j, r, q] * P[q, j]
            for q in range(1, k):
                H[r - 1, q - 1] = gram[j, r, q]
            H[r - 1, r - 1] += 1e-13 * trace
            low[r - 1], high[r - 1] = margin - P[r, j], 1.0 - margin - P[r, j]
        if solve_box(H, g, low, high, x, side):
            for r in range(1, k):
                new[r, j] = min(max(P[r, j] + x[r - 1], margin), 1.0 - margin)
    return new


@njit(cache=True, nogil=True)
def _curvature(U: Any, v: Any, weights: Any, P: Any, scores: Any, side: Any) -> Any:
    """Gradient and a positive definite Hessian of J / 2: the exact one, stiff where a side binds, or Gauss-Newton's."""
    exact = True
    while True:  # one call in the text, so that it is compiled once
        _, g, H = normal_equations(U, v, weights, P, scores, exact)
        if not exact:
            return g, H
        n = len(g)
        trace = 0.0
        places = np.empty(n, np.int64)
        for a in range(n):
            places[a] = a
            trace += abs(H[a, a])
        slack = np.empty(n)
        for a in range(n):
            slack[a] = 1e-3 * abs(H[a, a])
            H[a, a] += (trace if side[a] != 0 else 0.0) - slack[a]
        exact = _factor(H, places, n, np.empty((n, n)))
        for a in range(n):
            H[a, a] += slack[a]
        if exact:
            return g, H


@njit(cache=True, nogil=True)
def _gauss_newton(
    U: Any, v: Any, weights: Any, P: Any, scores: Any, value: Any, margin: Any, mixing: Any, binomials: Any, side: Any
) -> Any:
    """Take one bounded step that lowers J; returns what was before where none does."""
    k, d = P.shape[0] - 1, P.shape[1]
    n = (k - 1) * d
    g, H = _curvature(U, v, weights, P, scores, side)
    trace = 0.0
    for a in range(n):
        trace += H[a, a]
    low, high, x = np.empty(n), np.empty(n), np.zeros(n)
    for r in range(1, k):
        for j in range(d):
            low[(r - 1) * d + j], high[(r - 1) * d + j] = margin - P[r, j], 1.0 - margin - P[r, j]
    trial, damped = P.copy(), np.empty((n, n))
    damping = 1e-4
    while damping <= 1e8:
        for a in range(n):
            for b in range(n):
                damped[a, b] = H[a, b]
            damped[a, a] += damping * (H[a, a] + 1e-9 * trace + 1e-300)
        if not solve_box(damped, g, low, high, x, side):
            break
        for r in range(1, k):
            for j in range(d):
                trial[r, j] = min(max(P[r, j] + x[(r - 1) * d + j], margin), 1.0 - margin)
        there, new = _projected(U, v, weights, trial, mixing, binomials)
        if new < value:
            return trial, there, new
        damping *= 100.0
    return P, scores, value


@njit(cache=True, nogil=True)
def _projected(U: Any, v: Any, weights: Any, P: Any, mixing: Any, binomials: Any) -> Any:
    """Scores, and J."""
    scores, distances = np.empty(len(U)), np.empty(len(U))
    project(U, weights, P, mixing, binomials, scores, distances)
    value = 0.0
    for i in range(len(U)):
        value += v[i] * distances[i]
    return scores, value


@njit(cache=True, nogil=True)
def _distance(P: Any, Q: Any) -> Any:
    """Largest difference of a coordinate."""
    largest = 0.0
    for r in range(P.shape[0]):
        for j in range(P.shape[1]):
            largest = max(largest, abs(P[r, j] - Q[r, j]))
    return largest


@njit(cache=True, nogil=True)
def explore(
    U: Any,
    v: Any,
    weights: Any,
    start: Any,
    margin: Any,
    mixing: Any,
    binomials: Any,
    rounds: Any,
    slow: Any,
    hand_over: Any,
    seen: Any,
    same: Any,
) -> Any:
    """Follow one start a few rounds of two steps of each kind.

    ``rounds``, ``slow``, ``hand_over`` and ``same`` as in `monoopt.algorithms.curve_search`. Returns control points, J
    after every step (the start first), which of them were Gauss-Newton's, and which of the curves ``seen`` was
    joined (-1: none).
    """
    P = start.copy()
    scores, value = _projected(U, v, weights, P, mixing, binomials)
    values, finishing = np.empty(4 * rounds + 1), np.zeros(4 * rounds + 1, np.bool_)
    values[0], steps = value, 1
    side = np.zeros((P.shape[0] - 2) * P.shape[1], np.int64)
    for _ in range(rounds):
        before = value
        for step in range(4):
            if value <= 1e-28 or (step == 1 and before - value <= hand_over * before):
                continue
            if step < 2:
                trial = _control_points(U, v, scores, P, margin)
                there, new = _projected(U, v, weights, trial, mixing, binomials)
            else:
                trial, there, new = _gauss_newton(U, v, weights, P, scores, value, margin, mixing, binomials, side)
            if new < value:
                P, scores, value = trial, there, new
                values[steps], finishing[steps] = value, step >= 2
                steps += 1
        for at in range(len(seen)):
            if _distance(seen[at], P) <= same:
                return P, values[:steps], finishing[:steps], at
        if before - value <= slow * before:
            break
    return P, values[:steps], finishing[:steps], -1
