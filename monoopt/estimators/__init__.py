"""fit / predict / rank, in scikit-learn's manners; every estimator keeps its certificates. Names load on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monoopt.estimators.isotonic_separation import IsotonicSeparationClassifier
    from monoopt.estimators.lprules import LPRulesClassifier
    from monoopt.estimators.lprules_cv import LPRulesClassifierCV
    from monoopt.estimators.meta_rules import check_meta_rules
    from monoopt.estimators.monotone_mixture import MonotoneMixtureClassifier
    from monoopt.estimators.monotone_probability import MonotoneProbabilityClassifier
    from monoopt.estimators.rank_aggregation import FootruleAggregation, KemenyAggregation, MedianRankAggregation
    from monoopt.estimators.rank_baselines import FirstPrincipalComponent, WeightedSum
    from monoopt.estimators.rank_uncertainty import bootstrap_ranks, leave_one_out, rank_reversals, scaling_sensitivity
    from monoopt.estimators.relabeler import MonotoneRelabeler
    from monoopt.estimators.rpc import RankingPrincipalCurve
    from monoopt.estimators.sdsn import SDSN
    from monoopt.estimators.support_vector_clustering import SupportVectorClustering
    from monoopt.estimators.svdd import SVDD

__all__ = [
    "SDSN",
    "SVDD",
    "FirstPrincipalComponent",
    "FootruleAggregation",
    "IsotonicSeparationClassifier",
    "KemenyAggregation",
    "LPRulesClassifier",
    "LPRulesClassifierCV",
    "MedianRankAggregation",
    "MonotoneMixtureClassifier",
    "MonotoneProbabilityClassifier",
    "MonotoneRelabeler",
    "RankingPrincipalCurve",
    "SupportVectorClustering",
    "WeightedSum",
    "bootstrap_ranks",
    "check_meta_rules",
    "leave_one_out",
    "rank_reversals",
    "scaling_sensitivity",
]

_HOME_OF = {
    "FirstPrincipalComponent": "rank_baselines",
    "FootruleAggregation": "rank_aggregation",
    "IsotonicSeparationClassifier": "isotonic_separation",
    "KemenyAggregation": "rank_aggregation",
    "LPRulesClassifier": "lprules",
    "LPRulesClassifierCV": "lprules_cv",
    "MedianRankAggregation": "rank_aggregation",
    "MonotoneMixtureClassifier": "monotone_mixture",
    "MonotoneProbabilityClassifier": "monotone_probability",
    "MonotoneRelabeler": "relabeler",
    "RankingPrincipalCurve": "rpc",
    "SDSN": "sdsn",
    "SVDD": "svdd",
    "SupportVectorClustering": "support_vector_clustering",
    "WeightedSum": "rank_baselines",
    "bootstrap_ranks": "rank_uncertainty",
    "check_meta_rules": "meta_rules",
    "leave_one_out": "rank_uncertainty",
    "rank_reversals": "rank_uncertainty",
    "scaling_sensitivity": "rank_uncertainty",
}


def __getattr__(name: str) -> object:
    """Load an estimator from its file on first use (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
