"""Flushed notes are found by whom they are of, and go with the sessions that said them."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.governance.aside import set_home_aside
from recollect.index.model.document import SourceState
from recollect.memory import Memory
from recollect.recall.memory_source import MemorySource
from recollect.text.withheld import line_hash
from recollect.workspace.memory_folder import MemoryFolder

OWNER, ANN, BOB = "telegram:42", "telegram:43", "telegram:44"
GROUP = "agent:main:telegram:group:-100"


def opened(folder: Path, *links: str, scope: Scope | None = None, **more: object) -> Memory:
    """Return a memory without a model whose owner is 42 on Telegram."""
    workspace = folder / "workspace"
    (workspace / "memory").mkdir(parents=True, exist_ok=True)
    overrides = {
        "embedding.provider": "none",
        "sessions.owner": [OWNER],
        "sessions.identity_links": list(links),
        **{name.replace("__", "."): value for name, value in more.items()},
    }
    return recollect.open(folder / "home", workspace, overrides=overrides, scope=scope)


def flushed(memory: Memory, key: str, text: str) -> str:
    """Return a session in which something was said and flushed."""
    session = memory.sessions.create(key=key)
    memory.sessions.append(session.id, "user", text)
    assert memory.sessions.flush(session.id).outcome == "flushed"
    return session.id


def noted(memory: Memory, key: str | None, query: str = "apple") -> dict[str, str]:
    """Return the notes that a new chat under a key finds, text by path; all for None."""
    asking = None if key is None else memory.sessions.create(key=key).id
    found = memory.search(query, 100, sources=["memory"], for_session=asking)
    return {str(hit.path): hit.snippet for hit in found.hits}


def is_guests(path: str) -> bool:
    """Return whether a path is one of a guest's notes."""
    return path.startswith("notes/")


def test_a_guests_notes_are_heard_by_that_guest_and_the_owner(tmp_path: Path) -> None:
    """Not by other guests and groups; the operator hears all."""
    with opened(tmp_path) as memory:
        flushed(memory, ANN, "I always eat one apple.")
        flushed(memory, BOB, "I never eat an apple.")
        heard = {
            key: sorted(text for path, text in noted(memory, key).items() if is_guests(path))
            for key in (ANN, BOB, OWNER, GROUP, "telegram:45", None)
        }
        ann, bob = heard[ANN], heard[BOB]
        assert ["always" in each for each in ann] == [True]
        assert ["never" in each for each in bob] == [True]
        assert heard[OWNER] == heard[None] == sorted(ann + bob)
        assert heard[GROUP] == heard["telegram:45"] == []
        assert not list((tmp_path / "workspace").rglob("*.md"))


def test_a_note_is_read_by_whom_it_is_heard(tmp_path: Path) -> None:
    """To others it is as if no such file could be; with or without its being there."""
    with opened(tmp_path) as memory:
        session = flushed(memory, ANN, "I always eat one apple.")
        (path,) = filter(is_guests, noted(memory, ANN))
        for asking in (None, session, memory.sessions.create(key=OWNER).id):
            assert "one apple" in memory.read(path, for_session=asking).text
        nowhere = f"notes/{'0' * 32}/2026-02-10.md"
        for key in (BOB, GROUP):
            asking = memory.sessions.create(key=key).id
            refusals = []
            for wanted in (path, nowhere):
                with pytest.raises(Denied) as caught:
                    memory.read(wanted, for_session=asking)
                refusals.append((caught.value.message, caught.value.hint))
            assert len(set(refusals)) == 1
        assert memory.read(nowhere).status == "not_found"
        (tmp_path / "home" / "notes" / "own.md").write_text("apple")
        assert len(noted(memory, None)) == 1
        with pytest.raises(Denied):
            memory.read("notes/own.md")


def test_a_note_is_read_in_no_other_tenant_and_by_no_other_agent(tmp_path: Path) -> None:
    """Whoever knows a path: it follows from a tenant and an account."""
    with opened(tmp_path) as memory:
        flushed(memory, ANN, "I always eat one apple.")
        (path,) = filter(is_guests, noted(memory, ANN))
    for scope in (Scope(tenant="other"), Scope(agent="work"), Scope(user="bob")):
        with opened(tmp_path, scope=scope) as memory:
            assert memory.read(path).status == "not_found"
            if scope.user is None:
                asking = memory.sessions.create().id
                assert memory.read(path, for_session=asking).status == "not_found"


def test_linked_accounts_hear_each_others_notes(tmp_path: Path) -> None:
    """Also those that were written before they were linked."""
    with opened(tmp_path) as memory:
        flushed(memory, ANN, "I always eat one apple.")
        assert not noted(memory, "slack:ann")
    with opened(tmp_path, f"ann={ANN}", "ann=slack:ann") as memory:
        memory.sync()
        assert len(noted(memory, "slack:ann")) == len(noted(memory, ANN)) == 1
        assert not noted(memory, BOB)


def test_another_tenant_has_other_notes(tmp_path: Path) -> None:
    """Though its guest has the same account."""
    with opened(tmp_path, scope=Scope(tenant="other")) as memory:
        flushed(memory, ANN, "I always eat one apple.")
    with opened(tmp_path) as memory:
        assert not noted(memory, ANN)
        assert not noted(memory, None)
    with opened(tmp_path, scope=Scope(tenant="other")) as memory:
        assert len(noted(memory, ANN)) == 1


def test_an_agent_with_an_index_of_its_own_has_its_own_notes(tmp_path: Path) -> None:
    """As it has its own sessions only."""
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "config.yaml").write_text(
        "agents:\n  writer:\n    search:\n      limit: 9\n"
    )
    with opened(tmp_path) as memory:
        flushed(memory, "agent:writer:telegram:default:direct:43", "I always eat one apple.")
        flushed(memory, "agent:main:telegram:default:direct:43", "I never eat an apple.")
    with opened(tmp_path, scope=Scope(agent="writer")) as memory:
        (text,) = noted(memory, None).values()
        assert "one apple" in text


@pytest.mark.parametrize("key", [OWNER, ANN])
def test_deleting_a_session_hides_its_lines_and_restoring_shows_them(
    tmp_path: Path, key: str
) -> None:
    """In searches and readings, at once; the file stays as it is, and lines keep their numbers."""
    with opened(tmp_path) as memory:
        session = flushed(memory, key, "I always eat one apple.")
        flushed(memory, key, "I never eat a pear.")
        ((path, _),) = noted(memory, key).items()
        shown = memory.read(path).text
        memory.sessions.set_status(session, "deleted")
        assert not any("one apple" in text for text in noted(memory, key).values())
        lines = memory.read(path).text.split("\n")
        assert (len(lines), lines[2], "pear" in lines[3]) == (4, "", True)
        stored = next(tmp_path.glob(f"*/{path}")).read_text()
        assert stored == shown + "\n"
        memory.sessions.set_status(session, "active")
        assert "one apple" in noted(memory, key)[path]
        assert memory.read(path).text == shown


@pytest.fixture
def _files_are_seldom_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where there are so many that a look takes long."""
    monkeypatch.setattr("recollect.recall.memory_source.CHEAP_S", -1.0)
    monkeypatch.setattr("recollect.recall.memory_source._REST", 1e12)


@pytest.mark.usefixtures("_files_are_seldom_looked_at")
def test_a_large_workspace_is_looked_at_when_lines_are_hidden(tmp_path: Path) -> None:
    """Though its files are not looked at before every search."""
    (tmp_path / "MEMORY.md").write_text("- apple\n- pear\n")
    hidden: dict[str, frozenset[bytes]] = {}
    folder = MemoryFolder(tmp_path, redactor=None, withheld=lambda: dict(hidden))
    source = MemorySource(folder, Scope())
    (before,) = source.batches(SourceState(0, {}))
    assert not source.is_behind(0)
    hidden[str(tmp_path / "MEMORY.md")] = frozenset({line_hash(b"- apple")})
    assert source.is_behind(0)
    known = {each.ref: each.stamp or "" for each in before.documents}
    (after,) = source.batches(SourceState(0, known))
    assert [each.text for each in after.documents] == ["\n- pear\n"]
    assert not source.is_behind(0)


@pytest.mark.usefixtures("_files_are_seldom_looked_at")
def test_a_scan_counts_once_what_it_found_is_written(tmp_path: Path) -> None:
    """A search beside the background found nothing in files that were listed and not yet read."""
    (tmp_path / "MEMORY.md").write_text("- apple\n")
    source = MemorySource(MemoryFolder(tmp_path, redactor=None), Scope())
    batches = source.batches(SourceState(0, {}))
    assert [each.text for each in next(batches).documents] == ["- apple\n"]
    assert source.is_behind(0), "nobody wrote it yet"
    assert len(list(source.batches(SourceState(0, {}, answers=False)))) == 1
    assert source.is_behind(0), "it went where no search looks"
    assert len(list(source.batches(SourceState(0, {})))) == 1
    assert not source.is_behind(0)


def test_notes_that_a_person_changes_or_removes_are_found_as_they_are(tmp_path: Path) -> None:
    """They are files like others."""
    with opened(tmp_path) as memory:
        flushed(memory, ANN, "I always eat one apple.")
        (path,) = noted(memory, ANN)
        note = tmp_path / "home" / path
        note.write_text("- one apple pie\n")
        assert "pie" in noted(memory, ANN)[path]
        note.unlink()
        note.parent.rmdir()
        note.parent.parent.rmdir()
        assert not noted(memory, ANN)


def test_notes_of_which_nothing_says_whose_they_are_are_not_heard(tmp_path: Path) -> None:
    """A folder that somebody put there."""
    folder = tmp_path / "home" / "notes" / ("0" * 32)
    folder.mkdir(parents=True)
    (tmp_path / "home").chmod(0o700)
    (folder / "2026-02-10.md").write_text("- one apple\n")
    with opened(tmp_path) as memory:
        assert not noted(memory, None)
        asking = memory.sessions.create(key=ANN).id
        with pytest.raises(Denied):
            memory.read(f"notes/{'0' * 32}/2026-02-10.md", for_session=asking)


def test_a_fresh_start_sets_the_notes_aside_with_the_records(tmp_path: Path) -> None:
    """What was moved is a home, and in the new one a guest's old notes do not come back."""
    with opened(tmp_path) as memory:
        flushed(memory, ANN, "I always eat one apple.")
        before = noted(memory, ANN)
    aside = set_home_aside(tmp_path / "home", SystemClock())
    assert aside is not None
    with opened(tmp_path) as memory:
        flushed(memory, ANN, "I never eat a pear.")
        assert noted(memory, ANN) == {}
        assert len(noted(memory, ANN, "pear")) == 1
    with recollect.open(
        aside, overrides={"embedding.provider": "none", "sessions.owner": [OWNER]}
    ) as memory:
        assert noted(memory, ANN) == before


@pytest.mark.parametrize("key", [OWNER, ANN])
def test_erasing_a_session_leaves_no_byte_of_its_lines(tmp_path: Path, key: str) -> None:
    """Neither in the notes nor in what is indexed of them; lines of others stay and are found."""
    with opened(tmp_path) as memory:
        session = flushed(memory, key, "I always eat one pomegranate.")
        flushed(memory, key, "I never eat an apple.")
        memory.sync()
        assert noted(memory, key, "pomegranate")
        assert [each.removed for each in memory.erase(session_id=session).notes] == [1]
        assert not noted(memory, key, "pomegranate")
        assert noted(memory, key)
    left = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and b"pomegranate" in path.read_bytes()
    ]
    assert left == []
