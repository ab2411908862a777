"""SVDD and SDSN: the smallest ball around data by several solvers, outliers, and clusters with proofs.

The ball is a quadratic program that anybody can look at; every solver finds the same one. On it stands SDSN, which
clusters by representatives and density-aware shortest paths, and predicts for new objects.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_wine, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.svm import OneClassSVM

from monoopt import SDSN, SVDD, solve
from monoopt.errors import DataError
from monoopt.formulations import svdd

# 1. The program, built and looked at before anyone solves it
wine = load_wine().data
X = (wine - wine.mean(axis=0)) / wine.std(axis=0)
K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / X.shape[1])
program = svdd.build(K, C=1 / (0.05 * len(X)))
print(program.describe(), "\n")

# 2. Every solver finds the same ball, and every answer is proved
for solver in ("smo", "highs", "clarabel", "osqp"):
    solution = solve(program, solver, tolerance=1e-8)
    ball = svdd.read(program, solution)
    print(f"{solver:9} R^2 = {ball.squared_radius:.6f}, {len(ball.support)} on or outside; {solution.certificate}")

# 3. The estimator: fit, predict, distances; the same multipliers as a one-class support vector machine
fitted = SVDD(nu=0.05).fit(X)
machine = OneClassSVM(nu=0.05, gamma=fitted.gamma_, tol=1e-8).fit(X)
theirs = np.zeros(len(X))
theirs[machine.support_] = machine.dual_coef_[0] / machine.dual_coef_.sum()
print(f"\n{len(fitted.outside_)} of {len(X)} wines outside, the farthest is {np.argmax(fitted.distance(X))}")
print(f"largest difference of a multiplier to libsvm's: {np.abs(fitted.centre_ - theirs).max():.1e}")

# 4. What is no kernel is refused, with its least eigenvalue; a repair has to be asked for
moons, truth = make_moons(300, noise=0.08, random_state=0)
try:
    SVDD(kernel="tuned", rank=7).fit(moons)
except DataError as error:
    print(f"\n{error}")
print(SVDD(kernel="tuned", rank=7, repair="shift").fit(moons).repair_)

# 5. Clusters with nothing set by hand; labels for new objects; two kinds of proof
found = SDSN(random_state=0).fit(moons)
new, new_truth = make_moons(200, noise=0.08, random_state=1)
print(f"\n{found.n_clusters_} clusters from {len(found.representatives_)} representatives")
print(f"agreement with the truth {adjusted_rand_score(truth, found.labels_):.3f}, ", end="")
print(f"on new objects {adjusted_rand_score(new_truth, found.predict(new)):.3f}")
print(found.certificates_[0])
print(found.path_proof_)
