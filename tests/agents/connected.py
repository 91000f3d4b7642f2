"""A user of the real Claude Code who has connected it to a memory, with a worker."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.server.presence import find_presence
from tests.agents.claude_code import ClaudeCode, Run
from tests.agents.messages_api import MessagesApi, Script, Use
from tests.support.agent_user import Ran, Turn, User

PERMITTED = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Agent")
TOOL = "mcp__plugin_recollect_memory__memory_search"


@dataclass
class Connected:
    """The user, the client and its stand-in for the API; the worker runs.

    Args:
        user: Who types commands.
        claude: Their client.
        project: Where they work.
    """

    user: User
    claude: ClaudeCode
    project: Path

    @property
    def api(self) -> MessagesApi:
        """What answers the client."""
        return self.claude.api

    def connect(self, *options: object) -> None:
        """Type what a user types once, with options of `init claude-code`."""
        (self.user.home / ".claude").mkdir(exist_ok=True)
        self.user.types("init")
        self.user.types("config", "set", "embedding.provider", "none")
        self.user.types("init", "claude-code", *options)
        self.user.types("serve", "--daemon")

    def run(self, prompt: str, *options: object, script: Script | None = None) -> Run:
        """Let the client run a prompt; only what is asked from here on is kept."""
        self.api.script = script or Script()
        self.api.forget()
        return self.claude.run(prompt, *PERMITTED, *options, folder=self.project)

    def asked(self) -> str:
        """Return all words of the last request of the conversation."""
        return self.api.conversation()[-1].text

    def worker(self) -> int:
        """Return the process of the worker."""
        found = find_presence(self.user.memory)
        assert found is not None
        return found.pid

    def signal_worker(self, number: signal.Signals) -> None:
        """Send the worker a signal; one that is gone gets none."""
        found = find_presence(self.user.memory)
        if found is not None:
            with suppress(ProcessLookupError):
                os.kill(found.pid, number)

    def reboot(self) -> None:
        """Kill the worker, and run what follows with deferred tools, as the client does alone.

        The first event may wait longer for a worker than 1.5 s: a machine under test is slower.
        """
        hooks = self.claude.config / "skills" / "recollect" / "hooks" / "hooks.json"
        patient = hooks.read_text().replace('"1500"', '"60000"')
        hooks.write_text(patient.replace('"timeout": 4', '"timeout": 70'))
        self.signal_worker(signal.SIGKILL)
        self.claude.environment = {"ENABLE_TOOL_SEARCH": "true"}

    def reconcile(self) -> None:
        """Start a worker where none runs, and let it take in all that waits."""
        if find_presence(self.user.memory) is None:
            self.user.types("serve", "--daemon")
        self.user.types("sync")

    def observations(self) -> list[dict[str, Any]]:
        """Return all observations, newest first."""
        found = self.user.asks("observe", "--last", "200")["observations"]
        assert isinstance(found, list)
        return found

    def tools(self) -> Counter[str]:
        """Return how often each use of a tool is observed, by its id."""
        uses = (one["tool_use_id"] for one in self.observations())
        return Counter(str(use) for use in uses if use)

    def said(self) -> Counter[tuple[str, str]]:
        """Return how often each text was said, by role and text."""
        found: Counter[tuple[str, str]] = Counter()
        for session in self.user.asks("sessions")["sessions"]:
            lines = self.user.asks("transcript", session["id"])["messages"]
            found.update((line["role"], line["text"]) for line in lines)
        return found

    def moments(self, event: str) -> list[Mapping[str, Any]]:
        """Return the observations of an event."""
        return [one for one in self.observations() if one["event"] == event]


class RealAgent:
    """The real client as the agent of a day."""

    def __init__(self, claude: ClaudeCode) -> None:
        self.claude = claude

    def run(self, turn: Turn, folder: Path, resume: str | None = None) -> Ran:
        """Run a turn, whose commands are really run."""
        calls = [[Use("Bash", {"command": call.command}, call.id)] for call in turn.calls]
        api = self.claude.api
        api.script = Script(main=[*calls, [turn.answer]])
        api.forget()
        options = ("--resume", resume) if resume else ()
        run = self.claude.run(turn.prompt, *PERMITTED, *options, folder=folder)
        return Ran(run.session_id, api.conversation()[-1].text)
