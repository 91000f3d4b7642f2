"""A back end that cannot answer: memory answers with the same result, and the status says why."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from recollect.backends.chroma import server as chroma_server_module
from recollect.core.settings import VectorSettings
from recollect.index.vectors.changes import find_registration
from recollect.index.vectors.maintenance import RETRY_MS
from recollect.testing.vector_suite import DIMENSIONS, VectorHome, drawn, exact_top, questions
from tests.unit.index.vectors.chroma_process import ChromaProcess
from tests.unit.index.vectors.conftest import Opened
from tests.unit.index.vectors.scripted_server import ScriptedServer

QUESTION = questions(1)[0]


def filled(home: VectorHome, count: int = 300) -> int:
    """Return a partition with vectors."""
    partition = home.partition(home.generation())
    home.add(partition, drawn(count))
    home.near.catch_up()
    return partition


def assert_memory_answers(home: VectorHome, partition: int, count: int = 300) -> None:
    """The ten nearest are right without the back end."""
    answers, best, _ = home.look(partition, QUESTION)
    assert not answers
    assert best == exact_top(drawn(count), QUESTION)


def library() -> Path:
    """Return the file of the extension."""
    package = pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")
    return next(Path(package.__file__).parent.glob("vec0.*"))


@pytest.mark.parametrize("content", [None, b"", b"no library at all"])
def test_an_extension_that_cannot_be_loaded_costs_nothing_but_itself(
    open_vectors: Opened, tmp_path: Path, content: bytes | None
) -> None:
    """A missing, an empty and a damaged file: memory answers, and the error is told."""
    path = tmp_path / "vec0.so"
    if content is not None:
        path.write_bytes(content)
    home = open_vectors(VectorSettings(backend="sqlite-vec", extension_path=str(path)))
    partition = filled(home)
    assert_memory_answers(home, partition)
    status = home.near.status(DIMENSIONS)
    assert (status.requested, status.used, status.available) == ("sqlite-vec", "memory", False)
    assert status.extension_path == str(path)
    assert "cannot be loaded" in str(status.load_error)
    assert "vec0.so" in str(status.load_error)
    assert "sqlite-vec does not answer" in home.near.warnings()[0]


def test_an_extension_that_comes_back_is_used_again(open_vectors: Opened, tmp_path: Path) -> None:
    """After a while it is tried again, and gets what was written meanwhile."""
    suffix = library().suffix
    path = tmp_path / f"vec0{suffix}"
    home = open_vectors(VectorSettings(backend="sqlite-vec", extension_path=str(path)))
    partition = filled(home)
    shutil.copy(library(), path)
    home.near.catch_up()
    assert_memory_answers(home, partition)
    home.clock.at += RETRY_MS
    home.near.catch_up()
    assert home.top(partition, QUESTION) == exact_top(drawn(300), QUESTION)
    assert home.near.warnings() == []


def test_an_extension_that_vanishes_does_not_stop_writes(
    open_vectors: Opened, tmp_path: Path
) -> None:
    """A writer that cannot load it any more stores the vectors all the same."""
    path = tmp_path / f"vec0{library().suffix}"
    shutil.copy(library(), path)
    settings = VectorSettings(backend="sqlite-vec", extension_path=str(path))
    first = open_vectors(settings)
    partition = filled(first)
    first.close()
    home = open_vectors(settings)
    home.near.prepare()
    path.unlink()  # loaded by nobody who writes yet
    home.add(partition, drawn(320)[300:], first=300)
    _, best, _ = home.look(partition, QUESTION)
    assert best == exact_top(drawn(320), QUESTION)
    assert home.near.status(DIMENSIONS).waiting in (0, 20)


def test_a_package_that_is_missing_is_named(
    open_vectors: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the package the error says which one."""
    monkeypatch.setattr("recollect.backends.sqlite_vec.find_spec", lambda _: None)
    home = open_vectors(VectorSettings(backend="sqlite-vec"))
    partition = filled(home)
    assert_memory_answers(home, partition)
    assert home.near.status(DIMENSIONS).load_error == "the package sqlite-vec is not installed"


def test_one_process_at_a_time_has_the_embedded_chroma(open_vectors: Opened) -> None:
    """The second one answers from memory and says so; later it takes over."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")
    first = open_vectors(VectorSettings(backend="chroma"))
    partition = filled(first)
    second = open_vectors(VectorSettings(backend="chroma"))
    assert_memory_answers(second, partition)
    assert second.near.status(1).load_error == "another process has the embedded Chroma"
    second.add(partition, drawn(320)[300:], first=300)
    first.near.catch_up()
    assert first.top(partition, QUESTION) == exact_top(drawn(320), QUESTION)
    first.near.close()
    second.clock.at += RETRY_MS
    second.near.catch_up()
    assert second.top(partition, QUESTION) == exact_top(drawn(320), QUESTION)


def test_the_folder_of_chroma_is_private(open_vectors: Opened) -> None:
    """Nobody else can read the vectors."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")
    home = open_vectors(VectorSettings(backend="chroma"))
    filled(home)
    assert (home.folder / "chroma").stat().st_mode & 0o777 == 0o700


def test_a_server_that_goes_away_is_done_without_until_it_is_back(
    open_vectors: Opened, tmp_path: Path
) -> None:
    """Memory answers meanwhile; what was removed and added then reaches the server later."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")
    with ChromaProcess(tmp_path) as process:
        home = open_vectors(VectorSettings(backend="chroma", chroma_url=process.url))
        partition = filled(home, 600)
        assert home.look(partition, QUESTION)[0]
        process.stop()
        best = home.look(partition, QUESTION)[1]
        assert best == exact_top(drawn(600), QUESTION)
        assert "chroma does not answer" in home.near.warnings()[0]
        home.remove(partition, [1, 2, 3])
        home.add(partition, drawn(620)[600:], first=600)
        home.near.catch_up()
        assert home.near.status(DIMENSIONS).waiting == 23
        process.start()
        home.clock.at += RETRY_MS
        home.near.catch_up()
        assert home.near.status(DIMENSIONS).waiting == 0
        assert home.near.check() == []
        assert home.look(partition, QUESTION)[0]


@pytest.mark.parametrize(("status", "body"), [(500, {}), (200, "nonsense"), (404, None), (401, {})])
def test_a_server_that_answers_nonsense_is_done_without(
    open_vectors: Opened, status: int, body: object
) -> None:
    """Whatever comes back, memory answers."""
    with ScriptedServer(status, body) as server:
        home = open_vectors(VectorSettings(backend="chroma", chroma_url=server.url))
        partition = filled(home)
        assert_memory_answers(home, partition)
        assert home.near.status(DIMENSIONS).used == "memory"


def test_a_slow_server_is_not_waited_for_twice(
    open_vectors: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one deadline it is left alone for a while."""
    monkeypatch.setattr(chroma_server_module, "ASK_S", 0.05)
    with ScriptedServer(200, {}) as server:
        server.held.clear()
        home = open_vectors(VectorSettings(backend="chroma", chroma_url=server.url))
        partition = filled(home)
        assert_memory_answers(home, partition)
        assert_memory_answers(home, partition)
        assert len(server.sent) < 2  # a loaded machine may not even get to send the first


def test_an_address_that_is_none_is_told(open_vectors: Opened) -> None:
    """A wrong address is an error of the status, not of the search."""
    home = open_vectors(VectorSettings(backend="chroma", chroma_url="http://127.0.0.1:port"))
    partition = filled(home)
    assert_memory_answers(home, partition)
    assert "address is wrong" in str(home.near.status(1).load_error)


def test_only_ids_and_vectors_are_sent(open_vectors: Opened) -> None:
    """No text, no name of a file and no key of a session leaves the machine."""
    with ScriptedServer(200, {"id": "c1", "name": "c"}) as server:
        home = open_vectors(VectorSettings(backend="chroma", chroma_url=server.url))
        filled(home, 3)
        bodies = [body for path, body in server.sent if path.endswith("/upsert")]
    assert [sorted(body) for body in bodies] == [["embeddings", "ids"]] or bodies == []
    assert all("text" not in str(body) for _, body in server.sent)


def test_a_name_and_password_in_the_address_are_never_shown(open_vectors: Opened) -> None:
    """Neither the registration nor an error repeats them."""
    with ScriptedServer(500, {}) as server:
        url = server.url.replace("://", "://me:hidden-word@")
        home = open_vectors(VectorSettings(backend="chroma", chroma_url=url))
        filled(home)
        output = f"{home.near.status(1)} {home.near.warnings()}"
        assert "hidden-word" not in output + str(home.database.read(find_registration))


def test_a_missing_chromadb_is_named(open_vectors: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the error says which one; the folder is not kept from others."""
    monkeypatch.setitem(sys.modules, "chromadb", None)
    home = open_vectors(VectorSettings(backend="chroma"))
    partition = filled(home)
    assert_memory_answers(home, partition)
    assert home.near.status(1).load_error == "the package chromadb is not installed"


def test_a_damaged_folder_of_chroma_is_told(open_vectors: Opened) -> None:
    """Whatever Chroma raises becomes the reason in the status."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")
    home = open_vectors(VectorSettings(backend="chroma"))
    (home.folder / "chroma").mkdir(mode=0o700)
    (home.folder / "chroma" / "chroma.sqlite3").write_bytes(b"no database at all" * 300)
    partition = filled(home)
    assert_memory_answers(home, partition)
    assert "the embedded Chroma failed" in str(home.near.status(1).load_error)
