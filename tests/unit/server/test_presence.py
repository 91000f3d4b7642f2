"""worker.json is believed only while the process that wrote it holds the lock."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound
from recollect.server.presence import (
    PRESENCE_FILE,
    PROTOCOL,
    SERVE_LOCK,
    Presence,
    find_presence,
    is_served,
)
from recollect.server.worker.daemon import awaited, stop
from recollect.store.locks import OwnerLock

THERE = Presence(
    pid=os.getpid(),
    host="127.0.0.1",
    port=40_000,
    protocol=PROTOCOL,
    version="9.9.9",
    started_at=1,
    surroundings="",
)


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[OwnerLock]:
    """The lock of a worker, free at first."""
    lock = OwnerLock(tmp_path / SERVE_LOCK, SystemClock())
    yield lock
    lock.release()


def _tell(home: Path, there: Presence = THERE) -> None:
    (home / PRESENCE_FILE).write_bytes(msgspec.json.encode(there))


def test_what_a_killed_worker_left_is_not_believed(tmp_path: Path, lock: OwnerLock) -> None:
    """A kill lets go of the lock and leaves the file; its port may be another program's now."""
    _tell(tmp_path)
    assert find_presence(tmp_path) is None
    assert lock.acquire("worker")
    assert find_presence(tmp_path) == THERE
    lock.release()
    assert find_presence(tmp_path) is None
    assert not is_served(tmp_path)


def test_a_worker_that_just_began_is_not_taken_for_the_one_before(
    tmp_path: Path, lock: OwnerLock
) -> None:
    """Between its lock and its file lies what the killed one wrote."""
    _tell(tmp_path, msgspec.structs.replace(THERE, pid=THERE.pid + 1))
    assert lock.acquire("worker")
    assert find_presence(tmp_path) is None
    assert is_served(tmp_path)


def test_a_file_that_cannot_be_read_is_no_worker(tmp_path: Path, lock: OwnerLock) -> None:
    """Half written, of a future version, or a link to something else."""
    assert lock.acquire("worker")
    for content in (b"", b"{", b'{"pid": 1}', b"\xff"):
        (tmp_path / PRESENCE_FILE).write_bytes(content)
        assert find_presence(tmp_path) is None
    (tmp_path / PRESENCE_FILE).unlink()
    assert find_presence(tmp_path) is None
    other = tmp_path / "other.json"
    other.write_bytes(msgspec.json.encode(THERE))
    (tmp_path / PRESENCE_FILE).symlink_to(other)
    assert find_presence(tmp_path) is None


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system has no /proc")
def test_a_process_of_another_system_is_never_killed(tmp_path: Path, lock: OwnerLock) -> None:
    """Its id may be that of any process here, or of none."""
    assert lock.acquire("worker")
    there = msgspec.structs.replace(THERE, pid=_ended_pid())
    (tmp_path / SERVE_LOCK).write_bytes(b'{"pid":%d}' % there.pid)
    _tell(tmp_path, there)
    with pytest.raises(NotFound, match="of another system"):
        stop(tmp_path)
    assert is_served(tmp_path)


def _ended_pid() -> int:
    """Return the id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_who_waits_no_longer_for_a_worker_has_none(tmp_path: Path) -> None:
    """Also where one may still start."""
    assert awaited(tmp_path, 0.0) is None


def test_looking_keeps_no_worker_from_starting(tmp_path: Path, lock: OwnerLock) -> None:
    """Whoever looks holds the lock for microseconds; a worker tries again."""
    assert not is_served(tmp_path)
    assert lock.acquire("worker")
    lock.release()
    assert not is_served(tmp_path)
    assert lock.acquire("worker")
    assert is_served(tmp_path)


def test_an_address_of_version_six_is_written_in_brackets() -> None:
    """RFC 3986, 3.2.2."""
    assert THERE.address == "http://127.0.0.1:40000"
    address = msgspec.structs.replace(THERE, host="::1").address
    assert address.partition("//")[2] == "[::1]:40000"
