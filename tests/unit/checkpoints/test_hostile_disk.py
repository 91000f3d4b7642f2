"""A hostile disk: what is refused or rolled back, and that nothing outside of the root is touched.

``REWIND_RACES`` says how many changes race with a folder that becomes a link and a folder again.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from recollect.checkpoints.files import tree as tree_module
from recollect.checkpoints.files.tree import STAGED, Staging, Tree
from recollect.checkpoints.record.rows import Checkpoint
from recollect.checkpoints.rewind.rewinds import Rewinds
from recollect.core.errors import Denied, RecollectError, RewindConflict, StoreError, StoreFull
from tests.unit.checkpoints.conftest import Project, Snapshot, opened_project

RACES = int(os.environ.get("REWIND_RACES", "2000"))  # noqa: TID251 - `make soak`
SECRET = b"outside of the root"
REWINDS = 50
"""Races of which one is a whole rewind, the others single changes."""


@contextmanager
def _swapping(folder: Path, outside: Path) -> Iterator[None]:
    """Let a process make a folder a link to another one and a folder again, as fast as it can."""
    child = os.fork()
    if child == 0:
        aside = folder.with_name("aside")
        while True:
            with suppress(OSError):
                os.rename(folder, aside)
                os.symlink(outside, folder)
            with suppress(OSError):
                os.unlink(folder)
                os.rename(aside, folder)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _states(folder: Path) -> dict[str, tuple[int, bytes, float]]:
    return {
        name: (path.stat().st_mode, path.read_bytes(), path.stat().st_mtime)
        for name in os.listdir(folder)
        for path in [folder / name]
    }


def _race(tree: Tree, dice: random.Random) -> str:
    """Try one change below the folder; return what came of it."""
    name = dice.choice(("d/a.txt", "d/b.txt", "d/secret.txt"))
    deeds: list[Callable[[], object]] = [
        lambda: tree.remove(name, is_folder=False),
        lambda: tree.set_mode(name, 0o600),
        lambda: tree.make_folder(f"d/{dice.randrange(9)}"),
    ]
    try:
        look = tree.look(name, most_bytes=1_000)
        assert look.content != SECRET
        if dice.random() < 0.5:
            with tree.staging("t") as staging:
                tree.put(name, staging, staging.write(b"inside", 0o644))
        else:
            dice.choice(deeds)()
    except Denied:
        return "denied"
    except StoreError:
        return "failed"
    return "done"


def test_no_change_escapes_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever the folder of a path becomes a link: read, put, remove, chmod, make a folder."""
    monkeypatch.setattr(tree_module, "sync", lambda _: None)  # no power is cut here
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("secret.txt", "a.txt"):
        (outside / name).write_bytes(SECRET)
    before, mode = _states(outside), outside.stat().st_mode
    dice, outcomes = random.Random(RACES), list[str]()
    with opened_project(tmp_path) as project:
        (project.root / "d").mkdir()
        with project.checkpoints.around(project.session, project.root, ["d/a.txt"]) as taken:
            (project.root / "d" / "a.txt").write_bytes(b"agent")
        with _swapping(project.root / "d", outside), Tree(project.root) as tree:
            for number in range(RACES):
                outcomes.append(_race(tree, dice))
                if number % REWINDS == 0:
                    with suppress(RecollectError):
                        project.checkpoints.rewind(taken, on_conflict="force")
        assert project.contents.usage().contents < RACES
        assert SECRET not in _kept(project)
    assert (_states(outside), outside.stat().st_mode) == (before, mode)
    assert {"denied", "done"} <= set(outcomes)


def _kept(project: Project) -> set[bytes]:
    rows = project.contents.database.read(lambda tx: tx.all("SELECT hex(digest) FROM contents", ()))
    return {project.contents.get(str(row[0]).lower()) for row in rows}


@pytest.fixture
def taken(project: Project) -> Checkpoint:
    """The checkpoint before the agent changed two files and made one."""
    names = ["a.txt", "b.txt", "d/new.txt"]
    for name in names[:2]:
        (project.root / name).write_text("before" * 500)
    with project.checkpoints.around(project.session, project.root, names) as checkpoint:
        for name in names[:2]:
            (project.root / name).write_text("after")
        (project.root / "d").mkdir()
        (project.root / "d" / "new.txt").write_text("new")
    return checkpoint


def _refused(project: Project, taken: Checkpoint, error: type[RecollectError]) -> Snapshot:
    """Expect that a rewind fails and leaves the tree as it was; return that."""
    before = project.snapshot()
    with pytest.raises(error):
        project.checkpoints.rewind(taken)
    assert project.snapshot() == before
    assert project.checkpoints.interrupted() == ()
    assert not [name for name in os.listdir(project.root) if name.startswith(STAGED)]
    return before


def test_a_file_that_the_disk_cannot_take_leaves_the_tree_as_it_was(
    project: Project, taken: Checkpoint
) -> None:
    """The limit is the system's; afterwards the same rewind is done."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    project.checkpoints.plan(taken)
    write = Staging.write

    def limited(self: Staging, content: bytes, mode: int) -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
        try:
            return write(self, content, mode)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Staging, "write", limited)
        _refused(project, taken, StoreFull)
    signal.signal(signal.SIGXFSZ, ignored)
    project.checkpoints.rewind(taken)
    assert sorted(project.snapshot()) == ["a.txt", "b.txt"]


def _failing(call: Callable[..., object], nth: int, code: int) -> Callable[..., object]:
    """Return a call that fails once."""
    calls = []

    def failing(*args: object, **kwargs: object) -> object:
        calls.append(args)
        if len(calls) == nth:
            raise OSError(code, os.strerror(code))
        return call(*args, **kwargs)

    return failing


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("name", ["replace", "unlink", "rmdir", "fchmod", "mkdir"])
def test_any_call_that_fails_once_leaves_the_tree_as_it_was(
    project: Project, taken: Checkpoint, name: str, code: int
) -> None:
    """Each call in turn, until the rewind is done without a failure."""
    before = project.snapshot()
    for nth in range(1, 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, name, _failing(getattr(os, name), nth, code))
            try:
                project.checkpoints.rewind(taken)
            except StoreError:
                pass
            else:
                break
        project.checkpoints.recover_all()
        assert project.checkpoints.interrupted() == ()
        assert project.snapshot() == before
    assert sorted(project.snapshot()) == ["a.txt", "b.txt"]


def test_a_folder_that_cannot_be_written_is_refused(
    project: Project, taken: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for a user who owns the files and has made their folder read-only."""
    user = os.geteuid() or 65_534
    perform = Rewinds._perform  # noqa: SLF001  # what changes files

    def as_user(*args: Any) -> None:
        os.seteuid(user)
        try:
            perform(*args)
        finally:
            os.seteuid(os.getuid())

    if user != os.geteuid():
        monkeypatch.setattr(Rewinds, "_perform", as_user)
        for path in (project.root, *project.root.rglob("*")):
            os.chown(path, user, -1)
    (project.root / "d").chmod(0o555)
    before = project.snapshot()
    plan = project.checkpoints.plan(taken, on_conflict="force")
    with pytest.raises(StoreError):
        project.checkpoints.apply(plan)
    assert project.snapshot() == before
    assert project.checkpoints.interrupted() == ()
    (project.root / "d").chmod(0o755)
    project.checkpoints.rewind(taken)
    assert sorted(project.snapshot()) == ["a.txt", "b.txt"]


def test_a_hard_link_is_not_written_through(
    project: Project, taken: Checkpoint, tmp_path: Path
) -> None:
    """The other name of the file keeps its bytes, also by force; the plan names the path."""
    (tmp_path / "other.txt").write_bytes(SECRET)
    (project.root / "a.txt").unlink()
    (project.root / "a.txt").hardlink_to(tmp_path / "other.txt")
    plan = project.checkpoints.plan(taken, on_conflict="force")
    status = {item.path: (item.status, item.reason) for item in plan.items}["a.txt"]
    assert status == ("uncaptured", "what is there now cannot be kept: hard link")
    project.checkpoints.apply(plan)
    assert (tmp_path / "other.txt").read_bytes() == SECRET
    assert SECRET not in _kept(project)


def test_the_permissions_of_a_hard_link_are_not_changed(tmp_path: Path) -> None:
    """It came after the last look: its other name may be outside of the root."""
    (tmp_path / "root").mkdir()
    (tmp_path / "other.txt").write_bytes(SECRET)
    (tmp_path / "other.txt").chmod(0o600)
    (tmp_path / "root" / "it").hardlink_to(tmp_path / "other.txt")
    with Tree(tmp_path / "root") as tree, pytest.raises(Denied):
        tree.set_mode("it", 0o666)
    assert stat.S_IMODE((tmp_path / "other.txt").stat().st_mode) == 0o600


def test_a_link_that_is_swapped_in_during_a_rewind_is_rolled_back(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the plan, before the change: what is outside stays, what was changed is put back."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.txt").write_bytes(SECRET)
    root = project.root
    (root / "z").mkdir()
    for name in ("a.txt", "z/x.txt"):
        (root / name).write_text("before")
    with project.checkpoints.around(project.session, root, ["a.txt", "z/x.txt"]) as taken:
        for name in ("a.txt", "z/x.txt"):
            (root / name).write_text("after")
    put = Tree.put

    def swapping(self: Tree, path: str, staging: Staging, staged: str) -> None:
        put(self, path, staging, staged)
        if path == "a.txt" and not (root / "z").is_symlink():
            (root / "z").rename(root / "aside")
            (root / "z").symlink_to(outside)

    monkeypatch.setattr(Tree, "put", swapping)
    with pytest.raises((RewindConflict, Denied)):
        project.checkpoints.rewind(taken)
    assert (outside / "x.txt").read_bytes() == SECRET
    assert (root / "a.txt").read_text() == "after"
    assert (root / "aside" / "x.txt").read_text() == "after"
    assert SECRET not in _kept(project)
