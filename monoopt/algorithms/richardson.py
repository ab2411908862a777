"""The paper's own update: a preconditioned Richardson step, and golden section search for the scores.

P <- P - gamma (P G - C) D^-1, G = (MZ)(MZ)' the Gram matrix of the basis, C = X (MZ)', D = diag of the norms
of G's columns (equation 28). gamma = 2 / (least + largest eigenvalue) (equation 29), here of the
preconditioned matrix D^-1/2 G D^-1/2: with the eigenvalues of G itself, as printed, D and gamma both divide by
the number of objects, and the step vanishes as objects are added. So read, the step lowers J for certain.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.curve_problem import CurveProblem
from monoopt.order.bezier import DesignSums, bernstein

Array = npt.NDArray[np.float64]
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def richardson_step(sums: DesignSums, control_points: Array) -> Array:
    """Take one step in the free control points of every attribute (the ends stay in their corners)."""
    P = control_points.copy()
    for j in range(P.shape[1]):
        G = sums.gram[j]
        D = np.linalg.norm(G, axis=0)
        D = np.where(D > 0, D, 1.0)
        spectrum = np.linalg.eigvalsh(G / np.sqrt(np.outer(D, D)))
        gamma = 2.0 / (spectrum[0] + spectrum[-1]) if spectrum[-1] > 0 else 0.0
        step = gamma * (G @ P[:, j] - sums.data[j]) / D
        P[1:-1, j] -= step[1:-1]
    return P


def golden_section(problem: CurveProblem, P: Array, scores: Array, steps: int = 40) -> tuple[Array, float]:
    """Search each score in [0, 1] by golden section; keep the score at hand where that is nearer.

    A local search: where the distance has several valleys it may end in a wrong one.
    """

    def distance(s: Array) -> Array:
        gap = np.nan_to_num(problem.U - bernstein(s, problem.degree) @ P)
        return gap**2 @ problem.weights

    low, high = np.zeros(len(scores)), np.ones(len(scores))
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = distance(left), distance(right)
    for _ in range(steps):
        go_left = at_left < at_right
        high, low = np.where(go_left, right, high), np.where(go_left, low, left)
        kept, at_kept = np.where(go_left, left, right), np.where(go_left, at_left, at_right)
        fresh = np.where(go_left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        at_fresh = distance(fresh)
        left, right = np.where(go_left, fresh, kept), np.where(go_left, kept, fresh)
        at_left, at_right = np.where(go_left, at_fresh, at_kept), np.where(go_left, at_kept, at_fresh)
    found = 0.5 * (low + high)
    better = distance(found) < distance(scores)
    found = np.where(better, found, scores)
    return found, float(problem.v @ distance(found))
