"""Stores what hooks spooled while no worker took it: oldest first, each event once.

An event that the worker took and the hook spooled as well, because the answer came too late, is
recognized by its key. A file that is not an event is set aside, and never blocks the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from recollect.caller import Callers
from recollect.checkpoints.capture.incoming import FOLDER, Incoming
from recollect.core.clock import SystemClock
from recollect.core.errors import StoreBusy, StoreError
from recollect.core.worker import Worker, error_code
from recollect.hook.spool import Spool, SpooledEvent
from recollect.pool import MemoryPool
from recollect.server.request import read_object
from recollect.server.routes.client_hooks import ClientReport, take_late
from recollect.store.sqlite.home import CHECKPOINTS

LOOK_S = 2.0
"""How often a worker checks for events: hooks spool them also while it is slow. A check of an empty
spool takes 20 us."""
_GATHER_S = 0.05
"""A hundred hooks a second wake it 20 times."""

_log = logging.getLogger("recollect.server")

Take = Callable[[SpooledEvent], object]
"""Stores an event; raises if it cannot."""


class Drained(msgspec.Struct, frozen=True, kw_only=True):
    """The result of draining a spool.

    Attributes:
        events: The number of stored events.
        aside: Names of the files that were set aside.
    """

    events: int = 0
    aside: tuple[str, ...] = ()


def taking(callers: Callers) -> Take:
    """Return a function that stores spooled events as the owner, the only one who can spool."""

    def take(event: SpooledEvent) -> None:
        payload, _ = read_object(bytes(event.payload))
        report = ClientReport(client=event.client, event=event.event, at=event.at, payload=payload)
        caller = callers.local("owner", "hooks", "hooks")
        with caller.acting():
            take_late(caller, report)

    return take


def drain_home(home: Path) -> Drained:
    """Store the events that wait in the spool of a home.

    Raises:
        StoreBusy: another process does the same.
        StoreError: the memory cannot store now.
    """
    with MemoryPool(home) as pool:
        return drain(home, taking(Callers(pool)))


def drain(
    home: Path, take: Take, is_over: Callable[[], bool] = lambda: False, wait_s: float = 30.0
) -> Drained:
    """Store the waiting events, oldest first; each is removed as soon as it is stored.

    Args:
        home: The home of the spool.
        take: Stores an event; storing it twice has no effect.
        is_over: Whether to stop; called before each event.
        wait_s: How long to wait for another process that does the same.

    Raises:
        StoreBusy: another process does the same.
        StoreError: the memory cannot store now; the rest stays in the spool.
    """
    spool = Spool(home)
    if not spool.files():
        return Drained()
    events, aside = 0, list[str]()
    with spool.emptying(wait_s):
        for path in spool.files():
            if is_over():
                break
            if _is_handed_over(spool, path, take):
                events += 1
            else:
                aside.append(path.name)
    return Drained(events=events, aside=tuple(aside))


def _is_handed_over(spool: Spool, path: Path, take: Take) -> bool:
    """Store an event; return False if its file was set aside."""
    try:
        with suppress(FileNotFoundError):  # it made room for newer ones
            take(spool.read(path))
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the others are stored
        _log.warning("the spooled event %s was set aside: %s", path.name, error_code(error))
        spool.set_aside(path)
        return False
    path.unlink(missing_ok=True)
    return True


@contextmanager
def draining(home: Path, take: Take) -> Iterator[Callable[[], None]]:
    """Drain the spool of a home now, and every `LOOK_S` while the block runs.

    Yields a function that drains it soon. Half-written files of killed hooks are removed first.
    """

    def step() -> float:
        with suppress(StoreBusy):
            drained = drain(home, take, duty.closing.is_set, wait_s=0)
            if drained.events:
                _log.info("stored %d events that hooks had spooled", drained.events)
        return LOOK_S

    Spool(home).sweep()
    Incoming(home / CHECKPOINTS / FOLDER, SystemClock()).sweep()
    duty = Worker("recollect-spool", step, gather_s=_GATHER_S)
    duty.wake()
    try:
        yield duty.wake
    finally:
        duty.stop()
