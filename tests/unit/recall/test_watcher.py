"""The watcher: what it tells, what it does not look at, and what it does without handles."""

from __future__ import annotations

import errno
import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from recollect.workspace import watcher as watching
from recollect.workspace.extra_paths import ExtraPath, extra_path
from recollect.workspace.memory_folder import memory_trees
from recollect.workspace.watcher import Notifier, Watcher, Watching, system_changes

PATIENCE_S = 30.0
"""Longer than any machine takes; the tests wait for the thing itself."""


class Told:
    """What a watcher tells, in order."""

    def __init__(self) -> None:
        self._queue: queue.Queue[frozenset[str]] = queue.Queue()

    def __call__(self, paths: frozenset[str]) -> None:
        """Take it in."""
        self._queue.put(paths)

    def next(self) -> frozenset[str]:
        """Return the next thing that was told."""
        return self._queue.get(timeout=PATIENCE_S)

    def until(self, path: Path) -> None:
        """Return when a path was told."""
        while str(path) not in self.next():
            pass


class Watched:
    """A watched workspace."""

    def __init__(
        self,
        workspace: Path,
        extra: Sequence[ExtraPath] = (),
        *,
        notifier: Notifier | None = None,
        poll_s: float = 0.05,
    ) -> None:
        self.told = Told()
        self.watcher = Watcher(
            memory_trees(workspace, extra), self.told, poll_s=poll_s, notifier=notifier
        )

    def __enter__(self) -> Watched:
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.watcher.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one note."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/a.md").write_text("apple", encoding="utf-8")
    return folder


def _refusing(error: Exception) -> Callable[..., Iterator[frozenset[str]]]:
    def changes(_: Sequence[str], __: threading.Event, ___: float) -> Iterator[frozenset[str]]:
        raise error

    return changes


def test_a_saved_file_is_told_and_others_are_not(workspace: Path) -> None:
    """By the system; at first it tells to look at everything."""
    with Watched(workspace) as watched:
        assert watched.told.next() == frozenset()
        assert watched.watcher.state == Watching(mode="notify")
        (workspace / "README.md").write_text("no memory", encoding="utf-8")
        (workspace / "memory/a.txt").write_text("no memory", encoding="utf-8")
        (workspace / "memory/a.md").write_text("apples", encoding="utf-8")
        assert watched.told.next() == {str(workspace / "memory/a.md")}
        (workspace / "MEMORY.md").write_text("bread", encoding="utf-8")
        watched.told.until(workspace / "MEMORY.md")
    assert watched.watcher.state == Watching()


def test_folders_that_come_later_are_watched(tmp_path: Path) -> None:
    """Also the workspace itself, which nobody has made yet."""
    workspace = tmp_path / "later"
    with Watched(workspace) as watched:
        note = workspace / "memory/deep/a.md"
        note.parent.mkdir(parents=True)
        # First the folders are told, or that everything may have changed; then the file by name.
        while str(note) not in watched.told.next():
            note.write_text("apple", encoding="utf-8")


def test_a_folder_that_goes_is_told(workspace: Path) -> None:
    """Its files are gone with it."""
    (workspace / "memory/old").mkdir()
    with Watched(workspace) as watched:
        watched.told.next()
        (workspace / "memory/old").rmdir()
        # Or that everything may have changed, when it went before it was watched.
        assert watched.told.next() in ({str(workspace / "memory/old")}, frozenset())


def test_folders_of_programs_and_files_cost_no_handle(tmp_path: Path) -> None:
    """A handle for each folder that may hold memory, whatever is in it."""
    for folder in (".git/objects", "node_modules/p", "sub"):
        (tmp_path / "notes" / folder).mkdir(parents=True)
    for number in range(20):
        (tmp_path / f"notes/{number}.md").write_text("note", encoding="utf-8")
    asked: list[Sequence[str]] = []

    def changes(
        folders: Sequence[str], stop: threading.Event, _: float
    ) -> Iterator[frozenset[str]]:
        asked.append(folders)
        yield frozenset()
        stop.wait()

    with Watched(tmp_path, [ExtraPath(path=tmp_path / "notes")], notifier=changes) as watched:
        watched.told.next()
    notes = str(tmp_path / "notes")
    assert asked == [[str(tmp_path), notes, f"{notes}/sub"]]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ImportError("No module named 'watchfiles'"), "watchfiles is not installed"),
        (OSError(errno.ENOSPC, "OS file watch limit reached"), "OS file watch limit reached"),
        (RuntimeError("Too many open files (os error 24)"), "Too many open files"),
    ],
)
def test_without_handles_files_are_compared(workspace: Path, error: Exception, reason: str) -> None:
    """And the state says why."""
    with Watched(workspace, notifier=_refusing(error)) as watched:
        assert watched.told.next() == frozenset()
        assert watched.watcher.state.mode == "polling"
        assert reason in (watched.watcher.state.error or "")
        (workspace / "memory/b.md").write_text("bread", encoding="utf-8")
        watched.told.until(workspace / "memory/b.md")
        (workspace / "memory/a.md").unlink()
        watched.told.until(workspace / "memory/a.md")


def test_handles_are_tried_again(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may have let go of them."""
    monkeypatch.setattr(watching, "RETRY_S", 0.01)
    tries = 0

    def changes(
        folders: Sequence[str], stop: threading.Event, wait_s: float
    ) -> Iterator[frozenset[str]]:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise OSError(errno.EMFILE, "too many open files")
        yield from system_changes(folders, stop, wait_s)

    with Watched(workspace, notifier=changes, poll_s=0.01) as watched:
        watched.told.next()
        watched.told.next()
        assert watched.watcher.state == Watching(mode="notify")


def test_a_folder_that_always_vanishes_ends_in_comparing(workspace: Path) -> None:
    """After some tries it is taken for something else."""
    with Watched(workspace, notifier=_refusing(FileNotFoundError("no path"))) as watched:
        watched.told.next()
        assert watched.watcher.state.mode == "polling"


def test_a_file_or_folder_that_cannot_be_listed_has_no_changes(tmp_path: Path) -> None:
    """Comparing goes on with the others."""
    extra = [extra_path(str(tmp_path / "none.md"), None), extra_path(str(tmp_path / "no"), None)]
    (tmp_path / "memory").mkdir()
    with Watched(tmp_path, extra, notifier=_refusing(ImportError())) as watched:
        watched.told.next()
        (tmp_path / "none.md").write_text("now", encoding="utf-8")
        watched.told.until(tmp_path / "none.md")


def test_nothing_to_watch_is_not_watched() -> None:
    """No thread is started."""
    before = threading.active_count()
    watcher = Watcher((), lambda _: None, poll_s=1.0)
    watcher.start()
    assert (threading.active_count(), watcher.state) == (before, Watching())
    watcher.close()


def test_links_are_not_watched(tmp_path: Path) -> None:
    """A link may lead anywhere."""
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "workspace/memory").mkdir(parents=True)
    os.symlink(tmp_path / "real", tmp_path / "workspace/memory/link")
    os.symlink(tmp_path / "real", tmp_path / "notes")
    places = memory_trees(tmp_path / "workspace", [ExtraPath(path=tmp_path / "notes")])
    folders = [folder for place in places for folder in place.folders()]
    assert folders == [str(tmp_path / "workspace"), str(tmp_path / "workspace/memory")]
