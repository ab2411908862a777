"""What a person at a terminal sees while something takes long."""

from __future__ import annotations

import io
import sys
import time

import pytest

from monoopt.cli import output
from monoopt.errors import OptionError


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("place", [Terminal, io.StringIO])
@pytest.mark.parametrize("quiet", [False, True])
def test_only_a_terminal_that_wants_to_know_is_told_that_work_goes_on(place, quiet, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", place())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(output, "SILENT", 0.01)
    with output.at_work("ranking 5 objects", quiet):
        time.sleep(0.3)
    assert ("ranking 5 objects" in sys.stderr.getvalue()) == (place is Terminal and not quiet)


def test_a_picture_for_a_folder_that_is_not_there_is_refused_at_the_door(tmp_path):
    output.check_picture(None)
    output.check_picture("p.png")
    output.check_picture(str(tmp_path / "p.svg"))
    for path in (tmp_path / "nowhere" / "p.png", tmp_path / "p.txt"):
        with pytest.raises(OptionError, match="--plot"):
            output.check_picture(str(path))


def test_what_is_done_at_once_is_not_announced(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with output.at_work("ranking 5 objects", False):
        pass
    assert "ranking" not in sys.stderr.getvalue()
