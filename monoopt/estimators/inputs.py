"""Tables at the door of every estimator: read once, remember the names, hold new tables to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import DataError, refuse
from monoopt.order.frames import align_columns, read_table


def read_fit_table(estimator: Any, X: Any, *, keep_missing: bool = False) -> np.ndarray:
    """Read the table of `fit`; store ``n_features_in_`` and, for named columns, ``feature_names_in_``."""
    values, names = read_table(X, keep_missing=keep_missing)
    estimator.n_features_in_ = values.shape[1]
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return values


def read_new_table(estimator: Any, X: Any, fitted: str, *, keep_missing: bool = False) -> np.ndarray:
    """Read the table of `predict`: columns in the order of fitting, by name where there are names.

    Parameters
    ----------
    fitted : str
        An attribute that exists after `fit`.
    """
    check_is_fitted(estimator, fitted)
    names = getattr(estimator, "feature_names_in_", None)
    values, _ = read_table(align_columns(names, X), keep_missing=keep_missing)
    wanted = estimator.n_features_in_
    if values.shape[1] != wanted:
        who = type(estimator).__name__
        raise DataError(f"X has {values.shape[1]} features, but {who} is expecting {wanted} features as input")
    return values


def read_sample_weight(sample_weight: Any, n: int) -> np.ndarray:
    """Return n weights (1 by default); negative, infinite and missing ones are refused, all zero too."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=float)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise DataError(f"sample_weight has shape {weight.shape}, wanted ({n},): one weight per object")
    faults = []
    for i in np.flatnonzero(~np.isfinite(weight) | (weight < 0))[:20]:
        faults.append(f"object {i}: {weight[i]} (wanted a number that is not negative)")
    if not faults and not weight.any():
        faults.append("all weights are zero: no object is left")
    refuse(faults, "sample_weight")
    return weight
