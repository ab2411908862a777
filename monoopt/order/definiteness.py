"""Is a kernel matrix one? Symmetry, least eigenvalue, and three stated ways to go on when it is negative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from monoopt.errors import DataError, OptionError, nearest, refuse

TOLERANCE = 1e-8  # a least eigenvalue above -TOLERANCE * largest |entry| passes: rounding, not indefiniteness
DENSE_LIMIT = 3000  # largest matrix whose least eigenvalue is computed densely
NEGLIGIBLE = 1e-12  # entries smaller than this part of the tolerance move no eigenvalue by as much
LANCZOS = 1e-6  # relative precision of an eigenvalue found by Lanczos steps
LEAST, MOST = 1e-290, 1e300  # of the largest |entry|
REPAIRS = ("raise", "clip", "shift")


@dataclass(frozen=True)
class Repair:
    """What was found and done to a kernel matrix.

    Attributes
    ----------
    how : "none", "clip" or "shift"
        ``clip`` sets negative eigenvalues to 0, ``shift`` adds -least to the diagonal.
    least : float
        Least eigenvalue as it came (0 when the cheap test proved it at least -`tolerance`).
    tolerance : float
        How negative it may be without a repair.
    """

    how: str
    least: float
    tolerance: float

    def __str__(self) -> str:
        """One line for people."""
        if self.how == "none":
            return f"positive semidefinite (tolerance {self.tolerance:.1e})"
        return f"least eigenvalue {self.least:.6g}, repaired by {self.how}"


def check_square(K: np.ndarray, what: str = "the kernel matrix") -> None:
    """Refuse a matrix that is not square, finite and symmetric; all faults at once.

    Examples
    --------
    >>> check_square(np.array([[1.0, 0.5], [0.4, 1.0]]))
    Traceback (most recent call last):
    ...
    monoopt.errors.DataError: the kernel matrix: not symmetric: entry (0, 1) is 0.5, entry (1, 0) is off it by -0.1
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise DataError(f"{what}: shape {K.shape}, wanted a square matrix (objects x objects)")
    faults = []
    wrong = np.argwhere(~np.isfinite(K))
    if len(wrong):
        i, j = (int(v) for v in wrong[0])
        faults.append(f"{len(wrong)} entries are NaN or infinite, the first is ({i}, {j})")
    else:
        D = np.abs(K - K.T)
        if K.size and D.max() > TOLERANCE * np.abs(K).max():
            i, j = (int(v) for v in np.unravel_index(np.argmax(D), D.shape))
            apart = K[j, i] - K[i, j]
            faults.append(f"not symmetric: entry ({i}, {j}) is {K[i, j]:g}, entry ({j}, {i}) is off it by {apart:.3g}")
    refuse(faults, what)


def check_size(K: np.ndarray, what: str = "the kernel matrix") -> None:
    """Refuse entries so large that their sums overflow, or all so small that few digits of them are left.

    Examples
    --------
    >>> check_size(np.array([[1e-300]]), "K")
    Traceback (most recent call last):
    ...
    monoopt.errors.DataError: K: the largest |entry| is 1e-300, wanted 0 or 1e-290 to 1e+300: divide all entries by it
    """
    largest = float(np.abs(K).max(initial=0.0))
    if largest and not LEAST <= largest <= MOST:
        raise DataError(
            f"{what}: the largest |entry| is {largest:g}, wanted 0 or {LEAST:g} to {MOST:g}: divide all entries by it"
        )


def least_eigenvalue(K: np.ndarray) -> float:
    """Least eigenvalue of a symmetric matrix (Lanczos above 3,000 rows).

    Examples
    --------
    >>> round(least_eigenvalue(np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])), 4)
    -0.2728
    """
    from scipy.linalg import LinAlgError, eigvalsh
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    if len(K) <= DENSE_LIMIT:
        try:
            return float(eigvalsh(K, subset_by_index=[0, 0])[0])
        except LinAlgError:  # LAPACK's driver for subsets gives up on some matrices of equal blocks
            return float(np.linalg.eigvalsh(K)[0])
    start = np.random.default_rng(0).standard_normal(len(K))
    try:
        return float(eigsh(K, k=1, which="SA", return_eigenvectors=False, v0=start, tol=LANCZOS)[0])
    except ArpackNoConvergence:
        return float(eigvalsh(K)[0])


def repair(K: np.ndarray, how: str = "raise", what: str = "the kernel matrix") -> tuple[np.ndarray, Repair]:
    """Return a positive semidefinite matrix and what was done; a valid K comes back as it is.

    Parameters
    ----------
    K : ndarray, shape (n, n)
        Symmetric. Singular is fine: eigenvalues down to ``-1e-8 * max |K|`` count as zero.
    how : "raise", "clip" or "shift"
        What to do with a negative least eigenvalue: refuse, set negative eigenvalues to zero, or add
        its size to the diagonal. Measured on planar data with the tuning-scaled kernel, a shift moves
        the SVDD multipliers about ten times less than clipping.

    Raises
    ------
    DataError
        With ``how="raise"``; the message holds the least eigenvalue.

    Examples
    --------
    >>> K, done = repair(np.array([[1.0, 2.0], [2.0, 1.0]]), "shift")
    >>> K, str(done)
    (array([[2., 2.],
           [2., 2.]]), 'least eigenvalue -1, repaired by shift')
    """
    check_repair(how)
    tolerance = TOLERANCE * float(np.abs(K).max()) if K.size else 0.0
    if _passes(K, tolerance):
        return K, Repair("none", 0.0, tolerance)
    least = least_eigenvalue(K)
    if least >= -tolerance:
        return K, Repair("none", least, tolerance)
    if how == "raise":
        raise DataError(
            f"{what} is not positive semidefinite: least eigenvalue {least:.4g}, tolerance {-tolerance:.1e}. Give a "
            "valid kernel, or repair='shift' (adds to the diagonal) or 'clip' (drops negative eigenvalues)"
        )
    added = -least if len(K) <= DENSE_LIMIT else -least * (1.0 + 2.0 * LANCZOS)
    fixed = _clipped(K) if how == "clip" else K + added * np.eye(len(K))
    return fixed, Repair(how, least, tolerance)


def check_repair(how: object) -> None:
    """Refuse a word that is no repair."""
    if not isinstance(how, str) or how not in REPAIRS:
        raise OptionError(f"repair is {how!r}{nearest(how, REPAIRS)}; wanted one of {', '.join(REPAIRS)}")


def _passes(K: np.ndarray, tolerance: float) -> bool:
    """Cheap proof that no eigenvalue is below -tolerance: a Cholesky factor of K + tolerance I exists."""
    from scipy.linalg import LinAlgError, cholesky

    if not K.size or tolerance == 0.0:
        return True  # no object, or the zero matrix
    shifted = K + tolerance * np.eye(len(K))
    shifted[np.abs(shifted) < NEGLIGIBLE * tolerance] = 0.0  # arithmetic on numbers near 1e-308 is tens of times slower
    try:
        cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _clipped(K: np.ndarray) -> np.ndarray:
    from scipy.linalg import eigh

    values, vectors = eigh(K)
    fixed = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return (fixed + fixed.T) / 2
