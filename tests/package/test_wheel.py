"""What is shipped: the wheel holds monoopt and nothing else; the sdist holds what an auditor needs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both distributions once, with the build backend that is installed here."""
    out = tmp_path_factory.mktemp("dist")
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--sdist",
        "--wheel",
        "--outdir",
        str(out),
        str(ROOT),
    ]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def wheel_names(built: Path) -> list[str]:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        return wheel.namelist()


@pytest.fixture(scope="module")
def sdist_names(built: Path) -> list[str]:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        return [name.partition("/")[2] for name in sdist.getnames()]


def test_the_wheel_holds_monoopt_only(wheel_names: list[str]):
    tops = {name.partition("/")[0] for name in wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"monoopt"}


def test_the_wheel_is_typed_licensed_and_has_its_data(wheel_names: list[str]):
    assert "monoopt/py.typed" in wheel_names
    assert any(name.endswith("licenses/LICENSE") for name in wheel_names)
    tables = {Path(name).stem for name in wheel_names if name.startswith("monoopt/datasets/") and name.endswith(".csv")}
    assert {"esl", "swd", "lev", "era", "balance"} <= tables


def test_the_wheel_holds_every_module_and_no_leftover(wheel_names: list[str]):
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "monoopt").rglob("*.py")}
    assert sources <= set(wheel_names)
    assert not [name for name in wheel_names if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc"))]


@pytest.mark.parametrize("folder", ["monoopt", "models", "tests", "examples", "benchmarks"])
def test_the_sdist_holds_what_an_auditor_needs(sdist_names: list[str], folder: str):
    assert any(name.startswith(f"{folder}/") and name.endswith(".py") for name in sdist_names)


def test_the_sdist_can_be_tested(sdist_names: list[str]):
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "tests/conftest.py"} <= set(sdist_names)
