"""The command line as a person calls it, with its two streams kept apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from monoopt.cli.app import app


@pytest.fixture
def monoopt(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run ``monoopt ARGUMENTS`` in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=input)

    return run
