"""The command line: ``monoopt demo``, ``repair``, ``fit``, ``predict``, ``rank``, ``solvers``, ``solve``."""

from __future__ import annotations


def main() -> None:
    """Run the command line; the terminal libraries are loaded here and nowhere else."""
    from monoopt.cli.app import run

    run()
