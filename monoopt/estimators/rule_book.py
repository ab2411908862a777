"""Rule ensembles of all questions as one readable thing, and the check that what they say is monotone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from monoopt.order import RuleEnsemble, as_gains
from monoopt.order.comparisons import at_least, blocks


@dataclass(frozen=True, eq=False, repr=False)
class RuleBook(Sequence[RuleEnsemble]):
    """One ensemble per question "at least class k?"; printed, it is text.

    Attributes
    ----------
    ensembles : tuple of RuleEnsemble
        For k = 1..K-1.
    margins : ndarray, shape (K-1,)
    classes : ndarray, shape (K,)
        Labels, worst first.
    names : tuple of str or None
        Attribute names.
    """

    ensembles: tuple[RuleEnsemble, ...]
    margins: npt.NDArray[np.float64]
    classes: npt.NDArray[Any]
    names: tuple[str, ...] | None = None

    @overload
    def __getitem__(self, k: int) -> RuleEnsemble: ...

    @overload
    def __getitem__(self, k: slice) -> tuple[RuleEnsemble, ...]: ...

    def __getitem__(self, k: int | slice) -> RuleEnsemble | tuple[RuleEnsemble, ...]:
        return self.ensembles[k]

    def __len__(self) -> int:
        return len(self.ensembles)

    def __iter__(self) -> Iterator[RuleEnsemble]:
        return iter(self.ensembles)

    def text(self, k: int) -> str:
        """Return the rules of question k (1..K-1), one line each, heaviest first."""
        upper, lower = f"at least {self.classes[k]}", f"below {self.classes[k]}"
        lines = self.ensembles[k - 1].text(self.names, upper, lower).split("\n")
        return "\n  ".join([f"{upper}: margin {self.margins[k - 1]:.4g}", *lines])

    def __str__(self) -> str:
        if not self.ensembles:
            return f"always {self.classes[0]}"
        return "\n".join(self.text(k) for k in range(1, len(self.classes)))

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class MonotonicityCheck:
    """Whether predictions are monotone.

    Attributes
    ----------
    by_form : bool
        Every rule is monotone in form, which proves it for all objects, seen or not.
    pairs : int
        Comparable pairs that were compared (ordered pairs of distinct rows, the first at least as good).
    violations : int
        Pairs in which the better object got the lower class.
    worst : tuple of int or None
        Rows of the pair with the largest drop.
    """

    by_form: bool
    pairs: int
    violations: int
    worst: tuple[int, int] | None = field(default=None)

    @property
    def ok(self) -> bool:
        """Whether there is a proof by form and no violation."""
        return self.by_form and self.violations == 0

    def __str__(self) -> str:
        proof = "every rule is monotone in form" if self.by_form else "a rule is NOT monotone in form"
        seen = f"{self.violations} of {self.pairs} comparable pairs violated"
        return f"{proof}; {seen}" + ("" if self.worst is None else f", the worst is rows {self.worst}")


def count_violations(
    X: npt.NDArray[np.float64],
    codes: npt.NDArray[np.int64],
    directions: npt.NDArray[np.int8],
    by_form: bool,
) -> MonotonicityCheck:
    """Compare all comparable pairs, in bounded memory.

    Examples
    --------
    >>> up = np.array([1], dtype=np.int8)
    >>> print(count_violations(np.array([[1.0], [2.0]]), np.array([1, 0]), up, True))
    every rule is monotone in form; 1 of 1 comparable pairs violated, the worst is rows (1, 0)
    """
    gains = as_gains(X, directions)
    pairs = violations = drop = 0
    worst = None
    for block in blocks(len(gains), len(gains)):
        above = at_least(gains[block], gains)
        pairs += int(above.sum()) - len(above)
        falls = np.where(above, codes - codes[block, None], 0)
        violations += int((falls > 0).sum())
        if falls.max(initial=0) > drop:
            i, j = np.unravel_index(np.argmax(falls), falls.shape)
            drop, worst = int(falls.max()), (int(i) + block.start, int(j))
    return MonotonicityCheck(by_form, pairs, violations, worst)
