"""One request to a provider and its answer, without tries: streamed, capped, within its deadline.

Translates every error of httpx in one place. What an answer means is not known here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

import msgspec

from recollect.core.errors import ProviderUnavailable
from recollect.models.hints import EMBEDDING, Hints
from recollect.store.failures import translate_os

if TYPE_CHECKING:
    import httpx


READ_S = 30.0
"""Longest silence within an answer."""
_CONNECT_S = 5.0
_ERROR_BYTES = 1 << 20
"""Of a refusal, more than this is not read."""


class FileUpload(msgspec.Struct, frozen=True, kw_only=True):
    """A file to be sent as ``multipart/form-data``.

    Attributes:
        file: Where it is.
        name: The name that the provider is told.
        media_type: What it holds.
        fields: The form's other fields.
    """

    file: Path
    name: str = "batch.jsonl"
    media_type: str = "application/jsonl"
    fields: dict[str, str] = {}


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked.

    Attributes:
        method: ``GET``, ``POST``, ``DELETE``.
        path: Behind the client's base URL, or a whole address.
        content: The body.
        headers: Besides the client's own.
        upload: A file in place of `content`.
        target: Where the answer goes; None keeps it in memory.
        max_bytes: Cap of the answer; 0 is the client's.
        tells_errors: The answer may tell of an error that is not the call's, as the state of a
            batch does: with a status of 200 it is then an answer.
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
        """Return the whole address."""
        if self.path.startswith(("http://", "https://")):
            return self.path
        return f"{base_url}/{self.path.lstrip('/')}"

    def is_at(self, base_url: str) -> bool:
        """Tell whether the address belongs to ``base_url``: only there may its key go."""
        own, other = urlsplit(base_url), urlsplit(self.url(base_url))
        return (own.scheme, own.netloc) == (other.scheme, other.netloc)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back.

    Attributes:
        status: The HTTP status.
        headers: By name in small letters.
        body: The decoded bytes; empty when they went into a file.
        size: How many bytes came.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    size: int


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """Where and within which limits one call is made.

    Attributes:
        client: The connections.
        url: The whole address.
        headers: All that are sent.
        provider: Its name, for messages.
        elapsed: Seconds that only go forward.
        ends: When it must be over, on that scale.
        max_bytes: Cap of the answer.
        read_s: Longest silence within it.
        hints: What errors hint at.
    """

    client: Any
    url: str
    headers: dict[str, str]
    provider: str
    elapsed: Callable[[], float]
    ends: float
    max_bytes: int
    read_s: float = READ_S
    hints: Hints = EMBEDDING

    def run(self, call: Call) -> Answer:
        """Make the call once.

        Raises:
            ProviderUnavailable: no whole answer came in time.
            StoreError: a file cannot be read or written.
        """
        if call.upload is not None or call.target is not None:
            return self._run(call)  # what is still at work on a file must not be left behind
        try:
            return run_within(self._left(), lambda: self._run(call))
        except TimeoutError as error:
            raise self._unavailable("did not answer in time") from error

    def _run(self, call: Call) -> Answer:
        import httpx

        try:
            with self._files(call) as parts, self._stream(call, parts) as response:
                return self._receive(call, response)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise self._failed(error) from error

    def _stream(self, call: Call, parts: dict[str, Any]) -> Any:
        return self.client.stream(
            call.method,
            self.url,
            content=call.content,
            headers=self.headers,
            timeout=self._timeout(),
            **parts,
        )

    @contextmanager
    def _files(self, call: Call) -> Iterator[dict[str, Any]]:
        if call.upload is None:
            yield {}
            return
        upload = call.upload
        try:
            file = upload.file.open("rb")
        except OSError as error:
            raise translate_os(error, upload.file) from error
        with file:
            yield {
                "data": upload.fields,
                "files": {"file": (upload.name, file, upload.media_type)},
            }

    def _receive(self, call: Call, response: httpx.Response) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        if call.target is not None and response.is_success:
            size = self._save(response, call.target)
            return Answer(status=response.status_code, headers=headers, body=b"", size=size)
        cap = self.max_bytes if response.is_success else min(_ERROR_BYTES, self.max_bytes)
        body = b"".join(self._pieces(response, cap, strict=response.is_success))
        return Answer(status=response.status_code, headers=headers, body=body, size=len(body))

    def _save(self, response: httpx.Response, target: Path) -> int:
        size = 0
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            with open(os.open(target, flags, 0o600), "wb") as file:
                for piece in self._pieces(response, self.max_bytes, strict=True):
                    size += file.write(piece)
        except OSError as error:
            raise translate_os(error, target) from error
        return size

    def _pieces(self, response: httpx.Response, cap: int, *, strict: bool) -> Iterator[bytes]:
        size = 0
        for piece in response.iter_bytes():
            self._left()
            size += len(piece)
            if size > cap:
                if strict:
                    raise self._unavailable("sent more than an answer can have", max_bytes=cap)
                return
            yield piece

    def _timeout(self) -> httpx.Timeout:
        import httpx

        left = self._left()
        return httpx.Timeout(min(self.read_s, left), connect=min(_CONNECT_S, left))

    def _left(self) -> float:
        left = self.ends - self.elapsed()
        if left <= 0:
            raise self._unavailable("did not answer in time")
        return left

    def _failed(self, error: Exception) -> ProviderUnavailable:
        import httpx

        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            return self._unavailable("cannot be reached", kind=type(error).__name__)
        if isinstance(error, httpx.TimeoutException):
            return self._unavailable("did not answer in time", kind=type(error).__name__)
        return self._unavailable("broke the connection off", kind=type(error).__name__)

    def _unavailable(self, what: str, **facts: object) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"{self.provider} {what}",
            hint=f"check the network and {self.hints.address}; it is tried again later",
            **facts,
        )


T = TypeVar("T")


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, or raise what it raises, within so many seconds.

    It runs in a daemon thread; what comes later than that is dropped.

    Raises:
        TimeoutError: it was not ready in time.
    """
    run = _Run(work)
    threading.Thread(target=run, name="recollect-ask", daemon=True).start()
    return run.outcome(seconds)


class _Run(Generic[T]):
    """One piece of work in its thread, and what came of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._done = threading.Event()
        self._made: list[T] = []
        self._error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self._made.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._error = error
        finally:
            self._done.set()

    def outcome(self, seconds: float) -> T:
        if not self._done.wait(seconds):
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._made[0]
