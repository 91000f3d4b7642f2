"""Asks a provider again when it fails: tries, waits, one deadline, and a breaker for all calls.

Knows errors and time; how one attempt is made, over HTTP or by a program, is its caller's business.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from recollect.core.errors import (
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.advice import Advice
from recollect.models.breaker import Breaker
from recollect.models.patience import Patience, Tempo

T = TypeVar("T")


class Tries:
    """The tries of all calls to one provider. Safe to share between threads.

    Args:
        provider: Its name, for messages.
        tempo: Time, for tests.
        advice: What its errors hint at.
    """

    def __init__(self, provider: str, tempo: Tempo, advice: Advice) -> None:
        self._provider = provider
        self._tempo = tempo
        self._advice = advice
        self._breaker = Breaker(tempo.elapsed)
        self._closed = threading.Event()

    @property
    def is_closed(self) -> bool:
        """Tell whether `close` was called."""
        return self._closed.is_set()

    def run(self, attempt: Callable[[float], T], patience: Patience) -> T:
        """Return what ``attempt`` returns, at the first try that succeeds.

        Args:
            attempt: Makes one; gets the moment on the scale of `Tempo.elapsed` when it must end.
            patience: The limits.

        Raises:
            ProviderError: what the last try raised; a refusal is never tried again.
        """
        ends = None if patience.total_s is None else self._tempo.elapsed() + patience.total_s
        tried = 0
        while True:
            self._await_breaker()
            tried += 1
            try:
                return self._try(attempt, self._attempt_ends(patience, ends))
            except ProviderRejected:
                raise
            except ProviderError as error:
                wait = self._next_wait(error, patience, tried)
                if wait is None or (ends is not None and self._tempo.elapsed() + wait >= ends):
                    raise
            self._pause(wait)

    def close(self) -> None:
        """End waits; no try begins any more."""
        self._closed.set()

    def _attempt_ends(self, patience: Patience, ends: float | None) -> float:
        own = self._tempo.elapsed() + patience.attempt_s
        return own if ends is None else min(own, ends)

    def _try(self, attempt: Callable[[float], T], ends: float) -> T:
        try:
            found = attempt(ends)
        except ProviderRejected:
            self._breaker.succeed()
            raise
        except ProviderError as error:
            # "Too many requests" is an answer of a provider that is well.
            if error.facts.get("limited"):
                self._breaker.succeed()
            else:
                self._breaker.fail()
            raise
        self._breaker.succeed()
        return found

    def _await_breaker(self) -> None:
        if self._closed.is_set():
            raise ProviderUnavailable(
                f"the client of {self._provider} is closed", hint="open the memory again"
            )
        wait = self._breaker.wait_s()
        if wait > 0:
            raise ProviderUnavailable(
                f"{self._provider} failed several times in a row and is left alone for a while",
                hint=f"it is tried again later; {self._advice.meanwhile}",
                retry_after_s=wait,
            )

    def _next_wait(self, error: ProviderError, patience: Patience, tried: int) -> float | None:
        """Return how long to wait for the next try; None if there is none."""
        limited = bool(error.facts.get("limited"))
        if isinstance(error, QuotaExhausted) or self._breaker.is_open:
            return None
        if not patience.allows(tried, limited=limited):
            return None
        wait = patience.wait_s(tried, limited=limited, spread=self._tempo.spread())
        asked = error.facts.get("retry_after_s")
        if not isinstance(asked, float):
            return wait
        # Earlier than asked is useless, and longer than the cap is for a later call.
        return None if asked > patience.limited_cap_s else max(asked, wait)

    def _pause(self, wait: float) -> None:
        if self._tempo.pause is not None:
            self._tempo.pause(wait)
        else:
            self._closed.wait(wait)
