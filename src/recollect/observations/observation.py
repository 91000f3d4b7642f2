"""Observations: what an agent did or saw, as a value."""

from __future__ import annotations

from typing import Literal

import msgspec

from recollect.text.boundaries import brief_repr

TYPES = (
    *("decision", "bugfix", "architecture", "code_change", "git_operation"),
    *("research", "exploration", "routine", "tool_use", "prompt", "answer"),
)
"""The types that rules give; a caller may give others. The last two are what the user or the agent
said that decides and tells of nothing."""

Trust = Literal["owner", "agent", "tool", "web", "group", "imported"]
"""The source of its input and output: the owner, the agent, a program or file, the web, other
people, or an imported transcript."""

Made = Literal[
    "tool", "tool_failed", "prompt", "answer", "subagent", "interrupted", "compaction", "manual"
]
"""What made it: a tool that went well or did not, what the user asked, the last answer of a turn,
the end of a sub-agent, a turn that was cut off, a compaction, or somebody by hand."""


def event_key(event: Made, prompt_id: str | None, agent_id: str | None = None) -> str | None:
    """Return the event id of what happens once in a turn; None where the turn is not known.

    What a hook reports and what a transcript says of it are one observation by this key. A tool is
    known by its call instead, see `Observation.tool_use_id`.

    Args:
        event: What made the observation.
        prompt_id: The program's id of the turn.
        agent_id: Its id of the sub-agent that did it.

    >>> event_key("subagent", "c0ff", "a949"), event_key("answer", "c0ff")
    ('subagent:c0ff:a949', 'answer:c0ff')
    """
    if not prompt_id or event in {"tool", "tool_failed", "manual"}:
        return None
    return ":".join(filter(None, (event, prompt_id, agent_id)))


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Something that an agent did or saw.

    Attributes:
        id: Sorts by the time of storing.
        number: Its short number, from 1; `recollect get '#12'`.
        session_id: Where it happened.
        type: One of `TYPES`, or a caller's own.
        tool_name: Which tool was used, if any.
        title: One line.
        summary: A few more words; may be empty.
        input: What the tool was given; head and tail where it was long.
        output: What came back; likewise.
        input_blob: The digest of the whole input where ``input`` is not all of it.
        output_blob: The digest of the whole output likewise.
        tokens: About how many tokens all of it costs in a prompt, what lies in blobs included.
        importance: 0 to 1.
        trust: Whose words its input and output are.
        files: Paths that it touched, as the tool was given them; of a shell those that it wrote.
        error: The line that says what failed; None where nothing did.
        message_id: The message that it belongs to.
        tool_use_id: The id that the model gave the call.
        agent_id: The sub-agent that did it.
        event: What made it.
        event_id: The caller's own id; the same id twice in a session is one observation.
        made_by: The version of the rules, and what the caller gave instead of them; the model that
            wrote title and summary; or ``hand``.
        created_at: When it happened, ms UTC.
        is_forgotten: Whether it was taken out of everything until it is restored.
        tenant: Owner.
        agent: Owner.
        user: Owner.
        project: Owner; the folder that it was about.
        turn_sender: The sender of the turn it happened in, as in `Message`.
    """

    __repr__ = brief_repr

    id: str
    number: int
    session_id: str
    type: str
    tool_name: str | None
    title: str
    summary: str
    input: str
    output: str
    input_blob: str | None
    output_blob: str | None
    tokens: int
    importance: float
    trust: Trust
    files: tuple[str, ...]
    error: str | None
    message_id: str | None
    tool_use_id: str | None
    agent_id: str | None
    event: Made
    event_id: str | None
    made_by: str
    created_at: int
    is_forgotten: bool
    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    turn_sender: str | None


class ObservationBatch(msgspec.Struct, frozen=True, kw_only=True):
    """The observations requested by id.

    Attributes:
        found: In the order of the ids.
        missing: The ids without an observation that the asking session may hear.
        tokens: About how many tokens the answer costs.
    """

    found: tuple[Observation, ...]
    missing: tuple[str, ...]
    tokens: int
