"""A process that appends to or imports into a home; started by the tests beside it.

``append HOME SESSION NAME`` waits for a line on stdin, so that all begin at once.
``import HOME PATH`` prints the number of messages after each batch.
"""

from __future__ import annotations

import sys
from pathlib import Path

from recollect.core.clock import IdSource, SystemClock
from recollect.core.settings import SessionSettings, StoreSettings
from recollect.exchange.formats.registry import FORMATS
from recollect.exchange.importer import TranscriptImporter
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.sessions import Sessions
from recollect.store.sqlite.database import open_records
from tests.support.destinations import destination_of

SINGLES = 12
BATCHES = 4
BATCH = 10


def append(home: Path, session_id: str, name: str) -> None:
    """Append single messages and batches in turn."""
    clock = SystemClock()
    database = open_records(home, StoreSettings(), clock)
    mirror = TranscriptMirror(home, database)
    sessions = Sessions(
        SessionAccess(
            database=database,
            clock=clock,
            ids=IdSource(clock),
            settings=SessionSettings(),
            drafts=DraftMaker(clock, IdSource(clock), None),
            mirror=mirror,
        )
    )
    print("ready", flush=True)  # noqa: T201  # speaks with the test over a pipe
    sys.stdin.readline()
    for number in range(SINGLES):
        sessions.append(session_id, "user", f"{name} {number}", event_id=f"{name}-{number}")
    for batch in range(BATCHES):
        sessions.append_many(
            session_id, [("assistant", f"{name} {batch}.{number}") for number in range(BATCH)]
        )
    mirror.close()
    database.close()


def import_(home: Path, path: Path) -> None:
    """Import a folder."""
    clock = SystemClock()
    database = open_records(home, StoreSettings(), clock)
    importer = TranscriptImporter(destination_of(database, home, clock), tuple(FORMATS.values()))
    importer.run(path, progress=lambda told: print(told.messages, flush=True))  # noqa: T201  # same
    database.close()


if __name__ == "__main__":
    command, home, *rest = sys.argv[1:]
    if command == "append":
        append(Path(home), *rest)
    else:
        import_(Path(home), Path(rest[0]))
