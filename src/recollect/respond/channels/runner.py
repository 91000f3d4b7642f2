"""Runs the channels of a home, each on a thread; one that fails is started again after a while."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from recollect.core.errors import RecollectError
from recollect.core.worker import Worker
from recollect.respond.channels.channels import ChannelAccess, ChannelStates, senders_of
from recollect.respond.channels.deliveries import ChannelCursor, Deliveries
from recollect.respond.channels.dispatcher import Answering, Dispatcher
from recollect.respond.channels.port import Channel, ChannelParts, create_channel
from recollect.respond.channels.senders import RateLimit, Senders

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 300.0
"""A channel that failed waits so long, and twice as long each time, until it is started again."""
STOP_S = 2.0
"""A stop waits so long for a channel: what it still holds was not acknowledged, and comes again."""

_log = logging.getLogger("recollect.channels")


class RunningChannel:
    """A channel on a thread of its own.

    Args:
        channel: The channel.
        dispatcher: Takes its messages in, and sends the answers.
        states: Keeps how it does.
    """

    def __init__(self, channel: Channel, dispatcher: Dispatcher, states: ChannelStates) -> None:
        self.channel = channel
        self._dispatcher = dispatcher
        self._states = states
        self._is_recovered = False
        self._pause_s = FIRST_PAUSE_S
        self._worker = Worker(f"recollect-{channel.name}", self._run, failed=self._failed)
        self.start, self.look = self._worker.wake, self._worker.look
        self.stop = self._worker.closing.set
        """Let it take in nothing more."""

    def close(self) -> None:
        """Stop it; what is being sent is sent."""
        self._worker.stop(STOP_S)
        self._dispatcher.close()
        self.channel.close()
        self._states.tell(self.channel.name, "stopped")

    def _run(self) -> float:
        """Run it until it ends, what a kill cut off first; return how long it pauses then."""
        began = time.monotonic()
        self._states.tell(self.channel.name, "running")
        try:
            if not self._is_recovered:
                self._dispatcher.recover()
                self._is_recovered = True
            self.channel.run(self._dispatcher.receive, self._worker.closing.wait)
        finally:
            if time.monotonic() - began > LONGEST_PAUSE_S:
                self._pause_s = FIRST_PAUSE_S
        return self._pause()

    def _failed(self, error: BaseException) -> float:
        name = self.channel.name
        if isinstance(error, RecollectError):
            _log.warning("the channel %s failed: %s", name, error.message)
        else:  # of a package; its text may hold a secret
            kind = type(error).__name__
            _log.error("the channel %s failed with %s", name, kind)
            error = RecollectError(f"the channel failed with {kind}", hint="ask its maker")
        self._states.tell(name, "failed", error)
        return self._pause()

    def _pause(self) -> float:
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, LONGEST_PAUSE_S)
        return pause_s


def start_channels(
    access: ChannelAccess, responder: Callable[[], Answering]
) -> list[RunningChannel]:
    """Start the enabled channels of a home, each on a thread; return those that could be made.

    One that cannot says in its state why.

    Args:
        access: What they are made of.
        responder: Returns what answers, as the settings are now.

    Raises:
        Denied: the memory is not that of the whole home.
    """
    senders, states = senders_of(access), ChannelStates(access.database, access.clock)
    running = []
    for name in dict.fromkeys(access.settings.enabled):
        try:
            running.append(RunningChannel(*_made(name, access, senders, responder), states))
        except RecollectError as error:
            _log.warning("the channel %s cannot start: %s", name, error.message)
            states.tell(name, "failed", error)
    for each in running:
        each.start()
    return running


def _made(
    name: str, access: ChannelAccess, senders: Senders, responder: Callable[[], Answering]
) -> tuple[Channel, Dispatcher]:
    records, clock, tenant = access.database, access.clock, access.scope.tenant
    parts = ChannelParts(
        settings=access.settings,
        key_for=access.key_for,
        cursor=ChannelCursor(records, tenant, name),
        now_ms=clock.now_ms,
    )
    channel = create_channel(name, parts)
    deliveries = Deliveries(records, clock, tenant, name)
    rate = RateLimit(access.settings.rate_per_minute)
    return channel, Dispatcher(channel, responder, senders, deliveries, rate)
