"""A scripted model and tool, in the wire shape of Anthropic, for the example of an agent's loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def ask_model(messages: list[dict[str, Any]], system: str = "") -> dict[str, Any]:
    """Answer as a model would that reads what it is told: the system prompt, and the last turn."""
    last = messages[-1]["content"]
    parts = [{"type": "text", "text": last}] if isinstance(last, str) else last
    if any(part["type"] == "tool_result" for part in parts):
        return _says("It is written down.")
    text = " ".join(part.get("text", "") for part in parts)
    if "Write that down" in text:
        given = {"file_path": "docs/queue.md", "content": "Redis.\n"}
        use = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": given}
        return {"role": "assistant", "content": [use]}
    return _says("Redis." if "Redis" in system else "I do not know.")


def run_tool(name: str, given: Mapping[str, Any]) -> str:
    """Say that the file was written."""
    return f"{name}: {given['file_path']}"


def _says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}
