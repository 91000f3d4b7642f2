"""Episodes: what stays of messages that are finished, written before they are removed.

Who hears one is decided as for a message: by where it was said, and in a session that people share
one by one by whose turns it is of. So each sender's turns get an episode of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import LiteralString

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import NotFound
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.sessions.context.summary import utterance_of
from recollect.sessions.policy.owner import NOBODY_NAMED, Owner
from recollect.sessions.policy.visibility import Speakers, VisibilityGroup, visibility_group_of
from recollect.sessions.record.lineage import rows_of
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.record.transcript_rows import EVERY_TURN, HeardTurns, select_messages
from recollect.store.columns import Condition, decode, integer, text, text_or_none
from recollect.store.counters import next_number
from recollect.store.engine import Database, Transaction
from recollect.text.keywords import telling
from recollect.text.summary import summarise
from recollect.text.terms import terms
from recollect.text.turns import Utterance

MADE_BY = "episode-3"
"""Raise it when the same messages give another episode."""
EPISODE_KIND = "episode"
"""What their numbers are counted as."""
_PAGE = 500
"""Messages read at once, so that a long session needs little memory."""
_TOPICS = 8
_SHORTEST_TOPIC = 4
_SHARE = 4
"""Beside what people began and ended with, decided and want kept, a summary is this part of the
text at most."""
_LAST_SUMMARY: LiteralString = """
    SELECT through_seq, summary FROM compactions WHERE session_id = ? AND through_seq <= ?
    ORDER BY through_seq DESC LIMIT 1
"""
_INSERT: LiteralString = """
    INSERT INTO episodes (id, session_id, summary, topics, began_at, ended_at, message_count,
        made_by, created_at, tenant, agent, user_id, project, speakers, turn_sender, number)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SELECT: LiteralString = """
    SELECT id, session_id, summary, topics, began_at, ended_at, message_count, made_by, created_at,
        tenant, agent, user_id, project, speakers, turn_sender, number
    FROM episodes WHERE """
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
    """Makes the episodes of messages that are about to go, without a model: it costs nothing.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        ids: Gives episodes their ids.
        tokens: Longest summary.
    """

    def __init__(self, records: Database, clock: Clock, ids: IdSource, tokens: int) -> None:
        self._records = records
        self._clock = clock
        self._ids = ids
        self._tokens = tokens

    def write(self, session: Session, through_seq: int) -> list[Episode]:
        """Return the episodes of the messages up to a seq, one for each sender; stores nothing.

        Returns:
            None of whom no word of a person is there, and nothing if nothing is to be kept.

        Raises:
            StoreError: the records cannot be read.
        """
        if not self._tokens:
            return []
        speakers = msgspec.convert(session, Speakers, from_attributes=True)
        known = self._records.read(lambda tx: tx.all(_SENDERS, (session.id, through_seq)))
        senders = [text_or_none(sender) for (sender,) in known]
        if not _is_shared(session):
            turns: dict[str | None, HeardTurns] = {None: EVERY_TURN}
        elif len(senders) == 1:
            turns = {senders[0]: EVERY_TURN}
        else:
            turns = {
                sender: HeardTurns(() if sender is None else (sender,), unnamed=sender is None)
                for sender in senders
            }
        made = (
            self._episode(session, speakers, through_seq, each, heard)
            for each, heard in turns.items()
        )
        return [episode for episode in made if episode is not None]

    def _episode(
        self,
        session: Session,
        speakers: Speakers,
        through_seq: int,
        sender: str | None,
        heard: HeardTurns,
    ) -> Episode | None:
        where = _up_to(session, through_seq, heard)
        row = self._records.read(lambda tx: tx.row(_EXTENT + where.sql, where.params))
        count = integer(row[0]) if row else 0
        if row is None or count == 0:
            return None
        most = min(self._tokens, integer(row[3]) // _SHARE)
        summary = self._summary(session, through_seq, most, heard)
        if not summary:
            return None
        return Episode(
            id=self._ids.new(),
            session_id=session.id,
            summary=summary,
            topics=topics_of(summary),
            began_at=integer(row[1]),
            ended_at=integer(row[2]),
            message_count=count,
            made_by=MADE_BY,
            created_at=self._clock.now_ms(),
            speakers=speakers,
            turn_sender=sender,
            **{part: getattr(session, part) for part in ("tenant", "agent", "user", "project")},
        )

    def _summary(self, session: Session, through_seq: int, most: int, heard: HeardTurns) -> str:
        """Return the summary; what a compaction summarised already is not read again.

        It is where the compaction may have seen the turns of more people than are left.
        """
        known = None
        if heard.is_all and not (_is_shared(session) and (session.pruned_seq or session.parent_id)):
            known = self._records.read(lambda tx: tx.row(_LAST_SUMMARY, (session.id, through_seq)))
        after, previous = (integer(known[0]), text(known[1])) if known else (0, "")
        said = self._utterances(session, after, through_seq, heard)
        return summarise(said, most, previous, always=self._tokens)

    def _utterances(
        self, session: Session, after: int, through: int, heard: HeardTurns
    ) -> Iterator[Utterance]:
        while page := self._page(session, after, through, heard):
            yield from map(utterance_of, page)
            after = page[-1].seq

    def _page(self, session: Session, after: int, through: int, heard: HeardTurns) -> list[Message]:
        where = _up_to(session, through, heard).also("seq > ?", after)
        return self._records.read(lambda tx: select_messages(tx, where, _PAGE))


def _is_shared(session: Session) -> bool:
    """Return whether people share a session one by one, so that each hears their own turns."""
    return visibility_group_of(session, NOBODY_NAMED).is_private


def _up_to(session: Session, through_seq: int, heard: HeardTurns) -> Condition:
    where = rows_of(Scope(tenant=session.tenant), session.id).also("seq <= ?", through_seq)
    heard.narrow(where)
    return where


def store_episode(tx: Transaction, episode: Episode) -> None:
    """Store an episode under the next number."""
    row = msgspec.structs.asdict(episode)
    for name in ("topics", "speakers"):
        if row[name] is not None:
            row[name] = msgspec.json.encode(row[name]).decode()
    row["number"] = next_number(tx, episode.tenant, EPISODE_KIND)
    tx.execute(_INSERT, list(row.values()))


def episodes_of(tx: Transaction, scope: Scope, session_id: str) -> list[Episode]:
    """Return the episodes of a session that the scope may see, oldest first."""
    where = Condition(scope, "session_id").also("session_id = ?", session_id)
    return _select(tx, where)


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
    for episode in _select(tx, where):
        return episode
    raise NotFound(
        "the episode does not exist", hint="use a number that was shown, such as e3, or an id"
    )


def _select(tx: Transaction, where: Condition) -> list[Episode]:
    rows = tx.rows(_SELECT + where.sql + " ORDER BY id", where.params)
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
