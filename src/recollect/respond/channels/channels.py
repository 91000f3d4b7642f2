"""The channels of a home: who may write, what became of answers, and what runs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.audience.people import People
from recollect.core.checks import checked
from recollect.core.clock import Clock
from recollect.core.errors import Denied, RecollectError, StoreError
from recollect.core.scope import Scope
from recollect.core.settings import ChannelSettings
from recollect.respond.channels.deliveries import Delivery, delivery_counts, lost_deliveries
from recollect.respond.channels.port import KeyFor
from recollect.respond.channels.senders import Sender, Senders
from recollect.store.columns import json_cell
from recollect.store.engine import Database
from recollect.store.meta import set_value

LOST = 50
"""Answers that a status lists at most."""
StateName: TypeAlias = Literal["running", "failed", "stopped"]
_STATE = "channel.state."
_STATES: LiteralString = "SELECT value FROM meta WHERE substr(key, 1, ?) = ? ORDER BY key"

_log = logging.getLogger("recollect.channels")


class ChannelState(msgspec.Struct, frozen=True, kw_only=True):
    """How a channel does.

    Attributes:
        name: Its name.
        state: ``running``, ``failed``: it is started again after a while, or ``stopped``.
        at: Since when, ms UTC.
        error: What it failed with.
        hint: What to do about it.
    """

    name: str
    state: StateName
    at: int
    error: str | None = None
    hint: str | None = None


class ChannelStates:
    """The states of the channels of a home. Threads and processes may share it."""

    def __init__(self, records: Database, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    def tell(self, name: str, state: StateName, failure: RecollectError | None = None) -> None:
        """Store the state of a channel; one that cannot be stored is left out."""
        value = ChannelState(
            name=name,
            state=state,
            at=self._clock.now_ms(),
            error=None if failure is None else failure.message,
            hint=None if failure is None else failure.hint,
        )
        encoded = msgspec.json.encode(value).decode()
        try:
            self._records.write(lambda tx: set_value(tx, _STATE + name, encoded))
        except StoreError as error:
            _log.warning("the state of the channel %s is not stored: %s", name, error.code)

    def list(self) -> list[ChannelState]:
        """Return the states, by name."""
        rows = self._records.read(lambda tx: tx.all(_STATES, (len(_STATE), _STATE)))
        return [json_cell(row[0], ChannelState) for row in rows]


class SenderList(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote over channels, or was allowed or denied; unknown ones first."""

    senders: Sequence[Sender]


class ChannelsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How the channels do.

    Attributes:
        enabled: What the settings name.
        channels: Those that ran, with what they failed with.
        senders: Accounts by status.
        deliveries: Answers by state.
        lost: The newest answers that were refused, or may have arrived or not; none is sent again.
    """

    enabled: tuple[str, ...]
    channels: tuple[ChannelState, ...]
    senders: dict[str, int]
    deliveries: dict[str, int]
    lost: tuple[Delivery, ...]


class ChannelAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What the channels of a home are made of.

    Attributes:
        database: ``records.db``.
        clock: Tells the time.
        scope: Of the memory; only that of the home itself may use channels.
        people: Who the owner is.
        settings: ``channels``.
        key_for: Makes session keys.
    """

    database: Database
    clock: Clock
    scope: Scope
    people: People
    settings: ChannelSettings
    key_for: KeyFor


@checked
class Channels:
    """Who may write over channels, and how the channels do; `memory.channels` is one of these."""

    def __init__(self, access: ChannelAccess) -> None:
        self.access: ChannelAccess = access

    def list(self) -> list[Sender]:
        """Return who wrote, or was allowed or denied; unknown ones first.

        Raises:
            Denied: the memory is not that of the whole home.
        """
        return self._senders.list()

    def allow(self, account: str) -> Sender:
        """Answer a person, or a group, from the next message on.

        Args:
            account: ``telegram:42``; a group as `list` shows it, ``telegram:-1007``.

        Raises:
            InvalidInput: it is not an account with a channel.
            Denied: the memory is not that of the whole home.
        """
        return self._senders.decide(account, "allowed")

    def deny(self, account: str) -> Sender:
        """Answer a person, or a group, no more; a person is not answered in groups either.

        Raises:
            InvalidInput: it is not an account with a channel.
            Denied: the memory is not that of the whole home.
        """
        return self._senders.decide(account, "denied")

    def status(self) -> ChannelsStatus:
        """Return how the channels do.

        Raises:
            Denied: the memory is not that of the whole home.
        """
        access, counts = self.access, self._senders.counts()
        records, tenant = access.database, access.scope.tenant
        return ChannelsStatus(
            enabled=access.settings.enabled,
            channels=tuple(ChannelStates(records, access.clock).list()),
            senders=counts,
            deliveries=delivery_counts(records, tenant),
            lost=tuple(lost_deliveries(records, tenant, LOST)),
        )

    @property
    def _senders(self) -> Senders:
        return senders_of(self.access)


def senders_of(access: ChannelAccess) -> Senders:
    """Return the senders of a home.

    Raises:
        Denied: the memory is not that of the whole home.
    """
    if access.scope != Scope():
        hint = "ask the memory of the whole home: leave the scope out"
        raise Denied("channels are the home's", hint=hint)
    most = access.settings.unknown_senders
    return Senders(access.database, access.clock, access.scope, access.people, most)
