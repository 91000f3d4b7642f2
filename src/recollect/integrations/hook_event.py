"""What a hook of an agent program reports, in the words of no program: one path serves all.

A client's payload is read into a `HookEvent` by the `ClientHooks` of that client, and what it
honours on its hook's output is made by the same. Everything in between knows no client.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias, get_args

import msgspec

Moment: TypeAlias = Literal[
    "start", "prompt", "before_tool", "tool", "answer", "subagent", "before_compaction",
    "compaction", "interrupted", "end", "other",
]  # fmt: skip
"""What in the life of a session an event tells of: it begins or goes on, its user said something,
a tool is about to run, ran or failed, the agent answered, a sub-agent did, the window is about to
be compacted, was compacted, the turn ended in an error, the session is over; or nothing to keep."""
Source: TypeAlias = Literal["startup", "resume", "clear", "compact", "fork"]
"""What began a session."""
Answer: TypeAlias = dict[str, Any]
"""A JSON object for the standard output of a hook; empty: the client does what it would have."""


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event. What the client says is here as it is: not checked, cut or redacted.

    Attributes:
        client: The name of its `ClientHooks`, and the source of its sessions.
        name: What the client calls the event.
        moment: What it tells.
        foreign_id: The client's id of the session; None where it names none.
        project_path: The folder in which the agent works.
        transcript_path: The file in which the client keeps the session.
        source: Of ``start``: what began it.
        at: When it happened, ms UTC or ISO 8601; now where it is None.
        prompt_id: The client's id of the turn.
        agent_id: Of the sub-agent that it is of; None: of the main agent.
        agent_type: What kind of sub-agent that is; may be empty.
        tool_use_id: The client's id of the call.
        tool_name: Of ``before_tool`` and ``tool``.
        input: What the tool was given.
        output: What came back, any JSON value.
        error: What failed, of ``tool`` and ``interrupted``; None: nothing did.
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
    tool_name: str | None = None
    input: Any = None
    output: Any = None
    error: str | None = None
    text: str | None = None
    reason: str | None = None


class ClientHooks(Protocol):
    """Reads the events of one agent program, and writes what it honours.

    Attributes:
        name: Names the client in addresses, and is the source of its sessions: the format of its
            transcripts where recollect reads those.
    """

    name: str

    def read(self, event_name: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event; never raises, whatever the payload holds.

        Args:
            event_name: What the client calls it; empty where that is only in the payload.
            payload: The JSON object that its hook was given; any field may be missing or strange.
        """
        ...

    def answer(self, event: HookEvent, context: str) -> Answer:
        """Return what the client's hook prints.

        Args:
            event: What is answered.
            context: For the prompt; empty where there is nothing to say.
        """
        ...


def text_of(payload: Mapping[str, Any], name: str) -> str | None:
    """Return a text field; None where it is missing, or no text."""
    value = payload.get(name)
    return value if isinstance(value, str) else None


def context_answer(event: HookEvent, context: str) -> Answer:
    """Return what adds a context to a prompt, as most programs honour it; {} without one."""
    if not context:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def source_of(payload: Mapping[str, Any]) -> Source | None:
    """Return what began a session; None where it is missing, or nothing that is known."""
    source = payload.get("source")
    return source if source in get_args(Source) else None
