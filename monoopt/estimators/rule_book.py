"""Rule ensembles of all questions as one readable thing, and the check that what they say is monotone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from monoopt.order import Attributes, RuleEnsemble, as_gains
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
    attributes : Attributes
        What the columns are.
    """

    ensembles: tuple[RuleEnsemble, ...]
    margins: npt.NDArray[np.float64]
    classes: npt.NDArray[Any]
    attributes: Attributes = field(default_factory=Attributes)

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
        lines = self.ensembles[k - 1].text(self.attributes, upper, lower).split("\n")
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
        Every rule (or what there is instead) is monotone in form, which proves it for all objects, seen or not.
    pairs : int
        Comparable pairs that were compared (ordered pairs of distinct rows, the first at least as good).
    violations : int
        Pairs in which the better object got the lower class.
    worst : tuple of int or None
        Rows of the pair with the largest drop.
    grid_pairs, grid_violations : int
        The same on a grid of the rules' thresholds: on, between and beyond them, where answers change.
    whole : str
        What is monotone in form.
    """

    by_form: bool
    pairs: int
    violations: int
    worst: tuple[int, int] | None = field(default=None)
    grid_pairs: int = 0
    grid_violations: int = 0
    whole: str = "every rule"

    @property
    def ok(self) -> bool:
        """Whether there is a proof by form and no violation."""
        return self.by_form and self.violations == 0 and self.grid_violations == 0

    def __str__(self) -> str:
        proof = f"{self.whole} is monotone in form" if self.by_form else "a rule is NOT monotone in form"
        seen = f"{self.violations} of {self.pairs} comparable pairs violated"
        worst = "" if self.worst is None else f", the worst is rows {self.worst}"
        grid = f"; {self.grid_violations} of {self.grid_pairs} on a grid of thresholds" if self.grid_pairs else ""
        return f"{proof}; {seen}{worst}{grid}"


def threshold_grid(ensembles: Sequence[RuleEnsemble], objects: npt.NDArray[np.float64], points: int) -> Any:
    """Return objects on, between and beyond the thresholds of rules: all of them, or a reproducible sample.

    Parameters
    ----------
    ensembles : sequence of RuleEnsemble
    objects : ndarray, shape (m, d)
        Attributes without thresholds stay at their first value.
    points : int
        How many at most.

    Examples
    --------
    >>> from monoopt.order import Condition, Rule
    >>> one = RuleEnsemble((Rule(True, (Condition(0, ">=", 2.0),)),), np.array([1.0]))
    >>> threshold_grid([one], np.array([[0.0], [4.0]]), 10).ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    places = []
    for j in range(objects.shape[1]):
        asked = {c.threshold for e in ensembles for rule in e.rules for c in rule.conditions if c.attribute == j}
        known = np.array(sorted(asked)) if asked else objects[:1, j]
        between = (known[1:] + known[:-1]) / 2
        places.append(np.unique([*known, *between, known[0] - 1.0, known[-1] + 1.0]) if asked else known)
    sizes = [len(values) for values in places]
    if np.prod(sizes, dtype=float) <= points:
        return np.array(list(product(*places)))
    random = np.random.default_rng(0)
    return np.column_stack([values[random.integers(0, len(values), points)] for values in places])


def count_violations(
    X: npt.NDArray[np.float64],
    codes: npt.NDArray[np.int64],
    directions: npt.NDArray[np.int8],
    by_form: bool,
    whole: str = "every rule",
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
    return MonotonicityCheck(by_form, pairs, violations, worst, whole=whole)
