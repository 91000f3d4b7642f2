"""OpenClaw transcripts: ``~/.openclaw/agents/<agent>/sessions/*.jsonl``, and OpenClaudeCode's.

A session header, then entries with an id: messages, compactions, and the state of the program. The
older OpenClaudeCode writes the same frame with ``channel`` and ``from`` in the message, and has
no ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from recollect.audience.account import account
from recollect.audience.session_key import parse_key
from recollect.core.clock import to_iso
from recollect.core.errors import InvalidInput
from recollect.exchange import transcript as port
from recollect.exchange.formats import blocks, extras
from recollect.exchange.formats.openclaw_envelope import as_typed, envelope_sender
from recollect.exchange.reader import session_id_of
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.record.content import TextBlock, ToolResultBlock, ToolUseBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.record.token_usage import MODEL, TokenUsage, read_usage

_ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "toolResult": "tool",
    "tool": "tool",
    "bashExecution": "tool",
    "compactionSummary": "system",
    "branchSummary": "system",
}
_HELD = frozenset({"id", "message", "parentId", "summary", "timestamp", "type", extras.REST})
"""Fields of an entry that the message replaces."""
_SAID = frozenset({"command", "content", "isError", "output", "summary", "toolCallId", "toolName"})
"""Fields of the message in it, likewise."""
_PLAIN = frozenset({"assistant", "system", "toolResult", "user"})
"""Roles that follow from ours."""
_SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})
"""Whole replies by which the agent says that it has nothing to say."""
_WRAPPER = "tool_call"
"""The tool through which others are called; `openclaw.nested-tool.v1` repeats what it called."""
_WRAPPED = ("toolCall", _WRAPPER)
_COPY = ("openclaw", "delivery-mirror")
"""Provider and model of an entry that repeats an answer because it was delivered."""
_SPAWNED = ":subagent:"
"""In the key of a session whose tasks come from an agent."""
_MACHINES = frozenset({"inter_session", "internal_system"})
"""Kinds of provenance of prompts that no person wrote."""


class OpenClawFormat:
    """Reads what OpenClaw (2026.2 to 2026.9) and OpenClaudeCode write."""

    name = "openclaw"
    companion = "sessions.json"
    line_id = ""
    is_owners = False

    def recognises(self, record: port.Record) -> bool:
        """Return whether a record is a line of OpenClaw."""
        if "recollect" in record:
            return False
        kind = record.get("type")
        return (kind == "message" and isinstance(record.get("message"), dict)) or (
            kind == "session" and not {"id", "version"}.isdisjoint(record)
        )

    def describe(
        self, path: PurePath, header: port.Record | None, companion: port.Record | None = None
    ) -> port.ForeignSession:
        """Return the session of a file, from its header or, without one, from its name."""
        header = header if header is not None and header.get("type") == "session" else {}
        header_id = header.get("id")
        project = header.get("cwd")
        session_id = header_id if isinstance(header_id, str) and header_id else session_id_of(path)
        facts = companion or {}
        key = _key_of(session_id, facts)
        return port.ForeignSession(
            id=session_id,
            key=key,
            metadata=_started_by(key, facts),
            agent=_agent_of(path),
            project=project if isinstance(project, str) and project else None,
            at=port.parse_time(header.get("timestamp")),
        )

    def place(self, path: PurePath) -> PurePath:
        """Return the folder whose sessions have ids of their own."""
        return port.folder_below(path, "agents", 1)

    def parse(self, record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
        """Return the meaning of one entry."""
        line = self._parse(record, session)
        return extras.restored(record, line, lambda: _line(record, session, "system", []))

    def _parse(self, record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
        match record.get("type"):
            case "message":
                return _message(record, session)
            case "session":
                return session
            case "compaction" | "branch_summary" as kind:
                return _summary(record, session, kind)
            case "session_info" if isinstance(record.get("name"), str):
                return port.ForeignSession(id=session.id, title=record["name"], title_is_final=True)
            case str():
                return port.Skip(reason="state of the program")
            case _:
                return port.Malformed(reason="an entry without a type")


def _agent_of(path: PurePath) -> str | None:
    """Return the agent of ``…/agents/<agent>/sessions/<file>``."""
    folders = path.parts[-4:-1]
    return folders[1] if len(folders) == 3 and folders[::2] == ("agents", "sessions") else None


def _key_of(session_id: str, companion: port.Record) -> str | None:
    """Return the session key that ``sessions.json`` gives to a session, where it still does."""
    for field in ("sessionId", "previousSessionId"):
        for key, entry in companion.items():
            if isinstance(entry, dict) and entry.get(field) == session_id:
                return key
    return None


def _started_by(key: str | None, by_key: port.Record) -> dict[str, str]:
    """Return the session that a sub-agent works for: the topmost one in the chain that started it.

    Empty for other sessions, and if that session is not known or a job's.
    """
    above, visited = key, set[str]()
    while above is not None and _SPAWNED in above and above not in visited:
        visited.add(above)
        entry = by_key.get(above)
        facts = entry if isinstance(entry, dict) else {}
        above = _text(facts.get("spawnedBy")) or _text(facts.get("parentSessionKey"))
    entry = by_key.get(above or "")
    root = entry if isinstance(entry, dict) else {}
    session = _text(root.get("sessionId"))
    if above is None or above == key or above in visited or session is None:
        return {}
    if root.get("createdVia") == "cron" or _is_automatic(above):
        return {}
    return {"subagent": (key or "").rpartition(":")[2], "parent": session, "parent_key": above}


def _is_automatic(key: str) -> bool:
    try:
        return parse_key(key).is_automatic
    except InvalidInput:
        return True


def _within(session: port.ForeignSession) -> port.ForeignSession | None:
    """Return the session that a sub-agent works for."""
    if "parent_key" not in session.metadata:
        return None
    return port.ForeignSession(
        id=session.metadata["parent"],
        key=session.metadata["parent_key"],
        agent=session.agent,
        project=session.project,
    )


def _message(record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
    message = record.get("message")
    if not isinstance(message, dict):
        return port.Malformed(reason="a message entry without a message")
    if message.get("role") == "custom":
        return port.Skip(reason="state of the program")
    role = _ROLES.get(str(message.get("role")))
    if role is None:
        return port.Malformed(reason="a message without a known role")
    if (message.get("provider"), message.get("model")) == _COPY:
        return port.Skip(reason="a copy of an answer")
    content = _content(message, record.get("id"))
    if is_machine(record) or (role == "user" and _SPAWNED in (session.key or "")):
        role = "system"
    elif role == "user":
        is_text = isinstance(content, str)
        content = as_typed(str(content)) if is_text else blocks.with_texts(content, as_typed)
    if not isinstance(content, str | list | None):
        return port.Malformed(reason="content that is neither text nor blocks")
    if not content:
        return port.Skip(reason="no content")
    if isinstance(content, str) and content.strip() in _SILENT:
        return port.Skip(reason="a silent reply")
    return _line(record, _placed(session, message, role), role, content)


def is_machine(record: port.Record) -> bool:
    """Return whether an entry is a prompt of the program: a heartbeat, a job, another session."""
    message = record.get("message")
    provenance = message.get("provenance") if isinstance(message, dict) else None
    return isinstance(provenance, dict) and str(provenance.get("kind")) in _MACHINES


def _sender(message: Mapping[str, Any], key: str | None) -> tuple[str | None, str | None]:
    """Return the name and the account in the message of a person.

    Versions that have them as fields put no envelope around the words: one there is the person's.
    """
    if message.get("role") != "user":
        return _text(message.get("from")), None
    facts = message.get("__openclaw")
    if not isinstance(facts, dict):
        name, sender = envelope_sender(message.get("content"), key)
        return _text(message.get("from")) or name, sender
    name = _text(message.get("from")) or _text(facts.get("senderName"))
    transport, identity = facts.get("transport"), facts.get("senderIdentity")
    channel = transport.get("channel") if isinstance(transport, dict) else None
    network = identity.get("accountId") if isinstance(identity, dict) else None
    user = facts.get("senderId")
    if not isinstance(channel, str) or not isinstance(user, str | int) or not str(user).strip():
        return name, None
    return name, str(account(channel, network if isinstance(network, str) else None, str(user)))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _placed(
    session: port.ForeignSession, message: dict[str, Any], role: str
) -> port.ForeignSession:
    """Return the session with the key that a message of OpenClaudeCode names."""
    channel, sender = message.get("channel"), message.get("from")
    if session.key or role != "user" or not isinstance(channel, str) or not sender:
        return session
    return port.ForeignSession(
        id=session.id,
        key=f"{channel}:{sender}",
        agent=session.agent,
        project=session.project,
        at=session.at,
    )


def _line(
    record: port.Record, session: port.ForeignSession, role: str, content: str | list[Any]
) -> port.ForeignMessage:
    message = record["message"] if isinstance(record.get("message"), dict) else {}
    entry, (name, sender) = record.get("id"), _sender(message, session.key)
    facts = {"parent": record.get("parentId"), "model": message.get("model")}
    at, usage = port.parse_time(record.get("timestamp")), message.get("usage")
    return port.ForeignMessage(
        session=session,
        role=role,
        content=content,
        id=entry if isinstance(entry, str) else None,
        name=name,
        sender=sender,
        at=at if at is not None else port.parse_time(message.get("timestamp")),
        metadata={key: value for key, value in facts.items() if isinstance(value, str)},
        usage=usage if isinstance(usage, dict) else None,
        extra=_extra(record, message),
        agent_id=session.metadata.get("subagent"),
        within=_within(session),
    )


def _extra(record: port.Record, message: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fields of an entry that its message does not hold."""
    names = _SAID | {key for key in ("from", "model") if isinstance(message.get(key), str)}
    names |= {"role"} if str(message.get("role")) in _PLAIN and not is_machine(record) else set()
    if port.parse_time(message.get("timestamp")) == port.parse_time(record.get("timestamp")):
        names |= {"timestamp"}
    content, is_answer = message.get("content"), message.get("role") != "user"
    rest: dict[str, Any] = {}
    if isinstance(content, list):
        rest = blocks.block_extras(content, blocks.openclaw_block, is_always_list=is_answer)
    return {
        "line": {key: record[key] for key in record if key not in _HELD},
        "message": {key: message[key] for key in message if key not in names},
        "blocks": rest,
    }


def _content(message: dict[str, Any], entry: object) -> object:
    """Return the content of a message; answers of tools become tool result blocks."""
    match message.get("role"):
        case "toolResult":
            name, answer = _called(message)
            return [
                {
                    "type": "tool_result",
                    "tool_use_id": message.get("toolCallId"),
                    "name": name,
                    "content": answer,
                    "is_error": bool(message.get("isError")),
                }
            ]
        case "bashExecution":
            command = {"command": message.get("command")}
            return [
                {"type": "tool_use", "id": entry, "name": "bash", "input": command},
                {
                    "type": "tool_result",
                    "tool_use_id": entry,
                    "name": "bash",
                    "content": message.get("output"),
                    "is_error": bool(message.get("exitCode")),
                },
            ]
        case "compactionSummary" | "branchSummary":
            return message.get("summary")
        case "assistant" if isinstance(message.get("content"), list):
            return [_call(block) for block in message["content"]]
        case _:
            return message.get("content")


def _call(block: object) -> object:
    """Return a block; a call through the wrapper as the call of the true tool."""
    if not isinstance(block, dict) or (block.get("type"), block.get("name")) != _WRAPPED:
        return block
    wrapped = block.get("arguments")
    if not isinstance(wrapped, dict) or not isinstance(wrapped.get("id"), str):
        return block
    return block | {"name": wrapped["id"].rpartition(":")[2], "arguments": wrapped.get("args")}


def _called(message: dict[str, Any]) -> tuple[object, object]:
    """Return the tool that answered, and its answer; the true ones behind the wrapper."""
    details = message.get("details")
    wrapped = details if message.get("toolName") == _WRAPPER and isinstance(details, dict) else {}
    tool, result = wrapped.get("tool"), wrapped.get("result")
    name = tool.get("name") if isinstance(tool, dict) else None
    answer = result.get("content") if isinstance(result, dict) else None
    return name or message.get("toolName"), answer or message.get("content")


def _summary(record: port.Record, session: port.ForeignSession, kind: str) -> port.ForeignLine:
    summary = record.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        return port.Skip(reason="no content")
    line = _line(record, session, "system", summary)
    return msgspec.structs.replace(line, metadata=line.metadata | {"kind": kind})


_FORM = OpenClawFormat()
_VERSION = 3
"""The version in the header, as OpenClaw 2026 writes it."""
_SUMMARIES = frozenset({"compaction", "branch_summary"})


class OpenClawWriter:
    """Writes entries of OpenClaw."""

    name = _FORM.name

    def records(self, session: Session, items: Iterable[port.Owned | Compaction]) -> Iterator[Any]:
        """Yield the header and the entries of a session."""
        yield _header(session)
        if session.title is not None:
            name = {"name": session.title, "timestamp": to_iso(session.created_at)}
            yield {"type": "session_info", "id": f"{session.id}-name", "parentId": None} | name
        last: str | None = None
        waiting: list[Compaction] = []
        ids: set[str] = set()
        for item in items:
            if isinstance(item, Compaction):
                waiting.append(item)
                continue
            entry = _entry(item, last, ids)
            for summary in waiting:
                yield _summary_line(summary, last, entry["id"])
                entry["parentId"] = last = summary.id
            waiting = []
            yield extras.with_rest(entry, item.message, _FORM, native=item.is_of(_FORM.name))
            last = entry["id"]
            ids.add(entry["id"])
        for summary in waiting:
            yield _summary_line(summary, last, last)


def _header(session: Session) -> dict[str, Any]:
    foreign = session.foreign_id if session.source == _FORM.name else None
    header: dict[str, Any] = {
        "type": "session",
        "version": _VERSION,
        "id": foreign or session.id,
        "timestamp": to_iso(session.created_at),
    }
    return header | ({} if session.project is None else {"cwd": session.project})


def _summary_line(summary: Compaction, parent: str | None, first: str | None) -> dict[str, Any]:
    return {
        "type": "compaction",
        "id": summary.id,
        "parentId": parent,
        "timestamp": to_iso(summary.created_at),
        "summary": summary.summary,
        "firstKeptEntryId": first,
        "tokensBefore": summary.tokens_before,
        extras.REST: {extras.DERIVED: True},
    }


def _entry(item: port.Owned, last: str | None, ids: set[str]) -> dict[str, Any]:
    message, native = item.message, item.is_of(_FORM.name)
    foreign = extras.foreign_of(message.metadata) if native else {}
    parent = message.metadata.get("parent")
    frame = {
        "id": (native and message.foreign_id) or message.id,
        "parentId": parent if parent in ids else last,
        "timestamp": to_iso(message.created_at),
    }
    kind = message.metadata.get("kind")
    if kind in _SUMMARIES and message.role == "system":
        return {
            "type": kind,
            **frame,
            "summary": message.text,
            **extras.part_of(foreign, extras.LINE),
        }
    body = _said(message, foreign) | dict(extras.part_of(foreign, extras.MESSAGE))
    return {"type": "message", **frame, "message": body, **extras.part_of(foreign, extras.LINE)}


def _said(message: Message, foreign: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message of an entry, as the role that OpenClaw has for it."""
    body = {**_by_role(message, foreign), "timestamp": message.created_at}
    if message.name is not None:
        body["from"] = message.name
    model, spent = message.metadata.get(MODEL), read_usage(message.metadata)
    if isinstance(model, str):
        body[MODEL] = model
    return body | ({"usage": _usage(spent)} if spent is not None and not foreign else {})


def _by_role(message: Message, foreign: Mapping[str, Any]) -> dict[str, Any]:
    match extras.part_of(foreign, extras.MESSAGE).get("role"), message.blocks:
        case "bashExecution", (ToolUseBlock() as call, ToolResultBlock() as result):
            command = call.input.get("command") if isinstance(call.input, dict) else None
            return {"command": command, "output": _plain(result)}
        case "compactionSummary" | "branchSummary", _:
            return {"summary": message.text}
        case _, (ToolResultBlock() as result,) if message.role == "tool":
            fields = {"role": "toolResult", **blocks.openclaw_block(result)}
            del fields["type"]
            return fields
    content = blocks.with_extras(
        blocks.plain_content(message.blocks, blocks.openclaw_block), foreign.get(extras.BLOCKS)
    )
    if message.role == "assistant":
        content = blocks.in_blocks(content)
    return {"role": message.role, "content": content}


def _plain(result: ToolResultBlock) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextBlock))


def _usage(spent: TokenUsage) -> dict[str, int]:
    counts = {"input": spent.input, "output": spent.output, "totalTokens": spent.total}
    return counts | {"cacheRead": spent.cache_read, "cacheWrite": spent.cache_write}
