"""Who hears an observation: the visibility group of its session, and of groups nobody unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.errors import NotFound
from recollect.memory import Memory

GROUP = "agent:main:telegram:acc:group:-100"
GUEST = "agent:main:telegram:acc:direct:7"
OWNER = "agent:main:telegram:acc:direct:42"


def _open(home: Path, *, shared: bool = False) -> Memory:
    settings = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    return recollect.open(home, overrides={**settings, "observations.shared": shared})


def _heard(memory: Memory, key: str) -> tuple[set[int], set[str], set[int]]:
    """What a chat hears by list, search and get."""
    listener = memory.sessions.open(key).id
    listed = {o.number for o in memory.observations.list(for_session=listener)}
    hits = memory.search("redis", sources=["observations"], for_session=listener).hits
    got = memory.observations.get([f"#{n}" for n in range(1, 9)], for_session=listener).found
    return listed, {hit.snippet for hit in hits}, {o.number for o in got}


def test_only_the_owner_hears_what_was_observed(tmp_path: Path) -> None:
    """docs/observations.md: groups and guests hear none of it, the owner only the own."""
    with _open(tmp_path / "home") as memory:
        for n, key in enumerate((OWNER, GUEST, GROUP), 1):
            session = memory.sessions.open(key).id
            memory.observations.record(session, summary=f"We use redis {n}", output="raw")
        assert _heard(memory, OWNER) == ({1}, {"We use redis 1"}, {1})
        assert _heard(memory, GUEST) == (set(), set(), set())
        assert _heard(memory, GROUP) == (set(), set(), set())
        assert len(memory.observations.list()) == 3, "the operator hears all"


def test_a_group_hears_titles_where_that_is_shared(tmp_path: Path) -> None:
    """And never input, output or the line of an error; nothing of other chats."""
    with _open(tmp_path / "home", shared=True) as memory:
        for n, key in enumerate((OWNER, GUEST, GROUP), 1):
            session = memory.sessions.open(key).id
            memory.observations.record(
                session, summary=f"We use redis {n}", input="asked", output="raw" * 9_000,
                error=None if key == OWNER else "Error: redis is down",
            )  # fmt: skip
        for n, key in enumerate((OWNER, GUEST, GROUP), 1):
            assert _heard(memory, key) == ({n}, {f"We use redis {n}"}, {n})
        listener = memory.sessions.open(GROUP).id
        for tokens in (1_000, None):
            (seen,) = memory.observations.get("#3", tokens, for_session=listener).found
            assert (seen.input, seen.output, seen.output_blob) == ("", "", None)


def test_only_the_owner_reads_in_a_hit_what_failed(tmp_path: Path) -> None:
    """The line of an error is a piece of the output; found by the random histories."""
    with _open(tmp_path / "home", shared=True) as memory:
        for key in (OWNER, GUEST, GROUP):
            session = memory.sessions.open(key).id
            memory.observations.record(session, summary="We use redis", error="no redis at 7000")
        assert _heard(memory, OWNER)[1] == {"We use redis\nno redis at 7000"}
        assert _heard(memory, GUEST)[1] == _heard(memory, GROUP)[1] == {"We use redis"}


def test_in_a_shared_session_the_turn_decides(tmp_path: Path) -> None:
    """OpenClaw's agent:main:main: what is done for a guest is not heard in the owner's turn."""
    with _open(tmp_path / "home", shared=True) as memory:
        session = memory.sessions.open("agent:main:main").id
        for n, sender in enumerate(("telegram:42", "telegram:7"), 1):
            memory.sessions.append(session, "user", "go", sender=sender)
            memory.observations.record(session, summary=f"We use redis {n}")
        for n, sender in enumerate(("telegram:42", "telegram:7"), 1):
            observations = memory.observations.list(for_session=session, for_sender=sender)
            assert [o.number for o in observations] == [n]
        fork = memory.sessions.fork(session).id
        observation = memory.observations.record(fork, summary="We use redis 3")
        assert observation.turn_sender == "telegram:7", "as the turn that the fork shares"


def test_an_unknown_session_hears_nothing(tmp_path: Path) -> None:
    """Never an empty success."""
    with _open(tmp_path / "home") as memory, pytest.raises(NotFound):
        memory.observations.list(for_session="none")


def test_a_number_is_answered_as_far_as_the_asker_hears(tmp_path: Path) -> None:
    """docs/observations.md: "observation #1" finds it; an unheard one is as one that is not."""
    with _open(tmp_path / "home") as memory:
        for n, key in enumerate((OWNER, GROUP), 1):
            session = memory.sessions.open(key).id
            memory.observations.record(session, summary=f"We use redis {n}")
        for name in ("#1", "observation #1", " Observation #1 "):
            (hit, *_) = memory.search(name).hits
            assert (hit.source, hit.number, hit.score) == ("observations", 1, 1.0)
        mine, group = memory.sessions.open(OWNER).id, memory.sessions.open(GROUP).id
        assert memory.search("#1", for_session=mine).hits[0].number == 1
        for asking, other in ((mine, "#2"), (group, "#1"), (group, "#2")):
            unheard = memory.search(other, for_session=asking).hits
            assert unheard == memory.search("#99", for_session=asking).hits
        assert memory.search(memory.observations.get("#2").found[0].id).hits[0].number == 2
        assert memory.search("#2", sources=["sessions"]).hits == []
        assert memory.sessions.find("#2").id == group
        memory.observations.forget("#2")
        assert memory.search("#2").hits == memory.search("#99").hits


def test_a_message_of_another_session_does_not_say_whose_turn_it_is(tmp_path: Path) -> None:
    """A guest's prompt in a group would be heard, and trusted, as words of whoever spoke there."""
    with _open(tmp_path / "home") as memory:
        owners, group = memory.sessions.open(OWNER).id, memory.sessions.open(GROUP).id
        theirs = memory.sessions.append(owners, "user", "Hello", sender="42")
        ours = memory.sessions.append(group, "user", "We take tea", sender="42")
        guests = memory.sessions.append(group, "user", "I am a guest", sender="7")
        fork = memory.sessions.fork(group).id
        turns = [
            memory.observations.record(session, "Bash", message_id=message.id).turn_sender
            for session, message in ((group, theirs), (group, ours), (fork, ours), (owners, ours))
        ]
        assert theirs.turn_sender != guests.turn_sender
        assert turns == [
            guests.turn_sender, ours.turn_sender, ours.turn_sender, theirs.turn_sender,
        ]  # fmt: skip
