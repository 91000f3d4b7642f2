"""What answers in the place of a worker: a real socket that does what a test says."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from recollect.core.clock import SystemClock
from recollect.server.presence import PRESENCE_FILE, PROTOCOL, SERVE_LOCK, Presence
from recollect.store.locks import OwnerLock

ANSWER = b'{"hookSpecificOutput": {}}'


def http(body: bytes = ANSWER, status: str = "200 OK") -> bytes:
    """Return an answer as the worker sends it."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


class ScriptedWorker:
    """Holds the lock of the worker of a home and listens, in the ``with`` block.

    Args:
        home: A folder; made when it is missing.
        answer: What it sends after a whole request; None: it never answers.
        unix: Listens on this Unix socket instead.
        is_deaf: Reads nothing of what it is sent.

    Attributes:
        requests: What it was sent, head and body.
        heard: Set with the first request.
    """

    def __init__(
        self,
        home: Path,
        answer: bytes | None = None,
        *,
        unix: Path | None = None,
        host: str = "127.0.0.1",
        is_deaf: bool = False,
    ) -> None:
        home.mkdir(mode=0o700, exist_ok=True)
        self.home = home
        self.answer = answer
        self.requests: list[tuple[bytes, bytes]] = []
        self.heard = threading.Event()
        self._is_deaf = is_deaf
        self._over = threading.Event()
        self._lock = OwnerLock(home / SERVE_LOCK, SystemClock())
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.port: int = self._listener.getsockname()[1]
        self.presence = Presence(
            pid=os.getpid(),
            host=host,
            port=self.port,
            protocol=PROTOCOL,
            version="0",
            started_at=1,
            surroundings="",
            socket=None if unix is None else str(unix),
        )
        if unix is not None:
            self._listener.close()
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(unix))
            self._listener.listen()
        self._thread = threading.Thread(target=self._run, name="scripted-worker", daemon=True)

    def __enter__(self) -> ScriptedWorker:
        assert self._lock.acquire("worker")
        (self.home / PRESENCE_FILE).write_bytes(msgspec.json.encode(self.presence))
        if not (self.home / "token").exists():
            (self.home / "token").write_text("rcl_test\n")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self._lock.release()

    def _run(self) -> None:
        held = []  # a connection that is let go of would be an answer
        while not self._over.is_set():
            try:
                line, _ = self._listener.accept()
            except OSError:
                break
            held.append(line)
            if not self._is_deaf:
                self._serve(line)
        for line in held:
            line.close()

    def _serve(self, line: socket.socket) -> None:
        with suppress(OSError), line.makefile("rb") as stream:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                piece = stream.readline()
                if not piece:
                    return
                head += piece
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            self.requests.append((head, stream.read(length)))
            self.heard.set()
            if self.answer is not None:
                line.sendall(self.answer)
                line.shutdown(socket.SHUT_RDWR)
