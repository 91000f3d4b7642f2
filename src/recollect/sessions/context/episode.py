"""Episodes: what stays of a session that ended, and of messages before they are removed.

A session has one episode of all of it, which is replaced when it went on and ends again; each part
that retention cuts off before leaves one more. Only words of people and of the agent are in them,
none that a tool gave back. What the agent did is kept apart from what was said, because guests who
may hear the one may not hear the other. Who hears an episode is decided as for a message: by where
it was said, and in a session that people share one by one by whose turns it is of. So each sender's
turns get an episode of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, LiteralString, Protocol

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import NotFound
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.sessions.context.summary import utterances_of
from recollect.sessions.policy.owner import NOBODY_NAMED, Owner
from recollect.sessions.policy.visibility import Speakers, VisibilityGroup, visibility_group_of
from recollect.sessions.record.lineage import rows_of
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.record.transcript_rows import EVERY_TURN, HeardTurns, select_messages
from recollect.store.columns import Condition, decode, integer, text, text_or_none
from recollect.store.counters import next_number
from recollect.store.engine import Database, SqlValue, Transaction
from recollect.store.journal import record_change
from recollect.text.keywords import telling
from recollect.text.summary.extractive import shortened, spoken_lines, summarise
from recollect.text.summary.statements import statements
from recollect.text.terms import terms
from recollect.text.tokens import estimate_tokens
from recollect.text.turns import Utterance, labelled

_BY_RULE = "episode-"
MADE_BY = f"{_BY_RULE}6"
"""Raise it when the same messages give another episode."""
EPISODE_KIND = "episode"
"""What their numbers are counted as, and what the outbox calls them."""
_PAGE = 500
"""Messages read at once, so that a long session needs little memory."""
_TOPICS = 8
_SHORTEST_TOPIC = 4
_SPOKEN = frozenset({"user", "assistant"})
"""The roles whose words stay."""
_SHARE = 4
"""Beside what people began and ended with, decided and want kept, and what is open, a summary is
this part of the text at most."""
_DEEDS_SHARE = 3
"""What the agent did takes this part of an episode at most, and the open question half of that."""
_ASKS = ("?", "？", "؟", ";", "՞")
_LAST_SUMMARY: LiteralString = """
    SELECT through_seq, summary FROM compactions
    WHERE session_id = ? AND through_seq <= ? AND made_by LIKE 'extractive%'
    ORDER BY through_seq DESC LIMIT 1
"""
_COLUMNS: LiteralString = """
    id, session_id, summary, topics, began_at, ended_at, message_count, made_by, created_at,
    tenant, agent, user_id, project, speakers, turn_sender, number, extent, through_seq,
    deeds"""
_INSERT: LiteralString = f"""
    INSERT INTO episodes ({_COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""  # noqa: S608  # literals
_SELECT: LiteralString = f"SELECT {_COLUMNS} FROM episodes WHERE "  # noqa: S608  # literals
_REPLACED: LiteralString = """
    DELETE FROM episodes WHERE session_id = ? AND extent = 'session' AND turn_sender IS ?
    RETURNING id, number
"""
_REWRITE: LiteralString = """
    UPDATE episodes SET summary = ?, topics = ?, made_by = ?
    WHERE id = ? AND made_by = ? AND through_seq IS ? AND created_at = ?
"""
_LIVING: LiteralString = (
    " AND NOT EXISTS (SELECT 1 FROM sessions s"
    " WHERE s.id = episodes.session_id AND s.status = 'deleted')"
)
_SENDERS: LiteralString = """
    SELECT DISTINCT turn_sender FROM messages WHERE session_id = ? AND seq <= ?
    ORDER BY turn_sender
"""
_EXTENT: LiteralString = """
    SELECT count(*), min(created_at), max(created_at), coalesce(sum(token_estimate), 0)
    FROM messages WHERE """


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of finished messages of one session; its fields are in the columns' order.

    `hearers_of` tells who may hear it.

    Attributes:
        id: Sorts by the time when it was written.
        session_id: Whose messages they were; the session itself may be gone.
        summary: Their most important lines.
        topics: Words that characterise it, the most frequent first.
        began_at: The time of the first message, ms UTC.
        ended_at: The time of the last.
        message_count: How many there were.
        made_by: What derived it, with its version.
        created_at: Ms UTC.
        tenant: Whose it is, with the next three.
        agent: See `tenant`.
        user: See `tenant`.
        project: See `tenant`.
        speakers: Where it was said; None of an old one, which may mix what several people said.
        turn_sender: Whose turns these are, as `Message.turn_sender`; None where that is not known,
            and where everybody there heard all of it.
        number: What it is called beside its id, as ``e3``: from 1 in its tenant, never used again;
            0 before it is stored.
        extent: ``session``: all of it that was there, once for each sender; ``part``: what
            retention cut off.
        through_seq: The newest message of it; None of an old one.
        deeds: What the agent did, one line each: the owner's, see `last_episode`.
    """

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

    @property
    def text(self) -> str:
        """All of it, as a prompt holds it."""
        return "\n".join(part for part in (self.summary, self.deeds) if part)


class Deeds(Protocol):
    """Tells what the agent did in a session, in words of its own and its user's."""

    def __call__(self, tx: Transaction, where: Condition, tokens: int) -> str:
        """Return some lines of at most ``tokens``; empty where it did nothing."""


def no_deeds(tx: Transaction, where: Condition, tokens: int) -> str:
    """Return an empty text: what the agent did is not looked at."""
    return ""


class EpisodeHearer(Protocol):
    """Somebody who asks."""

    @property
    def group(self) -> VisibilityGroup:
        """Their visibility group."""

    @property
    def owner(self) -> Owner:
        """Whose agent it is."""

    @property
    def shared(self) -> bool:
        """Whether guests and groups hear what the agent did for them."""


def hearers_of(episode: Episode, owner: Owner) -> VisibilityGroup:
    """Return the visibility group that hears an episode; the owner's where the row does not tell.

    Args:
        episode: Which one.
        owner: Whose agent it is, and which accounts are one person, as it is set now.
    """
    if episode.speakers is None:
        return visibility_group_of(Speakers(agent=episode.agent), owner)
    return visibility_group_of(episode.speakers, owner, episode.turn_sender)


class EpisodeWriter:
    """Makes the episodes of sessions, without a model: it costs nothing.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        ids: Gives episodes their ids.
        tokens: Longest episode.
        deeds: Tells what the agent did.
    """

    def __init__(
        self,
        records: Database,
        clock: Clock,
        ids: IdSource,
        tokens: int,
        deeds: Deeds = no_deeds,
    ) -> None:
        self._records = records
        self._clock = clock
        self._ids = ids
        self.tokens = tokens
        self._deeds = deeds

    def write(self, session: Session, through_seq: int) -> list[Episode]:
        """Return the episodes of the messages up to a seq, one for each sender; stores nothing.

        Returns:
            None of whom no word of a person is there and for whom nothing was done, and nothing if
            nothing is to be kept.

        Raises:
            StoreError: the records cannot be read.
        """
        if not self.tokens:
            return []
        turns = self._turns(session, through_seq)
        made = (self._episode(session, through_seq, each, heard) for each, heard in turns.items())
        return [episode for episode in made if episode is not None]

    def said(self, session: Session, episode: Episode) -> list[Utterance]:
        """Return what an episode of a whole session is of, as far as its hearers heard it."""
        through = session.last_seq if episode.through_seq is None else episode.through_seq
        heard = self._turns(session, through).get(episode.turn_sender)
        return [] if heard is None else list(self._utterances(session, 0, through, heard))

    def _turns(self, session: Session, through_seq: int) -> dict[str | None, HeardTurns]:
        """Return the turns that get an episode of their own, by sender."""
        known = self._records.read(lambda tx: tx.all(_SENDERS, (session.id, through_seq)))
        senders = [text_or_none(sender) for (sender,) in known]
        if not _is_shared(session):
            return {None: EVERY_TURN}
        if len(senders) == 1:
            return {senders[0]: EVERY_TURN}
        return {
            sender: HeardTurns(() if sender is None else (sender,), unnamed=sender is None)
            for sender in senders
        }

    def _episode(
        self, session: Session, through_seq: int, sender: str | None, heard: HeardTurns
    ) -> Episode | None:
        is_whole = through_seq >= session.last_seq
        where = _up_to(session, through_seq, heard)
        row = self._records.read(lambda tx: tx.row(_EXTENT + where.sql, where.params))
        count, began, ended, size = row or (0, None, None, 0)
        deeds = self._done(session, heard) if is_whole else ""
        left = self.tokens - (estimate_tokens(deeds) + 1 if deeds else 0)
        most = min(left, integer(size) // _SHARE)
        summary = self._summary(session, through_seq, most, left, heard) if count else ""
        if not (summary or deeds):
            return None
        return Episode(
            id=self._ids.new(),
            session_id=session.id,
            summary=summary,
            topics=topics_of(summary),
            began_at=session.created_at if began is None else integer(began),
            ended_at=session.updated_at if ended is None else integer(ended),
            message_count=integer(count),
            made_by=MADE_BY,
            created_at=self._clock.now_ms(),
            speakers=msgspec.convert(session, Speakers, from_attributes=True),
            turn_sender=sender,
            extent="session" if is_whole else "part",
            through_seq=through_seq,
            deeds=deeds,
            **{part: getattr(session, part) for part in ("tenant", "agent", "user", "project")},
        )

    def _done(self, session: Session, heard: HeardTurns) -> str:
        where = rows_of(Scope(tenant=session.tenant), session.id)
        heard.narrow(where)
        most = self.tokens // _DEEDS_SHARE
        return self._records.read(lambda tx: self._deeds(tx, where, most))

    def _summary(
        self, session: Session, through_seq: int, most: int, always: int, heard: HeardTurns
    ) -> str:
        """Return the summary; what a compaction summarised already is not read again.

        It is where the compaction may have seen the turns of more people than are left.
        """
        known = None
        if heard.is_all and not (_is_shared(session) and (session.pruned_seq or session.parent_id)):
            known = self._records.read(lambda tx: tx.row(_LAST_SUMMARY, (session.id, through_seq)))
        after, previous = (integer(known[0]), text(known[1])) if known else (0, "")
        end = _OpenEnd(always // (2 * _DEEDS_SHARE))
        said = end.watching(self._utterances(session, after, through_seq, heard))
        summary = summarise(said, most, spoken_lines(previous), always=always)
        if not summary or not end.line or end.question in summary:
            return summary
        left = always - estimate_tokens(end.line) - 1
        return f"{shortened(summary, left)}\n{end.line}".lstrip()

    def _utterances(
        self, session: Session, after: int, through: int, heard: HeardTurns
    ) -> Iterator[Utterance]:
        said = utterances_of(lambda: self._messages(session, after, through, heard), calls=False)
        yield from (each for each in said if each.role in _SPOKEN)

    def _messages(
        self, session: Session, after: int, through: int, heard: HeardTurns
    ) -> Iterator[Message]:
        while page := self._page(session, after, through, heard):
            yield from page
            after = page[-1].seq

    def _page(self, session: Session, after: int, through: int, heard: HeardTurns) -> list[Message]:
        where = _up_to(session, through, heard).also("seq > ?", after)
        return self._records.read(lambda tx: select_messages(tx, where, _PAGE))


class _OpenEnd:
    """What the agent asked last, unless a person spoke after it.

    Args:
        tokens: Longest line.
    """

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._last: Utterance | None = None

    def watching(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances, and keep the last one that says something."""
        for each in utterances:
            if each.text.strip():
                self._last = each
            yield each

    @property
    def question(self) -> str:
        """Its last question; empty without one, and where a person spoke last."""
        if self._last is None or self._last.role != "assistant":
            return ""
        asked = [said for said in statements(self._last.text) if said.endswith(_ASKS)]
        return asked[-1] if asked else ""

    @property
    def line(self) -> str:
        """It as a line of a summary; empty where it is too long for one."""
        if self._last is None or not self.question:
            return ""
        label = labelled(self._last.at_ms, self._last.speaker)
        line = f"- {label}{self.question}"
        return line if estimate_tokens(line) <= self._tokens else ""


def _is_shared(session: Session) -> bool:
    """Return whether people share a session one by one, so that each hears their own turns."""
    return visibility_group_of(session, NOBODY_NAMED).is_private


def _up_to(session: Session, through_seq: int, heard: HeardTurns) -> Condition:
    where = rows_of(Scope(tenant=session.tenant), session.id).also("seq <= ?", through_seq)
    heard.narrow(where)
    return where


def store_episode(tx: Transaction, episode: Episode) -> None:
    """Store an episode under the next number.

    One of a whole session takes the place, the id and the number of the one before.
    """
    row = msgspec.structs.asdict(episode)
    for name in ("topics", "speakers"):
        if row[name] is not None:
            row[name] = msgspec.json.encode(row[name]).decode()
    known = None
    if episode.extent == "session":
        known = tx.row(_REPLACED, (episode.session_id, episode.turn_sender))
    if known is None:
        row["number"] = next_number(tx, episode.tenant, EPISODE_KIND)
    else:
        row["id"], row["number"] = known
    tx.execute(_INSERT, list(row.values()))
    at = episode.created_at
    record_change(
        tx, tenant=episode.tenant, kind=EPISODE_KIND, ref=text(row["id"]), op="put", at=at
    )


def episodes_of(tx: Transaction, scope: Scope, session_id: str) -> list[Episode]:
    """Return the episodes of a session that the scope may see, oldest first."""
    where = Condition(scope, "session_id").also("session_id = ?", session_id)
    return _select(tx, where, " ORDER BY id")


def find_unread(tx: Transaction, scope: Scope, since: int, most: int) -> list[Episode]:
    """Return episodes of whole sessions that no model has read yet, written since a time."""
    where = Condition(scope, "session_id").also("made_by = ?", MADE_BY)
    where.also("extent = ?", "session").also("created_at >= ?", since).also("summary <> ?", "")
    where.sql += _LIVING
    return _select(tx, where, " ORDER BY created_at LIMIT ?", most)


def rewrite_episode(tx: Transaction, old: Episode, summary: str, made_by: str) -> None:
    """Give an episode another summary, unless it was replaced meanwhile."""
    topics = msgspec.json.encode(topics_of(summary)).decode()
    known = (old.id, old.made_by, old.through_seq, old.created_at)
    tx.execute(_REWRITE, (summary, topics, made_by, *known))


def require_episode(tx: Transaction, scope: Scope, name: str) -> Episode:
    """Return the episode that an id, or a number such as ``e3``, means to the scope.

    Raises:
        NotFound: there is none.
    """
    meant = parse_record(name)
    where = Condition(scope, "session_id")
    if meant is None or meant.id is not None:
        where.also("id = ?", name if meant is None else meant.id or name)
    else:
        where.also("number = ?", meant.number if meant.kind == EPISODE_KIND else None)
    for episode in _select(tx, where, " ORDER BY id"):
        return episode
    raise NotFound(
        "the episode does not exist", hint="use a number that was shown, such as e3, or an id"
    )


def is_by_rule(episode: Episode) -> bool:
    """Return whether its lines were taken over as they were said, by any version of the rules."""
    return episode.made_by.startswith(_BY_RULE)


def heard_episodes(
    tx: Transaction,
    scope: Scope,
    projects: Sequence[str],
    hearer: EpisodeHearer,
    *,
    besides: Collection[str] = (),
) -> Iterator[Episode]:
    """Yield the summaries of the sessions of a project, as somebody hears them, the newest first.

    Args:
        tx: A transaction.
        scope: Whose sessions.
        projects: All paths that the project is known by; empty for sessions without one.
        hearer: Who asks. What the agent did is the owner's, or shared by the settings.
        besides: The ids of sessions that are not meant, such as the one that asks.
    """
    where = Condition(scope, "session_id").also("extent = ?", "session")
    where.sql += _LIVING
    if projects:
        where.among("project", projects)
    else:
        where.sql += " AND project IS NULL"
    hears_all = hearer.group.is_owners or hearer.shared
    after = 0
    while page := _select(tx, where, " ORDER BY ended_at DESC, id DESC LIMIT 50 OFFSET ?", after):
        for episode in page:
            is_heard = hearers_of(episode, hearer.owner) == hearer.group
            if is_heard and episode.session_id not in besides:
                yield episode if hears_all else msgspec.structs.replace(episode, deeds="")
        after += len(page)


def _select(
    tx: Transaction, where: Condition, order: LiteralString, *params: SqlValue
) -> list[Episode]:
    rows = tx.rows(_SELECT + where.sql + order, [*where.params, *params])
    return [
        decode(
            Episode,
            Episode.__struct_fields__,
            row,
            topics=msgspec.json.decode(text(row[3])),
            speakers=None if row[13] is None else msgspec.json.decode(text(row[13]), type=Speakers),
        )
        for row in rows
    ]


def topics_of(summary: str) -> tuple[str, ...]:
    """Return the most frequent words of a summary, without those that say nothing."""
    said = "\n".join(line.split(": ", 1)[-1] for line in summary.splitlines())
    words = [
        word
        for word in telling(terms(said))
        if not word.isdigit() and (len(word) >= _SHORTEST_TOPIC or not word.isascii())
    ]
    return tuple(word for word, _ in Counter(words).most_common(_TOPICS))
