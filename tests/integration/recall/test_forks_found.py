"""What a living session shows is found through it, also what it shares with a deleted one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory without an embedder."""
    chosen = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=chosen, live=False) as opened:
        yield opened


def session_with(memory: Memory, *said: str, key: str | None = None) -> str:
    """Return a session that says something."""
    session = memory.sessions.create(key=key)
    for text in said:
        memory.sessions.append(session.id, "user", text)
    return session.id


def fork(memory: Memory, parent: str, at_seq: int, *said: str) -> str:
    """Return a fork of a session that says more."""
    branch = memory.sessions.fork(parent, at_seq=at_seq)
    for text in said:
        memory.sessions.append(branch.id, "user", text)
    return branch.id


def found(memory: Memory, within: str | None = None, **asking: str) -> list[str]:
    """Return what a search for quokkas finds, sorted; each message as often as it is found."""
    scope = None if within is None else Scope(session=within)
    hits = memory.search("quokka", scope=scope, limit=50, **asking).hits  # type: ignore[arg-type]
    return sorted(hit.snippet for hit in hits if hit.source == "sessions")


SHARED = ("quokka one", "quokka two")


def family(memory: Memory) -> tuple[str, str]:
    """Return a session and its fork after the second of three messages."""
    parent = session_with(memory, *SHARED, "quokka of the parent")
    return parent, fork(memory, parent, 2, "quokka of the fork")


def test_a_fork_of_a_deleted_session_is_searched_whole(memory: Memory) -> None:
    """All that it shows, each once, whoever asks; and nothing that only the parent said."""
    parent, branch = family(memory)
    memory.sync()
    memory.sessions.set_status(parent, "deleted")
    shown = sorted([*SHARED, "quokka of the fork"])
    assert found(memory) == shown
    assert found(memory, branch) == shown
    assert found(memory, for_session=branch) == shown
    assert found(memory, parent) == []
    assert {hit.session_id for hit in memory.search("quokka").hits} == {branch}
    memory.sessions.set_status(parent, "active")
    assert found(memory) == sorted([*shown, "quokka of the parent"])
    assert found(memory, parent) == sorted([*SHARED, "quokka of the parent"])
    assert found(memory, branch) == shown


def test_the_three_steps_show_it_too(memory: Memory) -> None:
    """Index lines, what was around, and the whole."""
    parent, branch = family(memory)
    memory.sessions.set_status(parent, "deleted")
    result = memory.search("quokka", for_session=branch)
    lines = memory.lines(result, for_session=branch).lines
    assert {line.session_id for line in lines} == {branch}
    assert len(lines) == 3
    name = next(line.name for line in lines if "one" in line.title)
    timeline = memory.observations.timeline(name, for_session=branch)
    said = [line.title for line in timeline.lines]
    assert said == [*SHARED, "quokka of the fork"]
    assert len(memory.get(name, for_session=branch).found) == 1
    own = next(m for m in memory.sessions.messages(parent) if "parent" in m.text)
    assert memory.get(f"m{own.number}", for_session=branch).found == ()
    with pytest.raises(NotFound):
        memory.observations.timeline(f"m{own.number}", for_session=branch)


def test_several_forks_find_it_once(memory: Memory) -> None:
    """Each what it shares; whichever of them goes, the other goes on finding it."""
    parent = session_with(memory, *SHARED)
    first, second = fork(memory, parent, 1, "quokka a"), fork(memory, parent, 2, "quokka b")
    memory.sessions.set_status(parent, "deleted")
    assert found(memory) == sorted([*SHARED, "quokka a", "quokka b"])
    assert found(memory, first) == ["quokka a", "quokka one"]
    assert found(memory, second) == ["quokka b", *SHARED]
    memory.sessions.set_status(first, "deleted")
    assert found(memory) == found(memory, second) == ["quokka b", *SHARED]
    memory.sessions.set_status(second, "deleted")
    assert found(memory) == []
    memory.sessions.set_status(first, "active")
    assert found(memory) == found(memory, first) == ["quokka a", "quokka one"]


def test_a_fork_of_a_fork_finds_what_both_above_it_said(memory: Memory) -> None:
    """Though both are deleted; and nothing that they said after it parted from them."""
    parent = session_with(memory, "quokka 1", "quokka 2")
    middle = fork(memory, parent, 1, "quokka 3", "quokka 4")
    last = fork(memory, middle, 2, "quokka 5")
    for each in (parent, middle):
        memory.sessions.set_status(each, "deleted")
    assert found(memory) == found(memory, last) == ["quokka 1", "quokka 3", "quokka 5"]
    memory.sessions.set_status(middle, "active")
    assert found(memory, last) == ["quokka 1", "quokka 3", "quokka 5"]
    assert found(memory, middle) == ["quokka 1", "quokka 3", "quokka 4"]
    assert found(memory) == ["quokka 1", "quokka 3", "quokka 4", "quokka 5"]


def test_a_deleted_fork_leaves_its_parent_as_it_is(memory: Memory) -> None:
    """What only the fork said is found no more."""
    parent, branch = family(memory)
    memory.sync()
    memory.sessions.set_status(branch, "deleted")
    assert found(memory) == found(memory, parent) == sorted([*SHARED, "quokka of the parent"])


@pytest.mark.parametrize("status", ["archived", "deleted"])
def test_a_fork_of_a_session_that_ended_is_searched_whole(memory: Memory, status: str) -> None:
    """Whatever became of the session."""
    parent, branch = family(memory)
    memory.sessions.set_status(parent, status)
    assert found(memory, branch) == sorted([*SHARED, "quokka of the fork"])
    memory.erase(session_id=branch)
    left = [] if status == "deleted" else sorted([*SHARED, "quokka of the parent"])
    assert found(memory) == left


@pytest.mark.parametrize("is_deleted_first", [True, False])
def test_what_retention_cut_of_a_fork_is_not_found_through_it(
    tmp_path: Path, is_deleted_first: bool
) -> None:
    """A fork that was cut behind what it shares shows nothing of it."""
    chosen = {"embedding.provider": "none", "sessions.retention.max_messages": 2}
    with recollect.open(tmp_path / "cut", overrides=chosen, live=False) as memory:
        parent = session_with(memory, *SHARED)
        branch = fork(memory, parent, 2, *(f"quokka of the fork {n}" for n in range(3)))
        memory.sync()
        if is_deleted_first:
            memory.sessions.set_status(parent, "deleted")
            memory.sync()
        memory.prune()
        memory.sessions.set_status(parent, "deleted")
        memory.sync()
        assert found(memory) == ["quokka of the fork 1", "quokka of the fork 2"]
        assert found(memory, within=branch) == found(memory)


def test_what_was_erased_is_gone_for_forks_too(memory: Memory) -> None:
    """As documented: an erased session takes the forks that read it along."""
    parent, branch = family(memory)
    memory.sessions.set_status(parent, "deleted")
    assert memory.erase(session_id=parent, with_forks=True).is_clean
    assert found(memory) == []
    with pytest.raises(NotFound):
        memory.sessions.get(branch)


def test_guests_find_what_they_heard_and_nothing_else(memory: Memory) -> None:
    """The fork of a private conversation is as private as that was."""
    key = "agent:main:telegram:direct:42"
    parent = session_with(memory, *SHARED, key=key)
    branch = fork(memory, parent, 2, "quokka of the fork")
    other = session_with(memory, "hello", key="agent:main:telegram:direct:43")
    same = session_with(memory, "hello again", key=key)
    memory.sessions.set_status(parent, "deleted")
    assert found(memory, for_session=other) == []
    assert found(memory, for_session=same) == found(memory, for_session=branch)
    assert found(memory, for_session=branch) == sorted([*SHARED, "quokka of the fork"])


def test_the_index_follows_as_it_would_be_built_anew(memory: Memory) -> None:
    """Removed and built again, it finds the same."""
    parent, branch = family(memory)
    memory.sync()
    memory.sessions.set_status(parent, "deleted")
    memory.sync()
    before = found(memory), found(memory, branch)
    memory.reindex()
    assert (found(memory), found(memory, branch)) == before


def test_an_export_brings_a_fork_that_is_searched_whole(memory: Memory, tmp_path: Path) -> None:
    """The deleted parent comes first, and its messages before the fork is there."""
    parent, _ = family(memory)
    memory.sessions.set_status(parent, "deleted")
    memory.export().save(tmp_path / "all.jsonl")
    chosen = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "other", overrides=chosen, live=False) as other:
        other.import_export(tmp_path / "all.jsonl")
        assert found(other) == sorted([*SHARED, "quokka of the fork"])
