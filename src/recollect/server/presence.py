"""The presence of a worker: ``worker.json``, and the lock that proves it.

The file has the address of the worker; only the lock proves that it runs. The kernel releases the
lock with the process that holds it, so the file of a killed worker is never trusted, and another
program that got its port is never sent the token.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import Conflict

PROTOCOL = 1
"""Increased when clients and workers of different versions would misread each other."""
PRESENCE_FILE = "worker.json"
SERVE_LOCK = "serve.lock"
START_LOCK = "start.lock"
"""Held while a worker is started; it is not empty where one that was started has not served."""
LOGS = "logs"
LOG_FILE = "worker.log"
START_LOG = "start.log"
"""The output of a worker in the background before it serves."""
TOKEN_FILE = "token"  # noqa: S105 - the name of the file
_VIEWER_PAGE = ("run", "open.html")
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_MOST_BYTES = 65_536


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """A worker that serves a home.

    Attributes:
        pid: Its process, for people.
        host: Of its TCP address.
        port: Of its TCP address.
        protocol: `PROTOCOL` of its version.
        version: Of recollect.
        started_at: Ms UTC.
        surroundings: `recollect.core.settings.environment.surroundings` at its start.
        socket: Path of its Unix socket, where it has one.
        is_open: Whether other machines can connect.
    """

    pid: int
    host: str
    port: int
    protocol: int
    version: str
    started_at: int
    surroundings: str
    socket: str | None = None
    is_open: bool = False

    @property
    def address(self) -> str:
        """Its URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


class _Holder(msgspec.Struct):
    """The holder's data in the lock file, see `recollect.store.locks.Holder`."""

    pid: int


def find_presence(home: Path) -> Presence | None:
    """Return the worker that serves a home now, whatever its protocol; None if there is none."""
    if not is_served(home):
        return None
    with suppress(OSError, msgspec.DecodeError):
        presence = decode_json(read_small(home / PRESENCE_FILE), Presence)
        holder = decode_json(read_small(home / SERVE_LOCK), _Holder)
        # A worker that is starting may not have replaced the file of a killed one.
        return presence if presence.pid == holder.pid else None
    return None


def is_served(home: Path) -> bool:
    """Return whether a worker holds the lock of a home, also while it starts or stops."""
    try:
        descriptor = os.open(home / SERVE_LOCK, _FLAGS)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def served_already(home: Path) -> Conflict:
    """Return the error for a second worker; it describes the first one."""
    there = find_presence(home)
    where = "" if there is None else f" at {there.address} (process {there.pid})"
    return Conflict(
        f"a worker serves this home already{where}",
        hint="use it, or stop it with `recollect serve stop`",
        path=str(home),
    )


def read_small(path: Path) -> bytes:
    """Return the content of a small file of a home; a link is not followed.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)


def viewer_page(home: Path) -> Path:
    """Return the file that `recollect open` lets a browser read; removed once its code is used."""
    return home.joinpath(*_VIEWER_PAGE)
