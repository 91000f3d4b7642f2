"""Events of OpenCode, as our plugin in it reports them.

OpenCode has no hooks that are commands: ``plugin/recollect.js`` runs in it, and hands each event to
the hook client in one form, whichever version of the plugin API it was told by.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.integrations.hook_event import HookAnswer, HookEvent, Moment, text_of

EVENTS: Mapping[str, Moment] = {
    "start": "start",
    "prompt": "prompt",
    "tool": "tool",
    "answer": "answer",
    "failed": "interrupted",
    "end": "end",
}


class OpenCodeHooks:
    """Reads what our plugin reports, and answers the context that it is to add."""

    name = "opencode"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises."""
        moment = EVENTS.get(event_name, "other")
        return HookEvent(
            client=self.name,
            name=event_name,
            moment=moment,
            foreign_id=text_of(payload, "session_id"),
            project_path=text_of(payload, "cwd"),
            source="startup" if moment == "start" else None,
            prompt_id=text_of(payload, "message_id"),
            tool_use_id=text_of(payload, "call_id"),
            tool_name=text_of(payload, "tool"),
            input=payload.get("input"),
            output=payload.get("output"),
            error=text_of(payload, "error"),
            text=text_of(payload, "text"),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the context; the plugin puts it into the system prompt."""
        return {"context": context} if context else {}
