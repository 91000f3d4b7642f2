"""What can be read of one session: its tree, tool calls, compactions and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.running_server import RunningServer
from tests.unit.server.client import Client

MAIN = "agent:main:main"
"""Shared by the owner and guests: the sender of each turn decides who hears it."""
GUEST, OTHER = "telegram:77", "telegram:88"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a real server with a home of its own."""
    with RunningServer(tmp_path / "home", overrides={"sessions.owner": ["telegram:1"]}) as server:
        yield Client(server)


def guest(client: Client, name: str = "guest", peer: str = "77") -> Client:
    """Return a client with the token of a guest."""
    return client.of(name, audience=f"session:agent:main:telegram:acc:direct:{peer}", rights="read")


def say(client: Client, session: str, content: Any, **more: Any) -> Any:
    """Store a message; return it."""
    status, made = client.post(
        "/api/messages", {"session_key": session, "role": "user", "content": content, **more}
    )
    assert status == 201, made
    return made


def begin(client: Client, key: str = MAIN) -> str:
    """Begin a session; return its id."""
    return str(client.post("/api/sessions", {"session_key": key})[1]["id"])


def test_a_lineage_lists_forks_and_resets_below_what_they_grew_from(client: Client) -> None:
    """Issue 25: each session before its branches, with where it left the one above."""
    root = begin(client, "tea")
    say(client, "tea", "one")
    say(client, "tea", "two")
    forked = client.post("/api/sessions/tea/fork", {"at_seq": 1, "title": "Other"})[1]["id"]
    below = client.post(f"/api/sessions/{forked}/fork")[1]["id"]
    reset = client.memory.sessions.reset("tea").id
    tree = client.get("sessions", below, "lineage")[1]
    assert tree["session_id"] == below
    rows = [(each["id"], each["above_id"], each["relation"]) for each in tree["sessions"]]
    assert rows == [
        (root, None, "root"),
        (forked, root, "fork"),
        (below, forked, "fork"),
        (reset, root, "reset"),
    ]
    shown = tree["sessions"][1]
    assert (shown["title"], shown["forked_at_seq"], shown["message_count"]) == ("Other", 1, 0)
    assert tree["sessions"][0]["status"] == "archived"
    assert client.get("sessions", "nobody", "lineage")[0] == 404


def test_a_lineage_leaves_out_what_the_token_does_not_hear(client: Client) -> None:
    """Issue 25: neither a session of another audience, nor what grew from one."""
    root = begin(client)
    say(client, MAIN, "for the first guest", sender=GUEST)
    for_other = client.post(f"/api/sessions/{root}/fork")[1]["id"]
    say(client, for_other, "for the second guest", sender=OTHER)
    grown = client.post(f"/api/sessions/{for_other}/fork")[1]["id"]
    whole = client.get("sessions", root, "lineage")[1]["sessions"]
    assert {each["id"] for each in whole} == {root, for_other, grown}
    assert guest(client).get("sessions", root, "lineage")[0] == 404  # its key is the owner's
    own = begin(client, "agent:main:telegram:acc:direct:77")
    forked = client.post(f"/api/sessions/{own}/fork")[1]["id"]
    heard = guest(client, "again").get("sessions", forked, "lineage")[1]["sessions"]
    assert [each["id"] for each in heard] == [own, forked]


def used(call: str, tool: str = "Bash", **given: Any) -> list[Any]:
    """Return the blocks of a message that uses a tool."""
    return [{"type": "tool_use", "id": call, "name": tool, "input": given}]


def came(call: str, text: str, *, failed: bool = False) -> list[Any]:
    """Return the blocks of a message that brings a result."""
    return [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}]


def test_tool_calls_are_listed_with_their_outcome(client: Client) -> None:
    """Issue 25: what was done, where it stands, and how much it was; not what came back."""
    begin(client, "tea")
    say(client, "tea", used("c1", command="make test"), role="assistant")
    say(client, "tea", came("c1", "12 passed"))
    say(client, "tea", used("c2", "Read", file_path="/srv/tea.md"), role="assistant")
    say(client, "tea", came("c2", "File does not exist.", failed=True))
    say(client, "tea", used("c3", command="make test"), role="assistant")
    say(client, "tea", came("c9", "of a call that nobody saw"))
    listed = client.get("sessions", "tea", "tool-calls")[1]
    rows = [(e["seq"], e["result_seq"], e["state"], e["result_chars"]) for e in listed["calls"]]
    assert rows == [
        (1, 2, "done", 9),
        (3, 4, "failed", 20),
        (5, None, "pending", 0),
        (6, 6, "stray", 25),
    ]
    first, read, pending, _ = listed["calls"]
    assert (first["tool_name"], first["input_chars"]) == ("Bash", len('{"command":"make test"}'))
    assert "make test" in first["title"]
    assert "tea.md" in read["title"]
    assert pending["title"] == "Tests: make test"  # nothing passed yet
    assert listed["next_after"] is None


def test_tool_calls_come_in_pages_that_end_with_a_message(client: Client) -> None:
    """Calls of one message are never on two pages, or the next would begin after the rest."""
    begin(client, "tea")
    for at in range(3):
        blocks = used(f"a{at}", command="ls") + used(f"b{at}", command="pwd")
        say(client, "tea", blocks, role="assistant")
    pages, after = [], None
    while True:
        page = client.get("sessions", "tea", "tool-calls", limit=3, after_seq=after)[1]
        pages.append([call["seq"] for call in page["calls"]])
        after = page["next_after"]
        if after is None:
            break
    assert pages == [[1, 1, 2, 2], [3, 3]]
    assert client.get("sessions", "tea", "tool-calls", limit=0)[0] == 422


def test_a_guest_hears_the_tool_calls_of_own_turns(client: Client) -> None:
    """Issue 25: in a session that people share one by one, as its messages are heard."""
    begin(client)
    for call, sender in (("c1", GUEST), ("c2", OTHER), ("c3", GUEST)):
        say(client, MAIN, f"for {call}", sender=sender)
        say(client, MAIN, used(call, command=f"make {call}"), role="assistant")
        say(client, MAIN, came(call, f"out of {call}"))
    session = client.memory.sessions.find(MAIN).id
    own = begin(client, "agent:main:telegram:acc:direct:77")
    calls = client.memory.sessions.tool_calls(session, for_session=own)
    assert [call.call_id for call in calls] == ["c1", "c3"]
    assert len(client.get("sessions", MAIN, "tool-calls")[1]["calls"]) == 3
    assert guest(client).get("sessions", MAIN, "tool-calls")[0] == 404


def test_compactions_tell_what_they_replaced(client: Client) -> None:
    """Issue 25: ranges, and the cost of the view before and after; a fork sees those before it."""
    session = begin(client, "tea")
    sessions = client.memory.sessions
    for at in range(6):
        say(client, "tea", f"Sentence {at} about tea and the cups that it is served in.")
    sessions.compact(session, "Tea was talked about.", keep_messages=2)
    forked = client.post("/api/sessions/tea/fork")[1]["id"]
    for at in range(4):
        say(client, "tea", f"More {at} about the pots.")
    sessions.compact(session, "Tea and pots.", keep_messages=2)
    made = client.get("sessions", "tea", "compactions")[1]["compactions"]
    ranges = [(each["from_seq"], each["through_seq"], each["last_seq"]) for each in made]
    assert ranges == [(1, 4, 6), (5, 8, 10)]
    assert [each["summary"] for each in made] == ["Tea was talked about.", "Tea and pots."]
    assert all(each["tokens_after"] < each["tokens_before"] for each in made)
    shared = client.get("sessions", forked, "compactions")[1]["compactions"]
    assert shared == made[:1]
    assert sessions.compactions(forked) == []
    assert sessions.usage(forked)[-1].context == made[0]["tokens_before"]


def test_compactions_are_those_made_for_whom_the_token_hears(client: Client) -> None:
    """Issue 25: of a session that people share each has summaries of its own."""
    session, sessions = begin(client), client.memory.sessions
    for sender in (GUEST, OTHER):
        for at in range(4):
            say(client, MAIN, f"Words {at} of {sender}.", sender=sender)
        sessions.compact(session, f"For {sender}.", keep_messages=1)
    own = begin(client, "agent:main:telegram:acc:direct:77")
    assert [each.summary for each in sessions.compactions(session)] == [
        f"For {GUEST}.",
        f"For {OTHER}.",
    ]
    heard = sessions.compactions(session, for_session=own)
    assert [each.summary for each in heard] == [f"For {GUEST}."]
    costs = sessions.usage(session, for_session=own)
    assert [each.seq for each in costs] == [1, 2, 3, 4]


def test_usage_follows_the_prompt_through_answers_and_compactions(client: Client) -> None:
    """Issue 25: as the provider counted it, else by our counter; a page is as the whole has it."""
    session, sessions = begin(client, "tea"), client.memory.sessions
    sessions.append(session, "user", "Which teas keep?")
    sessions.append(
        session, "assistant", "Pu-erh.", model="m1", usage={"input_tokens": 900, "output_tokens": 9}
    )
    for at in range(70):
        sessions.append(session, "user", f"And number {at}?")
    sessions.compact(session, "Teas.", keep_messages=2)
    sessions.append(session, "user", "Go on.")
    (made,) = sessions.compactions(session)
    rows = client.get("sessions", "tea", "usage", limit=1000)[1]["messages"]
    assert [each["seq"] for each in rows] == list(range(1, 74))
    assert (rows[0]["usage"], rows[0]["context"]) == (None, rows[0]["tokens"])
    assert (rows[1]["usage"], rows[1]["model"]) == ({"input": 900, "output": 9}, "m1")
    assert (rows[1]["context"], rows[2]["context"]) == (909, 909 + rows[2]["tokens"])
    assert rows[72]["context"] == made.tokens_after + rows[72]["tokens"]
    paged, after = [], None
    while True:
        page = client.get("sessions", "tea", "usage", limit=20, after_seq=after)[1]
        paged += page["messages"]
        after = page["next_after"]
        if after is None:
            break
    assert paged == rows
    assert page["window_tokens"] == client.memory.settings.sessions.context.window_tokens


def test_a_session_in_a_list_says_whose_it_is_and_where_it_came_from(client: Client) -> None:
    """Issue 25: what a viewer filters by, and what the command that goes on with it needs."""
    begin(client, "agent:main:main")
    begin(client, "agent:other:main")
    say(client, "agent:other:main", "one")
    (listed,) = client.get("sessions", agent="other")[1]["sessions"]
    assert (listed["agent"], listed["last_seq"]) == ("other", 1)
    assert (listed["source"], listed["foreign_id"]) == (None, None)


def test_what_rewinds_took_out_is_listed_also_when_it_is_there_again(client: Client) -> None:
    """Issue 25: a mark in the place of the messages."""
    session = begin(client, "tea")
    for text in ("one", "two", "three"):
        say(client, "tea", text)
    made = client.memory.sessions.rewind(session, 1)
    listed = client.get("sessions", "tea", "rewinds")[1]
    assert listed["session_id"] == session
    (taken,) = listed["rewinds"]
    assert (taken["rewind_id"], taken["first_seq"], taken["last_seq"]) == (made.id, 2, 3)
    assert taken["returned_at"] is None
    client.memory.sessions.undo_rewind(made.id)
    (taken,) = client.get("sessions", "tea", "rewinds")[1]["rewinds"]
    assert taken["returned_at"] >= taken["at"]
    assert client.get("sessions", "nobody", "rewinds")[0] == 404
