"""Paths stay under their root."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.errors import (
    Conflict,
    Denied,
    InvalidInput,
    NotFound,
    RecollectError,
    StoreError,
    StoreFull,
)
from recollect.store import paths
from recollect.store.files import draft_name
from recollect.store.paths import (
    append_beneath,
    check_id,
    list_files,
    open_beneath,
    read_beneath,
    rewrite_beneath,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file, and a secret beside it."""
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "file.md").write_bytes(b"hello")
    (tmp_path / "secret").write_bytes(b"secret")
    return folder


@given(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True))
def test_an_id_is_letters_digits_and_dashes(value: str) -> None:
    """It is given back."""
    assert check_id(value) == value


@pytest.mark.parametrize(
    "value", ["", ".", "..", "a/b", "a\\b", "a b", "a\n", "é", "x" * 65, "a\0", "~", "a.jsonl"]
)
def test_anything_else_is_no_id(value: str) -> None:
    """It could become a path."""
    with pytest.raises(InvalidInput):
        check_id(value)


def test_a_file_below_the_root_is_read(root: Path, tmp_path: Path) -> None:
    """Also when the root itself is a link."""
    assert read_beneath(root, "sub/file.md", limit=5) == b"hello"
    (tmp_path / "link").symlink_to(root)
    assert read_beneath(tmp_path / "link", "sub/file.md", limit=100) == b"hello"


def test_a_file_over_the_limit_is_refused(root: Path) -> None:
    """Without reading all of it."""
    with pytest.raises(InvalidInput, match="larger than 4 bytes"):
        read_beneath(root, "sub/file.md", limit=4)


@pytest.mark.parametrize(
    "relative",
    ["../secret", "sub/../../secret", "/etc/passwd", "", ".", "sub//file.md", "sub/", "a\0b"],
)
def test_a_path_that_leads_out_is_denied(root: Path, relative: str) -> None:
    """Or that is written in a way that could."""
    with pytest.raises(Denied):
        read_beneath(root, relative, limit=100)


@settings(deadline=None)
@given(st.text(st.sampled_from("./\\asub\0~"), max_size=12))
def test_no_path_reads_anything_else(relative: str) -> None:
    """Whatever it is made of."""
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / "a"
        inner.mkdir()
        (inner / "s").write_bytes(b"inside")
        (Path(folder) / "s").write_bytes(b"outside")
        try:
            content = read_beneath(inner, relative, limit=100)
        except RecollectError:
            return
        assert content == b"inside"


def test_links_are_denied(root: Path, tmp_path: Path) -> None:
    """As a file, as a folder on the way, and as a second name of a file outside."""
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    os.link(tmp_path / "secret", root / "hard")
    for relative in ("link", "folder/secret", "hard"):
        with pytest.raises(Denied):
            read_beneath(root, relative, limit=100)


def test_special_files_are_denied(root: Path) -> None:
    """Without waiting for them."""
    os.mkfifo(root / "pipe")
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    try:
        os.chdir(root)  # the name of a socket is short
        server.bind("socket")
    finally:
        os.chdir(here)
    for relative in ("pipe", "socket", "sub"):
        with pytest.raises(Denied):
            read_beneath(root, relative, limit=100)
    server.close()


def test_what_is_missing_is_not_found(root: Path) -> None:
    """A file, a folder on the way, or the root."""
    for relative in ("missing", "missing/file", "x" * 300):
        with pytest.raises(NotFound):
            read_beneath(root, relative, limit=100)
    with pytest.raises(NotFound):
        read_beneath(root / "missing", "file", limit=100)
    with pytest.raises(NotFound):
        list_files(root / "missing")


def test_what_cannot_be_read_is_an_error_of_ours(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions, descriptors, disks."""

    def refuse(*_args: object, **_more: object) -> int:
        raise PermissionError(13, "Permission denied")

    def broken(*_args: object, **_more: object) -> object:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(StoreError):
            list_files(root)
    real = os.open
    with monkeypatch.context() as patch:
        patch.setattr(
            os, "open", lambda path, *args, **more: refuse() if more else real(path, *args)
        )
        with pytest.raises(StoreError):
            read_beneath(root, "sub/file.md", limit=100)
    with monkeypatch.context() as patch:
        patch.setattr(paths, "open", broken, raising=False)
        with pytest.raises(StoreError):
            read_beneath(root, "sub/file.md", limit=100)


def test_a_descriptor_is_closed_after_its_block(root: Path) -> None:
    """Also when the block raises."""
    seen: list[int] = []

    def fail_inside() -> None:
        with open_beneath(root, "sub/file.md") as descriptor:
            seen.append(descriptor)
            assert os.read(descriptor, 5) == b"hello"
            raise LookupError

    with pytest.raises(LookupError):
        fail_inside()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(seen[0])


def test_a_listing_is_sorted_and_says_what_it_left_out(root: Path, tmp_path: Path) -> None:
    """Links of both kinds and special files; folders behind links are not entered."""
    (root / "a.md").write_bytes(b"12")
    (root / "link.md").symlink_to(root / "a.md")
    (root / "out").symlink_to(tmp_path)
    os.link(tmp_path / "secret", root / "hard.md")
    os.mkfifo(root / "pipe")
    listing = list_files(root)
    assert [(file.path, file.size) for file in listing.files] == [("a.md", 2), ("sub/file.md", 5)]
    assert listing.files[0].mtime_ns == (root / "a.md").stat().st_mtime_ns
    assert [(file.path, file.reason) for file in listing.skipped] == [
        ("hard.md", "hard link"),
        ("link.md", "symlink"),
        ("out", "symlink"),
        ("pipe", "special file"),
    ]


def test_a_listing_can_be_narrowed(root: Path) -> None:
    """By file and by folder; what was not asked for is not reported as left out."""
    (root / "a.txt").symlink_to(root / "sub")
    (root / "b.md").touch()
    assert [f.path for f in list_files(root, lambda path: path.endswith(".md")).files] == [
        "b.md",
        "sub/file.md",
    ]
    listing = list_files(root, lambda path: path.endswith(".md"), lambda path: path != "sub")
    assert ([f.path for f in listing.files], listing.skipped) == (["b.md"], ())


def test_a_folder_that_cannot_be_read_is_reported(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is listed."""
    (root / "b.md").touch()
    real = os.listdir

    def refuse_second(folder: int, calls: list[int] = []) -> list[str]:  # noqa: B006  # counts
        calls.append(folder)
        if len(calls) > 1:
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "listdir", refuse_second)
    listing = list_files(root)
    assert [file.path for file in listing.files] == ["b.md"]
    assert [(file.path, file.reason) for file in listing.skipped] == [("sub", "unreadable")]


def test_what_is_appended_stands_behind_what_is_there(root: Path) -> None:
    """The addition sees the content; folders and file are made, for their owner only."""
    assert append_beneath(root, "new/notes.md", lambda content: content + b"one\n", limit=9) == 4
    assert append_beneath(root, "new/notes.md", lambda content: content + b"two\n", limit=9) == 8
    path = root / "new" / "notes.md"
    assert path.read_bytes() == b"one\none\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert append_beneath(root, "sub/file.md", lambda _: b"", limit=9) == 0
    assert (root / "sub" / "file.md").read_bytes() == b"hello"


@pytest.mark.parametrize("path", ["../secret", "/etc/x.md", "sub/../x.md", "link.md", "hard.md"])
def test_nothing_is_appended_outside_of_the_root(root: Path, tmp_path: Path, path: str) -> None:
    """Not over a link either; nothing is written."""
    (root / "link.md").symlink_to(tmp_path / "secret")
    (root / "hard.md").hardlink_to(tmp_path / "secret")
    (root / "away").symlink_to(tmp_path)
    for where in (path, "away/secret"):
        with pytest.raises(Denied):
            append_beneath(root, where, lambda _: b"more", limit=99)
    assert (tmp_path / "secret").read_bytes() == b"secret"


def test_a_file_that_cannot_take_more_stays_as_it_is(root: Path) -> None:
    """It is too large, it cannot be written, or its folder is none."""
    with pytest.raises(InvalidInput, match="larger than 4 bytes"):
        append_beneath(root, "sub/file.md", lambda _: b"more", limit=4)
    with pytest.raises(NotFound):
        append_beneath(root / "nowhere", "file.md", lambda _: b"more", limit=4)
    with pytest.raises(Denied):
        append_beneath(root, "sub/file.md/x.md", lambda _: b"more", limit=4)
    assert (root / "sub" / "file.md").read_bytes() == b"hello"


def test_a_full_disk_takes_nothing_of_an_addition(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written of it is taken back."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:2]))
    with pytest.raises(StoreFull):
        append_beneath(root, "sub/file.md", lambda _: b"more", limit=99)
    assert (root / "sub" / "file.md").read_bytes() == b"hello"


def test_a_disk_that_fails_after_an_addition_is_an_error_of_ours(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the folder is durable is unknown, so it is not called done."""

    def broken(_descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(StoreError):
        append_beneath(root, "sub/file.md", lambda _: b"more", limit=99)


def test_writers_wait_for_each_other(root: Path) -> None:
    """Each sees what the one before added."""

    def add(number: int) -> int:
        return append_beneath(root, "log.md", lambda content: b"%d\n" % len(content), limit=9_999)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    lines = (root / "log.md").read_bytes().splitlines(keepends=True)
    assert [int(line) for line in lines] == list(accumulate(map(len, lines[:-1]), initial=0))


def test_a_file_is_replaced_as_a_whole(root: Path) -> None:
    """It keeps its mode; the same content writes nothing, and an empty one removes it."""
    path = root / "sub" / "file.md"
    path.chmod(0o640)
    inode = path.stat().st_ino
    assert not rewrite_beneath(root, "sub/file.md", lambda content: content, limit=9)
    assert path.stat().st_ino == inode
    assert rewrite_beneath(root, "sub/file.md", lambda content: content[:2] + b"y", limit=9)
    assert path.read_bytes() == b"hey"
    assert (path.stat().st_mode & 0o777, [each.name for each in path.parent.iterdir()]) == (
        0o640,
        ["file.md"],
    )
    assert rewrite_beneath(root, "sub/file.md", lambda _: b"", limit=9)
    assert not path.exists()
    with pytest.raises(NotFound):
        rewrite_beneath(root, "sub/file.md", lambda content: content, limit=9)


def test_a_file_that_cannot_be_replaced_stays_as_it_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no draft is left."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(StoreFull):
        rewrite_beneath(root, "sub/file.md", lambda _: b"new", limit=9)
    assert [each.name for each in (root / "sub").iterdir()] == ["file.md"]
    assert (root / "sub" / "file.md").read_bytes() == b"hello"


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("content", [b"new", b""])
def test_a_file_that_another_program_saves_meanwhile_is_theirs(
    root: Path, content: bytes, is_replaced: bool
) -> None:
    """docs/memory-files.md: editors write in place or replace, and know nothing of our lock."""
    path = root / "sub" / "file.md"

    def change(_: bytes) -> bytes:
        if is_replaced:
            (root / "sub" / "theirs").write_bytes(b"saved")
            (root / "sub" / "theirs").replace(path)
        else:
            path.write_bytes(b"saved")
            os.utime(path, ns=(1, 1))
        return content

    with pytest.raises(Conflict):
        rewrite_beneath(root, "sub/file.md", change, limit=9)
    assert path.read_bytes() == b"saved"
    assert [each.name for each in (root / "sub").iterdir()] == ["file.md"]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs /proc/locks")
@pytest.mark.parametrize("is_removed", [True, False])
def test_who_waited_for_a_file_that_was_replaced_writes_into_the_new_one(
    root: Path, is_removed: bool
) -> None:
    """Else what is appended would go with the old one."""
    path = root / "sub" / "file.md"
    waiting = f":{path.stat().st_ino} "

    def replaced(content: bytes) -> bytes:
        later.append(pool.submit(append_beneath, root, "sub/file.md", lambda _: b"!", limit=9))
        while not any(
            "->" in line and waiting in line
            for line in Path("/proc/locks").read_text("utf-8").splitlines()
        ):
            pass
        return b"" if is_removed else content.upper()

    later: list[Future[int]] = []
    with ThreadPoolExecutor(1) as pool:
        assert rewrite_beneath(root, "sub/file.md", replaced, limit=9)
        assert later[0].result() == 1
    assert path.read_bytes() == (b"!" if is_removed else b"HELLO!")


def test_drafts_of_killed_rewrites_go_with_the_next(tmp_path: Path) -> None:
    """They hold what was said; those of other files and of people stay."""
    name = "é" * 120 + ".md"  # 243 bytes
    (tmp_path / name).write_text("old\n", "utf-8")
    draft = tmp_path / draft_name(name)
    others = [tmp_path / draft_name("other.md"), tmp_path / ".mine.part"]
    for path in (draft, *others):
        path.write_text("said\n", "utf-8")
    assert rewrite_beneath(tmp_path, name, lambda _: b"new\n", limit=9)
    assert (tmp_path / name).read_bytes() == b"new\n"
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / name, *others])
    draft.write_text("said\n", "utf-8")
    assert not rewrite_beneath(tmp_path, name, lambda content: content, limit=9)
    assert not draft.exists()
