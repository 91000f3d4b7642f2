"""Messages with the facts that are in them, pairs of changes, and questions by kind.

The sets are described in ``tests/fixtures/knowledge/README.md``. Of the unseen ones only totals may
be shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.datasets.beam import Tier
from benchmarks.datasets.data import data_file, decode, read_plain
from benchmarks.datasets.locomo import FILE

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "knowledge"
TIERS: tuple[Tier, ...] = ("100K", "500K")


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """A fact: a span of its message, and its kind."""

    start: int
    end: int
    kind: str


class LabelledMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message and its facts."""

    id: str
    language: str
    role: str
    text: str
    facts: tuple[Labelled, ...]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Two messages that give a slot one value after the other."""

    id: str
    language: str
    first: str
    second: str
    old: str
    new: str


class LabelledQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question and its kind: ``state``, ``past`` or ``event``."""

    id: str
    language: str
    text: str
    kind: str


class _Fact(msgspec.Struct):
    quote: str
    kind: str


class _Message(msgspec.Struct):
    language: str
    role: str
    text: str
    facts: list[_Fact]
    id: str = ""


class _Reference(msgspec.Struct):
    set: Literal["locomo", "beam"]
    conversation: str
    turn: object
    facts: list[Labelled]


class _Conversation(msgspec.Struct):
    sample_id: str
    conversation: dict[str, object]


class _Content(msgspec.Struct):
    id: int
    role: str
    content: str


class _Chat(msgspec.Struct):
    messages: list[_Content]


def load_labelled(name: str) -> list[LabelledMessage]:
    """Return the messages of a set: ``seen``, ``opened`` or ``unseen``.

    Raises:
        InvalidInput: the file is not in the expected format.
    """
    path = FOLDER / f"messages_{name}.json.gz"
    return [_labelled(each) for each in decode(read_plain(path), list[_Message], path.name)]


def load_training() -> list[LabelledMessage]:
    """Return the sentences to learn from, whose facts stand in brackets after a letter."""
    return [
        _bracketed(path.stem, number, line)
        for path in sorted((FOLDER / "training").glob("*.txt"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def load_changes() -> list[Change]:
    """Return the seen pairs of changes.

    Raises:
        InvalidInput: the file is not in the expected format.
    """
    path = FOLDER / "changes_seen.json.gz"
    return decode(read_plain(path), list[Change], path.name)


def load_question_kinds(name: str) -> list[LabelledQuestion]:
    """Return the questions of a set: ``seen``, ``opened``, ``patterns`` … (`README.md` has all).

    Raises:
        InvalidInput: the file is not in the expected format.
    """
    path = FOLDER / f"question_kinds_{name}.json.gz"
    return decode(read_plain(path), list[LabelledQuestion], path.name)


def load_real(folder: Path, name: str) -> list[LabelledMessage]:
    """Return the real messages of a set, whose texts are in a folder of benchmark data.

    Raises:
        NotFound: the folder lacks one of the data sets.
        InvalidInput: a file is not in the expected format.
    """
    path = FOLDER / f"real_{name}.json"
    texts = {**dict(_locomo(folder)), **dict(_beam(folder))}
    return [
        LabelledMessage(
            id=f"{each.conversation} {each.turn}",
            language="en",
            role=role,
            text=text,
            facts=tuple(each.facts),
        )
        for each in decode(read_plain(path), list[_Reference], path.name)
        for role, text in [texts[each.set, each.conversation, str(each.turn)]]
    ]


def beam_messages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the role and the text of every message of the BEAM chats."""
    return (said for _, said in _beam(folder))


def _labelled(message: _Message) -> LabelledMessage:
    spans = []
    for fact in message.facts:
        start = message.text.index(fact.quote)
        spans.append(Labelled(start=start, end=start + len(fact.quote), kind=fact.kind))
    return LabelledMessage(
        id=message.id,
        language=message.language,
        role=message.role,
        text=message.text,
        facts=tuple(spans),
    )


_KIND_LETTERS = {
    "r": "rule", "d": "decision", "p": "preference", "P": "personal", "w": "work", "h": "habit",
    "l": "relationship", "t": "technical", "s": "schedule", "o": "open_end",
}  # fmt: skip
_BRACKETED = re.compile(r"\[([rdpPwhltso]):([^\]]*)\]")
_OF_ASSISTANT = "A|"


def _bracketed(language: str, number: int, line: str) -> LabelledMessage:
    """Return the message of a line of training sentences."""
    role = "assistant" if line.startswith(_OF_ASSISTANT) else "user"
    text, kind, facts = "", "", []
    for at, piece in enumerate(_BRACKETED.split(line.removeprefix(_OF_ASSISTANT))):
        if at % 3 == 1:
            kind = _KIND_LETTERS[piece]
        elif at % 3 == 2:
            facts.append(Labelled(start=len(text), end=len(text) + len(piece), kind=kind))
        if at % 3 != 1:
            text += piece
    return LabelledMessage(
        id=f"{language} {number}", language=language, role=role, text=text, facts=tuple(facts)
    )


_Key = tuple[str, str, str]


def _locomo(folder: Path) -> Iterator[tuple[_Key, tuple[str, str]]]:
    raw = read_plain(data_file(folder, *FILE))
    for source in decode(raw, list[_Conversation], FILE[-1]):
        for turns in source.conversation.values():
            for turn in turns if isinstance(turns, list) else ():
                yield ("locomo", source.sample_id, turn["dia_id"]), ("user", turn["text"])


def _beam(folder: Path) -> Iterator[tuple[_Key, tuple[str, str]]]:
    for tier in TIERS:
        for path in sorted((folder / "beam" / tier).glob("*.json.gz")):
            chat = f"{tier}/{path.name.removesuffix('.json.gz')}"
            for message in decode(read_plain(path), _Chat, path.name).messages:
                yield ("beam", chat, str(message.id)), (message.role, message.content)
