"""Contradictions: hits that deny each other, or give two values, name each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.answers.hit import found_hit, search_answer, search_output
from recollect.core.clock import DAY_MS
from recollect.memory import Memory
from tests.unit.recall.test_extraction import NO_MODEL

JANUARY = 1_767_225_600_000
"""1 January 2026."""
DID, DENIED = "I implemented Flask-Login for the app", "I have never used Flask-Login"
ASKED = "Have I ever used Flask-Login?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    with recollect.open(tmp_path / "home", overrides=NO_MODEL, live=False) as opened:
        yield opened


def say(memory: Memory, *texts: str, key: str | None = None) -> None:
    """Append messages of the user, a day apart, each in a session of its own."""
    for number, text in enumerate(texts):
        session = memory.sessions.create(key=key).id
        at = JANUARY + number * DAY_MS
        memory.sessions.append(session, "user", text, at=at)
    memory.sync()


def named(memory: Memory, query: str = ASKED) -> dict[str, tuple[str, ...]]:
    """Return what each hit names, by its text."""
    return {hit.snippet: hit.contradicts for hit in memory.search(query).hits}


def test_what_was_done_and_is_denied_names_the_denial(memory: Memory) -> None:
    """And the denial what was done; nothing is replaced."""
    say(memory, DID, DENIED, "The app has no Flask routes")
    assert named(memory) == {DID: ("m2",), DENIED: ("m1",), "The app has no Flask routes": ()}
    assert {hit.until for hit in memory.search(ASKED).hits} == {None}


def test_what_is_done_later_contradicts_nothing(memory: Memory) -> None:
    """But for what names an earlier time."""
    say(memory, DENIED, DID)
    assert set(named(memory).values()) == {()}
    say(memory, f"{DID} on 2 December 2025")
    assert named(memory)[DENIED] == ("m3",)


def test_only_the_first_hits_are_compared(memory: Memory) -> None:
    """Somebody who denies much in many messages makes no search slow."""
    text = f"{DENIED}. {DID} last week. " * 20
    session = memory.sessions.create().id
    memory.sessions.append_many(session, [("user", f"{text}{n}") for n in range(30)])
    memory.sync()
    hits = memory.search(ASKED, 30).hits
    assert [bool(hit.contradicts) for hit in hits] == [True] * 20 + [False] * 10


def test_in_one_session_the_order_does_not_count(memory: Memory) -> None:
    """Nobody does so much in it."""
    session = memory.sessions.create().id
    for text in (DENIED, DID):
        memory.sessions.append(session, "user", text)
    memory.sync()
    assert named(memory) == {DENIED: ("m2",), DID: ("m1",)}


def test_another_person_or_place_contradicts_nothing(memory: Memory) -> None:
    """Nor does the agent."""
    say(memory, DID, key="agent:main:telegram:acc:direct:42")
    say(memory, DENIED, key="agent:main:telegram:acc:direct:43")
    session = memory.sessions.create().id
    memory.sessions.append(session, "assistant", DID)
    memory.sync()
    assert set(named(memory).values()) == {()}


def test_two_values_of_a_slot_name_each_other(memory: Memory) -> None:
    """Where the newer one has no sign of change."""
    limit = "The API rate limit is {} requests per minute"
    say(memory, limit.format(100), limit.format(250))
    assert set(named(memory, "What is the API rate limit?").values()) == {("m1",), ("m2",)}


def test_each_surface_names_contradictions(memory: Memory) -> None:
    """HTTP, MCP, the command line and a block."""
    say(memory, DID, DENIED)
    result = memory.search(ASKED)
    lines = memory.lines(result)
    whole = [hit.contradicts for hit in result.hits]
    assert [found_hit(hit, None).contradicts for hit in result.hits] == whole
    http, mcp = search_answer(result, lines).results, search_output(memory, result, lines).results
    assert [each.contradicts for each in http] == whole
    assert [each.contradicts for each in mcp] == [[*names] for names in whole]
    block = memory.context(memory.sessions.create().id, ASKED).text
    assert "[m1 2026-01-01, contradicts m2] user: I implemented Flask-Login" in block
