"""`python -m benchmarks`: the benchmarks as commands, with the errors of the product."""

from __future__ import annotations

import sys

try:
    from benchmarks.commands import app
except ModuleNotFoundError as error:
    sys.exit(f"error: {error.name} is not installed\n hint: `make bench` installs what they need")
from recollect.cli.main import main

if __name__ == "__main__":
    sys.exit(main(command=app, name="python -m benchmarks"))
