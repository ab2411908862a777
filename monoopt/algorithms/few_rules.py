"""Fewer rules than the largest margin takes: an earlier ensemble of the column generation, or a softer margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.lprules import Settings, TaskFit, fit_task
from monoopt.algorithms.margin_path import Labelled, MarginPath, margin_path
from monoopt.algorithms.rule_path import SOFTNESS, penalty_of
from monoopt.errors import OptionError
from monoopt.formulations import lpboost_master
from monoopt.order.parameters import is_whole

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

FEWEST = "fewest"
SOFTER = (0.7, 0.9, 1.0)  # only where nothing is short enough else; at 1 a single rule is best, as a rule


@dataclass(frozen=True, eq=False)
class Choice:
    """One ensemble of a path.

    Attributes
    ----------
    nu : float
        How soft the margin of the path is; 0: hard.
    path : MarginPath
    place : int
        From 0.
    """

    nu: float
    path: MarginPath
    place: int

    @property
    def rules(self) -> int:
        """Number of its rules."""
        return int(self.path.rules[self.place])

    @property
    def error(self) -> float:
        """Weighted share of the objects on the wrong side or undecided."""
        return float(self.path.errors[self.place])

    @property
    def margin(self) -> float:
        """What its master program reached."""
        return float(self.path.margins[self.place])


def fit_few(
    X: Floats,
    signs: Integers,
    directions: npt.NDArray[np.int8],
    weights: Floats,
    settings: Settings,
    max_rules: int | str,
) -> TaskFit:
    """Fit one question by few rules.

    The ensembles are those of all master programs of the hard margin; if none of them is short enough and right on all
    objects, those of softer margins as well, and of very soft ones if nothing is short enough else. See `choose`.

    Parameters
    ----------
    X, signs, directions, weights, settings
        As for `fit_task`; D is replaced. Half of the time is for the hard margin.
    max_rules : int or "fewest"

    Examples
    --------
    >>> X = np.array([[a, b] for a in range(5) for b in range(5)], dtype=float)
    >>> signs, up = np.where(X.sum(axis=1) >= 4, 1, -1), np.ones(2, dtype=np.int8)
    >>> [len(fit_few(X, signs, up, np.ones(25), Settings(), most).ensemble.rules) for most in (99, 4)]
    [9, 4]
    """
    check_max_rules(max_rules)
    limit, seen = settings.limits.time_limit, Labelled(X, signs, weights)
    paths: list[tuple[float, MarginPath]] = []
    for nu in (*SOFTNESS, *SOFTER):
        if nu in SOFTER and any(_short(path, max_rules).any() for _, path in paths):
            break
        share = None if limit is None else limit / 2 / (1 if nu == 0 else len(SOFTNESS) + len(SOFTER) - 1)
        own = replace(settings, D=penalty_of(nu, weights), limits=replace(settings.limits, time_limit=share))
        path = margin_path(fit_task(X, signs, directions, weights, own), seen)
        paths.append((nu, path))
        if nu == 0 and (_short(path, max_rules) & (path.errors == 0)).any():
            break
    if not any(len(path) for _, path in paths):
        return paths[0][1].fit
    return taken(choose(paths, max_rules), signs, weights)


def check_max_rules(max_rules: int | str) -> None:
    """Refuse what is neither a number of rules nor "fewest"."""
    if not is_whole(max_rules, 1) and max_rules != FEWEST:
        raise OptionError(f"max_rules={max_rules!r}: wanted a whole number from 1, {FEWEST!r} or None")


def choose(paths: Sequence[tuple[float, MarginPath]], max_rules: int | str) -> Choice:
    """Return the ensemble that is short enough, with the least error.

    Parameters
    ----------
    paths : sequence of (nu, MarginPath)
    max_rules : int or "fewest"
        A number: of the ensembles with so few rules the one of least error, then of the hardest margin (smallest nu),
        then of the largest; if none has so few, one with the fewest. "fewest": of all ensembles of least error one with
        the fewest rules, then of the hardest margin, then of the largest.
    """
    check_max_rules(max_rules)
    choices = list(_choices(paths))
    if max_rules == FEWEST:
        return min(choices, key=lambda one: (one.error, one.rules, one.nu, -one.margin))
    allowed = [one for one in choices if one.rules <= int(max_rules)]
    if allowed:
        return min(allowed, key=lambda one: (one.error, one.nu, -one.margin, one.rules))
    return min(choices, key=lambda one: (one.rules, one.error, one.nu, -one.margin))


def taken(choice: Choice, signs: Integers, weights: Floats) -> TaskFit:
    """Return the fit that stops at the chosen ensemble; its proof is that of its own master program.

    Parameters
    ----------
    choice : Choice
    signs, weights : ndarray, shape (n,)
        Of the objects that it was fitted to.
    """
    path, place, fit = choice.path, choice.place, choice.path.fit
    if place == fit.chosen:
        return fit
    ensemble, trail, own = path.ensemble(place), fit.trail, fit.trail.certificates[place]
    soft = lpboost_master.penalty(penalty_of(choice.nu, weights), weights)
    margin = float((signs * ensemble.decision(path.objects)).min()) if soft is None else min(choice.margin, fit.bound)
    caps = np.ones(len(fit.rows)) if soft is None else soft * weights[fit.rows]
    why = f"chosen for its {len(ensemble.rules)} rules; over all monotone rules at most {fit.bound:.6g} is proved"
    return replace(
        fit,
        ensemble=ensemble,
        margin=margin,
        certificate=replace(own, reasons=(*own.reasons, f"largest among the rules known by then; {why}")),
        duals=lpboost_master.within(trail.multipliers[[place]].toarray().ravel(), caps),
        stopped=why,
        chosen=place,
    )


def _short(path: MarginPath, max_rules: int | str) -> npt.NDArray[np.bool_]:
    """Which ensembles of a path are short enough."""
    if max_rules == FEWEST:
        return np.ones(len(path), dtype=bool)
    short: npt.NDArray[np.bool_] = path.rules <= int(max_rules)
    return short


def _choices(paths: Sequence[tuple[float, MarginPath]]) -> Iterator[Choice]:
    for nu, path in paths:
        yield from (Choice(nu, path, place) for place in range(len(path)))
