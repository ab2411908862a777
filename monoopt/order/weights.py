"""Weights of objects: finite, not negative, not all zero, and of a size that sums can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.errors import refuse
from monoopt.order.cells import as_array, as_objects, read_cells
from monoopt.order.frames import SHOWN

LEAST, MOST = 1e-250, 1e250
"""Bounds of the largest weight and of the sum; beyond them costs and ratios leave the range of float64."""


def read_weights(sample_weight: Any, n: int, *, what: str = "sample_weight") -> npt.NDArray[np.float64]:
    """Return one weight for each object: 1 by default, a number alone stands for all.

    Raises
    ------
    DataError
        Another shape, text, or weights that are missing, masked, infinite or negative (the first 20 are
        listed); all zero; a sum beyond 1e250, or a largest weight below 1e-250.

    Examples
    --------
    >>> read_weights([1, 0.5], 2)
    array([1. , 0.5])
    """
    if sample_weight is None:
        return np.ones(n)
    given = as_array(sample_weight, what)
    given = np.full(n, given.item() if given.dtype.kind not in "mM" else given) if given.ndim == 0 else given
    refuse([] if given.shape == (n,) else [f"shape {given.shape}, wanted ({n},): one weight per object"], what)
    weights, wrong = (given.astype(np.float64), []) if given.dtype.kind in "biuf" else read_cells(as_objects(given))
    odd = [(i, f"{weights[i]:g}") for i in np.flatnonzero(~(np.isfinite(weights) & (weights >= 0))).tolist()]
    faults = [f"object {i}: {why}, wanted a finite number that is not negative" for i, why in sorted(wrong + odd)]
    refuse(faults[:SHOWN] + ([f"and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []), what)
    refuse(size_faults(weights), what)
    return weights


def size_faults(weights: npt.NDArray[np.float64]) -> list[str]:
    """Say what is wrong with the size of weights: only ratios matter, so whoever gave them can scale them.

    Examples
    --------
    >>> size_faults(np.array([0.0, 0.0])), size_faults(np.array([0.0, 2.0]))
    (['all weights are zero: no object is left'], [])
    """
    if not weights.any():
        return ["all weights are zero: no object is left"]
    advice = "only ratios matter, so divide all weights by the largest"
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if total > MOST:
        return [f"the sum {total:g} is beyond {MOST:g}: {advice}"]
    if weights.max() < LEAST:
        return [f"the largest weight {weights.max():g} is below {LEAST:g}: {advice}"]
    return []
