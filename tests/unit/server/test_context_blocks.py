"""Over HTTP: what was put into which prompt, and what is never to be again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder

SETTINGS = {"sessions.owner": ["telegram:1"], "sessions.plain_keys": "owner"}
GUEST = "agent:main:telegram:acc:direct:77"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a real server with a home of its own."""
    with RunningServer(tmp_path / "home", overrides=SETTINGS) as server:
        yield Client(server)


def decide(client: Client, what: str, session: str = "tea") -> int:
    """Store a decision; return its number."""
    given = {"session_key": session, "summary": f"We decided on {what}.", "type": "decision"}
    return int(client.post("/api/observations", given)[1]["id"])


def give(client: Client, session: str, **more: Any) -> Any:
    """Put a block into the prompt of a session that is begun."""
    client.post("/api/sessions", {"session_key": session})
    return client.get("context", session_key=session, **more)[1]


def test_blocks_are_listed_in_pages_and_shown_with_their_lines(client: Client) -> None:
    """Issue 25: the list is small; one block tells of each line why it is in it."""
    number = decide(client, "jars")
    blocks = [give(client, f"s{at}") for at in range(5)]
    listed, cursor = [], None
    while True:
        page = client.get("context", "blocks", limit=2, cursor=cursor)[1]
        listed += page["blocks"]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert len({each["id"] for each in listed}) == len(listed) == 5
    assert [each["at"] for each in listed] == sorted((each["at"] for each in listed), reverse=True)
    (own,) = client.get("context", "blocks", session="s3")[1]["blocks"]
    assert own == listed[1]
    shown = client.get("context", "blocks", own["id"])[1]
    (line,) = shown.pop("lines")
    assert shown == own
    assert (own["reason"], own["tokens"], own["items"]) == ("startup", blocks[3]["tokens"], 1)
    assert line["text"] in blocks[3]["text"]
    (item,) = blocks[3]["items"]
    assert {name: line[name] for name in item} == item
    assert (line["id"], line["kind"], line["gone"]) == (number, "observation", False)
    client.post(f"/api/observations/{number}/forget")
    (line,) = client.get("context", "blocks", own["id"])[1]["lines"]
    assert (line["text"], line["gone"]) == (None, True)
    assert client.get("context", "blocks", "nothing")[0] == 404


def test_a_guest_reads_no_block_of_others(client: Client) -> None:
    """Issue 25: neither in the list nor by its id."""
    decide(client, "jars")
    give(client, "mine")
    (made,) = client.get("context", "blocks")[1]["blocks"]
    guest = client.of("guest", audience=f"session:{GUEST}", rights="read")
    assert guest.get("context", "blocks")[1] == {"blocks": [], "cursor": None}
    assert guest.get("context", "blocks", made["id"])[0] == 404
    assert guest.get("context", "blocks", session="mine")[0] == 404


def test_what_is_never_to_be_injected_is_the_owners_to_say(client: Client) -> None:
    """Issue 25: it takes a line out of every prompt, so a token that is narrowed may not."""
    number = decide(client, "jars")
    assert give(client, "s1")["items"]
    guest = client.of("guest", audience=f"session:{GUEST}", rights="write")
    narrow = client.of("narrow", audience="owner", rights="admin", agent="main")
    reads = client.of("reads", audience="owner", rights="read")
    for other in (guest, narrow, reads):
        assert other.post("/api/context/never", {"id": number})[0] == 403
        assert other.delete(f"/api/context/never/{number}")[0] == 403
    assert reads.get("context", "never")[1] == {"excluded": []}
    assert guest.get("context", "never")[0] == narrow.get("context", "never")[0] == 403
    made = client.post("/api/context/never", {"id": number})[1]
    assert (made["id"], made["kind"]) == (number, "observation")
    assert give(client, "s2")["items"] == []
    assert client.get("context", "never")[1] == {"excluded": [made]}
    assert client.delete(f"/api/context/never/{number}")[1] == made
    assert client.delete(f"/api/context/never/{number}")[0] == 404
    assert client.post("/api/context/never", {"id": "f9"})[0] == 404
    assert give(client, "s3")["items"]
    done = [each.action for each in client.memory.audit.latest() if each.outcome == "done"]
    assert done[-2:] == ["context.never", "context.again"]


def test_a_block_says_what_it_could_have_cost(client: Client) -> None:
    """Issue 25: the budget as a bar."""
    decide(client, "jars")
    give(client, "s1", max_tokens=321)
    (made,) = client.get("context", "blocks")[1]["blocks"]
    assert made["budget"] == 321


def test_what_the_next_session_would_get_is_shown_with_its_lines(client: Client) -> None:
    """Issue 25: as a block that was injected, and nothing is recorded."""
    number = decide(client, "jars")
    shown = client.get("context", "next", max_tokens=400)[1]
    (line,) = shown["lines"]
    assert (line["id"], line["kind"], line["gone"]) == (number, "observation", False)
    assert line["text"] in give(client, "s1", max_tokens=400)["text"]
    assert 0 < shown["tokens"] <= shown["budget"] == 400
    assert len(client.get("context", "blocks")[1]["blocks"]) == 1
    client.post("/api/context/never", {"id": number})
    empty = client.get("context", "next")[1]
    assert (empty["lines"], empty["budget"]) == ([], 4_000)
    assert empty["empty_because"]
    guest = client.of("guest", audience=f"session:{GUEST}", rights="read")
    assert guest.get("context", "next")[1]["lines"] == []


def test_the_next_session_of_a_project_gets_what_was_decided_there(
    client: Client, tmp_path: Path
) -> None:
    """By the name of the project."""
    numbers = []
    for name, what in (("tea", "jars"), ("coffee", "beans")):
        asked = {"session_key": name, "project_path": folder(tmp_path, name)}
        client.post("/api/sessions", asked)
        numbers.append(decide(client, what, name))
    for name, number in zip(("tea", "coffee"), numbers, strict=True):
        shown = client.get("context", "next", project=name)[1]
        assert [line["id"] for line in shown["lines"]] == [number]
