"""Why a mixture of monotone classifiers puts an object where it does: what every member says, and which rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.estimators.rule_explanation import Placement, Reason, attribute_names

Floats: TypeAlias = npt.NDArray[np.float64]

NAMED = ("nu", "D", "max_conditions", "max_rules", "isotonic_share")


@dataclass(frozen=True)
class Opinion:
    """What one member says of an object, or several of one kind in the mean.

    Attributes
    ----------
    member : str
        Its kind.
    share : float
        Its share of the mixture, that of all members of the kind.
    exceedance : tuple of float
        Its P(y >= k | x) for every question; 1, 0 or 1/2 for votes.
    """

    member: str
    share: float
    exceedance: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.share:.3f} x  {'  '.join(f'{p:.3f}' for p in self.exceedance)}  {self.member}"


@dataclass(frozen=True)
class MixtureExplanation(Placement):
    """Why a mixture puts an object in its class; also the attributes of `Placement`.

    Attributes
    ----------
    exceedance : tuple of float
        P(y >= k | x) of the mixture for every question: the sum of the opinions, each times its share.
    opinions : tuple of Opinion
        What the members say, the largest share first.
    reasons : tuple of Reason
        Rules of sums of rules that fired, heaviest first; the weight is what a rule adds to P(y >= k | x) of the
        mixture, before anything is cut off at 0 or 1.
    """

    exceedance: tuple[float, ...]
    opinions: tuple[Opinion, ...]
    reasons: tuple[Reason, ...]

    def __str__(self) -> str:
        lines = [f"P(at least k):  {'  '.join(f'{p:.3f}' for p in self.exceedance)}"]
        lines += [f"  {opinion}" for opinion in self.opinions]
        lines += ["rules that fired:", *(f"  {reason}" for reason in self.reasons)] if self.reasons else []
        return self._about(lines)


def opinions(members: Sequence[Any], shares: Floats, said: Sequence[Floats], i: int) -> tuple[Opinion, ...]:
    """Return what the members say of row i, the largest share first; members of one kind say their mean."""
    kinds: dict[str, list[int]] = {}
    for t, member in enumerate(members):
        kinds.setdefault(name_of(member), []).append(t)
    found = []
    for kind, places in kinds.items():
        share = float(shares[places].sum())
        mean = sum(shares[t] * said[t][i] for t in places) / share
        found.append(Opinion(kind, share, tuple(np.asarray(mean).tolist())))
    return tuple(sorted(found, key=lambda opinion: -opinion.share))


def reasons(members: Sequence[Any], shares: Floats, x: Floats, bits: npt.NDArray[np.uint8]) -> list[Reason]:
    """Return the rules of all sums of rules that fire at x, heaviest first; equal rules of several members are one."""
    weights: dict[tuple[int, str], float] = {}
    for member, share in zip(members, shares, strict=True):
        if hasattr(member, "votes"):
            continue
        own = float(share) * (1.0 - member.probabilities_.share)
        for k, ensemble in enumerate(member.rules_ or (), start=1):
            matched = ensemble.at_precision(bits).rules
            for rule, same, weight in zip(ensemble.rules, matched, ensemble.weights, strict=True):
                if rule.conditions and same.covers(x[None])[0]:
                    then = f"{'at least' if rule.positive else 'below'} {member.classes_[k]}"
                    entry = (k, rule.text(attribute_names(member), then))
                    weights[entry] = weights.get(entry, 0.0) + own * (1 if rule.positive else -1) * float(weight)
    found = [Reason(k, text, weight) for (k, text), weight in weights.items()]
    return sorted(found, key=lambda reason: -abs(reason.weight))


def name_of(member: Any) -> str:
    """Return the kind of a member and what is not as it is by default."""
    usual = type(member)().get_params(deep=False)
    words = {word: value for word, value in member.get_params(deep=False).items() if word in NAMED}
    changed = [f"{word}={value!r}" for word, value in words.items() if value != usual[word]]
    return f"{type(member).__name__}({', '.join(changed)})"
