"""Plays the commands of the lifecycle on a real home, and shows what became of it.

The same commands run in the test's own process and, as lines of JSON, in a worker that is killed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import recollect
from recollect.core.errors import RecollectError
from recollect.governance.plan import PruneReport
from recollect.memory import Memory
from recollect.sessions.context.view import ContextView
from recollect.sessions.context.window import Compacted
from recollect.sessions.lease import Lease
from recollect.sessions.leased_session import LeasedSession
from recollect.sessions.record.lineage import Branch
from recollect.sessions.record.session import Session
from recollect.sessions.record.tool_call import ToolCall
from tests.durability.reference_model import (
    DAYS,
    MOST_MESSAGES,
    MOST_SESSIONS,
    Command,
    Reference,
)

COMMON = "lighthouse"
"""A word of every message: the search for it should find exactly what is there."""
_WORD = re.compile(r"w\d+")
_MOST_HITS = 1_000


class HandClock:
    """Stands still until a command moves it."""

    now = 0

    def now_ms(self) -> int:
        """Return the time of the last command."""
        return self.now


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a command gave: a session, perhaps a fence, or the code of an error."""

    session: str | None = None
    fence: int | None = None
    code: str | None = None
    through: int | None = None
    gone: tuple[str, ...] = ()
    cut: dict[str, int] = {}


class Player:
    """A home that is opened, played on, left open as after a crash, and opened again.

    Args:
        home: Its folder.
        fresh: The mode of freshness.
    """

    def __init__(self, home: Path, fresh: str) -> None:
        self._home, self._fresh = home, fresh
        self._clock = HandClock()
        self._left: list[Memory] = []
        self.memory = self._open()

    def _open(self) -> Memory:
        chosen = {
            "embedding.provider": "none",
            "sessions.fresh.mode": self._fresh,
            "sessions.time_zone": "UTC",
            "sessions.retention.max_sessions": MOST_SESSIONS,
            "sessions.retention.max_messages": MOST_MESSAGES,
            "sessions.retention.days": DAYS,
        }
        return recollect.open(self._home, overrides=chosen, clock=self._clock, live=False)

    def perform(self, command: Command) -> Outcome:
        """Do one command; an error of ours is an outcome."""
        given = dict(command)
        op, self._clock.now = given.pop("op"), given.pop("now")
        try:
            found = (getattr(self, f"do_{op}", None) or getattr(self.memory.sessions, op))(**given)
        except RecollectError as error:
            return Outcome(code=error.code)
        if isinstance(found, LeasedSession):
            return Outcome(session=found.session.id, fence=found.lease.fence)
        if isinstance(found, PruneReport):
            cut = {id_: self.memory.sessions.get(id_).pruned_seq for id_ in found.cut_ids}
            return Outcome(gone=found.session_ids, cut=cut)
        if isinstance(found, Compacted):
            through = None if found.compaction is None else found.compaction.through_seq
            return Outcome(session=found.session_id, through=through)
        return Outcome(session=found.id if isinstance(found, Session) else None)

    def reopen(self) -> None:
        """Close the home and open it again."""
        self.memory.close()
        self.memory = self._open()

    def crash(self) -> None:
        """Open the home again as another program would; the first one never closes it in time."""
        self._left.append(self.memory)
        self.memory = self._open()

    def close(self) -> None:
        """Close all that was opened."""
        for memory in [*self._left, self.memory]:
            memory.close()

    def found(self) -> set[tuple[str, int]]:
        """Return session and seq of each message that a search finds."""
        self.memory.sync()
        said = self.memory.search(
            COMMON, limit=_MOST_HITS, mode="lexical", min_score=0.0, sources=["sessions"]
        )
        return {(str(hit.session_id), int(hit.seq or 0)) for hit in said.hits}

    def mirrored(self) -> dict[str, list[tuple[int, str, str]]]:
        """Return the messages that stand in the mirrors, by session."""
        found = {}
        for path in sorted((self._home / "transcripts").glob("*.jsonl")):
            lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
            said = [line for line in lines if line["type"] == "message"]
            found[path.stem] = [(s["seq"], s["role"], _word(str(s["content"]))) for s in said]
        return {session: said for session, said in found.items() if said}

    def do_append(self, session_id: str, items: list[dict[str, Any]]) -> None:
        """Append messages in one call."""
        self.memory.sessions.append_many(session_id, [_message(item) for item in items])

    def do_held_append(self, lease: list[Any], items: list[dict[str, Any]]) -> None:
        """Append messages with a lease, perhaps one that was lost."""
        messages = [_message(item) for item in items]
        self.memory.sessions.append_many(lease[0], messages, lease=_lease(lease))

    def do_prune(self) -> PruneReport:
        """Remove what is above the caps."""
        return self.memory.prune()

    def do_release(self, lease: list[Any]) -> None:
        """Give a lease back, perhaps one that was lost."""
        self.memory.sessions.release(_lease(lease))


def _lease(named: list[Any]) -> Lease:
    session, holder, fence = named
    return Lease(session_id=session, holder=holder, fence=fence, expires_at=0)


def _message(item: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "text", "text": f"{item['text']} {COMMON}"}
    content: list[dict[str, Any]] = [text]
    if "call" in item:
        call = {"type": "tool_use", "id": item["call"], "name": "grep", "input": {"q": "x"}}
        content = [text, call]
    elif "result" in item:
        content = [{"type": "tool_result", "tool_use_id": item["result"], "content": [text]}]
    usage = {"input": item.get("read", 0), "output": item.get("written", 0)}
    message: dict[str, Any] = {"role": item["role"], "content": content, "usage": usage}
    return message | {name: item[name] for name in ("at", "event_id") if name in item}


def _word(text: str) -> str:
    result = _WORD.search(text)
    return result[0] if result else ""


def observed(memory: Memory) -> dict[str, Any]:
    """Return everything that can be seen of the sessions of a memory."""
    sessions = memory.sessions
    listed, deleted = sessions.list(), sessions.list(status="deleted")
    latest = sessions.latest()
    return {
        "listed": [s.id for s in listed],
        "deleted": [s.id for s in deleted],
        "archived": [s.id for s in sessions.list(status="archived")],
        "of /a": [s.id for s in sessions.list(project="/a", status="active")],
        "latest": latest and latest.id,
        "sessions": {s.id: _fields(s) for s in [*listed, *deleted]},
        "said": {
            s.id: [(m.seq, m.role, _word(m.text), m.created_at) for m in sessions.messages(s.id)]
            for s in [*listed, *deleted]
        },
        "views": {s.id: _view(sessions.view(s.id)) for s in [*listed, *deleted]},
        "calls": {
            s.id: {c.call_id: _result(c) for c in sessions.tool_calls(s.id)}
            for s in [*listed, *deleted]
        },
        "trees": {s.id: tuple(_lines(sessions.lineage(s.id), 0)) for s in [*listed, *deleted]},
    }


def expected(reference: Reference) -> dict[str, Any]:
    """Return the same of the reference."""
    return {
        "listed": reference.listed(),
        "deleted": reference.listed(status="deleted"),
        "archived": reference.listed(status="archived"),
        "of /a": reference.listed(project="/a", status="active"),
        "latest": reference.latest(None),
        "sessions": {
            s.id: {
                "status": s.status,
                "key": s.key,
                "project": s.project,
                "title": s.title,
                "previous": s.previous,
                "parent": (s.parent, s.shared if s.parent else None),
                "times": (s.now, s.updated),
                "compactions": s.compactions,
                "counts": (len(s.own), reference.last(s), s.pruned),
                "tokens": (s.read, s.written, s.read + s.written),
            }
            for s in reference.sessions.values()
        },
        "said": {
            id_: [(s.seq, s.role, s.text, s.at) for s in reference.transcript(id_)]
            for id_ in reference.sessions
        },
        "views": {id_: reference.view(id_) for id_ in reference.sessions},
        "calls": {id_: reference.calls(id_) for id_ in reference.sessions},
        "trees": {id_: reference.tree(id_) for id_ in reference.sessions},
    }


def _fields(session: Session) -> dict[str, Any]:
    return {
        "status": session.status,
        "key": session.key,
        "project": session.project,
        "title": session.title,
        "previous": session.previous_id,
        "parent": (session.parent_id, session.forked_at_seq),
        "times": (session.created_at, session.updated_at),
        "compactions": session.compaction_count,
        "counts": (session.message_count, session.last_seq, session.pruned_seq),
        "tokens": (session.input_tokens, session.output_tokens, session.total_tokens),
    }


def _view(view: ContextView) -> tuple[int, list[int]]:
    assert (view.summary is not None) == (view.through_seq > 0)
    return view.through_seq, [message.seq for message in view.messages]


def _result(call: ToolCall) -> tuple[bool, str | None]:
    known = call.tool_name == "grep"
    return known, None if call.result_text is None else _word(call.result_text)


def _lines(branch: Branch, depth: int) -> Iterator[str]:
    yield f"{depth} {branch.relation} {branch.session.id}"
    for child in branch.branches:
        yield from _lines(child, depth + 1)
