"""A worker process to be killed by tests: ``python -m tests.support.channel_worker HOME SETTINGS``.

The settings are JSON, by dotted key. A line on stdout says that it answers.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from recollect.server.worker.home_worker import HomeWorker


def main() -> None:
    """Serve until killed."""
    home, settings = Path(sys.argv[1]), json.loads(sys.argv[2])

    def tell(_: object) -> None:
        os.write(1, b"it answers\n")

    HomeWorker(home, settings).run(tell)


if __name__ == "__main__":
    main()
