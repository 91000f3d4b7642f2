"""LoCoMo: conversations of two people over months, and questions with evidence turns.

The protocol: one conversation is one memory; a message is what the speaker typed plus the caption
of the picture it came with; gold are the evidence ids after repair (split where several are in one
text, mended where a colon or a zero too many got in, dropped where no such turn exists), and
questions left without gold are not asked. Category 5 (adversarial) is scored, but never averaged
with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.datasets.data import data_file, decode, digest, read_plain
from recollect.core.clock import to_ms
from recollect.core.errors import InvalidInput

FILE = ("locomo", "locomo-dev.json")
AUDIT_FILE = ("locomo", "audit-dev.json")

GROUPS = {4: "single-hop", 2: "temporal", 1: "multi-hop", 3: "open-domain", 5: "adversarial"}
"""Category number to name, in the order of reports. Numbers are used differently elsewhere: the
counts of the ten conversations (282, 321, 96, 841, 446 for 1 to 5) settle them."""

ADVERSARIAL = GROUPS[5]

SECONDS_PER_TURN = 20
"""Distance of two turns of a sitting; the data dates only the sitting."""

Gold = Literal["original", "audited"]

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D\s*:?\s*0*(\d+)\s*:\s*0*(\d+)")


class _Turn(msgspec.Struct):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _Question(msgspec.Struct):
    question: str
    category: Literal[1, 2, 3, 4, 5]
    evidence: list[str] = []


class _Conversation(msgspec.Struct):
    sample_id: str
    conversation: dict[str, msgspec.Raw]
    qa: list[_Question]


class _Defect(msgspec.Struct):
    question: str
    category: int
    correct_evidence: list[str] = []


def load_locomo(folder: Path, *, gold: Gold = "original") -> DialogueSet:
    """Return the conversations of ``folder`` with their questions.

    Args:
        folder: The benchmark data folder.
        gold: ``audited`` replaces the evidence of questions whose citations were found wrong.

    Raises:
        NotFound: the folder has no LoCoMo file.
        InvalidInput: it is not in the published format.
    """
    raw = read_plain(data_file(folder, *FILE))
    audit = read_plain(data_file(folder, *AUDIT_FILE)) if gold == "audited" else b"[]"
    corrections = {
        (defect.question, defect.category): defect.correct_evidence
        for defect in decode(audit, list[_Defect], AUDIT_FILE[-1])
        if defect.correct_evidence
    }
    conversations: list[Conversation] = []
    questions: list[Question] = []
    for source in decode(raw, list[_Conversation], FILE[-1]):
        conversation = _conversation(source)
        conversations.append(conversation)
        questions += _questions(source, conversation, corrections)
    return DialogueSet(
        name="LoCoMo" if gold == "original" else "LoCoMo, audited gold",
        digest=digest(raw, audit),
        conversations=tuple(conversations),
        questions=tuple(questions),
    )


def repair_evidence(evidence: Iterable[str], existing: Iterable[str]) -> tuple[str, ...]:
    """Return the turn ids that ``evidence`` names, in order, each once, only ``existing`` ones.

    >>> repair_evidence(["D8:6; D9:17", "D:11:26", "D30:05", "D"], ["D8:6", "D11:26", "D30:5"])
    ('D8:6', 'D11:26', 'D30:5')
    """
    known = set(existing)
    named = (f"D{session}:{turn}" for text in evidence for session, turn in _EVIDENCE.findall(text))
    return tuple(dict.fromkeys(name for name in named if name in known))


def _conversation(source: _Conversation) -> Conversation:
    numbers = sorted(
        int(match[1]) for key in source.conversation if (match := _SESSION.fullmatch(key))
    )
    first = _text(source, "speaker_a")
    sessions = (_session(source, number, first) for number in numbers)
    return Conversation(
        key=source.sample_id, sessions=tuple(session for session in sessions if session.turns)
    )


def _session(source: _Conversation, number: int, first_speaker: str) -> DatedSession:
    start = _parse_date(_text(source, f"session_{number}_date_time"))
    turns = decode(bytes(source.conversation[f"session_{number}"]), list[_Turn], FILE[-1])
    return DatedSession(
        key=f"{source.sample_id}/D{number}",
        turns=tuple(
            Turn(
                key=f"{source.sample_id}/{turn.dia_id}",
                role="user" if turn.speaker == first_speaker else "assistant",
                name=turn.speaker,
                text=_spoken(turn),
                at=start + position * SECONDS_PER_TURN * 1000,
            )
            for position, turn in enumerate(turns)
        ),
    )


def _spoken(turn: _Turn) -> str:
    return f"{turn.text} [image: {turn.blip_caption}]" if turn.blip_caption else turn.text


def _questions(
    source: _Conversation,
    conversation: Conversation,
    corrections: Mapping[tuple[str, int], list[str]],
) -> Iterable[Question]:
    prefix = f"{source.sample_id}/"
    existing = [turn.key[len(prefix) :] for part in conversation.sessions for turn in part.turns]
    for position, asked in enumerate(source.qa):
        evidence = corrections.get((asked.question, asked.category), asked.evidence)
        gold = repair_evidence(evidence, existing)
        if gold:
            yield Question(
                key=f"{prefix}q{position}",
                cluster=source.sample_id,
                group=GROUPS[asked.category],
                text=asked.question,
                gold=tuple(prefix + name for name in gold),
            )


def _text(source: _Conversation, key: str) -> str:
    if key not in source.conversation:
        raise InvalidInput(
            f"{FILE[-1]} has a conversation without {key}", hint="fetch the benchmark data again"
        )
    return decode(bytes(source.conversation[key]), str, FILE[-1])


def _parse_date(text: str) -> int:
    try:
        return to_ms(datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC))
    except ValueError as error:
        raise InvalidInput(
            f"{FILE[-1]} has a session date in another form", hint="fetch the benchmark data again"
        ) from error
