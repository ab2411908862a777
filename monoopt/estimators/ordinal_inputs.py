"""What all monotone ordinal classifiers do alike: read training data, remember names, give honest intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.ordinal_data import OrdinalData, read_ordinal_data
from monoopt.errors import DataError
from monoopt.estimators.rule_book import MonotonicityCheck, count_violations
from monoopt.order import Attributes, Directions, align_columns, extension_bounds, match_precision, merge_equal
from monoopt.order.attributes import GAP

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]


def read_training_data(
    X: Any, y: Any, directions: Directions, sample_weight: Any, order: Sequence[Any] | None, missing: str | None = None
) -> OrdinalData:
    """Read the data of `fit`, warn of what a person should know; labels in one column count as labels.

    Raises
    ------
    DataError
        All faults at once.
    """
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; it is read as 1d",
            DataConversionWarning,
            stacklevel=3,
        )
        y = y[:, 0] if isinstance(y, np.ma.MaskedArray) else np.asarray(y)[:, 0]
    data = read_ordinal_data(X, y, directions, sample_weight, order, missing)
    data.warn(stacklevel=4)
    return data


class OrdinalPredictor:
    """Keeps the distinct training objects with monotone codes, and answers what any monotone extension could say.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Labels, worst first. As in scikit-learn, a label that only rows of weight 0 carry is one of them: the row has no
        say, its label keeps its place in the order (so that folds and bags of the same data have the same classes).
    directions_ : ndarray of int8, shape (d,)
        +1, -1, 0.
    objects_ : ndarray, shape (m, d)
        Distinct training objects that have a say; categories and missing cells as numbers, and, where missing cells
        make objects incomparable, one more column that counts them (see `monoopt.order.attributes`).
    object_codes_ : ndarray of int64, shape (m,)
        Their monotone codes.
    object_weights_ : ndarray, shape (m,)
        Sums of the weights of the rows that they stand for.
    n_features_in_, feature_names_in_
        As scikit-learn has them.
    """

    classes_: npt.NDArray[Any]
    directions_: npt.NDArray[np.int8]
    objects_: Floats
    object_codes_: Integers
    object_weights_: Floats
    feature_names_in_: npt.NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        """Say that monotone functions can't fit everything, and whether missing cells have a policy."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        tags.classifier_tags.poor_score = True
        return tags

    def predict_interval(self, X: Any) -> npt.NDArray[Any]:
        """Return the lowest and the highest label that a monotone function through the training data can give.

        low = max{d_i : x is at least as good as x_i},  high = min{d_i : x_i is at least as good as x};  the lowest
        and the highest class where there is no such object.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)

        Returns
        -------
        ndarray, shape (m, 2)
            Labels. Equal ends: the data leave no choice.
        """
        ends = np.column_stack(self._interval(X))
        return self.classes_[ends]

    def outside_range(self, X: Any) -> npt.NDArray[np.bool_]:
        """Tell which objects lie outside the range of the training data in some attribute.

        Parameters
        ----------
        X : array-like or data frame, shape (m, d)
        """
        old, new, _ = self._matched(X)
        known, gap = np.abs(old) < GAP / 2, np.abs(new) >= GAP / 2
        low = np.where(known, old, np.inf).min(axis=0)
        high = np.where(known, old, -np.inf).max(axis=0)
        outside: npt.NDArray[np.bool_] = np.where(gap, known.all(axis=0), (new < low) | (new > high))
        return np.logical_or.reduce(outside, axis=1)

    def _check_pairs(self, X: Any, answer: Callable[[Any], Integers], by_form: bool, whole: str) -> MonotonicityCheck:
        """Compare all pairs of X, or of the training objects, by the codes that are answered."""
        check_is_fitted(self, "classes_")
        values = self.objects_ if X is None else self._matched(X)[1]
        codes = answer(self._attributes.table(values) if X is None else X)
        return count_violations(values, codes, self.directions_, by_form, whole)

    def _keep_data(self, data: OrdinalData, codes: Integers) -> None:
        """Store what prediction needs; the last step of `fit`."""
        there = data.weights > 0
        self.objects_, home = merge_equal(data.X[there])
        self.object_codes_ = np.empty(len(self.objects_), dtype=np.int64)
        self.object_codes_[home] = codes[there]
        self.object_weights_ = np.bincount(home, weights=data.weights[there]).astype(float)
        self.classes_, self.directions_ = data.labels.classes, data.directions
        self._precision, self._digest = data.precision, data.digest()
        self._keep_attributes(data.attributes)

    def _keep_attributes(self, attributes: Attributes) -> None:
        """Remember what the columns are."""
        self._attributes, self.n_features_in_ = attributes, len(attributes.signs)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if attributes.names is not None:
            self.feature_names_in_ = np.array(attributes.names, dtype=object)

    def _matched(self, X: Any) -> tuple[Floats, Floats, npt.NDArray[np.uint8]]:
        """Return training and new objects in the coarser precision of the two, and that precision."""
        check_is_fitted(self, "classes_")
        table = align_columns(self._attributes.names, X)
        values = self._attributes.read(table)
        if values.shape[1] != len(self.directions_):
            who, wanted = type(self).__name__, self.n_features_in_
            raise DataError(f"X has {values.shape[1]} features, but {who} is expecting {wanted} features as input")
        bits = np.minimum(self._precision, self._attributes.precision_of(table))
        return match_precision(self.objects_, bits), match_precision(values, bits), bits

    def _interval(self, X: Any) -> tuple[Integers, Integers]:
        old, new, _ = self._matched(X)
        low, high = extension_bounds(old, self.object_codes_, self.directions_, new, n_classes=len(self.classes_))
        return np.minimum(low, high), np.maximum(low, high)  # rounding can make objects of two classes equal
