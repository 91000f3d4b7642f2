"""Hook events of Gemini CLI.

Recorded from Gemini CLI 0.61 (``tests/unit/integrations/payloads/gemini.jsonl``): turns and calls
have no ids, so the time of the event serves as one: it is in the payload, and the same in every
delivery. In headless mode the prompt begins with the context of the hooks that ran before.
``PreCompress`` comes before every request, compressed or not.
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
    digest_of,
    source_of,
    text_of,
)

EVENTS: Mapping[str, Moment] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "BeforeTool": "before_tool",
    "AfterTool": "tool",
    "AfterAgent": "answer",
    "SessionEnd": "end",
}
_HEARS = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})
_INJECTED = re.compile(r"(?:\s*<hook_context>.*?</hook_context>)+\s*", re.DOTALL)
_FAILED = re.compile(r"^Exit Code: (?!0$)(-?\d+)$", re.MULTILINE)


class GeminiHooks:
    """Reads the input that Gemini CLI gives to a hook, and writes the output that it honours."""

    name = "gemini"

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises."""
        name = event_name or text_of(payload, "hook_event_name") or ""
        moment = EVENTS.get(name, "other")
        at = text_of(payload, "timestamp")
        tool_name = text_of(payload, "tool_name")
        response = payload.get("tool_response")
        is_answer = moment == "answer"
        return HookEvent(
            client=self.name,
            name=name,
            moment=moment,
            foreign_id=text_of(payload, "session_id"),
            project_path=text_of(payload, "cwd"),
            transcript_path=text_of(payload, "transcript_path"),
            source=source_of(payload),
            at=at,
            prompt_id=at,
            tool_use_id=_call_id(payload) if tool_name and at else None,
            pair_id=digest_of([tool_name, payload.get("tool_input")]) if tool_name else None,
            tool_name=tool_name,
            input=payload.get("tool_input"),
            output=_output_of(response),
            error=_error_of(tool_name, response),
            text=text_of(payload, "prompt_response") if is_answer else _prompt_of(payload),
            reason=text_of(payload, "reason"),
        )

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the context where Gemini CLI passes it on."""
        return context_answer(event, context) if event.name in _HEARS else {}


def _call_id(payload: Mapping[str, Any]) -> str:
    """Return an id that distinguishes a call from others in the same millisecond."""
    call = [payload.get("tool_name"), payload.get("tool_input")]
    return f"{payload.get('timestamp')}-{digest_of(call)}"


def _prompt_of(payload: Mapping[str, Any]) -> str | None:
    """Return the words of the user, without the context that hooks put before them."""
    prompt = text_of(payload, "prompt")
    injected = _INJECTED.match(prompt or "")
    return prompt[injected.end() :] if prompt and injected else prompt


def _output_of(response: Any) -> Any:
    """Return the output that the model saw; what the screen showed beside it repeats it."""
    return response.get("llmContent", response) if isinstance(response, dict) else response


def _error_of(tool_name: str | None, response: Any) -> str | None:
    if not isinstance(response, dict):
        return None
    error = response.get("error")
    if isinstance(error, dict):
        return text_of(error, "message") or "failed"
    content = response.get("llmContent")
    if tool_name == "run_shell_command" and isinstance(content, str):
        codes = _FAILED.findall(content)
        return f"Exit code {codes[-1]}" if codes else None
    return None
