"""Pricing of monotone rules: the rule that gains most, as an integer program (for the auditor; searches are faster).

maximise    sum_i v_i cover_i
subject to  sum_s cut_ps = 1                                  (choice)    one threshold on every side p
            cover_i + sum_{s > level(i,p)} cut_ps <= 1        (inside)    for v_i >= 0 and every side p
            cover_i + sum_p sum_{s > level(i,p)} cut_ps >= 1  (outside)   for v_i < 0
            cut in {0,1},  0 <= cover <= 1

Sides are the columns in which "better" reads "larger": the directed attributes in their order (costs negated), then the
free attributes as they are, then the free attributes negated; all of them negated once more for a negative rule. On
side p the distinct values of the objects, ascending, are the thresholds s = 0, 1, ...; level(i,p) is the place of
object i among them, and s = 0 asks nothing. An object is covered iff no side has a threshold above its level. With
v_i = sign u_i y_i the optimum is the largest edge of a rule of that sign (section 5 of Kotlowski and Slowinski, 2009).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import refuse
from monoopt.order.directions import as_gains
from monoopt.program import Program, ProgramBuilder, Solution

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]


def build(
    X: npt.ArrayLike,
    values: npt.ArrayLike,
    directions: npt.ArrayLike,
    positive: bool = True,
    objects: npt.ArrayLike | None = None,
) -> Program:
    """Build the pricing program of one sign.

    maximise sum_i v_i cover_i over the orthants {x : x >= thresholds on every side}.

    Parameters
    ----------
    X : array-like, shape (n, d)
        Objects, in the units of the data.
    values : array-like, shape (n,)
        v: what covering an object gains (positive) or loses (negative).
    directions : array-like, shape (d,)
        +1 gain, -1 cost, 0 free.
    positive : bool
        A positive rule asks >= of gains and <= of costs; a negative rule the reverse.
    objects : array-like, shape (n,), optional
        Names of the objects; positions by default.

    Returns
    -------
    Program
        Columns ``cover(i)`` and ``cut(p,s)``; rows ``choice(p)``, ``inside(i,p)`` and ``outside(i)`` (the last two
        where there are objects for them).

    Raises
    ------
    DataError
        Shapes, values or directions that can't be used.

    Examples
    --------
    >>> program = build([[1.0], [2.0]], [-0.5, 0.5], [1])
    >>> program.column_names()
    ['cover(0)', 'cover(1)', 'cut(0,0)', 'cut(0,1)']
    >>> program.row_names()
    ['choice(0)', 'inside(1,0)', 'outside(0)']
    """
    x, v, signs = np.asarray(X, dtype=float), np.asarray(values, dtype=float), np.asarray(directions)
    refuse(_faults(x, v, signs), "rule pricing")
    names = np.arange(len(x)) if objects is None else np.asarray(objects)
    thresholds, level = _sides(x, signs, positive)
    counts = [len(t) for t in thresholds]
    builder = ProgramBuilder("rule_pricing", sense="maximize")
    builder.add_columns(
        "cover",
        len(x),
        lower=0,
        upper=1,
        cost=v,
        index=names,
        tex=r"\mathrm{cover}_i",
        over="i in objects",
    )
    cuts = np.array([(p, s) for p, count in enumerate(counts) for s in range(count)])
    builder.add_columns(
        "cut",
        len(cuts),
        lower=0,
        upper=1,
        integer=True,
        index=cuts,
        tex=r"\mathrm{cut}_{ps}",
        over="p in sides, s in thresholds",
    )
    builder.add_rows(
        "choice",
        {"cut": sparse.block_diag([np.ones((1, count)) for count in counts], format="csr")},
        lower=1,
        upper=1,
        index=np.arange(len(counts)),
        tex=r"\sum_s \mathrm{cut}_{ps}",
        over="p in sides",
    )
    above = [_above(level[:, p], count) for p, count in enumerate(counts)]
    _add_inside(builder, np.flatnonzero(v >= 0), names, above)
    _add_outside(builder, np.flatnonzero(v < 0), names, above)
    return builder.build()


def read(
    program: Program,
    solution: Solution,
    X: npt.ArrayLike,
    directions: npt.ArrayLike,
    positive: bool = True,
) -> tuple[Floats, Floats]:
    """Return the conditions lower <= x <= upper of the best rule, infinite where it asks nothing.

    Parameters
    ----------
    program, solution
        From `build` and a solver for integer programs.
    X, directions, positive
        As given to `build`.

    Returns
    -------
    lower, upper : ndarray, shape (d,)

    Raises
    ------
    NoSolutionError
        There is no point.

    Examples
    --------
    >>> from monoopt.solvers import solve
    >>> program = build([[1.0], [2.0]], [-0.5, 0.5], [1])
    >>> solution = solve(program)
    >>> solution.objective, read(program, solution, [[1.0], [2.0]], [1])
    (0.5, (array([2.]), array([inf])))
    """
    x, signs = np.asarray(X, dtype=float), np.asarray(directions)
    thresholds, _ = _sides(x, signs, positive)
    cut = solution.values("cut")
    ends = np.cumsum([len(t) for t in thresholds])
    chosen = [int(np.argmax(part)) for part in np.split(cut, ends[:-1])]
    asked = np.array([t[s] if s else -np.inf for t, s in zip(thresholds, chosen, strict=True)])
    return conditions(asked, signs, positive)


def _sides(x: Floats, signs: npt.NDArray[np.generic], positive: bool) -> tuple[list[Floats], Integers]:
    """Thresholds of every side, ascending, and the level of every object on every side."""
    gains = as_gains(x, signs.astype(np.int8)) * (1.0 if positive else -1.0) + 0.0
    pairs = [np.unique(column, return_inverse=True) for column in gains.T]
    return [t for t, _ in pairs], np.column_stack([level.ravel() for _, level in pairs]).astype(np.int64)


def conditions(asked: Floats, signs: npt.NDArray[np.generic], positive: bool) -> tuple[Floats, Floats]:
    """Turn "side >= threshold" back into conditions on the attributes; thresholds may come in rows, one per rule."""
    shape = (*asked.shape[:-1], len(signs))
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    turn = 1 if positive else -1
    directed, free = np.flatnonzero(signs != 0), np.flatnonzero(signs == 0)
    attributes = [*directed, *free, *free]
    factors = [*(turn * signs[directed]), *[turn] * len(free), *[-turn] * len(free)]
    for side, (j, factor) in enumerate(zip(attributes, factors, strict=True)):
        if factor > 0:
            lower[..., j] = asked[..., side]
        else:
            upper[..., j] = 0.0 - asked[..., side]
    return lower, upper


def _above(level: Integers, count: int) -> sparse.csr_array:
    """Matrix (objects x thresholds) with 1 where the threshold is above the object's level."""
    return sparse.csr_array((level[:, None] < np.arange(count)).astype(float))


def _add_inside(
    builder: ProgramBuilder,
    members: Integers,
    names: npt.NDArray[np.generic],
    above: list[sparse.csr_array],
) -> None:
    if not len(members):
        return
    sides, n = len(above), len(names)
    cuts = sparse.block_diag([matrix[members] for matrix in above], format="csr")  # side by side, object by object
    place = np.arange(sides * len(members)).reshape(sides, len(members)).T.ravel()
    one = sparse.csr_array(
        (np.ones(len(place)), (np.arange(len(place)), np.repeat(members, sides))), shape=(len(place), n)
    )
    builder.add_rows(
        "inside",
        {"cover": one, "cut": cuts[place]},
        upper=1,
        index=np.column_stack([np.repeat(names[members], sides), np.tile(np.arange(sides), len(members))]),
        tex=r"\mathrm{cover}_i + \sum_{s > l_{ip}} \mathrm{cut}_{ps}",
        over="i with v_i >= 0, p in sides",
    )


def _add_outside(
    builder: ProgramBuilder,
    members: Integers,
    names: npt.NDArray[np.generic],
    above: list[sparse.csr_array],
) -> None:
    if not len(members):
        return
    one = sparse.csr_array(
        (np.ones(len(members)), (np.arange(len(members)), members)), shape=(len(members), len(names))
    )
    builder.add_rows(
        "outside",
        {"cover": one, "cut": sparse.hstack([matrix[members] for matrix in above], format="csr")},
        lower=1,
        index=names[members],
        tex=r"\mathrm{cover}_i + \sum_p \sum_{s > l_{ip}} \mathrm{cut}_{ps}",
        over="i with v_i < 0",
    )


def _faults(x: Floats, v: Floats, signs: npt.NDArray[np.generic]) -> list[str]:
    faults = []
    if x.ndim != 2 or 0 in x.shape or not np.isfinite(x).all():
        faults.append(f"X has shape {x.shape}; wanted a table of finite numbers, objects in rows")
    if v.shape != x.shape[:1] or not np.isfinite(v).all():
        faults.append(f"values have shape {v.shape}; wanted one finite number per object")
    if signs.shape != x.shape[1:] or not np.isin(signs, (-1, 0, 1)).all():
        faults.append("directions: wanted +1, -1 or 0 for every attribute")
    return faults
