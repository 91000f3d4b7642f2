"""A memory over HTTP, if a worker serves its home; else the home itself.

Stdlib and msgspec only: a command that uses a worker opens no database and does not import numpy.
The worker's answer is decoded into the same values that a `Memory` returns. Without an answer (an
error, a worker that hangs or dies) the home itself is used, which raises the error with all its
facts; a missing worker costs no more than `PATIENCE_S`.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.scope import Scope
from recollect.core.settings.environment import surroundings
from recollect.server.presence import PROTOCOL, TOKEN_FILE, Presence, find_presence, read_small

if TYPE_CHECKING:  # types are imported when they are decoded
    from recollect.core.settings import Settings
    from recollect.index.model.sync_report import OnProgress
    from recollect.index.query.hit import SearchResult
    from recollect.memory import Memory
    from recollect.observations.projects import Projects
    from recollect.recall.context.block import ContextBlock
    from recollect.recall.steps.detail import DetailBatch
    from recollect.recall.steps.lines import IndexLines, Timeline
    from recollect.sessions.sessions import Sessions
    from recollect.workspace.reading import ReadResult

PATIENCE_S = 0.3
"""The longest a hanging worker delays a command before it works by itself."""
_HEAD_END = b"\r\n\r\n"
_CHUNK = 262_144
_OK = 200

T = TypeVar("T")


class WorkerGone(Exception):
    """The worker hangs, died, or did not speak HTTP."""


class WorkerConnection:
    """One connection to a worker, kept for several requests. A context manager.

    Args:
        worker: The worker.
        token: Its bearer token.
        patience_s: How long it may be unresponsive: a third to connect, a third to wait for an
            answer, and a third to answer on a second connection that it is alive.
    """

    def __init__(self, worker: Presence, token: str, patience_s: float) -> None:
        self._worker = worker
        self._token = token
        self._part_s = patience_s / 3
        self._line: socket.socket | None = None

    def __enter__(self) -> WorkerConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def post(self, path: str, arguments: object) -> bytes | None:
        """Return the body of an answer; None where it is an error.

        Raises:
            WorkerGone: it does not answer.
            UnicodeEncodeError: an argument cannot be encoded as JSON.
        """
        body = msgspec.json.encode(arguments)
        try:
            if self._line is None:
                self._line = self._connected()
            self._line.sendall(self._request("POST", path, body))
            status, content = _answer(self._line, self._wait)
        except OSError as error:
            raise WorkerGone from error
        return content if status == _OK else None

    def is_alive(self) -> bool:
        """Return whether the worker answers within a third of the patience."""
        try:
            with self._connected() as line:
                line.sendall(self._request("GET", "/api/health", b""))
                return _answer(line, lambda _: None)[0] == _OK
        except (OSError, WorkerGone):
            return False

    def _wait(self, line: socket.socket) -> None:
        while not select.select([line], [], [], self._part_s)[0]:
            if not self.is_alive():
                raise WorkerGone

    def _connected(self) -> socket.socket:
        worker = self._worker
        if worker.socket is None:
            return socket.create_connection((worker.host, worker.port), self._part_s)
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(self._part_s)
        try:
            line.connect(worker.socket)
        except OSError:
            line.close()
            raise
        return line

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        host = self._worker.address.removeprefix("http://")
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


def _answer(line: socket.socket, wait: Callable[[socket.socket], None]) -> tuple[int, bytes]:
    """Read one answer: status and body. ``wait`` returns when there is something to read."""
    data = b""
    while _HEAD_END not in data:
        wait(line)
        data += _more(line)
    head, _, body = data.partition(_HEAD_END)
    first, *fields = head.split(b"\r\n")
    try:
        status = int(first.split(b" ")[1])
        length = int(next(f[15:] for f in fields if f[:15].lower() == b"content-length:"))
    except (IndexError, StopIteration, ValueError) as error:
        raise WorkerGone from error
    parts, remaining = [body], length - len(body)
    while remaining > 0:
        wait(line)
        parts.append(_more(line))
        remaining -= len(parts[-1])
    return status, b"".join(parts)


def _more(line: socket.socket) -> bytes:
    piece = line.recv(_CHUNK)
    if not piece:
        raise WorkerGone
    return piece


def find_worker(home: Path) -> WorkerConnection | None:
    """Return the connection to the worker of a home; None if a command works by itself.

    That is the case if no worker runs, if it has another protocol or other environment variables,
    or if this user may not read the token.
    """
    worker = find_presence(home)
    if worker is None or worker.protocol != PROTOCOL or worker.surroundings != surroundings():
        return None
    with suppress(OSError, UnicodeDecodeError):
        token = read_small(home / TOKEN_FILE).decode("ascii").strip()
        return WorkerConnection(worker, token, PATIENCE_S)
    return None


class WorkerMemory:
    """The memory of a home through its worker, with the names and values of `Memory`.

    Only recall goes to the worker. For the rest the home itself is opened, once.

    Args:
        home: The folder of the memory.
        worker: The connection to its worker.
        own: Opens the home itself.
    """

    def __init__(self, home: Path, worker: WorkerConnection, own: Callable[[], Memory]) -> None:
        self.home = home
        self._worker: WorkerConnection | None = worker
        self._open = own
        self._memory: Memory | None = None
        self.observations = WorkerObservations(self)

    def search(
        self,
        query: str,
        limit: int | None = None,
        min_score: float | None = None,
        sources: Sequence[str] | None = None,
        scope: Scope | None = None,
        *,
        mode: str = "hybrid",
        channel: str | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
        types: Sequence[str] | None = None,
        min_importance: float | None = None,
        min_confidence: float | None = None,
        as_of: int | datetime | str | None = None,
        near_project: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchResult:
        """Return the best hits for a question; see `Memory.search`."""
        arguments = _arguments(locals(), "on_progress")
        from recollect.core.clock import check_time
        from recollect.index.query.hit import SearchResult

        # As texts they are in the zone of the user, as datetimes without one in UTC.
        for name in ("since", "until", "as_of"):
            if isinstance(arguments[name], datetime):
                arguments[name] = check_time(arguments[name])
        progress: dict[str, Any] = {} if on_progress is None else {"on_progress": on_progress}
        return self.ask(
            "search", arguments, SearchResult, lambda own: own.search(**arguments, **progress)
        )

    def lines(
        self, result: SearchResult, *, for_session: str | None = None, for_sender: str | None = None
    ) -> IndexLines:
        """Return the hits of a search, one line each; see `Memory.lines`."""
        arguments = _arguments(locals())
        from recollect.recall.steps.lines import IndexLines

        return self.ask("lines", arguments, IndexLines, lambda own: own.lines(**arguments))

    def get(
        self,
        ids: str | Sequence[str],
        max_tokens: int | None = 1_000,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> DetailBatch:
        """Return records in full; see `Memory.get`."""
        arguments = _arguments(locals())
        from recollect.recall.steps.detail import DetailBatch, with_records

        batch = self.ask("get", arguments, DetailBatch, lambda own: own.get(**arguments))
        return with_records(batch)

    def read(
        self,
        path: str,
        from_line: int = 1,
        lines: int | None = None,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> ReadResult:
        """Return lines of a memory file; see `Memory.read`."""
        arguments = _arguments(locals())
        from recollect.workspace.reading import ReadResult

        return self.ask("read", arguments, ReadResult, lambda own: own.read(**arguments))

    def context(  # noqa: PLR0917 - the names of `Contexts.block`
        self,
        session_id: str,
        query: str | None = None,
        budget_tokens: int | None = None,
        reason: str = "startup",
        client: str | None = None,
        for_sender: str | None = None,
        *,
        sources: Sequence[str] = (),
        since: int | datetime | None = None,
        record: bool = True,
    ) -> ContextBlock:
        """Return the block for a prompt; see `Contexts.block`."""
        arguments = _arguments(locals())
        from recollect.recall.context.block import ContextBlock

        return self.ask("context", arguments, ContextBlock, lambda own: own.context(**arguments))

    def titles(self, session_ids: Sequence[str]) -> dict[str, str]:
        """Return the titles of sessions, by id; see `titles_of`."""
        from recollect.recall.steps.session_titles import titles_of

        arguments = {"session_ids": tuple(session_ids)}
        return self.ask(
            "titles", arguments, dict[str, str], lambda own: titles_of(own.sessions, session_ids)
        )

    def unheard_warnings(self, result: SearchResult) -> list[str]:
        """Return the warnings that were not shown yet; see `Memory.unheard_warnings`."""
        return self.own.unheard_warnings(result) if result.warnings else []

    @property
    def sessions(self) -> Sessions:
        """The sessions of this home."""
        return self.own.sessions

    @property
    def projects(self) -> Projects:
        """The projects of this home."""
        return self.own.projects

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        if self._memory is not None:
            return self._memory.settings
        from recollect.core.settings.resolve import load_settings

        return load_settings(self.home).settings

    @property
    def own(self) -> Memory:
        """The home itself, opened at the first use."""
        if self._memory is None:
            self._memory = self._open()
        return self._memory

    def ask(
        self,
        name: str,
        fields: Mapping[str, object],
        answer: type[T],
        itself: Callable[[Memory], T],
    ) -> T:
        """Return the worker's answer to ``/api/memory/<name>``, or else that of the home itself.

        Args:
            name: Of the route.
            fields: Its fields.
            answer: The type of its answer.
            itself: Gets the same from the home.
        """
        with suppress(WorkerGone, UnicodeEncodeError, msgspec.DecodeError):
            if self._worker is not None:
                body = self._worker.post(f"/api/memory/{name}", fields)
                if body is not None:
                    return decode_json(body, answer)
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        return itself(self.own)


class WorkerObservations:
    """`Memory.observations`, as far as the worker serves it."""

    def __init__(self, memory: WorkerMemory) -> None:
        self._memory = memory

    def timeline(
        self,
        anchor: str | int | datetime | None = None,
        query: str | None = None,
        before: int = 5,
        after: int = 5,
        *,
        project: str | None = None,
        near_project: str | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
    ) -> Timeline:
        """Return the events around something; see `ObservationRecall.timeline`."""
        arguments = _arguments(locals())
        from recollect.recall.steps.lines import Timeline

        return self._memory.ask(
            "timeline", arguments, Timeline, lambda own: own.observations.timeline(**arguments)
        )


def _arguments(arguments: Mapping[str, Any], *left_out: str) -> dict[str, Any]:
    """Return the arguments of a method from its locals."""
    return {name: value for name, value in arguments.items() if name not in {"self", *left_out}}
