"""Streams of events: read from any position, waited for, or passed to callbacks.

The journal is the queue: a reader that was away goes on where it was, and events of other processes
arrive like those of this one. Writers never wait for a reader.
"""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from recollect.core.checks import checked
from recollect.core.errors import Conflict, InvalidInput, RecollectError, StoreClosed
from recollect.core.events import AnyEvent, check_types
from recollect.core.scope import Scope
from recollect.core.worker import WaitingIterator, Worker
from recollect.store.engine import Database, Transaction
from recollect.store.journal import (
    EventFilter,
    RecordedEvent,
    events_since,
    last_event,
    latest_events,
    record_event,
)
from recollect.store.meta import EPOCH, find_value, new_epoch, set_value

OnEvent = Callable[[RecordedEvent], object]
"""Called with each event, in commit order; its return value is ignored."""

_PLACE = re.compile(r"([0-9]{1,30})(?:-([0-9a-f]{8}))?")
_PAGE = 500
"""Events read at once."""
_SHORTEST_S = 0.05
_LONGEST_S = 1.0
"""The bounds of the pause between two checks for events of other processes: a check costs some
microseconds, and the pause doubles from the first bound to the second. Our own commits end it at
once."""
_CLOSE_S = 10.0
"""How long closing waits for a callback that does not return."""


class EventsState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the callbacks.

    Attributes:
        subscribers: How many there are.
        behind: Events that the slowest of them has not seen yet.
        failures: Calls that raised, of all of them.
        last_error: The class of the last such error, None without any.
    """

    subscribers: int = 0
    behind: int = 0
    failures: int = 0
    last_error: str | None = None


class Journalled(Database, Protocol):
    """A database that reports its commits."""

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after each commit, on the writer's thread."""


class _Bells:
    """Wakes waiting readers. Knows no database, so that a database may hold it."""

    def __init__(self) -> None:
        self._bells: dict[EventReader, Callable[[], None]] = {}
        self._changing = threading.Lock()

    def add(self, reader: EventReader, bell: Callable[[], None]) -> None:
        with self._changing:
            self._bells = {**self._bells, reader: bell}

    def remove(self, reader: EventReader) -> None:
        with self._changing:
            self._bells = {r: bell for r, bell in self._bells.items() if r is not reader}

    def ring(self) -> None:
        for bell in self._bells.values():
            bell()


class EventReader:
    """Reads from a position on. A caller that gave it a bell must close it.

    Made by `EventStream.reader`.
    """

    def __init__(
        self,
        records: Database,
        seq: int,
        event_filter: EventFilter,
        closed: Callable[[EventReader], None] = lambda _: None,
    ) -> None:
        self._closed = closed
        self._records = records
        self._event_filter = event_filter
        self._pause_s = _SHORTEST_S
        self.seq: int = seq
        """All events up to this one were seen."""

    def close(self) -> None:
        """Stop ringing its bell; a second call does nothing."""
        self._closed(self)

    def read(self) -> list[RecordedEvent]:
        """Return the next events; unwanted ones are skipped."""
        events, head = self._records.read(self._page)
        if events:
            self._pause_s = _SHORTEST_S
        else:
            self.seq = max(self.seq, head)
        return events

    def pause_s(self) -> float:
        """Return the pause before the next check when there were no events."""
        pause_s, self._pause_s = self._pause_s, min(_LONGEST_S, self._pause_s * 2)
        return pause_s

    def _page(self, tx: Transaction) -> tuple[list[RecordedEvent], int]:
        return events_since(tx, self.seq, _PAGE, self._event_filter), last_event(tx)


class Subscription:
    """A callback that is called with each event. A context manager.

    Made by `EventStream.subscribe`. The calls come one after the other, on a thread of their own.

    Attributes:
        failures: Calls that raised. The event counts as handed over; the next one follows.
        last_error: The class of the last such error, or the `code` of an error of the database.
    """

    def __init__(self, reader: EventReader, callback: OnEvent, ended: Callable[[], None]) -> None:
        self._reader = reader
        self._callback = callback
        self._ended = ended
        self._cancelled = threading.Event()
        self._worker = Worker("recollect-events", self._step, at_end=self._finish)
        self.failures: int = 0
        self.last_error: str | None = None

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def seq(self) -> int:
        """All events up to this one were handed over, or unwanted."""
        return self._reader.seq

    def close(self) -> None:
        """Stop; after this the callback is not called again. A second call does nothing.

        It may be called from the callback.
        """
        self._cancelled.set()
        self._worker.stop(_CLOSE_S)

    def finish(self) -> None:
        """Hand over everything committed before this call, then stop."""
        self._worker.stop(_CLOSE_S)

    def wake(self) -> None:
        """Check for events now."""
        self._worker.wake()

    def _step(self) -> float:
        """Hand over the available events; return when to check again."""
        try:
            events = self._reader.read()
        except StoreClosed:
            self.close()
            return 0.0
        except RecollectError as error:
            self.last_error = error.code
            events = []
        for event in events:
            if not self._cancelled.is_set():
                self._hand_over(event)
        return 0.0 if events else self._reader.pause_s()

    def _finish(self) -> None:
        while not self._cancelled.is_set() and not self._step():
            pass
        self._ended()

    def _hand_over(self, event: RecordedEvent) -> None:
        try:
            self._callback(event)
        except BaseException as error:  # noqa: BLE001  # status tells it; the next event must come
            self.failures += 1
            self.last_error = type(error).__name__
        self._reader.seq = event.seq


@checked
class EventStream:
    """What recollect did, in commit order; `memory.events` is one of these objects.

    Args:
        records: ``records.db``.
        scope: Only events that belong to it are seen.
    """

    def __init__(self, records: Journalled, scope: Scope) -> None:
        self._records = records
        self._scope = scope
        self._bells = _Bells()
        self._subscriptions: dict[int, Subscription] = {}
        self._changing = threading.Lock()
        self._closing = threading.Event()
        self._failures = 0
        self._last_error: str | None = None
        records.listen(self._bells.ring)

    def within(self, scope: Scope) -> EventStream:
        """Return the same events as another scope sees them; closed with this stream."""
        stream = copy.copy(self)
        vars(stream).update(_scope=scope)
        return stream

    def since(
        self,
        seq: int | str = 0,
        *,
        types: Sequence[str] | None = None,
        session_id: str | None = None,
    ) -> Iterator[RecordedEvent]:
        """Yield every event after ``seq``, oldest first, until there is none left.

        Args:
            seq: The sequence number of the last one known, or a `cursor`; 0 for all.
            types: Only these types, such as ``session.created``.
            session_id: Only those of this session.

        Raises:
            InvalidInput: a type is unknown, or the position is invalid.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        event_filter = self._filter(types, session_id)
        begin = self.seq_of(seq)
        return iter(()) if event_filter is None else self._since(begin, event_filter)

    def latest(
        self, limit: int, *, types: Sequence[str] | None = None, session_id: str | None = None
    ) -> list[RecordedEvent]:
        """Return the newest events, up to ``limit``, oldest first.

        Raises:
            InvalidInput: a type is unknown, or the limit is below 0.
            StoreError: the database cannot be read.
        """
        if limit < 0:
            raise InvalidInput("the limit must be 0 or more", hint="use a number from 0")
        event_filter = self._filter(types, session_id)
        if event_filter is None:
            return []
        return self._records.read(lambda tx: latest_events(tx, limit, event_filter))

    def follow(
        self,
        seq: int | str | None = None,
        *,
        types: Sequence[str] | None = None,
        session_id: str | None = None,
    ) -> Iterator[RecordedEvent]:
        """Yield events as they come, those of other processes too, until the memory is closed.

        Args:
            seq: As in `since`; only new events if not given.
            types: Only these types.
            session_id: Only those of this session.

        Raises:
            InvalidInput: a type is unknown, or the position is invalid.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        event_filter = self._filter(types, session_id)
        begin = self.seq_of(seq)
        if event_filter is None:
            return iter(())
        bell, over = threading.Event(), threading.Event()

        def end() -> None:
            over.set()
            bell.set()

        return WaitingIterator(
            self._follow(EventReader(self._records, begin, event_filter), bell, over), end
        )

    def reader(
        self,
        seq: int | str | None = None,
        *,
        types: Sequence[str] | None = None,
        bell: Callable[[], None],
    ) -> EventReader:
        """Return a reader to use by hand, page by page: its ``seq`` moves when the caller moves it.

        Args:
            seq: As in `since`; only new events if not given.
            types: Only these types.
            bell: Called after each commit of this process, on the thread that writes, until the
                reader is closed. Events of other processes are found by reading again after
                ``pause_s()``.

        Raises:
            InvalidInput: a type is unknown, or the position is invalid.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        event_filter = self._filter(types, None) or EventFilter(types=())
        begin = self.seq_of(seq)
        reader = EventReader(self._records, begin, event_filter, self._bells.remove)
        self._bells.add(reader, bell)
        return reader

    def last_seq(self) -> int:
        """Return the sequence number of the newest event of the home, seen or not.

        Raises:
            StoreError: the database cannot be read.
        """
        return self._records.read(last_event)

    def cursor(self, seq: int | None = None) -> str:
        """Return a cursor in the journal, to begin after it later.

        Unlike a bare number it is refused after a restore, however far the journal came since.

        Args:
            seq: The sequence number of an event; that of the newest one if not given.

        Raises:
            StoreError: the database cannot be read.
        """
        newest, epoch = self._records.read(_head)
        return "-".join(filter(None, (str(newest if seq is None else seq), epoch)))

    def seq_of(self, place: int | str | None) -> int:
        """Return the sequence number of a journal position: of the newest event if not given.

        Args:
            place: A sequence number, or a `cursor`.

        Raises:
            InvalidInput: it is neither.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        newest, epoch = self._records.read(_head)
        if place is None:
            return newest
        parts = None if isinstance(place, bool) else _PLACE.fullmatch(str(place))
        if parts is None:
            hint = "use the seq of an event or a cursor"
            raise InvalidInput("seq must be a whole number from 0 or a cursor", hint=hint)
        seq = int(parts[1])
        if seq <= newest and parts[2] in {None, epoch}:
            return seq
        what = f"the newest event is {newest}, and {seq} was asked for"
        raise Conflict(
            what if seq > newest else f"event {seq} was of a journal that was replaced since",
            hint="begin again from 0 or from the newest: an older backup was restored",
            newest=newest,
            seq=seq,
        )

    def subscribe(
        self,
        callback: OnEvent,
        types: Sequence[str] | None = None,
        *,
        session_id: str | None = None,
        after: int | str | None = None,
    ) -> Subscription:
        """Call ``callback`` with each event from now on, those of other processes too.

        The calls come in commit order, on a thread of their own; no writer and no other callback
        waits for them. One that raises is counted, and the next event follows. Closing the memory
        hands over everything committed before.

        Args:
            callback: Gets a `RecordedEvent`.
            types: Only these types.
            session_id: Only those of this session.
            after: Begin after this sequence number or `cursor` instead of now.

        Returns:
            What stops it: ``close()``, or the end of a ``with`` block.

        Raises:
            InvalidInput: a type is unknown, or the position is invalid.
            Conflict: the journal ends before it, or is another one.
            StoreClosed: the memory is closed.
            StoreError: the database cannot be read.
        """
        event_filter = self._filter(types, session_id) or EventFilter(types=())
        begin = self.seq_of(after)
        reader = EventReader(self._records, begin, event_filter)
        with self._changing:
            if self._closing.is_set():
                raise StoreClosed("the memory is closed", hint="open it again")
            subscription = Subscription(reader, callback, lambda: self._forget(reader))
            self._bells.add(reader, subscription.wake)
            self._subscriptions[id(reader)] = subscription
        subscription.wake()
        return subscription

    def state(self) -> EventsState:
        """Return the state of the callbacks."""
        with self._changing:
            present = list(self._subscriptions.values())
        errors = [each.last_error for each in present if each.last_error]
        head = self.last_seq() if present else 0
        return EventsState(
            subscribers=len(present),
            behind=max((head - each.seq for each in present), default=0),
            failures=self._failures + sum(each.failures for each in present),
            last_error=errors[-1] if errors else self._last_error,
        )

    def close(self) -> None:
        """Hand over everything committed before, then stop; a second call does nothing."""
        with self._changing:
            self._closing.set()
            present = list(self._subscriptions.values())
        self._bells.ring()
        for subscription in present:
            subscription.finish()

    def _since(self, seq: int, event_filter: EventFilter) -> Iterator[RecordedEvent]:
        reader = EventReader(self._records, seq, event_filter)
        while events := reader.read():
            yield from events
            reader.seq = events[-1].seq

    def _follow(
        self, reader: EventReader, bell: threading.Event, over: threading.Event
    ) -> Iterator[RecordedEvent]:
        self._bells.add(reader, bell.set)
        try:
            while True:
                bell.clear()
                if self._closing.is_set() or over.is_set():
                    return
                events = reader.read()
                for event in events:
                    yield event
                    reader.seq = event.seq
                if not events:
                    bell.wait(reader.pause_s())
        finally:
            self._bells.remove(reader)

    def _filter(self, types: Sequence[str] | None, session_id: str | None) -> EventFilter | None:
        """Return the filter of events; None where the scope forbids all of them."""
        names = None if types is None else check_types(types)
        visible: Scope | None = self._scope
        if session_id is not None:
            one = Scope(tenant=self._scope.tenant, session=session_id)
            visible = self._scope.narrowed(one)
        return None if visible is None else EventFilter(scope=visible, types=names)

    def _forget(self, reader: EventReader) -> None:
        """Drop a subscription that ended; what failed in it is still counted."""
        self._bells.remove(reader)
        with self._changing:
            ended = self._subscriptions.pop(id(reader))
            self._failures += ended.failures
            self._last_error = ended.last_error or self._last_error


def renew_journal(tx: Transaction, event: AnyEvent) -> None:
    """Write an event that starts another journal, in which no earlier position is valid."""
    set_value(tx, EPOCH, new_epoch())
    record_event(tx, event)


def _head(tx: Transaction) -> tuple[int, str | None]:
    return last_event(tx), find_value(tx, EPOCH)
