"""The memory flush: before a compaction, what must last is written into notes.

Once in each compaction cycle. The owner's go into the workspace, a guest's into the home, where no
other program looks; see `flushed_notes`. Never from a group, a job or a sub-agent. Who said a line
is stored first, the file written second and the count third: a kill between them costs a look at
the file, and never leaves a line without a speaker. A failure is counted and never stops a
compaction.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta, tzinfo
from itertools import chain
from pathlib import Path
from typing import LiteralString, Protocol

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.session_key import AUTOMATIC, UNKNOWN, parse_key
from recollect.audience.visibility import visibility_group_of
from recollect.core.clock import to_datetime
from recollect.core.decoding import convert_value
from recollect.core.errors import Denied, InvalidInput, NotFound, RecollectError
from recollect.core.events import MemoryFlushed, MemoryFlushFailed
from recollect.core.settings.sessions import ContextSettings
from recollect.sessions.context.flushed_notes import (
    LARGEST_BYTES,
    NotesPlace,
    SaidLines,
    guest_notes_place,
    workspace_notes,
)
from recollect.sessions.policy.freshness import local_day
from recollect.sessions.record.lineage import find_one, stored_ancestors
from recollect.sessions.record.session import Session, note_change, owner_of
from recollect.store.engine import Transaction
from recollect.store.journal import record_event
from recollect.store.paths import append_beneath, read_beneath
from recollect.text.statements.kept import must_last, weigh
from recollect.text.statements.sentences import statements
from recollect.text.turns import Utterance

MOST_FAILURES = 3
"""After these it is given up until the next cycle; OpenClaw's value."""

_DONE: LiteralString = """
    UPDATE sessions SET flushed_at = ?, flush_compaction_count = ?, flush_failures = 0,
        flushed_seq = ? WHERE id = ?
"""
_FAILED: LiteralString = "UPDATE sessions SET flush_failures = flush_failures + 1 WHERE id = ?"


class ModelFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a model wrote no summary, or found no notes; no word of the conversation is in it.

    Attributes:
        model: Which one was asked.
        code: Of the error, as in `core.errors`.
        message: What happened.
        hint: What can be done.
    """

    model: str
    code: str
    message: str
    hint: str


def failure_of(model: str, error: RecollectError) -> ModelFailure:
    """Return the failure of a model, as results carry it."""
    return convert_value(error.as_dict() | {"model": model}, ModelFailure)


class Flushed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a flush.

    Attributes:
        outcome: ``flushed``; ``nothing_new``: all of it is there already, or nothing must last;
            ``failed``; or why there was none: ``not_due``, ``off``, ``no_workspace``, ``group``,
            ``unknown_origin``, ``automatic``, ``done`` in this compaction cycle, ``given_up``
            until the next.
        path: The file, relative to the workspace; a guest's to the home.
        lines: Notes that were added.
        error: The code of what failed.
        model_failure: Why a language model did not find the notes, which the rules found instead;
            None where it did, or none is asked.
    """

    outcome: str
    path: str | None = None
    lines: int = 0
    error: str | None = None
    model_failure: ModelFailure | None = None


def reason_not_to_flush(session: Session, settings: ContextSettings, owner: Owner) -> str | None:
    """Return the reason not to flush a session now, an outcome of `Flushed`; None to flush it."""
    if not settings.flush:
        return "off"
    key = None if session.key is None else parse_key(session.key)
    # A fork has no key; its chat type is that of the session it was forked from.
    if session.chat_type in AUTOMATIC or (key is not None and key.is_automatic):
        return "automatic"
    if session.mode == "group" or (key is not None and key.is_group):
        return "group"
    if session.chat_type == UNKNOWN:
        return "unknown_origin"
    if not visibility_group_of(session, owner).is_private:
        return "group"
    if session.flush_compaction_count == session.compaction_count:
        return "done"
    return "given_up" if session.flush_failures >= MOST_FAILURES else None


def flushed_seq(tx: Transaction, session: Session) -> int:
    """Return the seq up to which a session was looked at; for a fork that includes its parents."""
    own = find_one(tx, session.id, session.tenant)
    if own is None:
        return 0
    seen = (
        min(kin.flushed_seq, last)
        for kin, last in chain([(own, session.last_seq)], stored_ancestors(tx, session))
        if kin.flushed_seq is not None
    )
    return next(seen, 0)


class NoteFolders(Protocol):
    """Where notes may be; None for none."""

    @property
    def workspace(self) -> Path | None:
        """The folder of the owner's notes."""

    @property
    def home(self) -> Path | None:
        """The folder of guests' notes."""


def place_of_notes(session: Session, folders: NoteFolders, owner: Owner) -> NotesPlace | None:
    """Return the location of the notes of a session; None if there is none."""
    group = visibility_group_of(session, owner)
    if group.is_owners:
        return None if folders.workspace is None else workspace_notes(folders.workspace)
    return None if folders.home is None else guest_notes_place(folders.home, session.tenant, group)


def write_notes(
    target: NotesPlace,
    notes: Sequence[Note],
    now: int,
    zone: tzinfo | None,
    say: Callable[[list[SaidLines]], object] = lambda _: None,
) -> Flushed:
    """Append the new notes to those of the day, in one write.

    Notes in the file of the day before are not new either: a flush that was killed after its
    write is tried again, maybe after midnight.

    Args:
        target: Where the notes of the session are.
        notes: In their order.
        now: Ms UTC.
        zone: Of the user.
        say: Called with the lines of these notes, before anything is written.

    Raises:
        Denied: the file is a link, or is reached through one.
        InvalidInput: it is too large.
        StoreError: it cannot be written.
    """
    day = local_day(now, zone)
    earlier = target.path((date.fromisoformat(day) - timedelta(days=1)).isoformat())
    past = _content_of(target.root, earlier)
    path, added = target.path(day), 0
    keys = {note_key(note.text) for note in notes} - {""}

    def more(content: bytes) -> bytes:
        nonlocal added
        text, added = addition(content, notes, note_keys(past), day, zone)
        there, earlier_lines = set(content.split(b"\n")), _lines_with(past, keys)
        new = [line for line in _lines_with(content + text, keys) if line not in there]
        again = [line for line in _lines_with(content, keys) if line not in new]
        say(
            [
                SaidLines(path=target.name + path, new=new, known=again),
                SaidLines(path=target.name + earlier, known=earlier_lines),
            ]
        )
        return text

    append_beneath(target.root, path, more, limit=LARGEST_BYTES)
    return Flushed(outcome="flushed" if added else "nothing_new", path=path, lines=added)


def count_flush(
    tx: Transaction, session: Session, flush: Flushed, *, through_seq: int, at: int
) -> None:
    """Record on the session, and in an event, that it was flushed up to a message."""
    tx.execute(_DONE, (at, session.compaction_count, through_seq, session.id))
    note_change(tx, session, at)
    event = MemoryFlushed(scope=owner_of(session), at=at, path=flush.path or "", lines=flush.lines)
    record_event(tx, event)


def count_failure(tx: Transaction, session: Session, error: str, at: int) -> None:
    """Record that a flush failed."""
    tx.execute(_FAILED, (session.id,))
    failures = session.flush_failures + 1
    record_event(
        tx, MemoryFlushFailed(scope=owner_of(session), at=at, error=error, failures=failures)
    )


def _content_of(root: Path, path: str) -> bytes:
    try:
        return read_beneath(root, path, limit=LARGEST_BYTES)
    except (NotFound, Denied, InvalidInput):
        return b""


def _lines_with(content: bytes, keys: Collection[str]) -> list[bytes]:
    lines = content.split(b"\n") if keys else []
    return [line for line in lines if not note_keys(line).isdisjoint(keys)]


MOST_NOTES = 100
"""Of one flush; the heaviest. The rest is found by search, as all messages are."""

_BULLETS = re.compile(r"^(?:[-*+]\s+)+")
_SAID_BY = re.compile(r"(?:\s+\([^()]{0,80}\d\d:\d\d\))+$")
_MARKS = " .!。！;,"


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that must last.

    Attributes:
        text: One line.
        speaker: Who said it, where that is known.
        at_ms: When, ms UTC.
    """

    text: str
    speaker: str | None = None
    at_ms: int | None = None


class NoteTaker(Protocol):
    """Finds what must last in a conversation. Its input is data, never an instruction."""

    def notes(self, utterances: Iterable[Utterance]) -> Sequence[Note]:
        """Return the statements that must last, in the order in which they were said.

        Raises:
            RecollectError: it cannot be found now.
        """


class RuleNotes:
    """Takes what users said with words such as "remember", "never" or "we decided"."""

    def notes(self, utterances: Iterable[Utterance]) -> Sequence[Note]:
        """Return the `MOST_NOTES` statements that matter most, in their order."""
        candidates = enumerate(stated(utterances))
        best = heapq.nlargest(
            MOST_NOTES, candidates, key=lambda each: (weigh(each[1].text), each[0])
        )
        return [note for _, note in sorted(best, key=lambda each: each[0])]


class RuledNotes(list[Note]):
    """The notes of the rules where a model failed, and why it did."""

    def __init__(self, notes: Iterable[Note], failure: ModelFailure) -> None:
        super().__init__(notes)
        self.failure = failure


def stated(utterances: Iterable[Utterance]) -> Iterator[Note]:
    """Yield every statement of users that must last, as the rules see it."""
    from recollect.text.statements.detector import own_text

    for utterance in utterances:
        if utterance.role != "user" or utterance.text.startswith("/"):
            continue
        speaker = None if utterance.speaker == utterance.role else utterance.speaker
        for statement in statements(own_text(utterance.text)):
            if must_last(statement):
                yield Note(text=statement, speaker=speaker, at_ms=utterance.at_ms)


def note_keys(content: bytes) -> set[str]:
    """Return the keys of the lines of a file, see `note_key`."""
    return {note_key(line) for line in content.decode("utf-8-sig", "replace").splitlines()}


def note_key(line: str) -> str:
    """Return the key of a note, without its case, its speaker and its last full stop.

    A note may begin like a bullet or end like a speaker, and has the same key in its line.

    >>> note_key("- Never  deploy on Fridays. (ann, 12:00)")
    'never deploy on fridays'
    """
    words = _SAID_BY.sub("", _BULLETS.sub("", line.strip()))
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split()).strip(_MARKS)


def addition(
    content: bytes, notes: Iterable[Note], earlier: set[str], day: str, zone: tzinfo | None
) -> tuple[bytes, int]:
    """Return the bytes to append to a file of notes, and the number of notes in them.

    Args:
        content: The content of the file.
        notes: In their order.
        earlier: Keys of notes that are stored elsewhere already.
        day: The date of the file.
        zone: Of the user.
    """
    seen = earlier | note_keys(content)
    lines: list[bytes] = []
    for note in notes:
        key = note_key(note.text)
        if key and key not in seen:
            seen.add(key)
            lines.append(_line(note, day, zone).encode("utf-8", "replace"))
    if not lines:
        return b"", 0
    return _head(content, lines, day) + b"".join(line + b"\n" for line in lines), len(lines)


def _head(content: bytes, lines: list[bytes], day: str) -> bytes:
    """Return the bytes before the lines: a heading, or the end of an unfinished last line."""
    if not content:
        return f"# {day}\n\n".encode()
    tail = content.rpartition(b"\n")[2]
    for index, line in enumerate(lines):
        if tail and line.startswith(tail):
            return lines.pop(index)[len(tail) :] + b"\n"
    return b"\n" if tail else b""


def _line(note: Note, day: str, zone: tzinfo | None) -> str:
    words = " ".join(note.text.split())
    origin = []
    if note.speaker is not None:
        origin = [" ".join(note.speaker.replace("(", " ").replace(")", " ").split())]
    if note.at_ms is not None:
        local = to_datetime(note.at_ms).astimezone(zone)
        is_today = local.date().isoformat() == day
        origin.append(f"{local:%H:%M}" if is_today else f"{local:%Y-%m-%d %H:%M}")
    return f"- {words} ({', '.join(origin)})" if origin else f"- {words}"
