"""Hook events of Codex: the names of Claude Code, with differences that matter.

Recorded from Codex 0.169 (``tests/unit/integrations/payloads/codex.jsonl``): the turn is
``turn_id``; a prompt inside a sub-agent is an event of its parent's session; a shell command that
failed says so nowhere; a call of an MCP server that failed has no ``PostToolUse``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recollect.integrations.hook_event import (
    HookAnswer,
    HookEvent,
    Moment,
    context_answer,
    source_of,
    text_of,
)

EVENTS: Mapping[str, Moment] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "tool",
    "Stop": "answer",
    "SubagentStop": "subagent",
    "PreCompact": "before_compaction",
    "PostCompact": "compaction",
    "Interrupt": "interrupted",
    "SessionEnd": "end",
}
_HEARS = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"})
"""Events whose context reaches the model. In the output of any other the field is an error."""
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t]*$", re.MULTILINE)


class CodexHooks:
    """Reads the input that Codex gives to a hook, and writes the output that it honours."""

    name = "codex"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises."""
        name = event_name or text_of(payload, "hook_event_name") or ""
        agent_id = text_of(payload, "agent_id")
        moment = EVENTS.get(name, "other")
        if moment == "prompt" and agent_id:  # the main agent's words to the sub-agent
            moment = "other"
        tool_name = text_of(payload, "tool_name")
        return HookEvent(
            client=self.name,
            name=name,
            moment=moment,
            foreign_id=text_of(payload, "session_id"),
            project_path=text_of(payload, "cwd"),
            transcript_path=text_of(payload, "transcript_path"),
            source=source_of(payload),
            prompt_id=text_of(payload, "turn_id"),
            agent_id=agent_id,
            agent_type=text_of(payload, "agent_type"),
            tool_use_id=text_of(payload, "tool_use_id"),
            tool_name=tool_name,
            input=_with_paths(tool_name, payload.get("tool_input")),
            output=payload.get("tool_response"),
            error="interrupted" if moment == "interrupted" else None,
            text=text_of(payload, "prompt") or text_of(payload, "last_assistant_message"),
            reason=text_of(payload, "reason") or text_of(payload, "trigger"),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the context where Codex passes it on; anything else would be an error there."""
        return context_answer(event, context) if event.name in _HEARS else {}


def _with_paths(tool_name: str | None, tool_input: Any) -> Any:
    """Return the input of a tool, with the files of a patch, which only its text names."""
    if tool_name != "apply_patch" or not isinstance(tool_input, dict):
        return tool_input
    patch = tool_input.get("command")
    paths = _PATCHED.findall(patch) if isinstance(patch, str) else []
    return {**tool_input, "paths": list(dict.fromkeys(paths))} if paths else tool_input
