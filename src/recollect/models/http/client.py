"""The HTTP client of all remote providers: retries, deadlines, caps, a breaker, clear errors.

Synchronous, over httpx, which is imported with the first call. It knows HTTP and the form of
errors, and nothing about models: the caller interprets answers. No error contains a key, a password
of an address or any part of the request.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from recollect.core.decoding import convert_value, decode_json
from recollect.core.errors import ProviderUnavailable
from recollect.models.cancellation import Cancellation
from recollect.models.hints import EMBEDDING, Hints
from recollect.models.http.error_mapping import map_error
from recollect.models.http.retry import Retrier, RetryClock, RetryPolicy, retry_after_s
from recollect.models.http.streaming import StreamConnections
from recollect.models.worker_pool import run_within
from recollect.store.failures import translate_os

if TYPE_CHECKING:  # not needed without a remote provider
    import ssl

    import httpx

READ_S = 30.0
"""Longest silence within an answer."""
_CONNECT_S = 5.0
_ERROR_BYTES = 1 << 20
"""The most that is read of an error."""
MAX_ANSWER_BYTES = 32 << 20
"""2,048 vectors of 1,536 values take 26 MB as JSON; a larger answer is invalid."""
MAX_FILE_BYTES = 4 << 30
"""The result of 50,000 texts of a batch takes 1 to 2 GB."""
INDEXING = RetryPolicy()
"""The limits of a call while no search waits."""

T = TypeVar("T")


class FileUpload(msgspec.Struct, frozen=True, kw_only=True):
    """A file to send as ``multipart/form-data``.

    Attributes:
        file: Its path.
        name: The name for the provider.
        media_type: The type of its content.
        fields: The form's other fields.
    """

    file: Path
    name: str = "batch.jsonl"
    media_type: str = "application/jsonl"
    fields: dict[str, str] = {}


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A request.

    Attributes:
        method: ``GET``, ``POST``, ``DELETE``.
        path: After the client's base URL, or a whole address.
        content: The body.
        headers: Besides the client's own.
        upload: A file instead of `content`.
        target: The file for the answer; None keeps it in memory.
        max_bytes: Cap of the answer; 0 is the client's.
        tells_errors: The answer may contain an error that is not the call's, such as that of a
            batch: with status 200 it is then a normal answer.
    """

    method: str = "GET"
    path: str
    content: bytes | None = None
    headers: dict[str, str] = {}
    upload: FileUpload | None = None
    target: Path | None = None
    max_bytes: int = 0
    tells_errors: bool = False

    def url(self, base_url: str) -> str:
        """Return the full URL."""
        if self.path.startswith(("http://", "https://")):
            return self.path
        return f"{base_url}/{self.path.lstrip('/')}"

    def is_at(self, base_url: str) -> bool:
        """Return whether the address belongs to ``base_url``: only there may the key be sent."""
        own, other = urlsplit(base_url), urlsplit(self.url(base_url))
        return (own.scheme, own.netloc) == (other.scheme, other.netloc)


class HttpAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request.

    Attributes:
        status: The HTTP status.
        headers: By name in lower case.
        body: The decoded bytes; empty if they were written to a file.
        size: The number of received bytes.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    size: int


class ProviderClient:
    """Sends requests to one provider. Safe to share between threads.

    Args:
        provider: Its name, for messages.
        base_url: The base of its paths.
        headers: Sent with every request to this address, and to no other one.
        retry_clock: Time, for tests.
        connections: Concurrent requests at most.
        max_answer_bytes: Cap of an answer.
        read_s: Longest silence within an answer: an embedder sends at once, a language model that
            does not stream sends nothing until it is done.
        hints: For errors.
    """

    def __init__(
        self,
        provider: str,
        base_url: str,
        headers: Mapping[str, str],
        *,
        retry_clock: RetryClock | None = None,
        connections: int = 4,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        read_s: float = READ_S,
        hints: Hints = EMBEDDING,
    ) -> None:
        self.provider = provider
        self.base_url = base_url.rstrip("/")
        self.headers = dict(headers)
        self.retry_clock = retry_clock or RetryClock()
        self._connections = connections
        self.max_answer_bytes = max_answer_bytes
        self.read_s = read_s
        self.hints = hints
        self._tries = Retrier(provider, self.retry_clock, hints)
        self._lock = threading.Lock()
        self._opened: httpx.Client | None = None
        self._lines = StreamConnections(lambda: self._open(1))

    def post(
        self,
        path: str,
        body: object,
        decode: Callable[[bytes], T],
        policy: RetryPolicy = INDEXING,
    ) -> T:
        """Post ``body`` as JSON and return the answer as decoded by ``decode``.

        Args:
            path: Relative to the base URL, or a full URL.
            body: A value that msgspec can encode.
            decode: Decodes the answer. If it raises `ProviderError`, the try has failed.
            policy: Limits of the call; those of indexing by default.

        Raises:
            ProviderUnavailable: no try succeeded; QuotaExhausted when none ever will.
            ProviderRejected: the provider refuses the request.
            ProviderError: the error of ``decode`` at the last try.
        """
        content = msgspec.json.encode(body)
        headers = {"content-type": "application/json"}
        call = Call(method="POST", path=path, content=content, headers=headers)
        return self.ask(call, decode, policy)

    def download(
        self,
        path: str,
        target: Path,
        policy: RetryPolicy = INDEXING,
        *,
        max_bytes: int = MAX_FILE_BYTES,
    ) -> int:
        """Stream an answer into ``target``, readable by this user alone, and return its size.

        A retry rewrites the file. After an error it may be incomplete.

        Raises:
            StoreError: the file cannot be written.
        """
        call = Call(path=path, target=target, max_bytes=max_bytes)
        return self._tries.run(lambda ends: self._answer(call, ends).size, policy)

    def ask(self, call: Call, decode: Callable[[bytes], T], policy: RetryPolicy = INDEXING) -> T:
        """Make any call and return its answer as decoded by ``decode``; otherwise as `post`."""
        return self._tries.run(lambda ends: decode(self._answer(call, ends).body), policy)

    def stream(
        self,
        path: str,
        body: object,
        reader: Callable[[Iterator[bytes]], T],
        policy: RetryPolicy,
        cancellation: Cancellation,
    ) -> T:
        """Post ``body`` as JSON and return what ``reader`` makes of the pieces of the answer.

        A try may last `MOST_STREAM_S` once its first piece is there; until then, and between two
        pieces, the limits of `post` hold. The connection is closed as soon as ``reader`` ends.

        Args:
            path: Relative to the base URL, or a full URL.
            body: A value that msgspec can encode.
            reader: Reads an answer with a normal status, in the calling thread. An error with
                ``facts["partial"]`` is not followed by another try.
            policy: Limits of the call.
            cancellation: Ends the call from another thread.

        Raises:
            Cancelled: it was cancelled.
            ProviderError: otherwise as `post`.
        """
        content = msgspec.json.encode(body)
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        headers["accept-encoding"] = "identity"  # what compresses also waits for more
        call = Call(method="POST", path=path, content=content, headers=headers)

        def attempt(ends: float) -> T:
            exchange = Exchange(client=self, call=call, ends=ends)
            return self._lines.receive(exchange, reader, cancellation)

        return self._tries.run(attempt, policy, cancellation)

    def close(self) -> None:
        """End waits and close the connections; calls in progress fail soon."""
        self._tries.close()
        self._lines.close()
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def require_normal(self, answer: HttpAnswer) -> None:
        """Raise the error that an answer is.

        Raises:
            ProviderError: its status or its body is an error.
        """
        mapped = map_error(answer.status, answer.body)
        if mapped is not None:
            wait = retry_after_s(answer.headers.get("retry-after"), self.retry_clock.clock.now_ms())
            raise mapped.error(self.provider, wait, self.hints)

    def _answer(self, call: Call, ends: float) -> HttpAnswer:
        answer = Exchange(client=self, call=call, ends=ends).send()
        if not (call.tells_errors and 200 <= answer.status < 300):
            self.require_normal(answer)
        return answer

    def connections(self) -> httpx.Client:
        """Return the connections, opened by the first call."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open(self._connections)
            return self._opened

    def _open(self, connections: int) -> httpx.Client:
        import httpx

        from recollect.models.http.auth import is_private

        return httpx.Client(
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            headers={"user-agent": "recollect"},
            # A proxy is for the outside; this machine and this network are reached directly.
            trust_env=not is_private(self.base_url),
            verify=self._trust,
            follow_redirects=False,
        )

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """Return the trusted authorities; an address in clear needs no list of them, which is slow.

        Such a client trusts no authority: it fails if redirected to an encrypted address.
        """
        if self.base_url.lower().startswith("https://"):
            import httpx

            return httpx.create_ssl_context()
        import ssl

        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One call, made once, without retries: streamed, capped, within its deadline.

    Translates all errors of httpx.

    Attributes:
        client: Sends the request.
        call: The request.
        ends: When it must end, as `RetryClock.elapsed` counts.
    """

    client: ProviderClient
    call: Call
    ends: float

    def send(self) -> HttpAnswer:
        """Make the call once.

        Raises:
            ProviderUnavailable: no whole answer came in time.
            StoreError: a file cannot be read or written.
        """
        if self.call.upload is not None or self.call.target is not None:
            return self._run()  # work on a file must be awaited
        try:
            return run_within(self.remaining_s(), self._run)
        except TimeoutError as error:
            raise self.unavailable("did not answer in time") from error

    def _run(self) -> HttpAnswer:
        with self.opened(self.client.connections()) as response:
            return self.receive(response)

    @contextmanager
    def opened(
        self, connections: httpx.Client, extensions: dict[str, Any] | None = None
    ) -> Iterator[httpx.Response]:
        """Send the request, and hand out the answer as soon as its head is there.

        Raises:
            ProviderUnavailable: there was none in time, or it broke off within the block.
        """
        import httpx

        call, client = self.call, self.client
        remaining_s = self.remaining_s()
        timeout = httpx.Timeout(
            min(client.read_s, remaining_s), connect=min(_CONNECT_S, remaining_s)
        )
        own = client.headers if call.is_at(client.base_url) else {}

        try:
            with (
                self._form() as form,
                connections.stream(
                    call.method,
                    call.url(client.base_url),
                    content=call.content,
                    headers={**own, **call.headers},
                    timeout=timeout,
                    extensions=extensions,
                    **form,
                ) as response,
            ):
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise self._failed(error) from error

    @contextmanager
    def _form(self) -> Iterator[dict[str, Any]]:
        upload = self.call.upload
        if upload is None:
            yield {}
            return
        try:
            file = upload.file.open("rb")
        except OSError as error:
            raise translate_os(error, upload.file) from error
        with file:
            part = (upload.name, file, upload.media_type)
            yield {"data": upload.fields, "files": {"file": part}}

    def receive(self, response: httpx.Response) -> HttpAnswer:
        """Return the whole answer; an error is cut at its cap."""
        most = self.call.max_bytes or self.client.max_answer_bytes
        headers = {name.lower(): value for name, value in response.headers.items()}
        if self.call.target is not None and response.is_success:
            size = self._save(self.pieces(response, most, strict=True), self.call.target)
            return HttpAnswer(status=response.status_code, headers=headers, body=b"", size=size)
        cap = most if response.is_success else min(_ERROR_BYTES, most)
        body = b"".join(self.pieces(response, cap, strict=response.is_success))
        return HttpAnswer(status=response.status_code, headers=headers, body=body, size=len(body))

    def _save(self, pieces: Iterator[bytes], target: Path) -> int:
        size = 0
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            with open(os.open(target, flags, 0o600), "wb") as file:
                for piece in pieces:
                    size += file.write(piece)
        except OSError as error:
            raise translate_os(error, target) from error
        return size

    def pieces(self, response: httpx.Response, cap: int, *, strict: bool) -> Iterator[bytes]:
        """Yield the body, up to its cap and its deadline.

        Raises:
            ProviderUnavailable: the deadline is over, or with ``strict`` it is longer than ``cap``.
        """
        size = 0
        for piece in response.iter_bytes():
            self.remaining_s()
            size += len(piece)
            if size > cap:
                if strict:
                    raise self.unavailable("sent more than an answer can have", max_bytes=cap)
                return
            yield piece

    def remaining_s(self) -> float:
        """Return the seconds until the deadline, more than 0.

        Raises:
            ProviderUnavailable: it is over.
        """
        remaining_s = self.ends - self.client.retry_clock.elapsed()
        if remaining_s <= 0:
            raise self.unavailable("did not answer in time")
        return remaining_s

    def _failed(self, error: Exception) -> ProviderUnavailable:
        import httpx

        what = "broke the connection off"
        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            what = "cannot be reached"
        elif isinstance(error, httpx.TimeoutException):
            what = "did not answer in time"
        return self.unavailable(what, kind=type(error).__name__)

    def unavailable(self, what: str, **facts: object) -> ProviderUnavailable:
        """Return the error for a failed exchange, given as a sentence without its subject."""
        address = self.client.hints.setting("base_url")
        return ProviderUnavailable(
            f"{self.client.provider} {what}",
            hint=f"check the network and {address}; it is tried again later",
            **facts,
        )


def decode_answer(provider: str, body: bytes, shape: type[T], hints: Hints = EMBEDDING) -> T:
    """Return ``body`` as ``shape``; ``NaN`` and ``Infinity`` in it are accepted.

    Raises:
        ProviderUnavailable: it is not JSON of that shape.
    """
    try:
        return decode_json(body, shape)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass  # Python's own decoder is slower and accepts NaN
    try:
        return convert_value(json.loads(body), shape)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise hints.unreadable(provider) from error
