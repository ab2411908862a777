"""Tables at the door of every estimator: read once, remember the names, hold new tables to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import DataError
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
