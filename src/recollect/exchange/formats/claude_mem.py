"""The data of claude-mem as an export: its database, or the JSON that it exported.

A session there becomes one of the owner's, without a channel: no one else hears it. Its prompts
become messages; the notes of its observer become observations with the trust ``imported``, because
a model made them from results of tools: they can be found, but are never put into a prompt without
a request. The same row gives the same ids every time. Supported are the schemas 4 to 49 (claude-mem
4 to 13), which add columns and rename two; a newer one is refused by its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, LiteralString, Protocol, TypeAlias

import msgspec

from recollect.core.clock import MAX_MS, derived_id, to_iso
from recollect.core.errors import ForeignStoreError, InvalidInput, NotFound
from recollect.exchange.lines import VERSION as FORM
from recollect.exchange.lines import Checked, ExportHeader, Record
from recollect.exchange.transcript import parse_time
from recollect.observations.classify import importance_of
from recollect.observations.moments.evidence import Evidence
from recollect.observations.observation import Observation
from recollect.observations.summary import LONGEST_PATH, LONGEST_SUMMARY, LONGEST_TITLE, clipped
from recollect.sessions.mirror.mirror_lines import FORMAT, MessageLine, SessionLine
from recollect.store.columns import text
from recollect.store.failures import os_errors
from recollect.store.sqlite.foreign import ForeignDatabase, Query

SOURCE = "claude-mem"
OLDEST, NEWEST = 4, 49
"""Supported versions of the schema; the oldest is that of claude-mem 4."""
MAX_JSON_BYTES = 512 * 1024 * 1024
"""Largest JSON export; the database itself may have any size."""
TYPES = {
    "bugfix": "bugfix",
    "decision": "decision",
    "discovery": "exploration",
    "feature": "code_change",
    "refactor": "code_change",
    "change": "code_change",
}
"""Its types and ours; all others, such as security_alert and those of its modes, keep their
names."""
_PARTS = ("request", "investigated", "learned", "completed", "next_steps", "notes")
"""The columns of a summary."""
_RENAMED = {"claude_session_id": "content_session_id", "sdk_session_id": "memory_session_id"}
"""Names of columns before schema 17, and since."""
_PAGE = 500

_VERSION: LiteralString = "SELECT max(version) FROM schema_versions"
_TABLE: LiteralString = "SELECT name FROM pragma_table_info(?)"
_SESSIONS: LiteralString = "SELECT * FROM sdk_sessions WHERE id > ? ORDER BY id LIMIT ?"
_ORPHANS: LiteralString = """
    SELECT DISTINCT memory_session_id, project FROM observations WHERE memory_session_id NOT IN (
        SELECT memory_session_id FROM sdk_sessions WHERE memory_session_id IS NOT NULL)
"""
_OF_SESSION: Mapping[str, LiteralString] = {
    "prompts": "SELECT * FROM user_prompts WHERE content_session_id = ? AND id > ?",
    "observations": "SELECT * FROM observations WHERE memory_session_id = ? AND id > ?",
    "summaries": "SELECT * FROM session_summaries WHERE memory_session_id = ? AND id > ?",
}
_OF_SESSION_BEFORE: Mapping[str, LiteralString] = {
    "prompts": "SELECT * FROM user_prompts WHERE claude_session_id = ? AND id > ?",
    "observations": "SELECT * FROM observations WHERE sdk_session_id = ? AND id > ?",
    "summaries": "SELECT * FROM session_summaries WHERE sdk_session_id = ? AND id > ?",
}
_TABLES = {
    "prompts": "user_prompts",
    "observations": "observations",
    "summaries": "session_summaries",
}

Row: TypeAlias = dict[str, Any]


class KeptThere(Protocol):
    """The data of claude-mem."""

    def sessions(self) -> Iterator[Row]:
        """Yield its sessions, oldest first."""

    def of(self, kind: str, session: Row) -> Iterator[Row]:
        """Yield the prompts, observations or summaries of a session, oldest first."""


@contextmanager
def read_claude_mem(
    path: Path, tenant: str
) -> Iterator[tuple[Checked, Iterator[tuple[Record, int]]]]:
    """Yield the data of claude-mem, as records of an export.

    Args:
        path: Its database, or a JSON file that it exported.
        tenant: The owner of the records.

    Raises:
        NotFound: the file does not exist.
        InvalidInput: it is neither.
        ForeignStoreError: the database cannot be read, or its version is not supported.
    """
    with os_errors(path):
        if not path.is_file():
            hint = "name the database, or a JSON file of claude-mem"
            raise NotFound(f"{path} does not exist", hint=hint, path=str(path))
        with path.open("rb") as file:
            is_database = file.read(16) == b"SQLite format 3\0"
        size = path.stat().st_size
    if is_database:
        with ForeignDatabase(path) as database:
            version = database.read(_checked_version)
            source: KeptThere = _Database(database)
            yield _told(path, tenant, f"{SOURCE} schema {version}", size), _records(source)
    else:
        source = _Export(_decoded(path, size))
        yield _told(path, tenant, f"{SOURCE} export", size), _records(source)


def _told(path: Path, tenant: str, made_by: str, size: int) -> Checked:
    header = ExportHeader(
        recollect_export=FORM,
        id=derived_id(0, SOURCE, str(path.absolute())),
        made_by=made_by,
        created_at=0,
        tenant=tenant,
    )
    return Checked(header=header, counts={}, bytes=size, numbers={})


def _checked_version(query: Query) -> int:
    tables = {name for name in _TABLES.values() if query(_TABLE, (name,))}
    if "observations" not in tables or not query(_TABLE, ("schema_versions",)):
        raise InvalidInput(
            "the database must be one of claude-mem", hint="name its claude-mem.db, with its tables"
        )
    number = query(_VERSION, ())[0][0]
    version = number if isinstance(number, int) else 0
    if not OLDEST <= version <= NEWEST:
        raise ForeignStoreError(
            f"the database has schema {version} of claude-mem, and {OLDEST} to {NEWEST} are known",
            hint="update recollect, or export it there as JSON",
        )
    return version


class _Database:
    """Its database. Each page is a snapshot of its own: claude-mem may write meanwhile."""

    def __init__(self, database: ForeignDatabase) -> None:
        self._database = database
        names = ("sdk_sessions", *_TABLES.values())
        self._columns = {name: database.read(partial(_columns, name)) for name in names}
        is_old = "sdk_session_id" in self._columns["observations"]
        self._sql = _OF_SESSION_BEFORE if is_old else _OF_SESSION
        self._has_orphans = not is_old

    def sessions(self) -> Iterator[Row]:
        """Yield its sessions, then those that only observations name."""
        yield from self._paged(_SESSIONS, "sdk_sessions", ())
        rows = self._database.read(lambda query: query(_ORPHANS, ())) if self._has_orphans else ()
        for memory_session_id, project in rows:
            yield {"memory_session_id": memory_session_id, "project": project}

    def of(self, kind: str, session: Row) -> Iterator[Row]:
        """Yield the rows of a session."""
        key = session.get("content_session_id" if kind == "prompts" else "memory_session_id")
        if key is None or not self._columns[_TABLES[kind]]:
            return
        sql: LiteralString = self._sql[kind] + " ORDER BY id LIMIT ?"
        for row in self._paged(sql, _TABLES[kind], (key,)):
            owner = row.get("session_db_id")
            if owner is None or owner == session.get("id"):
                yield row

    def _paged(self, sql: LiteralString, table: str, params: tuple[Any, ...]) -> Iterator[Row]:
        names = [_RENAMED.get(name, name) for name in self._columns[table]]
        after = 0
        while rows := self._database.read(partial(_run, sql=sql, params=(*params, after, _PAGE))):
            for cells in rows:
                row = dict(zip(names, cells, strict=True))
                after = row["id"]
                yield row


def _columns(table: str, query: Query) -> list[str]:
    return [text(name) for (name,) in query(_TABLE, (table,))]


def _run(query: Query, sql: LiteralString, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    return query(sql, params)


class _Export:
    """A JSON file that it exported: the rows of a search there."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._rows = {name: _rows(document.get(name)) for name in (*_TABLES, "sessions")}

    def sessions(self) -> Iterator[Row]:
        """Yield its sessions, then those that only other rows name."""
        ids = set()
        for row in self._rows["sessions"]:
            ids.add(row.get("memory_session_id"))
            yield row
        for kind in ("observations", "summaries"):
            for row in self._rows[kind]:
                key = row.get("memory_session_id")
                if key not in ids:
                    ids.add(key)
                    yield {"memory_session_id": key, "project": row.get("project")}

    def of(self, kind: str, session: Row) -> Iterator[Row]:
        """Yield the rows of a session."""
        name = "content_session_id" if kind == "prompts" else "memory_session_id"
        key = session.get(name)
        rows = (row for row in self._rows[kind] if key is not None and row.get(name) == key)
        yield from sorted(rows, key=lambda row: _at(row) or 0)


def _rows(value: Any) -> list[Row]:
    rows = value if isinstance(value, list) else []
    return [
        {_RENAMED.get(str(name), str(name)): cell for name, cell in row.items()}
        for row in rows
        if isinstance(row, dict)
    ]


def _decoded(path: Path, size: int) -> Mapping[str, Any]:
    if size > MAX_JSON_BYTES:
        raise InvalidInput(
            f"the file is larger than {MAX_JSON_BYTES >> 20} MB", hint="name its database instead"
        )
    try:
        with os_errors(path):
            document = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("observations"), list):
        raise InvalidInput(
            "the file is neither a database nor an export of claude-mem",
            hint="name ~/.claude-mem/claude-mem.db",
        )
    return document


def _records(source: KeptThere) -> Iterator[tuple[Record, int]]:
    for row in source.sessions():
        for record in _of_session(source, row):
            yield record, 0


def _of_session(source: KeptThere, row: Row) -> Iterator[Record]:
    """Yield a session, its prompts, its observations and its summaries."""
    observations, summaries = source.of("observations", row), list(source.of("summaries", row))
    first = next(observations, None)
    began = _at(row, "started_at") or _at(first or (summaries or [row])[0]) or 0
    name = _text(row, "content_session_id") or _text(row, "memory_session_id")
    platform = _text(row, "platform_source") or "claude"
    foreign = name if platform == "claude" else f"{platform}:{name}"
    session = SessionLine(
        recollect=FORMAT,
        type="session",
        id=derived_id(began, SOURCE, foreign),
        created_at=to_iso(began),
        tenant="",
        project=_text(row, "project") or None,
        title=(_text(row, "custom_title") or None),
        source=SOURCE,
        foreign_id=foreign,
        status="active",
        mode="main",
    )
    yield session
    yield from _messages(source, row, session, began)
    for each in (first, *observations):
        if each is not None:
            yield _observation(each, session)
    yield from (_summary(each, session) for each in summaries)


def _messages(
    source: KeptThere, row: Row, session: SessionLine, began: int
) -> Iterator[MessageLine]:
    prompts = [(_text(each, "prompt_text"), _at(each)) for each in source.of("prompts", row)]
    if not prompts:  # before schema 10 only the first one was kept
        prompts = [(_text(row, "user_prompt"), began)]
    texts = [(words, at) for words, at in prompts if words]
    for seq, (words, at) in enumerate(texts, 1):
        event = f"{SOURCE}:{session.foreign_id}:{seq}"
        yield MessageLine(
            type="message",
            seq=seq,
            id=derived_id(at or began, SOURCE, session.foreign_id or "", "prompt", str(seq)),
            role="user",
            at=to_iso(at or began),
            content=msgspec.Raw(msgspec.json.encode(words)),
            event_id=event[:200],
        )


def _observation(row: Row, session: SessionLine) -> Observation:
    title, words = _text(row, "title"), _text(row, "narrative") or _text(row, "text")
    lines = [_text(row, "subtitle"), words, *_listed(row, "facts")]
    concepts = ", ".join(_listed(row, "concepts"))
    kind = _text(row, "type") or "tool_use"
    whole = "\n".join(filter(None, [*lines, concepts and f"concepts: {concepts}"]))
    return _made(
        row,
        session,
        "observation",
        kind=TYPES.get(kind, kind),
        title=title or words,
        summary=" ".join(filter(None, lines)),
        output=whole,
        files=(*_listed(row, "files_modified"), *_listed(row, "files_read")),
        agent_id=_text(row, "agent_id") or None,
    )


def _summary(row: Row, session: SessionLine) -> Observation:
    parts = {name: _text(row, name) for name in _PARTS}
    return _made(
        row,
        session,
        "summary",
        kind="summary",
        title=parts["request"] or "summary of a session",
        summary=" ".join(filter(None, (parts["completed"], parts["learned"], parts["next_steps"]))),
        output=_words(parts),
        files=(*_listed(row, "files_edited"), *_listed(row, "files_read")),
        agent_id=None,
    )


def _words(parts: Mapping[str, str]) -> str:
    return "\n".join(f"{name.replace('_', ' ')}: {words}" for name, words in parts.items() if words)


def _made(
    row: Row,
    session: SessionLine,
    what: str,
    *,
    kind: str,
    title: str,
    summary: str,
    output: str,
    files: tuple[str, ...],
    agent_id: str | None,
) -> Observation:
    at = _at(row) or 0
    name = _text(row, "id") or _text(row, "title") or output[:80]
    event_id = derived_id(at, SOURCE, session.foreign_id or "", what, name)
    return Observation(
        id=event_id,
        number=0,
        session_id=session.id,
        type=kind,
        tool_name=None,
        title=clipped(title, LONGEST_TITLE),
        summary=clipped(summary, LONGEST_SUMMARY),
        input="",
        output=output,
        input_blob=None,
        output_blob=None,
        tokens=0,
        importance=importance_of(Evidence(event="tool"), kind),
        trust="imported",
        files=tuple(clipped(each, LONGEST_PATH) for each in dict.fromkeys(files)),
        error=None,
        message_id=None,
        tool_use_id=None,
        agent_id=agent_id,
        event="tool",
        event_id=f"{SOURCE}:{event_id}",
        made_by=SOURCE,
        created_at=at,
        is_forgotten=False,
        tenant="",
        agent=None,
        user=None,
        project=_text(row, "merged_into_project") or _text(row, "project") or session.project,
        turn_sender=None,
    )


def _at(row: Row, name: str = "created_at") -> int | None:
    """Return the time of a row, ms UTC: of its number, else its text; None without a valid one."""
    epoch = row.get(f"{name}_epoch")
    at = parse_time(epoch if isinstance(epoch, int | float) else row.get(name))
    return at if at is not None and at <= MAX_MS else None


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) else ""


def _listed(row: Row, name: str) -> list[str]:
    """Return a list stored as JSON, or given as such in an export; a plain text is one item."""
    value = row.get(name)
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            value = [value]
    items = value if isinstance(value, list) else []
    return [each.strip() for each in items if isinstance(each, str) and each.strip()]
