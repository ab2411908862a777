"""Constrained ranking: an index of countries that never contradicts its indicators, and says how sure it is.

Three indicators that Gapminder collects, two of them gains and one a cost. The ranking runs along a principal curve
that is proved strictly monotone; beside it stand a weighted sum, the first principal component and rank aggregation.
"""

from __future__ import annotations

import warnings

import numpy as np

from monoopt import (
    FirstPrincipalComponent,
    KemenyAggregation,
    MedianRankAggregation,
    RankingPrincipalCurve,
    WeightedSum,
    bootstrap_ranks,
    check_meta_rules,
    datasets,
)
from monoopt.errors import DataError, DataWarning

warnings.simplefilter("ignore", DataWarning)
countries = datasets.load_countries()
X, names, directions = countries.columns(), list(countries.objects), countries.directions

# 1. The curve, and what is proved about it
curve = RankingPrincipalCurve(directions=directions).fit(X, objects=names)
print(f"{len(names)} countries; {curve.explained_variance_:.1%} of the variance explained")
print(curve.shapes_)
print(curve.monotonicity_)
print(curve.stationarity_, "\n")

# 2. Beside the usual rules: the same directions, the same call
rivals = [WeightedSum, FirstPrincipalComponent, MedianRankAggregation, KemenyAggregation]
ranks = {kind.__name__: kind(directions=directions).fit(X, objects=names).rank() for kind in rivals}
best = np.argsort(curve.rank())[:8]
print(f"{'':14}{'curve':>7}" + "".join(f"{name[:13]:>15}" for name in ranks))
for i in best:
    print(f"{names[i]:14}{curve.rank()[i]:7d}" + "".join(f"{r[i]:15d}" for r in ranks.values()))

# 3. Why, and what keeps a country from the top
print(f"\n{names[best[0]]} against {names[best[2]]}:\n{curve.compare(names[best[0]], names[best[2]])}")
print(f"{names[best[2]]} loses most by", curve.reasons(names[best[2]]), "\n")

# 4. How sure the ranks are
spread = bootstrap_ranks(curve, X, n_boot=50, objects=names)
print(spread)
print(f"P(Luxembourg above Japan) = {spread.above('Luxembourg', 'Japan'):.2f}\n")

# 5. New objects: frozen scale, one row or many, a flag beyond the range
newcomer = {name: [value] for name, value in zip(countries.feature_names, (200_000.0, 80.0, 3.0), strict=True)}
print("score", curve.score_samples(newcomer), "outside the range:", curve.outside_range(newcomer)[0].tolist())

# 6. Preferences are rows of the program; those that cannot hold are named
told = RankingPrincipalCurve(directions=directions, anchors=[("Sweden", "above", "United States")]).fit(
    X, objects=names
)
print("Sweden", told.rank()[names.index("Sweden")], "United States", told.rank()[names.index("United States")])
try:
    RankingPrincipalCurve(directions=directions, anchors=[("Chad", "above", "Norway"), ("Chad", "above", "Niger")]).fit(
        X, objects=names
    )
except DataError as conflict:
    print(conflict, "\n")

# 7. The five meta-rules, for any rule
print(check_meta_rules(RankingPrincipalCurve(directions=[1, 1, -1], solver="direct"), countries.X, [1, 1, -1]))
print(check_meta_rules(WeightedSum(directions=[1, 1, -1]), countries.X, [1, 1, -1]), "\n")

# 8. Table I of the paper: rank aggregation cannot tell A from B, the curve can, and the values decide
for title, table in (
    ("A, B, C ", [[0.3, 0.25], [0.25, 0.55], [0.7, 0.7]]),
    ("A', B, C", [[0.35, 0.4], [0.25, 0.55], [0.7, 0.7]]),
):
    goalposts = {"x0": (0, 1), "x1": (0, 1)}
    scores = RankingPrincipalCurve(solver="direct", scaling=goalposts, n_starts=60).fit(table).scores_
    median = MedianRankAggregation().fit(table)
    # the paper counts places from below
    print(title, "mean places", (4 - median.kappa_).tolist(), "curve", scores.round(3).tolist(), end=" ")
    print("order", " < ".join(title.split(", ")[i].strip() for i in np.argsort(scores)))
