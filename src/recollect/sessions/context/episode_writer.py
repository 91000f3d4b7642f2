"""The writer of episodes: what stays of a session, by rule and at no cost.

Only words of people and of the agent are in an episode, never results of tools. In a session that
people share one by one each sender's turns get an episode of their own.

Afterwards a language model may write them again. A call contains what the hearers of one episode
heard, and nothing else. An answer with a file or a number that nobody mentioned is refused, and the
lines of the rules stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import LiteralString, Protocol, TypeAlias

import msgspec

from recollect.audience.owner import NOBODY_NAMED
from recollect.audience.visibility import EVERY_TURN, HeardTurns, Speakers, visibility_group_of
from recollect.core.clock import DAY_MS, Clock, IdSource
from recollect.core.decoding import convert_value
from recollect.core.scope import Scope
from recollect.models.language.model import LanguageModel
from recollect.sessions.context.course import Course
from recollect.sessions.context.episode import (
    MADE_BY,
    Episode,
    find_unread,
    rewrite_episode,
    topics_of,
)
from recollect.sessions.context.summary import ModelSummariser, SummaryOrder, utterances_of
from recollect.sessions.record.lineage import WITHDRAWN, rows_of, segments, within
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, find_session
from recollect.sessions.record.transcript_rows import read_messages
from recollect.store.columns import Condition, integer, is_message_out, text, text_or_none
from recollect.store.engine import Database, Transaction
from recollect.text.summary.extractive import (
    SUMMARY_VERSION,
    shortened,
    spoken_lines,
    summarise,
    utterance_line,
)
from recollect.text.summary.grounding import ungrounded
from recollect.text.tokens import estimate_tokens
from recollect.text.turns import Utterance, labelled

_PAGE = 500
"""Messages read at once, so that a long session needs little memory."""
_SPOKEN = frozenset({"user", "assistant"})
"""The roles whose words stay."""
_SHARE = 4
"""Beside what people began and ended with, decided and want kept, and what is open, a summary is
this part of the text at most."""
_DEEDS_SHARE = 3
"""The agent's actions take this part of an episode at most, the open question half of that."""
_LAST_SUMMARY: LiteralString = f"""
    SELECT through_seq, summary FROM (
        SELECT session_id, through_seq AS seq, through_seq, summary, made_by FROM compactions) t
    WHERE session_id = ? AND through_seq <= ? AND made_by LIKE 'extractive%' AND NOT {WITHDRAWN}
    ORDER BY through_seq DESC LIMIT 1
"""  # noqa: S608  # literals
_SENDERS: LiteralString = f"""
    SELECT DISTINCT turn_sender FROM messages t WHERE session_id = ? AND seq <= ?
    AND NOT {WITHDRAWN} ORDER BY turn_sender
"""  # noqa: S608  # literals
_SHOWN: LiteralString = f" AND NOT {is_message_out('messages', 'messages.session_id')}"
_EXTENT: LiteralString = """
    SELECT count(*), min(created_at), max(created_at), coalesce(sum(token_estimate), 0)
    FROM messages WHERE """


_Room: TypeAlias = tuple[int, int]
"""The tokens of a summary: at most, and of what is kept in any case."""


class Deeds(Protocol):
    """Summarises the agent's actions in a session, in words of its own and its user's."""

    def __call__(self, tx: Transaction, where: Condition, tokens: int) -> str:
        """Return some lines of at most ``tokens``; empty without any actions."""


def no_deeds(tx: Transaction, where: Condition, tokens: int) -> str:
    """Return an empty text: the agent's actions are not looked at."""
    return ""


class EpisodeWriter:
    """Makes the episodes of sessions, without a model: it costs nothing.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        ids: Gives episodes their ids.
        tokens: Longest episode.
        deeds: Summarises the agent's actions.
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
            No episode for a sender without words of a person or actions of the agent, and none at
            all if nothing is to be kept.

        Raises:
            StoreError: the records cannot be read.
        """
        if not self.tokens:
            return []
        by_sender = self._turns(session, through_seq)
        episodes = (
            self._episode(session, through_seq, each, turns) for each, turns in by_sender.items()
        )
        return [episode for episode in episodes if episode is not None]

    def utterances(self, session: Session, episode: Episode) -> list[Utterance]:
        """Return the utterances that an episode of a whole session covers and its hearers heard."""
        through = session.last_seq if episode.through_seq is None else episode.through_seq
        turns = self._turns(session, through).get(episode.turn_sender)
        return [] if turns is None else list(self._utterances(session, 0, through, turns))

    def _turns(self, session: Session, through_seq: int) -> dict[str | None, HeardTurns]:
        """Return the turns that get an episode of their own, by sender."""
        rows = self._records.read(lambda tx: tx.all(_SENDERS, (session.id, through_seq)))
        senders = [text_or_none(sender) for (sender,) in rows]
        if not _is_shared(session):
            return {None: EVERY_TURN}
        if len(senders) <= 1:  # none with messages of hooks alone
            return {(senders or [None])[0]: EVERY_TURN}
        return {sender: _turns_of(sender) for sender in senders}

    def _episode(
        self, session: Session, through_seq: int, sender: str | None, turns: HeardTurns
    ) -> Episode | None:
        is_whole = through_seq >= session.last_seq
        where = _up_to(session, through_seq, turns)
        row = self._records.read(lambda tx: tx.row(_EXTENT + where.sql, where.params))
        count, began, ended, size = row or (0, None, None, 0)
        deeds = self._done(session, sender) if is_whole else ""
        budget = self.tokens - (estimate_tokens(deeds) + 1 if deeds else 0)
        room, course = (min(budget, integer(size) // _SHARE), budget), Course()
        summary = self._summary(session, through_seq, room, turns, course) if count else ""
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
            speakers=convert_value(session, Speakers, from_attributes=True),
            turn_sender=sender,
            extent="session" if is_whole else "part",
            through_seq=through_seq,
            deeds=deeds,
            decisions=course.decisions,
            outcome=course.outcome,
            open_ends=course.open_ends,
            tone=course.tone,
            **{part: getattr(session, part) for part in ("tenant", "agent", "user", "project")},
        )

    def _done(self, session: Session, sender: str | None) -> str:
        where = rows_of(Scope(tenant=session.tenant), session.id)
        if _is_shared(session):  # what was done for others outlasts their messages
            _turns_of(sender).narrow(where)
        most = self.tokens // _DEEDS_SHARE
        return self._records.read(lambda tx: self._deeds(tx, where, most))

    def _summary(
        self, session: Session, through_seq: int, room: _Room, turns: HeardTurns, course: Course
    ) -> str:
        """Return the summary; a course reads its utterances as they pass.

        Messages that a compaction has summarised are not read again, unless it may have read turns
        of people whose messages are gone.
        """
        row, (most, always) = None, room
        if turns.is_all and not (_is_shared(session) and (session.pruned_seq or session.parent_id)):
            row = self._records.read(lambda tx: tx.row(_LAST_SUMMARY, (session.id, through_seq)))
        after, previous = (integer(row[0]), text(row[1])) if row else (0, "")
        course.resume(spoken_lines(previous))
        utterances = course.watching(self._utterances(session, after, through_seq, turns))
        summary = summarise(utterances, most, spoken_lines(previous), always=always)
        line = _open_line(course, always // (2 * _DEEDS_SHARE))
        if not summary or not line or course.question in summary:
            return summary
        budget = always - estimate_tokens(line) - 1
        return f"{shortened(summary, budget)}\n{line}".lstrip()

    def _utterances(
        self, session: Session, after: int, through: int, turns: HeardTurns
    ) -> Iterator[Utterance]:
        """Yield the utterances of a session; of people only what they wrote themselves.

        Episodes enter prompts unasked: what somebody pasted or quoted would speak there.
        """
        from recollect.text.statements.detector import own_text

        utterances = utterances_of(
            lambda: self._messages(session, after, through, turns), calls=False
        )
        for each in utterances:
            if each.role == "user":
                yield msgspec.structs.replace(each, text=own_text(each.text))
            elif each.role in _SPOKEN:
                yield each

    def _messages(
        self, session: Session, after: int, through: int, turns: HeardTurns
    ) -> Iterator[Message]:
        while page := self._page(session, after, through, turns):
            yield from page
            after = page[-1].seq

    def _page(self, session: Session, after: int, through: int, turns: HeardTurns) -> list[Message]:
        def read(tx: Transaction) -> list[Message]:
            parts = within(segments(tx, session, own=True), after, through + 1)
            return read_messages(tx, Scope(tenant=session.tenant), parts, _PAGE, turns=turns)

        return self._records.read(read)


def _open_line(course: Course, tokens: int) -> str:
    """Return the agent's open question as a line of a summary; empty if it is too long for one."""
    if course.last is None or not course.question:
        return ""
    label = labelled(course.last.at_ms, course.last.speaker)
    line = f"- {label}{course.question}"
    return line if estimate_tokens(line) <= tokens else ""


def _is_shared(session: Session) -> bool:
    """Return whether people share a session one by one, so that each hears their own turns."""
    return visibility_group_of(session, NOBODY_NAMED).is_private


def _turns_of(sender: str | None) -> HeardTurns:
    return HeardTurns(() if sender is None else (sender,), unnamed=sender is None)


def _up_to(session: Session, through_seq: int, turns: HeardTurns) -> Condition:
    where = rows_of(Scope(tenant=session.tenant), session.id).also("seq <= ?", through_seq)
    where.sql += _SHOWN
    turns.narrow(where)
    return where


PURPOSE = "episodes"
KEPT = f"{MADE_BY}/kept"
"""``made_by`` of an episode for which the model gave no usable words."""
MOST_CALLS = 2
"""Calls per run: indexing waits for them."""
OLDEST_MS = DAY_MS
"""Older episodes keep the lines of the rules: enabling this does not cost the whole past."""


class EpisodeDigest:
    """Rewrites episodes with a language model.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        writer: Reads the messages that an episode covers.
        model: The model that is asked.
        redacted: Removes secrets from an answer.
        scope: The owner of the episodes.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        writer: EpisodeWriter,
        model: LanguageModel,
        *,
        redacted: Callable[[str], str],
        scope: Scope,
    ) -> None:
        self._database = database
        self._clock = clock
        self._writer = writer
        self._redacted = redacted
        self._scope = scope
        self._summariser = ModelSummariser(model, PURPOSE)

    def run(self, stopping: Callable[[], bool] = lambda: False) -> int:
        """Rewrite the episodes of the last day; return the number of rewritten ones.

        A model that does not answer is asked again in the next run.
        """
        since, scope = self._clock.now_ms() - OLDEST_MS, self._scope
        count = 0
        for episode in self._database.read(lambda tx: find_unread(tx, scope, since, MOST_CALLS)):
            if stopping() or not self._rewrite(episode):
                break
            count += 1
        return count

    def _rewrite(self, episode: Episode) -> bool:
        """Ask the model for a summary; return False without an answer."""
        scope, session_id = self._scope, episode.session_id
        session = self._database.read(lambda tx: find_session(tx, scope, session_id))
        utterances = [] if session is None else self._writer.utterances(session, episode)
        made_by, summary = KEPT, episode.summary
        if utterances:
            most = self._writer.tokens - (estimate_tokens(episode.deeds) if episode.deeds else 0)
            answer = self._summariser.summarise(
                SummaryOrder(previous="", utterances=utterances, tokens=most, count=estimate_tokens)
            )
            if answer.made_by == SUMMARY_VERSION:
                return False
            source = "\n".join(map(utterance_line, utterances))
            is_short = estimate_tokens(answer.text) <= most
            if is_short and not ungrounded(answer.text, source):
                made_by, summary = answer.made_by, self._redacted(answer.text)
        self._database.write(lambda tx: rewrite_episode(tx, episode, summary, made_by))
        return True
