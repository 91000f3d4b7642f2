"""The notebook: finds what of a session must last, and writes it into notes.

When that is due, and where it goes, is decided in `flush`; who said a line, in `flushed_notes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import HeardTurns
from recollect.core.checks import checked
from recollect.core.clock import zone_of
from recollect.core.errors import Conflict, RecollectError
from recollect.sessions.context.flush import (
    Flushed,
    RuledNotes,
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
from recollect.sessions.context.summary import WindowParts, utterances_of
from recollect.sessions.policy.turns import SpokenTurns, spoken_turns
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import segments, within
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, require_living, require_session
from recollect.sessions.record.transcript_rows import read_messages
from recollect.store.engine import Transaction

_BATCH = 1_000
"""Messages that are read at once."""


@checked
class Notebook:
    """The part of the context window that writes what must last into notes."""

    _access: SessionAccess
    _parts: WindowParts
    _people: People

    def flush(self, session_id: str, *, again: bool = False) -> Flushed:
        """Append what must last to ``memory/YYYY-MM-DD.md`` of the workspace.

        A guest's goes to ``notes/<visibility group>/YYYY-MM-DD.md`` of the home instead, where only
        the guest's chats and the owner find it. Once in each compaction cycle; what was looked at
        before is not looked at again, and nothing is written twice. Nothing is written from groups,
        jobs and sub-agents.

        Args:
            session_id: Which one.
            again: Also if that was done in this cycle: another program compacts its own window,
                and reports that before it does.

        Returns:
            What was done, or why it was not; a failure is counted and reported, not raised.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        # Accounts that were linked at run time keep notes of their own: they may be unlinked.
        owner = self._people.configured

        def unit(tx: Transaction) -> tuple[Session, int, list[SpokenTurns]]:
            session = require_living(tx, self._access.scope, session_id)
            return session, flushed_seq(tx, session), spoken_turns(tx, session, owner)

        session, seen, spoken = self._access.database.read(unit)
        reason = reason_not_to_flush(session, self._access.settings.context, owner)
        reason = None if again and reason == "done" else reason
        turns = [
            (target, each)
            for each in spoken
            if (target := place_of_notes(each.session, self._parts, owner)) is not None
        ]
        if not turns or reason is not None:
            return Flushed(outcome=reason or "no_workspace")
        now, through = self._access.clock.now_ms(), session.last_seq
        try:
            every = [self._flush(target, each, seen, now) for target, each in turns]
        except Conflict:
            raise
        except RecollectError as error:
            code = error.code
            self._access.database.write(lambda tx: count_failure(tx, session, code, now))
            return Flushed(outcome="failed", error=code)
        total = max(every, key=lambda each: each.lines)
        failed = next(filter(None, (each.model_failure for each in every)), None)
        lines = sum(each.lines for each in every)
        total = msgspec.structs.replace(total, lines=lines, model_failure=failed)
        self._access.database.write(
            lambda tx: count_flush(tx, session, total, through_seq=through, at=now)
        )
        return total

    def _flush(self, target: NotesPlace, turns: SpokenTurns, seen: int, now: int) -> Flushed:
        """Write what must last of the turns of one visibility group."""
        session = turns.session
        between = (session.id, seen, session.last_seq, turns.heard)
        utterances = utterances_of(lambda: messages_between(self._access, *between))
        statements = self._parts.notes.notes(utterances)
        notes = [
            msgspec.structs.replace(note, text=self._access.drafts.redacted(note.text))
            for note in statements
        ]
        say = partial(self._say, session, target, now)
        outcome = write_notes(target, notes, now, zone_of(self._access.settings.time_zone), say)
        failure = statements.failure if isinstance(statements, RuledNotes) else None
        return msgspec.structs.replace(outcome, model_failure=failure)

    def _say(self, session: Session, target: NotesPlace, now: int, files: list[SaidLines]) -> None:
        """Store that a session says the lines to be written, unless it was deleted."""

        def unit(tx: Transaction) -> None:
            require_living(tx, self._access.scope, session.id)
            if not target.name:
                own_folder(tx, target, session)
            say_lines(tx, session, files, now)

        self._access.database.write(unit)


def messages_between(
    access: SessionAccess, session_id: str, after_seq: int, through_seq: int, turns: HeardTurns
) -> Iterator[Message]:
    """Yield the messages after a seq up to another, read in batches as they are used."""

    def unit(tx: Transaction) -> list[Message]:
        parts = segments(tx, require_session(tx, access.scope, session_id))
        parts = within(parts, after_seq, through_seq + 1)
        return read_messages(tx, access.scope, parts, _BATCH, turns=turns)

    while after_seq < through_seq and (batch := access.database.read(unit)):
        yield from batch
        after_seq = batch[-1].seq
