"""Episodes: what stays of a session that ended, and of messages before they are removed.

A session has one episode of all of it, which is replaced when it went on and ends again; each part
that retention cuts off before leaves one more. Only words of people and of the agent are in them,
none that a tool gave back. The agent's deeds are kept apart from the words, because guests who may
hear the words may not hear the deeds. Who hears an episode is decided as for a message: by where it
was said and, in a session that people share one by one, by the sender of its turns. So each
sender's turns get an episode of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, LiteralString

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.visibility import Audience, Speakers, VisibilityGroup, visibility_group_of
from recollect.core.clock import MINUTE_MS
from recollect.core.decoding import decode_json
from recollect.core.errors import NotFound
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.store.columns import (
    LISTED,
    Condition,
    columns_of,
    decode,
    insert_into,
    integer,
    is_record_out,
    listed,
    text,
    user_condition,
)
from recollect.store.counters import next_number
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import record_change
from recollect.store.twins import compared_rows, each_compared
from recollect.text.boundaries import brief_repr
from recollect.text.keywords import telling
from recollect.text.terms import terms

_BY_RULE = "episode-"
MADE_BY = f"{_BY_RULE}8"
"""Raise it when the same messages give another episode."""
EPISODE_KIND = "episode"
"""Their kind in the counters and in the outbox."""
_TOPICS = 8
_SHORTEST_TOPIC = 4
_AROUND_WORDS = ".,;:!?()[]{}\"'`*_<>«»“”‘’„…。，、！？；：「」『』（）"
_FROM: LiteralString = "FROM episodes INDEXED BY episodes_twin WHERE "
_ENDED: LiteralString = "SELECT ended_at FROM episodes WHERE "
_REPLACED: LiteralString = """
    DELETE FROM episodes WHERE session_id = ? AND extent = 'session' AND turn_sender IS ?
    RETURNING id, number
"""
_REWRITE: LiteralString = """
    UPDATE episodes SET summary = ?, topics = ?, made_by = ?
    WHERE id = ? AND made_by = ? AND through_seq IS ? AND created_at = ?
"""
_AMONG: LiteralString = "(SELECT value FROM json_each(?))"
_NOT_HIDDEN: LiteralString = f" AND NOT {is_record_out('episode', 'episodes.id')}"
_LIVING: LiteralString = f"""{_NOT_HIDDEN} AND NOT EXISTS (
    SELECT 1 FROM sessions s INDEXED BY sessions_twin
    WHERE s.id = episodes.session_id AND s.status = 'deleted')
"""  # noqa: S608  # literals


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of finished messages of one session; its fields are in the columns' order.

    `hearers_of` decides who may hear it.

    Attributes:
        id: Sorts by the time when it was written.
        session_id: The session of the messages; it may be gone.
        summary: Their most important lines.
        topics: Words that characterise it, the most frequent first.
        began_at: The time of the first message, ms UTC.
        ended_at: The time of the last.
        message_count: The number of messages.
        made_by: What derived it, with its version.
        created_at: Ms UTC.
        tenant: Its owner, with the next three.
        agent: See `tenant`.
        user: See `tenant`.
        project: See `tenant`.
        speakers: Where it was said; None of an old one, which may mix what several people said.
        turn_sender: The sender of these turns, as `Message.turn_sender`; None if that is not known,
            or if everybody there heard all of it.
        number: Its number, shown as ``e3``: from 1 in its tenant, never used again; 0 before it
            is stored.
        extent: ``session``: all of it that was there, once for each sender; ``part``: what
            retention cut off.
        through_seq: The newest message of it; None of an old one.
        deeds: What the agent did, one line each: the owner's, see `last_episode`.
        decisions: What was decided, in the words of who said it.
        outcome: What the agent reported at last; empty where it only asked.
        open_ends: What was left to do or to answer.
        tone: How people spoke: ``neutral``, ``pleased``, ``annoyed``, ``worried`` or ``mixed``;
            empty of an old one.
    """

    __repr__ = brief_repr

    id: str
    session_id: str
    summary: str
    topics: tuple[str, ...]
    began_at: int
    ended_at: int
    message_count: int
    made_by: str
    created_at: int
    tenant: str
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    speakers: Speakers | None = None
    turn_sender: str | None = None
    number: int = 0
    extent: Literal["session", "part"] = "part"
    through_seq: int | None = None
    deeds: str = ""
    decisions: tuple[str, ...] = ()
    outcome: str = ""
    open_ends: tuple[str, ...] = ()
    tone: str = ""

    @property
    def duration_minutes(self) -> float:
        """The time between its first and its last message."""
        return (self.ended_at - self.began_at) / MINUTE_MS

    @property
    def text(self) -> str:
        """All of it, as a prompt holds it."""
        return "\n".join(part for part in (self.summary, self.deeds) if part)


_COLUMNS = columns_of(Episode, user="user_id")
_INSERT = insert_into("episodes", _COLUMNS)


def of_episodes(scope: Scope) -> Condition:
    """Return the condition on the episodes of a scope; those of sessions that are gone included."""
    where = Condition(msgspec.structs.replace(scope, user=None), "session_id")
    if scope.user is not None:
        sql, params = user_condition(scope)
        where.sql += " AND " + sql
        where.params += params
    return where


def hearers_of(episode: Episode, owner: Owner) -> VisibilityGroup:
    """Return the visibility group that hears an episode; the owner's if the row does not say.

    Args:
        episode: Which one.
        owner: The owner of the agent, and which accounts are one person, as configured now.
    """
    if episode.speakers is None:
        return visibility_group_of(Speakers(agent=episode.agent), owner)
    return visibility_group_of(episode.speakers, owner, episode.turn_sender)


def store_episode(tx: Transaction, episode: Episode) -> None:
    """Store an episode under the next number.

    One of a whole session replaces the one before, and keeps its id and number.
    """
    earlier = None
    if episode.extent == "session":
        earlier = tx.row(_REPLACED, (episode.session_id, episode.turn_sender))
    if earlier is None:
        id_, number = episode.id, next_number(tx, episode.tenant, EPISODE_KIND)
    else:
        id_, number = text(earlier[0]), integer(earlier[1])
    restore_episode(tx, msgspec.structs.replace(episode, id=id_, number=number))


def episodes_of(tx: Transaction, scope: Scope, session_id: str) -> list[Episode]:
    """Return the episodes of a session that the scope may see, oldest first."""
    where = of_episodes(scope).also("session_id = ?", session_id)
    where.sql += _NOT_HIDDEN
    return _select(tx, where, " ORDER BY id")


def select_episodes(tx: Transaction, where: Condition, audience: Audience) -> Iterator[Episode]:
    """Yield the episodes that meet a condition, as an audience hears them, the newest first.

    Args:
        tx: A transaction.
        where: Which ones; those of deleted sessions are left out.
        audience: Who asks; the deeds are left out for those they are not shared with.
    """
    where.sql += _LIVING
    after = 0
    while page := _select(tx, where, " ORDER BY ended_at DESC, id DESC LIMIT 50 OFFSET ?", after):
        yield from filter(None, (heard_episode(each, audience) for each in page))
        after += len(page)


def count_episodes(tx: Transaction, scope: Scope) -> int:
    """Return the number of the episodes of a scope, without those of deleted sessions."""
    where = of_episodes(scope)
    of: LiteralString = _FROM + where.sql + _LIVING
    return integer(compared_rows(tx, "count(*)", of, where.params)[0][0])


def heard_episode(episode: Episode, audience: Audience) -> Episode | None:
    """Return an episode as an audience hears it; None where it does not."""
    if audience.group not in {None, hearers_of(episode, audience.owner)}:
        return None
    return episode if audience.hears_deeds else msgspec.structs.replace(episode, deeds="")


def episodes_after(
    tx: Transaction,
    scope: Scope,
    after_id: str,
    limit: int,
    *,
    since: int | None = None,
    deleted: bool = False,
) -> list[Episode]:
    """Return the episodes of a scope after an id, by id.

    Args:
        tx: A transaction.
        scope: The owner of the episodes.
        after_id: The last one that is known; empty for none.
        limit: How many at most.
        since: Only of what ended at this time or later, ms UTC.
        deleted: Also those of deleted sessions; never those that a rewind hides.
    """
    where = of_episodes(scope).also("id > ?", after_id)
    if since is not None:
        where.also("ended_at >= ?", since)
    where.sql += _NOT_HIDDEN if deleted else _LIVING
    return _select(tx, where, " ORDER BY id LIMIT ?", limit)


def episodes_by_id(tx: Transaction, ids: Collection[str]) -> dict[str, Episode]:
    """Return the episodes with some ids, whatever their session; for what is derived from them."""
    of: LiteralString = " FROM " + LISTED + "episodes WHERE id = listed"
    sql: LiteralString = "SELECT " + _COLUMNS + of
    return {each.id: each for each in map(_decoded, tx.rows(sql, [listed(ids)]))}


def found_episodes(
    tx: Transaction, scope: Scope, at: Mapping[str, int], audience: Audience
) -> list[Episode]:
    """Return the episodes that a search found, in its order, as far as an audience hears them.

    Args:
        tx: A transaction.
        scope: The owner of the episodes.
        at: By id: the time of its end, ms UTC, which locates the row.
        audience: Who asks.
    """
    where = of_episodes(scope).also("ended_at IN " + _AMONG, listed(at.values()))
    where.also("id IN " + _AMONG, listed(at))
    by_id = {each.id: each for each in select_episodes(tx, where, audience)}
    return [by_id[id_] for id_ in at if id_ in by_id]


def restore_episode(tx: Transaction, episode: Episode) -> None:
    """Store an episode under its own id and number."""
    row = msgspec.structs.asdict(episode)
    for name in ("topics", "speakers", "decisions", "open_ends"):
        if row[name] is not None:
            row[name] = msgspec.json.encode(row[name]).decode()
    tx.execute(_INSERT, list(row.values()))
    tenant, at = episode.tenant, episode.created_at
    record_change(tx, tenant=tenant, kind=EPISODE_KIND, ref=episode.id, op="put", at=at)


def find_unread(tx: Transaction, scope: Scope, since: int, most: int) -> list[Episode]:
    """Return episodes of whole sessions that no model has read yet, written since a time."""
    where = of_episodes(scope).also("made_by = ?", MADE_BY)
    where.also("extent = ?", "session").also("created_at >= ?", since).also("summary <> ?", "")
    where.sql += _LIVING
    return _select(tx, where, " ORDER BY created_at, id LIMIT ?", most)


def rewrite_episode(tx: Transaction, old: Episode, summary: str, made_by: str) -> None:
    """Give an episode another summary, unless it was replaced meanwhile."""
    topics = msgspec.json.encode(topics_of(summary)).decode()
    version = (old.id, old.made_by, old.through_seq, old.created_at)
    tx.execute(_REWRITE, (summary, topics, made_by, *version))
    record_change(tx, tenant=old.tenant, kind=EPISODE_KIND, ref=old.id, op="put", at=old.created_at)


def require_episode(tx: Transaction, scope: Scope, name: str) -> Episode:
    """Return the episode of a scope with an id, or a number such as ``e3``.

    Raises:
        NotFound: there is none.
    """
    record = parse_record(name)
    where = of_episodes(scope)
    if record is None or record.id is not None:
        where.also("id = ?", name if record is None else record.id or name)
    else:
        where.also("number = ?", record.number if record.kind == EPISODE_KIND else None)
    row = tx.row(_ENDED + where.sql, where.params)
    if row is not None:
        for episode in _select(tx, where.also("ended_at = ?", row[0]), " ORDER BY id"):
            return episode
    raise NotFound(
        "the episode does not exist", hint="use a number that was shown, such as e3, or an id"
    )


def is_by_rule(episode: Episode) -> bool:
    """Return whether the rules made it, in any version: its lines are as they were said."""
    return episode.made_by.startswith(_BY_RULE)


def heard_episodes(
    tx: Transaction,
    scope: Scope,
    projects: Sequence[str],
    audience: Audience,
    *,
    besides: Collection[str] = (),
) -> Iterator[Episode]:
    """Yield the summaries of the sessions of a project, as somebody hears them, the newest first.

    Args:
        tx: A transaction.
        scope: The owner of the sessions.
        projects: All paths that the project is known by; empty for sessions without one.
        audience: Who asks.
        besides: The ids of sessions to leave out, such as the one that asks.
    """
    where = of_episodes(scope).also("extent = ?", "session")
    if projects:
        where.among("project", projects)
    else:
        where.sql += " AND project IS NULL"
    episodes = select_episodes(tx, where, audience)
    return (each for each in episodes if each.session_id not in besides)


def _select(
    tx: Transaction, where: Condition, order: LiteralString, *params: SqlValue
) -> list[Episode]:
    of: LiteralString = _FROM + where.sql + order
    return [_decoded(r) for r in each_compared(tx, _COLUMNS, of, [*where.params, *params])]


def _decoded(row: Row) -> Episode:
    speakers = row[13]
    return decode(
        Episode,
        Episode.__struct_fields__,
        row,
        topics=msgspec.json.decode(text(row[3])),
        speakers=None if speakers is None else decode_json(text(speakers), Speakers),
        decisions=msgspec.json.decode(text(row[19])),
        open_ends=msgspec.json.decode(text(row[21])),
    )


def topics_of(summary: str) -> tuple[str, ...]:
    """Return the most frequent words of a summary as they are written, without common ones."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for line in summary.splitlines():
        for run in line.split(": ", 1)[-1].split():
            word, run_terms = run.strip(_AROUND_WORDS), terms(run)
            for term in run_terms:
                forms[term][word if len(run_terms) == 1 else term] += 1
    counts = Counter({term: forms[term].total() for term in telling(list(forms))})
    common = (term for term, _ in counts.most_common() if _is_topic(term))
    return tuple(forms[term].most_common(1)[0][0] for term in islice(common, _TOPICS))


def _is_topic(term: str) -> bool:
    return not term.isdigit() and (len(term) >= _SHORTEST_TOPIC or not term.isascii())
