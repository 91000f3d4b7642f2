"""Takes the messages of a channel to the responder, and the answers back to it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import msgspec

from recollect.audience.session_key import parse_key
from recollect.core.errors import RecollectError, StoreClosed
from recollect.core.threads import ThreadPool
from recollect.respond.channels.deliveries import Deliveries, PendingDelivery
from recollect.respond.channels.port import (
    Address,
    Channel,
    OnEvent,
    SendRejected,
    SendUnknown,
    Taken,
)
from recollect.respond.channels.rate import RateLimit
from recollect.respond.channels.senders import Senders
from recollect.respond.inbound import Inbound
from recollect.respond.reply import Reply, ReplyEvent

SENDERS = 4
"""Answers of a channel that are sent at the same time; those of one conversation in order."""
TRIES = 6
LONGEST_WAIT_S = 300.0
"""A channel that wants a longer pause than this gets no more tries."""
TYPING_EVERY_S = 4.0
"""Telegram shows it for five seconds."""
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
        answer = _Answer(waiting, on_event, self._replied, self._typing)
        self._responder().submit(inbound, answer.on_event)
        if answer.is_silent:
            return False
        if inbound.edits is not None:  # its message never came: it is stored as that
            waiting = msgspec.structs.replace(waiting, event_id=inbound.edits)
        # Only now: a row says that the message is stored.
        self._deliveries.add(waiting)
        answer.note(waiting)
        return True

    def _limit(self, who: str, key: str, address: Address) -> None:
        """Say once that a message was left out."""
        if who not in self._limited:
            self._limited.add(who)
            self._lanes.put(key, lambda: self._channel.send(address, TOO_MANY))

    def _typing(self, address: Address) -> None:
        self._lanes.put(None, lambda: self._channel.typing(address))

    def _replied(self, waiting: PendingDelivery, reply: Reply) -> None:
        if reply.code == StoreClosed.code:  # it is answered, and sent, after the next start
            return
        self._lanes.put(waiting.key, lambda: self._deliver(waiting, reply.text))

    def _deliver(self, waiting: PendingDelivery, text: str) -> None:
        """Send an answer, part by part."""
        if not text.strip():
            self._deliveries.drop(waiting)
            return
        id_ = self._deliveries.begin(waiting)
        if id_ is None:  # its message came twice
            return
        left, tries, is_begun = deque(self._channel.parts(text)), 0, False
        while left:
            try:
                self._channel.send(waiting.address, left[0])
                left.popleft()
                is_begun, tries = True, 0
            except SendRejected as error:
                tries += 1
                if not self._may_retry(error, tries):
                    self._deliveries.end(id_, "failed", error.code)
                    return
                if not self._pause(error.retry_s or 0.0, id_, is_begun=is_begun):
                    return
            except SendUnknown:
                self._deliveries.end(id_, "unknown")
                return
            except Exception:
                self._deliveries.end(id_, "unknown", "unexpected")
                raise
        self._deliveries.end(id_, "sent")

    def _may_retry(self, error: SendRejected, tries: int) -> bool:
        return error.retry_s is not None and error.retry_s <= LONGEST_WAIT_S and tries < TRIES

    def _pause(self, seconds: float, id_: int, *, is_begun: bool) -> bool:
        """Wait before another try; return False when it is to stop.

        Nothing of an answer that is not begun was sent: after a kill meanwhile it is sent.
        """
        if not is_begun:
            self._deliveries.end(id_, "received")
        if self._stopping.wait(seconds):
            return False
        if not is_begun:
            self._deliveries.end(id_, "sending")
        return True


class _Answer:
    """What is heard of the answer to one message.

    A command is answered before its row is there; the reply waits for that.
    """

    def __init__(
        self,
        waiting: PendingDelivery,
        also: OnEvent | None,
        replied: Callable[[PendingDelivery, Reply], None],
        typing: Callable[[Address], None],
    ) -> None:
        self._waiting = waiting
        self._also = also
        self._replied = replied
        self._typing = typing
        self._lock = threading.Lock()
        self._is_noted = False
        self._reply: Reply | None = None
        self._typed_at = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether the reply is there, and has nothing to be sent."""
        return self._reply is not None and not self._reply.text.strip()

    def on_event(self, event: ReplyEvent) -> None:
        """Pass on what happens; called from any thread of the responder, and does not block."""
        if self._also is not None:
            self._also(event)
        if event.kind in {"typing", "piece"}:
            now = time.monotonic()
            if now - self._typed_at >= TYPING_EVERY_S:
                self._typed_at = now
                self._typing(self._waiting.address)
        elif event.reply is not None:
            with self._lock:
                self._reply, is_noted = event.reply, self._is_noted
            if is_noted:
                self._replied(self._waiting, event.reply)

    def note(self, waiting: PendingDelivery) -> None:
        """Take note of the row of the message."""
        with self._lock:
            self._waiting, self._is_noted, reply = waiting, True, self._reply
        if reply is not None:
            self._replied(waiting, reply)


class Lanes:
    """Runs work of one key in order, of several keys at the same time. Threads may share it.

    Args:
        name: Of the threads.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPool(name, SENDERS)
        self._lock = threading.Lock()
        self._lanes: dict[str, deque[Callable[[], object]]] = {}
        self.close = self._pool.close

    def put(self, key: str | None, work: Callable[[], object]) -> None:
        """Run work after what was put with the same key; None: as soon as a thread is free."""
        if key is not None:
            with self._lock:
                lane = self._lanes.setdefault(key, deque())
                lane.append(work)
                if len(lane) > 1:
                    return
        # After a stop nothing is sent; what was answered meanwhile is sent after the next start.
        with suppress(StoreClosed):
            self._pool.put(lambda: self._run(key, work), lambda _: self._run_next(key))

    def _run(self, key: str | None, work: Callable[[], object]) -> None:
        try:
            work()
        except RecollectError as error:
            _log.warning("an answer was not sent: %s", error.code)
        except Exception as error:  # noqa: BLE001  # of a channel; its text may hold a secret
            _log.error("a channel failed with %s", type(error).__name__)
        self._run_next(key)

    def _run_next(self, key: str | None) -> None:
        if key is None:
            return
        with self._lock:
            lane = self._lanes[key]
            lane.popleft()
            if not lane:
                del self._lanes[key]
                return
            work = lane[0]
        with suppress(StoreClosed):
            self._pool.put(lambda: self._run(key, work), lambda _: self._run_next(key))
