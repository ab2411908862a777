"""The pages of docs/methods/ are true: their Python runs, their links and pictures are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "methods").glob("*.md"))


@pytest.mark.filterwarnings("ignore::monoopt.errors.DataWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_python_of_a_page_runs(page: Path, capsys: pytest.CaptureFixture[str]):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert blocks
    names: dict[str, object] = {"__name__": page.stem}
    for number, block in enumerate(blocks, start=1):
        exec(compile(block, f"{page.name} block {number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_links_of_a_page_lead_somewhere(page: Path):
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
