"""Rebuilds rows from mirrors, for a home whose ``records.db`` is lost or damaged.

A mirror says what its session is, what was said in it and which summaries replace that in the view.
Seqs, ids and times are those of before; counters, tool calls and the outbox follow from them. A
line that cannot be read is passed over and counted. What was removed stays away.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import RecollectError
from recollect.core.scope import LOCAL_TENANT, Scope
from recollect.exchange.lines import UNSOUND, compaction_in, is_sound_session, iso_ms, session_in
from recollect.sessions.context.compaction import Compaction, store_compaction
from recollect.sessions.mirror.mirror import STRAY_SUFFIX
from recollect.sessions.mirror.mirror_file import EDITED_SUFFIX
from recollect.sessions.mirror.mirror_lines import (
    BATCH_BYTES,
    COMPLETE,
    SESSION_LINE,
    UNREADABLE,
    CompactionLine,
    MessageLine,
    Seq,
    SessionLine,
)
from recollect.sessions.record.content import TextBlock, readable_text
from recollect.sessions.record.draft import Draft, check_role
from recollect.sessions.record.message import Message, decode_content
from recollect.sessions.record.session import (
    DELETED,
    Session,
    find_session,
    insert_session,
)
from recollect.sessions.record.transcript_rows import restore_messages
from recollect.sessions.withdrawals import restore_withdrawals
from recollect.store.columns import integer, text
from recollect.store.engine import Database, Transaction
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, read_lines, write_file
from recollect.store.paths import check_id
from recollect.store.sqlite.home import ASIDE, MIRROR_SUFFIX, RECORDS_FILE, TRANSCRIPTS
from recollect.store.sqlite.snapshot import snapshots
from recollect.text.tokens import estimate_tokens

_BATCH = 1_000

_PROGRESS: LiteralString = """
    UPDATE sessions SET flush_compaction_count = ?, flushed_at = ?, flushed_seq = ?, ended_at = ?
    WHERE id = ?
"""
_LINK: LiteralString = """
    UPDATE sessions SET parent_id = ?, forked_at_seq = ?,
        model = coalesce(model, (SELECT p.model FROM sessions p WHERE p.id = ?)) WHERE id = ?
"""
_FOLLOW: LiteralString = "UPDATE sessions SET previous_id = ? WHERE id = ?"
_MESSAGE = b'{"type":"message"'
# The tables themselves: an index may be damaged.
_SEQS: LiteralString = "SELECT session_id, seq FROM messages NOT INDEXED"
_CUT: LiteralString = "UPDATE sessions SET pruned_seq = max(pruned_seq, ?) WHERE id = ?"


class MirrorRecovery:
    """Reads one mirror, and makes its rows again.

    Args:
        path: The mirror.
        taken_ids: Of messages and compactions of other mirrors; those of this one are added.
        copies: Copies of it that were set aside: lines that only they have come back as well.

    Attributes:
        line: Its session, by the last line of one that can be read.
        messages: The number of messages read.
        seqs: The seqs of the messages.
        compactions: The number of compactions read.
        damaged: The numbers of lines that cannot be read, from 1.

    Raises:
        InvalidInput: neither its content nor its name says which session it belongs to.
        StoreError: the file cannot be read.
    """

    def __init__(self, path: Path, taken_ids: set[str], copies: Sequence[Path] = ()) -> None:
        self.path = path
        self._copies = copies
        self._taken = taken_ids
        self.messages = self.compactions = 0
        self.seqs: set[int] = set()
        self.damaged: list[int] = []
        candidates = (_session_line(line) for _, line in merged_lines(path, copies))
        lines = [candidate for candidate in candidates if candidate is not None]
        self.is_unknown = not lines
        self.line = lines[-1] if lines else _unknown(path)

    @property
    def is_outdated(self) -> bool:
        """Whether it lacks the later facts of the session: its status, title and origin."""
        return self.line.recollect < COMPLETE

    def run(self, database: Database | None) -> bool:
        """Rebuild the rows; return whether there is anything of the session.

        Args:
            database: New records; None only counts.

        Raises:
            StoreError: the file or the database refused.
        """
        session = session_in(self.line)
        summaries: list[Compaction] = []
        is_stored = False
        for batch in self._batches(summaries):
            self.messages += len(batch)
            self.seqs |= {draft.message.seq for draft in batch}
            if database is not None:
                store = partial(_store, line=self.line, session=session, batch=batch)
                session = database.write(partial(store, is_new=not is_stored))
            is_stored = True
        if not is_stored and self.line.status == DELETED and self.line.pruned_seq:
            return False
        self.compactions = len(summaries)
        if database is not None:
            database.write(
                lambda tx: _finish(tx, self.line, session, summaries, is_new=not is_stored)
            )
        return True

    def _batches(self, summaries: list[Compaction]) -> Iterator[list[Draft]]:
        batch: list[Draft] = []
        size = 0
        for line, record in self._sound_lines():
            if isinstance(record, Compaction):
                summaries.append(record)
                continue
            batch.append(record)
            size += len(line)
            if len(batch) == _BATCH or size > BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _sound_lines(self) -> Iterator[tuple[bytes, Draft | Compaction]]:
        """Yield the messages and compactions, and note the lines that cannot be right."""
        last, ids = self.line.forked_at_seq or 0, set[str]()
        for number, line in merged_lines(self.path, self._copies):
            unreadable = [number] if number else []  # lines of copies have no number
            if line.startswith(SESSION_LINE):
                self.damaged += [] if _session_line(line) is not None else unreadable
                continue
            try:
                record = _read(line, self.line.id)
            except UNSOUND:
                self.damaged += unreadable
                continue
            seq, id_, own = _identity(record)
            if seq is not None and seq <= self.line.pruned_seq:
                continue
            if (seq is not None and seq <= last) or own in ids or id_ in self._taken:
                self.damaged += unreadable
                continue
            last = last if seq is None else seq
            ids.add(own)
            self._taken.add(id_)
            yield line, record


def link_sessions(tx: Transaction, lines: Iterable[SessionLine]) -> int:
    """Restore the links between sessions: forks and their parents, resets and their predecessors.

    Args:
        tx: Of the new records, which hold the sessions.
        lines: The lines of the sessions.

    Returns:
        The number of forks that lost the session they share messages with.
    """
    by_id = {line.id: line for line in lines}
    parents: dict[str, str] = {}
    orphans = 0
    for line in sorted(by_id.values(), key=lambda line: line.created_at):
        if line.previous_id in by_id:
            tx.execute(_FOLLOW, (line.previous_id, line.id))
        if line.parent_id in by_id and line.id not in _above(line.parent_id, parents):
            parents[line.id] = line.parent_id
            link = (line.parent_id, line.forked_at_seq or 0, line.parent_id, line.id)
            tx.execute(_LINK, link)
        elif line.parent_id is not None:
            orphans += 1
            tx.execute(_CUT, (line.forked_at_seq or 0, line.id))
    return orphans


def withdraw_again(tx: Transaction, lines: Iterable[SessionLine]) -> None:
    """Take out again what rewinds had taken out, after all that was derived from it is there."""
    for line in lines:
        session = find_session(tx, Scope(tenant=line.tenant), line.id) if line.withdrawn else None
        if session is not None:
            restore_withdrawals(tx, session, line.withdrawn)


def _above(id_: str, parents: Mapping[str, str]) -> Iterator[str]:
    """Yield a session and those that it was forked from."""
    here: str | None = id_
    while here is not None:
        yield here
        here = parents.get(here)


def _store(
    tx: Transaction, line: SessionLine, session: Session, batch: list[Draft], *, is_new: bool
) -> Session:
    if is_new:
        session = _begin(tx, line, session)
    drafts = [msgspec.structs.replace(each, message=_owned(each, session)) for each in batch]
    session = restore_messages(tx, session, drafts)
    tx.execute("DELETE FROM events")  # earlier events cannot return, and these report nothing new
    return session


def _finish(
    tx: Transaction,
    line: SessionLine,
    session: Session,
    summaries: list[Compaction],
    *,
    is_new: bool,
) -> None:
    if is_new:
        _begin(tx, line, session)
    for summary in summaries:
        store_compaction(tx, session, summary)
    note_progress(tx, line, session.id)
    tx.execute("DELETE FROM events")


def note_progress(tx: Transaction, line: SessionLine, session_id: str) -> None:
    """Restore how far a session was flushed, and when it ended."""
    flushed = (line.flush_compaction_count, line.flushed_at, line.flushed_seq)
    tx.execute(_PROGRESS, (*flushed, line.ended_at, session_id))


def _begin(tx: Transaction, line: SessionLine, session: Session) -> Session:
    last = max(line.pruned_seq, line.forked_at_seq or 0)
    session = msgspec.structs.replace(session, last_seq=last)
    insert_session(tx, session)
    return session


def _identity(record: Draft | Compaction) -> tuple[int | None, str, str]:
    """Return the seq of a message, the id in the home, and the key that is unique in the mirror."""
    if isinstance(record, Compaction):
        return None, record.id, f"through {record.through_seq}"
    message = record.message
    return message.seq, message.id, f"event {message.event_id or message.id}"


def _owned(draft: Draft, session: Session) -> Message:
    owner = {name: getattr(session, name) for name in ("tenant", "agent", "user", "project")}
    return msgspec.structs.replace(draft.message, **owner)


def _session_line(line: bytes) -> SessionLine | None:
    """Return a line of a session; None for another line, or one that cannot be right."""
    if not line.startswith(SESSION_LINE):
        return None
    try:
        session = decode_json(line, SessionLine)
    except UNSOUND:
        return None
    return session if is_sound_session(session) else None


def _unknown(path: Path) -> SessionLine:
    """Return a line for a session without a readable one of its own: its origin is unknown."""
    when = next((t for line in read_lines(path) if (t := _time_of(line)) is not None), None)
    return SessionLine(
        recollect=1,
        type="session",
        id=check_id(path.stem),
        created_at=when or "1970-01-01T00:00:00.000Z",
        tenant=LOCAL_TENANT,
    )


def _time_of(line: bytes) -> str | None:
    try:
        at = decode_json(line, MessageLine).at
        iso_ms(at)
    except UNSOUND:
        return None
    return at


def _read(line: bytes, session_id: str) -> Draft | Compaction:
    if line.startswith(b'{"type":"compaction"'):
        compaction = decode_json(line, CompactionLine)
        return compaction_in(compaction, session_id)
    return _draft(decode_json(line, MessageLine), session_id)


def _draft(line: MessageLine, session_id: str) -> Draft:
    content = bytes(line.content).decode()
    metadata = bytes(line.metadata).decode() or "{}"
    blocks = decode_content(content)
    is_plain = len(blocks) == 1 and isinstance(blocks[0], TextBlock)
    text = blocks[0].text if is_plain else readable_text(blocks)  # type: ignore[union-attr]  # plain
    at = iso_ms(line.at)
    message = Message(
        id=line.id,
        tenant="",
        session_id=session_id,
        seq=line.seq,
        role=check_role(line.role),
        name=line.name,
        blocks=blocks,
        text=text,
        tokens=estimate_tokens(text),
        created_at=at,
        recorded_at=at if line.recorded_at is None else iso_ms(line.recorded_at),
        metadata=decode_json(metadata, dict),
        event_id=line.event_id,
        foreign_id=line.foreign_id,
        sender=line.sender,
        turn_sender=line.turn_sender,
        number=line.number or 0,
    )
    return Draft(message=message, encoded_content=content, encoded_metadata=metadata)


class _Position(msgspec.Struct):
    seq: Seq
    id: str = ""


def copies_of_mirrors(home: Path) -> dict[str, list[Path]]:
    """Return the copies of mirrors that are kept in a home, by session, the newest first.

    Raises:
        StoreError: a folder cannot be read.
    """
    copies: dict[str, list[Path]] = defaultdict(list)
    with os_errors(home):
        folders = [home / TRANSCRIPTS, *sorted((home / ASIDE).glob(f"*/{TRANSCRIPTS}"))[::-1]]
        for folder in folders:
            for path in sorted(folder.glob(f"*{MIRROR_SUFFIX}*")):
                name, _, ending = path.name.partition(MIRROR_SUFFIX)
                is_copy = ending.endswith((EDITED_SUFFIX, STRAY_SUFFIX))
                is_aside = folder != folders[0] and not ending
                if (is_copy or is_aside) and path.is_file() and not path.is_symlink():
                    copies[name].append(path)
    return copies


def keep_as_mirror(home: Path, session_id: str, copy: Path) -> None:
    """Let a copy take the place of the mirror of its session, unless one is there.

    New records have a new id: with an index of before beside them, a home is opened only where the
    name of a mirror says that they belong to it.

    Raises:
        StoreError: it cannot be read or written.
    """
    mirror = home / TRANSCRIPTS / f"{session_id}{MIRROR_SUFFIX}"
    with os_errors(mirror):
        if not os.path.lexists(mirror):
            private_folder(mirror.parent)
            with copy.open("rb") as lines:
                write_file(mirror, lines)


def merged_lines(path: Path, copies: Sequence[Path]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a mirror, and in their order those that only a copy of it has.

    Returns:
        Each with its number in the mirror, from 1; 0 for one of a copy.
    """
    if not copies:
        yield from enumerate(read_lines(path), 1)
        return
    lines: list[tuple[tuple[int, int], int, bytes]] = []
    keys: set[tuple[int, str]] = set()
    for number, line in enumerate(read_lines(path), 1):
        position = _position_of(line)
        order = (lines[-1][0] if lines else (0, 0)) if position is None else _order(line, position)
        keys |= set() if position is None else {_key(line, position)}
        lines.append((order, number, line))
    for copy in copies:
        for line in read_lines(copy):
            position = _position_of(line)
            if line.startswith(SESSION_LINE):
                lines.append(((-1, 0), 0, line))  # first: the last one counts, the mirror's own
            elif position is not None and _key(line, position) not in keys:
                keys.add(_key(line, position))
                lines.append((_order(line, position), 0, line))
    yield from ((number, line) for _, number, line in sorted(lines, key=lambda each: each[0]))


def seqs_in(path: Path) -> set[int]:
    """Return the seqs of the messages that a mirror, or a copy of one, holds and that can be read.

    Raises:
        StoreError: the file cannot be read.
    """
    positions = (_position_of(line) for line in read_lines(path) if line.startswith(_MESSAGE))
    return {position.seq for position in positions if position is not None}


def seqs_in_records(path: Path) -> dict[str, set[int]]:
    """Return the seqs of the messages that a damaged ``records.db`` holds, as far as it is read."""
    seqs: dict[str, set[int]] = defaultdict(set)

    def collect(tx: Transaction) -> None:
        for session_id, seq in tx.rows(_SEQS):
            seqs[text(session_id)].add(integer(seq))

    with suppress(RecollectError), snapshots([path] if path.is_file() else []) as databases:
        for database in databases:
            database.read(collect)
    return seqs


def records_aside(home: Path) -> list[Path]:
    """Return the ``records.db`` that were set aside in a home, the newest first."""
    return sorted((home / ASIDE).glob(f"*/{RECORDS_FILE}"))[::-1]


def _position_of(line: bytes) -> _Position | None:
    try:
        return None if line.startswith(SESSION_LINE) else decode_json(line, _Position)
    except UNREADABLE:
        return None


def _order(line: bytes, position: _Position) -> tuple[int, int]:
    return position.seq, not line.startswith(_MESSAGE)


def _key(line: bytes, position: _Position) -> tuple[int, str]:
    """Return the unique key of a line: the seq of a message, the id of a summary."""
    return (position.seq, "") if line.startswith(_MESSAGE) else (0, position.id)
