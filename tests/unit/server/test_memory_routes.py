"""``/api/memory``: the names and values of Python, and nothing that a token may not hear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.index.query.hit import SearchResult
from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client

OWNERS = "agent:main:telegram:acc:direct:42"
GUESTS = "agent:main:telegram:acc:direct:77"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner, in a home where the owner and a guest spoke of tea."""
    with RunningServer(tmp_path) as server:
        client = Client(server)
        for key, said in ((OWNERS, "my tea is in the safe"), (GUESTS, "their tea is green")):
            session = client.memory.sessions.create(key=key, title=f"Of {key[-2:]}")
            client.memory.sessions.append(session.id, "user", said)
        client.memory.observations.record(
            client.memory.sessions.find(OWNERS).id, tool_name="Bash", input="make tea", output="tea"
        )
        client.memory.sync()
        yield client


def test_links_are_in_the_answers_to_the_operator_alone(tmp_path: Path) -> None:
    """Issue 13.6: by the same types as in Python, in the seed's search too."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "MEMORY.md").write_text("The tea is in the safe, see #1\n", "utf-8")
    named = {**OVERRIDES, "workspace.path": str(tmp_path / "work")}
    with RunningServer(tmp_path / "home", overrides=named) as server:
        client = Client(server)
        session = client.memory.sessions.create(key=OWNERS).id
        client.memory.observations.record(session, type="decision", title="Tea in the safe")
        client.memory.sync()
        asked: dict[str, dict[str, Any]] = {
            "search": {"query": "tea safe", "sources": ["memory"]},
            "get": {"ids": "#1"},
            "read": {"path": "MEMORY.md"},
        }
        for name, given in asked.items():
            found = _asked(client, name, **given)[1]
            (link,) = (found.get("hits") or found.get("found") or [found])[0]["links"]
            assert (link["path"], link["line"], link["number"]) == ("MEMORY.md", 1, 1)
        seeds = client.post("/api/search", {"query": "tea safe"})[1]["results"]
        assert [each["path"] for each in seeds[0]["links"]] == ["MEMORY.md"]


def _asked(client: Client, name: str, /, **given: Any) -> tuple[int, Any]:
    return client.post(f"/api/memory/{name}", given)


def _plain(value: object) -> Any:
    """Return a value as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def test_the_operator_gets_what_python_gives(client: Client) -> None:
    """Values are encoded as they are, so that they can be decoded into themselves."""
    status, found = _asked(client, "search", query="tea")
    result = msgspec.convert(found, SearchResult)
    own = client.memory.search("tea")
    assert (status, [hit.ref for hit in result.hits]) == (200, [hit.ref for hit in own.hits])
    assert result.confidence == own.confidence > 0
    none = msgspec.convert(_asked(client, "search", query="tea", min_confidence=1)[1], SearchResult)
    assert (none.hits, none.confidence) == ([], own.confidence)
    lines = _asked(client, "lines", result=found)[1]
    assert lines == _plain(client.memory.lines(own))
    assert _asked(client, "get", ids="m1")[1] == _plain(client.memory.get("m1"))
    around = client.memory.observations.timeline("m1")
    assert _asked(client, "timeline", anchor="m1")[1] == _plain(around)
    session = client.memory.sessions.find(OWNERS).id
    block = client.memory.context(session, record=False)
    given = {"session_id": session, "record": False}
    assert _asked(client, "context", **given)[1] == _plain(block)
    assert _asked(client, "titles", session_ids=[session])[1] == {session: "Of 42"}


def test_half_a_foreign_name_begins_no_session(client: Client) -> None:
    """The program and its own name of the conversation together name one that may be begun."""
    plugin = client.of("openclaw", audience="session:*", rights="read")
    known = client.memory.sessions.list()
    unknown = {"session_id": OWNERS.replace("42", "43"), "record": False}
    program = {"client": "openclaw", "foreign_id": "chat-7"}
    for name in program:
        assert _asked(plugin, "context", **unknown, **{name: program[name]})[0] == 404
    assert client.memory.sessions.list() == known
    assert _asked(plugin, "context", **unknown, **program)[0] == 200
    assert len(client.memory.sessions.list()) == len(known) + 1


def test_an_unknown_name_is_refused(client: Client) -> None:
    """A misspelt limit would be no limit."""
    status, error = _asked(client, "search", query="tea", limits=3)
    assert (status, error["error"]["code"]) == (422, "invalid_input")


def test_a_time_in_seconds_is_refused(client: Client) -> None:
    """As in Python; the hint says what to do."""
    status, error = _asked(client, "search", query="tea", since=1_770_681_600)
    assert (status, error["error"]["code"]) == (422, "invalid_input")
    assert error["error"]["hint"] == "multiply by 1000, or give a datetime"


@pytest.mark.parametrize("audience", ["shared", f"session:{GUESTS}"])
def test_another_token_hears_its_own_audience_only(client: Client, audience: str) -> None:
    """And an argument never widens it: what it may not hear answers as what does not exist."""
    guest = client.of("guest", audience=audience)
    owners = client.memory.sessions.find(OWNERS).id
    found = _asked(guest, "search", query="tea")[1]["hits"]
    heard = [hit["snippet"] for hit in found]
    assert heard == (["their tea is green"] if audience != "shared" else [])
    everything = _asked(client, "search", query="tea")[1]
    assert len(everything["hits"]) > len(found)
    assert len(_asked(guest, "lines", result=everything)[1]["lines"]) == len(found)
    assert _asked(guest, "get", ids=["m1", "#1"])[1]["missing"] == ["m1", "#1"]
    gone = _asked(guest, "titles", session_ids=["01a00000-0000-7000-8000-000000000000"])
    for refused in (
        _asked(guest, "search", query="tea", for_session=owners),
        _asked(guest, "search", query="tea", scope={"session": owners}),
        _asked(guest, "context", session_id=owners),
        _asked(guest, "titles", session_ids=[owners]),
    ):
        assert refused == gone
        assert refused[0] == 404
    assert _asked(guest, "timeline", anchor="m1")[0] == 404
    assert "safe" not in str(_asked(guest, "timeline", query="tea")[1])


@pytest.mark.parametrize("name", ["search", "lines", "get", "timeline", "read", "context"])
def test_only_the_operator_says_whom_a_session_answers(client: Client, name: str) -> None:
    """A guest who answers as the owner would hear as the owner."""
    guest = client.of("guest", audience=f"session:{GUESTS}")
    given: dict[str, dict[str, Any]] = {
        "search": {"query": "tea"},
        "lines": {"result": {"hits": [], "mode": "hybrid"}},
        "get": {"ids": "m1"},
        "timeline": {"anchor": "m1"},
        "read": {"path": "MEMORY.md"},
        "context": {"session_id": client.memory.sessions.find(GUESTS).id},
    }
    status, error = _asked(guest, name, for_sender="telegram:42", **given[name])
    assert (status, error["error"]["code"]) == (403, "denied")
