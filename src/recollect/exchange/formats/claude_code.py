"""Claude Code transcripts: ``~/.claude/projects/**/*.jsonl``, one file for each session.

Every line has a ``type``; user and assistant lines are the conversation, the others are the state
of the program. A reply is several lines, one for each content block. Sub-agents have files of
their own (``agent-<id>.jsonl``) or, in older versions, ``isSidechain`` lines in the main file.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from recollect.core.clock import to_iso
from recollect.exchange import transcript as port
from recollect.exchange.formats import blocks, extras
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.record.token_usage import MODEL, read_usage

_MARKS = frozenset({"sessionId", "leafUuid", "snapshot"})
"""Fields by which a typed line is one of Claude Code."""

_HELD = frozenset({"message", "parentUuid", "timestamp", "type", "uuid", "content", extras.REST})
"""Fields of a line that the message replaces."""
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
_TOLD = _HELD | _SHARED

_CONTENT = (str, list, type(None))
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
    companion = ""
    line_id = "uuid"
    is_owners = True

    def recognises(self, record: port.Record) -> bool:
        """Return whether a record is a line of Claude Code."""
        return isinstance(record.get("type"), str) and not _MARKS.isdisjoint(record)

    def describe(
        self, path: PurePath, header: port.Record | None, companion: port.Record | None = None
    ) -> port.ForeignSession:
        """Return the session of a file: its name is the session's id."""
        return port.ForeignSession(id=path.stem, agent=self.name)

    def place(self, path: PurePath) -> PurePath:
        """Return the folder whose sessions have ids of their own."""
        return port.folder_below(path, "projects", 0)

    def parse(self, record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
        """Return the meaning of one line."""
        line = self._parse(record, session)
        return extras.restored(record, line, lambda: _line(record, session, "system", []))

    def _parse(self, record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
        match record.get("type"):
            case "user" | "assistant":
                return _message(record, session)
            case "system":
                return _system(record, session)
            case "summary":
                line = record.get("leafUuid")
                titled = _titled(session, record.get("summary"), final=False)
                if isinstance(titled, port.ForeignSession) and isinstance(line, str):
                    return msgspec.structs.replace(titled, titled_line=line)
                return titled
            case "ai-title":
                return _titled(_session(record, session), record.get("aiTitle"), final=False)
            case "custom-title":
                return _titled(_session(record, session), record.get("customTitle"), final=True)
            case str():
                return port.Skip(reason="state of the program")
            case _:
                return port.Malformed(reason="a line without a type")


def _titled(session: port.ForeignSession, title: object, *, final: bool) -> port.ForeignLine:
    if not isinstance(title, str) or not title.strip():
        return port.Malformed(reason="a title without text")
    return port.ForeignSession(
        id=session.id, agent=session.agent, title=title, title_is_final=final
    )


def _session(record: port.Record, session: port.ForeignSession) -> port.ForeignSession:
    """Return the session of one line; a sub-agent talks in a session of its own."""
    main = record.get("sessionId")
    main = main if isinstance(main, str) and main else session.id
    project = record.get("cwd")
    metadata: dict[str, Any] = {}
    if record.get("isSidechain") is True:
        agent = record.get("agentId")
        metadata = {"parent": main, "subagent": agent if isinstance(agent, str) else True}
        main = f"{main}/{agent if isinstance(agent, str) else 'sidechain'}"
    return port.ForeignSession(
        id=main,
        agent=session.agent,
        project=project if isinstance(project, str) else None,
        metadata=metadata,
    )


def _within(spoken: port.ForeignSession) -> tuple[str | None, port.ForeignSession | None]:
    """Return the sub-agent that speaks in a session, and the session that it works for."""
    if "subagent" not in spoken.metadata:
        return None, None
    agent = spoken.metadata["subagent"]
    parent = port.ForeignSession(
        id=spoken.metadata["parent"], agent=spoken.agent, project=spoken.project
    )
    return agent if isinstance(agent, str) else None, parent


def _message(record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
    if record.get("isMeta") is True or _is_of_the_program(record):
        return port.Skip(reason="note of the program")
    if record.get("isApiErrorMessage") is True:
        return port.Skip(reason="error of the program")
    message = record.get("message")
    if not isinstance(message, dict):
        return port.Malformed(reason="a message line without a message")
    content = message.get("content")
    if not isinstance(content, _CONTENT):
        return port.Malformed(reason="content that is neither text nor blocks")
    role = str(record["type"])
    if role == "user":
        if isinstance(content, str):
            content = _typed_text(content)
        else:
            content = blocks.with_texts(content, _typed_text)
        role = _user_role(content)
    if not content:
        return port.Skip(reason="no content")
    return _line(record, session, role, content)


def _is_of_the_program(record: port.Record) -> bool:
    """Whether neither a person nor a model said a line: a task ended, a model was not asked."""
    origin, message = record.get("origin"), record.get("message")
    is_notice = isinstance(origin, dict) and origin.get("kind") == "task-notification"
    return is_notice or (isinstance(message, dict) and message.get("model") == "<synthetic>")


def _line(
    record: port.Record, session: port.ForeignSession, role: str, content: str | list[Any]
) -> port.ForeignMessage:
    uuid, raw_message = record.get("uuid"), record.get("message")
    message: dict[str, Any] = raw_message if isinstance(raw_message, dict) else {}
    metadata = {"parent": record.get("parentUuid"), "model": message.get("model")}
    if record.get("isCompactSummary") is True:
        role, metadata["kind"] = "system", "compaction"
    usage, reply = message.get("usage"), message.get("id")
    spoken = _session(record, session)
    agent, within = _within(spoken)
    return port.ForeignMessage(
        session=spoken,
        role=role,
        content=content,
        id=uuid if isinstance(uuid, str) else None,
        at=port.parse_time(record.get("timestamp")),
        metadata={key: value for key, value in metadata.items() if isinstance(value, str)},
        usage=usage if isinstance(usage, dict) else None,
        reply=reply if isinstance(reply, str) else None,
        extra=_extra(record, message, content),
        shared={key: record[key] for key in record if key in _SHARED},
        agent_id=agent,
        within=within,
    )


def _extra(
    record: port.Record, message: dict[str, Any], content: str | list[Any]
) -> dict[str, dict[str, Any]]:
    """Return the fields of a line that its message does not hold."""
    names = {"role", "content"} | ({"model"} if isinstance(message.get("model"), str) else set())
    rest: dict[str, Any] = {}
    if isinstance(content, list) and content == message.get("content"):
        is_answer = record.get("type") == "assistant"
        rest = blocks.block_extras(content, blocks.anthropic_block, is_always_list=is_answer)
    return {
        "line": {key: record[key] for key in record if key not in _TOLD},
        "message": {key: message[key] for key in message if key not in names},
        "blocks": rest,
    }


def _user_role(content: str | list[Any] | None) -> str:
    """Return ``tool`` for the lines by which tools answer in the user's name."""
    if not isinstance(content, list) or not content:
        return "user"
    kinds = {block.get("type") if isinstance(block, dict) else None for block in content}
    return "tool" if kinds == {"tool_result"} else "user"


def _typed_text(text: str) -> str:
    if _LOCAL_OUTPUT.match(text) or text.startswith(_INTERRUPTED):
        return ""
    if bash_input := _BASH_INPUT.match(text):
        return f"! {bash_input[1].strip()}"
    if "<command-name>" in text and (command := _COMMAND.search(text)):
        arguments = _ARGUMENTS.search(text)
        return f"{command[1].strip()} {arguments[1].strip() if arguments else ''}".strip()
    return _REMINDER.sub("", text) if "<system-reminder>" in text else text


def _system(record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
    content = record.get("content")
    if not isinstance(content, str) or not content.strip():
        return port.Skip(reason="no content")
    if record.get("isMeta") is True or record.get("subtype") in _NOTICES:
        return port.Skip(reason="note of the program")
    return _line(record, session, "system", content)


_FORM = ClaudeCodeFormat()
_VERSION = "2.1.0"
"""The version in the lines of our own sessions."""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


class ClaudeCodeWriter:
    """Writes lines of Claude Code."""

    name = _FORM.name

    def records(self, session: Session, items: Iterable[port.Owned | Compaction]) -> Iterator[Any]:
        """Yield the lines of a session."""
        chain = _Chain(session)
        for item in items:
            if isinstance(item, Compaction):
                yield from chain.summary(item)
            else:
                yield chain.message(item)
        if session.title is not None:
            title = {"type": "custom-title", "customTitle": session.title}
            yield title | {"sessionId": chain.session_id}


class _Chain:
    """The lines of one session, each naming the one before it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last: str | None = None
        self._known: set[str] = set()
        self.session_id = _session_id(session)

    def message(self, item: port.Owned) -> dict[str, Any]:
        """Return the line of a message."""
        message = item.message
        foreign = extras.foreign_of(message.metadata) if item.is_of(_FORM.name) else {}
        line = self._frame(item, foreign) | _said(message, foreign)
        self._last = line["uuid"]
        self._known.add(line["uuid"])
        return extras.with_rest(line, message, _FORM, native=item.is_of(_FORM.name))

    def summary(self, item: Compaction) -> Iterator[dict[str, Any]]:
        """Yield the border that Claude Code begins to read at, and the summary after it."""
        border, summary_id = _uuid_of(item.id + "/border"), _uuid_of(item.id)
        frame = self._made(item.created_at) | {extras.REST: {extras.DERIVED: True}}
        yield frame | {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "uuid": border,
            "parentUuid": None,
            "logicalParentUuid": self._last,
            "compactMetadata": {"trigger": "auto", "preTokens": item.tokens_before},
        }
        yield frame | {
            "type": "user",
            "isCompactSummary": True,
            "message": {"role": "user", "content": item.summary},
            "uuid": summary_id,
            "parentUuid": border,
        }
        self._last = summary_id
        self._known.clear()

    def _frame(self, item: port.Owned, foreign: Mapping[str, Any]) -> dict[str, Any]:
        """Return a line without its message."""
        message = item.message
        parent = message.metadata.get("parent")
        frame = self._made(message.created_at)
        if item.is_of(_FORM.name):
            frame = {
                **extras.foreign_of(item.owner.metadata),
                **extras.part_of(foreign, extras.LINE),
            }
            for name in foreign.get(extras.ABSENT, ()):
                frame.pop(name, None)
            frame["timestamp"] = to_iso(message.created_at)
            if item.owner.id != self._session.id or "sessionId" not in frame:
                frame["sessionId"] = self.session_id
        return frame | {
            "uuid": (item.is_of(_FORM.name) and message.foreign_id) or _uuid_of(message.id),
            "parentUuid": parent if parent in self._known else self._last,
        }

    def _made(self, at: int) -> dict[str, Any]:
        project = {} if self._session.project is None else {"cwd": self._session.project}
        return {
            "sessionId": self.session_id,
            "timestamp": to_iso(at),
            "isSidechain": False,
            "userType": "external",
            "version": _VERSION,
            **project,
        }


def _said(message: Message, foreign: Mapping[str, Any]) -> dict[str, Any]:
    """Return the type of a line, and its message."""
    content = blocks.with_extras(
        blocks.plain_content(message.blocks, blocks.anthropic_block), foreign.get(extras.BLOCKS)
    )
    if message.role == "system" and message.metadata.get("kind") != "compaction":
        subtype = extras.part_of(foreign, extras.LINE).get("subtype", "informational")
        return {"type": "system", "subtype": subtype, "content": message.text}
    kind = "assistant" if message.role == "assistant" else "user"
    body: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        body["content"] = blocks.in_blocks(content)
        body |= _model(message) if foreign else _answer(message)
    summary = {"isCompactSummary": True} if message.role == "system" else {}
    return {
        "type": kind,
        **summary,
        "message": body | dict(extras.part_of(foreign, extras.MESSAGE)),
    }


def _answer(message: Message) -> dict[str, Any]:
    """Return the fields that Claude Code expects in an answer beside its content."""
    spent = read_usage(message.metadata)
    usage = {} if spent is None else {"usage": _usage(spent)}
    fields = {"id": f"msg_{message.id}", "type": "message", "stop_reason": None}
    return {**fields, **_model(message), **usage}


def _usage(spent: Any) -> dict[str, int]:
    return {
        "input_tokens": spent.input,
        "output_tokens": spent.output,
        "cache_read_input_tokens": spent.cache_read,
        "cache_creation_input_tokens": spent.cache_write,
    }


def _model(message: Message) -> dict[str, Any]:
    model = message.metadata.get(MODEL)
    return {"model": model} if isinstance(model, str) else {}


def _session_id(session: Session) -> str:
    """Return the id of a session there: Claude Code accepts only UUIDs."""
    if session.source == _FORM.name:
        session_id = extras.foreign_of(session.metadata).get("sessionId")
        return session_id if isinstance(session_id, str) else str(session.foreign_id)
    return _uuid_of(session.id)


def _uuid_of(text: str) -> str:
    return text if _UUID.fullmatch(text) else str(uuid.uuid5(uuid.NAMESPACE_OID, text))
