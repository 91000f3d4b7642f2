"""The questions set: a year of one person's chats, notes and agent work, written for the project.

The texts are in ``year/``, by half and language. A line ``= session TIME NAME`` begins a session
of lines ``>`` (the user) and ``<`` (the assistant), ``= file PATH`` a memory file,
``= observation TIME NAME`` an observation, ``= questions`` lines ``TIME | KIND | GOLD … | TEXT``.
Times are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import msgspec

from benchmarks.datasets.data import digest
from recollect.core.errors import InvalidInput

Half = Literal["seen", "unseen"]
HALVES: tuple[Half, ...] = get_args(Half)
ACROSS = "across"
"""The kind of a question in another language than its answer: listed, not counted in the whole."""

FOLDER = Path(__file__).parent / "year"
UNDATED = "2025-01-02 09:00"
"""When a memory file without a date in its name was written last."""
MINUTE_MS = 60_000
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ROLES = {">": "user", "<": "assistant"}


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """One message, memory file or observation.

    Attributes:
        key: Unique in the set: ``dentist.2``, the path of a file, the name of an observation.
        kind: What it is.
        session: The thread of a message.
        role: Of a message.
        text: What was said, written or seen.
        at: When, ms UTC.
    """

    key: str
    kind: Literal["message", "file", "observation"]
    session: str
    role: str
    text: str
    at: int


class YearQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question, asked at a moment, with the keys of what answers it; any of them is right."""

    key: str
    half: Half
    language: str
    kind: str
    text: str
    asked_at: int
    gold: tuple[str, ...]


class Year(msgspec.Struct, frozen=True, kw_only=True):
    """All that is remembered, by time, and the questions, by the moment they are asked at."""

    digest: str
    remembered: tuple[Remembered, ...]
    questions: tuple[YearQuestion, ...]


def load_year(folder: Path = FOLDER) -> Year:
    """Return the whole year: each half is asked with the texts of both beside each other.

    Raises:
        InvalidInput: a line is of no known form, a key comes twice, or a gold key does not exist.
    """
    paths = sorted(folder.glob("*.txt"))
    remembered: list[Remembered] = []
    questions: list[YearQuestion] = []
    for path in paths:
        for head, lines in _blocks(path):
            if head == ["questions"]:
                questions += _questions(path.stem, lines)
            else:
                remembered += _remembered(head, lines)
    _check(remembered, questions)
    return Year(
        digest=digest(*(path.read_bytes() for path in paths)),
        remembered=tuple(sorted(remembered, key=lambda each: each.at)),
        questions=tuple(sorted(questions, key=lambda each: each.asked_at)),
    )


def _blocks(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of each headline and the lines below it."""
    for block in ("\n" + path.read_text(encoding="utf-8")).split("\n= ")[1:]:
        head, _, body = block.partition("\n")
        yield head.split(), body.strip().splitlines()


def _remembered(head: list[str], lines: list[str]) -> Iterator[Remembered]:
    match head:
        case ["session", day, time, name]:
            begun = _ms(f"{day} {time}")
            for position, line in enumerate(lines):
                yield Remembered(
                    key=f"{name}.{position + 1}",
                    kind="message",
                    session=name,
                    role=_ROLES[line[0]],
                    text=line[2:],
                    at=begun + position * MINUTE_MS,
                )
        case ["file", path]:
            dated = _DATE.search(path)
            at = _ms(f"{dated[0]} 20:00" if dated else UNDATED)
            text = "\n".join([*lines, ""])
            yield Remembered(key=path, kind="file", session="", role="", text=text, at=at)
        case ["observation", day, time, name]:
            at, text = _ms(f"{day} {time}"), "\n".join(lines)
            yield Remembered(key=name, kind="observation", session="", role="", text=text, at=at)
        case _:
            raise InvalidInput(f"a block of the year begins with {' '.join(head)[:40]}")


def _questions(stem: str, lines: list[str]) -> Iterator[YearQuestion]:
    half, language = stem.split("_")
    for position, line in enumerate(lines):
        time, kind, gold, text = (part.strip() for part in line.split("|"))
        yield YearQuestion(
            key=f"{stem}.{position + 1}",
            half="unseen" if half == "unseen" else "seen",
            language=language,
            kind=kind,
            text=text,
            asked_at=_ms(time),
            gold=tuple(gold.split()),
        )


def _check(remembered: list[Remembered], questions: list[YearQuestion]) -> None:
    at = {each.key: each.at for each in remembered}
    if len(at) < len(remembered):
        raise InvalidInput("two texts of the year have the same key")
    for question in questions:
        if not all(key in at and at[key] <= question.asked_at for key in question.gold):
            raise InvalidInput(f"a gold key of question {question.key} is not known by then")


def _ms(time: str) -> int:
    return int(datetime.strptime(time, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp() * 1000)
