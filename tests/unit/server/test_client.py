"""A worker that is gone, hangs or is not ours costs a moment; then the command works by itself."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from inspect import Parameter, signature
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.settings import Settings
from recollect.core.settings.environment import surroundings
from recollect.memory import Memory
from recollect.recall.context.contexts import Contexts
from recollect.recall.steps.timeline import ObservationRecall
from recollect.server import client
from recollect.server.client import (
    WorkerConnection,
    WorkerGone,
    WorkerMemory,
    WorkerObservations,
    find_worker,
)
from recollect.server.presence import PRESENCE_FILE, PROTOCOL, SERVE_LOCK, TOKEN_FILE, Presence
from recollect.server.route import Fields
from recollect.server.routes import memory as routes
from recollect.store.locks import OwnerLock
from tests.support.served import serving

Answer = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one message."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(title="Tea")
        memory.sessions.append(session.id, "user", "The green tea is in the box.")
        memory.sync()
    return home


class Pretender:
    """Pretends to be the worker of a home: holds its lock, and answers as it is told."""

    def __init__(self, home: Path, held: ExitStack, answer: Answer) -> None:
        self.requests: list[bytes] = []
        self._answer = answer
        self._listener = held.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._lines = held
        lock = OwnerLock(home / SERVE_LOCK, SystemClock())
        assert lock.acquire("worker")
        held.callback(lock.release)
        self.presence = Presence(
            pid=os.getpid(),
            host="127.0.0.1",
            port=self._listener.getsockname()[1],
            protocol=PROTOCOL,
            version="9.9.9",
            started_at=1,
            surroundings=surroundings(),
        )
        self.tell(home, self.presence)
        thread = threading.Thread(target=self._serve, daemon=True)
        thread.start()

    @staticmethod
    def tell(home: Path, presence: Presence) -> None:
        """Write worker.json."""
        (home / PRESENCE_FILE).write_bytes(msgspec.json.encode(presence))

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line = self._lines.enter_context(self._listener.accept()[0])
                self.requests.append(line.recv(65_536))
                self._answer(line)


@pytest.fixture
def pretend(home: Path) -> Iterator[Callable[[Answer], Pretender]]:
    """Make a pretender."""
    (home / TOKEN_FILE).write_text("rcl_made-up\n")
    with ExitStack() as held:
        yield lambda answer: Pretender(home, held, answer)


def _says(*pieces: bytes) -> Answer:
    def answer(line: socket.socket) -> None:
        for piece in pieces:
            line.sendall(piece)

    return answer


def _hangs(_: socket.socket) -> None:
    """Say nothing, and keep the line."""


def _dies(line: socket.socket) -> None:
    line.close()


@pytest.mark.parametrize(
    "answer",
    [
        _hangs,
        _dies,
        _says(b"HTTP/1.1 500 Oh\r\ncontent-length: 2\r\n\r\n{}"),
        _says(b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\nno JSON here"),
        _says(b"HTTP/1.1 200 OK\r\n\r\n{}"),
        _says(b"HTTP/1.1\r\n\r\n"),
        _says(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
        _says(b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n{"),
    ],
    ids=["hangs", "dies", "fails", "no JSON", "no length", "no status", "no HTTP", "stops"],
)
def test_a_worker_that_gives_no_answer_is_done_without(
    home: Path, pretend: Callable[[Answer], Pretender], answer: Answer
) -> None:
    """The home itself is asked, and from then on at once."""
    pretender = pretend(answer)
    connection = find_worker(home)
    assert connection is not None
    with recollect.open(home, live=False) as own, connection:
        memory = WorkerMemory(home, connection, lambda: own)
        assert memory.search("tea").hits[0].snippet == "The green tea is in the box."
        asked = len(pretender.requests)
        assert asked
        assert memory.get("m1").found[0].record.text == "The green tea is in the box."
        assert len(pretender.requests) == asked


def test_a_hanging_worker_costs_no_more_than_the_patience() -> None:
    """A third each to connect, to answer, and to say that it is alive; DESIGN, decision 8."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        there = msgspec.structs.replace(_nowhere(), port=deaf.getsockname()[1])
        connection = WorkerConnection(there, "rcl_made-up", client.PATIENCE_S)
        with connection, pytest.raises(WorkerGone):
            connection.post("/api/memory/search", {})
    assert client.PATIENCE_S <= 0.3


def _nowhere() -> Presence:
    return Presence(
        pid=1,
        host="127.0.0.1",
        port=9,
        protocol=PROTOCOL,
        version="9.9.9",
        started_at=1,
        surroundings="",
    )


def test_a_slow_answer_is_waited_for_while_the_worker_is_alive(
    home: Path, pretend: Callable[[Answer], Pretender]
) -> None:
    """A model that is loaded takes seconds; the worker says meanwhile that it is there."""
    slow: list[socket.socket] = []

    def answer(line: socket.socket) -> None:
        if not slow:
            slow.append(line)
            return
        line.sendall(OK)
        line.close()
        if len(pretender.requests) == 4:
            slow[0].sendall(OK)

    pretender = pretend(answer)
    with WorkerConnection(pretender.presence, "rcl_made-up", 3.0) as connection:
        assert connection.post("/api/memory/search", {}) == b"{}"
    assert [request.split(b" ", 2)[1] for request in pretender.requests] == [
        b"/api/memory/search",
        *([b"/api/health"] * 3),
    ]


@pytest.mark.parametrize(
    "other",
    [{"protocol": PROTOCOL + 1}, {"protocol": PROTOCOL - 1}, {"surroundings": "of another shell"}],
    ids=str,
)
def test_a_worker_that_would_answer_otherwise_is_not_asked(
    home: Path, pretend: Callable[[Answer], Pretender], other: dict[str, object]
) -> None:
    """Another version of the protocol, or other settings; neither side restarts the other."""
    pretender = pretend(_says(OK))
    pretender.tell(home, msgspec.structs.replace(pretender.presence, **other))
    assert find_worker(home) is None
    assert pretender.requests == []


def test_without_a_token_or_a_worker_there_is_no_way_to_it(
    home: Path, pretend: Callable[[Answer], Pretender]
) -> None:
    """The file is the owner's alone; who cannot read it opens the home, or cannot."""
    assert find_worker(home) is None
    pretend(_says(OK))
    assert find_worker(home) is not None
    for content in (b"\xff\xfe", None):
        (home / TOKEN_FILE).unlink()
        if content is not None:
            (home / TOKEN_FILE).write_bytes(content)
        assert find_worker(home) is None


def test_the_token_goes_to_no_program_that_took_the_port_of_a_killed_worker(home: Path) -> None:
    """Only the lock says that a worker runs, and a kill drops it."""
    with socket.create_server(("127.0.0.1", 0)) as foreign:
        there = msgspec.structs.replace(
            _nowhere(), port=foreign.getsockname()[1], surroundings=surroundings()
        )
        Pretender.tell(home, there)
        (home / SERVE_LOCK).write_bytes(b'{"pid":1}')
        (home / TOKEN_FILE).write_text("rcl_made-up\n")
        assert find_worker(home) is None


def test_the_names_and_defaults_are_those_of_a_memory() -> None:
    """So that one command runs on both; and the route in between takes just those."""
    pairs: list[tuple[Callable[..., object], Callable[..., object], type[Fields]]] = [
        (WorkerMemory.search, Memory.search, routes.SearchFields),
        (WorkerMemory.lines, Memory.lines, routes.LinesFields),
        (WorkerMemory.get, Memory.get, routes.GetFields),
        (WorkerMemory.context, Contexts.block, routes.ContextFields),
        (WorkerObservations.timeline, ObservationRecall.timeline, routes.TimelineFields),
    ]
    for asked, own, given in pairs:
        named = {name: p.kind for name, p in signature(asked).parameters.items()}
        assert named == {name: p.kind for name, p in signature(own).parameters.items()}, own
        fields = _defaults(asked)
        assert fields == _defaults(own), own
        taken = {each.name: each.default for each in msgspec.structs.fields(given)}
        taken.pop("foreign_id", None)  # how a program that is no command names a session
        assert fields == taken, given


def _defaults(call: Callable[..., object]) -> dict[str, object]:
    """Return the default of each argument that goes over HTTP."""
    named = signature(call).parameters.items()
    return {
        name: msgspec.NODEFAULT if p.default is Parameter.empty else p.default
        for name, p in named
        if name not in {"self", "on_progress"}
    }


def test_a_unix_socket_is_preferred(home: Path) -> None:
    """It needs no port, and only this user can connect."""
    path = home / "worker.sock"
    with serving(home, {"server.socket": "worker.sock"}) as there:
        assert there.socket == str(path)
        found = find_worker(home)
        assert found is not None
        with WorkerConnection(there, _token(home), 60.0) as connection:
            answer = connection.post("/api/memory/search", {"query": "tea"})
        assert answer is not None
        assert b"green tea" in answer
    assert not path.exists()


def test_what_cannot_be_written_as_json_is_asked_of_the_home_itself(home: Path) -> None:
    """A file name need not be UTF-8."""
    with (
        serving(home) as there,
        recollect.open(home, live=False) as own,
        WorkerConnection(there, _token(home), 60.0) as connection,
    ):
        assert WorkerMemory(home, connection, lambda: own).search("tea \udcff").hits


def test_the_settings_in_force_are_those_of_the_home(home: Path) -> None:
    """They are read without opening it; where a memory is open, they are those it was given."""
    with (
        serving(home) as there,
        recollect.open(home, live=False, overrides={"search.limit": 3}) as own,
        WorkerConnection(there, _token(home), 60.0) as connection,
    ):
        memory = WorkerMemory(home, connection, lambda: own)
        assert memory.settings.embedding.provider == "none"
        assert memory.settings.search.limit == Settings().search.limit
        assert memory.own is own
        assert memory.settings.search.limit == 3


def _token(home: Path) -> str:
    return (home / TOKEN_FILE).read_text().strip()
