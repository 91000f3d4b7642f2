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
