"""What a parameter may be: a finite number, a whole number, a number of jobs. Cells of tables are in `cells`."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TypeGuard


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether this is a finite number; True and False are none.

    Examples
    --------
    >>> is_number(0.5), is_number("0.5"), is_number(True), is_number(10**400)
    (True, False, False, False)
    """
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def is_whole(value: object, least: int) -> TypeGuard[int]:
    """Tell whether this is a whole number, and not below the least.

    Examples
    --------
    >>> is_whole(2, 1), is_whole(0, 1), is_whole(2.0, 1), is_whole(True, 1)
    (True, False, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def is_job_count(value: object) -> bool:
    """Tell whether joblib can work with so many jobs: None, or a whole number other than 0.

    Examples
    --------
    >>> is_job_count(-1), is_job_count(None), is_job_count(0), is_job_count("2")
    (True, True, False, False)
    """
    return value is None or (is_whole(value, -(2**31)) and value != 0 and value < 2**31)
