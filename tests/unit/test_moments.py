"""A moment given in seconds is refused wherever one enters: taken as milliseconds it is in 1970."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.clock import check_time
from recollect.core.errors import InvalidInput
from recollect.memory import Memory

SECONDS = 1_770_681_600
MOMENT = datetime(2026, 2, 10, tzinfo=UTC)

Call = Callable[[Memory, str, Any], object]
WAYS: dict[str, Call] = {
    "append": lambda m, s, at: m.sessions.append(s, "user", "tea", at=at),
    "append_many": lambda m, s, at: m.sessions.append_many(
        s, [{"role": "user", "content": "tea", "at": at}]
    ),
    "create": lambda m, _, at: m.sessions.create(at=at),
    "hooked": lambda m, _, at: m.sessions.hooked("telegram:42", at=at),
    "stream": lambda m, s, at: m.sessions.stream(s, at=at),
    "history": lambda m, _, at: m.sessions.history.add("telegram:group:-1", "Ann", "tea", at=at),
    "list since": lambda m, _, at: m.sessions.list(since=at),
    "list until": lambda m, _, at: m.sessions.list(until=at),
    "search since": lambda m, _, at: m.search("tea", since=at),
    "search until": lambda m, _, at: m.search("tea", until=at),
    "context since": lambda m, s, at: m.context(s, since=at),
    "record": lambda m, s, at: m.observations.record(s, summary="tea", at=at),
    "observations since": lambda m, _, at: m.observations.list(since=at),
    "observations until": lambda m, _, at: m.observations.list(until=at),
    "timeline": lambda m, _, at: m.observations.timeline(at),
    "export since": lambda m, _, at: m.export(since=at),
}


@pytest.mark.parametrize("way", WAYS)
def test_seconds_are_refused_wherever_a_moment_enters(tmp_path: Path, way: str) -> None:
    """What was stored with them came from 1970 and was never found again by its time."""
    with recollect.open(tmp_path, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create().id
        with pytest.raises(InvalidInput, match="must be in milliseconds") as caught:
            WAYS[way](memory, session, SECONDS)
        assert caught.value.hint == "multiply by 1000, or give a datetime"
        WAYS[way](memory, session, SECONDS * 1000)
        WAYS[way](memory, session, MOMENT)


@pytest.mark.parametrize("ms", [0, 99_999_999, 100_000_000_000, SECONDS * 1000])
def test_what_no_clock_of_today_shows_as_seconds_stays_milliseconds(ms: int) -> None:
    """From 10^8 to 10^11, as seconds, a number is a moment from 1973 to 5138."""
    assert check_time(ms) == ms


@pytest.mark.parametrize("number", [100_000_000, SECONDS, 99_999_999_999])
def test_a_datetime_may_mean_the_early_seventies(number: int) -> None:
    """The number alone may not."""
    with pytest.raises(InvalidInput):
        check_time(number)
    assert check_time(datetime.fromtimestamp(number / 1000, UTC)) == number


def test_an_imported_line_may_be_of_the_early_seventies(tmp_path: Path) -> None:
    """Its time is written out, and foreign numbers are read by their size."""
    chat = tmp_path / "chat.jsonl"
    lines = [
        {"role": "user", "content": "Is the VAX up?", "timestamp": "1972-05-01T10:00:00Z"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls"}],
         "timestamp": "1972-05-01T10:00:01Z"},
        {"role": "user", "content": "And now?", "timestamp": SECONDS},
    ]  # fmt: skip
    chat.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    home = tmp_path / "home"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        memory.import_transcripts(chat, "jsonl")
        (session,) = memory.sessions.list()
        first, _, last = memory.sessions.messages(session.id)
    assert first.created_at == check_time(datetime(1972, 5, 1, 10, tzinfo=UTC))
    assert last.created_at == check_time(MOMENT)
