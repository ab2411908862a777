"""Anchors as people state them: ("Norway", "above", "Kuwait"), ("Iceland", "at", 0.9); and why some can't hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.anchored_curve import Anchors
from monoopt.errors import DataError, nearest, refuse
from monoopt.estimators.ranking import position_of
from monoopt.order.conflicts import Above, shortest_circle

Array = npt.NDArray[np.float64]
WORDS = ("above", "below", "at")


def read_anchors(stated: Sequence[Any], labels: Sequence[Any], U: Array, directions: Array) -> Anchors:
    """Read statements about fitted objects.

    Parameters
    ----------
    stated : sequence of (object, "above" or "below", object) or (object, "at", score)
    labels : sequence
        Labels of the objects.
    U : ndarray, shape (n, d)
        Scaled data.
    directions : ndarray, shape (d,)

    Raises
    ------
    DataError
        Every statement that can't be read; or, in the words of the statements, the fewest that no strictly
        monotone score can meet together.
    """
    faults: list[str] = []
    above: list[tuple[int, int]] = []
    at: dict[int, float] = {}
    if isinstance(stated, str) or not np.iterable(stated):
        raise DataError(f"anchors is {stated!r}; wanted a sequence of (object, 'above', object) and the like")
    stated = list(stated)
    if len(stated) == 3 and isinstance(stated[1], str) and stated[1] in WORDS:
        raise DataError(f"anchors is one statement; put it in a list: [{tuple(stated)!r}]")
    for statement in stated:
        _read_one(statement, labels, above, at, faults)
    refuse(faults, "anchors")
    named = sorted({i for pair in above for i in pair} | set(at))
    place = {i: k for k, i in enumerate(named)}
    said = [f"{labels[a]!r} above {labels[b]!r}" for a, b in above] + [f"{labels[i]!r} at {t:g}" for i, t in at.items()]
    pairs = np.array([(place[a], place[b]) for a, b in above], dtype=np.intp).reshape(-1, 2)
    fixed = np.array([place[i] for i in at], dtype=np.intp)
    anchors = Anchors(U[named], pairs, fixed, np.array(list(at.values()), dtype=np.float64), tuple(said))
    _refuse_circles(anchors, [labels[i] for i in named], np.where(directions > 0, U[named], -U[named]))
    return anchors


def _read_one(
    statement: Any, labels: Sequence[Any], above: list[tuple[int, int]], at: dict[int, float], faults: list[str]
) -> None:
    parts = list(statement) if np.iterable(statement) and not isinstance(statement, str) else [None, statement]
    if len(parts) != 3 or not isinstance(parts[1], str) or parts[1] not in WORDS:
        word = parts[1] if len(parts) > 1 else ""
        hint = nearest(word, WORDS)
        faults.append(f"{statement!r}: wanted (object, 'above' or 'below', object) or (object, 'at', score){hint}")
        return
    first, word, last = parts
    try:
        i = position_of(first, labels)
        if word == "at":
            level = float(last)
            if not 0 < level < 1:
                faults.append(f"{statement!r}: wanted a score strictly between 0 and 1")
            elif at.get(i, level) != level:
                faults.append(f"{statement!r}: {first!r} is also at {at[i]:g}")
            at[i] = level
        else:
            j = position_of(last, labels)
            above.append((i, j) if word == "above" else (j, i))
    except (DataError, TypeError, ValueError) as wrong:
        faults.append(f"{statement!r}: {wrong}")


def _refuse_circles(anchors: Anchors, labels: list[Any], gains: Array) -> None:
    """Refuse statements that contradict each other or what dominance proves."""
    p = len(anchors.above)
    told = [Above(int(a), int(b), (anchors.words[m],)) for m, (a, b) in enumerate(anchors.above)]
    levels = list(zip(anchors.at.tolist(), anchors.levels.tolist(), anchors.words[p:], strict=True))
    for (i, high, words), (j, low, others) in permutations(levels, 2):
        if high >= low:
            told.append(Above(i, j, (words, others), strict=high > low))
    for i, j in permutations(range(len(labels)), 2):
        if np.all(gains[i] >= gains[j]):
            equal = np.all(gains[i] == gains[j])
            fact = f"{labels[i]!r} {'equals' if equal else 'dominates'} {labels[j]!r}"
            told.append(Above(i, j, (f"({fact} in the data)",), strict=not equal, fact=True))
    circle = shortest_circle(told)
    if circle:
        every = dict.fromkeys(word for step in circle for word in step.words)
        stated = dict.fromkeys(word for step in circle if not step.fact for word in step.words)
        raise DataError(
            f"anchors: these can't hold together for any strictly monotone score: {'; '.join(every)}", stated
        )
