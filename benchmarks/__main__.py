"""`python -m benchmarks`: the benchmarks as commands, with the errors of the product."""

from __future__ import annotations

import sys

from benchmarks.commands import app
from recollect.cli.main import main

if __name__ == "__main__":
    sys.exit(main(command=app, name="python -m benchmarks"))
