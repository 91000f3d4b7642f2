"""The session store of OpenClaw 2026.9, imported and followed through the facade.

What is expected comes from running its gateway: the shapes, the branches, what a rewind copies.
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw  # noqa: TID251 - it holds the lock of another process
import pytest

import recollect
from recollect.core.errors import StoreBusy
from recollect.exchange.formats.openclaw_store import open_store, stores_elsewhere
from recollect.exchange.report import ImportReport
from recollect.memory import Memory
from recollect.sessions.record.session import Session
from tests.support.openclaw_store import WrittenStore, write_state

ANA, GROUP = "agent:main:telegram:direct:501", "agent:main:telegram:group:-100"
LEXICAL: dict[str, object] = {"embedding.provider": "none"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WrittenStore]:
    """A store that the gateway has open."""
    with closing(WrittenStore(tmp_path / "state")) as written:
        yield written


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that follows nothing."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as opened:
        yield opened


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Memory]:
    """A memory that follows the agents of the store."""
    followed = {"workspace.transcripts": [str(tmp_path / "state" / "agents")]}
    with recollect.open(tmp_path / "home", overrides=LEXICAL | followed) as opened:
        yield opened


def run(memory: Memory, store: WrittenStore, *, include_deleted: bool = False) -> ImportReport:
    """Import everything below the folder of the agents."""
    folder = store.path.parents[2]
    return memory.import_transcripts(folder, "openclaw", include_deleted=include_deleted)


def texts(memory: Memory, session: Session) -> list[str]:
    """Return what is said in a session."""
    return [message.text for message in memory.sessions.messages(session.id)]


def only(memory: Memory, key: str) -> Session:
    """Return the one session of a key."""
    (session,) = memory.sessions.list(key=key)
    return session


def test_a_store_is_imported_once_and_then_what_is_new(memory: Memory, store: WrittenStore) -> None:
    """At first everything is in the log beside the store, which the gateway holds open."""
    store.window(ANA, "s1", label="Trip")
    store.person("s1", "The ferry leaves at nine.", "501")
    store.say("s1", "assistant", [{"type": "text", "text": "Noted. " + "Nine it is. " * 200}])
    report = run(memory, store)
    assert (report.files, report.sessions, report.messages) == (1, 1, 2)
    session = only(memory, ANA)
    assert (session.title, session.foreign_id, session.project) == ("Trip", "s1", "/home/ana")
    assert run(memory, store).unchanged == 1
    store.person("s1", "And the museum at ten.", "501")
    assert run(memory, store).messages == 1
    assert texts(memory, session)[::2] == ["The ferry leaves at nine.", "And the museum at ten."]


def test_what_is_copied_at_a_rewind_comes_once_and_the_way_left_stays(
    memory: Memory, store: WrittenStore
) -> None:
    """The new window goes on from the old one like a fork, under the same key."""
    store.window(ANA, "s1")
    first = store.person("s1", "The queen is blue.", "501")
    store.person("s1", "Is blue for 2025?", "501")
    store.rewind(ANA, "s2", "s1", first)
    store.person("s2", "Which colour is for 2026?", "501")
    report = run(memory, store)
    assert (report.sessions, report.messages, report.duplicates) == (2, 3, 1)
    new, old = memory.sessions.list(key=ANA)
    assert (new.parent_id, new.forked_at_seq) == (old.id, 1)
    assert texts(memory, new) == ["The queen is blue.", "Which colour is for 2026?"]
    assert texts(memory, old) == ["The queen is blue.", "Is blue for 2025?"]
    store.rewind(ANA, "s3", "s2", first)
    store.person("s3", "Never mind the colour.", "501")
    assert run(memory, store).messages == 1
    newest = memory.sessions.list(key=ANA)[0]
    assert texts(memory, newest) == ["The queen is blue.", "Never mind the colour."]
    assert memory.sessions.latest() == newest


def test_a_copy_of_a_window_that_nobody_has_is_taken_whole(
    memory: Memory, store: WrittenStore
) -> None:
    """The session that it went on from was deleted here, so there is nothing to share."""
    store.window(ANA, "s1")
    first = store.person("s1", "The queen is blue.", "501")
    run(memory, store)
    memory.sessions.set_status(only(memory, ANA).id, "deleted")
    store.rewind(ANA, "s2", "s1", first)
    store.person("s2", "Which colour is for 2026?", "501")
    run(memory, store)
    (new,) = memory.sessions.list(key=ANA, status="active")
    assert new.parent_id is None
    assert texts(memory, new) == ["The queen is blue.", "Which colour is for 2026?"]


def test_windows_without_copies_are_sessions_of_their_own(
    memory: Memory, store: WrittenStore
) -> None:
    """A rollover begins with nothing; a window named as its own past does no harm."""
    store.window(ANA, "s1", previous="s2")
    store.person("s1", "Old words.", "501")
    store.window(ANA, "s2", previous="s1")
    store.person("s2", "New words.", "501")
    store.window(GROUP, "s3", previous="s1")
    store.person("s3", "Crew words.", "501")
    run(memory, store)
    assert [session.parent_id for session in memory.sessions.list()] == [None] * 3


def test_the_active_branch_is_what_the_index_says_or_the_way_up_from_the_leaf(
    memory: Memory, store: WrittenStore
) -> None:
    """A compaction and a reset are passed; what was appended aside does not count."""
    store.window(ANA, "s1")
    kept = store.person("s1", "Kept.", "501")
    store.person("s1", "Left.", "501")
    store.leaf("s1", kept)
    store.entry("s1", type="compaction", summary="We kept it.")
    store.entry("s1", type="reset", reason="reset")
    after = store.person("s1", "After.", "501")
    store.event("s1", {"type": "leaf", "id": "l", "targetId": after, "appendMode": "side"})
    store.event("s1", {"type": "message", "id": "aside", "parentId": kept, "message": {}})
    store.event("s1", {"type": "message", "id": "odd"} | {"parentId": 7})
    run(memory, store)
    assert texts(memory, only(memory, ANA)) == ["Kept.", "We kept it.", "After."]
    store.window(GROUP, "s2")
    store.person("s2", "Not active.", "501")
    store.person("s2", "Active.", "501")
    store.index("s2", [2])
    run(memory, store)
    assert texts(memory, only(memory, GROUP)) == ["Active."]


def test_a_branch_that_changes_is_read_again(memory: Memory, store: WrittenStore) -> None:
    """What was on another branch at first comes when it is gone back to."""
    store.window(ANA, "s1")
    first = store.person("s1", "One.", "501")
    second = store.person("s1", "Two.", "501")
    store.leaf("s1", first)
    store.person("s1", "Three.", "501")
    run(memory, store)
    assert texts(memory, only(memory, ANA)) == ["One.", "Three."]
    store.leaf("s1", second)
    store.person("s1", "Four.", "501")
    run(memory, store)
    assert texts(memory, only(memory, ANA)) == ["One.", "Three.", "Two.", "Four."]


def test_another_generation_is_read_from_its_top(memory: Memory, store: WrittenStore) -> None:
    """The same seq may hold another event then; what is known comes no second time."""
    store.window(ANA, "s1")
    store.person("s1", "One.", "501")
    run(memory, store)
    store.rewrite("s1", "g2")
    report = run(memory, store)
    assert (report.unchanged, report.messages, report.duplicates) == (0, 0, 1)
    assert run(memory, store).unchanged == 1


def test_an_event_without_an_id_is_told_by_what_it_says(
    memory: Memory, store: WrittenStore
) -> None:
    """Also when the import goes on behind it."""
    store.window(ANA, "s1")
    nameless = {"type": "message", "message": {"role": "user", "content": "Again."}}
    for _ in range(2):
        store.event("s1", nameless | {"id": None})
    store.index("s1", [0, 1, 2])
    run(memory, store)
    store.event("s1", nameless | {"id": None})
    store.index("s1", [0, 1, 2, 3])
    run(memory, store)
    assert texts(memory, only(memory, ANA)) == ["Again."] * 3


def test_a_call_through_the_wrapper_is_one_call_of_the_true_tool(
    memory: Memory, store: WrittenStore
) -> None:
    """The gateway writes it three times: wrapped, as itself, and the answer of the wrapper."""
    store.window(ANA, "s1")
    store.person("s1", "Count the ferries.", "501")
    wrapped = {"id": "openclaw:core:count", "args": {"what": "ferries"}}
    call = {"type": "toolCall", "id": "c1", "name": "tool_call", "arguments": wrapped}
    odd = {"type": "toolCall", "id": "c2", "name": "tool_call", "arguments": "broken"}
    store.say("s1", "assistant", [call, odd])
    nested = {"toolName": "count", "parentToolCallId": "c1", "result": {"content": []}}
    store.say("s1", "custom", "", customType="openclaw.nested-tool.v1", details=nested)
    answer = {"tool": {"name": "count"}, "result": {"content": [{"type": "text", "text": "12"}]}}
    told = {"toolCallId": "c1", "toolName": "tool_call", "details": answer}
    store.say("s1", "toolResult", [{"type": "text", "text": '{"tool": 1}'}], **told)
    assert run(memory, store).malformed_count == 0
    _, called, answered = memory.sessions.messages(only(memory, ANA).id)
    assert called.text.startswith("count: what=ferries")
    assert [getattr(block, "name", None) for block in called.blocks] == ["count", "tool_call"]
    assert answered.text == "12"


def test_copies_for_delivery_are_left_out_and_prompts_of_machines_are_no_persons(
    memory: Memory, store: WrittenStore
) -> None:
    """They carry a provenance; the task of a sub-agent is known by the key."""
    store.window(ANA, "s1")
    store.say("s1", "assistant", [{"type": "text", "text": "Noted."}])
    mirror = {"provider": "openclaw", "model": "delivery-mirror"}
    store.say("s1", "assistant", [{"type": "text", "text": "Noted."}], **mirror)
    poll = {"kind": "internal_system", "sourceTool": "heartbeat"}
    store.say("s1", "user", "[OpenClaw heartbeat poll]", provenance=poll)
    store.person("s1", "Hello.", "501", provenance={"kind": "external_user"})
    store.window("agent:main:subagent:x", "s2", spawned_by=ANA)
    store.say("s2", "user", "[Subagent Context] Count.")
    run(memory, store)
    said = memory.sessions.messages(only(memory, ANA).id)
    assert [m.role for m in said] == ["assistant", "system", "user"]
    task = memory.sessions.messages(only(memory, "agent:main:subagent:x").id)
    assert [m.role for m in task] == ["system"]


def test_following_takes_people_only(follower: Memory, store: WrittenStore) -> None:
    """Not heartbeats with what answers them, nor what cron jobs and their children do."""
    store.window(ANA, "s1")
    store.person("s1", "The ferry leaves at nine.", "501")
    poll = {"kind": "internal_system", "sourceTool": "heartbeat"}
    store.say("s1", "user", "[OpenClaw heartbeat poll]", provenance=poll)
    store.say("s1", "assistant", "Nothing to report.")
    store.window("agent:main:cron:job", "s2", created_via="cron")
    store.say("s2", "user", "Write the brief.")
    store.window("agent:main:child", "s3", parent="agent:main:cron:job")
    store.say("s3", "user", "Write a chapter.")
    store.window("agent:main:grandchild", "s4", spawned_by="agent:main:child")
    store.say("s4", "user", "Write a line.")
    store.window("agent:main:unmarked", "s5", created_via="cron")
    store.say("s5", "user", "Write more.")
    follower.sync()
    assert [session.key for session in follower.sessions.list()] == [ANA]
    assert texts(follower, only(follower, ANA)) == ["The ferry leaves at nine."]
    (hit,) = follower.search("ferry").hits
    assert (hit.session_id, hit.seq) == (only(follower, ANA).id, 1)
    store.person("s1", "And back at six.", "501")
    follower.sync()
    assert texts(follower, only(follower, ANA))[-1] == "And back at six."


def test_what_is_deleted_there_is_marked_deleted_here_once(
    follower: Memory, store: WrittenStore
) -> None:
    """A deletion leaves an archive or a tombstone. What a person brings back here stays."""
    for number, key in enumerate((ANA, GROUP, "agent:main:main"), start=1):
        store.window(key, f"s{number}")
        store.person(f"s{number}", f"The secret of {number} is a zebra.", "501")
    follower.sync()
    assert len({hit.session_id for hit in follower.search("zebra").hits}) == 3
    store.delete("s1", ANA)
    store.forget("s2")
    store.entomb("s2")
    store.forget("s3")  # tidied away, not deleted by anybody
    follower.sync()
    status = {session.key: session.status for session in follower.sessions.list()}
    assert status["agent:main:main"] == "active"
    assert "deleted" in {s.status for s in follower.sessions.list(key=ANA, status="deleted")}
    assert {hit.session_id for hit in follower.search("zebra").hits} == {
        only(follower, "agent:main:main").id
    }
    (back,) = follower.sessions.list(key=ANA, status="deleted")
    follower.sessions.set_status(back.id, "active")
    follower.sync()
    assert only(follower, ANA).status == "active"


def test_archives_of_resets_come_and_deleted_ones_if_wanted(
    memory: Memory, store: WrittenStore
) -> None:
    """The store keeps them whole; a session that is asked for by name of the option is wanted."""
    store.archive("s1", ANA, "reset", "Before the reset.", encoding="identity")
    store.archive("s2", GROUP, "deleted", "The zebra was here.")
    assert run(memory, store).messages == 1
    assert only(memory, ANA).agent == "main"
    assert run(memory, store, include_deleted=True).messages == 1
    assert texts(memory, only(memory, GROUP)) == ["The zebra was here."]


def test_a_deleted_session_that_a_person_wanted_is_not_taken_again(
    follower: Memory, store: WrittenStore
) -> None:
    """Whoever imports an archive of a deletion knows of the deletion."""
    store.archive("s2", GROUP, "deleted", "The zebra was here.")
    run(follower, store, include_deleted=True)
    for _ in range(2):
        follower.sync()
        assert texts(follower, only(follower, GROUP)) == ["The zebra was here."]
        assert only(follower, GROUP).status == "active"


@pytest.mark.parametrize("in_file", [True, False])
def test_a_cold_transcript_is_read_where_it_went(
    memory: Memory, store: WrittenStore, in_file: bool
) -> None:
    """Its window stays, its events are in one packed value or file."""
    store.window(ANA, "s1")
    store.window(GROUP, "s2")
    store.connection.execute("DELETE FROM transcript_events WHERE session_id = 's2'")
    store.cool("s1", "Long ago.", in_file=in_file)
    run(memory, store)
    assert texts(memory, only(memory, ANA)) == ["Long ago."]
    assert run(memory, store).unchanged == 1


def test_a_cold_file_that_is_gone_brings_nothing(memory: Memory, store: WrittenStore) -> None:
    """It is named, and the rest of the store is read."""
    store.window(ANA, "s1")
    store.cool("s1", in_file=True)
    (store.path.parents[1] / "sessions" / "cold" / "c.jsonl.zst").unlink()
    store.window(GROUP, "s2")
    store.person("s2", "Still here.", "501")
    report = run(memory, store)
    assert (report.messages, report.malformed_count) == (1, 1)
    assert report.malformed[0].reason == "not read: the archive is missing or damaged"


def test_an_event_that_cannot_be_unpacked_is_counted(memory: Memory, store: WrittenStore) -> None:
    """The others come; without the index the branch is found all the same."""
    store.window(ANA, "s1")
    store.person("s1", "long " * 400, "501")
    store.person("s1", "Short.", "501")
    store.index("s1", [1, 2])
    for damage in (b"no frame", b""):
        sql = "UPDATE transcript_events SET event_zstd = ? WHERE seq = 1"
        store.connection.execute(sql, (damage,))
        store.rewrite("s1", damage.decode() or "empty")
        report = run(memory, store)
        assert [line.reason for line in report.malformed] == ["no JSON"]
    assert texts(memory, only(memory, ANA)) == ["Short."]
    store.connection.execute("DELETE FROM session_transcript_index_state")
    store.rewrite("s1", "g9")
    assert run(memory, store).messages == 0


@pytest.mark.parametrize(
    ("version", "says"), [(24, "a newer OpenClaw"), (18, "no store of OpenClaw 2026.9")]
)
def test_a_store_of_another_version_is_named_and_refused(
    tmp_path: Path, version: int, says: str
) -> None:
    """Never "0 new, in step": a report, and a warning while it is followed."""
    with closing(WrittenStore(tmp_path / "state", version=version)) as store:
        followed = {"workspace.transcripts": [str(store.path)]}
        with recollect.open(tmp_path / "home", overrides=LEXICAL | followed) as memory:
            report = run(memory, store)
            assert (report.files, report.messages, report.malformed_count) == (1, 0, 1)
            (line,) = report.malformed
            assert line.path == str(store.path)
            assert says in line.reason
            assert str(version) in line.reason
            (before,) = memory.status().sync.warnings
            assert before.startswith(f"{store.path}: not read: ")
            (warning,) = memory.sync().warnings
            assert warning.startswith(f"{store.path}: not read: ")
            assert memory.status().sync.warnings == (warning,)


@pytest.mark.parametrize("content", [b"no database at all" * 100, b""])
def test_what_is_no_store_is_named(tmp_path: Path, memory: Memory, content: bytes) -> None:
    """A file that only has the name of one."""
    path = tmp_path / "x" / "openclaw-agent.sqlite"
    path.parent.mkdir()
    path.write_bytes(content)
    (line,) = memory.import_transcripts(path).malformed
    assert line.reason.startswith("not read: ")


def test_what_our_own_records_refuse_is_not_said_of_the_store(
    tmp_path: Path, store: WrittenStore
) -> None:
    """The store is sound; a database of ours that is full or busy must be heard of."""
    store.window(ANA, "s1")
    store.person("s1", "The ferry leaves at nine.", "501")
    followed = {"workspace.transcripts": [str(store.path)], "store.busy_timeout_ms": 1}
    with (
        recollect.open(tmp_path / "home", overrides=LEXICAL | followed, live=False) as memory,
        closing(apsw.Connection(str(tmp_path / "home" / "records.db"))) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            memory.sync()
        other.execute("ROLLBACK")
        assert memory.sync().warnings == ()
        assert memory.search("ferry").hits


@pytest.mark.parametrize("is_indexed", [True, False])
def test_long_events_are_read_one_after_the_other(store: WrittenStore, is_indexed: bool) -> None:
    """Each may have megabytes: what is held at once is bounded by bytes, not by their number."""
    store.window(ANA, "s1")
    for number in range(24):
        store.person("s1", random.Random(number).randbytes(800_000).hex(), "501")
    if not is_indexed:
        store.connection.execute("UPDATE session_transcript_index_state SET needs_rebuild = 1")
    with open_store(store.path) as opened:
        (window,) = opened.transcripts(include_deleted=False)
        tracemalloc.start()
        sizes = [len(line.body or b"") for line in window.lines()]
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert sum(size > 1_000_000 for size in sizes) == 24
    assert peak < 20_000_000


def test_a_store_is_no_transcript_of_another_program(memory: Memory, store: WrittenStore) -> None:
    """Who imports Claude Code asks for nothing of OpenClaw."""
    store.window(ANA, "s1")
    store.person("s1", "Hello.", "501")
    assert memory.import_transcripts(store.path, "claude-code").messages == 0
    assert memory.import_transcripts(store.path, "auto").messages == 1


def test_nothing_is_written_and_the_gateway_goes_on(store: WrittenStore) -> None:
    """A reader that is in the middle of a transcript holds nobody up."""
    store.window(ANA, "s1")
    for number in range(300):
        store.person("s1", f"Line {number}.", "501")
    with open_store(store.path) as opened:
        (window,) = opened.transcripts(include_deleted=False)
        lines = window.lines()
        first = next(lines)
        store.person("s1", "Meanwhile.", "501")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert len(list(lines)) == 300
        assert first.number == 1


def test_an_import_that_is_stopped_half_way_goes_on(memory: Memory, store: WrittenStore) -> None:
    """Whoever is told of the progress interrupts it between two conversations."""
    store.window(ANA, "s1")
    store.person("s1", "One.", "501")
    store.window(GROUP, "s2")
    store.person("s2", "Two.", "501")

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    for number in range(1_200):
        store.person("s2", f"Line {number}.", "501")
    with pytest.raises(KeyboardInterrupt):
        memory.import_transcripts(store.path, "openclaw", interrupt)
    assert run(memory, store).unchanged == 1
    assert len(texts(memory, only(memory, GROUP))) == 1_201


def test_in_the_shared_main_session_each_message_has_its_sender(
    memory: Memory, store: WrittenStore
) -> None:
    """OpenClaw's default: all direct chats share one key, and only the messages tell people."""
    store.window("agent:main:main", "s1")
    store.person("s1", "Bees, please.", "502")
    store.say("s1", "assistant", "Noted the bees.")
    store.say("s1", "user", "From the desk.", __openclaw={"transport": {"clients": []}})
    run(memory, store)
    said = memory.sessions.messages(only(memory, "agent:main:main").id)
    assert [(m.name, m.sender, m.turn_sender) for m in said] == [
        ("P502", "telegram:502", "telegram:502"),
        (None, None, "telegram:502"),
        (None, None, None),
    ]


def test_what_was_erased_does_not_come_back_as_a_copy(memory: Memory, store: WrittenStore) -> None:
    """A rewind copies what the session before said; here only what is new is taken."""
    store.window(ANA, "s1")
    first = store.person("s1", "The zebra is hidden.", "501")
    run(memory, store)
    memory.erase(session_id=only(memory, ANA).id)
    store.rewind(ANA, "s2", "s1", first)
    store.person("s2", "Something new.", "501")
    report = run(memory, store)
    assert (report.messages, report.erased) == (1, 1)
    assert texts(memory, only(memory, ANA)) == ["Something new."]


def test_a_store_that_lies_elsewhere_is_followed_where_the_gateway_says(
    tmp_path: Path, store: WrittenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own database names the store of each agent; one that is gone is left to the folder."""
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "state"))
    store.window(ANA, "s1")
    store.person("s1", "One.", "501")
    with closing(WrittenStore(tmp_path / "far", agent="other")) as far:
        far.window("agent:other:main", "s2")
        far.person("s2", "Two.", "501")
        named = {"main": store.path, "other": far.path, "gone": tmp_path / "gone.sqlite"}
        write_state(tmp_path / "state", named)
        followed = LEXICAL | {"workspace.transcripts": ["openclaw"]}
        with recollect.open(tmp_path / "home", overrides=followed) as memory:
            memory.sync()
            assert {s.key for s in memory.sessions.list()} == {ANA, "agent:other:main"}
    (tmp_path / "state" / "state" / "openclaw.sqlite").write_bytes(b"damaged " * 100)
    assert stores_elsewhere(tmp_path / "state" / "agents") == []


def test_a_store_with_something_new_is_not_in_step(tmp_path: Path, store: WrittenStore) -> None:
    """The status looks into followed stores and archives as it does into plain transcripts."""
    store.window(ANA, "s1")
    store.person("s1", "The ferry leaves at nine.", "501")
    agents = store.path.parents[2]
    overrides = LEXICAL | {"workspace.transcripts": [str(agents)]}
    with recollect.open(tmp_path / "home", overrides=overrides, live=False) as memory:
        assert memory.status().dirty
        memory.sync()
        assert not memory.status().dirty
        store.person("s1", "And the museum at ten.", "501")
        assert memory.status().dirty
        memory.sync()
        assert not memory.status().dirty
