"""Hooks that write down what Claude Code hands them, without any program of ours.

For the payloads and the order of events as they really are; the tests of our own hooks use the
plugin.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
)
"""All events of 2.1.330, as its settings accept them."""


class Recording:
    """Payloads of hooks, one file each, in the order in which they were handed over.

    Args:
        folder: Where they and the settings are kept; made.
        events: Which events; a hook of WorktreeCreate would have to make the worktree itself.
    """

    def __init__(self, folder: Path, events: Iterable[str] = EVENTS) -> None:
        self.folder = folder / "payloads"
        self.folder.mkdir(parents=True)
        self.settings = folder / "recording.json"
        hooks = {event: [{"hooks": [self._hook(event)]}] for event in events}
        hooks.pop("WorktreeCreate", None)
        self.settings.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")

    def payloads(self, *events: str) -> list[dict[str, Any]]:
        """Return the payloads of these events, or of all, oldest first."""
        whole = sorted(self.folder.glob("[0-9]*"))
        found = [json.loads(path.read_bytes()) for path in whole]
        return [one for one in found if not events or one["hook_event_name"] in events]

    def names(self) -> list[str]:
        """Return the names of the events, oldest first."""
        return [str(payload["hook_event_name"]) for payload in self.payloads()]

    def forget(self) -> None:
        """Remove what was recorded so far."""
        for path in self.folder.iterdir():
            path.unlink()

    def _hook(self, event: str) -> dict[str, str]:
        script = f"cd '{self.folder}' && n=$(date +%s%N)-{event} && cat >.$n && mv .$n $n"
        return {"type": "command", "command": script}
