"""A store of OpenClaw that no gateway wrote like this: damaged, or made to do harm.

It must never stop an import with an error that is none of ours, nor bring a secret in by an id.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from tests.support.openclaw_store import WrittenStore
from tests.unit.text.redaction.secrets_made_up import SHAPED

ANA, BOB = "agent:main:telegram:direct:501", "agent:main:telegram:direct:502"
LATEST = 2**63 - 1
"""What a column of numbers can hold at most."""
_, TOKEN = SHAPED["ghp"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WrittenStore]:
    """A store with two conversations."""
    with closing(WrittenStore(tmp_path / "state")) as written:
        for key, session in ((ANA, "s1"), (BOB, "s2")):
            written.window(key, session)
            written.say(session, "user", f"hello from {session}")
        yield written


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that follows nothing."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as opened:
        yield opened


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE session_windows SET transcript_updated_at = :latest",
        "UPDATE transcript_events SET seq = :latest WHERE session_id = 's1' AND seq = 1",
        "INSERT INTO session_transcript_archives VALUES ('z', 'g', 'k', 'reset', 'plain', x'7b7d',"
        " :latest)",
        "UPDATE transcript_events SET event_json = cast(x'7bff7d' AS TEXT) WHERE session_id = 's1'",
        "UPDATE transcript_events SET event_json = :deep WHERE session_id = 's1' AND seq = 1",
        "INSERT INTO session_transcript_cold_archives VALUES ('s0', 'g1', 'x', 'sqlite', NULL);"
        "INSERT INTO session_windows VALUES ('s0', :ana, NULL, 1, 1, 1, NULL, NULL)",
    ],
    ids=["time", "seq", "time of an archive", "no UTF-8", "nested deeply", "no archive"],
)
def test_a_row_that_cannot_be_right_does_not_stop_the_others(
    memory: Memory, store: WrittenStore, change: str
) -> None:
    """What the column can hold is more than what we can: the other conversation is imported."""
    deep = '{"type":"message","id":"m","message":{"role":"user","content":' + 5_000 * "["
    values = {"latest": LATEST, "deep": deep + 5_000 * "]" + "}}", "ana": ANA}
    store.connection.execute(change, values)
    memory.import_transcripts(store.path, "openclaw")
    (session,) = memory.sessions.list(key=BOB)
    assert [message.text for message in memory.sessions.messages(session.id)] == ["hello from s2"]


def test_a_store_whose_ids_are_no_text_is_named(memory: Memory, store: WrittenStore) -> None:
    """Such an id could not be told from others."""
    store.connection.execute(
        "UPDATE session_nodes SET session_key = cast(x'ff' AS TEXT) WHERE session_key = ?", (ANA,)
    )
    (line,) = memory.import_transcripts(store.path, "openclaw").malformed
    assert (line.line, line.reason.startswith("not read: ")) == (0, True)


def test_a_view_in_place_of_a_table_is_not_run(memory: Memory, store: WrittenStore) -> None:
    """A view can compute for ever; OpenClaw has none."""
    store.connection.execute(
        "DROP TABLE session_transcript_archives;"
        "CREATE VIEW session_transcript_archives AS SELECT 's9' AS session_id, 'k' AS session_key,"
        " 'reset' AS reason, 'g' AS generation, 'plain' AS encoding, 1 AS created_at"
    )
    report = memory.import_transcripts(store.path, "openclaw")
    assert report.messages == 0
    assert report.malformed[0].reason.startswith("not read: ")


@pytest.mark.parametrize("body", ["printf('{\"x\":\"%*c\"}', 20000000, 'a')", "'no JSON'"])
def test_an_event_that_cannot_be_read_is_counted_and_those_above_it_are_there(
    memory: Memory, store: WrittenStore, body: str
) -> None:
    """Too long for a line, or none: what is above it on the branch is on the branch."""
    store.say("s1", "user", "said after")
    store.say("s1", "user", "said last")
    store.connection.execute(
        f"UPDATE transcript_events SET event_json = {body} WHERE session_id = 's1' AND seq = 2"  # noqa: S608  # literals
    )
    report = memory.import_transcripts(store.path, "openclaw")
    (session,) = memory.sessions.list(key=ANA)
    texts = [message.text for message in memory.sessions.messages(session.id)]
    assert (texts, report.malformed_count) == (["hello from s1", "said last"], 1)


def test_ids_of_a_store_with_a_secret_become_a_keyed_hash(
    tmp_path: Path, memory: Memory, store: WrittenStore
) -> None:
    """As those of a file; the copy of a window still has what it shares."""
    first, second = f"one-{TOKEN}", f"two-{TOKEN}"
    store.window(f"notes-{TOKEN}", first)
    kept = store.say(first, "user", "kept in both")
    store.rewind(f"notes-{TOKEN}", second, first, kept)
    store.say(second, "user", "and after")
    assert memory.import_transcripts(store.path, "openclaw").messages == 4
    assert memory.import_transcripts(store.path, "openclaw").messages == 0
    found = [session for session in memory.sessions.list() if session.key not in {ANA, BOB}]
    assert len(found) == 2
    assert all((session.foreign_id or "").startswith("redacted-") for session in found)
    home = tmp_path / "home"
    held = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert TOKEN.encode() not in held
