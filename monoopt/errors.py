"""The errors of monoopt: each says what was wanted, what came, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monoopt.program.certificate import Certificate
    from monoopt.program.solution import Solution


class MonooptError(Exception):
    """Base of everything that monoopt raises on purpose."""


class DataError(MonooptError, ValueError):
    """The data can't be used as given.

    Attributes
    ----------
    faults : list of str
        Every fault found, one line each; the message shows them all.
    """

    def __init__(self, message: str, faults: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.faults = list(faults) or [message]


class CellTypeError(DataError, TypeError):
    """Some cells are of a type that is neither number nor text, dates for example."""


class FormulationError(MonooptError, ValueError):
    """A program can't be built from these blocks (shapes, names, bounds, convexity)."""


class OptionError(MonooptError, TypeError):
    """An option or word that monoopt or the solver does not know, or a value outside its range."""


class SolverNotFound(MonooptError, LookupError):
    """No solver of this name is known, or it is known and not installed."""


class UnsupportedProgram(MonooptError, ValueError):
    """The solver can't do what the program needs; the message names solvers that can."""


class SolveError(MonooptError, RuntimeError):
    """The solve did not end as asked.

    Attributes
    ----------
    solution : Solution
        What there is: status, log, raw status of the backend, and any point that passed our check.
    """

    def __init__(self, message: str, solution: Solution | None = None) -> None:
        super().__init__(message)
        self.solution = solution


class TimeLimitError(SolveError):
    """Time was up before there was an answer; what is not proved best is not given."""


class NoSolutionError(SolveError):
    """Values were asked of a solution that holds no point."""


class CertificateError(MonooptError):
    """An answer did not pass its certificate.

    Attributes
    ----------
    certificate : Certificate
        The failed certificate with its reasons.
    """

    def __init__(self, message: str, certificate: Certificate | None = None) -> None:
        super().__init__(message)
        self.certificate = certificate


class DataWarning(UserWarning):
    """Data that can be used, with something a person should know."""


def refuse(faults: list[str], what: str, kind: type[DataError] = DataError) -> None:
    """Raise one `DataError` (or one of its kinds) that lists all faults; do nothing when there are none.

    Examples
    --------
    >>> refuse([], "the data")
    >>> refuse(["row 2: NaN", "row 5: inf"], "the data")
    Traceback (most recent call last):
    ...
    monoopt.errors.DataError: the data: row 2: NaN; row 5: inf
    """
    if faults:
        joint = "; " if len(faults) < 4 else "\n  - "
        start = " " if len(faults) < 4 else "\n  - "
        raise kind(f"{what}:{start}{joint.join(faults)}", faults)


def nearest(word: object, choices: Iterable[str]) -> str:
    """Return ", did you mean 'x'?" for the nearest of the choices, or an empty text.

    Examples
    --------
    >>> nearest("threds", ["threads", "seed"])
    ", did you mean 'threads'?"
    """
    found = difflib.get_close_matches(str(word), list(choices), n=1, cutoff=0.6)
    return f", did you mean {found[0]!r}?" if found else ""
