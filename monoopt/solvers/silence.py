"""Keep file descriptor 1 clean while a native library is called."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_held: dict[str, int] = {"depth": 0, "saved": -1}


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
