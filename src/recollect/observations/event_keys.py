"""Keys: what a hook and what a transcript tell of one event is one observation."""

from __future__ import annotations

from recollect.observations.observation import Made


def event_key(event: Made, prompt_id: str | None, agent_id: str | None = None) -> str | None:
    """Return the event id of what happened once in a turn; None where the turn is not known.

    A tool is known by its call instead, see `Observation.tool_use_id`.

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
