"""How the channels of a home do, for other processes to see."""

from __future__ import annotations

import logging
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, StoreError
from recollect.store.columns import json_cell
from recollect.store.engine import Database
from recollect.store.meta import set_value

StateName: TypeAlias = Literal["running", "failed", "stopped"]
_PREFIX = "channel.state."
_ALL: LiteralString = "SELECT value FROM meta WHERE substr(key, 1, ?) = ? ORDER BY key"

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
            self._records.write(lambda tx: set_value(tx, _PREFIX + name, encoded))
        except StoreError as error:
            _log.warning("the state of the channel %s is not stored: %s", name, error.code)

    def list(self) -> list[ChannelState]:
        """Return the states, by name."""
        rows = self._records.read(lambda tx: tx.all(_ALL, (len(_PREFIX), _PREFIX)))
        return [json_cell(row[0], ChannelState) for row in rows]
