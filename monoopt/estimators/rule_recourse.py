"""Recourse: the cheapest change of one object that reaches a class, with a proof that nothing cheaper does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from monoopt.errors import DataError, nearest, refuse
from monoopt.estimators.rule_explanation import RuleExplainer, cell_text, one_row, plain
from monoopt.estimators.rule_voting import middle
from monoopt.formulations import recourse as formulation
from monoopt.formulations.recourse import MARGIN, Levels
from monoopt.order import match_precision
from monoopt.order.attributes import GAP
from monoopt.order.parameters import is_number
from monoopt.program import Certificate, Status
from monoopt.solvers import Solver, solve

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recourse:
    """What to change.

    Attributes
    ----------
    changes : dict of str to (cell, cell)
        Attribute -> present and new value, only those that change: numbers, categories, None for a missing cell.
    cost : float
        The least possible.
    values : ndarray, shape (d,)
        The changed object.
    label
        Its class.
    certificate : Certificate
        That no cheaper change within the allowed values does it.
    """

    changes: dict[str, tuple[Any, Any]]
    cost: float
    values: Floats
    label: Any
    certificate: Certificate

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        proof = {"ok": self.certificate.ok, "says": str(self.certificate)}
        return plain({"label": self.label, "cost": self.cost, "changes": self.changes, "certificate": proof})

    def __str__(self) -> str:
        steps = [f"{name} from {cell_text(old)} to {cell_text(new)}" for name, (old, new) in self.changes.items()]
        return f"{self.label}: {', '.join(steps) if steps else 'nothing to change'} (cost {self.cost:.4g})"


class RecourseTeller(RuleExplainer):
    """Cheapest changes under ensembles of rules."""

    def recourse(
        self,
        x: Any,
        target: Any,
        *,
        fixed: Sequence[Any] = (),
        costs: Mapping[Any, float] | None = None,
        solver: str | Solver = "highs",
        time_limit: float | None = None,
    ) -> Recourse:
        """Find the cheapest change that brings an object into a class, or a better one.

        minimise the sum of cost_j |new_j - old_j| / range_j over the values of the training data and of the rules

        Directed attributes only change for the better, because worse never helps; free ones either way, and from one
        category to another at the cost of a whole range. A missing cell counts as the worst value in the training data
        where it is worse than every value, and can't change where it makes objects incomparable. Where no rule decides
        the class is in the middle of what is left open, as in `predict`.

        Parameters
        ----------
        x : array-like, shape (d,), or table of one row
        target : label
            The class to reach.
        fixed : sequence of name or position
            Attributes that can't change.
        costs : mapping from name or position to float, optional
            Cost of a change over the whole range of the attribute in the training data; 1 by default.
        solver : str or Solver
            For integer programs.
        time_limit : float, optional
            Wall seconds.

        Returns
        -------
        Recourse

        Raises
        ------
        DataError
            Unknown class or attribute, a cost that is not positive, or no change within reach brings the class.

        Examples
        --------
        >>> from monoopt import LPRulesClassifier
        >>> rules = LPRulesClassifier().fit([[1, 1], [1, 3], [3, 1], [3, 3]], [0, 0, 0, 1])
        >>> print(rules.recourse([1, 3], 1))
        1: x0 from 1 to 3 (cost 1)
        """
        _, values, bits = self._matched(one_row(x))
        if len(values) != 1:
            raise DataError(f"wanted one object, got a table of {len(values)} rows")
        code = self._code_of(target)
        if self._code_at(values[0], bits) >= code:
            code = 0  # it is there: every object is in the worst class or a better one
        stuck, prices = self._prices(fixed, {} if costs is None else costs)
        ensembles = [ensemble.at_precision(bits) for ensemble in self.rules_]
        asked = match_precision(self.objects_, bits)  # every threshold of a rule is among the training values
        levels = [
            self._levels(j, float(values[0, j]), asked[:, j], prices[j], j in stuck) for j in range(values.shape[1])
        ]
        program = formulation.build(ensembles, levels, code)
        solution = solve(program, solver, time_limit=time_limit, raise_on_failure=False)
        if solution.optimal and self._code_at(formulation.read(program, solution, levels), bits) < code:
            # a vote below 0 by less than the solver's tolerance was taken for none: let clear votes alone count
            program = formulation.build(ensembles, levels, code, least_open=MARGIN)
            solution = solve(program, solver, time_limit=time_limit, raise_on_failure=False)
        if solution.status is Status.INFEASIBLE:
            raise DataError(
                f"no allowed change brings class {str(target)!r}; directed attributes only change for the better"
                + (f", and fixed are {[self._names[j] for j in sorted(stuck)]}: fix fewer" if stuck else "")
            )
        new = formulation.read(program, solution, levels)
        old = values[0]
        tell = self._attributes.cell
        changes = {self._names[j]: (tell(j, old[j]), tell(j, new[j])) for j in np.flatnonzero(new != old).tolist()}
        label = self.classes_[self._code_at(new, bits)]
        assert solution.certificate is not None and solution.objective is not None
        return Recourse(changes, float(solution.objective), new, label, solution.certificate)

    def _code_at(self, x: Floats, bits: npt.NDArray[np.uint8]) -> int:
        return int(middle(self._votes(x[None], bits))[0])

    def _code_of(self, target: Any) -> int:
        known = self.classes_.tolist()
        if np.ndim(target) or target not in known:
            hint = nearest(str(target), [str(label) for label in known])
            raise DataError(f"target {target!r} is no class{hint}; the classes are {known}")
        return known.index(target)

    def _prices(self, fixed: Sequence[Any], costs: Mapping[Any, float]) -> tuple[set[int], Floats]:
        """Positions of the fixed attributes, and the cost of a change over the whole range of each."""
        if not np.iterable(fixed) or not isinstance(costs, Mapping):
            raise DataError(f"recourse: fixed={fixed!r}, costs={costs!r}; wanted attributes, and a cost for attributes")
        names = self._names
        place = {name: j for j, name in enumerate(names)} | {j: j for j in range(len(names))}
        faults = [
            f"unknown attribute {key!r}{nearest(str(key), names)}"
            for key in [*fixed, *costs]
            if not isinstance(key, Hashable) or key not in place
        ]
        wrong = [key for key, cost in costs.items() if not (is_number(cost) and cost > 0)]
        faults += [f"cost of {key!r} is {costs[key]!r}, wanted a positive number" for key in wrong]
        refuse(faults, "recourse")
        price = np.ones(len(names))
        for key, cost in costs.items():
            price[place[key]] = cost
        return {place[key] for key in fixed}, price

    def _levels(self, j: int, present: float, asked: Floats, price: float, stuck: bool) -> Levels:
        """Values that attribute j may take, and their costs; the present one is free."""
        sign, gap, columns = int(self.directions_[j]), abs(present) >= GAP / 2, self._attributes
        values = np.unique(asked[np.abs(asked) < GAP / 2])
        width = (float(np.ptp(values)) if len(values) else 0.0) or 1.0
        better = values != present if sign == 0 else (values - present) * sign > 0
        lasting = columns.counts_gaps and ((gap and sign != 0) or j == len(columns.signs))
        chosen = values[better] if not (stuck or lasting) else values[:0]
        if sign == 0 and (gap or columns.categories[j] is not None):
            costs = np.ones(len(chosen))
        else:
            start = present if not gap else values.min() if sign > 0 else values.max()
            costs = np.abs(chosen - start) / width
        return Levels(np.append(present, chosen), np.append(0.0, costs * price))
