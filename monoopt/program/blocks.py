"""Named blocks of columns and rows: what makes a program readable by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from monoopt.errors import FormulationError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, eq=False)
class Block:
    """A family of columns, rows or cone entries that share a name.

    Attributes
    ----------
    name : str
        The family's name, a plain identifier.
    start, stop : int
        The positions it holds in the program, half open.
    shape : tuple of int
        Shape of its values; ``()`` is a scalar, named without parentheses.
    index : ndarray or None
        Labels, shape ``(size,)`` or ``(size, k)``; None means the positions within ``shape``.
    tex : str
        One member in LaTeX, such as ``d_i - d_j``.
    over : str
        The index set in words, such as ``(i,j) in dominance``.
    verbatim : bool
        The index labels are the members' whole names (programs read from foreign files).
    """

    name: str
    start: int
    stop: int
    shape: tuple[int, ...]
    index: np.ndarray | None = field(default=None, repr=False)
    tex: str = ""
    over: str = ""
    verbatim: bool = False

    @property
    def size(self) -> int:
        """Number of members."""
        return self.stop - self.start

    @property
    def slice(self) -> slice:
        """Positions in the program."""
        return slice(self.start, self.stop)

    def label(self, k: int) -> str:
        """Name of member `k`: ``d(3)``, ``dominance(3,7)``, or ``rho`` for a scalar."""
        if self.verbatim and self.index is not None:
            return str(self.index[k])
        if not self.shape and self.index is None:
            return self.name
        if self.index is None:
            words = [str(int(i)) for i in np.unravel_index(k, self.shape)]
        else:
            words = [str(word) for word in np.atleast_1d(self.index[k])]
        return f"{self.name}({','.join(words)})"

    def labels(self) -> Iterator[str]:
        """Names of all members, in order."""
        return (self.label(k) for k in range(self.size))

    def grown(self, extra: int, index: np.ndarray | None) -> Block:
        """Return this block with `extra` members more at its end."""
        if len(self.shape) != 1:
            raise FormulationError(
                f"block {self.name!r} of shape {self.shape} can't grow; only flat blocks can: give it a size, or index "
                "labels, when it is added"
            )
        if (self.index is None) != (index is None):
            raise FormulationError(f"block {self.name!r}: give index labels for all of its members or for none")
        labels = None if self.index is None or index is None else np.concatenate([self.index, index])
        return replace(self, stop=self.stop + extra, shape=(self.shape[0] + extra,), index=labels)


def make_block(
    name: str,
    start: int,
    shape: int | tuple[int, ...],
    index: object,
    tex: str,
    over: str,
    taken: Sequence[str],
) -> Block:
    """Check the words of a new block and return it."""
    if not isinstance(name, str) or not NAME.match(name):
        raise FormulationError(f"block name {name!r}: wanted a plain identifier such as 'dominance'")
    if name in taken:
        raise FormulationError(f"block name {name!r} is taken; names of columns, rows and cones are unique")
    sides = shape if isinstance(shape, tuple) else (shape,)
    if not all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) for s in sides):
        raise FormulationError(f"block {name!r}: shape {shape!r}, wanted a whole number or a tuple of them")
    dims = tuple(int(s) for s in sides)
    if any(s < 0 for s in dims):
        raise FormulationError(f"block {name!r}: shape {dims} has a negative side")
    size = int(np.prod(dims, dtype=np.int64))
    return Block(name, start, start + size, dims, read_index(name, index, size), tex, over)


def read_index(name: str, index: object, size: int) -> np.ndarray | None:
    """Return index labels as a frozen array of `size` distinct entries, or None."""
    if index is None:
        return None
    labels = np.array(index)
    if labels.ndim not in (1, 2) or labels.shape[0] != size:
        raise FormulationError(f"block {name!r}: index has shape {labels.shape}, wanted {size} labels")
    if labels.dtype.kind in "fc":
        raise FormulationError(f"block {name!r}: index labels must be integers or strings, got {labels.dtype}")
    if repeats(labels):
        raise FormulationError(f"block {name!r}: index labels repeat; each member needs its own name")
    labels.flags.writeable = False
    return labels


def repeats(labels: np.ndarray) -> bool:
    """Tell whether two labels are equal, without sorting rows as tuples (a million pairs take 0.1 s)."""
    if labels.ndim == 2 and labels.dtype.kind in "iu" and labels.size:
        low = labels.min(axis=0).astype(np.int64)
        spans = labels.max(axis=0).astype(np.int64) - low + 1
        if np.prod(spans.astype(float)) < 2.0**62:
            labels = np.ravel_multi_index(tuple((labels - low).T), tuple(spans))
    if labels.ndim == 2:
        return len(np.unique(labels, axis=0)) != len(labels)
    ordered = np.sort(labels)
    return bool((ordered[1:] == ordered[:-1]).any())
