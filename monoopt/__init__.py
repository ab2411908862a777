"""Ranking and monotone learning as explicit optimization programs.

Five verbs, always in this order: **build** (data to `Program`), **solve** (`Program` to `Solution`),
**certify** (recomputed from these two alone), **read** (`Solution` back to domain data), **keep** (estimators
keep their certificates). Public names load on first use, so that ``import monoopt`` stays light.

Examples
--------
>>> import monoopt
>>> answer = monoopt.relabel([[1], [2], [3]], [0, 1, 0])
>>> answer.cost
1.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monoopt import datasets, formulations
    from monoopt.algorithms.relabelling import Relabelling, relabel
    from monoopt.errors import (
        CertificateError,
        DataError,
        DataWarning,
        FormulationError,
        MonooptError,
        NoSolutionError,
        OptionError,
        SolveError,
        SolverNotFound,
        TimeLimitError,
        UnsupportedProgram,
    )
    from monoopt.estimators import (
        SDSN,
        SVDD,
        FirstPrincipalComponent,
        FootruleAggregation,
        IsotonicSeparationClassifier,
        KemenyAggregation,
        LPRulesClassifier,
        LPRulesClassifierCV,
        MedianRankAggregation,
        MonotoneMixtureClassifier,
        MonotoneProbabilityClassifier,
        MonotoneRelabeler,
        RankingPrincipalCurve,
        SupportVectorClustering,
        WeightedSum,
        bootstrap_ranks,
        check_meta_rules,
        leave_one_out,
        rank_reversals,
        scaling_sensitivity,
    )
    from monoopt.program import Certificate, Program, ProgramBuilder, Solution, Status, certify
    from monoopt.solvers import available_solvers, open_session, solve

__version__ = "0.1.0"

__all__ = [
    "SDSN",
    "SVDD",
    "Certificate",
    "CertificateError",
    "DataError",
    "DataWarning",
    "FirstPrincipalComponent",
    "FootruleAggregation",
    "FormulationError",
    "IsotonicSeparationClassifier",
    "KemenyAggregation",
    "LPRulesClassifier",
    "LPRulesClassifierCV",
    "MedianRankAggregation",
    "MonooptError",
    "MonotoneMixtureClassifier",
    "MonotoneProbabilityClassifier",
    "MonotoneRelabeler",
    "NoSolutionError",
    "OptionError",
    "Program",
    "ProgramBuilder",
    "RankingPrincipalCurve",
    "Relabelling",
    "Solution",
    "SolveError",
    "SolverNotFound",
    "Status",
    "SupportVectorClustering",
    "TimeLimitError",
    "UnsupportedProgram",
    "WeightedSum",
    "available_solvers",
    "bootstrap_ranks",
    "certify",
    "check_meta_rules",
    "datasets",
    "formulations",
    "leave_one_out",
    "open_session",
    "rank_reversals",
    "relabel",
    "scaling_sensitivity",
    "solve",
]

_HOMES = {
    "monoopt.errors": (
        "CertificateError DataError DataWarning FormulationError MonooptError NoSolutionError OptionError "
        "SolveError SolverNotFound TimeLimitError UnsupportedProgram"
    ),
    "monoopt.program": "Certificate Program ProgramBuilder Solution Status certify",
    "monoopt.solvers": "available_solvers open_session solve",
    "monoopt.algorithms.relabelling": "Relabelling relabel",
    "monoopt.estimators": (
        "FirstPrincipalComponent FootruleAggregation IsotonicSeparationClassifier KemenyAggregation LPRulesClassifier "
        "LPRulesClassifierCV MedianRankAggregation MonotoneMixtureClassifier MonotoneProbabilityClassifier "
        "MonotoneRelabeler RankingPrincipalCurve SDSN SVDD SupportVectorClustering WeightedSum "
        "bootstrap_ranks check_meta_rules leave_one_out rank_reversals "
        "scaling_sensitivity"
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load a public name from its home on first use (PEP 562)."""
    if name in _HOME_OF:
        value: object = getattr(importlib.import_module(_HOME_OF[name]), name)
    elif name in __all__:
        value = importlib.import_module(f"monoopt.{name}")
    else:
        raise AttributeError(f"module 'monoopt' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
