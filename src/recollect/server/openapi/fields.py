"""What the fields of requests mean, with an example of each, for ``/openapi.json``.

The docstring of a struct says it where a field means something of its own there; the table has what
means the same on every route, and the examples.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

_ATTRIBUTE = re.compile(r"^    (\w+): ((?:.+\n?)(?:^ {8,}.+\n?)*)", re.MULTILINE)
_CODE = re.compile(r"``([^`]+)``")
_SESSION = "agent:main:telegram:direct:42"
_UUID = "019c4735-4780-7000-893b-9856c21c1fd0"

COMMON: dict[str, tuple[str, Any]] = {
    "action": ("Only of this action, or of those below it.", "token"),
    "accept": ("`text/event-stream` for the answer as it is written.", "text/event-stream"),
    "about": ("Whom it is about.", "me"),
    "actor": ("Only what this sub-agent changed.", "reviewer"),
    "after": ("How many entries after the anchor.", 5),
    "after_seq": ("Only what has a greater seq.", 20),
    "agent": ("The agent whose rows the token sees.", "main"),
    "agent_id": ("Which sub-agent did it.", "reviewer"),
    "anchor": ("The record in the middle, by its id.", "#12"),
    "apart": ("Whether they are two, so that it is not suggested again that they are one.", True),
    "as_of": (
        "What was valid then comes first: a date, a time in ISO 8601, or words.",
        "2026-03-01",
    ),
    "at": ("When it happened, milliseconds UTC.", 1764288000000),
    "at_seq": ("The seq of the last message that the fork has.", 20),
    "audience": ("The session whose audience the token has.", _SESSION),
    "body": ("The body as it came.", "{}"),
    "before": ("How many entries before the anchor.", 5),
    "before_seq": ("Only what has a lesser seq.", 40),
    "budget_tokens": ("How many tokens the answer may take.", 4000),
    "by": ("The fact that is true instead, by its number or id.", "f13"),
    "channel": ("The channel of the account.", "telegram"),
    "channel_user_id": ("The id of the person on that channel.", "42"),
    "channels": ("The channels whose sessions the token sees.", ["telegram"]),
    "client": ("The program that reports.", "claude-code"),
    "code": ("The one-time code that the other account was given.", "K7PX-24QD"),
    "confirm": ("The name once more.", "search.limit"),
    "confidence": ("How sure it is, from 0 to 1.", 0.9),
    "content": ("The text, or a list of content blocks.", "We moved the launch to 14 May."),
    "created_at": ("When it happened, milliseconds UTC.", 1764288000000),
    "cursor": (
        "Where the page begins: the cursor of the page before it.",
        f"1764288000000-{_UUID}",
    ),
    "date_from": ("Not before: a date or a time in ISO 8601.", "2026-05-01"),
    "date_to": ("Not after: a date or a time in ISO 8601.", "2026-05-31"),
    "days": ("How many days.", 7),
    "deep": ("Whether every row is looked at instead of a sample.", False),
    "dry_run": ("Only count what would be done.", True),
    "edits": ("The event id of the message that this one replaces.", "evt-40"),
    "error": ("The error that the tool reported.", "exit code 1"),
    "event": ("The name of the hook event.", "PostToolUse"),
    "waits_until": (
        "When the program goes on without the answer, milliseconds UTC.",
        1764288000300,
    ),
    "event_id": ("An id of your own; the same id twice is stored once.", "evt-41"),
    "expires_at": ("When the token ends, milliseconds UTC.", 1795824000000),
    "fact": ("The number or the id of a fact.", "f12"),
    "files": ("The files that it is about.", ["src/shop/cart.py"]),
    "for_sender": ("The person who asks in a group.", "42"),
    "for_session": ("On whose behalf: only what this session may hear. A key or an id.", _SESSION),
    "foreign_id": ("The id that the client gave the session.", "3f1c2a"),
    "from_line": ("The first line, from 1.", 1),
    "full": ("Whole texts rather than summaries.", True),
    "id": ("The number or the id.", "12"),
    "ids": ("Numbers or ids of records.", ["12", "14"]),
    "importance": ("From 1 to 10.", 7),
    "into": ("The project that it becomes part of.", "shop"),
    "input": ("What the tool was given.", {"command": "make test"}),
    "key": ("The key or the id of the session.", _SESSION),
    "kind": ("The kind of the fact.", "preference"),
    "conversation": ("Whether messages leave or return with the files.", True),
    "label": ("What to call it.", "before the refactoring"),
    "last_event_id": (
        "The number of the last event that arrived; only later ones are sent.",
        "120",
    ),
    "limit": ("How many at most.", 10),
    "lines": ("How many lines.", 40),
    "max_tokens": ("How many tokens the answer may take.", 2000),
    "metadata": ("Anything of your own, as a JSON object.", {"thread": "7"}),
    "min_confidence": (
        "Nothing if the search is less sure that it has the answer, from 0 to 1.",
        0.4,
    ),
    "min_importance": ("Only what is at least so important, from 1 to 10.", 5),
    "min_score": ("Nothing with a lower score, from 0 to 1.", 0.2),
    "minutes": ("For how long.", 60),
    "mode": ("hybrid, lexical or vector.", "hybrid"),
    "model": ("The model that wrote it.", "claude-sonnet-5"),
    "name": ("The name.", "bot"),
    "near_project": ("The project at hand, which comes first: a path of it.", "/home/ana/shop"),
    "number": ("The number of the proposal.", 1),
    "only_call": ("Only what the call of the checkpoint changed.", False),
    "on_conflict": (
        "What to do with paths that somebody else changed too: stop, keep, force or merge.",
        "keep",
    ),
    "other_tenant": ("Whether lines of another tenant are taken.", False),
    "outcome": ("Only what was done, or refused.", "refused"),
    "output": ("What the tool returned.", "12 passed"),
    "owner": ("Whether a plain name is a session of the owner's.", True),
    "path": ("The path of a file.", "memory/2026-05-14.md"),
    "paths": ("Only these below the root, and what is in them; all by default.", ["src/cart.py"]),
    "payload": (
        "The event as the client gave it.",
        {"hook_event_name": "SessionStart", "session_id": "3f1c2a", "cwd": "/home/ana/shop"},
    ),
    "plan_id": ("The id of the plan that was agreed to.", "9ada90b0d02a8a55b6c12ec745e18f2f"),
    "pinned": ("Whether it is kept from fading.", True),
    "probe": ("Whether the embedder is asked as well.", False),
    "project": ("A project: a path of it, its name or its id; all: any.", "shop"),
    "project_path": ("The folder that the agent works in.", "/home/ana/shop"),
    "query": ("The question, in words.", "when is the launch?"),
    "reason": ("Why the block is asked for.", "session-start"),
    "record": ("Whether the injection is recorded.", True),
    "reply_to_agent": ("Whether it replies to the agent.", True),
    "result": ("The result of a search.", {"hits": []}),
    "revoked": ("Whether revoked tokens are listed too.", True),
    "rights": ("What the token allows.", "write"),
    "role": ("Who says it.", "user"),
    "root": (
        "A folder that the owner registered; may be left out where it is the only one.",
        "/home/ana/shop",
    ),
    "secret": ("The secret of the webhook.", "a-secret-of-some-length"),
    "signature": ("The signature of the body.", "v1=5257a869…"),
    "timestamp": ("When it was signed, seconds since 1970 UTC.", "1764288000"),
    "scope": ("Which rows, narrower than those of the token.", {"agent": "main"}),
    "sender": ("The account that says it, in a group.", "42"),
    "session": ("The key or the id of a session.", _SESSION),
    "session_id": ("The id of a session.", _UUID),
    "session_ids": ("Ids of sessions.", [_UUID]),
    "session_key": ("The key or the id of a session.", _SESSION),
    "since": ("Not before: a date, a time in ISO 8601, or words such as yesterday.", "2026-05-01"),
    "source": ("How the session began.", "startup"),
    "sources": ("Which kinds of memory.", ["memory", "sessions"]),
    "status": ("Only what has this status.", "active"),
    "steps": (
        "All steps of the task: texts, each with a status.",
        [{"text": "Write the notes", "status": "in_progress"}],
    ),
    "summary": ("What it was, in a line.", "All tests pass."),
    "tenant": ("The tenant whose rows the token sees.", "default"),
    "task": ("What the agent works on.", "Prepare the launch"),
    "text": ("The statement.", "I prefer tabs"),
    "title": ("The title.", "Moving the launch"),
    "tool_name": ("The name of the tool.", "Bash"),
    "tool_use_id": ("The id of the call.", "toolu_01"),
    "trust": ("`agent` where an agent says it by itself.", "agent"),
    "type": ("The type of the observation.", "decision"),
    "types": ("Types of observations.", ["decision", "bugfix"]),
    "until": ("Not after: a date, a time in ISO 8601, or words such as yesterday.", "2026-05-31"),
    "user_id": ("A person, by the name or an account.", "telegram:42"),
    "with_forks": ("Whether forks of it go too.", True),
    "undo": ("Whether it is taken back.", True),
    "value": ("The value.", 10),
    "unread": ("What could not be read as a field.", ""),
    "left_out": ("How many bytes were left out.", 0),
}
"""The meaning of a field on every route, and an example."""

EXAMPLES: dict[str, Any] = {
    "OneBlock.id": _UUID,
    "OneCheckpoint.id": "c12",
    "PlanOrder.id": "c12",
    "RewindOrder.id": "c12",
    "OneRewind.id": _UUID,
    "ChatMessage.text": "When is the launch?",
    "AliasOrder.path": "/home/ana/old-shop",
    "AuditFilter.actor": "phone",
    "SettingChange.name": "search.limit",
    "CodeExchange.code": "B4wMUyNhThlvHjqSDYSMOQPna7WEhohuh6Fi8JdUwhQ",
    "OneEpisode.id": "e3",
    "OneFact.id": "f12",
    "FactId.id": "f12",
    "FactUpdate.id": "f12",
    "FactUpdate.text": "I prefer spaces",
    "ObservationFilter.type": ["decision"],
    "FactFilter.status": "current",
    "ContextFields.since": 1764288000000,
    "EventsWanted.since": "120",
    "ExportFields.files": True,
    "ImportFields.files": True,
    "LinesFields.result": {"hits": [], "mode": "lexical", "warnings": [], "took_ms": 1.0},
    "TimelineFields.anchor": "m7",
}
"""Where a route needs another example than `COMMON` has."""


def descriptions_of(kind: type) -> dict[str, str]:
    """Return the descriptions of attributes in the docstrings of a class and its bases, by name."""
    descriptions: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        descriptions |= _attributes(each.__doc__)
    return descriptions


def split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return a docstring without its attributes, and the description of each attribute."""
    head = inspect.cleandoc(text).partition("\nAttributes:\n")[0]
    return _markdown(head.strip()), _attributes(text)


def _attributes(text: str | None) -> dict[str, str]:
    section = inspect.cleandoc(text or "").partition("Attributes:\n")[2]
    return {name: _markdown(" ".join(each.split())) for name, each in _ATTRIBUTE.findall(section)}


def _markdown(text: str) -> str:
    return _CODE.sub(r"`\1`", text)
