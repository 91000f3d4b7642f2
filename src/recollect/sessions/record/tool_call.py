"""Tool calls: one row for each time the agent used a tool, joined from the call and its result.

The call and its result come in different messages, sometimes in the wrong order and sometimes
alone; the id that the model gave the call joins them. The whole result stays in the content of its
message.

A call without its result, or a result without its call, is refused by every model. Code that shows
or removes a part of a transcript therefore cuts only where `spans` allows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import LiteralString, TypeAlias

import msgspec

from recollect.audience.visibility import HeardTurns
from recollect.core.events import ToolsCalled, ToolsFinished
from recollect.core.scope import Scope
from recollect.sessions.record.content import TextBlock, ToolResultBlock, ToolUseBlock, recalled_in
from recollect.sessions.record.lineage import LineageSegment, rows_of, stored_ancestors
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, owner_of
from recollect.store.columns import (
    decode,
    insert_into,
    integer,
    json_cell,
    json_object,
    text,
    text_or_none,
)
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import record_event
from recollect.text.json_value import JsonValue

MAX_RESULT_CHARS = 16_384
"""The longest part of a result in its row: enough for a list of calls, without storing files
twice."""

_COLUMNS: LiteralString = """id, tenant, agent, user_id, project, session_id, message_id, result_id,
    call_id, tool_name, input, result_text, is_error, created_at, finished_at"""
_INSERT: LiteralString = (
    insert_into("tool_calls", _COLUMNS) + " ON CONFLICT (session_id, call_id) DO UPDATE SET "
)
_STORE_CALL: LiteralString = _INSERT + (
    "message_id = excluded.message_id, tool_name = excluded.tool_name, input = excluded.input,"
    " created_at = excluded.created_at"
)
_STORE_RESULT: LiteralString = _INSERT + (
    "result_id = excluded.result_id, result_text = excluded.result_text,"
    " is_error = excluded.is_error, finished_at = excluded.finished_at"
)
_RETIRE: LiteralString = """
    UPDATE tool_calls SET call_id = NULL
    WHERE session_id = ? AND call_id = ? AND message_id <> ?
        AND (result_id IS NULL OR result_id <> message_id)
"""
"""Some providers count calls from 1 in every turn: the older call gives up the id."""
_ASKED: LiteralString = """
    SELECT m.metadata FROM tool_calls t JOIN messages m ON m.id = t.message_id
    WHERE t.session_id = ? AND t.call_id = ?
"""
_SELECT_SEEN: LiteralString = """
    SELECT id, session_id, message_id, tool_name, input, created_at, call_id, result_id,
        result_text, is_error, finished_at, called, answered, asked_in, answered_in
    FROM (
        SELECT t.*, m.seq AS called, r.seq AS answered, m.turn_sender AS asked_in,
            r.turn_sender AS answered_in
        FROM tool_calls t JOIN messages m ON m.id = t.message_id
            LEFT JOIN messages r ON r.id = t.result_id
    ) AS seen WHERE """
_Row: TypeAlias = tuple[SqlValue, ...]
_UNKNOWN = "unknown"
_MESSAGE_ID, _CALL_ID, _NAME, _IS_ERROR = 6, 8, 9, 12
"""Their indices in a row of `_INSERT`."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a tool; its fields are in the order of the columns.

    Attributes:
        id: Ours.
        session_id: Where it happened.
        message_id: The message that asked for it; of a result without a call, the result's.
        tool_name: ``unknown`` if only the result was ever seen.
        input: The arguments of the tool, JSON.
        call_id: The id that the model gave the call; None without one, or where the session used
            it again later.
        result_id: The message that brought the result; None while there is none.
        result_text: The first `MAX_RESULT_CHARS` characters of it.
        is_error: The tool failed.
        created_at: When it was asked for, ms UTC.
        finished_at: When the result came, ms UTC.
        seq: That of the message ``message_id``.
        result_seq: That of the message ``result_id``.
    """

    id: str
    session_id: str
    message_id: str
    tool_name: str
    input: JsonValue
    created_at: int
    call_id: str | None = None
    result_id: str | None = None
    result_text: str | None = None
    is_error: bool = False
    finished_at: int | None = None
    seq: int
    result_seq: int | None = None

    @property
    def is_pending(self) -> bool:
        """Whether the result is still to come."""
        return self.result_id is None

    @property
    def is_stray(self) -> bool:
        """Whether it is a result whose call was never seen."""
        return self.tool_name == _UNKNOWN and self.message_id == self.result_id


def store_tool_calls(tx: Transaction, session: Session, messages: Sequence[Message]) -> None:
    """Store the calls and results in new messages of ``session``, and their events.

    One event reports all calls of a transaction: one for each would double the rows of an import.
    """
    calls: list[_Row] = []
    results: list[_Row] = []
    for call_rows, result_rows in _apart(messages):
        calls += call_rows
        results += result_rows
        with_id = [row for row in call_rows if row[_CALL_ID] is not None]
        tx.executemany(_RETIRE, [(session.id, row[_CALL_ID], row[_MESSAGE_ID]) for row in with_id])
        tx.executemany(_STORE_CALL, call_rows)
        tx.executemany(_STORE_RESULT, result_rows)
    scope, at = owner_of(session), messages[-1].recorded_at
    if calls:
        names = tuple(dict.fromkeys(text(row[_NAME]) for row in calls))
        record_event(tx, ToolsCalled(scope=scope, at=at, count=len(calls), names=names))
    if results:
        failed = sum(integer(row[_IS_ERROR]) for row in results)
        record_event(tx, ToolsFinished(scope=scope, at=at, count=len(results), failed=failed))


def _apart(messages: Iterable[Message]) -> Iterator[tuple[list[_Row], list[_Row]]]:
    """Yield the calls and results of messages, in groups within which no id is used twice."""
    call_rows: list[_Row] = []
    result_rows: list[_Row] = []
    seen: set[SqlValue] = set()
    for message in messages:
        calls, results = list(_calls(message)), list(_results(message))
        ids = {row[_CALL_ID] for row in calls} - {None}
        if not ids.isdisjoint(seen):
            yield call_rows, result_rows
            call_rows, result_rows, seen = [], [], set()
        call_rows += calls
        result_rows += results
        seen |= ids
        seen.update(row[_CALL_ID] for row in results)
    yield call_rows, result_rows


def recalled_answers(
    tx: Transaction, session: Session, messages: Sequence[Message]
) -> dict[int, set[str]]:
    """Return the calls to this memory, by the index of the message with their result.

    The call is in the messages, or was stored before, in the session or one that it was forked
    from.
    """
    is_recall: dict[str, bool] = {}
    answers: dict[int, set[str]] = {}
    for index, message in enumerate(messages):
        for block in message.blocks:
            if isinstance(block, ToolUseBlock) and block.id is not None:
                is_recall[block.id] = block.id in recalled_in(message.metadata)
            elif isinstance(block, ToolResultBlock) and (call := block.tool_use_id) is not None:
                if call not in is_recall:
                    is_recall[call] = _was_recall(tx, session, call)
                if is_recall[call]:
                    answers.setdefault(index, set()).add(call)
    return answers


def _was_recall(tx: Transaction, session: Session, call_id: str) -> bool:
    row = tx.row(_ASKED, (session.id, call_id))
    if row is None and session.parent_id is not None:
        above = (tx.row(_ASKED, (kin.id, call_id)) for kin, _ in stored_ancestors(tx, session))
        row = next((each for each in above if each is not None), None)
    return row is not None and call_id in recalled_in(json_object(row[0]))


def _calls(message: Message) -> Iterator[_Row]:
    for index, block in enumerate(message.blocks):
        if isinstance(block, ToolUseBlock):
            arguments = msgspec.json.encode(block.input).decode()
            cells = (None, block.id, block.name, arguments, None, 0, message.created_at, None)
            yield (f"{message.id}-c{index}", *_owner(message), *cells)


def _results(message: Message) -> Iterator[_Row]:
    at = message.created_at
    for index, block in enumerate(_result_blocks(message)):
        output = "\n".join(each.text for each in block.content if isinstance(each, TextBlock))
        call = (message.id, block.tool_use_id, block.name or _UNKNOWN, "{}")
        cells = (output[:MAX_RESULT_CHARS], int(block.is_error), at, at)
        yield (f"{message.id}-r{index}", *_owner(message), *call, *cells)


def _result_blocks(message: Message) -> list[ToolResultBlock]:
    """Return the results in a message; plain text of a tool is one result as a whole."""
    results = [block for block in message.blocks if isinstance(block, ToolResultBlock)]
    if message.role == "tool" and not results:
        plain = tuple(block for block in message.blocks if isinstance(block, TextBlock))
        return [ToolResultBlock(content=plain, name=message.name)] if plain else []
    return results


def _owner(message: Message) -> _Row:
    owner = (message.tenant, message.agent, message.user, message.project)
    return (*owner, message.session_id, message.id)


def select_tool_calls(
    tx: Transaction, scope: Scope, part: LineageSegment, turns: HeardTurns
) -> Iterator[ToolCall]:
    """Yield the tool calls of a part of a transcript, oldest first.

    If the result is not in that part, or in a turn that is not heard, the call is alone; if the
    call is not, the result is.
    """
    where, span = rows_of(scope, part.session_id), (part.first, part.last)
    is_in: LiteralString = " AND (called BETWEEN ? AND ? OR answered BETWEEN ? AND ?)"
    sql: LiteralString = _SELECT_SEEN + where.sql + is_in + " ORDER BY created_at, id"
    for row in tx.rows(sql, [*where.params, *span, *span]):
        call = _seen(row, part, turns)
        if call is not None:
            yield call


def joined(parts: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls of a transcript whose parts are in several sessions.

    A result that a fork brought belongs to the call that its parent made, or the other way round.
    """
    calls: list[ToolCall] = []
    indexes: dict[str, int] = {}
    for call in parts:
        index = None if call.call_id is None else indexes.setdefault(call.call_id, len(calls))
        if index is None or index == len(calls):
            calls.append(call)
        else:
            calls[index] = _joined(calls[index], call)
    return tuple(calls)


def _joined(first: ToolCall, later: ToolCall) -> ToolCall:
    call = first if later.message_id == later.result_id else later
    result = later if later.result_id is not None else first
    return msgspec.structs.replace(
        call,
        result_id=result.result_id,
        result_text=result.result_text,
        is_error=result.is_error,
        finished_at=result.finished_at,
        result_seq=result.result_seq,
    )


def _seen(row: Row, part: LineageSegment, turns: HeardTurns) -> ToolCall | None:
    """Return a call as a part of a transcript shows it; None where nothing of it is heard."""
    arguments, called, answered = json_cell(row[4], object), integer(row[11]), row[12]
    fields = ToolCall.__struct_fields__
    call = decode(ToolCall, fields, row, input=arguments, is_error=bool(row[9]))
    is_asked = part.first <= called <= part.last and turns.includes(text_or_none(row[13]))
    is_answered = (
        answered is not None
        and part.first <= integer(answered) <= part.last
        and turns.includes(text_or_none(row[14]))
    )
    if is_asked and (answered is None or is_answered):
        return call
    if is_asked:
        return msgspec.structs.replace(
            call,
            result_id=None,
            result_text=None,
            is_error=False,
            finished_at=None,
            result_seq=None,
        )
    if not is_answered:
        return None
    return msgspec.structs.replace(
        call,
        message_id=call.result_id or call.message_id,
        tool_name=_UNKNOWN,
        input={},
        created_at=call.finished_at or call.created_at,
        seq=integer(answered),
    )


class ToolPair(msgspec.Struct, frozen=True, kw_only=True):
    """A call and its result.

    Attributes:
        call_id: The id that the model gave the call, where it gave one.
        tool_name: What was called, where it is known.
        call_seq: The message that asked; None for a result without a call.
        result_seq: The message that answered; None while the call is pending.
    """

    call_id: str | None
    tool_name: str | None
    call_seq: int | None = None
    result_seq: int | None = None


class Span(msgspec.Struct, frozen=True):
    """Messages that stay together: from the seq ``first`` to the seq ``last`` included."""

    first: int
    last: int


def pairs(messages: Iterable[Message]) -> tuple[ToolPair, ...]:
    """Return the calls of messages with their results, in the order in which they began.

    A result belongs to the newest call before it with the same id, as ids are used again by some
    providers; where it came first, to the next such call. A result without an id belongs to the
    newest call that nothing answered yet. A second result of one call is a pair of its own with
    the same call.
    """
    book = _Book()
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolUseBlock):
                book.call(block, message.seq)
            elif isinstance(block, ToolResultBlock):
                book.result(block, message.seq)
        if _answers_in_plain_text(message):
            book.result(ToolResultBlock(name=message.name), message.seq)
    return tuple(book.pairs())


def pending_calls(messages: Iterable[Message]) -> tuple[ToolPair, ...]:
    """Return the calls that have no result yet."""
    return tuple(pair for pair in pairs(messages) if pair.result_seq is None)


def spans(messages: Sequence[Message]) -> dict[int, Span]:
    """Return for the seq of each message the messages that must stay together with it.

    A call stays with its result and with all that is between them. A call that is still to be
    answered stays with everything after it: it is still to be answered while no user message came
    after it. A message without tools is a span of its own.
    """
    by_seq = {message.seq: Span(message.seq, message.seq) for message in messages}
    for span in _merged(_reaches(messages)):
        by_seq |= {seq: span for seq in range(span.first, span.last + 1) if seq in by_seq}
    return by_seq


def cut_before(messages: Sequence[Message], seq: int) -> int:
    """Return the greatest seq up to ``seq`` before which the messages may be cut in two."""
    for span in _merged(_reaches(messages)):
        if span.first < seq <= span.last:
            return span.first
    return seq


class _Book:
    """The calls and results that were seen, by the id of the call."""

    def __init__(self) -> None:
        self._pairs: list[ToolPair] = []
        self._newest: dict[str, int] = {}
        """The index of the newest call of an id, or of a result that waits for one."""
        self._open: list[int] = []
        """The indices of calls without a result, oldest first."""

    def call(self, block: ToolUseBlock, seq: int) -> None:
        """Note a call; a result of it that came before is joined."""
        earlier = None if block.id is None else self._newest.get(block.id)
        if earlier is not None and self._pairs[earlier].call_seq is None:
            self._pairs[earlier] = msgspec.structs.replace(
                self._pairs[earlier], call_seq=seq, tool_name=block.name
            )
            return
        index = self._add(ToolPair(call_id=block.id, tool_name=block.name, call_seq=seq))
        self._open.append(index)

    def result(self, block: ToolResultBlock, seq: int) -> None:
        """Note a result."""
        index = self._asked(block)
        if index is None:
            self._add(ToolPair(call_id=block.tool_use_id, tool_name=block.name, result_seq=seq))
        elif self._pairs[index].result_seq is None:
            self._pairs[index] = msgspec.structs.replace(self._pairs[index], result_seq=seq)
            self._open.remove(index)
        else:
            self._pairs.append(msgspec.structs.replace(self._pairs[index], result_seq=seq))

    def pairs(self) -> Iterator[ToolPair]:
        """Yield the pairs by the first of their messages."""
        yield from sorted(self._pairs, key=_first)

    def _asked(self, block: ToolResultBlock) -> int | None:
        """Return the index of the call that a result answers."""
        if block.tool_use_id is not None:
            return self._newest.get(block.tool_use_id)
        return next((p for p in reversed(self._open) if self._may_be(p, block.name)), None)

    def _may_be(self, index: int, name: str | None) -> bool:
        return name is None or self._pairs[index].tool_name == name

    def _add(self, pair: ToolPair) -> int:
        self._pairs.append(pair)
        if pair.call_id is not None:
            self._newest[pair.call_id] = len(self._pairs) - 1
        return len(self._pairs) - 1


def _answers_in_plain_text(message: Message) -> bool:
    """Whether a tool spoke without naming the call that it answers."""
    return (
        message.role == "tool"
        and not any(isinstance(block, ToolResultBlock) for block in message.blocks)
        and any(isinstance(block, TextBlock) for block in message.blocks)
    )


def _first(pair: ToolPair) -> int:
    return min(seq for seq in (pair.call_seq, pair.result_seq) if seq is not None)


def _reaches(messages: Sequence[Message]) -> list[Span]:
    """Return the span of each pair, sorted by first message."""
    prompts = [m.seq for m in messages if m.role == "user" and not _has_results(m)]
    last_prompt = max(prompts, default=0)
    end = max((message.seq for message in messages), default=0)
    reaches: list[Span] = []
    for pair in pairs(messages):
        if pair.call_seq is None:
            continue
        answered = pair.result_seq
        if answered is None:
            answered = end if pair.call_seq > last_prompt else pair.call_seq
        reaches.append(Span(min(pair.call_seq, answered), max(pair.call_seq, answered)))
    return sorted(reaches, key=lambda span: (span.first, span.last))


def _has_results(message: Message) -> bool:
    return any(isinstance(block, ToolResultBlock) for block in message.blocks)


def _merged(reaches: list[Span]) -> list[Span]:
    """Return spans that share no message."""
    merged: list[Span] = []
    for span in reaches:
        if merged and span.first <= merged[-1].last:
            merged[-1] = Span(merged[-1].first, max(merged[-1].last, span.last))
        else:
            merged.append(span)
    return merged
