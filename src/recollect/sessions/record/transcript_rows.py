"""Transcripts: the rows of messages and tool calls. Plain functions of a transaction.

The seq of a message is assigned here, in the transaction that stores it, so that there are no gaps
and no duplicates, however many threads and processes write. So is its number in the tenant: after
the greatest that is there, or was when something was last removed. A message, its tool calls, its
session's counters, the change for the index and the event are one commit.

An event id belongs to its session. It is looked up there, in what a fork shares with its parents,
and in the sessions that had the key before, as long as their owner, and so their audience, is the
same. Other sessions may use it too: what was said elsewhere neither hides a message nor is shown
for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import LiteralString

import msgspec

from recollect.audience.visibility import HeardTurns
from recollect.core.errors import Denied
from recollect.core.events import MessageFinished, MessagesAppended
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.sessions.record.content import TextBlock, ToolResultBlock
from recollect.sessions.record.draft import Draft, without_answers
from recollect.sessions.record.lineage import (
    MAX_DEPTH,
    LineageSegment,
    rows_of,
    segments,
    within,
)
from recollect.sessions.record.message import UNFINISHED, Message, message_cells
from recollect.sessions.record.message_rows import (
    SELECT_MESSAGES,
    change_message,
    check_end,
    check_span,
    hash_of,
    insert_messages,
    is_sound,
    message_of,
    next_number,
    restore_rows,
    sum_of,
)
from recollect.sessions.record.session import Session, owner_of
from recollect.sessions.record.token_usage import add_usage
from recollect.sessions.record.tool_call import recalled_answers, store_tool_calls
from recollect.store.columns import Condition, first_integer, text, text_or_none
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import record_change, record_changes, record_event

UNNAMED = ""
"""As the sender of a turn: it is known that it has no name."""
MESSAGE_KIND = "message"
"""The kind of a message in the outbox."""
REWRITE_KIND = "message.rewrite"
"""The kind of a message that was rewritten: copies of it are to be replaced."""

_REWRITTEN: LiteralString = (
    "content = ?, text = ?, token_estimate = ?, metadata = ?, event_id = ?, foreign_id = ?,"
    " row_hash = ?"
)
_COUNT_HEARD: LiteralString = "SELECT count(*) FROM messages WHERE "
_NEWEST_TURN: LiteralString = """
    SELECT turn_sender FROM messages
    WHERE session_id = ? AND seq >= ? AND seq <= ? AND role <> 'system' ORDER BY seq DESC LIMIT 1
"""
_TURN_SENDERS: LiteralString = (
    "SELECT DISTINCT turn_sender FROM messages WHERE session_id = ? AND turn_sender IS NOT NULL"
)

_CONTENT, _METADATA = 9, 14
_LOOKUP = 100
"""Event ids that one statement looks up."""
_AMONG: LiteralString = "event_id IN (" + ", ".join(["?"] * _LOOKUP) + ")"
_ANYWHERE: LiteralString = "SELECT 1 FROM messages WHERE " + _AMONG + " LIMIT 1"  # noqa: S608  # literals
_LINE: LiteralString = """
    WITH RECURSIVE line (depth, id, last, parent_id, shared, previous_id, tenant, key, agent,
        user_id) AS (
        SELECT 0, id, last_seq, parent_id, forked_at_seq, previous_id, tenant, key, agent, user_id
        FROM sessions WHERE id = ?
        UNION ALL
        SELECT line.depth + 1, s.id,
            CASE WHEN line.parent_id IS NULL THEN s.last_seq
                WHEN line.shared < line.last THEN line.shared ELSE line.last END,
            s.parent_id, s.forked_at_seq,
            CASE WHEN line.parent_id IS NULL THEN s.previous_id END,
            s.tenant, s.key, s.agent, s.user_id
        FROM line JOIN sessions s ON s.id = coalesce(line.parent_id, line.previous_id)
        WHERE line.depth < ? AND s.tenant = line.tenant AND (
            line.parent_id IS NOT NULL OR (s.key = line.key
            AND s.agent IS NOT DISTINCT FROM line.agent
            AND s.user_id IS NOT DISTINCT FROM line.user_id))
    )
    SELECT m.event_id, m.id FROM line CROSS JOIN messages m
    WHERE m.session_id = line.id AND m.seq <= line.last AND m."""
"""A fork has no key: the predecessors of its parents are not its own."""
_ONE: LiteralString = "SELECT 1 FROM messages WHERE event_id = ?"
_IN_LINE: LiteralString = _LINE + _AMONG + " ORDER BY line.depth DESC"


def append_drafts(
    tx: Transaction, session: Session, drafts: Sequence[Draft], turn_of: str | None = None
) -> list[Message | str]:
    """Store the drafts after the newest message of their session.

    Args:
        tx: The transaction that read ``session``.
        session: Where they belong.
        drafts: In the order of the transcript.
        turn_of: The sender whose turn they belong to, or `UNNAMED`: an answer may come after the
            next turn has begun. By the rules of `_turn_sender` if not given.

    Returns:
        For each draft its message, or the id of the one that had its event id before.
    """
    ids = [draft.message.event_id for draft in drafts if draft.message.event_id is not None]
    by_event = known_events(tx, session, ids) if ids else {}
    outcomes: list[Message | str] = []
    fresh: list[Message] = []
    turn = _open_turn(tx, session, drafts)
    rows: list[tuple[SqlValue, ...]] = []
    number = next_number(tx, session.tenant)
    ours: dict[int, set[str]] | None = None
    for index, draft in enumerate(drafts):
        event_id = draft.message.event_id
        turn = _turn_sender(draft.message, turn) if turn_of is None else turn_of or None
        if event_id is not None:
            if event_id in by_event:
                outcomes.append(by_event[event_id])
                continue
            by_event[event_id] = draft.message.id
        content = draft.message.blocks
        if ours is None and (len(content) != 1 or type(content[0]) is not TextBlock):
            ours = recalled_answers(tx, session, [each.message for each in drafts])
        final = without_answers(draft, ours[index]) if ours and index in ours else draft
        message = msgspec.structs.replace(
            final.message,
            number=number + len(fresh),
            turn_sender=None if draft.message.role == "system" else turn,
            tenant=session.tenant,
            agent=session.agent,
            user=session.user,
            project=session.project,
            session_id=session.id,
            seq=session.last_seq + len(fresh) + 1,
        )
        outcomes.append(message)
        fresh.append(message)
        rows.append(_row(message, final))
    if not fresh:
        return outcomes
    insert_messages(tx, session.id, rows, _newest_at(session, fresh))
    _note(tx, session, fresh)
    return outcomes


def restore_messages(tx: Transaction, session: Session, drafts: Sequence[Draft]) -> Session:
    """Store older messages under their own ids, seqs and times, and return their session.

    Their tool calls and costs are recorded as for new messages; seqs that they leave out count as
    removed from now on. The caller ensures that seqs grow, and calls `number_others` in the end: a
    number that another message has is not given again.
    """
    messages = [draft.message for draft in drafts]
    rows = [_row(draft.message, draft) for draft in drafts]
    updated_at = _newest_at(session, messages)
    restore_rows(tx, session.id, session.last_seq, rows, updated_at)
    _note(tx, session, messages)
    return msgspec.structs.replace(session, last_seq=messages[-1].seq, updated_at=updated_at)


def _turn_sender(message: Message, before: str | None) -> str | None:
    """Return the turn sender of a message: a user's message begins a turn, others continue it."""
    if message.sender is not None:
        return message.sender
    begins = message.role == "user" and not _is_results(message)
    return None if begins else before


def _is_results(message: Message) -> bool:
    """Return whether a message is only results of tools, which some programs send as a user."""
    return all(type(block) is ToolResultBlock for block in message.blocks)


def _open_turn(tx: Transaction, session: Session, drafts: Sequence[Draft]) -> str | None:
    """Return the turn sender of a session's newest message, if a draft may continue the turn."""
    first = drafts[0].message if drafts else None
    if first is None or first.sender is not None or not session.last_seq:
        return None
    if first.role == "user" and not _is_results(first):
        return None
    return newest_turn(tx, segments(tx, session))


def newest_turn(tx: Transaction, parts: Sequence[LineageSegment]) -> str | None:
    """Return the sender of the newest turn; None where that is not known."""
    first: LiteralString = _TURN_SENDERS + " LIMIT 1"
    # Without a known sender, a mostly empty index says so without reading long rows.
    if all(tx.row(first, (part.session_id,)) is None for part in parts):
        return None
    for part in reversed(parts):
        row = tx.row(_NEWEST_TURN, (part.session_id, part.first, part.last))
        if row is not None:
            return text_or_none(row[0])
    return None


def turn_senders(tx: Transaction, parts: Sequence[LineageSegment]) -> list[str]:
    """Return the known senders of all turns of some sessions, sorted."""
    rows = [row for part in parts for row in tx.rows(_TURN_SENDERS, (part.session_id,))]
    return sorted({text(sender) for (sender,) in rows})


def known_events(tx: Transaction, session: Session, event_ids: Sequence[str]) -> dict[str, str]:
    """Return the messages that have some event ids already, for a message of ``session``.

    A new id costs one lookup in an index, however many sessions precede this one.

    Returns:
        Message ids by event id; of several messages, the one nearest to the session.
    """
    by_event: dict[str, str] = {}
    if len(event_ids) == 1 and tx.row(_ONE, event_ids) is None:
        return by_event  # takes a seventh of the time
    for start in range(0, len(event_ids), _LOOKUP):
        part = [*event_ids[start : start + _LOOKUP], *[None] * _LOOKUP][:_LOOKUP]
        if tx.row(_ANYWHERE, part) is not None:
            rows = tx.rows(_IN_LINE, [session.id, MAX_DEPTH, *part])
            by_event |= {text(key): text(id_) for key, id_ in rows}
    return by_event


def _note(tx: Transaction, session: Session, fresh: list[Message]) -> None:
    """Note the cost of new messages, and record events of them and their tools."""
    now = fresh[-1].recorded_at
    if facts := [message.metadata for message in fresh if message.metadata]:
        add_usage(tx, session.id, facts)
    refs = [message.id for message in fresh]
    record_changes(tx, tenant=session.tenant, kind=MESSAGE_KIND, refs=refs, op="put", at=now)
    record_event(
        tx,
        MessagesAppended(scope=owner_of(session), at=now, first_seq=fresh[0].seq, count=len(fresh)),
    )
    whole = [message for message in fresh if UNFINISHED not in message.metadata]
    if tools := [message for message in whole if not _is_plain(message)]:
        store_tool_calls(tx, session, tools)


def _newest_at(session: Session, fresh: Sequence[Message]) -> int:
    """Return the time of the last change of a session with new messages, never in the future."""
    now = fresh[-1].recorded_at
    return max(session.updated_at, *[min(message.created_at, now) for message in fresh])


def _is_plain(message: Message) -> bool:
    content = message.blocks
    return message.role != "tool" and len(content) == 1 and type(content[0]) is TextBlock


def _row(message: Message, draft: Draft) -> tuple[SqlValue, ...]:
    row: list[SqlValue] = [*message_cells(message)]
    row[_CONTENT], row[_METADATA] = draft.encoded_content, draft.encoded_metadata
    return tuple(row)


def rewrite_message(
    tx: Transaction, session: Session, message: Message, draft: Draft, *, finished: bool
) -> None:
    """Replace a streamed message by its current state.

    Args:
        tx: The transaction that read ``session`` and ``message``.
        session: Where it belongs.
        message: The message as it is stored.
        draft: Its new content; its id, seq and times stay.
        finished: Whether it is whole: then its tools are noted and its cost is counted, once.
    """
    new, at = draft.message, draft.message.recorded_at
    now = msgspec.structs.replace(
        message, blocks=new.blocks, text=new.text, tokens=new.tokens, metadata=new.metadata
    )
    row = _row(now, draft)
    cells = (draft.encoded_content, now.text, now.tokens, draft.encoded_metadata)
    names = (now.event_id, now.foreign_id, hash_of(row))
    change_message(tx, session.id, now.id, _REWRITTEN, (*cells, *names))
    for kind in (MESSAGE_KIND, REWRITE_KIND):
        record_changes(tx, tenant=session.tenant, kind=kind, refs=[now.id], op="put", at=at)
    if finished:
        store_tool_calls(tx, session, [now])
        add_usage(tx, session.id, [now.metadata])
        record_event(tx, MessageFinished(scope=owner_of(session), at=at, seq=message.seq))


def unfinished_message(tx: Transaction, session: Session, seq: int) -> Message | None:
    """Return the message of a session with a seq, if it is still arriving."""
    where = Condition(Scope(tenant=session.tenant)).equal("session_id", session.id)
    messages = select_messages(tx, where.also("seq = ?", seq), 1)
    return next((message for message in messages if UNFINISHED in message.metadata), None)


def find_message(tx: Transaction, scope: Scope, message_id: str) -> Message | None:
    """Return a message that the scope may see.

    Raises:
        StoreCorrupt: its row is not what was stored.
    """
    return _only_message(tx, Condition(scope, "session_id").also("id = ?", message_id))


def named_message(tx: Transaction, scope: Scope, name: str) -> Message | None:
    """Return the message of a scope with an id, or a number such as ``m88``.

    Raises:
        StoreCorrupt: its row is not what was stored.
    """
    record = parse_record(name)
    if record is None or record.id is not None:
        return find_message(tx, scope, name if record is None else record.id or name)
    if record.kind != MESSAGE_KIND:
        return None
    return _only_message(tx, Condition(scope, "session_id").also("number = ?", record.number))


def _only_message(tx: Transaction, where: Condition) -> Message | None:
    row = tx.row(SELECT_MESSAGES + where.sql, where.params)
    return None if row is None else message_of(row)


def known_message(tx: Transaction, scope: Scope, session: Session, message_id: str) -> Message:
    """Return a message that `append_drafts` found to have the event id of a draft.

    Raises:
        Denied: it is in another session than the one that the scope may see.
        StoreCorrupt: its row is not what was stored.
    """
    message = find_message(tx, msgspec.structs.replace(scope, session=None), message_id)
    if message is None or (
        scope.session is not None
        and message.session_id not in {part.session_id for part in segments(tx, session)}
    ):
        raise Denied(
            "the event id belongs to a message outside the scope",
            hint="use a new event id, or ask with the scope of the whole conversation",
        )
    return message


def append_messages(
    tx: Transaction,
    scope: Scope,
    session: Session,
    drafts: Sequence[Draft],
    turn_of: str | None = None,
) -> list[Message]:
    """Store the drafts as `append_drafts` does, and return the message of each.

    Raises:
        Denied: the event id of one belongs to a message that the scope may not see.
        StoreCorrupt: the row of such a message is not what was stored.
    """
    outcomes = append_drafts(tx, session, drafts, turn_of)
    return [
        outcome if isinstance(outcome, Message) else known_message(tx, scope, session, outcome)
        for outcome in outcomes
    ]


def select_messages(
    tx: Transaction, where: Condition, limit: int | None, *, newest: bool = False
) -> list[Message]:
    """Return the messages that meet a condition, oldest first.

    Args:
        tx: A transaction.
        where: Which messages.
        limit: How many at most; None is all.
        newest: With a limit, take the last ones instead of the first.

    Raises:
        StoreCorrupt: a row is not what was stored.
    """
    return [message_of(row) for row in _select(tx, where, limit, newest=newest)]


def _select(
    tx: Transaction, where: Condition, limit: int | None, *, newest: bool = False
) -> list[Row]:
    order: LiteralString = " ORDER BY seq DESC LIMIT ?" if newest else " ORDER BY seq LIMIT ?"
    most = -1 if limit is None else limit
    rows = tx.all(SELECT_MESSAGES + where.sql + order, [*where.params, most])
    return rows[::-1] if newest else rows


def read_messages(
    tx: Transaction,
    scope: Scope,
    parts: Sequence[LineageSegment],
    limit: int | None,
    *,
    newest: bool = False,
    turns: HeardTurns,
) -> list[Message]:
    """Return the messages of some parts of a transcript, oldest first; see `select_messages`.

    Args:
        tx: The snapshot of the read.
        scope: The owner of the messages.
        parts: Where they are.
        limit: How many at most; None is all.
        newest: With a limit, take the last ones instead of the first.
        turns: Only messages of these.

    Raises:
        StoreCorrupt: messages are missing, or are not what was stored.
    """
    messages: list[Message] = []
    for part in reversed(parts) if newest else parts:
        remaining = None if limit is None else limit - len(messages)
        if remaining == 0:
            break
        more = _read_part(tx, scope, part, remaining, newest=newest, turns=turns)
        messages = more + messages if newest else messages + more
    return messages


def _read_part(
    tx: Transaction,
    scope: Scope,
    part: LineageSegment,
    limit: int | None,
    *,
    newest: bool,
    turns: HeardTurns,
) -> list[Message]:
    where = rows_of(scope, part.session_id)
    where.also("seq >= ?", part.first).also("seq <= ?", part.last)
    turns.narrow(where)
    rows = _select(tx, where, limit, newest=newest)
    messages = [message_of(row) for row in rows]
    seqs = [message.seq for message in messages]
    is_cut = limit is not None and len(rows) == limit
    span = (
        seqs[0] if is_cut and newest else part.first,
        seqs[-1] if is_cut and not newest else part.last,
    )
    check_span(tx, part.session_id, span, seqs, is_narrowed=not turns.is_all)
    if span[1] == part.last:
        is_whole = limit is None and turns.is_all and len(rows) == part.last - part.first + 1
        digest = sum_of((row[20], row[19]) for row in rows) if is_whole else None
        check_end(tx, part.session_id, span, digest)
    return messages


def count_messages(
    tx: Transaction, scope: Scope, parts: Sequence[LineageSegment], turns: HeardTurns
) -> int:
    """Return the number of messages in some parts of a transcript, without removed ones.

    If all are heard, the first seq and the parts give it, because these have no gaps.
    """
    if turns.is_all:
        oldest = read_messages(tx, scope, parts, 1, turns=turns)
        pieces = within(parts, oldest[0].seq - 1, None) if oldest else []
        return sum(part.last - part.first + 1 for part in pieces)
    count = 0
    for part in parts:
        where = rows_of(scope, part.session_id)
        where.also("seq >= ?", part.first).also("seq <= ?", part.last)
        turns.narrow(where)
        count += first_integer(tx.row(_COUNT_HEARD + where.sql, where.params))
    return count


def renew_message(tx: Transaction, id_: str, update: Callable[[], None], at: int) -> None:
    """Change a row by ``update``; give it a new hash, and notify index and mirror.

    A damaged row keeps the hash that shows the damage.
    """
    select: LiteralString = SELECT_MESSAGES + "id = ?"
    before = tx.row(select, (id_,))
    update()
    after = tx.row(select, (id_,))
    if before is None or after is None:
        return
    if is_sound(before):
        change_message(tx, text(after[5]), id_, "row_hash = ?", (hash_of(after),))
    for kind in (MESSAGE_KIND, REWRITE_KIND):
        record_change(tx, tenant=text(after[1]), kind=kind, ref=id_, op="put", at=at)
