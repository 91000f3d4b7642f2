"""The lines of an export: what each may contain, and the seal that proves they are complete.

A document is JSON Lines. The first line is the header, the last one has the counts and the SHA-256
of every byte before. In between each line has one record, under the name of its kind: session after
session with its records, then episodes, projects and memory files. A session, its messages and its
compactions have the fields of the readable transcripts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, BinaryIO, TypeAlias

import msgspec

from recollect.audience.session_key import parse_key
from recollect.core.clock import MAX_MS, to_ms
from recollect.core.decoding import json_decoder
from recollect.core.errors import InvalidInput, RecollectError
from recollect.exchange.reader import read_lines
from recollect.knowledge.mirror import FactLine
from recollect.observations.observation import Observation
from recollect.observations.project_lines import ProjectLine
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.episode import Episode
from recollect.sessions.context.working_memory import StateLine
from recollect.sessions.mirror.mirror_lines import (
    COMPLETE,
    FORMAT,
    MOST,
    UNREADABLE,
    CompactionLine,
    MessageLine,
    SessionLine,
)
from recollect.sessions.record.lineage import Withdrawal
from recollect.sessions.record.session import (
    MODES,
    PLACE,
    STATUSES,
    Session,
    of_unknown_origin,
    with_account,
)
from recollect.store.paths import check_id

VERSION = 1
MARK = b'{"header":{"recollect_export":'
"""The start of every export, and of no other file."""
MOST_NUMBER = MOST // 2
"""The largest short number of a record: the home continues counting from there."""
MAX_LINE_BYTES = 128 * 1024 * 1024
"""Fits an observation whose input and output have 16 MB each, every second character escaped."""
_SHARED = ("id", "tenant", "key", "agent", "user", "project", "source", "foreign_id", "title")
_WHOLE = "export it again, and copy the file whole"
_Ms: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_MS)]


class ExportHeader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The header of a document.

    Attributes:
        recollect_export: The version of this form.
        id: Of the document: an interrupted import recognizes it.
        made_by: The version of recollect that wrote it, or the program whose data it is.
        home_id: The home that it was made from.
        created_at: When it was begun, ms UTC.
        tenant: The owner.
        agent: Only what belongs to this agent, where one is named; likewise the next three.
        user: See ``agent``.
        project: See ``agent``; a path.
        session: See ``agent``; its id.
        since: Only records from this time on, ms UTC.
        audience: ``operator``: all of that. ``session``: what one session may hear.
        files: Whether memory files are included.
    """

    recollect_export: int
    id: str
    made_by: str
    created_at: _Ms
    tenant: str
    home_id: str | None = None
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    session: str | None = None
    since: _Ms | None = None
    audience: str = "operator"
    files: bool = False


class FileLine(msgspec.Struct, frozen=True, kw_only=True):
    """A memory file: its path in the workspace, and its text without secrets."""

    path: str
    text: str


class ExportEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The number of records of each kind, and the SHA-256 of every byte before."""

    counts: dict[str, int]
    sha256: str


class ExportLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: exactly one of these."""

    header: ExportHeader | None = None
    project: ProjectLine | None = None
    session: SessionLine | None = None
    message: MessageLine | None = None
    compaction: CompactionLine | None = None
    withdrawal: Withdrawal | None = None
    state: StateLine | None = None
    observation: Observation | None = None
    episode: Episode | None = None
    fact: FactLine | None = None
    file: FileLine | None = None
    end: ExportEnd | None = None

    @property
    def kind(self) -> str:
        """Return the name of the kind of record in it.

        Raises:
            ValueError: it has no record, or several.
        """
        kinds = [name for name in self.__struct_fields__ if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError(len(kinds))
        return kinds[0]


Record: TypeAlias = (
    ProjectLine
    | SessionLine
    | MessageLine
    | CompactionLine
    | Withdrawal
    | StateLine
    | Observation
    | Episode
    | FactLine
    | FileLine
)
KINDS = tuple(name for name in ExportLine.__struct_fields__ if name not in {"header", "end"})
"""The kinds of records."""
UNSOUND = (*UNREADABLE, OverflowError, RecollectError)
"""The errors raised for a line of a mirror that cannot be right."""
_OF_SESSION = frozenset({"message", "compaction", "withdrawal", "state", "observation"})
_decode = json_decoder(ExportLine).decode


class LineSeal:
    """Counts records and digests lines, for both writers and readers."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.counts: Counter[str] = Counter()

    def add(self, line: bytes, kind: str) -> None:
        """Add a line, given without its line break."""
        self._digest.update(line)
        self._digest.update(b"\n")
        if kind in KINDS:
            self.counts[kind] += 1

    @property
    def end(self) -> ExportEnd:
        """Return the content of the last line."""
        return ExportEnd(counts=dict(sorted(self.counts.items())), sha256=self._digest.hexdigest())


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking a complete document.

    Attributes:
        header: Its header.
        counts: Its records by kind.
        bytes: Its size.
        numbers: The largest short number of each kind.
    """

    header: ExportHeader
    counts: dict[str, int]
    bytes: int
    numbers: dict[str, int]


def check_export(file: BinaryIO, tell: Callable[[int], None]) -> Checked:
    """Return the header and counts of a document, once all of it is verified against its seal.

    Args:
        file: Open, anywhere.
        tell: Called from time to time with the bytes read.

    Raises:
        InvalidInput: it is another kind of file, has a newer form, is truncated, or was changed.
    """
    seal, size = LineSeal(), 0
    numbers: Counter[str] = Counter()
    session: str | None = None
    lines = enumerate(_raw_lines(file), 1)
    header = _first(next(lines, (0, (b"", 0)))[1][0], seal)
    for number, (raw, end) in lines:
        line = _line(raw, number)
        kind = line.kind
        if kind == "end":
            _check_end(line.end, seal, file, end)
            return Checked(header=header, counts=dict(seal.counts), bytes=end, numbers=numbers)
        session = _check_place(line, kind, session, number)
        numbers[kind] = max(numbers[kind], _checked_number(getattr(line, kind), number))
        seal.add(raw, kind)
        if end - size > _TOLD_EVERY:
            size = end
            tell(end)
    raise InvalidInput("the export is cut off", hint=_WHOLE)


_TOLD_EVERY = 4 * 1024 * 1024


def records_of(file: BinaryIO) -> Iterator[tuple[Record, int]]:
    """Yield the records of a checked document, each with its end offset in bytes."""
    for raw, end in _raw_lines(file):
        line = _decode(raw)
        kind = line.kind
        if kind == "end":
            return
        if kind != "header":
            yield getattr(line, kind), end


def is_export(start: bytes) -> bool:
    """Return whether a file with this start is an export of recollect."""
    return start.startswith(MARK)


def line_of(kind: str, record: Any) -> bytes:
    """Return a record as a line, without the line break."""
    return msgspec.json.encode({kind: record})


def sealed(header: ExportHeader, lines: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """Yield the lines of a document, without line breaks: header, records, end."""
    seal = LineSeal()
    first = line_of("header", header)
    seal.add(first, "header")
    yield first
    for kind, record in lines:
        line = line_of(kind, record)
        seal.add(line, kind)
        yield line
    yield line_of("end", seal.end)


def _raw_lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    for line in read_lines(file, limit=MAX_LINE_BYTES):
        if line.body is None:
            raise InvalidInput(
                f"line {line.number} of the export is longer than {MAX_LINE_BYTES >> 20} MB",
                hint=_WHOLE,
            )
        yield line.body, line.end


def _first(raw: bytes, seal: LineSeal) -> ExportHeader:
    """Return the header, after adding it to the seal."""
    if not is_export(raw):
        raise InvalidInput(
            "the file must be an export of recollect",
            hint="make one with `recollect export --all FILE`",
        )
    _check_version(raw)
    header = _line(raw, 1).header
    if header is None:
        raise InvalidInput("the export must begin with its header", hint=_WHOLE)
    seal.add(raw, "header")
    return header


def _line(raw: bytes, number: int) -> ExportLine:
    try:
        line = _decode(raw)
        line.kind  # noqa: B018  # raises
    except UNREADABLE as error:
        raise InvalidInput(
            f"line {number} of the export cannot be read: it was changed or cut off", hint=_WHOLE
        ) from error
    return line


def _check_version(raw: bytes) -> None:
    digits = raw.removeprefix(MARK).partition(b",")[0]
    if digits.strip() != b"%d" % VERSION:
        version = digits[:9].decode("ascii", "replace")
        raise InvalidInput(
            f"the export has form {version}, and this recollect knows {VERSION}",
            hint="update recollect",
        )


def _check_end(end: ExportEnd | None, seal: LineSeal, file: BinaryIO, at: int) -> None:
    if end != seal.end:
        raise InvalidInput("the export was changed: it is not what its last line says", hint=_WHOLE)
    file.seek(at)
    if file.read(1):
        raise InvalidInput("the export continues after its last line", hint=_WHOLE)


def _checked_number(record: Any, number: int) -> int:
    """Return the short number of a record, 0 if it has none; refuse one without room above it."""
    values = [getattr(record, name) for name in record.__struct_fields__]
    value = getattr(record, "number", None) or 0
    if value > MOST_NUMBER or any(isinstance(v, int) and not -MOST <= v <= MOST for v in values):
        raise InvalidInput(
            f"line {number} of the export has a number that is too large", hint=_WHOLE
        )
    return int(value)


def _check_place(line: ExportLine, kind: str, session: str | None, number: int) -> str | None:
    """Return the session that the next line may belong to."""
    is_right = True
    if line.session is not None:
        session, is_right = line.session.id, is_sound_session(line.session)
    elif kind in _OF_SESSION:
        owner = session if line.observation is None else line.observation.session_id
        is_right = session is not None and owner == session
    elif kind == "header":
        is_right = False
    if not is_right:
        raise InvalidInput(f"line {number} of the export is out of place", hint=_WHOLE)
    return session


def session_in(line: SessionLine) -> Session:
    """Return the session of a line, without its links.

    An older format has no origin: if the key of the session does not say who heard it, the session
    is a visibility group of its own.
    """
    at = iso_ms(line.created_at)
    session = Session(
        **{name: getattr(line, name) for name in _SHARED},
        **{name: getattr(line, name) for name in PLACE},
        status=line.status or "active",
        mode=line.mode or "main",
        created_at=at,
        updated_at=at,
        pruned_seq=line.pruned_seq,
        compaction_count=line.other_compactions,
        overrides=line.overrides,
        metadata=line.metadata,
    )
    if line.recollect >= COMPLETE:
        return with_account(session)
    key = None if line.key is None else parse_key(line.key)
    if key is None or key.plain_name is not None:
        return of_unknown_origin(session)
    origin = {part: getattr(key, part) for part in PLACE}
    mode = "group" if key.is_group else "main"
    return with_account(msgspec.structs.replace(session, **origin, mode=mode))


def compaction_in(line: CompactionLine, session_id: str) -> Compaction:
    """Return the compaction of a line.

    Raises:
        ValueError: it cannot be right.
    """
    if not 0 < line.through_seq <= line.seq:
        raise ValueError(line.through_seq)
    return Compaction(
        id=line.id,
        session_id=session_id,
        through_seq=line.through_seq,
        last_seq=line.seq,
        summary=line.summary,
        made_by=line.made_by,
        tokens_before=line.tokens_before,
        tokens_after=line.tokens_after,
        created_at=iso_ms(line.at),
        turn_sender=line.turn_sender,
    )


def is_sound_session(line: SessionLine) -> bool:
    """Return whether a line of a session can be right."""
    try:
        check_id(line.id)
        iso_ms(line.created_at)
    except UNSOUND:
        return False
    is_known = line.status in {None, *STATUSES} and line.mode in {None, *MODES}
    return is_known and 0 < line.recollect <= FORMAT


def iso_ms(iso: str) -> int:
    """Return the time of a line, ms UTC.

    Raises:
        ValueError: it cannot be read.
    """
    return to_ms(datetime.fromisoformat(iso))
