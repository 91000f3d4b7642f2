"""BEAM: one long chat of a user with an assistant, and probing questions of ten types.

The pool of a question is every message of its chat. A batch of the chat is one session; its date
is the last time anchor seen. Gold are the evidence ids, flattened where they come in parts;
abstention questions and questions without ids are not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.datasets.data import data_file, decode, digest, read_plain
from recollect.core.clock import to_ms
from recollect.core.errors import InvalidInput, NotFound

Tier = Literal["100K", "500K"]

ABSTENTION = "abstention"
WISHES = ("instruction_following", "preference_following")
"""The types behind which is what the user once asked for or prefers."""
INFORMATION_SEEKING = (
    "information_extraction",
    "knowledge_update",
    "temporal_reasoning",
    "contradiction_resolution",
    "multi_session_reasoning",
)
"""The types that a search can answer; the others want a profile, a timeline or a summary."""

SECONDS_PER_MESSAGE = 30
"""Distance of two messages of a batch; the data dates only its beginning."""

_UNDATED = to_ms(datetime(2024, 1, 1, tzinfo=UTC))
"""Date of messages before the first time anchor of a chat."""


class _Message(msgspec.Struct):
    id: int
    batch: int
    role: str
    content: str
    time_anchor: str | None = None


class _Probe(msgspec.Struct):
    question: str
    source_chat_ids: list[object] | dict[str, object] | None = None
    instruction_being_tested: str = ""
    preference_being_tested: str = ""


class _Chat(msgspec.Struct):
    messages: list[_Message]
    probing_questions: dict[str, list[_Probe]]


def load_beam(folder: Path, tier: Tier = "100K") -> DialogueSet:
    """Return the chats of a tier that ``folder`` holds, by number.

    Raises:
        NotFound: the folder has no chat of this tier.
        InvalidInput: a chat is not in the expected format.
    """
    paths = sorted((folder / "beam" / tier).glob("*.json.gz"))
    if not paths:
        data_file(folder, "beam", tier, "01.json.gz")
        raise NotFound(f"the benchmark data has no BEAM chats of {tier}", hint="use --tier 100K")
    raws = [read_plain(path) for path in paths]
    conversations: list[Conversation] = []
    questions: list[Question] = []
    for path, raw in zip(paths, raws, strict=True):
        chat = decode(raw, _Chat, path.name)
        key = f"{tier}-{path.name.removesuffix('.json.gz')}"
        conversations.append(_conversation(chat, key))
        questions += _questions(chat, key)
    return DialogueSet(
        name=f"BEAM {tier}",
        digest=digest(*raws),
        conversations=tuple(conversations),
        questions=tuple(questions),
    )


def load_abstentions(folder: Path, tier: Tier = "100K") -> dict[str, list[str]]:
    """Return the questions whose answers the chats of a tier lack, by the key of the chat.

    Raises:
        InvalidInput: a chat is not in the expected format.
    """
    return {
        key: [each.question for each in chat.probing_questions.get(ABSTENTION, [])]
        for key, chat in _chats(folder, tier)
    }


def load_wishes(folder: Path, tier: Tier = "100K") -> dict[str, str]:
    """Return the instruction or preference behind each question of `WISHES`, by its key.

    Raises:
        InvalidInput: a chat is not in the expected format.
    """
    return {
        f"{key}/{group}-{position}": each.instruction_being_tested or each.preference_being_tested
        for key, chat in _chats(folder, tier)
        for group in WISHES
        for position, each in enumerate(chat.probing_questions.get(group, []))
    }


def _chats(folder: Path, tier: Tier) -> Iterator[tuple[str, _Chat]]:
    for path in sorted((folder / "beam" / tier).glob("*.json.gz")):
        key = f"{tier}-{path.name.removesuffix('.json.gz')}"
        yield key, decode(read_plain(path), _Chat, path.name)


def flatten_ids(ids: object) -> Iterator[int]:
    """Yield the message ids in lists of any depth, in order.

    >>> list(flatten_ids({"first": [58], "second": [24, [25]]}))
    [58, 24, 25]
    """
    if isinstance(ids, dict):
        ids = list(ids.values())
    if isinstance(ids, list):
        for part in ids:
            yield from flatten_ids(part)
    elif isinstance(ids, int):
        yield ids


def _conversation(chat: _Chat, key: str) -> Conversation:
    dated = _with_dates(chat.messages)
    sessions = tuple(
        DatedSession(key=f"{key}/batch-{batch}", turns=tuple(_turns(key, part)))
        for batch, part in groupby(dated, key=lambda item: item[0].batch)
    )
    return Conversation(key=key, sessions=sessions)


def _turns(key: str, part: Iterable[tuple[_Message, int]]) -> Iterator[Turn]:
    for message, at in part:
        yield Turn(
            key=f"{key}/{message.id}", role=message.role, name=None, text=message.content, at=at
        )


def _with_dates(messages: Iterable[_Message]) -> Iterator[tuple[_Message, int]]:
    at = _UNDATED
    for message in messages:
        at += SECONDS_PER_MESSAGE * 1000
        if message.time_anchor:
            at = max(at, _parse_anchor(message.time_anchor))
        yield message, at


def _parse_anchor(text: str) -> int:
    try:
        return to_ms(datetime.strptime(text, "%B-%d-%Y").replace(tzinfo=UTC))
    except ValueError as error:
        raise InvalidInput(
            "a BEAM chat has a time anchor in another form", hint="fetch the benchmark data again"
        ) from error


def _questions(chat: _Chat, key: str) -> Iterator[Question]:
    existing = {message.id for message in chat.messages}
    for group, probes in chat.probing_questions.items():
        if group == ABSTENTION:
            continue
        for position, probe in enumerate(probes):
            gold = dict.fromkeys(i for i in flatten_ids(probe.source_chat_ids) if i in existing)
            if gold:
                yield Question(
                    key=f"{key}/{group}-{position}",
                    cluster=key,
                    group=group,
                    text=probe.question,
                    gold=tuple(f"{key}/{message_id}" for message_id in gold),
                )
