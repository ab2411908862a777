"""What can be wrong with a proof that was saved: not one at all, or one that contradicts itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

NUMBERS = ("tolerance", "primal_objective", "dual_objective", "gap")
CERTIFIED = ("kind", "ok", *NUMBERS, "exact", "reasons")
"""What a record keeps of a proof."""
KINDS = ("optimality", "feasibility", "infeasibility", "unboundedness", "none")
ROUNDING = 1e-9


def proof_faults(saved: Any) -> list[str]:
    r"""Return what is wrong with the proofs of a record, the first of them numbered 0.

    Examples
    --------
    >>> proof = dict(kind="optimality", ok=True, tolerance=1e-6, primal_objective=2.0, dual_objective=2.0, gap=0.0)
    >>> proof |= dict(exact=True, reasons=[])
    >>> print(*proof_faults([proof, proof | {"gap": 1.0}]), sep="\n")
    certificates: entry 1: ok, and yet gap 1 is above tolerance 1e-06
    certificates: entry 1: gap 1 is not that of objective 2 and bound 2
    """
    if not isinstance(saved, list):
        return ["certificates: wanted a list"]
    return [f"certificates: entry {place}: {fault}" for place, entry in enumerate(saved) for fault in _faults(entry)]


def is_real(value: Any) -> bool:
    """Whether this is a number, infinite or such as float64 can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value == value if isinstance(value, float) else abs(value) <= sys.float_info.max


def _faults(entry: Any) -> list[str]:
    if not isinstance(entry, Mapping):
        return ["wanted a mapping"]
    wrong = sorted(map(str, set(CERTIFIED) ^ set(entry)))
    if wrong:
        return [f"missing or unknown: {', '.join(wrong)[:200]}"]
    return _form(entry) or _contradictions(entry)


def _form(entry: Mapping[str, Any]) -> list[str]:
    """Words of a wrong kind."""
    faults = [f"{word}: wanted a number that float64 can hold" for word in NUMBERS if not _number(entry[word])]
    faults += [f"{word}: wanted true or false" for word in ("ok", "exact") if not isinstance(entry[word], bool)]
    if not isinstance(entry["kind"], str) or entry["kind"] not in KINDS:
        faults.append(f"kind: wanted one of {', '.join(KINDS)}")
    reasons = entry["reasons"]
    if not isinstance(reasons, list) or not all(isinstance(reason, str) for reason in reasons):
        faults.append("reasons: wanted a list of texts")
    return faults


def _number(value: Any) -> bool:
    return value in ("nan", "inf", "-inf") if isinstance(value, str) else is_real(value)


def _contradictions(entry: Mapping[str, Any]) -> list[str]:
    """Say where what is claimed does not follow from the numbers."""
    tolerance, primal, dual, gap = (float(entry[word]) for word in NUMBERS)
    if not 0 <= tolerance < 1:
        return [f"tolerance {tolerance:g}: wanted a number from 0 to 1"]
    faults = []
    if entry["ok"] and entry["kind"] == "none":
        faults.append("ok, and yet it proves nothing")
    if entry["kind"] == "optimality" and entry["ok"] and not gap <= tolerance:
        faults.append(f"ok, and yet gap {gap:g} is above tolerance {tolerance:g}")
    if entry["kind"] == "optimality" and not _gap_fits(gap, primal, dual):
        faults.append(f"gap {gap:g} is not that of objective {primal:g} and bound {dual:g}")
    return faults


def _gap_fits(gap: float, primal: float, dual: float) -> bool:
    """Whether this is |primal - dual| / max(u, |primal|) for some unit u from 0 to 1, up to rounding."""
    distance, size = abs(primal - dual), abs(primal)
    if not distance < float("inf"):
        return not 0 <= gap < float("inf")  # a value is missing, or there is no bound
    least = distance / max(1.0, size)
    most = distance / size if size else float("inf") if distance else 0.0
    return least * (1 - ROUNDING) - 1e-12 <= gap <= most * (1 + ROUNDING) + 1e-12
