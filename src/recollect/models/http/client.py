"""The HTTP client of all remote providers: tries, deadlines, caps, a breaker, clear errors.

Synchronous, over httpx, which is imported with the first call. Knows the shape of HTTP and of
errors, and nothing about models: what an answer means is its caller's business. No error holds
a key, an address's password or a word of what was sent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from recollect.models.hints import EMBEDDING, Hints
from recollect.models.http.error_mapping import map_error
from recollect.models.http.request import READ_S, Answer, Call, Exchange
from recollect.models.http.retry import Retrier, RetryClock, RetryPolicy, retry_after_s

if TYPE_CHECKING:  # a start without a remote provider needs neither
    import ssl

    import httpx

MAX_ANSWER_BYTES = 32 << 20
"""2,048 vectors of 1,536 values take 26 MB as JSON; more than this is not an answer."""
MAX_FILE_BYTES = 4 << 30
"""The result of 50,000 texts of a batch takes 1 to 2 GB."""

T = TypeVar("T")


class ProviderClient:
    """Asks one provider. Safe to share between threads.

    Args:
        provider: Its name, for messages.
        base_url: Where its paths start.
        headers: Sent with every request to this address, and to no other.
        retry_clock: Time, for tests.
        connections: Requests that may be under way at once.
        max_answer_bytes: Cap of an answer.
        read_s: Longest silence within an answer: an embedder sends at once, a language model
            that does not stream says nothing until it is done.
        hints: What errors hint at.
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
        self._base_url = base_url.rstrip("/")
        self._headers = dict(headers)
        self.retry_clock = retry_clock or RetryClock()
        self._connections = connections
        self._max_answer_bytes = max_answer_bytes
        self._read_s = read_s
        self._hints = hints
        self._tries = Retrier(provider, self.retry_clock, hints)
        self._lock = threading.Lock()
        self._opened: httpx.Client | None = None

    def post(
        self,
        path: str,
        body: object,
        read: Callable[[bytes], T],
        policy: RetryPolicy | None = None,
    ) -> T:
        """Post ``body`` as JSON and return what ``read`` makes of the answer.

        Args:
            path: Behind the base URL, or a whole address.
            body: What msgspec can encode.
            read: Decodes the answer. An `ProviderError` of it counts as a failed try.
            policy: Limits of the call; those of indexing by default.

        Raises:
            ProviderUnavailable: no try succeeded; QuotaExhausted when none ever will.
            ProviderRejected: the provider refuses the request.
            ProviderError: what ``read`` raised at the last try.
        """
        content = msgspec.json.encode(body)
        headers = {"content-type": "application/json"}
        call = Call(method="POST", path=path, content=content, headers=headers)
        return self.ask(call, read, policy)

    def download(
        self,
        path: str,
        target: Path,
        policy: RetryPolicy | None = None,
        *,
        max_bytes: int = MAX_FILE_BYTES,
    ) -> int:
        """Stream an answer into ``target``, readable by this user alone, and return its bytes.

        A try that breaks off starts the file anew. What is there after an error is no whole file.

        Raises:
            StoreError: the file cannot be written.
        """
        call = Call(path=path, target=target, max_bytes=max_bytes)
        return self._tries.run(lambda ends: self._answer(call, ends).size, policy or RetryPolicy())

    def ask(self, call: Call, read: Callable[[bytes], T], policy: RetryPolicy | None = None) -> T:
        """Make any call and return what ``read`` makes of its answer; otherwise as `post`."""
        return self._tries.run(
            lambda ends: read(self._answer(call, ends).body), policy or RetryPolicy()
        )

    def close(self) -> None:
        """End waits and give the connections back; calls in progress fail soon."""
        self._tries.close()
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def _answer(self, call: Call, ends: float) -> Answer:
        exchange = Exchange(
            client=self._client(),
            url=call.url(self._base_url),
            headers=self._headers_for(call),
            provider=self.provider,
            elapsed=self.retry_clock.elapsed,
            ends=ends,
            max_bytes=call.max_bytes or self._max_answer_bytes,
            read_s=self._read_s,
            hints=self._hints,
        )
        answer = exchange.run(call)
        if call.tells_errors and 200 <= answer.status < 300:
            return answer
        mapped = map_error(answer.status, answer.body)
        if mapped is not None:
            wait = retry_after_s(answer.headers.get("retry-after"), self.retry_clock.clock.now_ms())
            raise mapped.error(self.provider, wait, self._hints)
        return answer

    def _headers_for(self, call: Call) -> dict[str, str]:
        own = self._headers if call.is_at(self._base_url) else {}
        return {**own, **call.headers}

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _open(self) -> httpx.Client:
        import httpx

        from recollect.models.http.auth import is_private

        return httpx.Client(
            limits=httpx.Limits(
                max_connections=self._connections, max_keepalive_connections=self._connections
            ),
            headers={"user-agent": "recollect"},
            # A proxy leads out; what is on this machine or in this network is reached directly.
            trust_env=not is_private(self._base_url),
            verify=self._trust(),
            follow_redirects=False,
        )

    def _trust(self) -> ssl.SSLContext | bool:
        """Return who is trusted; an address in clear needs no list of authorities, which is slow.

        Such a client trusts nobody: it fails where it is led to an encrypted address.
        """
        if self._base_url.lower().startswith("https://"):
            return True
        import ssl

        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
