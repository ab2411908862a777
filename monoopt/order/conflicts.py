"""Statements about an order that can't all hold: the shortest circle among them, in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Above:
    """One object above another.

    Attributes
    ----------
    upper, lower : int
        Objects by number.
    words : tuple of str
        What was stated (one statement, or the two that imply it together).
    strict : bool
        False: at least as high.
    fact : bool
        True for what the data say and no person stated.
    """

    upper: int
    lower: int
    words: tuple[str, ...]
    strict: bool = True
    fact: bool = False


def shortest_circle(statements: Sequence[Above]) -> list[Above]:
    """Return the fewest statements that contradict each other, or an empty list.

    They do if they run in a circle with at least one strict step. A circle of statements alone is preferred to
    one that needs facts.

    Examples
    --------
    >>> told = [Above(0, 1, ("A above B",)), Above(1, 0, ("B above A",)), Above(1, 2, ("B above C",))]
    >>> [step.words for step in shortest_circle(told)]
    [('A above B',), ('B above A',)]
    """
    best: list[Above] = []
    for steps in ([step for step in statements if not step.fact], statements):
        for first in steps:
            if first.strict:
                back = _shortest_path(steps, first.lower, first.upper)
                if back is not None and (not best or _told(first, *back) < _told(*best)):
                    best = [first, *back]
    return best


def _told(*steps: Above) -> tuple[bool, int, int]:
    """Needs facts, statements, steps: the less the better, in this order."""
    return any(step.fact for step in steps), sum(not step.fact for step in steps), len(steps)


def _shortest_path(statements: Sequence[Above], start: int, end: int) -> list[Above] | None:
    reached: dict[int, list[Above]] = {start: []}
    queue = deque([start])
    while queue and end not in reached:
        here = queue.popleft()
        for step in statements:
            if step.upper == here and step.lower not in reached:
                reached[step.lower] = [*reached[here], step]
                queue.append(step.lower)
    return reached.get(end)
