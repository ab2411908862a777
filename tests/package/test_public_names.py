"""Every public name exists, is documented, and is seen by editors and type checkers alike."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
from pathlib import Path

import pytest

import monoopt


@pytest.mark.parametrize("name", monoopt.__all__)
def test_a_public_name_is_there_with_a_docstring(name: str):
    value = getattr(monoopt, name)
    text = inspect.getdoc(value)
    assert text and len(text) > 20, f"monoopt.{name} says nothing about itself"


def test_names_for_type_checkers_are_the_names_that_load():
    tree = ast.parse(Path(monoopt.__file__).read_text())
    guard = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {alias.name for node in guard.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert declared == set(monoopt.__all__)


def test_an_unknown_name_is_refused_as_modules_do():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = monoopt.no_such_name


def test_dir_shows_public_names_only():
    assert set(dir(monoopt)) == {*monoopt.__all__, "__version__"}


def test_the_version_is_a_version_and_the_changelog_is_kept(root: Path):
    assert re.fullmatch(r"\d+\.\d+\.\d+", monoopt.__version__)
    headings = re.findall(r"^## \[(.+?)\]", (root / "CHANGELOG.md").read_text(), flags=re.M)
    assert headings[0] in ("Unreleased", monoopt.__version__)


def test_an_installed_version_is_the_source_version():
    try:
        installed = importlib.metadata.version("monoopt")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("monoopt runs from its checkout; nothing is installed")
    assert installed == monoopt.__version__
