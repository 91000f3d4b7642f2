"""Our threads, and how to wait for them: waiting for a dead one ends.

A thread can die before its first line, where memory is short or a tracer fails, and `Thread.start`
raises nothing. So every thread is started here, and each waiter checks every `LOOK_S` that it is
alive. A dead thread is replaced: the work it had taken fails, the rest goes to the next thread.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeVar

from recollect.core.errors import StoreClosed, StoreError

T = TypeVar("T")
Look = Callable[[], object]
"""Called by waiters every `LOOK_S`: replaces dead threads and ends waits for them."""

LOOK_S = 0.5
"""How often a waiter checks: a death is rare, and a check costs 0.2 us."""


class ThreadDied(StoreError):
    """The thread for the work died, or could not be started."""


class RestartableThread:
    """Runs ``work`` on a thread; a thread that died before the work returned can be restarted.

    Args:
        name: Of the thread.
        work: What it does.
        daemon: Whether the process may end before it.

    Attributes:
        thread: The one started last.
    """

    def __init__(self, name: str, work: Callable[[], object], *, daemon: bool = True) -> None:
        self._name = name
        self._work = work
        self._daemon = daemon
        self.thread: threading.Thread | None = None
        self._has_returned = False

    @property
    def is_alive(self) -> bool:
        """Whether it was started and has not ended."""
        return self.thread is not None and self.thread.is_alive()

    @property
    def is_current(self) -> bool:
        """Whether it is the calling thread."""
        return self.thread is threading.current_thread()

    @property
    def can_be_joined(self) -> bool:
        """Whether it is alive, and not the calling thread."""
        return self.is_alive and not self.is_current

    @property
    def has_died(self) -> bool:
        """Whether it was started and ended before its work returned."""
        thread = self.thread
        return thread is not None and not thread.is_alive() and not self._has_returned

    def start(self) -> None:
        """Start it, or restart it. The caller makes sure that it is not alive.

        Raises:
            StoreClosed: the process is ending.
            ThreadDied: no thread can be started.
        """
        thread = threading.Thread(target=self._run, name=self._name, daemon=self._daemon)
        try:
            thread.start()
        except RuntimeError as error:
            if "shutdown" in str(error) or not threading.main_thread().is_alive():
                hint = "write before the functions of atexit run"
                raise StoreClosed("the process is ending", hint=hint) from error
            hint = "free memory, or raise the limit of threads; then try again"
            raise ThreadDied("no thread can be started", hint=hint) from error
        except BaseException:
            self.thread = thread  # the caller was interrupted, but it runs
            raise
        self.thread = thread

    def await_end(self, timeout_s: float | None = None) -> bool:
        """Return whether it has ended, died, or never started, within the timeout."""
        if self.thread is not None and self.can_be_joined:
            self.thread.join(timeout_s)
        return not self.is_alive

    def _run(self) -> None:
        self._work()
        self._has_returned = True


class ThreadFuture(Future[T]):
    """The future of work on a thread of ours: waiting for it ends when the thread is dead.

    Args:
        look: Ends it if its thread has died.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look

    def result(self, timeout: float | None = None) -> T:
        """Return the result, as `concurrent.futures.Future.result` does.

        Raises:
            ThreadDied: the thread that should have set it died.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            remaining_s = LOOK_S if until is None else min(LOOK_S, until - time.monotonic())
            try:
                return super().result(max(0.0, remaining_s))
            except TimeoutError:
                if self.done() or remaining_s <= 0:  # a timeout of the work, or of the caller
                    raise
            self.look()

    def fail(self, error: BaseException) -> None:
        """End it with an error, unless it has ended."""
        with suppress(InvalidStateError):
            self.set_exception(error)


def run_into(future: Future[T], work: Callable[[], T]) -> None:
    """Run ``work`` and set its result or error in ``future``."""
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
        with suppress(InvalidStateError):
            future.set_exception(error)


def run_on_thread(name: str, work: Callable[[], T], *, daemon: bool = True) -> ThreadFuture[T]:
    """Return the future of ``work``, which runs on a thread of its own.

    Raises:
        StoreError: no thread can be started.
    """

    def look() -> None:
        if thread.has_died:
            future.fail(died())

    def run_work() -> None:
        future.set_running_or_notify_cancel()
        run_into(future, work)

    future: ThreadFuture[T] = ThreadFuture(look)
    thread = RestartableThread(name, run_work, daemon=daemon)
    thread.start()
    return future


def died(*, outcome: str = "unknown") -> ThreadDied:
    """Return the error of work whose thread died; ``"none"`` if none of it is stored."""
    hint = "try again" if outcome == "none" else "try again, with the same event id if it has one"
    return ThreadDied("the thread that worked on it died", hint=hint, outcome=outcome)


def await_event(event: threading.Event, look: Look) -> None:
    """Wait until ``event`` is set; ``look`` raises or sets it if no thread will."""
    while not event.wait(LOOK_S):
        look()


def next_of(items: SimpleQueue[T], look: Look) -> T:
    """Return the next item; ``look`` raises or puts one if no thread will."""
    while True:
        with suppress(Empty):
            return items.get(timeout=LOOK_S)
        look()


def completed(futures: Sequence[ThreadFuture[T]]) -> Iterator[ThreadFuture[T]]:
    """Yield futures as they end, in no order."""
    ended: SimpleQueue[Future[T]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(ended.put)
    pending = {id(future): future for future in futures}

    def look() -> None:
        for future in list(pending.values()):
            future.look()

    while pending:
        yield pending.pop(id(next_of(ended, look)))


class _Task(NamedTuple):
    run: Callable[[], object]
    lost: Callable[[ThreadDied], object]


class _Seat:
    """A thread of a pool, and what it works on."""

    def __init__(self, thread: RestartableThread) -> None:
        self.thread = thread
        self.task: _Task | None = None


class _Crew:
    """The threads of a pool. They reference this, not the pool: a dropped pool releases them."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._waiting: SimpleQueue[_Task | None] = SimpleQueue()
        self._seats: list[_Seat] = []
        self._open = 0
        self._changing = threading.RLock()  # a task of the pool may drop the last reference to it
        self._is_closed = False

    def put(self, task: _Task) -> None:
        with self._changing:
            if self._is_closed:
                raise StoreClosed("it is closed", hint="open it again")
            self._open += 1
            if self._open > len(self._seats) < self._most:
                self._add()
            self._waiting.put(task)

    def look(self) -> None:
        """Replace dead threads; fail what they had taken, and everything if none can be started."""
        with self._changing:
            dead = [seat for seat in self._seats if seat.thread.has_died]
            self._seats = [seat for seat in self._seats if seat not in dead]
            dead_tasks = [seat.task for seat in dead if seat.task is not None]
            self._open -= len(dead_tasks)
            if self._open > 0 and not self._seats:
                try:
                    self._start()
                except StoreError:
                    dead_tasks += self._give_up()
        for task in dead_tasks:
            task.lost(died())

    def dismiss(self) -> None:
        """Let the threads end after the work already put."""
        with self._changing:
            if not self._is_closed:
                self._is_closed = True
                for _ in self._seats:
                    self._waiting.put(None)

    def close(self) -> None:
        """Finish the work already put, then end the threads."""
        self.dismiss()
        self.look()
        while alive := [seat.thread for seat in self._seats if seat.thread.can_be_joined]:
            alive[0].await_end(LOOK_S)
            self.look()

    def _add(self) -> None:
        """Add a thread; if none can be started, the existing ones must suffice."""
        try:
            self._start()
        except StoreError:
            if not self._seats:
                self._open -= 1
                raise

    def _start(self) -> None:
        seat = _Seat(RestartableThread(self._name, lambda: self._serve(seat)))
        seat.thread.start()
        self._seats.append(seat)

    def _serve(self, seat: _Seat) -> None:
        while True:
            seat.task = self._waiting.get()
            if seat.task is None:
                return
            seat.task.run()
            seat.task = None
            with self._changing:
                self._open -= 1

    def _give_up(self) -> list[_Task]:
        tasks = []
        with suppress(Empty):
            while True:
                task = self._waiting.get_nowait()
                if task is not None:
                    tasks.append(task)
        self._open = 0
        return tasks


class ThreadPool:
    """Runs work on daemon threads, in the order in which it comes.

    Args:
        name: Of the threads.
        most: Threads at most; more work waits.
        finishes: Whether the process ends only after all work put before.
    """

    def __init__(self, name: str, most: int, *, finishes: bool = False) -> None:
        self._crew = _Crew(name, most)
        self.look: Look = self._crew.look
        self.close = self._crew.close
        """Finish the work already put, then end the threads; dropping the pool ends them, too."""
        if finishes:
            weakref.finalize(self, self._crew.close)
        else:
            weakref.finalize(self, self._crew.dismiss).atexit = False

    def put(self, run: Callable[[], object], on_death: Callable[[ThreadDied], object]) -> None:
        """Let a thread call ``run``, which must not raise; ``on_death`` if that thread died.

        Raises:
            StoreClosed: the pool is closed.
            StoreError: no thread can be started.
        """
        self._crew.put(_Task(run, on_death))

    def submit(self, work: Callable[[], T]) -> ThreadFuture[T]:
        """Return the future of ``work``; if cancelled before it starts, it never runs.

        Raises:
            StoreClosed: the pool is closed.
            StoreError: no thread can be started.
        """
        future: ThreadFuture[T] = ThreadFuture(self.look)
        self.put(partial(_run_unless_cancelled, future, work), future.fail)
        return future


def _run_unless_cancelled(future: ThreadFuture[T], work: Callable[[], T]) -> None:
    if future.set_running_or_notify_cancel():
        run_into(future, work)
