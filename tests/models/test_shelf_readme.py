"""The shelf's README is true: commands print what it shows, its table lists every folder, its links lead on."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "models" / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.mark.parametrize("number", range(len(blocks("console"))))
def test_a_command_prints_what_is_shown(number: int):
    first, shown = blocks("console")[number].split("\n", 1)
    command = shlex.split(first.removeprefix("$ "))
    command[0] = sys.executable if command[0] == "python" else command[0]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert doctest.OutputChecker().check_output(shown, done.stdout, doctest.ELLIPSIS), done.stdout


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_a_python_block_runs(number: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path])
    exec(compile(blocks("python")[number], f"models/README.md block {number + 1}", "exec"), {"__name__": "readme"})


def test_the_table_has_one_row_for_every_folder_with_its_builder(folders):
    rows = re.findall(r"^\| (\w+) \|.*\| `([\w.:]+)` \|$", README.read_text(encoding="utf-8"), flags=re.M)
    expected = {folder.name: folder.tiny["builder"] for folder in folders}
    missing = sorted(set(expected) - set(dict(rows)))
    assert not missing, f"add rows to the table of models/README.md for {missing}"
    assert dict(rows) == expected and len(rows) == len(expected)


def test_links_lead_somewhere(folders):
    pages = [README, *(folder.path / "CARD.md" for folder in folders)]
    for page in pages:
        targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
        assert [target for target in targets if not (page.parent / target).exists()] == [], page


def test_the_number_of_ways_to_break_a_program_is_the_one_it_states(audit):
    ways = len(audit.load(Path(__file__).with_name("test_agreement_can_fail.py")).MUTATIONS)
    words = {11: "eleven", 12: "twelve", 13: "thirteen"}
    assert f"breaks each program in {words[ways]}" in " ".join(README.read_text(encoding="utf-8").split())
