"""A damaged index heals by itself; a full disk and a missing workspace leave the rest working."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251  # damages what none of our writers would
import pytest

import recollect
from recollect.cli.main import main
from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound, StoreBusy, StoreCorrupt
from recollect.core.settings import StoreSettings
from recollect.index.indexing.indexer import Indexer
from recollect.index.model.generation import retire_all
from recollect.index.query.search_service import DAMAGED_WORDS
from recollect.memory import Memory
from recollect.recall.healing import DAMAGED
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_index
from recollect.store.sqlite.home import INDEX_FILE, RECORDS_FILE
from recollect.store.sqlite.snapshot import snapshots
from tests.unit.index.conftest import shrink
from tests.unit.index.scripted import ScriptedEmbedder

LEXICAL: dict[str, object] = {"embedding.provider": "none"}
PAGE = 4096
HEALED = f"{DAMAGED}: it is rebuilt"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with some messages and a note, all indexed."""
    (tmp_path / "workspace").mkdir()
    note = "The lantern is in the cellar.\n"
    (tmp_path / "workspace" / "MEMORY.md").write_text(note, encoding="utf-8")
    with _opened(tmp_path / "home") as memory:
        session = memory.sessions.create(key="k")
        said = [("user", f"Kite {n} flies above lantern {n * n}.") for n in range(300)]
        memory.sessions.append_many(session.id, said)
        memory.sync()
    return tmp_path / "home"


def _opened(home: Path, *, live: bool = False, **more: object) -> Memory:
    return recollect.open(home, home.parent / "workspace", overrides=LEXICAL | more, live=live)


def _write(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def _head(path: Path) -> None:
    _write(path, 0, b"x" * 100)


def _schema(path: Path) -> None:
    _write(path, 100, bytes(PAGE - 100))


def _half(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _pages(path: Path) -> None:
    for number in range(3, path.stat().st_size // PAGE, 3):
        _write(path, number * PAGE, b"\xff" * PAGE)


def _noise(path: Path) -> None:
    drawn = random.Random(4)  # the same damage each time
    for _ in range(40):
        _write(path, drawn.randrange(PAGE, path.stat().st_size), bytes([drawn.randrange(256)]))


def _last_pages(path: Path) -> None:
    """What an opening does not look at."""
    for number in range(6, path.stat().st_size // PAGE):
        _write(path, number * PAGE, b"\xff" * PAGE)


def _elsewhere(damage: str, path: Path) -> None:
    """Damage a file that this process has open: a second descriptor here would drop its locks."""
    code = (
        "import pathlib; from tests.unit.recall import test_healing as t;"
        f" t.{damage}(pathlib.Path({str(path)!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_damaged_number_is_noticed_and_the_first_answer_has_the_files(home: Path) -> None:
    """They were read into the index that turned out to be damaged a moment later."""
    connection = apsw.Connection(str(home / INDEX_FILE))
    connection.execute("UPDATE tail SET id = id + 5000 WHERE id = (SELECT max(id) FROM tail)")
    connection.close()
    with _opened(home) as memory:
        found = memory.search("lantern", limit=400)
        assert len(found.hits) == 301
        assert {hit.source for hit in found.hits} == {"memory", "sessions"}
        assert HEALED in found.warnings


def test_an_index_that_takes_over_while_a_search_reads_is_read_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rebuild that ends between the two may have read less than the index before it."""
    with _opened(home) as memory:
        memory.sessions.append(memory.sessions.create(key="k2").id, "user", "A lantern for Zoe.")
        sync = Indexer.sync

        def replaced(indexer: Indexer, *given: Any) -> Any:
            monkeypatch.setattr(Indexer, "sync", sync)
            report = sync(indexer, *given)
            database = open_index(home, StoreSettings(), SystemClock())
            database.write(retire_all)
            database.close()
            return report

        monkeypatch.setattr(Indexer, "sync", replaced)
        assert "Zoe" in memory.search("lantern for Zoe").hits[0].snippet


@pytest.mark.parametrize("damage", [_head, _schema, _half, _pages, _noise, _last_pages])
def test_an_index_that_was_damaged_is_rebuilt_when_it_is_opened(
    home: Path, damage: Callable[[Path], None]
) -> None:
    """The first answer is complete, and says what happened; the second has nothing to say."""
    damage(home / INDEX_FILE)
    with _opened(home) as memory:
        found = memory.search("lantern", limit=400)
        assert {hit.source for hit in found.hits} == {"memory", "sessions"}
        assert len(found.hits) == 301
        assert found.warnings == [HEALED]
        assert HEALED in memory.sync().warnings
        assert memory.search("lantern").warnings == []
    with _opened(home) as memory:
        assert (len(memory.search("kite 17").hits), memory.status().dirty) == (6, False)


def test_an_index_that_is_damaged_while_it_is_open_is_rebuilt(home: Path) -> None:
    """Another thread that asks meanwhile gets its answer too, from the new one."""
    with _opened(home) as memory, _opened(home) as other:
        _elsewhere("_last_pages", home / INDEX_FILE)
        found = memory.search("lantern", limit=400)
        assert (len(found.hits), found.warnings) == (301, [HEALED])
        assert len(other.search("lantern", limit=400).hits) == 301
        memory.sync()
        assert memory.search("lantern").warnings == []
        assert memory.checkup().examine(deep=True) == []


def _documents(path: Path) -> None:
    """Damage the tree of all documents, and one page in ten of those that were filled last."""
    with snapshots([path]) as (index,):
        rows = index.read(lambda tx: tx.all("SELECT rootpage, name FROM sqlite_schema"))
    roots = {int(str(number)): name for number, name in rows}
    pages = path.stat().st_size // PAGE
    spread = {number + 1 for number in range(pages // 2, pages, 10)} - roots.keys()
    for number in spread | {number for number, name in roots.items() if name == "documents"}:
        _write(path, (number - 1) * PAGE, b"\xff" * PAGE)


@pytest.mark.parametrize("way", ["opened", "open", "doctor"])
def test_the_sound_vectors_of_a_damaged_index_are_not_paid_for_again(
    tmp_path: Path, way: str
) -> None:
    """Issue 10, B4: what a provider made is kept as far as it can be read."""
    home, embedder = tmp_path / "home", ScriptedEmbedder()
    with recollect.open(home, embedder=embedder, live=False) as memory:
        session = memory.sessions.create()
        said = [("user", f"Kite {n} flies above lantern {n * n}.") for n in range(300)]
        memory.sessions.append_many(session.id, said)
        memory.sync()
        if way == "open":
            _elsewhere("_documents", home / INDEX_FILE)
            embedder.texts.clear()
            assert len(memory.search("lantern", limit=400).hits) == 300
            memory.sync()
    if way != "open":
        assert len(embedder.texts) == 300
        embedder.texts.clear()
        _documents(home / INDEX_FILE)
    if way == "doctor":
        assert main(["--home", str(home), "doctor", "--fix"]) in {0, 1}
    with recollect.open(home, embedder=embedder, live=False) as memory:
        assert len(memory.search("lantern", limit=400).hits) == 300
        memory.sync()
        assert memory.checkup().examine(deep=True) == []
    # Those that lay on the damaged pages; the log of an open index may have them all still.
    assert (0 if way == "open" else 1) <= len(embedder.texts) < 120


def test_rows_that_are_damaged_are_rebuilt_beside_what_answers(home: Path) -> None:
    """The file is sound: only a new generation is begun, and the cache of vectors is kept."""
    with _opened(home) as memory:
        database = memory._rooms.opened.database  # noqa: SLF001

        def spoil(tx: Transaction) -> None:
            tx.execute("UPDATE tail SET layout = zeroblob(7)")

        before = memory.status().index.generation
        database.write(spoil)
        found = memory.search("lantern", limit=400)
        assert (len(found.hits), found.warnings) == (301, [HEALED])
        assert memory.status().index.generation > before


def test_damaged_words_are_left_out_and_rebuilt_in_the_background(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody waits for an answer: what is left of the words gives it."""
    shrink(monkeypatch)
    with _opened(home) as memory:
        memory.sessions.append(memory.sessions.list()[0].id, "user", "A last lantern.")
        memory.sync()
        memory._rooms.opened.database.write(  # noqa: SLF001
            lambda tx: tx.execute("UPDATE postings SET data = x'0000ff' WHERE rowid % 2 = 0")
        )
    with _opened(home, live=True) as memory:
        before = memory.status().index.generation
        assert DAMAGED_WORDS in memory.search("kite above lantern").warnings
        deadline, waiting = time.monotonic() + 30, threading.Event()
        while memory.status().index.generation == before and time.monotonic() < deadline:
            waiting.wait(0.05)
        found = memory.search("lantern", limit=400)
        assert (len(found.hits), found.warnings) == (302, [])


def test_damage_of_the_records_is_not_taken_for_damage_of_the_index(home: Path) -> None:
    """Nothing is rebuilt for it, and it is told."""
    with _opened(home) as memory:
        before = memory.status().index.generation
        _elsewhere("_last_pages", home / RECORDS_FILE)
        memory._rooms.opened.database.write(  # noqa: SLF001
            lambda tx: tx.execute("UPDATE cursors SET seq = 0")
        )
        with pytest.raises(StoreCorrupt) as caught:
            memory.search("lantern")
        assert caught.value.facts["path"] == str(home / RECORDS_FILE)
        number = memory._rooms.opened.database.read(  # noqa: SLF001
            lambda tx: tx.row("SELECT max(id) FROM generations")
        )
        assert number == (before,)


def test_a_damaged_index_that_another_process_has_open_is_left_to_it(home: Path) -> None:
    """A database that may be open is never replaced."""
    code = f"file = open({str(home / INDEX_FILE)!r}); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        _head(home / INDEX_FILE)
        with pytest.raises(StoreBusy):
            _opened(home)
        process.communicate(b"\n")
    with _opened(home) as memory:
        assert memory.search("lantern").hits


FULL = """
import pathlib, resource, signal, sys
import recollect
home = pathlib.Path(sys.argv[1])
with recollect.open(home, home.parent / "workspace", overrides={"embedding.provider": "none"}, live=False) as memory:
    session = memory.sessions.list()[0]
    memory.sessions.append(session.id, "user", "A new lantern.")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    found = memory.search("lantern", limit=400)
    print(len(found.hits), len(memory.sessions.messages(session.id)), memory.read("MEMORY.md").status)
    print(found.warnings)
"""  # noqa: E501  # a program


def test_where_nothing_can_be_written_reading_goes_on(home: Path) -> None:
    """What is new is not found yet, and the answer says so."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(home)], capture_output=True, text=True, check=True
    )
    counted, warnings = done.stdout.splitlines()
    assert counted == "301 301 ok"
    assert "what is new is not found yet" in warnings


def test_a_workspace_of_the_settings_may_be_missing(home: Path) -> None:
    """Sessions are searched and a warning names the path; an argument must be right."""
    missing = str(home.parent / "gone")
    with recollect.open(
        home, overrides=LEXICAL | {"workspace.path": missing}, live=False
    ) as memory:
        found = memory.search("lantern")
        assert found.hits
        assert any(missing in warning for warning in memory.sync().warnings)
        assert any(missing in warning for warning in memory.status().sync.warnings)
        assert memory.read("MEMORY.md").status == "not_found"
    with pytest.raises(NotFound, match="gone"):
        recollect.open(home, missing)
