"""Recorded runs of Claude Code: hooks and transcripts in every order tell each thing once.

docs/hooks.md: all events, following on, off, late, imported again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.memory import Memory
from recollect.sessions.record.session import Session
from tests.support.claude_code import PROJECTS, events, transcript
from tests.support.running_server import OVERRIDES, RunningServer

USES = ("write", "list", "read", "fail", "edit", "agent", "inner")
ONCE = Counter({f"toolu_{name}": 1 for name in USES})
ORDERS = {
    "followed": ("lines", "sync", "hooks", "sync"),
    "not followed": ("hooks",),
    "late": ("hooks", "sync", "lines", "sync"),
    "hooks only, then imported": ("hooks", "lines", "import"),
    "imported, then hooks": ("lines", "import", "hooks"),
    "imported again": ("lines", "sync", "hooks", "import", "import"),
    "hooks twice": ("hooks", "lines", "sync", "hooks"),
    "without hooks": ("lines", "sync", "import"),
}


class Recorded:
    """Plays recordings to a home; their transcripts lie below a folder of the test.

    Args:
        server: Serves the home.
        projects: The folder of projects.
    """

    def __init__(self, server: RunningServer, projects: Path) -> None:
        self.server, self.projects = server, projects

    @property
    def memory(self) -> Memory:
        """The memory of the home."""
        return self.server.pool.memory()

    def hooks(self, *runs: str) -> None:
        """Send the events of runs; each must be answered with an object."""
        for payload in (payload for run in runs for payload in events(run)):
            body = json.dumps(self._placed(payload)).encode()
            target = f"/api/hooks/claude-code?event={payload['hook_event_name']}"
            reply = self.server.call("POST", target, body)
            assert reply.status == 200, payload
            assert isinstance(json.loads(reply.body), dict)

    def lines(self, *names: str) -> None:
        """Write transcripts, as whole as they were at the end."""
        for name in names:
            recorded = transcript(name)
            session = next(str(one["sessionId"]) for one in recorded if "sessionId" in one)
            agent = next((str(one["agentId"]) for one in recorded if "agentId" in one), "")
            path = self.projects / f"{session}.jsonl"
            if "agent" in name:
                path = self.projects / session / "subagents" / f"agent-{agent}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(self._placed(line)) + "\n" for line in recorded)
            path.write_text(text, encoding="utf-8")

    def sessions(self) -> list[Session]:
        """Return all sessions, oldest first."""
        return sorted(self.memory.sessions.list(), key=lambda one: one.id)

    def uses(self) -> Counter[str]:
        """Return how often each use of a tool is observed."""
        found = (one.tool_use_id for one in self.memory.observations.list(limit=200))
        return Counter(use for use in found if use)

    def said(self, *roles: str) -> Counter[str]:
        """Return how often each text was said by these roles, in all sessions."""
        messages = (
            message
            for session in self.sessions()
            for message in self.memory.sessions.messages(session.id)
        )
        return Counter(message.text for message in messages if message.role in roles)

    def _placed(self, record: dict[str, Any]) -> Any:
        return json.loads(json.dumps(record).replace(PROJECTS, str(self.projects)))


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Recorded]:
    """A home that follows the folder of projects."""
    root = tmp_path / "claude" / "projects"
    followed = {"workspace.transcripts": [str(root)]}
    with RunningServer(tmp_path / "home", overrides={**OVERRIDES, **followed}) as server:
        yield Recorded(server, root / "-home-ana-shop")


@pytest.mark.parametrize("order", ORDERS.values(), ids=list(ORDERS))
def test_in_every_order_each_tool_and_prompt_is_there_once(
    recorded: Recorded, order: tuple[str, ...]
) -> None:
    """Whichever comes first wins, and the other is the same."""
    for step in order:
        if step == "hooks":
            recorded.hooks("work")
        elif step == "lines":
            recorded.lines("work", "work.agent1")
        elif step == "sync":
            recorded.memory.sync()
        else:
            recorded.memory.import_transcripts(recorded.projects.parent)
    assert recorded.uses() == ONCE
    assert recorded.said("user")["Write a note"] == 1
    assert recorded.said("assistant")["The note says two."] == 1


def test_a_fork_and_its_parent_share_what_was_copied(recorded: Recorded) -> None:
    """The copied lines are not messages again, and go on being the parent's."""
    recorded.hooks("plain", "resumed", "forked", "resumed_after_fork")
    recorded.lines("plain", "forked")
    recorded.memory.sync()
    parent, fork = recorded.sessions()
    assert (fork.parent_id, parent.parent_id) == (parent.id, None)
    assert fork.message_count == 2
    typed = recorded.said("user")
    assert typed["And the cup?"] == 1
    assert typed["And the spoon?"] == 1


def test_an_interruption_is_known_from_the_transcript(recorded: Recorded) -> None:
    """No hook tells of it."""
    recorded.hooks("interrupted")
    recorded.lines("interrupted")
    recorded.memory.sync()
    assert recorded.uses() == Counter({"toolu_i": 1})
    (use,) = (one for one in recorded.memory.observations.list(limit=9) if one.tool_use_id)
    assert use.title.endswith(" (interrupted)")
    assert use.error is None


@pytest.mark.parametrize("run", ["denied", "refused", "command", "after_compaction"])
def test_every_event_of_a_run_is_answered(recorded: Recorded, run: str) -> None:
    """Refused tools, errors of the API, slash commands: whatever it is, the agent goes on."""
    recorded.hooks(run)
    assert len(recorded.sessions()) == 1
