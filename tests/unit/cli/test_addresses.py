"""How people name a session, a message or lines of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.cli.addresses import LineRange, find_message, lines_of, short
from recollect.core.errors import Conflict, NotFound
from recollect.memory import Memory


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """An empty memory."""
    with recollect.open(home) as opened:
        yield opened


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("MEMORY.md", LineRange(path="MEMORY.md")),
        ("memory/a b.md:12", LineRange(path="memory/a b.md", first=12)),
        ("memory/a.md:12-18", LineRange(path="memory/a.md", first=12, last=18)),
        ("memory/a:b.md", LineRange(path="memory/a:b.md")),
        ("0198a1f9:4", None),
        ("m88", None),
        (" message #88", None),
        ("notes/m88.md", LineRange(path="notes/m88.md")),
        ("agent:main:tg:acc:direct:42:7", None),
        ("0198a1f9-0000-7000-8000-000000000000", None),
    ],
)
def test_files_and_messages_are_told_apart(address: str, lines: LineRange | None) -> None:
    """By their form."""
    assert lines_of(address) == lines


def test_a_session_answers_to_its_id_elsewhere(memory: Memory, tmp_path: Path) -> None:
    """Claude Code's ids look like ours."""
    foreign = "0198a1f9-0000-7000-8000-000000000000"
    line = f'{{"role": "user", "content": "hi", "session": "{foreign}"}}\n'
    path = tmp_path / "x.jsonl"
    path.write_text(line, encoding="utf-8")

    memory.import_transcripts(path, "jsonl")
    found = memory.sessions.list()[0]
    names = {found.title, found.foreign_id, found.key} - {None}
    assert any(foreign in str(name) for name in names)
    assert all(memory.sessions.find(str(name)) == found for name in names)
    assert find_message(memory.sessions, f"{found.foreign_id}:1").text == "hi"


def test_a_message_of_several_sessions_is_refused(memory: Memory) -> None:
    """The hint holds their ids."""
    ids = [memory.sessions.create(title="Tea").id for _ in range(2)]
    with pytest.raises(Conflict) as caught:
        find_message(memory.sessions, "Tea:1")
    assert all(each in caught.value.hint for each in ids)


def test_a_message_is_found_by_its_place(memory: Memory) -> None:
    """Session and seq."""
    made = memory.sessions.create(title="Tea")
    message = memory.sessions.append(made.id, "user", "hello")
    assert find_message(memory.sessions, f"{short(made.id)}:1").id == message.id
    with pytest.raises(NotFound) as caught:
        find_message(memory.sessions, "Tea:2")
    assert "it has 1" in caught.value.hint
