"""Scrubbing: what today's rules take out is in no file of the home, and nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput, StoreBusy
from recollect.governance.removal import LOCK_FILE
from recollect.governance.scrubbing import ScrubProgress
from recollect.governance.stored_text import TABLES
from recollect.memory import Memory
from recollect.store.locks import OwnerLock
from recollect.store.sqlite.home import TRANSCRIPTS
from tests.support.leftovers import files_that_hold
from tests.unit.governance.test_erasure import LEXICAL, WORDS, back_up, databases, said_everywhere

LONG = "grumvexpayload"
SEEN = (*WORDS, "snarvobs", "trelkpath", "quolmerror", LONG)
"""One for each place that takes text, those of observations included."""


def opened(home: Path, *patterns: str, **options: object) -> Memory:
    """Return a memory with some patterns of its owner, and without a background."""
    overrides = {**LEXICAL, "privacy.patterns": patterns}
    return recollect.open(home, overrides=overrides, live=False, **options)  # type: ignore[arg-type]


def filled(home: Path, workspace: Path | None = None) -> str:
    """Make a home that has one of the words in each place that takes text."""
    with opened(home, workspace=workspace) as memory:
        session = said_everywhere(memory)
        memory.observations.record(
            session,
            "Bash",
            input={"command": f"cat trelkpath/{LONG}"},
            output="x " * 20_000 + LONG,
            title="snarvobs was seen",
            files=["/srv/trelkpath/a.txt"],
            error="quolmerror: failed",
        )
        memory.sessions.create(title="The neighbour")
        memory.sync()
    return session


def left_in(home: Path) -> dict[str, list[str]]:
    """Return the files that still hold one of the words."""
    return {word: found for word in SEEN if (found := files_that_hold(home, word))}


def test_no_byte_of_a_scrubbed_secret_is_left(tmp_path: Path) -> None:
    """In rows, blobs, mirrors, the index, free pages and logs; in no encoding."""
    home = tmp_path / "home"
    session = filled(home)
    assert set(left_in(home)) == set(SEEN)
    with opened(home, *SEEN) as memory:
        receipt = memory.scrub()
        assert (receipt.is_clean, receipt.warnings) == (True, ())
        assert receipt.rows["messages"] == 34
        assert receipt.rows["observations"] == 1
        assert receipt.secrets["pattern"] > 30
        assert left_in(home) == {}
        assert memory.search("decided round").hits
        assert len(memory.sessions.messages(session)) == 34
        whole = memory.observations.get("#1", None).found[0]
        assert "[redacted:pattern:" in whole.output
        assert len(whole.output) > 40_000
    assert left_in(home) == {}


def test_scrubbing_again_changes_nothing(tmp_path: Path) -> None:
    """Nor does a first time where there is nothing new to take out."""
    home = tmp_path / "home"
    filled(home)
    with opened(home) as memory:
        assert memory.scrub().rows == {}
    with opened(home, *SEEN) as memory:
        first = memory.scrub()
        second = memory.scrub()
    assert first.rows
    assert (second.rows, second.secrets, second.files, second.is_clean) == ({}, {}, 0, True)


def test_a_dry_run_tells_what_a_run_changes(tmp_path: Path) -> None:
    """And changes nothing."""
    home = tmp_path / "home"
    filled(home)
    with opened(home, *SEEN) as memory:
        told = memory.scrub(dry_run=True)
        assert set(left_in(home)) == set(SEEN)
        done = memory.scrub()
    assert (told.rows, told.secrets) == (done.rows, done.secrets)
    assert told.dry_run


def test_a_scrubbing_that_was_stopped_is_finished_by_the_next(tmp_path: Path) -> None:
    """Wherever it was: what it changed is whole, and the rest is done then."""
    home = tmp_path / "home"
    session = filled(home)

    def stop(_: ScrubProgress) -> None:
        raise KeyboardInterrupt

    with opened(home, *SEEN) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.scrub(on_progress=stop)
        assert len(memory.sessions.messages(session)) == 34
    with opened(home, *SEEN) as memory:
        assert memory.scrub().is_clean
    assert left_in(home) == {}


def told_with(memory: Memory, what: str) -> None:
    """Store something whose id, name or path has the word, in rows where each is there once."""
    if what == "project":
        memory.sessions.create(project="/srv/quinceword")
        assert memory.projects.list()
    elif what == "call":
        asked = [{"type": "tool_use", "id": "id-quinceword", "name": "Bash", "input": {}}]
        memory.sessions.append("one", "assistant", asked)
    else:
        memory.observations.record("one", "Bash", **{what: "id-quinceword"})  # type: ignore[arg-type]


@pytest.mark.parametrize("what", ["event_id", "tool_use_id", "call", "project"])
def test_what_was_stored_before_a_pattern_and_since_is_scrubbed(tmp_path: Path, what: str) -> None:
    """Redacted, the older row would have the id that the newer one has: it gets a number."""
    home = tmp_path / "home"
    with opened(home) as memory:
        memory.sessions.start(session_id="one")
        told_with(memory, what)
    with opened(home, "quinceword") as memory:
        told_with(memory, what)
        assert memory.scrub().is_clean
        assert memory.scrub().rows == {}
        stored = memory.observations.list() + memory.sessions.messages("one")
        assert len(stored) == (0 if what == "project" else 2)
    assert files_that_hold(home, "quinceword") == []


def test_notes_of_a_flush_are_changed_and_lines_of_people_are_named(tmp_path: Path) -> None:
    """What a person wrote is theirs to change; the search no longer says it."""
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Notes\n\nThe gate is zorvexplum and blue.\n")
    filled(home, workspace)
    with opened(home, "zorvexplum", workspace=workspace) as memory:
        receipt = memory.scrub()
        assert [(found.path, found.lines) for found in receipt.left] == [
            (str(workspace / "MEMORY.md"), (3,))
        ]
        hits = memory.search("gate blue", sources=["memory"]).hits
        assert "[redacted:pattern:" in hits[0].snippet
    assert files_that_hold(home, "zorvexplum") == []
    assert "zorvexplum" in (workspace / "MEMORY.md").read_text()


def test_a_copy_of_before_a_migration_goes_if_it_holds_the_secret(tmp_path: Path) -> None:
    """Its rows are of another version; the receipt names it. One without the secret stays."""
    home = tmp_path / "home"
    filled(home)
    copy = home / "records.db.before-0003"
    back_up(home, copy)
    with opened(home, "nowhere-at-all") as memory:
        assert memory.scrub().removed_copies == ()
    assert copy.exists()
    with opened(home, *SEEN) as memory:
        assert memory.scrub().removed_copies == (str(copy),)
    assert left_in(home) == {}


def test_what_was_set_aside_of_mirrors_is_redacted_too(tmp_path: Path) -> None:
    """No row stands for it any more."""
    home = tmp_path / "home"
    filled(home)
    stray = home / TRANSCRIPTS / "gone.jsonl.stray"
    stray.write_text('{"text": "zorvexplum"}\nno JSON zorvexplum')
    with opened(home, *SEEN) as memory:
        assert memory.scrub().files == 2
    assert left_in(home) == {}
    assert stray.read_text().startswith('{"text":"[redacted:pattern:')


def test_an_older_mirror_of_a_session_that_goes_on_is_redacted_where_it_is(tmp_path: Path) -> None:
    """The records make the present one again, and not the one that a recovery set aside."""
    home = tmp_path / "home"
    session = filled(home)
    older = home / "aside" / "20260101T000000Z" / TRANSCRIPTS / f"{session}.jsonl"
    older.parent.mkdir(parents=True)
    older.write_text(f'{{"text": "{WORDS[0]} of then"}}\n')
    with opened(home, *SEEN) as memory:
        memory.scrub()
    assert left_in(home) == {}
    assert older.read_text().endswith(' of then"}\n')


def test_notes_of_guests_are_scrubbed_and_their_index_too(tmp_path: Path) -> None:
    """They are in the home, and no guest's search says it any more."""
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir()
    with opened(home, workspace=workspace) as memory:
        guest = memory.sessions.create(key="agent:main:telegram:acc:direct:7")
        memory.sessions.append(guest.id, "user", "Remember: the gate is plumword.")
        assert memory.sessions.flush(guest.id).lines == 1
        memory.sync()
    assert files_that_hold(home, "plumword") != []
    with opened(home, "plumword", workspace=workspace) as memory:
        assert memory.scrub().rows["notes"] == 1
        assert files_that_hold(home, "plumword") == []
        hits = memory.search("gate", sources=["memory"], for_session=guest.id).hits
        assert "[redacted:pattern:" in hits[0].snippet


def test_a_damaged_row_keeps_the_hash_that_tells_so(tmp_path: Path) -> None:
    """Scrubbing takes its secret out, and does not call it sound."""
    home = tmp_path / "home"
    filled(home)
    with databases(home) as (records, _):
        records.write(
            lambda tx: tx.execute("UPDATE messages SET text = 'changed zorvexplum' WHERE seq = 1")
        )
    with opened(home, "zorvexplum") as memory:
        memory.scrub()
        assert memory.checkup() is not None
    with databases(home) as (records, _):
        from recollect.sessions.record.message_rows import damaged_messages

        assert records.read(lambda tx: damaged_messages(tx, "", 1_000))[1] != []


def test_every_text_of_the_records_is_redacted_or_named_here() -> None:
    """A new table with text of people has to be an entry, or to be named with a reason."""
    schema = Path(recollect.__file__).parent / "store/migrations/records/schema.sql"
    tables = re.findall(
        r'CREATE TABLE "?(\w+)"? \((.*?)\n?\) STRICT', schema.read_text(), re.DOTALL
    )
    known = {(t.table, name) for t in TABLES for name in (*t.cells, *t.linked)}
    open_ = {
        f"{table}.{name}"
        for table, body in tables
        for name in re.findall(r"(?:^|,)\s*(\w+)\s+TEXT\b", re.sub(r"--.*", "", body), re.MULTILINE)
        if (table, name) not in known and name not in PLAIN and table not in WITHOUT_TEXT
    }
    assert open_ == set()


PLAIN = {
    *(
        "root",
        "scope_json",
        "actor",
        "user_message_id",
        "tool_name",
        "tool_use_id",
    ),  # of checkpoints: folders and names, ids
    *("id", "tenant", "agent", "user_id", "session_id", "parent_id", "previous_id", "project_id"),
    *(
        "status",
        "role",
        "mode",
        "channel",
        "chat_type",
        "source",
        "type",
        "made_by",
        "kind",
        "event",
    ),
    *("state", "code"),  # of inbound: words of ours
    *("trust", "op", "ref", "result_id", "message_id", "erasure_id", "stands_for", "merged_into"),
    *("input_blob", "output_blob", "event", "query_digest", "extent", "reason", "tone"),
    *("rights", "audience", "channels", "action", "outcome"),
    *("fact_id", "replaced_by", "subject", "hearer"),
    *("state", "code"),  # of messages of channels
}
"""Ids of ours, words of a fixed list, and digests; ``agent`` and ``user_id`` are the operator's."""
WITHOUT_TEXT = {
    *("changes", "commits", "counters", "erasures", "meta", "pauses", "prunings"),
    *("schema_steps", "spending", "tombstones", "withheld", "flushed_notes", "note_folders"),
    *("projects", "injected_items", "never_injected", "recognised_secrets", "digests"),
    *("stated", "value_sentences", "replacements"),  # keyed hashes, ids and words of fixed lists
    *(
        "checkpoint_files",
        "checkpoint_writes",
        "rewinds",
    ),  # names of files, as they are on the disk
    *("identities", "identity_codes", "identity_proposals"),  # accounts, as `user_id` has them
    *("withdrawn_ranges", "withdrawn_records"),  # ids, and the extents of episodes
}


def test_a_scrubbing_waits_for_no_other_one(tmp_path: Path) -> None:
    """Two would change the same files."""
    home = tmp_path / "home"
    filled(home)
    with opened(home) as memory:
        other = OwnerLock(home / LOCK_FILE, SystemClock())
        assert other.acquire("erase")
        try:
            with pytest.raises(StoreBusy):
                memory.scrub()
        finally:
            other.release()


def test_scrubbing_needs_redaction(tmp_path: Path) -> None:
    """Where it is switched off, nothing would be taken out."""
    off = {**LEXICAL, "privacy.redact": False}
    with (
        recollect.open(tmp_path / "home", overrides=off, live=False) as memory,
        pytest.raises(InvalidInput),
    ):
        memory.scrub()
