"""Index lines: one line for each hit, with the cost of its details."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, LiteralString

import msgspec

from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.core.scope import ConversationTurn, Scope
from recollect.index.model.document import EPISODES, FACTS, OBSERVATIONS, SESSIONS
from recollect.index.query.hit import Hit, SearchResult
from recollect.sessions.record.lineage import READER, WITHDRAWN
from recollect.store.columns import LISTED, Condition, is_record_out, listed, placed_rows
from recollect.store.engine import Transaction
from recollect.store.twins import compared_rows, damaged_rows
from recollect.text.tokens import estimate_tokens

if TYPE_CHECKING:  # a client that gets its lines from a worker needs no audience
    from recollect.audience.visibility import Audience

MOST_TOKENS = 100
"""What an index line costs at most."""
_TITLE = 160
"""Characters of a title; those of Chinese cost a token each, and are cut to fewer."""


class IndexLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line for something that can be loaded in full.

    Attributes:
        name: The name to load it by: ``#12``, ``m88``, ``memory/tea.md:3-9``.
        kind: ``observation``, ``message``, ``fact``, ``episode`` or ``file``.
        type: Of an observation its type, of a message its role, of a fact its kind, else
            ``memory``.
        at: When it happened, was said or changed, ms UTC.
        title: Its title, or how it begins.
        tokens: About what all of it costs in a prompt, as far as the asker may load it; of a file,
            that of the matching lines.
        ref: Its id, or the path.
        number: Its short number; None of a file.
        session_id: Its session; None of a file, and of a fact by hand.
        trust: Whose words a fact, or input and output of an observation, are; None of anything
            else.
        project: The name of the project that it belongs to, for the owner; None without one.
        session_title: The title of its session, where the asker hears all that is said in it; None
            without one.
    """

    name: str
    kind: str
    type: str
    at: int
    title: str
    tokens: int
    ref: str
    number: int | None = None
    session_id: str | None = None
    trust: str | None = None
    project: str | None = None
    session_title: str | None = None

    @property
    def text(self) -> str:
        """The line as a model reads it, of at most 100 tokens."""
        at = to_iso(self.at)[:16].replace("T", " ")
        head, tail = f"{self.name}  {at}  {self.type[:_TITLE]}  ", f"  ({self.tokens} tokens)"
        title = self.title
        while title and estimate_tokens(head + title + tail) > MOST_TOKENS:
            title = title[: len(title) * 3 // 4].rstrip("…") + "…" if len(title) > 1 else ""
        return head + title + tail


class IndexLines(msgspec.Struct, frozen=True, kw_only=True):
    """The hits of a search as lines.

    Attributes:
        lines: In the order of the hits.
        tokens: About what the lines cost in a prompt.
    """

    lines: tuple[IndexLine, ...]
    tokens: int


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """What happened around a record or a moment, by time.

    Attributes:
        before: Oldest first.
        anchor: The record in the middle; None where that is a moment.
        after: Oldest first; includes what happened at that very moment.
        tokens: About what the lines cost in a prompt.
    """

    before: tuple[IndexLine, ...]
    anchor: IndexLine | None
    after: tuple[IndexLine, ...]
    tokens: int

    @property
    def lines(self) -> tuple[IndexLine, ...]:
        """All lines, oldest first."""
        return (*self.before, *(() if self.anchor is None else (self.anchor,)), *self.after)


class LineRow(msgspec.Struct, frozen=True, array_like=True):
    """What a line is made of, in the order of the columns."""

    kind: str
    id: str
    number: int
    type: str
    head: str
    summary: str
    tokens: int
    at: int
    session_id: str
    trust: str | None
    project: str | None

    @property
    def key(self) -> tuple[int, str]:
        """Its position in time."""
        return self.at, self.id

    def line(self, audience: Audience) -> IndexLine:
        """Return the line; it costs less where input and output are not seen."""
        tokens = self.tokens
        if self.kind == "observation" and not audience.is_owners:
            tokens = estimate_tokens(self.head) + estimate_tokens(self.summary)
        return IndexLine(
            name=show_number(self.kind, self.number),
            kind=self.kind,
            type=self.type,
            at=self.at,
            title=_title(self.head),
            tokens=tokens,
            ref=self.id,
            number=self.number,
            session_id=self.session_id,
            trust=self.trust,
            project=self.project,
        )


_PLACE: LiteralString = """
    s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer, r.turn_sender"""
_LIVING: LiteralString = (
    "EXISTS (SELECT 1 FROM sessions d INDEXED BY sessions_twin"
    " WHERE d.id = session_id AND d.status <> 'deleted')"
)
SHOWN: dict[str, LiteralString] = {
    "message": f"({_LIVING} AND NOT {WITHDRAWN} OR {READER} IS NOT NULL)",
    "observation": f"{_LIVING} AND NOT {is_record_out('observation', 't.id')}",
}
"""By kind of record ``t``: the condition that a session which is not deleted shows it."""
_WITH_SESSION: LiteralString = """) r
    JOIN sessions s INDEXED BY sessions_twin ON s.id = r.session_id
    ORDER BY r.created_at, r.id
"""
_MESSAGE: LiteralString = f"""
    'message', r.id, r.number, r.role, substr(r.text, 1, 400), '', r.token_estimate,
        r.created_at, iif(s.status = 'deleted' OR r.is_out, r.reader, r.session_id), NULL,
        r.project,
    {_PLACE}"""
_OBSERVATION: LiteralString = f"""
    'observation', r.id, r.number, r.type, r.title, r.summary, r.tokens,
        r.created_at, r.session_id, r.trust, r.project, {_PLACE}"""
TABLES: dict[str, tuple[LiteralString, LiteralString, LiteralString]] = {
    "message": (
        _MESSAGE,
        f"FROM (SELECT t.*, {WITHDRAWN} AS is_out, {READER} AS reader FROM ",  # noqa: S608  # literals
        "messages t WHERE ",
    ),
    "observation": (
        _OBSERVATION,
        "FROM (SELECT t.* FROM ",
        "observations t WHERE is_forgotten = 0 AND ",
    ),
}
"""By kind of record: the columns of a line, and how its rows are read up to the condition."""
_KINDS = {SESSIONS: "message", OBSERVATIONS: "observation"}

Placed = tuple[LineRow, ConversationTurn]
"""The row of a line, and the position that decides who hears it."""


def select_rows(
    tx: Transaction,
    kind: str,
    where: Condition,
    keys: Sequence[str] | Sequence[int] | None = None,
    by: Literal["id", "number"] = "id",
) -> list[Placed]:
    """Return the records of a kind that meet a condition, if they are shown; oldest first.

    Args:
        tx: A transaction.
        kind: One of `TABLES`.
        where: The condition.
        keys: Only records with these ids or numbers.
        by: Which of the two the keys are.

    Raises:
        StoreCorrupt: one is missing, or is not what was stored.
    """
    columns, head, table = TABLES[kind]
    of: LiteralString = head + table
    params = where.params
    if keys is not None:
        is_chosen: LiteralString = "t.id = listed AND " if by == "id" else "t.number = listed AND "
        of = head + LISTED + table + is_chosen
        params = [listed(keys), *params]
    of += where.sql + " AND " + SHOWN[kind] + _WITH_SESSION
    rows = placed_rows(compared_rows(tx, columns, of, params), LineRow)
    ids = [row.id for row, _ in rows]
    if keys is not None and by == "id":
        ids = list(map(str, keys))
    _check(tx, kind, where, ids, {row.id for row, _ in rows})
    return rows


def _check(
    tx: Transaction, kind: str, where: Condition, ids: Sequence[str], row_ids: set[str]
) -> None:
    """Check that records are as stored, and that the missing ones of these ids do not exist.

    Raises:
        StoreCorrupt: one is damaged or missing.
    """
    # A client that gets its lines from a worker reads no rows.
    if kind == "message":
        from recollect.sessions.record.message_rows import check_chosen

        check_chosen(tx, ids)
        return
    from recollect.observations.rows import select_observations

    condition = where.also("is_forgotten = ?", 0)
    if row_ids != {each.id for each in select_observations(tx, condition, "id", -1, ids=ids)}:
        raise damaged_rows()


def lines_of(tx: Transaction, scope: Scope, result: SearchResult, audience: Audience) -> IndexLines:
    """Return the lines of hits, without records that are gone by now or not heard."""
    by_ref: dict[str, IndexLine] = {}
    for source, kind in _KINDS.items():
        ids = [hit.ref for hit in result.hits if hit.source == source]
        rows = select_rows(tx, kind, Condition(scope, "session_id"), ids) if ids else []
        by_ref |= {
            row.id: row.line(audience)
            for row, turn in rows
            if audience.group is None or audience.hears_record(kind, turn)
        }
    by_ref |= _fact_lines(tx, scope, result, audience)
    by_ref |= _episode_lines(tx, scope, result, audience)
    lines = placed(
        tx,
        scope,
        [
            _file_line(hit) if hit.path is not None else by_ref[hit.ref]
            for hit in result.hits
            if hit.path is not None or hit.ref in by_ref
        ],
        audience,
    )
    return IndexLines(lines=lines, tokens=cost_of(lines))


def placed(
    tx: Transaction, scope: Scope, lines: Sequence[IndexLine], audience: Audience
) -> tuple[IndexLine, ...]:
    """Return lines with the name of their project, in place of its path, and the session's title.

    A session that several people share one by one may have its title from the words of another.
    """
    from recollect.observations.project_rows import project_names
    from recollect.sessions.policy.turns import heard_turns
    from recollect.sessions.record.session import find_session

    @cache
    def title(session_id: str) -> str | None:
        session = find_session(tx, scope, session_id)
        is_heard = session is not None and heard_turns(tx, session, audience).is_all
        return session.title if session is not None and is_heard else None

    paths = {each.project for each in lines if each.project} if audience.is_owners else set()
    names = project_names(tx, scope.tenant, paths)
    return tuple(
        msgspec.structs.replace(
            each,
            project=names.get(each.project or ""),
            session_title=title(each.session_id) if each.session_id else None,
        )
        for each in lines
    )


def _fact_lines(
    tx: Transaction, scope: Scope, result: SearchResult, audience: Audience
) -> dict[str, IndexLine]:
    """Return the lines of the facts among hits, by id."""
    ids = [hit.ref for hit in result.hits if hit.source == FACTS]
    if not ids:
        return {}
    from recollect.knowledge.rows import facts_by_id, only_heard

    return {
        fact.id: IndexLine(
            name=show_number("fact", fact.number),
            kind="fact",
            type=fact.kind,
            at=fact.valid_from,
            title=_title(fact.text),
            tokens=estimate_tokens(fact.text),
            ref=fact.id,
            number=fact.number,
            session_id=fact.session_id,
            trust=fact.trust,
            project=fact.project,
        )
        for fact in only_heard(audience, facts_by_id(tx, scope, ids))
    }


def _episode_lines(
    tx: Transaction, scope: Scope, result: SearchResult, audience: Audience
) -> dict[str, IndexLine]:
    """Return the lines of the episodes among hits, by id."""
    at = {hit.ref: hit.at for hit in result.hits if hit.source == EPISODES}
    if not at:
        return {}
    from recollect.sessions.context.episode import found_episodes

    return {
        episode.id: IndexLine(
            name=show_number("episode", episode.number),
            kind="episode",
            type="episode",
            at=episode.ended_at,
            title=", ".join(episode.topics) or _title(episode.text),
            tokens=estimate_tokens(episode.text),
            ref=episode.id,
            number=episode.number,
            session_id=episode.session_id,
            trust="agent",
            project=episode.project,
        )
        for episode in found_episodes(tx, scope, at, audience)
    }


def cost_of(lines: Sequence[IndexLine]) -> int:
    """Return the approximate cost of lines in a prompt, in tokens."""
    return sum(estimate_tokens(line.text) for line in lines)


def _file_line(hit: Hit) -> IndexLine:
    return IndexLine(
        name=f"{hit.path}:{hit.start_line}-{hit.end_line}",
        kind="file",
        type=hit.source,
        at=hit.at,
        title=_title(hit.snippet),
        tokens=estimate_tokens(hit.snippet),
        ref=hit.ref,
    )


def _title(text: str) -> str:
    """Return the first line that is not empty, without terminal control sequences."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    title = " ".join("".join(c if c.isprintable() else " " for c in first).split())
    return title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + "…"
