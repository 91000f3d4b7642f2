"""Manifests: the states of all paths below a root, and which changed while a command ran.

What changed between the two looks around a command is what it changed; the rest was somebody else.
The bytes of a file are kept, or git's objects have them: then they are kept as soon as it changes.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.checkpoints.files.git_index import object_id
from recollect.checkpoints.files.git_objects import read_objects
from recollect.checkpoints.files.repositories import Repositories
from recollect.checkpoints.files.scan import Difference, Folder, PathEntry, Scan, Seen, state_of
from recollect.checkpoints.files.state import ABSENT, PathState, uncaptured
from recollect.checkpoints.files.tree import Tree, look_at, parents_of
from recollect.checkpoints.files.watch import FolderWatch, WatchedNames, WatchRefused
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import Change
from recollect.core.decoding import msgpack_decoder
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.store.failures import translate_os

_LOAD: LiteralString = "SELECT folder, entries FROM manifests WHERE tenant = ? AND root = ?"
_PUT: LiteralString = """
    INSERT INTO manifests (tenant, root, folder, entries) VALUES (?, ?, ?, ?)
    ON CONFLICT (tenant, root, folder) DO UPDATE SET entries = excluded.entries
"""
_DROP: LiteralString = "DELETE FROM manifests WHERE tenant = ? AND root = ? AND folder = ?"
_IS_STORED: LiteralString = "SELECT 1 FROM manifests WHERE tenant = ? AND root = ? LIMIT 1"
_BATCH_BYTES = 32 << 20
"""Contents that are stored in one transaction, or read from git at once."""
_FEW = 100
"""Files that are stored without asking git: to read the index of 100,000 files takes 0.2 s."""
_MOST_OPEN = 64
"""Commands that run at once; the oldest is given up: the program that ran it is gone."""
_TRUST_S = 300.0
"""A watch that was not asked for so long is not believed: another program may have changed a file
through memory since."""


class CaptureLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Up to where contents are kept.

    Attributes:
        file_bytes: Of one file.
        command_bytes: Of all files that are new at one look.
        root_bytes: Of all files of a root together.
    """

    file_bytes: int = 8 << 20
    command_bytes: int = 1 << 30
    root_bytes: int = 2 << 30


class PathCounts(msgspec.Struct):
    """How many paths a root has.

    Attributes:
        paths: All.
        uncaptured: Those whose state is not known.
        held_bytes: Of the files whose bytes are kept, not those that git has.
    """

    paths: int = 0
    uncaptured: int = 0
    held_bytes: int = 0

    def add(self, entry: PathEntry | None, times: int) -> None:
        """Count an entry that is there now, or with -1 one that is not any more."""
        if entry is not None:
            self.paths += times
            self.uncaptured += times * (entry.state.kind == "uncaptured")
            self.held_bytes += 0 if entry.oid else times * entry.state.size


class Manifest:
    """The paths below one root. Threads may share it.

    Args:
        contents: Where the bytes of files are kept.
        root: The folder, as `Path.resolve` returns it.
        limits: Up to where they are kept.
        exclusion: Returns a test whether a path is only listed, for one look.
        watches: Whether changes are watched once a command ran, where the system can.
    """

    def __init__(
        self,
        contents: Contents,
        root: Path,
        limits: CaptureLimits,
        exclusion: Callable[[], Callable[[str], bool]],
        *,
        watches: bool = True,
    ) -> None:
        self._contents = contents
        self._root = root
        self._key = (contents.tenant, str(root))
        self._limits = limits
        self._exclusion = exclusion
        self._watches = watches
        self._watch: FolderWatch | None = None
        self._asked = 0.0
        self._folders: dict[str, Folder] | None = None
        self._count = PathCounts()
        self._open: dict[str, dict[str, Change]] = {}
        self._is_removed = False
        self._turn = threading.Lock()

    def begin(self, command: str | None = None) -> tuple[int, int]:
        """Look at the root; return how many paths it has, and how many of them are not captured.

        The contents of what is new are durable when it returns.

        Args:
            command: The id of a command that runs from now on, until `end`.

        Raises:
            NotFound: the root is not a folder.
            StoreError: it cannot be read, or something could not be stored.
        """
        with self._turn:
            self._forget_if_removed()
            self._look(starts_watch=command is not None)
            if command is not None:
                self._open[command] = {}
                while len(self._open) > _MOST_OPEN:
                    del self._open[next(iter(self._open))]
            return self._count.paths, self._count.uncaptured

    def end(self, command: str) -> list[Change]:
        """Look at the root again; return what changed since the command began, by path.

        One that began in a process that ended since gets what changed since its root was looked
        at last, and nothing if it never was. Raises as `begin`.
        """
        with self._turn:
            self._open.setdefault(command, {})
            self._look(starts_watch=True)
            changes = self._open.pop(command)
        return [
            each
            for _, each in sorted(changes.items())
            if each.before != each.after or each.after.reason == "name"
        ]

    def states(self, *, is_kept: bool = False) -> dict[str, PathState]:
        """Look at the root; return the state of each of its paths.

        Args:
            is_kept: Whether the bytes of files that git has are stored here, too. What cannot be
                is not captured. All of it counts as new then: a checkpoint is about to name it.

        Raises as `begin`.
        """
        with self._turn:
            self._forget_if_removed()
            self._look(starts_watch=False)
            entries = {
                f"{prefix}{name}": entry
                for prefix, folder in self._loaded().items()
                for name, entry in folder.entries.items()
            }
            if not is_kept:
                return {path: entry.state for path, entry in entries.items()}
            digests = {entry.state.digest for entry in entries.values()} - {None}
            available = self._contents.has(filter(None, digests))
            missing = [
                Difference(path, entry, entry)
                for path, entry in entries.items()
                if not _is_held(entry, available)
            ]
            available |= self._from_git(missing)
            self._contents.database.write(lambda tx: self._contents.date(tx, available))
            return {
                path: entry.state if _is_held(entry, available) else uncaptured("not kept")
                for path, entry in entries.items()
            }

    def close(self) -> None:
        """Stop watching, and forget what was seen; the next look reads it again."""
        with self._turn:
            self._forget()

    def rest(self) -> None:
        """Stop watching, and free what was seen, if it was not looked at for minutes."""
        if time.monotonic() - self._asked > _TRUST_S:
            self.close()

    def _forget(self) -> None:
        self._folders = None
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _look(self, *, starts_watch: bool) -> None:
        """Look at what may have changed, store it, and add it to the commands that run."""
        try:
            folders = self._loaded()
            is_first = not folders
            intake = Intake(self._contents, self._root, folders, self._exclusion(), self._left())
            scan = self._scanned(folders, intake.read, starts_watch=starts_watch)
            intake.finish()
            self._store(folders, scan)
            for each in scan.differences:
                self._count.add(each.before, -1)
                self._count.add(each.after, 1)
            if self._open and not is_first:  # else nothing is known of before
                changes = self._changes(scan.differences)
                for command in self._open.values():
                    _merge(command, changes)
        except BaseException:
            self._forget()
            raise

    def _left(self) -> CaptureLimits:
        root_bytes = self._limits.root_bytes - self._count.held_bytes
        return msgspec.structs.replace(self._limits, root_bytes=root_bytes)

    def _scanned(
        self,
        folders: dict[str, Folder],
        reader: Callable[[Seen], tuple[PathState, str]],
        *,
        starts_watch: bool,
    ) -> Scan:
        with Tree(self._root) as tree:
            now_ns = self._contents.clock.now_ms() * 1_000_000
            changes = self._watched()
            if changes is not None:
                scan = Scan(folders, reader, self._watch, now_ns)
                scan.some(tree.descriptor, changes.names, changes.renewed)
                return scan
            self._restart_watch(starts=starts_watch)
            scan = Scan(folders, reader, self._watch, now_ns)
            try:
                scan.all(tree.descriptor)
            except OSError as error:
                raise translate_os(error, self._root) from error
            if scan.watch is None and self._watch is not None:  # refused on the way
                self._watches = False
                self._restart_watch(starts=False)
            return scan

    def _watched(self) -> WatchedNames | None:
        """Return what may have changed since this was asked last; None where all may have."""
        previous, self._asked = self._asked, time.monotonic()
        if self._watch is None or self._asked - previous > _TRUST_S:
            return None
        try:
            return self._watch.changes()
        except WatchRefused:
            return None

    def _restart_watch(self, *, starts: bool) -> None:
        is_wanted = self._watches and (starts or self._watch is not None)
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        if is_wanted:
            try:
                self._watch = FolderWatch(self._root)
            except WatchRefused:
                self._watches = False

    def _loaded(self) -> dict[str, Folder]:
        if self._folders is None:
            rows = self._contents.database.read(lambda tx: tx.all(_LOAD, self._key))
            decoder = msgpack_decoder(Folder)
            self._folders = {
                path: decoder.decode(entries)
                for path, entries in typed_rows(rows, tuple[str, bytes])
            }
            self._count = PathCounts()
            for folder in self._folders.values():
                for entry in folder.entries.values():
                    self._count.add(entry, 1)
        return self._folders

    def _forget_if_removed(self) -> None:
        """Look at everything again where all that is stored of the root was removed.

        Before a command only: after it, everything would count as made by it. While others run,
        what was seen is stored again, as they would lose what they changed.
        """
        is_stored = self._contents.database.read(lambda tx: tx.row(_IS_STORED, self._key))
        self._is_removed = bool(self._folders) and is_stored is None
        if self._is_removed and not self._open:
            self._forget()

    def _store(self, folders: Mapping[str, Folder], scan: Scan) -> None:
        """Store folders; what their paths were is dated, as a checkpoint is about to name it."""
        encoder = msgspec.msgpack.Encoder()
        changed = folders if self._is_removed else scan.changed
        self._is_removed = False
        rows = [(*self._key, each, encoder.encode(folders[each])) for each in changed]
        before = [each.before.state.digest for each in scan.differences if each.before is not None]

        def unit(tx: Transaction) -> None:
            tx.executemany(_PUT, rows)
            tx.executemany(_DROP, [(*self._key, each) for each in scan.gone])
            self._contents.date(tx, filter(None, before))

        if rows or scan.gone:
            self._contents.database.write(unit)

    def _changes(self, differences: Sequence[Difference]) -> list[Change]:
        """Return the changes; what a path was is kept now, or is not captured."""
        needed = {each.before.state.digest for each in differences if each.before is not None}
        available = self._contents.has(digest for digest in needed if digest is not None)
        available |= self._from_git(
            each for each in differences if not _is_held(each.before, available)
        )
        unseen = {each.path for each in differences if _comes_to_light(each)}
        changes = []
        for path, before, after in differences:
            state = state_of(before) if _is_held(before, available) else uncaptured("not kept")
            if before is None and after is not None and after.state.reason == "name":
                state = after.state  # its path cannot be used to remove it
            elif before is None and not unseen.isdisjoint(parents_of(path)):
                state = uncaptured("not seen before")
            changes.append(Change(path=path, before=state, after=state_of(after)))
        return changes

    def _from_git(self, differences: Iterable[Difference]) -> set[str]:
        """Store what git's objects have of what is not kept; return the digests."""
        by_objects: dict[Path, list[PathEntry]] = {}
        repositories = Repositories(self._root)
        for each in differences:
            repository, _ = repositories.of(each.path)
            if each.before is not None and each.before.oid and repository is not None:
                by_objects.setdefault(repository.objects, []).append(each.before)
        digests: set[str] = set()
        for objects, entries in by_objects.items():
            for batch in _batches(entries):
                contents = [content for _, content in read_objects(objects, batch)]
                digests.update(self._contents.put(contents))
        return digests


class Intake:
    """Reads the files that a look finds, and stores their bytes as long as there is room.

    Args:
        contents: Where they are stored.
        root: What is looked at.
        folders: What was there.
        is_excluded: Whether a path is only listed.
        limits: Up to where bytes are kept; those of a root are what is left of it.
    """

    def __init__(
        self,
        contents: Contents,
        root: Path,
        folders: Mapping[str, Folder],
        is_excluded: Callable[[str], bool],
        limits: CaptureLimits,
    ) -> None:
        self._contents = contents
        self._folders = folders
        self._is_excluded = is_excluded
        self._file_bytes = limits.file_bytes
        self._room = min(limits.command_bytes, limits.root_bytes)
        self._repositories = Repositories(root)
        self._read = 0
        self._size = 0
        self._batch: dict[str, bytes] = {}
        self._bases: dict[str, str] = {}
        self._writes: deque[Future[None]] = deque()

    def read(self, seen: Seen) -> tuple[PathState, str]:
        """Return the state of a path, and git's id of its bytes if its objects have them."""
        if self._is_excluded(seen.path):
            return uncaptured("excluded"), ""
        before = self._kept(seen.path)
        size = seen.status.st_size
        if self._room < size <= self._file_bytes and size != before.size:
            return uncaptured("no room"), ""
        try:
            look = look_at(seen.folder, seen.name, self._file_bytes, seen.status)
        except OSError:
            return uncaptured("unreadable"), ""
        if look.content is None or look.state.digest is None:
            return look.state, ""
        oid = self._oid(seen.path, look.content)
        if not oid:
            self._add(look.state.digest, look.content, before)
        return look.state, oid

    def finish(self) -> None:
        """Wait until everything is durable.

        Raises:
            StoreError: something could not be stored.
        """
        self._flush()
        while self._writes:
            self._writes.popleft().result()

    def _oid(self, path: str, content: bytes) -> str:
        self._read += 1
        if self._read <= _FEW or not content:
            return ""
        repository, inside = self._repositories.of(path)
        oid = repository.oids.get(inside, "") if repository is not None else ""
        return oid if oid and oid == object_id(content) else ""

    def _kept(self, path: str) -> PathState:
        """Return what a path was, if its bytes are kept; absent otherwise."""
        folder, _, name = path.rpartition("/")
        entries = self._folders[f"{folder}/" if folder else ""].entries
        entry = entries.get(name)
        return ABSENT if entry is None or entry.oid else entry.state

    def _add(self, digest: str, content: bytes, before: PathState) -> None:
        if before.digest is not None and before.digest != digest:
            self._bases[digest] = before.digest
        self._room -= 0 if before.digest == digest else len(content)
        self._size += len(content)
        self._batch[digest] = content
        if self._size > _BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._batch:
            if len(self._writes) > 1:  # memory holds two batches that wait, and no more
                self._writes.popleft().result()
            self._writes.append(self._contents.submit(self._batch, self._bases))
        self._batch, self._bases, self._size = {}, {}, 0


def _merge(command: dict[str, Change], changes: Iterable[Change]) -> None:
    for each in changes:
        earlier = command.get(each.path)
        before = each.before if earlier is None else earlier.before
        command[each.path] = Change(path=each.path, before=before, after=each.after)


def _comes_to_light(of: Difference) -> bool:
    """Return whether a folder can be read that could not: what is in it may be old."""
    return state_of(of.before).kind == "uncaptured" and state_of(of.after).kind == "folder"


def _is_held(entry: PathEntry | None, available: set[str]) -> bool:
    return entry is None or entry.state.digest is None or entry.state.digest in available


def _batches(entries: Iterable[PathEntry]) -> Iterator[list[str]]:
    """Yield ids of objects, so many at once as fit into memory."""
    batch: list[str] = []
    size = 0
    for entry in entries:
        batch.append(entry.oid)
        size += entry.state.size
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
