"""Keep file descriptor 1, and Python's own stdout, clean while a native library is called."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

_lock = threading.Lock()
_held: dict[str, int] = {"depth": 0, "saved": -1}
_muted: list[int] = []  # threads, each as often as it asked


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
    """A stdout that lets go what muted threads write, and is the old one to all others."""

    def __init__(self, stdout: TextIO) -> None:
        self.stdout = stdout

    def write(self, text: str) -> int:
        return len(text) if threading.get_ident() in _muted else self.stdout.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stdout, name)


@contextmanager
def silent_thread(wanted: bool = True) -> Iterator[None]:
    """Let go what this thread writes to ``sys.stdout``, if wanted; other threads write on.

    OSQP and SCS print through Python, some lines whatever their ``verbose`` says: where stdout is a notebook's or
    somebody's buffer no descriptor would stop them.
    """
    if not wanted or sys.stdout is None:
        yield
        return
    me = threading.get_ident()
    with _lock:
        if not isinstance(sys.stdout, _Sieve):
            sys.stdout = _Sieve(sys.stdout)
        _muted.append(me)
    try:
        yield
    finally:
        with _lock:
            _muted.remove(me)
            if not _muted and isinstance(sys.stdout, _Sieve):
                sys.stdout = sys.stdout.stdout
