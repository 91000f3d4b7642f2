"""On whose behalf is searched and read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Denied, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory

GROUP = "agent:main:telegram:group:-100"


def opened(
    folder: Path,
    *links: str,
    scope: Scope | None = None,
    owner: tuple[str, ...] = (),
    shared: tuple[str, ...] = (),
) -> Memory:
    """Return a memory without a model, with a workspace that holds one file."""
    workspace = folder / "workspace"
    (workspace / "memory").mkdir(parents=True, exist_ok=True)
    (workspace / "MEMORY.md").write_text("apple of the owner\n", "utf-8")
    overrides = {
        "embedding.provider": "none",
        "sessions.identity_links": list(links),
        "sessions.owner": list(owner),
        "sessions.guests_read": list(shared),
    }
    return recollect.open(folder / "home", workspace, overrides=overrides, scope=scope)


def say(memory: Memory, key: str) -> str:
    """Say something under a key and return the session."""
    session = memory.sessions.open(key)
    memory.sessions.append(session.id, "user", f"apple under {key}")
    return session.id


def heard(memory: Memory, session: str) -> set[str]:
    """Return what a session may hear, as the texts of hits."""
    return {hit.snippet for hit in memory.search("apple", 100, for_session=session).hits}


def test_a_group_hears_only_itself_and_reads_no_file(tmp_path: Path) -> None:
    """While the operator, who asks for no session, sees everything."""
    with opened(tmp_path, owner=("telegram:42",)) as memory:
        private, group = say(memory, "telegram:42"), say(memory, GROUP)
        assert heard(memory, group) == {f"apple under {GROUP}"}
        assert heard(memory, private) == {"apple under telegram:42", "apple of the owner"}
        assert len(memory.search("apple").hits) == 3
        assert memory.read("MEMORY.md", for_session=private).text
        with pytest.raises(Denied) as caught:
            memory.read("MEMORY.md", for_session=group)
        assert caught.value.hint


def test_an_index_of_another_home_answers_nobody(tmp_path: Path) -> None:
    """It is told as foreign, a new one is not."""
    for name in ("one", "other"):
        with opened(tmp_path / name) as memory:
            say(memory, name)
            assert memory.search("apple").warnings == []
    shutil.copy(tmp_path / "other" / "home" / "index.db", tmp_path / "one" / "home")
    with opened(tmp_path / "one") as memory:
        answer = memory.search("apple")
        assert "of another home" in answer.warnings[0]
        assert not [hit for hit in answer.hits if "other" in hit.snippet]


def test_a_guest_reads_no_file_and_is_told_how_to_name_the_owner(tmp_path: Path) -> None:
    """Whoever has a channel, while no owner is named; then whoever is not named."""
    with opened(tmp_path) as memory:
        guest = say(memory, "telegram:42")
        assert heard(memory, guest) == {"apple under telegram:42"}
        with pytest.raises(Denied) as caught:
            memory.read("MEMORY.md", for_session=guest)
        assert "sessions.owner" in caught.value.hint
    with opened(tmp_path, owner=("telegram:7",)) as memory, pytest.raises(Denied) as caught:
        memory.read("MEMORY.md", for_session=guest)
    assert "sessions.owner" not in caught.value.hint


def test_guests_see_the_files_that_the_settings_share(tmp_path: Path) -> None:
    """By their path in the workspace; a group sees none of them."""
    with opened(tmp_path, shared=("memory/shared/*.md",)) as memory:
        folder = tmp_path / "workspace" / "memory"
        for name in ("shared/open.md", "shared/deep/closed.md", "closed.md"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f"apple of {name}\n", "utf-8")
        guest, group = say(memory, "telegram:42"), say(memory, GROUP)
        assert heard(memory, guest) == {"apple under telegram:42", "apple of shared/open.md"}
        assert heard(memory, group) == {f"apple under {GROUP}"}
        assert memory.read("memory/shared/open.md", for_session=guest).text
        for path in ("MEMORY.md", "memory/closed.md", "memory/shared/deep/closed.md"):
            with pytest.raises(Denied):
                memory.read(path, for_session=guest)
        with pytest.raises(Denied):
            memory.read("memory/shared/open.md", for_session=group)


def test_after_another_owner_is_named_everybody_hears_what_is_theirs_at_once(
    tmp_path: Path,
) -> None:
    """Before the index is built anew: each turn of a shared session, chats, notes, and files."""
    with opened(tmp_path, owner=("telegram:42",)) as memory:
        main = memory.sessions.open("agent:main:main").id
        memory.sessions.append(main, "user", "apple of the operator")
        for sender in ("telegram:42", "telegram:99"):
            memory.sessions.append(main, "user", f"apple of {sender}", sender=sender)
        chats = {peer: say(memory, f"telegram:{peer}") for peer in ("42", "99", "7")}
        memory.sessions.append(chats["7"], "user", "I always eat an apple.")
        assert memory.sessions.flush(chats["7"]).lines == 1
        group = say(memory, GROUP)
        memory.sync()
    own = {"apple of the operator", "apple of the owner"}
    for owner, links in (
        (("telegram:99",), ()),
        (("discord:1",), ("a=telegram:7", "a=telegram:42")),
    ):
        with opened(tmp_path, *links, owner=owner) as memory:
            told = {peer: heard(memory, session) for peer, session in chats.items()}
            in_group = heard(memory, group)
            warnings = memory.search("apple", for_session=group).warnings
            memory.reindex()
            assert told == {peer: heard(memory, session) for peer, session in chats.items()}
            assert in_group == {f"apple under {GROUP}"}
            assert any("was changed" in each for each in warnings)
            assert own <= told["99"] if owner == ("telegram:99",) else not own & told["99"]
            assert "apple of telegram:42" in told["42"]
            assert "apple of telegram:99" in told["99"]
            assert any("always" in each for each in told["7"])


def test_people_who_share_a_session_hear_their_own_turns(tmp_path: Path) -> None:
    """As all direct chats of OpenClaw share the main session: search, view and reading."""
    with opened(tmp_path, owner=("telegram:42",)) as memory:
        main = memory.sessions.open("agent:main:main").id
        for sender in ("telegram:42", "telegram:99"):
            memory.sessions.append(main, "user", f"apple of {sender}", sender=sender)
            memory.sessions.append(main, "assistant", f"an apple for {sender}")
        own = {"apple of telegram:42", "an apple for telegram:42", "apple of the owner"}
        guests = {"apple of telegram:99", "an apple for telegram:99"}
        assert heard(memory, main) == guests
        assert heard(memory, say(memory, "telegram:99")) == {*guests, "apple under telegram:99"}
        assert heard(memory, say(memory, "telegram:42")) == {*own, "apple under telegram:42"}
        found = memory.search("apple", 100, for_session=main, for_sender="telegram:42").hits
        assert {hit.snippet for hit in found} == {*own, "apple under telegram:42"}
        asked: list[tuple[str | None, set[str]]] = [(None, guests), ("telegram:42", own)]
        for answered, seen in asked:
            view = memory.sessions.view(main, for_sender=answered)
            assert {message.text for message in view.messages} == seen - {"apple of the owner"}
            assert view.omitted == 0
        assert memory.read("MEMORY.md", for_session=main, for_sender="telegram:42").text
        with pytest.raises(Denied):
            memory.read("MEMORY.md", for_session=main)


@pytest.mark.parametrize("key", ["telegram:99", "agent:main:direct:99", None])
def test_naming_a_sender_gives_a_guests_session_nothing_more(
    tmp_path: Path, key: str | None
) -> None:
    """Neither the owner's nor another guest's: an argument only narrows."""
    with opened(tmp_path, owner=("telegram:42",)) as memory:
        say(memory, "telegram:42")
        say(memory, "telegram:98")
        session = memory.sessions.create(key=key)
    scope = Scope(user="guest") if key is None else Scope()
    with opened(tmp_path, owner=("telegram:42",), scope=scope) as memory:
        guest = memory.sessions.create().id if key is None else session.id
        for sender in ("telegram:42", "telegram:98"):
            ways: list[Callable[..., object]] = [
                partial(memory.search, "apple", for_session=guest),
                partial(memory.read, "MEMORY.md", for_session=guest),
                partial(memory.sessions.view, guest),
            ]
            for ask in ways:
                with pytest.raises(Denied) as caught:
                    ask(for_sender=sender)
                assert caught.value.hint


def test_a_sender_whom_a_key_without_a_channel_names_may_be_answered(tmp_path: Path) -> None:
    """Before the first message is stored: such a key is of everybody with that id."""
    with opened(tmp_path, owner=("telegram:42",)) as memory:
        say(memory, "telegram:42")
        shared = memory.sessions.create(key="agent:main:direct:42:thread:7").id
        found = memory.search("apple", for_session=shared, for_sender="telegram:42").hits
        assert {hit.snippet for hit in found} == {"apple of the owner", "apple under telegram:42"}
        assert memory.search("apple", for_session=shared).hits == []


def test_files_of_the_settings_are_of_the_homes_tenant(tmp_path: Path) -> None:
    """Another tenant has those of the workspace that the program gives it."""
    opened(tmp_path).close()
    overrides = {"embedding.provider": "none"}
    settings = tmp_path / "home" / "config.yaml"
    settings.write_text(f"workspace:\n  path: {tmp_path / 'workspace'}\n", "utf-8")
    with recollect.open(tmp_path / "home", overrides=overrides) as memory:
        assert memory.search("apple").hits
    other = Scope(tenant="other")
    with recollect.open(tmp_path / "home", overrides=overrides, scope=other) as memory:
        assert memory.search("apple").hits == []
        with pytest.raises(NotFound):
            memory.read("MEMORY.md")
    with opened(tmp_path, scope=other) as memory:
        assert memory.search("apple").hits


def test_what_was_imported_without_a_key_is_heard_by_the_owner_alone(tmp_path: Path) -> None:
    """Who asks for no session; the agent's main session may be told to anybody."""
    path = tmp_path / "s-1.jsonl"
    said = {"type": "message", "id": "e1", "message": {"role": "user", "content": "apple tart"}}
    header = {"type": "session", "version": 3, "id": "s-1"}
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, said)))
    with opened(tmp_path) as memory:
        assert memory.import_transcripts(path, "openclaw").unknown_origin == 1
        (imported,) = memory.sessions.list()
        own = memory.sessions.open("agent:main:main").id
        assert heard(memory, own) == {"apple of the owner"}
        assert heard(memory, imported.id) == {"apple tart"}
        assert {hit.snippet for hit in memory.search("apple").hits} >= {"apple tart"}
        with pytest.raises(Denied):
            memory.read("MEMORY.md", for_session=imported.id)


def test_a_file_called_by_its_name_stays_hidden_from_a_group(tmp_path: Path) -> None:
    """Such a file comes first in other searches."""
    with opened(tmp_path) as memory:
        group = say(memory, GROUP)
        assert [hit.path for hit in memory.search("MEMORY.md").hits][:1] == ["MEMORY.md"]
        assert memory.search("MEMORY.md apple", for_session=group).hits[0].source == "sessions"
        assert memory.search("MEMORY.md", sources=["memory"], for_session=group).hits == []


def test_whoever_is_not_there_hears_nothing(tmp_path: Path) -> None:
    """An unknown session is an error, not everything; so is one outside the scope."""
    with opened(tmp_path) as memory:
        ann = say(memory, "telegram:ann")
        for ask in (memory.search, memory.read):
            with pytest.raises(NotFound):
                ask("MEMORY.md", for_session="nobody")
    with opened(tmp_path, scope=Scope(user="bob")) as memory, pytest.raises(NotFound):
        memory.search("apple", for_session=ann)


def test_the_scope_still_narrows(tmp_path: Path) -> None:
    """An audience sees no more than the scope, and a scope no more than the audience."""
    with opened(tmp_path) as memory:
        private, group = say(memory, "telegram:42"), say(memory, GROUP)
        scope = Scope(session=private)
        assert memory.search("apple", scope=scope, for_session=group).hits == []
        assert len(memory.search("apple", scope=scope, for_session=private).hits) == 1


def test_citations_follow_who_reads_the_answer(tmp_path: Path) -> None:
    """A group is not told where things stand."""
    with opened(tmp_path) as memory:
        private, group = say(memory, "telegram:42"), say(memory, GROUP)
        assert memory.search("apple", for_session=group).hits[0].citation is None
        assert memory.search("apple", for_session=private).hits[0].citation


def test_changed_links_count_before_the_index_knows_them(tmp_path: Path) -> None:
    """Who was taken out of a group must not hear it, and still hears what is theirs."""
    with opened(tmp_path, "ann=telegram:1", "ann=discord:2") as memory:
        telegram, discord = say(memory, "telegram:1"), say(memory, "discord:2")
        memory.sync()
        assert heard(memory, telegram) == heard(memory, discord)
        assert len(heard(memory, telegram)) == 2
    with opened(tmp_path) as memory:
        result = memory.search("apple", for_session=telegram)
        assert {hit.snippet for hit in result.hits} == {"apple under telegram:1"}
        assert any("recollect reindex" in told for told in result.warnings)
        assert len(memory.search("apple").hits) == 3
        memory.sync()
        assert heard(memory, telegram) == {"apple under telegram:1"}


def test_a_fork_finds_what_it_shares_and_no_more(tmp_path: Path) -> None:
    """Of forks of forks too; what the parent said later is not the fork's."""
    with opened(tmp_path) as memory:
        sessions = memory.sessions
        root = sessions.create()
        sessions.append_many(root.id, [("user", f"apple {n}") for n in range(4)])
        branch = sessions.fork(root.id, 2)
        sessions.append(branch.id, "user", "apple of the branch")
        twig = sessions.fork(branch.id)
        sessions.append(branch.id, "user", "apple later")
        empty = sessions.fork(root.id, 0)

        def found(session: str) -> set[str]:
            hits = memory.search("apple", 100, scope=Scope(session=session)).hits
            return {hit.snippet for hit in hits}

        shared = {"apple 0", "apple 1", "apple of the branch"}
        assert found(twig.id) == shared
        assert found(branch.id) == {*shared, "apple later"}
        assert found(root.id) == {f"apple {n}" for n in range(4)}
        assert found(empty.id) == found("nobody") == set()


def test_what_is_imported_belongs_to_the_linked_person(tmp_path: Path) -> None:
    """It is found by her name, and in her visibility group."""
    lines = (
        '{"recollect": 1, "id": "s1", "key": "telegram:1"}',
        '{"role": "user", "content": "apple of before"}',
    )
    (tmp_path / "old.jsonl").write_text("\n".join(lines), "utf-8")
    with opened(tmp_path, "ann=telegram:1", "ann=discord:2") as memory:
        discord = say(memory, "discord:2")
        assert memory.import_transcripts(tmp_path / "old.jsonl").messages == 1
        found = memory.search("apple", sources=["sessions"], scope=Scope(user="ann")).hits
        assert {hit.snippet for hit in found} == {"apple of before", "apple under discord:2"}
        assert "apple of before" in heard(memory, discord)


def test_a_number_is_answered_as_far_as_the_asker_hears(tmp_path: Path) -> None:
    """Issue 11.1: first of the hits; one that may not be heard is as one that does not exist."""
    with opened(tmp_path, owner=("telegram:42",)) as memory:
        mine, group = say(memory, "telegram:42"), say(memory, GROUP)
        assert [hit.number for hit in memory.search("m2").hits][:1] == [2]
        for asking, numbers in ((mine, ["m1", "m2"]), (group, ["m2", "m1"])):
            heard_one, other = numbers
            (hit, *_) = memory.search(heard_one, for_session=asking).hits
            assert (hit.session_id, hit.score) == (asking, 1.0)
            unheard = memory.search(other, for_session=asking)
            assert unheard.hits == memory.search("m99", for_session=asking).hits
        found = memory.sessions.message("m1")
        assert memory.search(found.id).hits[0].ref == found.id
        assert memory.search("m1", sources=["memory"]).hits == memory.search("m99").hits
        assert memory.search("m1", scope=Scope(session=group)).hits == []
        assert memory.search("e1").hits == []
        memory.sessions.set_status(mine, "deleted")
        assert memory.search("m1").hits == []
