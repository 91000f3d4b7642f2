"""All events over real HTTP, with following on, off, late, and imported again: each thing once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.claude_play import TURNS, Play, Step, session_of
from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client

AGENT = {"agent_id": "a949", "agent_type": "Explore"}
BETWEEN: list[tuple[str, dict[str, Any]]] = [
    ("PreToolUse", {"tool_name": "Read", "tool_use_id": "toolu_p-1_0"}),
    ("PostToolBatch", {"tool_calls": [{"tool_name": "Read", "tool_use_id": "toolu_p-1_0"}]}),
    ("SubagentStart", AGENT),
    ("SubagentStop", AGENT | {"last_assistant_message": "Two found."}),
    ("SubagentStop", {"agent_id": "b1", "agent_type": "", "last_assistant_message": "Hm."}),
    ("StopFailure", {"error": "rate_limit", "error_details": "429"}),
    ("PreCompact", {"trigger": "auto"}),
    ("SessionStart", {"source": "compact"}),
    ("PostCompact", {"trigger": "auto", "compact_summary": "They spoke of the kettle."}),
    ("Notification", {"message": "idle"}),
    ("NoSuchEvent", {}),
]
"""What else happens within the second turn."""


def play_it(client: Client, play: Play, *, twice: bool) -> None:
    """Send what the hooks of a conversation send, while its transcript is written."""
    for step in play.steps:
        later = [Step(name, {"prompt_id": "p-1"} | told, []) for name, told in BETWEEN]
        for each in [step, *(later if step.told.get("prompt_id") == "p-1" else [])]:
            if each is step:
                play.write(each)
            payload = {"session_id": play.session, "transcript_path": str(play.path)}
            payload |= {"cwd": "/home/ana/shop", "hook_event_name": each.event} | each.told
            for _ in range(1 + twice):
                target = f"/api/hooks/claude-code?event={each.event}"
                assert client.post(target, payload)[0] == 200, each


@pytest.mark.parametrize("twice", [False, True], ids=["once", "delivered again"])
@pytest.mark.parametrize("following", ["on", "off", "late"])
def test_each_prompt_and_tool_is_there_once(tmp_path: Path, following: str, twice: bool) -> None:
    """Issue 13: all events × following on, off, late, imported again."""
    projects = tmp_path / "projects"
    projects.mkdir()
    play = Play(projects)
    followed = {**OVERRIDES, "workspace.transcripts": (str(projects),)}
    first = followed if following == "on" else OVERRIDES
    with RunningServer(tmp_path / "home", overrides=first) as server:
        play_it(Client(server), play, twice=twice)
    last = followed if following != "off" else OVERRIDES
    with RunningServer(tmp_path / "home", overrides=last) as server:
        client = Client(server)
        client.memory.sync()
        for _ in range(2):
            client.memory.import_transcripts(projects)
            assert play.problems(client.memory) == []
        play_it(client, play, twice=False)
        client.memory.import_transcripts(projects)
        check(client, play)


def check(client: Client, play: Play) -> None:
    """Hold what is stored against what was said and done, after the hooks came once more."""
    memory = client.memory
    session = session_of(memory, play.session)
    assert session.status == "archived"
    made = memory.observations.list(session_id=session.id, limit=500)
    kinds = Counter(each.event for each in made)
    assert kinds == {
        "prompt": len(TURNS), "answer": len(TURNS), "tool": 2, "tool_failed": 1,
        "subagent": 2, "interrupted": 1, "compaction": 1,
    }  # fmt: skip
    asked = [each.text for each in memory.sessions.messages(session.id) if each.role == "user"]
    assert asked[: len(TURNS)] == [turn[0] for turn in TURNS]
    hits = memory.search("lid pot", limit=50).hits
    refs = [(hit.source, hit.ref) for hit in hits]
    assert len(refs) == len(set(refs))
    texts = Counter(hit.snippet.strip() for hit in hits)
    assert texts["And the lid?"] == 1, texts
