"""What the scalar parameters of LPRulesClassifier may be: one table, and one error for all that can't be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from monoopt.algorithms.few_rules import FEWEST
from monoopt.algorithms.lprules import PRICING
from monoopt.algorithms.relabelling import TIES
from monoopt.errors import OptionError, nearest
from monoopt.order.attributes import POLICIES
from monoopt.order.parameters import is_job_count, is_number, is_whole
from monoopt.solvers import Solver


def _whole(least: int) -> Callable[[Any], bool]:
    return lambda value: is_whole(value, least)


def _real(inside: Callable[[float], bool]) -> Callable[[Any], bool]:
    return lambda value: is_number(value) and inside(float(value))


def _one_of(words: tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _seed(value: Any) -> bool:
    return isinstance(value, np.random.RandomState) or (_whole(0)(value) and int(value) < 2**32)


OPTIONAL = ("D", "nu", "max_conditions", "max_rules", "time_limit", "max_iterations", "n_jobs", "random_state")
WORDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "solver": (lambda value: isinstance(value, str | Solver), "the name of a solver, or a Solver"),
    "missing": (_one_of(POLICIES), f"one of {', '.join(POLICIES)}"),
    "tie": (_one_of(TIES), "'least' or 'greatest'"),
    "D": (_real(lambda value: 0 < value < np.inf), "a positive number"),
    "nu": (_real(lambda value: 0 <= value <= 1), "a number from 0 (hard margin) to 1"),
    "max_conditions": (_whole(1), "a whole number from 1"),
    "max_rules": (lambda value: _whole(1)(value) or _one_of((FEWEST,))(value), f"a whole number from 1, {FEWEST!r}"),
    "n_estimators": (lambda value: _whole(1)(value) and value < 2**31, "a whole number from 1"),
    "pricing": (_one_of(tuple(PRICING)), f"one of {', '.join(PRICING)}"),
    "tolerance": (_real(lambda value: 0 < value < 1), "a number between 0 and 1"),
    "time_limit": (_real(lambda value: 0 < value < np.inf), "a positive number of seconds"),
    "max_iterations": (_whole(1), "a whole number from 1"),
    "keep_best": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "n_jobs": (is_job_count, "a whole number other than 0"),
    "random_state": (_seed, "a whole number from 0 to 4294967295, a RandomState"),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "missing": POLICIES, "tie": TIES, "pricing": tuple(PRICING), "max_rules": (FEWEST,),
}  # fmt: skip


def check_words(words: Mapping[str, Any]) -> None:
    """Refuse all values that can't be, in one error.

    Examples
    --------
    >>> check_words({"tolerance": "a", "keep_best": 1, "nu": None})
    Traceback (most recent call last):
    ...
    monoopt.errors.OptionError: tolerance='a': wanted a number between 0 and 1; keep_best=1: wanted True or False
    """
    faults = []
    for word, (fits, wanted) in WORDS.items():
        value = words.get(word)
        if word not in words or (value is None and word in OPTIONAL) or fits(value):
            continue
        hint = nearest(value, CHOICES[word]) if word in CHOICES and isinstance(value, str) else ""
        faults.append(f"{word}={value!r}{hint}: wanted {wanted}{' or None' if word in OPTIONAL else ''}")
    D, nu, most = (words.get(word) for word in ("D", "nu", "max_rules"))
    if D is not None and nu is not None:
        faults.append(f"D={D!r} and nu={nu!r} say the same in two ways: give one of them")
    if most is not None and (D is not None or nu is not None):
        faults.append("max_rules chooses how soft the margin is: give no D and no nu with it")
    if faults:
        raise OptionError("; ".join(faults))
