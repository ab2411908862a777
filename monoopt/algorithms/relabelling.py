"""Monotone relabelling: the least change of labels after which a better object never has a lower label.

K classes are K - 1 questions "at least class k?", each a program of `monoopt.formulations.monotonization` over the
objects that contradict somebody. With the same tie rule for every k the answers are nested, so they are labels again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.algorithms.contradicted import Conflicts
from monoopt.algorithms.dominance_cut import Contradictions
from monoopt.algorithms.ordinal_data import OrdinalData, read_ordinal_data
from monoopt.algorithms.threshold_relabelling import Answer, answer_question, answers_by_cuts, by_cuts, merge_costs
from monoopt.algorithms.words import Words
from monoopt.errors import CertificateError, OptionError, nearest
from monoopt.order import Directions, Loss, loss_table, merge_equal, steps
from monoopt.program import Certificate, Solution
from monoopt.solvers import Solver

Integers: TypeAlias = npt.NDArray[np.int64]
Callback: TypeAlias = Callable[[int, Certificate], object]

TIES = ("least", "greatest")


@dataclass(frozen=True, eq=False)
class Relabelling:
    """New labels, what they cost, and the proof that no monotone labels cost less.

    Attributes
    ----------
    labels : ndarray, shape (n,)
        The new labels, in the user's own values.
    codes : ndarray of int64, shape (n,)
        The same as codes 0..K-1.
    classes : ndarray, shape (K,)
        The labels, worst first.
    cost : float
        Sum of weight times loss between old and new label: the least possible.
    changed : ndarray of int64
        Rows whose label changed.
    certificates : tuple of Certificate
        One per question "at least class k?", k = 1..K-1: its part of the cost and a bound that proves it. The parts
        add up to `cost`.
    solutions : dict of int to Solution
        For every question k whose program was solved its solution, with the program.
    contradictions : dict of int to Contradictions
        For every question k of so many objects that its program was not written out: pairs of rows that contradict each
        other and the amounts on them that prove the cost. A row stands for all rows equal to it.
    data : OrdinalData
        What was relabelled.

    Examples
    --------
    >>> answer = relabel([[1], [2], [3]], ["low", "high", "low"], order=["low", "high"])
    >>> answer.labels, answer.cost, answer.changed, answer.conflicts
    (array(['low', 'low', 'low'], dtype='<U4'), 1.0, array([1]), {1: array([2])})
    """

    labels: npt.NDArray[Any]
    codes: Integers
    classes: npt.NDArray[Any]
    cost: float
    changed: Integers
    certificates: tuple[Certificate, ...]
    solutions: dict[int, Solution] = field(repr=False)
    contradictions: dict[int, Contradictions] = field(repr=False)
    data: OrdinalData = field(repr=False)

    @cached_property
    def conflicts(self) -> Conflicts:
        """For every changed row the rows that its old label contradicted (rows of weight 0 left out)."""
        return Conflicts(self.data, self.changed)

    @property
    def share_changed(self) -> float:
        """Fraction of the rows whose label changed."""
        return len(self.changed) / len(self.codes)

    @property
    def ok(self) -> bool:
        """Whether every certificate is."""
        return all(certificate.ok for certificate in self.certificates)

    def __str__(self) -> str:
        """Say how many labels changed, at what cost, and how each attribute goes with the labels."""
        lines = [
            f"{len(self.changed)} of {len(self.codes)} labels changed ({self.share_changed:.1%}), cost {self.cost:g}",
            *(f"at least {self.classes[k]}: {c}" for k, c in enumerate(self.certificates, start=1)),
            *map(str, self.data.agreement),
        ]
        return "\n".join(lines)


def relabel(
    X: Any,
    y: Any,
    *,
    directions: Directions = None,
    sample_weight: Any = None,
    order: Sequence[Any] | None = None,
    missing: str = "error",
    loss: Loss = "absolute",
    tie: str = "least",
    solver: str | Solver = "highs",
    time_limit: float | None = None,
    tolerance: float | None = None,
    options: Mapping[str, Any] | None = None,
    callback: Callback | None = None,
) -> Relabelling:
    """Change the labels as little as possible so that they are monotone.

    minimise    sum_i w_i L(y_i, d_i)   subject to   d_i >= d_j whenever object i is at least as good as object j

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        Objects. Infinite values are refused, all cells listed; text and categories may stand in free attributes, an
        ordered category (or text whose categories `directions` lists, worst first) in a directed one.
    y : array-like, shape (n,)
        Ordered labels of any type; text needs `order`.
    directions : None, dict by name or sequence
        +1 or "gain", -1 or "cost", 0 or "free" (comparable only when equal there); None: all gain.
    sample_weight : array-like, shape (n,), optional
        Not negative. Weight k is k copies; an object of weight 0 has no say and gets a label that fits the others.
    order : sequence, optional
        All labels, worst first.
    missing : "error", "incomparable" or "worst"
        Of missing cells: refuse them, all listed; compare objects only if the same directed attributes are missing, by
        the others; or take them to be worse than every value. In a free attribute they equal each other alone.
    loss : "absolute", "squared" or array-like, shape (K, K)
        L[true class, new class], zero on the diagonal and convex along each row.
    tie : "least" or "greatest"
        Which of the relabellings of least cost: every label as low, or as high, as any of them has it. It is one and
        the same on every solver.
    solver : str or Solver
        Any solver for linear programs that `available_solvers` lists, or "mincut". Above 5000 distinct objects "highs"
        and "mincut" both stand for an exact minimum cut on a sparse graph, which needs no program.
    time_limit : float, optional
        Wall seconds for all questions. A cut looks at the clock once the sparse graph is built, then again and again.
    tolerance, options
        Passed to `solve`.
    callback : callable, optional
        Called after every question "at least class k?", k = 1..K-1, with k and its certificate; cuts begin in the
        middle.

    Returns
    -------
    Relabelling

    Raises
    ------
    DataError
        Every fault of the data in one error.
    OptionError
        Unknown words, or a callback that can't be called.
    CertificateError
        The exact proof fails.
    SolveError
        A limit came first (`TimeLimitError` where no solver was at work).

    Warns
    -----
    DataWarning
        A declared direction goes against the labels, or no two objects are comparable.

    Notes
    -----
    Weights are taken as the binary numbers that they are, weights of equal objects added up in double precision (sums
    that differ from 0 by rounding alone are 0); from there on cost and tie rule are exact. A solver's multipliers,
    missing or coarser than the weights, are completed by an exact maximum flow; `solutions[k].raw_status` says so.

    References
    ----------
    Equation (3) of W. Kotlowski and R. Slowinski, "Rule learning with monotonicity constraints", ICML 2009; reduction
    to inconsistent objects as there. Equal objects are merged, and arcs that follow from others are left out.

    Examples
    --------
    >>> relabel([[1], [2], [3]], [0, 1, 0]).labels
    array([0, 0, 0])
    >>> relabel([[1], [2], [3]], [0, 1, 0], tie="greatest").labels
    array([0, 1, 1])
    """
    if callback is not None and not callable(callback):
        raise OptionError(f"callback={callback!r}: wanted something to call with k and a certificate, or None")
    data = read_ordinal_data(X, y, directions, sample_weight, order, missing)
    data.warn(stacklevel=3)
    return relabel_data(data, loss, tie, Words(solver, time_limit, tolerance, options), callback)


def relabel_data(
    data: OrdinalData, loss: Loss, tie: str, words: Words, callback: Callback | None = None
) -> Relabelling:
    """Relabel data that were read before; the parameters are those of `relabel`."""
    if not isinstance(tie, str) or tie not in TIES:
        raise OptionError(f"tie={tie!r}{nearest(tie, TIES)}; wanted 'least' or 'greatest'")
    old, K = data.labels.codes, data.n_classes
    table = loss_table(loss, K)
    objects, home = merge_equal(data.X)
    questions = [merge_costs(home, old, data.weights, step) for step in steps(table)]
    if by_cuts(questions, words):
        coming = answers_by_cuts(questions, objects, data.directions, tie, words)
    else:
        coming = ((k, answer_question(q, objects, data.directions, tie, words)) for k, q in enumerate(questions))
    found: dict[int, Answer] = {}
    for k, answer in coming:
        found[k] = answer
        if callback is not None:
            callback(k + 1, answer.certificate)
    answers = [found[k] for k in range(K - 1)]
    _check_nested(answers)
    row = np.empty(len(objects), dtype=np.int64)  # a row for each distinct object: its first
    row[home[::-1]] = np.arange(len(home))[::-1]
    codes = sum((answer.yes for answer in answers), np.zeros(len(objects), dtype=np.int64))[home]
    return Relabelling(
        labels=data.labels.decode(codes),
        codes=codes,
        classes=data.labels.classes,
        cost=float(data.weights @ table[old, codes]),
        changed=np.flatnonzero(codes != old),
        certificates=tuple(answer.certificate for answer in answers),
        solutions={k: a.solution for k, a in enumerate(answers, start=1) if a.solution is not None},
        contradictions={
            k: replace(a.contradictions, better=row[a.contradictions.better], worse=row[a.contradictions.worse])
            for k, a in enumerate(answers, start=1)
            if a.contradictions is not None
        },
        data=data,
    )


def _check_nested(answers: Sequence[Answer]) -> None:
    """Optima of one tie rule are nested; if they are not, a solver's tolerance is to blame."""
    for k, (easier, harder) in enumerate(pairwise(answers), start=2):
        wrong = np.flatnonzero(harder.yes > easier.yes)
        if len(wrong):
            raise CertificateError(
                f"{len(wrong)} objects are at least class {k} without being at least class {k - 1}: the solver's "
                "tolerance is too coarse for these weights; ask for a smaller tolerance",
                harder.certificate,
            )
