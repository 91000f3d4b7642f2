"""One of several processes that append to one session: `python -m benchmarks.load.session_writer`.

Says that it is ready, waits for a line, appends, and answers with one JSON line: what each message
took. Started by `benchmarks.load.sessions`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

import recollect
from benchmarks.measure.stopwatch import Stopwatch

ALONE = {"embedding.provider": "none"}
"""Settings of a home whose sessions are measured: as by default, without a model."""


def write(home: Path, session_id: str, name: str, count: int) -> bytes:
    """Append ``count`` messages when a line comes; return the laps as JSON."""
    with recollect.open(home, overrides=ALONE, live=False) as memory:
        memory.sessions.get(session_id)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        watch = Stopwatch()
        for number in range(count):
            with watch.lap():
                memory.sessions.append(
                    session_id, "user", f"{name} says {number}", event_id=f"{name}-{number}"
                )
    return msgspec.json.encode(watch.laps)


def main(arguments: Sequence[str]) -> None:
    """Run as a process: home, session, name and how many messages."""
    home, session_id, name, count = arguments
    sys.stdout.write(write(Path(home), session_id, name, int(count)).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
