"""Power cuts: what the disk may hold when the power fails at a given call.

Synced data survives. Of unsynced data, anything may: nothing, all, a part that ends inside a
sector, or sectors in any order. Names of files that were created or deleted since the folder was
synced may survive or not. The disk itself is assumed to be honest: a finished sync is durable.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from recollect.testing.vfs_disk import DiskCall

SECTOR = 512


class Cut(Struct, frozen=True, kw_only=True):
    """The disk after a power cut."""

    at: int
    """The number of calls before it."""
    marks: tuple[str, ...]
    """The marks set before it, in order."""
    files: dict[str, bytes]

    def write_to(self, folder: Path) -> None:
        """Write the files into ``folder``."""
        for name, content in self.files.items():
            folder.joinpath(name).write_bytes(content)


class _Inode:
    """A file's synced content, and the calls since."""

    def __init__(self) -> None:
        self.synced = bytearray()
        self.pending: list[DiskCall] = []

    def sync(self) -> None:
        for call in self.pending:
            _apply(self.synced, call)
        self.pending.clear()

    def content(self) -> bytes:
        return _written(self.synced, self.pending)

    def after_cut(self, chance: random.Random) -> bytes:
        return _written(self.synced, _survivors(self.pending, chance))


class Disk:
    """A disk that replays calls.

    Attributes:
        marks: The marks so far.
    """

    def __init__(self) -> None:
        self.marks: list[str] = []
        self._names: dict[str, _Inode] = {}
        self._synced_names: dict[str, _Inode] = {}
        self._pending_names: list[tuple[str, _Inode | None]] = []

    def play(self, call: DiskCall) -> None:
        """Make one call."""
        match call.kind:
            case "mark":
                self.marks.append(call.name)
            case "create":
                self._rename(call.name, _Inode())
            case "delete":
                self._rename(call.name, None)
            case "sync_folder":
                self._sync_folder()
            case "sync":
                self._names[call.name].sync()
            case _:
                self._names[call.name].pending.append(call)

    def cut(self, at: int, chance: random.Random) -> Cut:
        """Return the state of the disk if the power fails now; the disk can be used further."""
        names = dict(self._synced_names)
        count = chance.randint(0, len(self._pending_names))  # the journal of names is in order
        for name, inode in self._pending_names[:count]:
            _set(names, name, inode)
        files = {name: inode.after_cut(chance) for name, inode in names.items()}
        return Cut(at=at, marks=tuple(self.marks), files=files)

    def now(self) -> dict[str, bytes]:
        """Return the files as a program sees them before any cut."""
        return {name: inode.content() for name, inode in self._names.items()}

    def _rename(self, name: str, inode: _Inode | None) -> None:
        _set(self._names, name, inode)
        self._pending_names.append((name, inode))

    def _sync_folder(self) -> None:
        self._synced_names = dict(self._names)
        self._pending_names.clear()


def cut_power(calls: Sequence[DiskCall], count: int, chance: random.Random) -> Iterator[Cut]:
    """Yield ``count`` cuts at random moments, in the order of their moments.

    Args:
        calls: The log of a `RecordingVfs`.
        count: Cuts to make; moments may repeat, with another fate of unsynced data.
        chance: Decides moments and fates, so that a seed repeats a run.
    """
    moments = sorted(chance.randint(0, len(calls)) for _ in range(count))
    disk, played = Disk(), 0
    for moment in moments:
        for call in calls[played:moment]:
            disk.play(call)
        played = moment
        yield disk.cut(moment, chance)


def _set(names: dict[str, _Inode], name: str, inode: _Inode | None) -> None:
    if inode is None:
        names.pop(name, None)
    else:
        names[name] = inode


def _survivors(pending: Sequence[DiskCall], chance: random.Random) -> Sequence[DiskCall]:
    """Choose which unsynced calls reached the disk, and in which order."""
    match chance.choice(("none", "all", "torn", "shuffled")):
        case "none":
            return ()
        case "all":
            return pending
        case "torn":
            return _torn(pending, chance)
        case _:
            sectors = [sector for call in pending for sector in _sectors(call)]
            return chance.sample(sectors, chance.randint(0, len(sectors)))


def _torn(pending: Sequence[DiskCall], chance: random.Random) -> Sequence[DiskCall]:
    """Return the calls up to some moment, the last one cut anywhere."""
    whole = chance.randint(0, len(pending))
    torn = list(pending[:whole])
    if torn and torn[-1].kind == "write":
        last = torn.pop()
        length = chance.randint(0, len(last.content))
        torn.append(DiskCall("write", last.name, last.offset, last.content[:length]))
    return torn


def _sectors(call: DiskCall) -> list[DiskCall]:
    if call.kind != "write":
        return [call]
    return [
        DiskCall("write", call.name, call.offset + start, call.content[start : start + SECTOR])
        for start in range(0, len(call.content), SECTOR)
    ]


def _written(synced: bytearray, calls: Sequence[DiskCall]) -> bytes:
    content = bytearray(synced)
    for call in calls:
        _apply(content, call)
    return bytes(content)


def _apply(content: bytearray, call: DiskCall) -> None:
    if call.kind == "truncate":
        del content[call.offset :]
        content.extend(bytes(call.offset - len(content)))
        return
    end = call.offset + len(call.content)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    content[call.offset : end] = call.content
