"""A damaged database is told from a sound one."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreCorrupt
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.copies import read_texts
from recollect.store.sqlite.database import SqliteDatabase, open_records
from recollect.store.sqlite.integrity import find_damage


def _opened(home: Path) -> SqliteDatabase:
    return open_records(home, StoreSettings(), SystemClock())


def test_a_sound_database_has_nothing_wrong(tmp_path: Path) -> None:
    """The usual case."""
    database = _opened(tmp_path / "home")
    assert find_damage(database) == []
    database.close()


@pytest.mark.parametrize("page", range(1, 12))
def test_a_damaged_page_is_reported_or_refused(tmp_path: Path, page: int) -> None:
    """In words of SQLite's, at most five; or it cannot even be opened."""
    database = _opened(tmp_path / "home")
    database.close()
    path = tmp_path / "home" / "records.db"
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(min(page * 4096, size - 4096))
        file.write(b"\xff" * 512)
    try:
        damaged = _opened(tmp_path / "home")
    except StoreCorrupt:
        return
    try:
        damage = find_damage(damaged)
    except StoreCorrupt as error:
        damage = [error.message]
    finally:
        damaged.close()
    assert 1 <= len(damage) <= 5


def test_damaged_bytes_of_a_text_are_refused(tmp_path: Path) -> None:
    """SQLite's own checks do not look at them."""
    database = _opened(tmp_path / "home")
    sql = "INSERT INTO meta (key, value) VALUES ('sound', ?)"
    database.write(lambda tx: tx.execute(sql, ("a text to be damaged",)))
    database.close()
    path = tmp_path / "home" / "records.db"
    content = path.read_bytes()
    path.write_bytes(content.replace(b"to be damaged", b"to be d\xffmaged"))
    damaged = _opened(tmp_path / "home")
    with pytest.raises(StoreCorrupt):
        find_damage(damaged)
    damaged.close()


@pytest.mark.parametrize("place", ["schema", "ledger"])
def test_damaged_bytes_of_a_text_that_opening_reads_are_refused(tmp_path: Path, place: str) -> None:
    """Of the schema, and of the ledger of its steps; and what is read of copies."""
    database = _opened(tmp_path / "home")
    step = database.read(lambda tx: tx.row("SELECT sha256 FROM schema_steps"))
    database.close()
    sound = {"schema": "-- The name of the token", "ledger": str(step and step[0])}[place].encode()
    path = tmp_path / "home" / "records.db"
    content = path.read_bytes()
    assert sound in content
    path.write_bytes(content.replace(sound, sound[:-1] + b"\xff"))
    with pytest.raises(StoreCorrupt, match="not UTF-8") as refused:
        _opened(tmp_path / "home")
    assert refused.value.hint
    if place == "ledger":
        with pytest.raises(StoreCorrupt, match="not UTF-8"):
            list(read_texts(path))
