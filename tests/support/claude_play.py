"""A conversation of Claude Code that its hooks and its transcript tell, in any order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from recollect.caller import Caller, Callers
from recollect.core.clock import to_iso
from recollect.memory import Memory
from recollect.pool import MemoryPool
from recollect.server.routes.client_hooks import ClientReport, answer
from recollect.sessions.record.session import Session

BEGAN = 1_795_340_000_000
SESSION = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"
TURNS = (
    ("Where is the kettle?", ("Read", "Bash"), "In the scullery."),
    ("And the lid?", ("Edit",), "On the pot."),
    ("Where is the kettle?", (), "Still in the scullery."),
)
"""What was asked, the tools that were used, the second of which fails, and the answer."""


class Step(msgspec.Struct, frozen=True):
    """One event: what a hook tells of it, and the lines that are written; either may be missing."""

    event: str
    told: dict[str, Any]
    lines: list[dict[str, Any]]


class Play:
    """The steps of a conversation.

    Args:
        projects: The folder of all transcripts.
        session: Its id.
    """

    def __init__(self, projects: Path, session: str = SESSION) -> None:
        self.session = session
        self.path = projects / "-home-ana-shop" / f"{session}.jsonl"
        self._now = BEGAN
        self.uuids: list[str] = []
        self.steps = [Step("SessionStart", {"source": "startup"}, [])]
        for number, turn in enumerate(TURNS):
            self.steps += self._turn(f"p-{number}", *turn)
        self.steps.append(Step("SessionEnd", {"reason": "other"}, []))

    def line(self, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        """Return a line."""
        self._now += 1_000
        self.uuids.append(f"00000000-0000-4000-8000-{len(self.uuids):012d}")
        return {
            "type": kind,
            "uuid": self.uuids[-1],
            "sessionId": self.session,
            "cwd": "/home/ana/shop",
            "isSidechain": False,
            "timestamp": to_iso(self._now),
            "message": {"role": kind, "content": content},
            **more,
        }

    def _turn(self, prompt: str, asked: str, tools: tuple[str, ...], said: str) -> Iterator[Step]:
        facts = {"prompt_id": prompt}
        lines = [self.line("user", asked, promptId=prompt)]
        yield Step("UserPromptSubmit", facts | {"prompt": asked}, lines)
        for number, tool in enumerate(tools):
            failed, call = number == 1, f"toolu_{prompt}_{number}"
            given = (
                {"file_path": "/home/ana/shop/kettle.md"} if tool != "Bash" else {"command": "x"}
            )
            use = {"type": "tool_use", "id": call, "name": tool, "input": given}
            result = {
                "type": "tool_result",
                "tool_use_id": call,
                "content": "told",
                "is_error": failed,
            }
            lines = [
                self.line("assistant", [{"type": "text", "text": f"Let me look: {call}"}]),
                self.line("assistant", [use]),
                self.line("user", [result], promptId=prompt),
            ]
            told = {"tool_name": tool, "tool_input": given, "tool_use_id": call}
            came = {"error": "told"} if failed else {"tool_response": {"stdout": "told"}}
            name = "PostToolUseFailure" if failed else "PostToolUse"
            yield Step(name, facts | told | came, lines)
        lines = [self.line("assistant", [{"type": "text", "text": said}])]
        yield Step("Stop", facts | {"last_assistant_message": said}, lines)

    def hook(self, caller: Caller, step: Step) -> None:
        """Tell what a hook tells of a step."""
        at = step.lines[-1]["timestamp"] if step.lines else to_iso(self._now)
        payload = {
            "session_id": self.session,
            "transcript_path": str(self.path),
            "cwd": "/home/ana/shop",
            "hook_event_name": step.event,
            **step.told,
        }
        report = ClientReport(client="claude-code", event=step.event, at=at, payload=payload)
        answer(caller, report)

    def write(self, step: Step) -> None:
        """Write the lines of a step."""
        write_lines(self.path, step.lines)

    def problems(self, memory: Memory) -> list[str]:
        """Return what is missing or doubled, of a transcript that was read to its end."""
        wanted = [line for step in self.steps for line in step.lines]
        session = session_of(memory, self.session)
        messages = memory.sessions.messages(session.id)
        found = [each.foreign_id for each in messages]
        problems = [] if found == [line["uuid"] for line in wanted] else [f"messages {found}"]
        observed = memory.observations.list(session_id=session.id, limit=500)
        calls = sorted(each.tool_use_id or "" for each in observed if each.tool_name)
        used = sorted(
            block["tool_use_id"]
            for line in wanted
            for block in line["message"]["content"]
            if isinstance(block, dict) and block["type"] == "tool_result"
        )
        problems += [] if calls == used else [f"tools {calls}"]
        loose = [each.number for each in observed if each.tool_name and each.message_id is None]
        keys = [each.event_id for each in observed if each.event_id]
        problems += [f"not linked: {loose}"] if loose else []
        return problems + ([] if len(keys) == len(set(keys)) else [f"keys {keys}"])


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """Append lines to a transcript."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def session_of(memory: Memory, foreign_id: str) -> Session:
    """Return the session of Claude Code with an id."""
    (found,) = [each for each in memory.sessions.list(limit=100) if each.foreign_id == foreign_id]
    return found


@contextmanager
def memory_and_caller(
    home: Path, projects: Path, *, following: bool
) -> Iterator[tuple[Memory, Caller]]:
    """Open a home, and let its owner call."""
    settings: dict[str, Any] = {"embedding.provider": "none"}
    if following:
        settings["workspace.transcripts"] = [str(projects)]
    with MemoryPool(home, settings) as pool:
        caller = Callers(pool).local("owner", "admin")
        yield caller.memory, caller
