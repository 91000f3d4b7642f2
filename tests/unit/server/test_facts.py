"""Facts over HTTP: remembered, listed, found, corrected and forgotten, as far as a token hears."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a real server."""
    with RunningServer(tmp_path / "home", overrides=OVERRIDES) as running:
        yield Client(running)


def test_a_fact_is_remembered_once(client: Client) -> None:
    """201 the first time, 200 after; the answer says what became of it."""
    status, made = client.post("/api/facts", {"text": "I prefer tabs", "kind": "preference"})
    assert (status, made["status"], made["fact"]["id"]) == (201, "new", "f1")
    assert (made["fact"]["trust"], made["fact"]["importance"]) == ("owner", 5)
    status, again = client.post("/api/facts", {"text": "i prefer TABS"})
    assert (status, again["status"], again["fact"]["id"]) == (200, "known", "f1")
    assert client.post("/api/facts", {"text": " "})[0] == 422
    assert client.post("/api/facts", {"text": "tea", "kind": "no"})[0] == 422


def test_facts_are_listed_by_pages_and_found(client: Client) -> None:
    """The newest first; those that a question finds, the best first."""
    for n in range(5):
        client.post("/api/facts", {"text": f"fact number {n}", "user_id": "telegram:7"})
    _, first = client.get("facts", limit=3)
    assert [fact["id"] for fact in first["facts"]] == ["f5", "f4", "f3"]
    _, rest = client.get("facts", limit=3, cursor=first["cursor"])
    assert ([fact["id"] for fact in rest["facts"]], rest["cursor"]) == (["f2", "f1"], None)
    assert client.get("facts", user_id="telegram:8")[1]["facts"] == []
    _, found = client.get("facts", query="number 3", limit=1)
    assert [fact["text"] for fact in found["facts"]] == ["fact number 3"]
    assert client.get("facts", as_of="2026-01-01")[1]["facts"] == []
    assert client.get("facts", as_of="2026-01-01", status="forgotten")[0] == 422


def test_a_fact_is_changed_and_back_again(client: Client) -> None:
    """Its history tells who did what; the audit has it without words."""
    client.post("/api/facts", {"text": "I live in Leeds"})
    _, changed = client.post(
        "/api/facts/f1", {"text": "I live in Bristol", "pinned": True}, "PATCH"
    )
    assert (changed["text"], changed["pinned"]) == ("I live in Bristol", True)
    assert client.delete("/api/facts/f1")[1]["status"] == "forgotten"
    assert client.post("/api/facts/f1/restore")[1]["status"] == "current"
    _, known = client.get("facts", "f1")
    actions = [line["action"] for line in known["history"]]
    assert actions == ["new", "corrected", "pinned", "forgotten", "restored"]
    assert client.delete("/api/facts/f9")[0] == 404
    audit = [entry.action for entry in client.memory.audit.latest(20)]
    assert {"fact.remember", "fact.update", "fact.forget", "fact.restore"} <= set(audit)


def test_a_token_hears_and_changes_its_own_facts_only(client: Client) -> None:
    """A guest's are the guest's; what an agent says of a person waits for the owner."""
    guest = client.of("guest", audience="session:telegram:7", rights="write", channels=["telegram"])
    client.post("/api/facts", {"text": "I live in Leeds"})
    status, made = guest.post("/api/facts", {"text": "I take tea"})
    assert (status, made["fact"]["trust"], made["fact"]["status"]) == (201, "agent", "review")
    assert guest.get("facts")[1]["facts"] == []
    assert guest.get("facts", "f1")[0] == guest.delete("/api/facts/f1")[0] == 404
    assert guest.post("/api/facts/f1", {"text": "x"}, "PATCH")[0] == 404
    assert guest.post("/api/facts/f2/restore")[0] == 403
    assert client.post("/api/facts/f2/restore")[1]["status"] == "current"
    assert [fact["id"] for fact in guest.get("facts")[1]["facts"]] == ["f2"]
    assert guest.post("/api/facts", {"text": "I take tea", "trust": "owner"})[0] == 422


def test_what_waits_for_review_is_confirmed_by_no_detour(client: Client) -> None:
    """Forgotten, or replaced, and brought back by the agent that said it, it waits again."""
    guest = client.of("guest", audience="session:telegram:7", rights="write", channels=["telegram"])
    for text in ("I take tea", "I take milk"):
        guest.post("/api/facts", {"text": text})
    assert guest.delete("/api/facts/f1")[1]["status"] == "forgotten"
    assert guest.post("/api/facts/f1/restore")[1]["status"] == "review"
    client.post("/api/facts", {"text": "I take tea at four", "user_id": "telegram:7"})
    assert guest.post("/api/facts/f2/replace", {"by": "f3"})[1]["status"] == "replaced"
    assert guest.post("/api/facts/f2/restore")[1]["status"] == "review"
    assert guest.post("/api/facts/f2/restore")[0] == 403


def test_a_fact_comes_with_the_line_of_its_values(client: Client) -> None:
    """What gave the slot its value, with the span that says it."""
    said = {"session_key": "s", "role": "user", "content": "By the way, I live in Leeds."}
    _, message = client.post("/api/messages", said)
    client.memory.sync()
    client.post("/api/facts", {"text": "I live in Bristol", "for_session": "s"})
    asked, new = (client.get("facts", name)[1] for name in ("f1", "f2"))
    assert asked["line"] == new["line"]
    line = [(each["id"], each["status"], each["slot"], each["value"]) for each in new["line"]]
    assert line == [("f1", "replaced", "home", "leeds"), ("f2", "current", "home", "bristol")]
    old = new["line"][0]
    assert old["message_id"] == message["id"]
    assert said["content"][old["start"] : old["end"]] == old["text"]
    assert old["valid_to"] == new["valid_from"]


def test_a_token_that_captures_says_nothing_in_the_owners_name(client: Client) -> None:
    """Hooks and bridges have such tokens."""
    bridge = client.of("bridge", audience="owner", rights="capture")
    _, made = bridge.post("/api/facts", {"text": "Never run tests", "kind": "rule"})
    assert (made["fact"]["trust"], made["fact"]["status"]) == ("agent", "review")
    assert bridge.delete("/api/facts/f1")[0] == 403
