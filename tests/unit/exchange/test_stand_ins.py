"""Stand-ins beside strange lines and strange messages: a transcript is read on, a hook is taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.sessions.record.message import StandIn

SESSION = "11111111-1111-4111-8111-111111111111"


def line(number: int, role: str, text: str, **more: Any) -> str:
    """Return a line of a transcript of Claude Code."""
    said = {"role": role, "content": text}
    at = f"2026-01-01T00:00:0{number}.000Z"
    record = {"type": role, "uuid": f"u{number}", "sessionId": SESSION, "timestamp": at}
    return json.dumps(record | {"cwd": "/srv/tea", "version": "2.1.1", "message": said} | more)


@pytest.mark.parametrize(
    "metadata", [None, {"stand_in": "words"}, {"stand_in": []}], ids=["none", "words", "list"]
)
def test_a_message_that_only_has_the_event_id_of_a_stand_in_is_none(
    tmp_path: Path, metadata: dict[str, Any] | None
) -> None:
    """Anybody who may write there can choose an event id; the transcript must be read on."""
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_text(line(1, "user", "Which tea?") + "\n", "utf-8")
    with recollect.open(tmp_path / "home") as memory:
        memory.import_transcripts(file)
        (session,) = memory.sessions.list()
        memory.sessions.append(
            session.id, "assistant", "Mine.", event_id="hook:x", metadata=metadata
        )
        with file.open("a", encoding="utf-8") as growing:
            growing.write(line(2, "assistant", "Oolong.") + "\n")
        memory.import_transcripts(file)
        told = [each.text for each in memory.sessions.messages(session.id)]
    assert told == ["Which tea?", "Mine.", "Oolong."]


@pytest.mark.parametrize("turn", [5, True, ["p1"], {"p": 1}, None])
def test_a_turn_that_is_named_by_no_text_does_not_stop_a_hook(tmp_path: Path, turn: object) -> None:
    """The hook would be refused, spooled, and keep every later one in the spool."""
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_text(line(1, "user", "Which tea?", promptId=turn) + "\n", "utf-8")
    with recollect.open(tmp_path / "home") as memory:
        memory.import_transcripts(file)
        (session,) = memory.sessions.list()
        of = StandIn(prompt="p1", role="answer")
        assert memory.sessions.stand_in(session.id, of, "Oolong.") is not None
