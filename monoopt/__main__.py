"""``python -m monoopt``: the command line."""

from __future__ import annotations

from monoopt.cli import main

if __name__ == "__main__":
    main()
