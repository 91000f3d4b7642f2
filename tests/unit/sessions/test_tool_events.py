"""Events of tools: one for all calls of a transaction, one for all results."""

from __future__ import annotations

from recollect.core.events import MessagesAppended, ToolsCalled, ToolsFinished
from recollect.store.journal import events_since
from tests.unit.sessions.home import Home


def test_tool_calls_and_results_are_told(home: Home) -> None:
    """With the names of the tools, and how many failed; never what they were given."""
    session = home.sessions.create().id
    calls = [
        {"type": "tool_use", "id": f"c{n}", "name": name, "input": {"path": "secret"}}
        for n, name in enumerate(["ls", "read", "ls"])
    ]
    results = [
        {"type": "tool_result", "tool_use_id": f"c{n}", "content": "x", "is_error": n == 1}
        for n in range(3)
    ]
    home.sessions.append_many(session, [("assistant", calls), ("user", results)])
    events = [r.event for r in home.database.read(lambda tx: events_since(tx, 1))]
    assert [type(event) for event in events] == [MessagesAppended, ToolsCalled, ToolsFinished]
    called, finished = events[1:]
    assert isinstance(called, ToolsCalled)
    assert isinstance(finished, ToolsFinished)
    assert (called.count, called.names, called.scope.session) == (3, ("ls", "read"), session)
    assert (finished.count, finished.failed) == (3, 1)


def test_plain_messages_bring_no_event_of_tools(home: Home) -> None:
    """One row of the journal for an append, as before."""
    session = home.sessions.create().id
    home.sessions.append(session, "user", "hello")
    events = [r.event for r in home.database.read(lambda tx: events_since(tx, 1))]
    assert [type(event) for event in events] == [MessagesAppended]
