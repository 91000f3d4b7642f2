"""A real HTTP server on loopback that speaks the wire formats of providers.

For tests of adapters and of what is built on them: the vectors follow from the texts, so that right
ones can be told, and any answer can be spoilt by a fault (`tests.support.provider_faults`).
What it answers is the business of its services: `tests.support.provider_formats` has those of
embeddings, `tests.support.chat_formats` those of language models, and a test can bring more.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, cast, runtime_checkable

import msgspec

from tests.support.provider_formats import FORMATS, Received, Response, not_found


class Service(Protocol):
    """Answers some requests."""

    def answer(self, received: Received) -> Response | None:
        """Return the answer, or None for a request that is somebody else's."""


@runtime_checkable
class Speaker(Protocol):
    """A service with its own shape of errors, for all paths under its prefix."""

    prefix: str

    def error(self, status: int, code: str, words: str) -> Response:
        """Return an error in the provider's shape."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One request in the hands of a fault.

    Attributes:
        received: The request.
        response: What the server would answer.
        format: Whose errors it speaks; None outside of the providers' paths.
        handler: The connection: ``wfile``, ``connection``, ``send_response``.
        closing: Set when the server closes; a fault that hangs waits for it.
    """

    received: Received
    response: Response
    format: Speaker
    handler: BaseHTTPRequestHandler
    closing: threading.Event

    def send(self, response: Response | None = None) -> None:
        """Send a whole answer: the given one, else the one that the server would."""
        send(self.handler, response or self.response)


Fault = Callable[[Turn], None]
"""Answers in place of the server."""


class ProviderServer:
    """The server; a context manager. Safe to use from several threads.

    Args:
        key: Requests without it are refused with 401; None takes everybody.
        dimensions: Size of vectors where a request asks for none.
        max_texts: More texts in a request are refused as too many; 0 sets no limit.
        max_bytes: Longer texts in sum are refused as too large; 0 sets no limit.
        services: Asked before the server's own.
    """

    def __init__(
        self,
        *,
        key: str | None = None,
        dimensions: int = 8,
        max_texts: int = 0,
        max_bytes: int = 0,
        services: Sequence[Service] = (),
    ) -> None:
        self.dimensions = dimensions
        self.formats = {
            name: make(key=key, dimensions=dimensions, max_texts=max_texts, max_bytes=max_bytes)
            for name, make in FORMATS.items()
        }
        self.received: list[Received] = []
        self._services: tuple[Service, ...] = (*services, *self.formats.values())
        self._faults: deque[Fault] = deque()
        self._lasting: Fault | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Listener(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> ProviderServer:
        """Start it."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it, and let go of all that hang."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def origin(self) -> str:
        """Return ``http://127.0.0.1:port``."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def base_url(self, provider: str) -> str:
        """Return the base URL of ``openai``, ``gemini`` or ``voyage`` here."""
        return self.origin + self.formats[provider].prefix

    def script(self, *faults: Fault | None) -> None:
        """Spoil the next requests, one fault each; None lets one through."""
        with self._lock:
            self._faults.extend(fault or _answer for fault in faults)

    def always(self, fault: Fault | None) -> None:
        """Spoil every request that no script spoils; None ends that."""
        with self._lock:
            self._lasting = fault

    def refuse(self, *texts: str) -> None:
        """Refuse every request that holds one of ``texts``, as providers do with bad input."""
        for one in self.formats.values():
            one.refused.update(texts)

    def texts(self) -> list[str]:
        """Return every text that was sent for embedding, in order of arrival."""
        return [text for one in self.received for text in self.texts_of(one)]

    def texts_of(self, received: Received) -> list[str]:
        """Return the texts of one request; none when it is not a request for embeddings."""
        for one in self.formats.values():
            if received.path.startswith(one.prefix):
                return one.texts(received)
        return []

    def serve(self, handler: BaseHTTPRequestHandler, received: Received) -> None:
        """Answer one request."""
        with self._lock:
            self.received.append(received)
            fault = self._faults.popleft() if self._faults else self._lasting
        response = self._response(received)
        if fault is None:
            send(handler, response)
            return
        speakers = [one for one in self._services if isinstance(one, Speaker)]
        named = next((one for one in speakers if received.path.startswith(one.prefix)), None)
        turn = Turn(
            received=received,
            response=response,
            format=named or self.formats["openai"],
            handler=handler,
            closing=self._closing,
        )
        fault(turn)

    def _response(self, received: Received) -> Response:
        for service in self._services:
            found = service.answer(received)
            if found is not None:
                return found
        return not_found()


def send(handler: BaseHTTPRequestHandler, response: Response) -> None:
    """Send a whole answer."""
    handler.send_response(response.status)
    for name, value in response.headers.items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(response.body)))
    handler.end_headers()
    handler.wfile.write(response.body)


def _answer(turn: Turn) -> None:
    turn.send()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: ProviderServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: a client that hangs up is what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: 40 ms otherwise

    def do_GET(self) -> None:
        """Answer."""
        self._serve()

    def do_POST(self) -> None:
        """Answer."""
        self._serve()

    def do_DELETE(self) -> None:
        """Answer."""
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def _serve(self) -> None:
        headers: Mapping[str, str] = {name.lower(): value for name, value in self.headers.items()}
        received = Received(
            method=self.command, path=self.path, headers=headers, body=self._body(headers)
        )
        cast("_Listener", self.server).owner.serve(self, received)

    def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(headers.get("content-length", "0")))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)
