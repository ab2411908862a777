"""README's Python runs as printed, and its two commands are the ones that continuous integration runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_a_python_block_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("python")[number], f"README.md block {number + 1}", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("mark", ["install-and-run", "install-and-test"])
def test_the_two_commands_are_marked_for_ci(mark: str):
    assert re.search(rf"^<!-- {mark} -->\n```bash\n[^`]+?^```", README.read_text(encoding="utf-8"), flags=re.M)


def test_links_inside_the_checkout_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", README.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (README.parent / target).exists()]
    assert not missing
