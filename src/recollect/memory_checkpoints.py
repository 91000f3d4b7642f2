"""The checkpoints of a memory: what they ask its sessions, and what the settings say of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, LiteralString

from recollect.checkpoints.capture.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.capture.file_calls import FileCalls
from recollect.checkpoints.capture.incoming import FOLDER, Incoming
from recollect.checkpoints.capture.manifest import CaptureLimits
from recollect.checkpoints.capture.rules import excluded_patterns, roots_of
from recollect.checkpoints.checkpoints import Checkpoints, MessageMoment, SessionPorts
from recollect.checkpoints.files.exclusion import Exclusions
from recollect.checkpoints.files.tools import FileTools
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import Rewind, SharedPart
from recollect.core.errors import NotFound, RewindConflict
from recollect.sessions.record.lineage import (
    last_shown,
    segments,
    stored_ancestors,
    withdrawals_of,
)
from recollect.sessions.record.session import Session, require_session
from recollect.sessions.record.transcript_rows import named_message
from recollect.sessions.withdrawals import check_position, give_back, withdraw
from recollect.store.columns import text
from recollect.store.engine import Transaction
from recollect.store.sqlite.home import CHECKPOINTS, CONTENTS_FILE

if TYPE_CHECKING:
    from recollect.rooms import Rooms
    from recollect.sessions.record.access import SessionAccess

_LOCKS = "locks"
_LAST_OF_USER: LiteralString = """
    SELECT id FROM messages WHERE session_id = ? AND seq BETWEEN ? AND ? AND role = 'user'
    ORDER BY seq DESC LIMIT 1
"""


def checkpoints_of(rooms: Rooms) -> Checkpoints:
    """Return the checkpoints of a memory."""
    ports = SessionPorts(
        moment=partial(_moment, rooms.access),
        lineage=partial(_lineage, rooms.access),
        message=partial(_message, rooms.access),
        conversation=SessionConversation(rooms.access),
        scope=rooms.scope,
    )
    return Checkpoints(_parts(rooms), ports, rooms.home.folder / CHECKPOINTS / _LOCKS)


def _parts(rooms: Rooms) -> CheckpointParts:
    home, settings, redactor = rooms.home, rooms.settings.checkpoints, rooms.opened.redactor
    return CheckpointParts(
        database=rooms.records,
        contents=Contents(home.contents, rooms.scope.tenant, home.clock),
        has_contents=(home.folder / CHECKPOINTS / CONTENTS_FILE).exists,
        clock=home.clock,
        ids=home.ids,
        tenant=rooms.scope.tenant,
        exclusions=Exclusions(excluded_patterns(home.folder, rooms.settings)),
        redact=str if redactor is None else redactor.text,
        limits=CaptureLimits(file_bytes=settings.file_bytes, root_bytes=settings.root_bytes),
        manifests=home.manifests,
        is_enabled=settings.enabled,
        roots=settings.roots,
        turns=home.turns,
        arrived=rooms.access.mirror.notify,
    )


def file_calls_of(rooms: Rooms) -> FileCalls:
    """Return what takes the checkpoints of the calls of agents."""
    settings, folder = rooms.settings.checkpoints, rooms.home.folder / CHECKPOINTS
    return FileCalls(
        _parts(rooms),
        partial(_moment, rooms.access),
        FileTools(settings.tools),
        roots_of(rooms.settings),
        Incoming(folder / FOLDER, rooms.home.clock),
    )


class SessionConversation:
    """Takes messages out of sessions, and returns them; see `ConversationPort`.

    Args:
        access: The sessions.
    """

    def __init__(self, access: SessionAccess) -> None:
        self._access = access

    def last_seq(self, session_id: str, after_seq: int) -> int | None:
        """Return the last message that a session shows; None where none is after a seq."""

        def last(tx: Transaction, session: Session) -> int | None:
            check_position(tx, session, after_seq)
            newest = last_shown(tx, session)
            return newest if newest > after_seq else None

        return self._access.read_session(session_id, last)

    def withdraw(self, tx: Transaction, rewind: Rewind) -> None:
        """Take the messages of a rewind out of its session."""
        session = require_session(tx, self._access.scope, rewind.session_id)
        if last_shown(tx, session) != rewind.last_seq:
            hint = "plan again; a redo would take them out too"
            raise RewindConflict("the session has newer messages", hint=hint, paths=())
        tenant, now = session.tenant, self._access.clock.now_ms()
        withdraw(
            tx, tenant, session.id, (rewind.first_seq or 1) - 1, operation_id=rewind.id, at=now
        )

    def give_back(self, tx: Transaction, rewind: Rewind, rewind_ids: Sequence[str]) -> None:
        """Return the messages that the first of some rewinds took out that still has some out."""
        tenant, now = self._access.scope.tenant, self._access.clock.now_ms()
        for id_ in rewind_ids:
            if any(each.returned_at is None for each in withdrawals_of(tx, tenant, id_)):
                give_back(tx, tenant, id_, at=now)
                return


def _moment(access: SessionAccess, session_id: str) -> SessionMoment:
    """Return where a session is now.

    Raises:
        NotFound: the scope has no such session.
    """

    def moment(tx: Transaction, session: Session) -> SessionMoment:
        parts = reversed(segments(tx, session))
        rows = (tx.row(_LAST_OF_USER, (it.session_id, it.first, it.last)) for it in parts)
        message = next((text(row[0]) for row in rows if row is not None), None)
        return SessionMoment(session_id=session.id, seq=session.last_seq, user_message_id=message)

    return access.read_session(session_id, moment)


def _message(access: SessionAccess, name: str) -> MessageMoment:
    """Return where a message is.

    Raises:
        NotFound: the scope has no such message.
    """
    message = access.database.read(lambda tx: named_message(tx, access.scope, name))
    if message is None:
        raise NotFound("the message does not exist", hint="take the id of a message from a search")
    return MessageMoment(message.session_id, message.seq)


def _lineage(access: SessionAccess, session_id: str) -> Sequence[SharedPart]:
    """Return whose checkpoints a session has: its own, and its parents' from before the fork.

    Raises:
        NotFound: the scope has no such session.
    """

    def lineage(tx: Transaction, session: Session) -> list[SharedPart]:
        parts, before = [SharedPart(session.id)], session.created_at
        for kin, last in stored_ancestors(tx, session):
            parts.append(SharedPart(kin.id, last, before))
            before = min(before, kin.created_at)
        return parts

    return access.read_session(session_id, lineage)
