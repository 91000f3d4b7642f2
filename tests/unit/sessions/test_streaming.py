"""Streaming: one message with one seq, whatever pieces it comes in and whenever it stops."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.quality.redaction import corpus
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.events import MessageFinished, MessagesAppended
from recollect.sessions import streaming
from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.sessions.record.content import TextBlock, ThinkingBlock, ToolUseBlock
from recollect.sessions.record.draft import MAX_CONTENT_BYTES
from recollect.sessions.record.message_rows import damaged_messages
from recollect.sessions.record.session import Session
from recollect.store.journal import events_since
from recollect.text.redaction import Redactor
from recollect.text.redaction.carrier_rules import CARRIERS
from recollect.text.redaction.rules import BEHIND, JOINTS, NAMES
from tests.unit.sessions.home import Home, WordRedactor

MARK = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{6}\]")
CASES = int(os.environ.get("STREAM_CASES", "8"))  # noqa: TID251 - `make soak` asks for more
SEED = int(os.environ.get("RECOLLECT_SEED", "0"))  # noqa: TID251 - it repeats a run

PROSE = "So it was said, and it is done. "
CALL = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}}


def session_of(home: Home) -> Session:
    """Return a session with one prompt."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "tea?")
    return session


def stored(home: Home, session: Session) -> list[tuple[int, str, bool]]:
    """Return what another reader sees: seq, text, whether it is unfinished."""
    return [(m.seq, m.text, "unfinished" in m.metadata) for m in home.sessions.messages(session.id)]


def test_pieces_become_one_message(home: Home) -> None:
    """The text as it was said, and the blocks in their order."""
    session = session_of(home)
    with home.sessions.stream(session.id, model="m", name="tea") as reply:
        reply.add({"type": "thinking", "thinking": "h"})
        reply.add({"type": "thinking", "thinking": "m"})
        for piece in ("Good ", "", "morning"):
            reply.add(piece)
        reply.add(CALL)
        reply.add("after")
        reply.finish(usage={"input_tokens": 3, "output_tokens": 2})
    message = home.sessions.messages(session.id)[1]
    assert message == reply.message
    assert message.blocks == (
        ThinkingBlock(thinking="hm"),
        TextBlock(text="Good morning"),
        ToolUseBlock(name="Read", input={"path": "a"}, id="t1"),
        TextBlock(text="after"),
    )
    assert message.metadata == {"model": "m", "usage": {"input": 3, "output": 2}}
    assert (message.seq, message.role, message.name) == (2, "assistant", "tea")
    assert home.sessions.get(session.id).output_tokens == 2
    (call,) = home.sessions.tool_calls(session.id)
    assert (call.call_id, call.message_id) == ("t1", message.id)


def test_what_arrived_can_be_read_before_the_end(home: Home) -> None:
    """Whole lines, marked; the seq is the message's from then on."""
    session = session_of(home)
    with home.sessions.stream(session.id) as reply:
        reply.add("first line\nsec")
        assert stored(home, session)[1:] == []
        home.clock.now += streaming.FLUSH_MS
        reply.add("ond")
        assert stored(home, session)[1:] == [(2, "first line\n", True)]
        home.sessions.append(session.id, "user", "meanwhile")
        reply.add(" line")
    assert stored(home, session)[1:] == [
        (2, "first line\nsecond line", False),
        (3, "meanwhile", False),
    ]
    assert home.database.read(lambda tx: damaged_messages(tx, "", 10))[1] == []


def test_a_stream_that_breaks_leaves_what_arrived(home: Home) -> None:
    """By an error of whoever speaks; the error goes on to the caller."""
    session = session_of(home)

    def pieces() -> object:
        yield "one\n"
        yield "two\nthr"
        raise TimeoutError

    with pytest.raises(TimeoutError):
        home.sessions.append_stream(session.id, pieces())  # type: ignore[arg-type]  # a generator
    assert stored(home, session)[1:] == [(2, "one\ntwo\n", True)]


def test_a_retry_takes_the_place_of_what_was_unfinished(home: Home) -> None:
    """With the same event id; what was finished stays."""
    session = session_of(home)
    pieces = iter(["a line\n", 42])
    with pytest.raises(InvalidInput):
        home.sessions.append_stream(session.id, pieces, event_id="e")  # type: ignore[arg-type]  # 42
    assert stored(home, session)[1:] == [(2, "a line\n", True)]
    again = home.sessions.append_stream(session.id, ["all", " of it"], event_id="e")
    assert stored(home, session)[1:] == [(2, "all of it", False)]
    third = home.sessions.append_stream(session.id, ["other"], event_id="e")
    assert third == again


def test_a_secret_in_two_pieces_is_never_stored(tmp_path: Path) -> None:
    """Not at the end and not in between."""
    home = Home(tmp_path / "clean", WordRedactor())
    session = session_of(home)
    with home.sessions.stream(session.id) as reply:
        reply.add("it is\n")
        for piece in ("hun", "ter2", "\nyes"):
            home.clock.now += streaming.FLUSH_MS
            reply.add(piece)
            assert "hun" not in stored(home, session)[1][1]
    assert stored(home, session)[1] == (2, "it is\n[redacted]\nyes", False)
    home.close()
    assert not [path for path in home.path.rglob("*") if b"hunter2" in _bytes(path)]


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def test_nothing_is_stored_where_nothing_arrives(home: Home) -> None:
    """An empty answer is no message."""
    session = session_of(home)
    with home.sessions.stream(session.id) as reply:
        pass
    assert reply.message is None
    with pytest.raises(InvalidInput):
        home.sessions.append_stream(session.id, [])
    assert len(stored(home, session)) == 1


def test_wrong_facts_are_told_before_the_answer_comes(home: Home) -> None:
    """Not after it was paid for."""
    session = session_of(home)
    with pytest.raises(InvalidInput):
        home.sessions.stream(session.id, "wizard")
    with pytest.raises(InvalidInput):
        home.sessions.stream(session.id, event_id="\0")
    with pytest.raises(NotFound):
        home.sessions.stream("nobody")


def test_a_stream_that_is_over_or_too_large_takes_nothing_in(home: Home) -> None:
    """What was there is kept."""
    session = session_of(home)
    reply = home.sessions.stream(session.id)
    reply.add("tea")
    assert reply.finish() == reply.finish()
    with pytest.raises(InvalidInput):
        reply.add("more")
    large = home.sessions.stream(session.id)
    with pytest.raises(InvalidInput):
        large.add("x" * (MAX_CONTENT_BYTES + 1))
    large.add("small")
    large.finish()
    assert [text for _, text, _ in stored(home, session)[1:]] == ["tea", "small"]


def test_who_lost_the_session_cannot_go_on_streaming(home: Home) -> None:
    """The fence holds for every piece that is stored."""
    session = session_of(home)
    held = home.sessions.hold(session.id, holder="a")
    reply = home.sessions.stream(session.id, lease=held.lease)
    reply.add("a line\n")
    reply.flush()
    home.clock.now += 120_000
    home.sessions.hold(session.id, holder="b")
    with pytest.raises(Conflict):
        reply.add("lost\n")
    assert stored(home, session)[1:] == [(2, "a line\n", True)]


def test_a_long_answer_costs_few_writes(home: Home) -> None:
    """A megabyte in small pieces."""
    session = session_of(home)
    home.sessions.append_stream(session.id, (f"line {number}\n" for number in range(80_000)))
    events = [each.event for each in home.database.read(lambda tx: events_since(tx, 0))]
    assert [type(each) for each in events[-2:]] == [MessagesAppended, MessageFinished]
    writes = home.database.read(lambda tx: tx.row("SELECT count(*) FROM changes", ()))
    assert writes is not None
    assert int(str(writes[0])) < 20
    assert stored(home, session)[1][1].count("\n") == 80_000


def test_the_mirror_has_the_whole_answer(home: Home) -> None:
    """Also where it had written the beginning, with others behind it."""
    session = session_of(home)
    home.mirror.flush()
    with home.sessions.stream(session.id) as reply:
        reply.add("begin\n")
        reply.flush()
        home.sessions.append(session.id, "user", "meanwhile")
        home.mirror.flush()
        reply.add("end")
    home.mirror.flush()
    assert home.mirror.state(session.id) is MirrorState.EQUAL


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), max_size=8)
)
def test_the_pieces_make_the_text_that_was_said(home: Home, pieces: list[str]) -> None:
    """Wherever it was cut, and however often it was stored in between."""
    session = home.sessions.create()
    with home.sessions.stream(session.id) as reply:
        for piece in pieces:
            reply.add(piece)
            reply.flush()
    said = [message.text for message in home.sessions.messages(session.id)]
    assert said == (["".join(pieces)] if pieces else [])


def test_a_fork_of_a_running_stream_keeps_what_was_there(home: Home) -> None:
    """What arrives later, or finishes it, is the parent's alone; its cost is counted there."""
    session = session_of(home)
    with home.sessions.stream(session.id) as reply:
        reply.add("One line.\nTwo")
        reply.flush()
        fork = home.sessions.fork(session.id)
        earlier = home.sessions.fork(session.id, at_seq=1)
        reply.add(" lines.\n")
        reply.finish(usage={"input_tokens": 3})
    assert stored(home, fork) == [(1, "tea?", False), (2, "One line.\n", True)]
    assert stored(home, earlier) == [(1, "tea?", False)]
    assert stored(home, session)[1] == (2, "One line.\nTwo lines.\n", False)
    assert home.sessions.get(fork.id).total_tokens == 0
    home.sessions.append(fork.id, "user", "go on")
    assert [m.seq for m in home.sessions.messages(fork.id)] == [1, 2, 3]


def test_a_stream_killed_in_one_long_paragraph_leaves_its_sentences(home: Home) -> None:
    """What arrived is kept up to the last second, though no line was ever whole."""
    session = session_of(home)
    stream = home.sessions.stream(session.id)
    for number in range(60):
        home.clock.now += 100
        stream.add(f"piece {number} of an answer about kettles. ")
    (kept,) = stored(home, session)[1:]
    assert kept[1].endswith("piece 59 of an answer about kettles. ")
    assert kept[2]


def test_of_a_sentence_without_an_end_all_but_its_last_words_is_kept(home: Home) -> None:
    """As far as a rule could reach; nothing that was kept is taken away again."""
    session = session_of(home)
    stream = home.sessions.stream(session.id)
    kept = ""
    for number in range(200):
        home.clock.now += streaming.FLUSH_MS
        stream.add(f'and then {number} "' if number == 150 else f"and then {number} ")
        before, kept = kept, "".join(text for _, text, _ in stored(home, session)[1:])
        assert kept.startswith(before)
        said = 10 * number
        assert len(kept) >= said - 2 * streaming.REACH or number > 150


def _told() -> list[str]:
    """Return texts with secrets, those of the rules and some of the corpus, in one paragraph."""
    rules = [rule.example for rule in (*NAMES, *JOINTS, *BEHIND, *CARRIERS)]
    cases = [case.value for case in corpus(7) if isinstance(case.value, str)]
    drawn = random.Random(SEED).sample(cases, min(CASES, len(cases)))
    broken = "the key is glpat-BgxwrDEgIEzE5C\n  dlqBoe today"
    return [
        PROSE + re.sub("[«»]", "", each) + ". " + 12 * PROSE for each in (broken, *rules, *drawn)
    ]


def _ends(text: str) -> list[int]:
    """Return where pieces end: after each character of the secret, then here and there."""
    prose = text.rindex(". " + PROSE * 12)
    return [*range(len(PROSE), prose + 40), *range(prose + 40, len(text), 32)]


def test_no_beginning_of_a_secret_is_ever_stored() -> None:
    """Wherever the pieces end, what is kept is the beginning of what is kept of the whole."""
    redactor = Redactor(b"salt")
    for text in _told():
        whole = MARK.sub("*", redactor.redact(text).text)
        cut = 0
        for end in _ends(text):
            cut = max(cut, streaming.settled_until(text[:end], lambda t: redactor.redact(t).text))
            kept = MARK.sub("*", redactor.redact(text[:cut]).text)
            assert whole.startswith(kept), (text, text[:end], kept)
