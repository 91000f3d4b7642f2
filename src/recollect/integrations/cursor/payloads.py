"""Hook events of Cursor.

From its documentation (the page "Hooks", November 2026; the payloads are in
``tests/unit/integrations/payloads/cursor.jsonl``): the turn is ``generation_id``, and an assistant
message ends in an event of its own, of which a turn has several. Events have no time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recollect.integrations.hook_event import (
    HookAnswer,
    HookEvent,
    Moment,
    digest_of,
    parsed,
    text_of,
)

EVENTS: Mapping[str, Moment] = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "postToolUse": "tool",
    "postToolUseFailure": "tool",
    "afterAgentResponse": "answer",
    "subagentStop": "subagent",
    "preCompact": "before_compaction",
    "stop": "interrupted",
    "sessionEnd": "end",
}
_ENDED_WELL = "completed"
_MCP = "MCP:"


class CursorHooks:
    """Reads the input that Cursor gives to a hook, and writes the output that it honours."""

    name = "cursor"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises."""
        name = event_name or text_of(payload, "hook_event_name") or ""
        moment = EVENTS.get(name, "other")
        status = text_of(payload, "status")
        if moment == "interrupted" and status == _ENDED_WELL:
            moment = "other"
        text = text_of(payload, "prompt") or text_of(payload, "text") or text_of(payload, "summary")
        turn = text_of(payload, "generation_id")
        if moment == "answer" and turn is not None:
            turn = f"{turn}-{digest_of(text)}"
        output = parsed(payload.get("tool_output"))
        return HookEvent(
            client=self.name,
            name=name,
            moment=moment,
            foreign_id=text_of(payload, "conversation_id") or text_of(payload, "session_id"),
            project_path=_project_of(payload),
            source="startup" if moment == "start" else None,
            prompt_id=turn,
            agent_type=text_of(payload, "subagent_type"),
            tool_use_id=text_of(payload, "tool_use_id"),
            tool_name=_tool_of(payload),
            input=parsed(payload.get("tool_input")),
            output=output,
            error=text_of(payload, "error_message") or _error_of(moment, status, output),
            text=text,
            reason=text_of(payload, "reason") or text_of(payload, "trigger"),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the context where Cursor takes it: at the start of a conversation alone."""
        if event.moment == "prompt":
            return {"continue": True}
        return {"additional_context": context} if event.moment == "start" and context else {}


def _project_of(payload: Mapping[str, Any]) -> str | None:
    """Return the first folder of the workspace: a tool may run below it."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return first if isinstance(first, str) else text_of(payload, "cwd")


def _tool_of(payload: Mapping[str, Any]) -> str | None:
    """Return the name of the tool; Cursor does not say which MCP server has it."""
    name = text_of(payload, "tool_name")
    return name and name.removeprefix(_MCP)


def _error_of(moment: Moment, status: str | None, output: Any) -> str | None:
    if moment == "interrupted":
        return status or "interrupted"
    code = output.get("exitCode") if isinstance(output, dict) else None
    return f"Exit code {json.dumps(code)}" if code else None
