"""Compactions: a summary stands for older messages, and nothing is lost."""

from __future__ import annotations

import threading
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.errors import (
    InvalidInput,
    NotFound,
    ProviderUnavailable,
    StoreClosed,
    StoreCorrupt,
)
from recollect.core.events import SessionCompacted
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.core.settings.sessions import ContextSettings
from recollect.sessions.context.compaction import visible_compaction
from recollect.sessions.context.size import Sizer
from recollect.sessions.context.summary import (
    ExtractiveSummariser,
    Summary,
    SummaryOrder,
    WindowParts,
)
from recollect.sessions.context.view import SMALLEST_BUDGET, stranded
from recollect.sessions.record.message import Message
from recollect.sessions.record.tool_call import ToolPair, pairs
from recollect.sessions.sessions import Sessions
from recollect.store.journal import events_since
from tests.unit.sessions.home import Home, WordRedactor
from tests.unit.sessions.test_view import PIECES, built, call, result, seqs, talk


class Scripted:
    """Gives the summaries that a test wrote, or raises what it holds."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.orders: list[tuple[str, list[str]]] = []

    def summarise(self, order: SummaryOrder) -> Summary:
        """Return the next answer."""
        self.orders.append((order.previous, [each.text for each in order.utterances]))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Summary(text=answer, made_by="scripted")


class Waiting(ExtractiveSummariser):
    """Writes nothing before the test lets it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def summarise(self, order: SummaryOrder) -> Summary:
        """Return the summary when it may."""
        self.reached.set()
        assert self.go_on.wait(30)
        return super().summarise(order)


def small(home: Home, window: WindowParts | None = None, **options: Any) -> Sessions:
    """Return sessions with another context window."""
    context = SessionSettings(context=ContextSettings(**options))
    return home.sessions_of(Scope(), context, window=window)


def test_a_summary_stands_for_all_but_the_newest_messages(home: Home) -> None:
    """The rows stay, the session counts it, an event tells of it."""
    sessions = small(home, keep_messages=6)
    session_id = talk(sessions, 10)
    done = sessions.compact(session_id)
    compaction = done.compaction
    assert compaction is not None
    assert (done.outcome, compaction.through_seq, compaction.last_seq) == ("compacted", 33, 40)
    view = sessions.view(session_id)
    assert (view.summary, view.through_seq) == (compaction.summary, 33)
    assert seqs(view) == list(range(34, 41))
    assert view.tokens == compaction.tokens_after < compaction.tokens_before
    assert len(sessions.messages(session_id)) == 40
    assert sessions.get(session_id).compaction_count == 1
    assert sessions.compactions(session_id) == [compaction]
    event = home.database.read(lambda tx: events_since(tx, 0))[-1].event
    assert isinstance(event, SessionCompacted)
    assert (event.through_seq, event.made_by) == (33, "extractive-1")
    assert event.scope.session == session_id


def test_the_next_summary_takes_the_one_before_in(home: Home) -> None:
    """With only the messages since."""
    scripted = Scripted("first", "second")
    sessions = small(home, WindowParts(summariser=scripted), keep_messages=1)
    session = sessions.create()
    sessions.append_many(session.id, [("user", "a"), ("assistant", "b"), ("user", "c")])
    sessions.compact(session.id)
    sessions.append_many(session.id, [("assistant", "d"), ("user", "e")])
    sessions.compact(session.id)
    assert scripted.orders == [("", ["a", "b"]), ("first", ["c", "d"])]
    assert sessions.view(session.id).summary == "second"
    assert [c.through_seq for c in sessions.compactions(session.id)] == [2, 4]


def test_a_call_that_waits_for_its_result_is_not_replaced(home: Home) -> None:
    """Until a user speaks behind it: then nobody answers it any more."""
    sessions = small(home)
    session = sessions.create()
    sessions.append_many(session.id, [("user", "go"), ("assistant", call("1"))])
    assert sessions.compact(session.id, keep_messages=0).outcome == "compacted"
    assert seqs(sessions.view(session.id)) == [2]
    sessions.append(session.id, "tool", result("1"))
    assert seqs(sessions.view(session.id)) == [2, 3]
    sessions.append(session.id, "assistant", call("2"))
    sessions.append(session.id, "user", "never mind")
    assert sessions.compact(session.id, keep_messages=0).outcome == "compacted"
    assert seqs(sessions.view(session.id)) == []


def test_a_result_keeps_its_call_however_far_ahead_it_is(home: Home) -> None:
    """More is read until it is found."""
    sessions = small(home, keep_messages=2)
    session = sessions.create()
    sessions.append_many(session.id, [("user", "go"), ("assistant", call("far"))])
    sessions.append_many(session.id, [("assistant", f"still {n}") for n in range(500)])
    sessions.append_many(session.id, [("tool", result("far")), ("user", "thanks")])
    assert sessions.compact(session.id).outcome == "compacted"
    assert seqs(sessions.view(session.id))[0] == 2


def test_messages_that_stay_make_room(home: Home) -> None:
    """Twenty long ones would fill the window: then half of the room is left to them."""
    sessions = small(home, window_tokens=2_000)
    session = sessions.create()
    sessions.append_many(session.id, [("user", "word " * 100)] * 30)
    assert sessions.view(session.id).is_full
    sessions.compact(session.id)
    view = sessions.view(session.id)
    assert len(view.messages) == 6
    assert not view.is_full
    sessions.append(session.id, "user", "word " * 1_200)
    sessions.compact(session.id)
    assert seqs(sessions.view(session.id)) == [31]  # the newest stays in any case


def test_a_summary_is_shown_in_part_where_not_one_line_of_it_fits(home: Home) -> None:
    """Everything is behind it, and the view is not empty."""
    summariser = Scripted("one-word-of-a-summary-" * 60)
    sessions = small(home, WindowParts(summariser=summariser))
    session_id = talk(sessions, 3)
    sessions.compact(session_id, keep_messages=0)
    view = sessions.view(session_id, SMALLEST_BUDGET)
    assert "characters left out" in (view.summary or "")
    assert view.tokens <= SMALLEST_BUDGET


def test_a_view_without_older_messages_stays(home: Home) -> None:
    """There is nothing to replace."""
    session_id = talk(home.sessions, 5)
    before = home.sessions.view(session_id)
    assert home.sessions.compact(session_id).outcome == "nothing_to_replace"
    assert home.sessions.view(session_id) == before
    assert home.sessions.compact(home.sessions.create().id).outcome == "nothing_to_replace"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (ProviderUnavailable("the model is down"), "provider_unavailable"),
        ("", "empty_summary"),
        (" \n", "empty_summary"),
    ],
)
def test_without_a_summary_nothing_changes(home: Home, answer: Any, code: str) -> None:
    """And it is said; the next try may do better."""
    sessions = small(home, WindowParts(summariser=Scripted(answer, "fine")), keep_messages=2)
    session_id = talk(sessions, 5)
    before = (sessions.get(session_id), sessions.view(session_id))
    done = sessions.compact(session_id)
    assert (done.outcome, done.error, done.compaction) == ("failed", code, None)
    assert (sessions.get(session_id), sessions.view(session_id)) == before
    assert sessions.compact(session_id).outcome == "compacted"


def test_a_database_that_fails_is_told_loudly(home: Home) -> None:
    """It is no failure of the summary."""
    failing = Scripted(StoreClosed("the database is closed"))
    sessions = small(home, WindowParts(summariser=failing), keep_messages=2)
    session_id = talk(sessions, 5)
    with pytest.raises(StoreClosed):
        sessions.compact(session_id)
    assert sessions.get(session_id).compaction_count == 0


def test_of_two_compactions_at_once_one_wins(home: Home) -> None:
    """The other one is told; messages that came meanwhile are in the view."""
    waiting = Waiting()
    slow = small(home, WindowParts(summariser=waiting), keep_messages=2)
    quick = small(home, keep_messages=4)
    session_id = talk(quick, 5)
    told: list[str] = []
    thread = threading.Thread(target=lambda: told.append(slow.compact(session_id).outcome))
    thread.start()
    assert waiting.reached.wait(30)
    assert quick.compact(session_id).outcome == "compacted"
    quick.append(session_id, "user", "meanwhile")
    waiting.go_on.set()
    thread.join(30)
    assert told == ["overtaken"]
    assert quick.get(session_id).compaction_count == 1
    assert seqs(quick.view(session_id)) == [17, 18, 19, 20, 21]


def test_messages_that_come_while_a_summary_is_written_stay(home: Home) -> None:
    """In the records and in the view."""
    waiting = Waiting()
    sessions = small(home, WindowParts(summariser=waiting), keep_messages=1)
    session_id = talk(sessions, 3)
    thread = threading.Thread(target=lambda: sessions.compact(session_id))
    thread.start()
    assert waiting.reached.wait(30)
    sessions.append_many(session_id, [("user", "one"), ("user", "two")])
    waiting.go_on.set()
    thread.join(30)
    assert seqs(sessions.view(session_id)) == [12, 13, 14]
    assert sessions.compactions(session_id)[0].last_seq == 14


def test_a_summary_is_redacted_and_bounded(tmp_path: Any) -> None:
    """Whatever a model writes."""
    home = Home(tmp_path / "redacting", WordRedactor())
    long = "- user: the password is hunter2\n" + "- user: never forget this line\n" * 500
    scripted = Scripted(long)
    sessions = small(home, WindowParts(summariser=scripted), keep_messages=2, summary_tokens=60)
    session_id = talk(sessions, 5)
    sessions.compact(session_id)
    summary = sessions.view(session_id).summary
    assert summary is not None
    assert "hunter2" not in summary
    assert Sizer().text(summary) <= 60
    home.close()


def test_what_cannot_be_compacted_is_refused(sessions: Sessions) -> None:
    """A session of another owner, and a number below 0."""
    session = sessions.create(key="telegram:42")
    with pytest.raises(NotFound):
        sessions.within(Scope(user="43")).compact(session.id)
    with pytest.raises(NotFound):
        sessions.within(Scope(user="43")).compactions(session.id)
    with pytest.raises(InvalidInput):
        sessions.compact(session.id, keep_messages=-1)
    with pytest.raises(InvalidInput):
        sessions.keep_within_window(session.id, -1)


def test_parents_that_cannot_be_followed_are_told(home: Home) -> None:
    """A damaged chain is no empty summary."""
    session = home.sessions.create()
    lost = msgspec.structs.replace(session, parent_id="nowhere", forked_at_seq=1)
    with pytest.raises(StoreCorrupt):
        home.database.read(lambda tx: visible_compaction(tx, Scope(), lost, bool))


def test_a_window_is_kept_only_where_it_is_full(home: Home) -> None:
    """What else stands in the prompt counts as well."""
    sessions = small(home, window_tokens=1_000, keep_messages=2)
    session_id = talk(sessions, 4)
    view = sessions.view(session_id)
    assert sessions.keep_within_window(session_id).outcome == "not_due"
    assert sessions.keep_within_window(session_id, 800 - view.tokens - 1).outcome == "not_due"
    done = sessions.keep_within_window(session_id, 800 - view.tokens)
    assert (done.outcome, done.flush.outcome) == ("compacted", "no_workspace")
    assert sessions.keep_within_window(session_id).outcome == "not_due"


def test_what_a_provider_told_counts_as_well(home: Home) -> None:
    """It knows the instructions and tools; until a compaction changes the view."""
    sessions = small(home, window_tokens=10_000, keep_messages=2)
    session_id = talk(sessions, 4)
    sessions.append(session_id, "assistant", "Hm.", usage={"input": 7_900, "output": 90})
    assert sessions.keep_within_window(session_id).outcome == "not_due"
    sessions.append(session_id, "user", "And what is in the other folder over there?")
    assert sessions.keep_within_window(session_id).outcome == "compacted"
    assert sessions.keep_within_window(session_id).outcome == "not_due"
    sessions.append(session_id, "assistant", "Hm.", usage={"input": 8_000, "output": 1})
    assert sessions.keep_within_window(session_id).outcome == "compacted"


def test_a_mirror_has_a_line_for_each_compaction(home: Home) -> None:
    """Behind the message that was the newest; a line that was tampered with is healed."""
    context = SessionSettings(context=ContextSettings(keep_messages=2))
    sessions = home.sessions_of(Scope(), context, mirrored=True)
    session_id = talk(sessions, 3)
    home.mirror.flush()
    sessions.compact(session_id)
    home.mirror.flush()
    sessions.append(session_id, "user", "more")
    sessions.compact(session_id, keep_messages=0)
    home.mirror.flush()
    path = home.path / "transcripts" / f"{session_id}.jsonl"
    lines = path.read_text().splitlines()
    kinds = [line[line.index("type") + 7 :].split('"')[0] for line in lines]
    assert kinds == ["session", *["message"] * 12, "compaction", "message", "compaction"]
    assert '"through_seq":9' in lines[13]
    assert home.mirror.state(session_id) == "equal"
    path.write_text("\n".join([*lines[:-1], lines[-1].replace("user", "nobody")]) + "\n")
    sessions.append(session_id, "user", "and more")
    home.mirror.flush()
    assert home.mirror.state(session_id) == "equal"
    assert path.read_text().splitlines()[:-1] == lines


def test_a_fork_without_messages_of_its_own_can_be_compacted(home: Home) -> None:
    """Its mirror begins with the summary; the parent is not changed."""
    sessions = home.sessions_of(Scope(), mirrored=True)
    session_id = talk(sessions, 3)
    fork = sessions.fork(session_id)
    assert sessions.compact(fork.id, keep_messages=0).outcome == "compacted"
    assert sessions.view(session_id).summary is None
    assert sessions.view(fork.id).messages == ()
    sessions.append(fork.id, "user", "on")
    home.mirror.flush()
    assert home.mirror.state(fork.id) == "equal"
    assert len((home.path / "transcripts" / f"{fork.id}.jsonl").read_text().splitlines()) == 3


STEPS = st.lists(st.one_of(st.integers(0, 6), PIECES), max_size=6)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.integers(0, 8))
def test_pairs_and_messages_survive_any_compactions(
    home: Home, steps: list[int | list[tuple[str, int]]], keep: int
) -> None:
    """Every message is stored, and stands in the summary's span or in the view, pairs whole."""
    sessions = small(home, window_tokens=1_000, keep_messages=keep)
    session_id = sessions.create().id
    for step in steps:
        before = sessions.view(session_id).through_seq
        if isinstance(step, list):
            sessions.append_many(session_id, [(m.role, list(m.blocks)) for m in built(step)])
            done = sessions.keep_within_window(session_id)
        else:
            done = sessions.compact(session_id, keep_messages=step)
        view, stored = sessions.view(session_id), sessions.messages(session_id)
        assert view.tokens <= 1_000
        assert [m.seq for m in stored] == list(range(1, len(stored) + 1))
        assert view.omitted + len(view.messages) + view.through_seq == len(stored)
        assert not stranded(view.messages)
        if done.outcome == "compacted":
            assert not torn(stored, before, view.through_seq)


def torn(messages: list[Message], after_seq: int, through_seq: int) -> list[ToolPair]:
    """Return the pairs whose call was replaced just now while their result was not."""
    return [
        pair
        for pair in pairs(messages)
        if pair.call_seq and pair.result_seq
        if after_seq < pair.call_seq <= through_seq < pair.result_seq
    ]
