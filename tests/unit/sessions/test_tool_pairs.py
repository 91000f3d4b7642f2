"""Tool pairs: what answers what, and where a transcript may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.sessions.record.chat_message import Item
from recollect.sessions.record.content import ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.tool_call import (
    Span,
    ToolPair,
    cut_before,
    pairs,
    pending_calls,
    spans,
)
from recollect.sessions.sessions import Sessions


def message(seq: int, role: str, *blocks: ContentBlock) -> Message:
    """Return a message with a place."""
    return Message(
        id=str(seq),
        session_id="s",
        seq=seq,
        role=role,
        blocks=blocks,
        text="",
        created_at=0,
        recorded_at=0,
        tenant="local",
    )


def said(seq: int, role: str = "user") -> Message:
    """Return a message without tools."""
    return message(seq, role, TextBlock(text="hm"))


def call(seq: int, *ids: str | None) -> Message:
    """Return a message that asks for tools."""
    return message(seq, "assistant", *(ToolUseBlock(name="Read", id=each) for each in ids))


def result(seq: int, *ids: str | None) -> Message:
    """Return a message with the results of tools."""
    return message(seq, "tool", *(ToolResultBlock(tool_use_id=each) for each in ids))


def places(*messages: Message) -> list[tuple[int | None, int | None]]:
    """Return where calls and results stand."""
    return [(pair.call_seq, pair.result_seq) for pair in pairs(messages)]


def test_a_call_and_its_result_are_a_pair() -> None:
    """Joined by the id, whatever stands between."""
    assert pairs([said(1), call(2, "a"), said(3, "system"), result(4, "a")]) == (
        ToolPair(call_id="a", tool_name="Read", call_seq=2, result_seq=4),
    )


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([call(1, "a", "b"), result(2, "b"), result(3, "a")], [(1, 3), (1, 2)]),
        ([result(1, "a"), call(2, "a")], [(2, 1)]),
        ([result(1, "x")], [(None, 1)]),
        ([call(1, "a"), said(2)], [(1, None)]),
        ([call(1, "a"), result(2, "a"), call(3, "a"), result(4, "a")], [(1, 2), (3, 4)]),
        ([call(1, "a"), call(2, "a"), result(3, "a")], [(1, None), (2, 3)]),
        ([call(1, "a"), result(2, "a"), result(3, "a")], [(1, 2), (1, 3)]),
        ([call(1, None), call(2, "b"), result(3, None)], [(1, None), (2, 3)]),
        ([call(1, None), said(2, "tool")], [(1, 2)]),
        ([result(1, None)], [(None, 1)]),
    ],
)
def test_odd_orders_are_paired_as_they_were_meant(
    messages: list[Message], expected: list[tuple[int | None, int | None]]
) -> None:
    """Ids that are used again, results that came first, twice, alone or without an id."""
    assert places(*messages) == expected


def test_a_tool_in_plain_text_answers_the_call_with_its_name() -> None:
    """Without an id the name tells."""
    other = message(1, "assistant", ToolUseBlock(name="Read"), ToolUseBlock(name="Bash"))
    answer = message(2, "tool", ToolResultBlock(name="Read"))
    assert [(pair.tool_name, pair.result_seq) for pair in pairs([other, answer])] == [
        ("Read", 2),
        ("Bash", None),
    ]


def test_calls_without_a_result_are_pending() -> None:
    """Those that the agent still waits for, or never got."""
    assert [pair.call_id for pair in pending_calls([call(1, "a", "b"), result(2, "a")])] == ["b"]


def test_a_span_holds_a_call_its_result_and_what_is_between() -> None:
    """Pairs that share a message are one span."""
    messages = [said(1), call(2, "a"), said(3), result(4, "a"), call(5, "b"), result(6, "b")]
    assert spans(messages) == {
        1: Span(1, 1),
        2: Span(2, 4),
        3: Span(2, 4),
        4: Span(2, 4),
        5: Span(5, 6),
        6: Span(5, 6),
    }
    crossing = [call(1, "a"), call(2, "b"), result(3, "a"), result(4, "b")]
    assert set(spans(crossing).values()) == {Span(1, 4)}


def test_a_call_that_still_waits_stays_with_the_end() -> None:
    """Its result will come behind it; after a new prompt nobody waits any more."""
    assert spans([said(1), call(2, "a"), said(3, "assistant")])[2] == Span(2, 3)
    assert spans([call(1, "a"), said(2), said(3, "assistant")])[1] == Span(1, 1)


@pytest.mark.parametrize(("seq", "cut"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 5), (9, 9)])
def test_a_cut_moves_to_the_front_of_a_span(seq: int, cut: int) -> None:
    """So a call is kept rather than lost."""
    messages = [said(1), call(2, "a"), said(3), result(4, "a"), said(5)]
    assert cut_before(messages, seq) == cut


STEPS = st.lists(
    st.tuples(st.sampled_from(["said", "call", "result"]), st.sampled_from("abc")), max_size=30
)


@given(STEPS, st.integers(1, 31))
def test_no_cut_parts_a_result_from_its_call(steps: list[tuple[str, str]], seq: int) -> None:
    """The law that views and retention stand on."""
    made = {"said": lambda n, _: said(n), "call": call, "result": result}
    messages = [made[kind](n, key) for n, (kind, key) in enumerate(steps, start=1)]
    cut = cut_before(messages, seq)
    assert cut <= seq
    for pair in pairs(messages):
        if pair.call_seq is not None and pair.result_seq is not None:
            assert (pair.call_seq < cut) == (pair.result_seq < cut)
    for each in messages:
        span = spans(messages)[each.seq]
        assert cut_before(messages, span.first) == span.first
        assert span.first <= each.seq <= span.last


def test_an_id_that_is_used_again_is_another_call(sessions: Sessions) -> None:
    """Some providers count from one in every turn; in one transaction or in several."""
    session = sessions.create()
    turn: list[Item] = [
        ("assistant", [{"type": "tool_use", "id": "1", "name": "Read", "input": {}}]),
        ("tool", [{"type": "tool_result", "tool_use_id": "1", "content": "a"}]),
    ]
    sessions.append_many(session.id, turn + turn)
    sessions.append_many(session.id, turn)
    calls = sessions.tool_calls(session.id)
    messages = [message.id for message in sessions.messages(session.id)]
    assert [(c.message_id, c.result_id) for c in calls] == list(
        zip(messages[::2], messages[1::2], strict=True)
    )
    assert [c.call_id for c in calls] == [None, None, "1"]


def test_a_fork_between_call_and_result_has_its_own_result(sessions: Sessions) -> None:
    """Neither side sees what the other was told."""
    parent = sessions.create()
    sessions.append(parent.id, "assistant", [{"type": "tool_use", "id": "1", "name": "Read"}])
    fork = sessions.fork(parent.id)
    for session, told in ((parent, "old"), (fork, "new")):
        answer = {"type": "tool_result", "tool_use_id": "1", "content": told}
        sessions.append(session.id, "tool", [answer])
    later = sessions.fork(parent.id, 1)
    found = {
        name: [(c.tool_name, c.result_text) for c in sessions.tool_calls(session.id)]
        for name, session in (("parent", parent), ("fork", fork), ("later", later))
    }
    assert found == {
        "parent": [("Read", "old")],
        "fork": [("Read", "new")],
        "later": [("Read", None)],
    }
    assert sessions.tool_calls(fork.id)[0].result_id == sessions.messages(fork.id)[1].id


def test_pending_and_stray_calls_say_so(sessions: Sessions) -> None:
    """One waits for its result, the other for its call."""
    session = sessions.create()
    sessions.append(session.id, "assistant", [{"type": "tool_use", "id": "1", "name": "Read"}])
    sessions.append(session.id, "tool", [{"type": "tool_result", "tool_use_id": "2"}])
    found = [(call.is_pending, call.is_stray) for call in sessions.tool_calls(session.id)]
    assert found == [(True, False), (False, True)]
