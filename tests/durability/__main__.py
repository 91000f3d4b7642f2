"""``python -m tests.durability [--full] [--seed N]``: run the suite and print its figures."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import pytest


def main() -> int:
    """Run pytest on this folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.durability", description=__doc__)
    parser.add_argument("--full", action="store_true", help="every kill, every call, every race")
    parser.add_argument("--seed", type=int, help="repeat the run that printed it")
    options = parser.parse_args()
    if options.full:
        os.environ["RECOLLECT_DURABILITY"] = "full"
    if options.seed is not None:
        os.environ["RECOLLECT_SEED"] = str(options.seed)
    return int(pytest.main([str(Path(__file__).parent), "--quiet", "-p", "no:randomly"]))


if __name__ == "__main__":
    sys.exit(main())
