"""Takes the messages of a channel to the responder, and the answers back to it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import Protocol

import msgspec

from recollect.audience.session_key import parse_key
from recollect.core.errors import RecollectError, StoreClosed
from recollect.core.threads import ThreadPool
from recollect.respond.channels.deliveries import Deliveries, DeliveryState, PendingDelivery
from recollect.respond.channels.port import (
    Address,
    Channel,
    OnEvent,
    SendRejected,
    SendUnknown,
    Taken,
)
from recollect.respond.channels.senders import RateLimit, Senders
from recollect.respond.inbound import Inbound
from recollect.respond.reply import ReplyEvent

SENDERS = 4
"""Answers of a channel that are sent at the same time; those of one conversation in order."""
TYPING_EVERY_S = 4.0
"""Telegram shows it for five seconds."""
TRIES = 6
LONGEST_WAIT_S = 300.0
"""A channel that wants a longer pause than this gets no more tries."""
TOO_MANY = "Too many messages at once; this one was left out. Please wait a minute."

_log = logging.getLogger("recollect.channels")


class Answering(Protocol):
    """The part of the responder that is needed here."""

    def submit(self, inbound: Inbound, on_event: OnEvent) -> object:
        """Store a message, once for an id, and have it answered."""


class Dispatcher:
    """Takes messages of one channel in, and sends the answers. Threads may share it.

    Args:
        channel: The channel.
        responder: Returns what answers, as the settings are now.
        senders: Who may write.
        deliveries: What becomes of the answers.
        rate: How much a sender may write.
    """

    def __init__(
        self,
        channel: Channel,
        responder: Callable[[], Answering],
        senders: Senders,
        deliveries: Deliveries,
        rate: RateLimit,
    ) -> None:
        self._channel = channel
        self._responder = responder
        self._senders = senders
        self._deliveries = deliveries
        self._rate = rate
        self._limited: set[str] = set()
        self._stopping = threading.Event()
        self._lanes = Lanes(f"recollect-{channel.name}")

    def receive(self, inbound: Inbound, address: Address, on_event: OnEvent | None = None) -> Taken:
        """Take a message in; see `port.Receive`."""
        inbound = inbound.checked()
        status = self._senders.admit(parse_key(inbound.key), inbound.sender)
        if status != "allowed":
            return status
        waiting = PendingDelivery(inbound.key, inbound.event_id or "", address)
        if self._deliveries.has(waiting):
            return "repeated"
        who = inbound.sender or inbound.key
        if not self._rate.take(who):
            self._limit(who, inbound.key, address)
            return "limited"
        self._limited.discard(who)
        self._submit(inbound, waiting, on_event)
        return "taken"

    def recover(self) -> None:
        """Go on with what a kill or stop cut off: see `Deliveries.recover`."""
        for waiting in self._deliveries.recover():
            inbound = Inbound(key=waiting.key, event_id=waiting.event_id)
            if not self._submit(inbound, waiting, None):
                self._deliveries.drop(waiting)

    def close(self) -> None:
        """Stop: what is being sent is sent; what waits for another try is sent after a start."""
        self._stopping.set()
        self._lanes.close()

    def _submit(self, inbound: Inbound, waiting: PendingDelivery, on_event: OnEvent | None) -> bool:
        """Hand a message to the responder; return False if nothing will have to be sent."""
        if inbound.edits is not None:  # if its message never came, it is stored as that
            waiting = msgspec.structs.replace(waiting, event_id=inbound.edits)
        parts = (self._channel, self._deliveries, self._lanes, self._stopping)
        sending = Sending(*parts, waiting, also=on_event)
        with sending.noting:
            self._responder().submit(inbound, sending.on_event)
            if not sending.is_silent:
                self._deliveries.add(waiting)  # only now: a row says that the message is stored
                sending.is_noted = True
        return sending.is_noted

    def _limit(self, who: str, key: str, address: Address) -> None:
        """Say once that a message was left out."""
        if who not in self._limited:
            self._limited.add(who)
            self._lanes.put(key, lambda: self._channel.send(address, TOO_MANY))


class Sending:
    """The answer to one message, on its way to a channel in the blocks in which it comes.

    Args:
        channel: Where to.
        deliveries: What becomes of the answers.
        lanes: Sends the blocks in order.
        stopping: Set when nothing more is to be tried.
        waiting: The message that is answered.
        also: Gets each event too.

    Attributes:
        is_silent: Whether the reply is there, and has nothing to be sent.
        is_noted: Whether the message has its row.
        noting: Held until that is decided: it may be answered before, but nothing is sent.
    """

    def __init__(
        self,
        channel: Channel,
        deliveries: Deliveries,
        lanes: Lanes,
        stopping: threading.Event,
        waiting: PendingDelivery,
        *,
        also: OnEvent | None,
    ) -> None:
        self._channel = channel
        self._deliveries = deliveries
        self._lanes = lanes
        self._stopping = stopping
        self._waiting = waiting
        self._also = also
        self.is_silent = self.is_noted = False
        self.noting = threading.Lock()
        self._typed_at = 0.0
        self._id: int | None = None
        self._said = ""
        self._is_begun = self._is_over = False

    def on_event(self, event: ReplyEvent) -> None:
        """Send what is said; called from any thread of the responder, and does not block."""
        if self._also is not None:
            self._also(event)
        reply, now = event.reply, time.monotonic()
        if reply is not None:
            if reply.code != StoreClosed.code:  # else it is answered, and sent, after a start
                self.is_silent = not reply.text.strip()
                self._lanes.put(self._waiting.key, partial(self._end, reply.text))
        elif event.kind == "block":
            if self._channel.is_piecewise:
                self._lanes.put(self._waiting.key, partial(self._add, event.text))
        elif now - self._typed_at >= TYPING_EVERY_S:
            self._typed_at = now
            self._lanes.put(object(), lambda: self._channel.typing(self._waiting.address))

    def _add(self, block: str) -> None:
        self._said += block
        self._send(block)

    def _end(self, text: str) -> None:
        """Send what is left of the whole answer, or what is said instead of it."""
        self._send(text.removeprefix(self._said.strip()))
        if self._is_over:
            return
        if self._id is None:
            self._deliveries.drop(self._waiting)
        else:
            self._deliveries.end(self._id, "sent")

    def _send(self, text: str) -> None:
        """Send a text, part by part, unless one before could not be sent."""
        with self.noting:
            self._is_over |= not self.is_noted
        if self._is_over or not text.strip():
            return
        if self._id is None:
            self._id = self._deliveries.begin(self._waiting)
        if self._id is None:  # its message came twice
            self._is_over = True
            return
        for part in self._channel.parts(text):
            if not self._is_sent(part, self._id):
                self._is_over = True
                return

    def _is_sent(self, part: str, id_: int) -> bool:
        tries = 0
        while True:
            tries += 1
            try:
                self._channel.send(self._waiting.address, part)
            except SendRejected as error:
                if error.retry_s is None or error.retry_s > LONGEST_WAIT_S or tries == TRIES:
                    return self._give_up(id_, "failed", error.code)
                if not self._pause(error.retry_s, id_):
                    return False
            except SendUnknown:
                return self._give_up(id_, "unknown")
            except Exception:
                self._is_over = True
                self._give_up(id_, "unknown", "unexpected")
                raise
            else:
                self._is_begun = True
                return True

    def _give_up(self, id_: int, state: DeliveryState, code: str | None = None) -> bool:
        self._deliveries.end(id_, state, code)
        return False

    def _pause(self, seconds: float, id_: int) -> bool:
        """Wait before another try; return False when it is to stop.

        Nothing of an answer that is not begun was sent: after a kill meanwhile it is sent.
        """
        if not self._is_begun:
            self._deliveries.end(id_, "received")
        if self._stopping.wait(seconds):
            return False
        if not self._is_begun:
            self._deliveries.end(id_, "sending")
        return True


class Lanes:
    """Runs work of one key in order, of several keys at the same time. Threads may share it.

    Args:
        name: Of the threads.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPool(name, SENDERS)
        self._lock = threading.Lock()
        self._lanes: dict[Hashable, deque[Callable[[], object]]] = {}
        self.close = self._pool.close

    def put(self, key: Hashable, work: Callable[[], object]) -> None:
        """Run work after what was put with the same key."""
        with self._lock:
            lane = self._lanes.setdefault(key, deque())
            lane.append(work)
            is_first = len(lane) == 1
        if is_first:
            self._begin(key, work)

    def _begin(self, key: Hashable, work: Callable[[], object]) -> None:
        # After a stop nothing is sent; what was answered meanwhile is sent after the next start.
        with suppress(StoreClosed):
            self._pool.put(lambda: self._run(key, work), lambda _: self._begin_next(key))

    def _run(self, key: Hashable, work: Callable[[], object]) -> None:
        try:
            work()
        except RecollectError as error:
            _log.warning("an answer was not sent: %s", error.code)
        except Exception as error:  # noqa: BLE001  # of a channel; its text may hold a secret
            _log.error("a channel failed with %s", type(error).__name__)
        self._begin_next(key)

    def _begin_next(self, key: Hashable) -> None:
        with self._lock:
            lane = self._lanes[key]
            lane.popleft()
            if not lane:
                del self._lanes[key]
                return
            work = lane[0]
        self._begin(key, work)
