"""Keep file descriptor 1 clean while a native library is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent_descriptor(wanted: bool = True) -> Iterator[None]:
    """Send what native code writes to file descriptor 1 to nowhere, if wanted."""
    if not wanted:
        yield
        return
    try:
        sys.stdout.flush()
    except (AttributeError, ValueError):
        pass  # no stdout, or a closed one: nothing of ours to keep in order
    saved = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(nowhere)
        os.close(saved)
