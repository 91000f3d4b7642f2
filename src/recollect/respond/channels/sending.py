"""Sending: one answer on its way to a channel, in the blocks in which it comes."""

from __future__ import annotations

import threading

from recollect.respond.channels.deliveries import Deliveries, DeliveryState, PendingDelivery
from recollect.respond.channels.port import Channel, SendRejected, SendUnknown

TRIES = 6
LONGEST_WAIT_S = 300.0
"""A channel that wants a longer pause than this gets no more tries."""


class Sending:
    """Sends one answer. One thread at a time may use it.

    Args:
        channel: Where to.
        deliveries: What becomes of the answers.
        waiting: The message that is answered.
        stopping: Set when nothing more is to be tried.
    """

    def __init__(
        self,
        channel: Channel,
        deliveries: Deliveries,
        waiting: PendingDelivery,
        stopping: threading.Event,
    ) -> None:
        self._channel = channel
        self._deliveries = deliveries
        self._waiting = waiting
        self._stopping = stopping
        self._id: int | None = None
        self._said = ""
        self._is_begun = self._is_over = False

    def add(self, block: str) -> None:
        """Send a block of the answer."""
        self._said += block
        self._send(block)

    def end(self, text: str) -> None:
        """Send what is left of the whole answer, or what is said instead of it."""
        said = self._said.strip()
        self._send(text.removeprefix(said))
        if self._id is not None and not self._is_over:
            self._deliveries.end(self._id, "sent")
        elif self._id is None and not self._is_over:
            self._deliveries.drop(self._waiting)

    def _send(self, text: str) -> None:
        """Send a text, part by part, unless one before could not be sent."""
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
