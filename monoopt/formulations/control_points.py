"""Control points of a ranking principal curve at fixed scores: a convex quadratic program.

minimise    J = sum_i v_i sum_j w_j (x_ij - sum_r B_r^k(s_i) p_r(j))^2     over p_1, ..., p_(k-1)
subject to  margin <= p_r(j) <= 1 - margin                      (columns "p1", "p2", ...)
            a_j (p_(r+1)(j) - p_r(j)) >= margin                 (rows "increase", degree above 3)
            lower <= sum of coefficients times p <= upper       (rows "prefer", where anchors are set)
with        p_0 = (1 - a) / 2 and p_k = (1 + a) / 2 fixed in the worst and the best corner.

The objects enter through (k + 1) x (k + 1) Gram matrices per attribute, never row by row: the program has
(k - 1) d columns whatever n is. Source: equations (20) and (22) and Proposition 1 of "Unsupervised ranking of
multi-attribute objects based on principal curves"; interior control points make a curve of degree up to 3
strictly monotone, above that ordered ones do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import refuse
from monoopt.order.bezier import DesignSums, design_sums
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PreferenceRows:
    """Extra linear rows on the free control points, laid out p_1(0), p_1(1), ..., p_2(0), ...

    Attributes
    ----------
    words : tuple of str
        What each row says, in the user's words.
    coefficients : ndarray, shape (m, (k - 1) d)
    lower, upper : ndarray, shape (m,)
    """

    words: tuple[str, ...]
    coefficients: Array
    lower: Array
    upper: Array

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> PreferenceRows:
        """Read rows from plain lists; None is no side."""
        lower = [-np.inf if side is None else float(side) for side in given["lower"]]
        upper = [np.inf if side is None else float(side) for side in given["upper"]]
        coefficients = np.asarray(given["coefficients"], dtype=np.float64)
        return cls(tuple(given["words"]), coefficients, np.array(lower), np.array(upper))


def build(
    U: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    directions: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    attribute_weights: npt.ArrayLike | None = None,
    degree: int = 3,
    margin: float = 1e-3,
    preferences: PreferenceRows | Mapping[str, Any] | None = None,
) -> Program:
    """Build the program from scaled data and scores.

    Parameters
    ----------
    U : array-like, shape (n, d)
        Data scaled to [0, 1] (a little outside is allowed); NaN where a value is missing.
    scores : array-like, shape (n,)
        s_i in [0, 1].
    directions : array-like, shape (d,)
        +1 or -1.
    sample_weight, attribute_weights : array-like, optional
        v (scaled here to sum one) and w; ones by default.
    degree : int
        k, at least 2 (a straight curve has no free control point).
    margin : float
        In (0, 1/2) up to degree 3, in (0, 1/k) above.
    preferences : PreferenceRows or mapping of its members, optional

    Returns
    -------
    Program
        Columns "p1", ..., "p(k-1)" over attributes; objective J (a mean over objects).

    Raises
    ------
    DataError
        Shapes, scores, directions or weights that don't fit: all faults in one error.

    Examples
    --------
    >>> program = build([[0.0, 0.0], [0.3, 0.6], [1.0, 1.0]], [0.0, 0.5, 1.0], directions=[1, 1])
    >>> program.column_names()
    ['p1(0)', 'p1(1)', 'p2(0)', 'p2(1)']
    """
    data, s, a = np.asarray(U, float), np.asarray(scores, float), np.asarray(directions, float)
    v = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, float)
    w = np.ones(len(a)) if attribute_weights is None else np.asarray(attribute_weights, float)
    refuse(_faults(data, s, a, v, w, degree, margin), "control_points.build")
    sums = design_sums(data, v / v.sum(), s, degree)
    if isinstance(preferences, Mapping):
        preferences = PreferenceRows.read(preferences)
    return build_from_sums(sums, directions=a, attribute_weights=w, margin=margin, preferences=preferences)


def build_from_sums(
    sums: DesignSums,
    *,
    directions: Array,
    attribute_weights: Array,
    margin: float,
    preferences: PreferenceRows | None = None,
) -> Program:
    """Build the same program from sums already taken over the objects (see `DesignSums`)."""
    d, k = sums.data.shape[0], sums.data.shape[1] - 1
    w, first, last = attribute_weights, (1 - directions) / 2, (1 + directions) / 2
    ends = sums.gram[:, :, 0] * first[:, None] + sums.gram[:, :, k] * last[:, None]
    b = ProgramBuilder("control_points", sense="minimize")
    names = [f"p{r}" for r in range(1, k)]
    for r, name in enumerate(names, start=1):
        cost = 2 * w * (ends[:, r] - sums.data[:, r])
        low, high = (margin, 1 - margin) if k <= 3 else (-np.inf, np.inf)
        b.add_columns(name, d, lower=low, upper=high, cost=cost, tex=f"p_{{{r},j}}", over="j in attributes")
    for r, name in enumerate(names, start=1):
        b.add_quadratic(name, sparse.diags_array(2 * w * sums.gram[:, r, r]))
        for q in range(r + 1, k):
            b.add_quadratic(name, sparse.diags_array(2 * w * sums.gram[:, r, q]), f"p{q}")
    fixed = ends[:, 0] * first + ends[:, k] * last - 2 * (sums.data[:, 0] * first + sums.data[:, k] * last)
    b.add_offset(float(w @ (sums.square + fixed)))
    if k > 3:
        _add_increase(b, names, directions, margin)
    if preferences is not None:
        terms = {name: preferences.coefficients[:, r * d : (r + 1) * d] for r, name in enumerate(names)}
        b.add_rows("prefer", terms, lower=preferences.lower, upper=preferences.upper,
                   tex="s_a - s_b", over="preferences and fixed scores")  # fmt: skip
    return b.build()


def read(program: Program, solution: Solution, *, directions: npt.ArrayLike) -> Array:
    """Return all control points, the fixed ends included, shape (k + 1, d).

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build([[0.0], [0.25], [1.0]], [0.0, 0.5, 1.0], directions=[1], degree=2)
    >>> read(program, solve(program), directions=[1]).round(6)
    array([[0.   ],
           [0.001],
           [1.   ]])
    """
    a = np.asarray(directions, dtype=np.float64)
    inner = [solution.values(block.name) for block in program.columns]
    return np.vstack([(1 - a) / 2, *inner, (1 + a) / 2])


def _add_increase(b: ProgramBuilder, names: list[str], directions: Array, margin: float) -> None:
    """Each control point is better than the one before, by the margin, in every attribute."""
    d, k = len(directions), len(names) + 1
    turn = sparse.diags_array(directions)
    zero = sparse.csr_array((d, d))
    terms = {
        name: sparse.vstack([turn if r == at - 1 else -turn if r == at else zero for r in range(k)])
        for at, name in enumerate(names, start=1)
    }
    lower = np.full((k, d), margin)
    lower[0] += directions * (1 - directions) / 2
    lower[-1] -= directions * (1 + directions) / 2
    index = [(r, j) for r in range(k) for j in range(d)]
    b.add_rows("increase", terms, lower=lower.ravel(), index=index,
               tex="a_j (p_{r+1,j} - p_{r,j})", over="(r,j) in steps x attributes")  # fmt: skip


def _faults(U: Array, scores: Array, directions: Array, v: Array, w: Array, degree: int, margin: float) -> list[str]:
    if U.ndim != 2:
        return [f"U has {U.ndim} dimensions, wanted objects x attributes"]
    n, d = U.shape
    checks = (
        (bool(np.isinf(U).any()), "U holds infinite values"),
        (scores.shape != (n,), f"{scores.shape} scores for {n} objects"),
        (not np.all((scores >= 0) & (scores <= 1)), "scores outside [0, 1] or NaN"),
        (directions.shape != (d,), f"{directions.shape} directions for {d} attributes"),
        (not np.isin(directions, (-1, 1)).all(), "directions other than +1 and -1"),
        (
            v.shape != (n,) or not np.all(v >= 0) or v.sum() <= 0,
            "sample_weight: wanted n weights >= 0, not all 0",
        ),
        (w.shape != (d,) or not np.all(w > 0), "attribute_weights: wanted d weights > 0"),
        (degree < 2, f"degree {degree}: wanted 2 or more (degree 1 has no free control point)"),
        (not 0 < margin < (0.5 if degree <= 3 else 1 / degree), f"margin {margin} outside its range"),
    )
    return [words for wrong, words in checks if wrong]
