"""The reasons for a class, what keeps an object from the next one, and the cheapest way up.

LEV: 1000 anonymous lecturer evaluations, four scores, five classes. Every answer below adds up or is proved.
"""

from __future__ import annotations

import json

from monoopt import LPRulesClassifier, datasets

lev = datasets.load_lev()
X = dict(zip(lev.feature_names, lev.X.T, strict=True))
rules = LPRulesClassifier(directions=lev.directions).fit(X, lev.y)
newcomer = {name: [score] for name, score in zip(lev.feature_names, [2, 1, 3, 2], strict=True)}

print(rules.explain(newcomer, top=3)[0])

print("\nagainst a better one:")
print(rules.compare([3, 3, 3, 3], [2, 1, 3, 2]))

print("\nthe cheapest way to class 4 with in1 as it is:")
way = rules.recourse(newcomer, 4, fixed=["in1"])
print(f"  {way}")
assert way.certificate.ok and way.label >= 4

heaviest = max(rules.rule_table(), key=lambda entry: entry["support"] * entry["weight"])
print("\none rule as data:", json.dumps(heaviest))

print("\nfewer rules for question 3:")
print(rules.rule_path(3, [0.0, 0.1, 0.3]))

print("\n", rules.verify(), sep="")
