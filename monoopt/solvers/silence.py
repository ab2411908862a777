"""Keep file descriptor 1, and Python's own stdout, clean while a native library is called; hear what it says."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

_lock = threading.Lock()
_held: dict[str, int] = {"depth": 0, "saved": -1}


@dataclass(frozen=True, eq=False)
class _Ear:
    heard: io.StringIO
    aloud: bool


_ears: dict[int, list[_Ear]] = {}  # by thread, the innermost last


@contextmanager
def silent_descriptor(wanted: bool = True) -> Iterator[None]:
    """Send what native code writes to file descriptor 1 to nowhere, if wanted.

    The descriptor belongs to the process: of several threads the first turns it away and the last brings it
    back, so that stdout is never lost.
    """
    if not wanted:
        yield
        return
    _turn_away()
    try:
        yield
    finally:
        _bring_back()


def _turn_away() -> None:
    with _lock:
        if _held["depth"] == 0:
            _flush()
            _held["saved"] = _replaced()
        _held["depth"] += 1


def _replaced() -> int:
    """Put the null device in the place of descriptor 1; return a copy of what was there, -1 for nothing."""
    try:
        saved = os.dup(1)
    except OSError:
        return -1  # a process without stdout
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return saved


def _bring_back() -> None:
    with _lock:
        _held["depth"] -= 1
        if _held["depth"] == 0 and _held["saved"] >= 0:
            os.dup2(_held["saved"], 1)
            os.close(_held["saved"])


def _flush() -> None:
    try:
        sys.stdout.flush()
    except (AttributeError, ValueError):
        pass  # no stdout, or a closed one: nothing of ours to keep in order


class _Sieve:
    """A stdout that keeps to itself what listened-to threads write, and is the old one to all others."""

    def __init__(self, stdout: TextIO) -> None:
        self.stdout = stdout

    def write(self, text: str) -> int:
        ears = _ears.get(threading.get_ident(), [])
        if ears:
            ears[-1].heard.write(text)
        return self.stdout.write(text) if all(ear.aloud for ear in ears) else len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stdout, name)


@contextmanager
def listening(aloud: bool = False) -> Iterator[io.StringIO]:
    """Catch what this thread writes to ``sys.stdout``, and let it pass only if aloud; other threads write on.

    Clarabel, OSQP, SCS and SCIP print through Python, some lines whatever their ``verbose`` says: where stdout is a
    notebook's or somebody's buffer no descriptor would stop them, and what is caught here is the log of the solve.
    """
    ear = _Ear(io.StringIO(), aloud)
    if sys.stdout is None:
        yield ear.heard
        return
    me = threading.get_ident()
    with _lock:
        if not isinstance(sys.stdout, _Sieve):
            sys.stdout = _Sieve(sys.stdout)
        _ears.setdefault(me, []).append(ear)
    try:
        yield ear.heard
    finally:
        with _lock:
            _ears[me].remove(ear)
            if not _ears[me]:
                del _ears[me]
            if not _ears and isinstance(sys.stdout, _Sieve):
                sys.stdout = sys.stdout.stdout
