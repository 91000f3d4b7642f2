"""What the life of a session should look like: plain lists and dicts, slow and obviously right.

`test_lifecycle_model` runs the same commands here and in the product, and compares. Ids are what
the product gave; everything else is worked out anew. Nothing of the product is imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
IDLE_MS = 240 * MINUTE
DAY_BEGINS = 4 * HOUR
LEASE_MS = 60_000
MOST_SESSIONS, MOST_MESSAGES, DAYS = 6, 4, 2
"""The caps of retention."""

Command = dict[str, Any]
"""``op`` and ``now``, and the arguments of the call; everything in it is JSON."""


class Refused(Exception):
    """The product should refuse the command with this code, and change nothing."""


@dataclass
class Said:
    """A message: its place, what it says, and the tools that it calls or answers."""

    seq: int
    role: str
    text: str
    at: int
    event_id: str | None
    call: str | None = None
    result: str | None = None


@dataclass
class Kept:
    """A session."""

    id: str
    now: int
    key: str | None = None
    project: str | None = None
    title: str | None = None
    status: str = "active"
    updated: int = 0
    previous: str | None = None
    parent: str | None = None
    shared: int = 0
    pruned: int = 0
    compactions: int = 0
    own: list[Said] = field(default_factory=list)
    read: int = 0
    written: int = 0
    automatic: bool = False
    summaries: list[tuple[int, int]] = field(default_factory=list)
    """The last message that each stands for, and when it was made."""


class Reference:
    """All sessions of a home, and what the lifecycle does with them.

    Args:
        fresh: The mode of freshness.
    """

    def __init__(self, fresh: str) -> None:
        self.fresh = fresh
        self.sessions: dict[str, Kept] = {}
        self.leases: dict[str, tuple[str, int, int]] = {}

    def apply(self, command: Command, made: str | None) -> str | None:
        """Do what a command says; return the id of the session that it should give.

        Args:
            command: What is asked for.
            made: The id that the product gave a new session.

        Raises:
            Refused: it should be refused.
        """
        arguments = {name: value for name, value in command.items() if name != "op"}
        given: str | None = getattr(self, f"_{command['op']}")(made=made, **arguments)
        return given

    def transcript(self, session_id: str) -> list[Said]:
        """Return what was said, oldest first; of a fork also what it shares."""
        session = self.sessions[session_id]
        before = [] if session.parent is None else self._whole(session.parent)
        said = [said for said in before if said.seq <= session.shared] + session.own
        return [each for each in said if each.seq > session.pruned]

    def _whole(self, session_id: str) -> list[Said]:
        """Return what stands in a session and those above it, whatever it shows of that."""
        session = self.sessions[session_id]
        before = [] if session.parent is None else self._whole(session.parent)
        return [said for said in before if said.seq <= session.shared] + session.own

    def searchable(self) -> set[tuple[str, int]]:
        """Return in whose transcript and at which seq a message is that a living session shows."""
        return {
            (self.owner(session.id, said.seq), said.seq)
            for session in self.sessions.values()
            if session.status != "deleted"
            for said in self.transcript(session.id)
        }

    def owner(self, session_id: str, seq: int) -> str:
        """Return in whose transcript a message is that a session shows."""
        session = self.sessions[session_id]
        while session.parent is not None and seq <= session.shared:
            session = self.sessions[session.parent]
        return session.id

    def _event_ids(self, session_id: str) -> set[str]:
        """Return those of a session and of what it shares, and of the sessions it followed."""
        before = self.sessions[session_id].previous
        found = {said.event_id for said in self._whole(session_id) if said.event_id}
        return found if before is None else found | self._event_ids(before)

    def last(self, session: Kept) -> int:
        """Return the seq of the newest message."""
        return session.own[-1].seq if session.own else session.shared

    def calls(self, session_id: str) -> dict[str, tuple[bool, str | None]]:
        """Return for each tool call of a transcript whether it was seen, and its result."""
        found: dict[str, tuple[bool, str | None]] = {}
        for said in self.transcript(session_id):
            if said.call is not None:
                found[said.call] = (True, found.get(said.call, (False, None))[1])
            if said.result is not None:
                found[said.result] = (found.get(said.result, (False, None))[0], said.text)
        return found

    def view(self, session_id: str) -> tuple[int, list[int]]:
        """Return how far the summary reaches, and the messages shown behind it.

        A result is not shown where its call is not, unless nothing else is.
        """
        through = self._through(session_id)
        behind = [said for said in self.transcript(session_id) if said.seq > through]
        called = {said.call for said in behind}
        shown = [s.seq for s in behind if s.result is None or s.result in called]
        return through, shown or [s.seq for s in behind[-1:]]

    def _through(self, session_id: str) -> int:
        """Return how far the newest summary reaches that a session sees; a fork as it was then."""
        session = self.sessions[session_id]
        last, until = self.last(session), None
        while True:
            seen = [
                through
                for through, made in session.summaries
                if through <= last and (until is None or made <= until)
            ]
            if seen or session.parent is None:
                return max(seen, default=0)
            last = min(session.shared, last)
            until = session.now if until is None else min(until, session.now)
            session = self.sessions[session.parent]

    def listed(self, **equal: str) -> list[str]:
        """Return the ids of the sessions with these fields, the last used first."""
        found = [
            s
            for s in self.sessions.values()
            if all(getattr(s, name) == value for name, value in equal.items())
            and ("status" in equal or s.status != "deleted")
        ]
        return [s.id for s in _by_use(found)]

    def latest(self, project: str | None) -> str | None:
        """Return the id of the active session of a person that was used last."""
        found = [
            s
            for s in self.sessions.values()
            if s.status == "active" and not s.automatic and project in {None, s.project}
        ]
        return _by_use(found)[0].id if found else None

    def tree(self, session_id: str) -> tuple[str, ...]:
        """Return the lines ``depth relation id`` of the tree that a session is in."""
        top = self.sessions[session_id]
        while above := top.parent or top.previous:
            top = self.sessions[above]
        return tuple(self._lines(top, "root", 0))

    def _lines(self, top: Kept, relation: str, depth: int) -> Iterable[str]:
        yield f"{depth} {relation} {top.id}"
        grown = [s for s in self.sessions.values() if top.id in {s.parent, s.previous}]
        for child in sorted(grown, key=lambda s: (s.now, s.id)):
            how = "fork" if child.parent == top.id else "reset"
            yield from self._lines(child, how, depth + 1)

    # --- the commands -----------------------------------------------------------------------------

    def _create(
        self,
        *,
        now: int,
        made: str | None,
        key: str | None = None,
        project: str | None = None,
        title: str | None = None,
        session_id: str | None = None,
    ) -> str:
        if session_id in self.sessions:
            raise Refused("conflict")
        return self._add(made, now, key=key, project=project, title=title)

    def _open(self, now: int, made: str | None, key: str, project: str | None = None) -> str:
        there = self._under(key, project)
        fresh = [s for s in there if not self._is_stale(s, now)]
        if fresh:
            return fresh[0].id
        return self._follow(made, now, there, key=key, project=project)

    def _reset(self, now: int, made: str | None, key: str, project: str | None = None) -> str:
        there = self._under(key, project)
        if there:
            self._refuse_held(there[0].id, now)
            there[0].status = "archived"
        return self._follow(made, now, there, key=key, project=project)

    def _append(
        self, now: int, made: str | None, session_id: str, items: list[dict[str, Any]]
    ) -> None:
        kept = self._living(session_id)
        for item in items:
            if item.get("event_id") in self._event_ids(session_id):
                continue
            seq = self.last(kept) + 1
            at = item.get("at", now)
            tools = {name: item[name] for name in ("call", "result") if name in item}
            kept.own.append(
                Said(seq, item["role"], item["text"], at, item.get("event_id"), **tools)
            )
            kept.updated = max(kept.updated, min(at, now))
            kept.read += item.get("read", 0)
            kept.written += item.get("written", 0)

    def _fork(
        self,
        now: int,
        made: str | None,
        session_id: str,
        at_seq: int | None = None,
        title: str | None = None,
    ) -> str:
        parent = self._living(session_id)
        last = self.last(parent)
        seq = last if at_seq is None else at_seq
        if not 0 <= seq <= last or 0 < seq < parent.pruned:
            raise Refused("invalid_input")
        return self._add(
            made,
            now,
            project=parent.project,
            title=title,
            parent=parent.id,
            shared=seq,
            pruned=min(parent.pruned, seq),
            compactions=parent.compactions,
            automatic=parent.automatic,
        )

    def _resume(self, now: int, made: str | None, id_or_title: str) -> str:
        session = self._named(id_or_title)
        if session.status != "active":
            self._refuse_held(session.id, now)
        session.status = "active"
        return session.id

    def _hold(self, now: int, made: str | None, id_or_title: str, holder: str, on_busy: str) -> str:
        session = self._named(id_or_title)
        held = self.leases.get(session.id)
        if held is not None and held[2] > now and held[0] != holder:
            if on_busy == "refuse":
                raise Refused("conflict")
            session = self.sessions[self._fork(now, made, session.id)]
        session.status = "active"
        before = self.leases.get(session.id)
        same = before is not None and before[0] == holder and before[2] > now
        fence = (before[1] if before else 0) + (not same)
        self.leases[session.id] = (holder, fence, now + LEASE_MS)
        return session.id

    def _held_append(
        self, now: int, made: str | None, lease: list[Any], items: list[dict[str, Any]]
    ) -> None:
        session, holder, fence = lease
        if session not in self.sessions:
            raise Refused("not_found")
        self._living(session)
        if self.leases[session][:2] != (holder, fence) or not self.leases[session][2]:
            raise Refused("conflict")
        self.leases[session] = (holder, fence, now + LEASE_MS)
        self._append(now, made, session, items)

    def _release(self, now: int, made: str | None, lease: list[Any]) -> None:
        session, holder, fence = lease
        if session in self.leases and self.leases[session][:2] == (holder, fence):
            self.leases[session] = (holder, fence, 0)

    def _rename(self, now: int, made: str | None, session_id: str, title: str | None) -> str:
        self._refuse_held(session_id, now)
        self.sessions[session_id].title = title
        return session_id

    def _refuse_held(self, session_id: str, now: int) -> None:
        """Refuse to change the view of a session that a program holds."""
        if session_id in self.leases and self.leases[session_id][2] > now:
            raise Refused("conflict")

    def _set_status(self, now: int, made: str | None, session_id: str, status: str) -> str:
        self._refuse_held(session_id, now)
        self.sessions[session_id].status = status
        return session_id

    def _compact(
        self, now: int, made: str | None, session_id: str, keep_messages: int, through: int | None
    ) -> str:
        """Check where the product cut, and note it."""
        self._living(session_id)
        self._refuse_held(session_id, now)
        before, said = self._through(session_id), self.transcript(session_id)
        place = len(said) - keep_messages - 1
        wanted = said[place].seq if place >= 0 else 0
        answered = {s.call for s in said if s.call} & {s.result for s in said if s.result}
        if through is None:
            assert wanted <= before or any(s.call for s in said), "there was enough to replace"
            return session_id
        assert before < through <= wanted, "the newest stay, and each summary reaches farther"
        assert through == wanted or any(s.call for s in said), "not more stay than asked for"
        for call in answered:
            seqs = [s.seq for s in said if call in {s.call, s.result} and s.seq > before]
            first = next((s.seq for s in said if s.call == call), 0)
            assert first <= before or all(q <= through for q in seqs) == any(
                q <= through for q in seqs
            ), "a call stays with its result"
        session = self.sessions[session_id]
        session.summaries.append((through, now))
        session.compactions += 1
        return session_id

    def _prune(self, now: int, made: str | None, gone: list[str], cut: dict[str, int]) -> None:
        """Check what the product removed, and remove it."""
        held = {id_ for id_, lease in self.leases.items() if lease[2] > now}
        order = _by_use(self.sessions.values())
        above = {s.id for s in order if s.updated < now - DAYS * DAY}
        above |= {s.id for s in order[MOST_SESSIONS:]}
        assert set(gone) >= self._free(above - held), "what is above a cap goes"
        for id_, through in cut.items():
            session = self.sessions[id_]
            assert id_ not in held, "what is held stays"
            assert len(session.own) > MOST_MESSAGES, "only what is long is cut"
            left = [said for said in session.own if said.seq > through]
            assert left, "something stays"
            assert len(left) <= MOST_MESSAGES or any(s.call for s in left), "no more than may"
            calls = {s.call for s in session.own if s.call}
            for call in calls & {s.result for s in session.own}:
                seqs = [s.seq for s in session.own if call in {s.call, s.result}]
                assert (min(seqs) > through) == (max(seqs) > through), "a pair is not torn"
            session.pruned, session.own = through, left
            newest = max((seq for seq, _ in session.summaries), default=0)
            session.summaries = [
                each for each in session.summaries if each[0] > through or each[0] == newest
            ]
        assert set(gone) <= self._free(above - held), "what somebody reads, holds or uses stays"
        self._remove(set(gone))

    def _free(self, above: set[str]) -> set[str]:
        """Return those of some sessions that no other session reads."""
        stays = [s for s in self.sessions.values() if s.id not in above]
        for session in stays:  # it grows while it is read
            reader, last = session, session.shared
            while reader.parent is not None and last > session.pruned:
                reader = self.sessions[reader.parent]
                if reader not in stays:
                    stays.append(reader)
                last = min(last, reader.shared)
        return above - {s.id for s in stays}

    def _remove(self, gone: set[str]) -> None:
        for id_ in gone:
            del self.sessions[id_]
            self.leases.pop(id_, None)
        for session in self.sessions.values():
            session.parent = None if session.parent in gone else session.parent
            session.previous = None if session.previous in gone else session.previous

    # --- what they have in common -----------------------------------------------------------------

    def _add(self, made: str | None, now: int, **fields: Any) -> str:
        assert made is not None, "a new session has an id"
        assert made not in self.sessions, "a new session has a new id"
        automatic = fields.pop("automatic", "cron" in (fields.get("key") or ""))
        self.sessions[made] = Kept(made, now, updated=now, automatic=automatic, **fields)
        return made

    def _follow(self, made: str | None, now: int, there: list[Kept], **fields: Any) -> str:
        if there:
            fields |= {"previous": there[0].id, "compactions": there[0].compactions}
        return self._add(made, now, **fields)

    def _under(self, key: str, project: str | None) -> list[Kept]:
        return _by_use(
            s
            for s in self.sessions.values()
            if s.key == key and s.status == "active" and project in {None, s.project}
        )

    def _is_stale(self, session: Kept, now: int) -> bool:
        day = (now - DAY_BEGINS) // DAY * DAY + DAY_BEGINS
        idle = self.fresh in {"idle", "both"} and session.updated < now - IDLE_MS
        return idle or (self.fresh in {"daily", "both"} and session.now < day)

    def _named(self, name: str) -> Kept:
        if name in self.sessions:
            meant = [self.sessions[name]]
        else:
            there = [s for s in self.sessions.values() if s.status != "deleted"]
            ends = [s for s in self.sessions.values() if s.id.endswith(name[-100:])]
            meant = ends or [s for s in there if s.title and s.title.lower() == name.lower()]
        if not meant:
            raise Refused("not_found")
        if len(meant) > 1 or meant[0].status == "deleted":
            raise Refused("conflict")
        return meant[0]

    def _living(self, session_id: str) -> Kept:
        """Return a session; a deleted one takes nothing in."""
        if self.sessions[session_id].status == "deleted":
            raise Refused("conflict")
        return self.sessions[session_id]


def _by_use(sessions: Iterable[Kept]) -> list[Kept]:
    return sorted(sessions, key=lambda s: (s.updated, s.id), reverse=True)
