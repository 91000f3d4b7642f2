"""The input that Claude Code gives to its hooks, and the output that it honours.

Shapes checked against version 2.1.329. Its other events are ignored: their content is in the events
that are kept, in the transcript, or of no later use. For example, `PostToolBatch` repeats calls
that had events of their own, and `SubagentStart` adds nothing to `SubagentStop`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from recollect.integrations.hook_event import (
    HookAnswer,
    HookEvent,
    Moment,
    context_answer,
    source_of,
    text_of,
)

EVENTS: Final[Mapping[str, Moment]] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool",
    "SubagentStop": "subagent",
    "Stop": "answer",
    "StopFailure": "interrupted",
    "PreCompact": "before_compaction",
    "PostCompact": "compaction",
    "SessionEnd": "end",
}
"""The events that are kept, and their moments."""
_SAID: Mapping[Moment, str] = {"prompt": "prompt", "compaction": "compact_summary"}
"""The field with the text of an event; for all others ``last_assistant_message``."""
_REASONS = ("reason", "trigger")
_COPY = "originalFile"
"""In an edit, the whole file before it, beside the patch: it would be stored with each change."""


class ClaudeCodeHooks:
    """Reads the hook events of Claude Code."""

    name = "claude-code"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; one that is not in `EVENTS` has the moment ``other``."""
        name = event_name or text_of(payload, "hook_event_name") or ""
        moment = EVENTS.get(name, "other")
        text = text_of(payload, _SAID.get(moment, "last_assistant_message"))
        if text is not None and _is_of_program(moment, text, payload):
            moment = "other"
        errors = filter(None, (text_of(payload, "error"), text_of(payload, "error_details")))
        return HookEvent(
            client=self.name,
            name=name,
            moment=moment,
            foreign_id=text_of(payload, "session_id") or None,
            project_path=text_of(payload, "cwd"),
            transcript_path=text_of(payload, "transcript_path"),
            source=source_of(payload),
            prompt_id=text_of(payload, "prompt_id"),
            agent_id=text_of(payload, "agent_id") or None,
            agent_type=text_of(payload, "agent_type"),
            tool_use_id=text_of(payload, "tool_use_id"),
            tool_name=text_of(payload, "tool_name"),
            input=payload.get("tool_input"),
            output=_without_copy(payload.get("tool_response")),
            error=": ".join(errors) or ("failed" if name.endswith("Failure") else None),
            text=text,
            reason=next(filter(None, (text_of(payload, each) for each in _REASONS)), None),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the context where the event may add some."""
        return context_answer(event, context)


def _is_of_program(moment: Moment, text: str, payload: Mapping[str, Any]) -> bool:
    """Return whether the program speaks to itself.

    It uses a prompt to report to an agent that its sub-agent is done; and the writer of the summary
    of a compaction ends as a sub-agent without a type, with the text that `PostCompact` has.
    """
    if moment == "prompt":
        return text.startswith("<task-notification>")
    return moment == "subagent" and not payload.get("agent_type") and "<summary>" in text


def _without_copy(response: object) -> object:
    if isinstance(response, dict) and response.get("structuredPatch"):
        return {name: value for name, value in response.items() if name != _COPY}
    return response
