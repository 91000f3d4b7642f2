"""Where a worker listens: a port, or a free one; a Unix socket for this user alone."""

from __future__ import annotations

import os
import socket
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.caller import Callers
from recollect.core.errors import Conflict, Denied, InvalidInput
from recollect.core.settings import ServerSettings
from recollect.pool import MemoryPool
from recollect.server.app import HttpApp
from recollect.server.serving import Server, peer_uid
from recollect.server.worker.home_worker import listening
from recollect.server.worker.listening import address_of, bind_port, bind_socket


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    """A port that another program listens on."""
    other = socket.create_server(("127.0.0.1", 0))
    yield other
    other.close()


def _settings(port: int) -> ServerSettings:
    return ServerSettings(port=port)


def test_a_port_that_nobody_chose_gives_way(taken: socket.socket) -> None:
    """A free one is taken; worker.json tells which."""
    port = taken.getsockname()[1]
    with bind_port(_settings(port), is_chosen=False) as found:
        host, other = address_of(found)
    assert (host, other != port) == ("127.0.0.1", True)


def test_a_port_that_was_chosen_and_is_taken_is_an_error(taken: socket.socket) -> None:
    """Clients were told of it: another one would be a surprise."""
    port = taken.getsockname()[1]
    with pytest.raises(Conflict, match=f"port {port} of 127.0.0.1 is taken") as caught:
        bind_port(_settings(port), is_chosen=True)
    assert "server.port" in caught.value.hint


def test_a_port_that_was_just_used_can_be_used_again(taken: socket.socket) -> None:
    """The system keeps closed connections for a minute; a restart must not wait for it."""
    port = taken.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)) as client:
        served, _ = taken.accept()
        served.close()
        client.recv(1)
    taken.close()
    with bind_port(_settings(port), is_chosen=True) as found:
        assert address_of(found) == ("127.0.0.1", port)


def test_an_address_that_is_not_ours_is_refused() -> None:
    """192.0.2.0/24 is for documentation (RFC 5737)."""
    settings = ServerSettings(host="192.0.2.1", port=40_000)
    with pytest.raises(InvalidInput, match=r"server\.host must be an address of this machine"):
        bind_port(settings, is_chosen=False)


def test_clients_of_all_addresses_connect_to_this_machine() -> None:
    """0.0.0.0 is where one listens, not where one calls."""
    settings = ServerSettings(host="0.0.0.0", port=40_001)  # noqa: S104
    with bind_port(settings, is_chosen=False) as found:
        assert address_of(found)[0] == "127.0.0.1"


@pytest.mark.parametrize(("host", "is_open"), [("0.0.0.0", True), ("127.0.0.1", False)])  # noqa: S104
def test_a_worker_that_other_machines_can_reach_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, host: str, *, is_open: bool
) -> None:
    """In its log, at each start."""
    settings = ServerSettings(host=host, port=0)
    with listening(tmp_path, settings, is_chosen=True):
        assert ("other machines can connect" in caplog.text) is is_open


def test_a_unix_socket_is_for_its_user_alone(tmp_path: Path) -> None:
    """0600 in a 0700 folder, whatever the umask."""
    path = tmp_path / "run" / "worker.sock"
    before = os.umask(0)
    try:
        with bind_socket(path) as listener, socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            line, _ = listener.accept()
            with line:
                assert peer_uid(line) == os.geteuid()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_a_stale_socket_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    """A killed worker leaves its socket; a file of that name may be the user's."""
    path = tmp_path / "worker.sock"
    bind_socket(path).close()
    bind_socket(path).close()
    path.unlink()
    path.write_text("mine")
    with pytest.raises(InvalidInput, match="must name a socket"):
        bind_socket(path)
    assert path.read_text() == "mine"


def test_a_path_too_long_for_the_system_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """It takes 103 bytes on macOS."""
    path = tmp_path / ("d" * 60) / ("s" * 60)
    with pytest.raises(InvalidInput, match="100 bytes at most"):
        bind_socket(path)
    assert not path.parent.exists()


def test_a_folder_that_others_write_into_is_refused(tmp_path: Path) -> None:
    """They could put another socket in its place."""
    folder = tmp_path / "open"
    folder.mkdir()
    (folder / "something").touch()
    folder.chmod(0o777)
    with pytest.raises(Denied):
        bind_socket(folder / "worker.sock")


def test_the_other_end_of_no_socket_is_nobody(taken: socket.socket) -> None:
    """A closed one has no user."""
    gone = socket.socket(socket.AF_UNIX)
    gone.close()
    assert peer_uid(gone) is None


class MacSocket(socket.socket):
    """Answers as macOS does: a version, the user, and groups (`struct xucred`)."""

    def getsockopt(self, level: int, option: int, length: int = 0) -> bytes:  # type: ignore[override]
        """LOCAL_PEERCRED of SOL_LOCAL."""
        assert (level, option) == (0, 1)
        return struct.pack("IIh", 0, 501, 0).ljust(length, b"\0")


def test_the_user_at_the_other_end_is_known_on_macos_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """By another option of the socket."""
    monkeypatch.setattr("sys.platform", "darwin")
    with MacSocket(socket.AF_UNIX) as line:
        assert peer_uid(line) == 501


def test_a_server_of_a_unix_socket_alone_has_no_port(tmp_path: Path) -> None:
    """Nor anything that a browser could reach."""
    path = tmp_path / "run" / "worker.sock"
    with MemoryPool(tmp_path / "home") as pool, bind_socket(path) as listener:
        assert Server(HttpApp(()), Callers(pool), [listener]).port == 0
