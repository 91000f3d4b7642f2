"""The context window of sessions: its view, and its compaction. A part of `memory.sessions`.

The summary is made outside of any transaction, because a model may take its time; what it replaces
is checked again in the transaction that stores it. `view` builds the view, `flush` the notes that
are written before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Literal

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import Asker, Audience, HeardTurns
from recollect.core.checks import check_count, checked
from recollect.core.errors import InvalidInput, RecollectError, StoreError
from recollect.sessions.context.compaction import (
    Compaction,
    store_compaction,
    visible_compaction,
)
from recollect.sessions.context.costs import SessionCosts
from recollect.sessions.context.episode import Episode, of_episodes, select_episodes
from recollect.sessions.context.flush import Flushed, ModelFailure
from recollect.sessions.context.notebook import Notebook, messages_between
from recollect.sessions.context.size import Sizer, Thresholds, thresholds_of
from recollect.sessions.context.summary import (
    Summary,
    SummaryOrder,
    WindowParts,
    callers_summary,
    utterances_of,
)
from recollect.sessions.context.view import (
    SMALLEST_BUDGET,
    ContextView,
    ReadNewest,
    read_tail,
    reported_tokens,
    stranded,
    summary_within,
)
from recollect.sessions.lease import check_change
from recollect.sessions.policy.turns import answered_group, heard_turns, resolved
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import LineageSegment, segments, within
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, require_living
from recollect.sessions.record.tool_call import cut_before, pending_calls, spans
from recollect.sessions.record.transcript_rows import (
    count_messages,
    newest_turn,
    read_messages,
)
from recollect.store.engine import Transaction
from recollect.text.summary.extractive import shortened
from recollect.text.turns import Utterance

Outcome = Literal["compacted", "not_due", "nothing_to_replace", "failed", "overtaken"]

_NOT_DUE = Flushed(outcome="not_due")
_SUMMARY_SHARE = 0.25
"""The most of a small window that a summary takes."""


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a compaction.

    Attributes:
        session_id: Of which session.
        outcome: ``compacted``; ``not_due``: the view is not full; ``nothing_to_replace``: all its
            messages are among those that stay; ``failed``: without a summary; ``overtaken``:
            it was compacted by another meanwhile. Only the first changed anything.
        compaction: What is in the view now.
        error: The code of what failed.
        model_failure: Why a language model did not write the summary, which was made of the lines
            that matter most instead; None where it did, or none is asked.
        flush: What was written into the notes of the workspace before.
    """

    session_id: str
    outcome: Outcome
    compaction: Compaction | None = None
    error: str | None = None
    model_failure: ModelFailure | None = None
    flush: Flushed = _NOT_DUE


@checked
class ContextWindows(Notebook, SessionCosts):
    """Shows the part of a session that is in the prompt, and makes room in it.

    Args:
        access: The records, and their owner.
        parts: Summarises, finds notes and counts.
        people: The owner of the agent, and who is linked to whom.
    """

    def __init__(self, access: SessionAccess, parts: WindowParts, people: People) -> None:
        self._access = access
        self._parts = parts
        self._people = people
        self._sizer = Sizer(parts.count)

    def view(
        self,
        session_id: str,
        budget_tokens: int | None = None,
        *,
        for_sender: str | None = None,
        limit: int | None = None,
    ) -> ContextView:
        """Return the part of a session that is in the prompt: a summary, and the newest messages.

        Never empty where something was said: a newest message that is too long is shown as its head
        and tail, with a mark of what is left out. Costs as much as is shown, however long the
        session is. A fork sees the compactions of its parents up to where it branched off. In a
        session that several people share, it has only the turns that the person it answers may
        hear.

        Args:
            session_id: Which one.
            budget_tokens: What it may cost; ``sessions.context.window_tokens`` if not given.
            for_sender: Whom it answers; the sender of the newest turn if not given.
            limit: Messages at most, a call of a tool with its result.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account, the budget is below 40, the limit
                below 1, or an exact counter has no room in it.
        """
        check_count(budget_tokens, "a budget", SMALLEST_BUDGET)
        check_count(limit, "a limit", 1)
        limits = thresholds_of(self._access.settings.context, budget_tokens)

        def read(tx: Transaction, session: Session) -> ContextView:
            audience = self._audience(tx, session, for_sender)
            return self._view(tx, session, audience, limits, limit)

        return self._access.read_session(session_id, read)

    def episodes(
        self,
        session_id: str | None = None,
        *,
        project: str | None = None,
        limit: int = 20,
        for_session: str | None = None,
    ) -> list[Episode]:
        """Return the summaries of sessions that ended, the newest first.

        Args:
            session_id: Only those of this session: one for each audience in it, and one for each
                part that retention removed.
            project: Only of this project: a path of it, its name or its id.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.

        Raises:
            NotFound: the scope has no session ``for_session``.
            InvalidInput: the limit is below 1.
        """
        check_count(limit, "a limit", 1)
        scope, people = self._access.scope, self._people
        where = of_episodes(scope).equal("session_id", session_id)
        where.of_project(None if project is None else self._access.projects().find(project))

        def unit(tx: Transaction) -> list[Episode]:
            audience = resolved(tx, Asker(for_session), scope, people.at(tx, scope.tenant))
            return list(islice(select_episodes(tx, where, audience), limit))

        return self._access.database.read(unit)

    def keep_within_window(
        self, session_id: str, extra_tokens: int = 0, *, lease: object = None
    ) -> Compacted:
        """Flush and compact a session if that is due; to be called in every turn of an agent.

        At first what must last is written into the notes of the workspace, a little later older
        messages become a summary; see the settings ``sessions.context``. Usually nothing is due,
        and that costs as much as a view. If a provider counted the last prompt, in an answer since
        the last compaction, that counts if it is more than the estimate.

        Args:
            session_id: Which one.
            extra_tokens: What else is in the prompt: instructions, tools, the next message.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or a compaction is due and another program holds it.
            InvalidInput: a number below 0.
        """
        check_count(extra_tokens, "a number of tokens")
        limits = thresholds_of(self._access.settings.context)

        def unit(tx: Transaction) -> tuple[ContextView, Compaction | None]:
            session = require_living(tx, self._access.scope, session_id)
            audience = self._audience(tx, session)
            last = self._compaction(tx, session, audience)
            return self._view(tx, session, audience, limits), last

        view, last = self._access.database.read(unit)
        reported = reported_tokens(view.messages, 0 if last is None else last.last_seq, self._sizer)
        tokens = max(view.tokens + extra_tokens, reported)
        if view.is_full or tokens >= limits.compact:
            return self.compact(session_id, lease=lease)
        flush = self.flush(session_id) if tokens >= limits.flush else _NOT_DUE
        return Compacted(session_id=session_id, outcome="not_due", flush=flush)

    def compact(
        self,
        session_id: str,
        summary: str | None = None,
        *,
        keep_messages: int | None = None,
        lease: object = None,
    ) -> Compacted:
        """Let a summary replace in the view all but the newest messages; they stay stored.

        A tool call stays with its result. The summary takes the one before in. Messages that come
        while it is written are in the view, too. What must last is flushed first, see `flush`.

        Args:
            session_id: Which one.
            summary: The program's own summary of what is replaced, with the one before in it; made
                here if not given.
            keep_messages: How many stay verbatim; ``sessions.context.keep_messages`` if not given.
                Fewer where they alone would fill three quarters of the room.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or another program holds it.
            InvalidInput: a number below 0, or an empty summary.
        """
        own = None if summary is None else callers_summary(summary, self._access.drafts.redacted)
        keep = (
            self._access.settings.context.keep_messages if keep_messages is None else keep_messages
        )
        check_count(keep, "a number of messages")

        def unit(tx: Transaction) -> Replacement | None:
            plan = self._plan(tx, session_id, keep)
            check_change(tx, session_id, lease, self._access.clock.now_ms())
            return plan

        plan = self._access.database.read(unit)
        if plan is None:
            return Compacted(session_id=session_id, outcome="nothing_to_replace")
        flush = self.flush(session_id)
        return msgspec.structs.replace(self._compact(plan, lease, own), flush=flush)

    def _compact(self, plan: Replacement, lease: object, own: Summary | None) -> Compacted:
        between = (plan.session_id, plan.after_seq, plan.through_seq, plan.heard)
        reading = Reading(lambda: messages_between(self._access, *between), self._sizer)
        try:
            summary = self._summary(plan, reading) if own is None else own
        except StoreError:
            raise
        except RecollectError as error:
            return Compacted(session_id=plan.session_id, outcome="failed", error=error.code)
        if not summary.text:
            return Compacted(session_id=plan.session_id, outcome="failed", error="empty_summary",
                             model_failure=summary.failure)  # fmt: skip
        if own is not None:
            deque(reading, maxlen=0)  # counts what it replaces
        result = self._replace(plan, summary, reading.tokens, lease)
        return msgspec.structs.replace(result, model_failure=summary.failure)

    def _view(
        self,
        tx: Transaction,
        session: Session,
        audience: Audience,
        limits: Thresholds,
        most: int | None = None,
    ) -> ContextView:
        sizer, scope, turns = self._sizer, self._access.scope, heard_turns(tx, session, audience)
        compaction = self._compaction(tx, session, audience)
        through = 0 if compaction is None else compaction.through_seq
        summary = summary_within(compaction, limits.window, sizer)
        cost = 0 if summary is None else sizer.text(summary)
        parts = within(segments(tx, session), through, None)
        tail = read_tail(self._newest(tx, parts, turns), limits.window - cost, sizer, most)
        count = count_messages(tx, scope, parts, turns)
        if count and not tail.messages:
            raise InvalidInput("the budget has no room for a message", hint="give more tokens")
        return ContextView(
            session_id=session.id,
            summary=summary,
            messages=tail.messages,
            tokens=cost + tail.tokens,
            through_seq=through,
            omitted=count - len(tail.messages),
            truncated=tail.truncated,
            is_full=not tail.is_all or cost + tail.tokens >= limits.compact,
        )

    def _audience(self, tx: Transaction, session: Session, sender: str | None = None) -> Audience:
        owner = self._people.at(tx, session.tenant)
        return Audience(owner=owner, group=answered_group(tx, session, owner, sender))

    def _compaction(
        self, tx: Transaction, session: Session, audience: Audience
    ) -> Compaction | None:
        return visible_compaction(tx, self._access.scope, session, partial(audience.hears, session))

    def _newest(
        self, tx: Transaction, parts: Sequence[LineageSegment], turns: HeardTurns
    ) -> ReadNewest:
        def read(before: int | None, limit: int) -> list[Message]:
            earlier = within(parts, 0, before)
            return read_messages(tx, self._access.scope, earlier, limit, newest=True, turns=turns)

        return read

    def _plan(self, tx: Transaction, session_id: str, keep: int) -> Replacement | None:
        session = require_living(tx, self._access.scope, session_id)
        audience = self._audience(tx, session)
        previous = self._compaction(tx, session, audience)
        through = 0 if previous is None else previous.through_seq
        parts, turns = segments(tx, session), heard_turns(tx, session, audience)
        read_newest = self._newest(tx, within(parts, through, None), turns)
        limit = thresholds_of(self._access.settings.context).compact
        planned = plan_replacement(read_newest, Keeping(keep, limit, self._sizer))
        return planned and Replacement(
            session_id=session.id,
            audience=audience,
            heard=turns,
            sender=None if audience.hears(session) else newest_turn(tx, parts),
            previous=previous,
            through_seq=planned[0],
            kept_tokens=planned[1],
        )

    def _summary(self, plan: Replacement, spoken: Reading) -> Summary:
        settings, sizer = self._access.settings.context, self._sizer
        tokens = min(settings.summary_tokens, int(thresholds_of(settings).compact * _SUMMARY_SHARE))
        order = SummaryOrder(
            previous="" if plan.previous is None else plan.previous.summary,
            utterances=spoken,
            tokens=tokens,
            count=sizer.text,
        )
        summary = self._parts.summariser.summarise(order)
        redacted = self._access.drafts.redacted(summary.text.strip())
        return msgspec.structs.replace(summary, text=shortened(redacted, tokens, sizer.text))

    def _replace(
        self, plan: Replacement, summary: Summary, replaced_tokens: int, lease: object
    ) -> Compacted:
        sizer, now, compaction_id = self._sizer, self._access.clock.now_ms(), self._access.ids.new()
        before = 0 if plan.previous is None else sizer.text(plan.previous.summary)
        after = sizer.text(summary.text)

        def unit(tx: Transaction) -> Compaction | None:
            session = require_living(tx, self._access.scope, plan.session_id)
            check_change(tx, session.id, lease, self._access.clock.now_ms())
            if self._compaction(tx, session, plan.audience) != plan.previous:
                return None
            compaction = Compaction(
                id=compaction_id,
                session_id=session.id,
                through_seq=plan.through_seq,
                last_seq=session.last_seq,
                summary=summary.text,
                made_by=summary.made_by,
                tokens_before=before + replaced_tokens + plan.kept_tokens,
                tokens_after=after + plan.kept_tokens,
                created_at=now,
                turn_sender=plan.sender,
            )
            store_compaction(tx, session, compaction)
            return compaction

        compaction = self._access.write(unit)
        if compaction is None:
            return Compacted(session_id=plan.session_id, outcome="overtaken")
        return Compacted(session_id=plan.session_id, outcome="compacted", compaction=compaction)


_LOOK_BACK = 200
"""Messages read at first before those that stay, for the calls of results among these."""
_FARTHEST = 4_096
"""Results whose call is not found so far ahead never had one."""
_MOST_KEPT = 0.75
_KEPT_INSTEAD = 0.5
"""Where the messages that stay are more than three quarters of the room, half of it stays: with
more, the next message would trigger the next compaction."""


class Keeping(msgspec.Struct, frozen=True):
    """How much stays: a number of messages, within a limit of tokens."""

    messages: int
    limit: int
    sizer: Sizer


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """What a summary is to replace, and for whom.

    Attributes:
        session_id: The session of the messages.
        audience: Who hears it; the messages and the summary before are of the same snapshot.
        heard: The turns that they hear.
        sender: The sender of the newest turn, if the summary is not for the session's own partner.
        previous: The summary before.
        through_seq: The last message that it replaces.
        kept_tokens: The cost of the messages that stay.
    """

    session_id: str
    audience: Audience
    heard: HeardTurns
    sender: str | None
    previous: Compaction | None
    through_seq: int
    kept_tokens: int

    @property
    def after_seq(self) -> int:
        """The last message that the summary before replaces."""
        return 0 if self.previous is None else self.previous.through_seq


class Reading:
    """Messages as a summary reads them, each once; counts what they cost."""

    def __init__(self, source: Callable[[], Iterator[Message]], sizer: Sizer) -> None:
        self._read = source
        self._sizer = sizer
        self.tokens = 0

    def __iter__(self) -> Iterator[Utterance]:
        return utterances_of(self._read, self._count)

    def _count(self, message: Message) -> None:
        self.tokens += self._sizer.message(message)


def plan_replacement(read_newest: ReadNewest, keeping: Keeping) -> tuple[int, int] | None:
    """Return the seq up to which messages can be replaced, and the cost of the rest; None if none.

    Args:
        read_newest: Reads the messages of a view after its compaction.
        keeping: What stays.
    """
    size = keeping.messages + _LOOK_BACK
    while True:
        messages = read_newest(None, size)
        cut = _cut(messages, keeping)
        if len(messages) < size or (cut > messages[0].seq and _has_calls(messages, cut, size)):
            break
        size *= 2
    if not messages or cut == messages[0].seq:
        return None
    kept_tokens = sum(keeping.sizer.message(message) for message in messages if message.seq >= cut)
    through = max(message.seq for message in messages if message.seq < cut)
    return through, kept_tokens


def _has_calls(messages: Sequence[Message], cut: int, looked: int) -> bool:
    """Return whether the calls of all results that stay were found, or cannot be."""
    return looked > _FARTHEST or all(seq < cut for seq in stranded(messages))


def _cut(messages: Sequence[Message], keeping: Keeping) -> int:
    """Return the seq of the first message that stays; one after the last where none does."""
    if not messages:
        return 0
    end = messages[-1].seq
    count = _kept(messages, keeping)
    cut = cut_before(messages, messages[-count].seq) if count else end + 1
    together = spans(messages)
    waiting = [pair.call_seq for pair in pending_calls(messages) if pair.call_seq is not None]
    return min([cut, *(together[seq].first for seq in waiting if together[seq].last == end)])


def _kept(messages: Sequence[Message], keeping: Keeping) -> int:
    """Return the number of the newest messages that stay; the newest one does if any may."""
    newest = messages[::-1][: keeping.messages]
    costs = [keeping.sizer.message(message, keeping.limit) for message in newest]
    if sum(costs) <= keeping.limit * _MOST_KEPT:
        return len(newest)
    count, budget = 1, keeping.limit * _KEPT_INSTEAD - costs[0]
    while count < len(costs) and costs[count] <= budget:
        budget -= costs[count]
        count += 1
    return count
