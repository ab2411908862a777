"""Schroedinger potential of objects: low in the middle of clusters, high at their edges.

P(x_i) = e - d/2 + (1 / 2 sigma^2) sum_j ||x_i - x_j||^2 g_ij / sum_j g_ij,   g_ij = exp(-||x_i - x_j||^2 / 2 sigma^2)

with e such that the least P is 0: equation (14) of "Integrating the supervised information into unsupervised
learning". The wave function is the Parzen sum of the g; P is what makes it an eigenfunction.
"""

from __future__ import annotations

import numpy as np

from monoopt.errors import OptionError
from monoopt.order.neighbours import CHUNK, distances


def schroedinger_potential(X: np.ndarray, sigma: float) -> np.ndarray:
    """Potential at every object; its minimum is 0 and its minima are cluster centres.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    sigma : float
        Width of the Parzen window, positive.

    Returns
    -------
    ndarray, shape (n,)

    Examples
    --------
    >>> schroedinger_potential(np.array([[-1.0], [0.0], [1.0]]), 1.0).round(3)
    array([0.055, 0.   , 0.055])
    """
    if not np.isfinite(sigma) or sigma <= 0:
        raise OptionError(f"sigma is {sigma!r}; wanted a positive width")
    energy = np.empty(len(X))
    step = max(1, CHUNK // len(X))
    for start in range(0, len(X), step):
        half = distances(X[start : start + step], X) ** 2 / (2.0 * sigma**2)
        window = np.exp(-half)
        energy[start : start + step] = (half * window).sum(axis=1) / window.sum(axis=1)
    return energy - energy.min()
