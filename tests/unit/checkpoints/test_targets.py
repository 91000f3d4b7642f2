"""Targets: a checkpoint by its number, by a message, by the call of a tool; as far as one hears."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Scope
from recollect.core.errors import InvalidInput, NotFound, RewindConflict


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one file."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "a.txt").write_text("0")
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    overrides = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=overrides, live=False) as opened:
        yield opened


def _turn(memory: Memory, session_id: str, root: Path, text: str) -> str:
    """Append a message, and write its text into the file; return the number of the message."""
    message = memory.sessions.append(session_id, "user", text)
    with memory.checkpoints.around(session_id, root, ["a.txt"]):
        (root / "a.txt").write_text(text)
    return f"m{message.number}"


def test_a_message_is_what_was_there_before_its_answer(memory: Memory, root: Path) -> None:
    """By number and by id; one after which nothing was kept is none."""
    session = memory.sessions.create().id
    first, second = (_turn(memory, session, root, text) for text in "12")
    idle = memory.sessions.append(session, "user", "Thanks.")
    target = memory.checkpoints.target
    assert [target(name).number for name in (first, second, "c1", 2, "C2")] == [1, 2, 1, 2, 2]
    assert target(memory.sessions.message(second).id).number == 2
    assert target(target("c1").id).number == 1
    memory.checkpoints.rewind(second)
    assert (root / "a.txt").read_text() == "1"
    memory.checkpoints.rewind(first)
    assert (root / "a.txt").read_text() == "0"
    with pytest.raises(NotFound):
        target("m99")
    assert target(f"m{idle.number}").kind == "rescue"  # the rewinds came after it
    with pytest.raises(NotFound, match="no checkpoint"):
        target("toolu_1")
    with pytest.raises(InvalidInput):
        memory.checkpoints.get("m1")


def test_a_fork_goes_back_to_a_message_that_it_shares(memory: Memory, root: Path) -> None:
    """With its own changes since, and not to one of a session that it does not descend from."""
    parent = memory.sessions.create().id
    shared = _turn(memory, parent, root, "shared")
    fork = memory.sessions.fork(parent).id
    _turn(memory, fork, root, "own")
    plan = memory.checkpoints.plan(shared, session_id=fork)
    assert (plan.session_id, plan.items[0].status) == (fork, "clean")
    other = memory.sessions.create().id
    with pytest.raises(NotFound):
        memory.checkpoints.plan(shared, session_id=other)


def test_a_scope_has_only_its_own(memory: Memory, root: Path) -> None:
    """By any name, and as if the others were not there."""
    session = memory.sessions.create(key="agent:one:main").id
    message = _turn(memory, session, root, "1")
    done = memory.checkpoints.rewind("c1")
    other = memory.within(Scope(agent="two")).checkpoints
    for name in ("c1", message, done.rescue_id):
        with pytest.raises(NotFound):
            other.plan(name)
    with pytest.raises(NotFound):
        other.undo(done.id)
    with pytest.raises(NotFound):
        other.rewinds(session)


def test_a_plan_keeps_its_id_while_nothing_changes(memory: Memory, root: Path) -> None:
    """A file, another choice and other paths give it another one."""
    session = memory.sessions.create().id
    _turn(memory, session, root, "1")
    plan = memory.checkpoints.plan("c1")
    assert memory.checkpoints.plan("c1").id == plan.id
    assert memory.checkpoints.plan("c1", on_conflict="keep").id != plan.id
    (root / "a.txt").chmod(0o600)
    with pytest.raises(RewindConflict, match="out of date"):
        memory.checkpoints.rewind("c1", plan_id=plan.id)
    (root / "a.txt").chmod(0o644)
    assert memory.checkpoints.rewind("c1", plan_id=plan.id).status == "done"


def test_files_of_the_home_are_listed_and_not_opened(memory: Memory, tmp_path: Path) -> None:
    """By name as well as with all of a root."""
    session = memory.sessions.create().id
    name = "home/records.db"
    named = memory.checkpoints.take(session, tmp_path, [name, "home/none"])
    (record, absent) = sorted(memory.checkpoints.files(named), key=lambda each: each.path != name)
    assert (record.before.kind, record.before.reason) == ("uncaptured", "excluded")
    assert absent.before.kind == "absent"
    memory.checkpoints.take(session, tmp_path)
    assert memory.checkpoints.state().checkpoints == 2
