"""Watching: what a watch says is complete, or it says that it does not know."""

from __future__ import annotations

import gc
import os
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.checkpoints.capture.manifest import CaptureLimits, Manifest
from recollect.checkpoints.files import watch as watch_module
from recollect.checkpoints.files.watch import FolderWatch, WatchRefused
from recollect.checkpoints.record.rows import Change
from tests.unit.checkpoints.conftest import Project

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere everything is compared"
)


@pytest.fixture
def watched(project: Project) -> Iterator[Manifest]:
    """A manifest that watches the project's root."""
    manifest = Manifest(project.contents, project.root, CaptureLimits(), lambda: lambda _: False)
    manifest.begin("first")
    manifest.end("first")
    yield manifest
    manifest.close()


def _queues() -> int:
    """Return how many queues of events this process has open."""
    names = (os.fspath(each) for each in Path("/proc/self/fd").iterdir())
    return sum(os.path.lexists(name) and "inotify" in os.readlink(name) for name in names)


def _ways(changes: list[Change]) -> list[tuple[str, object, object]]:
    return [(each.path, each.before, each.after) for each in changes]


def _disturb(dice: random.Random, root: Path) -> None:
    """Change a tree as a command might: folders made, filled, moved, swapped and removed."""
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    files = [path for path in root.rglob("*") if path.is_file()]
    folder = dice.choice(folders)
    name = dice.choice("abcd")
    deed = dice.randrange(6)
    if deed == 0 and len(folders) < 12:
        (folder / name).mkdir(exist_ok=True) if not (folder / name).is_file() else None
    elif deed == 1 and len(folders) > 1:
        shutil.rmtree(dice.choice(folders[1:]))
    elif deed == 2 and len(folders) > 2:
        one, other = dice.sample(folders[1:], 2)
        if not other.is_relative_to(one) and not (other / one.name).exists():
            one.rename(other / one.name)
    elif deed == 3 and files:
        dice.choice(files).chmod(dice.choice((0o600, 0o644)))
    elif deed == 4 and files:
        dice.choice(files).unlink()
    elif not (folder / name).is_dir():
        (folder / name).write_bytes(dice.randbytes(30))


@pytest.mark.parametrize("seed", range(15))
def test_a_watch_sees_what_comparing_sees(project: Project, watched: Manifest, seed: int) -> None:
    """Through moves of folders onto the names of others, and at once after them."""
    dice = random.Random(seed)
    compared = Manifest(
        project.contents, project.root, CaptureLimits(), lambda: lambda _: False, watches=False
    )
    for number in range(25):
        compared.begin(str(number))
        watched.begin(str(number))
        for _ in range(dice.randrange(1, 8)):
            _disturb(dice, project.root)
        assert _ways(watched.end(str(number))) == _ways(compared.end(str(number)))


def test_a_queue_that_was_full_is_a_doubt(project: Project, watched: Manifest) -> None:
    """Then everything is compared, and watched anew."""
    one, other = project.root / "one", project.root / "other"
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    if most > 50_000:
        pytest.skip("the queue is too long to fill it")
    watched.begin("command")
    for number in range(most // 2 + 10):
        (one if number % 2 else other).write_bytes(b"1")
    (project.root / "last").write_bytes(b"1")
    assert [each.path for each in watched.end("command")] == ["last", "one", "other"]
    watched.begin("next")
    one.unlink()
    assert [each.path for each in watched.end("next")] == ["one"]


def test_a_watch_that_was_not_asked_for_long_is_not_believed(
    project: Project, watched: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is compared, and watched anew."""
    monkeypatch.setattr("recollect.checkpoints.capture.manifest._TRUST_S", 0.0)
    monkeypatch.setattr(FolderWatch, "changes", _not_asked)
    watched.begin("command")
    (project.root / "made").write_bytes(b"1")
    assert [each.path for each in watched.end("command")] == ["made"]


def _not_asked(_: FolderWatch) -> None:
    pytest.fail("it was asked")


@pytest.mark.parametrize("refused", ["_is_local", "add"])
def test_where_nothing_can_be_watched_everything_is_compared(
    project: Project, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """A disk of the network; no watches left."""
    (project.root / "folder").mkdir()
    if refused == "add":
        monkeypatch.setattr(FolderWatch, "add", _no_watch)
    else:
        monkeypatch.setattr(watch_module, refused, lambda _: False)
    before = _queues()
    manifest = Manifest(project.contents, project.root, CaptureLimits(), lambda: lambda _: False)
    for name in ("one", "two"):
        manifest.begin(name)
        (project.root / "folder" / name).write_bytes(b"1")
        assert [each.path for each in manifest.end(name)] == [f"folder/{name}"]
    assert _queues() == before


def _no_watch(*_: object) -> None:
    raise WatchRefused


def test_a_watch_leaves_nothing_open(project: Project) -> None:
    """Neither where the manifest closes, nor where it is let go; and a look alone opens none."""
    before = _queues()
    manifest = Manifest(project.contents, project.root, CaptureLimits(), lambda: lambda _: False)
    manifest.begin()
    assert _queues() == before
    manifest.begin("command")
    assert _queues() == before + 1
    manifest.close()
    assert _queues() == before
    manifest.begin("command")
    del manifest
    gc.collect()
    assert _queues() == before


def test_a_manifest_rests_after_minutes(
    project: Project, watched: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that still runs gets its changes all the same."""
    watched.begin("command")
    watched.rest()
    assert _queues() == 1
    monkeypatch.setattr("recollect.checkpoints.capture.manifest._TRUST_S", 0.0)
    watched.rest()
    assert _queues() == 0
    (project.root / "made").write_bytes(b"1")
    assert [each.path for each in watched.end("command")] == ["made"]


def test_a_root_that_moves_is_a_doubt(project: Project) -> None:
    """What is watched is not what has its name."""
    watch = FolderWatch(project.root)
    descriptor = os.open(project.root, os.O_RDONLY)
    watch.add(descriptor, "")
    os.close(descriptor)
    project.root.rename(project.root.with_name("moved"))
    with pytest.raises(WatchRefused):
        watch.changes()
    watch.close()
