"""Peers for the monotone ordinal table: each is made by name, fits codes 0..K-1 and predicts codes.

None of them is a dependency of monoopt; one that is not installed is left out and named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler


class FrankHall:
    """K - 1 binary learners "at least class k?"; the answers are added up (Frank and Hall 2001)."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, X: np.ndarray, y: np.ndarray) -> FrankHall:
        """Fit codes."""
        self.constant, self.fitted = 0, []
        for k in range(1, int(y.max()) + 1):
            target = (y >= k).astype(int)
            if target.all():
                self.constant += 1
            else:
                self.fitted.append(clone(self.learner).fit(X, target))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return codes."""
        return self.constant + sum((one.predict(X) for one in self.fitted), np.zeros(len(X), dtype=int))


class OrdinalLearningModel:
    """OLM (Ben-David, Sterling and Pao 1989): keep some objects as rules, answer with the best rule below.

    Equal objects are one object of their mean class, rounded. An object that contradicts a kept one is dropped
    (conservative); one that follows from a kept one is not needed. What lies above no rule gets the lowest class.
    """

    def fit(self, X: np.ndarray, y: np.ndarray) -> OrdinalLearningModel:
        """Fit codes."""
        objects, home = np.unique(X, axis=0, return_inverse=True)
        home = home.ravel()
        codes = np.floor(np.bincount(home, y) / np.bincount(home) + 0.5).astype(int)
        order = np.random.default_rng(0).permutation(len(objects))
        self.rules, self.codes, self.lowest = np.empty((0, X.shape[1])), np.empty(0, dtype=int), int(y.min())
        for i in order:
            below, above = (self.rules <= objects[i]).all(axis=1), (self.rules >= objects[i]).all(axis=1)
            if (self.codes[below] > codes[i]).any() or (self.codes[above] < codes[i]).any():
                continue
            if (self.codes[below] == codes[i]).any():
                continue
            kept = ~(above & (self.codes == codes[i]))
            self.rules = np.vstack([self.rules[kept], objects[i]])
            self.codes = np.append(self.codes[kept], codes[i])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return codes."""
        below = (self.rules[None] <= X[:, None]).all(axis=2)
        return np.where(below, self.codes, self.lowest).max(axis=1)


class Scaled:
    """Attributes standardised first, for learners that care about units."""

    def __init__(self, learner: Any) -> None:
        self.learner, self.scaler = learner, StandardScaler()

    def fit(self, X: np.ndarray, y: np.ndarray) -> Scaled:
        """Fit codes."""
        self.learner.fit(self.scaler.fit_transform(X), y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return codes."""
        return self.learner.predict(self.scaler.transform(X))


def logistic(d: int) -> Any:
    from skordinal.classifiers import LogisticAT

    return Scaled(LogisticAT())


def svor(d: int) -> Any:
    from skordinal.classifiers import SVOR

    return Scaled(SVOR())


def orboost(d: int) -> Any:
    from skordinal.classifiers import ORBoost

    return ORBoost()


def lightgbm(d: int) -> Any:
    from lightgbm import LGBMClassifier

    return FrankHall(LGBMClassifier(monotone_constraints=[1] * d, verbose=-1, n_jobs=1))


def xgboost(d: int) -> Any:
    from xgboost import XGBClassifier

    return FrankHall(XGBClassifier(monotone_constraints=(1,) * d, n_jobs=1))


def histgb(d: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return FrankHall(HistGradientBoostingClassifier(monotonic_cst=[1] * d))


def ebm(d: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return FrankHall(ExplainableBoostingClassifier(monotone_constraints=[1] * d, outer_bags=4, n_jobs=1))


def ruleopt(d: int) -> Any:
    from ruleopt import RUGClassifier
    from ruleopt.solver import HiGHSSolver

    return RUGClassifier(solver=HiGHSSolver(), random_state=0)


def olm(d: int) -> Any:
    return OrdinalLearningModel()


def tree(d: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return FrankHall(DecisionTreeClassifier(min_samples_leaf=2, ccp_alpha=1e-3, random_state=0))


def linear_svm(d: int) -> Any:
    from sklearn.svm import SVC

    return Scaled(FrankHall(SVC(kernel="linear")))


PEERS: dict[str, Callable[[int], Any]] = {
    "skordinal LogisticAT": logistic,
    "skordinal SVOR": svor,
    "skordinal ORBoost": orboost,
    "LightGBM monotone, Frank-Hall": lightgbm,
    "XGBoost monotone, Frank-Hall": xgboost,
    "HistGradientBoosting monotone, Frank-Hall": histgb,
    "EBM monotone, Frank-Hall": ebm,
    "ruleopt RUG": ruleopt,
    "OLM": olm,
    "decision tree, Frank-Hall": tree,
    "linear SVM, Frank-Hall": linear_svm,
}
SLOW = {"EBM monotone, Frank-Hall"}
