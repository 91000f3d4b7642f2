"""A session of Claude Code as its hooks tell it; shapes checked against version 2.1.329."""

from __future__ import annotations

from typing import Any

from recollect.core.clock import IdSource, SystemClock
from recollect.observations.observation import Observation
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, find_foreign
from tests.unit.server.client import Client

IDS = IdSource(SystemClock())


class ClaudeSession:
    """Sends what the hooks of one session send; every one must be answered with 200.

    Args:
        client: Calls the server.
        folder: In which the agent works.
        transcript: The file that the events name; one that nobody follows if not given.
        id_: Its id; a new one if not given.
    """

    def __init__(
        self, client: Client, folder: str, transcript: str = "", id_: str | None = None
    ) -> None:
        self.client = client
        self.folder = folder
        self.id = IDS.new() if id_ is None else id_
        self.transcript = transcript or f"/nowhere/projects/{self.id}.jsonl"
        self.prompt_id: str | None = None

    def send(self, event: str, **told: Any) -> dict[str, Any]:
        """Send an event; return what the hook prints."""
        payload = {
            "session_id": self.id,
            "transcript_path": self.transcript,
            "cwd": self.folder,
            "hook_event_name": event,
        }
        if self.prompt_id is not None:
            payload["prompt_id"] = self.prompt_id
        target = f"/api/hooks/claude-code?event={event}"
        status, answer = self.client.post(target, payload | told)
        assert status == 200, answer
        return dict(answer)

    def start(self, source: str = "startup", **told: Any) -> dict[str, Any]:
        """Begin or go on."""
        return self.send("SessionStart", source=source, **told)

    def prompt(self, text: str, **told: Any) -> dict[str, Any]:
        """Say something; a new turn begins."""
        self.prompt_id = IDS.new()
        return self.send("UserPromptSubmit", prompt=text, permission_mode="default", **told)

    def before(self, name: str, **given: Any) -> dict[str, Any]:
        """Tell that a tool is about to run."""
        told = {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{IDS.new()}"}
        return self.send("PreToolUse", **told)

    def tool(
        self, name: str, response: Any, use: str | None = None, **given: Any
    ) -> dict[str, Any]:
        """Tell what a tool gave back."""
        told = {"tool_name": name, "tool_input": given, "tool_response": response}
        told["tool_use_id"] = f"toolu_{IDS.new()}" if use is None else use
        return self.send("PostToolUse", duration_ms=6, **told)

    def stop(self, text: str, **told: Any) -> dict[str, Any]:
        """End a turn."""
        told = {"stop_hook_active": False, "background_tasks": [], "session_crons": []} | told
        return self.send("Stop", last_assistant_message=text, **told)

    def end(self, reason: str = "other") -> dict[str, Any]:
        """End the session."""
        return self.send("SessionEnd", reason=reason)

    @property
    def known(self) -> Session | None:
        """The session as it is stored; None where it is not."""
        records = self.client.memory._rooms.records  # noqa: SLF001
        return records.read(lambda tx: find_foreign(tx, "local", "claude-code", self.id))

    @property
    def session(self) -> Session:
        """The session as it is stored."""
        assert self.known is not None
        return self.known

    @property
    def observations(self) -> list[Observation]:
        """What is stored of it, oldest first."""
        if self.known is None:
            return []
        return self.client.memory.observations.list(session_id=self.session.id, limit=500)[::-1]

    @property
    def messages(self) -> list[Message]:
        """What was said in it."""
        return self.client.memory.sessions.messages(self.session.id)
