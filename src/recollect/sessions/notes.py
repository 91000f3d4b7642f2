"""Notes: what a conversation says that must last, as lines of a Markdown file of one day.

A note is one bullet, whatever was said: its text is data. The same statement is written once, also
when it was said twice or stands in the file already. Knows no storage.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import Protocol

import msgspec

from recollect.core.clock import to_datetime
from recollect.text.statements import must_last, statements, weigh
from recollect.text.turns import Utterance

FOLDER = "memory"
"""Where the notes of a workspace are."""
MOST_NOTES = 100
"""Of one flush; the heaviest. The rest is found by search, as all messages are."""

_BULLET = re.compile(r"^[-*+]\s+")
_SAID_BY = re.compile(r"\s+\([^()]{0,80}\d\d:\d\d\)$")
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
    """Finds in a conversation what must last. What it reads is data, no instruction."""

    def notes(self, utterances: Iterable[Utterance]) -> Sequence[Note]:
        """Return what must last, in the order in which it was said.

        Raises:
            RecollectError: it cannot be told now.
        """


class RuleNotes:
    """Takes what users said with words such as "remember", "never" or "we decided"."""

    def notes(self, utterances: Iterable[Utterance]) -> Sequence[Note]:
        """Return the `MOST_NOTES` statements that matter most, in their order."""
        found = enumerate(stated(utterances))
        best = heapq.nlargest(MOST_NOTES, found, key=lambda each: (weigh(each[1].text), each[0]))
        return [note for _, note in sorted(best, key=lambda each: each[0])]


def stated(utterances: Iterable[Utterance]) -> Iterator[Note]:
    """Yield every statement of users that must last, as the rules see it."""
    for utterance in utterances:
        if utterance.role != "user" or utterance.text.startswith("/"):
            continue
        speaker = None if utterance.speaker == utterance.role else utterance.speaker
        for said in statements(utterance.text):
            if must_last(said):
                yield Note(text=said, speaker=speaker, at_ms=utterance.at_ms)


def note_path(day: str) -> str:
    """Return the file of the notes of a day, relative to the workspace.

    >>> note_path("2026-02-10")
    'memory/2026-02-10.md'
    """
    return f"{FOLDER}/{day}.md"


def note_keys(content: bytes) -> set[str]:
    """Return by what the lines of a file are told apart."""
    return {note_key(line) for line in content.decode("utf-8-sig", "replace").splitlines()}


def note_key(line: str) -> str:
    """Return by what a note is told apart: not by its case, its speaker or its last full stop.

    >>> note_key("- Never  deploy on Fridays. (ann, 12:00)")
    'never deploy on fridays'
    """
    said = _SAID_BY.sub("", _BULLET.sub("", line.strip()))
    return " ".join(unicodedata.normalize("NFKC", said).casefold().split()).strip(_MARKS)


def addition(
    content: bytes, notes: Iterable[Note], known: set[str], day: str, zone: tzinfo | None
) -> tuple[bytes, int]:
    """Return what to append to a file of notes, and how many notes that is.

    Args:
        content: What is in the file.
        notes: In their order.
        known: Keys of notes that stand elsewhere already.
        day: The date of the file.
        zone: Of the user.
    """
    seen = known | note_keys(content)
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
    """Return what comes ahead of the lines; a torn last line is finished, if it is one of them."""
    if not content:
        return f"# {day}\n\n".encode()
    tail = content.rpartition(b"\n")[2]
    for place, line in enumerate(lines):
        if tail and line.startswith(tail):
            return lines.pop(place)[len(tail) :] + b"\n"
    return b"\n" if tail else b""


def _line(note: Note, day: str, zone: tzinfo | None) -> str:
    said = " ".join(note.text.split())
    told = [] if note.speaker is None else [note.speaker.replace("(", " ").replace(")", " ")]
    if note.at_ms is not None:
        local = to_datetime(note.at_ms).astimezone(zone)
        is_today = local.date().isoformat() == day
        told.append(f"{local:%H:%M}" if is_today else f"{local:%Y-%m-%d %H:%M}")
    return f"- {said} ({', '.join(told)})" if told else f"- {said}"
