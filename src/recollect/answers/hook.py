"""What became of a hook, as HTTP and ``--json`` answer it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from recollect.answers.context import ContextLine

HookStatus = Literal[
    "began", "resumed", "continued", "stored", "duplicate", "ended", "over", "not_captured",
    "refused",
]  # fmt: skip
"""What became of a hook."""


class HookAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a hook.

    Attributes:
        status: What happened.
        session_id: The session that it is of; null where nothing was stored.
        session_key: Its key.
        reason: A word for why it is not as the client meant it; null where it is.
        why: The same as a sentence.
    """

    status: HookStatus
    session_id: str | None = None
    session_key: str | None = None
    reason: str | None = None
    why: str | None = None


class StartAnswer(HookAnswer, frozen=True, kw_only=True):
    """A session started.

    Attributes:
        context: For the prompt; empty where there is nothing to say.
        tokens: What it costs.
        items: What is in it.
    """

    context: str = ""
    tokens: int = 0
    items: tuple[ContextLine, ...] = ()


class ToolAnswer(HookAnswer, frozen=True, kw_only=True):
    """What a tool did is stored.

    Attributes:
        observation_id: Its number; null where it is not captured.
    """

    observation_id: int | None = None


class EndAnswer(HookAnswer, frozen=True, kw_only=True):
    """A session ended.

    Attributes:
        summary: What stays of it; null where nothing was said or done.
        ended_at: ISO 8601 UTC.
    """

    summary: str | None = None
    ended_at: str | None = None


class HookDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """What the worker answered an event; the form is the client's."""

    answer: Any
    took_ms: float
