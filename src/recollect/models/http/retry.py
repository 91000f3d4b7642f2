"""Retries of requests to providers: tries, waits between them, deadlines.

Full jitter (a wait is uniform between 0 and its bound) keeps many clients of one provider from
retrying at the same moment. Knows nothing about HTTP but the header ``Retry-After``.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from recollect.core.clock import Clock, SystemClock
from recollect.core.errors import (
    Cancelled,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.cancellation import Cancellation
from recollect.models.hints import Hints

Pause = Callable[[float], None]
"""Waits so many seconds; may return earlier."""


class RetryClock(msgspec.Struct, frozen=True, kw_only=True):
    """Time as a provider client sees it; a test passes its own and does not wait.

    Attributes:
        clock: Gives the date, for ``Retry-After`` and for the day of a budget.
        elapsed: Seconds of a monotonic clock, for deadlines.
        pause: Waits; None waits in real time, and ends when the client is closed.
        spread: Returns a number in [0, 1), the jitter.
    """

    clock: Clock = msgspec.field(default_factory=SystemClock)
    elapsed: Callable[[], float] = time.monotonic
    pause: Pause | None = None
    spread: Callable[[], float] = random.random  # noqa: S311 - spreads requests, hides nothing


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one call.

    Attributes:
        attempt_s: Longest a try may take, from connecting to the last byte.
        total_s: Longest all tries and waits may take; None sets no limit.
        tries: Tries at most while the provider fails.
        base_s: Bound of the first wait; it doubles with every try, up to `cap_s`.
        cap_s: Largest bound.
        limited_tries: Tries at most while the provider says "too many requests".
        limited_base_s: Bound of the first wait in that case.
        limited_cap_s: Largest bound in that case, and the longest ``Retry-After`` that is honoured.

    Source: the retry rules of OpenClaw 2026.9.6, with full jitter instead of a fifth.
    """

    attempt_s: float = 60.0
    total_s: float | None = None
    tries: int = 3
    base_s: float = 0.5
    cap_s: float = 8.0
    limited_tries: int = 5
    limited_base_s: float = 5.0
    limited_cap_s: float = 60.0

    def allows(self, tries: int, *, limited: bool) -> bool:
        """Return whether another try may follow after ``tries`` of them."""
        return tries < (self.limited_tries if limited else self.tries)

    def wait_s(self, tries: int, *, limited: bool, spread: float) -> float:
        """Return the seconds to wait after ``tries`` tries; ``spread`` is the jitter in [0, 1).

        >>> RetryPolicy().wait_s(3, limited=False, spread=0.5)
        1.0
        """
        base, cap = (
            (self.limited_base_s, self.limited_cap_s) if limited else (self.base_s, self.cap_s)
        )
        return float(spread * min(cap, base * 2 ** (tries - 1)))


def query_policy(total_s: float) -> RetryPolicy:
    """Return the policy of a waiting search: everything together within ``total_s``."""
    return RetryPolicy(attempt_s=total_s, total_s=total_s, limited_tries=3, limited_base_s=0.5)


def retry_after_s(value: str | None, now_ms: int) -> float | None:
    """Return the seconds that a header ``Retry-After`` asks for; None where it is invalid.

    Args:
        value: Seconds, or an HTTP date.
        now_ms: The time now.

    >>> retry_after_s("Thu, 01 Jan 1970 00:01:00 GMT", 0)
    60.0
    """
    if value is None:
        return None
    text = value.strip()
    if text.replace(".", "", 1).isdecimal() and text.isascii():
        return float(text)
    from email.utils import parsedate_to_datetime  # imports sockets, which few starts need

    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, at.timestamp() - now_ms / 1000)


_STEP_S = 0.2
"""How often a wait that can be cancelled checks whether the client was closed."""
FAILURES = 5
"""Failures in a row that open it: more than the tries of one call."""
COOL_DOWN_S = 30.0
"""As long as OpenClaw keeps the result of a probe."""


class Breaker:
    """Counts failures. Safe to share between threads.

    Args:
        elapsed: Seconds of a monotonic clock.
        failures: Failures in a row that open it.
        cool_down_s: Time until one call may probe.
    """

    def __init__(
        self,
        elapsed: Callable[[], float],
        *,
        failures: int = FAILURES,
        cool_down_s: float = COOL_DOWN_S,
    ) -> None:
        self._elapsed = elapsed
        self._failures = failures
        self._cool_down_s = cool_down_s
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._opens_at = 0.0

    def wait_s(self) -> float:
        """Return 0 when a call may go now, else the seconds until one may.

        Once the cool-down is over, the caller that gets 0 is the probe: the next one must wait for
        another cool-down, unless the probe succeeds first.
        """
        with self._lock:
            if self._in_a_row < self._failures:
                return 0.0
            now = self._elapsed()
            if now < self._opens_at:
                return self._opens_at - now
            self._opens_at = now + self._cool_down_s
            return 0.0

    @property
    def is_open(self) -> bool:
        """Return whether calls have to wait; this does not make the caller the probe."""
        with self._lock:
            return self._in_a_row >= self._failures and self._elapsed() < self._opens_at

    def succeed(self) -> None:
        """Close it: the provider answers, even if it refuses."""
        with self._lock:
            self._in_a_row = 0

    def fail(self) -> None:
        """Count a failure, and open it after enough of them."""
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row >= self._failures:
                self._opens_at = self._elapsed() + self._cool_down_s


T = TypeVar("T")


class Retrier:
    """Retries of all calls to one provider. Safe to share between threads.

    Args:
        provider: Its name, for messages.
        retry_clock: Time, for tests.
        hints: For its errors.
    """

    def __init__(self, provider: str, retry_clock: RetryClock, hints: Hints) -> None:
        self._provider = provider
        self._retry_clock = retry_clock
        self._hints = hints
        self._breaker = Breaker(retry_clock.elapsed)
        self._closed = threading.Event()

    @property
    def is_closed(self) -> bool:
        """Return whether `close` was called."""
        return self._closed.is_set()

    def run(
        self,
        attempt: Callable[[float], T],
        policy: RetryPolicy,
        cancellation: Cancellation | None = None,
    ) -> T:
        """Return the result of the first try of ``attempt`` that succeeds.

        Args:
            attempt: Makes one try; gets its deadline, as `RetryClock.elapsed` counts.
            policy: The limits.
            cancellation: Ends the waits between tries.

        Raises:
            Cancelled: it was cancelled.
            ProviderError: the error of the last try; a refusal is never retried, nor an answer of
                which a part was given out.
        """
        ends = None if policy.total_s is None else self._retry_clock.elapsed() + policy.total_s
        tries = 0
        while True:
            self._await_breaker()
            tries += 1
            try:
                last = self._retry_clock.elapsed() + policy.attempt_s
                return self._try(attempt, last if ends is None else min(last, ends))
            except (Cancelled, ProviderRejected):
                raise
            except ProviderError as error:
                wait = self._next_wait(error, policy, tries)
                if wait is None or (
                    ends is not None and self._retry_clock.elapsed() + wait >= ends
                ):
                    raise
            self._wait(wait, cancellation)

    def close(self) -> None:
        """End waits; no further try starts."""
        self._closed.set()

    def _wait(self, seconds: float, cancellation: Cancellation | None) -> None:
        if cancellation is None or self._retry_clock.pause is not None:
            (self._retry_clock.pause or self._closed.wait)(seconds)
        else:
            until = self._retry_clock.elapsed() + seconds
            while (remaining_s := until - self._retry_clock.elapsed()) > 0 and not self.is_closed:
                cancellation.wait(min(remaining_s, _STEP_S))
                cancellation.require_going()

    def _try(self, attempt: Callable[[float], T], ends: float) -> T:
        try:
            result = attempt(ends)
        except Cancelled:  # says nothing about the provider
            raise
        except ProviderRejected:
            self._breaker.succeed()
            raise
        except ProviderError as error:
            # A provider that answers "too many requests" is healthy.
            if error.facts.get("limited"):
                self._breaker.succeed()
            else:
                self._breaker.fail()
            raise
        self._breaker.succeed()
        return result

    def _await_breaker(self) -> None:
        if self._closed.is_set():
            raise ProviderUnavailable(
                f"the client of {self._provider} is closed", hint="open the memory again"
            )
        wait = self._breaker.wait_s()
        if wait > 0:
            raise ProviderUnavailable(
                f"{self._provider} failed several times in a row and is left alone for a while",
                hint=f"wait, it is tried again later; {self._hints.meanwhile}",
                retry_after_s=wait,
            )

    def _next_wait(self, error: ProviderError, policy: RetryPolicy, tries: int) -> float | None:
        """Return the seconds to wait before the next try; None if there is none."""
        limited = bool(error.facts.get("limited"))
        if isinstance(error, QuotaExhausted) or self._breaker.is_open:
            return None
        if error.facts.get("partial"):
            return None
        if not policy.allows(tries, limited=limited):
            return None
        wait = policy.wait_s(tries, limited=limited, spread=self._retry_clock.spread())
        requested_s = error.facts.get("retry_after_s")
        if not isinstance(requested_s, float):
            return wait
        # Earlier than requested is useless; longer than the cap is left to a later call.
        return None if requested_s > policy.limited_cap_s else max(requested_s, wait)
