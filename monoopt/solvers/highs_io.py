"""Read LP and MPS files through HiGHS, a reader we did not write, into a `Program`."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from monoopt.errors import DataError
from monoopt.program import Block, Program
from monoopt.program.writers import HIGH, LOW, OFFSET, TURNED
from monoopt.solvers.highs_calls import make_highs
from monoopt.solvers.settings import Settings

SMALLEST = {"small_matrix_value": 1e-12}  # its default drops coefficients below 1e-9 while reading
ENDINGS = (".lp", ".mps")
FAMILY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\((.*)\))?\Z")


def read_program(path: str | Path) -> Program:
    """Read an LP or MPS file (by its ending, also ``.gz``) into a `Program`.

    Names of the form ``block(i,j)`` become blocks again; other names are kept as they stand. A row pair
    ``name.lo``, ``name.up`` with equal coefficients is one range row, and a last column ``offset`` that is fixed at 1
    and stands in no row is the constant of the objective, as `to_lp` and `to_mps` write them; so is the first line of a
    maximisation in MPS.

    Raises
    ------
    DataError
        The file is not there, or HiGHS can't read it or reads nothing from it.
    """
    place = Path(path)
    if not place.is_file():
        raise DataError(f"no file {str(path)!r}; wanted an LP or MPS file")
    log: list[str] = []
    highs = make_highs(Settings(options=SMALLEST), log)
    code = highs.readModel(str(place))
    lp = highs.getLp()
    if code.name == "kError" or lp.num_col_ == 0:
        raise DataError(f"HiGHS can't read {str(path)!r}: {_complaint(place, log)}")
    return _program(place.stem, highs, lp, _stands_turned(place))


def _complaint(path: Path, log: list[str]) -> str:
    """What is wrong with a file that could not be read: what plainly is, or what HiGHS says of it."""
    if path.suffix.removesuffix(".gz") not in ENDINGS and Path(path.stem).suffix not in ENDINGS:
        return f"its name ends in {path.suffix or 'nothing'!r}; wanted {' or '.join(ENDINGS)} (or these with .gz)"
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        if not file.read().strip():
            return "the file is empty"
    return "".join(log).strip() or "no columns found"


def _stands_turned(path: Path) -> bool:
    """Whether the first line says that a maximisation was written as a minimisation."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        return file.readline().decode("latin-1").strip() == TURNED


def _program(name: str, highs: Any, lp: Any, turned: bool) -> Program:
    n, m = lp.num_col_, lp.num_row_
    sign = -1.0 if lp.sense_.name == "kMaximize" else 1.0
    sense: Literal["minimize", "maximize"] = "maximize" if turned or sign < 0 else "minimize"
    A, low, high, rows = _merged(
        _matrix(lp.a_matrix_, m, n),
        np.array(lp.row_lower_),
        np.array(lp.row_upper_),
        _names(lp.row_names_, m, "row"),
    )
    names = _names(lp.col_names_, n, "column")
    whole = [kind.name for kind in lp.integrality_] or ["kContinuous"] * n
    odd = sorted(set(whole) - {"kContinuous", "kInteger"})
    if odd:
        raise DataError(f"columns of kind {', '.join(odd)} are not supported; wanted continuous or integer ones")
    c, lower, upper = np.array(lp.col_cost_), np.array(lp.col_lower_), np.array(lp.col_upper_)
    P = _hessian(highs.getModel().hessian_, n, sign)
    k = n - _ends_with_constant(names, A, P, lower, upper)
    return Program(
        name=name,
        sense=sense,
        columns=_blocks(names[:k], "column"),
        rows=_blocks(rows, "row"),
        c=sign * c[:k] + 0.0,
        A=A[:, :k],
        row_lower=low,
        row_upper=high,
        lower=lower[:k],
        upper=upper[:k],
        integer=np.array([kind == "kInteger" for kind in whole[:k]], dtype=bool),
        P=None if P is None else P[:k, :k],
        offset=sign * (lp.offset_ + float(c[k:].sum())) + 0.0,
    )


def _ends_with_constant(
    names: list[str], A: sparse.csr_array, P: sparse.csc_array | None, lower: np.ndarray, upper: np.ndarray
) -> bool:
    """Whether the last column is how our writers put the constant of the objective into a file."""
    last = len(names) - 1
    alone = last not in A.indices and (P is None or last not in P.indices)
    return bool(names[last] == OFFSET and lower[last] == upper[last] == 1 and alone)


def _matrix(matrix: Any, m: int, n: int) -> sparse.csr_array:
    entries = (np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_))
    by_row = matrix.format_.name != "kColwise"
    A = sparse.csr_array(entries, shape=(m, n)) if by_row else sparse.csr_array(sparse.csc_array(entries, shape=(m, n)))
    A.sum_duplicates()
    A.eliminate_zeros()
    return A


def _hessian(hessian: Any, n: int, sign: float) -> sparse.csc_array | None:
    """The full symmetric matrix from HiGHS's lower triangle."""
    if hessian.dim_ == 0 or not len(hessian.value_):
        return None
    entries = (np.array(hessian.value_), np.array(hessian.index_), np.array(hessian.start_))
    lower = sparse.csc_array(entries, shape=(n, n)) * sign
    if hessian.format_.name == "kTriangular":
        lower = lower + sparse.tril(lower, -1).T
    full = sparse.csc_array(lower)
    full.eliminate_zeros()
    return full


def _names(names: list[str], size: int, word: str) -> list[str]:
    return list(names) if len(names) == size and all(names) else [f"{word}({k})" for k in range(size)]


def _merged(
    A: sparse.csr_array, low: np.ndarray, high: np.ndarray, names: list[str]
) -> tuple[sparse.csr_array, np.ndarray, np.ndarray, list[str]]:
    """Join the row pairs ``name.lo``, ``name.up`` that stand one after the other with equal coefficients."""
    keep = np.ones(len(names), dtype=bool)
    names = list(names)
    for i in range(len(names) - 1):
        stem = names[i].removesuffix(LOW)
        twins = names[i].endswith(LOW) and names[i + 1] == stem + HIGH and stem not in names
        if twins and not (A[[i]] != A[[i + 1]]).nnz:
            high[i], names[i], keep[i + 1] = high[i + 1], stem, False
    return A[keep], low[keep], high[keep], [name for name, kept in zip(names, keep, strict=True) if kept]


def _blocks(names: list[str], word: str) -> tuple[Block, ...]:
    """Blocks from runs of one family; one verbatim block where the names have no such form."""
    parts = [match.groups() for match in map(FAMILY.match, names) if match]
    verbatim = (Block(word, 0, len(names), (len(names),), np.array(names), verbatim=True),)
    if not names or len(parts) < len(names):
        return verbatim if names else ()
    starts = [k for k, (name, label) in enumerate(parts) if k == 0 or label is None or name != parts[k - 1][0]]
    runs = list(zip(starts, [*starts[1:], len(parts)], strict=True))
    if len({parts[start][0] for start, _ in runs}) != len(runs):
        return verbatim
    return tuple(_run(parts[start][0], start, stop, [label for _, label in parts[start:stop]]) for start, stop in runs)


def _run(name: str, start: int, stop: int, words: list[str | None]) -> Block:
    if words == [None]:
        return Block(name, start, stop, ())
    parts = [str(word).split(",") for word in words]
    if len({len(part) for part in parts}) != 1:
        parts = [[str(word)] for word in words]
    index = np.array(parts)
    if all(part.lstrip("-").isdigit() and str(int(part)) == part for part in index.ravel().tolist()):
        index = index.astype(np.int64)
    return Block(name, start, stop, (stop - start,), index[:, 0] if index.shape[1] == 1 else index)
