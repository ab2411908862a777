"""Directions of attributes: gain (+1), cost (-1), free (0).

A gain attribute is better when larger, a cost attribute when smaller. A free attribute has no better side:
two objects are comparable only when they are equal on it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import nearest, refuse
from monoopt.order.cells import is_missing

WORDS = {"gain": 1, "cost": -1, "free": 0, "+": 1, "-": -1, "up": 1, "down": -1, "0": 0}
EVERY_OTHER = "*"
FORMS = "wanted None, a dict by name, or a sequence with one entry per attribute"
WANTED = "+1 or 'gain', -1 or 'cost', 0 or 'free', or a list of categories, worst first"

Directions: TypeAlias = Mapping[Any, Any] | Sequence[Any] | npt.NDArray[Any] | None


def parse_directions(
    directions: Directions, names_or_count: Sequence[str] | int, *, what: str = "directions"
) -> npt.NDArray[np.int8]:
    """Read directions in any of their written forms.

    Parameters
    ----------
    directions : None, dict or sequence
        None: every attribute is a gain. A dict by name (by position where the data have no names) must name
        every attribute; the key ``"*"`` stands for all those not named. A sequence gives one direction per
        attribute, in the order of the columns. A direction is +1, -1, 0 or one of the words gain, cost,
        free, up, down, "+", "-"; None inside means free. A list of categories, worst first, makes a gain of text
        (see `declared_categories`).
    names_or_count : sequence of str or int
        The attributes' names, or their number where they have none.
    what : str
        How messages call the argument.

    Returns
    -------
    ndarray of int8, shape (d,)
        +1 gain, -1 cost, 0 free.

    Raises
    ------
    DataError
        One error that lists every unknown or missing name and every entry that is no direction (NaN among
        them).

    Examples
    --------
    >>> parse_directions({"income": "gain", "debt": "cost"}, ["income", "debt"])
    array([ 1, -1], dtype=int8)
    >>> parse_directions({"debt": -1, "*": "free"}, ["income", "debt", "age"])
    array([ 0, -1,  0], dtype=int8)
    >>> parse_directions([1, "cost", None], 3)
    array([ 1, -1,  0], dtype=int8)
    """
    faults: list[str] = []
    values = _values(directions, names_or_count, faults)
    signs = [_sign(attribute, value, faults) for attribute, value in values.items()]
    refuse(faults, what)
    return np.array(signs, dtype=np.int8)


def declared_categories(directions: Directions, names_or_count: Sequence[str] | int) -> list[tuple[Any, ...] | None]:
    """Return per attribute the categories that its direction lists, worst first; None where it lists none.

    Examples
    --------
    >>> declared_categories({"safety": ["low", "high"], "price": "cost"}, ["price", "safety"])
    [None, ('low', 'high')]
    """
    values = _values(directions, names_or_count, [])
    return [tuple(value) if _is_list(value) else None for value in values.values()]


def _values(directions: Directions, names_or_count: Sequence[str] | int, faults: list[str]) -> dict[Any, Any]:
    """Return what is written for every attribute, in their order; note what does not fit."""
    named = not isinstance(names_or_count, int)
    attributes: list[Any] = list(range(names_or_count) if isinstance(names_or_count, int) else names_or_count)
    if directions is None:
        return dict.fromkeys(attributes, 1)
    entries = _by_name_or_position(directions)
    if isinstance(entries, Mapping):
        return _pick(entries, attributes, named, faults)
    if len(entries) != len(attributes):
        faults.append(f"{len(entries)} directions for {len(attributes)} attributes: give one for each")
    return dict(zip(attributes, entries, strict=False))


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 1


def orient(
    X: npt.NDArray[np.float64], directions: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Turn the directed columns so that larger is better; keep the free ones apart.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    directions : ndarray of int8, shape (d,)

    Returns
    -------
    directed : ndarray, shape (n, p)
        Gain columns as they are and cost columns negated, in the order of the attributes.
    free : ndarray, shape (n, d - p)
        The free columns, unchanged.

    Examples
    --------
    >>> directed, free = orient(np.array([[1.0, 2.0, 3.0]]), np.array([1, -1, 0], dtype=np.int8))
    >>> directed, free
    (array([[ 1., -2.]]), array([[3.]]))
    """
    chosen = directions != 0
    return X[:, chosen] * directions[chosen] + 0.0, X[:, ~chosen] + 0.0  # + 0.0 turns -0.0 into 0.0


def as_gains(X: npt.NDArray[np.float64], directions: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """Return columns in which x dominates z iff x >= z on all of them: each free column v stands as v and -v.

    Examples
    --------
    >>> as_gains(np.array([[1.0, 2.0, 3.0]]), np.array([1, -1, 0], dtype=np.int8))
    array([[ 1., -2.,  3., -3.]])
    """
    directed, free = orient(X, directions)
    return np.hstack([directed, free, 0.0 - free])


def _by_name_or_position(directions: Any) -> Mapping[Any, Any] | list[Any]:
    """Return a mapping or a list; a pandas Series counts as a mapping unless its index is just positions."""
    if isinstance(directions, str | bytes):
        refuse([f"{directions!r} is one word: {FORMS}"], "directions")
    if isinstance(directions, Set):
        refuse([f"a {type(directions).__name__} came, which has no order: {FORMS}"], "directions")
    if isinstance(directions, Mapping):
        return directions
    if hasattr(directions, "to_dict") and hasattr(directions, "index"):
        entries = directions.to_dict()
        return list(entries.values()) if list(entries) == list(range(len(entries))) else entries
    try:
        return list(directions)
    except TypeError:
        refuse([f"got {type(directions).__name__}: {FORMS}"], "directions")
        raise


def _pick(entries: Mapping[Any, Any], attributes: list[Any], named: bool, faults: list[str]) -> dict[Any, Any]:
    """Order a dict's entries by attribute; note unknown and missing names."""
    known = set(attributes)
    unknown = [name for name in entries if name not in known and name != EVERY_OTHER]
    missing = [name for name in attributes if name not in entries]
    if unknown and not named:
        faults.append(f"unknown {unknown}: the columns have no names, use positions or a sequence")
    elif unknown:
        listed = ", ".join(f"{name!r}{nearest(name, attributes)}" for name in unknown)
        faults.append(f"unknown {listed}; the columns are {attributes}")
    if missing and EVERY_OTHER not in entries:
        faults.append(f"no direction for {missing}: name every attribute, or add '*': 'free' (or 'gain')")
        return {name: entries[name] for name in attributes if name in entries}
    return {name: entries[name] if name in entries else entries[EVERY_OTHER] for name in attributes}


def _sign(attribute: Any, value: Any, faults: list[str]) -> int:
    """Read one direction; note a fault and return 0 if it is none."""
    if value is None:
        return 0
    if isinstance(value, str) and value.strip().lower() in WORDS:
        return WORDS[value.strip().lower()]
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_) and value in (1, -1, 0):
        return int(float(value))
    if _is_list(value) and all(isinstance(category, Hashable) for category in value):
        repeated = sorted({str(category) for i, category in enumerate(value) if category in value[:i]})
        faults += [f"{attribute!r}: category {category!r} appears more than once" for category in repeated]
        if any(is_missing(category) for category in value):
            faults.append(f"{attribute!r}: a missing cell is no category: say what it means by missing='worst' or so")
        return 1
    hint = nearest(value, WORDS) if isinstance(value, str) else ""
    faults.append(f"{attribute!r}: {value!r} is no direction{hint}; wanted {WANTED}")
    return 0
