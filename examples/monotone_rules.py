"""Monotone rules for ordered classes: fit, read, prove, ask, keep.

LEV: 1000 anonymous lecturer evaluations, four scores, five classes from poor to excellent. The rules separate the
relabelled data with the largest margin that monotone rules can have; a better lecturer never gets a lower class.
"""

from __future__ import annotations

import json

import numpy as np
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import KFold, cross_val_predict

from monoopt import LPRulesClassifier, datasets

lev = datasets.load_lev()
X = dict(zip(lev.feature_names, lev.X.T, strict=True))  # a dict of columns, or a data frame: names come along
rules = LPRulesClassifier(directions=lev.directions).fit(X, lev.y)

print(f"relabelling: cost {rules.relabelling_.cost:g} for {len(lev.y)} objects, the least possible")
print("margins:    ", np.round(rules.margins_, 4), " bounds over all monotone rules:", np.round(rules.bounds_, 4))
print("proved:     ", all(certificate.ok for certificate in rules.certificates_))
print("monotone:   ", rules.verify())
print(f"\n{rules.rules_.text(1)}\n")

newcomer = {name: [score] for name, score in zip(lev.feature_names, [2, 1, 3, 2], strict=True)}
print("a newcomer with", {name: column[0] for name, column in newcomer.items()})
print("  class:", rules.predict(newcomer)[0], " classes that the data allow:", rules.predict_interval(newcomer)[0])

again = LPRulesClassifier.from_dict(json.loads(json.dumps(rules.to_dict())))  # plain JSON, no pickle
print("  same answer after saving:", bool((again.predict(X) == rules.predict(X)).all()))

folds = KFold(5, shuffle=True, random_state=0)
predicted = cross_val_predict(LPRulesClassifier(directions=list(lev.directions.values())), lev.X, lev.y, cv=folds)
print(f"\nmean absolute error, 5-fold cross-validation: {mean_absolute_error(lev.y, predicted):.3f}")
