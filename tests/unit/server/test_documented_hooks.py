"""What clients document that their hooks are given, sent to a real worker: once, and then again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.core.clock import SystemClock
from recollect.sessions.record.session import find_foreign
from tests.support.payloads import documented_events
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder

DAY_MS = 86_400_000
ASKED = [("user", "Rename the retry helper and add a test."), ("user", "And now the docs.")]
IDS = {
    "cursor": "668320d2-2fd8-4888-b33c-2a466fec86e7",
    "windsurf": "5f6c0c1e-7b59-4a3a-8d29-0d7f6a3c2b11",
    "copilot": "01HW2X3Y4Z5",
    "opencode": "ses_1",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a server with a home of its own."""
    with RunningServer(tmp_path / "home") as running:
        yield Client(running)


def play(client: Client, name: str, root: str) -> list[tuple[str, dict[str, Any]]]:
    """Send the documented life of a program; return what each hook prints."""
    printed = []
    began = SystemClock().now_ms()
    for at, (event, payload) in enumerate(_here(documented_events(name), root)):
        if "timestamp" in payload and event == "sessionEnd":
            payload["timestamp"] = began + DAY_MS
        target = f"/api/hooks/{name}?event={event}&at={began + at * DAY_MS}"
        status, answer = client.post(target, payload)
        assert status == 200, answer
        printed.append((event, answer))
    return printed


def _here(value: Any, root: str) -> Any:
    if isinstance(value, str):
        return value.replace("/home/ada/shop", root)
    if isinstance(value, dict):
        return {name: _here(each, root) for name, each in value.items()}
    return [_here(each, root) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("name", IDS)
def test_a_life_is_remembered_once(client: Client, tmp_path: Path, name: str) -> None:
    """Prompts, answers and tools, in one session with the project; a second delivery adds none."""
    root = folder(tmp_path, "shop")
    play(client, name, root)
    records = client.memory._rooms.records  # noqa: SLF001
    session = records.read(lambda tx: find_foreign(tx, "local", name, IDS[name]))
    assert session is not None
    said = [(each.role, each.text) for each in client.memory.sessions.messages(session.id)]
    observed = client.memory.observations.list(session_id=session.id, limit=500)
    assert [each for each in said if each[0] == "user"] == ASKED
    assert (("assistant", "Renamed and tested.") in said) is (name != "copilot")
    files = {each.files for each in observed if each.type == "code_change"}
    assert {Path(file).name for each in files for file in each} == {"retry.py"}
    assert any(each.error for each in observed) is (name != "windsurf")
    assert (session.project is None) is (name == "windsurf")  # it says its folder too late
    assert session.status == ("active" if name == "windsurf" else "archived")
    play(client, name, root)
    again = [(each.role, each.text) for each in client.memory.sessions.messages(session.id)]
    assert again == said
    assert len(client.memory.observations.list(session_id=session.id, limit=500)) == len(observed)


@pytest.mark.parametrize(
    ("name", "key"),
    [("cursor", "additional_context"), ("copilot", "additionalContext"), ("opencode", "context")],
)
def test_the_next_session_is_given_what_was_decided(
    client: Client, tmp_path: Path, name: str, key: str
) -> None:
    """In the one field that the program hands on to its model."""
    root = folder(tmp_path, "shop")
    play(client, name, root)
    first = documented_events(name)[0][1]
    fresh = _here({**first, **dict.fromkeys(set(first) & IDENTITIES, "another")}, root)
    status, answer = client.post(f"/api/hooks/{name}?event={documented_events(name)[0][0]}", fresh)
    assert status == 200
    assert set(answer) == {key}
    assert "retry" in answer[key]


IDENTITIES = {"session_id", "conversation_id", "sessionId"}


def test_cascade_is_given_nothing(client: Client, tmp_path: Path) -> None:
    """It would show it to its user."""
    assert {str(answer) for _, answer in play(client, "windsurf", folder(tmp_path, "shop"))} == {
        "{}"
    }


def test_a_prompt_of_cursor_goes_on(client: Client, tmp_path: Path) -> None:
    """Cursor asks the hook whether to send it."""
    printed = play(client, "cursor", folder(tmp_path, "shop"))
    answers = [answer for event, answer in printed if event == "beforeSubmitPrompt"]
    assert answers == [{"continue": True}] * 2


def test_a_call_of_our_own_tool_is_not_remembered(client: Client, tmp_path: Path) -> None:
    """Else the memory would find what it found."""
    play(client, "cursor", folder(tmp_path, "shop"))
    tools = {each.tool_name for each in client.memory.observations.list(limit=500)}
    assert tools == {"Shell", "Write", None}
