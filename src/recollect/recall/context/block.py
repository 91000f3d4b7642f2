"""Context blocks as values: what is asked for, what may go in, and what came out."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias, get_args

import msgspec

from recollect.audience.visibility import Asker
from recollect.core.checks import check_count, check_text
from recollect.core.errors import InvalidInput
from recollect.sessions.record.session import Session
from recollect.text.boundaries import brief_repr

Section = Literal["rules", "facts", "summary", "open", "types", "changes", "episodes", "said"]
Layout: TypeAlias = Literal["sections", "list"]
"""``list`` is the plain list of observations of seed 001."""
WITH_TOOLS = frozenset({"responder"})
"""Clients whose model looks for more with tools, and has no shell."""
CLIENT_CHARS = {"claude-code": 9_500, "codex": 9_500}
"""Claude Code replaces what is longer than 10,000 characters by a preview of 2 kB; Codex has the
same hooks. What a client adds around a block is subtracted."""
LOADED = {
    "claude-code": (
        *("CLAUDE.md", "*/CLAUDE.md", "CLAUDE.local.md", "*/CLAUDE.local.md"),
        "*/projects/*/memory/MEMORY.md",
    ),
    "openclaw": ("MEMORY.md", "USER.md"),
}
"""Files that a client puts into its prompts by itself, as patterns in which ``*`` is any text."""
PROJECT_FILES = {
    "claude-code": ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    "codex": ("AGENTS.md",),
    "gemini": ("GEMINI.md",),
}
"""Those of them that are below the folder of a project."""

Worth = Literal[
    "rule",
    "decision",
    "kept",
    "technical",
    "preference",
    "person",
    "schedule",
    "fix",
    "session",
    "open_end",
    "state",
    "change",
    "quote",
    "other",
]
Kind = Literal["observation", "fact", "episode", "message", "file", "state"]
Count = Callable[[str], int]
"""Returns what a text costs in a prompt."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """What may go into a block.

    Attributes:
        kind: ``observation``, ``fact``, ``episode``, ``message``, ``file`` for lines of a memory
            file, or ``state`` for what the agent works on in a session.
        id: Of the record; of lines of a file, their path and line numbers.
        number: Its short number, where it has one.
        section: Where in the block.
        lines: Its text, not sanitized yet.
        at: When it happened, ms UTC.
        importance: 0 to 1.
        relevance: How well it answers the question, 0 to 1; 0 without one.
        message_id: The message that a fact quotes.
        session_id: The session that a fact was said in.
        worth_as: What it is for its worth, see `worth`.
        is_agents: Whether it is the agent's word alone.
        is_touched: Whether it names a file that changed in one of the last sessions.
        stored_at: When it was stored, ms UTC, where its id does not say so.
    """

    kind: Kind
    id: str
    number: int | None
    section: Section
    lines: tuple[str, ...]
    at: int
    importance: float
    relevance: float = 0.0
    message_id: str | None = None
    session_id: str | None = None
    worth_as: Worth = "other"
    is_agents: bool = False
    is_touched: bool = False
    stored_at: int | None = None


class ContextItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item of a block; fields as in `Candidate`.

    Attributes:
        why: The parts of its score, which is their sum.
        tokens: What its lines cost.
    """

    kind: Kind
    id: str
    number: int | None
    section: Section
    why: dict[str, float]
    tokens: int


class ContextBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A text for a prompt.

    Attributes:
        text: The whole block, tags included; empty where there is nothing to say.
        tokens: What it costs, the margin of the estimate included; never above the budget.
        chars: Its length as clients count it, in UTF-16 units.
        items: What is in it, in its order.
        dropped: Candidates that did not fit.
        empty_because: Why there is nothing in it; empty where there is something.
    """

    __repr__ = brief_repr

    text: str = ""
    tokens: int = 0
    chars: int = 0
    items: tuple[ContextItem, ...] = ()
    dropped: int = 0
    empty_because: str = ""


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """How large a block may be.

    Attributes:
        tokens: At most.
        chars: UTF-16 units at most; None for no limit.
        count: Counts tokens.
        boundary: Of the tags, which count.
        layout: Of its lines.
        more: The command of recollect in a shell; empty where the reader has tools instead.
    """

    tokens: int
    chars: int | None
    count: Count
    boundary: str
    layout: Layout = "sections"
    more: str = "recollect"

    def holds(self, text: str, tokens: int) -> bool:
        """Return whether a text of so many tokens fits."""
        return tokens <= self.tokens and (self.chars is None or length(text) <= self.chars)


def is_loaded(client: str | None, path: str) -> bool:
    """Return whether a client puts a memory file into its prompts by itself.

    >>> is_loaded("openclaw", "MEMORY.md"), is_loaded("openclaw", "memory/tea.md")
    (True, False)
    """
    return any(fnmatchcase(path, pattern) for pattern in LOADED.get(client or "", ()))


def length(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


Reason = Literal["startup", "clear", "compact", "resume", "fork", "prompt"]
_CLIENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class BlockRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What one block is made for; the fields are arguments of `Contexts.block`, resolved.

    Attributes:
        asker: On whose behalf it is read; for the operator the key of the session decides what is
            heard.
        room: What it may cost.
        since: What is in the prompt since then is left out, ms UTC; None: as the session records.
    """

    session: Session
    asker: Asker
    query: str | None
    reason: Reason
    client: str | None
    room: Room
    sources: tuple[str, ...] = ()
    since: int | None = None


def check_request(query: str | None, budget: int | None, reason: str, client: str | None) -> None:
    """Refuse a request that no block can be made for.

    Raises:
        InvalidInput: the reason is unknown, the client is not a short name, or a prompt has no
            query.
    """
    for value, what in ((query, "query"), (client, "client")):
        if value is not None:
            check_text(value, what)
    reasons = get_args(Reason)
    if reason not in reasons:
        raise InvalidInput("unknown reason of a context", hint=f"use one of {', '.join(reasons)}")
    if client is not None and not _CLIENT.fullmatch(client):
        raise InvalidInput(
            "the client must be a short name", hint="use small letters, as claude-code"
        )
    if reason == "prompt" and not (query or "").strip():
        raise InvalidInput("a prompt needs a query", hint="pass its text as query")
    check_count(budget, "a budget", 1)
