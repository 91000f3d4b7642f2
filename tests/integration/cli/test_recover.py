"""`recollect recover`: a lost or damaged records.db is rebuilt from the readable transcripts."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251  # compares the rows of two databases, and damages one
import pytest

import recollect
from recollect.cli.main import main
from recollect.memory import Memory
from recollect.store.sqlite.home import INDEX_FILE, RECORDS_FILE, RECOVERY_FILE, TRANSCRIPTS

PERSON = "agent:main:telegram:acc:direct:42"
GROUP = "agent:main:telegram:acc:group:7"
NOT_BACK = {
    "leases",
    "events",
    "commits",
    "changes",
    "schema_steps",
    "episodes",
    "spending",
    "summarised",
}
NOT_BACK |= {"projects", "project_aliases", "value_sentences", "value_sentence_words"}
"""Tables of what no mirror has, of what the engine and the outbox count for themselves, of
projects, which are recognised again, and of words, whose hashes have a key of each home."""
CLAUDE = [
    {"type": "user", "uuid": f"u{n}", "sessionId": "s-1", "timestamp": f"2026-03-0{n}T10:00:00Z"}
    | {"cwd": "/p", "message": {"role": "user", "content": f"otter number {n}"}}
    for n in range(1, 8)
]
"""A transcript of Claude Code, a record a day."""


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty HOME, no model, nothing of the user's own settings."""
    for name in ("RECOLLECT_HOME", "RECOLLECT_DEBUG", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A transcript of Claude Code."""
    path = tmp_path / "claude" / "s-1.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in CLAUDE), encoding="utf-8")
    return path


def fill(memory: Memory) -> None:
    """Say something of every kind: tools, costs, forks, resets, groups, statuses, summaries."""
    sessions = memory.sessions
    first = sessions.create(PERSON, "/p", "Lanterns", {"n": 1})
    said = [("user", "the lanterns hang here"), ("assistant", "绿茶")] * 4
    sessions.append_many(first.id, said)
    sessions.append(first.id, "user", "once", event_id="e-1", at=1_700_000_000_000, name="Ana")
    with sessions.stream(first.id, model="claude-x") as stream:
        stream.add("streamed lanterns")
        stream.finish(usage={"input_tokens": 12, "output_tokens": 3})
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}}
    sessions.append(first.id, "assistant", ["look", call])
    sessions.append(first.id, "tool", [{"type": "tool_result", "tool_use_id": "t1"}])
    sessions.compact(first.id, keep_messages=2)
    fork = sessions.fork(first.id, 3, title="a branch")
    sessions.append(fork.id, "user", "only in the fork: kites")
    second = sessions.reset(PERSON, "/p")
    sessions.append(second.id, "user", "after the reset")
    sessions.append(sessions.create(GROUP).id, "user", "the group hears it")
    for status in ("archived", "deleted"):
        session = sessions.create(title=f"now {status}")
        sessions.append(session.id, "user", f"this was {status}")
        sessions.set_status(session.id, status)
        sessions.rename(session.id, f"was {status}")


def make(home: Path, transcript: Path) -> Path:
    """Make a home where everything that a mirror carries is there, and close it."""
    with recollect.open(home, live=False) as memory:
        fill(memory)
        memory.import_transcripts(transcript, "claude-code")
        memory.sync()
    return home


def rows(home: Path, *without: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all tables but some, sorted."""
    connection = apsw.Connection(str(home / RECORDS_FILE), flags=apsw.SQLITE_OPEN_READONLY)
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in connection.execute(tables).fetchall()]
    found: dict[str, list[tuple[Any, ...]]] = {
        str(name): sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)  # noqa: S608
        for name in names
        if name not in {*NOT_BACK, *without}
    }
    connection.close()
    if "meta" in found:
        found["meta"] = [row for row in found["meta"] if row[0].startswith("redaction")]
    return found


def run(home: Path, capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, Any]:
    """Run a command with --json and return its document."""
    assert main(["--home", str(home), *command, "--json"]) == 0, capsys.readouterr().err
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def refused(home: Path, capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, str]:
    """Run a command that fails and return its error."""
    assert main(["--home", str(home), *command, "--json"]) == 1
    error: dict[str, str] = json.loads(capsys.readouterr().err)["error"]
    return error


def lose(home: Path) -> None:
    """Delete the records and what belongs to them."""
    (home / RECORDS_FILE).unlink()


def overwrite(home: Path) -> None:
    """Put zeros over the middle of the file."""
    with (home / RECORDS_FILE).open("r+b") as file:
        file.seek(4096)
        file.write(bytes(40_000))


def flip(home: Path) -> None:
    """Change one word of one message, as a bad disk may."""
    connection = apsw.Connection(str(home / RECORDS_FILE))
    connection.execute("UPDATE messages SET text = 'forged' WHERE event_id = 'e-1'").fetchall()
    connection.close()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lose,
    "empty": lambda home: os.truncate(home / RECORDS_FILE, 0),
    "cut": lambda home: os.truncate(home / RECORDS_FILE, 20_000),
    "overwritten": overwrite,
    "no database": lambda home: (home / RECORDS_FILE).write_bytes(b"lanterns" * 1000),
    "a message": flip,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_every_row_that_a_mirror_carries_comes_back(
    tmp_path: Path,
    transcript: Path,
    damage: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Issue 10, B1: byte for byte, and what was there is kept aside."""
    home = make(tmp_path / "home", transcript)
    before = rows(home)
    mirrors = {path.name: path.read_bytes() for path in (home / TRANSCRIPTS).iterdir()}
    damage(home)
    kept = (home / RECORDS_FILE).read_bytes() if (home / RECORDS_FILE).exists() else None
    told = run(home, capsys, "recover")
    after = rows(home)
    assert {name: after[name] for name in before} == before
    assert told["messages"] == len(before["messages"])
    assert (told["damaged_count"], told["warnings"]) == (0, [])
    assert {path.name: path.read_bytes() for path in (home / TRANSCRIPTS).iterdir()} == mirrors
    aside = [path.read_bytes() for path in (home / "aside").glob(f"*/{RECORDS_FILE}")]
    assert aside == ([] if kept is None else [kept])
    with recollect.open(home) as memory:
        assert memory.search("lanterns").hits
        assert not memory.search("this was deleted").hits


def test_after_it_an_import_adds_nothing(
    tmp_path: Path, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither with recovery.json, nor without it."""
    home = make(tmp_path / "home", transcript)
    for lost in ((RECORDS_FILE,), (RECORDS_FILE, RECOVERY_FILE)):
        for name in lost:
            (home / name).unlink()
        told = run(home, capsys, "recover")
        assert ("recovery.json is missing" in str(told["warnings"])) == (RECOVERY_FILE in lost)
        # Without the file the import is who tells again from which place a session came.
        without = ("imports", "meta", *(["sessions"] if RECOVERY_FILE in lost else []))
        before = rows(home, *without)
        answer = run(home, capsys, "import", "claude-code", str(transcript))
        assert (answer["messages"], answer["sessions"]) == (0, 0)
        assert rows(home, *without) == before


def test_after_it_following_adds_nothing(
    tmp_path: Path, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And takes what the other program writes from then on."""
    home = tmp_path / "home"
    follow = {"workspace.transcripts": [str(transcript.parent)]}
    with recollect.open(home, overrides=follow, live=False) as memory:
        memory.sync()
    before = rows(home)
    assert len(before["messages"]) == len(CLAUDE)
    lose(home)
    run(home, capsys, "recover")
    with recollect.open(home, overrides=follow, live=False) as memory:
        memory.sync()
    assert rows(home) == before
    more = CLAUDE[0] | {"uuid": "u9", "message": {"role": "user", "content": "one more"}}
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(more) + "\n")
    with recollect.open(home, overrides=follow, live=False) as memory:
        memory.sync()
    assert len(rows(home)["messages"]) == len(CLAUDE) + 1


@pytest.mark.parametrize("cap", ["max_messages", "max_sessions"])
def test_what_was_pruned_does_not_come_back(
    tmp_path: Path, transcript: Path, cap: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither from a mirror, nor by the next import."""
    home = make(tmp_path / "home", transcript)
    with recollect.open(home, overrides={f"sessions.retention.{cap}": 3}, live=False) as memory:
        report = memory.prune()
        assert report.messages
    before = rows(home)
    lose(home)
    run(home, capsys, "recover")
    assert rows(home)["messages"] == before["messages"]
    assert run(home, capsys, "import", "claude-code", str(transcript))["messages"] == 0
    assert [row[0] for row in rows(home)["messages"]] == [row[0] for row in before["messages"]]


def test_a_dry_run_changes_nothing_and_tells_the_same(
    tmp_path: Path, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts and warnings are those of the recovery."""
    home = make(tmp_path / "home", transcript)
    lose(home)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    dry = run(home, capsys, "recover", "--dry-run")
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    wet = run(home, capsys, "recover")
    assert dry | {"dry_run": False} == wet


def test_sound_records_are_left_alone(
    tmp_path: Path, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a home without mirrors has nothing to recover from."""
    home = make(tmp_path / "home", transcript)
    assert run(home, capsys, "recover")["reason"] is None
    shutil.rmtree(home / TRANSCRIPTS)
    lose(home)
    error = refused(home, capsys, "recover")
    assert (error["code"], "init --fresh" in error["hint"]) == ("not_found", True)
    assert (home / INDEX_FILE).exists()
