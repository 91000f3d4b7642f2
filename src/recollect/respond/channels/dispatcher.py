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
from recollect.respond.channels.port import Address, Channel, OnEvent, Taken
from recollect.respond.channels.rate import RateLimit
from recollect.respond.channels.senders import Senders
from recollect.respond.channels.sending import Sending
from recollect.respond.inbound import Inbound
from recollect.respond.reply import ReplyEvent

SENDERS = 4
"""Answers of a channel that are sent at the same time; those of one conversation in order."""
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
        answer = _Answer(
            on_event,
            lambda: self._typing(waiting.address),
            lambda work: self._lanes.put(waiting.key, work),
            is_piecewise=self._channel.is_piecewise,
        )
        self._responder().submit(inbound, answer.on_event)
        if answer.is_silent:
            return False
        if inbound.edits is not None:  # its message never came: it is stored as that
            waiting = msgspec.structs.replace(waiting, event_id=inbound.edits)
        # Only now: a row says that the message is stored.
        self._deliveries.add(waiting)
        answer.send_by(Sending(self._channel, self._deliveries, waiting, self._stopping))
        return True

    def _limit(self, who: str, key: str, address: Address) -> None:
        """Say once that a message was left out."""
        if who not in self._limited:
            self._limited.add(who)
            self._lanes.put(key, lambda: self._channel.send(address, TOO_MANY))

    def _typing(self, address: Address) -> None:
        self._lanes.put(None, lambda: self._channel.typing(address))


class _Answer:
    """What is heard of the answer to one message.

    A command is answered before its row is there; what is to be sent waits for that.
    """

    def __init__(
        self,
        also: OnEvent | None,
        typing: Callable[[], None],
        put: Callable[[Callable[[], None]], None],
        *,
        is_piecewise: bool,
    ) -> None:
        self._also = also
        self._typing = typing
        self._put = put
        self._is_piecewise = is_piecewise
        self._lock = threading.Lock()
        self._early: list[ReplyEvent] = []
        self._sending: Sending | None = None
        self._typed_at = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether the reply is there, and has nothing to be sent."""
        replies = [each.reply for each in self._early if each.reply is not None]
        return bool(replies) and not replies[-1].text.strip()

    def on_event(self, event: ReplyEvent) -> None:
        """Pass on what happens; called from any thread of the responder, and does not block."""
        if self._also is not None:
            self._also(event)
        if event.kind in {"typing", "piece"}:
            now = time.monotonic()
            if now - self._typed_at >= TYPING_EVERY_S:
                self._typed_at = now
                self._typing()
            return
        with self._lock:
            if self._sending is None:
                self._early.append(event)
            else:
                self._send(event, self._sending)

    def send_by(self, sending: Sending) -> None:
        """Send what was said, and what will be."""
        with self._lock:
            self._sending = sending
            for event in self._early:
                self._send(event, sending)

    def _send(self, event: ReplyEvent, sending: Sending) -> None:
        reply = event.reply
        if reply is None:
            if self._is_piecewise:
                self._put(lambda: sending.add(event.text))
        elif reply.code != StoreClosed.code:  # else it is answered, and sent, after the next start
            self._put(lambda: sending.end(reply.text))


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
