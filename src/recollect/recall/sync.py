"""Scheduling of syncs while a program runs: what requests one, when it is due, who does it.

One sync at a time: requests during one cause exactly one more. A sync on request replaces the one
in the background. The work belongs to the process that holds the lock of the home; the others keep
their requests until they hold it. A waiting worker is given the lock between two pieces of work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal, TypeAlias, TypeVar

import msgspec

from recollect.core.clock import Clock
from recollect.core.worker import RETRY_S, Worker, backoff_s, error_code
from recollect.index.model.locks import SyncLock
from recollect.index.model.sync_report import NOBODY_WATCHES, Watch

Reason: TypeAlias = Literal[
    "damage", "interval", "manual", "message", "retry", "search", "session-start", "start",
    "transcript", "watch",
]  # fmt: skip
"""The cause of a sync."""

MOST_RESTS = 4
"""Further changes extend a debounce up to so many times its length: a file that is written all the
time is still read."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """The time of the first request, and when it is due."""

    since: float
    due: float


class Schedule:
    """Gathers requests, so that one sync serves all of them.

    Args:
        interval_s: A sync every so often; 0 for none.
        now: The time.
    """

    def __init__(self, interval_s: float, now: float) -> None:
        self._asks: dict[Reason, Ask] = {}
        self._interval_s = interval_s
        self._next_interval = now + interval_s if interval_s else None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is requested."""
        return not self._asks

    def ask(
        self, reason: Reason, now: float, rest_s: float = 0.0, most_rests: int = MOST_RESTS
    ) -> bool:
        """Request a sync once ``rest_s`` seconds passed without a request for the same reason.

        Args:
            reason: The cause.
            now: The time.
            rest_s: How long to wait for more of the same.
            most_rests: After so many times ``rest_s`` since the first it is due in any case.

        Returns:
            Whether a sync is now due sooner.
        """
        request = self._asks.get(reason)
        if request is not None and request.due <= now:
            return False
        since = request.since if request else now
        due = min(now + rest_s, since + most_rests * rest_s)
        self._asks[reason] = Ask(since=since, due=due)
        return request is None or due < request.due

    def due_at(self) -> float | None:
        """Return when the next sync is due; None when none is requested."""
        every = [ask.due for ask in self._asks.values()]
        if self._next_interval is not None:
            every.append(self._next_interval)
        return min(every, default=None)

    def take(self, now: float) -> tuple[Reason, ...]:
        """Return the reasons that are due, and forget them."""
        if self._next_interval is not None and now >= self._next_interval:
            self._next_interval = now + self._interval_s
            self.ask("interval", now)
        due = tuple(reason for reason, ask in self._asks.items() if ask.due <= now)
        for reason in due:
            del self._asks[reason]
        return due

    def clear(self) -> None:
        """Forget all requests: they are served."""
        self._asks.clear()


GATHER_S = 0.2
"""How long messages gather before they are indexed together, counted from the first of them. A
search does not wait for it; longer would leave more for the search to index."""
LOOK_S = 5.0
"""How often to check whether another process stored something, or released the lock."""
HANDOVER_S = 1.0
"""How often a holder checks whether a worker waits: 20 us of CPU each, and a starting worker waits
at most so long plus a piece of work."""
WAITING_S = 0.1
"""How often a worker tries to get the lock while another process finishes a piece of work."""
_ASKED_S = 0.2
"""How often running work checks whether a worker waits."""

T = TypeVar("T")


class Last(msgspec.Struct, frozen=True, kw_only=True):
    """The last sync: when it ended (ms UTC), what started it, and the `code` of its failure."""

    at: int | None = None
    reason: Reason | None = None
    error: str | None = None


class Duties(msgspec.Struct, frozen=True, kw_only=True):
    """The callbacks of the background.

    Attributes:
        work: Called with the cause and the watch to work under; may raise anything.
        is_owner: Whether the work of this home is ours; called before each work.
        is_behind: Whether something was stored without a request here; called every `LOOK_S`.
        is_wanted: Whether a process with precedence waits for the work; None for never.
        let_go: Hands the work over to it.
        retry_s: How long to wait where the work is not ours.
        begin: Called once, when the work is ours for the first time.
        ended: Called after each work, and after each failure.
    """

    work: Callable[[tuple[Reason, ...], Watch], object]
    is_owner: Callable[[], bool] = lambda: True
    is_behind: Callable[[], bool] = lambda: False
    is_wanted: Callable[[], bool] | None = None
    let_go: Callable[[], None] = lambda: None
    retry_s: float = LOOK_S
    begin: Callable[[], None] = lambda: None
    ended: Callable[[Last], None] = lambda _: None


class BackgroundSync:
    """Syncs on a thread of its own, which starts with the first request.

    Args:
        duties: The callbacks.
        clock: Gives the time of a sync.
        lock: Held by whoever syncs.
        interval_s: A sync every so often once the thread runs; 0 for none.
        now: Seconds of a monotonic clock.
    """

    def __init__(
        self,
        duties: Duties,
        clock: Clock,
        lock: SyncLock,
        *,
        interval_s: float = 0.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._duties = duties
        self._clock = clock
        self._lock = lock
        self._now = now
        self._scheduling = threading.Lock()
        self._schedule = Schedule(interval_s, now())
        self._worker = Worker("recollect-sync", self._step, failed=self._failed)
        self._has_begun = False
        self._is_ours = False
        self._asked_at = 0.0
        self._look_at = 0.0
        """When to check next whether another process stored something."""
        self._failures = 0
        self._reason: Reason = "start"
        self._silent_until = 0.0
        self.last = Last()

    @property
    def is_dirty(self) -> bool:
        """Whether a sync is running or requested, or failed."""
        with self._scheduling:
            is_asked_for = not self._schedule.is_empty
        return is_asked_for or self._lock.is_taken or self.last.error is not None

    def ask(self, reason: Reason, rest_s: float = 0.0, most_rests: int = MOST_RESTS) -> None:
        """Request a sync, see `Schedule.ask`. Returns at once.

        For a while after a failure the request of a search is ignored: searches must not keep
        calling a provider that is down.
        """
        now = self._now()
        if reason == "search" and now < self._silent_until:
            return
        with self._scheduling:
            is_sooner = self._schedule.ask(reason, now, rest_s, most_rests)
        if is_sooner:  # otherwise it is awake in time
            self._worker.wake()

    def run(self, work: Callable[[], T]) -> T:
        """Run a sync on request, in the caller's thread, and return its result.

        One in the background stops early; this one serves its requests.
        """
        with self._lock.taken(NOBODY_WATCHES):
            with self._scheduling:
                self._schedule.clear()
            try:
                result = work()
            except BaseException as error:
                self._note("manual", error_code(error))
                raise
            self._note("manual", None)
            return result

    def look(self) -> None:
        """Start a new thread if the old one has died."""
        self._worker.look()

    def close(self) -> None:
        """Stop; unfinished work is left to the next process. A second call does nothing."""
        self._worker.stop()

    def _step(self) -> float:
        """Do what is due, or check other processes; return when to run again."""
        now = self._now()
        with self._scheduling:
            reasons = self._schedule.take(now)
        is_look_due = self._has_begun and now >= self._look_at
        if reasons or is_look_due:
            self._look_at = now + LOOK_S  # a sync indexes what others stored, too
        if is_look_due and not reasons:
            self._reason = "message"
            reasons = ("message",) if self._duties.is_behind() else ()
        if reasons:
            self._reason = reasons[0]
            self._serve(reasons)
        if self._is_ours and self._is_wanted():
            self._hand_over()
        return self._rest_s()

    def _is_wanted(self) -> bool:
        return self._duties.is_wanted is not None and self._duties.is_wanted()

    def _hand_over(self) -> None:
        """Hand the work to the waiting process; it is requested again when that is gone."""
        self._is_ours = False
        self._duties.let_go()
        with self._scheduling:
            self._schedule.ask("start", self._now(), self._duties.retry_s)

    def _is_stopping(self) -> bool:
        """Whether running work should stop: the memory is closed, or a worker waits."""
        if self._worker.closing.is_set():
            return True
        now = self._now()
        if now < self._asked_at + _ASKED_S:
            return False
        self._asked_at = now
        return self._is_wanted()

    def _rest_s(self) -> float:
        with self._scheduling:
            due = self._schedule.due_at()
        now = self._now()
        look_s = max(0.0, self._look_at - now) if self._has_begun else LOOK_S
        if self._is_ours and self._duties.is_wanted is not None:
            look_s = min(look_s, HANDOVER_S)
        return look_s if due is None else min(look_s, max(0.0, due - now))

    def _serve(self, reasons: tuple[Reason, ...]) -> None:
        self._is_ours = self._duties.is_owner()
        if not self._is_ours:
            with self._scheduling:
                for reason in reasons:
                    self._schedule.ask(reason, self._now(), self._duties.retry_s)
            return
        if not self._has_begun:
            self._has_begun = True
            self._duties.begin()
        with self._lock.taken(Watch(stopping=self._is_stopping, mode="background")) as watch:
            if watch is not None:
                self._duties.work(reasons, watch)
                self._failures = 0
                self._note(reasons[0], None)
                self._duties.ended(self.last)

    def _failed(self, error: BaseException) -> float:
        self._failures += 1
        due_s = backoff_s(self._failures, RETRY_S)
        self._silent_until = self._now() + due_s
        with self._scheduling:
            self._schedule.ask("retry", self._now(), due_s)
        self._note(self._reason, error_code(error))
        self._duties.ended(self.last)
        return self._rest_s()

    def _note(self, reason: Reason, error: str | None) -> None:
        self.last = Last(at=self._clock.now_ms(), reason=reason, error=error)
