"""Answers that arrive in pieces, over connections that any thread can break off.

httpx waits in the thread that reads: so a thread of its own reads, and the caller waits for what it
puts into a queue, within the deadlines, until the call is cancelled. A connection that is shared by
several requests cannot be broken off for one of them: so a line has one connection, for one stream
at a time, and is kept for the next one.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from recollect.core.errors import ProviderError, StoreError
from recollect.core.threads import LOOK_S, ThreadDied, ThreadFuture, run_on_thread
from recollect.models.cancellation import Cancellation

if TYPE_CHECKING:
    import httpx

    from recollect.models.http.client import Exchange

MOST_STREAM_S = 600.0
"""The most that an answer may take once it has begun: the limit of the clients of OpenAI and
Anthropic."""
_LINGER_S = 0.05
"""How long the end of an answer is awaited, so that the next request finds the connection free."""

T = TypeVar("T")


class StreamConnection:
    """One connection, for one stream at a time.

    Args:
        connections: Has at most one connection.

    Attributes:
        is_broken: Whether it was broken off; then it is not used again.
    """

    def __init__(self, connections: httpx.Client) -> None:
        self.connections = connections
        self.is_broken = False
        self._socket: socket.socket | None = None

    def trace(self, event: str, facts: Mapping[str, Any]) -> None:
        """Keep the socket of each new connection; called by httpx."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._socket = facts["return_value"].get_extra_info("socket")
            if self.is_broken:
                self.break_off()

    def break_off(self) -> None:
        """Close the connection; a thread that waits for its data gets an error at once."""
        self.is_broken = True
        if self._socket is not None:
            with suppress(OSError):
                # Not the method of TLS sockets, which drops the state that the other thread reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class StreamConnections:
    """The lines to one provider. Safe to share between threads.

    Args:
        connect: Returns a client with at most one connection.
    """

    def __init__(self, connect: Callable[[], httpx.Client]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._free: list[StreamConnection] = []
        self._busy: set[StreamConnection] = set()

    def receive(
        self, exchange: Exchange, reader: Callable[[Iterator[bytes]], T], cancellation: Cancellation
    ) -> T:
        """Make a call once, and return what ``reader`` makes of the pieces of its answer.

        Raises:
            Cancelled: it was cancelled.
            ProviderError: it did not answer in time, it broke off, or it is an error.
        """
        cancellation.require_going()
        line = self._take()
        reception = _Reception(exchange, line)
        forget = cancellation.on_cancel(reception.break_off)
        try:
            return reader(reception.pieces(cancellation))
        except ProviderError:
            reception.break_off()
            cancellation.require_going()
            raise
        except BaseException:
            reception.break_off()
            raise
        finally:
            forget()
            reception.on_end(lambda: self._give_back(line))

    def close(self) -> None:
        """Close all of them; streams in progress fail soon."""
        with self._lock:
            free, self._free = self._free, []
            busy = list(self._busy)
        for line in busy:
            line.break_off()
        for line in free:
            line.connections.close()

    def _take(self) -> StreamConnection:
        with self._lock:
            line = self._free.pop() if self._free else StreamConnection(self._connect())
            self._busy.add(line)
            return line

    def _give_back(self, line: StreamConnection) -> None:
        """Keep a line for the next stream, or close one that was broken off."""
        with self._lock:
            self._busy.discard(line)
            if not line.is_broken:
                self._free.append(line)
        if line.is_broken:
            line.connections.close()


class _Reception:
    """One answer that is being received."""

    def __init__(self, exchange: Exchange, line: StreamConnection) -> None:
        self._exchange = exchange
        self._line = line
        self._pieces: SimpleQueue[bytes | None] = SimpleQueue()
        self._elapsed = exchange.client.retry_clock.elapsed
        self._deadline = exchange.ends
        self._reading: ThreadFuture[None] | None = None

    def break_off(self) -> None:
        """Close the connection, and end the wait for the next piece."""
        self._line.break_off()
        self._pieces.put(None)

    def on_end(self, callback: Callable[[], object]) -> None:
        """Call ``callback`` when the connection is free again.

        The last event of an answer is hardly ever the end of its body, which follows at once: a
        server that does not end it delays nothing.
        """
        if self._reading is None:
            callback()
            return
        wait([self._reading], _LINGER_S)
        self._reading.add_done_callback(lambda _: callback())

    def pieces(self, cancellation: Cancellation) -> Iterator[bytes]:
        """Yield the pieces of the body.

        Raises:
            Cancelled: it was cancelled.
            ProviderError: the next piece did not come in time, or the answer is an error.
        """
        try:
            self._reading = reading = run_on_thread("recollect-stream", self._receive)
        except StoreError as error:
            raise self._exchange.unavailable(error.message) from error
        reading.add_done_callback(lambda _: self._pieces.put(None))
        last = self._elapsed() + MOST_STREAM_S
        while (piece := self._next(reading.look)) is not None:
            self._deadline = min(last, self._elapsed() + self._exchange.client.read_s)
            yield piece
            cancellation.require_going()
        cancellation.require_going()
        try:
            reading.result(0)
        except (ThreadDied, TimeoutError) as error:
            raise self._exchange.unavailable("broke the connection off") from error

    def _next(self, look: Callable[[], object]) -> bytes | None:
        while True:
            remaining_s = self._deadline - self._elapsed()
            if remaining_s <= 0:
                raise self._exchange.unavailable("did not answer in time")
            with suppress(Empty):
                return self._pieces.get(timeout=min(LOOK_S, remaining_s))
            look()

    def _receive(self) -> None:
        """Put all pieces into the queue, in the thread of the reception."""
        exchange, line = self._exchange, self._line
        try:
            with exchange.opened(line.connections, {"trace": line.trace}) as response:
                if not response.is_success:
                    exchange.client.require_normal(exchange.receive(response))
                whole = replace(exchange, ends=self._elapsed() + MOST_STREAM_S)
                cap = exchange.client.max_answer_bytes
                for piece in whole.pieces(response, cap, strict=True):
                    self._pieces.put(piece)
        except BaseException:
            line.break_off()
            raise
