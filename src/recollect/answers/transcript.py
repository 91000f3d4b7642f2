"""What a transcript holds beside its words, as HTTP answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from recollect.observations.moments.evidence import Evidence
from recollect.observations.summary import OUTCOME, describe, files_of
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.costs import MessageTokens
from recollect.sessions.record.lineage import Withdrawal
from recollect.sessions.record.tool_call import ToolCall

CallState = Literal["pending", "done", "failed", "stray"]


class ToolCallEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a tool. What was given to it and what came back is in the messages.

    Attributes:
        id: Ours.
        call_id: The id that the model gave the call; null without one.
        seq: The message that asked for it; of a result without its call, the result's.
        result_seq: The message with the result; null while there is none.
        tool_name: ``unknown`` if only the result was ever seen.
        title: What it did, on one line: tool, files and, where it has ended, outcome.
        state: ``pending``; ``done``; ``failed``; ``stray``: a result whose call was never seen.
        input_chars: The length of its arguments as JSON.
        result_chars: The length of the text of its result, up to 16,384.
        created_at: When it was asked for, ms UTC.
        finished_at: When the result came, ms UTC.
    """

    id: str
    call_id: str | None
    seq: int
    result_seq: int | None
    tool_name: str
    title: str
    state: CallState
    input_chars: int
    result_chars: int
    created_at: int
    finished_at: int | None


class CompactionEntry(Compaction, frozen=True, kw_only=True):
    """A compaction.

    Attributes:
        from_seq: The first message that no compaction before it replaced.
    """

    from_seq: int


class CompactionList(msgspec.Struct, frozen=True, kw_only=True):
    """Compactions, oldest first."""

    session_id: str
    compactions: tuple[CompactionEntry, ...]


class UsageList(msgspec.Struct, frozen=True, kw_only=True):
    """What messages cost, oldest first.

    Attributes:
        session_id: Of this session.
        window_tokens: The tokens that its model reads at once, by the settings.
        messages: Of this page.
        next_after: For ``after_seq`` of the next page; null where there is none.
    """

    session_id: str
    window_tokens: int
    messages: tuple[MessageTokens, ...]
    next_after: int | None


class TakenRange(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that a rewind took out of a session.

    Attributes:
        rewind_id: Undo takes it.
        first_seq: The first of them.
        last_seq: The last of them.
        at: When, ms UTC.
        returned_at: When an undo returned them, ms UTC; null while they are out.
    """

    rewind_id: str
    first_seq: int
    last_seq: int
    at: int
    returned_at: int | None


class TakenList(msgspec.Struct, frozen=True, kw_only=True):
    """What rewinds took out of a session, oldest first."""

    session_id: str
    rewinds: tuple[TakenRange, ...]


class ToolCallList(msgspec.Struct, frozen=True, kw_only=True):
    """Tool calls, oldest first.

    Attributes:
        session_id: Of this session.
        calls: Of this page; all of its last message.
        next_after: For ``after_seq`` of the next page; null where there is none.
    """

    session_id: str
    calls: tuple[ToolCallEntry, ...]
    next_after: int | None


def compaction_entries(compactions: Iterable[Compaction]) -> Iterator[CompactionEntry]:
    """Yield compactions of a session, oldest first, with the first message that each replaced.

    In a session that people share each of them has summaries of its own.
    """
    through: dict[str | None, int] = {}
    for each in compactions:
        from_seq = through.get(each.turn_sender, 0) + 1
        through[each.turn_sender] = each.through_seq
        yield CompactionEntry(**msgspec.structs.asdict(each), from_seq=from_seq)


def taken_range(of: Withdrawal) -> TakenRange:
    """Return what a rewind took out, as a list has it."""
    return TakenRange(
        rewind_id=of.id,
        first_seq=of.from_seq,
        last_seq=of.to_seq,
        at=of.at,
        returned_at=of.returned_at,
    )


def tool_call_entry(call: ToolCall) -> ToolCallEntry:
    """Return a tool call as a list has it."""
    result = call.result_text or ""
    evidence = Evidence(
        event="tool_failed" if call.is_error else "tool",
        tool_name=call.tool_name,
        input=call.input,
        output=result,
        error=result if call.is_error else None,
    )
    title = describe(evidence, files_of(evidence), "agent").title
    return ToolCallEntry(
        id=call.id,
        call_id=call.call_id,
        seq=call.seq,
        result_seq=call.result_seq,
        tool_name=call.tool_name,
        title=OUTCOME.sub("", title) if call.is_pending else title,
        state=_state_of(call),
        input_chars=len(msgspec.json.encode(call.input).decode()),
        result_chars=len(result),
        created_at=call.created_at,
        finished_at=call.finished_at,
    )


def _state_of(call: ToolCall) -> CallState:
    if call.is_stray:
        return "stray"
    if call.is_pending:
        return "pending"
    return "failed" if call.is_error else "done"
