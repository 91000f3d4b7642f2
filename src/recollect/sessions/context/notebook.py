"""The notebook: what of a session must last is looked for, and written into notes.

When that is due, and where it goes, is written in `flush`; who said a line in `flushed_notes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec

from recollect.core.errors import Conflict, RecollectError
from recollect.sessions.context.flush import (
    Flushed,
    count_failure,
    count_flush,
    flushed_seq,
    place_of_notes,
    reason_not_to_flush,
    write_notes,
)
from recollect.sessions.context.flushed_notes import (
    NotesPlace,
    SaidLines,
    own_folder,
    say_lines,
)
from recollect.sessions.context.summary import WindowParts, utterance_of
from recollect.sessions.policy.freshness import zone_of
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import segments, within
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, require_living, require_session
from recollect.sessions.record.transcript_rows import read_messages
from recollect.store.engine import Transaction

_BATCH = 1_000
"""Messages that are read at once."""


class Notebook:
    """Writes what must last into notes. Its one verb is a part of `memory.sessions`.

    Args:
        access: The records, and whose they are.
        parts: What finds notes, and where they go.
    """

    def __init__(self, access: SessionAccess, parts: WindowParts) -> None:
        self._access = access
        self._parts = parts

    def flush(self, session_id: str) -> Flushed:
        """Append what must last to ``memory/YYYY-MM-DD.md`` of the workspace.

        A guest's goes to ``notes/<visibility group>/YYYY-MM-DD.md`` of the home instead, where only
        the guest's chats and the owner find it. Once in each compaction cycle; what was looked at
        before is not looked at again, and nothing is written twice. Nothing is written from groups,
        jobs and sub-agents.

        Returns:
            What was done, or why it was not; a failure is counted and reported, not raised.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """

        def unit(tx: Transaction) -> tuple[Session, int]:
            session = require_living(tx, self._access.scope, session_id)
            return session, flushed_seq(tx, session)

        session, seen = self._access.database.read(unit)
        parts, settings = self._parts, self._access.settings
        reason = reason_not_to_flush(session, settings.context, parts.owner)
        place = place_of_notes(session, parts.workspace, parts.home, parts.owner)
        if place is None or reason is not None:
            return Flushed(outcome=reason or "no_workspace")
        now = self._access.clock.now_ms()
        try:
            said = messages_between(self._access, session.id, seen, session.last_seq)
            notes = [
                msgspec.structs.replace(note, text=self._access.drafts.redacted(note.text))
                for note in parts.notes.notes(map(utterance_of, said))
            ]
            say = partial(self._say, session.id, place, now)
            done = write_notes(place, notes, now, zone_of(settings.time_zone), say)
        except Conflict:
            raise
        except RecollectError as error:
            code = error.code
            self._access.database.write(lambda tx: count_failure(tx, session, code, now))
            return Flushed(outcome="failed", error=code)
        through = session.last_seq
        self._access.database.write(
            lambda tx: count_flush(tx, session, done, through_seq=through, at=now)
        )
        return done

    def _say(self, session_id: str, place: NotesPlace, now: int, said: list[SaidLines]) -> None:
        """Store who says the lines that are about to be written, unless it was deleted."""

        def unit(tx: Transaction) -> None:
            session = require_living(tx, self._access.scope, session_id)
            if not place.name:
                own_folder(tx, place, session)
            say_lines(tx, session, said, now)

        self._access.database.write(unit)


def messages_between(
    access: SessionAccess, session_id: str, after_seq: int, through_seq: int
) -> Iterator[Message]:
    """Yield the messages after a seq up to another, read as they are asked for."""

    def unit(tx: Transaction) -> list[Message]:
        parts = segments(tx, require_session(tx, access.scope, session_id))
        return read_messages(tx, access.scope, within(parts, after_seq, through_seq + 1), _BATCH)

    while after_seq < through_seq and (batch := access.database.read(unit)):
        yield from batch
        after_seq = batch[-1].seq
