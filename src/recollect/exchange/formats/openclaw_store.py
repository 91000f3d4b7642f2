"""The session store of OpenClaw 2026.9: ``agents/<agent>/agent/openclaw-agent.sqlite``.

A conversation has a key, and one *window* for each generation of its transcript. A window holds
events, which are the entries that older versions wrote as lines. Those on the active branch count.
Checked against files of version 2026.9.6.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path, PurePath
from typing import Any, Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import ForeignStoreError, RecollectError
from recollect.exchange.reader import (
    COMPRESSED,
    MAX_ARCHIVE_BYTES,
    MAX_LINE_BYTES,
    FileLines,
    Line,
    unpack,
)
from recollect.exchange.transcript import Continuation, Record
from recollect.store.columns import integer, text, text_or_none
from recollect.store.engine import Row, SqlValue
from recollect.store.paths import read_beneath
from recollect.store.sqlite.foreign import ForeignDatabase, Query

VERSION = 23
"""The schema of 2026.9; older ones keep transcripts elsewhere, newer ones are not known."""
MAX_EVENT_BYTES = 4 * 1024 * 1024
"""Largest event, unpacked; the schema there says so."""
_PAGE = 200
"""Events of one read: the other program can tidy its log between them."""
_PAGE_BYTES = 4 * 1024 * 1024
"""Bytes of them, as they are stored; a longer event is read alone."""
_MOST_WINDOWS = 64
"""The most windows that one window is copied from."""
_LATEST_MS = 9_000_000_000_000
"""Times are kept as nanoseconds: what comes later does not fit into a column."""
_LARGEST_SEQ = 2**63 - 2
"""The seq after it must fit into a column, too."""

_FACTS = ("spawnedBy", "parentSessionKey", "createdVia", "sessionId")
"""The columns of `_NODES`, by their names in ``sessions.json``."""

_VERSION: LiteralString = "SELECT user_version FROM pragma_user_version"
_AGENT: LiteralString = "SELECT agent_id FROM schema_meta WHERE meta_key = 'primary'"
_AGENTS: LiteralString = "SELECT path FROM agent_databases ORDER BY agent_id"
_NODES: LiteralString = """
    SELECT session_key, spawned_by, parent_session_key, created_via, current_session_id
    FROM session_nodes
    UNION ALL
    SELECT session_key, spawned_by, parent_session_key, NULL, NULL FROM session_windows
    WHERE spawned_by IS NOT NULL OR parent_session_key IS NOT NULL
"""
_WINDOWS: LiteralString = """
    SELECT w.session_id, w.session_key, w.previous_session_id,
        coalesce(w.transcript_updated_at, w.updated_at), coalesce(n.label, n.display_name),
        (SELECT max(seq) FROM transcript_events e WHERE e.session_id = w.session_id),
        m.generation, c.storage, c.archive_name
    FROM session_windows w JOIN session_nodes n ON n.session_key = w.session_key
    LEFT JOIN transcript_rewrite_watermarks m ON m.session_id = w.session_id
    LEFT JOIN session_transcript_cold_archives c ON c.session_id = w.session_id
    ORDER BY w.created_at, w.session_id
"""
_ARCHIVES: LiteralString = """
    SELECT session_id, session_key, reason, generation, encoding, created_at
    FROM session_transcript_archives ORDER BY created_at, session_id
"""
_ARCHIVE: LiteralString = """
    SELECT archive_blob FROM session_transcript_archives WHERE session_id = ? AND generation = ?
"""
_COLD: LiteralString = """
    SELECT archive_blob FROM session_transcript_cold_archives WHERE session_id = ?
"""
_ENDINGS: LiteralString = """
    SELECT session_id, max(created_at), 'deleted' FROM (
        SELECT session_id, created_at FROM session_transcript_archives WHERE reason = 'deleted'
        UNION ALL SELECT session_id, created_at FROM memory_session_tombstones
    ) WHERE session_id NOT IN (SELECT session_id FROM session_windows) GROUP BY session_id
    UNION ALL
    SELECT w.session_id, n.archived_at, 'archived' FROM session_windows w
    JOIN session_nodes n ON n.session_key = w.session_key WHERE n.archived_at IS NOT NULL
"""
_EVENTS: LiteralString = """
    SELECT seq, CASE WHEN octet_length(event_json) <= ? THEN CAST(event_json AS BLOB) END,
        event_zstd, event_utf8_bytes FROM transcript_events
    WHERE session_id = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?
"""
"""As bytes, since a text may be no UTF-8; without those that are longer than a line may be."""
_SIZES: LiteralString = """
    SELECT seq, coalesce(octet_length(event_json), 0) + coalesce(octet_length(event_zstd), 0)
    FROM transcript_events WHERE session_id = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?
"""
_STATE: LiteralString = """
    SELECT indexed_seq FROM session_transcript_index_state
    WHERE session_id = ? AND needs_rebuild = 0
"""
_ACTIVE: LiteralString = """
    SELECT event_seq FROM session_transcript_active_events WHERE session_id = ?
"""
_BRANCHED: LiteralString = """
    SELECT max(seq) FROM transcript_event_identities
    WHERE session_id = ? AND seq < ? AND event_type IN ('leaf', 'reset')
"""
_PARENTS: LiteralString = """
    SELECT event_id, parent_id FROM transcript_event_identities WHERE session_id = ? AND seq = ?
"""
_IDS: LiteralString = """
    SELECT event_id, seq FROM transcript_event_identities WHERE session_id = ? ORDER BY seq
"""
_COPIED: LiteralString = """
    SELECT i.event_id FROM transcript_event_identities i
    JOIN transcript_event_identities o ON o.session_id = ? AND o.event_id = i.event_id
    WHERE i.session_id = ?
"""


def stores_elsewhere(agents: Path) -> list[Path]:
    """Return the stores that the database of the gateway names and that are not below ``agents``.

    Without that database, or where it cannot be read, there are none.
    """
    state = agents.parent / "state" / "openclaw.sqlite"
    if not state.is_file():
        return []
    try:
        with ForeignDatabase(state) as database:
            rows = database.read(lambda query: query(_AGENTS, ()))
    except ForeignStoreError:
        return []
    paths = [Path(path) for (path,) in rows if isinstance(path, str)]
    return [each for each in paths if each.is_file() and not each.is_relative_to(agents)]


class ForeignEnding(msgspec.Struct, frozen=True, kw_only=True):
    """A session that a person ended there.

    Attributes:
        session: Its id.
        at: When, ms UTC.
        status: Its status there.
    """

    session: str
    at: int
    status: Literal["deleted", "archived"] = "deleted"


@contextmanager
def open_store(path: Path, storable: Callable[[str], str] = str) -> Iterator[OpenClawStore]:
    """Open a store read-only for a while.

    Args:
        path: Its file.
        storable: Returns an id as it is stored: without a secret, the same for the same id.

    Raises:
        ForeignStoreError: it cannot be read, or its version is unknown.
    """
    with ForeignDatabase(path) as database:
        yield OpenClawStore(path, database, storable)


class OpenClawStore:
    """The store of one agent.

    Args:
        path: Its file.
        database: Open on it.
        storable: Returns an id as it is stored.
    """

    def __init__(
        self, path: Path, database: ForeignDatabase, storable: Callable[[str], str]
    ) -> None:
        self._path = path
        self._storable = storable
        self._database = database
        self._agent = database.read(_checked)

    def transcripts(self, *, include_deleted: bool) -> list[StoredTranscript]:
        """Return its windows, then the transcripts that were reset or deleted in the store."""
        nodes, windows, archives = self._database.read(
            lambda query: (query(_NODES, ()), query(_WINDOWS, ()), query(_ARCHIVES, ()))
        )
        companion = _companion(nodes)
        chains = {text(row[0]): (text(row[1]), row[2]) for row in windows}
        transcripts: list[StoredTranscript] = []
        for row in windows:
            location = self._placed(text(row[0]), text(row[1]), companion, row[4])
            if row[5] is not None:
                before = _before(text(row[0]), chains)
                transcripts.append(_Window(location, self._database, row, before, self._storable))
            elif row[7] is not None:
                transcripts.append(_Archive(location, "cold", row[3], partial(self._cold, row)))
        for row in archives:
            if row[2] == "reset" or include_deleted:
                location = self._placed(text(row[0]), text(row[1]), companion, None)
                name = f"{text(row[2])}.{text(row[3])}"
                transcripts.append(_Archive(location, name, row[5], partial(self._archived, row)))
        return transcripts

    def endings(self) -> list[ForeignEnding]:
        """Return the sessions that somebody deleted, asked to forget or archived there."""
        rows = self._database.read(lambda query: query(_ENDINGS, ()))
        return [
            ForeignEnding(
                session=self._storable(text(row[0])),
                at=integer(row[1]),
                status="archived" if row[2] == "archived" else "deleted",
            )
            for row in rows
        ]

    def _placed(self, session: str, key: str, companion: Record, title: SqlValue) -> _Location:
        entry = dict(companion.get(key) or {}) | {"sessionId": session}
        return _Location(
            path=f"{self._path}#{self._storable(session)}",
            place=PurePath("agents", self._agent, "sessions", f"{session}.jsonl"),
            companion={**companion, key: entry},
            title=title if isinstance(title, str) else None,
        )

    def _cold(self, row: Row) -> bytes:
        """Return a transcript that was moved out of the events; empty where it cannot be read."""
        if row[7] != "file":
            return _unpacked(self._blob(_COLD, (row[0],)))
        folder = self._path.parent.parent / "sessions" / "cold"
        try:
            return _unpacked(read_beneath(folder, text(row[8]), limit=MAX_ARCHIVE_BYTES))
        except RecollectError:
            return b""

    def _archived(self, row: Row) -> bytes:
        packed = self._blob(_ARCHIVE, (row[0], row[3]))
        return _unpacked(packed) if row[4] == "zstd" else packed

    def _blob(self, sql: LiteralString, which: Row) -> bytes:
        rows = self._database.read(lambda query: query(sql, which))
        packed = rows[0][0] if rows else None
        return packed if isinstance(packed, bytes) else b""


class _Location(msgspec.Struct, frozen=True):
    path: str
    place: PurePath
    companion: Record
    title: str | None


class _Archive(FileLines):
    """A transcript that the store keeps as a whole; it is unpacked when it is read."""

    continues: Continuation | None = None

    def __init__(
        self, location: _Location, name: str, at: SqlValue, load: Callable[[], bytes]
    ) -> None:
        super().__init__(f"{location.path}.{name}{COMPRESSED}", load, _nanoseconds(at))
        self.place, self.companion, self.title = location.place, location.companion, location.title


class _Window:
    """A transcript whose events are rows. Sizes count events: the seq of the last, and 1."""

    def __init__(
        self,
        location: _Location,
        database: ForeignDatabase,
        row: Row,
        before: list[str],
        storable: Callable[[str], str],
    ) -> None:
        self.path, self.place = location.path, location.place
        self.companion, self.title = location.companion, location.title
        self._database, self._before, self._storable = database, before, storable
        self._id, self._generation = text(row[0]), text_or_none(row[6]) or ""
        self.size = min(integer(row[5]), _LARGEST_SEQ) + 1
        salt = int.from_bytes(hashlib.sha256(self._generation.encode()).digest()[:2])
        self.mtime_ns = _nanoseconds(row[3]) + salt

    def lines(self, offset: int = 0, number: int = 0) -> Iterator[Line]:
        """Yield the events from ``offset`` on; those of other branches are empty."""
        while rows := self._database.read(partial(self._page, offset=offset)):
            for row in rows:
                offset = integer(row[0]) + 1
                counts = offset - 1 in self._active or offset == 1  # the header is on no branch
                body = _body(row) if counts else b""
                yield Line(number=offset, end=offset, body=body, complete=True)

    def bodies_before(self, offset: int) -> Iterator[bytes]:
        """Yield the events before ``offset``."""
        for line in self.lines():
            if line.end > offset:
                return
            yield line.body or b""

    def digest(self, length: int) -> bytes:
        """Return a digest of the generation and of the last event where the branch may change."""
        row = self._database.read(lambda query: query(_BRANCHED, (self._id, self.size)))[0]
        return hashlib.sha256(repr((self._generation, row[0])).encode()).digest()

    @property
    def continues(self) -> Continuation | None:
        """The window before, if its events were copied, and the events that both share."""
        storable = self._storable

        def read_rows(query: Query) -> tuple[dict[str, str], list[Row]]:
            origins = {
                storable(text(row[0])): storable(other)
                for other in self._before
                for row in query(_COPIED, (other, self._id))
            }
            return origins, query(_IDS, (self._id,))

        origins, rows = self._database.read(read_rows)
        ids = [storable(text(row[0])) for row in reversed(rows) if row[1] in self._active]
        copied = tuple(each for each in ids if each in origins)
        return Continuation(storable(self._before[0]), copied, origins) if origins else None

    @cached_property
    def _active(self) -> frozenset[int]:
        def read_active(query: Query) -> frozenset[int]:
            state = query(_STATE, (self._id,))
            if state and integer(state[0][0]) >= self.size - 1:
                return frozenset(integer(row[0]) for row in query(_ACTIVE, (self._id,)))
            return _walk(_entry(row) or self._entry(query, row) for row in self._rows(query))

        return self._database.read(read_active)

    def _entry(self, query: Query, row: Row) -> _Entry:
        """Return the position of an unreadable event, so that a gap is reported there."""
        parents = [each for each in query(_PARENTS, (self._id, row[0])) if isinstance(each[0], str)]
        if not parents:
            return _Entry()
        event, above = parents[0]
        parent = above if isinstance(above, str) else None
        return _Entry(id=text(event), parent_id=parent, seq=integer(row[0]))

    def _rows(self, query: Query) -> Iterator[Row]:
        """Yield all events within one transaction."""
        offset = 0
        while rows := self._page(query, offset):
            yield from rows
            offset = integer(rows[-1][0]) + 1

    def _page(self, query: Query, offset: int) -> list[Row]:
        """Return some events from ``offset`` on, at least one where there are any."""
        sizes = query(_SIZES, (self._id, offset, self.size, _PAGE))
        total = count = 0
        for _, size in sizes:
            total += integer(size)
            if count and total > _PAGE_BYTES:
                break
            count += 1
        page = (MAX_LINE_BYTES, self._id, offset, self.size, count)
        return query(_EVENTS, page) if count else []


StoredTranscript: TypeAlias = _Archive | _Window
"""A transcript of a store: the source of its lines, and its ``place``, the path that it would
have as a file; its ``companion``, the facts of the store as in the companion file; its ``title``;
and the transcript that it ``continues``. A line that does not count has an empty body."""


def _checked(query: Query) -> str:
    """Return the agent of a store whose schema is known."""
    version = integer(query(_VERSION, ())[0][0])
    if version > VERSION:
        raise ForeignStoreError(
            f"written by a newer OpenClaw: its schema is {version}, {VERSION} is known",
            hint="update recollect",
        )
    if version < VERSION:
        raise ForeignStoreError(
            f"no store of OpenClaw 2026.9: its schema is {version}, {VERSION} is known",
            hint="start OpenClaw once, so that it brings its store up to date",
        )
    rows = query(_AGENT, ())
    return text(rows[0][0]) if rows and rows[0][0] else "main"


def _companion(rows: list[Row]) -> dict[str, Any]:
    """Return the facts of the store about its sessions, in the form of ``sessions.json``."""
    by_session: dict[str, dict[str, Any]] = {}
    for key, *facts in rows:
        pairs = zip(_FACTS, facts, strict=True)
        values = {name: value for name, value in pairs if value is not None}
        by_session.setdefault(text(key), {}).update(values)
    return dict(by_session)


def _before(session: str, chains: dict[str, tuple[str, SqlValue]]) -> list[str]:
    """Return the earlier windows of a conversation that are there, the nearest first."""
    key, before = chains[session]
    generations: list[str] = []
    while before in chains and before not in generations and len(generations) < _MOST_WINDOWS:
        if chains[text(before)][0] != key:
            break
        generations.append(text(before))
        before = chains[text(before)][1]
    return generations


def _body(row: Row) -> bytes:
    """Return an event as JSON; invalid JSON if it cannot be unpacked."""
    _, plain, packed, size = row
    if isinstance(plain, bytes):
        return plain
    body = _unpacked(packed, MAX_EVENT_BYTES)
    return body if len(body) == size else b"?"


def _nanoseconds(at: SqlValue) -> int:
    """Return a time in ms as a transcript has it; one out of range becomes the nearest."""
    return max(0, min(integer(at), _LATEST_MS)) * 1_000_000


def _unpacked(packed: SqlValue, most: int = MAX_ARCHIVE_BYTES) -> bytes:
    """Return the unpacked bytes; none if they cannot be unpacked."""
    try:
        return unpack(packed if isinstance(packed, bytes) else b"", most).getvalue()
    except ValueError:
        return b""


class _Entry(msgspec.Struct, frozen=True, rename="camel"):
    """The fields of an event that give its position in the tree."""

    type: str = ""
    id: str | None = None
    parent_id: str | None = None
    target_id: str | None = None
    append_mode: str | None = None
    seq: int = 0


def _entry(row: Row) -> _Entry | None:
    """Return the position of an event in the tree; None if it cannot be read."""
    try:
        entry = decode_json(_body(row), _Entry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return msgspec.structs.replace(entry, seq=integer(row[0]))


def _walk(entries: Iterator[_Entry]) -> frozenset[int]:
    """Return the seqs of the active branch: from its leaf up to the first entry."""
    by_id: dict[str, _Entry] = {}
    leaf: str | None = None
    aside = False
    for entry in entries:
        if entry.type == "leaf":
            leaf, aside = entry.target_id, entry.append_mode == "side"
        elif entry.id is not None and entry.type != "session":
            by_id[entry.id] = entry
            if not aside or entry.parent_id == leaf:
                leaf, aside = entry.id, False
    branch: set[int] = set()
    while leaf is not None and (node := by_id.pop(leaf, None)) is not None:
        branch.add(node.seq)
        leaf = node.parent_id
    return frozenset(branch)
