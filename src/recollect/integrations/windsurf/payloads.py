"""Hook events of Windsurf's Cascade.

From its documentation (the page "Cascade Hooks", November 2026; the payloads are in
``tests/unit/integrations/payloads/windsurf.jsonl``): the conversation is ``trajectory_id``, the
turn ``execution_id``, and all else is in ``tool_info``. Nothing that a hook prints reaches the
model. Only commands say in which folder they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.integrations.hook_event import HookAnswer, HookEvent, Moment, digest_of, text_of

EVENTS: Mapping[str, Moment] = {
    "pre_user_prompt": "prompt",
    "post_read_code": "tool",
    "post_write_code": "tool",
    "post_run_command": "tool",
    "post_mcp_tool_use": "tool",
    "post_cascade_response": "answer",
}
_TOOLS = {
    "post_read_code": "read_file",
    "post_write_code": "edit_file",
    "post_run_command": "run_terminal_cmd",
}
"""Actions have no tool: these are what other editors call it."""
_OUTPUT = "mcp_result"


class WindsurfHooks:
    """Reads the input that Cascade gives to a hook; it takes no output."""

    name = "windsurf"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises."""
        name = event_name or text_of(payload, "agent_action_name") or ""
        moment = EVENTS.get(name, "other")
        info = payload.get("tool_info")
        info = info if isinstance(info, dict) else {}
        at, is_tool = text_of(payload, "timestamp"), moment == "tool"
        return HookEvent(
            client=self.name,
            name=name,
            moment=moment,
            foreign_id=text_of(payload, "trajectory_id"),
            project_path=text_of(info, "cwd"),
            at=at,
            prompt_id=text_of(payload, "execution_id"),
            tool_use_id=f"{at}-{digest_of([name, info])}" if is_tool and at else None,
            tool_name=_tool_of(name, info) if is_tool else None,
            input=_input_of(info) if is_tool else None,
            output=info.get(_OUTPUT),
            text=text_of(info, "user_prompt") or text_of(info, "response"),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return nothing: Cascade shows its user what a hook prints, and never the model."""
        return {}


def _tool_of(name: str, info: Mapping[str, Any]) -> str | None:
    if name in _TOOLS:
        return _TOOLS[name]
    server, tool = text_of(info, "mcp_server_name"), text_of(info, "mcp_tool_name")
    return f"mcp__{server}__{tool}" if tool else None


def _input_of(info: Mapping[str, Any]) -> Any:
    """Return what the tool was given: the command under the name that others have."""
    if "mcp_tool_arguments" in info:
        return info["mcp_tool_arguments"]
    command = {"command": info["command_line"]} if "command_line" in info else {}
    return command | {name: value for name, value in info.items() if name != "command_line"}
