"""Keeping a back end in step: what it lost comes back, what it should not have goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.backends.chroma.embedded import ChromaEmbedded
from recollect.backends.chroma.server import ChromaServer
from recollect.core.clock import SystemClock
from recollect.core.settings import VectorSettings
from recollect.index.model.chunk_record import chunk_id
from recollect.index.vectors import maintenance
from recollect.index.vectors.changes import Registration, find_registration, register
from recollect.store.engine import Transaction
from recollect.testing.vector_suite import DIMENSIONS, VectorHome, drawn, exact_top, questions
from tests.unit.index.vectors.conftest import Opened

QUESTION = questions(1)[0]
CHROMA = VectorSettings(backend="chroma")
SQLITE_VEC = VectorSettings(backend="sqlite-vec")


def filled(home: VectorHome, count: int = 300) -> int:
    """Return a partition with vectors that the back end has too."""
    partition = home.partition(home.generation())
    home.add(partition, drawn(count))
    home.near.catch_up()
    return partition


def tables(home: VectorHome) -> list[str]:
    """Return the tables that a back end made."""

    def unit(tx: Transaction) -> list[str]:
        rows = tx.rows(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'near%'"
            " OR name IN ('vector_backend', 'vector_changes') ORDER BY name"
        )
        return [str(name) for (name,) in rows]

    return home.database.read(unit)


@pytest.fixture
def needs_chroma() -> None:
    """Skip without the package."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")


@pytest.fixture
def needs_sqlite_vec() -> None:
    """Skip without the package."""
    pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")


def test_memory_alone_keeps_no_outbox(open_vectors: Opened) -> None:
    """By default nothing is written for a back end."""
    home = open_vectors(VectorSettings())
    filled(home)
    assert tables(home) == []
    assert home.near.check() == []
    assert home.near.heal() == 0


@pytest.mark.usefixtures("needs_sqlite_vec")
def test_vectors_are_part_of_the_transaction(open_vectors: Opened) -> None:
    """What is committed is in the table at once; what is rolled back is not."""
    home = open_vectors(SQLITE_VEC)
    partition = filled(home)
    home.add(partition, drawn(310)[300:], first=300)
    assert home.near.status(DIMENSIONS).waiting == 0
    assert home.top(partition, QUESTION) == exact_top(drawn(310), QUESTION)

    def broken(tx: Transaction) -> None:
        tx.execute("DELETE FROM vectors")
        raise ValueError("undo")

    with pytest.raises(ValueError, match="undo"):
        home.writing.write(broken)
    assert home.near.check() == []


@pytest.mark.usefixtures("needs_sqlite_vec")
def test_a_removed_vector_leaves_no_bytes_in_the_tables(open_vectors: Opened) -> None:
    """After the log is cut, the float vector is nowhere in the file."""
    home = open_vectors(SQLITE_VEC)
    partition = filled(home)
    single = drawn(300)[7].astype("<f4").tobytes()
    home.database.cut_log()
    path = home.database.path
    assert single in path.read_bytes()
    home.remove(partition, [7])
    home.database.cut_log()
    assert single not in path.read_bytes()


@pytest.mark.usefixtures("needs_sqlite_vec")
def test_leaving_sqlite_vec_drops_its_tables(open_vectors: Opened) -> None:
    """Another setting leaves no second copy behind; coming back fills it anew."""
    first = open_vectors(SQLITE_VEC)
    partition = filled(first)
    first.close()
    second = open_vectors(VectorSettings())
    second.near.catch_up()
    assert tables(second) == []
    assert second.near.warnings() == []
    second.add(partition, drawn(310)[300:], first=300)
    second.close()
    third = open_vectors(SQLITE_VEC)
    third.near.catch_up()
    assert third.top(partition, QUESTION) == exact_top(drawn(310), QUESTION)


@pytest.mark.usefixtures("needs_sqlite_vec")
def test_leaving_without_the_extension_empties_its_tables(
    open_vectors: Opened, tmp_path: Path
) -> None:
    """No vector stays in tables that cannot be dropped; later they can be filled again."""
    first = open_vectors(SQLITE_VEC)
    partition = filled(first)
    first.close()
    second = open_vectors(VectorSettings(extension_path=str(tmp_path / "none")))
    second.near.catch_up()
    second.database.cut_log()
    assert drawn(300)[7].astype("<f4").tobytes() not in second.database.path.read_bytes()
    assert second.database.read(find_registration) is None
    second.close()
    third = open_vectors(SQLITE_VEC)
    third.near.catch_up()
    assert third.top(partition, QUESTION) == exact_top(drawn(300), QUESTION)


@pytest.mark.usefixtures("needs_sqlite_vec")
def test_a_row_that_went_missing_is_found_and_mended(open_vectors: Opened) -> None:
    """The check counts what is missing and what is too much; healing brings both in order."""
    home = open_vectors(SQLITE_VEC)
    partition = filled(home)

    def damage(tx: Transaction) -> None:
        tx.execute("DELETE FROM near_1 WHERE rowid = ?", (chunk_id(partition, 3),))
        tx.execute(
            "INSERT INTO near_1 (rowid, partition_id, embedding) VALUES (?, ?, ?)",
            (chunk_id(partition, 999), partition, drawn(1)[0].astype("<f4").tobytes()),
        )

    home.database.write(damage)
    drift = home.near.check()
    assert [(d.partition, d.missing, d.extra) for d in drift] == [(partition, 1, 1)]
    assert home.near.heal() == 2
    assert home.near.check() == []
    assert home.top(partition, QUESTION) == exact_top(drawn(300), QUESTION)


@pytest.mark.usefixtures("needs_sqlite_vec")
def test_a_fill_goes_in_batches_and_can_be_stopped(
    open_vectors: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop keeps what was brought over; nobody who waits begins a long fill."""
    monkeypatch.setattr(maintenance, "CHANGES_AT_ONCE", 100)
    first = open_vectors(VectorSettings())
    partition = first.partition(first.generation())
    first.add(partition, drawn(300))
    first.close()
    home = open_vectors(SQLITE_VEC)
    home.near.catch_up(stopping=iter([False, True]).__next__)
    assert home.near.status(DIMENSIONS).waiting == 200
    assert home.near.status(DIMENSIONS).used == "memory"
    assert home.look(partition, QUESTION)[1] == exact_top(drawn(300), QUESTION)
    home.near.catch_up()
    assert home.top(partition, QUESTION) == exact_top(drawn(300), QUESTION)


def test_an_emptied_chroma_is_filled_again_from_our_rows(
    open_vectors: Opened, chroma_server: str
) -> None:
    """Its collections vanish while it runs: memory answers, then it is filled without embedding."""
    home = open_vectors(VectorSettings(backend="chroma", chroma_url=chroma_server))
    partition = filled(home, 600)
    client = ChromaServer(chroma_server)
    client.open()
    for name in client.names():
        client.drop(name)
    client.close()
    assert home.look(partition, QUESTION)[1] == exact_top(drawn(600), QUESTION)
    home.near.catch_up()
    assert home.top(partition, QUESTION) == exact_top(drawn(600), QUESTION)
    assert home.near.check() == []


@pytest.mark.usefixtures("needs_chroma")
def test_what_is_too_much_in_chroma_goes(open_vectors: Opened) -> None:
    """Ids that we do not have and collections of generations that are gone are removed."""
    home = open_vectors(CHROMA)
    partition = filled(home)
    home.close()
    client = ChromaEmbedded(home.folder, SystemClock())
    client.open()
    (name,) = client.names()
    client.put(name, [str(chunk_id(partition, 5_000))], drawn(1))
    client.put(f"{name}9", ["1"], drawn(1))
    client.put("somebody-else", ["1"], drawn(1))
    client.close()
    again = open_vectors(CHROMA)
    again.near.catch_up()
    assert again.near.check() == []
    again.close()
    client.open()
    assert sorted(client.names()) == sorted([name, "somebody-else"])
    client.close()


@pytest.mark.usefixtures("needs_chroma", "needs_sqlite_vec")
def test_another_back_end_takes_over_and_the_former_is_emptied(open_vectors: Opened) -> None:
    """From Chroma to sqlite-vec: the collections go."""
    first = open_vectors(CHROMA)
    partition = filled(first)
    first.close()
    second = open_vectors(SQLITE_VEC)
    second.near.catch_up()
    assert second.top(partition, QUESTION) == exact_top(drawn(300), QUESTION)
    assert not (second.folder / "chroma").exists()


@pytest.mark.usefixtures("needs_chroma")
def test_starting_over_leaves_no_bytes_in_the_folder_of_chroma(open_vectors: Opened) -> None:
    """What Chroma keeps of deleted vectors goes with its files; the others are filled in again."""
    home = open_vectors(CHROMA)
    partition = filled(home)
    single = drawn(300)[7].astype("<f4").tobytes()
    home.remove(partition, [7])
    home.near.catch_up()
    assert single in folder_bytes(home)
    assert home.near.start_over()
    assert home.near.status(DIMENSIONS).waiting == 299
    # Not after `catch_up`: Chroma writes uninitialised memory into new files, in 1 of 20 runs this.
    assert single not in folder_bytes(home)
    home.near.catch_up()
    assert home.near.check() == []


def folder_bytes(home: VectorHome) -> bytes:
    """Return everything in the folder of Chroma."""
    paths = sorted((home.folder / "chroma").rglob("*"))
    return b"".join(path.read_bytes() for path in paths if path.is_file())


def test_starting_over_fails_where_nothing_answers(open_vectors: Opened) -> None:
    """A server that is away keeps what it has, and that is said."""
    url = "http://127.0.0.1:9"
    home = open_vectors(VectorSettings(backend="chroma", chroma_url=url))
    assert not home.near.start_over()
    assert open_vectors(VectorSettings()).near.start_over()


def test_a_server_that_cannot_be_left_is_told(open_vectors: Opened) -> None:
    """Vectors that stay on a server that is gone are named, once for each opening."""
    home = open_vectors(VectorSettings())
    filled(home)
    registration = Registration(name="chroma", place="http://127.0.0.1:9")
    home.database.write(lambda tx: register(tx, registration))
    again = open_vectors(VectorSettings())
    again.near.catch_up()
    assert "vectors were left in chroma http://127.0.0.1:9" in again.near.warnings()[0]
    assert again.database.read(find_registration) is None
