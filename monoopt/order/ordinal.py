"""K ordered classes as K-1 binary tasks, and losses between classes.

Task k (k = 1..K-1) asks "at least class k?". An answer to all tasks is nested when "at least k" never holds
without "at least k - 1"; nested answers are exactly the codes 0..K-1.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import OptionError, nearest, refuse
from monoopt.order.cells import as_array, as_objects, read_cells

Floats: TypeAlias = npt.NDArray[np.float64]
Loss: TypeAlias = str | npt.ArrayLike

LOSSES = ("absolute", "squared")
RELATIVE_SLACK = 1e-12


def thresholds(codes: npt.ArrayLike, n_classes: int) -> npt.NDArray[np.bool_]:
    """Return the binary tasks of these codes.

    Parameters
    ----------
    codes : array-like of int, shape (n,)
        0..K-1.
    n_classes : int
        K.

    Returns
    -------
    ndarray of bool, shape (K-1, n)
        Row k-1 holds codes >= k.

    Examples
    --------
    >>> thresholds([0, 2, 1], 3).astype(int)
    array([[0, 1, 1],
           [0, 1, 0]])
    """
    return np.asarray(codes) >= np.arange(1, n_classes)[:, None]


def combine(binary: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the codes h = number of tasks answered yes.

    This is equation (2) of Kotlowski and Slowinski (2009), with classes counted from 0.

    For nested answers this inverts `thresholds`. For others it still is a class, and |y - h| is at most the
    number of tasks answered wrongly (their Theorem 2); `crossings` tells which they are.

    Parameters
    ----------
    binary : array-like, shape (K-1, n)
        Positive means yes: booleans, 0/1 or -1/+1.

    Examples
    --------
    >>> combine([[-1, 1, 1], [-1, 1, -1]])
    array([0, 2, 1])
    """
    return (np.asarray(binary) > 0).sum(axis=0, dtype=np.int64)


def crossings(binary: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the pairs (k, i) in which object i is "at least class k" without being "at least class k - 1".

    Examples
    --------
    >>> crossings([[0, 1], [1, 1]])
    array([[2, 0]])
    """
    yes = np.asarray(binary) > 0
    return np.argwhere(yes[1:] & ~yes[:-1]) + np.array([2, 0])


def loss_table(loss: Loss, n_classes: int) -> Floats:
    """Return the table L, where L[y, k] is the cost of answering class k for an object of class y.

    A table must be zero on its diagonal and convex in k for each y, that is, the steps L[y, k+1] - L[y, k]
    never fall as k grows. Then the cost splits over the binary tasks, and optimal answers to the tasks can
    be chosen nested.

    Parameters
    ----------
    loss : "absolute", "squared" or array-like, shape (K, K)
    n_classes : int
        K.

    Returns
    -------
    ndarray, shape (K, K)

    Raises
    ------
    OptionError
        An unknown word.
    DataError
        A table of another shape, not finite, not zero on its diagonal, negative or not convex; entries are
        named.

    Examples
    --------
    >>> loss_table("absolute", 3)
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    gaps = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))).astype(float)
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise OptionError(f"unknown loss {loss!r}{nearest(loss, LOSSES)}; wanted {LOSSES} or a K x K table")
        return gaps if loss == "absolute" else gaps**2
    table = _as_table(loss)
    refuse(_table_faults(table, n_classes), "loss")
    return table


def _as_table(loss: npt.ArrayLike) -> Floats:
    """Return the entries as float64; text, missing and masked ones are refused with their places."""
    entries = as_array(loss, "loss")
    values, wrong = read_cells(as_objects(entries).ravel())
    places = [np.unravel_index(i, entries.shape) for i, _ in wrong]
    named = [f"L[{', '.join(str(p) for p in place)}]: " if place else "" for place in places]
    refuse([where + complaint for where, (_, complaint) in zip(named, wrong, strict=True)], "loss")
    return values.reshape(entries.shape)


def linear_loss(tau: float, n_classes: int) -> Floats:
    """Return the loss tau (k - y) for answers above and (1 - tau) (y - k) for answers below the label.

    Its minimiser is the (1 - tau)-quantile of the labels; tau = 1/2 is half the absolute loss.

    Parameters
    ----------
    tau : float
        Strictly between 0 and 1.
    n_classes : int
        K.

    Examples
    --------
    >>> linear_loss(0.25, 3)
    array([[0.  , 0.25, 0.5 ],
           [0.75, 0.  , 0.25],
           [1.5 , 0.75, 0.  ]])
    """
    if not 0 < tau < 1:
        raise OptionError(f"tau = {tau}: wanted a number strictly between 0 and 1")
    ahead = np.subtract.outer(np.arange(n_classes), np.arange(n_classes)).T.astype(float)  # k - y
    return np.where(ahead > 0, tau * ahead, 0.0 - (1 - tau) * ahead)


def steps(table: Floats) -> Floats:
    """Return S with S[k-1, y] = L[y, k] - L[y, k-1]: what "at least k" costs an object of class y in task k.

    Examples
    --------
    >>> steps(loss_table("absolute", 3))
    array([[ 1., -1., -1.],
           [ 1.,  1., -1.]])
    """
    return np.diff(table, axis=1).T


def keeps_bayes_monotone(table: Floats) -> bool:
    """Tell whether the loss lets the best classifier be monotone under stochastic dominance.

    It does when the steps L[y, k+1] - L[y, k] never rise as y grows (submodularity): for L(y, k) = C(y - k)
    this says that C is convex, Theorem 1 of Kotlowski and Slowinski (2009). Relabelling does not need it,
    learning gains by it.

    Examples
    --------
    >>> keeps_bayes_monotone(loss_table("squared", 4))
    True
    """
    return bool((np.diff(steps(table), axis=1) <= _slack(table)).all())


def _slack(table: Floats) -> float:
    return RELATIVE_SLACK * float(np.abs(table).max(initial=0.0))


def _table_faults(table: Floats, n_classes: int) -> list[str]:
    if table.shape != (n_classes, n_classes):
        wanted = f"a {n_classes} x {n_classes} table (row: true class, column: answer)"
        return [f"wanted {wanted}, got shape {table.shape}"]
    if not np.isfinite(table).all():
        return [f"L[{y}, {k}] = {table[y, k]} is not finite" for y, k in np.argwhere(~np.isfinite(table))]
    faults = [f"L[{y}, {y}] = {table[y, y]:g}: the right answer must cost 0" for y in np.flatnonzero(table.diagonal())]
    faults += [f"L[{y}, {k}] = {table[y, k]:g} is negative" for y, k in np.argwhere(table < 0)]
    bends = np.diff(table, n=2, axis=1)
    for y, k in np.argwhere(bends < -_slack(table)):
        row = ", ".join(f"{v:g}" for v in table[y, k : k + 3])
        faults.append(f"row {y} is not convex at L[{y}, {k + 1}] ({row}): the steps fall from one class to the next")
    return faults
