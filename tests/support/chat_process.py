"""The command line with another clock: ``python -m tests.support.chat_process MS ARGUMENT…``."""

from __future__ import annotations

import sys
import time

from recollect.cli.main import main
from recollect.core.clock import SystemClock


def set_clock(began_ms: int) -> None:
    """Let the machine's clock begin at a time, ms UTC, and go on from there."""
    start = time.monotonic()
    now = lambda _: began_ms + round((time.monotonic() - start) * 1_000)  # noqa: E731
    SystemClock.now_ms = now  # type: ignore[method-assign]  # as a machine would have it


if __name__ == "__main__":
    set_clock(int(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
