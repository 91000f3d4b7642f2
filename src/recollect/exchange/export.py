"""The export of everything that a scope has, or that one session may hear: a stream of lines.

Derived data is left out: the index, mirrors, tool calls (they are in the messages, and their rows
are rebuilt). So are settings, tokens, events and injections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, LiteralString, TypeAlias

import msgspec

from recollect.audience.visibility import OPERATOR, Asker, Audience, Resolve
from recollect.core.checks import checked
from recollect.core.clock import Clock, IdSource
from recollect.core.decoding import decode_json
from recollect.core.errors import Conflict, InvalidInput, NotFound, StoreCorrupt
from recollect.core.events import HomeExported
from recollect.core.scope import Scope
from recollect.exchange.lines import VERSION, ExportHeader, FileLine, iso_ms, sealed
from recollect.exchange.rows.facts import fact_lines
from recollect.exchange.session_export import placed
from recollect.knowledge.mirror import FactLine
from recollect.observations.observation import Observation
from recollect.observations.project_lines import project_lines
from recollect.observations.rows import only_heard, select_observations
from recollect.sessions.context.episode import Episode, episodes_after, heard_episode
from recollect.sessions.context.working_memory import StateLine, state_lines
from recollect.sessions.mirror.mirror_lines import SESSION_LINE, SessionLine, mirror_lines
from recollect.sessions.policy.turns import heard_seqs
from recollect.sessions.record.lineage import (
    Kin,
    LineageSegment,
    Withdrawal,
    ancestors,
    find_kin,
    living_readers,
    withdrawn_from,
    without,
)
from recollect.store.audit import record_audit
from recollect.store.blobs import Blobs
from recollect.store.columns import Condition, is_record_out, text
from recollect.store.engine import Database, Transaction
from recollect.store.files import write_file
from recollect.store.journal import record_event
from recollect.store.sqlite.home import find_home_id

_PAGE = 200
_PAYLOADS = 16
"""Observations read at once: each may have two payloads of 16 MB."""
_SESSIONS: LiteralString = "SELECT id FROM sessions WHERE "
_OBSERVATIONS: LiteralString = """
    SELECT id FROM observations WHERE session_id = ? ORDER BY created_at, id
"""
_COMPACTION = b'{"type":"compaction"'
_ENDLESS = 2**62

Lines: TypeAlias = Iterator[tuple[str, Any]]


class ExportOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an export; see `Memory.export`."""

    scope: Scope
    since: int | None = None
    asker: Asker = OPERATOR
    files: bool = False


class ExportParts(msgspec.Struct, frozen=True, kw_only=True):
    """The sources of an export.

    Attributes:
        home: Its folder.
        database: ``records.db``.
        blobs: The store of long payloads.
        clock: Dates it.
        ids: Give the export its id.
        audience: Resolves what an asker hears.
        files: Yields the memory files, without secrets; None without a workspace.
    """

    home: Path
    database: Database
    blobs: Blobs
    clock: Clock
    ids: IdSource
    audience: Resolve
    files: Callable[[], Iterator[FileLine]] | None


class ExportProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The number of written sessions, and of all."""

    done: int
    total: int


class HomeExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an export: the file, its id, and the number of records of each kind."""

    path: str
    id: str
    bytes: int
    counts: dict[str, int]


@checked
class HomeExport:
    """An export of everything in a scope.

    Args:
        parts: Its sources.
        order: Its options.
        on_progress: Called after each session.

    Raises:
        NotFound: the scope has no such session.
        InvalidInput: memory files are wanted, and this memory has no workspace.
    """

    def __init__(
        self,
        parts: ExportParts,
        order: ExportOrder,
        on_progress: Callable[[ExportProgress], None] | None = None,
    ) -> None:
        if order.files and parts.files is None:
            raise InvalidInput("this memory has no workspace", hint="give one with --workspace")
        self._parts, self._order = parts, order
        self._tell = on_progress or (lambda _: None)
        self._begun = parts.database.read(lambda tx: parts.audience(tx, order.asker))
        self.counts: dict[str, int] = {}
        """Records written so far, by kind."""
        self._paths: set[str] = set()
        """Projects of the written records."""
        self.header: ExportHeader = self._header()

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, without line breaks; the whole document is never in memory.

        Raises:
            StoreError: the records cannot be read.
        """
        scope, at = self._order.scope, self.header.created_at
        event = HomeExported(scope=scope, at=at, id=self.header.id, audience=self.header.audience)

        def note(tx: Transaction) -> None:
            record_event(tx, event)
            record_audit(tx, scope, "export", at, target=self.header.id)

        self._parts.database.write(note)
        yield from sealed(self.header, self._counted())

    def save(self, path: Path | str, *, replace: bool = False) -> HomeExportReport:
        """Write the lines into a file (0600), which appears whole or not at all.

        Raises:
            Conflict: something with this name exists, and it is not to be replaced.
            NotFound: the folder is missing.
            InvalidInput: the path cannot be one, or lies in the home.
            StoreError: the disk or the database refused.
        """
        target = placed(Path(path))
        if target.parent.resolve().is_relative_to(self._parts.home.resolve()):
            raise InvalidInput("the export must lie outside of the home", hint="name another file")
        size = write_file(target, (line + b"\n" for line in self.lines()), replace=replace)
        return HomeExportReport(
            path=str(target), id=self.header.id, bytes=size, counts=dict(self.counts)
        )

    def _header(self) -> ExportHeader:
        parts, order, scope = self._parts, self._order, self._order.scope
        return ExportHeader(
            recollect_export=VERSION,
            id=parts.ids.new(),
            made_by=version("recollect"),
            home_id=parts.database.read(find_home_id),
            created_at=parts.clock.now_ms(),
            tenant=scope.tenant,
            agent=scope.agent,
            user=scope.user,
            project=scope.project,
            session=scope.session,
            since=order.since,
            audience="operator" if self._begun.group is None else "session",
            files=order.files,
        )

    def _counted(self) -> Lines:
        for kind, record in self._records():
            self.counts[kind] = self.counts.get(kind, 0) + 1
            yield kind, record

    def _records(self) -> Lines:
        query, scope = self._parts.database.read, self._order.scope
        selection = query(lambda tx: _Selection(tx, self._order, self._audience(tx)))
        for position, session_id in enumerate(selection.order, 1):
            yield from self._session(session_id, selection)
            self._tell(ExportProgress(done=position, total=len(selection.order)))
        yield from (("episode", each) for each in self._episodes())
        yield from (("fact", each) for each in query(self._facts))
        if self._begun.is_owners:
            is_all = self._begun.group is None and scope == Scope(tenant=scope.tenant)
            paths = None if is_all else self._paths
            projects = query(lambda tx: project_lines(tx, scope.tenant, paths))
            yield from (("project", each) for each in projects)
            files = self._parts.files if self._order.files else None
            yield from (("file", each) for each in (files() if files else ()))

    def _audience(self, tx: Transaction) -> Audience:
        """Return the audience of a batch: the one that the document was begun for.

        Raises:
            Conflict: the session answers somebody else now.
        """
        audience = self._parts.audience(tx, self._order.asker)
        if audience != self._begun:
            raise Conflict("the session answers somebody else now", hint="begin the export again")
        return audience

    def _session(self, session_id: str, selection: _Selection) -> Lines:
        """Yield a session with its records; nothing where it was erased meanwhile."""
        lines = mirror_lines(self._parts.database, session_id)
        first = next(lines, None)
        if first is None:
            return
        session = decode_json(first, SessionLine)
        yield "session", self._told(session, selection)
        for line in lines:
            is_compaction = line.startswith(_COMPACTION)
            if line.startswith(SESSION_LINE) or not selection.takes(
                session_id, line, is_compaction
            ):
                continue
            if is_compaction and not self._hears_summary(session, line):
                continue
            yield "compaction" if is_compaction else "message", msgspec.Raw(line)
        yield from (("withdrawal", each) for each in selection.withdrawals.get(session_id, ()))
        if session_id in selection.chosen:
            yield from (("state", each) for each in self._states(session))
            yield from (("observation", each) for each in self._observations(session_id))

    def _states(self, session: SessionLine) -> Iterator[StateLine]:
        since = self._order.since or 0
        for each in self._parts.database.read(lambda tx: state_lines(tx, session.id)):
            if each.updated_at >= since and self._begun.hears(session, each.turn_sender):
                yield each

    def _hears_summary(self, session: SessionLine, line: bytes) -> bool:
        """Return whether a summary was made for the asker's audience.

        The messages that it replaces may be pruned, so they cannot be checked instead.
        """
        return self._begun.hears(session, decode_json(line, _Facts).turn_sender)

    def _told(self, line: SessionLine, selection: _Selection) -> SessionLine:
        """Return the line of a session without links to what is not in the document.

        Guests get no facts of the program, and a title only of sessions that they hear whole. Of
        what a fork shares with another owner's session, only the messages are exported.
        """
        facts: dict[str, Any] = {"withdrawn": []}
        scope = msgspec.structs.replace(self._order.scope, session=None)
        if line.id not in selection.chosen and scope != Scope(tenant=scope.tenant):
            facts |= {"title": None, "key": None, "project": None, "metadata": {}, "overrides": {}}
        elif line.project:
            self._paths.add(line.project)
        if line.previous_id not in selection.limits:
            facts["previous_id"] = None
        if line.parent_id is not None and line.parent_id not in selection.limits:
            pruned = max(line.pruned_seq, line.forked_at_seq or 0)
            facts |= {"parent_id": None, "forked_at_seq": None, "pruned_seq": pruned}
        if not self._begun.is_owners:
            facts |= {"metadata": {}, "overrides": {}}
        if not selection.is_whole(line.id):
            facts["title"] = None
        return msgspec.structs.replace(line, **facts)

    def _observations(self, session_id: str) -> Iterator[Observation]:
        rows = self._parts.database.read(lambda tx: tx.all(_OBSERVATIONS, (session_id,)))
        ids = [text(row[0]) for row in rows]
        for start in range(0, len(ids), _PAYLOADS):
            some = ids[start : start + _PAYLOADS]
            observations = self._parts.database.read(partial(self._some, ids=some))
            yield from map(self._with_payload, observations)

    def _some(self, tx: Transaction, ids: list[str]) -> list[Observation]:
        where = Condition(self._order.scope, "session_id")
        if self._order.since is not None:
            where.also("created_at >= ?", self._order.since)
        audience = self._audience(tx)
        is_all = audience.group is None
        where.sql += f" AND NOT {is_record_out('observation', 'o.id')}"
        rows = select_observations(tx, where, "created_at, id", -1, deleted=is_all, ids=ids)
        return [o for o in only_heard(tx, audience, rows) if is_all or not o.is_forgotten]

    def _with_payload(self, of: Observation) -> Observation:
        self._paths |= {of.project} if of.project else set()
        if not self._begun.is_owners:
            payload = {"input": "", "output": "", "error": None}
        else:
            payload = {
                "input": self._whole(of.input, of.input_blob),
                "output": self._whole(of.output, of.output_blob),
            }
        return msgspec.structs.replace(of, input_blob=None, output_blob=None, **payload)

    def _whole(self, text: str, blob: str | None) -> str:
        try:
            return text if blob is None else self._parts.blobs.get(blob).decode()
        except (NotFound, StoreCorrupt):  # removed by retention: only head and tail are left
            return text

    def _facts(self, tx: Transaction) -> list[FactLine]:
        order = self._order
        rows = list(fact_lines(tx, order.scope, self._audience(tx), order.since))
        self._paths |= {each.project for each in rows if each.project}
        return rows

    def _episodes(self) -> Iterator[Episode]:
        after = ""
        while page := self._parts.database.read(partial(self._page, after)):
            yield from filter(None, (heard_episode(each, self._begun) for each in page))
            after = page[-1].id

    def _page(self, after: str, tx: Transaction) -> list[Episode]:
        is_all = self._audience(tx).group is None
        scope, since = self._order.scope, self._order.since
        return episodes_after(tx, scope, after, _PAGE, since=since, deleted=is_all)


class _Facts(msgspec.Struct, frozen=True):
    """What decides about a line: its seq and time, and of a summary for whom it was made."""

    seq: int
    at: str
    turn_sender: str | None = None
    through_seq: int = 0


class _Selection:
    """The sessions of a document in order, and what is exported of each.

    A session comes after its parent. Where the scope has only the fork, the parent is included as
    far as both share it.
    """

    def __init__(self, tx: Transaction, order: ExportOrder, audience: Audience) -> None:
        self._since = order.since
        audible = None
        if audience.group is not None:
            audible = heard_seqs(tx, order.scope.tenant, audience)
        where = Condition(order.scope)
        if order.since is not None:
            where.also("updated_at >= ?", order.since)
        if audible is not None:
            where.also("status <> ?", "deleted")
        rows = tx.rows(_SESSIONS + where.sql + " ORDER BY id", where.params)
        self.chosen = {text(row[0]) for row in rows}
        """The sessions of the scope."""
        if audible is not None:
            self.chosen &= audible.keys()
        kin = find_kin(tx, order.scope.tenant)
        self.limits = dict.fromkeys(self.chosen, _ENDLESS)
        """The last seq of each session that is in the document."""
        for each in sorted(self.chosen):
            for parent, last in ancestors(kin[each], kin.get):
                if audible is None or parent.id in audible:
                    self.limits[parent.id] = max(last, self.limits.get(parent.id, 0))
        self.order = _parents_first(self.limits, kin)
        self._out, self.withdrawals = _withdrawn(tx, kin, self.limits)
        """By session: what none shows, and the ranges that it must not show after an import."""
        seqs = audible or {}
        self._seqs = {each: frozenset(of or ()) for each, of in seqs.items() if of is not None}

    def is_whole(self, session_id: str) -> bool:
        """Return whether the asker may read all of a session."""
        return session_id not in self._seqs

    def takes(self, session_id: str, line: bytes, is_compaction: bool) -> bool:
        """Return whether a line of a session is in the document."""
        facts = decode_json(line, _Facts)
        out = self._out.get(session_id, ())
        if is_compaction:
            is_out = any(part.first <= facts.through_seq <= part.last for part in out)
            return self._since is None and self.is_whole(session_id) and not is_out
        if any(part.first <= facts.seq <= part.last for part in out):
            return False
        is_heard = self.is_whole(session_id) or facts.seq in self._seqs[session_id]
        is_new = self._since is None or iso_ms(facts.at) >= self._since
        return is_heard and is_new and facts.seq <= self.limits[session_id]


def _withdrawn(
    tx: Transaction, kin: Mapping[str, Kin], sessions: Iterable[str]
) -> tuple[dict[str, list[LineageSegment]], dict[str, list[Withdrawal]]]:
    """Return, by session, the parts that none shows, and the ranges that forks depend on."""
    out: dict[str, list[LineageSegment]] = {}
    ranges: dict[str, list[Withdrawal]] = {}
    for session_id in sessions:
        active = [each for each in withdrawn_from(tx, session_id) if each.returned_at is None]
        if not active:
            continue
        own = [LineageSegment(session_id, each.from_seq, each.to_seq) for each in active]
        visible = [(each.first, each.last) for each in living_readers(tx, session_id)]
        out[session_id] = without(own, visible)
        ranges[session_id] = [
            each
            for each, part in zip(active, own, strict=True)
            if part.first <= kin[session_id].forked_at_seq or without([part], visible) != [part]
        ]
    return out, ranges


def _parents_first(limits: Mapping[str, int], kin: Mapping[str, Kin]) -> list[str]:
    ordered: dict[str, None] = {}
    for each in sorted(limits):
        above = [parent.id for parent, _ in ancestors(kin[each], kin.get)]
        for one in (*reversed(above), each):
            if one in limits:
                ordered.setdefault(one)
    return list(ordered)
