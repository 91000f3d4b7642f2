"""What programs are given: shown on a line, copied, pickled, compared, written as JSON."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.memory import Memory

LEXICAL: dict[str, object] = {"embedding.provider": "none"}
SAID = "The launch moved to 14 May because the lamps came late. " * 20


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory for words only."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL, live=False) as opened:
        yield opened


def _values(memory: Memory) -> list[Any]:
    session = memory.sessions.create("telegram:42", title=SAID[:500])
    message = memory.sessions.append(session.id, "user", SAID, metadata={"a": 1})
    observation = memory.observations.record(session.id, summary=SAID, input={"q": SAID})
    found = memory.search("launch lamps")
    assert found.hits
    view, block = memory.sessions.view(session.id), memory.context(session.id)
    return [session, message, observation, found, found.hits[0], view, block, memory.scope]


def test_a_value_is_shown_on_a_short_line_that_does_not_say_all(memory: Memory) -> None:
    """A log or a notebook: a message of 1,100 characters was 2,600 of them, twice its text."""
    for value in _values(memory):
        assert len(repr(value)) < 900, repr(value)
        assert SAID[:60] not in repr(value)
        assert repr(value).startswith(f"{type(value).__name__}(")
        assert "\n" not in repr(value)
    assert f"Memory({str(memory.home)!r})" == repr(memory)
    assert len(repr(memory.files)) < 300


def test_a_value_is_copied_pickled_compared_and_written(memory: Memory) -> None:
    """Queues, caches and other processes."""
    for value in _values(memory):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own
        assert copy.deepcopy(value) == value
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value


def test_the_public_names_complete_and_no_others() -> None:
    """They were there only once they had been asked for, beside the names of our rooms."""
    script = "import recollect; print([n for n in dir(recollect) if n[0] != '_'])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(sorted(recollect.__all__))


PROGRAM = """
import asyncio
import recollect
from recollect import AsyncMemory, Hit, Memory, Message, RecollectError, Scope
from recollect import SearchResult, Session


def use(memory: Memory) -> str | None:
    session: Session = memory.sessions.open("telegram:42")
    message: Message = memory.sessions.append(session.id, "user", "Tea.", name="Mira")
    result: SearchResult = memory.search("tea", limit=3, since="last week", scope=Scope())
    hits: list[Hit] = result.hits
    with memory.sessions.hold(session.id) as held:
        held.append("user", message.text)
    return hits[0].session_id if hits else None


async def wait(memory: AsyncMemory) -> float:
    session = await memory.sessions.open("telegram:42")
    await memory.sessions.append(session.id, "user", "Tea.")
    async for event in memory.events.since(0):
        print(event.seq)
    async with memory.sessions.hold(session.id) as held:
        await held.append("user", "More tea.")
    return (await memory.search("tea")).confidence


async def main() -> None:
    async with recollect.open_async("home") as memory:
        print(await wait(memory))


try:
    with recollect.open("home", overrides={"embedding.provider": "none"}) as opened:
        print(use(opened))
except RecollectError as error:
    print(error.code, error.hint)
asyncio.run(main())
"""
WRONG = {
    "memory.sessions.append(5, 'user', 'x')": "arg-type",
    "memory.serach('tea')": "attr-defined",
    "memory.search('tea', limit='3')": "arg-type",
}


@pytest.mark.slow
def test_a_program_with_types_is_checked_by_mypy(tmp_path: Path) -> None:
    """Strictly; a wrong call is found."""
    sound, wrong = tmp_path / "sound.py", tmp_path / "wrong.py"
    sound.write_text(PROGRAM, encoding="utf-8")
    lines = [f"    {line}" for line in WRONG]
    head = ["from recollect import Memory", "def use(memory: Memory) -> None:"]
    wrong.write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    shown = _printed("-m", "mypy", "--strict", "--no-incremental", "--config-file=", sound, wrong)
    found = [line for line in shown.splitlines() if ": error: " in line]
    assert [line.rpartition("[")[2][:-1] for line in found] == list(WRONG.values()), shown


def _printed(*arguments: object) -> str:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
