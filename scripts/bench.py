"""Runs the short benchmarks: a small load, made-up work, and parts of the data sets at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.datasets.data import VARIABLE, find_data
from recollect.core.errors import NotFound

LOAD = ("load", "--messages", "5000", "--queries", "100", "--writes", "300")
OWN = (("disclosure", "--observations", "1000"), ("projects",))
ROOT = Path(__file__).resolve().parents[1]
QUALITY = ("quality", "--limit", "1", "--questions", "50")


def main() -> int:
    """Return 0 when everything that could run did."""
    status = _bench(LOAD)
    for arguments in OWN:
        status = _bench(arguments) or status
    folder = os.environ.get(VARIABLE)  # noqa: TID251 - as the command line resolves it
    try:
        find_data(Path(folder) if folder else None)
    except NotFound as error:
        print(f"No quality bench: {error.message}; {error.hint}.")
        return 1 if os.environ.get("CI") else status  # noqa: TID251 - there nothing may be missing
    return _bench(QUALITY) or status


def _bench(arguments: tuple[str, ...]) -> int:
    print("$ python -m benchmarks", *arguments, flush=True)
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
