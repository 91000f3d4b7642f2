"""Events that no worker took: one file each in ``spool/`` of the home, until one is there.

A file is written by the hook that could not deliver it, redacted, see `recollect.hook.keeping`. The
names sort by time. Where there are too many the oldest goes. What is lost is counted in
``spool/lost``, a line each: when, and why.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec

from recollect.core.clock import SystemClock
from recollect.core.decoding import decode_json
from recollect.core.settings import HookSettings
from recollect.store.files import (
    append_lines,
    private_folder,
    read_lines,
    sweep_drafts,
    write_file,
)
from recollect.store.locks import WriteQueue
from recollect.store.sqlite.home import SPOOL

ASIDE = "aside"
"""Folder in the spool for files that are none of its events."""
LOST = "lost"
_EVENTS = "[0-9]*-*.json"
_WAIT_S = 30.0
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_LOST_LINE = re.compile(rb"([0-9]{1,18}) ")
_MOST_LOST_BYTES = 1_000_000
"""Largest file of losses; about 25 bytes each."""

Loss = Literal["full", "unredacted"]
"""Why an event was lost: the spool was full, or its secrets could not be taken out."""


class SpooledEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event that waits.

    Attributes:
        client: The agent program.
        event: What it calls the event.
        at: When it happened, ms UTC.
        payload: What it said, without secrets: a JSON object.
    """

    client: str
    event: str
    at: int
    payload: msgspec.Raw


class SpoolState(msgspec.Struct, frozen=True, kw_only=True):
    """What waits in a spool.

    Attributes:
        events: The number of events.
        bytes: Their size.
        oldest_at: When the oldest happened, ms UTC; None where none waits.
        lost: The number of events lost since the home was made, see `Loss`.
        lost_at: When the last one was, ms UTC.
        aside: Files that could not be read, by name.
    """

    events: int
    bytes: int
    oldest_at: int | None
    lost: int
    lost_at: int | None
    aside: list[str]


class Spool:
    """The spool of a home.

    Args:
        home: Its folder; nothing is made in one that is not there.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / SPOOL

    def files(self) -> list[Path]:
        """Return the files of the events that wait, oldest first."""
        return sorted(self.folder.glob(_EVENTS))

    def add(self, event: SpooledEvent, at_ns: int, limits: HookSettings) -> Path | None:
        """Write a redacted event; return its file, or None if it is larger than the spool.

        Raises:
            StoreError: it cannot be written.
        """
        content = msgspec.json.encode(event)
        with self._changing():
            if not self._make_room(len(content), limits):
                self.lose("full")
                return None
            path = self.folder / f"{at_ns:020d}-{secrets.token_hex(4)}.json"
            write_file(path, content)
        return path

    def read(self, path: Path) -> SpooledEvent:
        """Return the event of a file.

        Raises:
            ValueError: it holds no event.
            OSError: it cannot be read, or is a link.
        """
        with open(os.open(path, _READ), "rb") as file:
            return decode_json(file.read(), SpooledEvent)

    def emptying(self, timeout_s: float) -> AbstractContextManager[None]:
        """Be the only one who takes events out, inside the ``with`` block.

        Raises:
            StoreBusy: another process did for ``timeout_s``.
        """
        return WriteQueue(self.folder / ".drain").turn(timeout_s)

    def lose(self, why: Loss) -> None:
        """Count an event that is lost.

        Raises:
            StoreError: that cannot be written.
        """
        path = private_folder(self.folder) / LOST
        with suppress(FileNotFoundError):
            if path.stat().st_size > _MOST_LOST_BYTES:
                return
        append_lines(path, [f"{SystemClock().now_ms()} {why}".encode()], durable=False)

    def set_aside(self, path: Path) -> None:
        """Move a file to where it is not read again."""
        with suppress(OSError):
            os.replace(path, private_folder(self.folder / ASIDE) / path.name)

    def state(self) -> SpoolState:
        """Return the state of the spool: what waits, and what was lost."""
        files = self.files()
        times = _lost_times(self.folder / LOST)
        return SpoolState(
            events=len(files),
            bytes=sum(map(_size, files)),
            oldest_at=next(filter(None, map(_happened_at, files)), None),
            lost=len(times),
            lost_at=times[-1] if times else None,
            aside=sorted(each.name for each in (self.folder / ASIDE).glob("*")),
        )

    def sweep(self) -> None:
        """Remove what killed writers left."""
        sweep_drafts(self.folder, SystemClock())

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with WriteQueue(private_folder(self.folder) / ".lock").turn(_WAIT_S):
            yield

    def _make_room(self, size: int, limits: HookSettings) -> bool:
        """Remove the oldest until one more fits; return whether it does."""
        sizes = [(path, _size(path)) for path in self.files()]
        total = sum(each for _, each in sizes)
        if size > limits.spool_bytes:
            return False
        while sizes and (len(sizes) >= limits.spool_events or total + size > limits.spool_bytes):
            path, its_size = sizes.pop(0)
            total -= its_size
            with suppress(FileNotFoundError):  # the worker took it
                path.unlink()
                self.lose("full")
        return True


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _happened_at(path: Path) -> int | None:
    """Return the time of an event, ms UTC; None for a file that somebody else put there."""
    with suppress(ValueError):
        return int(path.name.partition("-")[0]) // 1_000_000
    return None


def _lost_times(path: Path) -> list[int]:
    """Return the times at which events were lost; lines that a power cut emptied do not count."""
    lines = read_lines(path) if path.exists() else ()
    return [int(match[1]) for line in lines if (match := _LOST_LINE.match(line))]
