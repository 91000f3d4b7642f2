"""The working memory of a session: the task, and what is open of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import InvalidInput, NotFound
from recollect.memory import Memory
from recollect.sessions.context.working_memory import MOST_STEPS, WorkStep, steps_of
from tests.unit.sessions.home import HandClock

TODOS: dict[str, Any] = {
    "todos": [
        {"content": "Find the leak", "status": "completed", "activeForm": "Finding the leak"},
        {"content": "Patch the hose", "status": "pending", "activeForm": "Patching the hose"},
        {"content": "Order a hose", "status": "in_progress", "activeForm": "Ordering a hose"},
    ]
}


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory for words only."""
    settings = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=settings, clock=clock, live=False) as opened:
        yield opened


def _called(memory: Memory, session: str, todos: dict[str, Any], sender: str | None = None) -> None:
    call = {"type": "tool_use", "id": f"t{len(str(todos))}", "name": "TodoWrite", "input": todos}
    memory.sessions.append(session, "user", "Fix the boat, please.", sender=sender)
    memory.sessions.append(session, "assistant", [call])


def test_the_state_is_filled_by_calls_of_the_todo_tool(memory: Memory) -> None:
    """Of Claude Code; each has the whole list."""
    session = memory.sessions.create().id
    assert memory.sessions.state(session) is None
    _called(memory, session, TODOS)
    state = memory.sessions.state(session)
    assert state is not None
    assert (state.task, state.source) == ("Order a hose", "TodoWrite")
    assert [step.text for step in state.open_steps] == ["Order a hose", "Patch the hose"]


def test_observations_of_hooks_fill_it_too(memory: Memory) -> None:
    """But not those of a sub-agent: its list is its own."""
    session = memory.sessions.create(title="The boat").id
    memory.observations.record(session, tool_name="TodoWrite", input=TODOS)
    state = memory.sessions.state(session)
    assert state is not None
    assert (state.task, len(state.steps)) == ("The boat", 3)


def test_what_a_caller_sets_counts_until_the_tool_is_called_again(
    memory: Memory, clock: HandClock
) -> None:
    """Its task stays, the steps are those of the call."""
    session = memory.sessions.create().id
    made = memory.sessions.set_state(session, "Mend the boat", ["Look at it", {"text": "Sand it"}])
    assert memory.sessions.state(session) == made
    clock.now += 1_000
    _called(memory, session, TODOS)
    state = memory.sessions.state(session)
    assert state is not None
    assert (state.task, len(state.steps)) == ("Mend the boat", 3)
    clock.now += 1_000
    memory.sessions.set_state(session, steps=[WorkStep(text="Paint it", status="in_progress")])
    state = memory.sessions.state(session)
    assert state is not None
    assert (state.task, [step.text for step in state.steps]) == ("Mend the boat", ["Paint it"])


def test_people_who_share_a_session_have_a_state_each(memory: Memory, clock: HandClock) -> None:
    """None sees what the agent does for another."""
    session = memory.sessions.create("agent:main:main").id
    _called(memory, session, TODOS, sender="telegram:1")
    clock.now += 1_000
    memory.sessions.append(session, "user", "Hello", sender="telegram:2")
    assert memory.sessions.state(session) is None
    memory.sessions.set_state(session, "A secret feast")
    ann = memory.sessions.state(session, for_sender="telegram:1")
    bob = memory.sessions.state(session, for_sender="telegram:2")
    assert ann is not None
    assert bob is not None
    assert (ann.task, bob.task) == ("Order a hose", "A secret feast")


def test_the_next_session_is_told_what_is_open(memory: Memory, clock: HandClock) -> None:
    """In its context block, beside the summary; what is done is left out."""
    session = memory.sessions.create(project="/boat").id
    _called(memory, session, TODOS)
    memory.sessions.end(session)
    clock.now += 60_000
    following = memory.sessions.create(project="/boat").id
    text = memory.context(following).text
    assert "] > Order a hose; Patch the hose\n" in text
    assert "Find the leak" not in text
    elsewhere = memory.sessions.create(project="/garden").id
    assert "hose" not in memory.context(elsewhere).text


def test_a_guest_is_not_told_what_is_open_for_another(memory: Memory, clock: HandClock) -> None:
    """Nor is a group."""
    owners = memory.sessions.create().id
    _called(memory, owners, TODOS)
    memory.sessions.end(owners)
    clock.now += 60_000
    for key in ("agent:main:telegram:acc:direct:2", "agent:main:telegram:acc:group:3"):
        session = memory.sessions.create(key).id
        assert "hose" not in memory.context(session).text


def test_an_erased_session_takes_its_state_along(memory: Memory) -> None:
    """No row is left."""
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", "Hello")
    memory.sessions.set_state(session, "Mend the boat")
    memory.erase(session_id=session)
    rows = memory._rooms.records.read(  # noqa: SLF001  # what is left
        lambda tx: tx.all("SELECT * FROM session_states")
    )
    assert rows == []


def test_secrets_in_a_state_are_taken_out(memory: Memory) -> None:
    """As in messages."""
    session = memory.sessions.create().id
    key = "sk-ant-api03-" + "Ab3" * 31 + "AA"
    state = memory.sessions.set_state(session, f"Use {key}", [f"Try {key}"])
    assert key not in repr(state.task) + repr(state.steps)


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ('{"plan": [{"step": "Sand", "status": "pending"}]}', (WorkStep(text="Sand"),)),
        ('{"todos": [{"description": "Sand", "status": "done"}]}',
         (WorkStep(text="Sand", status="completed"),)),
        ('{"todos": []}', ()),
        ('{"todos": [{"content": "Sand", "status": "soon"}]}', None),
        ('{"todos": [7]}', None),
        ('{"other": []}', None),
        ("[]", None),
        ("{", None),
    ],
)  # fmt: skip
def test_todo_lists_of_several_programs_are_read(
    arguments: str, steps: tuple[WorkStep, ...] | None
) -> None:
    """What is not understood gives nothing."""
    assert steps_of(arguments) == steps


def test_what_cannot_be_a_state_is_refused(memory: Memory) -> None:
    """And nothing is stored."""
    session = memory.sessions.create().id
    with pytest.raises(InvalidInput):
        memory.sessions.set_state(session, "x" * 2_001)
    with pytest.raises(InvalidInput):
        memory.sessions.set_state(session, steps=["x"] * (MOST_STEPS + 1))
    with pytest.raises(InvalidInput):
        memory.sessions.set_state(session, steps=[{"text": "x", "status": "soon"}])
    with pytest.raises(NotFound):
        memory.sessions.set_state("nobody", "x")
    assert memory.sessions.state(session) is None


def test_a_host_stores_its_own_summary(memory: Memory) -> None:
    """In place of one that is made here; secrets are taken out of it, and an empty one refused."""
    session = memory.sessions.create().id
    said = [("user", f"Nail {number} is in.") for number in range(30)]
    memory.sessions.append_many(session, said)
    key = "sk-ant-api03-" + "Ab3" * 31 + "AA"
    done = memory.sessions.compact(session, f"All nails are in. {key}", keep_messages=2)
    assert done.outcome == "compacted"
    assert done.compaction is not None
    assert done.compaction.made_by == "caller"
    assert done.compaction.tokens_before > done.compaction.tokens_after
    view = memory.sessions.view(session)
    assert view.summary is not None
    assert view.summary.startswith("All nails are in.")
    assert key not in view.summary
    with pytest.raises(InvalidInput):
        memory.sessions.compact(session, "  ")


def test_what_a_caller_set_is_in_an_export(memory: Memory, tmp_path: Path) -> None:
    """As far as it is heard; what is newer in the other home stays."""
    session = memory.sessions.create("telegram:7").id
    memory.sessions.append(session, "user", "Hello", sender="telegram:7")
    before = memory.sessions.set_state(session, "Mend the boat", ["Sand it"])
    other = memory.sessions.create("telegram:8").id
    memory.sessions.set_state(other, "A secret feast")
    memory.export().save(tmp_path / "all.jsonl")
    memory.export(for_session=session).save(tmp_path / "one.jsonl")
    assert "feast" in (tmp_path / "all.jsonl").read_text("utf-8")
    assert "feast" not in (tmp_path / "one.jsonl").read_text("utf-8")
    with recollect.open(tmp_path / "two", overrides={"embedding.provider": "none"}) as second:
        assert second.import_export(tmp_path / "all.jsonl").added["state"] == 2
        assert second.sessions.state(session) == before
        newer = second.sessions.set_state(session, "Paint it")
        assert "state" not in second.import_export(tmp_path / "all.jsonl").added
        assert second.sessions.state(session) == newer
