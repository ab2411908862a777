"""What each solver behind cvxpy can do, and its own words for ours: one line each.

Words of ours that an engine has no word for are not sent: none of the interior and splitting methods has a
seed (they make no random choices), OSQP and SCS run on one thread, PIQP knows no time limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from monoopt.errors import nearest
from monoopt.program import Status
from monoopt.solvers.engines import (
    HIGHS_DEFAULTS,
    HIGHS_PRESOLVE,
    HIGHS_TOLERANCES,
    HIGHS_WORDS,
    SCIP_PRESOLVE,
    SCIP_TOLERANCES,
    Engine,
    attributes,
    highs_options,
)

# cvxpy's words. Points of LIMIT and NUMERICAL are handed over as they are: our check decides what they are worth.
STATUS = {
    "optimal": Status.OPTIMAL,
    "optimal_inaccurate": Status.NUMERICAL,
    "infeasible": Status.INFEASIBLE,
    "infeasible_inaccurate": Status.INFEASIBLE_OR_UNBOUNDED,
    "unbounded": Status.INFEASIBLE_OR_UNBOUNDED,  # an improving direction: whether a point exists is another question
    "unbounded_inaccurate": Status.INFEASIBLE_OR_UNBOUNDED,
    "infeasible_or_unbounded": Status.INFEASIBLE_OR_UNBOUNDED,
    "user_limit": Status.LIMIT,
    "solver_error": Status.ERROR,
}
SCIP_LIMITS = ("time", "mem", "node", "totalnode", "stallnode", "gap", "sol", "bestsol", "restart")
SCS_WORDS = ("", "solved", "infeasible", "unbounded")  # what it would say of the iterate where a limit stopped it
SCS_LIMITS = ("time_limit_secs", "max_iters")
# Native words where cvxpy's are too coarse: it calls a limit, or a stop without progress, an error.
NATIVE_STATUS = {
    "NumericalError": Status.NUMERICAL,
    "InsufficientProgress": Status.NUMERICAL,
    "PIQP_NUMERICS": Status.NUMERICAL,
    "kUnknown": Status.NUMERICAL,
    "unknown": Status.NUMERICAL,
    "kMemoryLimit": Status.LIMIT,
    "kInterrupt": Status.LIMIT,
    "userinterrupt": Status.LIMIT,
    **{f"{word}limit": Status.LIMIT for word in SCIP_LIMITS},
    **{f"{word} (inaccurate - reached {limit})": Status.LIMIT for word in SCS_WORDS for limit in SCS_LIMITS},
}
INTERIOR = frozenset({"linear", "quadratic", "duals"})
CONIC = INTERIOR | {"second_order", "exponential"}


@dataclass(frozen=True)
class CvxpyEngine(Engine):
    """One solver behind cvxpy.

    Attributes
    ----------
    package : str
        The package that holds it, whose version is recorded; empty if we can't tell.
    native : callable
        Native status of a raw answer.
    count : str
        What its iterations are called.
    bound : callable
        Bound that a search over whole numbers reached, without the objective's constant.
    untrue : tuple of str
        Entries of a raw answer that are not to be believed.
    wants_row : bool
        Whether it refuses programs of free columns alone.
    factored : bool
        Whether cvxpy has to factor a quadratic part for it, which it refuses where rounding is below zero.
    prints_through_python : bool
        Whether its log can be caught on the way to ``sys.stdout``, thread by thread.
    log_option : str
        Native option that names a file for its log; empty if it has none.
    """

    package: str = ""
    native: Callable[[Any], str] = lambda raw: ""
    count: str = "iterations"
    bound: Callable[[Any], float | None] = lambda raw: None
    untrue: tuple[str, ...] = ()
    wants_row: bool = False
    factored: bool = False
    prints_through_python: bool = False
    log_option: str = ""


def _clarabel_options() -> list[str]:
    import clarabel

    return attributes(clarabel.DefaultSettings())


def _osqp_options() -> list[str]:
    import osqp

    return attributes(osqp.OSQP().ext.OSQPSettings())


def _piqp_options() -> list[str]:
    import piqp

    return ["backend", *attributes(piqp.SparseSolver().settings)]


def _scip_options() -> list[str]:
    import pyscipopt

    return list(pyscipopt.Model().getParams())


def _scs_options() -> list[str]:
    names = "normalize scale adaptive_scale rho_x max_iters eps_abs eps_rel eps_infeas alpha time_limit_secs"
    more = "acceleration_lookback acceleration_interval write_data_filename log_csv_filename linear_solver"
    return f"{names} {more}".split()


ENGINES = {
    "clarabel": CvxpyEngine(
        "CLARABEL",
        CONIC,
        ours={
            "time_limit": ("time_limit",),
            "tolerance": ("tol_feas", "tol_gap_abs", "tol_gap_rel"),
            "threads": ("max_threads",),
        },
        defaults={"accept_unknown": True},
        presolve={True: {"presolve_enable": True}, False: {"presolve_enable": False}},
        known=_clarabel_options,
        package="clarabel",
        prints_through_python=True,
        native=lambda raw: str(raw.status),
        count="interior",
    ),
    "osqp": CvxpyEngine(
        "OSQP",
        INTERIOR,
        ours={"time_limit": ("time_limit",), "tolerance": ("eps_abs", "eps_rel")},
        defaults={"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iter": 200_000, "polishing": True},
        known=_osqp_options,
        package="osqp",
        prints_through_python=True,
        native=lambda raw: str(raw.info.status),
        count="splitting",
    ),
    "scs": CvxpyEngine(
        "SCS",
        CONIC,
        ours={"time_limit": ("time_limit_secs",), "tolerance": ("eps_abs", "eps_rel")},
        defaults={"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iters": 200_000},
        known=_scs_options,
        package="scs",
        prints_through_python=True,
        native=lambda raw: str(raw["info"]["status"]),
        count="splitting",
        wants_row=True,
    ),
    "piqp": CvxpyEngine(
        "PIQP",
        INTERIOR,
        ours={
            "tolerance": ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"),
            "threads": ("num_threads",),
        },
        known=_piqp_options,
        package="piqp",
        native=lambda raw: str(raw.info.status.name),
        count="interior",
    ),
    "scip": CvxpyEngine(
        "SCIP",
        frozenset({"linear", "quadratic", "integer", "second_order"}),
        ours={
            "time_limit": ("limits/time",),
            "tolerance": ("numerics/feastol", "numerics/dualfeastol"),
            "threads": ("lp/threads", "parallel/maxnthreads"),
            "seed": ("randomization/randomseedshift",),
        },
        tolerances=SCIP_TOLERANCES,
        presolve=SCIP_PRESOLVE,
        defaults={"numerics/feastol": 1e-8, "numerics/dualfeastol": 1e-8},
        known=_scip_options,
        package="pyscipopt",
        factored=True,
        prints_through_python=True,
        native=lambda raw: str(raw["scip_status"]),
        count="nonlinear",
        bound=lambda raw: float(raw["model"].getDualbound()),
        untrue=("eq_dual", "ineq_dual"),  # wrong where a row became a bound, missing where it was dropped
    ),
    "highs": CvxpyEngine(
        "HIGHS",
        frozenset({"linear", "quadratic", "integer", "duals", "vertex"}),
        ours=HIGHS_WORDS,
        tolerances=HIGHS_TOLERANCES,
        presolve=HIGHS_PRESOLVE,
        defaults=HIGHS_DEFAULTS,
        known=highs_options,
        package="highspy",
        log_option="log_file",
        native=lambda raw: str(raw["model_status"]),
        count="simplex",
        bound=lambda raw: float(raw["info"].mip_dual_bound),
    ),
}


def find_engine(name: str) -> CvxpyEngine:
    """Return the engine of this name; any other gets what cvxpy says of it, with options passed on unchecked."""
    if name in ENGINES:
        return ENGINES[name]
    return CvxpyEngine(name.upper(), _declared(name.upper()), factored=name.upper() not in _solver_map(conic=False))


def engine_version(engine: CvxpyEngine) -> str:
    """Version of the engine's package; ImportError if it is not there, or cvxpy does not know it."""
    if engine.package:
        import_module(engine.package)
        return _release(engine.package)
    known = {**_solver_map(conic=True), **_solver_map(conic=False)}
    if engine.word not in known:
        raise ImportError(f"cvxpy knows no {engine.word}{nearest(engine.word, known)}")
    if not known[engine.word].is_installed():
        raise ImportError(f"cvxpy does not find {engine.word}")
    return engine.word


@lru_cache(maxsize=64)
def _release(package: str) -> str:
    """Version of an installed package, read from its files once: every solve states it."""
    return version(package)


def _declared(word: str) -> frozenset[str]:
    """What cvxpy's own class of this solver declares."""
    from cvxpy.constraints import SOC, ExpCone

    found = {"linear", "duals"}
    if word in _solver_map(conic=False):
        found.add("quadratic")
    conic = _solver_map(conic=True).get(word)
    if conic is not None:
        found |= {"integer"} if conic.MIP_CAPABLE else set()
        found |= {"second_order", "quadratic"} if SOC in conic.SUPPORTED_CONSTRAINTS else set()
        found |= {"exponential"} if ExpCone in conic.SUPPORTED_CONSTRAINTS else set()
    return frozenset(found)


def _solver_map(conic: bool) -> dict[str, Any]:
    from cvxpy.reductions.solvers import defines

    return dict(defines.SOLVER_MAP_CONIC if conic else defines.SOLVER_MAP_QP)
