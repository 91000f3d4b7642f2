"""The sockets of a worker: a port of this machine, and a Unix socket if configured."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.core.errors import Conflict, InvalidInput
from recollect.store.failures import translate_os
from recollect.store.files import private_folder

if TYPE_CHECKING:  # for a name only
    from recollect.core.settings import ServerSettings

_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what a client of this machine connects to
_TAKEN = frozenset({errno.EADDRINUSE})
_LONGEST_PATH = 100
"""Bytes of the path of a Unix socket: macOS allows 103, Linux 107."""
_BACKLOG = 2_048


def bind_port(settings: ServerSettings, *, is_chosen: bool) -> socket.socket:
    """Return a socket on the port of the settings, or on a free one if the user chose none.

    Args:
        settings: Where to listen.
        is_chosen: Whether the user named the port: then no other one is used.

    Raises:
        Conflict: the port is taken.
        InvalidInput: the address is not one of this machine.
    """
    try:
        return _bound(settings.host, settings.port)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise _no_address(settings.host, error) from error
        if is_chosen:
            raise Conflict(
                f"port {settings.port} of {settings.host} is taken by another program",
                hint="set server.port to another one; without the setting a free one is taken",
                port=settings.port,
            ) from error
    return _bound(settings.host, 0)


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # The port of a recently stopped worker can be reused; one in use cannot.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _no_address(host: str, error: OSError) -> InvalidInput:
    reason = error.strerror or type(error).__name__
    return InvalidInput(
        f"server.host must be an address of this machine; {host} cannot be used ({reason})",
        hint="leave it out to listen on 127.0.0.1",
        host=host,
    )


def address_of(listener: socket.socket) -> tuple[str, int]:
    """Return host and port that a client of this machine connects to."""
    host, port = listener.getsockname()[:2]
    return _ANY.get(host, host), port


def is_loopback(listener: socket.socket) -> bool:
    """Return whether only programs of this machine can connect."""
    return ipaddress.ip_address(listener.getsockname()[0]).is_loopback


def bind_socket(path: Path) -> socket.socket:
    """Return a Unix socket (0600) in a folder of this user alone; a stale one is replaced.

    Must be called only while no other worker serves the home.

    Raises:
        InvalidInput: the path is too long, or is not a socket.
        Denied: others can write into the folder.
        StoreError: it cannot be created.
    """
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise InvalidInput(
            f"server.socket must be a path of {_LONGEST_PATH} bytes at most",
            hint="choose a shorter one, such as worker.sock in the home",
            path=str(path),
        )
    private_folder(path.parent)
    if path.exists() and not path.is_socket():
        raise InvalidInput(
            "server.socket must name a socket or a new file",
            hint="choose another path",
            path=str(path),
        )
    listener = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)  # it must never be open to others
    try:
        path.unlink(missing_ok=True)
        listener.bind(os.fspath(path))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise translate_os(error, path) from error
    finally:
        os.umask(mask)
    return listener
