"""A records.db that is gone, empty or of another home is refused, and the home stays as it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw  # noqa: TID251  # makes a database that none of our writers would
import pytest

import recollect
from recollect.cli.main import main
from recollect.core.errors import RecordsLost
from recollect.memory import Memory
from recollect.store.sqlite.home import INDEX_FILE, RECORDS_FILE, TRANSCRIPTS

HOLD = """
import sys
import recollect
with recollect.open(sys.argv[1]) as memory:
    memory.search("lanterns")
    print("open", flush=True)
    sys.stdin.read()
"""
"""A program that uses a home until its input ends."""
WORDS = ("records", "lanterns")
Loss = Callable[[Path], object]


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty HOME, no model, nothing of the user's own settings."""
    for name in ("RECOLLECT_HOME", "RECOLLECT_DEBUG", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")


def make(home: Path, *said: str) -> Path:
    """Make a home where something was said, and close it."""
    with recollect.open(home) as memory:
        say(memory, *said)
    return home


def say(memory: Memory, *said: str) -> None:
    """Say something in a new session, and index it."""
    session = memory.sessions.create()
    memory.sessions.append_many(session.id, [("user", f"{word} hang here") for word in said])
    memory.sync()


def texts(memory: Memory) -> list[str]:
    """Return everything that was said."""
    return [
        message.text.split()[0]
        for session in reversed(memory.sessions.list())
        for message in memory.sessions.messages(session.id)
    ]


def files(home: Path) -> dict[str, bytes]:
    """Return the files of a home but its locks, and what is in them."""
    every = (path for path in home.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in every}


def overwrite(home: Path) -> None:
    """Put a sound database without tables in the place of the records."""
    (home / RECORDS_FILE).unlink()
    connection = apsw.Connection(str(home / RECORDS_FILE))
    connection.pragma("journal_mode", "wal")
    connection.close()


def from_another(home: Path) -> None:
    """Put the records of another home in the place of these."""
    other = make(home.with_name("other"), "kites")
    shutil.copy(other / RECORDS_FILE, home / RECORDS_FILE)


LOSSES: dict[str, Loss] = {
    "missing": lambda home: (home / RECORDS_FILE).unlink(),
    "empty": lambda home: os.truncate(home / RECORDS_FILE, 0),
    "without tables": overwrite,
    "foreign": from_another,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A closed home with two messages, an index and a mirror."""
    return make(tmp_path / "home", *WORDS)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_lost_records_are_refused_and_the_home_stays_as_it_is(home: Path, loss: Loss) -> None:
    """DESIGN 4: a missing or foreign one is an error, never a new empty home."""
    kept = (home / RECORDS_FILE).read_bytes()
    loss(home)
    before = files(home)
    for _ in range(2):
        with pytest.raises(RecordsLost, match=RECORDS_FILE) as refused:
            recollect.open(home)
        assert "init --fresh" in refused.value.hint
        assert files(home) == before
    (home / RECORDS_FILE).write_bytes(kept)
    with recollect.open(home) as memory:
        assert texts(memory) == list(WORDS)
        assert memory.search("lanterns").hits


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_no_command_takes_a_home_without_its_records_for_healthy(
    home: Path, loss: Loss, capsys: pytest.CaptureFixture[str]
) -> None:
    """Doctor says what is wrong, and --fix renames nothing; a search says the same."""
    loss(home)
    before = files(home)
    for command in (["doctor", "--fix"], ["search", "lanterns"], ["status"], ["init"]):
        assert main(["--home", str(home), *command, "--json"]) == 1
        shown = capsys.readouterr()
        assert json.loads(shown.err)["error"]["code"] == "records_lost"
    assert main(["--home", str(home), "doctor", "--json"]) == 1
    told = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert told[RECORDS_FILE]["state"] == "wrong"
    assert "init --fresh" in told[RECORDS_FILE]["hint"]
    assert {told[name]["detail"] for name in ("mirrors", "index", "rows")} == {
        "not looked at: see above"
    }
    assert {name: content for name, content in files(home).items() if name in before} == before


@pytest.mark.parametrize("left", ["index", "mirrors", "log", "backup", "agent"])
def test_one_trace_of_records_is_enough_to_refuse(home: Path, tmp_path: Path, left: str) -> None:
    """An index, a mirror, a log, a copy made before a migration, the index of an agent."""
    bare = tmp_path / "bare"
    bare.mkdir(0o700)
    if left == "index":
        shutil.copy(home / INDEX_FILE, bare)
    elif left == "mirrors":
        shutil.copytree(home / TRANSCRIPTS, bare / TRANSCRIPTS)
    elif left == "agent":
        (bare / "agents" / "ann").mkdir(parents=True)
        shutil.copy(home / INDEX_FILE, bare / "agents" / "ann")
    else:
        name = {"log": f"{RECORDS_FILE}-wal", "backup": f"{RECORDS_FILE}.before-0003"}[left]
        shutil.copy(home / RECORDS_FILE, bare / name)
    before = files(bare)
    with pytest.raises(RecordsLost, match="missing") as refused:
        recollect.open(bare)
    assert ("move records.db-wal away" in refused.value.hint) == (left == "log")
    assert files(bare) == before


@pytest.mark.parametrize("trace", ["", "config.yaml", "index.db", "transcripts/", "records.db"])
def test_a_home_that_never_had_records_opens(tmp_path: Path, trace: str) -> None:
    """Settings, empty files and an empty folder are no trace of any."""
    home = tmp_path / "home"
    home.mkdir(0o700)
    if trace.endswith("/"):
        (home / trace).mkdir()
    elif trace:
        (home / trace).touch()
    with recollect.open(home) as memory:
        assert memory.sessions.list() == []


def test_a_foreign_index_is_built_anew_with_a_warning(home: Path, tmp_path: Path) -> None:
    """The mirrors say that the records are the right ones; nothing of the other home is found."""
    other = make(tmp_path / "other", "kites")
    shutil.copy(other / INDEX_FILE, home / INDEX_FILE)
    with recollect.open(home) as memory:
        found = memory.search("kites")
        assert (found.hits, "of another home" in found.warnings[0]) == ([], True)
        assert "of another home" in memory.search("lanterns").warnings[0]
        assert memory.search("lanterns").hits
        assert "of another home" in memory.sync().warnings[0]
        assert [*memory.search("lanterns").warnings, *memory.sync().warnings] == []
    assert b"kites" not in (home / INDEX_FILE).read_bytes()


def test_doctor_tells_a_foreign_index_and_mends_it(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is derived, so nothing is lost."""
    shutil.copy(make(tmp_path / "other", "kites") / INDEX_FILE, home / INDEX_FILE)
    assert main(["--home", str(home), "doctor", "--json"]) == 1
    told = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert (told[INDEX_FILE]["state"], told[INDEX_FILE]["detail"]) == (
        "wrong",
        "index.db was of another home",
    )
    assert main(["--home", str(home), "doctor", "--fix", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["healthy"]


def test_an_index_that_knows_more_than_a_restored_backup_is_built_anew(home: Path) -> None:
    """What is said after that is found, and what the backup does not have is not."""
    backup = (home / RECORDS_FILE).read_bytes()
    make(home, "kites", "boats", "trams")
    (home / RECORDS_FILE).write_bytes(backup)
    with recollect.open(home) as memory:
        assert "an older copy" in memory.search("kites").warnings[0]
        assert memory.search("kites").hits == []
        say(memory, "trains")
        assert len(memory.search("trains").hits) == 1
        assert texts(memory) == [*WORDS, "trains"]


def test_records_without_mirrors_are_taken_for_this_home_when_the_index_is_deleted(
    home: Path,
) -> None:
    """As the hint of the refusal says: it comes back by itself."""
    shutil.rmtree(home / TRANSCRIPTS)
    from_another(home)
    with pytest.raises(RecordsLost, match="of two homes") as refused:
        recollect.open(home)
    assert "delete index.db" in refused.value.hint
    (home / INDEX_FILE).unlink()
    with recollect.open(home) as memory:
        assert memory.search("kites").hits


def test_a_home_of_before_gets_an_id_when_it_is_opened(home: Path) -> None:
    """Both databases the same one; then its records are told from others."""
    for name in (RECORDS_FILE, INDEX_FILE):
        connection = apsw.Connection(str(home / name))
        connection.execute("DELETE FROM meta WHERE key = 'home.id'").fetchall()
        connection.close()
    with recollect.open(home) as memory:
        assert memory.search("lanterns").warnings == []
        assert memory.search("lanterns").hits
    assert len(set(ids(home))) == 1
    shutil.rmtree(home / TRANSCRIPTS)
    from_another(home)
    with pytest.raises(RecordsLost):
        recollect.open(home)


def ids(home: Path) -> list[object]:
    """Return the home ids of both databases."""
    found = []
    for name in (RECORDS_FILE, INDEX_FILE):
        connection = apsw.Connection(str(home / name))
        found.append(connection.execute("SELECT value FROM meta WHERE key = 'home.id'").get)
        connection.close()
    return found


def test_a_backup_of_before_there_were_ids_can_be_put_back(home: Path) -> None:
    """The mirrors say that it is of this home; the index is rebuilt."""
    connection = apsw.Connection(str(home / RECORDS_FILE))
    connection.execute("DELETE FROM meta WHERE key = 'home.id'").fetchall()
    connection.close()
    with recollect.open(home) as memory:
        assert "of another home" in memory.search("lanterns").warnings[0]
        assert memory.search("lanterns").hits
    assert len(set(ids(home))) == 1


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_a_fresh_home_keeps_what_was_there_aside(
    home: Path, loss: Loss, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every byte of it; the settings stay where they are."""
    (home / "config.yaml").write_text("search:\n  limit: 3\n", encoding="utf-8")
    loss(home)
    before = files(home)
    assert main(["--home", str(home), "init", "--fresh", "--json"]) == 0
    aside = Path(json.loads(capsys.readouterr().out)["aside"])
    assert aside.parent == home / "aside"
    assert files(aside) | {"config.yaml": before["config.yaml"]} == before
    assert (home / "config.yaml").read_bytes() == before["config.yaml"]
    with recollect.open(home) as memory:
        assert (memory.settings.search.limit, texts(memory)) == (3, [])
        say(memory, "kites")
        assert memory.search("lanterns").hits == []
    assert len(set(ids(home))) == 1


def test_a_fresh_start_of_a_sound_home_can_be_undone(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was moved is a home."""
    assert main(["--home", str(home), "init", "--fresh"]) == 0
    shown = capsys.readouterr().out
    (aside,) = (home / "aside").iterdir()
    assert f"set aside  {aside}" in shown
    with recollect.open(aside) as memory:
        assert texts(memory) == list(WORDS)


def test_a_home_that_another_program_uses_is_not_begun_anew(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its databases must not be moved away under it."""
    user = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert user.stdout is not None
        assert user.stdout.readline() == "open\n"
        assert main(["--home", str(home), "init", "--fresh", "--json"]) == 1
        assert json.loads(capsys.readouterr().err)["error"]["code"] == "store_busy"
    finally:
        user.communicate()
    with recollect.open(home) as memory:
        assert texts(memory) == list(WORDS)


def test_nothing_is_set_aside_where_nothing_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new home is fresh already."""
    assert main(["--home", str(tmp_path / "new"), "init", "--fresh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["aside"] is None
    assert not (tmp_path / "new" / "aside").exists()


KILLED = """
import os, sys
import apsw
import recollect
memory = recollect.open(sys.argv[1], live=False)
reader = apsw.Connection(sys.argv[1] + "/records.db")  # keeps the log from being written back
reader.execute("BEGIN; SELECT count(*) FROM messages").fetchall()
memory.sessions.append(memory.sessions.create().id, "user", "kites hang here")
memory.sync()
memory._rooms.mirror.flush()
os._exit(0)
"""


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_lost_log_is_told_and_what_was_in_it_is_in_the_transcripts(
    tmp_path: Path, is_indexed: bool
) -> None:
    """Issue 10, Shows: records.db-wal after a kill, the only file that is not always there."""
    home = make(tmp_path / "home", *WORDS)
    subprocess.run([sys.executable, "-c", KILLED, str(home)], check=True)
    log = home / f"{RECORDS_FILE}-wal"
    assert log.stat().st_size > 0
    for name in (log.name, f"{RECORDS_FILE}-shm", *(() if is_indexed else (INDEX_FILE,))):
        (home / name).unlink(missing_ok=True)
    as_lost = Path(shutil.copytree(home, tmp_path / "as-lost"))
    with recollect.open(home, live=False) as memory:
        assert any("older copy" in warning for warning in memory.status().sync.warnings)
        told = memory.search("kites").warnings
        assert texts(memory) == list(WORDS)
    assert sum("older copy" in warning for warning in told) == 1
    assert main(["--home", str(home), "doctor", "--json"]) == 1  # a transcript without a session
    (as_lost / RECORDS_FILE).rename(tmp_path / "kept.db")
    assert main(["--home", str(as_lost), "recover"]) == 0
    with recollect.open(as_lost, live=False) as memory:
        assert sorted(texts(memory)) == sorted([*WORDS, "kites"])
        assert len(memory.search("kites").hits) == 1
