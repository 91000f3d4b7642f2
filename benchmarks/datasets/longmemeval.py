"""LongMemEval: one record of the S split, for the format and for latency, not for a quality claim.

Session ids of this data set give the answer away (``answer_…``) and turns carry ``has_answer``:
ids are replaced by numbers and flags only become gold. Sessions are sorted by their dates, which
the file does not do.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.datasets.data import data_file, decode, digest, read_plain
from recollect.core.clock import to_ms
from recollect.core.errors import InvalidInput

FILE = ("longmemeval", "one_question_full_haystack.json.gz")
KEY = "haystack"

SECONDS_PER_TURN = 20
"""Distance of two turns; the data dates only the session."""


class _Turn(msgspec.Struct):
    role: str
    content: str
    has_answer: bool = False


class _Record(msgspec.Struct):
    question: str
    question_type: str
    haystack_dates: list[str]
    haystack_sessions: list[list[_Turn]]


def load_longmemeval(folder: Path) -> DialogueSet:
    """Return the record of ``folder`` as one conversation with one question.

    Raises:
        NotFound: the folder has no such record.
        InvalidInput: it is not in the published format.
    """
    raw = read_plain(data_file(folder, *FILE))
    record = _record(raw)
    if len(record.haystack_dates) != len(record.haystack_sessions):
        raise InvalidInput(
            f"{FILE[-1]} has sessions without dates", hint="fetch the benchmark data again"
        )
    dated = sorted(
        (_parse_date(date), position) for position, date in enumerate(record.haystack_dates)
    )
    ordered = [(at, record.haystack_sessions[position]) for at, position in dated]
    gold = tuple(
        f"{KEY}/{number}/{position}"
        for number, (_, turns) in enumerate(ordered)
        for position, turn in enumerate(turns)
        if turn.has_answer
    )
    asked = Question(
        key="q0", cluster=KEY, group=record.question_type, text=record.question, gold=gold
    )
    sessions = (_session(number, at, turns) for number, (at, turns) in enumerate(ordered))
    return DialogueSet(
        name="LongMemEval, one record",
        digest=digest(raw),
        conversations=(Conversation(key=KEY, sessions=tuple(sessions)),),
        questions=(asked,) if gold else (),
    )


def _record(raw: bytes) -> _Record:
    if raw.lstrip().startswith(b"["):
        records = decode(raw, list[_Record], FILE[-1])
        if not records:
            raise InvalidInput(f"{FILE[-1]} is empty", hint="fetch the benchmark data again")
        return records[0]
    return decode(raw, _Record, FILE[-1])


def _session(number: int, at: int, turns: list[_Turn]) -> DatedSession:
    return DatedSession(
        key=f"{KEY}/{number}",
        turns=tuple(
            Turn(
                key=f"{KEY}/{number}/{position}",
                role=turn.role,
                name=None,
                text=turn.content,
                at=at + position * SECONDS_PER_TURN * 1000,
            )
            for position, turn in enumerate(turns)
        ),
    )


def _parse_date(text: str) -> int:
    try:
        return to_ms(datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC))
    except ValueError as error:
        raise InvalidInput(
            f"{FILE[-1]} has a date in another form", hint="fetch the benchmark data again"
        ) from error
