"""Shares of the server's resources for each caller, so that no caller blocks another.

The owner and all others have separate shares of every scarce resource: busy connections, streams,
bytes of bodies, threads, and large bodies in work. Within the share of the others each token has a
share again. Health checks and reports of the owner's hooks need no share of connections or threads:
they use what `OWNER` and `GUESTS` leave. A request without a valid token is answered before any
share is taken.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import msgspec

from recollect.core.errors import StoreError
from recollect.governance.tokens import Right, Token
from recollect.server.calls import Calls
from recollect.server.errors import CROWDED, MANY_REQUESTS, MANY_STREAMS, Refused, Rejection
from recollect.server.response import Scope
from recollect.server.route import KEPT_BODY, LARGE, MAX_BODY, Endpoint

T = TypeVar("T")

ROOM_WAIT_S = 60.0
"""How long a body waits for room in memory: a hook has given up by then, others retry."""
_REPORTS: frozenset[Right] = frozenset({"hooks", "capture"})


class Share(msgspec.Struct, frozen=True):
    """The amount of a resource for all at the same time, and for one token."""

    most: int
    each: int


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """The shares of a kind of callers.

    Attributes:
        requests: Unanswered requests.
        streams: Streams among them.
        body_bytes: Bytes of bodies of 64 kB and more, until they are answered.
        threads: Requests in work; more of them wait.
        large: Requests in work with a body of `large_from` bytes: one takes nine times its size.
        large_from: At least 64 kB.
        body: Bytes of one body, if the route takes so many. Patterns that search for secrets do not
            release the interpreter: 60 ms for 1 MB, in which no hook is answered.
    """

    requests: Share
    streams: Share
    body_bytes: Share
    threads: Share
    large: Share
    large_from: int
    body: int


OWNER = Quota(
    requests=Share(24, 24),
    streams=Share(16, 16),
    body_bytes=Share(36_000_000, 36_000_000),
    threads=Share(10, 10),
    large=Share(1, 1),
    large_from=MAX_BODY + 1,
    body=KEPT_BODY,
)
"""Of all tokens that hear as the operator, without the reports of their hooks."""
GUESTS = Quota(
    requests=Share(24, 12),
    streams=Share(12, 6),
    body_bytes=Share(36_000_000, 18_000_000),
    threads=Share(4, 2),
    large=Share(1, 1),
    large_from=LARGE,
    body=256_000,
)
"""Of all other tokens."""


class FairSemaphore:
    """Gives holders a limited amount of a resource at the same time; for one event loop.

    Waiting holders take turns, so that one with many requests delays another by only one of them.
    """

    def __init__(self, share: Share) -> None:
        self._share = share
        self._taken = 0
        self._of: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[tuple[int, asyncio.Future[None]]]] = {}

    def take(self, holder: Hashable, amount: int = 1) -> bool:
        """Take an amount now; return False, with nothing taken, if not enough is left."""
        if self._waiting or not self._fits(holder, amount):
            return False
        self._give(holder, -amount)
        return True

    def is_greedy(self, holder: Hashable) -> bool:
        """Return whether a holder has its whole share."""
        return self._of[holder] >= self._share.each

    async def wait(self, holder: Hashable, amount: int = 1) -> None:
        """Take an amount as soon as it is free; at most the share of one holder."""
        if self.take(holder, amount):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(holder, deque()).append((amount, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(holder, amount)
            raise

    def give(self, holder: Hashable, amount: int = 1) -> None:
        """Give back an amount."""
        self._give(holder, amount)
        self._admit()

    def _give(self, holder: Hashable, amount: int) -> None:
        self._taken -= amount
        self._of[holder] -= amount
        if not self._of[holder]:
            del self._of[holder]

    def _fits(self, holder: Hashable, amount: int) -> bool:
        share = self._share
        return self._taken + amount <= share.most and self._of[holder] + amount <= share.each

    def _admit(self) -> None:
        """Admit waiting holders in turns; small requests do not overtake a large one in turn."""
        while (holder := self._next()) is not None:
            queue = self._waiting.pop(holder)
            amount, turn = queue.popleft()
            self._give(holder, -amount)
            turn.set_result(None)
            if queue:
                self._waiting[holder] = queue  # after all others

    def _next(self) -> Hashable | None:
        """Return the next holder; None if none can be admitted."""
        for holder, queue in list(self._waiting.items()):
            while queue and queue[0][1].done():  # the waiter is gone
                queue.popleft()
            if not queue:
                del self._waiting[holder]
            elif self._of[holder] + queue[0][0] <= self._share.each:
                return holder if self._fits(holder, queue[0][0]) else None
        return None


class _Semaphores:
    """The semaphores of a quota."""

    def __init__(self, quota: Quota) -> None:
        self.requests = FairSemaphore(quota.requests)
        self.streams = FairSemaphore(quota.streams)
        self.body_bytes = FairSemaphore(quota.body_bytes)
        self.threads = FairSemaphore(quota.threads)
        self.large = FairSemaphore(quota.large)
        self.large_from, self.body = quota.large_from, quota.body


class Admissions:
    """The shares of one server.

    Args:
        calls: Runs the requests.
        owner: The quota of the owner.
        guests: The quota of all others.
    """

    def __init__(self, calls: Calls, owner: Quota = OWNER, guests: Quota = GUESTS) -> None:
        self._calls = calls
        self._owner, self._guests = _Semaphores(owner), _Semaphores(guests)

    def of(self, token: Token | None, right: Right | None) -> Admission:
        """Return the admission of a request: what it may take.

        Args:
            token: Of the caller; None on an open route.
            right: Required by the route.
        """
        if token is None:
            return Admission(self._calls, self._owner, "", is_reserved=True)
        semaphores = self._owner if token.is_owners else self._guests
        is_reserved = token.is_owners and right in _REPORTS
        return Admission(self._calls, semaphores, token.id, is_reserved=is_reserved)


class Admission:
    """One request, and its use of the caller's share.

    Args:
        calls: Runs it.
        semaphores: Of its kind of callers.
        holder: Its caller.
        is_reserved: Whether connections and threads are kept free for it.
    """

    def __init__(
        self, calls: Calls, semaphores: _Semaphores, holder: Hashable, *, is_reserved: bool
    ) -> None:
        self._calls, self._semaphores, self._holder = calls, semaphores, holder
        self._is_reserved = is_reserved
        self._is_large = False

    def most_of_body(self, endpoint: Endpoint) -> int:
        """Return the most bytes to read of a body; of a lenient route, the most to keep of it."""
        most = KEPT_BODY if endpoint.is_lenient else endpoint.max_body
        return min(most, self._semaphores.body)

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Return the result of ``work`` on a thread, once there is one for its caller."""
        if self._is_large:
            return await self._run_in(self._semaphores.large, work, args)
        if self._is_reserved:
            return await self._calls.run(work, *args)
        return await self._run_in(self._semaphores.threads, work, args)

    async def _run_in(
        self, semaphore: FairSemaphore, work: Callable[..., T], args: tuple[Any, ...]
    ) -> T:
        await semaphore.wait(self._holder)
        holders = [self._holder]  # until the thread is free, not until its caller is gone

        def free() -> None:
            while holders:
                semaphore.give(holders.pop())

        try:
            return await self._calls.run(work, *args, ended=free)
        except StoreError:  # no thread may have been started
            free()
            raise

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Take a thread inside the block, for an application that has its own."""
        semaphore = self._semaphores.threads
        await semaphore.wait(self._holder)
        try:
            yield
        finally:
            semaphore.give(self._holder)

    @contextmanager
    def answering(self, *, is_stream: bool = False) -> Iterator[None]:
        """Take a connection inside the block.

        Raises:
            Refused: all callers of its kind, or this one, have used up their share.
        """
        if self._is_reserved:
            yield
            return
        with self._held(self._semaphores.requests, MANY_REQUESTS):
            if not is_stream:
                yield
                return
            with self._held(self._semaphores.streams, MANY_STREAMS):
                yield

    @contextmanager
    def _held(self, semaphore: FairSemaphore, many: Rejection) -> Iterator[None]:
        if not semaphore.take(self._holder):
            raise Refused(many if semaphore.is_greedy(self._holder) else CROWDED)
        try:
            yield
        finally:
            semaphore.give(self._holder)

    @asynccontextmanager
    async def holding(self, size: int, scope: Scope) -> AsyncIterator[None]:
        """Take the bytes of a body inside the block; wait for room without reading it.

        Raises:
            Refused: no room became free in time.
        """
        semaphore, holder = self._semaphores.body_bytes, self._holder
        if size < LARGE:
            yield
            return
        scope["held"] = True  # see `LimitedConnection`: the delay is not the client's
        try:
            async with asyncio.timeout(ROOM_WAIT_S):
                await semaphore.wait(holder, size)
        except TimeoutError:
            raise Refused(CROWDED) from None
        finally:
            scope["held"] = False
        self._is_large = size >= self._semaphores.large_from
        try:
            yield
        finally:
            semaphore.give(holder, size)
