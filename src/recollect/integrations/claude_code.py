"""Claude Code transcripts: ``~/.claude/projects/**/*.jsonl``, one file for each session.

Every line has a ``type``; user and assistant lines are the conversation, the others are the state
of the program. A reply is several lines, one for each content block. Sub-agents have files of
their own (``agent-<id>.jsonl``) or, in older versions, ``isSidechain`` lines in the main file.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from recollect.integrations.block_spelling import anthropic_block, block_extras
from recollect.integrations.fidelity import REST, rest_of, restored
from recollect.sessions.foreign import (
    ForeignLine,
    ForeignMessage,
    ForeignSession,
    Malformed,
    Record,
    Skip,
    parse_time,
)

_MARKS = frozenset({"sessionId", "leafUuid", "snapshot"})
"""Fields by which a typed line is one of Claude Code."""

_HELD = frozenset({"message", "parentUuid", "timestamp", "type", "uuid", "content", REST})
"""Fields of a line that the message stands for."""
_SHARED = frozenset(
    {
        "agentId",
        "cwd",
        "entrypoint",
        "gitBranch",
        "isSidechain",
        "sessionId",
        "slug",
        "userType",
        "version",
    }
)
"""Fields that the lines of a session have alike, most of the time."""

_NOTICES = frozenset(
    {
        "api_error",
        "api_metrics",
        "bridge_status",
        "compact_boundary",
        "init",
        "local_command",
        "microcompact_boundary",
        "stop_hook_summary",
        "turn_duration",
    }
)
"""System lines about the program, not about the conversation."""

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>\s*", re.DOTALL)
_LOCAL_OUTPUT = re.compile(
    r"\s*<(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>"
)
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_BASH_INPUT = re.compile(r"\s*<bash-input>(.*?)</bash-input>", re.DOTALL)
_INTERRUPTED = "[Request interrupted by user"


class ClaudeCodeFormat:
    """Reads what Claude Code writes (shapes checked against versions 2.0 to 2.1.329)."""

    name = "claude-code"
    home = "~/.claude/projects"
    companion = ""
    is_owners = True

    def recognises(self, record: Record) -> bool:
        """Return whether a record is a line of Claude Code."""
        return isinstance(record.get("type"), str) and not _MARKS.isdisjoint(record)

    def describe(
        self, path: PurePath, header: Record | None, companion: Record | None = None
    ) -> ForeignSession:
        """Return the session of a file: its name is the session's id."""
        return ForeignSession(id=path.stem, agent=self.name)

    def parse(self, record: Record, session: ForeignSession) -> ForeignLine:
        """Return what one line says."""
        rest = rest_of(record)
        if rest is None:
            return self._parse(record, session)
        line = self._parse(record, session)
        if isinstance(line, Skip | Malformed):
            line = _line(record, session, "system", [])
        return restored(line, rest)

    def _parse(self, record: Record, session: ForeignSession) -> ForeignLine:
        match record.get("type"):
            case "user" | "assistant":
                return _message(record, session)
            case "system":
                return _system(record, session)
            case "summary":
                return _titled(session, record.get("summary"), final=False)
            case "ai-title":
                return _titled(_session(record, session), record.get("aiTitle"), final=False)
            case "custom-title":
                return _titled(_session(record, session), record.get("customTitle"), final=True)
            case str():
                return Skip(reason="state of the program")
            case _:
                return Malformed(reason="a line without a type")


def _titled(session: ForeignSession, title: object, *, final: bool) -> ForeignLine:
    if not isinstance(title, str) or not title.strip():
        return Malformed(reason="a title without text")
    return ForeignSession(id=session.id, agent=session.agent, title=title, title_is_final=final)


def _session(record: Record, session: ForeignSession) -> ForeignSession:
    """Return the session of one line; a sub-agent talks in a session of its own."""
    main = record.get("sessionId")
    main = main if isinstance(main, str) and main else session.id
    project = record.get("cwd")
    metadata: dict[str, Any] = {}
    if record.get("isSidechain") is True:
        agent = record.get("agentId")
        metadata = {"parent": main, "subagent": agent if isinstance(agent, str) else True}
        main = f"{main}/{agent if isinstance(agent, str) else 'sidechain'}"
    return ForeignSession(
        id=main,
        agent=session.agent,
        project=project if isinstance(project, str) else None,
        metadata=metadata,
    )


def _message(record: Record, session: ForeignSession) -> ForeignLine:
    if record.get("isMeta") is True:
        return Skip(reason="note of the program")
    if record.get("isApiErrorMessage") is True:
        return Skip(reason="error of the program")
    message = record.get("message")
    if not isinstance(message, dict):
        return Malformed(reason="a message line without a message")
    content = message.get("content")
    if not isinstance(content, str | list | None):
        return Malformed(reason="content that is neither text nor blocks")
    role = str(record["type"])
    if role == "user":
        content = _as_typed(content)
        role = _user_role(content)
    if not content:
        return Skip(reason="no content")
    return _line(record, session, role, content)


def _line(
    record: Record, session: ForeignSession, role: str, content: str | list[Any]
) -> ForeignMessage:
    uuid, told = record.get("uuid"), record.get("message")
    message: dict[str, Any] = told if isinstance(told, dict) else {}
    metadata = {"parent": record.get("parentUuid"), "model": message.get("model")}
    if record.get("isCompactSummary") is True:
        role, metadata["kind"] = "system", "compaction"
    usage, reply = message.get("usage"), message.get("id")
    return ForeignMessage(
        session=_session(record, session),
        role=role,
        content=content,
        id=uuid if isinstance(uuid, str) else None,
        at=parse_time(record.get("timestamp")),
        metadata={key: value for key, value in metadata.items() if isinstance(value, str)},
        usage=usage if isinstance(usage, dict) else None,
        reply=reply if isinstance(reply, str) else None,
        extra=_extra(record, message, content),
        shared={key: record[key] for key in record if key in _SHARED},
    )


def _extra(
    record: Record, message: dict[str, Any], content: str | list[Any]
) -> dict[str, dict[str, Any]]:
    """Return what a line holds that its message does not stand for."""
    held = {"role", "content"} | ({"model"} if isinstance(message.get("model"), str) else set())
    is_whole = content == message.get("content")
    blocks = block_extras(content, anthropic_block) if is_whole else {}
    if record.get("type") == "assistant":  # always a list, no need to say so
        blocks = {place: extra for place, extra in blocks.items() if extra}
    return {
        "line": {key: record[key] for key in record if key not in _HELD | _SHARED},
        "message": {key: message[key] for key in message if key not in held},
        "blocks": blocks,
    }


def _user_role(content: str | list[Any] | None) -> str:
    """Return ``tool`` for the lines by which tools answer in the user's name."""
    if not isinstance(content, list) or not content:
        return "user"
    kinds = {block.get("type") if isinstance(block, dict) else None for block in content}
    return "tool" if kinds == {"tool_result"} else "user"


def _as_typed(content: str | list[Any] | None) -> str | list[Any] | None:
    """Return what the user typed, without what the program put around it."""
    if isinstance(content, str):
        return _typed_text(content)
    blocks = []
    for block in content or []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            text = _typed_text(block["text"])
            blocks += [block | {"text": text}] if text else []
        else:
            blocks.append(block)
    return blocks


def _typed_text(text: str) -> str:
    if _LOCAL_OUTPUT.match(text) or text.startswith(_INTERRUPTED):
        return ""
    if found := _BASH_INPUT.match(text):
        return f"! {found[1].strip()}"
    if "<command-name>" in text and (command := _COMMAND.search(text)):
        arguments = _ARGUMENTS.search(text)
        return f"{command[1].strip()} {arguments[1].strip() if arguments else ''}".strip()
    return _REMINDER.sub("", text) if "<system-reminder>" in text else text


def _system(record: Record, session: ForeignSession) -> ForeignLine:
    content = record.get("content")
    if not isinstance(content, str) or not content.strip():
        return Skip(reason="no content")
    if record.get("isMeta") is True or record.get("subtype") in _NOTICES:
        return Skip(reason="note of the program")
    return _line(record, session, "system", content)
