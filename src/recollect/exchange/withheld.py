"""The parts that an import leaves out because a person does not want them captured.

A transcript of a project that is not captured is not read and not noted as read, so that it comes
once it may; of others, messages of a pause and some tool calls are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.exchange.transcript import ForeignSession, Record

_CALLS = frozenset({"tool_use", "toolCall", "function_call"})
_RESULTS = frozenset({"tool_result", "toolResult", "function_call_output"})
_TOOLS = _CALLS | _RESULTS
_ARGUMENTS = ("input", "arguments", "args")
_PROJECT = ("cwd", "project")
"""Fields of a line with the folder where it was said, in any format."""


class CallFilter:
    """Takes calls of tools out of messages, and their results when they come.

    Args:
        is_withheld: Returns whether a call with a name and arguments is left out.
    """

    def __init__(self, is_withheld: Callable[[str, object], bool]) -> None:
        self._is_withheld = is_withheld
        self._waiting: set[str] = set()
        """Calls whose results are still to come."""
        self.calls = 0
        """The number of calls taken out."""

    def kept(self, content: Any) -> Any:
        """Return a content without the blocks of such calls; None if nothing is left of it."""
        if not isinstance(content, list):
            return content
        left = [block for block in content if not self.takes(block)]
        return left if left or not content else None

    def takes(self, block: Any) -> bool:
        """Return whether a block is a call that is left out, or the result of one."""
        if not is_of_tool(block):
            return False
        name = block.get("name")
        is_call = block["type"] in _CALLS
        goes = isinstance(name, str) and self._is_withheld(name, _arguments(block))
        if is_call:
            call = block.get("id") or block.get("call_id")
            self.calls += goes
            if goes and isinstance(call, str):
                self._waiting.add(call)
            return goes
        call = str(block.get("tool_use_id") or block.get("call_id") or block.get("toolCallId"))
        is_answer = call in self._waiting
        self._waiting.discard(call)
        return goes or is_answer


def is_of_tool(block: Any) -> bool:
    """Return whether a block is the call of a tool, or the result of one."""
    return isinstance(block, Mapping) and block.get("type") in _TOOLS


def project_of(session: ForeignSession, records: Iterable[Record]) -> str | None:
    """Return the folder that a transcript is about, by its session or the first of its lines."""
    told = (record[name] for record in records for name in _PROJECT if name in record)
    return session.project or next((each for each in told if isinstance(each, str) and each), None)


def _arguments(block: Mapping[str, Any]) -> object:
    return next((block[name] for name in _ARGUMENTS if name in block), None)
