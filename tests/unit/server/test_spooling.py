"""The memory is given what hooks spooled: in order, once, and whatever a file holds.

Source: issue of step 9, item 2.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import InvalidInput, StoreBusy, StoreFull
from recollect.core.settings import HookSettings
from recollect.hook.spool import Spool, SpooledEvent
from recollect.server import spooling
from recollect.server.spooling import drain, draining


def waiting(home: Path, *numbers: int) -> Spool:
    """Return a spool in which events wait."""
    spool = Spool(home)
    for number in numbers:
        event = SpooledEvent(client="c", event="E", at=number, payload=msgspec.Raw(b"{}"))
        spool.add(event, number * 1_000_000, HookSettings())
    return spool


def test_events_are_given_in_order_and_each_is_gone_then(tmp_path: Path) -> None:
    """Also what came in out of order."""
    spool = waiting(tmp_path, 3, 1, 2)
    given: list[int] = []
    assert drain(tmp_path, lambda event: given.append(event.at)).events == 3
    assert given == [1, 2, 3]
    assert spool.files() == []
    assert drain(tmp_path, lambda event: given.append(event.at)).events == 0


def test_a_home_without_a_spool_gets_none(tmp_path: Path) -> None:
    """Nothing is made where nothing waits."""
    assert drain(tmp_path, lambda _: None).events == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"client": 1}', b"[" * 100_000])
def test_a_file_that_is_no_event_is_set_aside_and_named(tmp_path: Path, content: bytes) -> None:
    """It never holds up the rest."""
    spool = waiting(tmp_path, 1, 2, 3)
    broken = spool.files()[1]
    broken.write_bytes(content)
    given: list[int] = []
    done = drain(tmp_path, lambda event: given.append(event.at))
    assert (given, done.aside) == ([1, 3], (broken.name,))
    assert spool.state().aside == [broken.name]
    assert drain(tmp_path, lambda event: given.append(event.at)).aside == ()


def test_an_event_that_the_memory_cannot_take_is_set_aside(tmp_path: Path) -> None:
    """Whatever is wrong with it will be wrong tomorrow."""
    waiting(tmp_path, 1, 2)

    def take(event: SpooledEvent) -> None:
        if event.at == 1:
            raise InvalidInput("no")

    done = drain(tmp_path, take)
    assert (done.events, len(done.aside)) == (1, 1)


def test_while_the_memory_cannot_store_everything_waits(tmp_path: Path) -> None:
    """A full disk is no reason to lose an event."""
    spool = waiting(tmp_path, 1, 2, 3)
    is_full = threading.Event()
    given: list[int] = []

    def take(event: SpooledEvent) -> None:
        if event.at == 2 and not is_full.is_set():
            is_full.set()
            raise StoreFull("full")
        given.append(event.at)

    with pytest.raises(StoreFull):
        drain(tmp_path, take)
    assert len(spool.files()) == 2
    drain(tmp_path, take)
    assert given == [1, 2, 3]


def test_an_event_that_made_room_for_newer_ones_is_not_missed(tmp_path: Path) -> None:
    """The spool was full while it was emptied."""
    spool = waiting(tmp_path, 1, 2)
    given: list[int] = []

    def take(event: SpooledEvent) -> None:
        given.append(event.at)
        for path in spool.files()[1:]:
            path.unlink()

    assert drain(tmp_path, take).aside == ()
    assert given == [1]


def test_only_one_program_empties_a_spool(tmp_path: Path) -> None:
    """Two would give the events in no order."""
    spool = waiting(tmp_path, 1)
    with spool.emptying(0), pytest.raises(StoreBusy):
        drain(tmp_path, lambda _: None, wait_s=0)
    assert len(spool.files()) == 1


def test_the_worker_takes_what_waits_and_what_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its start, and while it runs; another program that empties it is let be."""
    monkeypatch.setattr(spooling, "LOOK_S", 0.01)
    waiting(tmp_path, 1)
    came = {1: threading.Event(), 2: threading.Event()}
    with draining(tmp_path, lambda event: came[event.at].set()):
        assert came[1].wait(60)
        with Spool(tmp_path).emptying(60):
            waiting(tmp_path, 2)
        assert came[2].wait(60)


def test_a_hook_that_calls_wakes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next event of an agent comes after the one that was spooled before it."""
    monkeypatch.setattr(spooling, "LOOK_S", 3_600.0)
    came = threading.Event()
    with draining(tmp_path, lambda _: came.set()) as wake:
        for _ in range(2):
            wake()
        waiting(tmp_path, 1)
        wake()
        assert came.wait(60)


def test_what_killed_hooks_left_goes_once_it_is_old(tmp_path: Path) -> None:
    """A hook may be writing the other one."""
    folder = waiting(tmp_path).folder
    folder.mkdir()
    old, new = (folder / f".{name}.json.0123456789abcdef.part" for name in ("old", "new"))
    for each in (old, new):
        each.touch()
    os.utime(old, (1, 1))
    with draining(tmp_path, lambda _: None):
        assert (old.exists(), new.exists()) == (False, True)


def test_a_worker_that_ends_stops_between_two_events(tmp_path: Path) -> None:
    """The rest waits for the next one."""
    spool = waiting(tmp_path, 1, 2, 3)
    given: list[int] = []
    drain(tmp_path, lambda event: given.append(event.at), lambda: bool(given))
    assert given == [1]
    assert len(spool.files()) == 2
