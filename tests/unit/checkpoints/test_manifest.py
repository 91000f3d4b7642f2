"""Manifests: what a command changed is what it changed, and what was is kept or said to be lost."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from recollect.checkpoints.capture import manifest as manifest_module
from recollect.checkpoints.capture.manifest import CaptureLimits, Manifest
from recollect.checkpoints.files.exclusion import Exclusions
from recollect.checkpoints.files.scan import Folder
from recollect.checkpoints.files.state import ABSENT, PathState
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import Change
from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound, StoreError
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_contents
from tests.unit.checkpoints.conftest import Project

Making = Callable[..., Manifest]
LIMITS = CaptureLimits()


@pytest.fixture(params=[True, False], ids=["watched", "compared"])
def make(project: Project, request: pytest.FixtureRequest) -> Iterator[Making]:
    """Make manifests of the project, with and without a watch."""
    made: list[Manifest] = []

    def manifest(limits: CaptureLimits = LIMITS, contents: Contents | None = None) -> Manifest:
        of = Manifest(
            contents or project.contents,
            project.root,
            limits,
            partial(Exclusions(["*.secret"]).test_of, project.root),
            watches=request.param,
        )
        made.append(of)
        return of

    yield manifest
    for each in made:
        each.close()


def _command(manifest: Manifest, deed: Callable[[], object]) -> dict[str, Change]:
    manifest.begin("command")
    deed()
    return {change.path: change for change in manifest.end("command")}


def _kinds(changes: dict[str, Change]) -> dict[str, tuple[str, str]]:
    return {
        path: (change.before.reason or change.before.kind, change.after.reason or change.after.kind)
        for path, change in changes.items()
    }


def test_every_kind_of_path_and_change_is_seen(make: Making, project: Project) -> None:
    """Empty, binary, linked, executable, read-only; made, changed, renamed, emptied, gone."""
    root = project.root
    (root / "empty").write_bytes(b"")
    (root / "binary").write_bytes(bytes(range(256)))
    (root / "run.sh").write_text("echo")
    (root / "read only").write_text("kept")
    (root / "read only").chmod(0o444)
    (root / "link").symlink_to("binary")
    (root / "README.md").write_text("read me")
    (root / "ünï").mkdir()
    (root / "ünï" / "ß.txt").write_text("ß")
    (root / "hollow").mkdir()
    (root / "becomes a folder").write_text("file")
    (root / "becomes a file").mkdir()
    (root / "becomes a file" / "inside").write_text("inside")

    def deed() -> None:
        (root / "empty").write_text("filled")
        (root / "binary").unlink()
        (root / "run.sh").chmod(0o755)
        (root / "read only").chmod(0o644)
        (root / "link").unlink()
        (root / "link").symlink_to("elsewhere")
        (root / "README.md").rename(root / "readme.md")
        (root / "ünï").rename(root / "uni")
        (root / "hollow").rmdir()
        (root / "becomes a folder").unlink()
        (root / "becomes a folder").mkdir()
        (root / "becomes a file" / "inside").unlink()
        (root / "becomes a file").rmdir()
        (root / "becomes a file").write_text("file")
        (root / "new" / "deep").mkdir(parents=True)
        (root / "new" / "deep" / "file").write_text("new")

    changes = _command(make(), deed)
    assert _kinds(changes) == {
        "README.md": ("file", "absent"),
        "becomes a file": ("folder", "file"),
        "becomes a file/inside": ("file", "absent"),
        "becomes a folder": ("file", "folder"),
        "binary": ("file", "absent"),
        "empty": ("file", "file"),
        "hollow": ("folder", "absent"),
        "link": ("symlink", "symlink"),
        "new": ("absent", "folder"),
        "new/deep": ("absent", "folder"),
        "new/deep/file": ("absent", "file"),
        "read only": ("file", "file"),
        "readme.md": ("absent", "file"),
        "run.sh": ("file", "file"),
        "uni": ("absent", "folder"),
        "uni/ß.txt": ("absent", "file"),
        "ünï": ("folder", "absent"),
        "ünï/ß.txt": ("file", "absent"),
    }
    assert changes["link"].before.target == "binary"
    assert (changes["run.sh"].before.mode, changes["run.sh"].after.mode) == (0o644, 0o755)
    for path, content in (("binary", bytes(range(256))), ("ünï/ß.txt", "ß".encode())):
        assert project.contents.get(changes[path].before.digest or "") == content


def test_what_cannot_be_kept_is_counted_before_the_command_runs(
    make: Making, project: Project
) -> None:
    """Too large, excluded, linked twice, no file at all, no room: each says why."""
    root = project.root
    (root / "large").write_bytes(bytes(2_000))
    (root / "a.secret").write_text("hidden")
    (root / "one").write_text("shared")
    (root / "two").hardlink_to(root / "one")
    os.mkfifo(root / "pipe")
    (root / "small").write_bytes(b"1234")
    manifest = make(CaptureLimits(file_bytes=1_000, root_bytes=1_500))
    assert manifest.begin("command") == (6, 5)
    for number in range(2):
        (root / f"wide {number}").write_bytes(bytes(900))
    (root / "large").unlink()
    changes = {change.path: change for change in manifest.end("command")}
    assert _kinds(changes).pop("large") == ("too large", "absent")
    assert sorted(kind for _, kind in _kinds(changes).values()) == ["absent", "file", "no room"]
    (root / "small").unlink()
    (root / "wide 0").write_bytes(b"less")
    (root / "wide 1").write_bytes(b"less")
    assert manifest.begin() == (6, 4)


def test_what_had_no_room_is_captured_when_there_is_some(make: Making, project: Project) -> None:
    """Though it did not change."""
    for name in ("one", "two"):
        (project.root / name).write_bytes(name.encode() * 300)
    assert make(CaptureLimits(command_bytes=1_000)).begin() == (2, 1)
    assert make(CaptureLimits(command_bytes=1_000)).begin() == (2, 0)


def test_a_name_that_is_no_text_is_not_captured_and_breaks_nothing(
    make: Making, project: Project
) -> None:
    """Of a file, a folder and a link's target; before a command, and made by one."""
    root = os.fsencode(project.root)
    Path(os.fsdecode(root + b"/old\xff")).write_bytes(b"old")
    os.symlink(b"to\xff", root + b"/link")

    def deed() -> None:
        os.mkdir(root + b"/folder\xe9")
        Path(os.fsdecode(root + b"/folder\xe9/inside")).write_bytes(b"not seen")
        Path(os.fsdecode(root + b"/old\xff")).unlink()

    manifest = make()
    assert manifest.begin() == (2, 2)
    assert _kinds(_command(manifest, deed)) == {
        "folder\\xe9": ("name", "name"),
        "old\\xff": ("name", "absent"),
    }


def test_a_link_that_is_swapped_in_leads_nowhere(
    make: Making, project: Project, tmp_path: Path
) -> None:
    """A folder that becomes a link while the command runs is a link, and nothing behind it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("theirs")
    (project.root / "folder").mkdir()
    (project.root / "folder" / "file").write_text("ours")

    def deed() -> None:
        (project.root / "folder" / "file").unlink()
        (project.root / "folder").rmdir()
        (project.root / "folder").symlink_to(tmp_path / "outside")

    changes = _command(make(), deed)
    assert _kinds(changes) == {"folder": ("folder", "symlink"), "folder/file": ("file", "absent")}


def test_a_folder_that_may_not_be_read_takes_nothing_away(
    make: Making, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in it is not known: neither gone, nor new when it can be read again."""
    inside = project.root / "folder" / "deep"
    inside.mkdir(parents=True)
    (inside / "file").write_text("there")
    closed: set[str] = set()
    opening = os.open

    def refusing(path: str, flags: int, *rest: int, **options: int) -> int:
        if path in closed:
            raise PermissionError(13, "no")
        return opening(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refusing)
    manifest = make()
    manifest.begin("first")
    closed.add("folder")
    (project.root / "folder").chmod(0o711)
    manifest.close()
    kinds = _kinds({change.path: change for change in manifest.end("first")})
    assert kinds["folder/deep/file"] == ("file", "unreadable")
    manifest.begin("second")
    closed.clear()
    manifest.close()
    for change in manifest.end("second"):
        assert change.before.kind in {"uncaptured", "folder"}


def test_what_comes_to_light_is_not_new(
    make: Making, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rewind would remove it otherwise."""
    (project.root / "folder").mkdir()
    (project.root / "folder" / "file").write_text("there")
    opening = os.open

    def refusing(path: str, flags: int, *rest: int, **options: int) -> int:
        if path == "folder":
            raise PermissionError(13, "no")
        return opening(path, flags, *rest, **options)

    manifest = make()
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refusing)
        assert manifest.begin("command") == (1, 1)
    manifest.close()
    kinds = _kinds({change.path: change for change in manifest.end("command")})
    assert kinds == {"folder": ("unreadable", "folder"), "folder/file": ("not seen before", "file")}


def test_a_command_whose_root_was_never_seen_changed_nothing(
    make: Making, project: Project
) -> None:
    """All that is there would be its own otherwise."""
    (project.root / "file").write_text("of the user")
    assert make().end("unknown") == []


def test_commands_that_overlap_each_see_what_changed_in_their_time(
    make: Making, project: Project
) -> None:
    """The look of one takes nothing from the other."""
    manifest = make()
    manifest.begin("long")
    (project.root / "by long").write_text("1")
    manifest.begin("short")
    (project.root / "by either").write_text("1")
    assert [change.path for change in manifest.end("short")] == ["by either"]
    (project.root / "by long").write_text("22")
    changes = manifest.end("long")
    assert [change.path for change in changes] == ["by either", "by long"]
    assert changes[1].before == ABSENT


def test_a_command_survives_the_process_that_saw_it_begin(make: Making, project: Project) -> None:
    """Another one reads what the root was."""
    (project.root / "file").write_text("before")
    make().begin("command")
    (project.root / "file").write_text("after")
    (change,) = make().end("command")
    assert project.contents.get(change.before.digest or "") == b"before"


def test_a_change_within_the_same_tick_of_the_clock_is_seen(make: Making, project: Project) -> None:
    """Size, inode and times may all be as before."""
    file = project.root / "file"
    manifest = make()
    for number in range(50):
        file.write_text(f"{number:04}")
        manifest.begin("command")
        file.write_text(f"{number + 1:04}")
        (change,) = manifest.end("command")
        assert project.contents.get(change.before.digest or "") == f"{number:04}".encode()


def test_a_content_that_is_gone_is_not_captured(make: Making, project: Project) -> None:
    """It is never named as if it were there."""
    (project.root / "file").write_text("before")
    manifest = make()
    manifest.begin("command")
    project.contents.database.write(lambda tx: tx.execute("DELETE FROM contents"))
    (project.root / "file").write_text("after")
    (change,) = manifest.end("command")
    assert (change.before.kind, change.before.reason) == ("uncaptured", "not kept")


def test_a_sweep_leaves_what_a_manifest_says_is_kept(make: Making, project: Project) -> None:
    """A command may change it next."""
    (project.root / "file").write_text("before")
    make().begin("command")
    assert project.contents.sweep([], older_than=2**60) == 0


def test_a_store_that_fails_forgets_the_look(
    make: Making, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one reads the same files again."""
    (project.root / "file").write_text("before")
    manifest = make()
    with monkeypatch.context() as patched:
        patched.setattr(Contents, "submit", _refused)
        with pytest.raises(StoreError):
            manifest.begin("command")
    manifest.begin("command")
    (project.root / "file").write_text("after")
    (change,) = manifest.end("command")
    assert project.contents.get(change.before.digest or "") == b"before"


def _refused(*_: object) -> None:
    raise StoreError("no space is left on the device")


def test_a_root_that_is_gone_is_an_error(make: Making, project: Project) -> None:
    """Of the kind that says what to do."""
    manifest = make()
    manifest.begin("command")
    project.root.rename(project.root.with_name("elsewhere"))
    with pytest.raises(NotFound):
        manifest.end("command")


def test_files_that_change_and_vanish_meanwhile_raise_nothing(
    make: Making, project: Project
) -> None:
    """And whatever is said to be kept is."""
    root, stop = project.root, threading.Event()

    def churn() -> None:
        dice = random.Random(3)
        for number in range(1_000):  # else the root grows without end
            if stop.is_set():
                return
            folder = root / f"d{dice.randrange(4)}"
            folder.mkdir(exist_ok=True)
            (folder / f"f{dice.randrange(4)}").write_bytes(dice.randbytes(5_000))
            if dice.random() < 0.3:
                folder.rename(root / f"e{number}")

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        manifest = make()
        for _ in range(15):
            manifest.begin("command")
            for change in manifest.end("command"):
                if change.before.digest is not None:
                    project.contents.get(change.before.digest)
    finally:
        stop.set()
        thread.join()
    manifest.begin()
    _compare_with_disk(project, make())


def test_two_processes_that_look_at_one_root_stay_consistent(
    make: Making, project: Project, tmp_path: Path
) -> None:
    """Whatever order their rows come in: a state is that of how a file looks, and it is kept."""
    clock = SystemClock()
    other = open_contents(tmp_path / "home", StoreSettings(), clock)
    manifests = [make(), make(contents=Contents(lambda: other, "local", clock))]
    dice = random.Random(5)

    def look(manifest: Manifest) -> None:
        for number in range(15):
            (project.root / f"f{dice.randrange(8)}").write_bytes(dice.randbytes(200))
            manifest.begin(str(number))
            manifest.end(str(number))

    threads = [threading.Thread(target=look, args=(each,)) for each in manifests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    _compare_with_disk(project, make())


def _compare_with_disk(project: Project, manifest: Manifest) -> None:
    """Check what a new process believes of files that look as they did."""
    folders: dict[str, Folder] = manifest._loaded()  # noqa: SLF001  # what a look trusts
    for prefix, folder in folders.items():
        for name, entry in folder.entries.items():
            path = project.root / prefix / name
            if not path.is_file():
                continue
            there = path.stat()
            looks = (there.st_mode, there.st_size, there.st_ctime_ns, there.st_ino)
            if entry.stamp == looks:
                state: PathState = entry.state
                assert state.digest == hashlib.sha256(path.read_bytes()).hexdigest()
                assert project.contents.get(state.digest) == path.read_bytes()


def _git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=n", "-c", "user.email=n@localhost", "-c", "core.fsync=none")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def tracked(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in git with a clean, a changed, an untracked and an ignored file."""
    monkeypatch.setattr(manifest_module, "_FEW", 0)
    root = project.root
    _git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n")
    (root / "src").mkdir()
    for name in ("src/clean.py", "src/changed.py"):
        (root / name).write_text(f"{name}\n" * 50)
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "all")
    (root / "src/changed.py").write_text("changed\n")
    (root / "untracked.py").write_text("untracked\n")
    (root / "debug.log").write_text("ignored\n")
    return project


def _held(project: Project, name: str) -> bool:
    digest = hashlib.sha256((project.root / name).read_bytes()).hexdigest()
    return digest in project.contents.has([digest])


def test_only_what_git_does_not_have_is_stored_before_a_command(
    make: Making, tracked: Project
) -> None:
    """What it has comes back from its objects when a command changes it."""
    root = tracked.root
    manifest = make()
    manifest.begin("command")
    stored = {name: _held(tracked, name) for name in sorted(_files(root))}
    assert stored == {
        ".gitignore": False,
        "debug.log": True,
        "src/changed.py": True,
        "src/clean.py": False,
        "untracked.py": True,
    }
    was = (root / "src/clean.py").read_bytes()
    for name in stored:
        (root / name).unlink()
    changes = {change.path: change for change in manifest.end("command")}
    assert {change.before.kind for change in changes.values()} == {"file"}
    _git(root, "update-ref", "-d", "HEAD")
    _git(root, "rm", "-rq", "--cached", ".")
    _git(root, "reflog", "expire", "--expire=all", "--all")
    _git(root, "gc", "-q", "--prune=now")
    assert tracked.contents.get(changes["src/clean.py"].before.digest or "") == was


def test_packed_objects_linked_work_trees_submodules_and_nested_repositories(
    make: Making, tracked: Project, tmp_path: Path
) -> None:
    """Each file is asked of the repository that it is in."""
    root = tracked.root
    _git(root, "gc", "-q")
    inner = tmp_path / "inner"
    inner.mkdir()
    _git(inner, "init", "-q")
    (inner / "inner.py").write_text("inner\n" * 9)
    _git(inner, "add", ".")
    _git(inner, "commit", "-qm", "inner")
    _git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    _git(root, "clone", "-q", str(inner), "nested")
    _git(root, "worktree", "add", "-q", "linked")
    manifest = make()
    manifest.begin("command")
    names = ("sub/inner.py", "nested/inner.py", "linked/src/clean.py", "src/clean.py")
    assert {name: _held(tracked, name) for name in names} == dict.fromkeys(names, False)
    for name in names:
        (root / name).write_text("changed")
    changes = {change.path: change.before for change in manifest.end("command")}
    assert [changes[name].kind for name in names] == ["file"] * 4
    assert tracked.contents.get(changes["sub/inner.py"].digest or "") == b"inner\n" * 9


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read(make: Making, tracked: Project, version: str) -> None:
    """Also one whose entries have more flags, and one whose names are shortened."""
    root = tracked.root
    for number in range(40):
        (root / "src" / f"file with a long name {number}.py").write_text(f"{number}\n" * 9)
    _git(root, "add", ".")
    (root / "later.py").write_text("later")
    if version == "3":
        _git(root, "add", "-N", "later.py")
        _git(root, "update-index", "--skip-worktree", "src/clean.py")
    _git(root, "update-index", f"--index-version={version}")
    make().begin()
    names = [name for name in _files(root) if name.startswith("src/file")]
    assert len(names) == 40
    assert not any(_held(tracked, name) for name in names)
    assert _held(tracked, "later.py")


def test_a_file_that_git_would_change_on_its_way_is_stored(make: Making, tracked: Project) -> None:
    """Its object has other bytes: line ends, filters; and ids of SHA-256 are not asked for."""
    root = tracked.root
    (root / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (root / "lines.txt").write_bytes(b"one\r\ntwo\r\n")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "lines")
    assert _git(root, "status", "--short", "lines.txt") == ""
    _git(root, "init", "-q", "--object-format=sha256", "other")
    (root / "other" / "file").write_text("sha256")
    _git(root / "other", "add", ".")
    make().begin("command")
    assert _held(tracked, "lines.txt")
    assert _held(tracked, "other/file")


def test_an_object_that_is_missing_is_not_captured(make: Making, tracked: Project) -> None:
    """The path is named, and not dropped."""
    root = tracked.root
    manifest = make()
    manifest.begin("command")
    for path in (root / ".git" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"damaged")
    (root / "src/clean.py").unlink()
    (change,) = manifest.end("command")
    assert (change.path, change.before.reason) == ("src/clean.py", "not kept")


def test_without_git_everything_is_stored(
    make: Making, tracked: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also where the index is damaged."""
    (tracked.root / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\5short")
    make().begin()
    assert _held(tracked, "src/clean.py")
    monkeypatch.setenv("PATH", str(tmp_path))
    (tracked.root / "src" / "more.py").write_text("more")
    make().begin()
    assert _held(tracked, "src/more.py")


@pytest.mark.parametrize("place", [".git", ".git/index", ".git/config", ".git/commondir"])
def test_a_repository_that_never_ends_is_none(
    make: Making, project: Project, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A pipe where git has a file: nobody writes into it."""
    monkeypatch.setattr(manifest_module, "_FEW", 0)
    (project.root / place).parent.mkdir(exist_ok=True)
    os.mkfifo(project.root / place)
    (project.root / "file").write_text("stored")
    make().begin()
    assert _held(project, "file")


def test_git_sees_nothing_of_it(make: Making, tracked: Project) -> None:
    """Index, refs, objects and status are as they were, byte for byte."""
    root = tracked.root
    before = {path: path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}
    manifest = make()
    manifest.begin("command")
    (root / "src/clean.py").unlink()
    manifest.end("command")
    assert before == {p: p.read_bytes() for p in (root / ".git").rglob("*") if p.is_file()}
    assert " D src/clean.py" in _git(root, "status", "--short")


def test_a_root_inside_of_a_repository_asks_it(project: Project, tracked: Project) -> None:
    """The index names its files from further up."""
    inner = tracked.root / "src"
    manifest = Manifest(project.contents, inner, CaptureLimits(), lambda: lambda _: False)
    manifest.begin("command")
    assert not _held(tracked, "src/clean.py")
    (inner / "clean.py").unlink()
    (change,) = manifest.end("command")
    manifest.close()
    assert (change.path, change.before.kind) == ("clean.py", "file")


def _files(root: Path) -> list[str]:
    names = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return [name for name in names if not name.startswith(".git/")]


def test_a_manifest_that_is_removed_while_a_command_runs_loses_nothing(
    make: Making, project: Project
) -> None:
    """A sweep forgets roots that no checkpoint names yet, such as that of the first command."""
    manifest = make()
    manifest.begin("first")
    (project.root / "a").touch()
    project.contents.database.write(lambda tx: tx.execute("DELETE FROM manifests"))
    manifest.begin("second")
    (project.root / "b").touch()
    assert [each.path for each in manifest.end("first")] == ["a", "b"]
    assert [each.path for each in manifest.end("second")] == ["b"]
    _compare_with_disk(project, make())
