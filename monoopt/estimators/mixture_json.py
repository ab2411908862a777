"""What a fitted MonotoneMixtureClassifier keeps in JSON besides the rest: its members, fitted, and their shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from monoopt.errors import DataError
from monoopt.estimators.monotone_probability import monotone_loss
from monoopt.estimators.plain_data import MEMBERS, class_of, cook, recipe
from monoopt.estimators.record_faults import Shape, number_faults

if TYPE_CHECKING:
    from monoopt.estimators.monotone_mixture import MonotoneMixtureClassifier

OWN = ("members", "shares")
WHOLE = 1e-9  # how far the shares may be from a sum of 1


def own_record(fitted: MonotoneMixtureClassifier) -> dict[str, Any]:
    """Return plain data.

    Raises
    ------
    DataError
        A member of a kind that can't be written.
    """
    for member in fitted.members_:
        recipe(member)  # refuses kinds that a record can't hold
    return {"members": [member.to_dict() for member in fitted.members_], "shares": fitted.shares_.tolist()}


def own_faults(saved: Mapping[str, Any], shape: Shape) -> list[str]:
    """Return what is wrong: a share for every member, of sum 1, and the proofs of all members."""
    members = saved["members"]
    if not isinstance(members, list) or not members:
        return ["members: wanted at least one"]
    if not all(isinstance(member, Mapping) and member.get("estimator") in MEMBERS for member in members):
        return [f"members: wanted fitted classifiers of these kinds: {', '.join(MEMBERS)}"]
    faults = number_faults("shares", saved["shares"], (len(members),), 0, 1)
    if not faults and (min(saved["shares"]) <= 0 or abs(sum(saved["shares"]) - 1) > WHOLE):
        faults.append("shares: wanted positive numbers of sum 1")
    proofs = [proof for member in members for proof in _listed(member.get("certificates"))]
    if proofs != _listed(saved["certificates"]):
        faults.append("certificates: wanted those of all members, one member after another")
    return faults


def fill(fitted: MonotoneMixtureClassifier, saved: Mapping[str, Any]) -> None:
    """Store it all."""
    if fitted.members is not None:
        fitted.members = [cook(entry) for entry in fitted.members]
    fitted._parts()
    fitted._table = monotone_loss(fitted.loss, len(fitted.classes_))
    fitted.shares_ = np.array(saved["shares"], dtype=float)
    members = []
    for place, entry in enumerate(saved["members"]):
        try:
            member = class_of(entry["estimator"]).from_dict(entry)
        except DataError as error:
            raise DataError(f"member {place}: {error}") from error
        if not _alike(member, fitted):
            raise DataError(f"member {place}: it was fitted to other classes or columns than the mixture")
        members.append(member)
    fitted.members_ = tuple(members)


def _alike(member: Any, fitted: Any) -> bool:
    """Whether classes and columns are the same."""
    one, other = member._attributes, fitted._attributes
    same = one.names == other.names and one.categories == other.categories and one.signs == other.signs
    return same and one.missing == other.missing and np.array_equal(member.classes_, fitted.classes_)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
