"""The path from many rules to few: the softer the margin, the fewer rules, each step proved as the hard margin is.

With D = 1 / (nu sum w) at most a share nu of the objects lies within the margin. Larger nu gives up objects at the edge
and is content with fewer rules; margin, error and number of rules over nu are the curve that a person chooses from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, overload

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.lprules import ZERO, Settings, TaskFit, fit_task
from monoopt.errors import OptionError
from monoopt.order.parameters import is_number

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

SOFTNESS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True, eq=False)
class PathPoint:
    """One ensemble of the path.

    Attributes
    ----------
    nu : float
        Largest weighted share of objects within the margin; 0: hard margin.
    rules : int
        Number of rules.
    margin : float
        What is maximised: see `TaskFit`.
    error : float
        Weighted share of the objects with y_i f(x_i) <= 0.
    fit : TaskFit
        The ensemble and its proof.
    """

    nu: float
    rules: int
    margin: float
    error: float
    fit: TaskFit = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class RulePath(Sequence[PathPoint]):
    """Ensembles of one question from a hard margin to a soft one; printed, a table.

    Attributes
    ----------
    points : tuple of PathPoint
    """

    points: tuple[PathPoint, ...]

    @overload
    def __getitem__(self, place: int) -> PathPoint: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[PathPoint, ...]: ...

    def __getitem__(self, place: int | slice) -> PathPoint | tuple[PathPoint, ...]:
        return self.points[place]

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        lines = [f"{p.nu:6g}  {p.rules:5d}  {p.margin:8.4f}  {p.error:6.1%}" for p in self.points]
        return "\n".join(["    nu  rules    margin   error", *lines])

    def __repr__(self) -> str:
        return str(self)


def penalty_of(nu: float, weights: Floats) -> float | None:
    """Return D for a share nu of the weight; None, a hard margin, for nu = 0.

    Examples
    --------
    >>> penalty_of(0.5, np.ones(4)), penalty_of(0.0, np.ones(4))
    (0.5, None)
    """
    if not is_number(nu) or not 0 <= nu <= 1:
        raise OptionError(f"nu={nu!r}: wanted a number from 0 (hard margin) to 1")
    return 1.0 / (float(nu) * float(weights.sum())) if nu > 0 else None


def rule_path(
    X: Floats,
    signs: Integers,
    directions: npt.NDArray[np.int8],
    weights: Floats,
    settings: Settings,
    softness: Sequence[float] = SOFTNESS,
) -> RulePath:
    """Fit one question at every softness.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.
    signs : ndarray, shape (n,)
        +1 or -1, monotone.
    directions : ndarray of int8, shape (d,)
    weights : ndarray, shape (n,)
        Positive.
    settings : Settings
        Its D is replaced.
    softness : sequence of float
        Values of nu.

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1], dtype=np.int8)
    >>> path = rule_path(X, np.array([-1, 1, 1, 1]), up, np.ones(4), Settings(), [0.0, 1.0])
    >>> print(path)
        nu  rules    margin   error
         0      2    0.5000    0.0%
         1      1    0.7500   25.0%
    """
    points = []
    for nu in softness:
        fit = fit_task(X, signs, directions, weights, replace(settings, D=penalty_of(nu, weights)))
        wrong = signs * fit.ensemble.decision(X) <= ZERO
        error = float(weights[wrong].sum() / weights.sum())
        points.append(PathPoint(float(nu), len(fit.ensemble.rules), fit.margin, error, fit))
    return RulePath(tuple(points))
