"""Hook events of GitHub Copilot CLI.

From its documentation (the page "Hooks reference", November 2026; the payloads are in
``tests/unit/integrations/payloads/copilot.jsonl``): turns and calls have no ids, so the time of an
event serves as one, and ``agentStop`` does not say what the agent answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.integrations.hook_event import (
    HookAnswer,
    HookEvent,
    Moment,
    digest_of,
    parsed,
    source_of,
    text_of,
)

EVENTS: Mapping[str, Moment] = {
    "sessionStart": "start",
    "userPromptSubmitted": "prompt",
    "postToolUse": "tool",
    "postToolUseFailure": "tool",
    "subagentStop": "subagent",
    "preCompact": "before_compaction",
    "errorOccurred": "interrupted",
    "sessionEnd": "end",
}
_TOOLS = {"create": "create_file"}
"""Names that mean something else elsewhere."""


class CopilotHooks:
    """Reads the input that Copilot CLI gives to a hook, and writes the output that it honours."""

    name = "copilot"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises. Its payload does not name the event."""
        moment = EVENTS.get(event_name, "other")
        at, tool = payload.get("timestamp"), text_of(payload, "toolName")
        at = at if isinstance(at, int | str) else None
        arguments = parsed(payload.get("toolArgs"))
        result = payload.get("toolResult")
        return HookEvent(
            client=self.name,
            name=event_name,
            moment=moment,
            foreign_id=text_of(payload, "sessionId"),
            project_path=text_of(payload, "cwd"),
            source=source_of(payload) or ("startup" if moment == "start" else None),
            at=at,
            prompt_id=None if at is None else str(at),
            agent_id=text_of(payload, "agentId"),
            agent_type=text_of(payload, "agentName") or text_of(payload, "agentType"),
            tool_use_id=f"{at}-{digest_of([tool, arguments])}" if tool and at is not None else None,
            tool_name=None if tool is None else _TOOLS.get(tool, tool),
            input=arguments,
            output=result.get("textResultForLlm", result) if isinstance(result, dict) else result,
            error=_error_of(payload.get("error")),
            text=text_of(payload, "prompt") or text_of(payload, "response"),
            reason=text_of(payload, "reason") or text_of(payload, "trigger"),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the context where Copilot CLI takes it: at the start of a session alone."""
        return {"additionalContext": context} if event.moment == "start" and context else {}


def _error_of(error: Any) -> str | None:
    if isinstance(error, dict):
        return text_of(error, "message") or "failed"
    return error if isinstance(error, str) else None
