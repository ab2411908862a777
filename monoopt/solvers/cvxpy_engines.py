"""What each solver behind cvxpy can do, and its own words for ours: one line each.

Words of ours that an engine has no word for are not sent: none of the interior and splitting methods has a
seed (they make no random choices), OSQP and SCS run on one thread, PIQP knows no time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Any

from monoopt.errors import OptionError, nearest
from monoopt.program import Status
from monoopt.solvers.base import Settings, unknown_option

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
SCIP_LIMITS = "timelimit memlimit nodelimit totalnodelimit stallnodelimit gaplimit sollimit bestsollimit restartlimit userinterrupt"
# Native words where cvxpy's are too coarse: it calls a limit, or a stop without progress, an error.
NATIVE_STATUS = {
    "NumericalError": Status.NUMERICAL,
    "InsufficientProgress": Status.NUMERICAL,
    "PIQP_NUMERICS": Status.NUMERICAL,
    "kUnknown": Status.NUMERICAL,
    "kMemoryLimit": Status.LIMIT,
    "kInterrupt": Status.LIMIT,
    "userinterrupt": Status.LIMIT,
    **dict.fromkeys(SCIP_LIMITS.split(), Status.LIMIT),
}
INTERIOR = frozenset({"linear", "quadratic", "duals"})
CONIC = INTERIOR | {"second_order", "exponential"}


@dataclass(frozen=True)
class Engine:
    """One solver behind cvxpy.

    Attributes
    ----------
    word : str
        cvxpy's name.
    package : str
        The package that holds it, whose version is recorded; empty if we can't tell.
    can : frozenset of str
        The needs it meets.
    ours : mapping of str to tuple of str
        Our words (time_limit, tolerance, threads, seed) -> native options that carry the value.
    defaults : mapping
        Native options that are set unless the user gives others: tight enough for our certificate.
    known : callable
        Names of all native options.
    native : callable
        Native status of a raw answer.
    count : str
        What its iterations are called.
    bound : callable
        Bound that a search over whole numbers reached, without the objective's constant.
    """

    word: str
    package: str
    can: frozenset[str]
    ours: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    known: Callable[[], list[str]] | None = None
    native: Callable[[Any], str] = lambda raw: ""
    count: str = "iterations"
    bound: Callable[[Any], float | None] = lambda raw: None

    def options(self, settings: Settings, name: str) -> dict[str, Any]:
        """Native options for these settings; words and values that do not fit are refused."""
        given = dict(settings.options)
        taken = {word: ours for ours in ("time_limit", "threads", "seed") for word in self.ours.get(ours, ())}
        for word in given:
            if word in taken:
                raise OptionError(f"solver {name!r}: set {word!r} through solve({taken[word]}=...)")
            if self.known is not None and word not in (known := self.known()):
                raise unknown_option(name, word, known)
        values = {ours: getattr(settings, ours) for ours in ("time_limit", "tolerance", "threads", "seed")}
        sent = {word: value for ours, value in values.items() if value is not None for word in self.ours.get(ours, ())}
        return {**self.defaults, **sent, **given}


def _attributes(thing: Any) -> list[str]:
    return [word for word in dir(thing) if not word.startswith("_")]


def _clarabel_options() -> list[str]:
    import clarabel

    return _attributes(clarabel.DefaultSettings())


def _osqp_options() -> list[str]:
    import osqp

    return _attributes(osqp.OSQP().ext.OSQPSettings())


def _piqp_options() -> list[str]:
    import piqp

    return ["backend", *_attributes(piqp.SparseSolver().settings)]


def _highs_options() -> list[str]:
    import highspy

    return _attributes(highspy.HighsOptions())


def _scip_options() -> list[str]:
    import pyscipopt

    return list(pyscipopt.Model().getParams())


def _scs_options() -> list[str]:
    names = "normalize scale adaptive_scale rho_x max_iters eps_abs eps_rel eps_infeas alpha time_limit_secs"
    more = "acceleration_lookback acceleration_interval write_data_filename log_csv_filename linear_solver"
    return f"{names} {more}".split()


ENGINES = {
    "clarabel": Engine(
        "CLARABEL",
        "clarabel",
        CONIC,
        {
            "time_limit": ("time_limit",),
            "tolerance": ("tol_feas", "tol_gap_abs", "tol_gap_rel"),
            "threads": ("max_threads",),
        },
        {"accept_unknown": True},
        _clarabel_options,
        lambda raw: str(raw.status),
        "interior",
    ),
    "osqp": Engine(
        "OSQP",
        "osqp",
        INTERIOR,
        {"time_limit": ("time_limit",), "tolerance": ("eps_abs", "eps_rel")},
        {"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iter": 200_000, "polishing": True},
        _osqp_options,
        lambda raw: str(raw.info.status),
        "splitting",
    ),
    "scs": Engine(
        "SCS",
        "scs",
        CONIC,
        {"time_limit": ("time_limit_secs",), "tolerance": ("eps_abs", "eps_rel")},
        {"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iters": 200_000},
        _scs_options,
        lambda raw: str(raw["info"]["status"]),
        "splitting",
    ),
    "piqp": Engine(
        "PIQP",
        "piqp",
        INTERIOR,
        {
            "tolerance": ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"),
            "threads": ("num_threads",),
        },
        {},
        _piqp_options,
        lambda raw: str(raw.info.status.name),
        "interior",
    ),
    "scip": Engine(
        "SCIP",
        "pyscipopt",
        frozenset({"linear", "quadratic", "integer", "second_order", "duals"}),
        {
            "time_limit": ("limits/time",),
            "tolerance": ("numerics/feastol", "numerics/dualfeastol"),
            "threads": ("lp/threads", "parallel/maxnthreads"),
            "seed": ("randomization/randomseedshift",),
        },
        {},
        _scip_options,
        lambda raw: str(raw["scip_status"]),
        "nonlinear",
        lambda raw: float(raw["model"].getDualbound()),
    ),
    "highs": Engine(
        "HIGHS",
        "highspy",
        frozenset({"linear", "quadratic", "integer", "duals", "vertex"}),
        {
            "time_limit": ("time_limit",),
            "tolerance": (
                "primal_feasibility_tolerance",
                "dual_feasibility_tolerance",
                "mip_feasibility_tolerance",
            ),
            "threads": ("threads",),
            "seed": ("random_seed",),
        },
        {"qp_regularization_value": 0.0},
        _highs_options,
        lambda raw: str(raw["model_status"]),
        "simplex",
        lambda raw: float(raw["info"].mip_dual_bound),
    ),
}


def find_engine(name: str) -> Engine:
    """Return the engine of this name; any other gets what cvxpy says of it, with options passed on unchecked."""
    if name in ENGINES:
        return ENGINES[name]
    return Engine(name.upper(), "", _declared(name.upper()))


def engine_version(engine: Engine) -> str:
    """Version of the engine's package; ImportError if it is not there, or cvxpy does not know it."""
    if engine.package:
        import_module(engine.package)
        return version(engine.package)
    known = {**_solver_map(conic=True), **_solver_map(conic=False)}
    if engine.word not in known:
        raise ImportError(f"cvxpy knows no {engine.word}{nearest(engine.word, known)}")
    if not known[engine.word].is_installed():
        raise ImportError(f"cvxpy does not find {engine.word}")
    return engine.word


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
