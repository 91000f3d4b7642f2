"""Other sources of the lines of a mirror: copies that were set aside, and damaged records.

A mirror that differed from the database is kept with the ending ``.edited``, one without a session
with ``.stray``, and ``init --fresh`` moves the old ones below ``aside``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.core.errors import RecollectError
from recollect.sessions.mirror.mirror import STRAY_SUFFIX
from recollect.sessions.mirror.mirror_file import EDITED_SUFFIX
from recollect.sessions.mirror.mirror_lines import SESSION_LINE, UNREADABLE, Seq
from recollect.store.columns import integer, text
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors
from recollect.store.files import read_lines
from recollect.store.sqlite.home import ASIDE, MIRROR_SUFFIX, RECORDS_FILE, TRANSCRIPTS
from recollect.store.sqlite.snapshot import snapshots

_MESSAGE = b'{"type":"message"'
# The tables themselves: an index may be damaged.
_SEQS: LiteralString = "SELECT session_id, seq FROM messages NOT INDEXED"


class _Place(msgspec.Struct):
    seq: Seq
    id: str = ""


def copies_of_mirrors(home: Path) -> dict[str, list[Path]]:
    """Return the copies of mirrors that are kept in a home, by session, the newest first.

    Raises:
        StoreError: a folder cannot be read.
    """
    found: dict[str, list[Path]] = defaultdict(list)
    with os_errors(home):
        folders = [home / TRANSCRIPTS, *sorted((home / ASIDE).glob(f"*/{TRANSCRIPTS}"))[::-1]]
        for folder in folders:
            for path in sorted(folder.glob(f"*{MIRROR_SUFFIX}*")):
                name, _, ending = path.name.partition(MIRROR_SUFFIX)
                is_copy = ending.endswith((EDITED_SUFFIX, STRAY_SUFFIX))
                is_aside = folder != folders[0] and not ending
                if (is_copy or is_aside) and path.is_file() and not path.is_symlink():
                    found[name].append(path)
    return found


def merged_lines(path: Path, copies: Sequence[Path]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a mirror, and in their order those that only a copy of it has.

    Returns:
        Each with its number in the mirror, from 1; 0 for one of a copy.
    """
    if not copies:
        yield from enumerate(read_lines(path), 1)
        return
    lines: list[tuple[tuple[int, int], int, bytes]] = []
    known: set[tuple[int, str]] = set()
    for number, line in enumerate(read_lines(path), 1):
        place = _place_of(line)
        order = (lines[-1][0] if lines else (0, 0)) if place is None else _order(line, place)
        known |= set() if place is None else {_key(line, place)}
        lines.append((order, number, line))
    for copy in copies:
        for line in read_lines(copy):
            place = _place_of(line)
            if line.startswith(SESSION_LINE):
                lines.append(((-1, 0), 0, line))  # first: the last one counts, the mirror's own
            elif place is not None and _key(line, place) not in known:
                known.add(_key(line, place))
                lines.append((_order(line, place), 0, line))
    yield from ((number, line) for _, number, line in sorted(lines, key=lambda each: each[0]))


def seqs_in(path: Path) -> set[int]:
    """Return the seqs of the messages that a mirror, or a copy of one, holds and that can be read.

    Raises:
        StoreError: the file cannot be read.
    """
    places = (_place_of(line) for line in read_lines(path) if line.startswith(_MESSAGE))
    return {place.seq for place in places if place is not None}


def seqs_in_records(path: Path) -> dict[str, set[int]]:
    """Return the seqs of the messages that a damaged ``records.db`` holds, as far as it is read."""
    found: dict[str, set[int]] = defaultdict(set)

    def unit(tx: Transaction) -> None:
        for session_id, seq in tx.rows(_SEQS):
            found[text(session_id)].add(integer(seq))

    with suppress(RecollectError), snapshots([path] if path.is_file() else []) as databases:
        for database in databases:
            database.read(unit)
    return found


def records_aside(home: Path) -> list[Path]:
    """Return the ``records.db`` that were set aside in a home, the newest first."""
    return sorted((home / ASIDE).glob(f"*/{RECORDS_FILE}"))[::-1]


def _place_of(line: bytes) -> _Place | None:
    try:
        return None if line.startswith(SESSION_LINE) else msgspec.json.decode(line, type=_Place)
    except UNREADABLE:
        return None


def _order(line: bytes, place: _Place) -> tuple[int, int]:
    return place.seq, not line.startswith(_MESSAGE)


def _key(line: bytes, place: _Place) -> tuple[int, str]:
    """Return the unique key of a line: the seq of a message, the id of a summary."""
    return (place.seq, "") if line.startswith(_MESSAGE) else (0, place.id)
