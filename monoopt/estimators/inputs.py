"""Tables at the door of every estimator: read once, remember the names, hold new tables to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from monoopt.errors import DataError, OptionError
from monoopt.order.frames import align_columns, read_table


def read_fit_table(estimator: Any, X: Any, *, keep_missing: bool = False) -> np.ndarray:
    """Read the table of `fit`; store ``n_features_in_`` and, for named columns, ``feature_names_in_``."""
    values, names = read_table(X, keep_missing=keep_missing, policies=_policies(estimator))
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
    values, _ = read_table(align_columns(names, X), keep_missing=keep_missing, policies=_policies(estimator))
    wanted = estimator.n_features_in_
    if values.shape[1] != wanted:
        who = type(estimator).__name__
        raise DataError(f"X has {values.shape[1]} features, but {who} is expecting {wanted} features as input")
    return values


def _policies(estimator: Any) -> tuple[str, ...]:
    """What an estimator that refuses missing cells could do with them instead."""
    return ("project",) if getattr(estimator, "missing", None) == "refuse" else ()


def check_flags(estimator: Any, *words: str) -> None:
    """Refuse parameters that are neither True nor False."""
    wrong = [word for word in words if not isinstance(getattr(estimator, word), bool | np.bool_)]
    if wrong:
        said = ", ".join(f"{word}={getattr(estimator, word)!r}" for word in wrong)
        raise OptionError(f"{type(estimator).__name__}: {said}; wanted True or False")


def read_random_state(value: Any) -> np.random.RandomState:
    """Return the source of random numbers; `OptionError` for what is none."""
    try:
        return check_random_state(value)
    except (ValueError, TypeError) as error:
        raise OptionError(f"random_state is {value!r}; wanted a whole number from 0, a RandomState or None") from error
