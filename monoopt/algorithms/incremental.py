"""SVDD in batches: a working set that is refreshed batch by batch, in an order that puts likely support first.

The objects are sorted by their Schroedinger potential, largest (edge of a cluster) first; the first M are the working
set. Solve on it, replace the B objects of smallest multiplier by the next batch, solve again from the multipliers at
hand, until all batches have come by. Section 6 of "Integrating the supervised information into unsupervised learning".

Only M objects are in a program at a time: worth it with a solver without `smo`'s kernel rows on demand, or when a
kernel matrix of all objects does not fit. The result is optimal for the last working set, not for all objects; how
far it is from that is measured (`Batches.gap`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from monoopt.algorithms.kernel_ball import certify_ball
from monoopt.algorithms.svdd_training import Trained, Training, train
from monoopt.errors import OptionError, nearest
from monoopt.formulations.svdd import ball, penalty
from monoopt.order.kernels import Kernel
from monoopt.order.parameters import is_number
from monoopt.order.potential import schroedinger_potential
from monoopt.program import Certificate
from monoopt.solvers.smo import feasible_start

ORDERS = ("ordered", "random")


@dataclass(frozen=True, eq=False)
class Batches:
    """What batch training found.

    Attributes
    ----------
    trained : Trained
        The ball of the last working set, over all objects: multipliers outside the working set are 0, support are
        the objects of the working set on its sphere or outside.
    working : ndarray of int
        The last working set.
    certificates : list of Certificate
        One per solve: the ball is the smallest for that working set.
    gap : float
        Relative duality gap of the ball as an answer for all objects; 0 if it is the smallest for all.
    """

    trained: Trained
    working: np.ndarray
    certificates: list[Certificate]
    gap: float


def train_in_batches(
    kernel: Kernel,
    C: float,
    weight: np.ndarray,
    how: Training,
    *,
    order: str = "ordered",
    working_fraction: float = 0.2,
    batch_fraction: float = 0.1,
    random_state: np.random.RandomState | None = None,
) -> Batches:
    """Train on a working set that is refreshed batch by batch.

    Parameters
    ----------
    kernel : Kernel
        Settled on all objects.
    C, weight, how
        As in `monoopt.algorithms.svdd_training.train`; the working set must hold a weight of 1 / C at least.
    order : "ordered" or "random"
        By the Schroedinger potential, or shuffled.
    working_fraction : float
        Size M of the working set, of all objects.
    batch_fraction : float
        Size B of a batch, of the working set; below 1.
    random_state : RandomState, optional
        Of the shuffle.

    Examples
    --------
    >>> from monoopt.order.kernels import settle_kernel
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> found = train_in_batches(settle_kernel("linear", X), 1.0, np.ones(50), Training())
    >>> round(found.trained.ball.squared_radius, 6), len(found.working)
    (0.25, 10)
    """
    check_fractions(working_fraction, batch_fraction)
    n = len(weight)
    size = max(1, round(working_fraction * n))
    batch = max(1, round(batch_fraction * size))
    queue = _queue(kernel, order, random_state)
    working, rest = queue[:size], queue[size:]
    penalty(C, None, float(weight[working].sum()))
    beta = np.zeros(n)
    found = _solve(kernel, C, weight, how, working, None)
    certificates = [found.certificate]
    for come in range(0, len(rest), batch):
        beta[working] = found.ball.beta
        fresh = rest[come : come + batch]
        kept = working[np.argsort(beta[working], kind="stable")[len(fresh) :]]
        beta[np.setdiff1d(working, kept)] = 0.0
        working = np.concatenate([kept, fresh])
        found = _solve(kernel, C, weight, how, working, _hot(beta[working], C * weight[working]))
        certificates.append(found.certificate)
    return _over_all(kernel, C * weight, found, working, certificates)


def _queue(kernel: Kernel, order: str, random_state: np.random.RandomState | None) -> np.ndarray:
    if order == "random":
        return (random_state or np.random.RandomState(0)).permutation(len(kernel.X))
    if order != "ordered":
        raise OptionError(f"order is {order!r}{nearest(order, ORDERS)}; wanted one of {', '.join(ORDERS)}")
    return np.argsort(-schroedinger_potential(kernel.X, kernel.width()), kind="stable")


def _solve(
    kernel: Kernel, C: float, weight: np.ndarray, how: Training, working: np.ndarray, start: np.ndarray | None
) -> Trained:
    return train(kernel.take(working), C, weight[working], how, start=start)


def _hot(beta: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """Multipliers at hand as a feasible start: what was lost with replaced objects goes to the newest ones."""
    return feasible_start(-np.arange(len(beta), dtype=float), np.minimum(beta, upper), upper, 1.0)


def _over_all(
    kernel: Kernel, upper: np.ndarray, found: Trained, working: np.ndarray, certificates: list[Certificate]
) -> Batches:
    """Measure the centre on all objects and say how far it is from the best for all."""
    beta = np.zeros(len(upper))
    beta[working] = found.ball.beta
    rows = kernel.rows()
    used = np.flatnonzero(beta)
    measured = ball(beta, rows.dot(rows.take(used), beta[used]), rows.diagonal(), upper)
    gap = certify_ball(measured, rows.diagonal(), upper).gap
    sets = (np.sort(working[s]) for s in (found.ball.support, found.ball.boundary, found.ball.outside))
    support, boundary, outside = sets
    whole = replace(measured, support=support, boundary=boundary, outside=outside)
    return Batches(replace(found, ball=whole, measured=measured, program=None), working, certificates, gap)


def check_fractions(working_fraction: object, batch_fraction: object) -> None:
    """Refuse sizes that are no fractions, even where nothing comes of them.

    Examples
    --------
    >>> check_fractions(0.2, 1)
    Traceback (most recent call last):
    ...
    monoopt.errors.OptionError: batch_fraction is 1; wanted a number between 0 and 1
    """
    for word, fraction in (("working_fraction", working_fraction), ("batch_fraction", batch_fraction)):
        if not is_number(fraction) or not 0 < fraction <= 1 or (word == "batch_fraction" and fraction == 1):
            raise OptionError(f"{word} is {fraction!r}; wanted a number between 0 and 1")
