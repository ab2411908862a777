"""The curve-fitting problem that alternation, Gauss-Newton and their starts share.

minimise over P, s  J = sum_i v_i sum_j w_j (x_ij - f_j(s_i))^2,  sum v = 1, unknown x_ij left out
subject to          p_0 = (1 - a) / 2, p_k = (1 + a) / 2 (a the directions), and strict monotonicity:
                    margin <= p_rj <= 1 - margin up to degree 3 (Proposition 1),
                    a_j (p_(r+1)j - p_rj) >= margin above
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from monoopt.order.bezier import bernstein, project

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CurveProblem:
    """Scaled data and what the curve must obey.

    Attributes
    ----------
    U : ndarray, shape (n, d)
        Scaled data, NaN where unknown.
    v : ndarray, shape (n,)
        Object weights, sum one.
    weights : ndarray, shape (d,)
        Attribute weights, positive.
    directions : ndarray, shape (d,)
        +1 or -1.
    degree, margin
        k, and the least distance of free control points from the faces of the box (or between neighbours).
    """

    U: Array
    v: Array
    weights: Array
    directions: Array
    degree: int
    margin: float

    @property
    def d(self) -> int:
        """Number of attributes."""
        return self.U.shape[1]

    @cached_property
    def line(self) -> Array:
        """The straight curve from the worst to the best corner, shape (k + 1, d)."""
        share = np.linspace(0.0, 1.0, self.degree + 1)[:, None]
        return (1 - self.directions) / 2 + share * self.directions

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """Constraints C q >= b on the free control points q = (p_1, ..., p_(k-1)) laid out point by point."""
        k, d = self.degree, self.d
        if k <= 3:
            eye = np.eye((k - 1) * d)
            low = np.full((k - 1) * d, self.margin)
            return np.vstack([eye, -eye]), np.concatenate([low, low - 1.0])
        step = np.zeros((k, k + 1))
        step[np.arange(k), np.arange(k)], step[np.arange(k), np.arange(k) + 1] = -1.0, 1.0
        full: Array = np.kron(step, np.diag(self.directions)).astype(np.float64)
        fixed = full[:, :d] @ self.line[0] + full[:, -d:] @ self.line[-1]
        return full[:, d:-d], np.asarray(self.margin - fixed, dtype=np.float64)

    @cached_property
    def rows_by_attribute(self) -> list[tuple[Array, Array]]:
        """The same constraints attribute by attribute, on (p_1j, ..., p_(k-1)j)."""
        C, b = self.rows
        found = []
        for j in range(self.d):
            mine = C[:, j :: self.d]
            used = np.any(mine != 0, axis=1)
            found.append((mine[used], b[used]))
        return found

    def curve(self, q: Array) -> Array:
        """Put the free control points between the fixed ends, forced exactly into what the curve must obey."""
        P = self.line.copy()
        P[1:-1] = q.reshape(self.degree - 1, self.d)
        if self.degree <= 3:
            P[1:-1] = np.clip(P[1:-1], self.margin, 1 - self.margin)
            return P
        steps = np.diff(P, axis=0) * self.directions
        short = np.maximum(steps, self.margin)
        spare = (short - self.margin).sum(axis=0)
        room = 1 - self.degree * self.margin
        steps = self.margin + (short - self.margin) * (room / np.where(spare > 0, spare, 1.0))
        P[1:-1] = self.line[0] + self.directions * np.cumsum(steps, axis=0)[:-1]
        return P

    def project(self, P: Array) -> tuple[Array, float]:
        """Scores of all objects on the curve, and J."""
        scores, distances = project(self.U, P, self.weights)
        return scores, float(self.v @ distances)

    def value(self, P: Array, scores: Array) -> float:
        """J at given scores, which need not be projections."""
        gap = np.nan_to_num(self.U - bernstein(scores, self.degree) @ P)
        return float(self.v @ (gap**2 @ self.weights))

    def subset(self, rows: npt.NDArray[np.intp]) -> CurveProblem:
        """Return the same problem on some objects (repeats allowed), equally weighted."""
        share = np.full(len(rows), 1.0 / len(rows))
        return CurveProblem(self.U[rows], share, self.weights, self.directions, self.degree, self.margin)
