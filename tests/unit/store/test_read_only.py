"""A home on a disk that cannot be written: it is read, and nothing is changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.core.errors import RecordsLost, StoreReadOnly
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_index, open_records
from recollect.store.sqlite.schema import Migration
from tests.unit.store.conftest import CLOCK, SCHEMA, Open
from tests.unit.store.notes import add, words

Protect = Callable[[], None]


@pytest.fixture
def protect(monkeypatch: pytest.MonkeyPatch) -> Protect:
    """Make everything read-only from now on, also for root, whom permissions do not stop."""

    def access(_path: object, mode: int, **_: object) -> bool:
        return not mode & os.W_OK

    return lambda: monkeypatch.setattr(os, "access", access)


def _files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.suffix != ".lock"}


def test_a_closed_database_is_read_and_not_written(
    open_notes: Open, path: Path, protect: Protect
) -> None:
    """Not even a log is made beside it."""
    first = open_notes()
    first.write(add("a"))
    first.close()
    before = _files(path.parent)
    protect()
    database = open_notes()
    assert database.is_read_only
    assert database.read(words) == ["a"]
    with pytest.raises(StoreReadOnly, match=r"notes\.db cannot be written"):
        database.write(add("b"))
    database.close()
    assert _files(path.parent) == before


def test_commits_in_the_log_of_an_open_database_are_read(
    open_notes: Open, protect: Protect
) -> None:
    """Another program, with more rights, has it open."""
    first = open_notes()
    first.write(add("a"))
    protect()
    assert open_notes().read(words) == ["a"]
    first.write(add("b"))
    assert open_notes().read(words) == ["a", "b"]


def test_one_of_an_older_version_says_what_to_do(open_notes: Open, protect: Protect) -> None:
    """It must be changed first, and cannot be."""
    open_notes().close()
    step = Migration(version=2, name="0002_more", sql="ALTER TABLE notes ADD COLUMN more TEXT;")
    newer = msgspec.structs.replace(SCHEMA, steps=(*SCHEMA.steps, step))
    protect()
    with pytest.raises(StoreReadOnly, match="older recollect") as caught:
        open_notes(schema=newer)
    assert "where it can be written" in (caught.value.hint or "")


def test_records_are_read_where_the_index_is_missing(tmp_path: Path, protect: Protect) -> None:
    """Each use of the index says why; the records do not need it."""
    settings = StoreSettings()
    open_records(tmp_path, settings, CLOCK).close()
    protect()
    with closing(open_records(tmp_path, settings, CLOCK)) as records:
        assert records.read(lambda tx: tx.all("SELECT count(*) FROM sessions")) == [(0,)]
    refusal = StoreReadOnly("seen before", hint="wait")
    for given in (None, refusal):
        with closing(open_index(tmp_path, settings, CLOCK, refusal=given)) as index:
            for use in (index.read, index.write):
                with pytest.raises(StoreReadOnly):
                    use(lambda tx: tx.all("SELECT 1"))
    assert not (tmp_path / "index.db").exists()


def test_records_of_another_home_are_refused_unread(tmp_path: Path, protect: Protect) -> None:
    """As where they can be written."""
    for name in ("one", "two"):
        settings = {"embedding.provider": "none"}
        with recollect.open(tmp_path / name, overrides=settings, live=False) as memory:
            memory.sessions.append(memory.sessions.create().id, "user", f"From {name}.")
            memory.sync()
    (tmp_path / "one" / "records.db").replace(tmp_path / "two" / "records.db")
    shutil.rmtree(tmp_path / "two" / "transcripts")
    protect()
    with pytest.raises(RecordsLost):
        open_records(tmp_path / "two", StoreSettings(), CLOCK)
