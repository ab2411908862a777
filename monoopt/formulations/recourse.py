"""Recourse: the cheapest change of one object that reaches a class, as a small integer program.

minimise    sum_j sum_v cost_jv level_jv
subject to  sum_v level_jv = 1                                                  one value for every attribute
            fires_kt <= sum of level_jv over the v that meet rule t on j        positive rules fire only if all hold
            fires_kt >= sum over the rule's attributes of the same sums - (q_t - 1)   negative ones fire if all hold
            sum_t +-a_kt fires_kt >= margin reach_k - (1 - reach_k)             a reached threshold has a clear vote
            sum_t +-a_kt fires_kt >= least_open open_k - (1 - open_k)           one that is open has no vote against it
            sum_k reach_k + sum_k open_k >= 2 target                            the middle of what is open is the target
            level, reach, open in {0,1},  0 <= fires <= 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from monoopt.errors import refuse
from monoopt.order.rules import Rule, RuleEnsemble
from monoopt.program import Program, ProgramBuilder, Solution

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Levels:
    """The values that one attribute may take, and what each costs.

    Attributes
    ----------
    values, costs : ndarray, shape (v,)
        Candidate values and costs, not negative; the present value belongs to them, usually at cost 0.
    """

    values: Array
    costs: Array


WORDS = ("values", "costs")
MARGIN = 1e-4


def build(
    ensembles: Sequence[RuleEnsemble | Mapping[str, Any]],
    levels: Sequence[Levels | Mapping[str, Any]],
    target: int,
    margin: float = MARGIN,
    least_open: float = 0.0,
) -> Program:
    """Build the recourse program.

    minimise the cost of the chosen levels subject to: the middle of two numbers, of the ensembles that vote at least
    `margin` and of those that vote at least `least_open`, is at least `target`.

    Parameters
    ----------
    ensembles : sequence of RuleEnsemble
        One a class threshold; ensemble k says whether an object is above threshold k. Weights sum to at most 1. Plain
        data as `RuleEnsemble.to_dict` writes it will do.
    levels : sequence of Levels
        One an attribute; mappings with "values" and "costs" will do.
    target : int
        Number of thresholds to pass: the position of the wanted class among the classes, counted from 0.
    margin : float
        Least vote that counts as passing; well above the solver's feasibility tolerance of 1e-6.
    least_open : float
        Least vote that leaves a threshold open; with `margin` here, too, clear votes alone count.

    Returns
    -------
    Program
        Columns ``level(j,v)``, ``reach(k)``, ``open(k)``, ``fires(k,t)``; rows ``choice(j)``, ``needs(k,t,j)``,
        ``forced(k,t)``, ``vote(k)``, ``no_vote_against(k)``, ``target``. Needs an integer solver.

    Raises
    ------
    DataError
        A target out of range, levels without values, costs that are negative or not finite.
    """
    read_levels = [e if isinstance(e, Levels) else Levels(*(np.array(e[w], float) for w in WORDS)) for e in levels]
    return _build([_ensemble(e) for e in ensembles], read_levels, target, (margin, least_open))


def _ensemble(given: RuleEnsemble | Mapping[str, Any]) -> RuleEnsemble:
    return given if isinstance(given, RuleEnsemble) else RuleEnsemble.from_dict(given)


def _build(ensembles: list[RuleEnsemble], levels: list[Levels], target: int, least: tuple[float, float]) -> Program:
    _check(ensembles, levels, target)
    index = [(j, v) for j, level in enumerate(levels) for v in range(len(level.values))]
    rules = [(k, t, rule) for k, ensemble in enumerate(ensembles) for t, rule in enumerate(ensemble.rules)]
    builder = ProgramBuilder("recourse")
    costs = np.concatenate([level.costs for level in levels])
    builder.add_columns("level", len(index), lower=0, upper=1, cost=costs, integer=True, index=index,
                        tex=r"\ell_{jv}", over="attribute j, value v")  # fmt: skip
    builder.add_columns("reach", len(ensembles), lower=0, upper=1, integer=True, tex="r_k", over="thresholds k")
    builder.add_columns("open", len(ensembles), lower=0, upper=1, integer=True, tex="o_k", over="thresholds k")
    builder.add_columns("fires", len(rules), lower=0, upper=1, index=[(k, t) for k, t, _ in rules],
                        tex="f_{kt}", over="threshold k, rule t")  # fmt: skip
    attribute = np.array([j for j, _ in index])
    choice = (attribute[None, :] == np.arange(len(levels))[:, None]).astype(float)
    builder.add_rows("choice", {"level": choice}, lower=1, upper=1, index=np.arange(len(levels)),
                     tex=r"\sum_v \ell_{jv}", over="attributes j")  # fmt: skip
    _add_positive(builder, rules, levels, attribute)
    _add_negative(builder, rules, levels, attribute)
    _add_votes(builder, ensembles, rules, least)
    every = np.ones((1, len(ensembles)))
    builder.add_rows("target", {"reach": every, "open": every}, lower=2.0 * target, tex=r"\sum_k (r_k + o_k)")
    return builder.build()


def read(program: Program, solution: Solution, levels: Sequence[Levels]) -> Array:
    """Return the changed object, shape (d,): the chosen value of every attribute.

    Raises
    ------
    NoSolutionError
        There is no point: the class can't be reached with these levels, or a limit came first.
    """
    chosen = solution.values("level") > 0.5
    starts = np.cumsum([0, *(len(level.values) for level in levels)])
    return np.array(
        [level.values[int(np.argmax(chosen[a:b]))] for level, a, b in zip(levels, starts, starts[1:], strict=False)]
    )


def _add_positive(
    builder: ProgramBuilder, rules: list[tuple[int, int, Rule]], levels: Sequence[Levels], attribute: Array
) -> None:
    """Add fires <= sum of the levels that meet the rule, for every attribute that a positive rule asks about."""
    asked = [(c, rule, j) for c, (_, _, rule) in enumerate(rules) if rule.positive for j in _attributes(rule)]
    if not asked:
        return
    allowed = np.array([_meets(rule, j, levels) * (attribute == j) for _, rule, j in asked])
    fires = _unit([c for c, *_ in asked], len(rules))
    index = [(rules[c][0], rules[c][1], j) for c, _, j in asked]
    builder.add_rows(
        "needs",
        {"level": allowed, "fires": -fires},
        lower=0,
        index=index,
        tex=r"\sum_{v \text{ meets } t} \ell_{jv} - f_{kt}",
        over="positive rule t of k, attribute j",
    )


def _add_negative(
    builder: ProgramBuilder, rules: list[tuple[int, int, Rule]], levels: Sequence[Levels], attribute: Array
) -> None:
    """Add fires >= sum of the met conditions - (q - 1) for every negative rule."""
    places = [c for c, (_, _, rule) in enumerate(rules) if not rule.positive]
    if not places:
        return
    met = np.zeros((len(places), len(attribute)))
    for row, c in enumerate(places):
        for j in _attributes(rules[c][2]):
            met[row] += _meets(rules[c][2], j, levels) * (attribute == j)
    sizes = np.array([len(_attributes(rules[c][2])) for c in places])
    builder.add_rows("forced", {"level": -met, "fires": _unit(places, len(rules))}, lower=1.0 - sizes,
                     index=[(rules[c][0], rules[c][1]) for c in places],
                     tex=r"f_{kt} - \sum_{jv \text{ meets } t} \ell_{jv}", over="negative rule t of k")  # fmt: skip


def _add_votes(
    builder: ProgramBuilder,
    ensembles: Sequence[RuleEnsemble],
    rules: list[tuple[int, int, Rule]],
    least: tuple[float, float],
) -> None:
    """Add votes - (1 + least) counted >= -1: no demand on a threshold that is not counted."""
    votes = np.zeros((len(ensembles), len(rules)))
    for c, (k, t, rule) in enumerate(rules):
        votes[k, c] = ensembles[k].weights[t] * (1 if rule.positive else -1)
    families = (("vote", "reach", "(1 + m) r_k"), ("no_vote_against", "open", "(1 + m_0) o_k"))
    for (family, column, tex), value in zip(families, least, strict=True):
        terms = {"fires": votes, column: -(1 + value) * np.eye(len(ensembles))}
        builder.add_rows(family, terms, lower=-1, index=np.arange(len(ensembles)),
                         tex=rf"\sum_t \pm a_{{kt}} f_{{kt}} - {tex}", over="thresholds k")  # fmt: skip


def _meets(rule: Rule, j: int, levels: Sequence[Levels]) -> Array:
    """1 for every level (of any attribute) whose value meets the rule's conditions on attribute j."""
    values = np.concatenate([level.values for level in levels])
    met = np.ones(len(values), dtype=bool)
    for condition in rule.conditions:
        if condition.attribute == j:
            met &= values >= condition.threshold if condition.side == ">=" else values <= condition.threshold
    return met.astype(float)


def _attributes(rule: Rule) -> list[int]:
    return sorted({condition.attribute for condition in rule.conditions})


def _unit(places: list[int], width: int) -> sparse.csr_array:
    ones = (np.ones(len(places)), (np.arange(len(places)), np.array(places, dtype=int)))
    return sparse.csr_array(sparse.coo_array(ones, shape=(len(places), width)))


def _check(ensembles: Sequence[RuleEnsemble], levels: Sequence[Levels], target: int) -> None:
    faults = []
    if not 0 <= target <= len(ensembles):
        faults.append(f"target {target}: wanted 0 to {len(ensembles)} thresholds")
    for j, level in enumerate(levels):
        if len(level.values) == 0 or level.values.shape != level.costs.shape:
            faults.append(f"attribute {j}: {level.values.shape} values and {level.costs.shape} costs")
        elif not (np.isfinite(level.costs) & (level.costs >= 0)).all():
            faults.append(f"attribute {j}: costs must be finite and not negative")
    asked = [c.attribute for e in ensembles for rule in e.rules for c in rule.conditions]
    if asked and max(asked) >= len(levels):
        faults.append(f"a rule asks about attribute {max(asked)}, levels are given for {len(levels)}")
    refuse(faults, "recourse")
