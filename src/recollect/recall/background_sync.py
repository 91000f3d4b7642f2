"""Keeps the index in step while a program runs: one thread that syncs when something asks for it.

One sync at a time: what asks during one causes exactly one more. A sync that a person calls stops
the one in the background and takes its place. The work belongs to the process that holds the owner
lock; the others keep what they ask for until it is theirs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.recall.background import GATHER_S
from recollect.recall.schedule import Reason, Schedule

LOOK_S = 5.0
"""How often to look whether another process stored something, or let go of the lock."""
RETRY_S = 30.0
"""After a failure the same is tried again after so long, then twice as long, up to an hour."""
LONGEST_RETRY_S = 3_600.0

T = TypeVar("T")
Stopping = Callable[[], bool]
Work = Callable[[tuple[Reason, ...], Stopping], object]


class Last(msgspec.Struct, frozen=True, kw_only=True):
    """The last sync: when it ended (ms UTC), what started it, and the `code` of its failure."""

    at: int | None = None
    reason: Reason | None = None
    error: str | None = None


class Duties(msgspec.Struct, frozen=True, kw_only=True):
    """What the background does and asks.

    Attributes:
        work: Called with what started it and a function that it asks often whether to end soon; may
            raise anything.
        is_owner: Whether the work of this home is ours; asked before each work.
        is_behind: Whether something was stored that nobody asked for here; asked every `LOOK_S`.
        begin: Called once, when the work is ours for the first time.
        ended: Called after each work, and after each failure.
    """

    work: Work
    is_owner: Callable[[], bool] = lambda: True
    is_behind: Callable[[], bool] = lambda: False
    begin: Callable[[], None] = lambda: None
    ended: Callable[[Last], None] = lambda _: None


class BackgroundSync:
    """Works on a thread of its own, which starts with the first that asks.

    Args:
        duties: What to do.
        clock: Tells when a sync ended.
        interval_s: A sync every so often once the thread runs; 0 for none.
        now: Seconds of a clock that only goes forward.
    """

    def __init__(
        self,
        duties: Duties,
        clock: Clock,
        *,
        interval_s: float = 0.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._duties = duties
        self._clock = clock
        self._now = now
        self._condition = threading.Condition()
        """Guards the schedule and the thread; notified when one of them changes."""
        self._schedule = Schedule(interval_s, now())
        self._turn = threading.Lock()
        """Held by whoever syncs."""
        self._given_way = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._has_begun = False
        self._failures = 0
        self._silent_until = 0.0
        self.last = Last()

    @property
    def closing(self) -> bool:
        """Whether the work should end soon."""
        return self._closing.is_set()

    @property
    def is_dirty(self) -> bool:
        """Whether a sync is under way, or asked for, or failed."""
        with self._condition:
            waits = not self._schedule.is_empty
        return waits or self._turn.locked() or self.last.error is not None

    def notify(self) -> None:
        """Tell that messages were stored. Returns at once."""
        self.ask("message", GATHER_S)

    def ask(self, reason: Reason, rest_s: float = 0.0) -> None:
        """Ask for a sync, see `Schedule.ask`. Returns at once.

        A search asks in vain for a while after a failure: it must not be what knocks at a provider
        that is down.
        """
        now = self._now()
        if reason == "search" and now < self._silent_until:
            return
        with self._condition:
            if self.closing:
                return
            self._schedule.ask(reason, now, rest_s)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="recollect-sync", daemon=True
                )
                self._thread.start()
            self._condition.notify()

    def run(self, work: Callable[[], T]) -> T:
        """Do a sync that a person called, in their thread, and return what it returns.

        One in the background gives way; what was asked for is served by this one.
        """
        self._given_way.set()
        with self._turn:
            self._given_way.clear()
            with self._condition:
                self._schedule.clear()
            return self._noted("manual", work)

    def close(self) -> None:
        """Stop; what is not done is done by the next process. A second call does nothing."""
        with self._condition:
            self._closing.set()
            self._condition.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while not self.closing:
            reasons = self._next()
            if reasons and not self.closing:
                self._serve(reasons)

    def _next(self) -> tuple[Reason, ...]:
        """Wait until something is due or it is time to look around; return what is due."""
        with self._condition:
            due = self._schedule.due_at()
            wait_s = LOOK_S if due is None else min(LOOK_S, max(0.0, due - self._now()))
            if wait_s and not self.closing:
                self._condition.wait(wait_s)
            reasons = self._schedule.take(self._now())
        if reasons or self.closing or not self._is_behind():
            return reasons
        return ("message",)

    def _is_behind(self) -> bool:
        try:
            return self._has_begun and self._duties.is_behind()
        except Exception as error:  # noqa: BLE001  # status tells it; the thread must live
            self.last = msgspec.structs.replace(self.last, error=_code(error))
            return False

    def _serve(self, reasons: tuple[Reason, ...]) -> None:
        try:
            is_ours = self._duties.is_owner()
            if is_ours and not self._has_begun:
                self._has_begun = True
                self._duties.begin()
        except Exception as error:  # noqa: BLE001  # status tells it; the thread must live
            self._fail(reasons[0], error)
            return
        if not is_ours:
            with self._condition:
                for reason in reasons:
                    self._schedule.ask(reason, self._now(), LOOK_S)
            return
        with self._turn:
            self._try(reasons)

    def _try(self, reasons: tuple[Reason, ...]) -> None:
        try:
            self._noted(reasons[0], lambda: self._duties.work(reasons, self._stopping))
        except Exception as error:  # noqa: BLE001  # without the thread nothing is indexed
            self._fail(reasons[0], error)
        else:
            self._failures = 0
        self._duties.ended(self.last)

    def _stopping(self) -> bool:
        return self.closing or self._given_way.is_set()

    def _noted(self, reason: Reason, work: Callable[[], T]) -> T:
        """Do a work and note how it ended."""
        try:
            done = work()
        except BaseException as error:
            self._note(reason, _code(error))
            raise
        self._note(reason, None)
        return done

    def _fail(self, reason: Reason, error: Exception) -> None:
        self._note(reason, _code(error))
        wait_s = min(LONGEST_RETRY_S, RETRY_S * 2**self._failures)
        self._failures += 1
        self._silent_until = self._now() + wait_s
        with self._condition:
            self._schedule.ask("retry", self._now(), wait_s)

    def _note(self, reason: Reason, error: str | None) -> None:
        self.last = Last(at=self._clock.now_ms(), reason=reason, error=error)


def _code(error: BaseException) -> str:
    return error.code if isinstance(error, RecollectError) else RecollectError.code
