"""All questions "at least class k?" of very many objects: the middle one first, the others of one half each.

What "yes" costs grows with k, so the answers of one tie rule are nested: "no" to a question is "no" to all harder ones,
"yes" is "yes" to all easier ones. A question is therefore asked of the objects with "yes" to the easier and "no" to the
harder questions answered before. Among the others it loses what those lost, as far as wishes are still the same, and
is proved by their contradictions: each has one object that gave in, whose amounts are cut down to what it costs now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.dominance_cut import Contradictions, Cut, cut
from monoopt.errors import CertificateError
from monoopt.order import extension_bounds

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Signs: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class _Settled:
    """Contradictions among objects that have their answers, in the order of the objects that gave in.

    Attributes
    ----------
    pairs : Contradictions
    lost : ndarray of int64
        The object of each pair that gave in.
    before : ndarray of int64
        Amounts charged to it by the pairs before.
    """

    pairs: Contradictions
    lost: Integers
    before: Integers

    def at(self, owed: Integers) -> Contradictions:
        """Return the contradictions cut down to what every object owes."""
        left = np.clip(owed[self.lost] - self.before, 0, self.pairs.units)
        used = left > 0
        return Contradictions(self.pairs.better[used], self.pairs.worse[used], left[used])


@dataclass(frozen=True, eq=False)
class _Part:
    """Questions low .. high - 1, the objects that they are asked of, and what is settled about the others."""

    low: int
    high: int
    members: Integers
    yes: Integers
    given_no: list[_Settled] = field(default_factory=list)
    given_yes: list[_Settled] = field(default_factory=list)


def nested_cuts(
    X: Floats, costs: Integers, directions: Signs, tie: str, in_time: Callable[[], object] = lambda: None
) -> Iterator[tuple[int, Cut]]:
    """Answer every question at the least loss; yield its number and its cut, the middle question first.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Distinct objects.
    costs : ndarray of int64, shape (q, n)
        What "yes" costs more than "no" at each object; not decreasing along the questions. 0: no say.
    directions : ndarray of int8, shape (d,)
    tie : "least" or "greatest"
    in_time : callable, optional
        See `cut`.

    Raises
    ------
    CertificateError
        A proof does not hold: a fault of this program.

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0]]), np.array([1], dtype=np.int8)
    >>> costs = np.array([[-1, -1, 1], [-1, 1, 1]])  # classes 2, 1, 0 in the order of the objects
    >>> {k: (found.labels.tolist(), found.loss) for k, found in nested_cuts(X, costs, up, "least")}
    {1: ([0, 0, 0], 1), 0: ([1, 1, 1], 1)}
    """
    waiting = [_Part(0, len(costs), np.arange(len(X)), np.zeros(len(X), dtype=np.int64))]
    while waiting:
        part = waiting.pop()
        k = (part.low + part.high) // 2
        asked = part.members[costs[k, part.members] != 0]
        inner = cut(X[asked], costs[k, asked], directions, tie, in_time) if len(asked) else None
        yes, members = part.yes.copy(), part.members
        known = np.searchsorted(members, asked), np.zeros(0, dtype=np.int64) if inner is None else inner.labels
        yes[members] = completed(X[members], *known, directions, tie)
        pairs = _none() if inner is None else _renamed(inner.proof, asked)
        yield k, _whole(part, k, costs[k], yes, pairs, X, directions)
        if k + 1 < part.high:  # harder questions: of those with "yes"
            settled = [*part.given_no, _settle(pairs, pairs.worse, yes == 0)]
            waiting.append(_Part(k + 1, part.high, members[yes[members] == 1], part.yes, settled, part.given_yes))
        if part.low < k:  # easier ones: of those with "no"
            settled = [*part.given_yes, _settle(pairs, pairs.better, yes == 1)]
            waiting.append(_Part(part.low, k, members[yes[members] == 0], yes, part.given_no, settled))


def completed(objects: Floats, decided: Integers, labels: Integers, directions: Signs, tie: str) -> Integers:
    """Give the objects without a say the least (greatest) label that fits the others.

    Parameters
    ----------
    objects : ndarray, shape (n, d)
    decided : ndarray of int64
        Places of the objects that have a label.
    labels : ndarray of int64
        Theirs, 0 or 1.
    directions : ndarray of int8, shape (d,)
    tie : "least" or "greatest"

    Examples
    --------
    >>> X, up = np.array([[1.0], [2.0], [3.0]]), np.array([1], dtype=np.int8)
    >>> completed(X, np.array([0, 2]), np.array([0, 1]), up, "greatest")
    array([0, 1, 1])
    """
    yes = np.full(len(objects), int(tie == "greatest"))
    yes[decided] = labels
    rest = np.setdiff1d(np.arange(len(objects)), decided)
    if len(rest) and len(decided):
        low, high = extension_bounds(objects[decided], labels, directions, objects[rest], n_classes=2)
        yes[rest] = low if tie == "least" else high
    return yes


def _whole(
    part: _Part, k: int, costs: Integers, yes: Integers, pairs: Contradictions, X: Floats, directions: Signs
) -> Cut:
    """Put the proof of a question together, and check it for all objects."""
    pieces = [pairs, *(piece.at(np.maximum(-costs, 0)) for piece in part.given_no)]
    pieces += [piece.at(np.maximum(costs, 0)) for piece in part.given_yes]
    proof = Contradictions(
        np.concatenate([piece.better for piece in pieces]),
        np.concatenate([piece.worse for piece in pieces]),
        np.concatenate([piece.units for piece in pieces]),
    )
    loss = int(np.abs(costs[np.where(yes == 1, costs > 0, costs < 0)]).sum())
    faults = proof.faults(X, costs, directions)
    if loss != proof.total:
        faults.append(f"the labels lose {loss}, the contradictions prove {proof.total}")
    if faults:
        raise CertificateError(f"question {k + 1}, {len(X)} objects: {'; '.join(faults)}")
    return Cut(yes, loss, proof)


def _settle(pairs: Contradictions, lost: Integers, there: npt.NDArray[np.bool_]) -> _Settled:
    """Keep the pairs whose object gave in there; add up what is charged to it before each of them."""
    chosen = np.flatnonzero(there[lost])
    chosen = chosen[np.argsort(lost[chosen], kind="stable")]
    units, who = pairs.units[chosen], lost[chosen]
    before = np.cumsum(units) - units
    first = np.ones(len(who), dtype=bool)
    first[1:] = who[1:] != who[:-1]
    starts = np.flatnonzero(first)
    before -= np.repeat(before[starts], np.diff(np.append(starts, len(who))))
    return _Settled(Contradictions(pairs.better[chosen], pairs.worse[chosen], units), who, before)


def _renamed(pairs: Contradictions, names: Integers) -> Contradictions:
    return Contradictions(names[pairs.better], names[pairs.worse], pairs.units)


def _none() -> Contradictions:
    empty = np.zeros(0, dtype=np.int64)
    return Contradictions(empty, empty, empty)
