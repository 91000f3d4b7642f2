"""What a hook of an agent program reports, in a common form: one path serves all programs.

The `ClientHooks` of a client reads its payload into a `HookEvent`, and writes the hook's output
that the client honours. Everything in between is independent of the client.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal, Protocol, TypeAlias, get_args

import msgspec

Moment: TypeAlias = Literal[
    "start", "prompt", "before_tool", "tool", "answer", "subagent", "before_compaction",
    "compaction", "interrupted", "end", "other",
]  # fmt: skip
"""The moment of a session that an event reports: it begins or continues, its user said something, a
tool is about to run, ran or failed, the agent answered, a sub-agent did, the window is about to be
compacted, was compacted, the turn ended in an error, the session ended; or nothing to keep."""
Source: TypeAlias = Literal["startup", "resume", "clear", "compact", "fork"]
"""What began a session."""
HookAnswer: TypeAlias = dict[str, Any]
"""A JSON object for the standard output of a hook; empty: the client continues as usual."""


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event. The client's data is unchanged: not checked, cut or redacted.

    Attributes:
        client: The name of its `ClientHooks`, and the source of its sessions.
        name: The client's name of the event.
        moment: What it reports.
        foreign_id: The client's id of the session; None where there is none.
        project_path: The folder in which the agent works.
        transcript_path: The file in which the client keeps the session.
        source: Of ``start``: its cause.
        at: When it happened, ms UTC or ISO 8601; None: now.
        prompt_id: The client's id of the turn.
        agent_id: Its sub-agent; None: the main agent.
        agent_type: The kind of sub-agent; may be empty.
        tool_use_id: The client's id of the call.
        pair_id: What ``before_tool`` and ``tool`` of one call have in common, where that is not
            the id of the call.
        until: When the client goes on at the earliest, ms UTC; None: it waits for the answer.
        tool_name: Of ``before_tool`` and ``tool``.
        input: The input of the tool.
        output: The output of the tool, any JSON value.
        error: The error, of ``tool`` and ``interrupted``; None: there was none.
        text: The prompt, the answer or the summary of a compaction.
        reason: Why a session ended, or the window is compacted.
    """

    client: str
    name: str
    moment: Moment
    foreign_id: str | None = None
    project_path: str | None = None
    transcript_path: str | None = None
    source: Source | None = None
    at: int | str | None = None
    prompt_id: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    tool_use_id: str | None = None
    pair_id: str | None = None
    until: int | None = None
    tool_name: str | None = None
    input: Any = None
    output: Any = None
    error: str | None = None
    text: str | None = None
    reason: str | None = None


class ClientHooks(Protocol):
    """Reads the events of one agent program, and writes the output that it honours.

    Attributes:
        name: Names the client in URLs, and is the source of its sessions: the format of its
            transcripts where recollect reads those.
    """

    name: str

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises, whatever the payload holds.

        Args:
            event_name: The client's name of the event; empty where that is only in the payload.
            payload: The JSON object given to its hook; any field may be missing or malformed.
        """
        ...

    def answer(self, event: HookEvent, context: str) -> HookAnswer:
        """Return the output of the client's hook.

        Args:
            event: The event to answer.
            context: For the prompt; empty where there is none.
        """
        ...


def text_of(payload: Mapping[str, Any], name: str) -> str | None:
    """Return a text field; None where it is missing or not a text."""
    value = payload.get(name)
    return value if isinstance(value, str) else None


def parsed(value: Any) -> Any:
    """Return what a text of JSON holds; any other value, or text, as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def digest_of(value: Any) -> str:
    """Return a short digest of a JSON value: it distinguishes events that have no id."""
    text = json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=6).hexdigest()


def context_answer(event: HookEvent, context: str) -> HookAnswer:
    """Return the answer that adds a context to a prompt, as most programs take it; else {}."""
    if not context:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def source_of(payload: Mapping[str, Any]) -> Source | None:
    """Return the source that began a session; None where it is missing or unknown."""
    source = payload.get("source")
    return source if source in get_args(Source) else None
