"""A conversation of 500 turns with tools, flushed and compacted wherever it can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import recollect
from recollect.sessions.context.size import Sizer
from recollect.sessions.context.view import ContextView
from recollect.sessions.record.tool_call import pairs
from recollect.sessions.sessions import Sessions

TURNS = 500
WINDOW = 4_000
WORDS = "blue green tram river window paper stone cloud lamp garden music boat winter".split()
IMPORTANT = {
    turn: f"Remember that the shelf of parcel {turn} is {7_919 * turn % 10_000:04d}."
    for turn in range(5, TURNS, 20)
}
DECIDED = {turn: f"We decided to paint room {turn} in {WORDS[turn % 13]}." for turn in (50, 333)}


def said(random: Random) -> str:
    """Return something that nobody needs to remember."""
    return "The " + " ".join(random.choices(WORDS, k=random.randint(5, 40))) + " is there."


def turns() -> Iterator[list[tuple[str, Any]]]:
    """Yield what is said and done in each turn."""
    random = Random(7)
    for turn in range(TURNS):
        asked = IMPORTANT.get(turn) or DECIDED.get(turn) or said(random)
        calls = [f"c{turn}-{n}" for n in range(random.randint(0, 3))]
        done: list[tuple[str, Any]] = [("user", asked)]
        if calls:
            used = [
                {"type": "tool_use", "id": each, "name": "bash", "input": {"command": f"ls {each}"}}
                for each in calls
            ]
            done.append(("assistant", [{"type": "text", "text": "Looking."}, *used]))
            done += [("tool", [_result(each, random)]) for each in calls]
        yield [*done, ("assistant", said(random))]


def _result(call_id: str, random: Random) -> dict[str, Any]:
    output = "\n".join(said(random) for _ in range(random.randint(1, 8)))
    return {"type": "tool_result", "tool_use_id": call_id, "content": output}


def assert_whole(sessions: Sessions, session_id: str) -> ContextView:
    """Return the view; it keeps its budget and tears no pair."""
    view = sessions.view(session_id)
    cost = Sizer().text(view.summary or "") + sum(map(Sizer().message, view.messages))
    assert cost == view.tokens <= WINDOW
    assert all(pair.call_seq for pair in pairs(view.messages))
    return view


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[recollect.Memory]:
    """A memory with a small context window."""
    (tmp_path / "workspace").mkdir()
    settings = {
        "embedding.provider": "none",
        "sessions.context.window_tokens": WINDOW,
        "sessions.context.summary_tokens": 500,
        "sessions.owner": ["telegram:42"],
        "sessions.time_zone": "UTC",
        "store.durability": "fast",
    }
    with recollect.open(tmp_path / "home", tmp_path / "workspace", overrides=settings) as opened:
        yield opened


def assert_remembered(memory: recollect.Memory) -> None:
    """Everything important is in the notes, once, and is found."""
    folder = Path(memory.workspace or "") / "memory"
    notes = "".join(path.read_text() for path in folder.iterdir())
    for statement in [*IMPORTANT.values(), *DECIDED.values()]:
        assert notes.count(statement) == 1
    memory.sync()
    for turn, statement in IMPORTANT.items():
        hits = memory.search(f"Which is the shelf of parcel {turn}?").hits
        assert any(statement in hit.snippet for hit in hits)


def test_what_was_important_outlives_a_window_that_is_kept(memory: recollect.Memory) -> None:
    """After every turn: pairs whole, budget kept; at the end all of it is noted and found."""
    sessions = memory.sessions
    session_id = sessions.create(key="agent:main:telegram:acc:direct:42").id
    stored = 0
    for messages in turns():
        stored += len(sessions.append_many(session_id, messages))
        assert sessions.keep_within_window(session_id).outcome in {"compacted", "not_due"}
        assert not assert_whole(sessions, session_id).is_full
    sessions.compact(session_id)
    sessions.flush(session_id)
    assert len(sessions.messages(session_id)) == stored
    assert sessions.get(session_id).compaction_count >= 10
    assert_remembered(memory)


def test_every_seam_of_a_conversation_can_be_compacted(memory: recollect.Memory) -> None:
    """After each message, with a call that waits for its result or without, whatever stays."""
    sessions = memory.sessions
    session_id = sessions.create(key="agent:main:telegram:acc:direct:42").id
    outcomes: Counter[str] = Counter()
    seam = 0
    for messages in turns():
        for role, content in messages:
            sessions.append(session_id, role, content)
            seam += 1
            done = sessions.compact(session_id, keep_messages=seam % 3)
            outcomes[done.outcome] += 1
            view = assert_whole(sessions, session_id)
            assert view.through_seq + len(view.messages) == seam
    assert outcomes.keys() == {"compacted", "nothing_to_replace"}
    assert outcomes["compacted"] == sessions.get(session_id).compaction_count > TURNS
    sessions.flush(session_id)
    assert_remembered(memory)


def test_the_tokenizer_of_a_model_counts_where_it_is_given(tmp_path: Path) -> None:
    """Instead of the estimate, for views and compactions."""
    settings = {"embedding.provider": "none", "sessions.context.window_tokens": 1_000}
    with recollect.open(tmp_path, overrides=settings, count_tokens=len) as memory:
        session = memory.sessions.create()
        memory.sessions.append_many(session.id, [("user", "x" * 96)] * 9)
        view = memory.sessions.view(session.id)
        assert (view.tokens, view.is_full) == (900, True)
