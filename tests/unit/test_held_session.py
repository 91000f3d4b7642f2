"""The handle of a held session can do all that can be done with a session, without its id."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict
from recollect.memory import Memory

LEXICAL: dict[str, object] = {"embedding.provider": "none"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory for words only."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL, live=False) as opened:
        yield opened


def test_a_held_session_has_every_call_that_takes_a_session(memory: Memory) -> None:
    """A new one must be written there."""
    taken = {
        name
        for name in dir(memory.sessions)
        if not name.startswith("_") and callable(call := getattr(memory.sessions, name))
        if (id_ := inspect.signature(call).parameters.get("session_id")) is not None
        if id_.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    }
    with memory.sessions.hold(memory.sessions.create().id) as held:
        assert {"append", "messages", "view", "compact", "fork", "flush", "rename"} <= taken
        assert taken <= set(dir(held))
        assert {"observations", "context", "search", "read"} <= set(dir(held))
        assert not {"backup", "close", "create", "start", "sessions", "memory"} & set(dir(held))
        for name in taken - {"lease"}:
            names = inspect.signature(getattr(held, name)).parameters
            assert "session_id" not in names, name


def test_what_is_done_by_the_handle_is_done_with_the_session(memory: Memory) -> None:
    """Everything, and with its lease."""
    session = memory.sessions.create("telegram:42", title="Tea")
    other = memory.sessions.create("telegram:43")
    memory.sessions.append(other.id, "user", "Their green tea.")
    with memory.sessions.hold(session.id) as held:
        held.append("user", "Green tea keeps.")
        held.append_many([{"role": "assistant", "content": "For a year."}])
        assert [message.seq for message in held.messages()] == [1, 2]
        assert held.view(budget_tokens=500).as_openai()[0]["content"] == "Green tea keeps."
        assert held.compact().outcome == "nothing_to_replace"
        assert held.fork(title="what if").parent_id == session.id
        assert held.rename("Green tea").title == held.get().title == "Green tea"
        recorded = held.observations.record(summary="made tea")
        assert recorded is not None
        assert recorded.session_id == session.id
        assert held.context().tokens >= 0
        fact = held.facts.remember(None, "Matcha is kept cold").fact
        assert (fact.session_id, fact.user) == (session.id, "telegram:42")
        memory.facts.remember("telegram:43", "Oolong is kept cold")
        assert [each.text for each in held.facts.list()] == ["Matcha is kept cold"]
        assert [each.fact.id for each in held.facts.search(None, "kept cold")] == [fact.id]
        assert len(held.recall(None, "kept cold").facts) == 1
        heard = {hit.session_id for hit in held.search("green tea", sources=["sessions"]).hits}
        assert heard == {session.id}
        everything = memory.search("green tea", sources=["sessions"]).hits
        assert {hit.session_id for hit in everything} > heard
        with pytest.raises(Conflict):
            memory.sessions.rename(session.id, "not ours")
        with pytest.raises(AttributeError, match="no attribute 'backup'"):
            held.backup("x")  # type: ignore[attr-defined]
    with pytest.raises(Conflict, match="released"):
        held.append("user", "too late")


def test_the_asynchronous_handle_can_do_the_same(tmp_path: Path) -> None:
    """Awaited."""

    async def use() -> None:
        async with recollect.open_async(tmp_path, overrides=LEXICAL) as memory:
            session = await memory.sessions.create()
            async with memory.sessions.hold(session.id) as held:
                await held.append("user", "Green tea keeps.")
                assert len(await held.messages()) == 1
                assert (await held.view()).as_openai()
                assert (await held.observations.record(summary="made tea")) is not None
                assert (await held.search("tea")).hits
                assert (await held.context()).tokens >= 0
                assert (await held.fork()).parent_id == session.id

    asyncio.run(use())


def test_a_session_held_through_a_passing_memory_has_all_its_calls(memory: Memory) -> None:
    """As one of a narrower scope, which nothing else refers to."""
    session = memory.sessions.create("agent:main:telegram:acc:direct:42")
    memory.sessions.append(session.id, "user", "Green tea keeps.")
    with memory.within(recollect.Scope(agent="main")).sessions.hold(session.id) as held:
        assert held.search("tea").hits
        assert held.context(query="tea") is not None
