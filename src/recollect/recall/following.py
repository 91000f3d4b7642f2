"""Formats as they are followed: only the conversation with people is taken from a transcript.

Turns that no person began, sub-agents, scheduled runs and recalled memory are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from recollect.exchange.formats.openclaw import is_machine
from recollect.exchange.gate import CallFilter, is_of_tool
from recollect.exchange.transcript import (
    ForeignLine,
    ForeignMessage,
    ForeignSession,
    Record,
    Skip,
    TranscriptFormat,
)

LEFT_OUT = "left_out"
"""Marks a session of which nothing is imported; such a session is not created."""

_UNATTENDED = frozenset({"acp", "cron", "heartbeat", "hook", "subagent"})
"""Parts of OpenClaw's session keys that mean that no person takes part."""
_MOST_ANCESTORS = 32
_SILENT = frozenset({"HEARTBEAT_OK", "NO_REPLY"})
_HEARTBEAT = re.compile(
    r"\s*(?:Read HEARTBEAT\.md|\[(?:OpenClaw )?heartbeat|heartbeat poll)\b", re.IGNORECASE
)
_SCHEDULED = re.compile(r"\s*\[cron:")
_RECALLED = re.compile(
    r"<(recollect[\w-]*|relevant[-_]memories|recalled[-_]memor(?:y|ies)|memory[-_]context"
    r"|active_memory_plugin|claude-mem-context|supermemory-context)(?:\s[^<>]*)?>.*?</\1>\s*",
    re.DOTALL | re.IGNORECASE,
)
"""What memories put into prompts; a memory that read it again would quote itself for ever."""
_MEMORY_TOOL = re.compile(
    r"(?:mcp__\w*(?:recollect|memory|mem)\w*__\w+|memory_(?:search|get|recall)|intent|session_context"
    r"|sessions_(?:search|history)|timeline|get_observations)"
)


class Following:
    """A format as it is followed. Remembers the state of turns from one reading to the next.

    Args:
        form: The format that reads the lines.
    """

    def __init__(self, form: TranscriptFormat) -> None:
        self._form = form
        self.name, self.is_owners = form.name, form.is_owners
        self.companion, self.line_id = form.companion, form.line_id
        self._quiet: set[str] = set()
        """Sessions in a turn that no person began."""
        self._recalls = CallFilter(lambda name, _: _MEMORY_TOOL.fullmatch(name) is not None)

    def recognises(self, record: Record) -> bool:
        """Return whether a record has this format."""
        return self._form.recognises(record)

    def describe(
        self, path: PurePath, header: Record | None, companion: Record | None = None
    ) -> ForeignSession:
        """Return the session of a file, marked when it is to be left out."""
        session = self._form.describe(path, header, companion)
        if self._is_of_agent(path) or _is_unattended(session.key, companion or {}):
            return msgspec.structs.replace(session, metadata=session.metadata | {LEFT_OUT: True})
        return session

    def place(self, path: PurePath) -> PurePath:
        """Return the folder whose sessions have ids of their own."""
        return self._form.place(path)

    def parse(self, record: Record, session: ForeignSession) -> ForeignLine:
        """Return the line of one record, if it is part of a conversation with people."""
        line = self._form.parse(record, session)
        if isinstance(line, ForeignMessage) and line.within is not None:
            return self._tools_of(line)
        if LEFT_OUT in session.metadata:
            return Skip(reason="a sub-agent or a scheduled run")
        if not isinstance(line, ForeignMessage):
            return line
        reason = self._turn(record, line)
        if reason is not None:
            return Skip(reason=reason)
        content = self._without_recalled(line.content)
        if not content or (isinstance(content, str) and not content.strip()):
            return Skip(reason="nothing but recalled memory, or nothing at all")
        return msgspec.structs.replace(line, content=content)

    def _tools_of(self, line: ForeignMessage) -> ForeignLine:
        """Return the tools in the line of a sub-agent: nothing else of it is imported."""
        blocks = line.content if isinstance(line.content, list) else ()
        tools = [each for each in blocks if is_of_tool(each) and not self._recalls.takes(each)]
        if not tools:
            return Skip(reason="a sub-agent")
        return msgspec.structs.replace(line, content=tools, is_stored=False)

    def _is_of_agent(self, path: PurePath) -> bool:
        """Whether a file belongs to a sub-agent of Claude Code."""
        is_agent = path.name.startswith("agent-") or "subagents" in path.parts
        return is_agent and self.name == "claude-code"

    def _turn(self, record: Record, line: ForeignMessage) -> str | None:
        """Return the reason why a message is left out with its turn, or None."""
        text = _text(line.content)
        by_machine = is_machine(record)
        if line.role == "user" or by_machine:
            self._quiet.discard(line.session.id)
            if by_machine or _HEARTBEAT.match(text) or _SCHEDULED.match(text):
                self._quiet.add(line.session.id)
        if line.session.id in self._quiet:
            return "a turn that no person began"
        return "a silent reply" if text.strip() in _SILENT else None

    def _without_recalled(self, content: object) -> Any:
        if isinstance(content, str):
            return _RECALLED.sub("", content).strip() if "<" in content else content
        if not isinstance(content, list):
            return content
        blocks = [self._kept(block) for block in content]
        return [block for block in blocks if block is not None]

    def _kept(self, block: Any) -> Any:
        """Return a block without what a memory put into it, or None."""
        if not isinstance(block, dict):
            return block
        if self._recalls.takes(block):
            return None
        text = block.get("text")
        if not isinstance(text, str) or "<" not in text:
            return block
        rest = _RECALLED.sub("", text)
        return block | {"text": rest} if rest.strip() else None


def following_formats() -> tuple[TranscriptFormat, ...]:
    """Return every known format as it is followed, in the order in which they are tried."""
    from recollect.exchange.formats.registry import FORMATS

    return tuple(Following(form) for form in FORMATS.values())


def _is_unattended(key: str | None, companion: Record) -> bool:
    """Whether a session of OpenClaw, or one of its ancestors, runs without a person."""
    return any(
        _runs_alone(ancestor.split(":")) or _entry(ancestor, companion).get("createdVia") == "cron"
        for ancestor in _ancestors(key, companion)
    )


def _runs_alone(parts: list[str]) -> bool:
    """Whether a key, ``agent:<id>:<kind>…`` or ``<kind>:…``, has such a kind."""
    kind = parts[2] if parts[0] == "agent" and len(parts) > 2 else parts[0]
    return kind in _UNATTENDED or kind.startswith("dreaming") or parts[-1] == "heartbeat"


def _ancestors(key: str | None, companion: Record) -> Iterator[str]:
    """Yield a key, and those of its parent sessions, by either name of the field."""
    waiting, seen = [key], set[str]()
    while waiting and len(seen) < _MOST_ANCESTORS:
        key = waiting.pop()
        if isinstance(key, str) and key not in seen:
            seen.add(key)
            yield key
            entry = _entry(key, companion)
            waiting += [entry.get("spawnedBy"), entry.get("parentSessionKey")]


def _entry(key: str, companion: Record) -> Record:
    entry = companion.get(key)
    return entry if isinstance(entry, dict) else {}


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return " ".join(text for text in texts if isinstance(text, str))
