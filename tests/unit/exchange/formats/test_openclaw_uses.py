"""What agents did in OpenClaw, from its store: observations, and where sessions end.

Calls, results and the wrapper are as version 2026.9.6 writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from recollect.observations.observation import Observation
from tests.support.openclaw_store import WrittenStore

ANA, BORIS = "agent:main:telegram:direct:501", "agent:main:telegram:direct:502"
CHILD, GRANDCHILD = "agent:main:subagent:c1", "agent:main:subagent:c1:subagent:c2"
SETTINGS: dict[str, object] = {"embedding.provider": "none", "sessions.owner": ["telegram:501"]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WrittenStore]:
    """A store that the gateway has open."""
    with closing(WrittenStore(tmp_path / "state")) as written:
        yield written


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that follows the agents of the store."""
    followed = {"workspace.transcripts": [str(tmp_path / "state" / "agents")]}
    with recollect.open(tmp_path / "home", overrides=SETTINGS | followed) as opened:
        yield opened


def observed(memory: Memory, key: str) -> list[Observation]:
    """Return what tools did in the conversation of a key, the oldest first."""
    session = memory.sessions.known(key)
    assert session is not None
    found = memory.observations.list(session_id=session.id)
    return sorted(
        (each for each in found if each.event.startswith("tool")), key=lambda each: each.number
    )


def test_a_tool_is_observed_once_by_its_own_name(memory: Memory, store: WrittenStore) -> None:
    """The wrapper, the nested tool and the result are three events of one use."""
    store.window(ANA, "a1")
    store.person("a1", "Look at the harbour.", "501")
    store.call("a1", "exec", {"command": "ls harbour"}, "three boats")
    memory.sync()
    (made,) = observed(memory, ANA)
    assert (made.tool_name, made.tool_use_id, made.event) == ("exec", "call-1", "tool")
    assert "ls harbour" in made.input
    assert made.output == "three boats"
    assert made.message_id is not None
    memory.sync()
    memory.import_transcripts(store.path.parents[2], "openclaw")
    assert len(observed(memory, ANA)) == 1


def test_what_a_sub_agent_does_is_observed_where_it_was_started(
    memory: Memory, store: WrittenStore
) -> None:
    """Also of one that a sub-agent started; what they say is not followed."""
    store.window(ANA, "a1")
    store.person("a1", "Let somebody look at the harbour.", "501")
    store.window(CHILD, "c1", spawned_by=ANA)
    store.say("c1", "user", "[Subagent Context] Look at the harbour.")
    store.call("c1", "exec", {"command": "ls harbour"}, "three boats", "call-c1")
    store.window(GRANDCHILD, "c2", spawned_by=CHILD)
    store.say("c2", "user", "[Subagent Context] Count the masts.")
    store.call("c2", "exec", {"command": "wc masts"}, "seven", "call-c2")
    memory.sync()
    made = observed(memory, ANA)
    assert {(each.tool_use_id, each.agent_id) for each in made} == {
        ("call-c1", "c1"),
        ("call-c2", "c2"),
    }
    assert [session.key for session in memory.sessions.list(automatic=True)] == [ANA]
    assert not memory.search("masts", sources=["sessions"]).hits


def test_nothing_is_observed_of_what_nobody_asked_for(memory: Memory, store: WrittenStore) -> None:
    """Scheduled runs are not followed, nor are the sub-agents that they start."""
    store.window("agent:main:cron:7", "n1", created_via="cron")
    store.say("n1", "user", "[cron:7 sweep] Sweep the harbour.")
    store.call("n1", "exec", {"command": "sweep"}, "swept")
    store.window(CHILD, "c1", spawned_by="agent:main:cron:7")
    store.say("c1", "user", "[Subagent Context] Sweep.")
    store.call("c1", "exec", {"command": "sweep"}, "swept")
    memory.sync()
    assert memory.sessions.list(automatic=True) == []
    assert memory.observations.list() == []


def test_what_was_done_for_a_guest_is_not_the_owner_s_to_hear(
    memory: Memory, store: WrittenStore
) -> None:
    """Owner and guest have their own chats; a guest hears of tools only where that is shared."""
    for key, session, sender in ((ANA, "a1", "501"), (BORIS, "b1", "502")):
        store.window(key, session)
        store.person(session, f"Look at the harbour for {sender}.", sender)
        store.call(session, "exec", {"command": f"ls harbour{sender}"}, "boats", f"call-{sender}")
    memory.sync()
    (owners,), (guests,) = observed(memory, ANA), observed(memory, BORIS)
    ids = {key: found.id for key in (ANA, BORIS) if (found := memory.sessions.known(key))}
    hits = memory.search("ls harbour", sources=["observations"], for_session=ids[ANA]).hits
    assert [hit.ref for hit in hits] == [owners.id]
    assert memory.search("ls harbour", for_session=ids[BORIS], sources=["observations"]).hits == []
    assert memory.observations.get([guests.id], for_session=ids[ANA]).found == ()


def test_a_turn_of_a_guest_in_a_shared_session_is_the_guest_s(
    memory: Memory, store: WrittenStore
) -> None:
    """All direct chats may share one session: the turn says for whom a tool was used."""
    store.window("agent:main:main", "m1")
    store.person("m1", "Look at my boat.", "501")
    store.call("m1", "exec", {"command": "ls heron"}, "Heron", "call-1")
    store.person("m1", "Look at my boat, too.", "502")
    store.call("m1", "exec", {"command": "ls egret"}, "Egret", "call-2")
    memory.sync()
    session = memory.sessions.known("agent:main:main")
    assert session is not None
    for sender, mine, other in (
        ("telegram:501", "heron", "egret"),
        ("telegram:502", "", "heron"),
    ):
        hits = memory.search(
            "ls", for_session=session.id, for_sender=sender, sources=["observations"]
        ).hits
        text = " ".join(hit.snippet for hit in hits)
        assert mine in text
        assert other not in text


def test_a_conversation_that_is_archived_there_ends_here(
    memory: Memory, store: WrittenStore
) -> None:
    """Once: what a person opens again here stays open; what is taken out there goes on here."""
    store.window(ANA, "a1")
    store.person("a1", "The ferry leaves at nine.", "501")
    memory.sync()
    session = memory.sessions.known(ANA)
    assert session is not None
    assert session.status == "active"
    store.put_away(ANA)
    memory.sync()
    ended = memory.sessions.get(session.id)
    assert ended.status == "archived"
    assert ended.ended_at is not None
    assert memory.sessions.finish_endings() == 1, "a summary of it is due"
    memory.sessions.resume(session.id)
    memory.sync()
    assert memory.sessions.get(session.id).status == "active"
    memory.sessions.set_status(session.id, "archived")
    store.put_away(ANA, back=True)
    memory.sync()
    assert memory.sessions.get(session.id).status == "active"
