"""A length between objects that respects their density.

W(x, y) = eta_xy (exp(||x - y||^2) - 1),   eta_xy = 2 - min(AD_x, AD_y) / max(AD_x, AD_y),
AD_x = average distance of x to the nearest 5 % of the objects: equations (4) and (5) of "Integrating the supervised
information into unsupervised learning". The metric is the length of the shortest path (`monoopt.order.graphs`).
Distances are taken in a stated unit, because exp makes the metric depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from monoopt.order.neighbours import nearest

DENSITY_SAMPLE = 5000  # objects among which neighbourhoods are averaged when there are more


@dataclass(frozen=True, eq=False)
class DensityMetric:
    """Lengths between objects.

    Attributes
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.
    density : ndarray, shape (n,)
        AD, the average distance to the nearest objects.
    unit : float
        Distances are divided by this before the exponential.
    balanced : bool
        Whether eta is used; without it this is ``W_0`` of equation (8).
    """

    X: np.ndarray
    density: np.ndarray
    unit: float
    balanced: bool = True

    def lengths(self, distance: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """W between objects i and j that are `distance` apart."""
        return self.between(distance, self.density[i], self.density[j])

    def between(self, distance: np.ndarray, density: np.ndarray, other: np.ndarray) -> np.ndarray:
        """W for given average distances (equal ones, zero included, have eta = 1)."""
        with np.errstate(over="ignore"):
            length = np.expm1((distance / self.unit) ** 2)
        if not self.balanced:
            return length
        small, large = np.minimum(density, other), np.maximum(density, other)
        eta = 2.0 - np.divide(small, large, out=np.ones(np.shape(large)), where=large > 0)
        return eta * length

    def reach(self, length: np.ndarray) -> np.ndarray:
        """Distance within which an arc may be as short as `length` (eta >= 1)."""
        return self.unit * np.sqrt(np.log1p(length))


def root_mean_square_distance(X: np.ndarray) -> float:
    """Root of the mean squared distance between two objects drawn at random; 1 if all are equal.

    Examples
    --------
    >>> root_mean_square_distance(np.array([[0.0], [2.0]]))
    1.4142135623730951
    """
    mean_square = 2.0 * float(X.var(axis=0).sum())
    return float(np.sqrt(mean_square)) or 1.0


def average_distances(X: np.ndarray, fraction: float = 0.05, new: np.ndarray | None = None) -> np.ndarray:
    """Average distance of each object to the nearest `fraction` of the others (at least one).

    With more than 5,000 objects the neighbourhood is the same fraction of 5,000 of them at even steps.

    Examples
    --------
    >>> average_distances(np.array([[0.0], [1.0], [3.0]]), 0.6)
    array([2. , 1.5, 2.5])
    """
    n = len(X)
    if n == 1:
        return np.ones(1 if new is None else len(new))
    among = X if n <= DENSITY_SAMPLE else X[np.linspace(0, n - 1, DENSITY_SAMPLE).astype(int)]
    count = int(np.clip(round(fraction * len(among)), 1, len(among) - 1))
    found = nearest(among, X if new is None else new, count + 1)[0]
    itself = found[:, 0] == 0
    return np.where(itself, found[:, 1:].mean(axis=1), found[:, :-1].mean(axis=1))
