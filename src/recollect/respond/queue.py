"""The queue of conversations: each is answered one at a time, a few at once, none overtakes.

It only says who is next in this process. What is to be answered is in the inbox, and the turn of
the session keeps other processes out; so nothing is lost with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

from recollect.core.errors import StoreClosed
from recollect.core.threads import RestartableThread

Work = Callable[[], object]
"""Answers what waits in a conversation; must not raise."""


class ConversationQueue:
    """Runs the work of conversations.

    Of one conversation at a time; of at most ``most`` at once; the others in the order in which
    they came, each once before any a second time. What is put for a conversation that waits
    replaces its work and keeps its place. Threads end when nothing waits.

    Args:
        most: Conversations at once.
        monotonic: Seconds of a clock that only goes on.
    """

    def __init__(self, most: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._monotonic = monotonic
        self._changed = threading.Condition()
        self._waiting: dict[Hashable, tuple[float, Work]] = {}
        """From when on each has its run, by the clock, and what is run."""
        self._running: dict[Hashable, RestartableThread] = {}
        self._threads: list[RestartableThread] = []
        self._is_closed = False

    def put(
        self, conversation: Hashable, work: Work, delay_s: float = 0.0, *, is_new: bool = True
    ) -> None:
        """Let ``work`` run after a delay, which begins again with each message.

        Args:
            conversation: Whose work it is.
            work: Must not raise.
            delay_s: From now on.
            is_new: Whether something came in; False leaves what waits already as it is.

        Raises:
            StoreClosed: the queue is closed.
            StoreError: no thread can be started.
        """
        with self._changed:
            if self._is_closed:
                raise StoreClosed("the memory is closed", hint="open it again")
            if conversation in self._waiting and not is_new:
                return
            self._waiting[conversation] = self._monotonic() + delay_s, work
            self._man()
            self._changed.notify_all()

    def count(self) -> int:
        """Return the number of conversations that wait or are answered."""
        with self._changed:
            return len(self._running.keys() | self._waiting.keys())

    def look(self) -> None:
        """Replace threads that died, and look at the clock again; called by those who wait."""
        with self._changed:
            self._man()
            self._changed.notify_all()

    def close(self) -> None:
        """Let nothing begin any more, and wait for what runs."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            if thread.can_be_joined:
                thread.await_end()

    def _man(self) -> None:
        """Start a thread where one is missing; what a dead one ran is free again."""
        self._running = {
            conversation: thread
            for conversation, thread in self._running.items()
            if not thread.has_died
        }
        self._threads = [each for each in self._threads if each.is_alive]
        if len(self._threads) < min(self._most, len(self._waiting.keys() | self._running.keys())):
            thread = RestartableThread("recollect-respond", lambda: self._serve(thread))
            thread.start()
            self._threads.append(thread)

    def _serve(self, thread: RestartableThread) -> None:
        while (run := self._take(thread)) is not None:
            conversation, work = run
            try:
                work()
            finally:
                with self._changed:
                    self._running.pop(conversation, None)
                    self._changed.notify_all()

    def _take(self, thread: RestartableThread) -> tuple[Hashable, Work] | None:
        """Return the next conversation and its work, once it is due; None if none waits."""
        with self._changed:
            while self._waiting:
                now = self._monotonic()
                free = {c: w for c, w in self._waiting.items() if c not in self._running}
                for conversation, (due, work) in free.items():
                    if due <= now:
                        del self._waiting[conversation]
                        self._running[conversation] = thread
                        return conversation, work
                self._changed.wait(min((due - now for due, _ in free.values()), default=None))
            self._threads = [each for each in self._threads if each is not thread]
            return None
