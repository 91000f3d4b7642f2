"""What Codex and Gemini CLI sent to their hooks, sent to a real worker: once, and then again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.observations.observation import Observation
from recollect.sessions.record.session import Session, find_foreign
from tests.support.payloads import payloads_of
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a server with a home of its own."""
    with RunningServer(tmp_path / "home") as running:
        yield Client(running)


class Replay:
    """The recorded life of a client, in a folder that is there."""

    def __init__(self, client: Client, name: str, tmp_path: Path) -> None:
        self.client, self.name = client, name
        self.folder = folder(tmp_path, "shop")
        self.payloads = [each | {"cwd": self.folder} for each in payloads_of(name)]
        self.first_id = self.payloads[0]["session_id"]

    def send(self, payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send payloads as the hook client does; return what the hooks print."""
        printed = []
        for payload in payloads:
            target = f"/api/hooks/{self.name}?event={payload['hook_event_name']}"
            status, answer = self.client.post(target, payload)
            assert status == 200, answer
            printed.append(answer)
        return printed

    @property
    def session(self) -> Session:
        """The first session as it is stored."""
        records = self.client.memory._rooms.records  # noqa: SLF001
        found = records.read(lambda tx: find_foreign(tx, "local", self.name, self.first_id))
        assert found is not None
        return found

    @property
    def observations(self) -> list[Observation]:
        """What is stored of the first session, oldest first."""
        observed = self.client.memory.observations
        return observed.list(session_id=self.session.id, limit=500)[::-1]

    def said(self) -> list[tuple[str, str]]:
        """Return role and text of the messages of the first session."""
        messages = self.client.memory.sessions.messages(self.session.id)
        return [(each.role, each.text) for each in messages]


SAID = [
    ("user", "Rename the retry helper and add a test."),
    ("assistant", "Renamed and tested."),
    ("user", "And now the docs."),
]


def test_a_life_of_codex_is_remembered_once(client: Client, tmp_path: Path) -> None:
    """Prompts, answers and tools; delivered again, nothing is doubled."""
    codex = Replay(client, "codex", tmp_path)
    codex.send(codex.payloads)
    assert codex.said() == [*SAID, ("assistant", "Short.")]
    tools = [each for each in codex.observations if each.tool_name]
    assert [each.tool_name for each in tools] == ["apply_patch", "Bash", "Bash", "mcp__toy__good"]
    assert (tools[0].type, tools[0].files) == ("code_change", ("retry.py",))
    assert tools[0].summary == "1 file, -0 +2 lines"
    assert [each.event for each in codex.observations if not each.tool_name] == [
        *["prompt", "answer"] * 2
    ]
    before = client.memory.observations.list(limit=500)
    codex.send(codex.payloads)
    assert client.memory.observations.list(limit=500) == before
    assert codex.said() == [*SAID, ("assistant", "Short.")]


def test_a_sub_agent_of_codex_is_an_agent_of_its_parents_session(
    client: Client, tmp_path: Path
) -> None:
    """And what it was told is no message of the user."""
    codex = Replay(client, "codex", tmp_path)
    codex.send(codex.payloads)
    found = client.memory.observations.list(limit=500)
    (done,) = [each for each in found if each.event == "subagent"]
    assert done.agent_id is not None
    parent = client.memory.sessions.get(done.session_id)
    texts = [each.text for each in client.memory.sessions.messages(parent.id)]
    assert texts == ["spawn it", "Parent done."]


def test_a_life_of_gemini_is_remembered_once(client: Client, tmp_path: Path) -> None:
    """The block that it hands on inside the prompt is not captured back."""
    gemini = Replay(client, "gemini", tmp_path)
    gemini.send(gemini.payloads)
    assert gemini.said() == [*SAID, ("assistant", "All done.")]
    tools = [each for each in gemini.observations if each.tool_name]
    assert [each.tool_name for each in tools] == [
        *["write_file", "run_shell_command", "read_file", "read_file", "replace"],
        *["mcp_toy_good", "mcp_toy_boom"],
    ]
    assert [bool(each.error) for each in tools] == [False, True, True, False, False, False, True]
    before = client.memory.observations.list(limit=500)
    assert not [each for each in before if "hook_context" in str(each)]
    gemini.send(gemini.payloads)
    assert client.memory.observations.list(limit=500) == before
    assert gemini.said() == [*SAID, ("assistant", "All done.")]


@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_the_next_session_is_given_what_was_decided(
    client: Client, tmp_path: Path, name: str
) -> None:
    """In the form that the client honours: the real ones passed it on to the model."""
    replay = Replay(client, name, tmp_path)
    start, prompt = replay.payloads[:2]
    decided = prompt | {"prompt": "We decided to use Redis for the queue."}
    assert replay.send([start, decided, replay.payloads[-1]]) == [{}, {}, {}]
    (given,) = replay.send([start | {"session_id": "another"}])
    assert given["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "Redis" in given["hookSpecificOutput"]["additionalContext"]


def test_a_client_that_nobody_knows_is_refused(client: Client) -> None:
    """With the names of those that are known."""
    status, answer = client.post("/api/hooks/emacs?event=SessionStart", {"session_id": "x"})
    assert status == 404
    assert "codex" in answer["error"]["hint"]
    assert "gemini" in answer["error"]["hint"]
