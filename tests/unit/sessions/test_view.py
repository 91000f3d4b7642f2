"""The view: a summary of what is long ago, and the newest messages as they were said."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.core.settings.sessions import ContextSettings
from recollect.sessions.context.size import Sizer
from recollect.sessions.context.summary import WindowParts
from recollect.sessions.context.view import (
    SMALLEST_BUDGET,
    ContextView,
    read_tail,
    stranded,
)
from recollect.sessions.record.content import (
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from recollect.sessions.record.message import ROLES, Message
from recollect.sessions.record.tool_call import pairs
from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import Home


def call(name: str) -> list[dict[str, Any]]:
    """Return the content of a message that uses a tool."""
    return [{"type": "tool_use", "id": name, "name": "bash", "input": {"command": f"ls {name}"}}]


def result(name: str) -> list[dict[str, Any]]:
    """Return the content of a message with the result of a tool."""
    return [{"type": "tool_result", "tool_use_id": name, "content": f"found {name}"}]


def talk(sessions: Sessions, turns: int) -> str:
    """Return a session in which a tool answers every question: four messages a turn."""
    session_id = sessions.create().id
    for turn in range(turns):
        sessions.append_many(
            session_id,
            [
                ("user", f"What is in folder {turn}?"),
                ("assistant", call(str(turn))),
                ("tool", result(str(turn))),
                ("assistant", f"Folder {turn} has a file."),
            ],
        )
    return session_id


def seqs(view: ContextView) -> list[int]:
    """Return which messages are shown."""
    return [message.seq for message in view.messages]


def small(home: Home, **options: Any) -> Sessions:
    """Return sessions with another context window."""
    return home.sessions_of(Scope(), SessionSettings(context=ContextSettings(**options)))


def test_a_view_shows_everything_that_fits(sessions: Sessions) -> None:
    """As it was said, with what it costs."""
    session_id = talk(sessions, 3)
    view = sessions.view(session_id)
    assert list(view.messages) == sessions.messages(session_id)
    assert (view.summary, view.through_seq, view.omitted, view.is_full) == (None, 0, 0, False)
    assert view.tokens == sum(Sizer().message(message) for message in view.messages)


def test_a_small_budget_shows_the_newest(sessions: Sessions) -> None:
    """And tells how many it leaves out; the view is full then."""
    view = sessions.view(talk(sessions, 50), 200)
    assert seqs(view) == list(range(201 - len(view.messages), 201))
    assert view.tokens <= 200
    assert (view.omitted, view.is_full) == (200 - len(view.messages), True)


@pytest.mark.parametrize("budget", range(60, 200, 5))
def test_a_view_never_begins_between_a_call_and_its_result(sessions: Sessions, budget: int) -> None:
    """Whatever the budget; then the pair is left out."""
    view = sessions.view(talk(sessions, 8), budget)
    assert all(pair.call_seq and pair.result_seq for pair in pairs(view.messages))
    assert view.tokens <= budget


def test_a_message_that_does_not_fit_is_left_out_with_all_before_it(sessions: Sessions) -> None:
    """Where something newer fits."""
    session = sessions.create()
    sessions.append_many(session.id, [("user", "a"), ("user", "b " * 5_000), ("user", "c")])
    view = sessions.view(session.id, 1_000)
    assert (seqs(view), view.omitted, view.truncated, view.is_full) == ([3], 2, (), True)


def test_the_newest_message_is_shown_in_part_where_it_is_longer_than_the_window(
    sessions: Sessions,
) -> None:
    """Its head and its tail, with how much is missing between them; the budget is used."""
    session = sessions.create()
    said = "The question first. " + "and much more " * 5_000 + "The deadline last."
    sessions.append_many(session.id, [("user", "a"), ("user", said)])
    view = sessions.view(session.id, 1_000)
    (shown,) = view.messages
    left = re.search(r"\[… ([0-9,]+) characters left out …\]", shown.text)
    assert left is not None
    head, tail = shown.text.split(left[0])
    assert said.startswith(head)
    assert said.endswith(tail)
    assert int(left[1].replace(",", "")) == len(said) - len(head) - len(tail)
    assert min(len(head), len(tail)) > 1_000
    assert 900 <= view.tokens <= 1_000
    assert (view.omitted, view.truncated, view.is_full) == (1, (2,), True)
    assert sessions.messages(session.id)[1].text == said


def test_a_result_that_is_longer_than_the_window_keeps_its_call(sessions: Sessions) -> None:
    """As what they are, so that a provider takes them; the short one of two stays whole."""
    session = sessions.create()
    long, short = result("1"), result("2")
    long[0]["content"] = "line of output\n" * 9_000
    used = ("assistant", [*call("1"), *call("2")])
    sessions.append_many(session.id, [("user", "go"), used, ("tool", long), ("tool", short)])
    view = sessions.view(session.id, 500)
    assert (seqs(view), view.truncated, view.omitted) == ([2, 3, 4], (3,), 1)
    assert all(pair.call_seq and pair.result_seq for pair in pairs(view.messages))
    assert view.messages[2] == sessions.messages(session.id)[3]


def test_a_counter_that_finds_no_room_is_told_so(home: Home) -> None:
    """An empty view would be taken for an empty session."""
    sessions = home.sessions_of(Scope(), window=WindowParts(count=lambda text: 100 * len(text)))
    session = sessions.create()
    sessions.append(session.id, "user", "hello")
    with pytest.raises(InvalidInput) as caught:
        sessions.view(session.id, SMALLEST_BUDGET)
    assert caught.value.hint


def test_a_result_whose_call_is_far_ahead_keeps_it_or_is_left_out(sessions: Sessions) -> None:
    """The call is looked for ahead of the budget; a result that never had one is not shown."""
    session = sessions.create()
    sessions.append(session.id, "assistant", call("far"))
    sessions.append_many(session.id, [("user", f"line {n} " * 9) for n in range(100)])
    sessions.append(session.id, "tool", result("far"))
    sessions.append(session.id, "tool", result("nowhere"))
    sessions.append(session.id, "user", "now")
    assert seqs(sessions.view(session.id, 300)) == [104]
    assert 103 not in seqs(sessions.view(session.id))
    assert 102 in seqs(sessions.view(session.id))


def test_a_result_of_no_call_is_shown_as_text_where_there_is_nothing_else(
    sessions: Sessions,
) -> None:
    """Providers refuse it as a result, and an empty view would hide that something is there."""
    session = sessions.create()
    sessions.append_many(session.id, [("tool", result("1")), ("tool", result("2"))])
    view = sessions.view(session.id)
    (shown,) = view.messages
    assert shown.blocks == (TextBlock(text="2\nfound 2"),)
    assert (view.omitted, view.truncated) == (1, (2,))


def test_a_view_of_an_empty_session_is_empty(sessions: Sessions) -> None:
    """And needs no compaction."""
    session = sessions.create()
    assert sessions.view(session.id) == ContextView(
        session_id=session.id,
        summary=None,
        messages=(),
        tokens=0,
        through_seq=0,
        omitted=0,
        is_full=False,
    )


def test_a_view_of_nothing_is_refused(sessions: Sessions) -> None:
    """Of a session that is not there, or of another owner, or within no budget."""
    with pytest.raises(NotFound):
        sessions.view("nowhere")
    session = sessions.create(key="telegram:42")
    with pytest.raises(NotFound):
        sessions.within(Scope(user="43")).view(session.id)
    with pytest.raises(InvalidInput):
        sessions.view(session.id, SMALLEST_BUDGET - 1)


def test_a_fork_shows_what_it_shares_and_its_own(sessions: Sessions) -> None:
    """As one transcript."""
    session_id = talk(sessions, 2)
    fork = sessions.fork(session_id, at_seq=4)
    sessions.append(fork.id, "user", "another way")
    assert seqs(sessions.view(fork.id)) == [1, 2, 3, 4, 5]


def test_a_fork_sees_the_compactions_that_its_parent_had(home: Home) -> None:
    """Up to where it branched off; later ones of the parent are none of its business."""
    sessions = small(home, keep_messages=4)
    session_id = talk(sessions, 5)
    early = sessions.fork(session_id, at_seq=8)
    home.clock.now += 1
    sessions.compact(session_id)
    assert sessions.view(early.id).summary is None
    late = sessions.fork(session_id)
    sessions.append(late.id, "user", "another way")
    assert sessions.view(late.id).summary == sessions.view(session_id).summary
    assert seqs(sessions.view(late.id)) == [17, 18, 19, 20, 21]
    again = sessions.fork(late.id, at_seq=18)
    assert seqs(sessions.view(again.id)) == [17, 18]
    assert sessions.view(sessions.fork(session_id, at_seq=10).id).summary is None
    home.clock.now += 1
    assert sessions.compact(late.id, keep_messages=2).outcome == "compacted"
    assert sessions.view(again.id).through_seq == 16
    assert sessions.view(late.id).through_seq == 19


def test_a_summary_is_shortened_where_the_budget_is_small(home: Home) -> None:
    """It takes half of it at most, so that messages have a place."""
    sessions = small(home, keep_messages=2)
    session_id = talk(sessions, 40)
    sessions.compact(session_id)
    whole = sessions.view(session_id).summary
    view = sessions.view(session_id, 200)
    assert whole is not None
    assert view.summary is not None
    assert len(view.summary) < len(whole)
    assert view.tokens <= 200


def test_an_exact_counter_can_be_given(home: Home) -> None:
    """Such as the tokenizer of the model."""
    sessions = home.sessions_of(Scope(), window=WindowParts(count=lambda text: len(text.split())))
    session = sessions.create()
    sessions.append(session.id, "user", "one two three")
    assert sessions.view(session.id).tokens == 3 + 4


def test_a_view_reads_only_the_end() -> None:
    """What it costs depends on what it shows, not on how long the session is."""
    messages = built([("say", 3)] * 10_000)
    asked: list[int] = []

    def read(before: int | None, limit: int) -> list[Message]:
        asked.append(limit)
        end = len(messages) if before is None else before - 1
        return messages[max(0, end - limit) : end]

    tail = read_tail(read, 1_000, Sizer())
    assert len(tail.messages) > 100
    assert sum(asked) < 3 * len(tail.messages)
    assert not tail.is_all


def message(seq: int, role: str, *blocks: Any) -> Message:
    """Return a message with a place."""
    return Message(
        id=str(seq),
        session_id="s",
        seq=seq,
        role=role,
        blocks=blocks,
        text=blocks[0].text if isinstance(blocks[0], TextBlock) else "",
        created_at=0,
        recorded_at=0,
        tenant="local",
    )


PIECES = st.lists(
    st.tuples(st.sampled_from(["user", "say", "call", "result"]), st.integers(0, 5)), max_size=40
)


def built(pieces: list[tuple[str, int]]) -> list[Message]:
    """Return messages with calls and results in any order."""
    found = []
    for seq, (kind, number) in enumerate(pieces, 1):
        if kind == "call":
            block: Any = ToolUseBlock(name="bash", id=f"c{number}")
        elif kind == "result":
            block = ToolResultBlock(tool_use_id=f"c{number}")
        else:
            block = TextBlock(text="word " * number)
        role = {"user": "user", "result": "tool"}.get(kind, "assistant")
        found.append(message(seq, role, block))
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES, st.integers(1, 200))
def test_the_end_of_any_transcript_keeps_budget_and_pairs(
    pieces: list[tuple[str, int]], budget: int
) -> None:
    """Each result that is shown has its call, and the messages are the newest ones."""
    messages = built(pieces)

    def read(before: int | None, limit: int) -> list[Message]:
        return [m for m in messages if before is None or m.seq < before][-limit:]

    tail = read_tail(read, budget, Sizer())
    shown = {m.seq for m in tail.messages}
    assert tail.tokens == sum(Sizer().message(m) for m in tail.messages) <= budget
    assert not stranded(tail.messages)
    if shown:
        left_out = [m for m in messages if min(shown) < m.seq not in shown]
        assert all(isinstance(m.blocks[0], ToolResultBlock) for m in left_out)


TEXT = st.one_of(
    st.text(max_size=20),
    st.builds(lambda text, n: text * n, st.text(min_size=1, max_size=9), st.integers(1, 2_000)),
)
BLOCKS = st.one_of(
    st.builds(TextBlock, text=TEXT),
    st.builds(ThinkingBlock, thinking=TEXT),
    st.builds(ImageBlock, alt=st.none() | TEXT),
    st.builds(OtherBlock, kind=st.just("new"), value=st.dictionaries(st.just("a"), TEXT)),
    st.builds(ToolUseBlock, name=st.just("bash"), id=st.sampled_from("ab"), input=TEXT),
)
OUTPUT = st.lists(st.builds(TextBlock, text=TEXT) | st.builds(ImageBlock), max_size=3).map(tuple)
RESULT = st.builds(ToolResultBlock, tool_use_id=st.sampled_from("ab"), content=OUTPUT)
SAID = st.lists(
    st.tuples(st.sampled_from(ROLES), st.lists(BLOCKS, max_size=3))
    | st.tuples(st.just("tool"), st.lists(RESULT, min_size=1, max_size=1)),
    min_size=1,
    max_size=6,
)


def test_an_empty_message_shown_without_the_call_before_it_is_not_truncated(
    sessions: Sessions,
) -> None:
    """Found by the histories below: it was made again as a text, equal to what is stored."""
    session = sessions.create()
    call = [ThinkingBlock(thinking="0" * 3_000), ToolUseBlock(name="b" * 200, input="", id="a")]
    sessions.append_many(session.id, [("assistant", call), ("assistant", [TextBlock(text="")])])
    view = sessions.view(session.id, SMALLEST_BUDGET)
    assert view.messages == tuple(sessions.messages(session.id))[-1:]
    assert view.truncated == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SAID, st.integers(SMALLEST_BUDGET, 3_000), st.booleans())
def test_a_session_in_which_something_was_said_never_gives_an_empty_view(
    sessions: Sessions, said: list[tuple[str, Any]], budget: int, is_compacted: bool
) -> None:
    """Within any budget, whatever was said, and with a summary ahead of it or not."""
    session = sessions.create()
    if is_compacted:
        sessions.append_many(session.id, [("user", "We meet on 14 May at the harbour. " * 20)] * 3)
        sessions.compact(session.id, keep_messages=0)
    sessions.append_many(session.id, said)
    view = sessions.view(session.id, budget)
    cost = Sizer().text(view.summary or "") + sum(map(Sizer().message, view.messages))
    assert cost == view.tokens <= budget
    assert view.messages
    assert bool(view.summary) == is_compacted
    stored = {message.seq: message for message in sessions.messages(session.id)}
    changed = {m.seq for m in view.messages if m != stored[m.seq]}
    assert changed == set(view.truncated)
    assert not stranded(view.messages)
