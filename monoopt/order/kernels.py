"""Kernels: Gaussian, linear and tuning-scaled, as matrices and as rows computed on demand.

Gaussian        K(x, y) = exp(-gamma ||x - y||^2)
tuning-scaled   K(x, y) = exp(-||x - y||^2 / (sigma_x sigma_y)),  sigma_x = distance of x to its r-th nearest object
linear          K(x, y) = (x - m)'(y - m), m the mean of the objects: far-away data lose no digits

The Gaussian kernels are one: exp(-s_x s_y ||x - y||^2) with s = sqrt(gamma), or s = 1 / sigma. The exponent is
an inner product of d + 2 features, so that a block of K is one matrix product and one exponential; where objects lie
so many widths from their mean that rounding would show, it is taken from their differences.

The tuning-scaled kernel is equation (3) of "Integrating the supervised information into unsupervised learning".
It is symmetric with a unit diagonal and is *not* always positive semidefinite (`monoopt.order.definiteness`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from monoopt.errors import DataError, OptionError, nearest
from monoopt.order.neighbours import distances
from monoopt.order.parameters import is_number
from monoopt.order.tuning import tuning_rank, tuning_scales

CHUNK = 1 << 16  # entries of K formed at a time: half a megabyte, which stays in the processor's cache
EXTREME = 1e150  # squares of larger numbers overflow, of smaller ones than its inverse vanish
UNHELD = ", whose squares a number can't hold: give it in another unit"
ROUGH = 1e6  # widths from the mean at which rounding of the inner products moves K by 1e-9: differences are taken then
TILE = 256  # rows and columns of K that are made symmetric at a time, in place
KINDS = ("gaussian", "linear", "tuned", "precomputed")


@dataclass(frozen=True, eq=False)
class KernelRows:
    """K of n objects, any block on demand; the matrix itself is never kept.

    Attributes
    ----------
    left, right : ndarray, shape (n, features)
        ``left @ right.T`` is the linear kernel, or the exponent of a Gaussian one.
    gaussian : bool
        Whether the product is an exponent.
    """

    left: np.ndarray
    right: np.ndarray
    gaussian: bool

    def __len__(self) -> int:
        return len(self.left)

    def take(self, index: np.ndarray) -> KernelRows:
        """Return the rows of a subset of the objects."""
        return replace(self, left=self.left[index], right=self.right[index])

    def diagonal(self) -> np.ndarray:
        """K(x, x) of every object."""
        if self.gaussian:
            return np.ones(len(self))
        return np.einsum("ij,ij->i", self.left, self.right)

    def row(self, k: int) -> np.ndarray:
        """K between object k and all of them."""
        return self._kernel(self.right @ self.left[k])

    def block(self, other: KernelRows) -> np.ndarray:
        """K between these objects (rows) and others (columns)."""
        return self._kernel(self.left @ other.right.T)

    def _kernel(self, product: np.ndarray) -> np.ndarray:
        if self.gaussian:
            np.minimum(product, 0.0, out=product)
            np.exp(product, out=product)
        return product

    def matrix(self) -> np.ndarray:
        """K of all objects, exactly symmetric, with its exact diagonal."""
        K = self.block(self)
        for i in range(0, len(K), TILE):
            for j in range(i, len(K), TILE):
                above, below = K[i : i + TILE, j : j + TILE], K[j : j + TILE, i : i + TILE]
                above[:] = (above + below.T) / 2
                below[:] = above.T
        np.fill_diagonal(K, self.diagonal())
        return K

    def whole(self) -> None:
        """K does not lie in memory."""

    def dot(self, other: KernelRows, weights: np.ndarray) -> np.ndarray:
        """Return ``block(other) @ weights`` without forming more than `CHUNK` entries."""
        total = np.zeros(len(self))
        step = max(1, CHUNK // max(1, len(other)))
        for start in range(0, len(self) if len(other) else 0, step):
            part = slice(start, start + step)
            total[part] = replace(self, left=self.left[part], right=self.right[part]).block(other) @ weights
        return total


@dataclass(frozen=True, eq=False)
class DifferenceRows:
    """exp(-s_x s_y ||x - y||^2) of n objects from their differences: slower than `KernelRows`, right at any width.

    Attributes
    ----------
    X : ndarray, shape (n, d)
        Objects.
    scale : ndarray, shape (n,)
        s of each.
    """

    X: np.ndarray
    scale: np.ndarray

    def __len__(self) -> int:
        return len(self.X)

    def take(self, index: np.ndarray) -> DifferenceRows:
        """Return the rows of a subset of the objects."""
        return DifferenceRows(self.X[index], self.scale[index])

    def diagonal(self) -> np.ndarray:
        """K(x, x) of every object."""
        return np.ones(len(self))

    def row(self, k: int) -> np.ndarray:
        """K between object k and all of them."""
        return self.take(np.array([k])).block(self)[0]

    def block(self, other: DifferenceRows) -> np.ndarray:
        """K between these objects (rows) and others (columns)."""
        with np.errstate(over="ignore"):
            exponent = np.multiply.outer(self.scale, other.scale)
            exponent *= distances(self.X, other.X, squared=True)
        return np.exp(-exponent)

    def matrix(self) -> np.ndarray:
        """K of all objects, exactly symmetric, with its exact diagonal."""
        return self.block(self)

    def whole(self) -> None:
        """K does not lie in memory."""

    def dot(self, other: DifferenceRows, weights: np.ndarray) -> np.ndarray:
        """Return ``block(other) @ weights`` without forming more than `CHUNK` entries."""
        step = max(1, CHUNK // max(1, len(other)))
        parts = [np.arange(start, min(start + step, len(self))) for start in range(0, len(self), step)]
        return np.concatenate([np.zeros(0), *(self.take(part).block(other) @ weights for part in parts)])


def linear_rows(X: np.ndarray) -> KernelRows:
    """Rows of the linear kernel x'y.

    Examples
    --------
    >>> linear_rows(np.array([[1.0, 2.0], [0.0, 1.0]])).matrix()
    array([[5., 2.],
           [2., 1.]])
    """
    return KernelRows(X, X, gaussian=False)


def gaussian_rows(X: np.ndarray, scale: float | np.ndarray, origin: np.ndarray) -> KernelRows:
    """Rows of exp(-s_x s_y ||x - y||^2).

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Objects.
    scale : float or ndarray, shape (n,)
        s: the square root of gamma, or 1 / sigma of every object.
    origin : ndarray, shape (d,)
        A point near the objects (their mean), taken away first so that far-away data lose no digits.
        Blocks between two sets of objects need the same origin in both.

    Examples
    --------
    >>> gaussian_rows(np.array([[0.0], [1.0]]), 1.0, np.zeros(1)).matrix().round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    points = X - origin
    s = np.broadcast_to(np.asarray(scale, dtype=float), (len(X),))[:, None]
    squares = np.einsum("ij,ij->i", points, points)[:, None]
    left = np.hstack([2.0 * s * points, s * squares, s])
    right = np.hstack([s * points, -s, -s * squares])
    return KernelRows(left, right, gaussian=True)


def resolve_gamma(gamma: float | str, X: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
    """Turn ``"scale"`` into 1 / (d * variance of X), 1 if all objects are equal or it is 0; check a number.

    Examples
    --------
    >>> X = np.array([[0.0], [2.0]])
    >>> resolve_gamma("scale", X), resolve_gamma("scale", 10 * X) * 100
    (1.0, 1.0)
    """
    if isinstance(gamma, str):
        if gamma != "scale":
            raise OptionError(f"gamma is {gamma!r}{nearest(gamma, ['scale'])}; wanted 'scale' or a positive number")
        if not X.size or (X == X[0]).all():  # the variance of equal objects may be rounding, not 0
            return 1.0
        mean = np.average(X, axis=0, weights=sample_weight).mean()
        variance = float(np.average(((X - mean) ** 2).mean(axis=1), weights=sample_weight))
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if not is_number(gamma) or gamma <= 0:
        raise OptionError(f"gamma is {gamma!r}; wanted 'scale' or a positive number")
    return float(gamma)


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel with its parameters settled on a set of distinct objects.

    Attributes
    ----------
    kind : "gaussian", "linear" or "tuned"
        Which one.
    X : ndarray, shape (n, d)
        The objects.
    origin : ndarray, shape (d,)
        Their mean.
    scale : float or ndarray, shape (n,)
        sqrt(gamma), or 1 / sigma of every object.
    rank : int or None
        r of the tuning scale.
    exact : bool
        Whether exponents are taken from differences, because some objects are many widths from the mean.
    """

    kind: str
    X: np.ndarray
    origin: np.ndarray
    scale: float | np.ndarray = 1.0
    rank: int | None = None
    exact: bool = False

    def take(self, index: np.ndarray) -> Kernel:
        """Return the same kernel on a subset of the objects: the parameters stay."""
        scale = self.scale[index] if isinstance(self.scale, np.ndarray) else self.scale
        return replace(self, X=self.X[index], scale=scale)

    def width(self) -> float:
        """A typical width sigma of the window exp(-d^2 / 2 sigma^2) that this kernel is (linear: the data's spread)."""
        if self.kind == "linear":
            return float(np.sqrt(self.X.var(axis=0).sum())) or 1.0
        return float(1.0 / (np.sqrt(2.0) * np.mean(self.scale)))

    def rows(self) -> Any:
        """K of the objects, on demand: `KernelRows` or `DifferenceRows`."""
        return self._rows(self.X, self.scale)

    def new_rows(self, new: np.ndarray) -> Any:
        """K of new objects, whose blocks with `rows` are on demand."""
        refuse_large(new)
        return self._rows(new, self.scale if self.rank is None else _inverse_widths(self.X, self.rank, new))

    def _rows(self, X: np.ndarray, scale: float | np.ndarray) -> KernelRows | DifferenceRows:
        if self.kind == "linear":
            return linear_rows(X - self.origin)
        if self.exact:
            return DifferenceRows(X, np.broadcast_to(np.asarray(scale, dtype=float), (len(X),)))
        return gaussian_rows(X, scale, self.origin)


def settle_kernel(
    kind: str,
    X: np.ndarray,
    *,
    gamma: float | str = "scale",
    rank: int | str = "local",
    sample_weight: np.ndarray | None = None,
) -> Kernel:
    """Settle the parameters of a kernel on distinct objects (with weights, if some came more than once).

    Parameters
    ----------
    kind : "gaussian", "linear" or "tuned"
        Which kernel.
    X : ndarray, shape (n, d)
        Distinct objects.
    gamma : float or "scale"
        Of the Gaussian kernel; see `resolve_gamma`.
    rank : int, "local" or "mean"
        r of the tuning scale, or how `tuning_rank` reads it off the objects.

    Examples
    --------
    >>> kernel = settle_kernel("gaussian", np.array([[0.0], [2.0]]))
    >>> kernel.rows().matrix().round(4)
    array([[1.    , 0.0183],
           [0.0183, 1.    ]])
    """
    if kind not in KINDS[:-1]:
        raise OptionError(f"kernel is {kind!r}{nearest(kind, KINDS)}; wanted one of {', '.join(KINDS)}")
    _refuse_extreme(X)
    origin = X.mean(axis=0)
    if kind == "linear":
        return Kernel(kind, X, origin)
    if kind == "gaussian":
        return _settled(Kernel(kind, X, origin, float(np.sqrt(resolve_gamma(gamma, X, sample_weight)))))
    if isinstance(rank, bool) or not isinstance(rank, (str, int, np.integer)):
        raise OptionError(f"rank is {rank!r}; wanted a whole number from 1, 'local' or 'mean'")
    settled = tuning_rank(X, rank) if isinstance(rank, str) else int(rank)
    return _settled(Kernel(kind, X, origin, _inverse_widths(X, settled), settled))


def _settled(kernel: Kernel) -> Kernel:
    """Note whether rounding asks for differences."""
    apart = float(np.abs(kernel.X - kernel.origin).max(initial=0.0)) * float(np.max(kernel.scale))
    return replace(kernel, exact=kernel.X.shape[1] * apart * apart > ROUGH)


def _inverse_widths(X: np.ndarray, rank: int, new: np.ndarray | None = None) -> np.ndarray:
    """1 / sigma; objects so near that their distance can't be told from 0 have the least width there is."""
    return 1.0 / np.maximum(tuning_scales(X, rank, new), 1.0 / EXTREME)


def _refuse_extreme(X: np.ndarray) -> None:
    """Refuse attributes whose squared differences overflow, or vanish."""
    refuse_large(X)
    width = float(np.ptp(X, axis=0).max()) if X.size else 1.0
    if 0.0 < width < 1.0 / EXTREME:
        raise DataError(f"X has entries that differ by no more than {width:.3g}{UNHELD}")


def refuse_large(X: np.ndarray) -> None:
    """Refuse entries whose squares overflow."""
    largest = float(np.abs(X).max(initial=0.0))
    if largest > EXTREME:
        raise DataError(f"X has entries as large as {largest:.3g}{UNHELD}")
