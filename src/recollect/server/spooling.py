"""Gives the memory what hooks spooled while no worker took it: oldest first, each event once.

An event that the worker took and the hook spooled all the same, because the answer came too late,
is known by its key. A file that is none of the events is set aside, and never holds up the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from recollect.caller import Callers
from recollect.core.errors import StoreBusy, StoreError
from recollect.core.worker import Worker, error_code
from recollect.hook.spool import Spool, SpooledEvent
from recollect.pool import MemoryPool
from recollect.server.lenient import read_object
from recollect.server.routes.client_hooks import ClientReport, take_late

LOOK_S = 2.0
"""How often a worker looks for events: hooks spool them also while it is slow. A look at an empty
spool takes 20 us."""
_GATHER_S = 0.05
"""A hundred hooks a second wake it 20 times."""

_log = logging.getLogger("recollect.server")

Take = Callable[[SpooledEvent], object]
"""Stores an event; raises where it cannot."""


class Drained(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a spool.

    Attributes:
        events: How many the memory was given.
        aside: Names of the files that were set aside.
    """

    events: int = 0
    aside: tuple[str, ...] = ()


def taking(callers: Callers) -> Take:
    """Return what stores spooled events as the owner, who alone can write into a home."""

    def take(event: SpooledEvent) -> None:
        payload, _ = read_object(bytes(event.payload))
        report = ClientReport(client=event.client, event=event.event, at=event.at, payload=payload)
        caller = callers.local("owner", "hooks", "hooks")
        with caller.acting():
            take_late(caller, report)

    return take


def drain_home(home: Path) -> Drained:
    """Hand over what waits in the spool of a home.

    Raises:
        StoreBusy: another process does the same.
        StoreError: the memory cannot store now.
    """
    with MemoryPool(home) as pool:
        return drain(home, taking(Callers(pool)))


def drain(
    home: Path, take: Take, is_over: Callable[[], bool] = lambda: False, wait_s: float = 30.0
) -> Drained:
    """Hand over the events that wait, oldest first; each is gone as soon as it is stored.

    Args:
        home: Whose spool.
        take: Stores an event; the same one twice is one.
        is_over: Whether to stop, asked before each event.
        wait_s: For another process that does the same.

    Raises:
        StoreBusy: another process does the same.
        StoreError: the memory cannot store now; what is left waits.
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
    """Give an event to the memory; return False where its file was set aside."""
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

    The block is given what drains it soon. What killed hooks left half written goes first.
    """

    def step() -> float:
        with suppress(StoreBusy):
            done = drain(home, take, duty.closing.is_set, wait_s=0)
            if done.events:
                _log.info("stored %d events that hooks had spooled", done.events)
        return LOOK_S

    Spool(home).sweep()
    duty = Worker("recollect-spool", step, gather_s=_GATHER_S)
    duty.wake()
    try:
        yield duty.wake
    finally:
        duty.stop()
