"""The index of the documentation leads everywhere: every program, every page and every public estimator is on it."""

from __future__ import annotations

import re
from pathlib import Path

import monoopt.estimators

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "index.md"
TEXT = INDEX.read_text(encoding="utf-8")
TARGETS = {(INDEX.parent / link).resolve() for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", TEXT)}


def test_its_links_lead_somewhere():
    assert [str(target) for target in TARGETS if not target.exists()] == []


def test_every_page_is_on_it():
    pages = {page for page in (ROOT / "docs").rglob("*.md")} - {INDEX}
    assert pages <= TARGETS, f"not linked: {sorted(str(page) for page in pages - TARGETS)}"


def test_every_program_is_on_it_with_its_card():
    programs = {path for path in (ROOT / "monoopt" / "formulations").glob("*.py") if path.name != "__init__.py"}
    cards = set((ROOT / "models").glob("*/CARD.md"))
    assert programs | cards <= TARGETS, f"not linked: {sorted(map(str, (programs | cards) - TARGETS))}"


def test_every_public_estimator_is_named():
    assert [name for name in monoopt.estimators.__all__ if f"`{name}`" not in TEXT] == []


def test_readme_leads_to_it():
    assert "](docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
