"""`python -m recollect` is `recollect`."""

from __future__ import annotations

import sys

from recollect.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
