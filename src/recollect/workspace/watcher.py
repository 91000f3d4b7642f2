"""Reports which memory files and transcripts changed, without a handle for each file.

Folders are watched one by one, so that those of programs (`.git`, `node_modules`) cost nothing.
Where the system has no handles left, or the package `watchfiles` is not installed, files are
compared every few seconds instead.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from recollect.core.errors import RecollectError
from recollect.core.worker import Worker
from recollect.store.paths import FoundFile, list_files
from recollect.workspace.extra_paths import FileTree

FolderChanges: TypeAlias = "Iterator[frozenset[str]]"
Notifier: TypeAlias = "Callable[[Sequence[str], threading.Event, float], FolderChanges]"
"""Given folders, an event that ends it, and seconds: yields an empty set as soon as it watches,
then the paths that changed, and an empty set when nothing did for so long."""

GROUP_MS = 400
STEP_MS = 50
"""Changes are reported when none has followed for a step, and at the latest after a group."""
READY_MS = 100
"""How long a first wait is: when it ends without a change, everything is watched."""
TRIES = 5
"""Folders may vanish between listing and watching; more often than this in a row, and it is
something else."""
RETRY_S = 300.0
"""How long to compare files before handles are tried again."""
REST = 20
"""Comparing takes no more than one part in so many of the time."""
_REASON_CHARS = 200


class Watching(msgspec.Struct, frozen=True, kw_only=True):
    """How files are watched: ``notify``, ``polling`` or ``off``; and why not by ``notify``."""

    mode: Literal["notify", "polling", "off"] = "off"
    error: str | None = None


class Watcher:
    """Watches places on a thread of its own.

    Args:
        places: What to watch; they need not exist yet.
        tell: Called with the paths that changed; with none when everything may have changed.
        poll_s: How often to compare files, and to look for folders that did not exist.
        notifier: Asks the system.
    """

    def __init__(
        self,
        trees: Sequence[FileTree],
        tell: Callable[[frozenset[str]], None],
        *,
        poll_s: float,
        notifier: Notifier | None = None,
    ) -> None:
        self._trees = tuple(trees)
        self._tell = tell
        self._poll_s = poll_s
        self._notifier = notifier or system_changes
        self._worker = Worker("recollect-watch", self._watch)
        self._closing = self._worker.closing
        self.state = Watching()

    def start(self) -> None:
        """Begin to watch. Returns at once."""
        if self._trees:
            self._worker.wake()

    def close(self) -> None:
        """Stop watching. A second call does nothing."""
        self._worker.stop()
        self.state = Watching(error=self.state.error)

    def _watch(self) -> None:
        """Watch until it is stopped; begin again when there are other folders."""
        vanished = 0
        while not self._closing.is_set():
            try:
                self._watch_folders(self._folders())
                vanished = 0
            except (ImportError, OSError, RuntimeError) as error:
                vanished = vanished + 1 if isinstance(error, FileNotFoundError) else TRIES + 1
                if vanished > TRIES:
                    self.state = Watching(mode="polling", error=_reason(error))
                    self._compare(time.monotonic() + RETRY_S)
                    vanished = 0

    def _watch_folders(self, folders: frozenset[str]) -> None:
        """Report the changes in some folders until others are to be watched."""
        if not folders:
            self.state = Watching(mode="notify")
            self._closing.wait(self._poll_s)
            return
        is_first = True
        for changed in self._notifier(sorted(folders), self._closing, self._poll_s):
            self.state = Watching(mode="notify")
            relevant = frozenset(path for path in changed if self._is_meant(path, folders))
            if relevant or is_first:  # at first, what changed before it watched
                self._tell(relevant)
            if (relevant or not changed) and self._folders() != folders:
                return
            is_first = False

    def _is_meant(self, path: str, folders: frozenset[str]) -> bool:
        is_folder = path in folders or os.path.isdir(path)
        return any(tree.holds(path, is_folder=is_folder) for tree in self._trees)

    def _folders(self) -> frozenset[str]:
        return frozenset(folder for tree in self._trees for folder in tree.folders())

    def _compare(self, until: float) -> None:
        """Compare sizes and times of files again and again, until handles are tried again."""
        before = self._files()
        self._tell(frozenset())
        rest_s = self._poll_s
        while not self._closing.wait(rest_s) and time.monotonic() < until:
            began = time.monotonic()
            files = self._files()
            rest_s = max(self._poll_s, REST * (time.monotonic() - began))
            changed = {path for path, _ in files.items() ^ before.items()}
            if changed:
                self._tell(frozenset(changed))
            before = files

    def _files(self) -> dict[str, tuple[int, int]]:
        return {
            f"{tree.root}/{file.path}": (file.size, file.mtime_ns)
            for tree in self._trees
            for file in _listed(tree)
        }


def system_changes(folders: Sequence[str], stop: threading.Event, wait_s: float) -> FolderChanges:
    """Return the changes directly in some folders, as the system reports them.

    Raises:
        ImportError: `watchfiles` is not installed.
        OSError: there are no handles left, or a folder is gone.
        RuntimeError: the system refused.
    """
    from watchfiles import watch

    turns = max(1, round(wait_s * 1000 / READY_MS))
    quiet = turns - 1  # the first turn without a change says that it watches
    for changes in watch(
        *folders,
        watch_filter=None,
        debounce=GROUP_MS,
        step=STEP_MS,
        stop_event=stop,
        rust_timeout=READY_MS,
        yield_on_timeout=True,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=True,
    ):
        quiet = 0 if changes else quiet + 1
        if changes or quiet >= turns:
            quiet = 0
            yield frozenset(path for _, path in changes)


def _listed(tree: FileTree) -> Sequence[FoundFile]:
    try:
        return list_files(tree.root, accept=tree.accept, enter=tree.enter).files
    except RecollectError:
        return ()


def _reason(error: Exception) -> str:
    """Return the reason for which there is no notification, for `status`."""
    if isinstance(error, ImportError):
        return "watchfiles is not installed: pip install 'recollect[watch]'"
    return f"the system gives no notification: {str(error)[:_REASON_CHARS]}"
