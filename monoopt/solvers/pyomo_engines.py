"""What each solver behind Pyomo can do, and its own words for ours: one line each.

Words of ours that an engine has no word for are not sent: GLPK knows no tolerance and no threads; time goes through
Pyomo's own argument, in whole seconds for GLPK, which refuses fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from monoopt.program import Status
from monoopt.solvers.engines import (
    HIGHS_DEFAULTS,
    HIGHS_PRESOLVE,
    HIGHS_TOLERANCES,
    HIGHS_WORDS,
    SCIP_PRESOLVE,
    SCIP_TOLERANCES,
    Engine,
    highs_options,
)

# Termination conditions of both of Pyomo's interfaces. GLPK and others say "unbounded" of an infeasible program too.
STATUS = {
    "optimal": Status.OPTIMAL,
    "globallyOptimal": Status.OPTIMAL,
    "locallyOptimal": Status.OPTIMAL,  # the programs are convex
    "convergenceCriteriaSatisfied": Status.OPTIMAL,
    "feasible": Status.FEASIBLE,
    "infeasible": Status.INFEASIBLE,
    "provenInfeasible": Status.INFEASIBLE,
    "locallyInfeasible": Status.INFEASIBLE_OR_UNBOUNDED,
    "unbounded": Status.INFEASIBLE_OR_UNBOUNDED,
    "infeasibleOrUnbounded": Status.INFEASIBLE_OR_UNBOUNDED,
    "maxTimeLimit": Status.LIMIT,
    "maxIterations": Status.LIMIT,
    "maxEvaluations": Status.LIMIT,
    "iterationLimit": Status.LIMIT,
    "objectiveLimit": Status.LIMIT,
    "minFunctionValue": Status.LIMIT,
    "intermediateNonInteger": Status.LIMIT,
    "userInterrupt": Status.LIMIT,
    "resourceInterrupt": Status.LIMIT,
    "interrupted": Status.LIMIT,
    "noSolution": Status.LIMIT,
    "minStepLength": Status.NUMERICAL,
    "other": Status.NUMERICAL,
    "unknown": Status.NUMERICAL,
    "invalidProblem": Status.ERROR,
    "solverFailure": Status.ERROR,
    "internalSolverError": Status.ERROR,
    "error": Status.ERROR,
    "licensingProblems": Status.ERROR,
    "emptyModel": Status.ERROR,
}
# Pyomo reads its simplex's stop on time as optimal, and its simplex's "no feasible solution" as nothing.
GLPK_SAYS = {
    "TIME LIMIT EXCEEDED": Status.LIMIT,
    "HAS NO PRIMAL FEASIBLE SOLUTION": Status.INFEASIBLE,
    "HAS NO FEASIBLE SOLUTION": Status.INFEASIBLE,
    "HAS NO INTEGER FEASIBLE SOLUTION": Status.INFEASIBLE,
    "HAS NO DUAL FEASIBLE SOLUTION": Status.INFEASIBLE_OR_UNBOUNDED,
    "HAS UNBOUNDED": Status.INFEASIBLE_OR_UNBOUNDED,
}
VISIBLE = 2e-9  # HiGHS drops coefficients up to 1e-9
MIP = frozenset({"linear", "integer", "duals", "vertex"})
# How GLPK refuses an option, and how CBC passes over one that it does not take.
COMPLAINTS = ("Invalid ", "No match for ", "- valid range is ", " is illegal for ", "Possible options for ")


@dataclass(frozen=True)
class PyomoEngine(Engine):
    """One solver behind Pyomo.

    Attributes
    ----------
    executable : str
        The program that must be on the path; empty for a Python package.
    install : str
        How to get it.
    clock : callable
        Turns seconds into what its time limit takes.
    duals : bool
        Whether Pyomo can read multipliers from it.
    least : float
        Coefficients up to this are dropped while the program is loaded, before any option is set.
    says : mapping of str to Status
        Lines of its log that count more than what Pyomo makes of its answer.
    """

    executable: str = ""
    install: str = "see the solver's own page; Pyomo must find it"
    clock: Callable[[float], Any] = float
    duals: bool = True
    least: float = 0.0
    says: Mapping[str, Status] = field(default_factory=dict)


def _scip_options() -> list[str]:
    import pyscipopt

    return list(pyscipopt.Model().getParams())


ENGINES = {
    "glpk": PyomoEngine(
        "glpk",
        MIP,
        ours={"seed": ("seed",)},
        executable="glpsol",
        install="apt-get install glpk-utils (Debian, Ubuntu) or brew install glpk",
        clock=lambda seconds: max(1, math.ceil(seconds)),
        presolve={True: {"presol": ""}, False: {"nopresol": ""}},
        says=GLPK_SAYS,
    ),
    "cbc": PyomoEngine(
        "cbc",
        MIP,
        ours={
            "tolerance": ("primalTolerance", "dualTolerance"),
            "threads": ("threads",),
            "seed": ("randomSeed", "randomCbcSeed"),
        },
        first_seed=1,
        presolve={True: {"presolve": "on"}, False: {"presolve": "off", "preprocess": "off"}},
        executable="cbc",
        install="apt-get install coinor-cbc (Debian, Ubuntu) or brew install cbc",
    ),
    "ipopt": PyomoEngine(
        "ipopt",
        frozenset({"linear", "quadratic", "duals"}),
        ours={"tolerance": ("tol",)},
        defaults={"tol": 1e-9},
        executable="ipopt",
        install="conda install -c conda-forge ipopt (it brings the executable that Pyomo calls)",
    ),
    "highs": PyomoEngine(
        "highs",
        MIP | {"quadratic"},
        ours={word: native for word, native in HIGHS_WORDS.items() if word != "time_limit"},
        tolerances=HIGHS_TOLERANCES,
        presolve=HIGHS_PRESOLVE,
        least=VISIBLE,
        defaults=HIGHS_DEFAULTS,
        known=highs_options,
        install="python -m pip install pyomo highspy",
    ),
    "scip": PyomoEngine(
        "scip_direct",
        frozenset({"linear", "quadratic", "integer"}),
        ours={
            "tolerance": ("numerics/feastol", "numerics/dualfeastol"),
            "threads": ("lp/threads", "parallel/maxnthreads"),
            "seed": ("randomization/randomseedshift",),
        },
        tolerances=SCIP_TOLERANCES,
        presolve=SCIP_PRESOLVE,
        known=_scip_options,
        install="python -m pip install pyomo pyscipopt",
        duals=False,
    ),
}


def find_engine(name: str) -> PyomoEngine:
    """Return the engine of this name; any other is taken to do what Pyomo can write, with options unchecked."""
    if name in ENGINES:
        return ENGINES[name]
    return PyomoEngine(name, frozenset({"linear", "quadratic", "integer", "duals"}), least=VISIBLE)
