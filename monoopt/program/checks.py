"""What every program must satisfy before anyone solves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from monoopt.errors import FormulationError

if TYPE_CHECKING:
    from monoopt.program.program import Program

CONVEX_TOLERANCE = 1e-8  # least eigenvalue allowed in a box, relative to the largest diagonal entry
ROUNDING = 4 * float(np.finfo(float).eps)  # times size and norm of P: what rounding makes of a zero eigenvalue
DENSE_LIMIT = 3000  # largest sparse P whose eigenvalue is taken from the dense matrix


def check_program(program: Program) -> None:
    """Raise one `FormulationError` that lists every shape, NaN and bound that is wrong."""
    faults = [*_shape_faults(program), *_sense_faults(program)]
    if not faults:
        faults = [*_value_faults(program), *_bound_faults(program)]
    if faults:
        raise FormulationError(f"program {program.name!r}: " + "; ".join(faults))


def check_convex(P: np.ndarray | sparse.csc_array | None, name: str, boxed: bool = False) -> None:
    """Raise `FormulationError` with the least eigenvalue unless P is positive semidefinite.

    A singular Gram matrix passes: least eigenvalues down to minus what rounding makes of zero (size times norm times
    the machine's precision) count as zero; ``1e-8`` times the largest diagonal entry where all columns of P have
    finite bounds (`boxed`), since there it can move the objective that little only. A free column would run away.
    """
    if P is None:
        return
    scale = float(np.abs(P.diagonal()).max()) or float(abs(P).max())
    rounding = ROUNDING * P.shape[0] * float(np.asarray(abs(P).sum(axis=0)).max())
    tolerance = max(rounding, CONVEX_TOLERANCE * scale) if boxed else rounding
    if P.diagonal().min() >= 0 and _is_psd(P, tolerance):
        return
    least = least_eigenvalue(P)
    if least < -tolerance:
        raise FormulationError(
            f"program {name!r}: the quadratic part is not convex in the sense it is optimised "
            f"(least eigenvalue {least:.6g}, tolerance {-tolerance:.1e}); "
            "wanted a positive semidefinite P to minimise, a negative semidefinite one to maximise"
        )


def least_eigenvalue(P: np.ndarray | sparse.csc_array) -> float:
    """Least eigenvalue of a symmetric matrix."""
    if isinstance(P, np.ndarray) or P.shape[0] <= DENSE_LIMIT:
        dense = P if isinstance(P, np.ndarray) else P.toarray()
        try:
            return float(eigvalsh(dense, subset_by_index=[0, 0])[0])
        except LinAlgError:  # LAPACK's driver for subsets gives up on some matrices of equal blocks
            return float(np.linalg.eigvalsh(dense)[0])
    try:
        return float(eigsh(P, k=1, which="SA", return_eigenvectors=False, v0=np.ones(P.shape[0]))[0])
    except ArpackNoConvergence as stopped:
        raise FormulationError(
            f"the least eigenvalue of a sparse {P.shape} quadratic part was not found; give P dense or split it"
        ) from stopped


def _is_psd(P: np.ndarray | sparse.csc_array, shift: float) -> bool:
    """Cheap sufficient tests: diagonal dominance, then a shifted Cholesky factorisation."""
    rest = np.asarray(abs(P).sum(axis=1)).ravel() - P.diagonal()
    if (P.diagonal() >= rest).all():
        return True
    if not isinstance(P, np.ndarray):
        if P.shape[0] > DENSE_LIMIT:
            return False
        P = P.toarray()
    shifted = P + shift * np.eye(len(P))
    shifted[np.abs(shifted) < 1e-12 * shift] = 0.0  # arithmetic near 1e-308 is tens of times slower
    try:
        cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _shape_faults(program: Program) -> list[str]:
    n, m = len(program.c), len(program.row_lower)
    wanted = {"lower": n, "upper": n, "integer": n, "row_upper": m}
    faults = [
        f"{word} has {len(getattr(program, word))} entries, wanted {size}"
        for word, size in wanted.items()
        if getattr(program, word).shape != (size,)
    ]
    if program.A.shape != (m, n):
        faults.append(f"A has shape {program.A.shape}, wanted {(m, n)}")
    if program.P is not None and program.P.shape != (n, n):
        faults.append(f"P has shape {program.P.shape}, wanted {(n, n)}")
    for cone in program.cones:
        if cone.G.shape != (cone.block.size, n) or cone.h.shape != (cone.block.size,):
            faults.append(f"cone {cone.block.name!r}: G {cone.G.shape} and h {cone.h.shape} do not fit")
        if cone.kind == "exponential" and cone.block.size % 3:
            faults.append(f"cone {cone.block.name!r}: exponential entries come in threes, got {cone.block.size}")
        if cone.kind == "second_order" and not cone.block.size:
            faults.append(f"cone {cone.block.name!r}: a second-order cone needs at least one entry")
    return faults


def _sense_faults(program: Program) -> list[str]:
    known = ("minimize", "maximize")
    return [] if program.sense in known else [f"sense is {program.sense!r}, wanted 'minimize' or 'maximize'"]


def _value_faults(program: Program) -> list[str]:
    faults = []
    matrix = program.P
    data = {"cost": program.c, "offset": np.array([program.offset]), "row coefficient": program.A.data}
    if matrix is not None:
        data["quadratic coefficient"] = matrix if isinstance(matrix, np.ndarray) else matrix.data
        if abs(matrix - matrix.T).max() > 1e-12 * max(1.0, float(abs(matrix).max())):
            faults.append("P is not symmetric")
    for cone in program.cones:
        data[f"coefficient of cone {cone.block.name!r}"] = np.append(cone.G.data, cone.h)
    for what, array in data.items():
        wrong = ~np.isfinite(array)
        if wrong.any():
            faults.append(f"{int(wrong.sum())} {what}(s) are NaN or infinite")
    return faults


def _bound_faults(program: Program) -> list[str]:
    pairs = (
        ("column", program.lower, program.upper, program.column_name),
        ("row", program.row_lower, program.row_upper, program.row_name),
    )
    faults = []
    for what, low, high, name in pairs:
        checks = {
            "a NaN bound": np.isnan(low) | np.isnan(high),
            "lower bound +inf or upper bound -inf": (low == np.inf) | (high == -np.inf),
            "lower bound above upper bound, so that no value is left": low > high,
        }
        for problem, wrong in checks.items():
            if wrong.any():
                first = int(np.argmax(wrong))
                faults.append(
                    f"{int(wrong.sum())} {what}(s) with {problem}, the first is {name(first)}: "
                    f"[{low[first]:g}, {high[first]:g}]"
                )
    return faults
