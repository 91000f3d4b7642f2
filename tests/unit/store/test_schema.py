"""Schema steps: one transaction each, checked, backed up, never backwards."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import apsw
import msgspec
import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import (
    Conflict,
    MigrationFailed,
    SchemaTooNew,
    StoreCorrupt,
    StoreError,
    StoreFull,
)
from recollect.core.settings import StoreSettings
from recollect.store.engine import SqlValue, Transaction
from recollect.store.sqlite.database import drop_foreign_triggers, open_records
from recollect.store.sqlite.home import INDEX_ID, RECORDS_ID
from recollect.store.sqlite.schema import (
    Migration,
    Schema,
    load_schema,
    load_steps,
    migrate,
    show_objects,
)
from tests.unit.sessions.home import HandClock
from tests.unit.store.conftest import SCHEMA, Open
from tests.unit.store.notes import add, words
from tests.unit.store.old_records import fill_old_records

SHIPPED = {
    "records": load_schema("records", RECORDS_ID, keep_backup=True),
    "index": load_schema("index", INDEX_ID, keep_backup=False),
}
STEP = Migration(version=2, name="0002_stars", sql="ALTER TABLE notes ADD COLUMN stars INTEGER;")
_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'"
CLOCK = HandClock()
NEWER = msgspec.structs.replace(SCHEMA, steps=(*SCHEMA.steps, STEP))


def _with_step(sql: str) -> Schema:
    step = Migration(version=2, name="0002_next", sql=sql)
    return msgspec.structs.replace(SCHEMA, steps=(*SCHEMA.steps, step))


def _ledger(tx: Transaction) -> list[tuple[SqlValue, ...]]:
    return list(tx.rows("SELECT version, name FROM schema_steps ORDER BY version"))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_new_database_is_as_the_steps_would_leave_it(name: str, tmp_path: Path) -> None:
    """After a change run scripts/schema.py; the difference is reviewed."""
    schema = SHIPPED[name]
    by_steps = msgspec.structs.replace(schema, golden="")
    new, stepped = (
        _contents(tmp_path / f"{number}.db", each) for number, each in enumerate((schema, by_steps))
    )
    assert new == stepped
    assert new[0] == schema.golden


def _contents(path: Path, schema: Schema) -> tuple[str, list[int], dict[str, list[object]]]:
    """Make a database; return its schema, version and mark, and all rows of its tables."""
    connection = apsw.Connection(str(path))
    migrate(connection, schema, path, CLOCK)
    numbers = [int(connection.pragma(name)) for name in ("user_version", "application_id")]
    rows = {
        name: list(connection.execute(f'SELECT * FROM "{name}" ORDER BY 1'))  # noqa: S608
        for (name,) in connection.execute(_TABLES)
    }
    objects = show_objects(connection)
    connection.close()
    return objects, numbers, rows


def test_a_database_that_an_older_recollect_only_began_is_finished(tmp_path: Path) -> None:
    """It was killed before the first step; the tables of the engine are there."""
    path, schema = tmp_path / "records.db", SHIPPED["records"]
    step = Migration(version=1, name="0001_records", sql="SELECT killed")
    connection = apsw.Connection(str(path))
    with pytest.raises(MigrationFailed):
        migrate(connection, msgspec.structs.replace(schema, steps=(step,), golden=""), path, CLOCK)
    migrate(connection, schema, path, CLOCK)
    assert show_objects(connection) == schema.golden
    connection.close()


@pytest.mark.parametrize("name", SHIPPED)
def test_every_table_is_strict(name: str) -> None:
    """Types are kept, so that damage shows."""
    tables = [sql for sql in SHIPPED[name].golden.split(";\n") if sql.startswith("CREATE TABLE")]
    assert len(tables) > 5
    assert [sql for sql in tables if "STRICT" not in sql.rpartition(")")[2]] == []


@pytest.mark.parametrize("column", ["metadata", "content", "payload", "input"])
def test_columns_of_json_are_checked(column: str) -> None:
    """House rule: a row that is no JSON is refused when it is written, not when it is read."""
    assert f"json_valid({column})" in SHIPPED["records"].golden


def test_a_step_keeps_the_rows_and_leaves_a_backup(open_notes: Open, path: Path) -> None:
    """Ledger, version and table move together."""
    old = open_notes()
    old.write(add("a"))
    old.close()
    new = open_notes(schema=NEWER)
    assert new.read(words) == ["a"]
    assert new.read(_ledger) == [(1, "0001_notes"), (2, "0002_stars")]
    backup = path.with_name("notes.db.before-0002")
    assert backup.stat().st_mode & 0o777 == 0o600
    copy = apsw.Connection(str(backup))
    assert copy.execute("SELECT * FROM notes").fetchall() == [(1, "a")]
    assert copy.pragma("user_version") == 1
    copy.close()


def test_what_can_be_derived_again_has_no_backup(open_notes: Open, path: Path) -> None:
    """It would only cost."""
    open_notes().close()
    open_notes(schema=msgspec.structs.replace(NEWER, keep_backup=False))
    assert [item.name for item in path.parent.glob("*before*")] == []


def test_a_newer_schema_is_refused(open_notes: Open) -> None:
    """And not touched."""
    open_notes(schema=NEWER).close()
    with pytest.raises(SchemaTooNew) as caught:
        open_notes()
    assert caught.value.facts["found"] == 2
    open_notes(schema=NEWER)


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE notes ADD COLUMN stars INTEGER; INSERT INTO nowhere VALUES (1);",
        "CREATE TABLE likes (note INTEGER REFERENCES notes (id)); INSERT INTO likes VALUES (99);",
        "ROLLBACK; INSERT INTO nowhere VALUES (1);",
    ],
    ids=["error", "broken reference", "ends its transaction"],
)
def test_a_step_that_fails_leaves_the_old_schema(open_notes: Open, sql: str) -> None:
    """All of it: the version, the ledger, the tables."""
    old = open_notes()
    old.write(add("a"))
    old.close()
    with pytest.raises(MigrationFailed) as caught:
        open_notes(schema=_with_step(sql))
    assert "before-0002" in caught.value.hint
    again = open_notes()
    assert again.read(words) == ["a"]
    assert again.read(_ledger) == [(1, "0001_notes")]


def test_a_failing_first_step_has_a_hint_without_a_backup(open_notes: Open) -> None:
    """There was nothing to copy."""
    broken = msgspec.structs.replace(
        SCHEMA, steps=(Migration(version=1, name="0001_x", sql="CREATE"),)
    )
    with pytest.raises(MigrationFailed) as caught:
        open_notes(schema=broken)
    assert caught.value.facts["backup"] is None
    assert caught.value.hint


def test_a_step_needs_room_for_the_copy_and_the_log(
    open_notes: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times the database, asked for before anything is written."""
    open_notes().close()
    size = path.stat().st_size
    free = shutil.disk_usage("/")._replace(free=3 * size - 1)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _path: free)
        with pytest.raises(StoreFull) as caught:
            open_notes(schema=NEWER)
    assert "MB" in caught.value.hint
    assert caught.value.facts["needed"] == 3 * size
    assert [item.name for item in path.parent.glob("*before*")] == []
    open_notes()


def test_what_a_killed_attempt_left_counts_as_room(
    open_notes: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is used again: a disk that was large enough stays so."""
    open_notes().close()
    size = path.stat().st_size
    path.with_name("notes.db.before-0002.part").write_bytes(b"half of a copy")
    path.with_name("notes.db.before-0002").write_bytes(path.read_bytes())
    free = shutil.disk_usage("/")._replace(free=2 * size - len(b"half of a copy"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: free)
    open_notes(schema=NEWER)
    assert [item.name for item in path.parent.glob("*before*")] == ["notes.db.before-0002"]


@pytest.mark.parametrize("speed", [10**9, 1_000])
def test_time_and_disk_are_told_before_a_step(
    open_notes: Open,
    path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    speed: int,
) -> None:
    """docs/durability.md: a warning where it takes long, which reaches the user by itself."""
    monkeypatch.setattr("recollect.store.sqlite.schema._BYTES_A_SECOND", speed)
    open_notes().close()
    size = path.stat().st_size
    with caplog.at_level(logging.INFO, logger="recollect"):
        open_notes(schema=NEWER).close()
        open_notes(schema=NEWER)
    (record,) = caplog.records
    assert record.levelno == (logging.INFO if speed > size else logging.WARNING)
    assert "from 1 to 2" in record.message
    assert f"{1 + size // speed} s and {3 * size // 1_000_000 + 1} MB" in record.message
    assert "notes.db.before-0002" in record.message


def test_the_step_of_event_ids_keeps_every_row(tmp_path: Path) -> None:
    """Messages as they were, byte for byte, with their hashes and tool calls; each id once."""
    path = tmp_path / "home" / "records.db"
    rows = fill_old_records(path, 200, version=5)
    database = open_records(path.parent, StoreSettings(), SystemClock())
    rows_after = database.read(lambda tx: tx.all("SELECT * FROM messages ORDER BY id"))
    assert [row[: len(rows[0])] for row in rows_after] == rows
    calls = "SELECT count(*) FROM tool_calls t JOIN messages m ON m.id = t.message_id"
    assert database.read(lambda tx: tx.row(calls)) == (15,)
    again = (
        "INSERT INTO messages SELECT 'new', tenant, agent, user_id, project, session_id, 9999,"
        " role, name, content, text, token_estimate, created_at, recorded_at, metadata, event_id,"
        " foreign_id, row_hash, NULL, NULL, NULL FROM messages WHERE event_id = 'event-1'"
    )
    with pytest.raises(Conflict):
        database.write(lambda tx: tx.execute(again))
    database.close()


def test_a_database_of_another_program_is_refused(path: Path, open_notes: Open) -> None:
    """Whatever it is called."""
    path.parent.mkdir(mode=0o700)
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StoreError, match="not a notes database"):
        open_notes()


def test_a_database_that_lacks_something_is_refused(path: Path, open_notes: Open) -> None:
    """The ledger alone proves nothing: a peer lost 37,789 writes to a missing column."""
    first = open_notes()
    first.write(add("a"))
    first.close()
    connection = apsw.Connection(str(path))
    golden = show_objects(connection)
    schema = msgspec.structs.replace(SCHEMA, golden=golden)
    open_notes(schema=schema).close()
    connection.execute("CREATE INDEX extra ON notes (words)")
    open_notes(schema=schema).close()
    connection.execute("DROP INDEX extra; ALTER TABLE notes DROP COLUMN words").fetchall()
    connection.close()
    with pytest.raises(StoreCorrupt, match="first at CREATE TABLE notes"):
        open_notes(schema=schema)


def test_steps_are_numbered_without_a_gap(tmp_path: Path) -> None:
    """A missing file would make another schema."""
    for name in ("0001_a.sql", "0002_b.sql", "schema.sql", "readme.txt"):
        tmp_path.joinpath(name).write_text("SELECT 1;", "utf-8")
    assert [step.name for step in load_steps(tmp_path)] == ["0001_a", "0002_b"]
    tmp_path.joinpath("0001_a.sql").unlink()
    with pytest.raises(StoreError, match="gap"):
        load_steps(tmp_path)


def test_a_schema_without_a_golden_file_is_not_checked(path: Path, open_notes: Open) -> None:
    """As that of a third party may be."""
    open_notes().close()
    assert SCHEMA.golden == ""
    assert load_schema("engine", 1, keep_backup=False).golden == ""


FOREIGN = (
    "CREATE TRIGGER evil AFTER INSERT ON messages BEGIN DELETE FROM messages WHERE seq < 50; END",
    "CREATE VIEW peek AS SELECT text FROM messages",
)


@pytest.mark.parametrize("statement", FOREIGN)
def test_a_foreign_trigger_or_view_is_refused_before_a_step_runs(
    tmp_path: Path, statement: str
) -> None:
    """And dropped where somebody asks for it."""
    settings, clock = StoreSettings(), SystemClock()
    open_records(tmp_path, settings, clock).close()
    connection = apsw.Connection(str(tmp_path / "records.db"))
    connection.execute(statement)
    connection.pragma("user_version", 20)  # the steps after it would run with the trigger
    connection.close()
    kind, name = statement.split()[1].lower(), statement.split()[2]
    with pytest.raises(StoreCorrupt, match=f"a foreign {kind} '{name}'") as refusal:
        open_records(tmp_path, settings, clock)
    assert "doctor --fix" in refusal.value.hint
    assert drop_foreign_triggers(tmp_path, settings) == [f"{kind} '{name}'"]
    assert drop_foreign_triggers(tmp_path, settings) == []


@pytest.mark.parametrize(
    "change", ["UPDATE schema_steps SET sha256 = '0'", "DELETE FROM schema_steps"]
)
def test_a_step_of_another_recollect_is_named(tmp_path: Path, change: str) -> None:
    """The ledger says which file made the tables."""
    settings, clock = StoreSettings(), SystemClock()
    open_records(tmp_path, settings, clock).close()
    connection = apsw.Connection(str(tmp_path / "records.db"))
    connection.execute(f"{change} WHERE version = 9")
    connection.close()
    with pytest.raises(StoreCorrupt, match="the schema step 0009_erasure"):
        open_records(tmp_path, settings, clock)
