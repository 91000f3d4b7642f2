"""The second step of recall: what was said and done around a record, a question or a moment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from itertools import chain
from typing import Any, LiteralString

import msgspec

from recollect.audience.visibility import Asker, Audience, VisibilityGroup, group_of_turn
from recollect.core.checks import MOST_LINES, check_count, check_most, checked
from recollect.core.clock import MAX_MS, check_time, to_datetime
from recollect.core.errors import InvalidInput, NotFound, StoreCorrupt
from recollect.core.numbers import RecordName, parse_record
from recollect.core.scope import ConversationTurn, Scope
from recollect.index.model.document import OBSERVATIONS, SESSIONS
from recollect.index.query.hit import SearchResult
from recollect.observations.observations import Observations
from recollect.observations.recorder import ObservationParts
from recollect.observations.rows import IS_REPEATED
from recollect.recall.steps.lines import (
    SHOWN,
    TABLES,
    LineRow,
    Timeline,
    cost_of,
    placed,
    select_rows,
)
from recollect.store.columns import Condition, typed_rows
from recollect.store.engine import Transaction
from recollect.store.twins import compared_rows

_ALWAYS = (0, MAX_MS + 1)
"""The span without limits."""
_PAGE = 200
"""Records read at once. What the asker does not hear in one page is excluded from the next
query."""
_HINT = "write #12, m88, an id, or a time; or ask with query"
_KEY: dict[str, LiteralString] = {
    kind: f"'{kind}', created_at, id, session_id, turn_sender" for kind in TABLES
}
_KEYS: dict[str, LiteralString] = {
    # Results of tools are in the observations, by title.
    "message": f"""FROM messages t INDEXED BY messages_twin
        WHERE role IN ('user', 'assistant') AND text <> '' AND {SHOWN["message"]} AND """,
    "observation": f"""FROM observations t INDEXED BY observations_twin
        WHERE is_forgotten = 0 AND NOT {IS_REPEATED}
            AND {SHOWN["observation"]} AND """,
}
_NOT_OF: LiteralString = (
    "session_id || char(10) || coalesce(turn_sender, '') NOT IN (SELECT value FROM json_each(?))"
)
_CALLS: LiteralString = """
    SELECT m.id FROM json_each(?) k CROSS JOIN messages m ON m.id = k.value
    CROSS JOIN tool_calls c ON c.message_id = m.id OR c.result_id = m.id
    LEFT JOIN observations o ON o.session_id = c.session_id AND o.tool_use_id = c.call_id
        AND o.is_forgotten = 0
    WHERE substr(m.content, 1, 1) = '[' AND NOT EXISTS (SELECT 1 FROM json_each(m.content) b
        WHERE json_extract(b.value, '$.type') NOT IN ('tool_use', 'tool_result'))
    GROUP BY m.id HAVING count(*) = count(o.id)
"""
"""The given messages that only call tools, or return results, and whose calls were observed."""
_CHUNK = 32
"""Records that are checked at once for being such calls."""
_PLACE: LiteralString = "agent, user_id, channel, account, chat_type, peer"
_OF_SESSION: LiteralString = "FROM sessions INDEXED BY sessions_twin WHERE id = ?"

Search = Callable[..., SearchResult]
"""`Memory.search`."""


@checked
class ObservationRecall(Observations):
    """The observations of a memory, and timelines around them.

    Args:
        parts: The records, with their scope and audience.
        search: Finds the anchor of a question.
        zone: The time zone of days given as text; the machine's if not given.
    """

    def __init__(self, parts: ObservationParts, search: Search, zone: tzinfo | None = None) -> None:
        super().__init__(parts)
        self._search = search
        self._zone = zone

    def timeline(
        self,
        anchor: str | int | datetime | None = None,
        query: str | None = None,
        before: int = 5,
        after: int = 5,
        *,
        project: str | None = None,
        near_project: str | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
    ) -> Timeline:
        """Return the events around a record or a moment, as index lines by time.

        Around a record they are those of its project and audience; around a moment, all that the
        asker hears. With ``since`` or ``until`` alone the timeline begins or ends there.

        Args:
            anchor: A number such as ``#12`` or ``m88``, a UUID, or a time: ms UTC or datetime.
            query: Instead of an anchor: the best hit of this question becomes it.
            before: Lines before it, at most.
            after: Lines after it, at most.
            project: Only of this project.
            near_project: As for `Memory.search`; around a moment only its lines, if there are any.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.
            since: Only lines from then on, as for `Memory.search`; the anchor is there in any case.
            until: Only lines before then; of a text that is a range, before its end.

        Raises:
            InvalidInput: both anchor and query are given, or nothing at all; or one is invalid.
            NotFound: the record does not exist, or may not be heard; nothing matches the question;
                or the session does not exist.
        """
        within = self._within(since, until)
        is_around = (anchor is None) != (query is None)
        if not is_around and (anchor is not None or within == _ALWAYS):
            raise InvalidInput("a timeline needs an anchor or a query", hint=f"give one: {_HINT}")
        _check_lines(before, after)
        asker = Asker(for_session, for_sender)
        if query is not None:
            filters = {"for_session": for_session, "for_sender": for_sender}
            filters["near_project"] = near_project
            anchor = self._best(query, since=since, until=until, **filters)
        if anchor is None:
            anchor = to_datetime(within[0] if since is not None else within[1])
        target = _target_of(anchor)

        tried = [near_project, None] if project is None and isinstance(target, int) else [project]

        def unit(tx: Transaction) -> Timeline:
            audience = self._parts.audience(tx, asker)
            around = (_Around(self.scope, audience, each, within) for each in tried)
            timelines = (each.read(target, before, after, tx) for each in around)
            first = next(timelines)
            return first if first.lines else next(timelines, first)

        return self._parts.database.read(unit)

    def _within(
        self, since: int | datetime | str | None, until: int | datetime | str | None
    ) -> tuple[int, int]:
        """Return the span as ms UTC."""
        begin, end = _ALWAYS
        if since is until is None:
            return begin, end
        from recollect.text.times.moments import read_span

        first, after = read_span(since, until, self._parts.clock.now_ms(), self._zone)
        return begin if first is None else first, end if after is None else after

    def _best(self, query: str, **narrowed: Any) -> str:
        result = self._search(query, 1, sources=[OBSERVATIONS, SESSIONS], **narrowed)
        for hit in result.hits:
            return hit.ref
        raise NotFound("nothing fits the question", hint="ask in other words")


def _check_lines(before: int, after: int) -> None:
    for most in (before, after):
        check_count(most, "a number of lines")
        check_most(most, MOST_LINES, "a number of lines")


def _target_of(anchor: object) -> RecordName | int:
    if not isinstance(anchor, str):
        return check_time(anchor)  # type: ignore[arg-type]  # it says what it must be
    record_name = parse_record(anchor)
    if record_name is None or record_name.kind not in {None, *TABLES}:
        raise InvalidInput("an anchor must be a message or an observation, or a time", hint=_HINT)
    return record_name


class _Key(msgspec.Struct, frozen=True, array_like=True):
    """A record that may be shown: its position in time, and its turn."""

    kind: str
    at: int
    id: str
    session_id: str
    turn_sender: str | None

    @property
    def place(self) -> tuple[int, str]:
        """Its position in time."""
        return self.at, self.id


class _Around:
    """Reads the surroundings of an anchor, in one transaction."""

    def __init__(
        self,
        scope: Scope,
        audience: Audience,
        project: str | None,
        within: tuple[int, int],
    ) -> None:
        self._scope = scope
        self._audience = audience
        self._project = project
        self._within = within
        self._group: VisibilityGroup | None = None
        self._is_bound = False
        self._shown: dict[tuple[str, str, str | None], bool] = {}

    def read(self, target: RecordName | int, before: int, after: int, tx: Transaction) -> Timeline:
        anchor = None
        if isinstance(target, int):
            position = (target, "")
        else:
            anchor = self._anchor(tx, target)
            position = anchor.key
        earlier = self._walk(tx, position, before, back=True)[::-1]
        later = self._walk(tx, position, after, back=False)
        rows = [*earlier, *([] if anchor is None else [anchor]), *later]
        own = [row.line(self._audience) for row in rows]
        lines = placed(tx, self._scope, own, self._audience)
        first, last = lines[: len(earlier)], lines[len(rows) - len(later) :]
        line = None if anchor is None else lines[len(earlier)]
        return Timeline(before=first, anchor=line, after=last, tokens=cost_of(lines))

    def _anchor(self, tx: Transaction, name: RecordName) -> LineRow:
        """Return the anchor, and narrow what follows to its project and audience."""
        for kind in TABLES:
            if name.kind not in {None, kind}:
                continue
            where = Condition(self._scope, "session_id")
            where.equal("id", name.id).equal("number", name.number or None)
            for row, turn in select_rows(tx, kind, where):
                if not self._audience.hears_record(kind, turn):
                    continue
                self._group = group_of_turn(turn, self._audience.owner)
                self._is_bound = self._project is None
                self._project = self._project or row.project
                return row
        # The asker must not learn whether it does not exist or is not for them.
        raise NotFound("the record does not exist", hint="use a number that a search shows")

    def _walk(
        self, tx: Transaction, edge: tuple[int, str], most: int, *, back: bool
    ) -> list[LineRow]:
        """Return the nearest records that are heard, the nearest first."""
        near: list[_Key] = []
        is_more = True
        while is_more and len(near) < most:
            pages = [self._page(tx, kind, edge, back=back) for kind in TABLES]
            # Beyond the end of a full page there may be more of its kind.
            ends = [page[-1].place for page in pages if len(page) == _PAGE]
            edge = (max(ends) if back else min(ends)) if ends else edge
            nearest = sorted(chain(*pages), key=lambda each: each.place, reverse=back)
            if ends:
                nearest = [k for k in nearest if not (k.place < edge if back else k.place > edge)]
            for start in range(0, len(nearest), _CHUNK):
                near += self._without_calls(tx, nearest[start : start + _CHUNK])
                if len(near) >= most:
                    break
            is_more = bool(ends)
        keys = near[:most]
        rows: dict[str, LineRow] = {}
        for kind in TABLES:
            ids = [key.id for key in keys if key.kind == kind]
            pairs = select_rows(tx, kind, Condition(self._scope, "session_id"), ids)
            rows |= {row.id: row for row, _ in pairs}
        if rows.keys() != {key.id for key in keys}:
            raise StoreCorrupt("a record is in an index alone", hint="look with `recollect doctor`")
        return [rows[key.id] for key in keys]

    def _without_calls(self, tx: Transaction, keys: list[_Key]) -> list[_Key]:
        """Return the keys that are heard; without a call whose observation is heard."""
        candidates = [key for key in keys if self._is_shown(tx, key)]
        ids = [
            key.id
            for key in candidates
            if key.kind == "message"
            and self._is_shown(tx, msgspec.structs.replace(key, kind="observation"))
        ]
        calls = set(tx.all(_CALLS, (msgspec.json.encode(ids).decode(),))) if ids else set()
        return [key for key in candidates if (key.id,) not in calls]

    def _page(
        self, tx: Transaction, kind: str, position: tuple[int, str], *, back: bool
    ) -> list[_Key]:
        """Return the next records of a kind from a position on, the nearest first."""
        where = Condition(self._scope, "session_id")
        if self._is_bound and self._project is None:
            where.sql += " AND project IS NULL"
        where.of_project(self._project)
        unheard = [
            f"{session}\n{sender or ''}"
            for (of, session, sender), is_shown in self._shown.items()
            if of == kind and not is_shown
        ]
        where.also(_NOT_OF, msgspec.json.encode(unheard).decode())
        # The first of these comparisons can use an index.
        where.also("created_at <= ?" if back else "created_at >= ?", position[0])
        where.sql += " AND (created_at, id) < (?, ?)" if back else " AND (created_at, id) > (?, ?)"
        where.params += position
        if self._within != _ALWAYS:
            where.also("created_at >= ?", self._within[0]).also("created_at < ?", self._within[1])
        order: LiteralString = " ORDER BY created_at, id LIMIT ?"
        if back:
            order = " ORDER BY created_at DESC, id DESC LIMIT ?"
        of: LiteralString = _KEYS[kind] + where.sql + order
        rows = compared_rows(tx, _KEY[kind], of, [*where.params, _PAGE])
        return typed_rows(rows, _Key)

    def _is_shown(self, tx: Transaction, key: _Key) -> bool:
        """Return whether the audience hears a record; resolved once for each turn of a session."""
        turn = (key.kind, key.session_id, key.turn_sender)
        if turn not in self._shown:
            self._shown[turn] = self._is_heard(tx, key)
        return self._shown[turn]

    def _is_heard(self, tx: Transaction, key: _Key) -> bool:
        rows = compared_rows(tx, _PLACE, _OF_SESSION, (key.session_id,))
        if not rows:
            return False
        (turn,) = typed_rows([(*rows[0], key.turn_sender)], ConversationTurn)
        is_theirs = self._group in {None, group_of_turn(turn, self._audience.owner)}
        return is_theirs and self._audience.hears_record(key.kind, turn)
