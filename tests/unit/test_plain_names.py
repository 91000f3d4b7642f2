"""A plain name is a person of its own, unless the owner says that it is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Denied
from recollect.memory import Memory
from recollect.pool import MemoryPool
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client

SETTINGS = {"embedding.provider": "none"}
NAMES = ("alice", "bobby", "agent:main:alan")


def _opened(folder: Path, **settings: object) -> Memory:
    desk = folder / "desk"
    desk.mkdir(exist_ok=True)
    (desk / "MEMORY.md").write_text("The owner hides the apples.\n", encoding="utf-8")
    named = {f"sessions.{name}": value for name, value in settings.items()}
    overrides = SETTINGS | named
    return recollect.open(folder / "home", workspace=desk, overrides=overrides, live=False)


def _heard(memory: Memory, session_id: str) -> set[str]:
    return {hit.snippet for hit in memory.search("apples", 50, 0.0, for_session=session_id).hits}


def test_two_names_do_not_hear_each_other_nor_the_owner(tmp_path: Path) -> None:
    """docs/tokens.md: the first thing that a web developer writes."""
    with _opened(tmp_path) as memory:
        made = {name: memory.sessions.open(name).id for name in NAMES}
        own = {"mine": memory.sessions.create().id,
               "main": memory.sessions.open("agent:main:main").id,
               "job": memory.sessions.open("agent:main:cron:nightly").id,
               "planning": memory.sessions.open("planning", owner=True).id}  # fmt: skip
        for name, session in {**made, **own}.items():
            memory.sessions.append(session, "user", f"The apples of {name} are red.")
        memory.sync()
        for name, session in made.items():
            assert _heard(memory, session) == {f"The apples of {name} are red."}
            assert memory.sessions.open(name).id == session
            assert not memory.sessions.visibility_group(session).is_owners
        told = {f"The apples of {name} are red." for name in own}
        for session in own.values():
            assert _heard(memory, session) == told | {"The owner hides the apples."}


def test_the_owners_session_of_a_name_is_not_the_persons(tmp_path: Path) -> None:
    """Whoever opens which first; a stranger may choose a name that the owner uses."""
    with _opened(tmp_path) as memory:
        sessions = memory.sessions
        own = sessions.open("planning", owner=True)
        person = sessions.open("planning")
        assert person.id != own.id
        assert (own.user, person.user) == (None, "planning")
        assert sessions.open("planning", owner=True).id == own.id
        assert sessions.known("planning").id == person.id  # type: ignore[union-attr]
        assert sessions.known("planning", owner=True).id == own.id  # type: ignore[union-attr]
        assert sessions.reset("planning").previous_id == person.id
        assert sessions.reset("planning", owner=True).previous_id == own.id
        assert sessions.start(key="planning").user == "planning"
        assert sessions.start(key="planning", owner=True).user is None
        assert sessions.hooked("planning").session.user is None


def test_the_setting_gives_every_name_to_the_owner(tmp_path: Path) -> None:
    """As it was; and back again: what was said under the setting stays whose it was."""
    with _opened(tmp_path, plain_keys="owner") as memory:
        first = memory.sessions.open("alice")
        assert memory.sessions.visibility_group(first.id).is_owners
    with _opened(tmp_path) as memory:
        assert memory.sessions.open("alice").id != first.id
        assert memory.sessions.open("alice", owner=True).id == first.id


def test_a_name_of_the_owner_or_of_a_linked_person_is_that_person(tmp_path: Path) -> None:
    """A name without a channel in sessions.owner, or a name of sessions.identity_links."""
    people = {"owner": ["me"], "identity_links": ["ann=telegram:7"]}
    with _opened(tmp_path, **people) as memory:
        group = memory.sessions.visibility_group
        assert group(memory.sessions.open("me").id).is_owners
        ann, chat = (memory.sessions.open(key).id for key in ("ann", "telegram:7"))
        assert group(ann) == group(chat)
        assert not group(ann).is_owners


def test_a_context_of_a_name_that_is_not_there_yet_is_not_the_owners(tmp_path: Path) -> None:
    """What its first prompt would be given says whose it is, also before it begins."""
    with _opened(tmp_path) as memory:
        memory.observations.record(memory.sessions.create().id, summary="We decided on apples.")
        about = memory.context.about
        assert about().items
        assert about(key="planning", owner=True).items
        for key in ("planning", "telegram:42", "agent:main:alan"):
            assert not about(key=key).items


def test_over_http_a_name_is_a_person_too(tmp_path: Path) -> None:
    """Begun, written to, searched for and given a context: never as the owner of the token."""
    with RunningServer(tmp_path / "home") as server:
        client = Client(server)
        for name, owner in (("planning", True), ("alice", False), ("planning", False)):
            words = f"apples of {name}, {owner}"
            said = {"session_key": name, "role": "user", "content": words, "owner": owner}
            assert client.post("/api/messages", said)[0] == 201
        client.memory.sync()
        _, begun = client.post("/api/sessions", {"session_key": "planning"})
        _, own = client.post("/api/sessions", {"session_key": "planning", "owner": True})
        assert begun["id"] != own["id"]
        found = client.memory.search("apples", for_session=begun["id"]).hits
        assert [hit.snippet for hit in found] == ["apples of planning, False"]
        client.post("/api/sessions", {"session_key": "quiet", "owner": True})
        asked = {"query": "apples", "sources": ["sessions"]}
        assert client.post("/api/search", asked | {"for_session": "quiet"})[0] == 404
        record = {"session_key": "quiet", "summary": "We decided on apples", "type": "decision"}
        assert client.post("/api/observations", record)[0] == 201
        assert not client.get("context", session_key="quiet")[1]["items"]
        assert not client.get("context", session_key="nobody")[1]["items"]
        assert client.get("context", session_key="quiet", owner="true")[1]["items"]
        guest = client.of("guest", rights="write")
        refused = guest.post("/api/sessions", {"session_key": "notes", "owner": True})
        assert (refused[0], refused[1]["error"]["code"]) == (403, "denied")


def test_a_token_of_a_name_hears_that_person(tmp_path: Path) -> None:
    """`session:alice` is alice, and neither the owner nor another name."""
    from recollect.caller import Callers

    with MemoryPool(tmp_path / "home", SETTINGS) as pool:
        memory, callers = pool.memory(), Callers(pool)
        own = memory.sessions.open("notes", owner=True)
        alice = memory.sessions.open("alice")
        caller = callers.local("session:alice", "write", "a")
        assert caller.for_session() == alice.id
        assert caller.writes_to("alice").id == caller.session("alice").id == alice.id
        for name in ("notes", "bobby"):
            with pytest.raises(Denied):
                caller.writes_to(name)
        for other in (own.id, memory.sessions.open("bobby").id, "bobby"):
            with pytest.raises(recollect.RecollectError):
                caller.session(other)
        with pytest.raises(Denied):
            caller.writes_to("alice", owner=True)
