"""One home, many programs: one of them works in the background, and hands that over to a worker."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import ConfigError, StoreBusy, StoreError
from recollect.pool import MemoryPool
from recollect.store.background import BackgroundClaim, home_locks

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60.0
"""How long a test waits for what must come; on a busy machine all takes its time."""


class Program:
    """Another process that has the home open.

    Args:
        home: The home.
        role: ``library`` or ``worker``.
        agent: Whose memory it opens; ``-`` for all.
    """

    def __init__(self, home: Path, role: str, agent: str = "-") -> None:
        command = [sys.executable, "-m", "tests.integration.background.program"]
        self.process = subprocess.Popen(
            [*command, str(home), role, agent],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.stored: list[str] = []
        self._answers: queue.Queue[list[str]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.answer() == ["ready"]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            what, *rest = line.split()
            if what == "stored":
                self.stored += rest
            else:
                self._answers.put([what, *rest])

    def answer(self) -> list[str]:
        """Return what it says next."""
        return self._answers.get(timeout=PATIENCE_S)

    def tell(self, what: str) -> None:
        """Let it do something."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()

    def ask(self, what: str) -> list[str]:
        """Let it do something, and return what it says."""
        self.tell(what)
        return self.answer()

    def kill(self) -> None:
        """End it in the middle of what it does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home for words only."""
    (tmp_path / "home").mkdir(mode=0o700)
    config = "embedding: {provider: none}\n"
    (tmp_path / "home" / "config.yaml").write_text(config, encoding="utf-8")
    return tmp_path / "home"


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Program]]:
    """What starts programs; they are ended with the test."""
    started: list[Program] = []

    def begin(role: str, agent: str = "-") -> Program:
        started.append(Program(home, role, agent))
        return started[-1]

    yield begin
    for each in started:
        each.kill()


def until(found: Callable[[], bool]) -> None:
    """Wait until something is so."""
    waiting = threading.Event()
    for _ in range(int(PATIENCE_S / 0.05)):
        if found():
            return
        waiting.wait(0.05)
    raise AssertionError("it did not come")


def _held_by(asked: Program) -> list[str]:
    return asked.ask("holder")[1:]


def _is_held_by(asked: Program, holder: Program, role: str) -> Callable[[], bool]:
    return lambda: _held_by(asked) == [str(holder.process.pid), role]


def test_one_of_the_programs_of_a_home_works(start: Callable[..., Program]) -> None:
    """Whichever agent it is of; after it was killed the other one does."""
    first = start("library")
    assert first.ask("use") == ["used"]
    until(_is_held_by(first, first, "library"))
    second = start("library", "home")
    assert second.ask("use") == ["used"]
    assert _held_by(second) == [str(first.process.pid), "library"]
    first.kill()
    until(_is_held_by(second, second, "library"))


def test_a_worker_is_given_the_work_by_a_library_and_leaves_it_again(
    start: Callable[..., Program],
) -> None:
    """Also by one that is killed; a second worker is refused."""
    library = start("library")
    library.ask("use")
    until(_is_held_by(library, library, "library"))
    worker = start("worker")
    until(_is_held_by(library, worker, "worker"))
    worker.kill()
    until(_is_held_by(library, library, "library"))
    library.kill()
    other = start("worker")
    until(_is_held_by(other, other, "worker"))


def test_a_home_has_one_worker(home: Path, start: Callable[..., Program]) -> None:
    """The second learns which process is."""
    with MemoryPool(home, role="worker"):
        pass
    worker = start("worker")
    with pytest.raises(StoreBusy, match=str(worker.process.pid)):
        MemoryPool(home, role="worker")


def test_nothing_is_lost_or_indexed_twice_when_the_work_changes_hands(
    home: Path, start: Callable[..., Program]
) -> None:
    """Under load, cleanly and by `kill -9` of who holds it, again and again."""
    library = start("library")
    library.tell("say pear 100000")
    _have_said(50, library)
    said: list[str] = []
    for turn in range(3):
        worker = start("worker")
        until(_is_held_by(library, worker, "worker"))
        worker.tell(f"say plum{turn}x 100000")
        _have_said(50, library, worker)
        worker.kill()
        until(lambda: _held_by(library)[1] == "library")
        said += worker.stored
    library.kill()
    said += library.stored
    _is_indexed_once(home, said)


def _have_said(number: int, *programs: Program) -> None:
    """Wait until each has said so much more."""
    goals = [(each, len(each.stored) + number) for each in programs]
    until(lambda: all(len(each.stored) >= goal for each, goal in goals))


def _is_indexed_once(home: Path, said: list[str]) -> None:
    """Check that every sentence that was stored is in the index, and in it once."""
    with recollect.open(home, live=False) as memory:
        memory.sync()
        texts = Counter(
            message.text.split()[1]
            for session in memory.sessions.list(limit=100)
            for message in memory.sessions.messages(session.id)
        )
        assert set(said) <= texts.keys()
        assert set(texts.values()) == {1}
        assert memory.status().index.documents == {"sessions": len(texts)}
        for name in [*said[:: max(1, len(said) // 40)], said[-1]]:
            hits = memory.search(name, sources=["sessions"], mode="lexical").hits
            assert [name in hit.snippet for hit in hits].count(True) == 1


def test_memories_of_one_process_share_the_lock(home: Path) -> None:
    """Each does its own work; of two alike one does. The last one lets go."""
    locks = home_locks(home, SystemClock())
    one, alike, other = (BackgroundClaim(locks, key) for key in ("a", "a", "b"))
    assert one.acquire()
    assert one.acquire()
    assert not alike.acquire()
    assert other.acquire()
    held = locks.holder()
    assert held is not None
    assert (held.pid, held.role) == (os.getpid(), "library")
    one.release()
    assert alike.acquire()
    alike.release()
    other.release()
    assert locks.holder() is None


def test_a_child_of_a_fork_leaves_the_lock_to_its_parent(home: Path) -> None:
    """Otherwise a child that lives on would keep the work of a parent that died."""
    claim = BackgroundClaim(home_locks(home, SystemClock()), "a")
    assert claim.acquire()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, b"taken" if claim.acquire() else b"left")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 100) == b"left"
    os.close(reading)
    os.close(writing)
    claim.release()


def test_a_library_becomes_the_worker_of_its_home(home: Path) -> None:
    """What it holds is signed with the new role, and no worker asks for it."""
    locks = home_locks(home, SystemClock())
    claim = BackgroundClaim(locks, "a")
    assert claim.acquire()
    with MemoryPool(home, role="worker") as pool:
        held = pool.memory().status().sync.held_by
        assert held is not None
        assert held.role == "worker"
        assert not claim.is_wanted()
    assert claim.role == "library"
    claim.release()


def test_a_lock_that_cannot_be_looked_at_stops_no_work(home: Path) -> None:
    """Whether a worker waits is not known then; a worker itself is refused."""
    (home / "serve.lock").mkdir()
    locks = home_locks(home, SystemClock())
    claim = BackgroundClaim(locks, "a")
    assert claim.acquire()
    assert not claim.is_wanted()
    with pytest.raises(StoreError):
        MemoryPool(home, role="worker")
    locks.forget()  # what a child does after a fork
    assert claim.holder() is None


def test_a_pool_that_cannot_open_its_home_is_no_worker(home: Path) -> None:
    """The next one can be."""
    config = home / "config.yaml"
    sound = config.read_text("utf-8")
    config.write_text("nonsense: 1\n", encoding="utf-8")
    with pytest.raises(ConfigError):
        MemoryPool(home, role="worker")
    assert home_locks(home, SystemClock()).role == "library"
    config.write_text(sound, encoding="utf-8")
    with MemoryPool(home, role="worker") as pool:
        assert pool.role == "worker"
