"""Erasing one conversation: nothing of it is left, nothing else goes, and it does not come back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251  # keeps a copy busy
import msgspec
import pytest

import recollect
from recollect.cli.output.status_lines import warnings_of
from recollect.core.clock import IdSource, SystemClock
from recollect.core.errors import Conflict, NotFound, StoreBusy
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.exchange.recover import recover
from recollect.governance.erasure import KnownErasures, erase_again
from recollect.governance.removal import LOCK_FILE
from recollect.hook.keeping import keep
from recollect.hook.spool import Spool
from recollect.index.indexing.indexer import Indexer
from recollect.memory import Memory
from recollect.sessions.record.tombstone import has_unfinished_erasure, tombstones
from recollect.sessions.streaming import FLUSH_CHARS
from recollect.store.columns import first_integer
from recollect.store.engine import Database
from recollect.store.locks import OwnerLock
from recollect.store.sqlite.database import SqliteDatabase, open_index, open_records
from recollect.store.sqlite.home import TRANSCRIPTS
from recollect.store.sqlite.integrity import find_damage
from tests.support.leftovers import files_that_hold
from tests.unit.index.old_index import fill_cache
from tests.unit.index.scripted import ScriptedEmbedder

LEXICAL = {"embedding.provider": "none"}
WORDS = (
    *("zorvexplum", "quibnavtitle", "drelkameta", "voxtunname", "hemtrilcall", "osprunresult"),
    *("mivlasummary", "tekpendinq", "wulfortpeer", "yandrekevent", "plimzofact", "grobnistream"),
)
"""One for each way in; none of them is part of another."""


def opened(home: Path, **options: object) -> Memory:
    """Return a memory without an embedder, and without a background."""
    return recollect.open(home, overrides=LEXICAL, live=False, **options)  # type: ignore[arg-type]


def said_everywhere(memory: Memory, words: Sequence[str] = WORDS) -> str:
    """Return a session that has one of the words in each place that takes text."""
    said, title, fact, name, call, result, summary, pending, peer, event, inside, stream = words
    sessions = memory.sessions
    key = f"agent:main:telegram:group:{peer}"
    session = sessions.create(key=key, title=title, metadata={"note": fact, "in": [inside]})
    sessions.append(session.id, "user", f"The {said} was said.", name=name, event_id=event)
    sessions.append(
        session.id,
        "assistant",
        [{"type": "tool_use", "id": "c1", "name": "t", "input": {"q": call}}],
    )
    sessions.append(
        session.id, "tool", [{"type": "tool_result", "tool_use_id": "c1", "content": result}]
    )
    with sessions.stream(session.id) as message:
        message.add(f"and {stream} came in pieces")
    sessions.history.add(key, pending, f"{pending} waits", message_id=pending)
    for number in range(30):
        sessions.append(session.id, "user", f"We decided on {summary} in round {number}.")
    sessions.compact(session.id)
    return session.id


def neighbour(memory: Memory) -> str:
    """Return a session that has nothing to do with it."""
    session = memory.sessions.create(title="The neighbour")
    memory.sessions.append(session.id, "user", "The gasket is MAG-4471.")
    return session.id


@contextmanager
def databases(home: Path) -> Iterator[tuple[SqliteDatabase, SqliteDatabase]]:
    """Give the block the records and the index of a home, which may be open."""
    open_each = (open_records, open_index)
    records, index = (each(home, StoreSettings(), SystemClock()) for each in open_each)
    try:
        yield records, index
    finally:
        records.close()
        index.close()


def count(database: Database, table: str) -> int:
    """Return how many rows a table has."""
    return database.read(lambda tx: first_integer(tx.row(f"SELECT count(*) FROM {table}")))  # noqa: S608


def back_up(home: Path, target: Path) -> None:
    """Copy the records, as a migration does."""
    with databases(home) as (records, _):
        records.back_up(target)


def count_rows(memory: Memory, session_id: str) -> int:
    """Return how many rows of the records name a session, events and the outbox included."""
    tables = ("messages", "tool_calls", "compactions", "events", "episodes", "prunings", "leases")
    with databases(memory.home) as (records, _):
        return sum(count(records, f"{table} WHERE session_id = '{session_id}'") for table in tables)


def test_no_byte_of_an_erased_conversation_is_left(tmp_path: Path) -> None:
    """Whatever way it came in; in no file of the home, in no encoding, in no free page."""
    home = tmp_path / "home"
    with opened(home) as memory:
        doomed, kept = said_everywhere(memory), neighbour(memory)
        memory.sync()
        assert memory.search("zorvexplum").hits
    assert [word for word in WORDS if not files_that_hold(home, word)] == []
    with opened(home) as memory:
        receipt = memory.erase(session_id=doomed)
        assert (receipt.session_ids, receipt.is_clean, receipt.warnings) == ((doomed,), True, ())
        assert receipt.counts["messages"] == 34
        assert receipt.counts["pending_messages"] == 1
        assert count_rows(memory, doomed) == 0
        assert memory.search("gasket").hits[0].session_id == kept
        with pytest.raises(NotFound):
            memory.sessions.get(doomed)
    assert {word: files_that_hold(home, word) for word in WORDS} == {word: [] for word in WORDS}
    assert files_that_hold(home, doomed) == []
    assert files_that_hold(home, "MAG-4471")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of a new home."""
    with opened(tmp_path / "home") as new:
        yield new


def talk(memory: Memory, word: str, **options: object) -> str:
    """Return a session with one message."""
    session = memory.sessions.create(**options)  # type: ignore[arg-type]
    memory.sessions.append(session.id, "user", f"{word} was said here")
    return session.id


def test_no_byte_is_left_while_the_program_goes_on(memory: Memory) -> None:
    """The last commit of an erasure takes out the id of the session, and its log is cut too."""
    doomed = talk(memory, "zorvexplum")
    assert memory.erase(session_id=doomed).is_clean
    assert files_that_hold(memory.home, doomed) == []
    assert files_that_hold(memory.home, "zorvexplum") == []


def test_a_dry_run_tells_what_goes_and_changes_nothing(memory: Memory) -> None:
    """The figures are those of the receipt."""
    session = said_everywhere(memory)
    dry = memory.erase(session_id=session, dry_run=True)
    messages = memory.sessions.messages(session)
    assert (dry.id, dry.dry_run, len(messages)) == (None, True, 34)
    assert dry.bytes > sum(len(message.text.encode()) for message in messages) > 0
    done = memory.erase(session_id=session)
    assert msgspec.structs.replace(done, id=None, dry_run=True, at=dry.at) == dry
    (event,) = [found.event for found in memory.events.since(types=["sessions.erased"])]
    assert (event.erasure_id, event.messages) == (done.id, 34)  # type: ignore[attr-defined]


def test_what_was_agreed_to_goes_and_nothing_that_came_in_since(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that came in after the dry run is erased only after another one."""
    session = said_everywhere(memory)
    fact = memory.facts.remember(None, "The harbour is closed.").fact.id
    selections: list[dict[str, Any]] = [{"session_id": session}, {"fact_id": fact}]
    plans = [memory.erase(**each, dry_run=True) for each in selections]

    def come_in(*_: object) -> None:
        memory.sessions.append(session, "user", "One more.")

    come_in()
    memory.facts.correct(fact, "The harbour is open.")
    before = memory.sessions.messages(session)
    with monkeypatch.context() as patched:  # the first thing that an erasure removes
        patched.setattr("recollect.governance.erasure.sweep_spool", come_in)
        for selection, plan in zip(selections, plans, strict=True):
            with pytest.raises(Conflict, match="has changed since the dry run"):
                memory.erase(**selection, plan_id=plan.plan_id)
        assert memory.sessions.messages(session) == before
        again = memory.erase(session_id=session, dry_run=True).plan_id
        with pytest.raises(Conflict, match="has changed since the dry run"):
            memory.erase(session_id=session, plan_id=again)
    assert len(memory.sessions.messages(session)) == len(before) + 1
    assert memory.facts.get(fact).text == "The harbour is open."
    for selection in selections:
        plan = memory.erase(**selection, dry_run=True)
        done = memory.erase(**selection, plan_id=plan.plan_id)
        assert (done.plan_id, done.is_clean) == (plan.plan_id, True)


def test_what_is_learnt_of_what_goes_changes_no_plan(memory: Memory) -> None:
    """A fact that is found in the background goes with its message; one by hand is shown first."""
    session = memory.sessions.create().id
    said = memory.sessions.append(session, "user", "Remember: I prefer apples.")
    every: dict[str, Any] = {"session_id": session}
    selections = [every, every | {"query": "apples"}]
    plans = [memory.erase(**each, dry_run=True).plan_id for each in selections]
    memory.sync()
    again = [memory.erase(**each, dry_run=True) for each in selections]
    assert [each.counts["facts"] for each in again] == [1, 1]
    assert [each.plan_id for each in again] == plans
    memory.facts.remember(None, "The apples are in the cellar.", source=said.id)
    for selection, plan_id in zip(selections, plans, strict=True):
        with pytest.raises(Conflict):
            memory.erase(**selection, plan_id=plan_id)


def test_the_plan_of_one_summary_is_not_that_of_another(tmp_path: Path) -> None:
    """Sessions that retention removed leave only summaries."""
    caps = LEXICAL | {"sessions.retention.max_sessions": 1}
    with recollect.open(tmp_path / "capped", overrides=caps, live=False) as memory:
        for word in ("plum", "pear", "fig"):
            session = memory.sessions.create(title=word)
            memory.sessions.append(session.id, "user", f"The {word} is ripe.")
        assert memory.prune().sessions == 2
        plums, pears = (memory.erase(query=word, dry_run=True) for word in ("plum", "pear"))
        assert plums.counts == pears.counts
        assert plums.counts["episodes"] == 1
        with pytest.raises(Conflict):
            memory.erase(query="plum", plan_id=pears.plan_id)
        assert memory.erase(query="plum", plan_id=plums.plan_id).is_clean


def test_what_lies_beside_the_databases_is_looked_through(tmp_path: Path) -> None:
    """Copies of before a migration, what was set aside, damaged copies, torn and edited mirrors."""
    home = tmp_path / "home"
    with opened(home) as memory:
        doomed, kept = said_everywhere(memory), talk(memory, "keptword")
        memory.sync()
        back_up(home, home / "records.db.before-0008")
    aside = home / "aside" / "20260101-120000"
    shutil.copytree(home / TRANSCRIPTS, aside / TRANSCRIPTS)
    for name in ("records.db", "index.db", "records.db.before-0008"):
        shutil.copy(home / name, aside / name)
    shutil.copy(home / "index.db", home / "index.db.damaged")
    whole = (home / "records.db").read_bytes()
    (home / "records.db.lost").write_bytes(b"\0" * 4096 + whole[4096:])
    (aside / "more").mkdir()
    (aside / "more" / "records.db-wal").write_bytes(whole)
    mirror = home / TRANSCRIPTS / f"{doomed}.jsonl"
    for end in (".torn", ".0123456789abcdef.edited", ".stray", ".1234abcd.odd"):
        shutil.copy(mirror, f"{mirror}{end}")
    shutil.copy(mirror, mirror.with_name(f".{mirror.name}.part"))
    with opened(home) as memory:
        receipt = memory.erase(session_id=doomed)
        assert (receipt.is_clean, receipt.warnings) == (True, ())
        assert [Path(path).name for path in receipt.damaged_copies] == [
            "records.db-wal",
            "records.db.lost",
        ]
    assert {word: files_that_hold(home, word) for word in WORDS} == {word: [] for word in WORDS}
    assert {f"{aside.relative_to(home)}/records.db", "records.db.before-0008"} < set(
        files_that_hold(home, "keptword")
    )
    shutil.copy(aside / "records.db", tmp_path / "records.db")
    copy = open_records(tmp_path, StoreSettings(), SystemClock())
    assert copy.read(lambda tx: tx.all("SELECT id FROM sessions")) == [(kept,)]
    assert find_damage(copy) == []
    copy.close()


def test_living_forks_are_named_and_go_only_when_told(memory: Memory) -> None:
    """They show the messages that they share; one that shares nothing stays."""
    session = said_everywhere(memory)
    fork = memory.sessions.fork(session, 5, title="the fork")
    memory.sessions.append(fork.id, "user", "forkword came later")
    further, apart = memory.sessions.fork(fork.id, 3), memory.sessions.fork(session, 0)
    memory.sessions.append(apart.id, "user", "apartword")
    with pytest.raises(Conflict) as refused:
        memory.erase(session_id=session)
    assert set(refused.value.facts["forks"]) == {fork.id, further.id}  # type: ignore[call-overload]
    receipt = memory.erase(session_id=session, with_forks=True)
    assert set(receipt.session_ids) == {session, fork.id, further.id}
    assert [left.id for left in memory.sessions.list()] == [apart.id]
    assert memory.sessions.messages(apart.id)[0].text == "apartword"
    memory.close()
    assert [files_that_hold(memory.home, word) for word in ("zorvexplum", "forkword")] == [[], []]


def test_a_deleted_fork_goes_with_what_it_shares(memory: Memory) -> None:
    """It could be restored."""
    session = talk(memory, "plum")
    fork = memory.sessions.fork(session)
    memory.sessions.set_status(fork.id, "deleted")
    assert set(memory.erase(session_id=session).session_ids) == {session, fork.id}


def test_a_fork_leaves_what_it_shares_to_its_parent(memory: Memory) -> None:
    """The receipt names it."""
    session = talk(memory, "plum")
    fork = memory.sessions.fork(session)
    memory.sessions.append(fork.id, "user", "forkword")
    receipt = memory.erase(session_id=fork.id)
    assert (receipt.shared_with, receipt.counts["messages"]) == ((session,), 1)
    assert memory.sessions.messages(session)[0].text.startswith("plum")


def test_a_fork_of_an_erased_fork_keeps_what_it_shares_with_the_first(memory: Memory) -> None:
    """It shares nothing of the erased one, which only stood between them."""
    session = talk(memory, "plum")
    shared = memory.sessions.messages(session)[0].text
    fork = memory.sessions.fork(session)
    memory.sessions.append(fork.id, "user", "forkword")
    further = memory.sessions.fork(fork.id, 1)
    memory.sessions.append(further.id, "user", "grandchild")
    memory.erase(session_id=fork.id)
    told = [message.text for message in memory.sessions.messages(further.id)]
    assert told == [shared, "grandchild"]
    assert memory.sessions.get(further.id).parent_id == session


def test_what_came_after_a_reset_stays(memory: Memory) -> None:
    """A reset under a key is another conversation; nothing names the one before it any more."""
    first = memory.sessions.create("telegram:42", session_id="plumword")
    memory.sessions.append(first.id, "user", "hello")
    second = memory.sessions.reset("telegram:42")
    memory.sessions.append(second.id, "user", "hello")
    apart = memory.sessions.fork(first.id, 0)
    memory.sessions.append(apart.id, "user", "hello")
    memory.sync()
    memory.heal_mirrors()
    assert len(files_that_hold(memory.home / TRANSCRIPTS, "plumword")) == 3
    memory.erase(session_id=first.id)
    assert memory.sessions.get(second.id).previous_id is None
    assert memory.heal_mirrors() == {"equal": 2}
    memory.close()
    assert files_that_hold(memory.home, "plumword") == []


def test_a_deleted_session_can_be_erased(memory: Memory) -> None:
    """To hide it was not enough."""
    session = talk(memory, "plumword")
    memory.sessions.set_status(session, "deleted")
    assert memory.erase(session_id=session).is_clean
    memory.close()
    assert files_that_hold(memory.home, "plumword") == []


def test_a_session_in_use_is_not_erased(memory: Memory) -> None:
    """As nothing else is done to it; who asks learns until when, as from every refusal."""
    session = talk(memory, "plum")
    with memory.sessions.hold(session) as held:
        with pytest.raises(Conflict, match="using the session") as refused:
            memory.erase(session_id=session, dry_run=True)
        assert refused.value.facts["expires_at"] == held.lease.expires_at
        assert "fork" not in refused.value.hint  # a fork would keep it from being erased
    assert memory.erase(session_id=session).is_clean


def test_only_the_scope_can_be_erased(tmp_path: Path) -> None:
    """Another tenant's session is not there."""
    home = tmp_path / "home"
    with opened(home) as memory:
        session = talk(memory, "plum")
    with (
        opened(home, scope=Scope(tenant="other")) as other,
        pytest.raises(NotFound, match="no such session"),
    ):
        other.erase(session_id=session)


def test_two_programs_do_not_erase_at_once(memory: Memory) -> None:
    """The second one is refused, before anything is changed."""
    session, lock = talk(memory, "plum"), OwnerLock(memory.home / LOCK_FILE, SystemClock())
    assert lock.acquire("erase")
    with pytest.raises(StoreBusy, match="is erasing"):
        memory.erase(session_id=session)
    lock.release()
    assert memory.sessions.messages(session)


def test_who_goes_on_with_an_erased_session_is_refused(memory: Memory) -> None:
    """Also with its id, which would be taken for the old one by an older copy of the home."""
    session = memory.sessions.create(session_id="of-mine")
    stream = memory.sessions.stream(session.id)
    memory.erase(session_id=session.id)
    for late in (
        lambda: stream.add("late\n" * FLUSH_CHARS),
        lambda: memory.sessions.append(session.id, "user", "late"),
        lambda: memory.sessions.resume(session.id),
        lambda: memory.erase(session_id=session.id),
    ):
        with pytest.raises(NotFound):
            late()
    for again in (memory.sessions.create, memory.sessions.start):
        with pytest.raises(Conflict, match="was erased"):
            again(session_id="of-mine")


def test_what_retention_left_of_a_session_can_be_erased(tmp_path: Path) -> None:
    """An episode quotes; the session itself is gone."""
    home, caps = tmp_path / "home", LEXICAL | {"sessions.retention.max_sessions": 1}
    with recollect.open(home, overrides=caps, live=False) as memory:
        session = memory.sessions.create(at=1_700_000_000_000)
        for number in range(20):
            memory.sessions.append(
                session.id, "user", f"We decided on the plumword {number}.", at=1_700_000_000_000
            )
        talk(memory, "new")
        assert memory.prune().session_ids == (session.id,)
    assert files_that_hold(home, "plumword")
    with opened(home) as memory:
        receipt = memory.erase(session_id=session.id)
        assert (receipt.counts["episodes"], receipt.is_clean) == (1, True)
        with pytest.raises(NotFound, match="was erased"):
            memory.erase(session_id=session.id)
    assert files_that_hold(home, "plumword") == []


def note_of(workspace: Path) -> Path:
    """Return the only file of notes of a workspace."""
    (path,) = (workspace / "memory").glob("*.md")
    return path


def test_flushed_lines_go_with_who_said_them(tmp_path: Path) -> None:
    """From the file and from the index; what another session said, or a person edited, stays."""
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir()
    with opened(home, workspace=workspace) as memory:
        doomed, other = memory.sessions.create(), memory.sessions.create()
        for text in ("plumword", "sharedword", "editword"):
            memory.sessions.append(doomed.id, "user", f"Remember: the code is {text}.")
        memory.sessions.append(other.id, "user", "Remember: the code is sharedword.")
        assert memory.sessions.flush(doomed.id).lines == 3
        memory.sessions.flush(other.id)
        note = note_of(workspace)
        note.write_text(note.read_text("utf-8").replace("editword.", "editword!"), "utf-8")
        memory.sync()
        assert {hit.source for hit in memory.search("plumword").hits} == {"memory", "sessions"}
    # The workspace is not the one of this opening: its file is in the index all the same.
    with opened(home) as memory:
        dry = memory.erase(session_id=doomed.id, dry_run=True)
        receipt = memory.erase(session_id=doomed.id)
        assert receipt.notes == dry.notes
        (notes,) = receipt.notes
        assert (notes.removed, notes.shared, notes.edited) == (1, 1, 1)
        (number,) = notes.edited_lines
        assert "editword!" in note.read_text("utf-8").splitlines()[number - 1]
    assert files_that_hold(tmp_path, "plumword") == files_that_hold(home, "editword") == []
    assert files_that_hold(workspace, "editword") == files_that_hold(workspace, "sharedword")
    with opened(home, workspace=workspace) as memory:
        assert [hit.source for hit in memory.search("editword").hits] == ["memory"]


def test_notes_of_guests_go_too(tmp_path: Path) -> None:
    """They are in the home."""
    settings = LEXICAL | {"sessions.owner": ["telegram:42"]}
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir()
    with recollect.open(home, workspace, overrides=settings, live=False) as memory:
        guest = memory.sessions.create(key="agent:main:telegram:acc:direct:7")
        memory.sessions.append(guest.id, "user", "Remember: the code is plumword.")
        assert memory.sessions.flush(guest.id).lines == 1
        memory.sync()
        assert memory.erase(session_id=guest.id).notes[0].removed == 1
    assert files_that_hold(tmp_path, "plumword") == []


def test_notes_that_cannot_be_changed_are_told(tmp_path: Path) -> None:
    """Where the workspace is not there now; a later opening goes on."""
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir()
    with opened(home, workspace=workspace) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "Remember: the code is plumword.")
        memory.sessions.flush(session.id)
    workspace.rename(tmp_path / "elsewhere")
    with opened(home) as memory:
        receipt = memory.erase(session_id=session.id)
        assert (receipt.is_clean, "could not be changed" in receipt.warnings[0]) == (False, True)
    (tmp_path / "elsewhere").rename(workspace)
    opened(home).close()
    assert files_that_hold(tmp_path, "plumword") == []


def foreign(path: Path, *texts: str) -> Path:
    """Write a transcript of Claude Code of one session."""
    lines = [
        {
            "type": "user",
            "sessionId": path.stem,
            "uuid": f"{path.stem}-{number}",
            "timestamp": "2026-05-01T10:00:00Z",
            "cwd": "/work",
            "message": {"role": "user", "content": said},
        }
        for number, said in enumerate(texts)
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_an_erased_session_is_not_imported_again(tmp_path: Path) -> None:
    """Not from the file as it was, grown, or rewritten; and the receipt names the file."""
    home, folder = tmp_path / "home", tmp_path / "claude"
    doomed, other = folder / "5b1f0000-1.jsonl", folder / "5b1f0000-2.jsonl"
    foreign(doomed, "plumword one"), foreign(other, "kept")
    with opened(home) as memory:
        memory.import_transcripts(folder)
        session = next(s for s in memory.sessions.list() if s.foreign_id == doomed.stem)
        assert memory.erase(session_id=session.id).still_held_by == (str(doomed),)
        assert memory.import_transcripts(folder).messages == 0
        foreign(doomed, "plumword one", "plumword two")
        report = memory.import_transcripts(folder)
        assert (report.messages, report.erased, report.sessions) == (0, 1, 0)
        foreign(doomed, "plumword rewritten")
        assert memory.import_transcripts(folder).messages == 0
        shutil.copy(doomed, folder / "copy.jsonl")
        assert memory.import_transcripts(folder).messages == 0
        assert len(memory.sessions.list()) == 1
    assert files_that_hold(home, "plumword") == []


def test_events_of_an_erased_session_go_out_of_the_spool(tmp_path: Path) -> None:
    """They wait there for a worker, which would bring it back; those of others stay."""
    home, folder = tmp_path / "home", tmp_path / "claude"
    doomed = foreign(folder / "5b1f0000-1.jsonl", "plumword one")
    with opened(home) as memory:
        memory.import_transcripts(folder)
        for name, said in ((doomed.stem, "plumword"), ("5b1f0000-2", "kept")):
            told = json.dumps({"session_id": name, "prompt": said}).encode()
            assert keep(home, "claude-code", "UserPromptSubmit", 1, told) is not None
        (session,) = memory.sessions.list()
        memory.erase(session_id=session.id, dry_run=True)
        assert Spool(home).state().events == 2
        shutil.copytree(home / "spool", home / "aside" / "20260501-100000" / "spool")
        assert memory.erase(session_id=session.id).is_clean
    assert files_that_hold(home, "plumword") == []
    assert Spool(home).state().events == 1


def test_what_is_strange_in_the_spool_does_not_stop_an_erasure(tmp_path: Path) -> None:
    """A file that the worker took meanwhile, as a link to it is; half of one by a killed hook."""
    home, folder = tmp_path / "home", tmp_path / "claude"
    doomed = foreign(folder / "5b1f0000-1.jsonl", "plumword one")
    with opened(home) as memory:
        memory.import_transcripts(folder)
        spool = Spool(home).folder
        spool.mkdir()
        (spool / "1-a.json").symlink_to(spool / "taken.json")
        half = f'{{"payload": {{"session_id": "{doomed.stem}", "prompt": "plumword'
        (spool / f".2-b.json.{'0' * 16}.part").write_text(half, "utf-8")
        (session,) = memory.sessions.list()
        assert memory.erase(session_id=session.id).is_clean
    assert files_that_hold(home, "plumword") == []


def test_an_erased_session_does_not_come_back_by_following(tmp_path: Path) -> None:
    """What grows is left out in silence."""
    doomed = foreign(tmp_path / "claude" / "5b1f0000-1.jsonl", "plumword one")
    follow = LEXICAL | {"workspace.transcripts": [str(doomed.parent)]}
    with recollect.open(tmp_path / "home", overrides=follow, live=False) as memory:
        memory.sync()
        (session,) = memory.sessions.list()
        memory.erase(session_id=session.id)
        foreign(doomed, "plumword one", "plumword two")
        memory.sync()
        assert (memory.sessions.list(), memory.search("plumword").hits) == ([], [])


def test_an_erased_session_does_not_come_back_by_a_recovery(tmp_path: Path) -> None:
    """Where the records are lost: neither from a mirror nor with the next import."""
    home, workspace, folder = tmp_path / "home", tmp_path / "workspace", tmp_path / "claude"
    workspace.mkdir()
    foreign(folder / "5b1f0000-1.jsonl", "plumword one")
    with opened(home, workspace=workspace) as memory:
        kept, own = talk(memory, "kept"), talk(memory, "Remember: the code is ownword. It")
        memory.sessions.flush(own)
        memory.import_transcripts(folder)
        mirrors = [home / TRANSCRIPTS / f"{s.id}.jsonl" for s in memory.sessions.list()]
        memory.close()
    old = {path: path.read_bytes() for path in mirrors}
    with opened(home, workspace=workspace) as memory:
        for session in memory.sessions.list():
            if session.id != kept:
                memory.erase(session_id=session.id)
    assert [files_that_hold(home, word) for word in ("plumword", "ownword", own)] == [[], [], []]
    for path, lines in old.items():
        path.write_bytes(lines)
    (home / "records.db").unlink()
    recover(home)
    (folder / "5b1f0000-1.jsonl").touch()
    with opened(home) as memory:
        assert memory.import_transcripts(folder).messages == 0
        assert [session.id for session in memory.sessions.list()] == [kept]


def test_what_was_exported_does_not_come_back(tmp_path: Path) -> None:
    """Our own JSON lines name the session by its id here."""
    with opened(tmp_path / "home") as memory:
        session = talk(memory, "plumword")
        memory.export_session(session, "jsonl").save(tmp_path / "out.jsonl")
        memory.erase(session_id=session)
        report = memory.import_transcripts(tmp_path / "out.jsonl")
        assert (report.messages, report.erased) == (0, 1)


def test_homes_that_a_restore_set_aside_are_named(tmp_path: Path) -> None:
    """They are outside of the home."""
    (tmp_path / "home.before-20260101").mkdir()
    with opened(tmp_path / "home") as memory:
        receipt = memory.erase(session_id=talk(memory, "plum"), dry_run=True)
        assert receipt.still_held_by == (str(tmp_path / "home.before-20260101"),)


def test_what_lies_beside_a_linked_home_is_named(tmp_path: Path) -> None:
    """A restore puts it beside the real one, whatever that is called; so with a killed one's."""
    (tmp_path / "real" / "my[home]").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "my[home]")
    beside = [tmp_path / "real" / f"my[home]{end}" for end in (".before-2026", ".restoring-ab")]
    for path in beside:
        path.mkdir()
    with opened(tmp_path / "link") as memory:
        receipt = memory.erase(session_id=talk(memory, "plum"), dry_run=True)
        assert receipt.still_held_by == tuple(map(str, beside))


def test_an_older_copy_of_the_records_is_erased_again(tmp_path: Path) -> None:
    """What was erased since goes again; imports know it from then on."""
    home, folder = tmp_path / "home", tmp_path / "claude"
    foreign(folder / "5b1f0000-1.jsonl", "plumword one")
    with opened(home) as memory:
        own = talk(memory, "ownword")
        memory.import_transcripts(folder)
        back_up(home, tmp_path / "backup.db")
        for session in memory.sessions.list():
            memory.erase(session_id=session.id)
    with databases(home) as (records, _):
        known = KnownErasures(records.read(tombstones))
    shutil.rmtree(home)
    home.mkdir()
    shutil.copy(tmp_path / "backup.db", home / "records.db")
    with opened(home) as memory:
        assert len(memory.sessions.list()) == 2
    with databases(home) as (records, _):
        assert erase_again(records, known, SystemClock(), IdSource(SystemClock())) == 2
        assert erase_again(records, known, SystemClock(), IdSource(SystemClock())) == 0
    with opened(home) as memory:
        assert memory.sessions.list() == []
        (folder / "5b1f0000-1.jsonl").touch()
        assert memory.import_transcripts(folder).messages == 0
        with pytest.raises(NotFound, match="was erased"):
            memory.erase(session_id=own)
    assert [files_that_hold(home, word) for word in ("plumword", "ownword")] == [[], []]


def test_indexes_of_agents_drop_it_too(tmp_path: Path) -> None:
    """Those with settings of their own; one whose agent has none any more goes whole."""
    home = tmp_path / "home"
    agents = {"agents": {"ops": {"search": {"limit": 3}}, "old": {"search": {"limit": 3}}}}
    (home / "config.yaml").parent.mkdir(mode=0o700)
    (home / "config.yaml").write_text(json.dumps(agents), "utf-8")
    for agent in ("ops", "old", None):
        with opened(home, scope=Scope(agent=agent)) as memory:
            talk(memory, f"{agent}word", key=f"agent:{agent or 'main'}:telegram:42")
            memory.sync()
    del agents["agents"]["old"]
    (home / "config.yaml").write_text(json.dumps(agents), "utf-8")
    assert {"agents/ops/index.db", "index.db"} < set(files_that_hold(home, "opsword"))
    with opened(home) as memory:
        (doomed,) = memory.sessions.list(agent="ops")
        receipt = memory.erase(session_id=doomed.id)
        assert (receipt.is_clean, receipt.warnings) == (True, ())
    assert files_that_hold(home, "opsword") == []
    assert not (home / "agents" / "old" / "index.db").exists()
    with opened(home, scope=Scope(agent="ops")) as memory:
        last = talk(memory, "lastword", key="agent:ops:telegram:43")
        memory.sync()
        assert memory.erase(session_id=last).is_clean
    assert files_that_hold(home, "lastword") == []


def test_vectors_and_their_cache_go(tmp_path: Path) -> None:
    """Also a generation of the index that was never finished."""
    home = tmp_path / "home"
    with (
        recollect.open(home, embedder=ScriptedEmbedder(), live=False) as memory,
        databases(home) as (_, index),
    ):
        session = talk(memory, "plumword")
        memory.sync()
        fill_cache(index)
        for table in ("vectors", "embedding_cache", "terms"):
            assert count(index, table) > 0
        index.write(lambda tx: tx.execute("UPDATE generations SET status = 'building'"))
        memory.search("plumword")
        assert count(index, "generations") == 2
        assert memory.erase(session_id=session).is_clean
        for table in ("vectors", "embedding_cache", "terms", "chunks", "postings", "tail", "names"):
            assert (table, count(index, table)) == (table, 0)
        assert count(index, "generations") == 1
    assert files_that_hold(home, "plumword") == []


def test_fts5_forgets_it_too(tmp_path: Path) -> None:
    """Where it finds the words."""
    fts5 = LEXICAL | {"search.lexical.backend": "fts5"}
    with recollect.open(tmp_path / "home", overrides=fts5, live=False) as memory:
        session = talk(memory, "plumword")
        memory.sync()
        assert memory.search("plumword").hits
        memory.erase(session_id=session)
    assert files_that_hold(tmp_path / "home", "plumword") == []


def test_what_could_not_be_done_is_told_and_done_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that cannot take it in; nothing is pretended."""
    home = tmp_path / "home"
    with opened(home) as memory:
        session = talk(memory, "plumword")
        memory.sync()
        with monkeypatch.context() as patch:
            patch.setattr(Indexer, "drop_others", lambda _: False)
            receipt = memory.erase(session_id=session)
        assert (receipt.is_clean, "recollect sync" in receipt.warnings[0]) == (False, True)
        assert memory.sessions.list() == []
    opened(home).close()
    with databases(home) as (records, _):
        assert not records.read(has_unfinished_erasure)
    assert files_that_hold(home, "plumword") == files_that_hold(home, session) == []


def test_a_copy_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The next opening tries again, and an opening never fails for it."""
    home = tmp_path / "home"
    with opened(home) as memory:
        session = talk(memory, "plumword")
        back_up(home, home / "records.db.before-0008")
        busy = apsw.Connection(str(home / "records.db.before-0008"))
        busy.execute("BEGIN IMMEDIATE")
        receipt = memory.erase(session_id=session)
        assert (receipt.is_clean, "busy" in receipt.warnings[0]) == (False, True)
    with opened(home) as memory:
        assert memory.status().erasing
        assert "an erasure is not finished" in warnings_of(memory.status())[-1]
    assert files_that_hold(home, "plumword") == ["records.db.before-0008"]
    busy.close(force=True)
    with opened(home) as memory:
        assert not memory.status().erasing
    assert files_that_hold(home, "plumword") == []
