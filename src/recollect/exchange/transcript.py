"""The content of a foreign transcript as values: the port between importer and formats.

A format is a pure reading of one record at a time. It knows neither files nor the database; the
importer knows both, and no format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from recollect.core.clock import MAX_MS
from recollect.sessions.record.content import Content

if TYPE_CHECKING:  # for annotations only
    from recollect.sessions.context.compaction import Compaction
    from recollect.sessions.record.message import Message
    from recollect.sessions.record.session import Session

AUTO = "auto"
"""The name under which the format of each file is detected."""

Record: TypeAlias = Mapping[str, Any]
"""One line of a foreign transcript: a JSON object."""


class Continuation(msgspec.Struct, frozen=True):
    """The session that another one went on from, with the beginning that both share.

    Attributes:
        session: The id of the other one.
        shared: Ids of the messages that both have, the last first.
        origins: Ids of all messages that were copied, to the session that said each first.
    """

    session: str
    shared: tuple[str, ...]
    origins: Mapping[str, str]


class ForeignSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session as another program knows it. Alone on a line, it updates what was known.

    Attributes:
        id: Its id in the format it comes from.
        key: A session key, where the other program has one.
        agent: The agent that spoke, if the key does not name it.
        project: The folder it was about.
        title: Its title.
        title_is_final: A person chose the title; otherwise it only fills an empty one.
        titled_line: The id of the last line that the title sums up, where it is known.
        at: When it began, ms UTC.
        metadata: More facts about it.
        continues: The session that it went on from, where that is known.
    """

    id: str
    key: str | None = None
    agent: str | None = None
    project: str | None = None
    title: str | None = None
    title_is_final: bool = False
    titled_line: str | None = None
    at: int | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    continues: Continuation | None = None


class ForeignMessage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message as another program stored it.

    Attributes:
        session: Where it belongs.
        role: ``user``, ``assistant``, ``system`` or ``tool``.
        content: Text or blocks in any known spelling.
        id: Its id there, unique within the session; None if it has none.
        name: The name of the speaker, if known.
        at: When it was said, ms UTC; None if that is unknown.
        metadata: More facts about it.
        usage: Its cost, with the provider's own names.
        reply: An id that the pieces of one answer share; each piece has the cost so far.
        extra: The other fields of its record, in parts: ``line``, ``message``, and ``blocks`` by
            index. Kept for an export in the same format.
        shared: Fields of the record that are equal in most records of a session.
        is_final: The metadata is complete; nothing is added to it.
        sender: The account that said it, ``channel:id`` or ``channel:network:id``, where known.
        agent_id: The sub-agent that speaks.
        within: The session that its tools are recorded in, if that is another one: the session
            that a sub-agent works for.
        is_stored: Whether it is part of the conversation; for others only the tools are recorded.
    """

    session: ForeignSession
    role: str
    content: Content | None
    id: str | None = None
    name: str | None = None
    at: int | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    usage: Mapping[str, Any] | None = None
    reply: str | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    shared: dict[str, Any] = msgspec.field(default_factory=dict)
    is_final: bool = False
    sender: str | None = None
    agent_id: str | None = None
    within: ForeignSession | None = None
    is_stored: bool = True


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is not part of the conversation; ``reason`` is a fixed phrase."""

    reason: str


class Malformed(msgspec.Struct, frozen=True, kw_only=True):
    """A record that cannot be understood; ``reason`` is a fixed phrase without foreign text."""

    reason: str


ForeignLine: TypeAlias = ForeignMessage | ForeignSession | Skip | Malformed


class TranscriptFormat(Protocol):
    """One kind of foreign transcript."""

    @property
    def name(self) -> str:
        """The stable name: the source of imported sessions and a part of their event ids."""

    @property
    def is_owners(self) -> bool:
        """Whether only the owner of the home speaks in its sessions.

        Elsewhere a session whose key does not say where it was held is of unknown origin.
        """

    @property
    def companion(self) -> str:
        """The name of a JSON file beside the transcripts with more facts on them; may be empty."""

    @property
    def line_id(self) -> str:
        """The field with the id of a line that copies keep; empty where no lines are copied.

        A transcript that begins with lines of another one is a fork of that session.
        """

    def recognises(self, record: Record) -> bool:
        """Return whether a record near the top of a file is of this kind."""

    def describe(
        self, path: PurePath, header: Record | None, companion: Record | None = None
    ) -> ForeignSession:
        """Return the session that a file is about, from its path, first record and companion."""

    def place(self, path: PurePath) -> PurePath:
        """Return the folder within which a session's id means the same session."""

    def parse(self, record: Record, session: ForeignSession) -> ForeignLine:
        """Return the meaning of one record of a file about ``session``; never raises."""


class Owned(msgspec.Struct, frozen=True):
    """A message to export, and the session that holds it; for a fork that may be a parent."""

    owner: Session
    message: Message

    def is_of(self, source: str) -> bool:
        """Return whether the message was imported from the format of that name."""
        return self.owner.source == source and bool(self.message.foreign_id)


class TranscriptWriter(Protocol):
    """One kind of foreign transcript, written."""

    @property
    def name(self) -> str:
        """The stable name, that of the format which reads it."""

    def records(self, session: Session, items: Iterable[Owned | Compaction]) -> Iterator[Any]:
        """Yield the records of a session; the format of that name reads the same messages."""


_FIRST_MS = 100_000_000_000
"""Below it a number is seconds (until the year 5138), from it on milliseconds (from 1973)."""


def parse_time(value: object) -> int | None:
    """Return a foreign time as ms UTC, or None where it cannot be read.

    Numbers are seconds or milliseconds by their size, texts ISO 8601; without a zone it is UTC.

    >>> parse_time("2026-02-10T00:00:00Z") == parse_time(1770681600) == 1770681600000
    True
    """
    ms: float | None = None
    if isinstance(value, str):
        ms = _parse_iso(value.strip())
    elif isinstance(value, int | float) and not isinstance(value, bool):
        ms = value * 1000 if abs(value) < _FIRST_MS else value
    return round(ms) if ms is not None and 0 <= ms <= MAX_MS else None


def _parse_iso(text: str) -> float | None:
    if text.isdecimal() and text.isascii() and len(text) > 8:
        return parse_time(int(text[:20]))
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000
    except (ValueError, OverflowError):
        return None


def folder_below(path: PurePath, name: str, depth: int) -> PurePath:
    """Return the folder ``depth`` levels below the last one of that name; else the file's own.

    >>> str(folder_below(PurePath("/home/ana/.claude/projects/tea/s.jsonl"), "projects", 0))
    '/home/ana/.claude/projects'
    """
    above = [folder for folder in path.parents if folder.name == name]
    if not above:
        return path.parent
    return PurePath(*path.parts[: len(above[0].parts) + depth])
